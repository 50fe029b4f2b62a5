/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What an allocator has handed out: counted, and written down while somebody records it. */
#include "engine/base/allocator-record.h"

#include "engine/base/allocator-private.h"
#include "engine/base/pool.h"

/* Records of what was live when a request failed: they stay until somebody looks, 5 MiB. */
#define MOST_OF_SHORTAGE ((gsize) 1 << 16)

void
sluice_allocator_get_stats (SluiceAllocator *self, SluiceMemoryStats *stats)
{
  *stats = (SluiceMemoryStats){
    .peak_bytes = atomic_load_explicit (&self->peak, memory_order_relaxed),
    .reserved_bytes = atomic_load_explicit (&self->reserved, memory_order_relaxed),
  };
  gsize credits = 0;
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    {
      Shard *shard = &self->shards[i];
      sluice_shard_lock (shard);
      credits += shard->credit;
      stats->n_allocations += shard->n_allocations;
      stats->n_fresh += shard->n_fresh;
      for (guint c = 0; c < SLUICE_N_MEMORY_CLASSES; c++)
        stats->class_bytes[c] += shard->class_bytes[c];
      sluice_shard_unlock (shard);
    }
  gsize held = atomic_load_explicit (&self->held, memory_order_relaxed) - 1;
  stats->live_bytes = held > credits ? held - credits : 0; /* the shards were not read at once */
}

GArray *
sluice_allocator_dup_holders (SluiceAllocator *self)
{
  GArray *holders = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryHolder));
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    {
      Shard *shard = &self->shards[i];
      sluice_shard_lock (shard);
      for (Block *block = shard->live.next; block != &shard->live; block = block->next)
        {
          SluiceMemoryHolder holder = { block->owner, block->bytes, 1, block->bytes, block->label };
          g_array_append_val (holders, holder);
        }
      sluice_shard_unlock (shard);
    }
  sluice_memory_holders_merge (holders);
  return holders;
}

/* ---- recordings ---- */

SluiceAllocationRecord
sluice_block_record_of (const Shard *shard, Block *block, SluiceAllocationKind kind)
{
  const SluiceAllocator *self = shard->allocator;
  gboolean is_place = kind == SLUICE_ALLOCATION_RESERVED || kind == SLUICE_ALLOCATION_RETURNED;
  SluiceAllocationRecord record = {
    .address = (guintptr) (sluice_allocator_is_far (self) ? ((FarBlock *) block)->data : block),
    .given = sluice_allocator_class_total (self, block->size_class),
    .kind = kind,
    .shard = shard - self->shards,
  };
  if (is_place)
    return record;
  record.bytes = block->bytes;
  record.owner = block->owner;
  record.label = block->label;
  record.counted = shard->class_bytes[block->owner.memory_class];
  return record;
}

void
sluice_block_write_down (SluiceAllocationLog *log,
                         const Shard *shard,
                         Block *block,
                         SluiceAllocationKind kind)
{
  SluiceAllocationRecord record = sluice_block_record_of (shard, block, kind);
  sluice_allocation_log_add (log, &record);
}

static void
lock_all (SluiceAllocator *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    sluice_shard_lock (&self->shards[i]);
}

static void
unlock_all (SluiceAllocator *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    sluice_shard_unlock (&self->shards[i]);
}

/* With the shards locked: what there is, into a log that nobody else has. */
static void
write_state (SluiceAllocator *self, SluiceAllocationLog *log)
{
  log->reserved_bytes = atomic_load_explicit (&self->reserved, memory_order_relaxed);
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    {
      const Shard *shard = &self->shards[i];
      gsize counted[SLUICE_N_MEMORY_CLASSES] = { 0 };
      log->n_allocations += shard->n_allocations;
      log->n_fresh += shard->n_fresh;
      for (guint c = 0; c < N_CLASSES; c++)
        for (Block *block = shard->free[c]; block != NULL; block = block->next)
          {
            SluiceAllocationRecord record =
                sluice_block_record_of (shard, block, SLUICE_ALLOCATION_RESERVED);
            sluice_allocation_log_add (log, &record);
          }
      for (Block *block = shard->live.next; block != &shard->live; block = block->next)
        {
          SluiceAllocationRecord record =
              sluice_block_record_of (shard, block, SLUICE_ALLOCATION_RESERVED);
          sluice_allocation_log_add (log, &record);
          record = sluice_block_record_of (shard, block, SLUICE_ALLOCATION_MADE);
          record.counted = counted[record.owner.memory_class] += record.bytes;
          sluice_allocation_log_add (log, &record);
        }
    }
  for (gsize i = 0; i < log->n_records; i++)
    log->records[i].ticks = log->begin_ticks;
}

