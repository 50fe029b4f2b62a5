/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/allocation-log.h"

/* From now to the end all is written down, the first @most records of it (0: all). One recording at
 * a time, ledgers included: FALSE where somebody records already. */
gboolean sluice_allocator_start_log (SluiceAllocator *self, gsize most);
/* (transfer full) (nullable): nobody records */
SluiceAllocationLog *sluice_allocator_end_log (SluiceAllocator *self);

/* What is live and cached now, in so many records at the most, with nothing after it. */
SluiceAllocationLog *sluice_allocator_dup_state (SluiceAllocator *self, gsize most);
/* A request that somebody lets a step fail for: into the log, and kept with what was live then. */
void sluice_allocator_note_shortage (SluiceAllocator *self,
                                     gsize bytes,
                                     SluiceOwner owner,
                                     const SluiceBlockLabel *label);
/* The same of a block that cannot come back to where it was. */
void sluice_allocator_note_shortage_of (SluiceBlock *block);
/* What was live when that happened last, with the refusal at its end; once. (transfer full)
 * (nullable) */
SluiceAllocationLog *sluice_allocator_take_shortage (SluiceAllocator *self);
