/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/trace.h"

#include <stdatomic.h>
#include <string.h>

/*
 * The writer fills `staged`, then commits it word by word. Each word is a release store, each of
 * the reader's an acquire load: a reader that saw a word of record k has seen the count of k, and
 * so knows that the record which k overwrites is torn. On x86 all of them are plain moves.
 */
#define RECORD_WORDS (sizeof (SluiceTraceRecord) / sizeof (guint64))
G_STATIC_ASSERT (sizeof (SluiceTraceRecord) % sizeof (guint64) == 0);

struct _SluiceTraceRing
{
  guint64 capacity; /* records; a power of two */
  _Atomic guint64 *words;
  SluiceTraceRecord staged;           /* the writer's own */
  _Alignas(64) _Atomic guint64 count; /* committed since the start */
};

SluiceTraceRing *
sluice_trace_ring_new (guint n_records)
{
  SluiceTraceRing *self = g_aligned_alloc0 (1, sizeof (SluiceTraceRing), 64);
  self->capacity = 2;
  while (self->capacity <= n_records) /* one slot is the writer's */
    self->capacity *= 2;
  self->words = g_new0 (_Atomic guint64, self->capacity *RECORD_WORDS);
  return self;
}

void
sluice_trace_ring_free (SluiceTraceRing *self)
{
  g_free (self->words);
  g_aligned_free (self);
}

SluiceTraceRecord *
sluice_trace_ring_slot (SluiceTraceRing *self)
{
  return &self->staged;
}

void
sluice_trace_ring_commit (SluiceTraceRing *self)
{
  guint64 count = atomic_load_explicit (&self->count, memory_order_relaxed);
  _Atomic guint64 *to = self->words + (count & (self->capacity - 1)) * RECORD_WORDS;
  guint64 from[RECORD_WORDS];
  memcpy (from, &self->staged, sizeof from);
  for (guint i = 0; i < RECORD_WORDS; i++)
    atomic_store_explicit (&to[i], from[i], memory_order_release);
  atomic_store_explicit (&self->count, count + 1, memory_order_release);
}

guint64
sluice_trace_ring_read (SluiceTraceRing *self, guint64 *cursor, GArray *records)
{
  guint64 end = atomic_load_explicit (&self->count, memory_order_acquire);
  guint64 begin = *cursor;
  if (end - begin >= self->capacity)
    begin = end - self->capacity + 1;

  guint first = records->len;
  g_array_set_size (records, first + (end - begin));
  for (guint64 k = begin; k < end; k++)
    {
      const _Atomic guint64 *from = self->words + (k & (self->capacity - 1)) * RECORD_WORDS;
      guint64 to[RECORD_WORDS];
      for (guint i = 0; i < RECORD_WORDS; i++)
        to[i] = atomic_load_explicit (&from[i], memory_order_acquire);
      memcpy (&g_array_index (records, SluiceTraceRecord, first + (k - begin)), to, sizeof to);
    }

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
