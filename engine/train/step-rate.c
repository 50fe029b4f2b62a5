/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/step-rate.h"

#include <math.h>

/* Long enough that an evaluation every few dozen steps is evened out, short enough to show a rate
 * at once. */
#define WINDOW_SECONDS 0.25
/* A spread of fewer says nothing. */
#define MIN_WINDOWS 3

void
sluice_step_rate_init (SluiceStepRate *self, gint64 step, double (*now) (void))
{
  *self = (SluiceStepRate){ .now = now, .window_step = step };
}

void
sluice_step_rate_resume (SluiceStepRate *self)
{
  if (!self->active)
    self->started = self->now ();
  self->active = TRUE;
}

void
sluice_step_rate_pause (SluiceStepRate *self)
{
  self->before = sluice_step_rate_seconds (self);
  self->active = FALSE;
}

void
sluice_step_rate_skip (SluiceStepRate *self, double seconds)
{
  self->before -= seconds;
}

double
sluice_step_rate_seconds (const SluiceStepRate *self)
{
  return self->before + (self->active ? self->now () - self->started : 0);
}

void
sluice_step_rate_step (SluiceStepRate *self, gint64 step)
{
  double seconds = sluice_step_rate_seconds (self) - self->window_start;
  if (seconds < WINDOW_SECONDS || step <= self->window_step)
    return;
  double per_step = seconds / (step - self->window_step), rate = 1 / per_step;
  if (!self->is_warm)
    {
      self->is_warm = TRUE;
      self->recent = rate;
    }
  else
    {
      self->n_windows++;
      double delta = per_step - self->mean;
      self->mean += delta / self->n_windows;
      self->m2 += delta * (per_step - self->mean);
      self->recent = self->n_windows == 1 ? rate : 0.7 * self->recent + 0.3 * rate;
      self->n_steps += step - self->window_step;
      self->seconds += seconds;
    }
  self->window_start += seconds;
  self->window_step = step;
}

void
sluice_step_rate_eta (const SluiceStepRate *self, gint64 remaining, double *seconds, double *margin)
{
  *seconds = *margin = -1;
  if (self->n_windows < MIN_WINDOWS)
    return;
  *seconds = remaining * self->seconds / self->n_steps;
  *margin = 2 * remaining * sqrt (self->m2 / (self->n_windows - 1) / self->n_windows);
}
