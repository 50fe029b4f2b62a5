/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/lanes-draw.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/chart/ticks.h"
#include "ui/common/paint.h"
#include "ui/timeline/lanes-draw-private.h"

#define TICK_ROOM 130.0 /* units a tick, about */
#define AIR       10.0  /* between the words of two */
#define REACH     4.0   /* how near a pointer comes to what is thin */
#define NAMES_X   14.0
#define LEGEND    15.0 /* under the last lane */
#define RING_ROOM 5.0  /* beside the time: a ring is seen whole */

double
sluice_lanes_row_top (const SluiceLanesPicture *self, const SluiceLanesRow *row)
{
  return SLUICE_LANES_HEAD + row->y - self->scroll;
}

gboolean
sluice_lanes_get_bar (const SluiceLanesPicture *self, guint64 number, SluiceRect *bar)
{
  SluiceTraceSpan span;

  sluice_trace_view_get_span (self->view, number, &span);
  const SluiceLanesRow *row = sluice_lanes_layout_find (self->layout, span.lane, span.row);
  if (row == NULL)
    return FALSE;
  double x = sluice_time_axis_to_x (&self->axis, span.start);
  double end = sluice_time_axis_to_x (&self->axis, span.end);
  double top = sluice_lanes_row_top (self, row) + (row->height - SLUICE_LANES_BAR) / 2;
  *bar = (SluiceRect){ x, top, MAX (end - x, 1), SLUICE_LANES_BAR };
  return TRUE;
}

guint64
sluice_lanes_pick (const SluiceLanesPicture *self, double x, double y)
{
  const SluiceLanesRow *row =
      y < SLUICE_LANES_HEAD
          ? NULL
          : sluice_lanes_layout_at (self->layout, y - SLUICE_LANES_HEAD + self->scroll);

  if (row == NULL || x < self->axis.x0 || x > self->axis.x1)
    return SLUICE_SPAN_NONE;
  for (double by = 0; by <= REACH; by++)
    for (int side = -1; side <= 1; side += 2)
      {
        gint64 time = sluice_time_axis_to_time (&self->axis, x + side * by);
        guint64 found = sluice_trace_view_find (self->view, row->lane, row->row, time);

        if (found != SLUICE_SPAN_NONE)
          return found;
      }
  return SLUICE_SPAN_NONE;
}

const SluiceLanesNote *
sluice_lanes_pick_note (const SluiceLanesPicture *self, double x, double y)
{
  const SluiceLanesNote *found = NULL;

  for (guint i = 0; self->notes != NULL && y < SLUICE_LANES_HEAD && i < self->notes->len; i++)
    {
      const SluiceLanesNote *note = &g_array_index (self->notes, SluiceLanesNote, i);
      double from = sluice_time_axis_to_x (&self->axis, note->from);
      double to = MAX (sluice_time_axis_to_x (&self->axis, note->to), from + SLUICE_LANES_FLAG);

      if (x >= from - REACH && x <= to + REACH && x >= self->axis.x0)
        found = note;
    }
  return found;
}

/* ---- gaps ---- */

static void
clear_gap (gpointer data)
{
  SluiceLanesGap *gap = data;

  g_free (gap->words);
  g_free (gap->sentence);
}

GArray *
sluice_lanes_gaps_new (void)
{
  GArray *gaps = g_array_new (FALSE, FALSE, sizeof (SluiceLanesGap));

  g_array_set_clear_func (gaps, clear_gap);
  return gaps;
}

/* The first one of a lane from that on. */
static guint
find_lane (const GArray *gaps, guint lane)
{
  guint from = 0;
  guint to = gaps->len;

  while (from < to)
    {
      guint middle = from + (to - from) / 2;

      if (g_array_index (gaps, SluiceLanesGap, middle).lane >= lane)
        to = middle;
      else
        from = middle + 1;
    }
  return from;
}

void
sluice_lanes_find_gaps (const GArray *gaps, guint lane, guint *first, guint *end)
{
  *first = gaps != NULL ? find_lane (gaps, lane) : 0;
  *end = gaps != NULL ? find_lane (gaps, lane + 1) : 0;
}

