/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/memory-draw.h"

#include <math.h>

#include "ui/chart/ticks.h"
#include "ui/common/paint.h"
#include "ui/timeline/lanes-draw.h"
#include "ui/timeline/memory-draw-private.h"

#define AIR       1.10 /* over the peak */
#define POOL_NEAR 1.5  /* times the peak: a larger pool is not drawn to its end */
#define NEAR      1.6  /* the same of a limit */
#define TICK_ROOM 110.0
#define TICKS     5

double
sluice_memory_get_head (const SluiceMemoryPicture *self)
{
  return self->is_shared ? SLUICE_MEMORY_SHARED_HEAD : SLUICE_MEMORY_HEAD;
}

double
sluice_memory_get_foot (const SluiceMemoryPicture *self)
{
  return self->is_shared ? SLUICE_MEMORY_SHARED_FOOT : SLUICE_MEMORY_FOOT;
}

double
sluice_memory_y_of (const SluiceMemoryPicture *self, double bytes)
{
  double bottom = self->height - sluice_memory_get_foot (self);

  return bottom - bytes / self->top_bytes * (bottom - sluice_memory_get_head (self));
}

double
sluice_memory_x_of_column (const SluiceMemoryPicture *self, guint column)
{
  double from = sluice_time_axis_to_x (&self->axis, self->layout->from);
  double to = sluice_time_axis_to_x (&self->axis, self->layout->to);

  return from + (to - from) * column / MAX (self->layout->n_columns, 1);
}

double
sluice_memory_find_shared_top (const SluiceMemoryView *view)
{
  double peak = (double) sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view));

  return MAX (peak * AIR, 64);
}

double
sluice_memory_find_top (const SluiceMemoryView *view)
{
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  double peak = (double) sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view));
  double top = sluice_memory_find_shared_top (view), pool = 0;

  for (guint m = 0; m < sluice_memory_view_get_n_moments (view); m++)
    pool = MAX (pool, (double) sluice_memory_view_get_reserved (view, m));
  if (pool <= peak * POOL_NEAR)
    top = MAX (top, pool * 1.02);
  if (tape->is_limited && (double) tape->limit <= peak * NEAR)
    top = MAX (top, (double) tape->limit * 1.04);
  return top;
}

guint
sluice_memory_get_column (const SluiceMemoryPicture *self, double x)
{
  double from = sluice_memory_x_of_column (self, 0);
  double to = sluice_memory_x_of_column (self, self->layout->n_columns);
  double share = (x - from) / MAX (to - from, 1);
  double column = floor (share * self->layout->n_columns);

  return (guint) CLAMP (column, 0, (double) self->layout->n_columns - 1);
}

guint
sluice_memory_pick (const SluiceMemoryPicture *self, double x, double y)
{
  double bottom = sluice_memory_y_of (self, 0);

  double from = MAX (self->axis.x0, sluice_memory_x_of_column (self, 0));
  double to = MIN (self->axis.x1, sluice_memory_x_of_column (self, self->layout->n_columns));
  double head = sluice_memory_get_head (self);

  if (x < from || x > to || y > bottom || y < head)
    return SLUICE_BAND_NONE;
  double bytes = (bottom - y) / (bottom - head) * self->top_bytes;
  return sluice_memory_layout_find (self->layout, self->view, sluice_memory_get_column (self, x),
                                    (gsize) MAX (bytes, 0));
}

gboolean
sluice_memory_get_box (const SluiceMemoryPicture *self, guint band, SluiceRect *box)
{
  const GArray *shapes = self->layout->shapes;
  double bytes = (double) sluice_memory_view_get_band (self->view, band)->bytes;

  for (guint i = 0; i < shapes->len; i++)
    {
      const SluiceMemoryShape *shape = &g_array_index (shapes, SluiceMemoryShape, i);
      const SluiceMemoryPoint *point =
          &g_array_index (self->layout->points, SluiceMemoryPoint, shape->first_point);
      if (shape->band != band)
        continue;
      double top = sluice_memory_y_of (self, (double) point->base + bytes);
      double x = sluice_memory_x_of_column (self, point->column);
      *box = (SluiceRect){ x, top, MAX (sluice_memory_x_of_column (self, shape->end) - x, 1),
                           MAX (sluice_memory_y_of (self, (double) point->base) - top, 1) };
      return TRUE;
    }
  return FALSE;
}

