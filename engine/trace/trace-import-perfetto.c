/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Perfetto's protobuf, of it what track events need: descriptors of tracks, interned names,
 * defaults, clocks and their snapshots. Other packets are counted. Field numbers: Perfetto's
 * protos/perfetto/trace, trace_packet.proto, clock_snapshot.proto, interned_data/, track_event/.
 */
#include <string.h>

#include "engine/base/wire.h"
#include "engine/trace/trace-foreign.h"
#include "engine/trace/trace-import.h"
#include "engine/trace/trace-remarks.h"

enum
{
  TRACE_PACKET = 1,
  PACKET_CLOCK_SNAPSHOT = 6,
  PACKET_TIMESTAMP = 8,
  PACKET_SEQUENCE = 10,
  PACKET_TRACK_EVENT = 11,
  PACKET_INTERNED = 12,
  PACKET_FLAGS = 13,
  PACKET_CLEARED = 41,
  PACKET_CLOCK = 58,
  PACKET_DEFAULTS = 59,
  PACKET_TRACK_DESCRIPTOR = 60,
  FLAG_CLEARED = 1,
  EVENT_CATEGORY_IIDS = 3,
  EVENT_ANNOTATION = 4,
  EVENT_DELTA_US = 1,
  EVENT_ABSOLUTE_US = 16,
  EVENT_TYPE = 9,
  EVENT_NAME_IID = 10,
  EVENT_TRACK = 11,
  EVENT_CATEGORY = 22,
  EVENT_NAME = 23,
  EVENT_COUNTER = 30,
  EVENT_OLD_FLOW = 36,
  EVENT_OLD_LAST_FLOW = 42,
  EVENT_DOUBLE_COUNTER = 44,
  EVENT_FLOW = 47,
  EVENT_LAST_FLOW = 48,
  TYPE_BEGIN = 1,
  TYPE_END = 2,
  TYPE_INSTANT = 3,
  TYPE_COUNTER = 4,
  CLOCK_BOOT = 6,       /* in which traces are told */
  FIRST_OWN_CLOCK = 64, /* of a sequence */
  END_OWN_CLOCK = 128,
};

/* What packets of a sequence have in common. */
typedef struct
{
  GHashTable *names, *categories, *annotations; /* number -> text */
  guint64 track;                                /* of events that name none */
  guint clock;
  gint64 last_us; /* of events that say only how much later */
} Sequence;

typedef struct
{
  gint64 offset; /* to the trace's time */
  gint64 unit;
  gint64 last; /* of an incremental one */
  gboolean is_incremental;
} Clock;

typedef struct
{
  guint64 parent;
  char *process, *thread; /* keys; thread: NULL: a process */
  char *name;
  gboolean is_counter;
  gint64 unit;  /* a count of one stands for */
  double total; /* of an incremental one */
  gboolean is_incremental;
  gint64 lane; /* -1: not yet */
} Track;

typedef struct
{
  SluiceTraceView *view;
  SluiceForeign *foreign;
  GArray *remarks;
  GHashTable *sequences; /* number -> Sequence */
  GHashTable *clocks;    /* sequence << 32 | clock -> Clock */
  GHashTable *tracks;    /* uuid -> Track */
  guint64 n_packets, n_understood;
} Reader;

typedef struct
{
  guint64 timestamp, sequence;
  guint clock;
  gboolean has_timestamp, is_cleared;
  const SluiceWireField *event, *interned, *defaults, *descriptor, *snapshot;
} Packet;

static void
remark (Reader *r, const char *what)
{
  sluice_trace_remarks_add (r->remarks, 1, what);
}

static char *
dup_text (const SluiceWireField *field)
{
  return field->wire_type == SLUICE_WIRE_BYTES
             ? g_utf8_make_valid ((const char *) field->data, (gssize) field->length)
             : g_strdup ("");
}

static gpointer
find (GHashTable *table, guint64 key)
{
  return g_hash_table_lookup (table, &key);
}

static void
put (GHashTable *table, guint64 key, gpointer take_value)
{
  g_hash_table_insert (table, g_memdup2 (&key, sizeof key), take_value);
}

static GHashTable *
new_table (GDestroyNotify free_value)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, free_value);
}

/* ---- sequences ---- */

static void
sequence_free (gpointer data)
{
  Sequence *self = data;
  g_hash_table_unref (self->names);
  g_hash_table_unref (self->categories);
  g_hash_table_unref (self->annotations);
  g_free (self);
}

