/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* What a block of memory is for; memory views and limits speak in these. */
typedef enum
{
  SLUICE_MEMORY_OTHER,
  SLUICE_MEMORY_PARAMETER,
  SLUICE_MEMORY_GRADIENT,
  SLUICE_MEMORY_ACTIVATION,
  SLUICE_MEMORY_OPTIMIZER,
  SLUICE_MEMORY_TEMPORARY,
  SLUICE_MEMORY_TRANSFER,
  SLUICE_MEMORY_WORKSPACE,
  SLUICE_N_MEMORY_CLASSES
} SluiceMemoryClass;

/* Who holds a block: a node's id in its graph (0: nobody's node) and the class of the memory. */
typedef struct
{
  guint32 node;
  guint32 memory_class; /* SluiceMemoryClass */
} SluiceOwner;

#define SLUICE_OWNER_NONE ((SluiceOwner){ 0, SLUICE_MEMORY_OTHER })

typedef struct
{
  gsize live_bytes;     /* handed out now */
  gsize peak_bytes;     /* highest live_bytes so far; blocks up to 4 KiB in steps of 16 KiB */
  gsize reserved_bytes; /* held from the system, live or cached for reuse */
  guint64 n_allocations;
  guint64 n_fresh; /* allocations that had to ask the system: 0 in a steady step */
  gsize class_bytes[SLUICE_N_MEMORY_CLASSES];
} SluiceMemoryStats;

typedef struct
{
  SluiceOwner owner;
  gsize bytes;
  guint n_blocks;
} SluiceMemoryHolder;

/* One per device. Thread-safe. Blocks are 64-byte aligned and are cached for reuse when freed. */
typedef struct _SluiceAllocator SluiceAllocator;

/* limit: bytes that may be live at once; 0: no limit but the machine's. */
SluiceAllocator *sluice_allocator_new (const char *name, gsize limit);
SluiceAllocator *sluice_allocator_ref (SluiceAllocator *self);
void sluice_allocator_unref (SluiceAllocator *self);

/* The allocator of host memory that belongs to no session: builders, files, tests. */
SluiceAllocator *sluice_allocator_get_host (void);

/**
 * sluice_allocator_alloc:
 *
 * Returns: (nullable): @bytes of uninitialised memory, or %NULL where the limit or the machine
 * forbids it. Free with sluice_allocator_free(), from any thread.
 */
void *sluice_allocator_alloc (SluiceAllocator *self, gsize bytes, SluiceOwner owner);
void sluice_allocator_free (void *block);
void sluice_allocator_set_owner (void *block, SluiceOwner owner);

void sluice_allocator_get_stats (SluiceAllocator *self, SluiceMemoryStats *stats);

/* Who holds what now, largest first. Returns: (transfer full) (element-type SluiceMemoryHolder) */
GArray *sluice_allocator_dup_holders (SluiceAllocator *self);

/* Gives cached blocks back to the system. */
void sluice_allocator_trim (SluiceAllocator *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceAllocator, sluice_allocator_unref)
