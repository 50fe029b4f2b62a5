/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/bench/truth-trace.h"

#include <math.h>
#include <stdio.h>

#include "tests/bench/median.h"

typedef struct
{
  guint64 step;
  double parts[TRUTH_N_PARTS];
  double begin, end;
} Step;

struct _TruthTrace
{
  SluiceSession *session;
  guint64 cursor;
  GArray *steps;  /* of Step, by number */
  GArray *events; /* of SluiceTraceEvent: of the last step */
};

TruthTrace *
truth_trace_new (SluiceSession *session)
{
  TruthTrace *self = g_new0 (TruthTrace, 1);
  self->session = session;
  self->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  self->events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  truth_trace_skip (self);
  return self;
}

void
truth_trace_free (TruthTrace *self)
{
  sluice_session_drop_trace (self->session, &self->cursor);
  g_array_unref (self->steps);
  g_array_unref (self->events);
  g_free (self);
}

static Step *
find_step (TruthTrace *self, guint64 number)
{
  for (guint i = self->steps->len; i > 0; i--)
    {
      Step *step = &g_array_index (self->steps, Step, i - 1);
      if (step->step == number)
        return step;
      if (step->step < number)
        break;
    }
  const Step fresh = { .step = number, .begin = INFINITY };
  g_array_append_val (self->steps, fresh);
  return &g_array_index (self->steps, Step, self->steps->len - 1);
}

static TruthPart
part_of (const SluiceTraceEvent *event)
{
  if (event->kind == SLUICE_TRACE_SEND || event->kind == SLUICE_TRACE_RECV)
    return event->queue > 0 ? TRUTH_COPIES : TRUTH_MEETINGS;
  return event->queue > 0 ? TRUTH_NODES_QUEUE : TRUTH_NODES_HOST;
}

static void
take (const SluiceTraceEvent *event, gpointer trace)
{
  TruthTrace *self = trace;
  Step *step = find_step (self, event->step);
  step->parts[part_of (event)] += event->end_us - event->start_us;
  step->parts[TRUTH_N_EVENTS]++;
  step->begin = fmin (step->begin, event->scheduled_us);
  step->end = fmax (step->end, event->end_us);
  step->parts[TRUTH_SPAN] = step->end - step->begin;
  if (self->events->len > 0
      && g_array_index (self->events, SluiceTraceEvent, 0).step != event->step)
    g_array_set_size (self->events, 0);
  g_array_append_val (self->events, *event);
}

void
truth_trace_read (TruthTrace *self)
{
  sluice_session_each_trace (self->session, &self->cursor, take, self);
}

static void
pass_over (const SluiceTraceEvent *event, gpointer unused)
{
}

void
truth_trace_skip (TruthTrace *self)
{
  sluice_session_each_trace (self->session, &self->cursor, pass_over, NULL);
}

double
truth_trace_get (const TruthTrace *self, TruthPart part)
{
  g_autofree double *values = g_new (double, self->steps->len + 1);
  for (guint i = 0; i < self->steps->len; i++)
    values[i] = g_array_index (self->steps, Step, i).parts[part];
  return self->steps->len > 0 ? bench_median (values, self->steps->len) : NAN;
}

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const SluiceTraceEvent *x = a, *y = b;
  return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

void
truth_trace_print (const TruthTrace *self)
{
  g_array_sort (self->events, compare_starts);
  for (guint i = 0; i < self->events->len; i++)
    {
      const SluiceTraceEvent *event = &g_array_index (self->events, SluiceTraceEvent, i);
      double begin = g_array_index (self->events, SluiceTraceEvent, 0).scheduled_us;
      printf ("%10.1f %8.1f %8.1f  lane %u queue %u %-8s %-12s %s\n", event->start_us - begin,
              event->start_us - event->scheduled_us, event->end_us - event->start_us, event->lane,
              event->queue, strrchr (event->device, '/') + 1, event->op,
              event->transfer != NULL ? event->transfer : event->node);
    }
}
