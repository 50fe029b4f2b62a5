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
 *
 * (transfer full) (element-type SluiceSeedGroup): the groups of those that are shown: same project,
 * same graph, same settings, another seed. A run of a seed that is there already stays alone, and
 * so does one of which neither graph nor settings are known.
 */
GPtrArray *sluice_seed_groups_new (GListModel *runs);

/* (nullable): that of a run. @groups: (nullable) */
const SluiceSeedGroup *sluice_seed_groups_find (GPtrArray *groups, SluiceRun *run);
/* Are they of the same runs? Either: (nullable) */
gboolean sluice_seed_groups_equal (GPtrArray *a, GPtrArray *b);
