/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The graph on the screen: a view of a model that pans, zooms, opens scopes, selects, and reads
 * itself aloud.
 *
 * Actions (class actions, so that menus, keys, tests and assistive technology share them), all of
 * them canvas.NAME:
 *
 *   zoom-in, zoom-out, zoom-100, fit, fit-selection
 *   open, close, toggle, open-all-here, open-all, close-all
 *   menu
 *   select-next, select-previous, select-left, select-right, select-up, select-down
 *   select-parent, select-none
 *   next-line, previous-line (of the selected box: what menus are about then)
 *   set-aside, bring-back, reset-positions, use-dot
 *   move-left, move-right, move-up, move-down (the selected box)
 *   undo, redo (of moves and of the two lines above)
 *   color-by (string: structure, device, time, bytes, asked, dtype, gradient, health,
 *   placed, reason, margin)
 *   trace-inputs, trace-outputs (uint32: how many edges far, 0: all the way), trace-none
 *   export-svg, export-pdf, export-png, export-dot (string: path)
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/canvas/color-classes.h"
#include "ui/canvas/scene-export.h"
#include "ui/canvas/graph-model.h"
#include "ui/canvas/marks.h"
#include "ui/canvas/scene.h"
#include "ui/canvas/view-state.h"

G_BEGIN_DECLS

#define SLUICE_TYPE_CANVAS (sluice_canvas_get_type ())
G_DECLARE_FINAL_TYPE (SluiceCanvas, sluice_canvas, SLUICE, CANVAS, GtkWidget)

GtkWidget *sluice_canvas_new (void);

/* Shows @model (a reference is taken; NULL = the empty state). What is open, moved and selected is
 * kept by name. What sluice_graph_model_new_after() made of the last one is the quick way. */
void sluice_canvas_set_model (SluiceCanvas *self, SluiceGraphModel *model);
SluiceGraphModel *sluice_canvas_get_model (SluiceCanvas *self);

/* The scopes of the model, (nullable): NULL until the first picture is there. */
SluiceHierarchy *sluice_canvas_get_hierarchy (SluiceCanvas *self);

/* While a graph is read: @text says so ("Reading the graph…"). NULL ends the state. */
void sluice_canvas_set_loading (SluiceCanvas *self, const char *text);

/* A graph that could not be read: what happened, to what, what to do. NULL ends the state. */
void sluice_canvas_set_failure (SluiceCanvas *self, const char *text);

/* What is offered by a button where there is no graph to show: it activates the action. */
void sluice_canvas_set_way_out (SluiceCanvas *self, const char *label, const char *action);

/* Replaces the view state (transfer none) and reads a copy of it, as for `model.layout`. */
void sluice_canvas_set_view_state (SluiceCanvas *self, const SluiceViewState *state);
SluiceViewState *sluice_canvas_dup_view_state (SluiceCanvas *self);
/* A command, or one that is undone or done again, arranges the picture: lines (char*) of
 * sluice_view_state_diff(). */
void sluice_canvas_arrange (SluiceCanvas *self, const GPtrArray *lines);
/* What a person arranged on another picture of the same graph; what is open and in view stays, and
 * no signal is sent. */
void sluice_canvas_take_arrangement (SluiceCanvas *self, const SluiceViewState *state);

/* Live second lines, heat bars and histogram glyphs, by path of a node or scope. Never moves the
 * layout; what is not named keeps its value. */
void sluice_canvas_set_values (SluiceCanvas *self, const SluiceCanvasValue *values, guint n_values);
void sluice_canvas_clear_values (SluiceCanvas *self);

/* Badges of nodes, which scopes that hold them show, too: replaces those set before. Nodes that
 * cannot run have theirs from the model. */
void sluice_canvas_set_marks (SluiceCanvas *self, const SluiceCanvasMark *marks, guint n_marks);
/* The same of breakpoints: a dot on the other corner, a ring where it does not stop; of an output,
 * "fc1:0", on its lines, too. */
void sluice_canvas_set_breaks (SluiceCanvas *self, const SluiceCanvasMark *breaks, guint n_breaks);

/* What can be done with a value on its way, a node or a scope, as entries of their menus: actions
 * of whoever holds the canvas, whose target is the place as a string: "fc1/Relu:0" of a line,
 * "fc1", of a scope "conv1/". */
