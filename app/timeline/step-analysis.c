/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/step-analysis.h"

#include <glib/gi18n.h>

#include "app/graph/node-words.h"

SluiceStepAnalysis *
sluice_step_analysis_new (const SluiceStepPicture *picture, SluiceGraph *graph, guint64 step)
{
  const SluiceTraceStep *shown = sluice_step_picture_find (picture, step);
  if (shown == NULL)
    return NULL;
  SluiceStepAnalysis *self = g_new0 (SluiceStepAnalysis, 1);
  self->depends = sluice_trace_depends_new (picture->view, graph, step);
  self->critical = sluice_critical_path_new (self->depends);
  self->gaps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceGap));
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (picture->view, graph);
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (picture->view); i++)
    {
      g_autoptr (GArray) found = sluice_trace_gaps_find (gaps, i, shown->start, shown->end);
      g_array_append_vals (self->gaps, found->data, found->len);
    }
  return self;
}

void
sluice_step_analysis_free (SluiceStepAnalysis *self)
{
  sluice_critical_path_free (self->critical);
  sluice_trace_depends_free (self->depends);
  g_array_unref (self->gaps);
  g_free (self);
}

static const SluiceTraceItem *
get_item (const SluiceStepAnalysis *self, guint i)
{
  return &g_array_index (self->depends->items, SluiceTraceItem, i);
}

GArray *
sluice_step_analysis_dup_path (const SluiceStepAnalysis *self)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (guint64));
  const GArray *path = self->critical->path;
  for (guint i = 0; i < path->len; i++)
    {
      guint item = g_array_index (path, SluiceCriticalItem, i).item;
      g_array_append_val (spans, get_item (self, item)->span);
    }
  return spans;
}

guint64
sluice_step_analysis_get_waited (const SluiceStepAnalysis *self, guint64 span)
{
  const SluiceTraceItem *item =
      self != NULL ? sluice_trace_depends_find (self->depends, span) : NULL;
  const SluiceTraceNeed *need =
      item != NULL ? sluice_trace_depends_get_last_need (self->depends, item) : NULL;
  return need != NULL ? get_item (self, need->item)->span : SLUICE_SPAN_NONE;
}

static guint
get_place (const SluiceStepAnalysis *self, const SluiceTraceItem *item)
{
  return (guint) (item - get_item (self, 0));
}

gint64
sluice_step_analysis_get_slack (const SluiceStepAnalysis *self, guint64 span)
{
  const SluiceTraceItem *item =
      self != NULL ? sluice_trace_depends_find (self->depends, span) : NULL;
  return item != NULL ? self->critical->slack[get_place (self, item)] : -1;
}

static double
half_of_one (guint item, gpointer data)
{
  return item == *(const guint *) data ? 0.5 : 1;
}

static double
all (guint item, gpointer data)
{
  return 1;
}

gint64
sluice_step_analysis_get_gain (const SluiceStepAnalysis *self, guint64 span)
{
  const SluiceTraceItem *item =
      self != NULL ? sluice_trace_depends_find (self->depends, span) : NULL;
  if (item == NULL)
    return 0;
  guint place = get_place (self, item);
  return sluice_critical_path_what_if (self->critical, all, NULL, NULL)
         - sluice_critical_path_what_if (self->critical, half_of_one, &place, NULL);
}

/* ---- words ---- */

/* Whose value it is. (nullable): nobody knows */
static const char *
get_maker (const SluiceTraceGap *gap, const SluiceTraceView *view)
{
  SluiceTraceSpan span;
  if (gap->value != NULL)
    return gap->value;
  if (gap->maker == SLUICE_SPAN_NONE)
    return NULL;
  sluice_trace_view_get_span (view, gap->maker, &span);
  return span.name;
}

static char *
dup_cause (const SluiceTraceGap *gap, const SluiceTraceView *view)
{
  const char *maker = get_maker (gap, view);
  switch (gap->cause)
    {
    case SLUICE_GAP_INPUT:
      return maker != NULL ? g_strdup_printf (_ ("waits for %s"), maker)
                           : g_strdup (_ ("waits for a value"));
    case SLUICE_GAP_TRANSFER:
      return maker != NULL ? g_strdup_printf (_ ("%s is on its way"), maker)
                           : g_strdup (_ ("a value is on its way"));
    case SLUICE_GAP_QUEUE:
      return maker != NULL ? g_strdup_printf (_ ("waits for the queue: %s"), maker)
                           : g_strdup (_ ("waits for a queue"));
    case SLUICE_GAP_WAKE:
      return g_strdup (_ ("its thread wakes up"));
    case SLUICE_GAP_DISPATCH:
      return g_strdup (_ ("is being given work"));
    case SLUICE_GAP_ELSEWHERE:
      return maker != NULL ? g_strdup_printf (_ ("its thread runs %s"), maker)
                           : g_strdup (_ ("its thread runs for another device"));
    case SLUICE_GAP_NO_WORK:
      return g_strdup (_ ("nothing to do"));
    case SLUICE_GAP_BETWEEN:
      return g_strdup (_ ("no step runs"));
    case SLUICE_GAP_PAUSED:
      return g_strdup (_ ("training is paused"));
    case SLUICE_GAP_FEED:
      return g_strdup (_ ("the next batch is being made"));
    case SLUICE_GAP_LOG:
      return g_strdup (_ ("results are written down"));
    case SLUICE_GAP_SAVE:
      return g_strdup (_ ("a checkpoint is saved"));
    case SLUICE_GAP_LOCK:
      return maker != NULL ? g_strdup_printf (_ ("waits for the lock that %s has"), maker)
                           : g_strdup (_ ("waits for a lock"));
    case SLUICE_GAP_UNKNOWN:
    default:
      return g_strdup (_ ("the trace does not say why"));
    }
}

char *
sluice_gap_words (const SluiceTraceGap *gap, const SluiceTraceView *view)
{
  gboolean is_empty = gap->cause == SLUICE_GAP_NO_WORK || gap->cause == SLUICE_GAP_BETWEEN
                      || gap->cause == SLUICE_GAP_UNKNOWN;
  return is_empty ? NULL : dup_cause (gap, view);
}

char *
sluice_gap_sentence (const SluiceTraceGap *gap, const SluiceTraceView *view, gint64 zero)
{
  const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, gap->lane);
  g_autofree char *words = dup_cause (gap, view);
  g_autofree char *from = sluice_words_duration ((double) (gap->start - zero) / 1000);
  g_autofree char *took = sluice_words_duration ((double) (gap->end - gap->start) / 1000);
  return g_strdup_printf (_ ("%s of %s idle: %s, from %s, for %s"), lane->name, lane->device, words,
                          from, took);
}
