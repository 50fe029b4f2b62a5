/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "engine/cost/learner.h"

#define N_SAMPLES 8    /* placements that are drawn before the policy is changed */
#define RATE      0.4  /* of a logit, at an advantage of one standard deviation */
#define KEEPS     0.9  /* of the baseline, from one change to the next */
#define EXPLORES  0.02 /* how strongly it is drawn to what is as likely everywhere, at first */
#define LOST      2.0  /* reward of what is not possible: so much below the worst that is */

typedef struct
{
  SluiceLearner *learner;
  const SluiceClusters *clusters;
  guint n_devices;
  double *logits, *chances; /* [cluster * n_devices + device] */
  guint *drawn;             /* [sample * n_clusters + cluster]: devices */
  double rewards[N_SAMPLES];
  guint *places;             /* by group */
  double baseline, variance; /* of rewards; NAN: none yet */
  double worst;              /* reward that was possible; NAN */
} Policy;

static void
find_chances (Policy *self)
{
  for (guint c = 0; c < self->clusters->n; c++)
    {
      const double *logits = self->logits + c * self->n_devices;
      double *chances = self->chances + c * self->n_devices, most = -INFINITY, sum = 0;
      for (guint d = 0; d < self->n_devices; d++)
        most = fmax (most, logits[d]);
      for (guint d = 0; d < self->n_devices; d++)
        sum += chances[d] = exp (logits[d] - most);
      for (guint d = 0; d < self->n_devices; d++)
        chances[d] /= sum;
    }
}

/* Groups that cannot stand with their cluster stay where the best has them. */
static void
put_cluster (Policy *self, guint c, guint device)
{
  const SluicePolicyGroups *groups = self->learner->groups;
  for (guint i = self->clusters->first_member[c]; i < self->clusters->first_member[c + 1]; i++)
    {
      guint group = self->clusters->members[i];
      if (isfinite (sluice_policy_groups_get_us (groups, group, device)))
        self->places[group] = device;
    }
}

static void
draw (Policy *self, guint sample)
{
  memcpy (self->places, self->learner->best, self->learner->groups->n * sizeof (guint));
  for (guint c = 0; c < self->clusters->n; c++)
    {
      const double *chances = self->chances + c * self->n_devices;
      double at = g_rand_double (self->learner->lot);
      guint d = 0;
      while (d + 1 < self->n_devices && at >= chances[d])
        at -= chances[d++];
      self->drawn[sample * self->clusters->n + c] = d;
      put_cluster (self, c, d);
    }
  double us = sluice_learner_try (self->learner, self->places, "reinforce");
  self->rewards[sample] = -log (us); /* -INFINITY: not possible */
  self->learner->learned_us = fmin (self->learner->learned_us, us);
  if (isfinite (us))
    self->worst = fmin (self->worst, self->rewards[sample]);
}

/* Rewards become advantages over the baseline, in standard deviations. */
static void
judge (Policy *self)
{
  double mean = 0, square = 0;
  for (guint s = 0; s < N_SAMPLES; s++)
    {
      if (!isfinite (self->rewards[s]))
        self->rewards[s] = (isfinite (self->worst) ? self->worst : 0) - LOST;
      mean += self->rewards[s] / N_SAMPLES;
    }
  if (isnan (self->baseline))
    self->baseline = mean;
  for (guint s = 0; s < N_SAMPLES; s++)
    square += (self->rewards[s] - self->baseline) * (self->rewards[s] - self->baseline) / N_SAMPLES;
  self->variance = isnan (self->variance) ? square : KEEPS * self->variance + (1 - KEEPS) * square;
  for (guint s = 0; s < N_SAMPLES; s++)
    self->rewards[s] = (self->rewards[s] - self->baseline) / (sqrt (self->variance) + 1e-9);
  self->baseline = KEEPS * self->baseline + (1 - KEEPS) * mean;
}

/* The gradient of the logarithm of a softmax is what was drawn, less the chances. explores: as
 * EXPLORES */
static void
learn (Policy *self, double explores)
{
  for (guint c = 0; c < self->clusters->n; c++)
    {
      double *logits = self->logits + c * self->n_devices;
      const double *chances = self->chances + c * self->n_devices;
      for (guint d = 0; d < self->n_devices; d++)
        {
          double gradient = explores * (1.0 / self->n_devices - chances[d]);
          for (guint s = 0; s < N_SAMPLES; s++)
            {
              gboolean is_drawn = self->drawn[s * self->clusters->n + c] == d;
              gradient += self->rewards[s] * (is_drawn - chances[d]) / N_SAMPLES;
            }
          logits[d] += RATE * gradient;
        }
    }
}

/* Where most of the time of a cluster stands in the best. */
static guint
find_home (const Policy *self, guint c)
{
  g_autofree double *us = g_new0 (double, self->n_devices + 1);
  guint home = 0;
  for (guint i = self->clusters->first_member[c]; i < self->clusters->first_member[c + 1]; i++)
    {
      guint group = self->clusters->members[i], d = self->learner->best[group];
      us[d] += 1e-9 + sluice_policy_groups_get_us (self->learner->groups, group, d);
    }
  for (guint d = 1; d < self->n_devices; d++)
    if (us[d] > us[home])
      home = d;
  return home;
}

void
sluice_learner_reinforce (SluiceLearner *learner,
                          const SluiceClusters *clusters,
                          double lean,
                          double until)
{
  guint n_devices = learner->groups->n_devices, n = clusters->n * n_devices;
  double begin = sluice_learner_get_progress (learner);
  Policy self = { .learner = learner,
                  .clusters = clusters,
                  .n_devices = n_devices,
                  .logits = g_new0 (double, n + 1),
                  .chances = g_new0 (double, n + 1),
                  .drawn = g_new0 (guint, N_SAMPLES * clusters->n + 1),
                  .places = g_new0 (guint, learner->groups->n + 1),
                  .baseline = NAN,
                  .variance = NAN,
                  .worst = NAN };
  for (guint c = 0; c < clusters->n; c++)
    self.logits[c * n_devices + find_home (&self, c)] = lean;
  for (double at; (at = sluice_learner_get_progress (learner)) < until;)
    {
      find_chances (&self);
      for (guint s = 0; s < N_SAMPLES; s++)
        draw (&self, s);
      judge (&self);
      learn (&self, EXPLORES * (until - at) / (until - begin));
    }
  g_free (self.logits);
  g_free (self.chances);
  g_free (self.drawn);
  g_free (self.places);
}
