/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Blocks come in size classes, eight a doubling, and return to the free list that they came from.
 * Small blocks live in one of several shards, which a thread keeps to; large ones share a shard of
 * their own, so that a big block freed on one thread is at once there for another. A header before
 * each block says whose it is. A small shard takes bytes from the common count in steps and keeps
 * some credit, so that a small allocation costs one uncontended lock.
 */
#include "engine/base/allocator-private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SLUICE_SANITIZES_ADDRESS
#include <sanitizer/asan_interface.h>
#define POISON(block, bytes)   __asan_poison_memory_region (block, bytes)
#define UNPOISON(block, bytes) __asan_unpoison_memory_region (block, bytes)
#else
#define POISON(block, bytes)   ((void) 0)
#define UNPOISON(block, bytes) ((void) 0)
#endif

#define LARGE_SHARD N_SMALL_SHARDS
#define SMALL_BYTES 4096
/* Credit that a small shard takes at a time; it keeps less than three times as much. */
#define CREDIT_STEP ((gsize) 16 << 10)
#define MAX_BYTES   ((gsize) 1 << 47)
/* What may lie cached beside twice the peak before large free blocks are given back. */
#define CACHE_SLACK ((gsize) 64 << 20)

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

static gsize
get_machine_bytes (void)
{
  long pages = sysconf (_SC_PHYS_PAGES), page = sysconf (_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (gsize) pages * page : MAX_BYTES;
}

SluiceAllocator *
sluice_allocator_new (const char *name, gsize limit)
{
  return sluice_allocator_new_from (name, limit, NULL, NULL);
}

SluiceAllocator *
sluice_allocator_new_from (const char *name,
                           gsize limit,
                           const SluiceMemorySource *source,
                           gpointer holder)
{
  SluiceAllocator *self = NULL;
  if (posix_memalign ((void **) &self, _Alignof(SluiceAllocator), sizeof *self) != 0)
    return NULL;
  memset (self, 0, sizeof *self);
  self->name = g_strdup (name);
  self->source = source;
  self->holder = holder;
  pthread_mutex_init (&self->namer_lock, NULL);
  gsize there_is = source != NULL && source->bytes != 0 ? source->bytes : get_machine_bytes ();
  self->is_limited = limit != 0 || (source != NULL && source->bytes != 0);
  self->limit = limit == 0 || (source != NULL && limit > there_is) ? there_is : limit;
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
  SluiceAllocationLog *log = atomic_load_explicit (&self->log, memory_order_relaxed);
  g_clear_pointer (&log, sluice_allocation_log_free);
  g_clear_pointer (&self->shortage, sluice_allocation_log_free);
  pthread_mutex_destroy (&self->namer_lock);
  g_free (self->name);
  g_clear_pointer (&self->residency, sluice_residency_free);
  if (self->source != NULL && self->source->close != NULL)
    self->source->close (self->source->data);
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
      sluice_shard_lock (shard);
      credits += shard->credit;
      shard->credit = 0;
      sluice_shard_unlock (shard);
    }
  if (credits > 0)
    release_held (self, credits);
}

void
sluice_allocator_unref (SluiceAllocator *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  /* Ordered by the shards' locks. */
  atomic_store_explicit (&self->keeps_no_credit, 1, memory_order_relaxed);
  reclaim_credits (self);
  release_held (self, 1);
}

SluiceAllocator *
sluice_allocator_get_host (void)
{
  static SluiceAllocator *host;
  if (g_once_init_enter (&host))
    {
      SluiceAllocator *self = sluice_allocator_new ("host", 0);
      if (self == NULL)
        g_error ("no memory for the host's allocator"); /* the first of all: the program begins */
      g_once_init_leave (&host, self);
    }
  return host;
}

