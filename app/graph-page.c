/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "app/graph-adapter.h"
#include "engine/graph/graphdef.h"
#include "engine/train/project.h"
#include "ui/canvas/canvas.h"

/* How often the trace is read while a run is under way. */
#define HEAT_MS 500

struct _SluiceGraphPage
{
  GtkWidget parent;
  SluiceCanvas *canvas;
  char *path;
  char *layout_path; /* (nullable): where the positions are saved */
  SluiceGraph *graph;
  GCancellable *loading;
  SluiceRunController *controller;
  SluiceSession *heat_session; /* whose trace the cursor is in */
  guint64 heat_cursor;
  gboolean heat_reading;
  guint heat_source, save_source;
  GHashTable *seconds; /* name of a node or scope -> double: its time in this session; "": of all */
};

G_DEFINE_FINAL_TYPE (SluiceGraphPage, sluice_graph_page, GTK_TYPE_WIDGET)

enum
{
  SELECTION_CHANGED,
  LOADED,
  FAILED,
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
layout_saved_cb (GObject *file, GAsyncResult *result, gpointer data)
{
  g_autoptr (SluiceGraphPage) self = data;
  g_autoptr (GError) error = NULL;
  if (!g_file_replace_contents_finish (G_FILE (file), result, NULL, &error))
    layout_not_saved (self, error);
}

static gboolean
save_layout_cb (gpointer data)
{
  SluiceGraphPage *self = data;
  self->save_source = 0;
  g_autofree char *text = print_layout (self);
  if (text == NULL)
    return G_SOURCE_REMOVE;
  g_autoptr (GFile) file = g_file_new_for_path (self->layout_path);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_file_replace_contents_bytes_async (file, bytes, NULL, FALSE, G_FILE_CREATE_NONE, NULL,
                                       layout_saved_cb, g_object_ref (self));
  return G_SOURCE_REMOVE;
}

/* What waits to be saved is saved now: the window closes, or another graph comes. */
static void
flush_layout (SluiceGraphPage *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = self->save_source != 0 ? print_layout (self) : NULL;
  g_clear_handle_id (&self->save_source, g_source_remove);
  if (text != NULL && !g_file_set_contents (self->layout_path, text, -1, &error))
    layout_not_saved (self, error);
}

/* Soon, so that a drag writes once. */
static void
layout_changed_cb (SluiceGraphPage *self)
{
  if (self->save_source == 0)
    self->save_source = g_timeout_add (800, save_layout_cb, self);
}

/* ---- loading ---- */

typedef struct
{
  SluiceGraph *graph;
  SluiceGraphModel *model;
  SluiceViewState *state; /* (nullable) */
  char *layout_path;
} Loaded;

static void
loaded_free (gpointer data)
{
  Loaded *loaded = data;
  g_clear_pointer (&loaded->graph, sluice_graph_unref);
  g_clear_pointer (&loaded->model, sluice_graph_model_unref);
  g_clear_pointer (&loaded->state, sluice_view_state_free);
  g_free (loaded->layout_path);
  g_free (loaded);
}

/* The graph file of a project; for a graph file itself no layout is kept. */
static char *
find_graph (const char *path, char **layout_path, GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  g_autoptr (SluiceProject) project = sluice_project_load (path, error);
  if (project == NULL)
    return NULL;
  *layout_path = g_build_filename (project->folder, "model.layout", NULL);
  return g_strdup (project->graph_path);
}

static void
load_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  Loaded *loaded = g_new0 (Loaded, 1);
  g_autofree char *path = find_graph (data, &loaded->layout_path, &error);
  loaded->graph = path != NULL ? sluice_graph_load_file (path, &error) : NULL;
  if (loaded->graph == NULL)
    {
      loaded_free (loaded);
      g_task_return_error (task, error);
      return;
    }
  loaded->model = sluice_graph_model_from_graph (loaded->graph);
  if (loaded->layout_path != NULL)
    {
      g_autofree char *hash = sluice_graph_dup_hash (loaded->graph);
      sluice_graph_model_set_hash (loaded->model, hash);
    }
  g_autofree char *text = NULL;
  if (loaded->layout_path != NULL && g_file_get_contents (loaded->layout_path, &text, NULL, NULL))
    {
      g_autoptr (GError) layout_error = NULL;
      loaded->state = sluice_view_state_parse (text, NULL, &layout_error);
      if (loaded->state == NULL)
        {
          g_message ("%s: %s", loaded->layout_path, layout_error->message);
          g_clear_pointer (&loaded->layout_path,
                           g_free); /* what cannot be read is not written over */
        }
    }
  g_task_return_pointer (task, loaded, loaded_free);
}

