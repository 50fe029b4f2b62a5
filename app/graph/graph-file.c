/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/graph-file.h"

#include <string.h>

#include "app/graph/graph-adapter.h"
#include "engine/command/problems.h"
#include "app/graph/written-out.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel.h"
#include "engine/train/project.h"

void
sluice_graph_file_free (SluiceGraphFile *self)
{
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_clear_object (&self->placed);
  g_free (self->moved);
  g_clear_pointer (&self->model, sluice_graph_model_unref);
  g_clear_pointer (&self->state, sluice_view_state_free);
  g_clear_pointer (&self->problems, g_ptr_array_unref);
  g_clear_pointer (&self->opened, sluice_opened_graph_free);
  g_clear_pointer (&self->ends, sluice_project_ends_unref);
  g_free (self->layout_path);
  g_free (self->loss);
  g_free (self);
}

/* Of a file that can be written back, to be edited. */
static SluiceGraph *
open_graph (SluiceGraphFile *self, const char *path, GError **error)
{
  self->opened = sluice_opened_graph_read (path, error);
  return self->opened != NULL
             ? sluice_graph_ref (sluice_command_stack_get_graph (self->opened->stack))
             : NULL;
}

/* The graph of a project, as its file has it: what [parameters] say otherwise is a run's. For a
 * graph file or a SavedModel itself no layout is kept. */
static SluiceGraph *
load_graph (SluiceGraphFile *self, const char *path, SluiceSessionOptions *options, GError **error)
{
  if (!sluice_project_is_folder (path))
    {
      g_autoptr (SluiceGraph) graph = sluice_saved_model_exists (path)
                                          ? sluice_graph_load_file (path, error)
                                          : open_graph (self, path, error);
      SluiceGraph *shown = graph != NULL ? sluice_graph_write_out_calls (graph) : NULL;
      if (shown != graph)
        g_clear_pointer (&self->opened, sluice_opened_graph_free);
      return shown;
    }
  g_autoptr (SluiceProject) project = sluice_project_load (path, error);
  if (project == NULL)
    return NULL;
  self->layout_path = g_build_filename (project->folder, "model.layout", NULL);
  if (project->loss != NULL && project->loss[0] != NULL)
    self->loss = g_strndup (project->loss[0], strcspn (project->loss[0], ":"));
  self->ends = sluice_project_ends_new (project);
  options->n_cpus = MAX (project->session.n_cpus, 1);
  options->device = project->session.device; /* interned */
  return sluice_saved_model_exists (project->graph_path)
             ? sluice_project_load_graph (project, error)
             : open_graph (self, project->graph_path, error);
}

/* Where a run would place the nodes: a session in which nothing runs, made while the model is. It
 * copies the graph and reads nothing of it that is found only when it is asked for (frames, values
 * that are known), which is what the model's maker writes to it. */
typedef struct
{
  SluiceGraph *graph;
  SluiceSessionOptions options;
  GThread *thread; /* (nullable): there was none */
} Placing;

/* (nullable): what cannot be placed says so when it is run. */
static gpointer
place (gpointer data)
{
  Placing *self = data;
  g_autoptr (SluiceSession) session = sluice_session_new (&self->options, NULL);
  if (session == NULL) /* the device may be one of another machine */
    {
      self->options.device = NULL;
      session = sluice_session_new (&self->options, NULL);
    }
  return session != NULL && sluice_session_extend (session, self->graph, NULL)
             ? g_steal_pointer (&session)
             : NULL;
}

/* The positions that were saved; a file that cannot be read is told, and not written over. */
static void
read_layout (SluiceGraphFile *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *hash = sluice_graph_dup_hash (self->graph, &error), *text = NULL;
  if (hash == NULL)
    {
      g_message ("%s: %s", self->layout_path, error->message);
      g_clear_pointer (&self->layout_path, g_free);
      return;
    }
  sluice_graph_model_set_hash (self->model, hash);
  if (self->opened != NULL && sluice_command_stack_is_saved (self->opened->stack))
    self->opened->graph_hash = g_steal_pointer (&hash);
  if (!g_file_get_contents (self->layout_path, &text, NULL, NULL))
    return;
  self->state = sluice_view_state_parse (text, NULL, &error);
  if (self->state != NULL)
    return;
  g_message ("%s: %s", self->layout_path, error->message);
  g_clear_pointer (&self->layout_path, g_free);
}

