/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <stdatomic.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * What ran when: one ring per lane (thread that runs nodes), always on. Writers never wait; readers
 * copy and drop what was overwritten meanwhile.
 */
typedef struct
{
  guint64 scheduled, start, end; /* sluice_clock_ticks() */
  guint64 iteration;             /* of the innermost loop */
  guint32 node;                  /* id of the origin in the session's graph; of SEND and RECV the
                                    number of the transfer in the session */
  guint32 bytes_in, bytes_out;   /* of its inputs and outputs, in units of SLUICE_TRACE_UNIT */
  guint32 live;                  /* on its device when it had ended, in such units; 0: not asked */
  guint32 step;                  /* low bits of the step's number */
  guint32 frame; /* number of the loop's name in the session; 0: outside all loops */
  guint32 lane;  /* that ran it; its record may lie in the ring of another */
  guint32 kind;  /* SluiceTraceKind, SLUICE_TRACE_TOGETHER, from bit 8 the device's number */
} SluiceTraceRecord;
G_STATIC_ASSERT (sizeof (SluiceTraceRecord) == 64); /* a cache line */

#define SLUICE_TRACE_UNIT     64   /* bytes */
#define SLUICE_TRACE_TOGETHER 0x80 /* other nodes ran in the same kernel */
#define SLUICE_TRACE_AHEAD    6 /* records: a ring is larger than the caches that answer at once */

typedef enum
{
  SLUICE_TRACE_NODE,
  SLUICE_TRACE_WAIT, /* of an asynchronous kernel: from its start to its end it holds no thread */
  SLUICE_TRACE_SEND,
  SLUICE_TRACE_RECV,
  SLUICE_TRACE_LOCK, /* within a node that waited for it; bytes_in is its SluiceLockKind */
  SLUICE_TRACE_HOST, /* between steps, or beside them; node is a SluiceHostWork */
} SluiceTraceKind;

/* What whoever runs steps does between them. */
typedef enum
{
  SLUICE_HOST_PAUSE, /* somebody asked for it */
  SLUICE_HOST_FEED,  /* makes what the next step is fed */
  SLUICE_HOST_LOG,
  SLUICE_HOST_SAVE, /* a checkpoint */
  SLUICE_N_HOST_WORKS
} SluiceHostWork;
/* "pause" */
const char *sluice_host_work_name (SluiceHostWork work);

/* From its start to its end it keeps no thread of the engine busy. */
static inline gboolean
sluice_trace_kind_is_wait (SluiceTraceKind kind)
{
  return kind == SLUICE_TRACE_WAIT || kind == SLUICE_TRACE_LOCK || kind == SLUICE_TRACE_HOST;
}

/*
 * Each field is a release store, each of the reader's an acquire load: a reader that saw a field of
 * record k has seen the count of k, and so knows that the record which k overwrites is torn. On x86
 * all of them are plain moves.
 */
typedef struct
{
  guint64 capacity; /* records; a power of two */
  SluiceTraceRecord *records;
  gboolean is_resident;               /* all of them; the writer's */
  gpointer memory;                    /* of the records, which begin at a cache line of it */
  _Alignas(64) _Atomic guint64 count; /* committed since the start */
} SluiceTraceRing;

SluiceTraceRing *
sluice_trace_ring_new (guint n_records); /* kept at least; a power of two is held */
void sluice_trace_ring_free (SluiceTraceRing *self);
/*
 * Has all of its memory from now on if it was used in earnest: a thread that helps now and then
 * would else fill its ring for minutes, and what the program takes would grow for as long. By the
 * writer, between records.
 */
void sluice_trace_ring_settle (SluiceTraceRing *self);

/* One writer at a time. Inline, so that a record need not lie anywhere before: every node of every
 * step leaves one. */
static inline __attribute__ ((always_inline)) void
sluice_trace_ring_add (SluiceTraceRing *self, const SluiceTraceRecord *record)
{
  guint64 count = atomic_load_explicit (&self->count, memory_order_relaxed);
  SluiceTraceRecord *to = &self->records[count & (self->capacity - 1)];
  __builtin_prefetch (&self->records[(count + SLUICE_TRACE_AHEAD) & (self->capacity - 1)], 1);
  __atomic_store_n (&to->scheduled, record->scheduled, __ATOMIC_RELEASE);
  __atomic_store_n (&to->start, record->start, __ATOMIC_RELEASE);
  __atomic_store_n (&to->end, record->end, __ATOMIC_RELEASE);
  __atomic_store_n (&to->iteration, record->iteration, __ATOMIC_RELEASE);
  __atomic_store_n (&to->node, record->node, __ATOMIC_RELEASE);
  __atomic_store_n (&to->bytes_in, record->bytes_in, __ATOMIC_RELEASE);
  __atomic_store_n (&to->bytes_out, record->bytes_out, __ATOMIC_RELEASE);
  __atomic_store_n (&to->live, record->live, __ATOMIC_RELEASE);
  __atomic_store_n (&to->step, record->step, __ATOMIC_RELEASE);
  __atomic_store_n (&to->frame, record->frame, __ATOMIC_RELEASE);
  __atomic_store_n (&to->lane, record->lane, __ATOMIC_RELEASE);
  __atomic_store_n (&to->kind, record->kind, __ATOMIC_RELEASE);
  atomic_store_explicit (&self->count, count + 1, memory_order_release);
}

/* Copies what is there from *cursor on and moves it. Returns the records lost between two calls. */
guint64 sluice_trace_ring_read (SluiceTraceRing *self, guint64 *cursor, GArray *records);
/* The same of no more than @max records. */
guint64
sluice_trace_ring_read_some (SluiceTraceRing *self, guint64 *cursor, guint64 max, GArray *records);

SLUICE_PUBLIC_END
