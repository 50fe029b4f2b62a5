/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The trace as TensorFlow's RunMetadata (StepStats by device), alone or step by step in an event
 * file, where TensorBoard's graph page finds it. Field numbers: tensorflow/core/framework/
 * step_stats.proto, protobuf/config.proto, util/event.proto.
 */
#include <string.h>

#include "engine/base/wire.h"
#include "engine/graph/graphdef.h"
#include "engine/store/event-file.h"
#include "engine/store/summary-value.h"
#include "engine/trace/trace-file.h"

enum
{
  METADATA_STEP_STATS = 1,
  STATS_DEVICE = 1,
  DEVICE_NAME = 1,
  DEVICE_NODE = 2,
  DEVICE_THREAD = 3,
  ENTRY_KEY = 1,
  ENTRY_VALUE = 2,
  NODE_NAME = 1,
  NODE_START = 2,
  NODE_OP_END = 4,
  NODE_END = 5,
  NODE_MEMORY = 6,
  NODE_LABEL = 8,
  NODE_SCHEDULED = 9,
  NODE_THREAD = 10,
  NODE_START_NS = 13,
  NODE_OP_END_NS = 15,
  NODE_END_NS = 16,
  NODE_SCHEDULED_NS = 17,
  MEMORY_ALLOCATOR = 1,
  MEMORY_TOTAL = 2,
  MEMORY_IN_USE = 5,
};

/* "edge @device", the device being the other one; a key's parts are its sender, whose number is
 * told in the second, its receiver and its edge. */
static void
append_transfer (GString *text, const SluiceTraceEvent *event)
{
  g_auto (GStrv) parts = g_strsplit (event->transfer, ";", 4);
  if (g_strv_length (parts) == 4)
    g_string_append_printf (text, "%s @%s", parts[3],
                            parts[event->kind == SLUICE_TRACE_SEND ? 2 : 0]);
}

/* "name = Op(input, input)", as TensorFlow's executor labels nodes and its timeline reads them. */
static char *
label (const SluiceTraceContent *self, const SluiceTraceEvent *event)
{
  GString *text = g_string_new (NULL);
  g_string_printf (text, "%s = %s(", event->node, event->op);
  const SluiceNode *node =
      self->graph && !event->transfer ? sluice_graph_find (self->graph, event->node) : NULL;
  if (event->transfer)
    append_transfer (text, event);
  for (guint i = 0; node && i < node->n_inputs; i++)
    if (node->inputs[i].node)
      g_string_append_printf (text, i ? ", %s" : "%s", node->inputs[i].node->name);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

static gint64
nanoseconds (double us)
{
  return (gint64) (us * 1000 + 0.5);
}

static void
put_memory (GByteArray *out, GByteArray *scratch, const SluiceTraceEvent *event)
{
  sluice_wire_put_text (scratch, MEMORY_ALLOCATOR, event->device);
  sluice_wire_put_int (scratch, MEMORY_TOTAL, (gint64) event->bytes_out);
  sluice_wire_put_int (scratch, MEMORY_IN_USE, (gint64) event->live);
  sluice_wire_put_message (out, NODE_MEMORY, scratch);
}

/* A kernel runs from its node's start to its end: op_start_rel is 0. */
static void
put_node (const SluiceTraceContent *self,
          GByteArray *out,
          GByteArray *scratch,
          const SluiceTraceEvent *event)
{
  g_autofree char *text = label (self, event);
  gint64 start = self->start * 1000 + nanoseconds (event->start_us);
  gint64 scheduled = self->start * 1000 + nanoseconds (event->scheduled_us);
  gint64 length = nanoseconds (event->end_us) - nanoseconds (event->start_us);
  sluice_wire_put_text (out, NODE_NAME, event->node);
  sluice_wire_put_int (out, NODE_START, start / 1000);
  sluice_wire_put_int (out, NODE_OP_END, (length + 999) / 1000);
  sluice_wire_put_int (out, NODE_END, (length + 999) / 1000);
  put_memory (out, scratch, event);
  sluice_wire_put_text (out, NODE_LABEL, text);
  sluice_wire_put_int (out, NODE_SCHEDULED, scheduled / 1000);
  sluice_wire_put_int (out, NODE_THREAD, sluice_trace_track (event));
  sluice_wire_put_int (out, NODE_START_NS, start);
  sluice_wire_put_int (out, NODE_OP_END_NS, length);
  sluice_wire_put_int (out, NODE_END_NS, length);
  sluice_wire_put_int (out, NODE_SCHEDULED_NS, scheduled);
}

static void
put_thread_name (GByteArray *out, GByteArray *scratch, const SluiceTraceEvent *event)
{
  g_autofree char *name = sluice_trace_dup_track_name (event);
  sluice_wire_put_int (scratch, ENTRY_KEY, sluice_trace_track (event));
  sluice_wire_put_text (scratch, ENTRY_VALUE, name);
  sluice_wire_put_message (out, DEVICE_THREAD, scratch);
}

GByteArray *
sluice_trace_encode_run_metadata (const SluiceTraceContent *self)
{
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (GPtrArray) order = sluice_trace_sort (self, &devices);
  g_autoptr (GByteArray) stats = g_byte_array_new ();
  g_autoptr (GByteArray) device = g_byte_array_new ();
  g_autoptr (GByteArray) node = g_byte_array_new ();
  g_autoptr (GByteArray) inner = g_byte_array_new ();
  g_autoptr (GByteArray) threads = g_byte_array_new (); /* after the nodes, by its number */
  const SluiceTraceEvent *last = NULL;
  for (guint i = 0; i < order->len; i++)
    {
      const SluiceTraceEvent *event = order->pdata[i];
      gboolean is_new = !last || strcmp (last->device, event->device) != 0;
      if (is_new && last)
        {
          g_byte_array_append (device, threads->data, threads->len);
          g_byte_array_set_size (threads, 0);
          sluice_wire_put_message (stats, STATS_DEVICE, device);
        }
      if (is_new)
        sluice_wire_put_text (device, DEVICE_NAME, event->device);
      if (is_new || sluice_trace_track (last) != sluice_trace_track (event))
        put_thread_name (threads, inner, event);
      put_node (self, node, inner, event);
      sluice_wire_put_message (device, DEVICE_NODE, node);
      last = event;
    }
  if (last)
    {
      g_byte_array_append (device, threads->data, threads->len);
      sluice_wire_put_message (stats, STATS_DEVICE, device);
    }
  GByteArray *out = g_byte_array_new ();
  sluice_wire_put_message (out, METADATA_STEP_STATS, stats);
  return out;
}

/* ---- event files ---- */

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  const SluiceTraceEvent *x = a, *y = b;
  return x->step < y->step ? -1 : x->step > y->step;
}

