/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/raster.h"

G_BEGIN_DECLS

/*
 * One way to draw for pixels and for paths: shapes are added in user units and then painted. Pixels
 * go to a raster that covers the user units from (left, top) on; without one, paths go to a
 * cairo_t.
 */
typedef struct
{
  SluiceRaster *raster; /* or NULL: then paths of */
  cairo_t *cr;
  double scale; /* pixels of the raster per unit */
  double left, top;
  double width; /* of strokes */
} SluicePen;

void sluice_pen_segment (const SluicePen *pen, double x0, double y0, double x1, double y1);

/** sluice_pen_span: an upright stroke at @x with flat ends. */
void sluice_pen_span (const SluicePen *pen, double x, double top, double bottom);
void sluice_pen_disc (const SluicePen *pen, double x, double y, double radius);
void sluice_pen_trapezoid (const SluicePen *pen,
                           double x0,
                           double top0,
                           double bottom0,
                           double x1,
                           double top1,
                           double bottom1);
/** sluice_pen_paint: paints what was added in @color; @fill where it was areas, not strokes. */
void sluice_pen_paint (const SluicePen *pen, SluiceColor color, gboolean fill);

G_END_DECLS
