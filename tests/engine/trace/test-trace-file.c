/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The trace in other programs' formats, read back field by field. */
#include <json-glib/json-glib.h>
#include <string.h>

#include "engine/store/crc32c.h"
#include "engine/trace/trace-file.h"
#include "engine/base/wire.h"

#define DEVICE "/job:localhost/replica:0/task:0/device:CPU:0"

/* Two nodes on a lane, a wait that overlaps both, a transfer on another device; two steps. */
static GArray *
make_events (void)
{
  static const char *const with[] = { "c", "d/e", NULL };
  GArray *events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  const SluiceTraceEvent all[] = {
    { .node = "b",
      .op = "Neg",
      .with = with,
      .device = DEVICE,
      .step = 1,
      .scheduled_us = 12,
      .start_us = 15,
      .end_us = 18.5,
      .bytes_in = 64,
      .bytes_out = 128,
      .live = 4096,
      .frame = "a \"loop\"\n",
      .iteration = 3 },
    { .node = "a",
      .op = "Add",
      .device = DEVICE,
      .step = 1,
      .scheduled_us = 9,
      .start_us = 10,
      .end_us = 15 },
    { .node = "w",
      .op = "QueueDequeueV2",
      .device = DEVICE,
      .kind = SLUICE_TRACE_WAIT,
      .step = 1,
      .start_us = 11,
      .end_us = 17 },
    { .node = "a",
      .op = "_Send",
      .transfer = DEVICE "1;0000000000000001;" DEVICE ";a:0",
      .device = DEVICE "1",
      .kind = SLUICE_TRACE_SEND,
      .lane = 1,
      .step = 2,
      .start_us = 20,
      .end_us = 21 },
  };
  g_array_append_vals (events, all, G_N_ELEMENTS (all));
  return events;
}

static void
test_names (void)
{
  SluiceTraceFormat format;
  g_assert_true (sluice_trace_format_from_path ("/x/t.json", &format));
  g_assert_cmpint (format, ==, SLUICE_TRACE_CHROME);
  g_assert_true (sluice_trace_format_from_path ("t.perfetto-trace", &format));
  g_assert_cmpint (format, ==, SLUICE_TRACE_PERFETTO);
  g_assert_true (sluice_trace_format_from_path ("tfevents.d/t.pb", &format));
  g_assert_cmpint (format, ==, SLUICE_TRACE_RUN_METADATA);
  g_assert_true (sluice_trace_format_from_path ("events.out.tfevents.12.host", &format));
  g_assert_cmpint (format, ==, SLUICE_TRACE_EVENT_FILE);
  g_assert_false (sluice_trace_format_from_path ("tfevents.d/t.txt", &format));
  g_assert_true (sluice_trace_format_from_name ("event-file", &format));
  g_assert_cmpint (format, ==, SLUICE_TRACE_EVENT_FILE);
  g_assert_false (sluice_trace_format_from_name ("json", &format));
}

/* "a" is an Add, and what is sent of it. */
static void
check_transfer (JsonObject *more, guint *n_transfers)
{
  if (!json_object_has_member (more, "transfer"))
    return;
  g_assert_cmpstr (json_object_get_string_member (more, "transfer"), ==,
                   DEVICE "1;0000000000000001;" DEVICE ";a:0");
  (*n_transfers)++;
}

static void
test_chrome (void)
{
  guint n_transfers = 0;
  g_autoptr (GArray) events = make_events ();
  SluiceTraceContent content = { .events = events };
  g_autoptr (GByteArray) bytes = sluice_trace_encode (&content, SLUICE_TRACE_CHROME);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  json_parser_load_from_data (parser, (const char *) bytes->data, (gssize) bytes->len, &error);
  g_assert_no_error (error);
  JsonArray *list = json_object_get_array_member (
      json_node_get_object (json_parser_get_root (parser)), "traceEvents");
  GString *phases = g_string_new (NULL);
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *event = json_array_get_object_element (list, i);
      const char *phase = json_object_get_string_member (event, "ph");
      g_string_append (phases, phase);
      if (strcmp (phase, "X") != 0
          || strcmp (json_object_get_string_member (event, "name"), "w") == 0)
        continue;
      if (strcmp (json_object_get_string_member (event, "name"), "a") == 0)
        {
          check_transfer (json_object_get_object_member (event, "args"), &n_transfers);
          continue;
        }
      JsonObject *more = json_object_get_object_member (event, "args");
      g_assert_cmpfloat (json_object_get_double_member (event, "ts"), ==, 15);
      g_assert_cmpfloat (json_object_get_double_member (event, "dur"), ==, 3.5);
      g_assert_cmpstr (json_object_get_string_member (more, "frame"), ==, "a \"loop\"\n");
      g_assert_cmpint (json_object_get_int_member (more, "iteration"), ==, 3);
      g_assert_cmpint (json_object_get_int_member (more, "bytes_out"), ==, 128);
      g_assert_cmpstr (json_object_get_string_member (more, "with"), ==, "c, d/e");
      g_assert_cmpfloat (json_object_get_double_member (more, "scheduled"), ==, 12);
    }
  /* Labels, then a device and its lane with what ran there by time. */
  g_assert_cmpstr (phases->str, ==, "MMMXbeXCMMX");
  g_assert_cmpuint (n_transfers, ==, 1);
  g_string_free (phases, TRUE);
}