gboolean
sluice_lanes_get_gap_rect (const SluiceLanesPicture *self,
                           const SluiceLanesGap *gap,
                           SluiceRect *rect)
{
  const SluiceLanesRow *row = sluice_lanes_layout_find (self->layout, gap->lane, 0);

  if (row == NULL)
    return FALSE;
  double x = sluice_time_axis_to_x (&self->axis, gap->start);
  double end = sluice_time_axis_to_x (&self->axis, gap->end);
  double top = sluice_lanes_row_top (self, row) + (row->height - SLUICE_LANES_BAR) / 2;
  *rect = (SluiceRect){ x, top, end - x, SLUICE_LANES_BAR };
  return TRUE;
}

const SluiceLanesGap *
sluice_lanes_pick_gap (const SluiceLanesPicture *self, double x, double y)
{
  const SluiceLanesRow *row =
      y < SLUICE_LANES_HEAD
          ? NULL
          : sluice_lanes_layout_at (self->layout, y - SLUICE_LANES_HEAD + self->scroll);
  guint first;
  guint end;

  if (row == NULL || !row->begins_lane || x < self->axis.x0 || x > self->axis.x1)
    return NULL;
  gint64 time = sluice_time_axis_to_time (&self->axis, x);
  sluice_lanes_find_gaps (self->gaps, row->lane, &first, &end);
  for (guint i = first; i < end; i++)
    {
      const SluiceLanesGap *gap = &g_array_index (self->gaps, SluiceLanesGap, i);

      if (gap->start <= time && time < gap->end)
        return gap;
    }
  return NULL;
}

/* ---- the ground ---- */

static void
draw_line (SluiceLanesDrawing *d, double x0, double y0, double x1, double y1, SluiceColor color)
{
  sluice_cairo_set_color (d->cr, color);
  cairo_set_line_width (d->cr, 1);
  cairo_move_to (d->cr, x0, y0);
  cairo_line_to (d->cr, x1, y1);
  cairo_stroke (d->cr);
}

void
sluice_lanes_get_ticks (const SluiceTimeAxis *axis, gint64 zero, SluiceTimeTicks *ticks)
{
  guint target = (guint) MAX ((axis->x1 - axis->x0) / TICK_ROOM, 1);

  sluice_time_ticks (ticks, axis->from, axis->to, zero, target);
}

const char *
sluice_lanes_get_device (const SluiceTraceLane *lane)
{
  const char *last = strstr (lane->device, "device:"); /* of a name with job and task */

  return last != NULL ? last + strlen ("device:") : lane->device;
}

static void
draw_axis (SluiceLanesDrawing *d)
{
  const SluiceLanesPicture *p = d->picture;
  const SluiceTimeAxis *axis = &p->axis;
  double bottom = MIN (SLUICE_LANES_HEAD + p->layout->height - p->scroll, p->height);
  double until = -G_MAXDOUBLE;
  SluiceTimeTicks ticks;

  sluice_lanes_get_ticks (axis, p->zero, &ticks);
  for (guint i = 0; i < ticks.n; i++)
    {
      double x = floor (sluice_time_axis_to_x (axis, ticks.values[i])) + 0.5;
      double width;
      g_autofree char *words =
          sluice_time_format_tick (ticks.values[i] - p->zero, ticks.step, axis->to - axis->from);

      draw_line (d, x, SLUICE_LANES_HEAD - 4, x, bottom, d->theme->grid);
      sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (&d->text, &width, NULL);
      double middle = CLAMP (x, SLUICE_LANES_NAMES + width / 2 - AIR, p->width - width / 2 - 2);
      if (middle - width / 2 < until + AIR)
        continue; /* what has no room is left out */
      sluice_text_draw (&d->text, middle, SLUICE_LANES_HEAD / 2 - 1, SLUICE_ANCHOR_MIDDLE,
                        d->theme->dim);
      until = middle + width / 2;
    }
}

/* "lane 0 · 41 % busy" */
static char *
dup_second_line (const SluiceLanesPicture *p, guint number, gboolean is_first)
{
  const SluiceTraceLane *lane = sluice_trace_view_get_lane (p->view, number);

  if (p->busy == NULL || lane->kind == SLUICE_LANE_WAIT)
    return g_strdup (lane->name);
  g_autofree char *share = sluice_format_tick (p->busy[number], 0.01, SLUICE_UNIT_PERCENT);
  return g_strdup_printf (is_first ? _ ("%s · %s busy") : "%s · %s", lane->name, share);
}

