/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* How fast steps go, and when they will be done. Only time in which this process trained counts:
 * pauses do not, and neither does waiting for another program. */
typedef struct
{
  double (*now) (void); /* seconds, monotonic */
  gboolean active;
  double before;       /* seconds of training before it was last resumed */
  double started;      /* when that was */
  double window_start; /* of the window under way: seconds of training, and step */
  gint64 window_step;
  gboolean is_warm; /* the first window is over: it held the warm-up and does not count */
  guint n_windows;
  gint64 n_steps; /* in these windows, and their seconds */
  double seconds;
  double mean, m2; /* of seconds a step over windows (Welford) */
  double recent;   /* steps a second, recent */
} SluiceStepRate;

void sluice_step_rate_init (SluiceStepRate *self, gint64 step, double (*now) (void));
void sluice_step_rate_resume (SluiceStepRate *self);
void sluice_step_rate_pause (SluiceStepRate *self);
/* So much of the time since was spent on waiting for others: it does not count either. */
void sluice_step_rate_skip (SluiceStepRate *self, double seconds);
/* Active seconds so far. */
double sluice_step_rate_seconds (const SluiceStepRate *self);
/* Call after each step. */
void sluice_step_rate_step (SluiceStepRate *self, gint64 step);
/* -1 while too few windows have passed. Evaluation and saving fall into windows, so they are in. */
void sluice_step_rate_eta (const SluiceStepRate *self,
                           gint64 remaining,
                           double *seconds,
                           double *margin);
