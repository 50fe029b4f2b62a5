/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-cells.h"

/* The rows of a table of runs under columns that are chosen, dragged, sorted and resized. */
#define SLUICE_TYPE_RUN_VIEW (sluice_run_view_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunView, sluice_run_view, SLUICE, RUN_VIEW, GtkWidget)

/* Once. Both live as long as the view. */
void sluice_run_view_set_table (SluiceRunView *self, SluiceRunTable *table, SluiceRunCells *cells);
GtkSelectionModel *sluice_run_view_get_selection (SluiceRunView *self);
GtkListView *sluice_run_view_get_rows (SluiceRunView *self);
/* The keyboard goes to the row that had it last. */
void sluice_run_view_focus (SluiceRunView *self);
/* Is all that assistive technology finds of it there? */
gboolean sluice_run_view_is_settled (SluiceRunView *self);

gboolean sluice_run_view_shows (SluiceRunView *self, const SluiceRunColumn *column);
void sluice_run_view_set_shown (SluiceRunView *self, const SluiceRunColumn *column, gboolean shown);
/* What the pointer does to its title: wider by so many pixels, narrower where they are less than
 * none, and 0: as wide as it is by itself; further back by so many columns. */
void sluice_run_view_resize (SluiceRunView *self, const SluiceRunColumn *column, int by);
void sluice_run_view_move (SluiceRunView *self, const SluiceRunColumn *column, int by);
/* As the header of the column does; column NULL: newest first. */
void sluice_run_view_sort (SluiceRunView *self, const SluiceRunColumn *column, gboolean descending);
/* (transfer full): ids of those that are shown, in their order. */
GStrv sluice_run_view_dup_columns (SluiceRunView *self);
/* These and no others, in that order; what there is not is left out. */
void sluice_run_view_set_columns (SluiceRunView *self, const char *const *ids);
void sluice_run_view_keep_state (SluiceRunView *self, GKeyFile *state, gboolean saves);
