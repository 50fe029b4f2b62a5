/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What stands over, under and before the bands: limit, peak, what ran, what is under the pointer.
 */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/common/paint.h"
#include "ui/timeline/lanes-draw.h"
#include "ui/timeline/memory-draw-private.h"

#define PILL_HEIGHT 19.0
#define PILL_AIR    8.0
#define RUN_TOP     5.0 /* under the bands */
#define RUN_HEIGHT  13.0
#define RUN_RADIUS  3.5
#define FINE        2.0 /* units: runs closer than that are one bar where they are of one scope */
#define CARD_WIDTH  252.0
#define CARD_ROW    19.0
#define CARD_PAD    14.0
#define RAIL        5.0
#define AWAY        14.0 /* of the card from the pointer */

/* ---- what ran ---- */

/* "conv1", of a gradient "conv1 ∇". (transfer full) */
static char *
dup_scope (const char *name)
{
  g_autofree char *whole = sluice_lanes_dup_name (&(SluiceTraceSpan){ .name = name });
  const char *slash = strchr (whole, '/');
  gboolean is_gradient = g_str_has_suffix (whole, " ∇");

  if (slash == NULL)
    return g_steal_pointer (&whole);
  return g_strdup_printf ("%.*s%s", (int) (slash - whole), whole, is_gradient ? " ∇" : "");
}

typedef struct
{
  char *scope; /* (nullable): there is none */
  SluiceRect rect;
  SluiceColor color;
} Bar;

static void
draw_bar (SluiceMemoryDrawing *d, Bar *bar)
{
  const SluiceColor white = { 1, 1, 1, 1 };
  double width;

  if (bar->scope == NULL)
    return;
  sluice_cairo_rounded_rect (d->cr, &bar->rect, RUN_RADIUS);
  sluice_cairo_set_color (d->cr, bar->color);
  cairo_fill (d->cr);
  sluice_text_set (&d->text, bar->scope, SLUICE_TEXT_LABEL - 1, TRUE, 0);
  sluice_text_measure (&d->text, &width, NULL);
  if (width + 8 <= bar->rect.width)
    sluice_text_draw (&d->text, bar->rect.x + 4, bar->rect.y + RUN_HEIGHT / 2, SLUICE_ANCHOR_START,
                      white);
  g_clear_pointer (&bar->scope, g_free);
}

void
sluice_memory_draw_runs (SluiceMemoryDrawing *d)
{
  const SluiceMemoryPicture *p = d->picture;
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (p->view);
  double top = sluice_memory_y_of (p, 0) + RUN_TOP;
  Bar bar = { NULL };

  for (guint i = 0; i < tape->runs->len; i++)
    {
      const SluiceMemoryRun *run = &g_array_index (tape->runs, SluiceMemoryRun, i);
      const SluiceMemoryNode *node = sluice_memory_tape_get_node (tape, run->node);

      if (run->is_wait || node == NULL || run->end < p->axis.from || run->start > p->axis.to)
        continue;
      double x0 = MAX (sluice_time_axis_to_x (&p->axis, run->start), p->axis.x0);
      double x1 = MIN (sluice_time_axis_to_x (&p->axis, run->end), p->axis.x1);
      g_autofree char *scope = dup_scope (node->name);
      if (bar.scope != NULL && x0 - (bar.rect.x + bar.rect.width) < FINE
          && (strcmp (scope, bar.scope) == 0 || x1 - x0 < FINE))
        {
          bar.rect.width = MAX (bar.rect.width, x1 - bar.rect.x);
          continue;
        }
      draw_bar (d, &bar);
      bar.scope = g_steal_pointer (&scope);
      bar.rect = (SluiceRect){ x0, top, MAX (x1 - x0, 1), RUN_HEIGHT };
      bar.color = sluice_lanes_get_color (
          &(SluiceTraceSpan){ .name = node->name, .op = node->op, .kind = SLUICE_SPAN_NODE },
          d->theme);
    }
  draw_bar (d, &bar);
}

/* ---- limit and peak ---- */

