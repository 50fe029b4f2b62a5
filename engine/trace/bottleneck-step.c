/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What the step that stands for all loses, cause by cause. Each is taken out of it alone: spans of
 * the cause take no time, or their part of it, or delays of the cause are none, and the step is
 * computed again.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/cost.h"
#include "engine/graph/op.h"
#include "engine/trace/bottleneck-private.h"

#define TINY_NS     3000 /* a node that takes less does less than it costs to hand it out */
#define UNKNOWN_DIM 32   /* of a shape that the graph leaves open: a batch */
/* Who is late by more than that was not waiting to be handed out: the system ran something else. */
#define MAX_DISPATCH_NS 20000
/* What takes so many times its share of the work is slow, not large. */
#define SLOW_TIMES 3
/* A device that works less than that beside one that works more than the other is idle. */
#define IDLE_SHARE 0.15
#define FULL_SHARE 0.6

typedef struct
{
  SluiceBottlenecks *all;
  const SluiceTraceItem *items;
  guint n;
  GArray *spans;        /* of SluiceTraceSpan, by item */
  const guint8 *delays; /* SluiceGapCause, by item: why it began later than it could have */
} Look;

static const SluiceTraceSpan *
span_of (const Look *look, guint item)
{
  return &g_array_index (look->spans, SluiceTraceSpan, item);
}

static gint64
time_of (const Look *look, guint item)
{
  return look->items[item].end - look->items[item].start;
}

static double
get_factor (guint item, gpointer factors)
{
  return ((const double *) factors)[item];
}

/* (transfer full): one of each item */
static double *
new_factors (const Look *look)
{
  double *factors = g_new (double, look->n + 1);
  for (guint i = 0; i <= look->n; i++)
    factors[i] = 1;
  return factors;
}

/* How much shorter the step would be. */
static gint64
get_gain (const Look *look, double *factors)
{
  const SluiceBottlenecks *all = look->all;
  return all->took - sluice_critical_path_what_if (all->critical, get_factor, factors, NULL);
}

static gboolean
is_transfer (const SluiceTraceSpan *span)
{
  return span->kind == SLUICE_SPAN_SEND || span->kind == SLUICE_SPAN_RECV
         || span->kind == SLUICE_SPAN_COPY;
}

/* By its op, which a trace without a graph has, too. (nullable) */
static const SluiceOp *
get_op (const SluiceTraceSpan *span)
{
  return span->op != NULL && !is_transfer (span) ? sluice_registry_find (span->op) : NULL;
}

/* Takes the next element of a stream, whose types it declares. */
static gboolean
takes_element (const SluiceOp *op)
{
  return op->def->flags & SLUICE_OP_STATEFUL && op->n_inputs == 1 && op->n_outputs > 0
         && op->inputs[0].type == SLUICE_RESOURCE
         && sluice_op_find_attr (op, "output_types") != NULL
         && op->outputs[0].type != SLUICE_RESOURCE;
}

static gboolean
is_input (const SluiceTraceSpan *span)
{
  const SluiceOp *op = get_op (span);
  return op != NULL
         && (op->def->role == SLUICE_ROLE_DEQUEUE || op->def->flags & SLUICE_OP_READS_FILES
             || takes_element (op));
}

static gboolean
waits_for_room (const SluiceTraceSpan *span)
{
  const SluiceOp *op = get_op (span);
  return span->kind == SLUICE_SPAN_WAIT && op != NULL && op->def->role == SLUICE_ROLE_ENQUEUE;
}

/* ---- saying it ---- */

static double
share_of (const Look *look, gint64 ns)
{
  return (double) ns / (double) sluice_bottlenecks_get_period (look->all);
}

static double
percent_of (const Look *look, gint64 ns)
{
  return 100 * share_of (look, ns);
}

/* How many times as many steps there would be. */
static double
times_of (const Look *look, gint64 gain)
{
  double period = (double) sluice_bottlenecks_get_period (look->all);
  return period / MAX (period - (double) gain, period / 1000);
}

