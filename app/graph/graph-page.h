/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/graph/graph-file.h"
#include "app/graph/live-graph.h"
#include "app/page.h"
#include "app/place/place-bar.h"
#include "engine/graph/graph.h"
#include "ui/canvas/hierarchy.h"
#include "ui/canvas/canvas.h"

/*
 * The page of the open project's graph, on a canvas. Reads the file in a worker; while a run is
 * under way each node's share of the step's time is its heat bar, and loops say how often they went
 * round.
 */
#define SLUICE_TYPE_GRAPH_PAGE (sluice_graph_page_get_type ())
G_DECLARE_FINAL_TYPE (SluiceGraphPage, sluice_graph_page, SLUICE, GRAPH_PAGE, GtkWidget)

/* Signals: selection-changed (string, nullable), loaded (the graph is there, or could not be read),
 * failed (string: what could not be written and why), measured (shares and iterations are new),
 * problems (they were found, after the graph changed), arranged (boxes were moved, or scopes
 * opened). */

/* A project folder, or a graph file. @ahead: (transfer full) (nullable): its reading under way */
void sluice_graph_page_open (SluiceGraphPage *self, const char *path, SluiceReadAhead *ahead);

/* The graph file that is open has another name now. */
void sluice_graph_page_set_path (SluiceGraphPage *self, const char *path);
/* Of a picture: what is opened and moved in it is not written beside the graph. */
void sluice_graph_page_keep_nothing (SluiceGraphPage *self);

SluiceGraph *sluice_graph_page_get_graph (SluiceGraphPage *self); /* (nullable) (transfer none) */
/* Once after each loading, of a graph that is edited: where one that is written into its file is
 * read again as it is, of a GraphDef and of a project that names one. (nullable) (transfer full) */
SluiceOpenedGraph *sluice_graph_page_steal_opened (SluiceGraphPage *self);
/* What the project does with the graph, by which its problems are judged. (nullable) (transfer
 * none) */
void sluice_graph_page_set_ends (SluiceGraphPage *self, SluiceProjectEnds *ends);
/* Where nodes stand before anything ran: (nullable) (transfer none). */
SluiceSession *sluice_graph_page_get_placed (SluiceGraphPage *self);
/* One line on the nodes that ask for devices that are not here: (nullable) (transfer none). */
const char *sluice_graph_page_get_moved (SluiceGraphPage *self);
SluiceGraphModel *
sluice_graph_page_get_model (SluiceGraphPage *self); /* (nullable) (transfer none) */
/* (nullable) (transfer none) (element-type SluiceProblem): of the graph as it is now; NULL: there
 * is none, or they are looked for. */
GPtrArray *sluice_graph_page_get_problems (SluiceGraphPage *self);
/* (nullable) (transfer none) */
SluiceHierarchy *sluice_graph_page_get_hierarchy (SluiceGraphPage *self);
/* What a person arranged on another page, which is saved with what is arranged here. */
void sluice_graph_page_take_arrangement (SluiceGraphPage *self, const SluiceViewState *state);
SluiceViewState *sluice_graph_page_dup_view_state (SluiceGraphPage *self); /* (transfer full) */
const char *sluice_graph_page_get_selection (SluiceGraphPage *self);       /* (nullable) */
gboolean sluice_graph_page_select (SluiceGraphPage *self, const char *name);
/* "fit", "open", "zoom-in": an action of the canvas by its name without "canvas."; FALSE: there is
 * none. */
gboolean sluice_graph_page_do (SluiceGraphPage *self, const char *verb);
/* Writes the drawn graph; the format is the name's ending. Signal failed says what went wrong. */
void sluice_graph_page_export (SluiceGraphPage *self, const char *path);
/* A run or a start failed, or did not any more (%NULL): a badge on the node where it happened. */
void sluice_graph_page_set_failure (SluiceGraphPage *self, const GError *failure);
/* The value of a node is not finite, as somebody who looks at it says; text: with what to do.
 * (nullable) both: of none. */
void sluice_graph_page_set_bad_value (SluiceGraphPage *self, const char *node, const char *text);
/* The first node that differs from what the graph was compared with, until it is edited. (nullable)
 * both: none does */
void sluice_graph_page_set_divergence (SluiceGraphPage *self, const char *node, const char *text);
/* What the badge of a node says, and which one it has, but for refusals, which the node tells
 * itself: (nullable) (transfer none). */
const char *
sluice_graph_page_get_mark (SluiceGraphPage *self, const char *node, SluiceMarkKind *kind);
SluiceCanvas *sluice_graph_page_get_canvas (SluiceGraphPage *self); /* (transfer none) */
/* Below it, hidden until it is asked for: (transfer none). */
SluicePlaceBar *sluice_graph_page_get_place_bar (SluiceGraphPage *self);
/* Shows on the canvas what leads to the selection, or where it leads. depth: edges; 0: all the way
 */
void sluice_graph_page_trace (SluiceGraphPage *self, gboolean outputs, guint depth);

/* Share of the step's time of a node or scope; negative where it is not known. */
double sluice_graph_page_get_share (SluiceGraphPage *self, const char *name);
/* Times of the selection: live-graph.h. */
gboolean
sluice_graph_page_get_times (SluiceGraphPage *self, const char *name, SluiceLiveTimes *times);
/* How often the loop of that name goes round in a step; negative where it is not known. */
gint64 sluice_graph_page_get_iterations (SluiceGraphPage *self, const char *loop);
char *sluice_graph_page_dump_scopes (SluiceGraphPage *self); /* JSON */
/* Breakpoints (ui/canvas/canvas.h). */
void sluice_graph_page_set_breaks (SluiceGraphPage *self, const SluiceCanvasMark *breaks, guint n);
