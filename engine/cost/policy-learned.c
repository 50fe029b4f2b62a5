/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * From what 'greedy' finds on: a policy that learns where clusters of nodes stand, with the
 * simulator in the loop, and then a local search from the best it drew. As Mirhoseini et al.,
 * "Device placement optimization with reinforcement learning" (2017) and "A hierarchical model for
 * device placement" (2018), but for their networks: what groups nodes is how much travels between
 * them, and the placer has a softmax a cluster.
 */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/cost/learner.h"

/* Clusters that REINFORCE places, and how many times as many the finer level of the search has. */
#define N_CLUSTERS 32
#define FINER      6

/* Placements to try: about so many nodes are simulated together, some seconds. */
#define MOST_NODES  40e6
#define LEAST_TRIED 1000
#define MOST_TRIED  40000

/* Of all: until there it learns from what is known, until there from nothing; then it searches. */
#define UNTIL_LEANING 0.2
#define UNTIL_LEARNED 0.4

static void
set_limits (SluiceLearner *self, const SluicePolicyOptions *options)
{
  self->cancellable = options->cancellable;
  self->begin = g_get_monotonic_time ();
  self->most_ticks = (gint64) (options->seconds * G_USEC_PER_SEC);
  self->most_moves = options->n_steps;
  if (self->most_moves == 0 && self->most_ticks == 0)
    self->most_moves =
        (guint64) CLAMP (MOST_NODES / MAX (self->w->n_nodes, 1), LEAST_TRIED, MOST_TRIED);
}

static void
learn_and_search (SluiceLearner *self)
{
  g_autoptr (SluiceClusters) coarse = sluice_clusters_new (self->w, self->groups, N_CLUSTERS);
  g_autoptr (SluiceClusters) fine = sluice_clusters_new (self->w, self->groups, N_CLUSTERS * FINER);
  g_autoptr (SluiceClusters) each = sluice_clusters_new (self->w, self->groups, self->groups->n);
  SluiceClusters *const levels[] = { coarse, fine, each };
  sluice_learner_reinforce (self, coarse, 3, UNTIL_LEANING);
  sluice_learner_reinforce (self, coarse, 0, UNTIL_LEARNED);
  sluice_learner_search (self, levels, G_N_ELEMENTS (levels), 1);
}

/* What greedy finds, or, where it finds nothing, the fastest device of each group. */
static gboolean
begin (SluiceLearner *self,
       const SluicePolicyOptions *options,
       SluiceChoice *choice,
       GError **error)
{
  g_autoptr (GError) reason = NULL;
  SluicePolicyOptions plain = *options;
  plain.explains = FALSE;
  self->best_us = self->learned_us = INFINITY;
  for (guint group = 0; group < self->groups->n; group++)
    self->best[group] = sluice_policy_groups_get_fastest (self->groups, group);
  if (sluice_policy_greedy.choose (self->w, &plain, choice, &reason))
    {
      for (guint v = 0; v < self->w->n_nodes; v++)
        self->best[self->w->nodes[v].group] = choice->devices[v];
      g_autofree guint *places = g_memdup2 (self->best, self->groups->n * sizeof (guint) + 1);
      sluice_learner_try (self, places, "greedy");
    }
  else if (g_cancellable_is_cancelled (options->cancellable))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  return TRUE;
}

/* Is there anything to choose? */
static gboolean
has_choice (const SluicePolicyGroups *groups)
{
  for (guint group = 0; group < groups->n; group++)
    if (groups->n_allowed[group] > 1)
      return TRUE;
  return FALSE;
}

static gboolean
finish (SluiceLearner *self, SluiceChoice *choice, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  for (guint group = 0; group < self->groups->n; group++)
    sluice_policy_groups_put (self->groups, group, self->best[group], choice->devices);
  choice->n_tried += self->n_tried;
  choice->found_by = self->found_by;
  choice->learned_us = self->learned_us;
  /* Where nothing was possible, the simulator says why. */
  return isfinite (self->best_us)
         || isfinite (sluice_policy_simulate (self->simulator, choice->devices, error));
}

static gboolean
choose (const SluiceWorkload *w,
        const SluicePolicyOptions *options,
        SluiceChoice *choice,
        GError **error)
{
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (w, error);
  if (groups == NULL)
    return FALSE;
  const guint32 seed[] = { (guint32) options->seed, (guint32) (options->seed >> 32) };
  SluiceLearner self = { .w = w,
                         .groups = groups,
                         .simulator = sluice_simulator_new (w),
                         .lot = g_rand_new_with_seed_array (seed, G_N_ELEMENTS (seed)),
                         .devices = g_new0 (guint, w->n_nodes + 1),
                         .best = g_new0 (guint, groups->n + 1) };
  set_limits (&self, options);
  gboolean ok = begin (&self, options, choice, error);
  if (ok && has_choice (groups))
    learn_and_search (&self);
  ok = ok && finish (&self, choice, error);
  sluice_simulator_free (self.simulator);
  g_rand_free (self.lot);
  g_free (self.devices);
  g_free (self.best);
  return ok;
}

const SluicePolicy sluice_policy_learned = {
  .name = "learned",
  .summary = N_ ("by trying placements in the simulator, learning from them and searching on"),
  .choose = choose,
};
