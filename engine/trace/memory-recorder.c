/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/memory-recorder.h"

#include "engine/base/allocator-record.h"
#include "engine/base/pool.h"

/* Records of a device that are kept of a step: 72 MiB. What comes after them is counted. */
#define MOST ((gsize) 1 << 20)

struct _SluiceMemoryRecorder
{
  SluiceSession *session;
  guint64 cursor;
  gboolean is_begun;
};

SluiceMemoryRecorder *
sluice_memory_recorder_new (SluiceSession *session)
{
  SluiceMemoryRecorder *self = g_new0 (SluiceMemoryRecorder, 1);
  self->session = session;
  return self;
}

void
sluice_memory_recorder_free (SluiceMemoryRecorder *self)
{
  g_ptr_array_unref (sluice_memory_recorder_end (self, 0));
  sluice_session_drop_trace (self->session, &self->cursor);
  g_free (self);
}

static SluiceAllocator *
allocator_of (SluiceSession *session, guint device)
{
  return sluice_session_get_device (session, device)->allocator;
}

gboolean
sluice_memory_recorder_begin (SluiceMemoryRecorder *self)
{
  guint n = 0, n_devices = sluice_session_get_n_devices (self->session);
  while (n < n_devices && sluice_allocator_start_log (allocator_of (self->session, n), MOST))
    n++;
  self->is_begun = n == n_devices;
  for (guint i = 0; i < n && !self->is_begun; i++)
    sluice_allocation_log_free (sluice_allocator_end_log (allocator_of (self->session, i)));
  return self->is_begun;
}

/* ---- tapes ---- */

static void
name_node (SluiceMemoryTape *tape, SluiceSession *session, guint32 number)
{
  const char *name, *op;
  if (number == 0 || sluice_memory_tape_get_node (tape, number) != NULL)
    return;
  name = sluice_session_get_node_name (session, number, &op);
  if (name != NULL)
    sluice_memory_tape_name (tape, number, name, op);
}

static SluiceMemoryTape *
make_tape (SluiceSession *session, guint i, guint64 step, SluiceAllocationLog *take_log)
{
  const SluiceDevice *device = sluice_session_get_device (session, i);
  SluiceMemoryTape *tape =
      sluice_memory_tape_new (device->short_name, step, take_log, sluice_clock_ns_per_tick ());
  tape->is_limited = sluice_allocator_is_limited (device->allocator);
  tape->limit = sluice_allocator_get_limit (device->allocator);
  for (gsize k = 0; k < take_log->n_records; k++)
    name_node (tape, session, take_log->records[k].owner.node);
  return tape;
}

static int
compare_runs (gconstpointer a, gconstpointer b)
{
  const SluiceMemoryRun *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

/* What ran on the device while it was recorded. */
static void
add_runs (SluiceMemoryTape *tape, SluiceSession *session, guint i, const GArray *events)
{
  const SluiceDevice *device = sluice_session_get_device (session, i);
  double begin_us = sluice_session_get_us (session, tape->log->begin_ticks);
  tape->begin = (gint64) (begin_us * 1000);
  for (guint k = 0; k < events->len; k++)
    {
      const SluiceTraceEvent *event = &g_array_index (events, SluiceTraceEvent, k);
      const SluiceMemoryRun run = {
        .node = event->number,
        .start = (gint64) ((event->start_us - begin_us) * 1000),
        .end = (gint64) ((event->end_us - begin_us) * 1000),
        .lane = event->lane,
        .is_wait = event->kind == SLUICE_TRACE_WAIT,
        .is_together = event->with != NULL,
      };
      if (event->kind == SLUICE_TRACE_LOCK || event->kind == SLUICE_TRACE_HOST)
        continue; /* no use of a value */
      if (run.start < 0 || run.start > tape->length || !g_str_equal (event->device, device->name))
        continue;
      g_array_append_val (tape->runs, run);
      name_node (tape, session, run.node);
    }
  g_array_sort (tape->runs, compare_runs);
}

/* Nothing is told of the time behind the last thing that happened on any of them. */
static void
end_together (GPtrArray *tapes)
{
  gint64 last = 0;
  for (guint i = 0; i < tapes->len; i++)
    {
      const SluiceMemoryTape *tape = tapes->pdata[i];
      if (tape->log->n_records > 0)
        last = MAX (last, sluice_memory_tape_get_time (tape, tape->log->n_records - 1));
      for (guint k = 0; k < tape->runs->len; k++)
        last = MAX (last, g_array_index (tape->runs, SluiceMemoryRun, k).end);
    }
  for (guint i = 0; last > 0 && i < tapes->len; i++)
    {
      SluiceMemoryTape *tape = tapes->pdata[i];
      tape->length = MIN (tape->length, last);
    }
}

/* A device that computes nothing and holds nothing is none to tell of. */
static gboolean
is_used (SluiceSession *session, guint i, const SluiceAllocationLog *log)
{
  return log->n_records > 0 || sluice_session_get_device (session, i)->klass->computes;
}

GPtrArray *
sluice_memory_recorder_end (SluiceMemoryRecorder *self, guint64 step)
{
  GPtrArray *tapes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_tape_unref);
  if (!self->is_begun)
    return tapes;
  self->is_begun = FALSE;
  guint n = sluice_session_get_n_devices (self->session);
  g_autofree SluiceAllocationLog **logs = g_new (SluiceAllocationLog *, n);
  for (guint i = 0; i < n; i++)
    logs[i] = sluice_allocator_end_log (allocator_of (self->session, i));
  g_autoptr (GArray) events = sluice_session_dup_trace (self->session, &self->cursor, NULL);
  g_autoptr (GArray) reads = sluice_session_dup_reads (self->session);
  for (guint i = 0; i < n; i++)
    {
      if (!is_used (self->session, i, logs[i]))
        {
          sluice_allocation_log_free (logs[i]);
          continue;
        }
      SluiceMemoryTape *tape = make_tape (self->session, i, step, logs[i]);
      add_runs (tape, self->session, i, events);
      g_array_unref (tape->reads);
      tape->reads = g_array_ref (reads);
      g_ptr_array_add (tapes, tape);
    }
  end_together (tapes);
  return tapes;
}

GPtrArray *
sluice_memory_take_shortages (SluiceSession *session, guint64 step)
{
  GPtrArray *tapes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_tape_unref);
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    {
      SluiceAllocationLog *log = sluice_allocator_take_shortage (allocator_of (session, i));
      if (log == NULL)
        continue;
      SluiceMemoryTape *tape = make_tape (session, i, step, log);
      tape->is_failure = TRUE;
      g_ptr_array_add (tapes, tape);
    }
  return tapes;
}
