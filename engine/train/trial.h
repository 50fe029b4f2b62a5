/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"
#include "engine/train/halving.h"
#include "engine/train/project.h"

/*
 * Trials of a sweep by successive halving, as the store tells of them. What is decided follows from
 * the values that the runs of the sweep have logged on its rungs, and is written down nowhere else:
 * it is the same for whoever asks, before and after any interruption.
 */
typedef struct
{
  SluiceHalvingFate fate;
  guint rung, n_rungs; /* to which it goes; else on which it stands */
  gint64 step;         /* of that rung; 0: the run is of no such sweep */
  guint n_places;      /* so many go on from it */
} SluiceTrial;

/* Is it a step at which trials of the project's sweep are compared? They are evaluated there. */
gboolean sluice_trial_is_rung (const SluiceProject *project, gint64 step);

/**
 * sluice_trial_judge:
 * @run: any run; one that is of no such sweep goes on
 *
 * Who is in the trash, has failed, or was taken out of the queue before its end is over. Some
 * hundred microseconds for each run of the sweep.
 */
gboolean sluice_trial_judge (SluiceStore *store, gint64 run, SluiceTrial *trial, GError **error);
