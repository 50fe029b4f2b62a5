/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Traces of other programs, and what Sluice writes for them, read back. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/wire.h"
#include "engine/trace/fill.h"
#include "engine/trace/trace-file.h"
#include "engine/trace/trace-import.h"
#include "engine/trace/trace-remarks.h"

static SluiceTraceView *
open_bytes (const void *data, gsize length, const char *want, GArray *remarks)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (data, length);
  const char *format = NULL;
  SluiceTraceView *view = sluice_trace_open_bytes (bytes, &format, remarks, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (format, ==, want);
  return view;
}

/* The span of that name; they are few. */
static SluiceTraceSpan
find_span (const SluiceTraceView *view, const char *name)
{
  SluiceTraceSpan span = { 0 };
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view); i++)
    {
      sluice_trace_view_get_span (view, i, &span);
      if (strcmp (span.name, name) == 0)
        return span;
    }
  g_error ("no span '%s'", name);
}

static void
expect_span (const SluiceTraceView *view, const char *name, gint64 start, gint64 end)
{
  SluiceTraceSpan span = find_span (view, name);
  g_assert_cmpint (span.start, ==, start);
  g_assert_cmpint (span.end, ==, end);
}

static guint64
count_remark (const GArray *remarks, const char *part)
{
  for (guint i = 0; i < remarks->len; i++)
    {
      const SluiceTraceRemark *remark = &g_array_index (remarks, SluiceTraceRemark, i);
      if (strstr (remark->what, part) != NULL)
        return remark->n;
    }
  return 0;
}

/* ---- Chrome ---- */

static const char chrome[] =
    "{\"displayTimeUnit\":\"ns\",\"other\":{\"a\":[1,{\"b\":null}]},\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"main\"}},\n"
    "{\"args\":{\"name\":\"pro\\u0063ess\"},\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\"},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"outer\",\"cat\":\"c\",\"ts\":1000000000000.125,"
    "\"dur\":10.5,\"args\":{\"x\":[1,2,{\"y\":\"}\"}]}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"inner \\u00e4\\ud83d\\ude00\","
    "\"ts\":1000000000002,\"dur\":1},\n"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"name\":\"b\",\"ts\":\"1000000000001\"},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":3,\"ts\":1000000000005},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":3,\"ts\":1000000000005},\n"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"name\":\"backwards\",\"ts\":1000000000009},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":3,\"ts\":1000000000007},\n"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"name\":\"open\",\"ts\":1000000000009},\n"
    "{\"ph\":\"b\",\"pid\":1,\"tid\":3,\"cat\":\"io\",\"id\":\"0x7\",\"name\":\"wait 7\","
    "\"ts\":1000000000001},\n"
    "{\"ph\":\"b\",\"pid\":1,\"tid\":3,\"cat\":\"io\",\"id2\":{\"local\":8},\"name\":\"wait 8\","
    "\"ts\":1000000000002},\n"
    "{\"ph\":\"e\",\"pid\":1,\"tid\":3,\"cat\":\"io\",\"id\":\"0x7\",\"ts\":1000000000003},\n"
    "{\"ph\":\"e\",\"pid\":1,\"tid\":3,\"cat\":\"io\",\"id\":8,\"ts\":1000000000004},\n"
    "{\"ph\":\"C\",\"pid\":1,\"name\":\"memory\",\"ts\":1000000000004,\"args\":{\"a\":1.5,\"b\":2}}"
    ",\n"
    "{\"args\":{\"a\":\"3\"},\"ph\":\"C\",\"pid\":1,\"name\":\"memory\",\"ts\":1000000000002},\n"
    "{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":2,\"name\":\"NaN\",\"ts\":1000000000003},\n"
    "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"cat\":\"f\",\"name\":\"f\",\"id\":1,\"ts\":1000000000002."
    "5},\n"
    "{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"tid\":3,\"cat\":\"f\",\"name\":\"f\",\"id\":1,"
    "\"ts\":1000000000004},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":4,\"name\":\"bound\",\"ts\":1000000000001,\"dur\":1,"
    "\"bind_id\":5,\"flow_out\":true},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":4,\"name\":\"bound to\",\"ts\":1000000000003,\"dur\":1,"
    "\"bind_id\":5,\"flow_in\":true},\n"
    "{\"ph\":\"O\",\"pid\":1,\"name\":\"object\",\"ts\":1},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":4,\"name\":\"no time\"},\n"
    "7\n"
    "]}";
