/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-set.h"
#include "app/search/hit.h"
#include "app/search/query.h"

/* The sidebar: runs with colour, state in words and the curve of their loss. It is the charts'
 * legend. */
#define SLUICE_TYPE_RUNS_PANE (sluice_runs_pane_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunsPane, sluice_runs_pane, SLUICE, RUNS_PANE, GtkWidget)

/* The runs of the workspace; the one that is selected is in front of those shown. Once. */
void
sluice_runs_pane_set_runs (SluiceRunsPane *self, SluiceWorkspace *workspace, SluiceRunSet *shown);
void sluice_runs_pane_search (SluiceRunsPane *self, const SluiceQuery *query, SluiceHits *hits);
void sluice_runs_pane_select (SluiceRunsPane *self, const char *name);
/* The selected run is about to go: the nearest one whose curves are shown takes its place, or none;
 * never one that is hidden, which would show its curves. */
void sluice_runs_pane_leave_selected (SluiceRunsPane *self);
SluiceRun *sluice_runs_pane_get_selected (SluiceRunsPane *self); /* (nullable) (transfer none) */
/* As of a page: SluicePageInterface. */
void sluice_runs_pane_keep_state (SluiceRunsPane *self, GKeyFile *state, gboolean saves);
