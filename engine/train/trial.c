/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/trial.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/run-queue.h"

/* One sweep, as it is at one time. */
typedef struct
{
  SluiceStore *store;
  SluiceHalving rule;
  const char *tag; /* of the metric */
  guint n, n_rungs;
  SluiceHalvingTrial *trials;
  GHashTable *waiting; /* ids of runs of the queue */
} Sweep;

static void
sweep_clear (Sweep *self)
{
  for (guint i = 0; i < self->n; i++)
    g_free (self->trials[i].values);
  g_free (self->trials);
  g_free ((char *) self->tag);
  g_clear_pointer (&self->waiting, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sweep, sweep_clear)

static SluiceHalving
get_rule (const SluiceProject *project)
{
  return (SluiceHalving){ .one_of = MAX ((guint) project->one_of, 2),
                          .first = MAX (project->first_rung, 1),
                          .last = project->n_steps,
                          .is_max = g_str_has_suffix (project->best, ":max") };
}

gboolean
sluice_trial_is_rung (const SluiceProject *project, gint64 step)
{
  const SluiceHalving rule = get_rule (project);
  guint n = project->one_of > 0 ? sluice_halving_count_rungs (&rule) : 0;
  for (guint i = 0; i < n; i++)
    if (sluice_halving_get_step (&rule, i) == step)
      return TRUE;
  return FALSE;
}

static void
sweep_init (Sweep *self, SluiceStore *store, const SluiceProject *project)
{
  const char *colon = strrchr (project->best, ':');
  *self = (Sweep){
    .store = store,
    .rule = get_rule (project),
    .tag =
        colon != NULL ? g_strndup (project->best, colon - project->best) : g_strdup (project->best),
    .n = (guint) project->n_trials,
    .trials = g_new0 (SluiceHalvingTrial, project->n_trials),
    .waiting = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
  };
  self->n_rungs = sluice_halving_count_rungs (&self->rule);
  for (guint i = 0; i < self->n; i++)
    self->trials[i].is_over = TRUE; /* unless its run is found */
}

static gboolean
find_waiting (Sweep *self, GError **error)
{
  g_autoptr (GPtrArray) entries = sluice_run_queue_dup_entries (self->store, error);
  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      const SluiceQueueEntry *entry = entries->pdata[i];
      g_hash_table_add (self->waiting, g_memdup2 (&entry->info->id, sizeof entry->info->id));
    }
  return entries != NULL;
}

/* The metric of a run at a step; NAN where it has none. *is_there: it has a point. */
static gboolean
read_value (Sweep *self,
            const SluiceSeriesInfo *series,
            gint64 step,
            double *value,
            gboolean *is_there,
            GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  if (!sluice_store_read_points (self->store, series->id, step, 1, points, error))
    return FALSE;
  const SluiceScalar *point = points->len > 0 ? &g_array_index (points, SluiceScalar, 0) : NULL;
  *is_there = point != NULL && point->step == step;
  *value = *is_there ? point->value : NAN;
  return TRUE;
}

/* A rung is reached once its checkpoint is there, too: who was killed before goes there again. */
static gboolean
find_saved (Sweep *self, const SluiceRunInfo *info, gint64 *step, GError **error)
{
  *step = G_MAXINT64;
  if (info->state == SLUICE_RUN_FINISHED)
    return TRUE;
  g_autoptr (GPtrArray) saved = sluice_store_read_checkpoints (self->store, info->id, error);
  if (saved != NULL)
    *step = saved->len > 0 ? ((SluiceCheckpointInfo *) saved->pdata[saved->len - 1])->step : -1;
  return saved != NULL;
}

