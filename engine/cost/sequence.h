/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/policy-private.h"

/* The best orders of nodes on devices and of transfers on links, where each node has its device. */
typedef struct _SluiceSequencer SluiceSequencer;

/* How far a search has come, and what ends it. */
typedef struct
{
  const SluicePolicyOptions *options;
  gint64 end_us;  /* monotonic; G_MAXINT64: none */
  guint64 n_left; /* steps */
  guint64 n_done;
  gboolean is_over; /* it ended before it had looked at everything */
} SluiceSearchBudget;

/* TRUE: go on. */
gboolean sluice_search_budget_step (SluiceSearchBudget *self);

/* Is no value that a search can still find worth looking for? A billionth is no gain: sums of the
 * same times in another order differ by less. */
static inline gboolean
sluice_search_is_no_better (double bound, double best)
{
  return bound >= best - best * 1e-9;
}

SluiceSequencer *sluice_sequencer_new (const SluiceWorkload *workload, SluiceSearchBudget *budget);
void sluice_sequencer_free (SluiceSequencer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSequencer, sluice_sequencer_free)

/* Looks for a schedule that takes less than best_us. Returns: what it takes; INFINITY: there is
 * none */
double sluice_sequencer_run (SluiceSequencer *self, const guint *devices, double best_us);
/* What the last run has found. (transfer full) */
SluiceSimulation *sluice_sequencer_dup_simulation (const SluiceSequencer *self);
/* Has any run found a schedule that only the memory forbids? */
gboolean sluice_sequencer_has_met_memory (const SluiceSequencer *self);
