/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/graph/graph.h"

/*
 * What the graph that is being made would take: parameters, work an example, time of a step with
 * its ±, and on each device the memory of what it has. Modelled on another thread, a moment after
 * each change.
 *
 * Signal: updated, when it shows the graph as it was at the last call or says why it cannot.
 */
#define SLUICE_TYPE_BUDGET_BAR (sluice_budget_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluiceBudgetBar, sluice_budget_bar, SLUICE, BUDGET_BAR, GtkWidget)

GtkWidget *sluice_budget_bar_new (void);
/* graph: (nullable): as it is now; to be called after each change of it. path: (nullable): of its
 * file; the project beside it, where that is its, says the devices. batch: examples a step; 0: 32
 */
void sluice_budget_bar_update (SluiceBudgetBar *self,
                               SluiceGraph *graph,
                               const char *path,
                               gint64 batch);
/* Shows it the graph as it was at the last call, or is it not in sight? */
gboolean sluice_budget_bar_is_settled (SluiceBudgetBar *self);
