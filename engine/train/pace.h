/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* How fast steps go, and when they will be done. Only time in which this process trained counts:
 * pauses do not. */
typedef struct
{
  gint64 first_step;
  double active;       /* seconds of training in this process */
  double started;      /* monotonic; 0 while paused */
  double window_start; /* of the window under way: active seconds and step */
  gint64 window_step;
  guint n_windows;
  double mean, m2; /* of seconds a step over windows (Welford) */
  double rate;     /* steps a second, recent */
} Pace;

void pace_init (Pace *self, gint64 step);
void pace_resume (Pace *self);
void pace_pause (Pace *self);
/* Active seconds so far. */
double pace_seconds (const Pace *self);
/* Call after each step. */
void pace_step (Pace *self, gint64 step);
/* -1 while fewer than two windows have passed. Evaluation and saving fall into windows, so they are
 * in. */
void pace_eta (const Pace *self, gint64 remaining, double *seconds, double *margin);
