/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "ui/common/paint.h"
#include "ui/timeline/lanes-draw-private.h"

#define RING       2.5
#define RING_AIR   1.5 /* bars stand close */
#define RADIUS     4.0
#define PATH_WIDTH 2.4
#define JOIN_WIDTH 0.9
#define PATH_AIR   2.5  /* under the bars */
#define FAR        20.0 /* beyond the time that is shown nothing is seen */
#define FLOW_WIDTH 1.6
#define FLOW_RISE  3.0 /* over the bars */
#define ARROW      5.0
#define AREA_ALPHA 0.12

/* ---- the critical path ---- */

/* Under its lane's first row, whichever it stands in. */
static gboolean
get_foot (SluiceLanesDrawing *d, guint64 number, double *x, double *end, double *y)
{
  const SluiceLanesPicture *p = d->picture;
  SluiceTraceSpan span;

  sluice_trace_view_get_span (p->view, number, &span);
  const SluiceLanesRow *row = sluice_lanes_layout_find (p->layout, span.lane, 0);
  if (row == NULL)
    return FALSE;
  *x = CLAMP (sluice_time_axis_to_x (&p->axis, span.start), p->axis.x0 - FAR, p->axis.x1 + FAR);
  *end = CLAMP (sluice_time_axis_to_x (&p->axis, span.end), p->axis.x0 - FAR, p->axis.x1 + FAR);
  *y = sluice_lanes_row_top (p, row) + (row->height + SLUICE_LANES_BAR) / 2 + PATH_AIR;
  return TRUE;
}

/* Under each bar; thinner from the end of one to the start of the next. */
static void
draw_path (SluiceLanesDrawing *d)
{
  const GArray *path = d->picture->path;
  double from = 0;
  double before = NAN;

  sluice_cairo_set_color (d->cr, d->theme->text);
  cairo_set_line_join (d->cr, CAIRO_LINE_JOIN_ROUND);
  for (gboolean joins = FALSE; joins <= TRUE; joins++)
    {
      before = NAN;
      for (guint i = 0; path != NULL && i < path->len; i++)
        {
          double x;
          double end;
          double y;

          if (!get_foot (d, g_array_index (path, guint64, i), &x, &end, &y))
            continue;
          if (!joins)
            {
              cairo_move_to (d->cr, x, y);
              cairo_line_to (d->cr, MAX (end, x + 0.5), y);
            }
          else if (!isnan (before))
            {
              cairo_move_to (d->cr, from, before);
              cairo_line_to (d->cr, x, before);
              cairo_line_to (d->cr, x, y);
            }
          from = end;
          before = y;
        }
      cairo_set_line_width (d->cr, joins ? JOIN_WIDTH : PATH_WIDTH);
      cairo_stroke (d->cr);
    }
}

/* ---- flows ---- */

static void
draw_arrow (SluiceLanesDrawing *d, double x, double y)
{
  cairo_move_to (d->cr, x - ARROW * 0.7, y - ARROW);
  cairo_line_to (d->cr, x + ARROW * 0.7, y - ARROW);
  cairo_line_to (d->cr, x, y);
  cairo_close_path (d->cr);
  cairo_fill (d->cr);
}

/* From the end of the one, over the bars, into the head of the other. */
static void
draw_flow (SluiceLanesDrawing *d, const SluiceLanesFlow *flow)
{
  SluiceRect from;
  SluiceRect to;

  if (!sluice_lanes_get_bar (d->picture, flow->from, &from)
      || !sluice_lanes_get_bar (d->picture, flow->to, &to))
    return;
  double x0 = from.x + from.width - MIN (4, from.width / 2);
  double x1 = to.x + MIN (6, to.width / 2);
  double over = to.y - FLOW_RISE;
  gboolean same_row = fabs (from.y - to.y) < 1;

  cairo_move_to (d->cr, x0, same_row || from.y > to.y ? from.y : from.y + from.height);
  if (same_row)
    cairo_curve_to (d->cr, x0, over - 3, x1, over - 3, x1, to.y - ARROW);
  else
    cairo_curve_to (d->cr, x0, (from.y + to.y) / 2 + from.height / 2, x1,
                    MIN (over, (from.y + to.y) / 2), x1, to.y - ARROW);
  cairo_stroke (d->cr);
  draw_arrow (d, x1, to.y);
}

static void
draw_flows (SluiceLanesDrawing *d)
{
  const GArray *flows = d->picture->flows;

  sluice_cairo_set_color (d->cr, d->theme->accent);
  cairo_set_line_width (d->cr, FLOW_WIDTH);
  for (guint i = 0; flows != NULL && i < flows->len; i++)
    draw_flow (d, &g_array_index (flows, SluiceLanesFlow, i));
}

/* ---- what is chosen ---- */

