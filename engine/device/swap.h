/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"
#include "engine/base/tensor.h"

/*
 * Values that leave the memory of a device with a limit, and come back: what a loop keeps for its
 * gradient, where the loop asks for it (swap_memory). Paper: Dynamic Control Flow in Large-Scale
 * Machine Learning, 5.3. They go from a device with memory of its own to the host's, and from the
 * host's to a file (swap-store.h).
 *
 * A thread of its own reads and writes. Above a high-water mark it writes the oldest values; an
 * allocation that would pass the limit waits for it. What was given last is asked for first, so
 * as values are taken and room comes free, the next ones are read ahead.
 */
typedef struct _SluiceSwap SluiceSwap;
typedef struct _SluiceSwapStore SluiceSwapStore;
typedef struct _SluiceSwapped SluiceSwapped; /* one value, wherever it is */

/* allocator: with a limit; store: (transfer full). Of a device, which closes it. */
SluiceSwap *sluice_swap_new (SluiceAllocator *allocator, SluiceSwapStore *store);
/* Ends the thread. Values that have left can no longer be taken. */
void sluice_swap_close (SluiceSwap *self);

/* Large enough to be worth the way, and plain memory of the device? */
gboolean sluice_swap_accepts (const SluiceSwap *self, const SluiceTensor *value);
/* (transfer none) value; (transfer full) (nullable): no memory for a header */
SluiceSwapped *sluice_swap_keep (SluiceSwap *self, SluiceTensor *value, SluiceOwner owner);

/* The value where it is in memory: (transfer full), and the handle is used up; else NULL. */
SluiceTensor *sluice_swapped_take_now (SluiceSwapped *self);

/* value: (transfer full) (nullable): error is set. On the thread that reads, or at once. */
typedef void (*SluiceSwapReady) (gpointer data, SluiceTensor *value, GError *error);
/* Calls ready once: with the value, RESOURCE_EXHAUSTED, DATA_LOSS where it cannot be read, or
 * FAILED_PRECONDITION after sluice_swap_close(). (transfer full) self */
void sluice_swapped_take (SluiceSwapped *self, SluiceSwapReady ready, gpointer data);
/* TRUE: whoever waits with this data is not called any more. */
gboolean sluice_swap_cancel (SluiceSwap *self, gpointer data);

void sluice_swapped_drop (SluiceSwapped *self);

typedef struct
{
  gsize bytes_out;     /* in the store now */
  guint64 n_written;   /* values, ever */
  guint64 n_read_late; /* somebody waited for them */
  guint64 n_read_ahead;
} SluiceSwapStats;
void sluice_swap_get_stats (SluiceSwap *self, SluiceSwapStats *stats);
