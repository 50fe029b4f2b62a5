/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/base/allocator.h"
#include "tests/engine/base/far-memory.h"

static SluiceMemoryStats
stats_of (SluiceAllocator *allocator)
{
  SluiceMemoryStats stats;
  sluice_allocator_get_stats (allocator, &stats);
  return stats;
}

static void
test_sizes (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 0);
  for (gsize bytes = 0; bytes < 20000; bytes += bytes < 1000 ? 1 : 61)
    {
      char *block = sluice_allocator_alloc (allocator, bytes, SLUICE_OWNER_NONE);
      g_assert_nonnull (block);
      g_assert_cmpuint ((gsize) block % 64, ==, 0);
      memset (block, 0xa5, bytes);
      sluice_allocator_free (block);
      g_assert_cmpuint (stats_of (allocator).live_bytes, ==, 0);
    }
  for (guint shift = 15; shift < 27; shift++)
    for (int more = -64; more <= 128; more += 64)
      {
        gsize bytes = ((gsize) 1 << shift) + more;
        char *block = sluice_allocator_alloc (allocator, bytes, SLUICE_OWNER_NONE);
        block[0] = block[bytes - 1] = 1;
        g_assert_cmpuint (stats_of (allocator).reserved_bytes, >=, bytes);
        sluice_allocator_free (block);
      }
  sluice_allocator_free (NULL);
  g_assert_null (sluice_allocator_alloc (allocator, (gsize) 1 << 60, SLUICE_OWNER_NONE));
  g_assert_null (sluice_allocator_alloc (allocator, G_MAXSIZE, SLUICE_OWNER_NONE));
}

static void
test_reuse (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 0);
  const gsize sizes[] = { 8, 200, 4096, 5000, 100000, 3 << 20 };
  guint64 fresh = 0;
  for (guint round = 0; round < 3; round++)
    {
      void *blocks[G_N_ELEMENTS (sizes)];
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        blocks[i] = sluice_allocator_alloc (allocator, sizes[i], SLUICE_OWNER_NONE);
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        sluice_allocator_free (blocks[i]);
      if (round == 0)
        fresh = stats_of (allocator).n_fresh;
      g_assert_cmpuint (stats_of (allocator).n_fresh, ==, fresh);
    }
  g_assert_cmpuint (fresh, ==, G_N_ELEMENTS (sizes));
  g_assert_cmpuint (stats_of (allocator).n_allocations, ==, 3 * G_N_ELEMENTS (sizes));
  g_assert_cmpuint (stats_of (allocator).reserved_bytes, >, 3 << 20);
  sluice_allocator_trim (allocator);
  g_assert_cmpuint (stats_of (allocator).reserved_bytes, ==, 0);
}

/* Ever new sizes must not pile up: what is cached is bounded by the peak. */
static void
test_cache_bound (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 0);
  for (gsize bytes = 1 << 20; bytes < 48 << 20; bytes += bytes / 8)
    sluice_allocator_free (sluice_allocator_alloc (allocator, bytes, SLUICE_OWNER_NONE));
  SluiceMemoryStats stats = stats_of (allocator);
  g_assert_cmpuint (stats.reserved_bytes, <=, 2 * stats.peak_bytes + (65 << 20));
}

static void
test_limit (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 1 << 20);
  void *half = sluice_allocator_alloc (allocator, 1 << 19, SLUICE_OWNER_NONE);
  void *rest = sluice_allocator_alloc (allocator, 1 << 19, SLUICE_OWNER_NONE);
  g_assert_nonnull (rest);
  g_assert_null (sluice_allocator_alloc (allocator, 1, SLUICE_OWNER_NONE));
  sluice_allocator_free (half);
  g_assert_cmpuint (stats_of (allocator).live_bytes, ==, 1 << 19);
  half = sluice_allocator_alloc (allocator, 1 << 18, SLUICE_OWNER_NONE);
  g_assert_nonnull (half);
  sluice_allocator_free (half);
  sluice_allocator_free (rest);
  g_assert_cmpuint (stats_of (allocator).peak_bytes, ==, 1 << 20);
}

