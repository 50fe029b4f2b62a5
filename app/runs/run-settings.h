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
/* (transfer full): "rate 0.1, batch 32": of @run what differs among @runs, but for the seed; at
 * most @most settings; "" where nothing does. */
char *sluice_run_dup_own_settings (SluiceRun *run, GPtrArray *runs, guint most);
