/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-table.h"
#include "app/runs/saved-views.h"

/*
 * At the left of the table of runs: which of them are shown. Signals: view-chosen (string: of
 * sluice_run_table_set_view()), tag-toggled (string, boolean), saved-chosen (string: its name),
 * saved-added (string), saved-renamed (string, string), saved-deleted (string), trash-chosen.
 */
#define SLUICE_TYPE_VIEWS_PANE (sluice_views_pane_get_type ())
G_DECLARE_FINAL_TYPE (SluiceViewsPane, sluice_views_pane, SLUICE, VIEWS_PANE, GtkWidget)

GtkWidget *sluice_views_pane_new (void);
/* What the table shows, and how many of each there are. @saved: (nullable): name of the view that
 * it shows as it was saved */
void sluice_views_pane_show (SluiceViewsPane *self, SluiceRunTable *table, const char *saved);
/* @views: (element-type SluiceSavedView) */
void sluice_views_pane_show_saved (SluiceViewsPane *self, GPtrArray *views);
/* @bytes: on the disk. */
void sluice_views_pane_show_trash (SluiceViewsPane *self, guint n, guint64 bytes);