#define T G_GINT64_CONSTANT (1000000000000000)

static void
check_chrome (const SluiceTraceView *view)
{
  expect_span (view, "outer", T + 125, T + 10625);
  expect_span (view, "inner ä😀", T + 2000, T + 3000);
  expect_span (view, "b", T + 1000, T + 5000);
  expect_span (view, "backwards", T + 9000, T + 9000);
  expect_span (view, "wait 7", T + 1000, T + 3000);
  expect_span (view, "wait 8", T + 2000, T + 4000);
  expect_span (view, "open", T + 9000, T + 10625);
  SluiceTraceSpan outer = find_span (view, "outer"), inner = find_span (view, "inner ä😀");
  const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, outer.lane);
  g_assert_cmpstr (lane->device, ==, "process");
  g_assert_cmpstr (lane->name, ==, "main");
  g_assert_cmpint (lane->kind, ==, SLUICE_LANE_OTHER);
  g_assert_cmpstr (outer.op, ==, "c");
  g_assert_cmpuint (outer.row, ==, 0);
  g_assert_cmpuint (inner.row, ==, 1);
}

static void
expect_flow (const SluiceTraceView *view, guint64 i, const char *from, const char *to)
{
  guint64 n;
  SluiceTraceSpan x, y;
  const SluiceTraceFlow *flows = sluice_trace_view_get_flows (view, &n);
  g_assert_cmpuint (i, <, n);
  sluice_trace_view_get_span (view, flows[i].from, &x);
  sluice_trace_view_get_span (view, flows[i].to, &y);
  g_assert_cmpstr (x.name, ==, from);
  g_assert_cmpstr (y.name, ==, to);
}

static void
test_chrome (void)
{
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (SluiceTraceView) view = open_bytes (chrome, strlen (chrome), "chrome", remarks);
  SluiceTraceCounter counter;
  guint64 n;
  check_chrome (view);
  g_assert_cmpuint (sluice_trace_view_get_n_spans (view), ==, 9);
  g_assert_cmpuint (sluice_trace_view_get_n_counters (view), ==, 2);
  sluice_trace_view_get_counter (view, 0, &counter);
  g_assert_cmpstr (counter.name, ==, "memory a");
  g_assert_cmpstr (counter.device, ==, "process");
  g_assert_cmpuint (counter.n, ==, 2);
  g_assert_cmpfloat (counter.counts[0].value, ==, 3);
  g_assert_cmpfloat (counter.counts[1].value, ==, 1.5);
  const SluiceTraceMark *marks = sluice_trace_view_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (marks[0].name, ==, "NaN");
  g_assert_cmpuint (marks[0].lane, ==, SLUICE_LANE_NONE);
  expect_flow (view, 0, "inner ä😀", "b");
  expect_flow (view, 1, "bound", "bound to");
  g_assert_cmpuint (count_remark (remarks, "ends without a begin"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "begins without an end"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "end before they begin"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "phase 'O'"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "without a time"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "no objects"), ==, 1);
}

/* Cut anywhere it is what came before, or no trace. */
static void
test_cut (void)
{
  guint64 last = 0;
  for (gsize length = 0; length < strlen (chrome); length++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
      g_autoptr (GBytes) bytes = g_bytes_new_static (chrome, length);
      g_autoptr (SluiceTraceView) view = sluice_trace_open_bytes (bytes, NULL, remarks, &error);
      if (view == NULL)
        {
          g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
          g_assert_cmpuint (last, ==, 0);
          continue;
        }
      g_assert_cmpuint (count_remark (remarks, "end of the file is missing"), ==, 1);
      g_assert_cmpuint (sluice_trace_view_get_n_spans (view), >=, last);
      last = sluice_trace_view_get_n_spans (view);
    }
  g_assert_cmpuint (last, ==, 9);
}

/* ---- what Sluice writes ---- */

#define DEVICE "/job:localhost/replica:0/task:0/device:CPU:0"

