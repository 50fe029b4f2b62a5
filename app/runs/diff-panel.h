/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/queue-worker.h"

/* In the inspector's place when several runs are selected: what differs between them. It is told by
 * a worker; what is asked for meanwhile is told next, and what nobody asks for any more is not. */
#define SLUICE_TYPE_DIFF_PANEL (sluice_diff_panel_get_type ())
G_DECLARE_FINAL_TYPE (SluiceDiffPanel, sluice_diff_panel, SLUICE, DIFF_PANEL, GtkWidget)

GtkWidget *sluice_diff_panel_new (void);
/* Once: whose queue trains what it asks for. */
void sluice_diff_panel_attach (SluiceDiffPanel *self,
                               SluiceWorkspace *workspace,
                               SluiceQueueWorker *queue);
/* @runs: (element-type SluiceRunInfo): copied; fewer than two: nothing is compared */
void sluice_diff_panel_compare (SluiceDiffPanel *self, SluiceStore *store, GPtrArray *runs);
/* Of whose graph nodes can be shown: (nullable): that of the open project */
void sluice_diff_panel_set_project (SluiceDiffPanel *self, const char *project);
gboolean sluice_diff_panel_is_settled (SluiceDiffPanel *self);
/* (transfer full): all that is told, as it is copied; "" where nothing is. */
char *sluice_diff_panel_dup_text (SluiceDiffPanel *self);
/* (transfer full): what is said of which difference matters; "" where nothing is. */
char *sluice_diff_panel_dup_matters (SluiceDiffPanel *self);
