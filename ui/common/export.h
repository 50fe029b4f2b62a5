/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Pictures as files, without a widget or a display. */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SLUICE_EXPORT_PNG,
  SLUICE_EXPORT_SVG,
  SLUICE_EXPORT_PDF,
  SLUICE_EXPORT_DOT,        /* of graphs: the drawn level, open scopes as clusters */
  SLUICE_EXPORT_CSV,        /* of charts: all points */
  SLUICE_EXPORT_JSON_LINES, /* likewise, an object a line */
} SluiceExportFormat;

/* Draws a picture of @width x @height at the origin; @vector where paths are wanted, not pixels. */
typedef void (*SluiceDrawFunc) (
    cairo_t *cr, double width, double height, gboolean vector, gpointer data);

/** sluice_export_format_from_name: by its ending, case ignored; %FALSE when it is none of ours. */
gboolean sluice_export_format_from_name (const char *path, SluiceExportFormat *format);

/**
 * sluice_export_picture:
 * @format: PNG, SVG or PDF
 * @path: what is written; the file appears whole or not at all
 * @width: in user units
 * @height: in user units
 * @scale: pixels per unit of a PNG
 *
 * Returns: %FALSE and @error (a #GFileError that names @path) when it cannot be drawn or written.
 */
gboolean sluice_export_picture (SluiceExportFormat format,
                                const char *path,
                                double width,
                                double height,
                                double scale,
                                SluiceDrawFunc draw,
                                gpointer data,
                                GError **error);

/** sluice_export_named_picture: the same in the format that @path's ending says; an error for any
 * other ending than .png, .svg and .pdf. */
gboolean sluice_export_named_picture (const char *path,
                                      double width,
                                      double height,
                                      double scale,
                                      SluiceDrawFunc draw,
                                      gpointer data,
                                      GError **error);

G_END_DECLS