static void
load_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (object);
  g_autoptr (GError) error = NULL;
  Loaded *loaded = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->loading);
  sluice_canvas_set_loading (self->canvas, NULL);
  if (loaded == NULL)
    sluice_canvas_set_failure (self->canvas, error->message);
  else
    {
      self->graph = g_steal_pointer (&loaded->graph);
      self->layout_path = g_steal_pointer (&loaded->layout_path);
      sluice_canvas_set_failure (self->canvas, NULL);
      if (loaded->state != NULL)
        sluice_canvas_set_view_state (self->canvas, loaded->state);
      sluice_canvas_set_model (self->canvas, loaded->model);
      loaded_free (loaded);
    }
  g_signal_emit (self, signals[LOADED], 0);
}

void
sluice_graph_page_open (SluiceGraphPage *self, const char *path)
{
  flush_layout (self);
  if (self->loading != NULL)
    g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_clear_pointer (&self->layout_path, g_free);
  g_free (self->path);
  self->path = g_strdup (path);
  self->loading = g_cancellable_new ();
  g_hash_table_remove_all (self->seconds);
  sluice_canvas_clear_values (self->canvas);
  sluice_canvas_set_loading (self->canvas, _ ("Reading the graph…"));
  g_autoptr (GTask) task = g_task_new (self, self->loading, load_done, NULL);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, load_in_worker);
}

/* ---- heat: each node's share of the step's time, from the trace ---- */

typedef struct
{
  SluiceSession *session;
  guint64 cursor;
  GHashTable *seconds; /* node -> double */
} HeatTask;

static void
heat_task_free (gpointer data)
{
  HeatTask *task = data;
  g_object_unref (task->session);
  g_hash_table_unref (task->seconds);
  g_free (task);
}

static void
add_time (GHashTable *table, const char *name, double time)
{
  double *sum = g_hash_table_lookup (table, name);
  if (sum == NULL)
    {
      sum = g_new0 (double, 1);
      g_hash_table_insert (table, g_strdup (name), sum);
    }
  *sum += time;
}

/* A node's time counts for the node and for every scope round it. */
static void
heat_in_worker (GTask *gtask, gpointer source, gpointer data, GCancellable *cancellable)
{
  HeatTask *task = data;
  g_autoptr (GArray) events = sluice_session_dup_trace (task->session, &task->cursor, NULL);
  for (guint i = 0; i < events->len; i++)
    {
      SluiceTraceEvent *event = &g_array_index (events, SluiceTraceEvent, i);
      double time = event->end_us - event->start_us;
      if (event->node == NULL || time <= 0)
        continue;
      add_time (task->seconds, event->node, time);
      add_time (task->seconds, "", time);
      for (const char *slash = strchr (event->node, '/'); slash != NULL;
           slash = strchr (slash + 1, '/'))
        {
          g_autofree char *scope = g_strndup (event->node, slash - event->node);
          add_time (task->seconds, scope, time);
        }
    }
  g_task_return_boolean (gtask, TRUE);
}

double
sluice_graph_page_get_share (SluiceGraphPage *self, const char *name)
{
  double *time = g_hash_table_lookup (self->seconds, name),
         *total = g_hash_table_lookup (self->seconds, "");
  return time != NULL && *total > 0 ? *time / *total : -1;
}

static void
show_heat (SluiceGraphPage *self)
{
  g_autoptr (GArray) values = g_array_new (FALSE, TRUE, sizeof (SluiceCanvasValue));
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, self->seconds);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      SluiceCanvasValue value = { .name = name,
                                  .share = sluice_graph_page_get_share (self, name),
                                  .bytes = -1 };
      if (*value.name != '\0')
        g_array_append_val (values, value);
    }
  sluice_canvas_set_values (self->canvas, (SluiceCanvasValue *) values->data, values->len);
}

