/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/learner.h"

#include <math.h>
#include <string.h>

double
sluice_learner_try (SluiceLearner *self, const guint *places, const char *part)
{
  for (guint group = 0; group < self->groups->n; group++)
    sluice_policy_groups_put (self->groups, group, places[group], self->devices);
  double us = sluice_policy_simulate (self->simulator, self->devices, NULL);
  self->n_tried++;
  self->n_moves++;
  if (us < self->best_us)
    {
      self->best_us = us;
      self->found_by = part;
      memcpy (self->best, places, self->groups->n * sizeof (guint));
    }
  return us;
}

double
sluice_learner_get_progress (const SluiceLearner *self)
{
  double progress = self->most_moves > 0 ? (double) self->n_moves / (double) self->most_moves : 0;
  if (self->most_ticks > 0)
    progress = fmax (progress,
                     (double) (g_get_monotonic_time () - self->begin) / (double) self->most_ticks);
  return g_cancellable_is_cancelled (self->cancellable) ? 1 : fmin (progress, 1);
}
