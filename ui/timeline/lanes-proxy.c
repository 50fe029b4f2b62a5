/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>

#include "ui/common/number.h"
#include "ui/timeline/lanes-private.h"

/* What assistive technology meets: each lane, and each wait and bar that can be told from its
 * neighbours, as far as they are seen, MOST at the most. */

#define MOST  200
#define LEAST 4.0 /* units that a bar is wide */

typedef struct
{
  guint64 span; /* SLUICE_SPAN_NONE: a gap, or a lane */
  guint lane;
  const SluiceLanesGap *gap; /* (nullable) */
  SluiceRect rect;
} Shown;

typedef struct
{
  const SluiceLanesPicture *picture;
  const SluiceLanesRow *row;
  GArray *shown; /* of Shown */
  guint64 n;     /* spans seen, also those that are not shown */
} Choice;

static void
choose_piece (const SluiceTracePiece *piece, gpointer data)
{
  Choice *self = data;
  SluiceRect bar;

  self->n += piece->n;
  if (piece->n > 1 || self->shown->len >= MOST
      || !sluice_lanes_get_bar (self->picture, piece->span, &bar) || bar.width < LEAST)
    return;
  const Shown shown = { piece->span, self->row->lane, NULL, bar };
  g_array_append_val (self->shown, shown);
}

/* What a lane waits for, where that can be seen. */
static void
choose_gaps (Choice *self)
{
  const SluiceLanesPicture *p = self->picture;
  guint first;
  guint end;

  sluice_lanes_find_gaps (p->gaps, self->row->lane, &first, &end);
  for (guint i = first; i < end && self->shown->len < MOST; i++)
    {
      const SluiceLanesGap *gap = &g_array_index (p->gaps, SluiceLanesGap, i);
      Shown shown = { SLUICE_SPAN_NONE, self->row->lane, gap, { 0 } };

      if (gap->is_wait && gap->end > p->axis.from && gap->start < p->axis.to
          && sluice_lanes_get_gap_rect (p, gap, &shown.rect) && shown.rect.width >= LEAST)
        g_array_append_val (self->shown, shown);
    }
}

static GArray *
choose (SluiceLanes *self, guint64 *n)
{
  SluiceLanesPicture picture = sluice_lanes_get_picture (self);
  Choice choice = { &picture, NULL, g_array_new (FALSE, FALSE, sizeof (Shown)), 0 };
  const GArray *rows = self->layout->rows;

  for (guint i = sluice_lanes_layout_first (self->layout, picture.scroll); i < rows->len; i++)
    {
      choice.row = &g_array_index (rows, SluiceLanesRow, i);
      double top = SLUICE_LANES_HEAD + choice.row->y - picture.scroll;

      if (top > picture.height)
        break;
      const Shown lane = {
        SLUICE_SPAN_NONE, choice.row->lane, NULL, { 0, top, SLUICE_LANES_NAMES, choice.row->height }
      };
      if (choice.row->begins_lane && choice.shown->len < MOST)
        g_array_append_val (choice.shown, lane);
      if (choice.row->begins_lane)
        choose_gaps (&choice);
      sluice_trace_view_each_piece (self->view, choice.row->lane, choice.row->row, self->from,
                                    self->to, sluice_time_axis_get_grain (&picture.axis, LEAST),
                                    choose_piece, &choice);
    }
  *n = choice.n;
  return choice.shown;
}

/* (transfer full) */
static char *
dup_words (SluiceLanes *self, const Shown *shown)
{
  SluiceTraceSpan span;

  if (shown->gap != NULL)
    return g_strdup (shown->gap->sentence);
  if (shown->span == SLUICE_SPAN_NONE)
    return self->words.dup_lane (sluice_trace_view_get_lane (self->view, shown->lane),
                                 self->busy != NULL ? self->busy[shown->lane] : -1,
                                 self->words.data);
  sluice_trace_view_get_span (self->view, shown->span, &span);
  return self->words.dup_span (&span, self->words.data);
}

static void
fill (GtkWidget *widget, SluiceProxies *proxies)
{
  SluiceLanes *self = SLUICE_LANES (widget);
  guint64 n = 0;

  g_autoptr (GArray) shown = self->view != NULL && self->words.dup_span != NULL
                                 ? choose (self, &n)
                                 : g_array_new (FALSE, FALSE, sizeof (Shown));
  for (guint i = 0; i < shown->len; i++)
    {
      const Shown *at = &g_array_index (shown, Shown, i);

      sluice_proxies_add (proxies, &at->rect, at->span, dup_words (self, at),
                          at->span != SLUICE_SPAN_NONE && at->span == self->selected);
    }
  g_autofree char *spans = sluice_format_step ((gint64) n);
  g_autofree char *words =
      g_strdup_printf (_ ("%s spans in sight; %u lanes and spans are listed"), spans, shown->len);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  self->is_ghost ? _ ("Predicted lanes") : _ ("Lanes"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
}

static void
selected (GtkWidget *widget, guint64 item)
{
  sluice_lanes_emit_selected (SLUICE_LANES (widget), item);
}

void
sluice_lanes_init_proxies (SluiceLanes *self)
{
  G_STATIC_ASSERT (SLUICE_SPAN_NONE == SLUICE_PROXY_NONE);

  sluice_proxies_init (&self->proxies, GTK_WIDGET (self), fill, selected);
}
