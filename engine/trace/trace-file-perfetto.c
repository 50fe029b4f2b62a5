/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The trace as Perfetto's protobuf: track events. Devices are processes, lanes their threads; what
 * only waits has tracks of its own, as many as wait at once. Field numbers: Perfetto's
 * protos/perfetto/trace, trace_packet.proto and track_event/.
 */
#include <string.h>

#include "engine/base/wire.h"
#include "engine/trace/trace-file.h"

enum
{
  TRACE_PACKET = 1,
  PACKET_TIMESTAMP = 8,
  PACKET_SEQUENCE = 10,
  PACKET_TRACK_EVENT = 11,
  PACKET_FLAGS = 13,
  PACKET_TRACK_DESCRIPTOR = 60,
  TRACK_UUID = 1,
  TRACK_NAME = 2,
  TRACK_PROCESS = 3,
  TRACK_THREAD = 4,
  TRACK_PARENT = 5,
  TRACK_COUNTER = 8,
  COUNTER_UNIT = 3,
  PROCESS_PID = 1,
  PROCESS_NAME = 6,
  THREAD_PID = 1,
  THREAD_TID = 2,
  THREAD_NAME = 5,
  EVENT_ANNOTATION = 4,
  EVENT_TYPE = 9,
  EVENT_TRACK = 11,
  EVENT_CATEGORY = 22,
  EVENT_NAME = 23,
  EVENT_COUNTER_VALUE = 30,
  EVENT_FLOW = 47,       /* fixed64 */
  EVENT_LAST_FLOW = 48,  /* of its end */
  ANNOTATION_NUMBER = 3, /* uint64 */
  ANNOTATION_TEXT = 6,
  ANNOTATION_NAME = 10,
};

enum
{
  TYPE_BEGIN = 1,
  TYPE_END = 2,
  TYPE_COUNTER = 4,
  UNIT_BYTES = 3,
  STATE_CLEARED = 1, /* of the first packet of a sequence */
  SEQUENCE = 1,
};

typedef struct
{
  GByteArray *out, *packet, *message, *inner; /* each is a part of the one before */
  guint64 n_uuids;
  GHashTable *sends;               /* as sluice_trace_find_sends() */
  GArray *wait_ends, *wait_tracks; /* of the device: when each waiting track is free, its uuid */
} Perfetto;

static void
put_packet (Perfetto *p, guint field)
{
  sluice_wire_put_int (p->packet, PACKET_SEQUENCE, SEQUENCE);
  sluice_wire_put_message (p->packet, field, p->message);
  if (p->out->len == 0)
    sluice_wire_put_int (p->packet, PACKET_FLAGS, STATE_CLEARED);
  sluice_wire_put_message (p->out, TRACE_PACKET, p->packet);
}

/* The message holds what kind of track it is. Returns its uuid. */
static guint64
put_track (Perfetto *p)
{
  sluice_wire_put_int (p->message, TRACK_UUID, (gint64) ++p->n_uuids);
  put_packet (p, PACKET_TRACK_DESCRIPTOR);
  return p->n_uuids;
}

static guint64
put_process (Perfetto *p, guint device, const char *name)
{
  sluice_wire_put_int (p->inner, PROCESS_PID, device + 1);
  sluice_wire_put_text (p->inner, PROCESS_NAME, name);
  sluice_wire_put_message (p->message, TRACK_PROCESS, p->inner);
  return put_track (p);
}

static guint64
put_thread (Perfetto *p, guint device, const SluiceTraceEvent *event)
{
  g_autofree char *name = sluice_trace_dup_track_name (event);
  sluice_wire_put_int (p->inner, THREAD_PID, device + 1);
  sluice_wire_put_int (p->inner, THREAD_TID,
                       ((gint64) device << 16) + sluice_trace_track (event) + 1);
  sluice_wire_put_text (p->inner, THREAD_NAME, name);
  sluice_wire_put_message (p->message, TRACK_THREAD, p->inner);
  return put_track (p);
}

static guint64
put_counter (Perfetto *p, guint64 process)
{
  sluice_wire_put_text (p->message, TRACK_NAME, "live bytes");
  sluice_wire_put_int (p->message, TRACK_PARENT, (gint64) process);
  sluice_wire_put_int (p->inner, COUNTER_UNIT, UNIT_BYTES);
  sluice_wire_put_message (p->message, TRACK_COUNTER, p->inner);
  return put_track (p);
}

/* A track on which nothing waits at that time. */
static guint64
take_wait_track (Perfetto *p, const SluiceTraceEvent *event, guint64 process)
{
  guint i = 0;
  while (i < p->wait_ends->len && g_array_index (p->wait_ends, double, i) > event->start_us)
    i++;
  if (i == p->wait_ends->len)
    {
      sluice_wire_put_text (p->message, TRACK_NAME, "waiting");
      sluice_wire_put_int (p->message, TRACK_PARENT, (gint64) process);
      guint64 track = put_track (p);
      g_array_set_size (p->wait_ends, i + 1);
      g_array_append_val (p->wait_tracks, track);
    }
  g_array_index (p->wait_ends, double, i) = event->end_us;
  return g_array_index (p->wait_tracks, guint64, i);
}

