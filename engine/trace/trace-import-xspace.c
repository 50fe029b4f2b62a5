/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* XSpace, what the profilers of TensorFlow and JAX write (*.xplane.pb). Field numbers:
 * tsl/profiler/protobuf/xplane.proto. A plane is a host or a device, its lines are threads and
 * streams, and names stand behind numbers in tables that may come after them. */
#include <string.h>

#include "engine/base/wire.h"
#include "engine/trace/trace-foreign.h"
#include "engine/trace/trace-import.h"
#include "engine/trace/trace-remarks.h"

enum
{
  SPACE_PLANE = 1,
  SPACE_ERROR = 2,
  SPACE_WARNING = 3,
  PLANE_NAME = 2,
  PLANE_LINE = 3,
  PLANE_EVENT_NAMES = 4,
  PLANE_STAT_NAMES = 5,
  LINE_ID = 1,
  LINE_NAME = 2,
  LINE_TIMESTAMP_NS = 3,
  LINE_EVENT = 4,
  LINE_DISPLAY_NAME = 11,
  EVENT_NAME = 1,
  EVENT_OFFSET_PS = 2,
  EVENT_DURATION_PS = 3,
  EVENT_STAT = 4,
  EVENT_OCCURRENCES = 5,
  STAT_NAME = 1,
  STAT_UNSIGNED = 3,
  STAT_SIGNED = 4,
  STAT_TEXT = 5,
  STAT_REFERENCE = 7,
  ENTRY_KEY = 1,
  ENTRY_VALUE = 2,
  NAME_TEXT = 2,
  NAME_DISPLAY = 4, /* of events */
};

#define PS_A_NS 1000
#define MAX_NS  (G_MAXINT64 / 4) /* sums do not overflow */

/* What a flow's number says besides: tsl/profiler/utils/xplane_utils.h */
#define FLOW_SIDES(number) ((SluiceFlowSides) ((number) &3))
/* Without its category, in front. */
#define FLOW_ID(number) ((number) << 6 >> 8)

typedef struct
{
  SluiceForeign *foreign;
  GArray *remarks;
  gint64 zero;
  gboolean only_looks; /* for zero */
  char *plane;
  GHashTable *events, *stats; /* of the plane: number -> name */
  guint64 n_events;
} Reader;

typedef struct
{
  char *name;
  guint64 id;
  gint64 timestamp;
  guint lane;
} Line;

typedef struct
{
  guint64 name;
  gint64 offset_ps, duration_ps;
  gboolean is_sum; /* of several, at no time */
  char *op;        /* (nullable) */
  guint64 step;
  guint64 flow;
} Event;

/* ---- messages ---- */

/* The next field; what is damaged is said once. */
static gboolean
next_field (Reader *r, const guint8 **at, const guint8 *end, SluiceWireField *field)
{
  gboolean is_cut = FALSE, is_there = sluice_trace_next_field (at, end, field, &is_cut);
  if (is_cut && !r->only_looks)
    sluice_trace_remarks_add (r->remarks, 1, "messages that are cut off");
  return is_there;
}

static gboolean
is_message (const SluiceWireField *field, guint32 number)
{
  return field->number == number && field->wire_type == SLUICE_WIRE_BYTES;
}

static void
take_text (char **text, const SluiceWireField *field)
{
  if (field->wire_type != SLUICE_WIRE_BYTES)
    return;
  g_free (*text);
  *text = g_utf8_make_valid ((const char *) field->data, (gssize) field->length);
}

/* ---- tables of names ---- */

/* (transfer full): what people call it, else its name */
static char *
read_name (Reader *r, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  char *name = g_strdup (""), *shown = NULL;
  while (next_field (r, &at, end, &field))
    if (field.number == NAME_TEXT)
      take_text (&name, &field);
    else if (field.number == NAME_DISPLAY)
      take_text (&shown, &field);
  if (shown == NULL || *shown == '\0')
    {
      g_free (shown);
      return name;
    }
  g_free (name);
  return shown;
}

