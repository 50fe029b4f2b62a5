/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/fork.h"

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/graph/graphdef.h"
#include "engine/store/draft.h"
#include "engine/store/file.h"
#include "engine/train/project-changes.h"
#include "engine/train/retrace.h"
#include "engine/train/run-edit.h"
#include "engine/train/run-file.h"
#include "engine/train/run-forecast.h"
#include "engine/train/trainer-private.h"

typedef struct
{
  SluiceStore *store;
  const SluiceRunInfo *parent;
  const SluiceForkRequest *request;
  char *folder;                    /* of the parent */
  SluiceProject *before, *project; /* as the parent is, and as the fork begins */
  SluiceExamples *examples, *test;
  SluiceReplica *replica; /* (nullable): stands at the step, until all is written */
  char *state;            /* (nullable): the checkpoint of it */
  gsize state_bytes;
  /* What its start is made of. */
  SluiceRunFile *file;
  GBytes *graph;
  SluiceRecord *settings;
  char *checkpoint; /* relative to the run's folder */
  SluiceQueueNeeds needs;
} Fork;

static void
drop_replica (Fork *self)
{
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
}

static void
fork_free (gpointer data)
{
  Fork *self = data;
  drop_replica (self);
  g_clear_pointer (&self->before, sluice_project_free);
  g_clear_pointer (&self->project, sluice_project_free);
  g_clear_pointer (&self->file, sluice_run_file_free);
  g_clear_pointer (&self->graph, g_bytes_unref);
  g_clear_pointer (&self->settings, sluice_record_free);
  g_free (self->folder);
  g_free (self->state);
  g_free (self->checkpoint);
  g_free (self);
}

/* ---- what it is to be ---- */

static gboolean
load_projects (Fork *self, GError **error)
{
  const SluiceForkRequest *request = self->request;
  g_autofree char *folder = sluice_run_edit_dup_folder_at (self->folder, request->step);
  self->before = sluice_project_load (folder, error);
  self->project = self->before != NULL ? sluice_project_load (folder, error) : NULL;
  if (self->project == NULL)
    return FALSE;
  sluice_project_begin_at (self->project, request->step);
  /* No trial, though it is evaluated where its parent was. */
  self->project->n_trials = self->project->trial = 0;
  for (guint i = 0; request->assignments != NULL && request->assignments[i] != NULL; i++)
    if (!sluice_project_set (self->project, request->assignments[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
check_step (const Fork *self, GError **error)
{
  gint64 step = self->request->step;
  const SluiceRunInfo *parent = self->parent;
  if (step > parent->step)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                        "run '%s' is at step %" G_GINT64_FORMAT
                        " and has not come to step %" G_GINT64_FORMAT,
                        parent->name, parent->step, step);
  if (parent->parent != 0 && step < parent->parent_step)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                        "run '%s' begins at step %" G_GINT64_FORMAT
                        ", where it was forked; fork run #%" G_GINT64_FORMAT
                        " at step %" G_GINT64_FORMAT " instead",
                        parent->name, parent->parent_step, parent->parent, step);
  return step < self->project->n_steps
         || sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                         "nothing is to be trained behind step %" G_GINT64_FORMAT
                         " of %" G_GINT64_FORMAT "; give steps=N, too",
                         step, self->project->n_steps);
}

/* Other data would make it another run from that step on, without a word. */
static gboolean
check_data (Fork *self, GError **error)
{
  g_autofree char *changed = NULL;
  self->file = sluice_run_file_read (self->folder);
  if (self->file == NULL)
    self->file = sluice_run_file_new (self->project, error);
  else if (!sluice_run_file_compare (self->file, self->project, &changed, error))
    return FALSE;
  return self->file != NULL
         && (changed == NULL || self->request->accept_changed_data
             || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                             "the data of run '%s' have changed: %s; put back what was there, or "
                             "fork it with what is there now: --accept-changed-data",
                             self->parent->name, changed));
}

/* ---- the state at the step ---- */

static gboolean
make_replica (Fork *self, SluiceProject *project, GError **error)
{
  drop_replica (self);
  if (!sluice_examples_load_all (project, &self->examples, &self->test, error))
    return FALSE;
  self->replica =
      sluice_replica_new (project, self->examples, self->test, 0, self->request->host, error);
  return self->replica != NULL;
}

/* As the parent was: its own settings, until the step. Then that the fork's fit. other: (nullable):
 * a fork at the same step, whose state is this one's. */
static gboolean
stand_at_step (Fork *self, const char *folder, const Fork *other, GError **error)
{
  const gint64 step = self->request->step;
  self->checkpoint = sluice_checkpoint_folder_dup_name (step);
  self->state = g_build_filename (folder, self->checkpoint, NULL);
  if (other != NULL)
    self->state_bytes = other->state_bytes;
  gboolean ok =
      other != NULL
          ? sluice_file_copy_tree ("checkpoint", other->state, self->state, error)
          : make_replica (self, self->before, error)
                && sluice_replica_stand_at (self->replica, self->store, self->parent, step,
                                            self->request->recomputes,
                                            self->request->recomputes_data, error)
                && sluice_replica_save (self->replica, self->state, &self->state_bytes, error);
  return ok && make_replica (self, self->project, error)
         && sluice_replica_restore (self->replica, self->state, error);
}