static Sequence *
get_sequence (Reader *r, guint64 number)
{
  Sequence *self = find (r->sequences, number);
  if (self != NULL)
    return self;
  self = g_new0 (Sequence, 1);
  self->names = new_table (g_free);
  self->categories = new_table (g_free);
  self->annotations = new_table (g_free);
  put (r->sequences, number, self);
  return self;
}

static void
clear_sequence (Sequence *self)
{
  g_hash_table_remove_all (self->names);
  g_hash_table_remove_all (self->categories);
  g_hash_table_remove_all (self->annotations);
  self->track = 0;
  self->clock = 0;
}

static void
take_name (GHashTable *names, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  guint64 number = 0;
  char *name = NULL;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == 1)
      number = field.value;
    else if (field.number == 2)
      {
        g_free (name);
        name = dup_text (&field);
      }
  if (name != NULL)
    put (names, number, name);
}

static void
take_interned (Sequence *self, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  while (sluice_wire_next (&at, end, &field))
    if (field.wire_type == SLUICE_WIRE_BYTES && field.number >= 1 && field.number <= 3)
      take_name (field.number == 1   ? self->categories
                 : field.number == 2 ? self->names
                                     : self->annotations,
                 &field);
}

static void
take_defaults (Sequence *self, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field, inner;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == PACKET_CLOCK)
      self->clock = (guint) field.value;
    else if (field.number == PACKET_TRACK_EVENT && field.wire_type == SLUICE_WIRE_BYTES)
      {
        const guint8 *from = field.data, *to = from + field.length;
        while (sluice_wire_next (&from, to, &inner))
          if (inner.number == EVENT_TRACK)
            self->track = inner.value;
      }
}

/* ---- clocks ---- */

static guint64
clock_key (guint64 sequence, guint clock)
{
  gboolean is_own = clock >= FIRST_OWN_CLOCK && clock < END_OWN_CLOCK;
  return (is_own ? sequence << 32 : 0) | clock;
}

static void
take_snapshot (Reader *r, guint64 sequence, const SluiceWireField *message)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) clocks = g_array_new (FALSE, FALSE, sizeof (Clock));
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field, inner;
  guint64 boot = 0;
  while (sluice_wire_next (&at, end, &field))
    {
      if (field.number != 1 || field.wire_type != SLUICE_WIRE_BYTES)
        continue;
      const guint8 *from = field.data, *to = from + field.length;
      Clock clock = { .unit = 1 };
      guint number = 0;
      while (sluice_wire_next (&from, to, &inner))
        if (inner.number == 1)
          number = (guint) inner.value;
        else if (inner.number == 2)
          clock.last = (gint64) inner.value;
        else if (inner.number == 3)
          clock.is_incremental = inner.value != 0;
        else if (inner.number == 4)
          clock.unit = (gint64) MAX (1, inner.value);
      if (number == CLOCK_BOOT)
        boot = (guint64) clock.last;
      g_array_append_val (numbers, number);
      g_array_append_val (clocks, clock);
    }
  for (guint i = 0; i < clocks->len; i++)
    {
      Clock *clock = &g_array_index (clocks, Clock, i);
      /* Wraps where the numbers are nonsense: it is clamped where it is used. */
      clock->offset = (gint64) (boot - (guint64) clock->last * (guint64) clock->unit);
      put (r->clocks, clock_key (sequence, g_array_index (numbers, guint, i)),
           g_memdup2 (clock, sizeof *clock));
    }
}

static gint64
get_time (Reader *r, const Packet *packet)
{
  const Sequence *sequence = get_sequence (r, packet->sequence);
  guint number = packet->clock ? packet->clock : sequence->clock;
  if (number == 0 || number == CLOCK_BOOT)
    return (gint64) packet->timestamp;
  Clock *clock = find (r->clocks, clock_key (packet->sequence, number));
  if (clock == NULL)
    {
      remark (r, "times of a clock that nothing explains: taken as they are");
      return (gint64) packet->timestamp;
    }
  guint64 value = packet->timestamp;
  if (clock->is_incremental)
    {
      value += (guint64) clock->last;
      clock->last = (gint64) value;
    }
  return (gint64) (value * (guint64) clock->unit + (guint64) clock->offset);
}

/* ---- tracks ---- */

static void
track_free (gpointer data)
{
  Track *self = data;
  g_free (self->process);
  g_free (self->thread);
  g_free (self->name);
  g_free (self);
}