static void
take_entry (Reader *r, const SluiceWireField *entry, GHashTable *names)
{
  const guint8 *at = entry->data, *end = at + entry->length;
  SluiceWireField field;
  guint64 key = 0;
  char *name = NULL;
  while (next_field (r, &at, end, &field))
    if (field.number == ENTRY_KEY)
      key = field.value;
    else if (is_message (&field, ENTRY_VALUE))
      {
        g_free (name);
        name = read_name (r, &field);
      }
  if (name != NULL)
    g_hash_table_insert (names, g_memdup2 (&key, sizeof key), name);
}

static void
take_names (Reader *r, const SluiceWireField *plane)
{
  const guint8 *at = plane->data, *end = at + plane->length;
  SluiceWireField field;
  gboolean only_looks = r->only_looks;
  g_hash_table_remove_all (r->events);
  g_hash_table_remove_all (r->stats);
  g_clear_pointer (&r->plane, g_free);
  r->only_looks = TRUE; /* what is cut off is said once */
  while (next_field (r, &at, end, &field))
    if (field.number == PLANE_NAME)
      take_text (&r->plane, &field);
    else if (is_message (&field, PLANE_EVENT_NAMES))
      take_entry (r, &field, r->events);
    else if (is_message (&field, PLANE_STAT_NAMES))
      take_entry (r, &field, r->stats);
  r->only_looks = only_looks;
  if (r->plane == NULL)
    r->plane = g_strdup ("");
}

/* ---- events ---- */

typedef struct
{
  guint64 name, number;
  char *text; /* (nullable) */
} Stat;

static void
use_stat (Reader *r, Event *event, const Stat *stat)
{
  const char *name = g_hash_table_lookup (r->stats, &stat->name);
  if (name == NULL)
    return;
  if (g_str_equal (name, "step_num") || (g_str_equal (name, "group_id") && event->step == 0))
    event->step = stat->number + (g_str_equal (name, "group_id") ? 1 : 0); /* they count from 0 */
  else if (g_str_equal (name, "flow"))
    event->flow = stat->number;
  else if ((g_str_equal (name, "tf_op") || g_str_equal (name, "hlo_category")) && stat->text != NULL
           && event->op == NULL)
    event->op = g_strdup (stat->text);
}

static void
take_stat (Reader *r, const SluiceWireField *message, Event *event)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  Stat stat = { 0, 0, NULL };
  while (next_field (r, &at, end, &field))
    if (field.number == STAT_NAME)
      stat.name = field.value;
    else if (field.number == STAT_UNSIGNED || field.number == STAT_SIGNED)
      stat.number = field.value;
    else if (field.number == STAT_TEXT)
      take_text (&stat.text, &field);
    else if (field.number == STAT_REFERENCE && stat.text == NULL)
      stat.text = g_strdup (g_hash_table_lookup (r->stats, &field.value));
  use_stat (r, event, &stat);
  g_free (stat.text);
}

static void
add_flow (Reader *r, const Line *line, const Event *event, gint64 start)
{
  SluiceFlowSides sides = FLOW_SIDES (event->flow);
  g_autofree char *id = g_strdup_printf ("%" G_GUINT64_FORMAT, FLOW_ID (event->flow));
  /* 1 comes in, 2 goes out. */
  if (sides != 0)
    sluice_foreign_flow (r->foreign, id, line->lane, start,
                         (sides & 1 ? SLUICE_FLOW_END : 0) | (sides & 2 ? SLUICE_FLOW_START : 0));
}

static void
add_event (Reader *r, const Line *line, const Event *event)
{
  const char *name = g_hash_table_lookup (r->events, &event->name);
  gint64 start = line->timestamp + event->offset_ps / PS_A_NS;
  if (r->only_looks)
    {
      r->zero = MIN (r->zero, start);
      return;
    }
  if (name == NULL)
    sluice_trace_remarks_add (r->remarks, 1, "events whose name is missing");
  const SluiceTraceSpan span = {
    .scheduled = start - r->zero,
    .start = start - r->zero,
    .end = start - r->zero + event->duration_ps / PS_A_NS,
    .name = name != NULL ? name : "?",
    .op = event->op,
    .kind = SLUICE_SPAN_OTHER,
    .lane = line->lane,
    .step = event->step,
  };
  sluice_foreign_add (r->foreign, &span);
  if (event->flow != 0)
    add_flow (r, line, event, span.start);
}

