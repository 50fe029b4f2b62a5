/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/store/checkpoint.h"
#include "engine/store/draft.h"
#include "engine/store/file.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/graph.h"
#include "engine/store/kinds/hparams.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/example-sums.h"
#include "engine/train/project-changes.h"
#include "engine/train/run-edit.h"
#include "engine/train/trainer-private.h"

double
sluice_trainer_wall_now (void)
{
  return g_get_real_time () * 1e-6;
}

/* In the order in which open_all_series() has them. (transfer full) */
static char **
dup_tags (SluiceTrainer *self)
{
  SluiceProject *p = self->project;
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  g_strv_builder_add (tags, "loss");
  for (guint i = 0; i < p->fetches->len; i++)
    g_strv_builder_add (tags, g_array_index (p->fetches, SluiceNamedEdge, i).name);
  for (guint i = 0; i < p->evaluate->len; i++)
    {
      g_autofree char *tag =
          g_strconcat ("evaluate/", g_array_index (p->evaluate, SluiceNamedEdge, i).name, NULL);
      g_strv_builder_add (tags, tag);
    }
  sluice_trainer_add_system_tags (self, tags);
  return g_strv_builder_end (tags);
}

static gboolean
open_all_series (SluiceTrainer *self, GError **error)
{
  guint n_fetches = self->project->fetches->len, n_evaluate = self->project->evaluate->len;
  g_auto (GStrv) tags = dup_tags (self);
  guint n = g_strv_length (tags);
  g_autofree gint64 *ids = g_new (gint64, n);
  for (guint i = 0; i < n; i++)
    {
      ids[i] = sluice_run_log_series (self->log, tags[i], SLUICE_SERIES_SCALAR, error);
      if (ids[i] < 0)
        return FALSE;
    }
  self->series = g_memdup2 (ids, (n_fetches + 1) * sizeof *ids);
  self->evaluation_series = g_memdup2 (ids + n_fetches + 1, n_evaluate * sizeof *ids);
  return sluice_trainer_begin_system (self, ids + 1 + n_fetches + n_evaluate, error)
         && sluice_trainer_find_best (self, tags, ids, error)
         && sluice_trainer_begin_rules (self, tags, ids, error);
}

/* ---- a new run ---- */

static void
tell_begin (const SluiceTrainerOptions *options)
{
  if (options->begins != NULL)
    options->begins (options->begins_data);
}

static gboolean
write_run_file (const char *folder, const SluiceRunInfo *info, gpointer data, GError **error)
{
  return sluice_run_file_write (data, folder, info, error);
}

/* Which examples there are, so that another one is noticed by its number. That they cannot be
 * written keeps nobody from training. */
static void
note_examples (SluiceTrainer *self)
{
  const SluiceExamples *const splits[] = { self->examples, self->test };
  static const char *const keys[][2] = { { "train-x", "train-y" }, { "test-x", "test-y" } };
  for (guint i = 0; i < G_N_ELEMENTS (splits); i++)
    for (guint k = 0; splits[i] != NULL && k < 2; k++)
      {
        g_autofree char *hash = NULL;
        g_autoptr (SluiceExampleSums) sums =
            sluice_example_sums_new (k == 0 ? splits[i]->x : splits[i]->y);
        if (sums != NULL
            && sluice_example_sums_write (sums, sluice_store_get_workspace (self->store), &hash,
                                          NULL))
          g_hash_table_replace (self->file->examples, g_strdup (keys[i][k]),
                                g_steal_pointer (&hash));
      }
}

static void
note_made (SluiceTrainer *self)
{
  g_autofree char *devices = sluice_replica_dup_devices (self->replica);
  sluice_run_file_note_made (self->file, devices);
  sluice_run_file_note_source (self->file, self->replica->n_done, self->project);
  note_examples (self);
}

