/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* All that is allocated from a start to an end, written down. */
#include "engine/base/allocator-inside.h"

static void
lock_all (SluiceAllocator *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    shard_lock (&self->shards[i]);
}

static void
unlock_all (SluiceAllocator *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    shard_unlock (&self->shards[i]);
}

static void
count_allocations (SluiceAllocator *self, guint64 *n_allocations, guint64 *n_fresh)
{
  *n_allocations = *n_fresh = 0;
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    {
      *n_allocations += self->shards[i].n_allocations;
      *n_fresh += self->shards[i].n_fresh;
    }
}

gboolean
sluice_allocator_start_ledger (SluiceAllocator *self)
{
  SluiceAllocationLog *log = sluice_allocation_log_new ();
  lock_all (self);
  gboolean is_free = atomic_load_explicit (&self->log, memory_order_relaxed) == NULL;
  if (is_free)
    {
      atomic_store_explicit (&self->log, log, memory_order_relaxed);
      count_allocations (self, &log->n_allocations, &log->n_fresh);
      for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
        for (Block *block = self->shards[i].live.next; block != &self->shards[i].live;
             block = block->next)
          write_down (&self->shards[i], block, SLUICE_ALLOCATION_MADE);
    }
  unlock_all (self);
  if (!is_free)
    sluice_allocation_log_free (log);
  return is_free;
}

SluiceLedger *
sluice_allocator_end_ledger (SluiceAllocator *self)
{
  guint64 n_allocations, n_fresh;
  lock_all (self);
  SluiceAllocationLog *log = atomic_load_explicit (&self->log, memory_order_relaxed);
  atomic_store_explicit (&self->log, NULL, memory_order_relaxed);
  count_allocations (self, &n_allocations, &n_fresh);
  unlock_all (self);
  if (log == NULL)
    return NULL;
  SluiceLedger *ledger = sluice_allocation_log_sum_up (log);
  ledger->n_allocations = n_allocations - log->n_allocations;
  ledger->n_fresh = n_fresh - log->n_fresh;
  ledger->reserved_bytes = atomic_load_explicit (&self->reserved, memory_order_relaxed);
  sluice_allocation_log_free (log);
  return ledger;
}
