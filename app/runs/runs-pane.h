/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-set.h"

/* The sidebar: runs with colour, state in words and the curve of their loss. It is the charts'
 * legend. */
#define SLUICE_TYPE_RUNS_PANE (sluice_runs_pane_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunsPane, sluice_runs_pane, SLUICE, RUNS_PANE, GtkWidget)

/* The runs of the workspace; the one that is selected is in front of those shown. Once. */
void
sluice_runs_pane_set_runs (SluiceRunsPane *self, SluiceWorkspace *workspace, SluiceRunSet *shown);
/* Selects the first run whose name contains the text, case ignored; returns how many do. */
guint sluice_runs_pane_find (SluiceRunsPane *self, const char *text);
SluiceRun *sluice_runs_pane_get_selected (SluiceRunsPane *self); /* (nullable) (transfer none) */
