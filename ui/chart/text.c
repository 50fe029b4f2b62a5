/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/text.h"

#include <math.h>

void
sluice_text_begin (SluiceText *text, cairo_t *cr, const SluiceChartTheme *theme)
{
  g_autoptr (PangoAttrList) attrs = pango_attr_list_new ();

  text->cr = cr;
  text->layout = pango_cairo_create_layout (cr);
  text->family = theme->font != NULL ? theme->font : "sans-serif";
  /* Figures of equal width: a number that changes does not move its neighbours. */
  pango_attr_list_insert (attrs, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (text->layout, attrs);
  pango_layout_set_single_paragraph_mode (text->layout, TRUE);
}

void
sluice_text_end (SluiceText *text)
{
  g_clear_object (&text->layout);
}

void
sluice_text_set (SluiceText *text, const char *string, double size, gboolean bold, double max_width)
{
  PangoFontDescription *font = pango_font_description_new ();

  pango_font_description_set_family (font, text->family);
  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (text->layout, font);
  pango_font_description_free (font);
  pango_layout_set_ellipsize (text->layout,
                              max_width > 0 ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_NONE);
  pango_layout_set_width (text->layout, max_width > 0 ? (int) (max_width * PANGO_SCALE) : -1);
  pango_layout_set_text (text->layout, string, -1);
}

void
sluice_text_measure (SluiceText *text, double *width, double *height)
{
  PangoRectangle logical;

  pango_layout_get_extents (text->layout, NULL, &logical);
  if (width != NULL)
    *width = (double) logical.width / PANGO_SCALE;
  if (height != NULL)
    *height = (double) logical.height / PANGO_SCALE;
}

void
sluice_text_draw (
    SluiceText *text, double x, double y, SluiceAnchor anchor, const SluiceColor *color)
{
  double width;
  double height;

  sluice_text_measure (text, &width, &height);
  x -= anchor == SLUICE_ANCHOR_END ? width : anchor == SLUICE_ANCHOR_MIDDLE ? width / 2 : 0;
  sluice_cairo_set_color (text->cr, color);
  cairo_move_to (text->cr, round (x), round (y - height / 2));
  pango_cairo_show_layout (text->cr, text->layout);
}

void
sluice_cairo_set_color (cairo_t *cr, const SluiceColor *color)
{
  cairo_set_source_rgba (cr, color->r, color->g, color->b, color->a);
}

void
sluice_cairo_rounded_rect (
    cairo_t *cr, double x, double y, double width, double height, double radius)
{
  double r = MIN (radius, MIN (width, height) / 2);

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + width - r, y + r, r, -G_PI / 2, 0);
  cairo_arc (cr, x + width - r, y + height - r, r, 0, G_PI / 2);
  cairo_arc (cr, x + r, y + height - r, r, G_PI / 2, G_PI);
  cairo_arc (cr, x + r, y + r, r, G_PI, 1.5 * G_PI);
  cairo_close_path (cr);
}

void
sluice_cairo_draw_card (cairo_t *cr, double width, double height, const SluiceChartTheme *theme)
{
  const double radius = 12;

  sluice_cairo_rounded_rect (cr, 0.5, 0.5, width - 1, height - 1, radius);
  sluice_cairo_set_color (cr, &theme->card);
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, &theme->border);
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
