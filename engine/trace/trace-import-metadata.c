/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* TensorFlow's RunMetadata: of it the StepStats. Field numbers: tensorflow/core/framework/
 * step_stats.proto. */
#include <string.h>

#include "engine/base/wire.h"
#include "engine/trace/trace-import.h"
#include "engine/trace/trace-remarks.h"

enum
{
  METADATA_STEP_STATS = 1,
  STATS_DEVICE = 1,
  DEVICE_NAME = 1,
  DEVICE_NODE = 2,
  DEVICE_THREAD = 3,
  NODE_NAME = 1,
  NODE_START = 2,
  NODE_END = 5,
  NODE_MEMORY = 6,
  NODE_LABEL = 8,
  NODE_SCHEDULED = 9,
  NODE_THREAD = 10,
  NODE_START_NS = 13,
  NODE_END_NS = 16,
  NODE_SCHEDULED_NS = 17,
  MEMORY_TOTAL = 2,
  MEMORY_IN_USE = 5,
};

typedef struct
{
  SluiceTraceView *view;
  GArray *remarks;
  gint64 zero;         /* of the view: the first start in the file */
  gboolean only_looks; /* for zero */
  char *device;
  GHashTable *threads; /* number -> name */
  guint64 n_nodes;
} Reader;

typedef void (*FieldFunc) (Reader *r, const SluiceWireField *field, gpointer data);

static void
each_field (Reader *r, const SluiceWireField *message, FieldFunc func, gpointer data)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  gboolean is_cut = FALSE;
  while (sluice_trace_next_field (&at, end, &field, &is_cut))
    func (r, &field, data);
  if (is_cut && !r->only_looks)
    sluice_trace_remarks_add (r->remarks, 1, "messages that are cut off");
}

/* (transfer full) */
static char *
dup_text (const SluiceWireField *field)
{
  return field->wire_type == SLUICE_WIRE_BYTES
             ? g_utf8_make_valid ((const char *) field->data, (gssize) field->length)
             : g_strdup ("");
}

/* ---- nodes ---- */

typedef struct
{
  char *name, *label;
  gint64 start, end, scheduled; /* microseconds, the end counted from the start */
  gint64 start_ns, end_ns, scheduled_ns;
  guint64 thread, bytes, live;
} Node;

static void
take_memory (Reader *r, const SluiceWireField *field, gpointer data)
{
  Node *node = data;
  if (field->number == MEMORY_TOTAL)
    node->bytes += field->value;
  else if (field->number == MEMORY_IN_USE)
    node->live = field->value;
}

static void
take_node_field (Reader *r, const SluiceWireField *field, gpointer data)
{
  Node *node = data;
  gint64 *const numbers[] = {
    [NODE_START] = &node->start,
    [NODE_END] = &node->end,
    [NODE_SCHEDULED] = &node->scheduled,
    [NODE_START_NS] = &node->start_ns,
    [NODE_END_NS] = &node->end_ns,
    [NODE_SCHEDULED_NS] = &node->scheduled_ns,
    [NODE_THREAD] = (gint64 *) &node->thread,
  };
  if (field->number == NODE_NAME || field->number == NODE_LABEL)
    {
      char **to = field->number == NODE_NAME ? &node->name : &node->label;
      g_free (*to);
      *to = dup_text (field);
    }
  else if (field->number == NODE_MEMORY && field->wire_type == SLUICE_WIRE_BYTES)
    each_field (r, field, take_memory, node);
  else if (field->number < G_N_ELEMENTS (numbers) && numbers[field->number] != NULL)
    *numbers[field->number] = (gint64) field->value;
}

static gint64
ns_of (gint64 ns, gint64 us)
{
  const gint64 max = G_MAXINT64 / 2; /* differences do not overflow */
  return ns != 0 ? CLAMP (ns, -max, max) : CLAMP (us, -max / 1000, max / 1000) * 1000;
}

/* "name = Op(inputs)". (transfer full) (nullable) */
static char *
dup_op (const char *label)
{
  const char *begin = label != NULL ? strstr (label, " = ") : NULL;
  const char *end = begin != NULL ? strchr (begin, '(') : NULL;
  return end != NULL ? g_strndup (begin + 3, (gsize) (end - begin - 3)) : NULL;
}

static guint
find_lane (Reader *r, guint64 thread)
{
  const char *name = g_hash_table_lookup (r->threads, &thread);
  g_autofree char *number = g_strdup_printf ("lane %" G_GUINT64_FORMAT, thread);
  gboolean is_queue =
      name != NULL
      && (strcmp (name, "compute") == 0 || strcmp (name, "in") == 0 || strcmp (name, "out") == 0);
  const char *last = strstr (r->device, "device:");
  return sluice_trace_view_add_lane (r->view, is_queue ? SLUICE_LANE_QUEUE : SLUICE_LANE_THREAD,
                                     last != NULL ? last + strlen ("device:") : r->device,
                                     name != NULL ? name : number);
}

