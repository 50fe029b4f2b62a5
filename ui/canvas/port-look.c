/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/port-look.h"

#include <math.h>

typedef enum
{
  SHAPE_DOT,
  SHAPE_SQUARE,
  SHAPE_TRIANGLE,
  SHAPE_DIAMOND,
  SHAPE_PENTAGON,
} PortShape;

/* Of sluice_palette_structure() */
enum
{
  HUE_PURPLE,
  HUE_BLUE,
  HUE_GREEN,
  HUE_ORANGE,
  HUE_TEAL,
  HUE_BROWN,
};

/* By the beginning of the type's name; the first that fits. */
static const struct
{
  const char *prefix;
  PortShape shape;
  guint hue;
} looks[] = {
  { "float", SHAPE_DOT, HUE_BLUE },       { "double", SHAPE_DOT, HUE_BLUE },
  { "half", SHAPE_DOT, HUE_BLUE },        { "bfloat", SHAPE_DOT, HUE_BLUE },
  { "complex", SHAPE_DOT, HUE_TEAL },     { "uint", SHAPE_TRIANGLE, HUE_ORANGE },
  { "int", SHAPE_SQUARE, HUE_GREEN },     { "bool", SHAPE_DIAMOND, HUE_PURPLE },
  { "quint", SHAPE_TRIANGLE, HUE_BROWN }, { "qint", SHAPE_SQUARE, HUE_BROWN },
  { "", SHAPE_PENTAGON, HUE_BROWN },
};

guint
sluice_port_get_look (const char *dtype)
{
  guint i = 0;
  while (dtype != NULL && !g_str_has_prefix (dtype, looks[i].prefix))
    i++;
  return i;
}

SluiceColor
sluice_port_get_color (const SluiceTheme *theme, const char *dtype)
{
  return dtype != NULL ? sluice_theme_get_hue (theme, looks[sluice_port_get_look (dtype)].hue)
                       : theme->outline;
}

static void
add_polygon (cairo_t *cr, SluicePoint at, double radius, guint n, double angle)
{
  for (guint i = 0; i < n; i++)
    {
      double a = angle + 2 * G_PI * i / n;
      cairo_line_to (cr, at.x + radius * cos (a), at.y + radius * sin (a));
    }
  cairo_close_path (cr);
}

static void
add_shape (cairo_t *cr, PortShape shape, SluicePoint at, double radius)
{
  cairo_new_path (cr);
  switch (shape)
    {
    case SHAPE_SQUARE:
      cairo_rectangle (cr, at.x - radius * 0.86, at.y - radius * 0.86, radius * 1.72,
                       radius * 1.72);
      break;
    case SHAPE_TRIANGLE:
      add_polygon (cr, at, radius * 1.2, 3, -G_PI / 2);
      break;
    case SHAPE_DIAMOND:
      add_polygon (cr, at, radius * 1.2, 4, 0);
      break;
    case SHAPE_PENTAGON:
      add_polygon (cr, at, radius * 1.08, 5, -G_PI / 2);
      break;
    case SHAPE_DOT:
    default:
      cairo_arc (cr, at.x, at.y, radius, 0, 2 * G_PI);
      break;
    }
}

void
sluice_port_draw (cairo_t *cr,
                  const SluiceTheme *theme,
                  const char *dtype,
                  SluicePoint at,
                  double radius,
                  double scale,
                  gboolean is_open)
{
  SluiceColor color = sluice_port_get_color (theme, dtype);
  add_shape (cr, looks[sluice_port_get_look (dtype)].shape, at, radius);
  sluice_cairo_set_color (cr, is_open ? theme->surface : color);
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, is_open ? color : theme->ground);
  cairo_set_line_width (cr, (is_open ? 2 : 1) * MAX (scale, 0.7));
  cairo_stroke (cr);
}
