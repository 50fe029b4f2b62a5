/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/allocator.h"

/* What an allocator does while somebody records it, in one order for all threads. */
typedef enum
{
  SLUICE_ALLOCATION_MADE,
  SLUICE_ALLOCATION_FREED,
  SLUICE_ALLOCATION_HANDED_ON, /* to another owner or class */
  SLUICE_ALLOCATION_RESERVED,  /* memory came from the system: a place for one block at a time */
  SLUICE_ALLOCATION_RETURNED,  /* and went back */
  SLUICE_ALLOCATION_REFUSED,   /* a request was not met */
} SluiceAllocationKind;

typedef struct
{
  guint64 ticks;   /* sluice_clock_ticks(); never less than those of the record before */
  guint64 address; /* where the block's memory begins, its record included: its name until it is
                      freed, and that of its place until that is returned */
  gsize bytes;     /* as limits count them; of places 0 */
  gsize given;     /* what the place takes of the system; of a refusal 0 */
  gsize counted;   /* what the allocator itself counts as live, after this, of the owner's class in
                      the   shard; of places 0; of a refusal of all that is live */
  SluiceOwner owner;
  SluiceBlockLabel label;
  guint8 kind; /* SluiceAllocationKind */
  guint8 shard;
} SluiceAllocationRecord;

/* What was live and cached before comes first, all at one time: places, and blocks as made. */
typedef struct
{
  _Atomic int lock;
  SluiceAllocationRecord *records; /* in memory of its own: no allocator may fail for it */
  gsize n_records, n_room;
  gsize most;                     /* that are kept; 0: all */
  guint64 n_lost;                 /* that came after those: the newest are missing */
  guint64 begin_ticks, end_ticks; /* of the recording */
  guint64 n_allocations, n_fresh; /* of the allocator at the start, and from there to the end */
  gsize reserved_bytes;           /* at the end */
} SluiceAllocationLog;

SluiceAllocationLog *sluice_allocation_log_new (gsize most);
void sluice_allocation_log_free (SluiceAllocationLog *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceAllocationLog, sluice_allocation_log_free)

/* The ticks are read here. */
void sluice_allocation_log_add (SluiceAllocationLog *self, const SluiceAllocationRecord *record);

/* Finds the peak and who held what then. (transfer full) */
SluiceLedger *sluice_allocation_log_sum_up (SluiceAllocationLog *self);
