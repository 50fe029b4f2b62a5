/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is written down while somebody records: at every event the sum over the owners is what the
 * allocator counts itself, whatever the threads do. */
#include <pthread.h>
#include <string.h>

#include "engine/base/allocator-record.h"

#define N_THREADS 4
#define N_ROUNDS  5000
#define N_SLOTS   64
#define N_SHARDS  256

static const SluiceBlockLabel no_label;

/* Follows the records one by one. (transfer full): what is live after them: address -> record */
static GHashTable *
replay (const SluiceAllocationLog *log, gsize *place_bytes)
{
  static gsize sums[N_SHARDS][SLUICE_N_MEMORY_CLASSES];
  memset (sums, 0, sizeof sums);
  GHashTable *live = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) places = g_hash_table_new (g_int64_hash, g_int64_equal);
  *place_bytes = 0;
  for (gsize i = 0; i < log->n_records; i++)
    {
      SluiceAllocationRecord *record = &log->records[i];
      gsize *sum = sums[record->shard];
      SluiceAllocationRecord *before = g_hash_table_lookup (live, &record->address);
      g_assert_cmpuint (record->ticks, >=, i > 0 ? log->records[i - 1].ticks : log->begin_ticks);
      switch ((SluiceAllocationKind) record->kind)
        {
        case SLUICE_ALLOCATION_RESERVED:
          g_assert_true (g_hash_table_add (places, &record->address));
          *place_bytes += record->given;
          continue;
        case SLUICE_ALLOCATION_RETURNED:
          g_assert_null (before);
          g_assert_true (g_hash_table_remove (places, &record->address));
          *place_bytes -= record->given;
          continue;
        case SLUICE_ALLOCATION_MADE:
          g_assert_null (before);
          g_assert_true (g_hash_table_contains (places, &record->address));
          g_assert_cmpuint (record->given, >=, record->bytes);
          break;
        case SLUICE_ALLOCATION_FREED:
        case SLUICE_ALLOCATION_HANDED_ON:
          g_assert_nonnull (before);
          g_assert_cmpuint (before->bytes, ==, record->bytes);
          sum[before->owner.memory_class] -= before->bytes;
          break;
        case SLUICE_ALLOCATION_REFUSED:
          g_assert_cmpuint (record->given, ==, 0);
          continue;
        }
      if (record->kind == SLUICE_ALLOCATION_FREED)
        g_hash_table_remove (live, &record->address);
      else
        {
          sum[record->owner.memory_class] += record->bytes;
          g_hash_table_replace (live, &record->address, record);
        }
      g_assert_cmpuint (sum[record->owner.memory_class], ==, record->counted);
    }
  return live;
}

static gsize
sum_up (GHashTable *live)
{
  gsize bytes = 0;
  GHashTableIter iter;
  gpointer record;
  g_hash_table_iter_init (&iter, live);
  while (g_hash_table_iter_next (&iter, NULL, &record))
    bytes += ((SluiceAllocationRecord *) record)->bytes;
  return bytes;
}

typedef struct
{
  SluiceAllocator *allocator;
  pthread_mutex_t lock;
  SluiceBlock *slots[N_SLOTS];
  guint seed;
} Traffic;

static void *
run_traffic (void *data)
{
  Traffic *traffic = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_atomic_int_add ((gint *) &traffic->seed, 1));
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      gsize bytes = (gsize) g_rand_int_range (rand, 0, i % 16 == 0 ? 90000 : 700);
      SluiceOwner owner = { i % 9, (guint32) g_rand_int_range (rand, 0, SLUICE_N_MEMORY_CLASSES) };
      SluiceBlock *block = sluice_allocator_take (traffic->allocator, bytes, owner, &no_label);
      g_assert_nonnull (block);
      if (i % 3 == 0)
        sluice_block_set_class (block, SLUICE_MEMORY_STACK);
      pthread_mutex_lock (&traffic->lock);
      SluiceBlock **slot = &traffic->slots[g_rand_int_range (rand, 0, N_SLOTS)];
      SluiceBlock *old = *slot;
      *slot = block;
      pthread_mutex_unlock (&traffic->lock);
      sluice_block_free (old);
      if (i % 500 == 0)
        sluice_allocator_trim (traffic->allocator);
    }
  return NULL;
}

