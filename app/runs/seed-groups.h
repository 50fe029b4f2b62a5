/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "app/run.h"

/* Runs that are the same but for their seed. */
typedef struct
{
  char *name;      /* what their names have in common, or else the project's */
  GPtrArray *runs; /* of SluiceRun, two at least, oldest first, no two of one seed */
} SluiceSeedGroup;

/**
 * sluice_seed_groups_new:
 * @runs: of SluiceRun, newest first
 * @hidden_too: not only those that are shown
 *
 * (transfer full) (element-type SluiceSeedGroup): the groups: same project, same graph, same
 * settings, another seed. Of a log neither graph nor project need be known; where it has no
 * settings, its name has the seed ("wide/seed=3"). A run of a seed that is there already stays
 * alone.
 */
GPtrArray *sluice_seed_groups_new (GListModel *runs, gboolean hidden_too);

/**
 * sluice_seed_groups_sort:
 * @runs: of SluiceRun
 *
 * (transfer full) (element-type SluiceRun): all of them in their order, but for the members of a
 * group, which stand together where the first of them stood.
 */
GPtrArray *sluice_seed_groups_sort (GPtrArray *groups, GListModel *runs);

/* (transfer full): what all names begin with, without the number that told them apart. @infos: of
 * SluiceRunInfo */
char *sluice_seed_groups_dup_name (GPtrArray *infos);

/* (nullable): that of a run. @groups: (nullable) */
const SluiceSeedGroup *sluice_seed_groups_find (GPtrArray *groups, SluiceRun *run);
/* Are they of the same runs? Either: (nullable) */
gboolean sluice_seed_groups_equal (GPtrArray *a, GPtrArray *b);