typedef struct
{
  const char *label; /* N_() */
  const char *action;
  gboolean of_values, of_scopes;
  gboolean of_selection; /* without a target, of what is selected; not shown where it is disabled */
} SluiceCanvasCommand;
/* @commands: they must stay. */
void
sluice_canvas_set_place_commands (SluiceCanvas *self, const SluiceCanvasCommand *commands, guint n);
/* The value of the line that is chosen, else the selection: (transfer full) (nullable). */
char *sluice_canvas_dup_place (SluiceCanvas *self);
/* Pixels of the widget, for a popover that is about it. */
void sluice_canvas_get_place_point (SluiceCanvas *self, double *x, double *y);

/**
 * SluiceCanvasDragOut:
 * @path: (nullable): of the box that is dragged; one of several that are selected takes the others
 *   along. %NULL: it is not any more
 * @x, @y: the pointer, in pixels of the canvas, which may lie outside of it
 *
 * Returns: is it over something of whoever holds the canvas? Dropped there it is theirs, and stays
 *   where it was in the picture
 */
typedef gboolean (*SluiceCanvasDragOut) (
    SluiceCanvas *self, const char *path, double x, double y, gboolean is_dropped, gpointer data);
void
sluice_canvas_set_drag_out (SluiceCanvas *self, SluiceCanvasDragOut drag_out, gpointer user_data);

/* The one selection: the full name of a node or scope, or NULL. Selecting a hidden node opens the
 * scopes above it and brings it into view; FALSE when there is no such node. Emits
 * selection-changed (name) when it changed. */
gboolean sluice_canvas_select (SluiceCanvas *self, const char *name);
const char *sluice_canvas_get_selection (SluiceCanvas *self);

/* All names of the selection, the one above first; NULL-terminated, (transfer full). */
char **sluice_canvas_dup_selected (SluiceCanvas *self);

void sluice_canvas_set_color_by (SluiceCanvas *self, SluiceColorBy color_by);
SluiceColorBy sluice_canvas_get_color_by (SluiceCanvas *self);
/* What PLACED, REASON or MARGIN colours by; told: (nullable): nothing is known. */
void sluice_canvas_set_told (SluiceCanvas *self, SluiceColorBy by, const SluiceColorTold *told);

/* Which way data flows; upwards unless told. */
void sluice_canvas_set_flow (SluiceCanvas *self, SluiceFlowDirection flow);

/* No movement between two pictures: positions jump. Besides this, gtk-enable-animations is obeyed.
 */
void sluice_canvas_set_reduced_motion (SluiceCanvas *self, gboolean reduced);

/* Lets Graphviz' dot lay out small levels; kept in the view state. */
void sluice_canvas_set_use_dot (SluiceCanvas *self, gboolean use_dot);

void sluice_canvas_fit (SluiceCanvas *self);
double sluice_canvas_get_zoom (SluiceCanvas *self);

/* TRUE while a layout is computed by the worker or positions are moving: tests wait for FALSE. */
gboolean sluice_canvas_is_busy (SluiceCanvas *self);

/* Writes the whole drawing, not just the visible part. */
gboolean sluice_canvas_export (SluiceCanvas *self,
                               SluiceExportFormat format,
                               const char *path,
                               GError **error);

/* The whole drawing in light colours, as large as it fits. FALSE: there is none. */
gboolean sluice_canvas_draw_on_paper (SluiceCanvas *self, cairo_t *cr, double width, double height);

/* What is seen, as JSON: zoom, centre, open scopes, selection, visible items and edges. For the
 * debug action of the window. */
char *sluice_canvas_dump_state (SluiceCanvas *self);

/* The paths of all scopes, open or not, as JSON, outer ones before what is in them. */
char *sluice_canvas_dump_scopes (SluiceCanvas *self);

/*
 * Signals:
 *
 *   selection-changed (const char *name)   name is NULL when nothing is selected
 *   activated (const char *name)           Enter or double click on something that does not open
 *   layout-changed ()                      an open scope, a position or a place changed:
 *                                          time to save model.layout
 *   failed (const char *message)           an export action could not write
 */

G_END_DECLS