gboolean
sluice_allocator_is_far (const SluiceAllocator *self)
{
  return self->source != NULL && self->source->is_far;
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

/* The same, where others give way. What shards keep may be just what is missing. */
static gboolean
take_held_or_reclaim (SluiceAllocator *self, gsize bytes)
{
  for (gboolean gave_way = TRUE;;)
    {
      reclaim_credits (self);
      if (take_held (self, bytes))
        return TRUE;
      if (!gave_way || bytes > self->limit || self->reclaim == NULL)
        return FALSE;
      gave_way = self->reclaim (self->reclaim_data, bytes);
    }
}

static inline gboolean
keeps_credit (const SluiceAllocator *self, const Shard *shard)
{
  return shard != &self->shards[LARGE_SHARD]
         && G_LIKELY (!atomic_load_explicit (&self->keeps_no_credit, memory_order_relaxed));
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
  gsize more = keeps_credit (self, shard) ? CREDIT_STEP : 0;
  if (!take_held (self, bytes + more))
    return FALSE;
  shard->credit += more;
  return TRUE;
}

/* Returns what must leave the shard's credit for the common count; under the shard's lock. */
static inline gsize
put_credit (SluiceAllocator *self, Shard *shard, gsize bytes)
{
  if (!keeps_credit (self, shard))
    return bytes;
  shard->credit += bytes;
  if (G_LIKELY (shard->credit < 3 * CREDIT_STEP))
    return 0;
  gsize excess = shard->credit - CREDIT_STEP;
  shard->credit = CREDIT_STEP;
  return excess;
}

/* (nullable) */
static Block *
map_far (const SluiceMemorySource *source, gsize total)
{
  FarBlock *far_block = malloc (sizeof *far_block);
  void *data = far_block != NULL ? source->map (source->data, total) : NULL;
  if (data == NULL)
    {
      free (far_block);
      return NULL;
    }
  far_block->data = data;
  far_block->is_vacant = FALSE;
  return &far_block->block;
}

/* (nullable) */
static Block *
map_block (SluiceAllocator *self, gsize total)
{
  if (sluice_allocator_is_far (self))
    return map_far (self->source, total);
  return self->source != NULL ? self->source->map (self->source->data, total)
                              : sluice_system_memory_map (total);
}

static void
unmap_block (SluiceAllocator *self, Block *block, gsize total)
{
  atomic_fetch_sub_explicit (&self->reserved, total, memory_order_relaxed);
  if (sluice_allocator_is_far (self))
    {
      self->source->unmap (self->source->data, ((FarBlock *) block)->data, total);
      free (block);
    }
  else if (self->source != NULL)
    self->source->unmap (self->source->data, block, total);
  else
    sluice_system_memory_unmap (block, total);
}

/* (nullable) */
static Block *
take_free (Shard *shard, guint size_class)
{
  sluice_shard_lock (shard);
  Block *block = shard->free[size_class];
  if (block != NULL)
    {
      shard->free[size_class] = block->next;
      sluice_shard_write_down (shard, block, SLUICE_ALLOCATION_RETURNED);
    }
  sluice_shard_unlock (shard);
  return block;
}

/* Gives cached blocks back to the system, the largest first, until so many bytes have gone. */
static void
shed (SluiceAllocator *self, gsize bytes)
{
  for (guint c = N_CLASSES; c-- > 0;)
    for (guint i = 0; i < G_N_ELEMENTS (self->shards); i++)
      for (Block *block; bytes > 0 && (block = take_free (&self->shards[i], c)) != NULL;)
        {
          unmap_block (self, block, sluice_allocator_class_total (self, c));
          bytes -= MIN (bytes, sluice_allocator_class_total (self, c));
        }
}

void
sluice_allocator_trim (SluiceAllocator *self)
{
  shed (self, G_MAXSIZE);
}

/* What lies cached makes room for so much more. */
static void
shed_for (SluiceAllocator *self, gsize total)
{
  gsize reserved = atomic_load_explicit (&self->reserved, memory_order_relaxed);
  gsize peak = atomic_load_explicit (&self->peak, memory_order_relaxed);
  if (reserved + total > 2 * peak + CACHE_SLACK)
    shed (self, G_MAXSIZE);
  else if (reserved + total > self->limit)
    shed (self, reserved + total - self->limit);
}

static Block *
new_block (SluiceAllocator *self, Shard *shard, guint size_class)
{
  gsize total = sluice_allocator_class_total (self, size_class);
  shed_for (self, total);
  Block *block = map_block (self, total);
  if (block == NULL)
    {
      shed (self, G_MAXSIZE);
      block = map_block (self, total);
      if (block == NULL)
        return NULL;
    }
  atomic_fetch_add_explicit (&self->reserved, total, memory_order_relaxed);
  block->shard = shard;
  block->size_class = size_class;
  return block;
}

static inline void
link_live (
    Shard *shard, Block *block, gsize bytes, SluiceOwner owner, const SluiceBlockLabel *label)
{
  block->bytes = bytes;
  block->owner = owner;
  block->label = *label;
  block->next = shard->live.next;
  block->prev = &shard->live;
  block->next->prev = block;
  shard->live.next = block;
  shard->class_bytes[owner.memory_class] += bytes;
  sluice_shard_write_down (shard, block, SLUICE_ALLOCATION_MADE);
}

SluiceBlock *
sluice_allocator_take (SluiceAllocator *self,
                       gsize bytes,
                       SluiceOwner owner,
                       const SluiceBlockLabel *label)
{
  g_assert (owner.memory_class < SLUICE_N_MEMORY_CLASSES);
  if (G_UNLIKELY (bytes > MAX_BYTES))
    return NULL;
  bytes = bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);

  guint size_class = class_of (bytes);
  Shard *shard = &self->shards[bytes <= SMALL_BYTES ? get_thread_shard () : LARGE_SHARD];
  sluice_shard_lock (shard);
  if (G_UNLIKELY (!take_credit (self, shard, bytes)))
    {
      sluice_shard_unlock (shard);
      if (!take_held_or_reclaim (self, bytes))
        return NULL;
      sluice_shard_lock (shard);
    }
  Block *block = shard->free[size_class];
  if (G_LIKELY (block != NULL))
    shard->free[size_class] = block->next;
  else
    {
      sluice_shard_unlock (shard);
      block = new_block (self, shard, size_class);
      if (block == NULL)
        {
          release_held (self, bytes);
          return NULL;
        }
      sluice_shard_lock (shard);
      shard->n_fresh++;
      sluice_shard_write_down (shard, block, SLUICE_ALLOCATION_RESERVED);
    }
  link_live (shard, block, bytes, owner, label);
  shard->n_allocations++;
  sluice_shard_unlock (shard);

  if (!sluice_allocator_is_far (self))
    UNPOISON (sluice_block_get_near_data (block), bytes);
  return block;
}

