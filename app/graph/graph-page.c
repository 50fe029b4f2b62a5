/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/graph-page.h"

#include <gtk/gtk.h>
#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/graph/graph-adapter.h"
#include "app/graph/layout-save.h"
#include "app/graph/node-words.h"
#include "app/graph/problem-watch.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/store/file.h"
#include "engine/train/project.h"
#include "ui/canvas/canvas.h"
#include "ui/common/number.h"

/* How often the trace is read while a run is under way. */
#define LIVE_MS 500

struct _SluiceGraphPage
{
  GtkWidget parent;
  SluiceCanvas *canvas;
  SluicePlaceBar *place_bar;
  char *path;
  gboolean is_other;         /* than what was open before */
  SluiceOpenedGraph *opened; /* (nullable): until somebody takes it */
  char *layout_path;         /* (nullable): where the positions are saved */
  gboolean keeps_nothing;    /* of a picture: they are not */
  char *loss;                /* (nullable): the node of the project's loss */
  SluiceGraph *graph;
  guint follower; /* of graph */
  GCancellable *loading;
  SluiceRunController *controller;
  SluiceSession *placed; /* (nullable): of no run, where the nodes of the graph stand */
  char *moved;           /* (nullable): which of them asked for devices that are not here */
  SluiceLiveGraph *live; /* (nullable): what the trace of the last run told */
  gboolean live_reading;
  char *failed_node, *failure; /* (nullable): where a run failed, and how */
  char *bad_node, *bad_value;  /* (nullable): of which a value is not finite */
  char *first_node, *first;    /* (nullable): that differs from what it was compared with */
  SluiceProblemWatch *problems;
  guint live_source, save_source;
};

static void init_page (SluicePageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceGraphPage,
                               sluice_graph_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

enum
{
  SELECTION_CHANGED,
  LOADED,
  FAILED,
  ARRANGED,
  MEASURED,
  PROBLEMS,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- positions ---- */

/* (transfer full) (nullable): NULL where there is nothing to save, or nowhere to. */
static char *
print_layout (SluiceGraphPage *self)
{
  SluiceGraphModel *model = sluice_canvas_get_model (self->canvas);
  if (self->layout_path == NULL || model == NULL)
    return NULL;
  g_autoptr (SluiceViewState) state = sluice_canvas_dup_view_state (self->canvas);
  return sluice_view_state_print (state, sluice_graph_model_get_hash (model));
}

static void
layout_not_saved (SluiceGraphPage *self, const GError *error)
{
  g_autofree char *message = g_strdup_printf (_ ("The layout was not saved: %s"), error->message);
  g_signal_emit (self, signals[FAILED], 0, message);
}

static void
layout_saved_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    layout_not_saved (SLUICE_GRAPH_PAGE (object), error);
}

static gboolean
save_layout_cb (gpointer data)
{
  SluiceGraphPage *self = data;
  self->save_source = 0;
  char *text = print_layout (self);
  if (text == NULL)
    return G_SOURCE_REMOVE;
  sluice_layout_save (self->layout_path, text, G_OBJECT (self), layout_saved_cb);
  return G_SOURCE_REMOVE;
}

/* What waits to be saved is saved now: the window closes, or another graph comes. */
static void
flush_layout (SluiceGraphPage *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = self->save_source != 0 ? print_layout (self) : NULL;
  g_clear_handle_id (&self->save_source, g_source_remove);
  if (text != NULL && !sluice_file_put ("layout", self->layout_path, text, strlen (text), &error))
    layout_not_saved (self, error);
}

/* Soon, so that a drag writes once. */
static void
save_layout (SluiceGraphPage *self)
{
  if (self->save_source == 0 && !self->keeps_nothing)
    self->save_source = g_timeout_add (800, save_layout_cb, self);
}

void
sluice_graph_page_keep_nothing (SluiceGraphPage *self)
{
  self->keeps_nothing = TRUE;
}

static void
layout_changed_cb (SluiceGraphPage *self)
{
  save_layout (self);
  g_signal_emit (self, signals[ARRANGED], 0);
}

void
sluice_graph_page_take_arrangement (SluiceGraphPage *self, const SluiceViewState *state)
{
  sluice_canvas_take_arrangement (self->canvas, state);
  save_layout (self);
}

SluiceViewState *
sluice_graph_page_dup_view_state (SluiceGraphPage *self)
{
  return sluice_canvas_dup_view_state (self->canvas);
}

/* ---- badges ---- */

SluiceCanvas *
sluice_graph_page_get_canvas (SluiceGraphPage *self)
{
  return self->canvas;
}

SluicePlaceBar *
sluice_graph_page_get_place_bar (SluiceGraphPage *self)
{
  return self->place_bar;
}

static void
update_marks (SluiceGraphPage *self)
{
  GPtrArray *problems = sluice_problem_watch_get_last (self->problems);
  const guint n_problems = problems != NULL ? problems->len : 0;
  g_autofree SluiceCanvasMark *marks = g_new (SluiceCanvasMark, n_problems + 3);
  guint n = 0;
  for (guint i = 0; i < n_problems; i++)
    {
      const SluiceProblem *problem = problems->pdata[i];
      if (problem->level == SLUICE_PROBLEM_LOOK) /* the model has those of what cannot run */
        marks[n++] = (SluiceCanvasMark){ problem->name, SLUICE_MARK_WARNING, problem->text };
    }
  if (self->first_node != NULL)
    marks[n++] = (SluiceCanvasMark){ self->first_node, SLUICE_MARK_WARNING, self->first };
  if (self->failed_node != NULL)
    marks[n++] = (SluiceCanvasMark){ self->failed_node, SLUICE_MARK_FAILURE, self->failure };
  if (self->bad_node != NULL)
    marks[n++] = (SluiceCanvasMark){ self->bad_node, SLUICE_MARK_NAN, self->bad_value };
  sluice_canvas_set_marks (self->canvas, marks, n);
}

static void
problems_found (gpointer data)
{
  update_marks (data);
  g_signal_emit (data, signals[PROBLEMS], 0);
}

GPtrArray *
sluice_graph_page_get_problems (SluiceGraphPage *self)
{
  return sluice_problem_watch_is_settled (self->problems)
             ? sluice_problem_watch_get_last (self->problems)
             : NULL;
}

/* ---- edits ---- */

/* What is open, moved and selected stays, by name. */
static void
graph_changed_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  SluiceGraphPage *self = data;
  SluiceGraphModel *drawn = sluice_canvas_get_model (self->canvas);
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_after (drawn, graph, self->placed, delta);
  sluice_canvas_set_model (self->canvas, model);
  sluice_graph_page_set_divergence (self, NULL, NULL);
  sluice_problem_watch_look_again (self->problems);
}

