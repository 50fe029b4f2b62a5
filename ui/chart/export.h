/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

/* Draws a picture of @width x @height at the origin; @vector where paths are wanted, not pixels. */
typedef void (*SluiceDrawFunc) (
    cairo_t *cr, double width, double height, gboolean vector, gpointer data);

/**
 * sluice_export_picture:
 * @path: ends in .png, .svg or .pdf
 * @width: in user units
 * @height: in user units
 * @scale: pixels per unit of a PNG
 *
 * The file appears whole or not at all.
 *
 * Returns: %FALSE and @error (a #GFileError) when it cannot be written or its ending is not known.
 */
gboolean sluice_export_picture (const char *path,
                                double width,
                                double height,
                                double scale,
                                SluiceDrawFunc draw,
                                gpointer data,
                                GError **error);

G_END_DECLS
