/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/cluster.h"

/*
 * What the parts of the policy 'learned' share: placements are tried in the simulator, the best is
 * kept, until it is enough. Nothing here depends on the clock where no time was given.
 */
typedef struct
{
  const SluiceWorkload *w;
  const SluicePolicyGroups *groups;
  SluiceSimulator *simulator;
  GRand *lot;
  GCancellable *cancellable; /* (nullable) */
  guint *devices;            /* by node: scratch */
  guint *best;               /* by group */
  double best_us;
  double learned_us;                    /* the best that REINFORCE drew */
  const char *found_by;                 /* the part that found the best */
  guint64 n_tried, n_moves, most_moves; /* simulated; and those too that changed nothing */
  gint64 begin, most_ticks;             /* monotonic, in microseconds; 0: no limit */
} SluiceLearner;

/* How long a step takes with these, by group; INFINITY: it is not possible. The best is kept. */
double sluice_learner_try (SluiceLearner *self, const guint *places, const char *part);
/* How much of all that it may do has been done: from 0 to 1, where it ends. */
double sluice_learner_get_progress (const SluiceLearner *self);

/**
 * sluice_learner_reinforce:
 * @lean: how much more likely at first each cluster is where the best has it; 0: no more than
 *   elsewhere
 * @until: of the progress
 *
 * REINFORCE, as Mirhoseini et al. 2017 and 2018: a policy, a softmax over the devices for each
 * cluster, draws placements; those that are better than what it drew lately become likelier.
 */
void sluice_learner_reinforce (SluiceLearner *self,
                               const SluiceClusters *clusters,
                               double lean,
                               double until);

/**
 * sluice_learner_search:
 * @levels: (array length=n_levels): what may move as one
 *
 * From the best on: one cluster goes to another device, two change places, or one goes where what
 * it reads is made. Worse ones are taken too, the less the later.
 */
void sluice_learner_search (SluiceLearner *self,
                            SluiceClusters *const *levels,
                            guint n_levels,
                            double until);