static GArray *
make_events (void)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  for (guint i = 0; i < 60; i++)
    {
      static const char *const names[] = { "a", "b/c", "d" };
      const SluiceTraceEvent event = { .node = names[i % 3],
                                       .op = "Neg",
                                       .device = i % 4 ? DEVICE : DEVICE "1",
                                       .kind = i % 5 ? SLUICE_TRACE_NODE : SLUICE_TRACE_WAIT,
                                       .lane = i % 2,
                                       .step = 1 + i / 20,
                                       .frame = i % 7 ? NULL : "loop",
                                       .iteration = i % 7 ? 0 : i,
                                       .scheduled_us = 10 * i + 1.5,
                                       .start_us = 10 * i + 2.25,
                                       .end_us = 10 * i + 9.125,
                                       .bytes_in = 64 * i,
                                       .bytes_out = 128,
                                       .live = 4096 + 64 * i };
      g_array_append_val (events, event);
    }
  /* A receive that is there before its send, and one that is not. */
  for (guint i = 0; i < 2; i++)
    {
      SluiceTraceEvent event = { .node = "sent",
                                 .op = "_Send",
                                 .transfer = i ? "key 1" : "key 0",
                                 .device = DEVICE,
                                 .kind = SLUICE_TRACE_SEND,
                                 .lane = 3,
                                 .step = 1,
                                 .scheduled_us = 1000 + 100 * i,
                                 .start_us = 1000 + 100 * i,
                                 .end_us = 1010 + 100 * i };
      g_array_append_val (events, event);
      event.op = "_Recv";
      event.device = DEVICE "1";
      event.kind = SLUICE_TRACE_RECV;
      event.start_us = event.scheduled_us = i ? 1105 : 990;
      event.end_us = 1020 + 100 * i;
      g_array_append_val (events, event);
    }
  return events;
}

static void
check_flows (const SluiceTraceView *view)
{
  guint64 n;
  const SluiceTraceFlow *flows = sluice_trace_view_get_flows (view, &n);
  g_assert_cmpuint (n, ==, 2);
  for (guint i = 0; i < n; i++)
    {
      SluiceTraceSpan from, to;
      sluice_trace_view_get_span (view, flows[i].from, &from);
      sluice_trace_view_get_span (view, flows[i].to, &to);
      g_assert_cmpstr (from.op, ==, "_Send");
      g_assert_cmpstr (to.op, ==, "_Recv");
      g_assert_cmpint (to.end - from.start, ==, 20000);
    }
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const SluiceTraceSpan *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

static GArray *
list_spans (const SluiceTraceView *view)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (SluiceTraceSpan));
  gint64 zero, end;
  sluice_trace_view_get_extent (view, &zero, &end);
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      span.start -= zero;
      span.end -= zero;
      span.scheduled -= zero;
      g_array_append_val (all, span);
    }
  g_array_sort (all, compare_spans);
  return all;
}

static void
check_format (SluiceTraceFormat format, const char *name)
{
  g_autoptr (GArray) events = make_events ();
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  const SluiceTraceContent content = { events, G_GINT64_CONSTANT (1800000000000000), NULL };
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  sluice_trace_view_add_events (view, events);
  g_autoptr (GByteArray) bytes = sluice_trace_encode (&content, format);
  g_autoptr (SluiceTraceView) again = open_bytes (bytes->data, bytes->len, name, remarks);
  g_assert_cmpuint (remarks->len, ==, 0);
  check_flows (view);
  if (format != SLUICE_TRACE_RUN_METADATA)
    check_flows (again);
  g_autoptr (GArray) a = list_spans (view);
  g_autoptr (GArray) b = list_spans (again);
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    {
      const SluiceTraceSpan *x = &g_array_index (a, SluiceTraceSpan, i);
      const SluiceTraceSpan *y = &g_array_index (b, SluiceTraceSpan, i);
      g_assert_cmpint (x->start, ==, y->start);
      g_assert_cmpint (x->end, ==, y->end);
      g_assert_cmpstr (x->name, ==, y->name);
      g_assert_cmpstr (x->op, ==, y->op);
      g_assert_cmpint (x->scheduled, ==, y->scheduled);
      g_assert_cmpuint (x->bytes_out, ==, y->bytes_out);
      if (format == SLUICE_TRACE_RUN_METADATA)
        continue;
      g_assert_cmpuint (x->step, ==, y->step);
      g_assert_cmpuint (x->iteration, ==, y->iteration);
      g_assert_cmpstr (x->frame, ==, y->frame);
      g_assert_cmpuint (x->bytes_in, ==, y->bytes_in);
    }
  g_assert_cmpuint (sluice_trace_view_get_n_counters (again), ==,
                    format == SLUICE_TRACE_RUN_METADATA ? 0 : 2);
}

static void
test_own (void)
{
  check_format (SLUICE_TRACE_CHROME, "chrome");
  check_format (SLUICE_TRACE_PERFETTO, "perfetto");
  check_format (SLUICE_TRACE_RUN_METADATA, "run-metadata");
}

