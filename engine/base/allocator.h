/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

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
  SLUICE_MEMORY_STACK, /* kept by a loop for its gradient */
  SLUICE_MEMORY_ARRAY, /* elements of a TensorArray */
  SLUICE_MEMORY_QUEUE,
  SLUICE_N_MEMORY_CLASSES
} SluiceMemoryClass;

/* Who holds a block: a node's id in its graph (0: nobody's node) and the class of the memory. */
typedef struct
{
  guint32 node;
  guint32 memory_class; /* SluiceMemoryClass */
} SluiceOwner;

#define SLUICE_OWNER_NONE ((SluiceOwner){ 0, SLUICE_MEMORY_OTHER })

/* "parameter", "activation" … */
const char *sluice_memory_class_name (SluiceMemoryClass memory_class);

/* What lies in a block, as far as its header has room: the last four dimensions. */
typedef struct
{
  gint8 dtype; /* SluiceDType; 0: no tensor's elements */
  gint8 rank;
  guint32 dims[4]; /* the last ones; G_MAXUINT32: as long or longer */
} SluiceBlockLabel;

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
  gsize largest_bytes; /* of one block */
  SluiceBlockLabel largest;
} SluiceMemoryHolder;

/* One per device. Thread-safe. Blocks are 64-byte aligned and are cached for reuse when freed. */
typedef struct _SluiceAllocator SluiceAllocator;

/* A block that was handed out, by its record. */
typedef struct _SluiceBlock SluiceBlock;

/* What leaves the memory when there is too little: residency.h. */
typedef struct _SluiceResidency SluiceResidency;

/* limit: bytes that may be live at once; 0: no limit but the machine's. (nullable): no memory for
 * itself */
SluiceAllocator *sluice_allocator_new (const char *name, gsize limit);
SluiceAllocator *sluice_allocator_ref (SluiceAllocator *self);
void sluice_allocator_unref (SluiceAllocator *self);

/* Where blocks come from instead of the system: the memory of a device. Any thread; lives as long
 * as the program. */
typedef struct
{
  void *(*map) (gpointer data, gsize bytes); /* (nullable): 64-byte aligned */
  void (*unmap) (gpointer data, void *memory, gsize bytes);
  void (*close) (gpointer data); /* (nullable): nobody has any of it any more */
  gpointer data;
  gsize bytes;     /* how much there is; 0: as much as the machine has */
  gboolean is_far; /* the host does not reach it: records lie in host memory, and nothing here ever
                      reads or writes a block */
  /* Both (nullable), of far memory whose device has done what a copy does when it returns: what
   * lies behind a block's addresses goes, and what was there is lost; the addresses stay the
   * block's until it comes back (FALSE: it cannot) or is unmapped. */
  void (*vacate) (gpointer data, void *memory, gsize bytes);
  gboolean (*occupy) (gpointer data, void *memory, gsize bytes);
} SluiceMemorySource;
/* As sluice_allocator_new(), and no more than the source has; source (nullable). holder: whose
 * memory it is, for who copies to and from it: a device */
SluiceAllocator *sluice_allocator_new_from (const char *name,
                                            gsize limit,
                                            const SluiceMemorySource *source,
                                            gpointer holder);

/* The allocator of host memory that belongs to no session: builders, files, tests. */
SluiceAllocator *sluice_allocator_get_host (void);

/* Blocks come from memory that the host does not reach. */
gboolean sluice_allocator_is_far (const SluiceAllocator *self);

/**
 * sluice_allocator_take:
 * @label: what reports say of it
 *
 * Returns: (nullable): a block of @bytes of uninitialised memory, or %NULL where the limit or the
 * machine forbids it. Free with sluice_block_free(), from any thread.
 */
SluiceBlock *sluice_allocator_take (SluiceAllocator *self,
                                    gsize bytes,
                                    SluiceOwner owner,
                                    const SluiceBlockLabel *label);
void sluice_block_free (SluiceBlock *self); /* (nullable) self */
void *sluice_block_get_data (SluiceBlock *self);
/* Far memory that takes nothing of the limit until it is occupied again: what lay there is lost,
 * addresses and owner stay. */
void sluice_block_vacate (SluiceBlock *self);
/* FALSE: no room, though others were asked to give way; it is vacant still. */
gboolean sluice_block_occupy (SluiceBlock *self);
/* Frees one that may be vacant. */
void sluice_block_free_far (SluiceBlock *self);
SluiceAllocator *sluice_block_get_allocator (const SluiceBlock *self);
SluiceOwner sluice_block_get_owner (SluiceBlock *self);
void sluice_block_set_owner (SluiceBlock *self, SluiceOwner owner);
/* The node stays. A parameter's or an optimizer's memory stays theirs, whoever holds it too. */
void sluice_block_set_class (SluiceBlock *self, SluiceMemoryClass memory_class);