static SluiceBottleneck *
add (const Look *look, SluiceBottleneckKind kind, gint64 cost, gint64 gain)
{
  SluiceBottleneck *one = sluice_bottlenecks_add (look->all, kind);
  one->cost = cost;
  one->gain = gain;
  one->share = one->weight = share_of (look, cost);
  one->step = look->all->typical->step;
  return one;
}

/* The longest of those whose factor is below one; SLUICE_SPAN_NONE: none */
static guint64
find_longest (const Look *look, const double *factors)
{
  guint64 longest = SLUICE_SPAN_NONE;
  double most = 0;
  for (guint i = 0; i < look->n; i++)
    {
      double taken = (double) time_of (look, i) * (1 - factors[i]);
      if (taken <= most)
        continue;
      most = taken;
      longest = look->items[i].span;
    }
  return longest;
}

/* ---- what a step is fed ---- */

static void
look_at_input (const Look *look)
{
  g_autofree double *factors = new_factors (look), *half = new_factors (look);
  gint64 feeding = look->all->works[SLUICE_GAP_FEED];
  for (guint i = 0; i < look->n; i++)
    if (is_input (span_of (look, i)))
      {
        factors[i] = 0;
        half[i] = 0.5;
      }
  gint64 cost = get_gain (look, factors) + feeding;
  gint64 gain = get_gain (look, half) + feeding / 2;
  if (cost <= 0)
    return;
  SluiceBottleneck *one = add (look, SLUICE_BOTTLENECK_INPUT, cost, gain);
  sluice_bottlenecks_show_span (look->all, one, find_longest (look, factors));
  g_autofree char *time = sluice_bottleneck_dup_time (cost);
  one->words =
      one->node != NULL
          ? g_strdup_printf (_ ("Input bound: %.0f %% of a step (%s) waits for %s."),
                             percent_of (look, cost), time, one->node)
          : g_strdup_printf (_ ("Input bound: %.0f %% of a step (%s) goes by while the host makes "
                                "the next batch."),
                             percent_of (look, cost), time);
  one->remedy = g_strdup_printf (_ ("Make input beside the steps: twice as many threads that read "
                                    "and decode would give %.2f × the steps."),
                                 times_of (look, gain));
}

/* ---- locks ---- */

static void
take_lock (const Look *look, const SluiceTraceGap *gap, double *factors)
{
  const SluiceTraceItem *item = sluice_trace_depends_find (look->all->depends, gap->next);
  if (item == NULL || item->end <= item->start)
    return;
  double *factor = &factors[item - look->items];
  *factor -= (double) (gap->end - gap->start) / (double) (item->end - item->start);
  *factor = MAX (*factor, 0);
}

static void
show_lock (const Look *look, SluiceBottleneck *one, const SluiceTraceGap *gap)
{
  sluice_bottlenecks_show_span (look->all, one, gap->next);
  one->start = gap->start;
  one->end = gap->end;
  one->other = gap->maker;
}

