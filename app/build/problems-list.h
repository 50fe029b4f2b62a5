/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/command/problems.h"

/*
 * All that is wrong with a graph, a row each: how bad it is, the node, a sentence, Show, and what
 * mends it. It folds to its heading.
 *
 * Signals: show-node (string), do (string: a command).
 */
#define SLUICE_TYPE_PROBLEMS_LIST (sluice_problems_list_get_type ())
G_DECLARE_FINAL_TYPE (SluiceProblemsList, sluice_problems_list, SLUICE, PROBLEMS_LIST, GtkWidget)

GtkWidget *sluice_problems_list_new (void);

/* As the graph is now. graph: (nullable): none is open. problems: (nullable) (element-type
 * SluiceProblem), with graph */
void
sluice_problems_list_update (SluiceProblemsList *self, SluiceGraph *graph, GPtrArray *problems);
/* Problems that stop a run. */
guint sluice_problems_list_get_n_stops (SluiceProblemsList *self);