static void
draw_names (SluiceLanesDrawing *d, const SluiceLanesRow *row)
{
  const SluiceLanesPicture *p = d->picture;
  double top = sluice_lanes_row_top (p, row);
  double room = SLUICE_LANES_NAMES - NAMES_X - 8;
  double middle = top + row->height / 2;
  g_autofree char *second = dup_second_line (p, row->lane, row->begins_device);

  if (row->begins_device)
    {
      const char *device =
          sluice_lanes_get_device (sluice_trace_view_get_lane (p->view, row->lane));

      sluice_text_set (&d->text, device, SLUICE_TEXT_LABEL, TRUE, room);
      sluice_text_draw (&d->text, NAMES_X, middle - 7, SLUICE_ANCHOR_START, d->theme->text);
    }
  sluice_text_set (&d->text, second, SLUICE_TEXT_LABEL, FALSE, room);
  sluice_text_draw (&d->text, NAMES_X, row->begins_device ? middle + 8 : middle,
                    SLUICE_ANCHOR_START, d->theme->dim);
}

/* Under the lanes. */
static void
draw_legend (SluiceLanesDrawing *d, double y)
{
  sluice_cairo_set_color (d->cr, d->theme->text);
  cairo_set_line_width (d->cr, 2.4);
  cairo_move_to (d->cr, NAMES_X, y);
  cairo_line_to (d->cr, NAMES_X + 14, y);
  cairo_stroke (d->cr);
  sluice_text_set (&d->text, _ ("critical path"), SLUICE_TEXT_LABEL, FALSE, 0);
  sluice_text_draw (&d->text, NAMES_X + 20, y, SLUICE_ANCHOR_START, d->theme->dim);
}

static void
draw_rows (SluiceLanesDrawing *d)
{
  const SluiceLanesPicture *p = d->picture;
  const GArray *rows = p->layout->rows;

  for (guint i = sluice_lanes_layout_first (p->layout, p->scroll); i < rows->len; i++)
    {
      const SluiceLanesRow *row = &g_array_index (rows, SluiceLanesRow, i);
      double top = floor (sluice_lanes_row_top (p, row)) + 0.5;
      double from = row->begins_device ? 0 : NAMES_X;

      if (top > p->height)
        break;
      if (row->begins_lane)
        {
          if (i > 0)
            draw_line (d, from, top, p->width, top,
                       row->begins_device ? d->theme->border : d->theme->grid);
          draw_names (d, row);
        }
      cairo_save (d->cr);
      cairo_rectangle (d->cr, p->axis.x0, 0, p->axis.x1 - p->axis.x0, p->height);
      cairo_clip (d->cr);
      sluice_lanes_draw_row (d, row);
      cairo_restore (d->cr);
    }
  double end = floor (SLUICE_LANES_HEAD + p->layout->height - p->scroll) + 0.5;
  draw_line (d, 0, end, p->width, end, d->theme->border);
  if (p->path != NULL && p->path->len > 0)
    draw_legend (d, end + LEGEND);
}

void
sluice_lanes_draw (const SluiceLanesPicture *self, cairo_t *cr, const SluiceTheme *theme)
{
  SluiceLanesDrawing d = { .picture = self, .cr = cr, .theme = theme };

  cairo_save (cr);
  if (self->mirrored)
    sluice_text_begin_mirrored (&d.text, cr, theme, self->width);
  else
    sluice_text_begin (&d.text, cr, theme);
  draw_axis (&d);
  sluice_lanes_draw_notes (&d);
  cairo_rectangle (cr, 0, SLUICE_LANES_HEAD, self->width, self->height - SLUICE_LANES_HEAD);
  cairo_clip (cr);
  draw_rows (&d);
  cairo_rectangle (cr, self->axis.x0 - RING_ROOM, SLUICE_LANES_HEAD,
                   self->axis.x1 - self->axis.x0 + 2 * RING_ROOM, self->height);
  cairo_clip (cr);
  sluice_lanes_draw_over (&d);
  sluice_text_end (&d.text);
  cairo_restore (cr);
}