static void
draw_ring (SluiceLanesDrawing *d)
{
  SluiceRect bar;

  if (d->picture->selected == SLUICE_SPAN_NONE
      || !sluice_lanes_get_bar (d->picture, d->picture->selected, &bar))
    return;
  const SluiceRect ring = sluice_rect_grown (&bar, RING_AIR + RING / 2);
  sluice_cairo_rounded_rect (d->cr, &ring, RADIUS + RING_AIR + RING / 2);
  sluice_cairo_set_color (d->cr, d->theme->accent);
  cairo_set_line_width (d->cr, RING);
  cairo_stroke (d->cr);
}

static void
draw_area (SluiceLanesDrawing *d)
{
  const SluiceLanesPicture *p = d->picture;
  const SluiceLanesArea *area = p->area;
  const GArray *rows = p->layout->rows;

  if (area == NULL || area->last >= rows->len)
    return;
  const SluiceLanesRow *last = &g_array_index (rows, SluiceLanesRow, area->last);
  double x = sluice_time_axis_to_x (&p->axis, area->from);
  double end = sluice_time_axis_to_x (&p->axis, area->to);
  double top = sluice_lanes_row_top (p, &g_array_index (rows, SluiceLanesRow, area->first));
  double bottom = sluice_lanes_row_top (p, last) + last->height;
  const SluiceRect rect = { x, top + 1, end - x, bottom - top - 2 };

  sluice_cairo_rounded_rect (d->cr, &rect, RADIUS);
  sluice_cairo_set_color (d->cr, sluice_color_with_alpha (d->theme->accent, AREA_ALPHA));
  cairo_fill_preserve (d->cr);
  sluice_cairo_set_color (d->cr, d->theme->accent);
  cairo_set_line_width (d->cr, 1.2);
  cairo_stroke (d->cr);
}

static void
draw_marks (SluiceLanesDrawing *d)
{
  static const double dashes[] = { 3, 3 };
  const SluiceLanesPicture *p = d->picture;

  sluice_cairo_set_color (d->cr, d->theme->event);
  cairo_set_line_width (d->cr, 1.4);
  cairo_set_dash (d->cr, dashes, G_N_ELEMENTS (dashes), 0);
  for (guint i = 0; p->marks != NULL && i < p->marks->len; i++)
    {
      double x = sluice_time_axis_to_x (&p->axis, g_array_index (p->marks, gint64, i));

      cairo_move_to (d->cr, floor (x) + 0.5, SLUICE_LANES_HEAD);
      cairo_line_to (d->cr, floor (x) + 0.5, p->height);
      cairo_stroke (d->cr);
    }
  cairo_set_dash (d->cr, NULL, 0, 0);
}

/* A pole with a flag, and under the axis how long it goes on. */
void
sluice_lanes_draw_notes (SluiceLanesDrawing *d)
{
  const SluiceLanesPicture *p = d->picture;

  for (guint i = 0; p->notes != NULL && i < p->notes->len; i++)
    {
      const SluiceLanesNote *note = &g_array_index (p->notes, SluiceLanesNote, i);
      double x = floor (sluice_time_axis_to_x (&p->axis, note->from)) + 0.5;
      double end = MIN (sluice_time_axis_to_x (&p->axis, note->to), p->axis.x1);

      sluice_cairo_set_color (d->cr, d->theme->event);
      if (note->to > note->from && end > p->axis.x0 && x < p->axis.x1)
        {
          double from = MAX (x, p->axis.x0);
          cairo_rectangle (d->cr, from, SLUICE_LANES_HEAD - 3, MAX (end - from, 1), 3);
          cairo_fill (d->cr);
        }
      if (x < p->axis.x0 || x > p->axis.x1)
        continue;
      cairo_move_to (d->cr, x, 1);
      cairo_line_to (d->cr, x + SLUICE_LANES_FLAG, 4.5);
      cairo_line_to (d->cr, x, 8);
      cairo_close_path (d->cr);
      cairo_fill (d->cr);
      cairo_set_line_width (d->cr, 1.2);
      cairo_move_to (d->cr, x, 1);
      cairo_line_to (d->cr, x, p->height);
      cairo_stroke (d->cr);
    }
}

static void
draw_cursor (SluiceLanesDrawing *d)
{
  static const double dashes[] = { 3, 2 };
  const SluiceLanesPicture *p = d->picture;

  if (p->cursor == NULL || *p->cursor < p->axis.from || *p->cursor > p->axis.to)
    return;
  double x = floor (sluice_time_axis_to_x (&p->axis, *p->cursor)) + 0.5;
  sluice_cairo_set_color (d->cr, d->theme->cursor);
  cairo_set_line_width (d->cr, 1);
  cairo_move_to (d->cr, x, SLUICE_LANES_HEAD);
  cairo_line_to (d->cr, x, p->height);
  cairo_set_dash (d->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_stroke (d->cr);
  cairo_set_dash (d->cr, NULL, 0, 0);
}

void
sluice_lanes_draw_over (SluiceLanesDrawing *d)
{
  draw_cursor (d);
  draw_marks (d);
  draw_area (d);
  draw_path (d);
  draw_flows (d);
  draw_ring (d);
}