void
sluice_memory_draw_limit (SluiceMemoryDrawing *d)
{
  static const double dashes[] = { 6, 4 };
  const SluiceMemoryPicture *p = d->picture;
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (p->view);
  double y = floor (sluice_memory_y_of (p, (double) tape->limit)) + 0.5;
  double width;

  if (!tape->is_limited || (double) tape->limit > p->top_bytes)
    return;
  sluice_cairo_set_color (d->cr, d->theme->failure);
  cairo_set_line_width (d->cr, 1.5);
  cairo_set_dash (d->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_move_to (d->cr, p->axis.x0, y);
  cairo_line_to (d->cr, p->axis.x1, y);
  cairo_stroke (d->cr);
  cairo_set_dash (d->cr, NULL, 0, 0);
  g_autofree char *limit = sluice_memory_format_bytes ((double) tape->limit);
  g_autofree char *words = g_strdup_printf (_ ("limit %s"), limit);
  gsize peak = sluice_memory_view_get_live (p->view, sluice_memory_view_get_peak (p->view));
  g_autofree char *left =
      sluice_memory_format_bytes ((double) (tape->limit > peak ? tape->limit - peak : 0));
  g_autofree char *rest = g_strdup_printf (_ ("%s left at the peak"), left);
  sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, TRUE, 0);
  sluice_text_measure (&d->text, &width, NULL);
  sluice_text_draw (&d->text, p->axis.x0, y - 10, SLUICE_ANCHOR_START, d->theme->failure);
  sluice_text_set (&d->text, rest, SLUICE_TEXT_LABEL, FALSE, 0);
  sluice_text_draw (&d->text, p->axis.x0 + width + 6, y - 10, SLUICE_ANCHOR_START, d->theme->dim);
}

/* A pool that goes on over the top says how far. */
void
sluice_memory_draw_pool (SluiceMemoryDrawing *d)
{
  const SluiceMemoryPicture *p = d->picture;
  gsize pool = 0;

  for (guint c = 0; c < p->layout->n_columns; c++)
    pool = MAX (pool, p->layout->reserved[c]);
  if ((double) pool <= p->top_bytes)
    return;
  double width;
  g_autofree char *bytes = sluice_memory_format_bytes ((double) pool);
  g_autofree char *words = g_strdup_printf (_ ("↑ pool %s"), bytes);
  sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, FALSE, 0);
  sluice_text_measure (&d->text, &width, NULL);
  const SluiceRect plate = { p->axis.x1 - width - 10, sluice_memory_get_head (p) + 4, width + 8,
                             16 };
  sluice_cairo_rounded_rect (d->cr, &plate, 4);
  sluice_cairo_set_color (d->cr, d->theme->ground);
  cairo_fill (d->cr);
  sluice_text_draw (&d->text, plate.x + 4, plate.y + 8, SLUICE_ANCHOR_START, d->theme->dim);
}

static void
draw_line_at (SluiceMemoryDrawing *d, gint64 time, double top, SluiceColor color, double width)
{
  static const double dashes[] = { 3, 2 };
  const SluiceMemoryPicture *p = d->picture;
  double x = floor (sluice_time_axis_to_x (&p->axis, time)) + 0.5;

  sluice_cairo_set_color (d->cr, color);
  cairo_set_line_width (d->cr, width);
  cairo_set_dash (d->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_move_to (d->cr, x, top);
  cairo_line_to (d->cr, x, sluice_memory_y_of (p, 0));
  cairo_stroke (d->cr);
  cairo_set_dash (d->cr, NULL, 0, 0);
}

/* (transfer full): what the pill says */
static char *
dup_peak_words (const SluiceMemoryPicture *p, guint moment)
{
  guint refused;
  const SluiceAllocationRecord *refusal = sluice_memory_view_get_refusal (p->view, &refused);
  gint64 at = sluice_memory_view_get_time (p->view, moment);
  g_autofree char *bytes =
      sluice_memory_format_bytes ((double) sluice_memory_view_get_live (p->view, moment));
  g_autofree char *time = sluice_memory_format_time (p->view, at);

  if (refusal == NULL || moment != refused)
    return g_strdup_printf (_ ("peak %s at %s"), bytes, time);
  g_autofree char *wanted = sluice_memory_format_bytes ((double) refusal->bytes);
  if (sluice_memory_view_get_tape (p->view)->is_failure)
    return g_strdup_printf (_ ("refused %s"), wanted);
  return g_strdup_printf (_ ("refused %s at %s"), wanted, time);
}

static void
draw_pill (SluiceMemoryDrawing *d, guint moment, double y, SluiceColor ground, SluiceColor ink)
{
  const SluiceMemoryPicture *p = d->picture;
  gint64 time = sluice_memory_view_get_time (p->view, moment);
  g_autofree char *words = dup_peak_words (p, moment);
  double width;

  if (time < p->axis.from || time > p->axis.to)
    return;
  sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, TRUE, 0);
  sluice_text_measure (&d->text, &width, NULL);
  width += 2 * PILL_AIR;
  double x = sluice_time_axis_to_x (&p->axis, time);
  const SluiceRect pill = { CLAMP (x - width + 4, p->axis.x0, p->axis.x1 - width), y, width,
                            PILL_HEIGHT };
  draw_line_at (d, time, y + PILL_HEIGHT, ground, 1.4);
  sluice_cairo_rounded_rect (d->cr, &pill, PILL_HEIGHT / 2);
  sluice_cairo_set_color (d->cr, ground);
  cairo_fill (d->cr);
  sluice_text_draw (&d->text, pill.x + PILL_AIR, y + PILL_HEIGHT / 2, SLUICE_ANCHOR_START, ink);
}

