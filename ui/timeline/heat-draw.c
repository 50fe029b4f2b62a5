/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/heat-draw.h"

#include <math.h>
#include <string.h>

#include "ui/common/paint.h"
#include "ui/common/text.h"
#include "ui/timeline/lanes-draw.h"
#include "ui/timeline/steps-draw.h"

#define NAMES_X 14.0
#define USUAL   0.25 /* how hot what is usual is */
#define MOST    4.0  /* times the median */
#define RING    2.0
#define PALEST  0.06

static double
get_pitch (const SluiceHeatPicture *self)
{
  return sluice_steps_get_pitch (self->x0, self->x1, self->heat->steps->len);
}

double
sluice_heat_get_value (const SluiceTraceHeat *heat, guint node, gint64 time, gboolean by_time)
{
  const SluiceHeatNode *told = &g_array_index (heat->nodes, SluiceHeatNode, node);

  if (by_time) /* the root: short ones are told apart, too */
    return sqrt ((double) time / (double) MAX (heat->most, 1));
  double times = (double) time / (double) MAX (told->median, 1);
  if (times <= 1)
    return USUAL * times;
  return MIN (USUAL + (1 - USUAL) * log (times) / log (MOST), 1);
}

SluiceColor
sluice_heat_get_color (double value, const SluiceTheme *theme)
{
  const double usual = 0.35; /* of the accent, where it is USUAL */

  if (value <= USUAL)
    return sluice_color_mix (theme->ground, theme->accent,
                             PALEST + (usual - PALEST) * value / USUAL);
  SluiceColor from = sluice_color_mix (theme->ground, theme->accent, usual);
  return sluice_color_mix (from, theme->failure, (value - USUAL) / (1 - USUAL));
}

/* ---- cells ---- */

static guint32
to_pixel (SluiceColor color)
{
  guint32 r = (guint32) lround (color.r * 255);
  guint32 g = (guint32) lround (color.g * 255);
  guint32 b = (guint32) lround (color.b * 255);

  return 0xff000000u | r << 16 | g << 8 | b;
}

#define SHADES 64

typedef struct
{
  const SluiceHeatPicture *picture;
  guint32 shades[SHADES];
  guint32 none;
} Paint;

/* The steps of a pixel: at least one. FALSE: there is none any more */
static gboolean
find_steps (const SluiceHeatPicture *self, double from, double to, guint *first, guint *end)
{
  double pitch = get_pitch (self);
  guint n = self->heat->steps->len;

  *first = (guint) CLAMP (floor (from / pitch), 0, (double) n);
  *end = (guint) CLAMP (floor (to / pitch), 0, (double) n);
  *end = MAX (*end, MIN (*first + 1, n));
  return *first < *end;
}

static guint32
get_pixel (const Paint *paint, guint node, double from, double to)
{
  const SluiceHeatPicture *p = paint->picture;
  guint first;
  guint end;

  if (!find_steps (p, from, to, &first, &end))
    return 0;
  guint step = sluice_trace_heat_find_longest (p->heat, node, first, end);
  if (step == end)
    return paint->none;
  double value = sluice_heat_get_value (
      p->heat, node, sluice_trace_heat_get_time (p->heat, node, step), p->by_time);
  return paint->shades[(guint) (value * (SHADES - 1) + 0.5)];
}

static void
paint_row (const Paint *paint, guint node, cairo_surface_t *surface, double scale)
{
  const SluiceHeatPicture *p = paint->picture;
  double top = node * SLUICE_HEAT_ROW - p->scroll;
  int height = cairo_image_surface_get_height (surface);
  int width = cairo_image_surface_get_width (surface);
  int stride = cairo_image_surface_get_stride (surface);
  int from = MAX ((int) round (top * scale), 0);
  int to = MIN ((int) round ((top + SLUICE_HEAT_ROW - 1) * scale), height);
  guchar *data = cairo_image_surface_get_data (surface);

  if (from >= to)
    return;
  guint32 *row = (guint32 *) (data + (gsize) from * (gsize) stride);
  for (int x = 0; x < width; x++)
    row[x] = get_pixel (paint, node, x / scale, (x + 1) / scale);
  for (int y = from + 1; y < to; y++)
    memcpy (data + (gsize) y * (gsize) stride, row, (gsize) width * sizeof *row);
}