static gboolean
read_values (Sweep *self, SluiceHalvingTrial *trial, const SluiceRunInfo *info, GError **error)
{
  gint64 saved;
  gboolean is_finished = info->state == SLUICE_RUN_FINISHED;
  g_autoptr (GPtrArray) series = find_saved (self, info, &saved, error)
                                     ? sluice_store_dup_series (self->store, info->id, error)
                                     : NULL;
  const SluiceSeriesInfo *metric = NULL;
  for (guint i = 0; series != NULL && i < series->len; i++)
    if (strcmp (((SluiceSeriesInfo *) series->pdata[i])->tag, self->tag) == 0)
      metric = series->pdata[i];
  trial->values = g_new (double, self->n_rungs);
  for (guint rung = 0; series != NULL && rung < self->n_rungs; rung++)
    {
      gboolean is_there = FALSE;
      gint64 step = sluice_halving_get_step (&self->rule, rung);
      trial->values[rung] = NAN;
      if (metric != NULL
          && !read_value (self, metric, step, &trial->values[rung], &is_there, error))
        return FALSE;
      if (!is_finished && (!is_there || step > saved))
        break;
      trial->n_reached++;
    }
  return series != NULL;
}

/* Which trial a run is; G_MAXUINT: none of this sweep. */
static guint
find_trial (Sweep *self, const SluiceRunInfo *info)
{
  g_autofree char *folder = sluice_store_dup_run_folder (self->store, info->id);
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL)
      || g_key_file_get_uint64 (file, "sweep", "trials", NULL) != self->n
      || !g_key_file_has_key (file, "sweep", "trial", NULL))
    return G_MAXUINT;
  guint64 trial = g_key_file_get_uint64 (file, "sweep", "trial", NULL);
  return trial < self->n ? (guint) trial : G_MAXUINT;
}

static gboolean
read_sweep (Sweep *self, const char *group, GError **error)
{
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (self->store, error);
  if (runs == NULL || !find_waiting (self, error))
    return FALSE;
  for (guint i = 0; i < runs->len; i++)
    {
      const SluiceRunInfo *info = runs->pdata[i];
      guint k = g_strcmp0 (info->group, group) == 0 ? find_trial (self, info) : G_MAXUINT;
      if (k == G_MAXUINT || self->trials[k].values != NULL)
        continue;
      if (!read_values (self, &self->trials[k], info, error))
        return FALSE;
      self->trials[k].is_over =
          info->state != SLUICE_RUN_FINISHED && !g_hash_table_contains (self->waiting, &info->id);
    }
  return TRUE;
}

static gboolean
judge_trial (SluiceStore *store,
             const SluiceProject *project,
             const char *group,
             SluiceTrial *trial,
             GError **error)
{
  g_auto (Sweep) self = { 0 };
  guint i = (guint) project->trial;
  sweep_init (&self, store, project);
  if (!read_sweep (&self, group, error))
    return FALSE;
  g_autofree SluiceHalvingFate *fates = g_new (SluiceHalvingFate, self.n);
  sluice_halving_judge (&self.rule, self.trials, self.n, fates);
  guint n_reached = self.trials[i].n_reached;
  trial->fate = fates[i];
  trial->n_rungs = self.n_rungs;
  trial->rung = trial->fate == SLUICE_HALVING_GOES_ON ? n_reached : MAX (n_reached, 1) - 1;
  trial->step = sluice_halving_get_step (&self.rule, trial->rung);
  trial->n_places = sluice_halving_get_places (&self.rule, self.n, trial->rung);
  return TRUE;
}

gboolean
sluice_trial_judge (SluiceStore *store, gint64 run, SluiceTrial *trial, GError **error)
{
  g_autofree char *id = g_strdup_printf ("#%" G_GINT64_FORMAT, run);
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  *trial = (SluiceTrial){ .fate = SLUICE_HALVING_GOES_ON };
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (store, id, error);
  g_autoptr (SluiceProject) project = info != NULL ? sluice_project_load (folder, error) : NULL;
  if (project == NULL)
    return FALSE;
  if (project->one_of == 0 || project->n_trials == 0 || info->group == NULL)
    return TRUE;
  if (project->trial >= project->n_trials)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "run '%s': [sweep] trial=%" G_GINT64_FORMAT
                        " must be below trials=%" G_GINT64_FORMAT,
                        info->name, project->trial, project->n_trials);
  return judge_trial (store, project, info->group, trial, error);
}
