/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Blocks come in size classes, eight a doubling, and return to the free list that they came from.
 * Small blocks live in one of several shards, which a thread keeps to; large ones share a shard of
 * their own, so that a big block freed on one thread is at once there for another. A header before
 * each block says whose it is. A small shard takes bytes from the common count in steps and keeps
 * some credit, so that a small allocation costs one uncontended lock.
 */
#include "engine/base/allocator.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZE_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZE_ADDRESS 1
#endif
#endif
#ifdef SANITIZE_ADDRESS
#include <sanitizer/asan_interface.h>
#define POISON(block, bytes)   __asan_poison_memory_region (block, bytes)
#define UNPOISON(block, bytes) __asan_unpoison_memory_region (block, bytes)
#else
#define POISON(block, bytes)   ((void) 0)
#define UNPOISON(block, bytes) ((void) 0)
#endif

#define ALIGNMENT      64
#define N_SMALL_SHARDS 8
#define LARGE_SHARD    N_SMALL_SHARDS
#define SMALL_BYTES    4096
#define HUGE_PAGE      ((gsize) 2 << 20)
/* Credit that a small shard takes at a time; it keeps less than three times as much. */
#define CREDIT_STEP ((gsize) 16 << 10)
#define MAX_BYTES   ((gsize) 1 << 47)
#define N_CLASSES   320
/* What may lie cached beside twice the peak before large free blocks are given back. */
#define CACHE_SLACK ((gsize) 64 << 20)

typedef struct _Shard Shard;
typedef struct _Block Block;

struct _Block
{
  Shard *shard;
  Block *next, *prev; /* in the shard's live ring, or (next only) in a free list; under its lock */
  gsize bytes;        /* asked for, rounded up to ALIGNMENT */
  SluiceOwner owner;  /* under the shard's lock */
  guint32 size_class;
};
G_STATIC_ASSERT (sizeof (Block) <= ALIGNMENT);

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
  atomic_int ref_count;
  atomic_int closed;                /* no reference is left: blocks that return keep no credit */
  _Alignas(128) _Atomic gsize held; /* live bytes and credits, plus 1 while there are references */
  _Atomic gsize peak;
  _Atomic gsize reserved;
};

/* A spin lock: the sections are shorter than any sleep, and ThreadSanitizer sees the atomics. */
static inline void
shard_lock (Shard *self)
{
  for (guint tries = 0; atomic_exchange_explicit (&self->lock, 1, memory_order_acquire); tries++)
    while (atomic_load_explicit (&self->lock, memory_order_relaxed))
      if (++tries < 64)
        __builtin_ia32_pause ();
      else
        sched_yield ();
}

static inline void
shard_unlock (Shard *self)
{
  atomic_store_explicit (&self->lock, 0, memory_order_release);
}

static guint
get_thread_shard (void)
{
  static atomic_uint n_threads;
  static _Thread_local guint number; /* 0: not given yet */
  if (G_UNLIKELY (number == 0))
    number = 1 + atomic_fetch_add_explicit (&n_threads, 1, memory_order_relaxed) % N_SMALL_SHARDS;
  return number - 1;
}

/*
 * Class of a size that is a multiple of ALIGNMENT. Above 512 bytes the capacity of a class is
 * ALIGNMENT more than a round number: room for what a tensor puts before its elements.
 */
static inline guint
class_of (gsize bytes)
{
  if (bytes <= 512)
    return bytes / ALIGNMENT - 1;
  gsize last = bytes - ALIGNMENT - 1;
  if (last < 512)
    return 8;
  guint exponent = 63 - __builtin_clzll (last);
  return 8 * (exponent - 8) + 1 + ((last >> (exponent - 3)) & 7);
}

static inline gsize
class_capacity (guint size_class)
{
  if (size_class < 8)
    return (gsize) (size_class + 1) * ALIGNMENT;
  if (size_class == 8)
    return 512 + ALIGNMENT;
  guint exponent = (size_class - 9) / 8 + 9, eighth = (size_class - 9) % 8;
  return ((gsize) (eighth + 9) << (exponent - 3)) + ALIGNMENT;
}