/* Of a process or thread the number and the name. */
static void
take_owner (Reader *r, Track *track, const SluiceWireField *message, gboolean is_thread)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  guint64 pid = 0, tid = 0;
  g_autofree char *name = NULL;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == 1)
      pid = field.value;
    else if (is_thread && field.number == 2)
      tid = field.value;
    else if (field.number == (is_thread ? 5u : 6u))
      {
        g_free (name);
        name = dup_text (&field);
      }
  g_free (track->process);
  track->process = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) pid);
  if (is_thread)
    {
      g_free (track->thread);
      track->thread = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) tid);
      if (name != NULL && track->name == NULL)
        track->name = g_steal_pointer (&name);
    }
  else if (name != NULL)
    sluice_foreign_name_process (r->foreign, track->process, name);
}

static void
take_counter (Track *track, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  track->is_counter = TRUE;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == 4)
      track->unit = (gint64) MAX (1, field.value);
    else if (field.number == 5)
      track->is_incremental = field.value != 0;
}

static void
take_descriptor (Reader *r, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  Track *track = g_new0 (Track, 1);
  guint64 uuid = 0;
  track->lane = -1;
  track->unit = 1;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == 1)
      uuid = field.value;
    else if (field.number == 5)
      track->parent = field.value;
    else if (field.wire_type != SLUICE_WIRE_BYTES)
      continue;
    else if (field.number == 2 || field.number == 10)
      {
        g_free (track->name);
        track->name = dup_text (&field);
      }
    else if (field.number == 3 || field.number == 4)
      take_owner (r, track, &field, field.number == 4);
    else if (field.number == 8)
      take_counter (track, &field);
  const Track *before = find (r->tracks, uuid);
  if (before != NULL) /* told again: what is there stays on its lane */
    {
      track->lane = before->lane;
      track->total = before->total;
    }
  put (r->tracks, uuid, track);
}

/* The process that a track belongs to, by those above it. */
static const char *
find_process (Reader *r, const Track *track)
{
  for (guint depth = 0; track != NULL && depth < 64; depth++)
    {
      if (track->process != NULL)
        return track->process;
      track = find (r->tracks, track->parent);
    }
  return "";
}

static Track *
get_track (Reader *r, guint64 uuid)
{
  Track *track = find (r->tracks, uuid);
  if (track != NULL)
    return track;
  if (uuid != 0)
    remark (r, "tracks without a description");
  track = g_new0 (Track, 1);
  track->lane = -1;
  track->unit = 1;
  put (r->tracks, uuid, track);
  return track;
}

static guint
get_lane (Reader *r, guint64 uuid)
{
  Track *track = get_track (r, uuid);
  if (track->lane >= 0)
    return (guint) track->lane;
  g_autofree char *key = g_strdup_printf ("%" G_GUINT64_FORMAT, uuid);
  guint lane = sluice_foreign_lane (r->foreign, find_process (r, track), key);
  const char *name = track->name      ? track->name
                     : track->thread  ? track->thread
                     : track->process ? "process"
                                      : key;
  sluice_foreign_name_lane (r->foreign, lane, name);
  track->lane = lane;
  return lane;
}

/* ---- events ---- */

typedef struct
{
  guint64 type, track, name_iid, category_iid;
  gboolean has_track, has_delta, has_absolute;
  gint64 delta_us, absolute_us, counter;
  double double_counter;
  gboolean is_double;
  char *name, *category;
  SluiceTraceSpan more; /* what annotations say */
  char *op, *frame;
} Event;

static void
event_clear (Event *self)
{
  g_free (self->name);
  g_free (self->category);
  g_free (self->op);
  g_free (self->frame);
}

/* Those that Sluice writes. */
static void
take_annotation (const Sequence *sequence, Event *event, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  g_autofree char *name = NULL, *text = NULL;
  guint64 number = 0;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == 1)
      {
        g_free (name);
        name = g_strdup (find (sequence->annotations, field.value));
      }
    else if (field.number == 3 || field.number == 4)
      number = field.value;
    else if (field.number == 6 || field.number == 10)
      {
        char **to = field.number == 6 ? &text : &name;
        g_free (*to);
        *to = dup_text (&field);
      }
  if (name == NULL)
    return;
  if (strcmp (name, "op") == 0 && event->op == NULL)
    event->op = g_steal_pointer (&text);
  else if (strcmp (name, "frame") == 0 && event->frame == NULL)
    event->frame = g_steal_pointer (&text);
  else if (strcmp (name, "step") == 0)
    event->more.step = number;
  else if (strcmp (name, "iteration") == 0)
    event->more.iteration = number;
  else if (strcmp (name, "waited_ns") == 0)
    event->more.scheduled = -(gint64) MIN (number, G_MAXINT64 / 4);
  else if (strcmp (name, "bytes_in") == 0)
    event->more.bytes_in = number;
  else if (strcmp (name, "bytes_out") == 0)
    event->more.bytes_out = number;
}

