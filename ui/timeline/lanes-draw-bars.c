/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "ui/common/paint.h"
#include "ui/timeline/lanes-draw-private.h"

#define FINE      3.0 /* units: spans shorter than that are put together */
#define RADIUS    4.0
#define ROUND     7.0  /* what is narrower has no corners to be seen */
#define INSET     7.0  /* of the words */
#define LABEL     22.0 /* the narrowest bar that may have some */
#define GAP       12.0 /* the narrowest one that is outlined */
#define DASHED    3.0  /* the narrowest ghost that has a dashed edge */
#define LETTER    4.2  /* the least that one takes: what cannot fit is not measured */
#define PALE      0.22
#define GHOST     2.5 /* how high one is */
#define GHOST_AIR 1.0
#define WHITE_ON  4.5 /* contrast of white words on a bar */

/* ---- what a bar is called, and its colour ---- */

/* The scope's part of "gradients/conv1/filter_grad/…" is "conv1". */
static const char *
skip_gradients (const char *name, gboolean *is_gradient)
{
  const char *slash = strchr (name, '/');

  *is_gradient = slash != NULL && g_str_has_prefix (name, "gradients");
  return *is_gradient ? slash + 1 : name;
}

char *
sluice_lanes_dup_name (const SluiceTraceSpan *span)
{
  gboolean is_gradient;
  const char *name = skip_gradients (span->name, &is_gradient);

  return g_strconcat (name, is_gradient ? " ∇" : NULL, NULL);
}

/* By its name alone: the same in every trace. */
static guint
hash_scope (const char *name)
{
  guint hash = 5381;

  for (; *name != '\0' && *name != '/'; name++)
    hash = hash * 33 + (guchar) *name;
  return hash % (SLUICE_LANES_HUES - 2);
}

/* Which of the drawing's colours: what is moved and what is assigned have one each. */
static guint
get_hue (const SluiceTraceSpan *span)
{
  gboolean is_gradient;

  if (span->kind == SLUICE_SPAN_SEND || span->kind == SLUICE_SPAN_RECV
      || span->kind == SLUICE_SPAN_COPY)
    return SLUICE_LANES_HUES - 2;
  if (span->op != NULL
      && (g_str_has_prefix (span->op, "Apply") || g_str_has_prefix (span->op, "Assign")))
    return SLUICE_LANES_HUES - 1;
  const char *name = skip_gradients (span->name, &is_gradient);
  return hash_scope (name) + (is_gradient ? SLUICE_LANES_HUES : 0);
}

static SluiceColor
make_color (guint hue, const SluiceTheme *theme)
{
  const SluiceColor white = { 1, 1, 1, 1 };
  SluiceColor color = hue == SLUICE_LANES_HUES - 2 ? sluice_color_from_hex (0x00838f)
                      : hue == SLUICE_LANES_HUES - 1
                          ? sluice_color_from_hex (0x986a44)
                          : sluice_palette_structure (hue % SLUICE_LANES_HUES);

  if (hue >= SLUICE_LANES_HUES) /* of the same hue, and seen to be another */
    color = sluice_color_mix (color, sluice_color_from_hex (0xd81b80), 0.38);
  return sluice_color_readable (color, white, theme->contrast > 3 ? 7 : WHITE_ON);
}

SluiceColor
sluice_lanes_get_color (const SluiceTraceSpan *span, const SluiceTheme *theme)
{
  return make_color (get_hue (span), theme);
}

static SluiceColor
find_color (SluiceLanesDrawing *d, const SluiceTraceSpan *span)
{
  guint hue = get_hue (span);

  if (!d->has_color[hue])
    d->colors[hue] = make_color (hue, d->theme);
  d->has_color[hue] = TRUE;
  return d->colors[hue];
}

/* ---- bars ---- */

typedef struct
{
  SluiceLanesDrawing *d;
  double top;
  guint n_several;
} Row;

/* @words, or else what stands in them behind a slash, as far to the right as it takes: the first
 * that fits. Is there any? */
static gboolean
draw_words (Row *row, const char *words, const SluiceRect *bar, SluiceColor color, gboolean bold)
{
  SluiceLanesDrawing *d = row->d;
  double left = MAX (bar->x, d->picture->axis.x0);
  double room = MIN (bar->x + bar->width, d->picture->axis.x1) - left - 2 * INSET;

  while (words != NULL)
    {
      const char *slash = bold ? strchr (words, '/') : NULL;
      double width = INFINITY;

      if ((double) g_utf8_strlen (words, -1) * LETTER <= room)
        {
          sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, bold, 0);
          sluice_text_measure (&d->text, &width, NULL);
        }
      if (width <= room)
        {
          sluice_text_draw (&d->text, left + INSET, bar->y + bar->height / 2, SLUICE_ANCHOR_START,
                            color);
          return TRUE;
        }
      words = slash != NULL ? slash + 1 : NULL;
    }
  return FALSE;
}