void
sluice_memory_draw_peak (SluiceMemoryDrawing *d)
{
  const SluiceMemoryPicture *p = d->picture;
  guint peak = sluice_memory_view_get_peak (p->view), refused;

  if (p->cursor_time != sluice_memory_view_get_time (p->view, peak)
      && p->cursor_time >= p->axis.from && p->cursor_time <= p->axis.to)
    draw_line_at (d, p->cursor_time, p->is_shared ? 0 : SLUICE_MEMORY_HEAD, d->theme->cursor, 1);
  if (p->is_shared) /* what it was is said over the bands */
    draw_line_at (d, sluice_memory_view_get_time (p->view, peak), 0, d->theme->failure, 1.4);
  else if (sluice_memory_view_get_refusal (p->view, &refused) != NULL)
    draw_pill (d, refused, 4, d->theme->failure, d->theme->ground);
  else
    draw_pill (d, peak, 4, d->theme->text, d->theme->ground);
}

/* ---- what is under the pointer ---- */

typedef struct
{
  SluiceMemoryDrawing *d;
  double x, y; /* of the next row */
} Card;

static void
add_row (Card *self, const char *name, const char *value, gboolean is_bold)
{
  SluiceMemoryDrawing *d = self->d;
  double right = self->x + CARD_WIDTH - 2 * CARD_PAD;
  double width;

  sluice_text_set (&d->text, name, SLUICE_TEXT_LABEL, FALSE, CARD_WIDTH * 0.55);
  sluice_text_measure (&d->text, &width, NULL);
  sluice_text_draw (&d->text, self->x, self->y, SLUICE_ANCHOR_START, d->theme->dim);
  sluice_text_set (&d->text, value, SLUICE_TEXT_LABEL, is_bold,
                   CARD_WIDTH - 2 * CARD_PAD - width - 8);
  sluice_text_draw (&d->text, right, self->y, SLUICE_ANCHOR_END, d->theme->text);
  self->y += CARD_ROW;
}

/* Its life on the time of the step, and a stroke where it was read. */
static void
add_rail (Card *self, guint number, const SluiceMemoryBand *band)
{
  SluiceMemoryDrawing *d = self->d;
  double width = CARD_WIDTH - 2 * CARD_PAD;
  double length = (double) MAX (sluice_memory_view_get_tape (d->picture->view)->length, 1);
  double from = (double) band->made / length * width, to = (double) band->freed / length * width;
  const SluiceRect rail = { self->x, self->y - RAIL / 2, width, RAIL };
  const SluiceRect life = { self->x + from, rail.y, MAX (to - from, 2), RAIL };
  guint n;
  const guint *readings = sluice_memory_view_get_readings (d->picture->view, number, &n);

  sluice_cairo_rounded_rect (d->cr, &rail, RAIL / 2);
  sluice_cairo_set_color (d->cr, d->theme->track);
  cairo_fill (d->cr);
  sluice_cairo_rounded_rect (d->cr, &life, RAIL / 2);
  sluice_cairo_set_color (d->cr, sluice_memory_get_color (band->owner.memory_class, d->theme));
  cairo_fill (d->cr);
  sluice_cairo_set_color (d->cr, d->theme->text);
  cairo_set_line_width (d->cr, 1.5);
  for (guint i = 0; i < n; i++)
    {
      double at = (double) sluice_memory_view_get_run (d->picture->view, readings[i])->start;
      double x = self->x + at / length * width;

      cairo_move_to (d->cr, x, self->y - RAIL);
      cairo_line_to (d->cr, x, self->y + RAIL);
    }
  cairo_stroke (d->cr);
}

