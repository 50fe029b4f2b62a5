/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <math.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/store/kinds/graph.h"
#include "engine/store/kinds/hparams.h"
#include "engine/train/trainer-private.h"

double
trainer_wall_now (void)
{
  return g_get_real_time () * 1e-6;
}

static gint64
open_series (SluiceTrainer *self, const char *prefix, const char *name, GError **error)
{
  g_autofree char *tag = g_strconcat (prefix, name, NULL);
  return sluice_run_log_series (self->log, tag, SLUICE_SERIES_SCALAR, error);
}

static gboolean
open_all_series (SluiceTrainer *self, GError **error)
{
  SluiceProject *p = self->project;
  self->series = g_new (gint64, self->machine->n_scalars);
  self->evaluation_series = g_new (gint64, p->evaluate->len + 1);
  gint64 worst = self->series[0] = open_series (self, "", "loss", error);
  for (guint i = 0; worst >= 0 && i < p->fetches->len; i++)
    worst = self->series[i + 1] =
        open_series (self, "", g_array_index (p->fetches, SluiceNamedEdge, i).name, error);
  for (guint i = 0; worst >= 0 && i < p->evaluate->len; i++)
    worst = self->evaluation_series[i] = open_series (
        self, "evaluate/", g_array_index (p->evaluate, SluiceNamedEdge, i).name, error);
  if (worst >= 0)
    worst = self->cpu_series = open_series (self, "system/", "cpu", error);
  if (worst >= 0)
    worst = self->memory_series = open_series (self, "system/", "memory", error);
  if (worst >= 0)
    worst = self->rate_series = open_series (self, "system/", "steps-per-second", error);
  return worst >= 0;
}

/* ---- a new run ---- */

static gboolean
make_folder (SluiceTrainer *self, GError **error)
{
  self->folder = sluice_store_dup_run_folder (self->store, self->info->id);
  g_autofree char *checkpoints = g_build_filename (self->folder, "checkpoints", NULL);
  return g_mkdir_with_parents (checkpoints, 0777) == 0
         || sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED, "'%s' cannot be made", checkpoints);
}

static gboolean
lock_run (SluiceTrainer *self, GError **error)
{
  self->has_lock = sluice_store_lock_run (self->store, self->info->id, error);
  return self->has_lock;
}

static gboolean
begin_run (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error)
{
  g_autofree char *hash = sluice_graph_dup_hash (self->machine->graph);
  g_autoptr (GBytes) graph =
      sluice_graph_export (self->machine->graph, SLUICE_EXPORT_BINARY, error);
  if (graph == NULL || !sluice_store_put_graph (self->store, hash, graph, error)
      || !machine_initialize (self->machine, error)
      || (options->init_from != NULL
          && !machine_take_values (self->machine, options->init_from, options->init_partly, error)))
    return FALSE;
  self->info = g_new0 (SluiceRunInfo, 1);
  self->info->name = g_strdup (options->run_name);
  self->info->project = g_path_get_basename (self->project->folder);
  self->info->n_steps = self->project->n_steps;
  self->info->seed = self->project->seed;
  self->info->created = self->info->started = trainer_wall_now ();
  self->info->graph_hash = g_steal_pointer (&hash);
  self->info->state = SLUICE_RUN_DRAFT;
  return sluice_store_add_run (self->store, self->info, error) && lock_run (self, error)
         && make_folder (self, error) && sluice_project_save (self->project, self->folder, error);
}

/* An older checkpoint stands in for a file that is torn or gone. */
static gboolean
is_lost (const GError *error)
{
  return g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS)
         || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* The newest checkpoint whose file is whole, or the one of a step. */
static gboolean
restore_newest (SluiceTrainer *self, gint64 wanted, GError **error)
{
  g_autoptr (GPtrArray) checkpoints =
      sluice_store_read_checkpoints (self->store, self->info->id, error);
  if (checkpoints == NULL)
    return FALSE;
  for (guint i = checkpoints->len; i-- > 0;)
    {
      SluiceCheckpointInfo *checkpoint = checkpoints->pdata[i];
      if (wanted != 0 && checkpoint->step != wanted)
        continue;
      g_autoptr (GError) local = NULL;
      if (machine_restore (self->machine, checkpoint->path, &local))
        {
          self->progress.last_checkpoint = checkpoint->step;
          return TRUE;
        }
      if (wanted != 0 || !is_lost (local))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      sluice_run_log_event (self->log, checkpoint->step, trainer_wall_now (), "damaged",
                            local->message);
    }
  if (wanted != 0)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "run '%s' has no checkpoint of step %" G_GINT64_FORMAT, self->info->name,
                        wanted);
  return machine_initialize (self->machine, error);
}

/* Freezes the project as it is resumed. *differs: not as it was frozen before. */
static gboolean
freeze_again (SluiceTrainer *self, gboolean *differs, GError **error)
{
  g_autofree char *path = g_build_filename (self->folder, "project.ini", NULL);
  g_autofree char *before = NULL, *after = NULL;
  g_file_get_contents (path, &before, NULL, NULL);
  if (!sluice_project_save (self->project, self->folder, error)
      || !g_file_get_contents (path, &after, NULL, error))
    return FALSE;
  *differs = g_strcmp0 (before, after) != 0;
  return TRUE;
}

