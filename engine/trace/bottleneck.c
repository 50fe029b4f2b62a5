/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/bottleneck.h"

#include <glib/gi18n-lib.h>

#include "engine/trace/bottleneck-private.h"

const char *
sluice_bottleneck_kind_name (SluiceBottleneckKind kind)
{
  static const char *const names[SLUICE_N_BOTTLENECKS] = {
    [SLUICE_BOTTLENECK_SLOW_OP] = "slow-op",
    [SLUICE_BOTTLENECK_LOCK] = "lock",
    [SLUICE_BOTTLENECK_INPUT] = "input",
    [SLUICE_BOTTLENECK_PLACEMENT] = "placement",
    [SLUICE_BOTTLENECK_LEAK] = "leak",
    [SLUICE_BOTTLENECK_LATE_FREE] = "late-free",
    [SLUICE_BOTTLENECK_FRAGMENTATION] = "fragmentation",
    [SLUICE_BOTTLENECK_DISPATCH] = "dispatch",
    [SLUICE_BOTTLENECK_WAKE] = "wake",
    [SLUICE_BOTTLENECK_STRAGGLER] = "straggler",
    [SLUICE_BOTTLENECK_HOST] = "host",
  };
  return names[kind];
}

gboolean
sluice_bottleneck_is_of_memory (SluiceBottleneckKind kind)
{
  return kind == SLUICE_BOTTLENECK_LEAK || kind == SLUICE_BOTTLENECK_LATE_FREE
         || kind == SLUICE_BOTTLENECK_FRAGMENTATION;
}

void
sluice_bottleneck_free (SluiceBottleneck *self)
{
  g_free (self->node);
  g_free (self->words);
  g_free (self->remedy);
  g_free (self);
}

SluiceBottleneck *
sluice_bottlenecks_add (SluiceBottlenecks *self, SluiceBottleneckKind kind)
{
  SluiceBottleneck *one = g_new0 (SluiceBottleneck, 1);
  one->kind = kind;
  one->span = one->other = SLUICE_SPAN_NONE;
  one->lane = SLUICE_LANE_NONE;
  one->band = SLUICE_BAND_NONE;
  g_ptr_array_add (self->found, one);
  return one;
}

gint64
sluice_bottlenecks_get_period (const SluiceBottlenecks *self)
{
  return MAX (self->took + self->between, 1);
}

void
sluice_bottlenecks_show_span (const SluiceBottlenecks *self, SluiceBottleneck *one, guint64 number)
{
  SluiceTraceSpan span;
  if (number == SLUICE_SPAN_NONE)
    return;
  sluice_trace_view_get_span (self->source->view, number, &span);
  one->span = number;
  one->step = span.step;
  one->lane = span.lane;
  one->start = span.start;
  one->end = span.end;
  g_free (one->node);
  one->node = g_strdup (span.name);
}

char *
sluice_bottleneck_dup_time (gint64 ns)
{
  double us = (double) ns / 1000;
  return us < 1000      ? g_strdup_printf ("%.3g µs", us)
         : us < 1000000 ? g_strdup_printf ("%.3g ms", us / 1000)
                        : g_strdup_printf ("%.3g s", us / 1000000);
}

const char *
sluice_bottleneck_get_name (const SluiceBottlenecks *self, guint64 number)
{
  SluiceTraceSpan span;
  if (number == SLUICE_SPAN_NONE)
    return NULL;
  sluice_trace_view_get_span (self->source->view, number, &span);
  return span.name;
}

/* ---- the step that stands for all ---- */

static int
compare_lengths (gconstpointer a, gconstpointer b)
{
  const SluiceTraceStep *x = *(const SluiceTraceStep *const *) a;
  const SluiceTraceStep *y = *(const SluiceTraceStep *const *) b;
  gint64 p = x->end - x->start, q = y->end - y->start;
  if (p != q)
    return p < q ? -1 : 1;
  return x->step < y->step ? -1 : x->step > y->step;
}

