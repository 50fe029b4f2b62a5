/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"

/* What makes two runs the same but for their seed: the one place that says so. */

/**
 * sluice_experiment_dup_key:
 * @settings: (element-type SluiceSetting): what the run was begun with
 * @seed: (out): what tells it apart from others of its experiment
 *
 * By project, graph and all settings but the seed ("seed", "random_seed", "train/seed"). Of a log
 * neither graph nor project need be known; where it has no settings, its name has the seed
 * ("wide/seed=3").
 *
 * Returns: (transfer full) (nullable): the same text for runs that are; %NULL where too little is
 * known of the run
 */
char *sluice_experiment_dup_key (const SluiceRunInfo *info, GPtrArray *settings, guint64 *seed);

/* Can a value of a run depend on that key of project.ini? Not on names, not on how many steps or
 * checkpoints there are to be, and not on what somebody is told of. */
gboolean sluice_experiment_depends_on (const char *group, const char *key);
