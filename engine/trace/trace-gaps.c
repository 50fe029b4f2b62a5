/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-gaps.h"

#include <string.h>

#include "engine/device/trace.h"
#include "engine/trace/trace-depends.h"
#include "engine/trace/trace-view-private.h"

#define MAX_KEPT 64 /* steps whose needs are kept */

const char *
sluice_gap_cause_name (SluiceGapCause cause)
{
  static const char *const causes[SLUICE_N_GAP_CAUSES] = {
    [SLUICE_GAP_INPUT] = "input",       [SLUICE_GAP_TRANSFER] = "transfer",
    [SLUICE_GAP_QUEUE] = "queue",       [SLUICE_GAP_WAKE] = "wake",
    [SLUICE_GAP_DISPATCH] = "dispatch", [SLUICE_GAP_ELSEWHERE] = "elsewhere",
    [SLUICE_GAP_NO_WORK] = "no work",   [SLUICE_GAP_BETWEEN] = "between",
    [SLUICE_GAP_LOCK] = "lock",         [SLUICE_GAP_PAUSED] = "paused",
    [SLUICE_GAP_FEED] = "feed",         [SLUICE_GAP_LOG] = "log",
    [SLUICE_GAP_SAVE] = "save",         [SLUICE_GAP_UNKNOWN] = "unknown",
  };
  return causes[MIN (cause, SLUICE_GAP_UNKNOWN)];
}

struct _SluiceTraceGaps
{
  const SluiceTraceView *view;
  const SluiceGraph *graph;
  GHashTable *depends; /* step -> SluiceTraceDepends */
  GArray *steps;       /* of SluiceTraceStep, by start */
  GArray *reach;       /* of gint64: the latest end of it and all before it */
  guint64 n_spans;     /* of the view when they were made */
};

SluiceTraceGaps *
sluice_trace_gaps_new (const SluiceTraceView *view, const SluiceGraph *graph)
{
  SluiceTraceGaps *self = g_new0 (SluiceTraceGaps, 1);
  self->view = view;
  self->graph = graph;
  self->depends = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                         (GDestroyNotify) sluice_trace_depends_free);
  self->steps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceStep));
  self->reach = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

void
sluice_trace_gaps_free (SluiceTraceGaps *self)
{
  g_hash_table_unref (self->depends);
  g_array_unref (self->steps);
  g_array_unref (self->reach);
  g_free (self);
}

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  const SluiceTraceStep *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->step < y->step ? -1 : x->step > y->step;
}

/* What has been found out is kept until the view grows. */
static void
follow_view (SluiceTraceGaps *self)
{
  guint64 n_spans = sluice_trace_view_get_n_spans (self->view);
  if (n_spans == self->n_spans)
    return;
  self->n_spans = n_spans;
  g_hash_table_remove_all (self->depends);
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (self->view, &n);
  g_array_set_size (self->steps, 0);
  g_array_append_vals (self->steps, steps, n);
  g_array_sort (self->steps, compare_steps);
  g_array_set_size (self->reach, 0);
  gint64 reach = G_MININT64;
  for (guint i = 0; i < n; i++)
    {
      reach = MAX (reach, g_array_index (self->steps, SluiceTraceStep, i).end);
      g_array_append_val (self->reach, reach);
    }
}

/* The first, by start, of those that may run after a time. */
static guint
find_step_after (const SluiceTraceGaps *self, gint64 time)
{
  guint from = 0, to = self->reach->len;
  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      if (g_array_index (self->reach, gint64, middle) <= time)
        from = middle + 1;
      else
        to = middle;
    }
  return from;
}

static const SluiceTraceDepends *
get_depends (SluiceTraceGaps *self, guint64 step)
{
  if (g_hash_table_size (self->depends) >= MAX_KEPT)
    g_hash_table_remove_all (self->depends);
  SluiceTraceDepends *found = g_hash_table_lookup (self->depends, &step);
  if (found != NULL)
    return found;
  found = sluice_trace_depends_new (self->view, self->graph, step);
  g_hash_table_insert (self->depends, g_memdup2 (&step, sizeof step), found);
  return found;
}

/* ---- what stands beside the gaps ---- */

typedef struct
{
  gint64 start, end;
  guint64 number;
} Busy;