/* Memory that the host reaches has its record before it: there, the memory alone will do. */
#define SLUICE_BLOCK_RECORD_BYTES 64
static inline SluiceBlock *
sluice_block_of (void *data)
{
  return (SluiceBlock *) ((char *) data - SLUICE_BLOCK_RECORD_BYTES);
}
static inline void *
sluice_block_get_near_data (SluiceBlock *self)
{
  return (char *) self + SLUICE_BLOCK_RECORD_BYTES;
}
void *sluice_allocator_alloc (SluiceAllocator *self, gsize bytes, SluiceOwner owner);
void sluice_allocator_free (void *data); /* (nullable) data */

gpointer sluice_allocator_get_holder (const SluiceAllocator *self);
const char *sluice_allocator_get_name (SluiceAllocator *self);
gsize sluice_allocator_get_limit (SluiceAllocator *self);
/* FALSE: by no more than what the machine has. */
gboolean sluice_allocator_is_limited (const SluiceAllocator *self);
/* How much there is where its blocks come from; 0: as much as the machine has. */
gsize sluice_allocator_get_source_bytes (const SluiceAllocator *self);
/* Live bytes, at most 384 KiB too many: one load. */
gsize sluice_allocator_get_live (SluiceAllocator *self);

/* Called where an allocation would pass the limit: frees something, or returns FALSE. May not
 * allocate here. From any thread; set before the first allocation. */
typedef gboolean (*SluiceReclaim) (gpointer data, gsize bytes);
/* describe: what it has done and cannot do, for a message; (transfer full) (nullable). */
void sluice_allocator_set_reclaim (SluiceAllocator *self,
                                   SluiceReclaim reclaim,
                                   char *(*describe) (gpointer data),
                                   gpointer data);
/* (transfer full) (nullable): of the above */
char *sluice_allocator_describe_reclaim (SluiceAllocator *self);

/* take: goes with the last block. Before the first allocation. */
void sluice_allocator_set_residency (SluiceAllocator *self, SluiceResidency *take);
/* (nullable): nothing of it leaves */
SluiceResidency *sluice_allocator_get_residency (const SluiceAllocator *self);

void sluice_allocator_get_stats (SluiceAllocator *self, SluiceMemoryStats *stats);

/* What a node is called, for messages; (transfer full) (nullable). Called on the thread that lacks
 * memory. NULL: nobody knows any more; when that returns no call is under way. */
typedef char *(*SluiceNameNode) (gpointer data, guint32 node);
void sluice_allocator_set_namer (SluiceAllocator *self, SluiceNameNode namer, gpointer data);
/* (transfer full): "'name'", "node 7", or NULL for memory of no node */
char *sluice_allocator_dup_node_name (SluiceAllocator *self, guint32 node);

/* "float [64,100]", "[…,3,3,64,64]" of more than four dimensions; NULL: no tensor. (transfer full)
 */
char *sluice_block_label_to_string (const SluiceBlockLabel *label);

/* Adds up, largest first: blocks become one entry an owner. */
void sluice_memory_holders_merge (GArray *holders);

/* Who holds what now, largest first. Returns: (transfer full) (element-type SluiceMemoryHolder) */
GArray *sluice_allocator_dup_holders (SluiceAllocator *self);

/**
 * sluice_allocator_explain_shortage:
 * @message: what could not be had, to be continued
 * @bytes: how much was wanted
 *
 * Appends how full the device is, who the ten largest holders are (node, class, bytes, blocks, the
 * shape of the largest), what limit would do and what else can be changed.
 */
void sluice_allocator_explain_shortage (SluiceAllocator *self,
                                        GString *message,
                                        gsize bytes,
                                        SluiceMemoryClass memory_class);

/* From the start to the end every allocation is written down. One at a time: FALSE where somebody
 * records already. */
typedef struct
{
  gsize peak_bytes;
  gsize class_bytes[SLUICE_N_MEMORY_CLASSES]; /* at the peak */
  GArray *holders;                /* of SluiceMemoryHolder, at the peak, largest first */
  guint64 n_allocations, n_fresh; /* from start to end */
  gsize reserved_bytes;           /* at the end: what is more than the peak lies in blocks of other
                                     sizes than were in use then */
} SluiceLedger;
gboolean sluice_allocator_start_ledger (SluiceAllocator *self);
/* What was live when most was. (transfer full) (nullable): nobody records */
SluiceLedger *sluice_allocator_end_ledger (SluiceAllocator *self);
void sluice_ledger_free (SluiceLedger *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLedger, sluice_ledger_free)

/* Gives cached blocks back to the system. */
void sluice_allocator_trim (SluiceAllocator *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceAllocator, sluice_allocator_unref)

SLUICE_PUBLIC_END
