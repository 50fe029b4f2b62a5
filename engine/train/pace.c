/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/pace.h"

#include <math.h>

/* Long enough that an evaluation every few dozen steps is evened out, short enough to show a rate
 * at once. */
#define WINDOW_SECONDS 0.25

static double
now (void)
{
  return g_get_monotonic_time () * 1e-6;
}

void
pace_init (Pace *self, gint64 step)
{
  *self = (Pace){ .first_step = step, .window_step = step };
}

void
pace_resume (Pace *self)
{
  if (self->started == 0)
    self->started = now ();
}

void
pace_pause (Pace *self)
{
  self->active = pace_seconds (self);
  self->started = 0;
}

double
pace_seconds (const Pace *self)
{
  return self->active + (self->started != 0 ? now () - self->started : 0);
}

void
pace_step (Pace *self, gint64 step)
{
  double seconds = pace_seconds (self) - self->window_start;
  if (seconds < WINDOW_SECONDS || step <= self->window_step)
    return;
  double per_step = seconds / (step - self->window_step);
  self->n_windows++;
  double delta = per_step - self->mean;
  self->mean += delta / self->n_windows;
  self->m2 += delta * (per_step - self->mean);
  double rate = 1 / per_step;
  self->rate = self->n_windows == 1 ? rate : 0.7 * self->rate + 0.3 * rate;
  self->window_start += seconds;
  self->window_step = step;
}

void
pace_eta (const Pace *self, gint64 remaining, double *seconds, double *margin)
{
  *seconds = *margin = -1;
  if (self->n_windows < 2)
    return;
  double per_step = self->window_start / (self->window_step - self->first_step);
  *seconds = remaining * per_step;
  *margin = 2 * remaining * sqrt (self->m2 / (self->n_windows - 1) / self->n_windows);
}