static gsize
get_machine_bytes (void)
{
  long pages = sysconf (_SC_PHYS_PAGES), page = sysconf (_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (gsize) pages * page : MAX_BYTES;
}

SluiceAllocator *
sluice_allocator_new (const char *name, gsize limit)
{
  SluiceAllocator *self = NULL;
  if (posix_memalign ((void **) &self, _Alignof(SluiceAllocator), sizeof *self) != 0)
    g_error ("out of memory for an allocator");
  memset (self, 0, sizeof *self);
  self->name = g_strdup (name);
  self->limit = limit != 0 ? limit : get_machine_bytes ();
  atomic_init (&self->ref_count, 1);
  atomic_init (&self->held, 1);
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    {
      Shard *shard = &self->shards[i];
      shard->allocator = self;
      shard->live.next = shard->live.prev = &shard->live;
    }
  return self;
}

SluiceAllocator *
sluice_allocator_ref (SluiceAllocator *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

static void
release_held (SluiceAllocator *self, gsize amount)
{
  if (atomic_fetch_sub_explicit (&self->held, amount, memory_order_acq_rel) != amount)
    return;
  sluice_allocator_trim (self); /* no reference and no block is left */
  g_free (self->name);
  free (self);
}

/* Gives all credits back to the common count. */
static void
reclaim_credits (SluiceAllocator *self)
{
  gsize credits = 0;
  for (guint i = 0; i < N_SMALL_SHARDS; i++)
    {
      Shard *shard = &self->shards[i];
      shard_lock (shard);
      credits += shard->credit;
      shard->credit = 0;
      shard_unlock (shard);
    }
  if (credits > 0)
    release_held (self, credits);
}

void
sluice_allocator_unref (SluiceAllocator *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  atomic_store_explicit (&self->closed, 1, memory_order_relaxed); /* ordered by the shards' locks */
  reclaim_credits (self);
  release_held (self, 1);
}

SluiceAllocator *
sluice_allocator_get_host (void)
{
  static SluiceAllocator *host;
  if (g_once_init_enter (&host))
    g_once_init_leave (&host, sluice_allocator_new ("host", 0));
  return host;
}

/* Counts bytes as live; FALSE where the limit forbids them. */
static inline gboolean
take_held (SluiceAllocator *self, gsize bytes)
{
  gsize live = atomic_fetch_add_explicit (&self->held, bytes, memory_order_relaxed) + bytes - 1;
  if (G_UNLIKELY (live > self->limit))
    {
      release_held (self, bytes);
      return FALSE;
    }
  gsize peak = atomic_load_explicit (&self->peak, memory_order_relaxed);
  while (live > peak
         && !atomic_compare_exchange_weak_explicit (&self->peak, &peak, live, memory_order_relaxed,
                                                    memory_order_relaxed))
    ;
  return TRUE;
}

/* The same, from the shard's credit where it suffices; under the shard's lock. */
static inline gboolean
take_credit (SluiceAllocator *self, Shard *shard, gsize bytes)
{
  if (G_LIKELY (shard->credit >= bytes))
    {
      shard->credit -= bytes;
      return TRUE;
    }
  gsize more = shard == &self->shards[LARGE_SHARD] ? 0 : CREDIT_STEP;
  if (!take_held (self, bytes + more))
    return FALSE;
  shard->credit += more;
  return TRUE;
}

/* Returns what must leave the shard's credit for the common count; under the shard's lock. */
static inline gsize
put_credit (SluiceAllocator *self, Shard *shard, gsize bytes)
{
  if (shard == &self->shards[LARGE_SHARD]
      || G_UNLIKELY (atomic_load_explicit (&self->closed, memory_order_relaxed)))
    return bytes;
  shard->credit += bytes;
  if (G_LIKELY (shard->credit < 3 * CREDIT_STEP))
    return 0;
  gsize excess = shard->credit - CREDIT_STEP;
  shard->credit = CREDIT_STEP;
  return excess;
}

/* Memory of the system; in huge pages where it is large: walking page tables is what limits random
 * access to it, and faults its first touch. */
static Block *
map_block (gsize total)
{
  void *block = NULL;
  gboolean is_huge = total >= 4 * HUGE_PAGE;
  if (posix_memalign (&block, is_huge ? HUGE_PAGE : ALIGNMENT, total) != 0)
    return NULL;
#ifdef MADV_HUGEPAGE
  if (is_huge)
    madvise (block, total, MADV_HUGEPAGE); /* advice: where there are none, small ones do */
#endif
  return block;
}

static Block *
new_block (SluiceAllocator *self, Shard *shard, guint size_class)
{
  gsize total = class_capacity (size_class) + ALIGNMENT;
  gsize reserved = atomic_load_explicit (&self->reserved, memory_order_relaxed);
  gsize peak = atomic_load_explicit (&self->peak, memory_order_relaxed);
  if (reserved + total > 2 * peak + CACHE_SLACK)
    sluice_allocator_trim (self);

  Block *block = map_block (total);
  if (block == NULL)
    {
      sluice_allocator_trim (self);
      block = map_block (total);
      if (block == NULL)
        return NULL;
    }
  atomic_fetch_add_explicit (&self->reserved, total, memory_order_relaxed);
  block->shard = shard;
  block->size_class = size_class;
  return block;
}

static inline void
link_live (Shard *shard, Block *block, gsize bytes, SluiceOwner owner)
{
  block->bytes = bytes;
  block->owner = owner;
  block->next = shard->live.next;
  block->prev = &shard->live;
  block->next->prev = block;
  shard->live.next = block;
  shard->n_allocations++;
  shard->class_bytes[owner.memory_class] += bytes;
}

void *
sluice_allocator_alloc (SluiceAllocator *self, gsize bytes, SluiceOwner owner)
{
  g_assert (owner.memory_class < SLUICE_N_MEMORY_CLASSES);
  if (G_UNLIKELY (bytes > MAX_BYTES))
    return NULL;
  bytes = bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);

  guint size_class = class_of (bytes);
  Shard *shard = &self->shards[bytes <= SMALL_BYTES ? get_thread_shard () : LARGE_SHARD];
  shard_lock (shard);
  if (G_UNLIKELY (!take_credit (self, shard, bytes)))
    {
      /* What other shards keep may be just what is missing. */
      shard_unlock (shard);
      reclaim_credits (self);
      if (!take_held (self, bytes))
        return NULL;
      shard_lock (shard);
    }
  Block *block = shard->free[size_class];
  if (G_LIKELY (block != NULL))
    shard->free[size_class] = block->next;
  else
    {
      shard_unlock (shard);
      block = new_block (self, shard, size_class);
      if (block == NULL)
        {
          release_held (self, bytes);
          return NULL;
        }
      shard_lock (shard);
      shard->n_fresh++;
    }
  link_live (shard, block, bytes, owner);
  shard_unlock (shard);

  void *data = (char *) block + ALIGNMENT;
  UNPOISON (data, bytes);
  return data;
}

static inline Block *
block_of (void *data)
{
  return (Block *) ((char *) data - ALIGNMENT);
}

void
sluice_allocator_free (void *data)
{
  if (data == NULL)
    return;
  Block *block = block_of (data);
  Shard *shard = block->shard;
  SluiceAllocator *self = shard->allocator;
  gsize bytes = block->bytes;

  POISON (data, class_capacity (block->size_class));
  shard_lock (shard);
  block->prev->next = block->next;
  block->next->prev = block->prev;
  shard->class_bytes[block->owner.memory_class] -= bytes;
  block->next = shard->free[block->size_class];
  shard->free[block->size_class] = block;
  gsize excess = put_credit (self, shard, bytes);
  shard_unlock (shard);
  if (excess > 0)
    release_held (self, excess);
}

void
sluice_allocator_set_owner (void *data, SluiceOwner owner)
{
  g_assert (owner.memory_class < SLUICE_N_MEMORY_CLASSES);
  Block *block = block_of (data);
  shard_lock (block->shard);
  block->shard->class_bytes[block->owner.memory_class] -= block->bytes;
  block->owner = owner;
  block->shard->class_bytes[owner.memory_class] += block->bytes;
  shard_unlock (block->shard);
}

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
      shard_lock (shard);
      credits += shard->credit;
      stats->n_allocations += shard->n_allocations;
      stats->n_fresh += shard->n_fresh;
      for (guint c = 0; c < SLUICE_N_MEMORY_CLASSES; c++)
        stats->class_bytes[c] += shard->class_bytes[c];
      shard_unlock (shard);
    }
  gsize held = atomic_load_explicit (&self->held, memory_order_relaxed) - 1;
  stats->live_bytes = held > credits ? held - credits : 0; /* the shards were not read at once */
}