/* ---- Perfetto ---- */

typedef struct
{
  GByteArray *out, *packet, *message, *inner, *innermost;
} Packets;

static void
end_packet (Packets *p, guint field, gint64 time, guint clock)
{
  sluice_wire_put_number (p->packet, 8, (guint64) time);
  sluice_wire_put_number (p->packet, 10, 3);
  if (p->message->len > 0)
    sluice_wire_put_message (p->packet, field, p->message);
  if (clock > 0)
    sluice_wire_put_number (p->packet, 58, clock);
  sluice_wire_put_message (p->out, 1, p->packet);
}

static void
put_event (Packets *p, gint64 time, guint type, guint64 track, guint64 name_iid, guint64 flow)
{
  guint64 id = GUINT64_TO_LE (flow);
  sluice_wire_put_number (p->message, 9, type);
  sluice_wire_put_number (p->message, 11, track);
  if (name_iid > 0)
    sluice_wire_put_number (p->message, 10, name_iid);
  if (flow > 0)
    {
      sluice_wire_put_varint (p->message, 47 << 3 | SLUICE_WIRE_FIXED_64);
      g_byte_array_append (p->message, (const guint8 *) &id, 8);
    }
  end_packet (p, 11, time, 64);
}

static void
put_clock (Packets *p, guint number, gint64 time, guint64 unit)
{
  sluice_wire_put_number (p->inner, 1, number);
  sluice_wire_put_number (p->inner, 2, (guint64) time);
  if (number == 64)
    sluice_wire_put_number (p->inner, 3, 1);
  if (unit > 0)
    sluice_wire_put_number (p->inner, 4, unit);
  sluice_wire_put_message (p->message, 1, p->inner);
}

static void
put_name (Packets *p, guint64 number, const char *name)
{
  sluice_wire_put_number (p->innermost, 1, number);
  sluice_wire_put_text (p->innermost, 2, name);
  sluice_wire_put_message (p->message, 2, p->innermost);
}

static void
put_track (Packets *p, guint64 uuid, guint64 parent, const char *name)
{
  sluice_wire_put_number (p->message, 1, uuid);
  sluice_wire_put_text (p->message, 2, name);
  sluice_wire_put_number (p->message, 5, parent);
  end_packet (p, 60, 0, 0);
}

/* As a producer with a clock of its own writes: interned names, times that say how much later. */
static GByteArray *
make_perfetto (void)
{
  Packets p = { g_byte_array_new (), g_byte_array_new (), g_byte_array_new (), g_byte_array_new (),
                g_byte_array_new () };
  put_clock (&p, 6, 5000000, 0);
  put_clock (&p, 64, 100, 1000);
  end_packet (&p, 6, 0, 0);
  sluice_wire_put_number (p.inner, 1, 77);
  sluice_wire_put_text (p.inner, 6, "program");
  sluice_wire_put_number (p.message, 1, 1);
  sluice_wire_put_message (p.message, 3, p.inner);
  end_packet (&p, 60, 0, 0);
  put_track (&p, 2, 1, "stream");
  put_name (&p, 1, "kernel");
  put_name (&p, 2, "copy");
  end_packet (&p, 12, 0, 0);
  put_event (&p, 5, 1, 2, 1, 900); /* at 5 us of the clock that began at 100 */
  put_event (&p, 3, 2, 2, 0, 0);
  put_event (&p, 2, 1, 2, 2, 900);
  put_event (&p, 1, 2, 2, 0, 0);
  put_event (&p, 1, 3, 2, 2, 0);
  put_event (&p, 1, 1, 2, 9, 0); /* a name that was never told */
  sluice_wire_put_number (p.packet, 33, 1);
  sluice_wire_put_message (p.out, 1, p.packet);
  g_byte_array_unref (p.packet);
  g_byte_array_unref (p.message);
  g_byte_array_unref (p.inner);
  g_byte_array_unref (p.innermost);
  return p.out;
}

static void
test_perfetto (void)
{
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (GByteArray) bytes = make_perfetto ();
  g_autoptr (SluiceTraceView) view = open_bytes (bytes->data, bytes->len, "perfetto", remarks);
  guint64 n;
  expect_span (view, "kernel", 5005000, 5008000);
  expect_span (view, "copy", 5010000, 5011000);
  expect_span (view, "", 5013000, 5013000);
  const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, find_span (view, "copy").lane);
  g_assert_cmpstr (lane->device, ==, "program");
  g_assert_cmpstr (lane->name, ==, "stream");
  const SluiceTraceMark *marks = sluice_trace_view_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (marks[0].time, ==, 5012000);
  expect_flow (view, 0, "kernel", "copy");
  g_assert_cmpuint (count_remark (remarks, "another kind"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "name was lost"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "begins without an end"), ==, 1);
}

