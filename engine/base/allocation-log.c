/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/allocation-log.h"

#include <sched.h>
#include <stdatomic.h>

typedef struct
{
  SluiceAllocationKind kind;
  const void *block;
  SluiceMemoryHolder holder; /* of this one block */
} Event;

SluiceAllocationLog *
sluice_allocation_log_new (void)
{
  SluiceAllocationLog *self = g_new0 (SluiceAllocationLog, 1);
  self->events = g_array_new (FALSE, FALSE, sizeof (Event));
  return self;
}

void
sluice_allocation_log_free (SluiceAllocationLog *self)
{
  g_array_unref (self->events);
  g_free (self);
}

/* A spin lock, as the shards' that the caller holds. */
void
sluice_allocation_log_add (SluiceAllocationLog *self,
                           SluiceAllocationKind kind,
                           const void *block,
                           gsize bytes,
                           SluiceOwner owner,
                           const SluiceBlockLabel *label)
{
  Event event = { kind, block, { owner, bytes, 1, bytes, *label } };
  while (atomic_exchange_explicit (&self->lock, 1, memory_order_acquire))
    sched_yield ();
  g_array_append_val (self->events, event);
  atomic_store_explicit (&self->lock, 0, memory_order_release);
}

/* How many events lie before the moment at which most was live. */
static guint
find_peak (SluiceAllocationLog *self, gsize *peak_bytes)
{
  gsize live = 0;
  guint peak = 0;
  *peak_bytes = 0;
  for (guint i = 0; i < self->events->len; i++)
    {
      const Event *event = &g_array_index (self->events, Event, i);
      if (event->kind == SLUICE_ALLOCATION_MADE)
        live += event->holder.bytes;
      else if (event->kind == SLUICE_ALLOCATION_FREED)
        live -= event->holder.bytes;
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
  guint peak = find_peak (self, &ledger->peak_bytes);
  g_autoptr (GHashTable) live = g_hash_table_new (NULL, NULL); /* block → Event */
  for (guint i = 0; i < peak; i++)
    {
      Event *event = &g_array_index (self->events, Event, i);
      if (event->kind == SLUICE_ALLOCATION_FREED)
        g_hash_table_remove (live, event->block);
      else
        g_hash_table_insert (live, (gpointer) event->block, event);
    }
  ledger->holders = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryHolder));
  GHashTableIter iter;
  gpointer event;
  g_hash_table_iter_init (&iter, live);
  while (g_hash_table_iter_next (&iter, NULL, &event))
    {
      const SluiceMemoryHolder *holder = &((Event *) event)->holder;
      g_array_append_vals (ledger->holders, holder, 1);
      ledger->class_bytes[holder->owner.memory_class] += holder->bytes;
    }
  sluice_memory_holders_merge (ledger->holders);
  return ledger;
}
