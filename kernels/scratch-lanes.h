/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <stdatomic.h>

#include "engine/base/pool.h"

/* Pieces of scratch memory for the chunks of a parallel loop that run at the same time. */
typedef struct
{
  atomic_uint taken; /* bits */
  guint n;
} SluiceScratchLanes;

#define SLUICE_MAX_SCRATCH_LANES 16

/* For so many chunks; returns how many lanes there are. Where more threads come, they wait. */
static inline guint
sluice_scratch_lanes_init (SluiceScratchLanes *self, gint64 n_chunks)
{
  gint64 n = MIN (MAX (sluice_pool_get_threads (), 1), SLUICE_MAX_SCRATCH_LANES);
  atomic_init (&self->taken, 0);
  return self->n = (guint) MIN (n, n_chunks);
}

/* The number of a lane for the calling thread. */
static inline guint
sluice_scratch_lanes_take (SluiceScratchLanes *self)
{
  guint taken = atomic_load (&self->taken);
  for (;;)
    {
      guint lane = (guint) __builtin_ctz (~taken);
      if (lane >= self->n)
        taken = atomic_load (&self->taken);
      else if (atomic_compare_exchange_weak (&self->taken, &taken, taken | 1u << lane))
        return lane;
    }
}

static inline void
sluice_scratch_lanes_give (SluiceScratchLanes *self, guint lane)
{
  atomic_fetch_and (&self->taken, ~(1u << lane));
}