static SluiceAllocationLog *
dup_state (SluiceAllocator *self, gsize most, gboolean goes_on)
{
  SluiceAllocationLog *log = sluice_allocation_log_new (most);
  lock_all (self);
  gboolean is_free = atomic_load_explicit (&self->log, memory_order_relaxed) == NULL;
  if (is_free || !goes_on)
    write_state (self, log);
  if (is_free && goes_on)
    atomic_store_explicit (&self->log, log, memory_order_relaxed);
  unlock_all (self);
  if (is_free || !goes_on)
    return log;
  sluice_allocation_log_free (log);
  return NULL;
}

SluiceAllocationLog *
sluice_allocator_dup_state (SluiceAllocator *self, gsize most)
{
  SluiceAllocationLog *log = dup_state (self, most, FALSE);
  log->end_ticks = log->begin_ticks;
  return log;
}

gboolean
sluice_allocator_start_log (SluiceAllocator *self, gsize most)
{
  return dup_state (self, most, TRUE) != NULL;
}

SluiceAllocationLog *
sluice_allocator_end_log (SluiceAllocator *self)
{
  guint64 n_allocations = 0, n_fresh = 0;
  lock_all (self);
  SluiceAllocationLog *log = atomic_load_explicit (&self->log, memory_order_relaxed);
  atomic_store_explicit (&self->log, NULL, memory_order_relaxed);
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    {
      n_allocations += self->shards[i].n_allocations;
      n_fresh += self->shards[i].n_fresh;
    }
  unlock_all (self);
  if (log == NULL)
    return NULL;
  log->n_allocations = n_allocations - log->n_allocations;
  log->n_fresh = n_fresh - log->n_fresh;
  log->reserved_bytes = atomic_load_explicit (&self->reserved, memory_order_relaxed);
  log->end_ticks = sluice_clock_ticks ();
  return log;
}

void
sluice_allocator_note_shortage (SluiceAllocator *self,
                                gsize bytes,
                                SluiceOwner owner,
                                const SluiceBlockLabel *label)
{
  SluiceAllocationLog *state = sluice_allocator_dup_state (self, MOST_OF_SHORTAGE);
  SluiceAllocationRecord record = {
    .bytes = bytes, .owner = owner, .label = *label, .kind = SLUICE_ALLOCATION_REFUSED
  };
  lock_all (self);
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    for (guint c = 0; c < SLUICE_N_MEMORY_CLASSES; c++)
      record.counted += self->shards[i].class_bytes[c];
  SluiceAllocationLog *log = atomic_load_explicit (&self->log, memory_order_relaxed);
  if (log != NULL)
    sluice_allocation_log_add (log, &record);
  guint64 n_lost = state->n_lost; /* the refusal comes behind what there was room for */
  state->n_lost = 0;
  state->most++;
  sluice_allocation_log_add (state, &record);
  state->n_lost += n_lost;
  SluiceAllocationLog *before = self->shortage;
  self->shortage = state;
  unlock_all (self);
  g_clear_pointer (&before, sluice_allocation_log_free);
}

void
sluice_allocator_note_shortage_of (SluiceBlock *block)
{
  sluice_shard_lock (block->shard);
  const SluiceOwner owner = block->owner;
  const SluiceBlockLabel label = block->label;
  sluice_shard_unlock (block->shard);
  sluice_allocator_note_shortage (block->shard->allocator, block->bytes, owner, &label);
}

SluiceAllocationLog *
sluice_allocator_take_shortage (SluiceAllocator *self)
{
  lock_all (self);
  SluiceAllocationLog *shortage = g_steal_pointer (&self->shortage);
  unlock_all (self);
  return shortage;
}

/* ---- ledgers ---- */

gboolean
sluice_allocator_start_ledger (SluiceAllocator *self)
{
  return sluice_allocator_start_log (self, 0);
}

SluiceLedger *
sluice_allocator_end_ledger (SluiceAllocator *self)
{
  g_autoptr (SluiceAllocationLog) log = sluice_allocator_end_log (self);
  return log != NULL ? sluice_allocation_log_sum_up (log) : NULL;
}