static void
test_every_event (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 0);
  Traffic traffic = { .allocator = allocator, .lock = PTHREAD_MUTEX_INITIALIZER, .seed = 5 };
  run_traffic (&traffic); /* something is live and cached before */
  g_assert_true (sluice_allocator_start_log (allocator, 0));
  pthread_t threads[N_THREADS];
  for (guint i = 0; i < N_THREADS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, run_traffic, &traffic), ==, 0);
  for (guint i = 0; i < N_THREADS; i++)
    pthread_join (threads[i], NULL);
  g_autoptr (SluiceAllocationLog) log = sluice_allocator_end_log (allocator);
  SluiceMemoryStats stats;
  sluice_allocator_get_stats (allocator, &stats);
  gsize place_bytes;
  g_autoptr (GHashTable) live = replay (log, &place_bytes);
  g_assert_cmpuint (sum_up (live), ==, stats.live_bytes);
  g_assert_cmpuint (place_bytes, ==, stats.reserved_bytes);
  g_assert_cmpuint (log->reserved_bytes, ==, stats.reserved_bytes);
  g_assert_cmpuint (log->n_lost, ==, 0);
  g_assert_cmpuint (log->n_allocations, ==, N_THREADS * N_ROUNDS);
  g_assert_cmpuint (g_hash_table_size (live), ==, N_SLOTS);
  for (guint i = 0; i < N_SLOTS; i++)
    sluice_block_free (traffic.slots[i]);
}

/* It keeps what came first, which is whole, and says how much it is not. */
static void
test_bound (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 0);
  SluiceOwner owner = { 1, SLUICE_MEMORY_ACTIVATION };
  g_assert_true (sluice_allocator_start_log (allocator, 5));
  g_assert_false (sluice_allocator_start_log (allocator, 5));
  g_assert_false (sluice_allocator_start_ledger (allocator));
  SluiceBlock *a = sluice_allocator_take (allocator, 100, owner, &no_label); /* two records */
  SluiceBlock *b = sluice_allocator_take (allocator, 9000, owner, &no_label);
  sluice_block_free (a);
  sluice_block_free (b);
  g_autoptr (SluiceAllocationLog) log = sluice_allocator_end_log (allocator);
  g_assert_null (sluice_allocator_end_log (allocator));
  g_assert_cmpuint (log->n_records, ==, 5);
  g_assert_cmpuint (log->n_lost, ==, 1);
  gsize place_bytes;
  g_autoptr (GHashTable) live = replay (log, &place_bytes);
  g_assert_cmpuint (sum_up (live), ==, 9024);
}

static void
test_shortage (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 10000);
  SluiceOwner owner = { 4, SLUICE_MEMORY_GRADIENT };
  SluiceBlockLabel label = { 1, 1, { 3000 } };
  SluiceBlock *kept = sluice_allocator_take (allocator, 6400, owner, &label);
  SluiceBlock *freed = sluice_allocator_take (allocator, 1280, owner, &label);
  sluice_block_free (freed);
  g_assert_null (sluice_allocator_take (allocator, 12000, owner, &label));
  g_assert_null (sluice_allocator_take_shortage (allocator)); /* nobody let a step fail for it */
  sluice_allocator_note_shortage (allocator, 12000, owner, &label);
  g_autoptr (SluiceAllocationLog) log = sluice_allocator_take_shortage (allocator);
  g_assert_null (sluice_allocator_take_shortage (allocator));
  gsize place_bytes;
  g_autoptr (GHashTable) live = replay (log, &place_bytes);
  g_assert_cmpuint (sum_up (live), ==, 6400);
  g_assert_cmpuint (place_bytes, ==, log->reserved_bytes);
  const SluiceAllocationRecord *last = &log->records[log->n_records - 1];
  g_assert_cmpuint (last->kind, ==, SLUICE_ALLOCATION_REFUSED);
  g_assert_cmpuint (last->bytes, ==, 12000);
  g_assert_cmpuint (last->counted, ==, 6400);
  g_assert_cmpuint (last->owner.node, ==, 4);
  g_assert_cmpuint (last->label.dims[0], ==, 3000);
  sluice_block_free (kept);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/allocation-log/every-event", test_every_event);
  g_test_add_func ("/base/allocation-log/bound", test_bound);
  g_test_add_func ("/base/allocation-log/shortage", test_shortage);
  return g_test_run ();
}
