/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * JSON of chrome://tracing ("Trace Event Format"), as its viewer and Perfetto's take it: an array
 * of events, or an object that has one. Times are microseconds with fractions, in any order.
 */
#include <math.h>
#include <string.h>

#include "engine/trace/json-pull.h"
#include "engine/trace/trace-foreign.h"
#include "engine/trace/trace-import.h"
#include "engine/trace/trace-remarks.h"

typedef struct
{
  gsize name; /* where in names it begins */
  double value;
} Number;

/* Texts are used again for each event. */
typedef struct
{
  GString *phase, *name, *category, *pid, *tid, *id, *bind_id, *scope, *binding;
  GString *arg_name, *op, *frame;
  gint64 ts, dur, scheduled;
  gboolean has_ts, has_dur, has_scheduled, flow_in, flow_out;
  guint64 step, iteration, bytes_in, bytes_out;
  GString *names;  /* of numbers */
  GArray *numbers; /* of Number */
} Event;

typedef struct
{
  SluiceJsonPull json;
  SluiceForeign *foreign;
  GArray *remarks;
  Event event;
  GString *key, *text;
  guint64 n_events;
} Reader;

#define EVENT_TEXTS(e)                                                                             \
  &(e)->phase, &(e)->name, &(e)->category, &(e)->pid, &(e)->tid, &(e)->id, &(e)->bind_id,          \
      &(e)->scope, &(e)->binding, &(e)->arg_name, &(e)->op, &(e)->frame, &(e)->names

static void
event_init (Event *self)
{
  GString **const texts[] = { EVENT_TEXTS (self) };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    *texts[i] = g_string_new (NULL);
  self->numbers = g_array_new (FALSE, FALSE, sizeof (Number));
}

static void
event_clear (Event *self)
{
  GString **const texts[] = { EVENT_TEXTS (self) };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_string_free (*texts[i], TRUE);
  g_array_unref (self->numbers);
}

static void
event_reset (Event *self)
{
  GString **const texts[] = { EVENT_TEXTS (self) };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_string_truncate (*texts[i], 0);
  g_array_set_size (self->numbers, 0);
  self->ts = self->dur = self->scheduled = 0;
  self->has_ts = self->has_dur = self->has_scheduled = self->flow_in = self->flow_out = FALSE;
  self->step = self->iteration = self->bytes_in = self->bytes_out = 0;
}

/* ---- numbers ---- */

/* Nanoseconds of microseconds: by their digits, for a double has too few of them. */
static gboolean
parse_time (const char *text, gint64 *ns)
{
  gboolean is_negative = *text == '-';
  const char *at = text + (*text == '-' || *text == '+');
  gint64 value = 0, unit = 1000;
  if (strpbrk (at, "eEnN") != NULL)
    {
      double us = g_ascii_strtod (text, NULL);
      if (!(fabs (us) < 9e15))
        return FALSE;
      *ns = llround (us * 1000);
      return TRUE;
    }
  if (!g_ascii_isdigit (*at) && *at != '.')
    return FALSE;
  for (; g_ascii_isdigit (*at); at++)
    if (__builtin_mul_overflow (value, 10, &value)
        || __builtin_add_overflow (value, *at - '0', &value))
      return FALSE;
  if (__builtin_mul_overflow (value, 1000, &value))
    return FALSE;
  if (*at == '.')
    for (at++; g_ascii_isdigit (*at) && unit > 1; at++)
      {
        unit /= 10;
        if (__builtin_add_overflow (value, (*at - '0') * unit, &value))
          return FALSE;
      }
  *ns = is_negative ? -value : value;
  return TRUE;
}

static gboolean
take_time (Reader *r, gint64 *time)
{
  gboolean ok = sluice_json_pull_scalar (&r->json, r->text) && parse_time (r->text->str, time);
  if (!ok && !r->json.failed)
    sluice_trace_remarks_add (r->remarks, 1, "times that are no numbers");
  return ok;
}

static guint64
take_count (Reader *r)
{
  return sluice_json_pull_scalar (&r->json, r->text) ? g_ascii_strtoull (r->text->str, NULL, 10)
                                                     : 0;
}

/* ---- an event ---- */

