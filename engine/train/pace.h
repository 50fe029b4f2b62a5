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
  double rate;     /* steps a second, recent */
} Pace;

void pace_init (Pace *self, gint64 step, double (*now) (void));
void pace_resume (Pace *self);
void pace_pause (Pace *self);
/* So much of the time since was spent on waiting for others: it does not count either. */
void pace_skip (Pace *self, double seconds);
/* Active seconds so far. */
double pace_seconds (const Pace *self);
/* Call after each step. */
void pace_step (Pace *self, gint64 step);
/* -1 while too few windows have passed. Evaluation and saving fall into windows, so they are in. */
void pace_eta (const Pace *self, gint64 remaining, double *seconds, double *margin);