static void
close_graph (SluiceGraphPage *self)
{
  sluice_problem_watch_set_graph (self->problems, NULL, NULL, NULL);
  update_marks (self);
  if (self->graph != NULL)
    sluice_graph_unfollow (self->graph, self->follower);
  g_clear_pointer (&self->graph, sluice_graph_unref);
}

/* ---- loading ---- */

static void
load_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (object);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraphFile) file = sluice_graph_file_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->loading);
  sluice_canvas_set_loading (self->canvas, NULL);
  if (file == NULL)
    {
      g_autofree char *sentence = sluice_failure_sentence (error->message);
      sluice_canvas_set_failure (self->canvas, sentence);
    }
  else
    {
      self->graph = g_steal_pointer (&file->graph);
      self->placed = g_steal_pointer (&file->placed);
      self->moved = g_steal_pointer (&file->moved);
      self->opened = g_steal_pointer (&file->opened);
      self->layout_path = g_steal_pointer (&file->layout_path);
      self->loss = g_steal_pointer (&file->loss);
      sluice_canvas_set_failure (self->canvas, NULL);
      if (file->state != NULL || self->is_other)
        sluice_canvas_set_view_state (self->canvas, file->state);
      sluice_canvas_set_model (self->canvas, file->model);
      sluice_problem_watch_set_graph (self->problems, self->graph, file->ends,
                                      g_steal_pointer (&file->problems));
      update_marks (self);
      self->follower = sluice_graph_follow (self->graph, graph_changed_cb, self);
    }
  g_signal_emit (self, signals[LOADED], 0);
}

void
sluice_graph_page_set_path (SluiceGraphPage *self, const char *path)
{
  g_free (self->path);
  self->path = g_strdup (path);
}

