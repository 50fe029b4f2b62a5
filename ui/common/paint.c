/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/paint.h"

#include <math.h>

#define CARD_RADIUS 12.0

void
sluice_cairo_set_color (cairo_t *cr, SluiceColor color)
{
  cairo_set_source_rgba (cr, color.r, color.g, color.b, color.a);
}

void
sluice_cairo_rounded_rect (cairo_t *cr, const SluiceRect *rect, double radius)
{
  double r = MIN (radius, MIN (rect->width, rect->height) / 2);

  cairo_new_sub_path (cr);
  cairo_arc (cr, rect->x + rect->width - r, rect->y + r, r, -G_PI / 2, 0);
  cairo_arc (cr, rect->x + rect->width - r, rect->y + rect->height - r, r, 0, G_PI / 2);
  cairo_arc (cr, rect->x + r, rect->y + rect->height - r, r, G_PI / 2, G_PI);
  cairo_arc (cr, rect->x + r, rect->y + r, r, G_PI, 1.5 * G_PI);
  cairo_close_path (cr);
}

void
sluice_cairo_draw_card (cairo_t *cr, double width, double height, const SluiceTheme *theme)
{
  const SluiceRect edge = { 0.5, 0.5, width - 1, height - 1 };

  sluice_cairo_rounded_rect (cr, &edge, CARD_RADIUS);
  sluice_cairo_set_color (cr, theme->card);
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, theme->border);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

double
sluice_cairo_get_scale (cairo_t *cr)
{
  double dx = 1;
  double dy = 0;
  double device_x = 1;
  double device_y = 1;

  cairo_user_to_device_distance (cr, &dx, &dy);
  cairo_surface_get_device_scale (cairo_get_target (cr), &device_x, &device_y);
  return CLAMP (hypot (dx, dy) * device_x, 0.25, 8);
}