/* What the first values are, and a row for the run. */
static gboolean
prepare (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error)
{
  if (!sluice_replica_initialize (self->replica, error)
      || (options->init_from != NULL
          && !sluice_replica_take_values (self->replica, options->init_from,
                                          options->init_partly ? SLUICE_TAKE_FIT : SLUICE_TAKE_ALL,
                                          error)))
    return FALSE;
  self->file = sluice_run_file_new (self->project, error);
  if (self->file != NULL)
    {
      const SluiceQueueNeeds needs = { .devices =
                                           options->host != NULL ? options->host->device : NULL };
      sluice_run_file_note_asked (self->file, &needs, options->init_from);
      note_made (self);
    }
  self->info = g_new0 (SluiceRunInfo, 1);
  self->info->name = g_strdup (options->run_name);
  self->info->project = g_path_get_basename (self->project->folder);
  self->info->n_steps = self->project->n_steps;
  self->info->seed = self->project->seed;
  self->info->created = self->info->started = sluice_trainer_wall_now ();
  self->info->graph_hash =
      self->file != NULL ? sluice_graph_dup_hash (self->replica->graph, error) : NULL;
  self->info->state = SLUICE_RUN_DRAFT;
  return self->info->graph_hash != NULL;
}

/* Folder and rows, both or none. What goes on from a first checkpoint needs the file that its
 * values came from no more. */
static gboolean
make_run (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error)
{
  g_autoptr (GBytes) graph =
      sluice_graph_export (self->replica->graph, SLUICE_EXPORT_BINARY, error);
  g_autoptr (SluiceRunDraft) draft =
      graph != NULL ? sluice_run_draft_new (self->store, error) : NULL;
  if (draft == NULL)
    return FALSE;
  const char *folder = sluice_run_draft_get_folder (draft);
  g_auto (GStrv) tags = dup_tags (self);
  g_autofree char *checkpoint =
      options->init_from != NULL ? sluice_checkpoint_folder_dup_name (0) : NULL;
  SluiceRunStart start = { .graph = graph,
                           .scalars = (const char *const *) tags,
                           .checkpoint = checkpoint,
                           .write = write_run_file,
                           .data = self->file };
  if (!sluice_project_save (self->project, folder, error))
    return FALSE;
  if (checkpoint != NULL)
    {
      g_autofree char *path = g_build_filename (folder, checkpoint, NULL);
      if (!sluice_replica_save (self->replica, path, &start.checkpoint_bytes, error))
        return FALSE;
      self->progress.last_checkpoint = 0;
    }
  self->has_lock = sluice_run_draft_start (g_steal_pointer (&draft), self->info, &start, error);
  return self->has_lock;
}

static void
log_values (SluiceTrainer *self)
{
  if (self->file->init_from == NULL)
    return;
  sluice_run_log_event (self->log, 0, sluice_trainer_wall_now (), "init-from",
                        self->file->init_from);
  sluice_run_log_event (self->log, 0, sluice_trainer_wall_now (), "checkpoint", NULL);
}

/* The graph as the run had it, among its records: what other programs are given of it. */
static gboolean
log_graph (SluiceTrainer *self, gint64 step, GError **error)
{
  g_autoptr (GBytes) graph =
      sluice_graph_export (self->replica->graph, SLUICE_EXPORT_PLAIN_GRAPH, error);
  if (graph == NULL)
    return FALSE;
  gint64 series =
      sluice_run_log_series (self->log, SLUICE_RUN_GRAPH_TAG, SLUICE_SERIES_GRAPH, error);
  if (series >= 0)
    sluice_run_log_record (
        self->log, series,
        &sluice_graph_record_new (step, sluice_trainer_wall_now (), graph)->base);
  return series >= 0;
}

/* Of the graph's own: text is freed with texts. FALSE: it computes the value, which is no setting.
 */
static gboolean
get_own_setting (const SluiceNamedEdge *parameter,
                 SluiceGraph *graph,
                 GPtrArray *texts,
                 SluiceHparam *setting)
{
  gboolean is_attr = sluice_parameter_is_attr (parameter->target);
  char *text = is_attr ? sluice_graph_dup_attr_parameter (graph, parameter->target)
                       : sluice_project_dup_constant (graph, parameter->target);
  if (text == NULL)
    return FALSE;
  g_ptr_array_add (texts, text);
  *setting = (SluiceHparam){ parameter->name, 0, text };
  if (!is_attr)
    *setting = (SluiceHparam){ parameter->name, g_ascii_strtod (text, NULL), NULL };
  return TRUE;
}