void
sluice_graph_page_open (SluiceGraphPage *self, const char *path, SluiceReadAhead *ahead)
{
  flush_layout (self);
  if (self->loading != NULL)
    g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  close_graph (self);
  g_clear_object (&self->placed);
  g_clear_pointer (&self->moved, g_free);
  g_clear_pointer (&self->live, sluice_live_graph_unref);
  g_clear_pointer (&self->opened, sluice_opened_graph_free);
  g_clear_pointer (&self->layout_path, g_free);
  g_clear_pointer (&self->loss, g_free);
  /* What was selected, open and in view in another graph is nothing in this one. */
  self->is_other = g_strcmp0 (path, self->path) != 0;
  if (self->is_other)
    {
      sluice_canvas_select (self->canvas, NULL);
      sluice_canvas_set_model (self->canvas, NULL);
    }
  sluice_graph_page_set_path (self, path);
  self->loading = g_cancellable_new ();
  sluice_canvas_clear_values (self->canvas);
  sluice_canvas_set_loading (self->canvas, _ ("Reading the graph…"));
  sluice_graph_file_begin (path, ahead, G_OBJECT (self), self->loading, load_done);
}

/* ---- what the trace tells while a run is under way ---- */

double
sluice_graph_page_get_share (SluiceGraphPage *self, const char *name)
{
  return sluice_live_graph_get_share (self->live, name);
}

gboolean
sluice_graph_page_get_times (SluiceGraphPage *self, const char *name, SluiceLiveTimes *times)
{
  return sluice_live_graph_get_times (self->live, name, times);
}

gint64
sluice_graph_page_get_iterations (SluiceGraphPage *self, const char *loop)
{
  return sluice_live_graph_get_iterations (self->live, loop);
}

/* The loss as it is now: in its node, and beside the count of the scopes around it. */
static void
add_loss (SluiceGraphPage *self, GArray *values, GPtrArray *texts)
{
  SluiceHierarchy *hierarchy = sluice_canvas_get_hierarchy (self->canvas);
  SluiceProgress progress;
  guint node = self->loss != NULL && hierarchy != NULL
                   ? sluice_graph_model_lookup (sluice_hierarchy_get_model (hierarchy), self->loss)
                   : G_MAXUINT;
  if (node == G_MAXUINT || !sluice_run_controller_get_progress (self->controller, &progress)
      || progress.step <= 0)
    return;
  g_autofree char *loss = sluice_words_number (progress.loss);
  for (guint at = sluice_hierarchy_get_op_group (hierarchy, node); at != 0 && at != SLUICE_NONE;
       at = sluice_hierarchy_get_group (hierarchy, at)->parent)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (hierarchy, at);
      g_autofree char *n = sluice_format_step (g->n_ops);
      char *text =
          g->n_children == 0
              ? g_strdup (loss)
              : g_strdup_printf (ngettext ("%s op · %s", "%s ops · %s", g->n_ops), n, loss);
      SluiceCanvasValue value = { .name = g->path,
                                  .text = text,
                                  .share = sluice_live_graph_get_share (self->live, g->path),
                                  .bytes = -1 };
      g_ptr_array_add (texts, text);
      g_array_append_val (values, value);
    }
}

static void
show_live (SluiceGraphPage *self)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) values = sluice_live_graph_dup_values (self->live, texts);
  add_loss (self, values, texts);
  sluice_canvas_set_values (self->canvas, (SluiceCanvasValue *) values->data, values->len);
  g_signal_emit (self, signals[MEASURED], 0);
}

typedef struct
{
  SluiceLiveGraph *live;
  char *focus; /* (nullable) */
} LiveReading;

static void
live_reading_free (gpointer data)
{
  LiveReading *reading = data;
  sluice_live_graph_unref (reading->live);
  g_free (reading->focus);
  g_free (reading);
}

static void
live_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const LiveReading *reading = data;
  g_task_return_boolean (task, sluice_live_graph_read (reading->live, reading->focus));
}

static void
live_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (object);
  const LiveReading *reading = g_task_get_task_data (G_TASK (result));
  self->live_reading = FALSE;
  if (!g_task_propagate_boolean (G_TASK (result), NULL) || reading->live != self->live
      || self->canvas == NULL)
    return; /* nothing ran, or another graph or run came */
  sluice_live_graph_show (self->live);
  show_live (self);
}

