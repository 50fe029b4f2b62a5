/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/fill.h"

#include <math.h>
#include <string.h>

#include "engine/trace/trace-file.h"

static const SluiceSpanKind kinds[] = {
  [SLUICE_TRACE_NODE] = SLUICE_SPAN_NODE, [SLUICE_TRACE_WAIT] = SLUICE_SPAN_WAIT,
  [SLUICE_TRACE_SEND] = SLUICE_SPAN_SEND, [SLUICE_TRACE_RECV] = SLUICE_SPAN_RECV,
  [SLUICE_TRACE_LOCK] = SLUICE_SPAN_LOCK, [SLUICE_TRACE_HOST] = SLUICE_SPAN_HOST,
};

/* "CPU:0" of a full name. */
static const char *
short_name (const char *device)
{
  const char *last = strstr (device, "device:");
  return last ? last + strlen ("device:") : device;
}

static guint
find_lane (SluiceTraceView *self, const SluiceTraceEvent *event)
{
  if (event->kind == SLUICE_TRACE_WAIT)
    return sluice_trace_view_add_lane (self, SLUICE_LANE_WAIT, short_name (event->device), "waits");
  if (event->kind == SLUICE_TRACE_HOST)
    return sluice_trace_view_add_lane (self, SLUICE_LANE_WAIT, event->device, "between steps");
  g_autofree char *name = sluice_trace_dup_track_name (event);
  if (event->kind == SLUICE_TRACE_LOCK)
    {
      g_autofree char *locks = g_strconcat (name, SLUICE_TRACE_LOCKS, NULL);
      return sluice_trace_view_add_lane (self, SLUICE_LANE_WAIT, short_name (event->device), locks);
    }
  return sluice_trace_view_add_lane (self,
                                     event->queue > 0 ? SLUICE_LANE_QUEUE : SLUICE_LANE_THREAD,
                                     short_name (event->device), name);
}

/* Of sends and receives: whichever comes last finds the other. */
static void
add_flow (SluiceTraceView *self, GHashTable *ends, const SluiceTraceEvent *event, guint64 number)
{
  guint64 id = sluice_trace_flow_id (event);
  if (id == 0)
    return;
  guint64 *other = g_hash_table_lookup (ends, &id);
  if (other == NULL)
    g_hash_table_insert (ends, g_memdup2 (&id, sizeof id), g_memdup2 (&number, sizeof number));
  else if (event->kind == SLUICE_TRACE_SEND)
    sluice_trace_view_add_flow (self, number, *other);
  else
    sluice_trace_view_add_flow (self, *other, number);
}

void
sluice_trace_view_add_events (SluiceTraceView *self, const GArray *events)
{
  g_autoptr (GHashTable) ends = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  g_autoptr (GPtrArray) devices = NULL;
  const SluiceTraceContent content = { events, 0, NULL };
  g_autoptr (GPtrArray) order = sluice_trace_sort (&content, &devices);
  for (guint i = 0; i < order->len; i++)
    {
      const SluiceTraceEvent *event = order->pdata[i];
      const SluiceTraceSpan span = {
        .scheduled = llround (event->scheduled_us * 1000),
        .start = llround (event->start_us * 1000),
        .end = llround (event->end_us * 1000),
        .name = event->node,
        .op = event->op,
        .kind = kinds[event->kind],
        .lane = find_lane (self, event),
        .step = event->kind != SLUICE_TRACE_HOST ? event->step : 0,
        .iteration = event->iteration,
        .frame = event->frame,
        .bytes_in = event->bytes_in,
        .bytes_out = event->bytes_out,
        .live = event->live,
      };
      add_flow (self, ends, event, sluice_trace_view_add (self, &span));
      for (guint k = 0; event->with != NULL && event->with[k] != NULL; k++)
        sluice_trace_view_add_together (self, event->node, event->with[k]);
    }
  sluice_trace_view_settle (self);
}

/* ---- back ---- */

static SluiceTraceKind
find_kind (SluiceSpanKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i] == kind)
      return i;
  return SLUICE_TRACE_NODE;
}

/* As sluice_trace_dup_track_name() calls them. */
static void
set_track (SluiceTraceEvent *event, const SluiceTraceLane *lane)
{
  static const char *const queues[] = { "compute", "in", "out" };
  if (g_str_has_prefix (lane->name, "lane "))
    event->lane = (guint) g_ascii_strtoull (lane->name + strlen ("lane "), NULL, 10);
  for (guint i = 0; lane->kind == SLUICE_LANE_QUEUE && i < G_N_ELEMENTS (queues); i++)
    if (g_str_equal (queues[i], lane->name))
      event->queue = i + 1;
}

GArray *
sluice_trace_view_dup_events (const SluiceTraceView *self)
{
  guint64 n = sluice_trace_view_get_n_spans (self);
  GArray *events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  for (guint64 i = 0; i < n; i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (self, i, &span);
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (self, span.lane);
      SluiceTraceEvent event = { .node = span.name,
                                 .op = span.op,
                                 .device = lane->device,
                                 .kind = find_kind (span.kind),
                                 .step = span.step,
                                 .frame = span.frame,
                                 .iteration = span.iteration,
                                 .scheduled_us = (double) span.scheduled / 1000,
                                 .start_us = (double) span.start / 1000,
                                 .end_us = (double) span.end / 1000,
                                 .bytes_in = span.bytes_in,
                                 .bytes_out = span.bytes_out,
                                 .live = span.live };
      set_track (&event, lane);
      g_array_append_val (events, event);
    }
  return events;
}
