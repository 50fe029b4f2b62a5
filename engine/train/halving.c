/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/halving.h"

#include <math.h>

guint
sluice_halving_count_rungs (const SluiceHalving *self)
{
  guint n = 1;
  for (gint64 step = self->first; step < self->last && n < SLUICE_HALVING_MAX_RUNGS; n++)
    if (step > self->last / self->one_of)
      step = self->last;
    else
      step *= self->one_of;
  return n;
}

gint64
sluice_halving_get_step (const SluiceHalving *self, guint rung)
{
  gint64 step = self->first;
  for (guint i = 0; i < rung && step < self->last; i++)
    step = step > self->last / self->one_of ? self->last : step * self->one_of;
  return MIN (step, self->last);
}

guint
sluice_halving_get_places (const SluiceHalving *self, guint n_trials, guint rung)
{
  for (guint i = 0; i <= rung; i++)
    n_trials = MAX (n_trials / self->one_of, 1);
  return n_trials;
}

double
sluice_halving_count_steps (const SluiceHalving *self, guint n_trials)
{
  guint n_rungs = sluice_halving_count_rungs (self);
  double sum = (double) n_trials * (double) sluice_halving_get_step (self, 0);
  for (guint i = 0; i + 1 < n_rungs; i++)
    sum += (double) sluice_halving_get_places (self, n_trials, i)
           * (double) (sluice_halving_get_step (self, i + 1) - sluice_halving_get_step (self, i));
  return sum;
}

typedef struct
{
  guint trial;
  double value; /* the greater the better */
} Place;

/* Better ones first; of equal ones that which was planned first. */
static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *one = a, *other = b;
  return one->value != other->value ? (one->value < other->value ? 1 : -1)
                                    : (one->trial > other->trial) - (one->trial < other->trial);
}

/* One that is over stands on all later rungs with the worst value, so that nobody waits for it. */
static void
stand (const SluiceHalving *self,
       const SluiceHalvingTrial *trials,
       guint i,
       guint rung,
       GArray *places)
{
  const SluiceHalvingTrial *trial = &trials[i];
  double value = trial->n_reached > rung ? trial->values[rung] : NAN;
  Place place = { i, !isfinite (value) ? -INFINITY : self->is_max ? value : -value };
  if (trial->n_reached > rung || trial->is_over)
    g_array_append_val (places, place);
}

void
sluice_halving_judge (const SluiceHalving *self,
                      const SluiceHalvingTrial *trials,
                      guint n,
                      SluiceHalvingFate *fates)
{
  guint n_rungs = sluice_halving_count_rungs (self);
  guint n_come = n; /* to the rung, in the end */
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  for (guint i = 0; i < n; i++)
    fates[i] = SLUICE_HALVING_GOES_ON;
  for (guint rung = 0; rung + 1 < n_rungs; rung++)
    {
      guint n_go_on = sluice_halving_get_places (self, n, rung);
      g_array_set_size (places, 0);
      for (guint i = 0; i < n; i++)
        if (fates[i] == SLUICE_HALVING_GOES_ON)
          stand (self, trials, i, rung, places);
      guint n_missing = n_come - places->len;
      g_array_sort (places, compare_places);
      for (guint k = 0; k < places->len; k++)
        fates[g_array_index (places, Place, k).trial] = k >= n_go_on ? SLUICE_HALVING_DROPPED
                                                        : k + n_missing < n_go_on
                                                            ? SLUICE_HALVING_GOES_ON
                                                            : SLUICE_HALVING_WAITS;
      n_come = n_go_on;
    }
  for (guint i = 0; i < n; i++)
    if (trials[i].is_over)
      fates[i] = SLUICE_HALVING_DROPPED;
    else if (trials[i].n_reached >= n_rungs)
      fates[i] = SLUICE_HALVING_FINISHED;
}