/* What the last steps did is told of another selection, too, when nothing runs any more. */
static void
read_live (SluiceGraphPage *self)
{
  SluiceSession *session =
      self->controller != NULL ? sluice_run_controller_get_session (self->controller) : NULL;
  SluiceHierarchy *hierarchy = sluice_canvas_get_hierarchy (self->canvas);
  if (session == NULL || hierarchy == NULL || self->live_reading
      || sluice_run_controller_get_state (self->controller) == SLUICE_CONTROL_STARTING
      || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  if (self->live == NULL || !sluice_live_graph_is_of (self->live, session, hierarchy))
    {
      g_clear_pointer (&self->live, sluice_live_graph_unref);
      self->live = sluice_live_graph_new (session, hierarchy);
    }
  self->live_reading = TRUE;
  LiveReading *reading = g_new (LiveReading, 1);
  *reading = (LiveReading){ sluice_live_graph_ref (self->live),
                            g_strdup (sluice_canvas_get_selection (self->canvas)) };
  g_autoptr (GTask) task = g_task_new (self, NULL, live_done, NULL);
  g_task_set_task_data (task, reading, live_reading_free);
  g_task_run_in_thread (task, live_in_worker);
}

static gboolean
live_cb (gpointer data)
{
  SluiceGraphPage *self = data;
  /* Paused as well: what a single step did is told. */
  if (sluice_run_controller_get_state (self->controller) != SLUICE_CONTROL_IDLE)
    read_live (self);
  return G_SOURCE_CONTINUE;
}

void
sluice_graph_page_set_failure (SluiceGraphPage *self, const GError *failure)
{
  const char *node = failure != NULL ? sluice_error_get_place (failure).node : NULL;
  g_autofree char *words = node != NULL ? sluice_failure_words (failure) : NULL;
  if (g_strcmp0 (self->failed_node, node) == 0 && g_strcmp0 (self->failure, words) == 0)
    return;
  g_free (self->failed_node);
  g_free (self->failure);
  self->failed_node = g_strdup (node);
  self->failure = g_steal_pointer (&words);
  update_marks (self);
}

void
sluice_graph_page_set_bad_value (SluiceGraphPage *self, const char *node, const char *text)
{
  if (g_strcmp0 (self->bad_node, node) == 0 && g_strcmp0 (self->bad_value, text) == 0)
    return;
  g_free (self->bad_node);
  g_free (self->bad_value);
  self->bad_node = g_strdup (node);
  self->bad_value = g_strdup (text);
  update_marks (self);
}

void
sluice_graph_page_set_divergence (SluiceGraphPage *self, const char *node, const char *text)
{
  if (g_strcmp0 (self->first_node, node) == 0 && g_strcmp0 (self->first, text) == 0)
    return;
  g_free (self->first_node);
  g_free (self->first);
  self->first_node = g_strdup (node);
  self->first = g_strdup (text);
  update_marks (self);
}

const char *
sluice_graph_page_get_mark (SluiceGraphPage *self, const char *node, SluiceMarkKind *kind)
{
  const SluiceProblem *warning = sluice_problem_watch_get_warning (self->problems, node);
  if (g_strcmp0 (self->failed_node, node) == 0)
    {
      *kind = SLUICE_MARK_FAILURE;
      return self->failure;
    }
  if (g_strcmp0 (self->bad_node, node) == 0)
    {
      *kind = SLUICE_MARK_NAN;
      return self->bad_value;
    }
  if (g_strcmp0 (self->first_node, node) == 0)
    {
      *kind = SLUICE_MARK_WARNING;
      return self->first;
    }
  *kind = warning != NULL ? SLUICE_MARK_WARNING : SLUICE_MARK_NONE;
  return warning != NULL ? warning->text : NULL;
}

/* ---- what the window asks ---- */

void
sluice_graph_page_trace (SluiceGraphPage *self, gboolean outputs, guint depth)
{
  gtk_widget_activate_action (GTK_WIDGET (self->canvas),
                              outputs ? "canvas.trace-outputs" : "canvas.trace-inputs", "u", depth);
}

SluiceGraph *
sluice_graph_page_get_graph (SluiceGraphPage *self)
{
  return self->graph;
}

SluiceOpenedGraph *
sluice_graph_page_steal_opened (SluiceGraphPage *self)
{
  return g_steal_pointer (&self->opened);
}

void
sluice_graph_page_set_ends (SluiceGraphPage *self, SluiceProjectEnds *ends)
{
  sluice_problem_watch_set_ends (self->problems, ends);
}

SluiceSession *
sluice_graph_page_get_placed (SluiceGraphPage *self)
{
  return self->placed;
}

const char *
sluice_graph_page_get_moved (SluiceGraphPage *self)
{
  return self->moved;
}

SluiceGraphModel *
sluice_graph_page_get_model (SluiceGraphPage *self)
{
  return sluice_canvas_get_model (self->canvas);
}

SluiceHierarchy *
sluice_graph_page_get_hierarchy (SluiceGraphPage *self)
{
  return sluice_canvas_get_hierarchy (self->canvas);
}

const char *
sluice_graph_page_get_selection (SluiceGraphPage *self)
{
  return sluice_canvas_get_selection (self->canvas);
}

gboolean
sluice_graph_page_select (SluiceGraphPage *self, const char *name)
{
  return sluice_canvas_select (self->canvas, name);
}

gboolean
sluice_graph_page_do (SluiceGraphPage *self, const char *verb)
{
  g_autofree char *action = g_strconcat ("canvas.", verb, NULL);
  return gtk_widget_activate_action_variant (GTK_WIDGET (self->canvas), action, NULL);
}

void
sluice_graph_page_export (SluiceGraphPage *self, const char *path)
{
  const char *ending = strrchr (path, '.');
  g_autofree char *lower = g_ascii_strdown (ending != NULL ? ending + 1 : "", -1);
  g_autofree char *action = g_strconcat ("canvas.export-", lower, NULL);
  if (gtk_widget_activate_action (GTK_WIDGET (self->canvas), action, "s", path))
    return;
  g_autofree char *message = g_strdup_printf (
      _ ("“%s” was not written: its name must end in .svg, .pdf, .png or .dot"), path);
  g_signal_emit (self, signals[FAILED], 0, message);
}

char *
sluice_graph_page_dump_scopes (SluiceGraphPage *self)
{
  return sluice_canvas_dump_scopes (self->canvas);
}

static void
selection_changed_cb (SluiceGraphPage *self, const char *name)
{
  g_signal_emit (self, signals[SELECTION_CHANGED], 0, name);
  read_live (self);
}

static void
failed_cb (SluiceGraphPage *self, const char *message)
{
  g_signal_emit (self, signals[FAILED], 0, message);
}

/* ---- a page of the window ---- */

static void
graph_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (page);
  if (g_set_object (&self->controller, context->controller))
    g_signal_connect_object (self->controller, "changed", G_CALLBACK (read_live), self,
                             G_CONNECT_SWAPPED); /* what the last step did, when nothing follows */
  if (self->live_source == 0)
    self->live_source = g_timeout_add (LIVE_MS, live_cb, self);
}