static SluiceSpanKind
kind_of (const char *op)
{
  if (op != NULL && strcmp (op, "_Send") == 0)
    return SLUICE_SPAN_SEND;
  return op != NULL && strcmp (op, "_Recv") == 0 ? SLUICE_SPAN_RECV : SLUICE_SPAN_NODE;
}

static void
add_node (Reader *r, const Node *node)
{
  g_autofree char *op = dup_op (node->label);
  gint64 start = ns_of (node->start_ns, node->start), time = ns_of (node->end_ns, node->end);
  gint64 scheduled = ns_of (node->scheduled_ns, node->scheduled);
  r->n_nodes++;
  if (r->only_looks)
    {
      r->zero = MIN (r->zero, start);
      return;
    }
  if (time < 0)
    sluice_trace_remarks_add (r->remarks, 1, "spans end before they begin: they take no time");
  gint64 end = start - r->zero;
  if (__builtin_add_overflow (end, time, &end))
    end = G_MAXINT64;
  const SluiceTraceSpan span = {
    .scheduled = (scheduled != 0 ? scheduled : start) - r->zero,
    .start = start - r->zero,
    .end = end,
    .name = node->name,
    .op = op,
    .kind = kind_of (op),
    .lane = find_lane (r, node->thread),
    .bytes_out = node->bytes,
    .live = node->live,
  };
  sluice_trace_view_add (r->view, &span);
}

/* ---- devices ---- */

/* Names come before nodes in no order that one may count on. */
static void
take_device_names (Reader *r, const SluiceWireField *field, gpointer data)
{
  if (field->number == DEVICE_NAME)
    {
      g_free (r->device);
      r->device = dup_text (field);
    }
  if (field->number != DEVICE_THREAD || field->wire_type != SLUICE_WIRE_BYTES)
    return;
  const guint8 *at = field->data, *end = at + field->length;
  SluiceWireField inner;
  guint64 key = 0;
  char *name = g_strdup ("");
  while (sluice_wire_next (&at, end, &inner))
    if (inner.number == 1)
      key = inner.value;
    else if (inner.number == 2)
      {
        g_free (name);
        name = dup_text (&inner);
      }
  g_hash_table_insert (r->threads, g_memdup2 (&key, sizeof key), name);
}

static void
take_device_nodes (Reader *r, const SluiceWireField *field, gpointer data)
{
  if (field->number != DEVICE_NODE || field->wire_type != SLUICE_WIRE_BYTES)
    return;
  Node node = { NULL };
  each_field (r, field, take_node_field, &node);
  if (node.name != NULL)
    add_node (r, &node);
  else if (!r->only_looks)
    sluice_trace_remarks_add (r->remarks, 1, "nodes without a name");
  g_free (node.name);
  g_free (node.label);
}

static void
take_stats (Reader *r, const SluiceWireField *field, gpointer data)
{
  if (field->number != STATS_DEVICE || field->wire_type != SLUICE_WIRE_BYTES)
    return;
  g_hash_table_remove_all (r->threads);
  g_clear_pointer (&r->device, g_free);
  r->device = g_strdup ("");
  gboolean only_looks = r->only_looks;
  r->only_looks = TRUE; /* what is cut off is said once */
  each_field (r, field, take_device_names, NULL);
  r->only_looks = only_looks;
  each_field (r, field, take_device_nodes, NULL);
}

static void
take_file (Reader *r, const guint8 *bytes, gsize length)
{
  const guint8 *at = bytes, *end = bytes + length;
  SluiceWireField field;
  r->n_nodes = 0;
  gboolean is_cut = FALSE;
  while (sluice_trace_next_field (&at, end, &field, &is_cut))
    if (field.number == METADATA_STEP_STATS && field.wire_type == SLUICE_WIRE_BYTES)
      each_field (r, &field, take_stats, NULL);
    else if (!r->only_looks)
      sluice_trace_remarks_add (r->remarks, 1, "parts that are no statistics of steps");
  if (is_cut && !r->only_looks)
    sluice_trace_remarks_add (r->remarks, 1, "end of the file is missing or damaged");
}

gboolean
sluice_trace_import_metadata (SluiceTraceView *view,
                              const guint8 *bytes,
                              gsize length,
                              GArray *remarks)
{
  Reader r = { .view = view, .remarks = remarks, .zero = G_MAXINT64, .only_looks = TRUE };
  r.threads = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  take_file (&r, bytes, length);
  if (r.n_nodes > 0)
    {
      r.only_looks = FALSE;
      r.zero = r.zero / 1000 * 1000;
      take_file (&r, bytes, length);
      sluice_trace_view_set_start (view, r.zero / 1000);
      sluice_trace_view_settle (view);
    }
  g_hash_table_unref (r.threads);
  g_free (r.device);
  return r.n_nodes > 0;
}