static gboolean
resume_run (SluiceTrainer *self,
            const SluiceTrainerOptions *options,
            gboolean *differs,
            GError **error)
{
  self->info = sluice_store_dup_run (self->store, options->resume, error);
  if (self->info == NULL || !lock_run (self, error) || !make_folder (self, error))
    return FALSE;
  g_autofree char *hash = sluice_graph_dup_hash (self->machine->graph);
  if (g_strcmp0 (hash, self->info->graph_hash) != 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "run '%s' was made with another graph; resume it with the graph in '%s'",
                        self->info->name, self->folder);
  self->seconds_before = self->info->seconds;
  self->info->n_steps = self->project->n_steps;
  self->info->ended = 0;
  g_clear_pointer (&self->info->message, g_free);
  return freeze_again (self, differs, error);
}

/* From the newest checkpoint of an unchanged project the same points are written again; else what
 * came after the checkpoint is forgotten. */
static gboolean
go_on (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error)
{
  gboolean differs = FALSE;
  if (!resume_run (self, options, &differs, error)
      || (self->log = sluice_store_open_log (self->store, self->info->id, error)) == NULL
      || !restore_newest (self, options->resume_step, error)
      || ((differs || options->resume_step != 0)
          && !sluice_run_log_truncate (self->log, self->machine->n_done, error)))
    return FALSE;
  sluice_run_log_event (self->log, self->machine->n_done, trainer_wall_now (), "resume", NULL);
  return open_all_series (self, error);
}

/* The graph as the run had it, among its records: what other programs are given of it. */
static gboolean
log_graph (SluiceTrainer *self, GError **error)
{
  g_autoptr (GBytes) graph =
      sluice_graph_export (self->machine->graph, SLUICE_EXPORT_PLAIN_GRAPH, error);
  if (graph == NULL)
    return FALSE;
  gint64 series =
      sluice_run_log_series (self->log, SLUICE_RUN_GRAPH_TAG, SLUICE_SERIES_GRAPH, error);
  if (series >= 0)
    sluice_run_log_record (self->log, series,
                           &sluice_graph_record_new (0, trainer_wall_now (), graph)->base);
  return series >= 0;
}

/* What was set, where TensorBoard looks for hyper-parameters: also what the graph's promoted
 * parameters were given instead of their own values. */
static gboolean
log_settings (SluiceTrainer *self, GError **error)
{
  const SluiceProject *p = self->project;
  g_autoptr (GArray) settings = g_array_new (FALSE, FALSE, sizeof (SluiceHparam));
  const SluiceHparam always[] = { { "batch", (double) p->batch },
                                  { "seed", (double) p->seed },
                                  { "steps", (double) p->n_steps } };
  g_array_append_vals (settings, always, G_N_ELEMENTS (always));
  for (guint i = 0; i < p->overrides->len; i++)
    {
      const SluiceOverride *override = &g_array_index (p->overrides, SluiceOverride, i);
      SluiceHparam setting = { override->name, override->value };
      g_array_append_val (settings, setting);
    }
  gint64 series =
      sluice_run_log_series (self->log, SLUICE_HPARAMS_START_TAG, SLUICE_SERIES_HPARAMS, error);
  if (series >= 0)
    sluice_run_log_record (self->log, series,
                           &sluice_hparams_new_start (0, trainer_wall_now (),
                                                      (const SluiceHparam *) settings->data,
                                                      settings->len)
                                ->base);
  return series >= 0;
}

/* What goes on from a first checkpoint needs the file that its values came from no more. */
static gboolean
keep_values (SluiceTrainer *self, const char *init_from, GError **error)
{
  if (init_from == NULL)
    return TRUE;
  sluice_run_log_event (self->log, 0, trainer_wall_now (), "init-from", init_from);
  return trainer_save_checkpoint (self, error);
}

/* A new run; where it cannot begin, none is left behind. */
static gboolean
begin (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error)
{
  if (begin_run (self, options, error)
      && (self->log = sluice_store_open_log (self->store, self->info->id, error)) != NULL
      && log_graph (self, error) && log_settings (self, error)
      && keep_values (self, options->init_from, error) && open_all_series (self, error))
    return TRUE;
  if (self->info != NULL && self->info->id != 0)
    sluice_store_delete_run (self->store, self->info->id, NULL);
  return FALSE;
}

gboolean
trainer_begin (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error)
{
  if (!sluice_examples_load_all (self->project, &self->examples, &self->test, error))
    return FALSE;
  self->machine =
      machine_new (self->project, self->examples, self->test, 0, options->memory_limit, error);
  if (self->machine == NULL)
    return FALSE;
  self->scalars = g_new0 (double, self->machine->n_scalars);
  self->evaluation = g_new0 (double, self->project->evaluate->len + 1);
  self->scalars[0] = NAN;
  return options->resume != NULL ? go_on (self, options, error) : begin (self, options, error);
}