/* A queue of a device has a track; what it did begins when what stood before it has ended. */
static void
test_queues (void)
{
  const SluiceTraceEvent all[] = {
    { .node = "k", .op = "Neg", .device = DEVICE, .queue = 1 + SLUICE_QUEUE_COMPUTE, .end_us = 9 },
    { .node = "a",
      .op = "_Recv",
      .device = DEVICE,
      .kind = SLUICE_TRACE_RECV,
      .queue = 1 + SLUICE_QUEUE_IN,
      .end_us = 10 },
    { .node = "b",
      .op = "_Recv",
      .device = DEVICE,
      .kind = SLUICE_TRACE_RECV,
      .queue = 1 + SLUICE_QUEUE_IN,
      .start_us = 1,
      .end_us = 20 },
  };
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  g_array_append_vals (events, all, G_N_ELEMENTS (all));
  SluiceTraceContent content = { .events = events };
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (GPtrArray) order = sluice_trace_sort (&content, &devices);
  const double starts[] = { 0, 0, 10 };
  const char *const tracks[] = { "compute", "in", "in" };
  for (guint i = 0; i < order->len; i++)
    {
      const SluiceTraceEvent *event = order->pdata[i];
      g_autofree char *name = sluice_trace_dup_track_name (event);
      g_assert_cmpstr (event->node, ==, all[i].node);
      g_assert_cmpfloat (event->start_us, ==, starts[i]);
      g_assert_cmpstr (name, ==, tracks[i]);
    }
  g_assert_cmpuint (sluice_trace_track (order->pdata[0]), !=, sluice_trace_track (order->pdata[1]));
}

/* ---- protobuf ---- */

static gboolean
next_field (const guint8 **at, const guint8 *end, SluiceWireField *field)
{
  if (*at >= end)
    return FALSE;
  g_assert_true (sluice_wire_next (at, end, field));
  return TRUE;
}

static gboolean
find_field (const guint8 *data, gsize length, guint number, guint skip, SluiceWireField *field)
{
  const guint8 *at = data;
  while (next_field (&at, data + length, field))
    if (field->number == number && skip-- == 0)
      return TRUE;
  return FALSE;
}

static void
expect_text (const SluiceWireField *message, guint number, const char *text)
{
  SluiceWireField field;
  g_assert_true (find_field (message->data, message->length, number, 0, &field));
  g_autofree char *got = g_strndup ((const char *) field.data, field.length);
  g_assert_cmpstr (got, ==, text);
}

static guint64
get_number (const SluiceWireField *message, guint number)
{
  SluiceWireField field;
  return find_field (message->data, message->length, number, 0, &field) ? field.value : 0;
}

static void
check_metadata (const guint8 *data, gsize length, guint n_devices)
{
  SluiceWireField stats, device, node, memory;
  g_assert_true (find_field (data, length, 1, 0, &stats));
  g_assert_false (find_field (stats.data, stats.length, 1, n_devices, &device));
  g_assert_true (find_field (stats.data, stats.length, 1, 0, &device));
  expect_text (&device, 1, DEVICE);
  g_assert_true (find_field (device.data, device.length, 2, 2, &node));
  expect_text (&node, 1, "b");
  expect_text (&node, 8, "b = Neg()");
  g_assert_cmpuint (get_number (&node, 2), ==, 1000015);
  g_assert_cmpuint (get_number (&node, 5), ==, 4); /* rounded up */
  g_assert_cmpuint (get_number (&node, 13), ==, 1000015000);
  g_assert_cmpuint (get_number (&node, 16), ==, 3500);
  g_assert_cmpuint (get_number (&node, 17), ==, 1000012000);
  g_assert_true (find_field (node.data, node.length, 6, 0, &memory));
  g_assert_cmpuint (get_number (&memory, 2), ==, 128);
  g_assert_cmpuint (get_number (&memory, 5), ==, 4096);
  g_assert_true (find_field (device.data, device.length, 3, 0, &node)); /* a thread's name */
  expect_text (&node, 2, "lane 0");
  if (n_devices < 2)
    return;
  g_assert_true (find_field (stats.data, stats.length, 1, 1, &device));
  g_assert_true (find_field (device.data, device.length, 2, 0, &node));
  expect_text (&node, 8, "a = _Send(a:0 @" DEVICE ")");
}