static void
put_step (const SluiceTraceContent *self, GByteArray *out, GByteArray *event, const GArray *step)
{
  const SluiceTraceEvent *first = &g_array_index (step, SluiceTraceEvent, 0);
  SluiceTraceContent content = { step, self->start, self->graph };
  g_autoptr (GByteArray) metadata = sluice_trace_encode_run_metadata (&content);
  g_autoptr (GByteArray) tagged = g_byte_array_new ();
  g_autofree char *tag = g_strdup_printf ("step %" G_GUINT64_FORMAT, first->step);
  sluice_wire_put_text (tagged, SLUICE_TAGGED_TAG, tag);
  sluice_wire_put_message (tagged, SLUICE_TAGGED_METADATA, metadata);
  sluice_event_file_begin (event, ((double) self->start + first->start_us) * 1e-6,
                           (gint64) first->step);
  sluice_wire_put_message (event, SLUICE_EVENT_TAGGED_METADATA, tagged);
  sluice_event_file_put_record (out, event);
}

GByteArray *
sluice_trace_encode_event_file (const SluiceTraceContent *self)
{
  GByteArray *out = g_byte_array_new ();
  g_autoptr (GByteArray) event = g_byte_array_new ();
  double start = (double) self->start * 1e-6;
  sluice_event_file_put_version (out, start);
  g_autoptr (GBytes) graph =
      self->graph ? sluice_graph_export (self->graph, SLUICE_EXPORT_PLAIN_GRAPH, NULL) : NULL;
  if (graph)
    {
      gsize length;
      const void *bytes = g_bytes_get_data (graph, &length);
      sluice_event_file_begin (event, start, 0);
      sluice_wire_put_bytes (event, SLUICE_EVENT_GRAPH, bytes, length);
      sluice_event_file_put_record (out, event);
    }
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) self->events);
  g_array_sort (sorted, compare_steps);
  g_autoptr (GArray) step = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  for (guint i = 0; i < sorted->len; i++)
    {
      const SluiceTraceEvent *at = &g_array_index (sorted, SluiceTraceEvent, i);
      g_array_append_vals (step, at, 1);
      if (i + 1 < sorted->len && at[1].step == at->step)
        continue;
      put_step (self, out, event, step);
      g_array_set_size (step, 0);
    }
  return out;
}