static void
look_at_locks (const Look *look)
{
  g_autofree double *factors = new_factors (look);
  const SluiceTraceGap *longest = NULL;
  for (guint i = 0; i < look->n; i++)
    if (waits_for_room (span_of (look, i)))
      factors[i] = 0;
  for (guint i = 0; i < look->all->gaps->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (look->all->gaps, SluiceTraceGap, i);
      if (gap->cause != SLUICE_GAP_LOCK)
        continue;
      take_lock (look, gap, factors);
      if (longest == NULL || gap->end - gap->start > longest->end - longest->start)
        longest = gap;
    }
  gint64 cost = get_gain (look, factors);
  if (cost <= 0)
    return;
  SluiceBottleneck *one = add (look, SLUICE_BOTTLENECK_LOCK, cost, cost);
  if (longest != NULL)
    show_lock (look, one, longest);
  else
    sluice_bottlenecks_show_span (look->all, one, find_longest (look, factors));
  g_autofree char *time = sluice_bottleneck_dup_time (cost);
  const char *holder = sluice_bottleneck_get_name (look->all, one->other);
  one->words =
      longest == NULL ? g_strdup_printf (
          _ ("Held up: %.0f %% of a step (%s) waits for room in a queue, most of "
             "it %s."),
          percent_of (look, cost), time, one->node)
      : holder != NULL
          ? g_strdup_printf (
              _ ("Held up: %.0f %% of a step (%s) waits for locks, most of it %s for "
                 "the lock that %s has."),
              percent_of (look, cost), time, one->node, holder)
          : g_strdup_printf (_ ("Held up: %.0f %% of a step (%s) waits for locks, most of it %s."),
                             percent_of (look, cost), time, one->node);
  one->remedy = g_strdup_printf (
      longest == NULL ? _ ("Take elements out faster, or give the queue more room: without the "
                           "wait there would be %.2f × the steps.")
                      : _ ("Let them work on different variables, or one after the other on one "
                           "thread: without the wait there would be %.2f × the steps."),
      times_of (look, cost));
}

/* ---- placement ---- */

static void
look_at_transfers (const Look *look)
{
  g_autofree double *factors = new_factors (look);
  for (guint i = 0; i < look->n; i++)
    if (is_transfer (span_of (look, i)))
      factors[i] = 0;
  gint64 cost = get_gain (look, factors);
  if (cost <= 0)
    return;
  SluiceBottleneck *one = add (look, SLUICE_BOTTLENECK_PLACEMENT, cost, cost);
  sluice_bottlenecks_show_span (look->all, one, find_longest (look, factors));
  g_autofree char *time = sluice_bottleneck_dup_time (cost);
  const char *device = one->lane != SLUICE_LANE_NONE
                           ? sluice_trace_view_get_lane (look->all->source->view, one->lane)->device
                           : "";
  one->words = g_strdup_printf (_ ("Badly placed: %.0f %% of a step (%s) waits for values on their "
                                   "way, most of it for %s on %s."),
                                percent_of (look, cost), time, one->node, device);
  one->remedy =
      g_strdup_printf (_ ("Put who reads %s beside what makes it: without transfers there "
                          "would be %.2f × the steps."),
                       one->node, times_of (look, cost));
}

/* "CPU" of "CPU:0". */
static gboolean
is_same_type (const char *a, const char *b)
{
  const char *end = strchr (a, ':');
  return end != NULL && strncmp (a, b, (gsize) (end - a) + 1) == 0;
}

typedef struct
{
  const char *device;
  gint64 busy;
  guint lane; /* the busiest of its own */
  gint64 lane_busy;
} DeviceTime;

/* Of those that compute by themselves: the others share the threads of the machine, and what moves
 * from one to another is run by the same. (transfer full) (element-type DeviceTime) */
static GArray *
sum_devices (const Look *look)
{
  GArray *devices = g_array_new (FALSE, TRUE, sizeof (DeviceTime));
  const SluiceTraceView *view = look->all->source->view;
  guint n_lanes = sluice_trace_view_get_n_lanes (view);
  g_autofree gint64 *busy = g_new0 (gint64, n_lanes + 1);
  for (guint i = 0; i < look->n; i++)
    busy[look->items[i].lane] += time_of (look, i);
  for (guint lane = 0; lane < n_lanes; lane++)
    {
      const SluiceTraceLane *told = sluice_trace_view_get_lane (view, lane);
      guint at = 0;
      if (told->kind != SLUICE_LANE_QUEUE)
        continue;
      while (at < devices->len
             && strcmp (g_array_index (devices, DeviceTime, at).device, told->device) != 0)
        at++;
      if (at == devices->len)
        g_array_append_val (devices, ((const DeviceTime){ told->device, 0, lane, 0 }));
      DeviceTime *device = &g_array_index (devices, DeviceTime, at);
      device->busy += busy[lane];
      if (busy[lane] > device->lane_busy)
        {
          device->lane = lane;
          device->lane_busy = busy[lane];
        }
    }
  return devices;
}