static void
take_event (Reader *r, const SluiceWireField *message, const Line *line)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  Event event = { 0 };
  while (next_field (r, &at, end, &field))
    if (field.number == EVENT_NAME)
      event.name = field.value;
    else if (field.number == EVENT_OFFSET_PS)
      event.offset_ps = CLAMP ((gint64) field.value, -MAX_NS, MAX_NS);
    else if (field.number == EVENT_DURATION_PS)
      event.duration_ps = CLAMP ((gint64) field.value, -MAX_NS, MAX_NS);
    else if (field.number == EVENT_OCCURRENCES)
      event.is_sum = TRUE;
    else if (is_message (&field, EVENT_STAT) && !r->only_looks)
      take_stat (r, &field, &event);
  r->n_events++;
  if (!event.is_sum)
    add_event (r, line, &event);
  else if (!r->only_looks)
    sluice_trace_remarks_add (r->remarks, 1, "sums of events, which say no time");
  g_free (event.op);
}

/* ---- lines ---- */

static void
read_line (Reader *r, const SluiceWireField *message, Line *line)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  g_autofree char *shown = NULL;
  gboolean is_cut;
  while (sluice_trace_next_field (&at, end, &field, &is_cut))
    if (field.number == LINE_ID)
      line->id = field.value;
    else if (field.number == LINE_NAME)
      take_text (&line->name, &field);
    else if (field.number == LINE_DISPLAY_NAME)
      take_text (&shown, &field);
    else if (field.number == LINE_TIMESTAMP_NS)
      line->timestamp = CLAMP ((gint64) field.value, -MAX_NS, MAX_NS);
  if (shown != NULL && *shown != '\0')
    {
      g_free (line->name);
      line->name = g_steal_pointer (&shown);
    }
}

static void
take_line (Reader *r, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  Line line = { NULL };
  read_line (r, message, &line);
  if (!r->only_looks)
    {
      /* Threads of one name are several. */
      g_autofree char *key = g_strdup_printf ("%" G_GUINT64_FORMAT, line.id);
      line.lane = sluice_foreign_lane (r->foreign, r->plane, key);
      sluice_foreign_name_lane (r->foreign, line.lane,
                                line.name != NULL && *line.name != '\0' ? line.name : key);
    }
  while (next_field (r, &at, end, &field))
    if (is_message (&field, LINE_EVENT))
      take_event (r, &field, &line);
  g_free (line.name);
}

static void
take_plane (Reader *r, const SluiceWireField *plane)
{
  const guint8 *at = plane->data, *end = at + plane->length;
  SluiceWireField field;
  take_names (r, plane);
  while (next_field (r, &at, end, &field))
    if (is_message (&field, PLANE_LINE))
      take_line (r, &field);
}

static void
take_space (Reader *r, const guint8 *bytes, gsize length)
{
  const guint8 *at = bytes, *end = bytes + length;
  SluiceWireField field;
  r->n_events = 0;
  while (next_field (r, &at, end, &field))
    if (is_message (&field, SPACE_PLANE))
      take_plane (r, &field);
    else if (!r->only_looks && (field.number == SPACE_ERROR || field.number == SPACE_WARNING))
      sluice_trace_remarks_add (r->remarks, 1, "errors and warnings of the profiler");
}

gboolean
sluice_trace_import_xspace (SluiceTraceView *view,
                            const guint8 *bytes,
                            gsize length,
                            GArray *remarks)
{
  Reader r = { .remarks = remarks, .zero = G_MAXINT64, .only_looks = TRUE };
  r.events = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  r.stats = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  take_space (&r, bytes, length);
  if (r.n_events > 0)
    {
      r.only_looks = FALSE;
      r.zero = r.zero == G_MAXINT64 ? 0 : r.zero / 1000 * 1000;
      r.foreign = sluice_foreign_new (view, remarks);
      take_space (&r, bytes, length);
      sluice_trace_view_set_start (view, r.zero / 1000);
      sluice_foreign_finish (r.foreign);
    }
  g_hash_table_unref (r.events);
  g_hash_table_unref (r.stats);
  g_free (r.plane);
  return r.n_events > 0;
}