static void
test_owners (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 0);
  SluiceOwner weights = { 3, SLUICE_MEMORY_PARAMETER }, grads = { 7, SLUICE_MEMORY_GRADIENT };
  void *a = sluice_allocator_alloc (allocator, 64, weights);
  void *b = sluice_allocator_alloc (allocator, 6400, weights);
  void *c = sluice_allocator_alloc (allocator, 100 << 10, grads);
  g_assert_cmpuint (stats_of (allocator).class_bytes[SLUICE_MEMORY_PARAMETER], ==, 6464);

  g_autoptr (GArray) holders = sluice_allocator_dup_holders (allocator);
  g_assert_cmpuint (holders->len, ==, 2);
  SluiceMemoryHolder *first = &g_array_index (holders, SluiceMemoryHolder, 0), *second = first + 1;
  g_assert_cmpuint (first->owner.node, ==, 7);
  g_assert_cmpuint (first->bytes, ==, 100 << 10);
  g_assert_cmpuint (second->owner.node, ==, 3);
  g_assert_cmpuint (second->bytes, ==, 6464);
  g_assert_cmpuint (second->n_blocks, ==, 2);

  sluice_block_set_owner (sluice_block_of (b), grads);
  g_assert_cmpuint (stats_of (allocator).class_bytes[SLUICE_MEMORY_PARAMETER], ==, 64);
  g_assert_cmpuint (stats_of (allocator).class_bytes[SLUICE_MEMORY_GRADIENT], ==,
                    (100 << 10) + 6400);
  sluice_allocator_free (a);
  sluice_allocator_free (b);
  sluice_allocator_free (c);
  for (guint i = 0; i < SLUICE_N_MEMORY_CLASSES; i++)
    g_assert_cmpuint (stats_of (allocator).class_bytes[i], ==, 0);
}

/* The ledger of a recording tells its peak, not its end. */
static void
test_ledger (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 0);
  SluiceOwner weights = { 3, SLUICE_MEMORY_PARAMETER }, values = { 7, SLUICE_MEMORY_ACTIVATION };
  SluiceBlockLabel label = { 1, 6, { 2, 3, 4, G_MAXUINT32 } };
  void *before = sluice_allocator_alloc (allocator, 6400, weights);
  g_assert_null (sluice_allocator_end_ledger (allocator));
  g_assert_true (sluice_allocator_start_ledger (allocator));
  g_assert_false (sluice_allocator_start_ledger (allocator));
  void *a = sluice_block_get_data (sluice_allocator_take (allocator, 64000, values, &label));
  void *b = sluice_allocator_alloc (allocator, 128, values);
  sluice_block_set_class (sluice_block_of (a), SLUICE_MEMORY_STACK);
  /* A parameter stays one. */
  sluice_block_set_class (sluice_block_of (before), SLUICE_MEMORY_STACK);
  void *c = sluice_allocator_alloc (allocator, 64, values);
  sluice_allocator_free (a);
  sluice_allocator_free (before);
  void *after = sluice_allocator_alloc (allocator, 640, weights);
  g_autoptr (SluiceLedger) ledger = sluice_allocator_end_ledger (allocator);
  sluice_allocator_free (b);
  sluice_allocator_free (c);
  sluice_allocator_free (after);

  g_assert_cmpuint (ledger->peak_bytes, ==, 6400 + 64000 + 128 + 64);
  g_assert_cmpuint (ledger->n_allocations, ==, 4);
  g_assert_cmpuint (ledger->class_bytes[SLUICE_MEMORY_PARAMETER], ==, 6400);
  g_assert_cmpuint (ledger->class_bytes[SLUICE_MEMORY_STACK], ==, 64000);
  g_assert_cmpuint (ledger->class_bytes[SLUICE_MEMORY_ACTIVATION], ==, 192);
  g_assert_cmpuint (ledger->holders->len, ==, 3);
  const SluiceMemoryHolder *first = &g_array_index (ledger->holders, SluiceMemoryHolder, 0);
  g_assert_cmpuint (first->owner.node, ==, 7);
  g_autofree char *text = sluice_block_label_to_string (&first->largest);
  g_assert_cmpstr (text, ==, "float […,2,3,4,…]");
  g_autofree char *nobody = sluice_allocator_dup_node_name (allocator, 0);
  g_autofree char *nameless = sluice_allocator_dup_node_name (allocator, 7);
  g_assert_null (nobody);
  g_assert_cmpstr (nameless, ==, "node 7");
}