/* As if the lane had a thread for each of its spans. */
static gint64
take_without_lane (const Look *look, guint lane)
{
  const SluiceTraceDepends *depends = look->all->depends;
  g_autoptr (GArray) items = g_array_copy (depends->items);
  for (guint i = 0; i < items->len; i++)
    if (g_array_index (items, SluiceTraceItem, i).lane == lane)
      g_array_index (items, SluiceTraceItem, i).before = SLUICE_DEPENDS_NONE;
  SluiceTraceDepends freed = *depends;
  SluiceCriticalPath path = *look->all->critical;
  g_autofree double *factors = new_factors (look);
  freed.items = items;
  path.depends = &freed;
  return sluice_critical_path_what_if (&path, get_factor, factors, NULL);
}

/* One device works while another of its type does not. */
static void
look_at_devices (const Look *look)
{
  g_autoptr (GArray) devices = sum_devices (look);
  const DeviceTime *all = (const DeviceTime *) devices->data;
  guint full = 0, idle = G_MAXUINT;
  for (guint i = 1; i < devices->len; i++)
    if (all[i].busy > all[full].busy)
      full = i;
  for (guint i = 0; i < devices->len; i++)
    if (i != full && is_same_type (all[i].device, all[full].device)
        && (idle == G_MAXUINT || all[i].busy < all[idle].busy))
      idle = i;
  double took = (double) MAX (look->all->took, 1);
  if (idle == G_MAXUINT || (double) all[full].lane_busy < FULL_SHARE * took
      || (double) all[idle].busy > IDLE_SHARE * took)
    return;
  gint64 shared = (all[full].lane_busy + all[idle].busy) / 2;
  gint64 cost = look->all->took
                - MAX (take_without_lane (look, all[full].lane),
                       look->all->took - all[full].lane_busy + shared);
  if (cost <= 0)
    return;
  SluiceBottleneck *one = add (look, SLUICE_BOTTLENECK_PLACEMENT, cost, cost);
  one->lane = all[full].lane;
  one->start = look->all->typical->start;
  one->end = look->all->typical->end;
  one->words =
      g_strdup_printf (_ ("Badly placed: %s works %.0f %% of a step, %s beside it %.0f %%."),
                       all[full].device, 100 * (double) all[full].lane_busy / took,
                       all[idle].device, 100 * (double) all[idle].busy / took);
  one->remedy = g_strdup_printf (_ ("Move half of the work to %s: there would be %.2f × the steps, "
                                    "but for what the values then travel."),
                                 all[idle].device, times_of (look, cost));
}

/* ---- small nodes, sleeping threads ---- */

/* (transfer full): by item */
static guint8 *
find_delays (const SluiceBottlenecks *all)
{
  const SluiceTraceItem *items = (const SluiceTraceItem *) all->depends->items->data;
  guint8 *delays = g_new (guint8, all->depends->items->len + 1);
  memset (delays, SLUICE_GAP_DISPATCH, all->depends->items->len + 1);
  for (guint i = 0; i < all->gaps->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (all->gaps, SluiceTraceGap, i);
      const SluiceTraceItem *item = gap->cause != SLUICE_GAP_LOCK && gap->next != SLUICE_SPAN_NONE
                                        ? sluice_trace_depends_find (all->depends, gap->next)
                                        : NULL;
      if (item != NULL && gap->end == item->start)
        delays[item - items] = (guint8) gap->cause;
    }
  return delays;
}

/* Nobody slept, and still nobody came: the system ran something else, unless the thread was helping
 * what ran on another lane. */
static gboolean
is_late (const Look *look, guint item)
{
  gint64 delay = look->all->critical->delay[item];
  return look->delays[item] == SLUICE_GAP_DISPATCH && delay >= MAX_DISPATCH_NS;
}

