/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"
#include "engine/train/halving.h"
#include "engine/train/queue.h"
#include "engine/train/sweep.h"

/*
 * A sweep as runs of a workspace that wait in its queue: a group of them, each with the values of
 * its trial.
 */
typedef struct
{
  const char *folder;        /* of the project */
  const char *const *values; /* KEY=VALUES of what is varied, as sluice_sweep_axis_parse() reads */
  const char *const *settings; /* (nullable): KEY=VALUE for all of them, as "train.steps=100" */
  const char *method;          /* (nullable): "grid" (also NULL), "random", or "asha": as random, or
                                  as grid where n_trials is 0, and the worse ones are dropped */
  guint n_trials;              /* 0: of a grid all of them */
  guint64 seed;                /* of what is drawn */
  const char *metric;          /* (nullable): a tag; the first evaluation, else the loss */
  const char *direction;       /* (nullable): "min", "max"; as the metric's name says */
  guint one_of;                /* of asha; 0: 3 */
  gint64 first_rung;           /* of asha: a step; 0: so that one trial comes to the end */
  const char *group;           /* (nullable): the project's name and a number */
  /* (nullable): of each run; "{KEY}" is the value of its trial, and a name without all of them has
   * a number behind it; the group and a number */
  const char *name;
} SluiceSweepRequest;

typedef struct
{
  char *folder;
  char **settings;   /* (nullable) */
  GPtrArray *axes;   /* of SluiceSweepAxis */
  GPtrArray *trials; /* of GStrv: KEY=VALUE in order of the axes */
  char *metric;
  gboolean is_max;
  gboolean halves;       /* the worse ones are dropped early */
  SluiceHalving halving; /* where it halves */
  char *group;
  char *name; /* (nullable): as of the request */
} SluiceSweep;

/**
 * sluice_sweep_new:
 *
 * Looks at all that can be wrong; no run is made.
 *
 * Returns: (transfer full) (nullable): %NULL with NOT_FOUND or INVALID_ARGUMENT, which name the
 * key, value or tag
 */
SluiceSweep *
sluice_sweep_new (const SluiceSweepRequest *request, SluiceStore *store, GError **error);
void sluice_sweep_free (SluiceSweep *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSweep, sluice_sweep_free)

/* The name of a trial's run. (transfer full) */
char *sluice_sweep_dup_name (const SluiceSweep *self, guint trial);

/**
 * sluice_sweep_add_runs:
 * @like: (nullable): what they have in common beside the sweep's settings
 *
 * Puts them at the end of the queue, in order: all of them or, whatever happens to the program,
 * none.
 *
 * Returns: (transfer full) (nullable) (element-type SluiceRunInfo): the runs, whose numbers follow
 * each other
 */
GPtrArray *sluice_sweep_add_runs (const SluiceSweep *self,
                                  SluiceStore *store,
                                  const SluiceQueueRequest *like,
                                  GError **error);

/* The metric's last value; NAN: it has none. */
double sluice_sweep_get_value (const SluiceSweep *self, const SluiceRunEntry *entry);

/**
 * sluice_sweep_find_best:
 * @entries: (element-type SluiceRunEntry): of all runs, newest first
 * @n_finished: (out): runs of the sweep
 *
 * Of those that have finished; among equals the one that was planned first.
 *
 * Returns: (transfer none) (nullable): one of @entries; %NULL: none has a finite value
 */
const SluiceRunEntry *
sluice_sweep_find_best (const SluiceSweep *self, GPtrArray *entries, guint *n_finished);