static void
add_parameters (const SluiceProject *p, SluiceGraph *graph, GPtrArray *texts, GArray *settings)
{
  for (guint i = 0; i < p->parameters->len; i++)
    {
      const SluiceNamedEdge *parameter = &g_array_index (p->parameters, SluiceNamedEdge, i);
      const SluiceOverride *override = sluice_project_find_override (p, parameter->name);
      SluiceHparam setting;
      if (override != NULL)
        setting = (SluiceHparam){ override->name, override->value, override->text };
      else if (!get_own_setting (parameter, graph, texts, &setting))
        continue;
      g_array_append_val (settings, setting);
    }
}

SluiceRecord *
sluice_trainer_new_settings (const SluiceProject *p, SluiceGraph *graph)
{
  g_autoptr (GArray) settings = g_array_new (FALSE, FALSE, sizeof (SluiceHparam));
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  const SluiceHparam always[] = { { "batch", (double) p->batch },
                                  { "seed", (double) p->seed },
                                  { "steps", (double) p->n_steps } };
  g_array_append_vals (settings, always, G_N_ELEMENTS (always));
  add_parameters (p, graph, texts, settings);
  return &sluice_hparams_new_start (0, sluice_trainer_wall_now (),
                                    (const SluiceHparam *) settings->data, settings->len)
              ->base;
}

static gboolean
log_settings (SluiceTrainer *self, GError **error)
{
  gint64 series =
      sluice_run_log_series (self->log, SLUICE_HPARAMS_START_TAG, SLUICE_SERIES_HPARAMS, error);
  if (series >= 0)
    sluice_run_log_record (self->log, series,
                           sluice_trainer_new_settings (self->project, self->replica->graph));
  return series >= 0;
}

/* A new run; where it cannot begin, none is left behind. */
static gboolean
begin (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error)
{
  if (!prepare (self, options, error))
    return FALSE;
  tell_begin (options);
  if (!make_run (self, options, error))
    return FALSE;
  self->folder = sluice_store_dup_run_folder (self->store, self->info->id);
  self->log = sluice_store_open_log (self->store, self->info->id, error);
  if (self->log != NULL && log_graph (self, 0, error) && log_settings (self, error)
      && open_all_series (self, error))
    {
      log_values (self);
      return TRUE;
    }
  if (self->log != NULL)
    sluice_run_log_close (g_steal_pointer (&self->log), NULL);
  sluice_store_purge_run (self->store, self->info->id, NULL);
  return FALSE;
}

/* ---- a run that goes on ---- */

/* A file that is torn, changed or gone. */
static gboolean
is_lost (const GError *error)
{
  return g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS)
         || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* The step of the newest checkpoint that is whole, below the last; -1: none is. */
static gint64
find_whole (GPtrArray *checkpoints)
{
  for (guint i = checkpoints->len - 1; i-- > 0;)
    {
      const SluiceCheckpointInfo *checkpoint = checkpoints->pdata[i];
      g_autoptr (GArray) tensors = sluice_safetensors_read (checkpoint->path, NULL, NULL);
      if (tensors != NULL)
        return checkpoint->step;
    }
  return -1;
}

/* Going back forgets what came after: whoever wants that says so. */
static gboolean
restore_newest (SluiceTrainer *self, GPtrArray *checkpoints, GError **error)
{
  SluiceCheckpointInfo *newest =
      checkpoints->len > 0 ? checkpoints->pdata[checkpoints->len - 1] : NULL;
  g_autoptr (GError) local = NULL;
  if (newest == NULL && self->info->parent != 0)
    return sluice_fail (
        error, SLUICE_ERROR_DATA_LOSS,
        "run '%s' has lost the checkpoint that it began with; fork its parent again",
        self->info->name);
  if (newest == NULL)
    return sluice_replica_initialize (self->replica, error); /* it was never saved */
  if (sluice_replica_restore (self->replica, newest->path, &local))
    return TRUE;
  if (!is_lost (local))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  gint64 whole = find_whole (checkpoints);
  g_autofree char *where =
      whole >= 0 ? g_strdup_printf ("the newest whole one is of step %" G_GINT64_FORMAT, whole)
                 : g_strdup ("none of the others is whole, so that it would begin again");
  return sluice_fail (error, local->code,
                      "%s; run '%s' was not changed: %s; '--from %" G_GINT64_FORMAT
                      "' goes back there and forgets what was logged after it",
                      local->message, self->info->name, where, MAX (whole, 0));
}