/* Some write counts as texts. */
static void
take_number (Reader *r, const char *name)
{
  char *end;
  sluice_json_pull_scalar (&r->json, r->text);
  double value = g_ascii_strtod (r->text->str, &end);
  if (end == r->text->str || *end != '\0')
    return;
  const Number number = { r->event.names->len, value };
  g_string_append_len (r->event.names, name, (gssize) strlen (name) + 1);
  g_array_append_val (r->event.numbers, number);
}

static void
take_argument (Reader *r, const char *name)
{
  Event *e = &r->event;
  char kind = sluice_json_pull_peek (&r->json);
  if (kind == '{' || kind == '[')
    sluice_json_pull_skip (&r->json);
  else if (strcmp (name, "name") == 0)
    sluice_json_pull_scalar (&r->json, e->arg_name);
  else if (strcmp (name, "op") == 0)
    sluice_json_pull_scalar (&r->json, e->op);
  else if (strcmp (name, "frame") == 0)
    sluice_json_pull_scalar (&r->json, e->frame);
  else if (strcmp (name, "scheduled") == 0)
    e->has_scheduled = take_time (r, &e->scheduled);
  else if (strcmp (name, "step") == 0)
    e->step = take_count (r);
  else if (strcmp (name, "iteration") == 0)
    e->iteration = take_count (r);
  else if (strcmp (name, "bytes_in") == 0)
    e->bytes_in = take_count (r);
  else if (strcmp (name, "bytes_out") == 0)
    e->bytes_out = take_count (r);
  else
    take_number (r, name);
}

/* Of id2, whose members are scopes of the number. */
static void
take_id (Reader *r)
{
  if (!sluice_json_pull_take (&r->json, '{'))
    {
      sluice_json_pull_scalar (&r->json, r->event.id);
      return;
    }
  for (gboolean first = TRUE; sluice_json_pull_more (&r->json, '}', first); first = FALSE)
    if (!sluice_json_pull_name (&r->json, r->text)
        || !sluice_json_pull_scalar (&r->json, r->event.id))
      return;
}

static void
take_arguments (Reader *r)
{
  if (!sluice_json_pull_take (&r->json, '{'))
    {
      sluice_json_pull_skip (&r->json);
      return;
    }
  g_autoptr (GString) name = g_string_new (NULL);
  for (gboolean first = TRUE; sluice_json_pull_more (&r->json, '}', first); first = FALSE)
    {
      if (!sluice_json_pull_name (&r->json, name))
        return;
      take_argument (r, name->str);
    }
}

static gboolean
take_flag (Reader *r)
{
  return sluice_json_pull_scalar (&r->json, r->text)
         && (strcmp (r->text->str, "true") == 0 || strcmp (r->text->str, "1") == 0);
}

/* FALSE: it is none of those that are texts. */
static gboolean
take_text_member (Reader *r, const char *key)
{
  Event *e = &r->event;
  const struct
  {
    const char *key;
    GString *to;
  } texts[] = {
    { "ph", e->phase }, { "name", e->name },       { "cat", e->category }, { "pid", e->pid },
    { "tid", e->tid },  { "bind_id", e->bind_id }, { "s", e->scope },      { "bp", e->binding },
  };
  char kind = sluice_json_pull_peek (&r->json);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (strcmp (key, texts[i].key) == 0 && kind != '{' && kind != '[')
      {
        sluice_json_pull_scalar (&r->json, texts[i].to);
        return TRUE;
      }
  return FALSE;
}

static void
take_member (Reader *r, const char *key)
{
  Event *e = &r->event;
  if (take_text_member (r, key))
    return;
  if (strcmp (key, "ts") == 0)
    e->has_ts = take_time (r, &e->ts);
  else if (strcmp (key, "dur") == 0)
    e->has_dur = take_time (r, &e->dur);
  else if (strcmp (key, "id") == 0 || strcmp (key, "id2") == 0)
    take_id (r);
  else if (strcmp (key, "args") == 0)
    take_arguments (r);
  else if (strcmp (key, "flow_in") == 0)
    e->flow_in = take_flag (r);
  else if (strcmp (key, "flow_out") == 0)
    e->flow_out = take_flag (r);
  else
    sluice_json_pull_skip (&r->json);
}

/* ---- what it says ---- */

static guint
get_lane (Reader *r)
{
  return sluice_foreign_lane (r->foreign, r->event.pid->str, r->event.tid->str);
}