typedef struct
{
  void *blocks[4];
  guint n;
} Spare;

static gboolean
give_way (gpointer data, gsize bytes)
{
  Spare *spare = data;
  if (spare->n == 0)
    return FALSE;
  sluice_allocator_free (spare->blocks[--spare->n]);
  return TRUE;
}

/* Others give way where the limit would be passed, as far as they can. */
static void
test_reclaim (void)
{
  const gsize part = 1 << 18;
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 4 * part);
  Spare spare = { { NULL }, 0 };
  sluice_allocator_set_reclaim (allocator, give_way, NULL, &spare);
  for (; spare.n < 4; spare.n++)
    spare.blocks[spare.n] = sluice_allocator_alloc (allocator, part, SLUICE_OWNER_NONE);
  void *two = sluice_allocator_alloc (allocator, 2 * part, SLUICE_OWNER_NONE);
  g_assert_nonnull (two);
  g_assert_cmpuint (spare.n, ==, 2);
  g_assert_null (sluice_allocator_alloc (allocator, 4 * part + 1, SLUICE_OWNER_NONE));
  g_assert_cmpuint (spare.n, ==, 2); /* what can never fit takes nothing from anybody */
  g_assert_null (sluice_allocator_alloc (allocator, 3 * part, SLUICE_OWNER_NONE));
  g_assert_cmpuint (spare.n, ==, 0);
  sluice_allocator_free (two);
  SluiceMemoryStats stats = stats_of (allocator);
  g_assert_cmpuint (stats.live_bytes, ==, 0);
  g_assert_cmpuint (stats.peak_bytes, <=, 4 * part);
  /* What lies cached counts too: it goes before the program takes more than the limit. */
  g_assert_cmpuint (stats.reserved_bytes, <=, 4 * part + (16 << 10));
}

/* A block may outlive the last reference to its allocator. */
static void
test_orphan (void)
{
  SluiceAllocator *allocator = sluice_allocator_new ("test", 0);
  char *block = sluice_allocator_alloc (allocator, 1000, SLUICE_OWNER_NONE);
  sluice_allocator_unref (allocator);
  memset (block, 1, 1000);
  sluice_allocator_free (block);
}

#define N_THREADS 4
#define N_SLOTS   64

typedef struct
{
  SluiceAllocator *allocator;
  pthread_mutex_t lock;
  struct
  {
    guint8 *block;
    gsize bytes;
    guint8 mark;
  } slots[N_SLOTS]; /* under lock: blocks that any thread may take and free */
  atomic_uint seed;
} Stress;

static void *
stress_main (void *data)
{
  Stress *stress = data;
  guint32 random = 7919 * (1 + atomic_fetch_add (&stress->seed, 1));
  for (guint i = 0; i < 20000; i++)
    {
      random = random * 1664525 + 1013904223;
      gsize bytes = (random >> 8) % (i % 16 == 0 ? 40000 : 600) + 1;
      guint8 mark = random >> 16;
      guint8 *block = sluice_allocator_alloc (stress->allocator, bytes, (SluiceOwner){ i % 5, 0 });
      g_assert_nonnull (block);
      memset (block, mark, bytes);

      guint slot = (random >> 20) % N_SLOTS;
      pthread_mutex_lock (&stress->lock);
      guint8 *old = stress->slots[slot].block;
      gsize old_bytes = stress->slots[slot].bytes;
      guint8 old_mark = stress->slots[slot].mark;
      stress->slots[slot].block = block;
      stress->slots[slot].bytes = bytes;
      stress->slots[slot].mark = mark;
      pthread_mutex_unlock (&stress->lock);
      if (old == NULL)
        continue;
      g_assert_cmpuint (old[0], ==, old_mark);
      g_assert_cmpuint (old[old_bytes / 2], ==, old_mark);
      g_assert_cmpuint (old[old_bytes - 1], ==, old_mark);
      sluice_allocator_free (old);
      if (i % 1000 == 0)
        sluice_allocator_trim (stress->allocator);
      if (i % 1777 == 0)
        g_array_unref (sluice_allocator_dup_holders (stress->allocator));
    }
  return NULL;
}