static gboolean
restore_step (SluiceTrainer *self, GPtrArray *checkpoints, gint64 step, GError **error)
{
  g_autoptr (GString) there = g_string_new (NULL);
  const gint64 edited = sluice_run_edit_get_last (self->folder);
  if (step < edited)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "the graph of run '%s' was edited at step %" G_GINT64_FORMAT
                        ", and step %" G_GINT64_FORMAT
                        " is of the graph before; take the edit back first: --undo-edit",
                        self->info->name, edited, step);
  for (guint i = 0; i < checkpoints->len; i++)
    {
      const SluiceCheckpointInfo *checkpoint = checkpoints->pdata[i];
      if (checkpoint->step == step)
        return sluice_replica_restore (self->replica, checkpoint->path, error);
      g_string_append_printf (there, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", checkpoint->step);
    }
  if (step == 0 && self->info->parent == 0)
    return sluice_replica_initialize (self->replica, error);
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                      "run '%s' has no checkpoint of step %" G_GINT64_FORMAT "; it has: %s",
                      self->info->name, step, there->len > 0 ? there->str : "none");
}

/* Whose folders are links leads somewhere else: what is written there could be anything of the
 * user's. */
static gboolean
check_folder (const char *path, GError **error)
{
  if (g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' is a link, which is not followed; put the folder itself there", path);
  return g_mkdir_with_parents (path, 0777) == 0
         || sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED, "'%s' cannot be made", path);
}

static gboolean
take_run (SluiceTrainer *self, gboolean holds_lock, GError **error)
{
  g_autofree char *checkpoints = g_build_filename (self->folder, "checkpoints", NULL);
  if (!check_folder (self->folder, error) || !check_folder (checkpoints, error))
    return FALSE;
  self->has_lock = !holds_lock && sluice_store_lock_run (self->store, self->info->id, error);
  if (!self->has_lock && !holds_lock)
    return FALSE;
  sluice_file_sweep (self->folder);
  sluice_file_sweep (checkpoints);
  return TRUE;
}

/* Before data are loaded: the run, and whether its files are what they were. *changed: (nullable):
 * how they are not, where that was accepted. */
static gboolean
find_run (SluiceTrainer *self, const SluiceTrainerOptions *options, char **changed, GError **error)
{
  self->info = sluice_store_dup_run (self->store, options->resume, error);
  if (self->info == NULL)
    return FALSE;
  self->folder = sluice_store_dup_run_folder (self->store, self->info->id);
  self->file = sluice_run_file_read (self->folder);
  if (self->file == NULL) /* made before there were such files */
    {
      self->file = sluice_run_file_new (self->project, error);
      return self->file != NULL;
    }
  if (!sluice_run_file_compare (self->file, self->project, changed, error))
    return FALSE;
  if (*changed == NULL || options->accept_changed_data)
    return TRUE;
  if (options->has_changed_data != NULL)
    *options->has_changed_data = TRUE;
  return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                      "the data of run '%s' have changed: %s; put back what was there, or go on "
                      "with what is there now",
                      self->info->name, *changed);
}

/* Is the project another one than it was when it was last frozen? before: (nullable). */
static gboolean
project_differs (SluiceTrainer *self, const SluiceProject *before)
{
  if (before == NULL)
    return TRUE;
  g_autofree char *was = sluice_project_dup_text (before);
  g_autofree char *is = sluice_project_dup_text (self->project);
  return strcmp (was, is) != 0;
}

/* But for where its nodes stand. */
static gboolean
is_recorded_graph (SluiceTrainer *self)
{
  g_autofree char *hash = sluice_graph_dup_unplaced_hash (self->replica->graph, NULL);
  g_autoptr (GBytes) bytes = sluice_store_get_graph (self->store, self->info->graph_hash, NULL);
  g_autoptr (SluiceGraph) recorded = sluice_graph_new ();
  g_autofree char *was = bytes != NULL && sluice_graph_import (recorded, bytes, NULL)
                             ? sluice_graph_dup_unplaced_hash (recorded, NULL)
                             : NULL;
  return was != NULL && g_strcmp0 (was, hash) == 0;
}