/* Asynchronous ones of a process have lanes by category: they overlap. */
static guint
get_async_lane (Reader *r)
{
  g_autofree char *name = g_strdup_printf ("async %s", r->event.category->str);
  return sluice_foreign_lane (r->foreign, r->event.pid->str, name);
}

static SluiceTraceSpan
make_span (const Event *e, guint lane)
{
  return (SluiceTraceSpan){ .scheduled = e->has_scheduled ? e->scheduled : e->ts,
                            .start = e->ts,
                            .end = e->ts,
                            .name = e->name->str,
                            .op = e->op->len > 0         ? e->op->str
                                  : e->category->len > 0 ? e->category->str
                                                         : NULL,
                            .kind = SLUICE_SPAN_OTHER,
                            .lane = lane,
                            .step = e->step,
                            .iteration = e->iteration,
                            .frame = e->frame->len > 0 ? e->frame->str : NULL,
                            .bytes_in = e->bytes_in,
                            .bytes_out = e->bytes_out };
}

/* A second version of flows is part of what they bind. */
static void
add_bound_flow (Reader *r, guint lane)
{
  const Event *e = &r->event;
  guint sides = (e->flow_out ? SLUICE_FLOW_START : 0) | (e->flow_in ? SLUICE_FLOW_END : 0);
  if (sides != 0 && e->bind_id->len > 0)
    sluice_foreign_flow (r->foreign, e->bind_id->str, lane, e->ts, sides);
}

static void
add_complete (Reader *r)
{
  Event *e = &r->event;
  SluiceTraceSpan span = make_span (e, get_lane (r));
  if (!e->has_dur)
    sluice_trace_remarks_add (r->remarks, 1,
                              "complete events without a duration: they take no time");
  if (__builtin_add_overflow (e->ts, e->dur, &span.end))
    span.end = G_MAXINT64;
  sluice_foreign_add (r->foreign, &span);
  add_bound_flow (r, span.lane);
}

/* Open ones are found by their number. (transfer full) */
static char *
dup_open_key (const Event *e)
{
  return g_strdup_printf ("%s\n%s\n%s\n%s", e->pid->str, e->category->str, e->id->str,
                          e->id->len > 0 ? "" : e->name->str);
}

static void
add_flow (Reader *r, SluiceFlowSides sides)
{
  Event *e = &r->event;
  g_autofree char *id = g_strdup_printf ("%s\n%s\n%s", e->category->str, e->name->str, e->id->str);
  sluice_foreign_flow (r->foreign, id, get_lane (r), e->ts, sides);
}

static void
add_counts (Reader *r)
{
  const Event *e = &r->event;
  for (guint i = 0; i < e->numbers->len; i++)
    {
      const Number *number = &g_array_index (e->numbers, Number, i);
      const char *series = e->names->str + number->name;
      g_autofree char *name =
          g_strdup_printf ("%s%s%s %s", e->name->str, e->id->len ? " " : "", e->id->str, series);
      sluice_foreign_count (r->foreign, e->pid->str, name, e->ts, number->value);
    }
  if (e->numbers->len == 0)
    sluice_trace_remarks_add (r->remarks, 1, "counters without a number");
}

static void
add_metadata (Reader *r)
{
  const Event *e = &r->event;
  if (strcmp (e->name->str, "process_name") == 0)
    sluice_foreign_name_process (r->foreign, e->pid->str, e->arg_name->str);
  else if (strcmp (e->name->str, "thread_name") == 0)
    sluice_foreign_name_lane (r->foreign, get_lane (r), e->arg_name->str);
}

static void
add_unknown (Reader *r)
{
  g_autofree char *phase = g_utf8_make_valid (r->event.phase->str, -1);
  g_autofree char *what = g_strdup_printf ("events of phase '%.8s'", phase);
  g_autofree char *valid = g_utf8_make_valid (what, -1);
  sluice_trace_remarks_add (r->remarks, 1, valid);
}

static void
begin (Reader *r)
{
  const SluiceTraceSpan span = make_span (&r->event, get_lane (r));
  sluice_foreign_begin (r->foreign, NULL, &span);
  add_bound_flow (r, span.lane);
}

static void
begin_async (Reader *r)
{
  const SluiceTraceSpan span = make_span (&r->event, get_async_lane (r));
  g_autofree char *key = dup_open_key (&r->event);
  sluice_foreign_begin (r->foreign, key, &span);
  add_bound_flow (r, span.lane);
}