/* Times add up over the session: shares then settle instead of dancing. */
static void
heat_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (object);
  HeatTask *task = g_task_get_task_data (G_TASK (result));
  self->heat_reading = FALSE;
  if (task->session != self->heat_session || g_hash_table_size (task->seconds) == 0)
    return;
  self->heat_cursor = task->cursor;
  GHashTableIter iter;
  gpointer name, time;
  g_hash_table_iter_init (&iter, task->seconds);
  while (g_hash_table_iter_next (&iter, &name, &time))
    add_time (self->seconds, name, *(double *) time);
  show_heat (self);
}

static gboolean
heat_cb (gpointer data)
{
  SluiceGraphPage *self = data;
  SluiceSession *session = sluice_run_controller_get_session (self->controller);
  if (sluice_run_controller_get_state (self->controller) != SLUICE_CONTROL_RUNNING
      || session == NULL || self->heat_reading || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return G_SOURCE_CONTINUE;
  if (g_set_object (&self->heat_session, session))
    {
      self->heat_cursor = 0;
      g_hash_table_remove_all (self->seconds);
    }
  HeatTask *task = g_new0 (HeatTask, 1);
  task->session = g_object_ref (session);
  task->cursor = self->heat_cursor;
  task->seconds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->heat_reading = TRUE;
  g_autoptr (GTask) gtask = g_task_new (self, NULL, heat_done, NULL);
  g_task_set_task_data (gtask, task, heat_task_free);
  g_task_run_in_thread (gtask, heat_in_worker);
  return G_SOURCE_CONTINUE;
}

void
sluice_graph_page_set_controller (SluiceGraphPage *self, SluiceRunController *controller)
{
  g_set_object (&self->controller, controller);
  if (self->heat_source == 0)
    self->heat_source = g_timeout_add (HEAT_MS, heat_cb, self);
}

/* ---- what the window asks ---- */

SluiceGraph *
sluice_graph_page_get_graph (SluiceGraphPage *self)
{
  return self->graph;
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

guint
sluice_graph_page_find (SluiceGraphPage *self, const char *text)
{
  return sluice_canvas_find (self->canvas, text);
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

gboolean
sluice_graph_page_is_busy (SluiceGraphPage *self)
{
  return self->loading != NULL || sluice_canvas_is_busy (self->canvas);
}

char *
sluice_graph_page_dump_state (SluiceGraphPage *self)
{
  return sluice_canvas_dump_state (self->canvas);
}

void
sluice_graph_page_apply_settings (SluiceGraphPage *self, GSettings *settings)
{
  sluice_canvas_set_flow (self->canvas, g_settings_get_enum (settings, "data-flow") == 0
                                            ? SLUICE_FLOW_UP
                                            : SLUICE_FLOW_DOWN);
  sluice_canvas_set_reduced_motion (self->canvas,
                                    g_settings_get_boolean (settings, "reduced-motion"));
}

static void
selection_changed_cb (SluiceGraphPage *self, const char *name)
{
  g_signal_emit (self, signals[SELECTION_CHANGED], 0, name);
}

static void
high_contrast_cb (SluiceGraphPage *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  sluice_canvas_set_high_contrast (self->canvas, adw_style_manager_get_high_contrast (style));
}

static void
failed_cb (SluiceGraphPage *self, const char *message)
{
  g_signal_emit (self, signals[FAILED], 0, message);
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
  g_clear_handle_id (&self->heat_source, g_source_remove);
  g_clear_object (&self->controller);
  g_clear_object (&self->heat_session);
  g_clear_pointer ((GtkWidget **) &self->canvas, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_graph_page_parent_class)->dispose (object);
}

static void
sluice_graph_page_finalize (GObject *object)
{
  SluiceGraphPage *self = SLUICE_GRAPH_PAGE (object);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_hash_table_unref (self->seconds);
  g_free (self->path);
  g_free (self->layout_path);
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
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
sluice_graph_page_init (SluiceGraphPage *self)
{
  self->seconds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->canvas = SLUICE_CANVAS (sluice_canvas_new ());
  gtk_widget_set_parent (GTK_WIDGET (self->canvas), GTK_WIDGET (self));
  g_signal_connect_swapped (self->canvas, "selection-changed", G_CALLBACK (selection_changed_cb),
                            self);
  g_signal_connect_swapped (self->canvas, "layout-changed", G_CALLBACK (layout_changed_cb), self);
  g_signal_connect_swapped (self->canvas, "failed", G_CALLBACK (failed_cb), self);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::high-contrast",
                           G_CALLBACK (high_contrast_cb), self, G_CONNECT_SWAPPED);
  high_contrast_cb (self);
}