/* ---- the run ---- */

static SluiceRunInfo *
make_info (const Fork *self, GError **error)
{
  const SluiceForkRequest *request = self->request;
  SluiceRunInfo *info = g_new0 (SluiceRunInfo, 1);
  info->name = request->name != NULL
                   ? g_strdup (request->name)
                   : g_strdup_printf ("%s-at-%" G_GINT64_FORMAT, self->parent->name, request->step);
  info->project = g_strdup (self->parent->project);
  info->group = g_strdup (request->group != NULL ? request->group : self->parent->group);
  info->n_steps = self->project->n_steps;
  info->seed = self->project->seed;
  info->step = request->step;
  info->created = sluice_trainer_wall_now ();
  info->state = request->waits ? SLUICE_RUN_WAITING : SLUICE_RUN_DRAFT;
  info->parent = self->parent->id;
  info->parent_step = request->step;
  info->graph_hash = sluice_graph_dup_hash (self->replica->graph, error);
  return info;
}

static gboolean
write_run_file (const char *folder, const SluiceRunInfo *info, gpointer data, GError **error)
{
  return sluice_run_file_write (data, folder, info, error);
}

static SluiceQueueNeeds
get_needs (Fork *self)
{
  SluiceQueueNeeds needs = self->request->needs;
  g_autoptr (SluiceRunForecast) forecast = self->request->waits && needs.memory == 0
                                               ? sluice_run_forecast_new (self->replica, NULL)
                                               : NULL;
  if (forecast != NULL)
    needs.memory = sluice_run_forecast_get_bytes (forecast);
  if (needs.devices == NULL)
    needs.devices = self->project->session.device;
  return needs;
}

/* Its folder, and what the database is to be told of it. (transfer full) (nullable) */
static SluiceRunInfo *
prepare (Fork *self, SluiceRunDraft *draft, const Fork *other, GError **error)
{
  if (!load_projects (self, error) || !check_step (self, error) || !check_data (self, error))
    return NULL;
  g_autofree char *folder = sluice_run_draft_add_folder (draft, error);
  if (folder == NULL || !stand_at_step (self, folder, other, error))
    return NULL;
  g_autoptr (SluiceRunInfo) info = make_info (self, error);
  self->graph = sluice_graph_export (self->replica->graph, SLUICE_EXPORT_BINARY, error);
  sluice_run_file_note_asked (self->file, &self->request->needs, NULL);
  if (info->graph_hash == NULL || self->graph == NULL
      || !sluice_project_save (self->project, folder, error)
      || !sluice_run_file_write (self->file, folder, info, error))
    return NULL;
  if (other != NULL && g_bytes_equal (self->graph, other->graph))
    {
      g_bytes_unref (self->graph);
      self->graph = g_bytes_ref (other->graph);
    }
  /* Until it is trained, too, it can be told from others. */
  self->settings = sluice_trainer_new_settings (self->project, self->replica->graph);
  self->needs = get_needs (self);
  drop_replica (self);
  return g_steal_pointer (&info);
}

static SluiceRunStart
make_start (const Fork *self)
{
  return (SluiceRunStart){ .graph = self->graph,
                           .checkpoint = self->checkpoint,
                           .checkpoint_step = self->request->step,
                           .checkpoint_bytes = self->state_bytes,
                           .waits = self->request->waits ? &self->needs : NULL,
                           .settings = self->settings,
                           .write = write_run_file,
                           .data = self->file };
}

GPtrArray *
sluice_fork_all (SluiceStore *store,
                 const SluiceRunInfo *parent,
                 const SluiceForkRequest *requests,
                 guint n,
                 GError **error)
{
  g_autoptr (GPtrArray) forks = g_ptr_array_new_with_free_func (fork_free);
  g_autoptr (GPtrArray) infos =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  g_autoptr (SluiceRunDraft) draft = sluice_run_draft_new (store, error);
  g_autofree SluiceRunStart *starts = g_new (SluiceRunStart, n);
  if (draft == NULL)
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      const char *name = requests[i].name;
      const Fork *other = i > 0 && requests[i].step == requests[0].step ? forks->pdata[0] : NULL;
      Fork *fork = g_new0 (Fork, 1);
      g_ptr_array_add (forks, fork);
      fork->store = store;
      fork->parent = parent;
      fork->request = &requests[i];
      fork->folder = sluice_store_dup_run_folder (store, parent->id);
      if (name != NULL && !sluice_text_check_name ("the name of the run", name, error))
        return NULL;
      SluiceRunInfo *info = prepare (fork, draft, other, error);
      if (info == NULL)
        return NULL;
      g_ptr_array_add (infos, info);
      starts[i] = make_start (fork);
    }
  return sluice_run_draft_start_all (g_steal_pointer (&draft), infos, starts, error)
             ? g_steal_pointer (&infos)
             : NULL;
}

SluiceRunInfo *
sluice_fork (SluiceStore *store,
             const SluiceRunInfo *parent,
             const SluiceForkRequest *request,
             GError **error)
{
  g_autoptr (GPtrArray) infos = sluice_fork_all (store, parent, request, 1, error);
  return infos != NULL ? sluice_run_info_copy (infos->pdata[0]) : NULL;
}