static void
take_event_text (const Sequence *sequence, Event *event, const SluiceWireField *field)
{
  char **to = field->number == EVENT_NAME ? &event->name : &event->category;
  if (field->number == EVENT_ANNOTATION)
    {
      take_annotation (sequence, event, field);
      return;
    }
  if (field->number != EVENT_NAME && field->number != EVENT_CATEGORY)
    return;
  g_free (*to);
  *to = dup_text (field);
}

static void
take_event_number (Event *event, const SluiceWireField *field)
{
  switch (field->number)
    {
    case EVENT_TYPE:
      event->type = field->value;
      break;
    case EVENT_TRACK:
      event->track = field->value;
      event->has_track = TRUE;
      break;
    case EVENT_NAME_IID:
      event->name_iid = field->value;
      break;
    case EVENT_CATEGORY_IIDS:
      event->category_iid = field->value;
      break;
    case EVENT_DELTA_US:
      event->delta_us = (gint64) field->value;
      event->has_delta = TRUE;
      break;
    case EVENT_ABSOLUTE_US:
      event->absolute_us = (gint64) field->value;
      event->has_absolute = TRUE;
      break;
    case EVENT_COUNTER:
      event->counter = (gint64) field->value;
      break;
    default:
      break;
    }
}

static gint64
from_us (gint64 us)
{
  return CLAMP (us, G_MININT64 / 4000, G_MAXINT64 / 4000) * 1000;
}

/* Events may have times of their own. */
static gint64
time_of_event (Sequence *sequence, const Event *event, gint64 time)
{
  if (event->has_absolute)
    {
      sequence->last_us = event->absolute_us;
      return from_us (event->absolute_us);
    }
  if (!event->has_delta)
    return time;
  sequence->last_us = (gint64) ((guint64) sequence->last_us + (guint64) event->delta_us);
  return from_us (sequence->last_us);
}

static void
add_count (Reader *r, const Event *event, gint64 time)
{
  Track *track = get_track (r, event->track);
  double value = event->is_double ? event->double_counter : (double) event->counter;
  value *= (double) track->unit;
  track->total = track->is_incremental ? track->total + value : value;
  sluice_foreign_count (r->foreign, find_process (r, track),
                        track->name != NULL ? track->name : "counter", time, track->total);
}

static void
add_event (Reader *r, Sequence *sequence, const Event *event, gint64 time)
{
  const char *name = event->name ? event->name : find (sequence->names, event->name_iid);
  const char *category =
      event->category ? event->category : find (sequence->categories, event->category_iid);
  if (name == NULL && event->type != TYPE_END && event->type != TYPE_COUNTER)
    remark (r, "events whose name was lost");
  if (event->type == TYPE_COUNTER)
    {
      add_count (r, event, time);
      return;
    }
  guint lane = get_lane (r, event->track);
  SluiceTraceSpan span = event->more;
  span.start = span.end = time;
  span.scheduled += CLAMP (time, -(G_MAXINT64 / 4), G_MAXINT64 / 4);
  span.name = name != NULL ? name : "";
  span.op = event->op != NULL ? event->op : category;
  span.frame = event->frame;
  span.kind = SLUICE_SPAN_OTHER;
  span.lane = lane;
  if (event->type == TYPE_BEGIN)
    sluice_foreign_begin (r->foreign, NULL, &span);
  else if (event->type == TYPE_END)
    sluice_foreign_end (r->foreign, lane, time);
  else if (event->type == TYPE_INSTANT)
    sluice_trace_view_add_mark (r->view, lane, time, span.name);
  else
    remark (r, "track events of an unknown type");
}

static void
add_flows (Reader *r, const SluiceWireField *message, guint64 track, gint64 time)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  while (sluice_wire_next (&at, end, &field))
    {
      gboolean is_last = field.number == EVENT_LAST_FLOW || field.number == EVENT_OLD_LAST_FLOW;
      if (!is_last && field.number != EVENT_FLOW && field.number != EVENT_OLD_FLOW)
        continue;
      guint64 id = field.wire_type == SLUICE_WIRE_FIXED_64 ? sluice_wire_get_fixed_64 (field.data)
                                                           : field.value;
      g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, id);
      sluice_foreign_flow (r->foreign, text, get_lane (r, track), time,
                           is_last ? SLUICE_FLOW_END : SLUICE_FLOW_START | SLUICE_FLOW_END);
    }
}

