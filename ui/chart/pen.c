/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/pen.h"

#include "ui/common/paint.h"

#include <math.h>

static inline double
pen_x (const SluicePen *pen, double x)
{
  return (x - pen->left) * pen->scale;
}

static inline double
pen_y (const SluicePen *pen, double y)
{
  return (y - pen->top) * pen->scale;
}

void
sluice_pen_segment (const SluicePen *pen, double x0, double y0, double x1, double y1)
{
  double x;
  double y;

  if (pen->raster != NULL)
    {
      sluice_raster_segment (pen->raster, pen_x (pen, x0), pen_y (pen, y0), pen_x (pen, x1),
                             pen_y (pen, y1), pen->width * pen->scale);
      return;
    }
  cairo_get_current_point (pen->cr, &x, &y);
  if (!cairo_has_current_point (pen->cr) || fabs (x - x0) > 1e-3 || fabs (y - y0) > 1e-3)
    cairo_move_to (pen->cr, x0, y0);
  cairo_line_to (pen->cr, x1, y1);
}

void
sluice_pen_span (const SluicePen *pen, double x, double top, double bottom)
{
  if (pen->raster == NULL)
    {
      cairo_move_to (pen->cr, x, top);
      cairo_line_to (pen->cr, x, bottom);
      return;
    }
  sluice_raster_box (pen->raster, pen_x (pen, x - pen->width / 2), pen_y (pen, top),
                     pen_x (pen, x + pen->width / 2), pen_y (pen, bottom));
}

void
sluice_pen_disc (const SluicePen *pen, double x, double y, double radius)
{
  if (pen->raster != NULL)
    sluice_raster_disc (pen->raster, pen_x (pen, x), pen_y (pen, y), radius * pen->scale);
  else
    {
      cairo_new_sub_path (pen->cr);
      cairo_arc (pen->cr, x, y, radius, 0, 2 * G_PI);
    }
}

void
sluice_pen_trapezoid (const SluicePen *pen,
                      double x0,
                      double top0,
                      double bottom0,
                      double x1,
                      double top1,
                      double bottom1)
{
  if (pen->raster != NULL)
    {
      sluice_raster_trapezoid (pen->raster, pen_x (pen, x0), pen_y (pen, top0),
                               pen_y (pen, bottom0), pen_x (pen, x1), pen_y (pen, top1),
                               pen_y (pen, bottom1));
      return;
    }
  cairo_move_to (pen->cr, x0, top0);
  cairo_line_to (pen->cr, x1, top1);
  cairo_line_to (pen->cr, x1, bottom1);
  cairo_line_to (pen->cr, x0, bottom0);
  cairo_close_path (pen->cr);
}

void
sluice_pen_paint (const SluicePen *pen, SluiceColor color, gboolean fill)
{
  if (pen->raster != NULL)
    {
      sluice_raster_paint (pen->raster, color);
      return;
    }
  sluice_cairo_set_color (pen->cr, color);
  cairo_set_line_width (pen->cr, pen->width);
  cairo_set_line_join (pen->cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap (pen->cr, CAIRO_LINE_CAP_ROUND);
  if (fill)
    cairo_fill (pen->cr);
  else
    cairo_stroke (pen->cr);
}
