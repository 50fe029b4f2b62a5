/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "app/run.h"

/*
 * The open workspace: its runs as a list model, kept up to date while somebody trains, here or in
 * another program. What the store's thread announces is read by a worker and applied on the main
 * thread in slices of at most 2 ms a frame.
 */
#define SLUICE_TYPE_WORKSPACE (sluice_workspace_get_type ())
G_DECLARE_FINAL_TYPE (SluiceWorkspace, sluice_workspace, SLUICE, WORKSPACE, GObject)

/* Opens in the background. The state is in the getters below. Signals: changed; failed (string:
 * what could not be read or written and why); run-deleted (int64 id, string name: it is in the
 * trash and not in the list), run-restored (int64 id: it is in the list soon). */
SluiceWorkspace *sluice_workspace_new (const char *folder);

SluiceStore *sluice_workspace_get_store (
    SluiceWorkspace *self); /* (nullable): NULL while opening, or after a failure */
const char *sluice_workspace_get_folder (SluiceWorkspace *self);
const char *
sluice_workspace_get_failure (SluiceWorkspace *self); /* (nullable): why it could not be opened */
GListModel *sluice_workspace_get_runs (SluiceWorkspace *self); /* of SluiceRun, newest first */
SluiceRun *
sluice_workspace_dup_run (SluiceWorkspace *self, gint64 id); /* (nullable) (transfer full) */

/* Another number where runs came or went, or have more series, texts or settings. */
guint64 sluice_workspace_get_contents (SluiceWorkspace *self);

/* Whether the values of a series are read, and from now on as they come; of most series it is only
 * known that they are there. */
void sluice_workspace_want (SluiceWorkspace *self, SluiceRunSeries *series, gboolean wanted);

/* What was there when it was opened, and of what is wanted everything that there was when it was
 * asked for, has been read, or could not be. */
gboolean sluice_workspace_is_settled (SluiceWorkspace *self);

/* Were there run folders that the database does not know when it was opened? TRUE once. */
gboolean sluice_workspace_take_news_of_lost (SluiceWorkspace *self);
/* Lists them again, in the background. */
void sluice_workspace_reindex (SluiceWorkspace *self);

/* Looks for news soon: also called by the store's announcements. */
void sluice_workspace_refresh (SluiceWorkspace *self);
/* To the workspace's trash and back, in the background. */
void sluice_workspace_delete_run (SluiceWorkspace *self, gint64 run);
void sluice_workspace_restore_run (SluiceWorkspace *self, gint64 run);
/* (nullable) (element-type double): the wall times of points are appended here as they are applied:
 * for measurements. */
void sluice_workspace_set_fresh (SluiceWorkspace *self, GArray *fresh);