static void
graph_page_apply_settings (SluicePage *page, GSettings *settings)
{
  SluiceCanvas *canvas = SLUICE_GRAPH_PAGE (page)->canvas;
  gboolean is_up = g_settings_get_enum (settings, "data-flow") == 0;
  sluice_canvas_set_flow (canvas, is_up ? SLUICE_FLOW_UP : SLUICE_FLOW_DOWN);
  sluice_canvas_set_reduced_motion (canvas, g_settings_get_boolean (settings, "reduced-motion"));
}

/* Scopes and series by their names, nodes by all that is known of them. */
static gboolean
graph_page_search (SluicePage *page, const SluiceQuery *query, SluiceHits *hits)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (page);
  SluiceHierarchy *hierarchy = sluice_canvas_get_hierarchy (self->canvas);
  guint n = hierarchy != NULL ? sluice_hierarchy_get_n_groups (hierarchy) : 0;
  for (; hits->from + 1 < n && hits->budget > 0; hits->budget--)
    {
      /* Not the graph itself. */
      const SluiceGroup *group = sluice_hierarchy_get_group (hierarchy, ++hits->from);
      const SluiceNode *node =
          group->model_node != SLUICE_NONE ? sluice_graph_find (self->graph, group->path) : NULL;
      if (node != NULL ? sluice_query_matches_node (query, node)
                       : sluice_query_matches_name (query, group->path))
        sluice_hits_add (hits, G_OBJECT (self), "sluice-graph-symbolic", group->path,
                         node != NULL                         ? node->op_name
                         : group->section                     ? _ ("group")
                         : group->kind == SLUICE_GROUP_SERIES ? _ ("series")
                                                              : _ ("scope"));
    }
  return hits->from + 1 >= n;
}