static void
test_run_metadata (void)
{
  g_autoptr (GArray) events = make_events ();
  SluiceTraceContent content = { .events = events, .start = 1000000 };
  g_autoptr (GByteArray) bytes = sluice_trace_encode (&content, SLUICE_TRACE_RUN_METADATA);
  check_metadata (bytes->data, bytes->len, 2);
  g_array_set_size (events, 0);
  g_autoptr (GByteArray) none = sluice_trace_encode (&content, SLUICE_TRACE_RUN_METADATA);
  g_assert_cmpuint (none->len, ==, 2); /* statistics of no device */
}

/* Version, graph, and a record a step, each with its checksums. */
static void
test_event_file (void)
{
  g_autoptr (GArray) events = make_events ();
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceTraceContent content = { events, 1000000, graph };
  g_autoptr (GByteArray) bytes = sluice_trace_encode (&content, SLUICE_TRACE_EVENT_FILE);
  guint n = 0;
  for (const guint8 *at = bytes->data, *end = at + bytes->len; at < end; n++)
    {
      guint64 length;
      memcpy (&length, at, 8);
      length = GUINT64_FROM_LE (length);
      g_assert_cmpuint (length + 16, <=, (gsize) (end - at));
      g_assert_true (sluice_crc32c_matches (at + 8, at, 8));
      g_assert_true (sluice_crc32c_matches (at + 12 + length, at + 12, length));
      SluiceWireField event = { .data = at + 12, .length = length }, tagged, metadata;
      if (n == 0)
        expect_text (&event, 3, "brain.Event:2");
      if (n >= 2)
        {
          g_autofree char *tag = g_strdup_printf ("step %u", n - 1);
          g_assert_cmpuint (get_number (&event, 2), ==, n - 1);
          g_assert_true (find_field (event.data, event.length, 8, 0, &tagged));
          expect_text (&tagged, 1, tag);
          g_assert_true (find_field (tagged.data, tagged.length, 2, 0, &metadata));
          if (n == 2)
            check_metadata (metadata.data, metadata.length, 1);
        }
      at += 16 + length;
    }
  g_assert_cmpuint (n, ==, 4);
}

/* Every event lies on a track that was described before; begins and ends pair up on it. */
static void
test_perfetto (void)
{
  g_autoptr (GArray) events = make_events ();
  SluiceTraceContent content = { .events = events };
  g_autoptr (GByteArray) bytes = sluice_trace_encode (&content, SLUICE_TRACE_PERFETTO);
  g_autoptr (GHashTable) open = g_hash_table_new (NULL, NULL); /* track -> slices that are open */
  const guint8 *at = bytes->data;
  guint n_slices = 0, n_counts = 0;
  SluiceWireField packet, inner;
  while (next_field (&at, bytes->data + bytes->len, &packet))
    {
      g_assert_cmpuint (packet.number, ==, 1);
      g_assert_cmpuint (get_number (&packet, 10), ==, 1);
      if (find_field (packet.data, packet.length, 60, 0, &inner))
        {
          g_hash_table_insert (open, GSIZE_TO_POINTER (get_number (&inner, 1)), NULL);
          continue;
        }
      g_assert_true (find_field (packet.data, packet.length, 11, 0, &inner));
      g_assert_cmpuint (get_number (&packet, 8), >=, 10000); /* nanoseconds */
      gpointer track = GSIZE_TO_POINTER (get_number (&inner, 11));
      g_assert_true (g_hash_table_contains (open, track));
      guint depth = GPOINTER_TO_UINT (g_hash_table_lookup (open, track));
      guint64 type = get_number (&inner, 9);
      n_slices += type == 1;
      n_counts += type == 4;
      if (type == 4)
        {
          g_assert_cmpuint (get_number (&inner, 30), ==, 4096);
          continue;
        }
      g_assert_cmpuint (depth, ==, type == 2); /* nothing overlaps on a track */
      g_hash_table_insert (open, track, GUINT_TO_POINTER (type == 1));
    }
  g_assert_cmpuint (n_slices, ==, 4);
  g_assert_cmpuint (n_counts, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/trace-file/names", test_names);
  g_test_add_func ("/trace/trace-file/chrome", test_chrome);
  g_test_add_func ("/trace/trace-file/queues", test_queues);
  g_test_add_func ("/trace/trace-file/run-metadata", test_run_metadata);
  g_test_add_func ("/trace/trace-file/event-file", test_event_file);
  g_test_add_func ("/trace/trace-file/perfetto", test_perfetto);
  return g_test_run ();
}