/* Without the delays of handing out, and small nodes' own time. */
static gint64
get_gain_of_dispatch (const Look *look, double *factors)
{
  SluiceCriticalPath path = *look->all->critical;
  g_autofree gint64 *delay = g_memdup2 (path.delay, (look->n + 1) * sizeof (gint64));
  for (guint i = 0; i < look->n; i++)
    if (delay[i] > 0 && look->delays[i] == SLUICE_GAP_DISPATCH && !is_late (look, i))
      delay[i] = 0;
  path.delay = delay;
  return look->all->took - sluice_critical_path_what_if (&path, get_factor, factors, NULL);
}

static gboolean
is_tiny (const Look *look, guint item)
{
  const SluiceTraceSpan *span = span_of (look, item);
  return span->kind == SLUICE_SPAN_NODE && time_of (look, item) < TINY_NS;
}

static void
look_at_dispatch (const Look *look)
{
  g_autofree double *factors = new_factors (look), *half = new_factors (look);
  guint n_tiny = 0;
  for (guint i = 0; i < look->n; i++)
    if (is_tiny (look, i))
      {
        factors[i] = 0;
        half[i] = 0.5;
        n_tiny++;
      }
  gint64 cost = get_gain_of_dispatch (look, factors);
  gint64 gain = get_gain (look, half);
  if (cost <= 0 || n_tiny == 0)
    return;
  SluiceBottleneck *one = add (look, SLUICE_BOTTLENECK_DISPATCH, cost, gain);
  sluice_bottlenecks_show_span (look->all, one, find_longest (look, factors));
  g_autofree char *time = sluice_bottleneck_dup_time (cost);
  g_autofree char *each = sluice_bottleneck_dup_time (cost / n_tiny);
  one->words = g_strdup_printf (_ ("Bound by handing out work: %.0f %% of a step (%s) goes to %u "
                                   "nodes of %s each."),
                                percent_of (look, cost), time, n_tiny, each);
  one->remedy = g_strdup_printf (_ ("Make fewer and larger ones, by a larger batch or ops that do "
                                    "more at once: half as many would give %.2f × the steps."),
                                 times_of (look, gain));
}

static gint64
get_helped (const Look *look, guint item)
{
  gint64 from = look->items[item].start - look->all->critical->delay[item], helped = 0;
  for (guint k = 0; k < item; k++)
    if (look->items[k].lane != look->items[item].lane)
      helped = MAX (helped, MIN (look->items[item].start, look->items[k].end)
                                - MAX (from, look->items[k].start));
  return helped;
}

static gint64
get_gain_of_waking (const Look *look)
{
  SluiceCriticalPath path = *look->all->critical;
  g_autofree double *factors = new_factors (look);
  g_autofree gint64 *delay = g_memdup2 (path.delay, (look->n + 1) * sizeof (gint64));
  for (guint i = 0; i < look->n; i++)
    if (look->delays[i] == SLUICE_GAP_WAKE)
      delay[i] = MIN (delay[i], 0);
    else if (is_late (look, i))
      delay[i] = get_helped (look, i);
  path.delay = delay;
  return look->all->took - sluice_critical_path_what_if (&path, get_factor, factors, NULL);
}

static void
look_at_waking (const Look *look)
{
  gint64 cost = get_gain_of_waking (look);
  const SluiceTraceGap *longest = NULL;
  guint n = 0;
  for (guint i = 0; i < look->all->gaps->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (look->all->gaps, SluiceTraceGap, i);
      if (gap->cause != SLUICE_GAP_WAKE
          && (gap->cause != SLUICE_GAP_DISPATCH || gap->end - gap->start < MAX_DISPATCH_NS))
        continue;
      n++;
      if (longest == NULL || gap->end - gap->start > longest->end - longest->start)
        longest = gap;
    }
  if (cost <= 0 || longest == NULL)
    return;
  SluiceBottleneck *one = add (look, SLUICE_BOTTLENECK_WAKE, cost, cost);
  sluice_bottlenecks_show_span (look->all, one, longest->next);
  one->lane = longest->lane;
  one->start = longest->start;
  one->end = longest->end;
  g_autofree char *time = sluice_bottleneck_dup_time (cost);
  g_autofree char *most = sluice_bottleneck_dup_time (longest->end - longest->start);
  one->words = g_strdup_printf (_ ("Waking threads: %.0f %% of a step (%s) goes by until a thread "
                                   "is there to go on, %u times, at most %s before %s."),
                                percent_of (look, cost), time, n, most, one->node);
  one->remedy = g_strdup_printf (_ ("Run with fewer threads, or larger nodes: without it there "
                                    "would be %.2f × the steps."),
                                 times_of (look, cost));
}

