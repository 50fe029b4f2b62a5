/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Successive halving (Jamieson and Talwalkar 2016): all trials of a sweep are trained up to the
 * first rung, the best of them, one of so many, up to the next, and so on to the last step. As in
 * its asynchronous form (ASHA, Li and others 2020) nobody waits for a rung to be full: a trial goes
 * on as soon as it is sure of its place. Unlike there, what is decided does not depend on the order
 * in which trials come to a rung, so that a sweep that was interrupted ends as it would have.
 */
typedef struct
{
  guint one_of;       /* so many goes on; at least 2 */
  gint64 first, last; /* steps: the first rung, and where a trial has finished */
  gboolean is_max;    /* the greatest values are the best */
} SluiceHalving;

#define SLUICE_HALVING_MAX_RUNGS 64

typedef struct
{
  guint n_reached;  /* rungs, of which values are there */
  double *values;   /* (array length=n_reached); what is not finite is worse than all */
  gboolean is_over; /* it will reach no further one: it failed, or was taken out */
} SluiceHalvingTrial;

typedef enum
{
  SLUICE_HALVING_GOES_ON,  /* to the next rung */
  SLUICE_HALVING_WAITS,    /* for others to reach the rung on which it stands */
  SLUICE_HALVING_DROPPED,  /* it is not among the best of its rung, or is over */
  SLUICE_HALVING_FINISHED, /* it has reached the last step */
} SluiceHalvingFate;

/* Of first, first * one_of, ... below last, and last itself: how many, and the step of one. */
guint sluice_halving_count_rungs (const SluiceHalving *self);
gint64 sluice_halving_get_step (const SluiceHalving *self, guint rung);
/* Of so many trials, how many go on from a rung; at least one. */
guint sluice_halving_get_places (const SluiceHalving *self, guint n_trials, guint rung);
/* Steps of all trials together, where none fails. */
double sluice_halving_count_steps (const SluiceHalving *self, guint n_trials);

/**
 * sluice_halving_judge:
 * @trials: (array length=n): all of the sweep, in the order in which they were planned
 * @fates: (out caller-allocates) (array length=n): of one that has reached no rung, that it goes on
 *
 * Among equal values the trial that was planned first is the better one. What is said of a trial,
 * but that it waits, stays true whatever the others come to.
 */
void sluice_halving_judge (const SluiceHalving *self,
                           const SluiceHalvingTrial *trials,
                           guint n,
                           SluiceHalvingFate *fates);
