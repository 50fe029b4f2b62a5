/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "engine/cost/learner.h"

/* What a step may become longer by, as part of it, at the beginning: half of such moves by less are
 * taken. */
#define HEAT 0.01
/* Whoever strays so far begins again from the best. */
#define FAR 1.03

typedef struct
{
  SluiceLearner *learner;
  guint *places, *before; /* by group: now, and before the move that is tried */
  double us;
} Search;

static void
put (Search *self, const SluiceClusters *level, guint cluster, guint device)
{
  for (guint i = level->first_member[cluster]; i < level->first_member[cluster + 1]; i++)
    {
      guint group = level->members[i];
      if (isfinite (sluice_policy_groups_get_us (self->learner->groups, group, device)))
        self->places[group] = device;
    }
}

static guint
draw_below (Search *self, guint n)
{
  return n > 1 ? (guint) g_rand_int_range (self->learner->lot, 0, (gint32) n) : 0;
}

/* Where something is made that a node of the cluster needs, or needed for; else anywhere. */
static guint
draw_device (Search *self, const SluiceClusters *level, guint cluster)
{
  const SluiceWorkload *w = self->learner->w;
  const SluicePolicyGroups *groups = self->learner->groups;
  guint first = level->first_member[cluster], n = level->first_member[cluster + 1] - first, maker;
  guint group = level->members[first + draw_below (self, n)];
  guint first_node = groups->first_member[group];
  guint v =
      groups->members[first_node + draw_below (self, groups->first_member[group + 1] - first_node)];
  guint n_needs = sluice_workload_get_n_needs (w, v);
  if (n_needs == 0 || draw_below (self, 3) > 0)
    return draw_below (self, groups->n_devices);
  sluice_workload_get_need (w, v, draw_below (self, n_needs), &maker);
  return self->places[w->nodes[maker].group];
}

static void
move (Search *self, const SluiceClusters *level)
{
  guint a = draw_below (self, level->n), b = draw_below (self, level->n);
  guint at_a = self->places[level->members[level->first_member[a]]];
  guint at_b = self->places[level->members[level->first_member[b]]];
  if (at_a != at_b && draw_below (self, 4) == 0)
    {
      put (self, level, a, at_b);
      put (self, level, b, at_a);
    }
  else
    put (self, level, a, draw_device (self, level, a));
}

void
sluice_learner_search (SluiceLearner *learner,
                       SluiceClusters *const *levels,
                       guint n_levels,
                       double until)
{
  gsize size = learner->groups->n * sizeof (guint);
  double begin = sluice_learner_get_progress (learner);
  Search self = { .learner = learner,
                  .places = g_memdup2 (learner->best, size + sizeof (guint)),
                  .before = g_malloc (size + sizeof (guint)),
                  .us = learner->best_us };
  for (double at; (at = sluice_learner_get_progress (learner)) < until;)
    {
      double heat = HEAT * self.us * (until - at) / (until - begin);
      memcpy (self.before, self.places, size);
      move (&self, levels[draw_below (&self, n_levels)]);
      if (memcmp (self.before, self.places, size) == 0)
        {
          learner->n_moves++; /* so that it ends where nothing can move */
          continue;
        }
      double us = sluice_learner_try (learner, self.places, "search");
      if (us <= self.us - heat * log2 (1 - g_rand_double (learner->lot)))
        self.us = us;
      else
        memcpy (self.places, self.before, size);
      if (self.us > FAR * learner->best_us)
        {
          memcpy (self.places, learner->best, size);
          self.us = learner->best_us;
        }
    }
  g_free (self.places);
  g_free (self.before);
}
