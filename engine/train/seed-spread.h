/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"

/* Do results differ by more than seeds make them differ? */

typedef enum
{
  SLUICE_SEEDS_UNKNOWN, /* too few runs differ by their seed alone */
  SLUICE_SEEDS_LESS,    /* no more than seeds do */
  SLUICE_SEEDS_MORE,
} SluiceSeedsVerdict;

typedef struct
{
  char *tag;
  double *values; /* the last of each run; NAN: it has none */
  double *means;  /* of each run's experiment, whose runs differ by their seed alone */
  guint n_values;
  double spread;   /* standard deviation that seeds alone give; NAN: not known */
  guint n_trained; /* runs that it was told from */
  SluiceSeedsVerdict more_than_seeds;
  char *why; /* in words */
} SluiceRunResultDiff;

void sluice_run_result_diff_free (SluiceRunResultDiff *self);

/* Student's t, two-sided 5 %, by degrees of freedom (2 at least); between two entries of its table
 * the one before holds, which is the more careful one. */
double sluice_student_t (guint freedom);

/* What else decides the numbers of a run, beside its project, graph and recorded settings: runs
 * that are not the same in it are not one experiment. dup: (transfer full) */
typedef struct
{
  char *(*dup) (const SluiceRunEntry *entry, gpointer data);
  gpointer data;
} SluiceRunMark;

/**
 * sluice_seed_spread_compare:
 * @entries: (element-type SluiceRunEntry): all runs that there are
 * @compared: (element-type SluiceRunEntry): some of them
 *
 * Runs of one project, graph, settings and mark that differ by their seed alone are one experiment.
 * The spread within the experiments of the compared runs is pooled; two experiments whose means of
 * the last values are further apart than it explains (Student's t, two-sided, 5 %) differ by more
 * than seeds do. With less than two degrees of freedom nothing is said.
 *
 * Returns: (transfer full) (element-type SluiceRunResultDiff): of each tag that two of them have,
 * but for those of the machine ("system/…")
 */
GPtrArray *
sluice_seed_spread_compare (GPtrArray *entries, GPtrArray *compared, const SluiceRunMark *mark);