/* ---- slow ops ---- */

typedef struct
{
  const char *name, *op;
  gint64 on_path; /* of its time that which is on the critical path */
  double work;    /* of all that ran */
} NodeTime;

/* Of one run of a node, in whatever the graph says, else in the bytes that the trace has. */
static double
get_work (const Look *look, const SluiceTraceSpan *span)
{
  const SluiceGraph *graph = look->all->source->graph;
  const SluiceNode *node = graph != NULL ? sluice_graph_find (graph, span->name) : NULL;
  SluiceCost cost;
  double bytes = (double) (span->bytes_in + span->bytes_out);
  if (node == NULL || !sluice_node_get_cost (node, UNKNOWN_DIM, &cost))
    return bytes;
  return MAX (cost.flops, MAX (cost.bytes, bytes));
}

static NodeTime *
find_node (GArray *nodes, GHashTable *numbers, const SluiceTraceSpan *span)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, span->name));
  if (number == 0)
    {
      const NodeTime none = { .name = span->name, .op = span->op };
      g_array_append_val (nodes, none);
      number = nodes->len;
      g_hash_table_insert (numbers, (gpointer) span->name, GUINT_TO_POINTER (number));
    }
  return &g_array_index (nodes, NodeTime, number - 1);
}

/* Neither waits nor is small: what it does is work. */
static gboolean
is_work (const Look *look, guint item)
{
  const SluiceTraceSpan *span = span_of (look, item);
  return !is_transfer (span) && !is_input (span) && !waits_for_room (span) && !is_tiny (look, item);
}

/* The one with most time on the path, or beside what begins late on it. (nullable); total: (out):
 * the work of all */
static const NodeTime *
find_slowest (const Look *look, GArray *nodes, double *total)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  const GArray *path = look->all->critical->path;
  *total = 0;
  for (guint i = 0; i < look->n; i++)
    {
      double work = get_work (look, span_of (look, i));
      *total += work;
      if (is_work (look, i))
        find_node (nodes, numbers, span_of (look, i))->work += work;
    }
  for (guint i = 0; i < path->len; i++)
    {
      guint item = g_array_index (path, SluiceCriticalItem, i).item;
      if (is_work (look, item))
        find_node (nodes, numbers, span_of (look, item))->on_path += time_of (look, item);
      gint64 late = look->all->critical->delay[item];
      for (guint k = 0; k < item && late > MAX_DISPATCH_NS; k++)
        if (look->items[k].end > look->items[item].start - late && is_work (look, k))
          find_node (nodes, numbers, span_of (look, k))->on_path +=
              MIN (look->items[item].start, look->items[k].end)
              - MAX (look->items[item].start - late, look->items[k].start);
    }
  const NodeTime *slowest = NULL;
  for (guint i = 0; i < nodes->len; i++)
    {
      const NodeTime *at = &g_array_index (nodes, NodeTime, i);
      if (at->on_path > 0 && (slowest == NULL || at->on_path > slowest->on_path))
        slowest = at;
    }
  return slowest;
}

