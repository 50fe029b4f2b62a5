/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-set.h"
#include "app/runs/seed-groups.h"

/* Over the rows of runs that differ by their seed alone, or in their stead: what they are called
 * together, how many there are, and the mean of their results; a square shows or hides the curves
 * of all, an arrow (the action "runs-pane.fold" with the group's name of
 * sluice_seed_group_get_key()) their rows. */

/* By what a group is known when it is made anew: the name of its first run. */
const char *sluice_seed_group_get_key (const SluiceSeedGroup *group);

/* (transfer floating) */
GtkWidget *sluice_seed_heading_new (const SluiceSeedGroup *group, SluiceRunSet *set);
/* "digits × 3 seeds" */
const char *sluice_seed_heading_get_name (GtkWidget *self);
/* Of the same runs, under the same name? */
gboolean sluice_seed_heading_is_of (GtkWidget *self, const SluiceSeedGroup *group);
/* There are new results, or others are shown. @folded: it stands for their rows. @settings:
 * (nullable): what all of them have, and other runs have not. */
void sluice_seed_heading_update (GtkWidget *self, const char *settings, gboolean folded);