static gint
compare_owners (gconstpointer a, gconstpointer b)
{
  const SluiceMemoryHolder *x = a, *y = b;
  if (x->owner.node != y->owner.node)
    return x->owner.node < y->owner.node ? -1 : 1;
  return (x->owner.memory_class > y->owner.memory_class)
         - (x->owner.memory_class < y->owner.memory_class);
}

static gint
compare_sizes (gconstpointer a, gconstpointer b)
{
  const SluiceMemoryHolder *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return compare_owners (a, b);
}

GArray *
sluice_allocator_dup_holders (SluiceAllocator *self)
{
  GArray *holders = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryHolder));
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    {
      Shard *shard = &self->shards[i];
      shard_lock (shard);
      for (Block *block = shard->live.next; block != &shard->live; block = block->next)
        {
          SluiceMemoryHolder holder = { block->owner, block->bytes, 1 };
          g_array_append_val (holders, holder);
        }
      shard_unlock (shard);
    }

  /* One entry an owner. */
  g_array_sort (holders, compare_owners);
  guint n = 0;
  for (guint i = 0; i < holders->len; i++)
    {
      SluiceMemoryHolder *from = &g_array_index (holders, SluiceMemoryHolder, i);
      SluiceMemoryHolder *last = n ? &g_array_index (holders, SluiceMemoryHolder, n - 1) : NULL;
      if (last && compare_owners (last, from) == 0)
        {
          last->bytes += from->bytes;
          last->n_blocks += from->n_blocks;
        }
      else
        g_array_index (holders, SluiceMemoryHolder, n++) = *from;
    }
  g_array_set_size (holders, n);
  g_array_sort (holders, compare_sizes);
  return holders;
}

void
sluice_allocator_trim (SluiceAllocator *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
    for (guint c = 0; c < N_CLASSES; c++)
      {
        Shard *shard = &self->shards[i];
        shard_lock (shard);
        Block *block = shard->free[c];
        shard->free[c] = NULL;
        shard_unlock (shard);
        while (block != NULL)
          {
            Block *next = block->next;
            atomic_fetch_sub_explicit (&self->reserved, class_capacity (c) + ALIGNMENT,
                                       memory_order_relaxed);
            free (block);
            block = next;
          }
      }
}