static void
choose_typical (SluiceBottlenecks *self)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  for (guint i = 0; i < self->n_steps; i++)
    g_ptr_array_add (order, (gpointer) &self->steps[i]);
  g_ptr_array_sort (order, compare_lengths);
  self->typical = order->pdata[(order->len - 1) / 2];
}

/* Of all steps together, on the first lane: between steps all lanes say the same. */
static void
measure_between (SluiceBottlenecks *self, SluiceTraceGaps *gaps)
{
  const SluiceTraceView *view = self->source->view;
  guint lane = 0, n = sluice_trace_view_get_n_lanes (view);
  while (lane < n && sluice_trace_view_get_lane (view, lane)->kind == SLUICE_LANE_WAIT)
    lane++;
  if (lane == n || self->n_steps < 2)
    return;
  gint64 begin = self->steps[0].start, end = begin;
  for (guint i = 0; i < self->n_steps; i++)
    {
      begin = MIN (begin, self->steps[i].start);
      end = MAX (end, self->steps[i].end);
    }
  g_autoptr (GArray) all = sluice_trace_gaps_find (gaps, lane, begin, end);
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (all, SluiceTraceGap, i);
      if (gap->step == 0 && gap->start >= begin && gap->end <= end
          && gap->cause >= SLUICE_GAP_BETWEEN && gap->cause <= SLUICE_GAP_SAVE)
        self->works[gap->cause] += (gap->end - gap->start) / (self->n_steps - 1);
    }
  /* What nobody says the cause of may be whoever asks: to read a trace takes longer than a step. */
  self->between =
      self->works[SLUICE_GAP_FEED] + self->works[SLUICE_GAP_LOG] + self->works[SLUICE_GAP_SAVE];
}

static double
as_it_was (guint item, gpointer data)
{
  return 1;
}

static void
look_at_all_steps (SluiceBottlenecks *self)
{
  const SluiceTraceView *view = self->source->view;
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, self->source->graph);
  choose_typical (self);
  measure_between (self, gaps);
  self->depends = sluice_trace_depends_new (view, self->source->graph, self->typical->step);
  self->critical = sluice_critical_path_new (self->depends);
  self->took = sluice_critical_path_what_if (self->critical, as_it_was, NULL, NULL);
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (view); i++)
    {
      g_autoptr (GArray) found =
          sluice_trace_gaps_find (gaps, i, self->typical->start, self->typical->end);
      g_array_append_vals (self->gaps, found->data, found->len);
    }
  sluice_bottlenecks_look_at_step (self);
  sluice_bottlenecks_look_at_steps (self);
  sluice_critical_path_free (self->critical);
  sluice_trace_depends_free (self->depends);
}

/* ---- all of them ---- */

static int
compare_found (gconstpointer a, gconstpointer b)
{
  const SluiceBottleneck *x = *(const SluiceBottleneck *const *) a;
  const SluiceBottleneck *y = *(const SluiceBottleneck *const *) b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return (int) x->kind - (int) y->kind;
}

GPtrArray *
sluice_bottleneck_find (const SluiceBottleneckSource *source)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_bottleneck_free);
  g_autoptr (GArray) gaps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceGap));
  SluiceBottlenecks self = { .source = source, .found = found, .gaps = gaps };
  self.steps = sluice_trace_view_get_steps (source->view, &self.n_steps);
  if (self.n_steps > 0)
    look_at_all_steps (&self);
  else
    sluice_bottlenecks_look_at_lanes (&self);
  if (source->n_memories > 0)
    sluice_bottlenecks_look_at_memory (&self);
  for (guint i = found->len; i-- > 0;)
    if (((const SluiceBottleneck *) found->pdata[i])->share < SLUICE_BOTTLENECK_MIN)
      g_ptr_array_remove_index (found, i);
  g_ptr_array_sort (found, compare_found);
  return found;
}
