/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

#include "app/application.h"
#include "app/graph/graph-file.h"
#include "app/page.h"
#include "app/run-controller.h"
#include "app/runs/run-set.h"
#include "app/runs/runs-pane.h"

/* The one window: runs at the left, pages in the middle, the inspector at the right, what goes on
 * at the bottom. */
#define SLUICE_TYPE_WINDOW (sluice_window_get_type ())
G_DECLARE_FINAL_TYPE (SluiceWindow, sluice_window, SLUICE, WINDOW, AdwApplicationWindow)

/* workspace: a folder; it is opened in the background. */
SluiceWindow *sluice_window_new (SluiceApplication *application, const char *workspace);
/* A project folder, or a graph file (which can be looked at, not trained). @ahead: (transfer full)
 * (nullable): the reading of its graph, where that is under way */
void sluice_window_open (SluiceWindow *self, const char *path, SluiceReadAhead *ahead);
/* Takes up what the workspace remembers: page, zooms; before anything is opened. */
void sluice_window_restore (SluiceWindow *self);
/* (transfer none) (nullable): by its name in sluice_page_kinds[]. */
SluicePage *sluice_window_find_page (SluiceWindow *self, const char *name);
/* Of the graph, into its file. FALSE: that could not be, which was told. */
gboolean sluice_window_save_changes (SluiceWindow *self);
/* (transfer none) (nullable): the page that is in front. */
SluicePage *sluice_window_get_page (SluiceWindow *self);
/* page: a name of sluice_page_kinds[] */
void sluice_window_show_page (SluiceWindow *self, const char *page);
/* A message that comes over the page for a moment. */
void sluice_window_tell (SluiceWindow *self, const char *message);
/* The same with a button for an action, which may have a target: "win.open::FILE". */
void sluice_window_offer (SluiceWindow *self,
                          const char *message,
                          const char *label,
                          const char *action);
/* (transfer none) */
SluiceRunController *sluice_window_get_controller (SluiceWindow *self);
SluiceWorkspace *sluice_window_get_workspace (SluiceWindow *self);
SluiceQueueWorker *sluice_window_get_queue (SluiceWindow *self);
SluiceRunSet *sluice_window_get_shown (SluiceWindow *self); /* which runs the pages show */
SluiceRunsPane *sluice_window_get_runs_pane (SluiceWindow *self);
/* Everything that was asked for is on the screen. */
gboolean sluice_window_is_settled (SluiceWindow *self);
/* Lays the content out in exactly so many pixels, without a frame, whatever the screen's size is;
 * where it needs more, so much of it is in the picture. */
void sluice_window_set_picture_size (SluiceWindow *self, int width, int height);