static void
take_event (Reader *r, const Packet *packet)
{
  Sequence *sequence = get_sequence (r, packet->sequence);
  const guint8 *at = packet->event->data, *end = at + packet->event->length;
  SluiceWireField field;
  Event event = { 0 };
  while (sluice_wire_next (&at, end, &field))
    if (field.wire_type == SLUICE_WIRE_BYTES)
      take_event_text (sequence, &event, &field);
    else if (field.number == EVENT_DOUBLE_COUNTER && field.wire_type == SLUICE_WIRE_FIXED_64)
      {
        event.double_counter = sluice_wire_get_double (field.data);
        event.is_double = TRUE;
      }
    else
      take_event_number (&event, &field);
  if (at < end)
    remark (r, "track events that are cut off");
  if (!event.has_track)
    event.track = sequence->track;
  if (!packet->has_timestamp && !event.has_absolute && !event.has_delta)
    remark (r, "events without a time");
  else
    {
      gint64 time = packet->has_timestamp ? get_time (r, packet) : 0;
      time = time_of_event (sequence, &event, time);
      add_event (r, sequence, &event, time);
      if (event.type == TYPE_BEGIN || event.type == TYPE_END)
        add_flows (r, packet->event, event.track, time - (event.type == TYPE_END));
    }
  event_clear (&event);
}

/* ---- packets ---- */

static void
add_packet (Reader *r, const Packet *packet)
{
  Sequence *sequence = get_sequence (r, packet->sequence);
  gboolean understood = FALSE;
  if (packet->is_cleared)
    clear_sequence (sequence);
  if (packet->defaults != NULL)
    take_defaults (sequence, packet->defaults);
  if (packet->interned != NULL)
    take_interned (sequence, packet->interned);
  if (packet->snapshot != NULL)
    take_snapshot (r, packet->sequence, packet->snapshot);
  if (packet->descriptor != NULL)
    take_descriptor (r, packet->descriptor);
  if (packet->event != NULL)
    take_event (r, packet);
  understood = packet->defaults || packet->interned || packet->snapshot || packet->descriptor
               || packet->event || packet->is_cleared;
  r->n_understood += packet->event != NULL || packet->descriptor != NULL;
  if (!understood)
    remark (r, "packets of another kind than track events");
}

static void
take_packet (Reader *r, const SluiceWireField *message)
{
  SluiceWireField fields[5];
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  Packet packet = { 0 };
  while (sluice_wire_next (&at, end, &field))
    {
      const SluiceWireField **part = field.number == PACKET_TRACK_EVENT        ? &packet.event
                                     : field.number == PACKET_INTERNED         ? &packet.interned
                                     : field.number == PACKET_DEFAULTS         ? &packet.defaults
                                     : field.number == PACKET_TRACK_DESCRIPTOR ? &packet.descriptor
                                     : field.number == PACKET_CLOCK_SNAPSHOT   ? &packet.snapshot
                                                                               : NULL;
      if (part != NULL && field.wire_type == SLUICE_WIRE_BYTES)
        {
          SluiceWireField *kept = &fields[part - &packet.event];
          *kept = field;
          *part = kept;
        }
      else if (field.number == PACKET_TIMESTAMP)
        {
          packet.timestamp = field.value;
          packet.has_timestamp = TRUE;
        }
      else if (field.number == PACKET_SEQUENCE)
        packet.sequence = field.value;
      else if (field.number == PACKET_CLOCK)
        packet.clock = (guint) field.value;
      else if ((field.number == PACKET_FLAGS && field.value & FLAG_CLEARED)
               || (field.number == PACKET_CLEARED && field.value != 0))
        packet.is_cleared = TRUE;
    }
  if (at < end)
    remark (r, "packets that are cut off");
  add_packet (r, &packet);
}

gboolean
sluice_trace_import_perfetto (SluiceTraceView *view,
                              const guint8 *bytes,
                              gsize length,
                              GArray *remarks)
{
  Reader r = { .view = view, .foreign = sluice_foreign_new (view, remarks), .remarks = remarks };
  r.sequences = new_table (sequence_free);
  r.clocks = new_table (g_free);
  r.tracks = new_table (track_free);
  const guint8 *at = bytes, *end = bytes + length;
  SluiceWireField field;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == TRACE_PACKET && field.wire_type == SLUICE_WIRE_BYTES)
      take_packet (&r, &field);
    else
      remark (&r, "parts that are no packets");
  if (at < end)
    remark (&r, "end of the file is missing or damaged");
  sluice_foreign_finish (r.foreign);
  g_hash_table_unref (r.sequences);
  g_hash_table_unref (r.clocks);
  g_hash_table_unref (r.tracks);
  return r.n_understood > 0;
}