/* What it waits for locks is not its own. */
static void
take_node (const Look *look, const char *name, double *factors, double factor)
{
  for (guint i = 0; i < look->n; i++)
    if (strcmp (span_of (look, i)->name, name) == 0 && is_work (look, i))
      factors[i] = factor;
  for (guint i = 0; i < look->all->gaps->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (look->all->gaps, SluiceTraceGap, i);
      const SluiceTraceItem *item = gap->cause == SLUICE_GAP_LOCK
                                        ? sluice_trace_depends_find (look->all->depends, gap->next)
                                        : NULL;
      if (item == NULL || item->end <= item->start
          || strcmp (span_of (look, (guint) (item - look->items))->name, name) != 0)
        continue;
      double locked = (double) (gap->end - gap->start) / (double) (item->end - item->start);
      double *at = &factors[item - look->items];
      *at = MIN (*at + (1 - factor) * locked, 1);
    }
}

/* A thread that helps a large kernel begins nothing meanwhile: what is late for so long waits for
 * the node that runs then, though it needs nothing of it. */
static void
take_delays (const Look *look, const double *factors, gint64 *delay)
{
  for (guint i = 0; i < look->n; i++)
    for (guint k = 0; k < i && delay[i] > MAX_DISPATCH_NS; k++)
      {
        gint64 from = MAX (look->items[i].start - delay[i], look->items[k].start);
        gint64 to = MIN (look->items[i].start, look->items[k].end);
        if (factors[k] < 1 && to > from && look->items[k].lane != look->items[i].lane)
          delay[i] -= (gint64) ((double) (to - from) * (1 - factors[k]));
      }
}

static gint64
get_gain_of_node (const Look *look, const char *name, double *factors, double factor)
{
  SluiceCriticalPath path = *look->all->critical;
  g_autofree gint64 *delay = g_memdup2 (path.delay, (look->n + 1) * sizeof (gint64));
  take_node (look, name, factors, factor);
  take_delays (look, factors, delay);
  path.delay = delay;
  return look->all->took - sluice_critical_path_what_if (&path, get_factor, factors, NULL);
}

static void
look_at_ops (const Look *look)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (NodeTime));
  g_autofree double *factors = new_factors (look), *half = new_factors (look);
  double total;
  const NodeTime *slowest = find_slowest (look, nodes, &total);
  if (slowest == NULL)
    return;
  gint64 cost = get_gain_of_node (look, slowest->name, factors, 0);
  gint64 gain = get_gain_of_node (look, slowest->name, half, 0.5);
  if (cost <= 0)
    return;
  SluiceBottleneck *one = add (look, SLUICE_BOTTLENECK_SLOW_OP, cost, gain);
  sluice_bottlenecks_show_span (look->all, one, find_longest (look, factors));
  double work = total > 0 ? slowest->work / total : 0;
  g_autofree char *time = sluice_bottleneck_dup_time (cost);
  /* What is large must be done: at best faster. */
  if (one->share < SLOW_TIMES * work)
    one->weight = share_of (look, gain);
  one->words = g_strdup_printf (_ ("Slow op: %s (%s) takes %.0f %% of a step (%s), with %.0f %% of "
                                   "the work that is done in it."),
                                slowest->name, slowest->op != NULL ? slowest->op : "?",
                                percent_of (look, cost), time, 100 * work);
  one->remedy = g_strdup_printf (_ ("Twice as fast, it would give %.2f × the steps: another op, a "
                                    "smaller or narrower value, another device."),
                                 times_of (look, gain));
}

void
sluice_bottlenecks_look_at_step (SluiceBottlenecks *self)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (SluiceTraceSpan));
  const GArray *items = self->depends->items;
  g_array_set_size (spans, items->len);
  for (guint i = 0; i < items->len; i++)
    sluice_trace_view_get_span (self->source->view, g_array_index (items, SluiceTraceItem, i).span,
                                &g_array_index (spans, SluiceTraceSpan, i));
  g_autofree guint8 *delays = find_delays (self);
  const Look look = { self, (const SluiceTraceItem *) items->data, items->len, spans, delays };
  look_at_input (&look);
  look_at_locks (&look);
  look_at_transfers (&look);
  look_at_devices (&look);
  look_at_dispatch (&look);
  look_at_waking (&look);
  look_at_ops (&look);
}