/* moved: (out) (transfer full): hash of a graph whose nodes stand elsewhere than they did */
static gboolean
restore (SluiceTrainer *self,
         const SluiceTrainerOptions *options,
         GPtrArray *checkpoints,
         char **moved,
         GError **error)
{
  g_autofree char *hash = sluice_graph_dup_hash (self->replica->graph, error);
  if (hash == NULL)
    return FALSE;
  if (g_strcmp0 (hash, self->info->graph_hash) != 0)
    {
      if (!is_recorded_graph (self))
        return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                            "run '%s' was made with another graph; resume it with the graph in "
                            "'%s'",
                            self->info->name, self->folder);
      *moved = g_steal_pointer (&hash);
    }
  return options->goes_back ? restore_step (self, checkpoints, options->from_step, error)
                            : restore_newest (self, checkpoints, error);
}

/* The run's graph is the one that it goes on with, at the step. */
static gboolean
note_moved (SluiceTrainer *self, char **moved, GError **error)
{
  g_autoptr (GBytes) graph =
      sluice_graph_export (self->replica->graph, SLUICE_EXPORT_BINARY, error);
  if (graph == NULL || !sluice_store_put_graph (self->store, *moved, graph, error)
      || !log_graph (self, self->replica->n_done, error))
    return FALSE;
  g_free (self->info->graph_hash);
  self->info->graph_hash = g_steal_pointer (moved);
  return TRUE;
}

/* One that waited has no step of its own behind it, though it may have a checkpoint of what it
 * begins with: its parent's, or another program's. forgets: what came after the checkpoint */
static gboolean
log_beginning (SluiceTrainer *self, GPtrArray *checkpoints, gboolean forgets, GError **error)
{
  double now = sluice_trainer_wall_now ();
  gboolean has_values = self->file->init_from != NULL && self->replica->n_done == 0;
  gboolean begins =
      self->info->started == 0 && (checkpoints->len == 0 || self->info->parent != 0 || has_values);
  if (!begins)
    {
      g_autofree char *dropped =
          forgets ? sluice_event_dup_dropped_text (self->replica->n_done, self->came_to) : NULL;
      gboolean goes_on = self->replica->n_done < self->now.n_steps;
      /* Of one that was edited at this step, that was told. */
      gboolean was_told = sluice_run_edit_get_last (self->folder) == self->replica->n_done;
      if (dropped != NULL || (goes_on && !was_told))
        sluice_run_log_event (self->log, self->replica->n_done, now, "resume", dropped);
      return TRUE;
    }
  self->info->started = now;
  g_autofree char *parent = g_strdup_printf ("#%" G_GINT64_FORMAT, self->info->parent);
  g_autoptr (SluiceRunInfo) from =
      self->info->parent != 0 ? sluice_store_dup_run (self->store, parent, NULL) : NULL;
  if (self->info->parent != 0)
    sluice_run_log_event (self->log, self->replica->n_done, now, "fork",
                          from != NULL ? from->name : parent);
  else
    log_values (self);
  return log_graph (self, 0, error) && log_settings (self, error);
}

/* The row of a run that was killed is older than its points. */
static void
find_end (SluiceTrainer *self, GPtrArray *series)
{
  self->came_to = self->info->step;
  for (guint i = 0; i < series->len; i++)
    self->came_to = MAX (self->came_to, ((SluiceSeriesInfo *) series->pdata[i])->last_step);
}

static gboolean
count_cb (const SluiceRecord *record, gpointer data, GError **error)
{
  ++*(guint64 *) data;
  return TRUE;
}

/* What lies past the step is written again, or forgotten. */
static gboolean
count_before (SluiceTrainer *self, GPtrArray *series, GError **error)
{
  const SluiceStepRange past = { self->replica->n_done + 1, G_MAXINT64 };
  for (guint i = 0; i < series->len; i++)
    {
      const SluiceSeriesInfo *info = series->pdata[i];
      guint64 n_past = 0;
      if (info->id == 0) /* events */
        continue;
      if (info->last_step >= past.from
          && !sluice_store_each_record (self->store, info, &past, count_cb, &n_past, error))
        return FALSE;
      self->progress.n_before += (guint64) info->n_points - n_past;
    }
  return TRUE;
}