static int
compare_busy (gconstpointer a, gconstpointer b)
{
  const Busy *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* What of a row touches a time, with one more on either side. */
static void
add_row (const SluiceTraceView *view, const SluiceRow *row, gint64 from, gint64 to, GArray *all)
{
  guint64 i = sluice_row_find (row, &view->times, from);
  i -= i > 0;
  for (gboolean is_last = FALSE; i < row->order.n && !is_last; i++)
    {
      guint64 number = sluice_row_at (row, i);
      const Busy busy = { sluice_span_start (&view->times, number),
                          sluice_span_end (&view->times, number), number };
      g_array_append_val (all, busy);
      is_last = busy.start >= to;
    }
}

/* (transfer full) (element-type Busy): by start */
static GArray *
find_busy (const SluiceTraceView *view, guint lane, gint64 from, gint64 to)
{
  const GPtrArray *rows = ((const SluiceViewLane *) view->lanes->pdata[lane])->rows;
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Busy));
  for (guint i = 0; i < rows->len; i++)
    add_row (view, rows->pdata[i], from, to, all);
  g_array_sort (all, compare_busy);
  return all;
}

/* What whoever runs steps did then. (transfer full) (element-type Busy): by start */
static GArray *
find_host (const SluiceTraceGaps *self, gint64 start, gint64 end)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Busy));
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (self->view); i++)
    {
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (self->view, i);
      if (lane->kind != SLUICE_LANE_WAIT || strcmp (lane->device, "host") != 0)
        continue;
      g_autoptr (GArray) busy = find_busy (self->view, i, start, end);
      if (busy->len > 0)
        g_array_append_vals (all, busy->data, busy->len);
    }
  g_array_sort (all, compare_busy);
  return all;
}

/* ---- causes ---- */

typedef struct
{
  SluiceTraceGaps *self;
  GArray *gaps;
  guint lane;
  gint64 from, to; /* what is asked for */
} Finding;

static void
add_gap (Finding *f, SluiceTraceGap gap)
{
  gap.lane = f->lane;
  if (gap.start < gap.end && gap.end > f->from && gap.start < f->to)
    g_array_append_val (f->gaps, gap);
}

static SluiceTraceGap
without_cause (gint64 start, gint64 end, SluiceGapCause cause)
{
  return (SluiceTraceGap){
    .start = start, .end = end, .cause = cause, .next = SLUICE_SPAN_NONE, .maker = SLUICE_SPAN_NONE
  };
}

/* In which no step ran: what did whoever runs them? Of what happened at once that which began first
 * is named. */
static void
add_between_steps (Finding *f, gint64 start, gint64 end)
{
  static const SluiceGapCause causes[SLUICE_N_HOST_WORKS] = {
    [SLUICE_HOST_PAUSE] = SLUICE_GAP_PAUSED,
    [SLUICE_HOST_FEED] = SLUICE_GAP_FEED,
    [SLUICE_HOST_LOG] = SLUICE_GAP_LOG,
    [SLUICE_HOST_SAVE] = SLUICE_GAP_SAVE,
  };
  g_autoptr (GArray) busy = start < end ? find_host (f->self, start, end) : NULL;
  for (guint i = 0; busy != NULL && i < busy->len && start < end; i++)
    {
      const Busy *at = &g_array_index (busy, Busy, i);
      SluiceTraceSpan span;
      guint work = 0;
      if (at->end <= start || at->start >= end)
        continue;
      sluice_trace_view_get_span (f->self->view, at->number, &span);
      while (work < SLUICE_N_HOST_WORKS && strcmp (span.name, sluice_host_work_name (work)) != 0)
        work++;
      if (work == SLUICE_N_HOST_WORKS)
        continue;
      gint64 from = MAX (start, at->start);
      add_gap (f, without_cause (start, from, SLUICE_GAP_BETWEEN));
      start = MIN (end, at->end);
      add_gap (f, without_cause (from, start, causes[work]));
    }
  add_gap (f, without_cause (start, end, SLUICE_GAP_BETWEEN));
}

/* No more of the lane's is behind it in a step: which ran meanwhile? Of those that ran at once the
 * one that began first is named. */
static void
add_outside (Finding *f, gint64 start, gint64 end)
{
  const SluiceTraceStep *steps = (const SluiceTraceStep *) f->self->steps->data;
  for (guint i = find_step_after (f->self, start); i < f->self->steps->len && start < end; i++)
    {
      if (steps[i].end <= start)
        continue;
      if (steps[i].start >= end)
        break;
      add_between_steps (f, start, MAX (start, steps[i].start));
      start = MAX (start, steps[i].start);
      SluiceTraceGap gap = without_cause (start, MIN (end, steps[i].end), SLUICE_GAP_NO_WORK);
      gap.step = steps[i].step;
      add_gap (f, gap);
      start = gap.end;
    }
  add_between_steps (f, start, end);
}

