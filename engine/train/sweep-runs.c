/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/sweep-runs.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/base/text.h"
#include "engine/store/kinds/hparams.h"
#include "engine/train/queue.h"

#define ONE_OF 3 /* of asha, unless it is said */

void
sluice_sweep_free (SluiceSweep *self)
{
  g_free (self->folder);
  g_strfreev (self->settings);
  g_clear_pointer (&self->axes, g_ptr_array_unref);
  g_clear_pointer (&self->trials, g_ptr_array_unref);
  g_free (self->metric);
  g_free (self->group);
  g_free (self->name);
  g_free (self);
}

/* ---- what it is to be ---- */

/* trial: (nullable) */
static SluiceProject *
load_project (const SluiceSweep *self, char **trial, GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (self->folder, error);
  return project != NULL && sluice_project_set_all (project, self->settings, error)
                 && sluice_project_set_all (project, trial, error)
             ? g_steal_pointer (&project)
             : NULL;
}

/* scratch is changed. */
static gboolean
parse_axes (SluiceSweep *self, const char *const *values, SluiceProject *scratch, GError **error)
{
  self->axes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_sweep_axis_free);
  for (guint i = 0; values[i] != NULL; i++)
    {
      SluiceSweepAxis *axis = sluice_sweep_axis_parse (values[i], error);
      if (axis == NULL)
        return FALSE;
      g_ptr_array_add (self->axes, axis);
      if (!sluice_sweep_axis_check (axis, scratch, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
find_trials (SluiceSweep *self, const SluiceSweepRequest *request, GError **error)
{
  SluiceSweepPlan plan = { SLUICE_SWEEP_GRID, request->n_trials, request->seed };
  self->halves = g_strcmp0 (request->method, "asha") == 0;
  if (g_strcmp0 (request->method, "random") == 0 || (self->halves && plan.n_trials > 0))
    plan.method = SLUICE_SWEEP_RANDOM;
  else if (request->method != NULL && strcmp (request->method, "grid") != 0 && !self->halves)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "method %s: must be grid, random or asha", request->method);
  self->trials = sluice_sweep_dup_trials (self->axes, &plan, error);
  return self->trials != NULL;
}

/* Tags that a run of the project has. (transfer full) */
static char **
dup_tags (const SluiceProject *project)
{
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  for (guint i = 0; i < project->evaluate->len; i++)
    {
      const char *name = g_array_index (project->evaluate, SluiceNamedEdge, i).name;
      g_autofree char *tag = g_strconcat ("evaluate/", name, NULL);
      g_strv_builder_add (tags, tag);
    }
  g_strv_builder_add (tags, "loss");
  for (guint i = 0; i < project->fetches->len; i++)
    g_strv_builder_add (tags, g_array_index (project->fetches, SluiceNamedEdge, i).name);
  return g_strv_builder_end (tags);
}

static gboolean
find_metric (SluiceSweep *self, const char *metric, const SluiceProject *project, GError **error)
{
  g_auto (GStrv) tags = dup_tags (project);
  const char *const *known = (const char *const *) tags;
  if (metric != NULL && !g_strv_contains (known, metric))
    {
      const char *like = sluice_suggest_name (metric, known, g_strv_length (tags));
      return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                          "metric %s: the project logs no such tag%s%s%s", metric,
                          like != NULL ? "; did you mean '" : "", like != NULL ? like : "",
                          like != NULL ? "'?" : "");
    }
  self->metric = g_strdup (metric != NULL ? metric : tags[0]);
  return TRUE;
}

static gboolean
find_direction (SluiceSweep *self, const char *direction, GError **error)
{
  SluiceBest better = sluice_tag_get_better (self->metric);
  if (direction == NULL && better == SLUICE_BEST_UNKNOWN)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "which %s is best is not told by its name; say whether its direction is "
                        "min or max",
                        self->metric);
  self->is_max =
      direction != NULL ? strcmp (direction, "max") == 0 : better == SLUICE_BEST_GREATEST;
  return direction == NULL || self->is_max || strcmp (direction, "min") == 0
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "direction %s: must be min or max",
                         direction);
}

/* Unless it is said, the first rung is where all of the trials go on by turns until one is left. */
static gboolean
find_rungs (SluiceSweep *self, const SluiceSweepRequest *request, gint64 last, GError **error)
{
  guint one_of = request->one_of > 0 ? request->one_of : ONE_OF;
  gint64 first = last;
  if (!self->halves)
    return TRUE;
  if (one_of < 2)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "one of %u goes on: must be one of at least 2", one_of);
  for (guint n = self->trials->len; n >= one_of; n /= one_of)
    first = MAX (first / one_of, 1);
  self->halving = (SluiceHalving){ .one_of = one_of,
                                   .first = request->first_rung > 0 ? request->first_rung : first,
                                   .last = last,
                                   .is_max = self->is_max };
  return self->halving.first < self->halving.last
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "there is no rung to drop trials on: the first is step %" G_GINT64_FORMAT
                         " of %" G_GINT64_FORMAT "; give a lower first rung, more steps or more "
                         "values",
                         self->halving.first, self->halving.last);
}

/* A group that no run has yet. */
static gboolean
find_group (SluiceSweep *self, const char *group, SluiceStore *store, GError **error)
{
  self->group = g_strdup (group);
  if (group != NULL)
    return sluice_text_check_name ("the name of the sweep", group, error);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, error);
  g_autoptr (GHashTable) taken = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    {
      const SluiceRunInfo *info = runs->pdata[i];
      if (info->group != NULL)
        g_hash_table_add (taken, info->group);
    }
  g_autofree char *full = g_canonicalize_filename (self->folder, NULL);
  g_autofree char *base = g_path_get_basename (full);
  for (guint n = 1; self->group == NULL || g_hash_table_contains (taken, self->group); n++)
    {
      g_free (self->group);
      self->group = g_strdup_printf ("%s-sweep-%u", base, n);
    }
  return runs != NULL;
}