/* From the newest checkpoint of an unchanged project the same points are written again; else what
 * came after the checkpoint is forgotten. Nothing is written before the values are there. */
static gboolean
go_on (SluiceTrainer *self,
       const SluiceTrainerOptions *options,
       const char *changed,
       GError **error)
{
  tell_begin (options);
  if (!take_run (self, options->holds_lock, error))
    return FALSE;
  g_autoptr (GPtrArray) checkpoints =
      sluice_store_read_checkpoints (self->store, self->info->id, error);
  g_autoptr (GPtrArray) series =
      checkpoints != NULL ? sluice_store_dup_series (self->store, self->info->id, error) : NULL;
  g_autofree char *audited = NULL, *moved = NULL;
  if (series == NULL)
    return FALSE;
  find_end (self, series);
  if (!restore (self, options, checkpoints, &moved, error) || !count_before (self, series, error)
      || (options->audits && !sluice_trainer_audit (self, checkpoints, &audited, error))
      || (self->log = sluice_store_open_log (self->store, self->info->id, error)) == NULL
      || (moved != NULL && !note_moved (self, &moved, error)))
    return FALSE;
  note_made (self);
  g_autoptr (SluiceProject) before = sluice_project_load (self->folder, NULL);
  gboolean forgets = options->goes_back || changed != NULL || project_differs (self, before);
  if (before != NULL)
    sluice_project_go_on_at (self->project, before, self->replica->n_done);
  sluice_replica_forget_changes (self->replica);
  if ((forgets
       && !sluice_checkpoint_folder_forget (checkpoints, self->log, self->replica->n_done, error))
      || !sluice_trainer_remove_strays (self, error)
      || !sluice_project_save (self->project, self->folder, error)
      || !sluice_run_file_write (self->file, self->folder, self->info, error))
    return FALSE;
  gint64 step = self->replica->n_done;
  self->progress.last_checkpoint = checkpoints->len > 0 && step > 0 ? step : -1;
  self->begin_step = step;
  self->seconds_before = self->info->seconds;
  sluice_trainer_begin_changes (self);
  self->info->n_steps = self->now.n_steps;
  self->info->ended = 0;
  g_clear_pointer (&self->info->message, g_free);
  g_clear_pointer (&self->info->failed_node, g_free);
  if (changed != NULL)
    sluice_run_log_event (self->log, step, sluice_trainer_wall_now (), "data-changed", changed);
  if (audited != NULL)
    sluice_run_log_event (self->log, step, sluice_trainer_wall_now (), "audit", audited);
  return log_beginning (self, checkpoints, forgets, error) && open_all_series (self, error);
}

#define FIT_STEPS 3 /* that are tried at a time */

static gboolean
try_fit (SluiceTrainer *self, const SluiceSessionOptions *host, GError **error)
{
  SluiceSessionOptions *session = &self->project->session;
  if (session->fit == 0)
    return TRUE;
  self->fit = sluice_fit_trial_new (self->project, self->examples, self->test, host, session->fit,
                                    FIT_STEPS, error);
  if (self->fit != NULL)
    session->fit_slack = self->fit->slack;
  return self->fit != NULL;
}

gboolean
sluice_trainer_begin (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error)
{
  g_autofree char *changed = NULL;
  sluice_store_set_patience (self->store, SLUICE_STORE_PATIENCE);
  if ((options->resume != NULL && !find_run (self, options, &changed, error))
      || !sluice_examples_load_all (self->project, &self->examples, &self->test, error))
    return FALSE;
  if (!try_fit (self, options->host, error))
    return FALSE;
  self->replica =
      sluice_replica_new (self->project, self->examples, self->test, 0, options->host, error);
  if (self->replica == NULL)
    return FALSE;
  self->probe = sluice_system_probe_new ("", sluice_store_get_workspace (self->store));
  self->scalars = g_new0 (double, self->replica->n_scalars);
  self->evaluation = g_new0 (double, self->project->evaluate->len + 1);
  self->scalars[0] = NAN;
  sluice_trainer_begin_changes (self);
  if (!(options->resume != NULL ? go_on (self, options, changed, error)
                                : begin (self, options, error)))
    return FALSE;
  sluice_trainer_begin_record (self);
  self->control = sluice_run_control_new (self->store, self->info->id, error);
  return self->control != NULL;
}
