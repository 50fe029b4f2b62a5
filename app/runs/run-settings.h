/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/run.h"
#include "engine/store/kinds/hparams.h"

/* What a run was begun with, beside what others were. */

/* The seed is told apart from all others: runs that differ by it alone are one experiment. */
#define SLUICE_SETTING_SEED "seed"

const SluiceSetting *sluice_run_find_setting (SluiceRun *run, const char *name); /* (nullable) */
/* Either: (nullable), where a run has none of the name. */
gboolean sluice_setting_is_same (const SluiceSetting *a, const SluiceSetting *b);
/* Have not all of @runs (element-type SluiceRun) the same? */
gboolean sluice_runs_differ_in (GPtrArray *runs, const char *name);
/* (transfer full): "–" of NULL. */
char *sluice_setting_format (const SluiceSetting *self);
/**
 * sluice_runs_find_differing:
 * @runs: (element-type SluiceRun)
 *
 * (transfer full): a set of the names of what differs among them.
 */
GHashTable *sluice_runs_find_differing (GPtrArray *runs);
/* (transfer full): "rate 0.1, batch 32": what the run has of @differing, but for the seed; at most
 * @most settings; "" where there is nothing. */
char *sluice_run_dup_own_settings (SluiceRun *run, GHashTable *differing, guint most);