void *
sluice_allocator_alloc (SluiceAllocator *self, gsize bytes, SluiceOwner owner)
{
  static const SluiceBlockLabel no_label;
  g_assert (!sluice_allocator_is_far (self));
  Block *block = sluice_allocator_take (self, bytes, owner, &no_label);
  return block != NULL ? sluice_block_get_near_data (block) : NULL;
}

/* Under the shard's lock. */
static inline void
unlink_live (Shard *shard, Block *block)
{
  block->prev->next = block->next;
  block->next->prev = block->prev;
  shard->class_bytes[block->owner.memory_class] -= block->bytes;
  sluice_shard_write_down (shard, block, SLUICE_ALLOCATION_FREED);
}

static inline gboolean
is_vacant (const Block *block)
{
  return sluice_allocator_is_far (block->shard->allocator) && ((const FarBlock *) block)->is_vacant;
}

void
sluice_block_free (SluiceBlock *block)
{
  if (block == NULL)
    return;
  Shard *shard = block->shard;
  SluiceAllocator *self = shard->allocator;
  gsize bytes = block->bytes;

  if (!sluice_allocator_is_far (self))
    POISON (sluice_block_get_near_data (block),
            sluice_allocator_class_capacity (block->size_class));
  sluice_shard_lock (shard);
  unlink_live (shard, block);
  block->next = shard->free[block->size_class];
  shard->free[block->size_class] = block;
  gsize excess = put_credit (self, shard, bytes);
  sluice_shard_unlock (shard);
  if (excess > 0)
    release_held (self, excess);
}

void
sluice_block_free_far (SluiceBlock *block)
{
  if (!is_vacant (block))
    {
      sluice_block_free (block);
      return;
    }
  SluiceAllocator *self = block->shard->allocator;
  self->source->unmap (self->source->data, ((FarBlock *) block)->data,
                       sluice_allocator_class_total (self, block->size_class));
  free (block);
  sluice_allocator_unref (self);
}

void
sluice_allocator_free (void *data)
{
  if (data != NULL)
    sluice_block_free (sluice_block_of (data));
}

/* What has left keeps its addresses, its record and the allocator. */
void
sluice_block_vacate (SluiceBlock *block)
{
  Shard *shard = block->shard;
  SluiceAllocator *self = shard->allocator;
  FarBlock *far_block = (FarBlock *) block;
  gsize total = sluice_allocator_class_total (self, block->size_class);
  sluice_allocator_ref (self);
  self->source->vacate (self->source->data, far_block->data, total);
  atomic_fetch_sub_explicit (&self->reserved, total, memory_order_relaxed);
  sluice_shard_lock (shard);
  unlink_live (shard, block);
  sluice_shard_write_down (shard, block, SLUICE_ALLOCATION_RETURNED);
  far_block->is_vacant = TRUE;
  sluice_shard_unlock (shard);
  release_held (self, block->bytes);
}

gboolean
sluice_block_occupy (SluiceBlock *block)
{
  Shard *shard = block->shard;
  SluiceAllocator *self = shard->allocator;
  FarBlock *far_block = (FarBlock *) block;
  gsize total = sluice_allocator_class_total (self, block->size_class);
  if (!take_held_or_reclaim (self, block->bytes))
    return FALSE;
  shed_for (self, total);
  if (!self->source->occupy (self->source->data, far_block->data, total))
    {
      release_held (self, block->bytes);
      return FALSE;
    }
  atomic_fetch_add_explicit (&self->reserved, total, memory_order_relaxed);
  sluice_shard_lock (shard);
  sluice_shard_write_down (shard, block, SLUICE_ALLOCATION_RESERVED);
  link_live (shard, block, block->bytes, block->owner, &block->label);
  far_block->is_vacant = FALSE;
  sluice_shard_unlock (shard);
  sluice_allocator_unref (self);
  return TRUE;
}