void
sluice_heat_paint (const SluiceHeatPicture *self,
                   cairo_surface_t *surface,
                   double scale,
                   const SluiceTheme *theme)
{
  Paint paint = { self, { 0 }, to_pixel (theme->ground) };
  guint first = (guint) MAX (floor (self->scroll / SLUICE_HEAT_ROW), 0);

  for (guint i = 0; i < SHADES; i++)
    paint.shades[i] = to_pixel (sluice_heat_get_color ((double) i / (SHADES - 1), theme));
  cairo_surface_flush (surface);
  for (guint i = first; i < self->heat->nodes->len; i++)
    {
      if (i * SLUICE_HEAT_ROW - self->scroll > self->height)
        break;
      paint_row (&paint, i, surface, scale);
    }
  cairo_surface_mark_dirty (surface);
}

/* ---- all ---- */

SluiceRect
sluice_heat_get_rect (const SluiceHeatPicture *self, guint node, guint step)
{
  double pitch = get_pitch (self);

  return (SluiceRect){ self->x0 + step * pitch, node * SLUICE_HEAT_ROW - self->scroll,
                       MAX (pitch, 1), SLUICE_HEAT_ROW - 1 };
}

gboolean
sluice_heat_pick (const SluiceHeatPicture *self, double x, double y, guint *node, guint *step)
{
  double row = floor ((y + self->scroll) / SLUICE_HEAT_ROW);
  guint first;
  guint end;

  if (x < self->x0 || x > self->x1 || y < 0 || row < 0 || row >= self->heat->nodes->len
      || !find_steps (self, floor (x - self->x0), floor (x - self->x0) + 1, &first, &end))
    return FALSE;
  *node = (guint) row;
  *step = sluice_trace_heat_find_longest (self->heat, *node, first, end);
  return *step < end;
}

static void
draw_ring (const SluiceHeatPicture *self, cairo_t *cr, guint node, guint step, SluiceColor color)
{
  if (node >= self->heat->nodes->len || step >= self->heat->steps->len)
    return;
  const SluiceRect cell = sluice_heat_get_rect (self, node, step);
  const SluiceRect ring = sluice_rect_grown (&cell, RING / 2);
  sluice_cairo_rounded_rect (cr, &ring, RING);
  sluice_cairo_set_color (cr, color);
  cairo_set_line_width (cr, RING);
  cairo_stroke (cr);
}

static void
draw_names (const SluiceHeatPicture *self, SluiceText *text, const SluiceTheme *theme)
{
  guint first = (guint) MAX (floor (self->scroll / SLUICE_HEAT_ROW), 0);

  for (guint i = first; i < self->heat->nodes->len; i++)
    {
      double top = i * SLUICE_HEAT_ROW - self->scroll;

      if (top > self->height)
        break;
      g_autofree char *name = sluice_lanes_dup_name (
          &(SluiceTraceSpan){ .name = g_array_index (self->heat->nodes, SluiceHeatNode, i).name });
      sluice_text_set (text, name, SLUICE_TEXT_LABEL, i == self->node, self->x0 - NAMES_X - 8);
      sluice_text_draw (text, NAMES_X, top + SLUICE_HEAT_ROW / 2, SLUICE_ANCHOR_START,
                        i == self->node ? theme->text : theme->dim);
    }
}

void
sluice_heat_draw (const SluiceHeatPicture *self,
                  cairo_surface_t *cells,
                  double scale,
                  cairo_t *cr,
                  const SluiceTheme *theme)
{
  SluiceText text;

  cairo_save (cr);
  if (self->mirrored)
    sluice_text_begin_mirrored (&text, cr, theme, self->width);
  else
    sluice_text_begin (&text, cr, theme);
  cairo_rectangle (cr, 0, 0, self->width, self->height);
  cairo_clip (cr);
  cairo_save (cr);
  cairo_translate (cr, self->x0, 0);
  cairo_scale (cr, 1 / scale, 1 / scale);
  cairo_set_source_surface (cr, cells, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
  draw_names (self, &text, theme);
  draw_ring (self, cr, self->node, self->step, theme->accent);
  draw_ring (self, cr, self->cursor_node, self->cursor_step, theme->text);
  sluice_text_end (&text);
  cairo_restore (cr);
}
