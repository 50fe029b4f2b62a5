/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The trace as JSON of chrome://tracing ("Trace Event Format"): devices are its processes, lanes
 * its threads. What only waits is an asynchronous event: such may overlap on a lane.
 */
#include <math.h>
#include <string.h>

#include "engine/trace/trace-file.h"

/* Names of nodes are ASCII; names of loops may be anything. */
static void
put_text (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_string_append_c (out, '"');
  for (const char *at = valid; *at; at++)
    if (*at == '"' || *at == '\\')
      g_string_append_printf (out, "\\%c", *at);
    else if ((guchar) *at < 0x20)
      g_string_append_printf (out, "\\u%04x", (guint) *at);
    else
      g_string_append_c (out, *at);
  g_string_append_c (out, '"');
}

/* Microseconds with their nanoseconds. */
static void
put_us (GString *out, const char *key, double us)
{
  gint64 ns = llround (us * 1000);
  guint64 size = (guint64) ABS (ns);
  g_string_append_printf (out, ",\"%s\":%s%" G_GUINT64_FORMAT ".%03u", key, ns < 0 ? "-" : "",
                          size / 1000, (guint) (size % 1000));
}

static void
begin_event (GString *out, const char *phase, const char *name, guint device, guint lane)
{
  g_string_append_printf (out, ",\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"name\":", phase,
                          device + 1, lane + 1);
  put_text (out, name);
}

static void
put_arguments (GString *out, const SluiceTraceEvent *event)
{
  g_string_append (out, ",\"args\":{\"op\":");
  put_text (out, event->op);
  if (event->kind != SLUICE_TRACE_HOST) /* beside steps, not in one */
    g_string_append_printf (out, ",\"step\":%" G_GUINT64_FORMAT, event->step);
  if (event->with)
    {
      g_autofree char *names = g_strjoinv (", ", (char **) event->with);
      g_string_append (out, ",\"with\":");
      put_text (out, names);
    }
  if (event->transfer)
    {
      g_string_append (out, ",\"transfer\":");
      put_text (out, event->transfer);
    }
  if (event->frame)
    {
      g_string_append (out, ",\"frame\":");
      put_text (out, event->frame);
      g_string_append_printf (out, ",\"iteration\":%" G_GUINT64_FORMAT, event->iteration);
    }
  put_us (out, "scheduled", event->scheduled_us);
  g_string_append_printf (out,
                          ",\"bytes_in\":%" G_GSIZE_FORMAT ",\"bytes_out\":%" G_GSIZE_FORMAT "}}",
                          event->bytes_in, event->bytes_out);
}

static const char *
category (const SluiceTraceEvent *event)
{
  switch (event->kind)
    {
    case SLUICE_TRACE_WAIT:
    case SLUICE_TRACE_LOCK:
    case SLUICE_TRACE_HOST:
      return "wait";
    case SLUICE_TRACE_SEND:
    case SLUICE_TRACE_RECV:
      return "transfer";
    case SLUICE_TRACE_NODE:
      break;
    }
  return "node";
}

static void
put_event (GString *out, const SluiceTraceEvent *event, guint device, guint number)
{
  gboolean waits = sluice_trace_kind_is_wait (event->kind);
  begin_event (out, waits ? "b" : "X", event->node, device, sluice_trace_track (event));
  g_string_append_printf (out, ",\"cat\":\"%s\"", category (event));
  put_us (out, "ts", event->start_us);
  if (waits)
    g_string_append_printf (out, ",\"id\":%u", number);
  else
    /* Of what is written: what comes next may not seem to begin before this has ended. */
    put_us (out, "dur",
            (double) (llround (event->end_us * 1000) - llround (event->start_us * 1000)) / 1000);
  put_arguments (out, event);
  if (waits)
    {
      begin_event (out, "e", event->node, device, sluice_trace_track (event));
      g_string_append_printf (out, ",\"cat\":\"wait\",\"id\":%u", number);
      put_us (out, "ts", event->end_us);
      g_string_append_c (out, '}');
    }
  if (event->live)
    {
      begin_event (out, "C", "live bytes", device, 0);
      put_us (out, "ts", event->end_us);
      g_string_append_printf (out, ",\"args\":{\"bytes\":%" G_GSIZE_FORMAT "}}", event->live);
    }
}

/* From where a send begins to where its receive ends: one that waits may have begun before. */
static void
put_flow (GString *out, const SluiceTraceEvent *event, guint device, GHashTable *sends)
{
  guint64 id = sluice_trace_flow_id (event);
  const SluiceTraceEvent *send = id != 0 ? g_hash_table_lookup (sends, &id) : NULL;
  if (send == NULL)
    return;
  gboolean is_start = event->kind == SLUICE_TRACE_SEND;
  begin_event (out, is_start ? "s" : "f", "transfer", device, sluice_trace_track (event));
  g_string_append_printf (out, ",\"cat\":\"transfer\",\"id\":%" G_GUINT64_FORMAT, id);
  put_us (out, "ts", is_start ? event->start_us : MAX (event->start_us, event->end_us - 0.001));
  g_string_append (out, is_start ? "}" : ",\"bp\":\"e\"}");
}

/* What a process or thread of the picture is called. */
static void
put_name (GString *out, const char *what, guint device, guint lane, const char *name)
{
  begin_event (out, "M", what, device, lane);
  g_string_append (out, ",\"args\":{\"name\":");
  put_text (out, name);
  g_string_append (out, "}}");
}

GByteArray *
sluice_trace_encode_chrome (const SluiceTraceContent *self)
{
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (GPtrArray) order = sluice_trace_sort (self, &devices);
  g_autoptr (GHashTable) sends = sluice_trace_find_sends (self->events);
  GString *out = g_string_new ("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  g_string_append (out, "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_labels\","
                        "\"args\":{\"labels\":\"sluice\"}}");
  const SluiceTraceEvent *last = NULL;
  guint device = 0;
  for (guint i = 0; i < order->len; i++)
    {
      const SluiceTraceEvent *event = order->pdata[i];
      gboolean is_new = !last || strcmp (last->device, event->device) != 0;
      if (is_new)
        {
          device = sluice_trace_device_number (devices, event);
          put_name (out, "process_name", device, 0, event->device);
        }
      if (is_new || sluice_trace_track (last) != sluice_trace_track (event))
        {
          g_autofree char *name = sluice_trace_dup_track_name (event);
          put_name (out, "thread_name", device, sluice_trace_track (event), name);
        }
      put_event (out, event, device, i);
      put_flow (out, event, device, sends);
      last = event;
    }
  g_string_append (out, "\n]}\n");
  gsize length = out->len;
  return g_byte_array_new_take ((guint8 *) g_string_free (out, FALSE), length);
}