static void
end_async (Reader *r)
{
  g_autofree char *key = dup_open_key (&r->event);
  sluice_foreign_end_async (r->foreign, key, r->event.ts);
}

static void
add_event (Reader *r, SluiceTraceView *view)
{
  Event *e = &r->event;
  char phase = e->phase->len == 1 ? e->phase->str[0] : '\0';
  if (phase != 'M' && !e->has_ts)
    {
      sluice_trace_remarks_add (r->remarks, 1, "events without a time");
      return;
    }
  switch (phase)
    {
    case 'X':
    case 'T': /* states of a thread */
      add_complete (r);
      return;
    case 'B':
      begin (r);
      return;
    case 'E':
      sluice_foreign_end (r->foreign, get_lane (r), e->ts);
      return;
    case 'b':
    case 'S':
      begin_async (r);
      return;
    case 'e':
    case 'F':
      end_async (r);
      return;
    case 's':
      add_flow (r, SLUICE_FLOW_START);
      return;
    case 't':
      add_flow (r, SLUICE_FLOW_START | SLUICE_FLOW_END);
      return;
    case 'f':
      add_flow (r, SLUICE_FLOW_END);
      return;
    case 'i':
    case 'I':
    case 'R':
      sluice_trace_view_add_mark (
          view,
          e->scope->str[0] == 'g' || e->scope->str[0] == 'p' ? SLUICE_LANE_NONE : get_lane (r),
          e->ts, e->name->str);
      return;
    case 'n':
      sluice_trace_view_add_mark (view, get_async_lane (r), e->ts, e->name->str);
      return;
    case 'C':
      add_counts (r);
      return;
    case 'M':
      add_metadata (r);
      return;
    default:
      add_unknown (r);
    }
}

/* ---- the file ---- */

static void
take_event (Reader *r, SluiceTraceView *view)
{
  if (!sluice_json_pull_take (&r->json, '{'))
    {
      sluice_trace_remarks_add (r->remarks, 1, "events that are no objects");
      sluice_json_pull_skip (&r->json);
      return;
    }
  event_reset (&r->event);
  for (gboolean first = TRUE; sluice_json_pull_more (&r->json, '}', first); first = FALSE)
    {
      if (!sluice_json_pull_name (&r->json, r->key))
        return;
      take_member (r, r->key->str);
    }
  if (r->json.failed)
    return;
  r->n_events++;
  add_event (r, view);
}

static void
take_events (Reader *r, SluiceTraceView *view)
{
  for (gboolean first = TRUE; sluice_json_pull_more (&r->json, ']', first); first = FALSE)
    take_event (r, view);
}

static gboolean
take_file (Reader *r, SluiceTraceView *view)
{
  if (sluice_json_pull_take (&r->json, '['))
    {
      take_events (r, view);
      return r->n_events > 0;
    }
  gboolean found = FALSE;
  if (!sluice_json_pull_take (&r->json, '{'))
    return FALSE;
  for (gboolean first = TRUE; sluice_json_pull_more (&r->json, '}', first); first = FALSE)
    {
      if (!sluice_json_pull_name (&r->json, r->key))
        break;
      if (strcmp (r->key->str, "traceEvents") != 0)
        sluice_json_pull_skip (&r->json);
      else if (sluice_json_pull_take (&r->json, '['))
        {
          found = TRUE;
          take_events (r, view);
        }
    }
  return found;
}

gboolean
sluice_trace_import_chrome (SluiceTraceView *view,
                            const guint8 *bytes,
                            gsize length,
                            GArray *remarks)
{
  Reader r = { .foreign = sluice_foreign_new (view, remarks), .remarks = remarks };
  r.key = g_string_new (NULL);
  r.text = g_string_new (NULL);
  event_init (&r.event);
  sluice_json_pull_init (&r.json, bytes, length);
  gboolean found = take_file (&r, view);
  if (found && r.json.failed)
    {
      g_autofree char *what = g_strdup_printf (
          "end of the file is missing or no JSON, from byte %" G_GSIZE_FORMAT " on",
          (gsize) (r.json.at - r.json.start));
      sluice_trace_remarks_add (remarks, 1, what);
    }
  event_clear (&r.event);
  g_string_free (r.key, TRUE);
  g_string_free (r.text, TRUE);
  sluice_foreign_finish (r.foreign);
  return found;
}