static void
annotate_number (Perfetto *p, const char *name, guint64 value)
{
  sluice_wire_put_number (p->inner, ANNOTATION_NUMBER, value); /* 0 is a value too */
  sluice_wire_put_text (p->inner, ANNOTATION_NAME, name);
  sluice_wire_put_message (p->message, EVENT_ANNOTATION, p->inner);
}

static void
annotate_text (Perfetto *p, const char *name, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  sluice_wire_put_text (p->inner, ANNOTATION_TEXT, valid);
  sluice_wire_put_text (p->inner, ANNOTATION_NAME, name);
  sluice_wire_put_message (p->message, EVENT_ANNOTATION, p->inner);
}

/* A flow leads from what began first: a receive that waits for its send has it at its end. */
static void
put_flow (Perfetto *p, const SluiceTraceEvent *event, gboolean is_end)
{
  guint64 id = sluice_trace_flow_id (event);
  const SluiceTraceEvent *send = id != 0 ? g_hash_table_lookup (p->sends, &id) : NULL;
  gboolean is_send = event->kind == SLUICE_TRACE_SEND;
  if (send == NULL || is_end != (!is_send && event->start_us < send->start_us))
    return;
  guint64 stored = GUINT64_TO_LE (id);
  guint field = is_send ? EVENT_FLOW : EVENT_LAST_FLOW;
  sluice_wire_put_varint (p->message, field << 3 | SLUICE_WIRE_FIXED_64);
  g_byte_array_append (p->message, (const guint8 *) &stored, sizeof stored);
}

static void
put_at (Perfetto *p, double us, guint type, guint64 track)
{
  sluice_wire_put_int (p->message, EVENT_TYPE, type);
  sluice_wire_put_int (p->message, EVENT_TRACK, (gint64) track);
  sluice_wire_put_int (p->packet, PACKET_TIMESTAMP, (gint64) (us * 1000 + 0.5));
  put_packet (p, PACKET_TRACK_EVENT);
}

static void
put_event (Perfetto *p, const SluiceTraceEvent *event, guint64 track, guint64 counter)
{
  annotate_text (p, "op", event->op);
  if (event->kind != SLUICE_TRACE_HOST) /* beside steps, not in one */
    annotate_number (p, "step", event->step);
  if (event->with)
    {
      g_autofree char *names = g_strjoinv (", ", (char **) event->with);
      annotate_text (p, "with", names);
    }
  if (event->transfer)
    annotate_text (p, "transfer", event->transfer);
  if (event->frame)
    {
      annotate_text (p, "frame", event->frame);
      annotate_number (p, "iteration", event->iteration);
    }
  annotate_number (p, "waited_ns",
                   (guint64) (MAX (event->start_us - event->scheduled_us, 0) * 1000 + 0.5));
  annotate_number (p, "bytes_in", event->bytes_in);
  annotate_number (p, "bytes_out", event->bytes_out);
  sluice_wire_put_text (p->message, EVENT_CATEGORY,
                        event->kind == SLUICE_TRACE_NODE          ? "node"
                        : sluice_trace_kind_is_wait (event->kind) ? "wait"
                                                                  : "transfer");
  sluice_wire_put_text (p->message, EVENT_NAME, event->node);
  put_flow (p, event, FALSE);
  put_at (p, event->start_us, TYPE_BEGIN, track);
  put_flow (p, event, TRUE);
  put_at (p, event->end_us, TYPE_END, track);
  if (event->live)
    {
      sluice_wire_put_int (p->message, EVENT_COUNTER_VALUE, (gint64) event->live);
      put_at (p, event->end_us, TYPE_COUNTER, counter);
    }
}

static void
put_events (Perfetto *p, const GPtrArray *order, const GPtrArray *devices)
{
  const SluiceTraceEvent *last = NULL;
  guint64 process = 0, thread = 0, counter = 0;
  guint device = 0;
  for (guint i = 0; i < order->len; i++)
    {
      const SluiceTraceEvent *event = order->pdata[i];
      gboolean is_new = !last || strcmp (last->device, event->device) != 0;
      if (is_new)
        {
          device = sluice_trace_device_number (devices, event);
          process = put_process (p, device, event->device);
          counter = put_counter (p, process);
          g_array_set_size (p->wait_ends, 0);
          g_array_set_size (p->wait_tracks, 0);
        }
      if (is_new || sluice_trace_track (last) != sluice_trace_track (event))
        thread = put_thread (p, device, event);
      gboolean waits = sluice_trace_kind_is_wait (event->kind);
      put_event (p, event, waits ? take_wait_track (p, event, process) : thread, counter);
      last = event;
    }
}

GByteArray *
sluice_trace_encode_perfetto (const SluiceTraceContent *self)
{
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (GPtrArray) order = sluice_trace_sort (self, &devices);
  g_autoptr (GByteArray) packet = g_byte_array_new ();
  g_autoptr (GByteArray) message = g_byte_array_new ();
  g_autoptr (GByteArray) inner = g_byte_array_new ();
  g_autoptr (GArray) wait_ends = g_array_new (FALSE, TRUE, sizeof (double));
  g_autoptr (GArray) wait_tracks = g_array_new (FALSE, TRUE, sizeof (guint64));
  g_autoptr (GHashTable) sends = sluice_trace_find_sends (self->events);
  Perfetto p = { g_byte_array_new (), packet, message, inner, 0, sends, wait_ends, wait_tracks };
  put_events (&p, order, devices);
  return p.out;
}
