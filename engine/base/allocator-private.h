/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "engine/base/allocation-log.h"
#include "engine/base/residency.h"
#include "engine/base/spin.h"
#include "engine/base/system-memory.h"

/* What an allocator consists of, for allocator.c and for who looks at all of it. */
#define ALIGNMENT      64
#define N_SMALL_SHARDS 8
#define N_CLASSES      320

typedef struct _Shard Shard;
typedef SluiceBlock Block;

struct _SluiceBlock
{
  Shard *shard;
  Block *next, *prev; /* in the shard's live ring, or (next only) in a free list; under its lock */
  gsize bytes;        /* asked for, rounded up to ALIGNMENT */
  SluiceOwner owner;  /* under the shard's lock */
  guint32 size_class;
  SluiceBlockLabel label; /* under the shard's lock */
};
G_STATIC_ASSERT (sizeof (Block) <= ALIGNMENT);
G_STATIC_ASSERT (SLUICE_BLOCK_RECORD_BYTES == ALIGNMENT);

/* The record of memory that the host does not reach. */
typedef struct
{
  Block block;
  void *data;
  gboolean is_vacant; /* sluice_block_vacate(); of a block that is handed out */
} FarBlock;

struct _Shard
{
  _Alignas(128) atomic_int lock; /* guards all that follows; held for a few instructions */
  SluiceAllocator *allocator;
  Block live;   /* head of a ring */
  gsize credit; /* counted in held, but not handed out; none in the large shard */
  Block *free[N_CLASSES];
  guint64 n_allocations, n_fresh;
  gsize class_bytes[SLUICE_N_MEMORY_CLASSES];
};

struct _SluiceAllocator
{
  Shard shards[N_SMALL_SHARDS + 1];
  char *name;
  gsize limit;
  gboolean is_limited;              /* by more than what the machine has */
  const SluiceMemorySource *source; /* (nullable): the system */
  gpointer holder;                  /* (nullable) */
  SluiceReclaim reclaim;            /* (nullable) */
  char *(*describe_reclaim) (gpointer data);
  gpointer reclaim_data;
  SluiceResidency *residency; /* (nullable) */
  pthread_mutex_t namer_lock; /* guards the next two, and is held while it names */
  SluiceNameNode namer;
  gpointer namer_data;
  _Atomic (SluiceAllocationLog *) log; /* (nullable): changed under all shards' locks */
  SluiceAllocationLog *shortage;       /* (nullable): the same */
  atomic_int ref_count;
  /* No reference is left, or others move for what is missing: blocks that return leave no credit.
   */
  atomic_int keeps_no_credit;
  _Alignas(128) _Atomic gsize held; /* live bytes and credits, plus 1 while there are references */
  _Atomic gsize peak;
  _Atomic gsize reserved;
};

/* A spin lock: the sections are shorter than any sleep, and ThreadSanitizer sees the atomics. */
static inline void
sluice_shard_lock (Shard *self)
{
  guint n_looks = 0;
  while (atomic_exchange_explicit (&self->lock, 1, memory_order_acquire))
    while (atomic_load_explicit (&self->lock, memory_order_relaxed))
      if (++n_looks < 64)
        sluice_cpu_pause ();
      else
        sched_yield ();
}

static inline void
sluice_shard_unlock (Shard *self)
{
  atomic_store_explicit (&self->lock, 0, memory_order_release);
}

static inline gsize
sluice_allocator_class_capacity (guint size_class)
{
  if (size_class < 8)
    return (gsize) (size_class + 1) * ALIGNMENT;
  if (size_class == 8)
    return 512 + ALIGNMENT;
  guint exponent = (size_class - 9) / 8 + 9, eighth = (size_class - 9) % 8;
  return ((gsize) (eighth + 9) << (exponent - 3)) + ALIGNMENT;
}

/* What a block of the class takes of the system, its record included where that lies before it. */
static inline gsize
sluice_allocator_class_total (const SluiceAllocator *self, guint size_class)
{
  gsize total = sluice_allocator_class_capacity (size_class)
                + (sluice_allocator_is_far (self) ? 0 : ALIGNMENT);
  return sluice_system_memory_round (total);
}

SluiceAllocationRecord
sluice_block_record_of (const Shard *shard, Block *block, SluiceAllocationKind kind);

/* Both under the shard's lock, when it has counted. */
void sluice_block_write_down (SluiceAllocationLog *log,
                              const Shard *shard,
                              Block *block,
                              SluiceAllocationKind kind);

static inline void
sluice_shard_write_down (const Shard *shard, Block *block, SluiceAllocationKind kind)
{
  SluiceAllocationLog *log = atomic_load_explicit (&shard->allocator->log, memory_order_relaxed);
  if (G_UNLIKELY (log != NULL))
    sluice_block_write_down (log, shard, block, kind);
}