/* ---- axes ---- */

static void
draw_bytes (SluiceMemoryDrawing *d)
{
  const SluiceMemoryPicture *p = d->picture;
  SluiceTicks ticks;

  sluice_ticks (&ticks, 0, p->top_bytes, TICKS, SLUICE_UNIT_BYTES, FALSE);
  for (guint i = 0; i < ticks.n; i++)
    {
      double y = floor (sluice_memory_y_of (p, ticks.values[i])) + 0.5;
      g_autofree char *words = sluice_format_tick (ticks.values[i], ticks.step, SLUICE_UNIT_BYTES);

      sluice_cairo_set_color (d->cr, ticks.values[i] > 0 ? d->theme->grid : d->theme->border);
      cairo_set_line_width (d->cr, 1);
      cairo_move_to (d->cr, p->axis.x0, y);
      cairo_line_to (d->cr, p->axis.x1, y);
      cairo_stroke (d->cr);
      sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, FALSE, p->axis.x0 - 12);
      sluice_text_draw (&d->text, p->axis.x0 - 8, y, SLUICE_ANCHOR_END, d->theme->dim);
    }
}

/* Those of the lanes above go on. */
static void
draw_lines (SluiceMemoryDrawing *d)
{
  const SluiceMemoryPicture *p = d->picture;
  SluiceTimeTicks ticks;

  sluice_lanes_get_ticks (&p->axis, p->zero, &ticks);
  sluice_cairo_set_color (d->cr, d->theme->grid);
  cairo_set_line_width (d->cr, 1);
  for (guint i = 0; i < ticks.n; i++)
    {
      double x = floor (sluice_time_axis_to_x (&p->axis, ticks.values[i])) + 0.5;

      cairo_move_to (d->cr, x, 0);
      cairo_line_to (d->cr, x, p->height - SLUICE_MEMORY_SHARED_FOOT);
    }
  cairo_stroke (d->cr);
}

static void
draw_times (SluiceMemoryDrawing *d)
{
  const SluiceMemoryPicture *p = d->picture;
  const SluiceTimeAxis *axis = &p->axis;
  guint target = (guint) MAX ((axis->x1 - axis->x0) / TICK_ROOM, 1);
  SluiceTimeTicks ticks;

  sluice_time_ticks (&ticks, axis->from, axis->to, 0, target);
  for (guint i = 0; i < ticks.n; i++)
    {
      double width;
      g_autofree char *words =
          sluice_time_format_tick (ticks.values[i], ticks.step, axis->to - axis->from);

      sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (&d->text, &width, NULL);
      double x = CLAMP (sluice_time_axis_to_x (axis, ticks.values[i]), axis->x0 + width / 2,
                        p->width - width / 2 - 2);
      sluice_text_draw (&d->text, x, p->height - 12, SLUICE_ANCHOR_MIDDLE, d->theme->dim);
    }
}

void
sluice_memory_draw (const SluiceMemoryPicture *self, cairo_t *cr, const SluiceTheme *theme)
{
  SluiceMemoryDrawing d = { .picture = self, .cr = cr, .theme = theme };

  cairo_save (cr);
  if (self->mirrored)
    sluice_text_begin_mirrored (&d.text, cr, theme, self->width);
  else
    sluice_text_begin (&d.text, cr, theme);
  draw_bytes (&d);
  if (self->is_shared)
    draw_lines (&d);
  else if (!sluice_memory_view_get_tape (self->view)->is_failure)
    draw_times (&d);
  cairo_save (cr);
  cairo_rectangle (cr, self->axis.x0 - 1, 0, self->axis.x1 - self->axis.x0 + 2, self->height);
  cairo_clip (cr);
  sluice_memory_draw_bands (&d);
  if (!self->is_shared)
    sluice_memory_draw_runs (&d);
  sluice_memory_draw_limit (&d);
  if (!self->is_shared)
    sluice_memory_draw_pool (&d);
  sluice_memory_draw_peak (&d);
  cairo_restore (cr);
  sluice_memory_draw_card (&d);
  sluice_text_end (&d.text);
  cairo_restore (cr);
}
