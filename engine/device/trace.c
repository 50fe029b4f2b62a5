/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/trace.h"

#include <string.h>

const char *
sluice_host_work_name (SluiceHostWork work)
{
  static const char *const names[SLUICE_N_HOST_WORKS] = {
    [SLUICE_HOST_PAUSE] = "pause",
    [SLUICE_HOST_FEED] = "feed",
    [SLUICE_HOST_LOG] = "log",
    [SLUICE_HOST_SAVE] = "save",
  };
  return names[MIN (work, SLUICE_HOST_SAVE)];
}

#define SETTLE_RECORDS 1024 /* what a few steps leave takes no more than that */

SluiceTraceRing *
sluice_trace_ring_new (guint n_records)
{
  SluiceTraceRing *self = g_aligned_alloc0 (1, sizeof (SluiceTraceRing), 64);
  self->capacity = 2;
  while (self->capacity <= n_records) /* one slot is the writer's */
    self->capacity *= 2;
  /* Zeroed by the system: pages that nothing was written to take no memory. */
  const gsize line = sizeof (SluiceTraceRecord);
  self->memory = g_malloc0_n (self->capacity + 1, line);
  self->records = (SluiceTraceRecord *) (((guintptr) self->memory + line - 1) / line * line);
  return self;
}

void
sluice_trace_ring_free (SluiceTraceRing *self)
{
  g_free (self->memory);
  g_aligned_free (self);
}

void
sluice_trace_ring_settle (SluiceTraceRing *self)
{
  guint64 count = atomic_load_explicit (&self->count, memory_order_relaxed);
  if (self->is_resident || count < SETTLE_RECORDS)
    return;
  self->is_resident = TRUE;
  if (count < self->capacity) /* readers stop at the count */
    memset (self->records + count, 0, (self->capacity - count) * sizeof *self->records);
}

static void
load_record (const SluiceTraceRecord *from, SluiceTraceRecord *to)
{
  to->scheduled = __atomic_load_n (&from->scheduled, __ATOMIC_ACQUIRE);
  to->start = __atomic_load_n (&from->start, __ATOMIC_ACQUIRE);
  to->end = __atomic_load_n (&from->end, __ATOMIC_ACQUIRE);
  to->iteration = __atomic_load_n (&from->iteration, __ATOMIC_ACQUIRE);
  to->node = __atomic_load_n (&from->node, __ATOMIC_ACQUIRE);
  to->bytes_in = __atomic_load_n (&from->bytes_in, __ATOMIC_ACQUIRE);
  to->bytes_out = __atomic_load_n (&from->bytes_out, __ATOMIC_ACQUIRE);
  to->live = __atomic_load_n (&from->live, __ATOMIC_ACQUIRE);
  to->step = __atomic_load_n (&from->step, __ATOMIC_ACQUIRE);
  to->frame = __atomic_load_n (&from->frame, __ATOMIC_ACQUIRE);
  to->lane = __atomic_load_n (&from->lane, __ATOMIC_ACQUIRE);
  to->kind = __atomic_load_n (&from->kind, __ATOMIC_ACQUIRE);
}

guint64
sluice_trace_ring_read_some (SluiceTraceRing *self, guint64 *cursor, guint64 max, GArray *records)
{
  guint64 end = atomic_load_explicit (&self->count, memory_order_acquire);
  guint64 begin = *cursor;
  if (end - begin >= self->capacity)
    begin = end - self->capacity + 1;
  if (end - begin > max)
    end = begin + max;

  guint first = records->len;
  g_array_set_size (records, first + (end - begin));
  for (guint64 k = begin; k < end; k++)
    load_record (&self->records[k & (self->capacity - 1)],
                 &g_array_index (records, SluiceTraceRecord, first + (k - begin)));

  /* What was overwritten while it was copied is dropped. */
  guint64 now = atomic_load_explicit (&self->count, memory_order_acquire);
  guint64 torn = 0;
  if (now - begin >= self->capacity)
    torn = MIN (now - self->capacity + 1, end) - begin;
  if (torn > 0)
    g_array_remove_range (records, first, torn);
  guint64 lost = begin + torn - *cursor;
  *cursor = end;
  return lost;
}

guint64
sluice_trace_ring_read (SluiceTraceRing *self, guint64 *cursor, GArray *records)
{
  return sluice_trace_ring_read_some (self, cursor, G_MAXUINT64, records);
}