/* ---- XSpace ---- */

/* An entry of one of the plane's tables. */
static void
put_xname (Packets *p, guint table, guint64 key, const char *name, const char *shown)
{
  sluice_wire_put_number (p->innermost, 1, key);
  sluice_wire_put_text (p->innermost, 2, name);
  if (shown != NULL)
    sluice_wire_put_text (p->innermost, 4, shown);
  sluice_wire_put_number (p->inner, 1, key);
  sluice_wire_put_message (p->inner, 2, p->innermost);
  sluice_wire_put_message (p->message, table, p->inner);
}

static void
put_xstat (Packets *p, guint64 name, guint field, guint64 value)
{
  sluice_wire_put_number (p->innermost, 1, name);
  sluice_wire_put_number (p->innermost, field, value);
  sluice_wire_put_message (p->inner, 4, p->innermost);
}

/* Of what is in p->inner: its stats, which come behind all else. */
static void
put_xevent (Packets *p, guint64 name, guint64 offset_ps, guint64 duration_ps)
{
  g_autoptr (GByteArray) event = g_byte_array_new ();
  sluice_wire_put_number (event, 1, name);
  sluice_wire_put_number (event, 2, offset_ps);
  sluice_wire_put_number (event, 3, duration_ps);
  g_byte_array_append (event, p->inner->data, p->inner->len);
  g_byte_array_set_size (p->inner, 0);
  sluice_wire_put_message (p->packet, 4, event);
}

static void
put_xline (Packets *p, guint64 id, const char *name, guint64 timestamp_ns)
{
  sluice_wire_put_number (p->packet, 1, id);
  sluice_wire_put_text (p->packet, 2, name);
  sluice_wire_put_number (p->packet, 3, timestamp_ns);
  sluice_wire_put_message (p->message, 3, p->packet);
}

/* Names behind the events that have them; two threads of one name; a sum, which has no time. */
static GByteArray *
make_xspace (void)
{
  Packets p = { g_byte_array_new (), g_byte_array_new (), g_byte_array_new (), g_byte_array_new (),
                g_byte_array_new () };
  sluice_wire_put_text (p.message, 2, "/host:CPU");
  put_xstat (&p, 1, 3, 7 << 2 | 2);
  put_xstat (&p, 2, 4, 12);
  put_xevent (&p, 1, 2500000, 4000000);
  put_xstat (&p, 3, 7, 9); /* its op, by reference */
  put_xevent (&p, 2, 3000000, 1000999);
  sluice_wire_put_number (p.inner, 1, 1);
  sluice_wire_put_number (p.inner, 5, 40);
  sluice_wire_put_message (p.packet, 4, p.inner);
  put_xline (&p, 100, "worker", 5000000);
  put_xstat (&p, 1, 3, 7 << 2 | 1);
  put_xevent (&p, 3, 0, 2000000);
  put_xevent (&p, 77, 3000000, 0);
  put_xline (&p, 101, "worker", 5008000);
  put_xname (&p, 4, 1, "launch", NULL);
  put_xname (&p, 4, 2, "inner", NULL);
  put_xname (&p, 4, 3, "fusion.3", "kernel");
  put_xname (&p, 5, 1, "flow", NULL);
  put_xname (&p, 5, 2, "step_num", NULL);
  put_xname (&p, 5, 3, "tf_op", NULL);
  put_xname (&p, 5, 9, "MatMul", NULL);
  sluice_wire_put_message (p.out, 1, p.message);
  sluice_wire_put_text (p.out, 2, "an error of the profiler");
  g_byte_array_unref (p.packet);
  g_byte_array_unref (p.message);
  g_byte_array_unref (p.inner);
  g_byte_array_unref (p.innermost);
  return p.out;
}

