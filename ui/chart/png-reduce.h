/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <cairo.h>
#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * sluice_png_reduce:
 * @image: a PNG of any size
 * @most_side: pixels of the longer side of what comes out
 * @cancellable: (nullable)
 *
 * Reads a picture row by row and keeps the mean of each block of pixels: only the reduced picture
 * and one row are ever in memory.
 *
 * Returns: (transfer full): %NULL and @error where it is no PNG, is damaged before its first row,
 *   is interlaced (its rows do not come in order) or was cancelled; what a torn file lacks at its
 *   end is transparent
 */
cairo_surface_t *
sluice_png_reduce (GBytes *image, guint most_side, GCancellable *cancellable, GError **error);

G_END_DECLS