static SluiceGapCause
cause_of_maker (const Finding *f, const SluiceTraceSpan *maker)
{
  const SluiceGraph *graph = f->self->graph;
  if (maker->kind == SLUICE_SPAN_RECV || maker->kind == SLUICE_SPAN_SEND
      || maker->kind == SLUICE_SPAN_COPY)
    return SLUICE_GAP_TRANSFER;
  const SluiceNode *node = graph != NULL ? sluice_graph_find (graph, maker->name) : NULL;
  SluiceRole role = node != NULL ? sluice_node_get_role (node) : SLUICE_ROLE_NONE;
  return role == SLUICE_ROLE_DEQUEUE || role == SLUICE_ROLE_ENQUEUE ? SLUICE_GAP_QUEUE
                                                                    : SLUICE_GAP_INPUT;
}

/* Of what was not ready: for what it waited. What needs nothing waited until the host began its
 * part of the step. */
static void
add_waiting (Finding *f, SluiceTraceGap gap, const SluiceTraceSpan *span)
{
  const SluiceTraceDepends *depends = get_depends (f->self, span->step);
  const SluiceTraceItem *item = sluice_trace_depends_find (depends, gap.next);
  const SluiceTraceNeed *need =
      item != NULL ? sluice_trace_depends_get_last_need (depends, item) : NULL;
  gap.cause = f->self->graph != NULL ? SLUICE_GAP_BETWEEN : SLUICE_GAP_INPUT;
  if (need != NULL)
    {
      SluiceTraceSpan maker;
      gap.maker = g_array_index (depends->items, SluiceTraceItem, need->item).span;
      gap.port = need->port;
      gap.value = need->value;
      sluice_trace_view_get_span (f->self->view, gap.maker, &maker);
      gap.cause = cause_of_maker (f, &maker);
    }
  add_gap (f, gap);
}

/* What the lane's thread did for other devices meanwhile. (transfer full) (element-type Busy) */
static GArray *
find_elsewhere (const Finding *f, gint64 start, gint64 end)
{
  const SluiceTraceView *view = f->self->view;
  const SluiceTraceLane *own = sluice_trace_view_get_lane (view, f->lane);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Busy));
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (view); i++)
    {
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, i);
      if (i == f->lane || lane->kind != SLUICE_LANE_THREAD || lane->name != own->name)
        continue;
      g_autoptr (GArray) busy = find_busy (view, i, start, end);
      if (busy->len > 0)
        g_array_append_vals (all, busy->data, busy->len);
    }
  g_array_sort (all, compare_busy);
  return all;
}

/* It was ready and did not run. */
static void
add_ready (Finding *f, SluiceTraceGap gap, gboolean slept)
{
  gint64 end = gap.end;
  gboolean is_thread =
      sluice_trace_view_get_lane (f->self->view, f->lane)->kind == SLUICE_LANE_THREAD;
  SluiceTraceGap rest = gap;
  if (is_thread && gap.start < end)
    {
      g_autoptr (GArray) busy = find_elsewhere (f, gap.start, end);
      for (guint i = 0; i < busy->len && rest.start < end; i++)
        {
          const Busy *at = &g_array_index (busy, Busy, i);
          if (at->end <= rest.start || at->start >= end)
            continue;
          rest.end = MAX (rest.start, at->start);
          rest.cause = SLUICE_GAP_DISPATCH;
          add_gap (f, rest);
          SluiceTraceGap elsewhere = gap;
          elsewhere.start = rest.end;
          elsewhere.end = MIN (end, at->end);
          elsewhere.cause = SLUICE_GAP_ELSEWHERE;
          elsewhere.maker = at->number;
          add_gap (f, elsewhere);
          rest.start = elsewhere.end;
          slept = FALSE;
        }
    }
  rest.end = end;
  rest.cause = slept && is_thread ? SLUICE_GAP_WAKE : SLUICE_GAP_DISPATCH;
  add_gap (f, rest);
}

/* The lane runs @next behind the gap, which is of its step: it was not ready, then it was. */
static void
add_before (Finding *f, gint64 start, gint64 end, guint64 next, const SluiceTraceSpan *span)
{
  if (start >= end)
    return;
  const SluiceTraceItem *item = sluice_trace_depends_find (get_depends (f->self, span->step), next);
  gint64 ready = CLAMP (item != NULL ? item->ready : span->scheduled, start, end);
  SluiceTraceGap gap = without_cause (start, ready, SLUICE_GAP_INPUT);
  gap.step = span->step;
  gap.next = next;
  add_waiting (f, gap, span);
  gap.start = ready;
  gap.end = end;
  add_ready (f, gap, ready > start);
}

/* next: SLUICE_SPAN_NONE: nothing runs behind it */
static void
add_between (Finding *f, gint64 start, gint64 end, guint64 next)
{
  if (start >= end || start >= f->to || end <= f->from)
    return;
  if (next == SLUICE_SPAN_NONE)
    {
      add_outside (f, start, end);
      return;
    }
  SluiceTraceSpan span;
  sluice_trace_view_get_span (f->self->view, next, &span);
  if (span.step == 0)
    {
      SluiceTraceGap gap = without_cause (start, end, SLUICE_GAP_UNKNOWN);
      gap.next = next;
      add_gap (f, gap);
      return;
    }
  gint64 began = CLAMP (get_depends (f->self, span.step)->start, start, end);
  add_outside (f, start, began);
  add_before (f, began, end, next, &span);
}

