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
} SluiceAllocationKind;

typedef struct
{
  _Atomic int lock;
  GArray *events;
  guint64 n_allocations, n_fresh; /* of the allocator at the start */
} SluiceAllocationLog;

SluiceAllocationLog *sluice_allocation_log_new (void);
void sluice_allocation_log_free (SluiceAllocationLog *self);

/* block names it until it is freed; what was live before is written down as made first. */
void sluice_allocation_log_add (SluiceAllocationLog *self,
                                SluiceAllocationKind kind,
                                const void *block,
                                gsize bytes,
                                SluiceOwner owner,
                                const SluiceBlockLabel *label);

/* Finds the peak and who held what then. (transfer full) */
SluiceLedger *sluice_allocation_log_sum_up (SluiceAllocationLog *self);
