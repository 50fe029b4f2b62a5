/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/start-task.h"

#include <string.h>

#include "engine/train/fork.h"
#include "engine/train/repeats.h"

SluiceStartTask *
sluice_start_task_new (SluiceStore *store, const char *folder)
{
  SluiceStartTask *self = g_new0 (SluiceStartTask, 1);
  self->store = g_object_ref (store);
  self->folder = g_strdup (folder);
  self->from_step = -1;
  return self;
}

void
sluice_start_task_free (SluiceStartTask *self)
{
  g_object_unref (self->store);
  g_free (self->folder);
  g_free (self->resume);
  g_free (self->init_from);
  g_free (self->device);
  g_free (self->name);
  g_strfreev (self->assignments);
  g_free (self->repeated);
  g_clear_pointer (&self->graph, g_bytes_unref);
  g_free (self->words);
  g_clear_error (&self->edit_failure);
  g_free (self);
}

/* Nobody has to guess why two curves lie on each other. */
static void
find_repeated (SluiceStartTask *self, const SluiceProject *project)
{
  if (self->resume == NULL && self->init_from == NULL)
    self->repeated = sluice_project_dup_repeated (project, self->store);
}

/* The new run's name becomes the one to resume. */
static gboolean
fork_run (SluiceStartTask *self, GError **error)
{
  const SluiceSessionOptions host = { .device = self->device };
  const SluiceForkRequest request = { .name = self->name,
                                      .step = self->parent_step,
                                      .assignments = (const char *const *) self->assignments,
                                      .needs.devices = self->device,
                                      .host = &host };
  g_autofree char *number = g_strdup_printf ("#%" G_GINT64_FORMAT, self->parent);
  g_autoptr (SluiceRunInfo) parent = sluice_store_dup_run (self->store, number, error);
  g_autoptr (SluiceRunInfo) info =
      parent != NULL ? sluice_fork (self->store, parent, &request, error) : NULL;
  if (info == NULL)
    return FALSE;
  self->resume = g_strdup (info->name);
  g_clear_pointer (&self->assignments, g_strfreev);
  return TRUE;
}

gboolean
sluice_start_task_edits (const SluiceStartTask *self)
{
  return self->graph != NULL || self->takes_back;
}

/* Of the run to resume. Where it cannot be it goes on as it was, to be paused there. */
static void
edit_run (SluiceStartTask *self)
{
  const SluiceGraphEdit edit = { .graph = self->graph, .words = self->words, .step = -1 };
  g_autoptr (SluiceRunInfo) info =
      sluice_store_dup_run (self->store, self->resume, &self->edit_failure);
  if (info == NULL)
    return;
  if (self->graph != NULL)
    sluice_run_edit (self->store, info, &edit, &self->edited, &self->edit_failure);
  else
    sluice_run_take_back_edit (self->store, info, &self->edited.step, NULL, &self->edit_failure);
}

/* Of the run to resume, or the open one. (transfer full) (nullable) */
static SluiceProject *
load_project (SluiceStartTask *self, GError **error)
{
  g_autofree char *folder = g_strdup (self->folder);
  if (self->resume != NULL)
    {
      g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (self->store, self->resume, error);
      g_free (folder);
      folder = info != NULL ? sluice_store_dup_run_folder (self->store, info->id) : NULL;
    }
  g_autoptr (SluiceProject) project = folder != NULL ? sluice_project_load (folder, error) : NULL;
  return project != NULL && sluice_project_set_all (project, self->assignments, error)
             ? g_steal_pointer (&project)
             : NULL;
}

SluiceTrainer *
sluice_start_task_run (SluiceStartTask *self, GError **error)
{
  if (self->parent != 0 && !fork_run (self, error))
    return NULL;
  if (sluice_start_task_edits (self))
    edit_run (self);
  SluiceProject *project = load_project (self, error);
  if (project == NULL)
    return NULL;
  find_repeated (self, project);
  const SluiceSessionOptions host = { .device = self->device };
  const SluiceTrainerOptions options = { .run_name = self->name,
                                         .host = self->device != NULL ? &host : NULL,
                                         .resume = self->resume,
                                         .goes_back = self->from_step >= 0,
                                         .from_step = MAX (self->from_step, 0),
                                         .accept_changed_data = self->accept_data,
                                         .audits = self->audits,
                                         .has_changed_data = &self->has_changed_data,
                                         .init_from = self->init_from,
                                         .init_partly = self->init_partly,
                                         .start_paused =
                                             self->takes_back || self->edit_failure != NULL,
                                         .allow_files = self->allowed_files,
                                         .runs_commands = self->runs_commands };
  return sluice_trainer_new (self->store, project, &options, error);
}

SluiceTrainer *
sluice_start_task_take (SluiceStartTask *self, GError **error)
{
  const SluiceTrainerOptions options = { .allow_files = self->allowed_files };
  const SluiceQueueLimits limits = { .threads = -1, .memory = -1 };
  g_autoptr (SluiceRunInfo) run = NULL;
  SluiceTrainer *trainer = NULL;
  self->claim = sluice_queue_take (self->store, &options, &limits, &run, &trainer, error);
  /* Its steps are shown over the graph that is open, which is its own only there. */
  g_autofree char *open = self->folder != NULL ? g_path_get_basename (self->folder) : NULL;
  if (run != NULL && g_strcmp0 (run->project, open) != 0)
    g_clear_pointer (&self->folder, g_free);
  return trainer;
}