static void
draw_label (Row *row, const SluiceTraceSpan *span, const SluiceRect *bar, SluiceColor color)
{
  g_autofree char *name = sluice_lanes_dup_name (span);

  draw_words (row, name, bar, color, TRUE);
}

static void
draw_outline (Row *row, const SluiceRect *bar, SluiceColor color)
{
  static const double dashes[] = { 4, 3 };
  SluiceLanesDrawing *d = row->d;
  const SluiceRect edge = { bar->x + 0.75, bar->y + 0.75, MAX (bar->width - 1.5, 0.5),
                            bar->height - 1.5 };

  sluice_cairo_rounded_rect (d->cr, &edge, MIN (RADIUS, edge.width / 2));
  sluice_cairo_set_color (d->cr, color);
  cairo_set_line_width (d->cr, 1.2);
  cairo_set_dash (d->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_stroke (d->cr);
  cairo_set_dash (d->cr, NULL, 0, 0);
}

/* It holds no thread. */
static void
draw_wait (Row *row, const SluiceTraceSpan *span, const SluiceRect *bar)
{
  draw_outline (row, bar, row->d->theme->outline);
  if (bar->width >= LABEL)
    draw_label (row, span, bar, row->d->theme->text);
}

/* What a lane waits for is said in the gap; what has no words there, and is nobody's value, is as
 * empty as it was. */
static void
draw_gaps (Row *row, guint lane)
{
  const SluiceLanesPicture *p = row->d->picture;
  guint first;
  guint end;

  sluice_lanes_find_gaps (p->gaps, lane, &first, &end);
  for (guint i = first; i < end; i++)
    {
      const SluiceLanesGap *gap = &g_array_index (p->gaps, SluiceLanesGap, i);
      SluiceRect rect;

      if (gap->end <= p->axis.from || gap->start >= p->axis.to || gap->words == NULL
          || !sluice_lanes_get_gap_rect (p, gap, &rect) || rect.width < GAP)
        continue;
      double x = MAX (rect.x, p->axis.x0 - 2 * RADIUS);
      rect.width = MIN (rect.x + rect.width, p->axis.x1 + 2 * RADIUS) - x - 2;
      rect.x = x + 1;
      if (draw_words (row, gap->words, &rect, row->d->theme->dim, FALSE) || gap->is_wait)
        draw_outline (row, &rect, row->d->theme->outline);
    }
}

/* Several that are too small: darker the more of the time one of them ran. Dots at their foot, up
 * and down, say that there are more than one. All edges are those of pixels, which is much less
 * work: there may be thousands. */
static void
draw_several (Row *row, const SluiceTracePiece *piece, const SluiceRect *bar, SluiceColor color)
{
  cairo_t *cr = row->d->cr;
  double share = (double) piece->busy / (double) MAX (piece->end - piece->start, 1);
  double left = floor (bar->x);
  double right = MAX (ceil (bar->x + bar->width), left + 2);
  double top = floor (bar->y);

  color.a *= 0.4 + 0.5 * CLAMP (share, 0, 1);
  sluice_cairo_set_color (cr, color);
  cairo_rectangle (cr, left, top + 4, right - left, SLUICE_LANES_BAR - 11);
  cairo_rectangle (cr, left, top + SLUICE_LANES_BAR - ((row->n_several++ & 1) != 0 ? 5 : 3), 2, 2);
  cairo_fill (cr);
}

static void
draw_bar (Row *row, const SluiceTraceSpan *span, const SluiceRect *bar, SluiceColor color)
{
  const SluiceColor white = { 1, 1, 1, 1 };
  cairo_t *cr = row->d->cr;

  sluice_cairo_set_color (cr, color);
  if (bar->width >= ROUND)
    sluice_cairo_rounded_rect (cr, bar, RADIUS);
  else
    cairo_rectangle (cr, round (bar->x), floor (bar->y), MAX (round (bar->width), 1), bar->height);
  cairo_fill (cr);
  if (bar->width >= LABEL && color.a == 1)
    draw_label (row, span, bar, white);
}

/* What did not run. */
static void
draw_predicted (Row *row, const SluiceTraceSpan *span, const SluiceRect *bar, SluiceColor color)
{
  draw_bar (row, span, bar, sluice_color_with_alpha (color, PALE));
  if (bar->width >= DASHED)
    draw_outline (row, bar, color);
  if (bar->width >= LABEL)
    draw_label (row, span, bar, row->d->theme->text);
}

static void
draw_piece (const SluiceTracePiece *piece, gpointer data)
{
  Row *row = data;
  const SluiceLanesPicture *p = row->d->picture;
  double far = 2 * RADIUS; /* of what goes on outside, no corner is seen */
  double x = MAX (sluice_time_axis_to_x (&p->axis, piece->start), p->axis.x0 - far);
  double end = MIN (sluice_time_axis_to_x (&p->axis, piece->end), p->axis.x1 + far);
  SluiceRect bar = { x, row->top, MAX (end - x, 1), SLUICE_LANES_BAR };
  SluiceTraceSpan span;

  sluice_trace_view_get_span (p->view, piece->span, &span);
  SluiceColor color = find_color (row->d, &span);
  if (p->found != NULL && !g_hash_table_contains ((GHashTable *) p->found, span.name))
    color = sluice_color_with_alpha (color, PALE);
  if (bar.width > 4)
    bar.width -= 1; /* neighbours are told apart */
  if (piece->n > 1)
    draw_several (row, piece, &bar, color);
  else if (span.kind == SLUICE_SPAN_WAIT)
    draw_wait (row, &span, &bar);
  else if (p->is_ghost)
    draw_predicted (row, &span, &bar, color);
  else
    draw_bar (row, &span, &bar, color);
}

/* ---- ghosts ---- */

/* The lane of the same name; their number: there is none. */
static guint
find_ghost_lane (const SluiceLanesPicture *p, guint number)
{
  const SluiceTraceView *view = p->ghosts->view;
  const SluiceTraceLane *lane = sluice_trace_view_get_lane (p->view, number);
  guint n = sluice_trace_view_get_n_lanes (view);
  guint i = 0;

  if (view == p->view)
    return number;
  for (; i < n; i++)
    {
      const SluiceTraceLane *other = sluice_trace_view_get_lane (view, i);

      if (strcmp (other->name, lane->name) == 0 && strcmp (other->device, lane->device) == 0)
        break;
    }
  return i;
}

static void
draw_ghost (const SluiceTracePiece *piece, gpointer data)
{
  Row *row = data;
  const SluiceLanesPicture *p = row->d->picture;
  const SluiceLanesGhosts *ghosts = p->ghosts;
  double x = sluice_time_axis_to_x (&p->axis, MAX (piece->start, ghosts->from) + ghosts->shift);
  double end = sluice_time_axis_to_x (&p->axis, MIN (piece->end, ghosts->to) + ghosts->shift);
  SluiceTraceSpan span;

  x = floor (MAX (x, p->axis.x0));
  end = MIN (end, p->axis.x1);
  sluice_trace_view_get_span (ghosts->view, piece->span, &span);
  if (span.kind == SLUICE_SPAN_WAIT || end <= x)
    return;
  sluice_cairo_set_color (row->d->cr, find_color (row->d, &span));
  cairo_rectangle (row->d->cr, x, row->top - GHOST - GHOST_AIR, MAX (end - x - 1, 1), GHOST);
  cairo_fill (row->d->cr);
}

static void
draw_ghosts (Row *drawing, const SluiceLanesRow *row)
{
  const SluiceLanesPicture *p = drawing->d->picture;
  const SluiceLanesGhosts *ghosts = p->ghosts;
  guint lane = find_ghost_lane (p, row->lane);
  gint64 from = MAX (p->axis.from - ghosts->shift, ghosts->from);
  gint64 to = MIN (p->axis.to - ghosts->shift, ghosts->to);

  if (from >= to || lane >= sluice_trace_view_get_n_lanes (ghosts->view)
      || row->row >= sluice_trace_view_get_lane (ghosts->view, lane)->n_rows)
    return;
  sluice_trace_view_each_piece (ghosts->view, lane, row->row, from, to,
                                sluice_time_axis_get_grain (&p->axis, FINE), draw_ghost, drawing);
}

void
sluice_lanes_draw_row (SluiceLanesDrawing *d, const SluiceLanesRow *row)
{
  const SluiceLanesPicture *p = d->picture;
  Row drawing = { d, sluice_lanes_row_top (p, row) + (row->height - SLUICE_LANES_BAR) / 2, 0 };

  if (row->begins_lane)
    draw_gaps (&drawing, row->lane);
  sluice_trace_view_each_piece (p->view, row->lane, row->row, p->axis.from, p->axis.to,
                                sluice_time_axis_get_grain (&p->axis, FINE), draw_piece, &drawing);
  if (p->ghosts != NULL)
    draw_ghosts (&drawing, row);
}