void *
sluice_block_get_data (SluiceBlock *self)
{
  return sluice_allocator_is_far (self->shard->allocator) ? ((FarBlock *) self)->data
                                                          : sluice_block_get_near_data (self);
}

SluiceAllocator *
sluice_block_get_allocator (const SluiceBlock *self)
{
  return self->shard->allocator;
}

/* Under the shard's lock. */
static void
change_owner (Block *block, SluiceOwner owner)
{
  if (G_UNLIKELY (is_vacant (block))) /* is counted as its when it comes back */
    {
      block->owner = owner;
      return;
    }
  block->shard->class_bytes[block->owner.memory_class] -= block->bytes;
  block->owner = owner;
  block->shard->class_bytes[owner.memory_class] += block->bytes;
  sluice_shard_write_down (block->shard, block, SLUICE_ALLOCATION_HANDED_ON);
}

SluiceOwner
sluice_block_get_owner (SluiceBlock *block)
{
  sluice_shard_lock (block->shard);
  SluiceOwner owner = block->owner;
  sluice_shard_unlock (block->shard);
  return owner;
}

void
sluice_block_set_owner (SluiceBlock *block, SluiceOwner owner)
{
  g_assert (owner.memory_class < SLUICE_N_MEMORY_CLASSES);
  sluice_shard_lock (block->shard);
  change_owner (block, owner);
  sluice_shard_unlock (block->shard);
}

void
sluice_block_set_class (SluiceBlock *block, SluiceMemoryClass memory_class)
{
  g_assert (memory_class < SLUICE_N_MEMORY_CLASSES);
  sluice_shard_lock (block->shard);
  SluiceOwner owner = block->owner;
  if (owner.memory_class != SLUICE_MEMORY_PARAMETER
      && owner.memory_class != SLUICE_MEMORY_OPTIMIZER)
    change_owner (block, (SluiceOwner){ owner.node, memory_class });
  sluice_shard_unlock (block->shard);
}

gpointer
sluice_allocator_get_holder (const SluiceAllocator *self)
{
  return self->holder;
}

const char *
sluice_allocator_get_name (SluiceAllocator *self)
{
  return self->name;
}

gsize
sluice_allocator_get_limit (SluiceAllocator *self)
{
  return self->limit;
}

gboolean
sluice_allocator_is_limited (const SluiceAllocator *self)
{
  return self->is_limited;
}

gsize
sluice_allocator_get_source_bytes (const SluiceAllocator *self)
{
  return self->source != NULL ? self->source->bytes : 0;
}

gsize
sluice_allocator_get_live (SluiceAllocator *self)
{
  return atomic_load_explicit (&self->held, memory_order_relaxed) - 1;
}

void
sluice_allocator_set_residency (SluiceAllocator *self, SluiceResidency *take)
{
  self->residency = take;
  atomic_store_explicit (&self->keeps_no_credit, 1, memory_order_relaxed);
}

SluiceResidency *
sluice_allocator_get_residency (const SluiceAllocator *self)
{
  return self->residency;
}

void
sluice_allocator_set_reclaim (SluiceAllocator *self,
                              SluiceReclaim reclaim,
                              char *(*describe) (gpointer data),
                              gpointer data)
{
  self->reclaim = reclaim;
  self->describe_reclaim = describe;
  self->reclaim_data = data;
}

char *
sluice_allocator_describe_reclaim (SluiceAllocator *self)
{
  return self->describe_reclaim != NULL ? self->describe_reclaim (self->reclaim_data) : NULL;
}

void
sluice_allocator_set_namer (SluiceAllocator *self, SluiceNameNode namer, gpointer data)
{
  pthread_mutex_lock (&self->namer_lock);
  self->namer = namer;
  self->namer_data = data;
  pthread_mutex_unlock (&self->namer_lock);
}

char *
sluice_allocator_dup_node_name (SluiceAllocator *self, guint32 node)
{
  if (node == 0)
    return NULL;
  pthread_mutex_lock (&self->namer_lock);
  g_autofree char *name = self->namer != NULL ? self->namer (self->namer_data, node) : NULL;
  pthread_mutex_unlock (&self->namer_lock);
  return name != NULL ? g_strdup_printf ("'%s'", name) : g_strdup_printf ("node %u", node);
}