static void
graph_page_show_hit (SluicePage *page, const char *title)
{
  sluice_graph_page_select (SLUICE_GRAPH_PAGE (page), title);
}

static gboolean
graph_page_is_settled (SluicePage *page)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (page);
  return self->loading == NULL && sluice_problem_watch_is_settled (self->problems)
         && !sluice_canvas_is_busy (self->canvas) && sluice_place_bar_is_settled (self->place_bar);
}

static char *
graph_page_dump_state (SluicePage *page)
{
  return sluice_canvas_dump_state (SLUICE_GRAPH_PAGE (page)->canvas);
}

static guint
graph_page_print (SluicePage *page, cairo_t *cr, guint sheet, double width, double height)
{
  return sluice_canvas_draw_on_paper (SLUICE_GRAPH_PAGE (page)->canvas, cr, width, height);
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = graph_page_attach;
  iface->apply_settings = graph_page_apply_settings;
  iface->search = graph_page_search;
  iface->show_hit = graph_page_show_hit;
  iface->is_settled = graph_page_is_settled;
  iface->print = graph_page_print;
  iface->dump_state = graph_page_dump_state;
}

static void
sluice_graph_page_dispose (GObject *object)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (object);
  if (self->canvas != NULL)
    flush_layout (self);
  if (self->loading != NULL)
    g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  close_graph (self);
  g_clear_handle_id (&self->live_source, g_source_remove);
  g_clear_object (&self->controller);
  g_clear_object (&self->placed);
  g_clear_pointer (&self->moved, g_free);
  g_clear_pointer (&self->live, sluice_live_graph_unref);
  g_clear_pointer ((GtkWidget **) &self->canvas, gtk_widget_unparent);
  g_clear_pointer ((GtkWidget **) &self->place_bar, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_graph_page_parent_class)->dispose (object);
}

static void
sluice_graph_page_finalize (GObject *object)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (object);
  sluice_problem_watch_free (self->problems);
  g_free (self->path);
  g_clear_pointer (&self->opened, sluice_opened_graph_free);
  g_free (self->layout_path);
  g_free (self->loss);
  g_free (self->failed_node);
  g_free (self->failure);
  g_free (self->bad_node);
  g_free (self->bad_value);
  g_free (self->first_node);
  g_free (self->first);
  G_OBJECT_CLASS (sluice_graph_page_parent_class)->finalize (object);
}

static void
sluice_graph_page_class_init (SluiceGraphPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->dispose = sluice_graph_page_dispose;
  object_class->finalize = sluice_graph_page_finalize;
  signals[SELECTION_CHANGED] =
      g_signal_new ("selection-changed", SLUICE_TYPE_GRAPH_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[LOADED] = g_signal_new ("loaded", SLUICE_TYPE_GRAPH_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new ("failed", SLUICE_TYPE_GRAPH_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[ARRANGED] = g_signal_new ("arranged", SLUICE_TYPE_GRAPH_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 0);
  signals[MEASURED] = g_signal_new ("measured", SLUICE_TYPE_GRAPH_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 0);
  signals[PROBLEMS] = g_signal_new ("problems", SLUICE_TYPE_GRAPH_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
}

static void
sluice_graph_page_init (SluiceGraphPage *self)
{
  self->canvas = SLUICE_CANVAS (sluice_canvas_new ());
  sluice_canvas_set_way_out (self->canvas, _ ("Open another graph…"), "win.open-graph");
  self->problems = sluice_problem_watch_new (problems_found, self);
  gtk_orientable_set_orientation (
      GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
  gtk_widget_set_vexpand (GTK_WIDGET (self->canvas), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->canvas), TRUE);
  gtk_widget_set_parent (GTK_WIDGET (self->canvas), GTK_WIDGET (self));
  self->place_bar = SLUICE_PLACE_BAR (sluice_place_bar_new ());
  gtk_widget_set_visible (GTK_WIDGET (self->place_bar), FALSE);
  gtk_widget_set_parent (GTK_WIDGET (self->place_bar), GTK_WIDGET (self));
  g_signal_connect_swapped (self->canvas, "selection-changed", G_CALLBACK (selection_changed_cb),
                            self);
  g_signal_connect_swapped (self->canvas, "layout-changed", G_CALLBACK (layout_changed_cb), self);
  g_signal_connect_swapped (self->canvas, "failed", G_CALLBACK (failed_cb), self);
}
