/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/text.h"

#include "ui/common/paint.h"

#include <math.h>

void
sluice_text_begin (SluiceText *text, cairo_t *cr, const SluiceTheme *theme)
{
  g_autoptr (PangoAttrList) attrs = pango_attr_list_new ();

  text->cr = cr;
  text->mirrored = FALSE;
  text->layout = pango_cairo_create_layout (cr);
  text->family = theme->font != NULL ? theme->font : "sans-serif";
  /* Figures of equal width: a number that changes does not move its neighbours. */
  pango_attr_list_insert (attrs, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (text->layout, attrs);
  pango_layout_set_single_paragraph_mode (text->layout, TRUE);
}

void
sluice_text_begin_mirrored (SluiceText *text, cairo_t *cr, const SluiceTheme *theme, double width)
{
  cairo_translate (cr, width, 0);
  cairo_scale (cr, -1, 1);
  sluice_text_begin (text, cr, theme);
  text->mirrored = TRUE;
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

static void
draw_here (SluiceText *text, double x, double y, SluiceAnchor anchor)
{
  PangoRectangle logical;
  double width;
  double height;

  pango_layout_get_extents (text->layout, NULL, &logical);
  width = (double) logical.width / PANGO_SCALE;
  height = (double) logical.height / PANGO_SCALE;
  x -= anchor == SLUICE_ANCHOR_END ? width : anchor == SLUICE_ANCHOR_MIDDLE ? width / 2 : 0;
  /* Where it is limited, what is written from the right lies at the end of its room. */
  x -= (double) logical.x / PANGO_SCALE;
  cairo_move_to (text->cr, round (x), round (y - height / 2));
  pango_cairo_show_layout (text->cr, text->layout);
}

void
sluice_text_draw (SluiceText *text, double x, double y, SluiceAnchor anchor, SluiceColor color)
{
  SluiceAnchor other = anchor == SLUICE_ANCHOR_START ? SLUICE_ANCHOR_END
                       : anchor == SLUICE_ANCHOR_END ? SLUICE_ANCHOR_START
                                                     : anchor;

  sluice_cairo_set_color (text->cr, color);
  if (!text->mirrored)
    {
      draw_here (text, x, y, anchor);
      return;
    }
  cairo_save (text->cr);
  cairo_translate (text->cr, round (x), 0);
  cairo_scale (text->cr, -1, 1);
  draw_here (text, 0, y, other);
  cairo_restore (text->cr);
}
