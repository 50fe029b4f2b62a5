/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"

/*
 * Which setting decides how runs come out? Runs with the same value of a setting are a level of it;
 * of numbers with many values a level is as many neighbours. Its share is how much of the variance
 * of the results lies between its levels: one-way analysis of variance, as epsilon squared, which
 * is zero on average where a setting does nothing, however many levels it has. Results count by
 * their rank, so that a run that diverged is only the last one. ± is from leaving out runs in turn
 * (the jackknife, Student's t, two-sided, 5 %).
 *
 * It tells main effects: settings that were always varied together share what they do, two that
 * only do something together show little, and shares need not add up to one.
 */

typedef struct
{
  char *name;
  guint n_values;           /* different ones */
  guint n_levels;           /* that these were put into */
  double share, plus_minus; /* of 1; NAN: not known */
  double correlation;       /* of ranks (Spearman); NAN: of texts, or not known */
  const char *why;          /* (nullable): in words why share is not known */
} SluiceSettingImportance;

typedef struct
{
  char *result;
  guint n;             /* runs that count */
  guint n_without;     /* those that have no such result */
  GPtrArray *settings; /* of SluiceSettingImportance: the largest share first */
} SluiceImportance;

void sluice_importance_free (SluiceImportance *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceImportance, sluice_importance_free)

/**
 * sluice_importance_new:
 * @entries: (element-type SluiceRunEntry)
 * @result: a tag; its last value counts, and one that is not finite is the worst where it is known
 *   which is
 *
 * Returns: (transfer full): of all settings that are not the same in all runs, but for the seed
 */
SluiceImportance *sluice_importance_new (GPtrArray *entries, const char *result);

/* (transfer none) (nullable): the result of the runs that tells most: what was evaluated and is to
 * rise, else what was evaluated, else the loss. */
const char *sluice_importance_choose_result (GPtrArray *entries);