SluiceSweep *
sluice_sweep_new (const SluiceSweepRequest *request, SluiceStore *store, GError **error)
{
  g_autoptr (SluiceSweep) self = g_new0 (SluiceSweep, 1);
  self->folder = g_strdup (request->folder);
  self->settings = g_strdupv ((char **) request->settings);
  self->name = g_strdup (request->name);
  g_autoptr (SluiceProject) scratch = load_project (self, NULL, error);
  if (scratch == NULL)
    return NULL;
  gint64 last = scratch->n_steps;
  gboolean ok = parse_axes (self, request->values, scratch, error)
                && find_metric (self, request->metric, scratch, error)
                && find_direction (self, request->direction, error)
                && find_trials (self, request, error) && find_rungs (self, request, last, error)
                && find_group (self, request->group, store, error);
  return ok ? g_steal_pointer (&self) : NULL;
}

/* ---- its runs ---- */

/* Whether what one trial was checked by stands for all: they differ in numbers that are fed, or in
 * what no plan depends on. */
static gboolean
is_checked_once (const SluiceSweep *self, const SluiceProject *project)
{
  static const char *const plain[] = { "steps", "train.steps", "seed", "train.seed", NULL };
  for (guint i = 0; i < self->axes->len; i++)
    {
      const char *key = ((const SluiceSweepAxis *) self->axes->pdata[i])->key;
      gboolean found = g_strv_contains (plain, key);
      for (guint k = 0; k < project->parameters->len; k++)
        found |= strcmp (g_array_index (project->parameters, SluiceNamedEdge, k).name, key) == 0;
      if (!found)
        return FALSE;
    }
  return TRUE;
}

/* What a trial is told of the sweep. */
static gboolean
set_rungs (const SluiceSweep *self, SluiceProject *project, guint trial, GError **error)
{
  g_autofree char *best =
      g_strdup_printf ("best=%s:%s", self->metric, self->is_max ? "max" : "min");
  if (!self->halves)
    return TRUE;
  project->first_rung = self->halving.first;
  project->one_of = self->halving.one_of;
  project->n_trials = self->trials->len;
  project->trial = trial;
  return sluice_project_set (project, best, error);
}

char *
sluice_sweep_dup_name (const SluiceSweep *self, guint trial)
{
  if (self->name == NULL)
    return g_strdup_printf ("%s-%u", self->group, trial + 1);
  char **values = self->trials->pdata[trial];
  GString *name = g_string_new (self->name);
  gboolean has_all = TRUE;
  for (guint i = 0; i < self->axes->len; i++)
    {
      const char *key = ((const SluiceSweepAxis *) self->axes->pdata[i])->key;
      g_autofree char *place = g_strdup_printf ("{%s}", key);
      has_all &= g_string_replace (name, place, strchr (values[i], '=') + 1, 0) > 0;
    }
  if (!has_all)
    g_string_append_printf (name, "-%u", trial + 1);
  return g_string_free (name, FALSE);
}

static gboolean
add_trial (const SluiceSweep *self,
           SluiceQueueBatch *batch,
           guint i,
           const SluiceQueueRequest *like,
           GError **error)
{
  g_autoptr (SluiceProject) project = load_project (self, self->trials->pdata[i], error);
  g_autofree char *name = sluice_sweep_dup_name (self, i);
  if (project == NULL || !set_rungs (self, project, i, error))
    return FALSE;
  SluiceQueueRequest request = like != NULL ? *like : (SluiceQueueRequest){ 0 };
  request.name = name;
  request.group = self->group;
  request.like_last = is_checked_once (self, project);
  return sluice_queue_batch_add (batch, project, &request, error);
}

GPtrArray *
sluice_sweep_add_runs (const SluiceSweep *self,
                       SluiceStore *store,
                       const SluiceQueueRequest *like,
                       GError **error)
{
  g_autoptr (SluiceQueueBatch) batch = sluice_queue_batch_new (store, error);
  for (guint i = 0; batch != NULL && i < self->trials->len; i++)
    if (!add_trial (self, batch, i, like, error))
      return NULL;
  return batch != NULL ? sluice_queue_batch_commit (g_steal_pointer (&batch), error) : NULL;
}

/* ---- how they came out ---- */

double
sluice_sweep_get_value (const SluiceSweep *self, const SluiceRunEntry *entry)
{
  const SluiceRunResult *result = sluice_run_entry_get_result (entry, self->metric);
  return result != NULL ? result->last : NAN;
}

const SluiceRunEntry *
sluice_sweep_find_best (const SluiceSweep *self, GPtrArray *entries, guint *n_finished)
{
  const SluiceRunEntry *best = NULL;
  double bar = NAN;
  *n_finished = 0;
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceRunEntry *entry = entries->pdata[i];
      if (g_strcmp0 (entry->info->group, self->group) != 0
          || entry->info->state != SLUICE_RUN_FINISHED)
        continue;
      double value = sluice_sweep_get_value (self, entry);
      ++*n_finished;
      if (!isfinite (value) || (self->is_max ? value < bar : value > bar))
        continue;
      best = entry;
      bar = value;
    }
  return best;
}