static void
test_stress (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("test", 0);
  Stress stress = { .allocator = allocator, .lock = PTHREAD_MUTEX_INITIALIZER };
  pthread_t threads[N_THREADS];
  for (guint i = 0; i < N_THREADS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, stress_main, &stress), ==, 0);
  for (guint i = 0; i < N_THREADS; i++)
    pthread_join (threads[i], NULL);
  for (guint i = 0; i < N_SLOTS; i++)
    sluice_allocator_free (stress.slots[i].block);
  SluiceMemoryStats stats = stats_of (allocator);
  g_assert_cmpuint (stats.live_bytes, ==, 0);
  g_assert_cmpuint (stats.n_allocations, ==, N_THREADS * 20000);
  g_assert_cmpuint (stats.class_bytes[0], ==, 0);
}

/* Memory that the host does not reach: touching a block ends the test. */
static void
test_far (void)
{
  FarMemory memory;
  far_memory_init (&memory);
  g_autoptr (SluiceAllocator) allocator =
      sluice_allocator_new_from ("far", 1 << 20, &memory.source, NULL);
  g_assert_true (sluice_allocator_is_far (allocator));
  const SluiceBlockLabel label = { 0 };
  const SluiceOwner owner = { 3, SLUICE_MEMORY_GRADIENT };
  const gsize sizes[] = { 0, 200, 4096, 100000, 300000 };
  void *data[G_N_ELEMENTS (sizes)];
  for (guint round = 0; round < 2; round++)
    {
      SluiceBlock *blocks[G_N_ELEMENTS (sizes)];
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        {
          blocks[i] = sluice_allocator_take (allocator, sizes[i], owner, &label);
          g_assert_nonnull (blocks[i]);
          g_assert_true (sluice_block_get_allocator (blocks[i]) == allocator);
          g_assert_true (round == 0 || data[i] == sluice_block_get_data (blocks[i]));
          data[i] = sluice_block_get_data (blocks[i]);
          g_assert_true (far_memory_holds (&memory, data[i]));
          g_assert_cmpuint ((gsize) data[i] % 64, ==, 0);
        }
      g_assert_cmpuint (stats_of (allocator).class_bytes[SLUICE_MEMORY_GRADIENT], ==,
                        64 + 256 + 4096 + 100032 + 300032);
      sluice_block_set_class (blocks[3], SLUICE_MEMORY_STACK);
      g_assert_cmpuint (stats_of (allocator).class_bytes[SLUICE_MEMORY_STACK], ==, 100032);
      g_assert_null (sluice_allocator_take (allocator, 1 << 20, owner, &label));
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        sluice_block_free (blocks[i]);
      g_assert_cmpuint (stats_of (allocator).live_bytes, ==, 0);
    }
  g_assert_cmpuint (memory.n_blocks, ==, G_N_ELEMENTS (sizes));
  sluice_allocator_trim (allocator);
  g_assert_cmpuint (memory.n_blocks, ==, 0);
  g_assert_cmpuint (stats_of (allocator).reserved_bytes, ==, 0);
  far_memory_clear (&memory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/allocator/sizes", test_sizes);
  g_test_add_func ("/base/allocator/reuse", test_reuse);
  g_test_add_func ("/base/allocator/cache-bound", test_cache_bound);
  g_test_add_func ("/base/allocator/limit", test_limit);
  g_test_add_func ("/base/allocator/owners", test_owners);
  g_test_add_func ("/base/allocator/ledger", test_ledger);
  g_test_add_func ("/base/allocator/reclaim", test_reclaim);
  g_test_add_func ("/base/allocator/orphan", test_orphan);
  g_test_add_func ("/base/allocator/far", test_far);
  g_test_add_func ("/base/allocator/stress", test_stress);
  return g_test_run ();
}
