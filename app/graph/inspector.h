/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/build/document.h"
#include "app/graph/graph-page.h"
#include "app/place/predictor.h"
#include "app/run.h"
#include "app/workspace.h"

/* What is known of the selected node or scope; of the whole graph where nothing is selected.
 * Signal: attr-focused (string): that attribute of the node is looked at. */
#define SLUICE_TYPE_INSPECTOR (sluice_inspector_get_type ())
G_DECLARE_FINAL_TYPE (SluiceInspector, sluice_inspector, SLUICE, INSPECTOR, GtkWidget)

/* name NULL: the whole graph, where one is open. session (nullable): of the run, which is asked to
 * look at the values of the node as long as it is shown; NULL: devices are where nodes would stand.
 */
void sluice_inspector_show (SluiceInspector *self,
                            const char *name,
                            SluiceGraphPage *page,
                            SluiceSession *session);
/* Whose nodes are changed here. */
void sluice_inspector_set_document (SluiceInspector *self, SluiceDocument *document);
/* Who knows where its nodes could stand. */
void sluice_inspector_set_predictor (SluiceInspector *self, SluicePredictor *predictor);
/* That attribute is looked at elsewhere. attr: (nullable) */
void sluice_inspector_select_attr (SluiceInspector *self, const char *attr);
/* (nullable): the project that is open, of which constants may be settings of new runs. */
void sluice_inspector_set_project (SluiceInspector *self, const char *folder);
/* Whether the constant that is shown is one may have changed. */
void sluice_inspector_update_promotion (SluiceInspector *self);
/* Whose runs are shown. */
void sluice_inspector_set_workspace (SluiceInspector *self, SluiceWorkspace *workspace);
/* Settings of the run at work that is shown were changed at that step. */
void sluice_inspector_renew_live (SluiceInspector *self, gint64 step);
/* The run is another, began or ended: what is shown is made anew only where that changes it. */
void sluice_inspector_set_session (SluiceInspector *self, SluiceSession *session);
/* A run instead of that, as long as another page than the graph's is shown. run: (nullable): there
 * is none. others: (nullable): of SluiceRun, with whose settings its own are compared; NULL: the
 * graph is shown again. tag: (nullable): what the run has of it stands first. */
void sluice_inspector_show_run (SluiceInspector *self,
                                SluiceRun *run,
                                GPtrArray *others,
                                const char *tag);
/* What a run tells, as it is now: nothing moves but the values. */
void sluice_inspector_update (SluiceInspector *self, SluiceGraphPage *page);
/* The same; a scope that has become a layer or a block, or is none any more, is shown anew. */
void sluice_inspector_graph_changed (SluiceInspector *self, SluiceGraphPage *page);
char *
sluice_inspector_dup_text (SluiceInspector *self); /* all that it says, a line each: for tests */
