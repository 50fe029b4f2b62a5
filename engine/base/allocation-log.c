/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/allocation-log.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/base/pool.h"

SluiceAllocationLog *
sluice_allocation_log_new (gsize most)
{
  SluiceAllocationLog *self = g_new0 (SluiceAllocationLog, 1);
  self->most = most;
  self->begin_ticks = sluice_clock_ticks ();
  return self;
}

void
sluice_allocation_log_free (SluiceAllocationLog *self)
{
  free (self->records);
  g_free (self);
}

/* Under the log's lock. FALSE: there is none for another record. */
static gboolean
make_room (SluiceAllocationLog *self)
{
  if (self->n_lost > 0 || (self->most > 0 && self->n_records == self->most))
    return FALSE;
  if (self->n_records < self->n_room)
    return TRUE;
  gsize more = self->n_room > 0 ? 2 * self->n_room : 1024;
  SluiceAllocationRecord *records = realloc (self->records, more * sizeof *records);
  if (records == NULL)
    return FALSE;
  self->records = records;
  self->n_room = more;
  return TRUE;
}

/* A spin lock, as the shards' that the caller holds. */
void
sluice_allocation_log_add (SluiceAllocationLog *self, const SluiceAllocationRecord *record)
{
  while (atomic_exchange_explicit (&self->lock, 1, memory_order_acquire))
    sched_yield ();
  if (make_room (self))
    {
      /* The cores' counters differ by a little. */
      guint64 before =
          self->n_records > 0 ? self->records[self->n_records - 1].ticks : self->begin_ticks;
      SluiceAllocationRecord *added = &self->records[self->n_records++];
      *added = *record;
      added->ticks = MAX (sluice_clock_ticks (), before);
    }
  else
    self->n_lost++;
  atomic_store_explicit (&self->lock, 0, memory_order_release);
}

/* How many records lie before the moment at which most was live. */
static gsize
find_peak (SluiceAllocationLog *self, gsize *peak_bytes)
{
  gsize live = 0;
  gsize peak = 0;
  *peak_bytes = 0;
  for (gsize i = 0; i < self->n_records; i++)
    {
      const SluiceAllocationRecord *record = &self->records[i];
      if (record->kind == SLUICE_ALLOCATION_MADE)
        live += record->bytes;
      else if (record->kind == SLUICE_ALLOCATION_FREED)
        live -= record->bytes;
      if (live > *peak_bytes)
        {
          *peak_bytes = live;
          peak = i + 1;
        }
    }
  return peak;
}

SluiceLedger *
sluice_allocation_log_sum_up (SluiceAllocationLog *self)
{
  SluiceLedger *ledger = g_new0 (SluiceLedger, 1);
  gsize peak = find_peak (self, &ledger->peak_bytes);
  g_autoptr (GHashTable) live = g_hash_table_new (g_int64_hash, g_int64_equal); /* set of records */
  for (gsize i = 0; i < peak; i++)
    {
      SluiceAllocationRecord *record = &self->records[i];
      if (record->kind == SLUICE_ALLOCATION_FREED)
        g_hash_table_remove (live, &record->address);
      else if (record->kind <= SLUICE_ALLOCATION_HANDED_ON)
        g_hash_table_replace (live, &record->address, record);
    }
  ledger->holders = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryHolder));
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, live);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const SluiceAllocationRecord *record = value;
      const SluiceMemoryHolder holder = { record->owner, record->bytes, 1, record->bytes,
                                          record->label };
      g_array_append_val (ledger->holders, holder);
      ledger->class_bytes[holder.owner.memory_class] += holder.bytes;
    }
  sluice_memory_holders_merge (ledger->holders);
  ledger->n_allocations = self->n_allocations;
  ledger->n_fresh = self->n_fresh;
  ledger->reserved_bytes = self->reserved_bytes;
  return ledger;
}
