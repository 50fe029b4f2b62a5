/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/page.h"
#include "ui/canvas/graph-model.h"
#include "ui/canvas/canvas.h"
#include "ui/canvas/view-state.h"

/*
 * The page on which the open graph is made and changed: its canvas with editing on, what is wrong
 * with it, the layers that there are and the history of commands. Signal: selection-changed
 * (string, nullable), as of the graph's page, and attr-selected (string, nullable): the attribute
 * that the caret is in. arranged: boxes were moved, or what else is no change of the graph.
 *
 * Actions: build.undo, build.redo, build.do (string: a command), build.toggle-text.
 */
#define SLUICE_TYPE_BUILD_PAGE (sluice_build_page_get_type ())
G_DECLARE_FINAL_TYPE (SluiceBuildPage, sluice_build_page, SLUICE, BUILD_PAGE, GtkWidget)

/* The graph as it is now, or (%NULL) none. */
void sluice_build_page_show (SluiceBuildPage *self, SluiceGraphModel *model);
/* What is wrong with the graph. problems: (nullable) (element-type SluiceProblem): it is being
 * looked for */
void sluice_build_page_show_problems (SluiceBuildPage *self, GPtrArray *problems);
/* What a person arranged on another page. */
void sluice_build_page_take_arrangement (SluiceBuildPage *self, const SluiceViewState *state);
SluiceViewState *sluice_build_page_dup_view_state (SluiceBuildPage *self); /* (transfer full) */
/* That attribute of the selected node is looked at elsewhere. attr: (nullable) */
void sluice_build_page_select_attr (SluiceBuildPage *self, const char *attr);
SluiceCanvas *sluice_build_page_get_canvas (SluiceBuildPage *self); /* (transfer none) */
/* name: (nullable): a node, or nothing */
void sluice_build_page_select (SluiceBuildPage *self, const char *name);
/* What was done last is drawn; what is wrong since is told. */
gboolean sluice_build_page_is_drawn (SluiceBuildPage *self);
gboolean sluice_build_page_is_told (SluiceBuildPage *self);