static void
fill_card (Card *self, guint number)
{
  const SluiceMemoryView *view = self->d->picture->view;
  const SluiceMemoryBand *band = sluice_memory_view_get_band (view, number);
  g_autofree char *name = sluice_memory_dup_name (view, band->owner);
  g_autofree char *label = sluice_memory_format_label (&band->label);
  g_autofree char *bytes = sluice_memory_format_bytes ((double) band->bytes);
  g_autofree char *made = sluice_memory_format_time (view, band->made);
  g_autofree char *freed = sluice_memory_format_time (view, band->freed);
  g_autofree char *life = band->stays ? g_strdup_printf (_ ("from %s, stays"), made)
                                      : g_strdup_printf (_ ("%s to %s"), made, freed);
  const SluiceMemoryRun *freer =
      band->freer != SLUICE_BAND_NONE ? sluice_memory_view_get_run (view, band->freer) : NULL;
  SluiceText *text = &self->d->text;

  sluice_text_set (text, name, SLUICE_TEXT_BODY, TRUE, CARD_WIDTH * 0.6);
  sluice_text_draw (text, self->x, self->y, SLUICE_ANCHOR_START, self->d->theme->text);
  sluice_text_set (text, sluice_memory_class_words (band->owner.memory_class), SLUICE_TEXT_LABEL,
                   FALSE, 0);
  sluice_text_draw (text, self->x + CARD_WIDTH - 2 * CARD_PAD, self->y, SLUICE_ANCHOR_END,
                    self->d->theme->dim);
  self->y += CARD_ROW + 2;
  add_row (self, label != NULL ? label : _ ("bytes"), bytes, TRUE);
  if (sluice_memory_view_get_tape (view)->is_failure)
    return; /* nothing before it is known */
  add_row (self, _ ("alive"), band->was_before && band->stays ? _ ("all the time") : life, FALSE);
  if (freer != NULL)
    {
      g_autofree char *by = sluice_memory_dup_name (view, (SluiceOwner){ freer->node, 0 });
      add_row (self, band->waste > 0 ? _ ("held until") : _ ("freed by"), by, FALSE);
    }
  else
    add_row (self, _ ("freed by"), band->stays ? _ ("the session keeps it") : _ ("not known"),
             FALSE);
  add_rail (self, number, band);
}

void
sluice_memory_draw_card (SluiceMemoryDrawing *d)
{
  const SluiceMemoryPicture *p = d->picture;
  gboolean is_short = sluice_memory_view_get_tape (p->view)->is_failure;
  const double height = 2 * CARD_PAD + (is_short ? 2 : 4) * CARD_ROW + 6;

  if (p->hovered == SLUICE_BAND_NONE || p->pointer_x < 0)
    return;
  double x = p->pointer_x + AWAY, y = p->pointer_y + AWAY;
  if (x + CARD_WIDTH > p->width - 2)
    x = p->pointer_x - AWAY - CARD_WIDTH;
  y = CLAMP (y, 2, MAX (p->height - height - 2, 2));
  const SluiceRect card = { floor (MAX (x, 2)) + 0.5, floor (y) + 0.5, CARD_WIDTH, height };
  const SluiceRect shadow = { card.x, card.y + 2, card.width, card.height };
  sluice_cairo_rounded_rect (d->cr, &shadow, 10);
  sluice_cairo_set_color (d->cr, (SluiceColor){ 0, 0, 0, 0.16 });
  cairo_fill (d->cr);
  sluice_cairo_rounded_rect (d->cr, &card, 10);
  sluice_cairo_set_color (d->cr, d->theme->card);
  cairo_fill_preserve (d->cr);
  sluice_cairo_set_color (d->cr, d->theme->border);
  cairo_set_line_width (d->cr, 1);
  cairo_stroke (d->cr);
  Card rows = { d, card.x + CARD_PAD, card.y + CARD_PAD + 4 };
  fill_card (&rows, p->hovered);
}