static void
test_xspace (void)
{
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (GByteArray) bytes = make_xspace ();
  g_autoptr (SluiceTraceView) view = open_bytes (bytes->data, bytes->len, "xspace", remarks);
  const gint64 zero = 5002000;
  g_assert_cmpint (sluice_trace_view_get_start (view), ==, zero / 1000);
  expect_span (view, "launch", 5002500 - zero, 5006500 - zero);
  expect_span (view, "inner", 5003000 - zero, 5004000 - zero);
  expect_span (view, "kernel", 5008000 - zero, 5010000 - zero);
  expect_span (view, "?", 5011000 - zero, 5011000 - zero);
  g_assert_cmpuint (sluice_trace_view_get_n_lanes (view), ==, 2);
  const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, find_span (view, "inner").lane);
  g_assert_cmpstr (lane->device, ==, "/host:CPU");
  g_assert_cmpstr (lane->name, ==, "worker");
  g_assert_cmpstr (find_span (view, "inner").op, ==, "MatMul");
  g_assert_cmpuint (find_span (view, "launch").step, ==, 12);
  expect_flow (view, 0, "launch", "kernel");
  g_assert_cmpuint (count_remark (remarks, "sums of events"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "name is missing"), ==, 1);
  g_assert_cmpuint (count_remark (remarks, "of the profiler"), ==, 1);
}

/* "start TAB end TAB name" of each event, as TensorFlow's own reader has them (make.py). */
static guint
check_lines (const SluiceTraceView *view, char **lines)
{
  gint64 zero = sluice_trace_view_get_start (view) * 1000;
  guint n = 0;
  for (; lines[n] != NULL && *lines[n] != '\0'; n++)
    {
      g_auto (GStrv) parts = g_strsplit (lines[n], "\t", 3);
      gint64 start = g_ascii_strtoll (parts[0], NULL, 10) - zero;
      gint64 end = g_ascii_strtoll (parts[1], NULL, 10) - zero;
      gboolean is_there = FALSE;
      for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view) && !is_there; i++)
        {
          SluiceTraceSpan span;
          sluice_trace_view_get_span (view, i, &span);
          is_there = g_str_equal (span.name, parts[2]) && ABS (span.start - start) <= 1
                     && ABS (span.end - end) <= 1; /* each rounds picoseconds in its own way */
        }
      if (!is_there)
        g_error ("no span '%s'", lines[n]);
    }
  return n;
}

static void
test_xspace_of_tensorflow (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  const char *source = g_getenv ("SLUICE_SOURCE_DIR"), *format;
  g_autofree char *path =
      g_build_filename (source, "tests/engine/train/tfdbg/host.xplane.pb", NULL);
  g_autofree char *list =
      g_build_filename (source, "tests/engine/train/tfdbg/host.xplane.tsv", NULL);
  g_autofree char *text = NULL;
  g_autoptr (SluiceTraceView) view = sluice_trace_open (path, &format, remarks, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (format, ==, "xspace");
  g_assert_true (g_file_get_contents (list, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = check_lines (view, lines);
  g_assert_cmpuint (n, >, 20);
  g_assert_cmpuint (sluice_trace_view_get_n_spans (view), ==, n);
  g_assert_cmpuint (count_remark (remarks, "cut off"), ==, 0);
}

/* Cut anywhere it is refused, or has what came before. */
static void
test_xspace_cut (void)
{
  g_autoptr (GByteArray) bytes = make_xspace ();
  for (guint length = 0; length < bytes->len; length++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
      g_autoptr (GBytes) cut = g_bytes_new (bytes->data, length);
      g_autoptr (SluiceTraceView) view = sluice_trace_open_bytes (cut, NULL, remarks, &error);
      g_assert_true (view != NULL
                         ? sluice_trace_view_get_n_spans (view) <= 4 && error == NULL
                         : g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT));
    }
}

/* ---- */

static void
test_none (void)
{
  static const char *const texts[] = { "", "{}", "[]", "hello", "[1,2]", "{\"a\":[" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
      g_autoptr (GBytes) bytes = g_bytes_new_static (texts[i], strlen (texts[i]));
      g_assert_null (sluice_trace_open_bytes (bytes, NULL, remarks, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/trace-import/chrome", test_chrome);
  g_test_add_func ("/trace/trace-import/cut", test_cut);
  g_test_add_func ("/trace/trace-import/own", test_own);
  g_test_add_func ("/trace/trace-import/perfetto", test_perfetto);
  g_test_add_func ("/trace/trace-import/xspace", test_xspace);
  g_test_add_func ("/trace/trace-import/xspace-of-tensorflow", test_xspace_of_tensorflow);
  g_test_add_func ("/trace/trace-import/xspace-cut", test_xspace_cut);
  g_test_add_func ("/trace/trace-import/none", test_none);
  return g_test_run ();
}
