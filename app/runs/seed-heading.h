/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-set.h"
#include "app/runs/seed-groups.h"

/* Over the rows of runs that differ by their seed alone: what they are called together, how many
 * there are, and the mean of their results; a square shows or hides the curves of all. */

/* (transfer floating) */
GtkWidget *sluice_seed_heading_new (const SluiceSeedGroup *group, SluiceRunSet *set);
/* Of the same runs, under the same name? */
gboolean sluice_seed_heading_is_of (GtkWidget *self, const SluiceSeedGroup *group);
/* There are new results, or others are shown. @settings: (nullable): what all of them have, and
 * other runs have not. */
void sluice_seed_heading_update (GtkWidget *self, const char *settings);