/* ---- locks ---- */

/* Where a lane's waits for locks are; SLUICE_LANE_NONE: it had none. */
static guint
find_locks (const SluiceTraceView *view, guint number)
{
  const SluiceTraceLane *own = sluice_trace_view_get_lane (view, number);
  g_autofree char *name = g_strconcat (own->name, SLUICE_TRACE_LOCKS, NULL);
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (view); i++)
    {
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, i);
      if (lane->kind == SLUICE_LANE_WAIT && strcmp (lane->device, own->device) == 0
          && strcmp (lane->name, name) == 0)
        return i;
    }
  return SLUICE_LANE_NONE;
}

/* What held it ran then, and was done with it when the wait ended, or soon after. */
static guint64
find_holder (const SluiceTraceView *view, guint lane, const Busy *wait)
{
  guint64 holder = SLUICE_SPAN_NONE;
  gint64 nearest = G_MAXINT64;
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (view); i++)
    {
      SluiceLaneKind kind = sluice_trace_view_get_lane (view, i)->kind;
      if (i == lane || (kind != SLUICE_LANE_THREAD && kind != SLUICE_LANE_QUEUE))
        continue;
      g_autoptr (GArray) busy = find_busy (view, i, wait->start, wait->end);
      for (guint k = 0; k < busy->len; k++)
        {
          const Busy *at = &g_array_index (busy, Busy, k);
          gint64 apart = ABS (at->end - wait->end);
          if (at->start >= wait->end || at->end <= wait->start || apart >= nearest)
            continue;
          nearest = apart;
          holder = at->number;
        }
    }
  return holder;
}

/* The span of a lane that was under way. */
static guint64
find_span_at (const SluiceTraceView *view, guint lane, gint64 time)
{
  guint64 found = SLUICE_SPAN_NONE;
  for (guint row = 0; row < sluice_trace_view_get_lane (view, lane)->n_rows; row++)
    if (found == SLUICE_SPAN_NONE)
      found = sluice_trace_view_find (view, lane, row, time);
  return found;
}

static int
compare_gaps (gconstpointer a, gconstpointer b)
{
  const SluiceTraceGap *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

/* Waits of which one lies within another are told once; those of which the span is not there, not
 * at all. */
static void
add_locks (Finding *f)
{
  const SluiceTraceView *view = f->self->view;
  guint lane = find_locks (view, f->lane);
  if (lane == SLUICE_LANE_NONE)
    return;
  gint64 covered = G_MININT64;
  g_autoptr (GArray) waits = find_busy (view, lane, f->from, f->to);
  for (guint i = 0; i < waits->len; i++)
    {
      const Busy *at = &g_array_index (waits, Busy, i);
      SluiceTraceSpan span;
      guint64 number = find_span_at (view, f->lane, at->start);
      if (number == SLUICE_SPAN_NONE || at->end <= covered)
        continue;
      sluice_trace_view_get_span (view, number, &span);
      SluiceTraceGap gap =
          without_cause (MAX (at->start, covered), MIN (at->end, span.end), SLUICE_GAP_LOCK);
      gap.step = span.step;
      gap.next = number;
      gap.maker = find_holder (view, f->lane, at);
      add_gap (f, gap);
      covered = at->end;
    }
  g_array_sort (f->gaps, compare_gaps);
}

GArray *
sluice_trace_gaps_find (SluiceTraceGaps *self, guint lane, gint64 from, gint64 to)
{
  GArray *gaps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceGap));
  if (sluice_trace_view_get_lane (self->view, lane)->kind == SLUICE_LANE_WAIT)
    return gaps;
  follow_view (self);
  gint64 covered, end;
  sluice_trace_view_get_extent (self->view, &covered, &end);
  g_autoptr (GArray) busy = find_busy (self->view, lane, from, to);
  Finding f = { self, gaps, lane, from, to };
  /* Rows give one more on either side: what was before the earliest of them has ended before. */
  if (busy->len > 0 && g_array_index (busy, Busy, 0).start < from)
    covered = MAX (covered, g_array_index (busy, Busy, 0).start);
  for (guint i = 0; i < busy->len; i++)
    {
      const Busy *at = &g_array_index (busy, Busy, i);
      add_between (&f, covered, at->start, at->number);
      covered = MAX (covered, at->end);
    }
  if (covered < to)
    add_between (&f, covered, end, SLUICE_SPAN_NONE);
  add_locks (&f);
  return gaps;
}