SluiceGraphFile *
sluice_graph_file_read (const char *path, GError **error)
{
  g_autoptr (SluiceGraphFile) self = g_new0 (SluiceGraphFile, 1);
  SluiceSessionOptions options = { .n_cpus = 1, .no_trace = TRUE };
  self->graph = load_graph (self, path, &options, error);
  if (self->graph == NULL)
    return NULL;
  Placing placing = { .graph = self->graph, .options = options };
  placing.thread = g_thread_try_new ("place", place, &placing, NULL);
  self->model = sluice_graph_model_from_graph (self->graph, NULL);
  self->problems = sluice_problems_find (self->graph, sluice_project_ends_get_context (self->ends));
  self->placed = placing.thread != NULL ? g_thread_join (placing.thread) : place (&placing);
  if (self->placed != NULL)
    {
      self->moved = sluice_session_dup_moved (self->placed);
      sluice_graph_model_place (self->model, self->graph, self->placed);
    }
  if (self->layout_path != NULL)
    read_layout (self);
  return g_steal_pointer (&self);
}

/* ---- ahead of time ---- */

struct _SluiceReadAhead
{
  char *path;
  GThread *thread;
  GError *error;
};

static gpointer
read_ahead (gpointer data)
{
  SluiceReadAhead *self = data;
  return sluice_graph_file_read (self->path, &self->error);
}

SluiceReadAhead *
sluice_read_ahead_new (const char *path)
{
  SluiceReadAhead *self = g_new0 (SluiceReadAhead, 1);
  self->path = g_canonicalize_filename (path, NULL);
  self->thread = g_thread_try_new ("read-ahead", read_ahead, self, NULL);
  return self;
}

SluiceGraphFile *
sluice_read_ahead_finish (SluiceReadAhead *self, const char *path, GError **error)
{
  if (self->thread == NULL || !g_str_equal (path, self->path))
    return sluice_graph_file_read (path, error);
  SluiceGraphFile *file = g_thread_join (g_steal_pointer (&self->thread));
  if (file == NULL)
    g_propagate_error (error, g_steal_pointer (&self->error));
  return file;
}

void
sluice_read_ahead_free (SluiceReadAhead *self)
{
  SluiceGraphFile *file = self->thread != NULL ? g_thread_join (self->thread) : NULL;
  g_clear_pointer (&file, sluice_graph_file_free);
  g_clear_error (&self->error);
  g_free (self->path);
  g_free (self);
}

/* ---- beside the main loop ---- */

typedef struct
{
  char *path;
  SluiceReadAhead *ahead; /* (nullable) */
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;
  g_clear_pointer (&request->ahead, sluice_read_ahead_free);
  g_free (request->path);
  g_free (request);
}

static void
load_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  Request *request = data;
  SluiceGraphFile *file = request->ahead != NULL
                              ? sluice_read_ahead_finish (request->ahead, request->path, &error)
                              : sluice_graph_file_read (request->path, &error);
  if (file != NULL)
    g_task_return_pointer (task, file, (GDestroyNotify) sluice_graph_file_free);
  else
    g_task_return_error (task, error);
}

void
sluice_graph_file_begin (const char *path,
                         SluiceReadAhead *ahead,
                         GObject *source,
                         GCancellable *cancellable,
                         GAsyncReadyCallback done)
{
  g_autoptr (GTask) task = g_task_new (source, cancellable, done, NULL);
  Request *request = g_new (Request, 1);
  *request = (Request){ g_strdup (path), ahead };
  g_task_set_task_data (task, request, request_free);
  g_task_run_in_thread (task, load_in_worker);
}

SluiceGraphFile *
sluice_graph_file_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
