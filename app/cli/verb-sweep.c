/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/follow.h"
#include "app/cli/queue-list.h"
#include "app/cli/queue-work.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "engine/base/pool.h"
#include "engine/base/suggest.h"
#include "engine/base/text.h"
#include "engine/store/kinds/hparams.h"
#include "engine/store/runs.h"
#include "engine/train/halving.h"
#include "engine/train/queue.h"
#include "engine/train/sweep.h"

static char *workspace, *method, *metric, *direction, *n_steps, *group;
static gint64 n_trials, seed = 1, first_rung, one_of = 3;
static gboolean queues;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "method", 0, 0, G_OPTION_ARG_STRING, &method,
    N_ ("grid: every combination; random: values by lot; asha: as random, or grid without "
        "--trials, and the worse ones are dropped early (grid)"),
    N_ ("METHOD") },
  { "trials", 0, 0, G_OPTION_ARG_INT64, &n_trials,
    N_ ("So many; of a grid that has more, so many by lot"), N_ ("N") },
  { "metric", 0, 0, G_OPTION_ARG_STRING, &metric,
    N_ ("By which the best is told: loss, or a tag of the project's (its first evaluation, else "
        "loss)"),
    N_ ("TAG") },
  { "direction", 0, 0, G_OPTION_ARG_STRING, &direction,
    N_ ("What is best of it, min or max (by its name)"), N_ ("min|max") },
  { "steps", 0, 0, G_OPTION_ARG_STRING, &n_steps, N_ ("Train each up to this step"), N_ ("N") },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, N_ ("Seed of the lot, not of the runs (1)"),
    N_ ("S") },
  { "first-rung", 0, 0, G_OPTION_ARG_INT64, &first_rung,
    N_ ("With asha: the step at which the first ones are dropped (so that one trial comes to the "
        "end)"),
    N_ ("STEP") },
  { "one-of", 0, 0, G_OPTION_ARG_INT64, &one_of,
    N_ ("With asha: the best one of so many goes on to the next rung, at so many times the step "
        "(3)"),
    N_ ("N") },
  { "group", 0, 0, G_OPTION_ARG_STRING, &group,
    N_ ("Name of the sweep, which its runs have as group (the project's and a number)"),
    N_ ("NAME") },
  { "queue", 0, 0, G_OPTION_ARG_NONE, &queues,
    N_ ("Do not train them now: they wait, and 'sluice queue run' trains them"), NULL },
  G_OPTION_ENTRY_NULL,
};

/* ---- what it is to be ---- */

typedef struct
{
  const char *folder; /* of the project */
  GPtrArray *axes;
  GPtrArray *trials; /* of GStrv */
  char *metric;
  gboolean is_max;
  gboolean halves;       /* the worse ones are dropped early */
  SluiceHalving halving; /* where it halves */
  char *group;
} Sweep;

static void
sweep_clear (Sweep *self)
{
  g_clear_pointer (&self->axes, g_ptr_array_unref);
  g_clear_pointer (&self->trials, g_ptr_array_unref);
  g_free (self->metric);
  g_free (self->group);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sweep, sweep_clear)

static gboolean
parse_axes (Sweep *self, char **words, GError **error)
{
  g_autoptr (SluiceProject) scratch =
      sluice_cli_load_project (self->folder, NULL, n_steps, NULL, error);
  self->axes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_sweep_axis_free);
  for (guint i = 0; scratch != NULL && words[i] != NULL; i++)
    {
      SluiceSweepAxis *axis = sluice_sweep_axis_parse (words[i], error);
      if (axis == NULL)
        return FALSE;
      g_ptr_array_add (self->axes, axis);
      if (!sluice_sweep_axis_check (axis, scratch, error))
        return FALSE;
    }
  return scratch != NULL;
}

static gboolean
parse_plan (Sweep *self, SluiceSweepPlan *plan, GError **error)
{
  *plan = (SluiceSweepPlan){ .n_trials = (guint) n_trials, .seed = (guint64) seed };
  self->halves = g_strcmp0 (method, "asha") == 0;
  if (g_strcmp0 (method, "random") == 0 || (self->halves && n_trials > 0))
    plan->method = SLUICE_SWEEP_RANDOM;
  else if (method != NULL && strcmp (method, "grid") != 0 && !self->halves)
    {
      sluice_cli_usage (error, _ ("--method %s: must be grid, random or asha"), method);
      return FALSE;
    }
  return (n_trials == 0
          || sluice_cli_check_count ("--trials", n_trials, 1, SLUICE_SWEEP_MAX_TRIALS, error))
         && sluice_cli_check_count ("--one-of", one_of, 2, 1000, error)
         && (first_rung == 0
             || sluice_cli_check_count ("--first-rung", first_rung, 1, G_MAXINT32, error));
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
find_metric (Sweep *self, GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (self->folder, error);
  if (project == NULL)
    return FALSE;
  g_auto (GStrv) tags = dup_tags (project);
  const char *const *known = (const char *const *) tags;
  if (metric != NULL && !g_strv_contains (known, metric))
    {
      const char *like = sluice_suggest_name (metric, known, g_strv_length (tags));
      return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                          "--metric %s: the project logs no such "
                          "tag%s%s%s",
                          metric, like != NULL ? "; did you mean '" : "", like != NULL ? like : "",
                          like != NULL ? "'?" : "");
    }
  self->metric = g_strdup (metric != NULL ? metric : tags[0]);
  return TRUE;
}

static gboolean
find_direction (Sweep *self, GError **error)
{
  SluiceBest better = sluice_tag_get_better (self->metric);
  if (direction == NULL && better == SLUICE_BEST_UNKNOWN)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "which %s is best is not told by its name; say --direction min or max",
                        self->metric);
  self->is_max =
      direction != NULL ? strcmp (direction, "max") == 0 : better == SLUICE_BEST_GREATEST;
  return direction == NULL || self->is_max || strcmp (direction, "min") == 0
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "--direction %s: must be min or max",
                         direction);
}

/* Unless it is said, the first rung is where all of the trials go on by turns until one is left. */
static gboolean
find_rungs (Sweep *self, GError **error)
{
  if (!self->halves)
    return TRUE;
  g_autoptr (SluiceProject) project =
      sluice_cli_load_project (self->folder, NULL, n_steps, NULL, error);
  if (project == NULL)
    return FALSE;
  gint64 first = project->n_steps;
  for (guint n = self->trials->len; n >= one_of; n /= one_of)
    first = MAX (first / one_of, 1);
  self->halving = (SluiceHalving){ .one_of = (guint) one_of,
                                   .first = first_rung > 0 ? first_rung : first,
                                   .last = project->n_steps,
                                   .is_max = self->is_max };
  return self->halving.first < self->halving.last
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "there is no rung to drop trials on: the first is step %" G_GINT64_FORMAT
                         " of %" G_GINT64_FORMAT
                         "; give a lower --first-rung, more --steps or more values",
                         self->halving.first, self->halving.last);
}

/* A group that no run has yet. */
static gboolean
find_group (Sweep *self, SluiceStore *store, GError **error)
{
  if (group != NULL)
    {
      self->group = g_strdup (group);
      return sluice_text_check_name ("--group: the name of the sweep", group, error);
    }
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

/* ---- its runs ---- */

/* Whether what one trial was checked by stands for all: they differ in numbers that are fed, or in
 * what no plan depends on. */
static gboolean
is_checked_once (const Sweep *self, const SluiceProject *project)
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
set_rungs (const Sweep *self, SluiceProject *project, guint trial, GError **error)
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

static gboolean
add_trials (const Sweep *self, SluiceStore *store, GError **error)
{
  g_autofree char *hash = NULL;
  for (guint i = 0; i < self->trials->len; i++)
    {
      g_autoptr (SluiceProject) project =
          sluice_cli_load_project (self->folder, self->trials->pdata[i], n_steps, NULL, error);
      if (project == NULL || !set_rungs (self, project, i, error))
        return FALSE;
      g_autofree char *name = g_strdup_printf ("%s-%u", self->group, i + 1);
      SluiceQueueRequest request = { .name = name,
                                     .group = self->group,
                                     .needs.devices = sluice_cli_session_options.device,
                                     .needs.threads = sluice_cli_session_options.n_threads,
                                     .host = &sluice_cli_session_options,
                                     .graph_hash = hash };
      g_autoptr (SluiceRunInfo) info = sluice_queue_add (store, project, &request, error);
      if (info == NULL || (queues && !sluice_cli_print_queue (store, info->id, error)))
        return FALSE;
      if (hash == NULL && is_checked_once (self, project))
        hash = g_strdup (info->graph_hash);
    }
  return TRUE;
}

/* ---- how they came out ---- */

/* The value at its end; NAN: it has none. */
static double
value_of (const Sweep *self, const SluiceRunEntry *row)
{
  for (guint i = 0; i < row->results->len; i++)
    {
      const SluiceRunResult *result = row->results->pdata[i];
      if (strcmp (result->tag, self->metric) == 0)
        return result->last;
    }
  return NAN;
}

static gboolean
is_in (const Sweep *self, const SluiceRunEntry *row)
{
  return g_strcmp0 (row->info->group, self->group) == 0 && row->info->state == SLUICE_RUN_FINISHED;
}

/* Among equals the one that was tried first: rows are newest first. (nullable) (transfer none) */
static const SluiceRunEntry *
find_best (const Sweep *self, GPtrArray *rows, guint *n_finished)
{
  const SluiceRunEntry *best = NULL;
  *n_finished = 0;
  for (guint i = 0; i < rows->len; i++)
    {
      const SluiceRunEntry *row = rows->pdata[i];
      if (!is_in (self, row))
        continue;
      double value = value_of (self, row), bar = best != NULL ? value_of (self, best) : NAN;
      ++*n_finished;
      if (isfinite (value) && (isnan (bar) || (self->is_max ? value >= bar : value <= bar)))
        best = row;
    }
  return best;
}

/* What the sweep varied of it. (transfer full) */
static char *
dup_varied (const Sweep *self, const SluiceRunEntry *row)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->trials->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s-%u", self->group, i + 1);
      if (strcmp (name, row->info->name) != 0)
        continue;
      g_autofree char *joined = g_strjoinv (" ", self->trials->pdata[i]);
      g_string_append (text, joined);
    }
  return g_string_free (text, FALSE);
}

/* Of those on a rung all come from the one before. */
static guint
count_on_rung (const Sweep *self, guint rung)
{
  return rung == 0 ? self->trials->len
                   : sluice_halving_get_places (&self->halving, self->trials->len, rung - 1);
}

static void
print_rungs (const Sweep *self)
{
  for (guint i = 0; i + 1 < sluice_halving_count_rungs (&self->halving); i++)
    printf (_ ("step %" PRId64 ": %u of %u went on\n"),
            sluice_halving_get_step (&self->halving, i), count_on_rung (self, i + 1),
            count_on_rung (self, i));
}

static void
write_rungs (const Sweep *self, JsonBuilder *b)
{
  json_builder_set_member_name (b, "rungs");
  json_builder_begin_array (b);
  for (guint i = 0; self->halves && i + 1 < sluice_halving_count_rungs (&self->halving); i++)
    {
      json_builder_begin_object (b);
      sluice_cli_json_int (b, "step", sluice_halving_get_step (&self->halving, i));
      sluice_cli_json_int (b, "trials", count_on_rung (self, i));
      sluice_cli_json_int (b, "go_on", count_on_rung (self, i + 1));
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
print_best (const Sweep *self, const SluiceRunEntry *best, guint n_finished, guint n_failed)
{
  g_autofree char *varied = best != NULL ? dup_varied (self, best) : NULL;
  if (!sluice_cli_json)
    {
      g_autofree char *text =
          best != NULL ? g_strdup_printf (_ ("sweep %s: %u finished; best %s %.6g: run %s, %s"),
                                          self->group, n_finished, self->metric,
                                          value_of (self, best), best->info->name, varied)
                       : g_strdup_printf (_ ("sweep %s: %u finished; none has a %s"), self->group,
                                          n_finished, self->metric);
      g_autofree char *safe = sluice_text_escape (text);
      if (self->halves)
        print_rungs (self);
      printf ("%s\n", safe);
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "sweep", self->group);
  sluice_cli_json_string (b, "metric", self->metric);
  sluice_cli_json_string (b, "direction", self->is_max ? "max" : "min");
  sluice_cli_json_int (b, "trials", self->trials->len);
  sluice_cli_json_int (b, "finished", n_finished);
  sluice_cli_json_int (b, "failed", n_failed);
  sluice_cli_json_string (b, "best", best != NULL ? best->info->name : NULL);
  if (best != NULL)
    sluice_cli_json_double (b, "value", value_of (self, best));
  else
    sluice_cli_json_null (b, "value");
  sluice_cli_json_string (b, "settings", varied);
  write_rungs (self, b);
  sluice_cli_json_end (b);
}

static int
train_all (const Sweep *self, SluiceStore *store, GError **error)
{
  guint n_failed = 0, n_finished;
  int status = sluice_cli_work_queue (store, self->group, 1, &n_failed, error);
  if (status != EXIT_OK)
    return status;
  g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (store, FALSE, error);
  if (rows == NULL)
    return EXIT_FAILED;
  const SluiceRunEntry *best = find_best (self, rows, &n_finished);
  print_best (self, best, n_finished, n_failed);
  if (best != NULL)
    return EXIT_OK;
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "no run of sweep '%s' has a finite %s",
               self->group, self->metric);
  return EXIT_FAILED;
}

/* ---- the verb ---- */

/* All that can be wrong is told before there is a run. */
static gboolean
prepare (Sweep *self, const SluiceSweepPlan *plan, char **arguments, GError **error)
{
  return parse_axes (self, arguments + 1, error) && find_metric (self, error)
         && find_direction (self, error)
         && (self->trials = sluice_sweep_dup_trials (self->axes, plan, error)) != NULL
         && find_rungs (self, error);
}

static int
sweep (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] == NULL)
    return sluice_cli_usage (error, _ ("give a PROJECT, and KEY=VALUES for what is to be varied"));
  SluiceSweepPlan plan;
  g_auto (Sweep) self = { .folder = arguments[0] };
  if (!parse_plan (&self, &plan, error))
    return EXIT_USAGE;
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  if (!prepare (&self, &plan, arguments, error))
    return EXIT_FAILED;
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, FALSE, error);
  if (store == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_lost_runs (store);
  if (!find_group (&self, store, error) || !add_trials (&self, store, error))
    return EXIT_FAILED;
  return queues ? EXIT_OK : train_all (&self, store, error);
}

const Verb sluice_verb_sweep = {
  .name = "sweep",
  .arguments = N_ ("PROJECT KEY=VALUES…"),
  .summary = N_ ("Train a project once for each of many settings, and tell the best"),
  .details = N_ (
      "KEY is as for 'launch'. VALUES is a list, as 0.1,0.01; a range of which values are drawn "
      "by lot, as 0.001..0.1; or one with a number of points, as 0.001..0.1/5. With :log behind "
      "it, as 0.001..0.1/5:log, equal factors lie between them. A sweep is a group of runs, "
      "which wait until their turn comes; what is interrupted or killed goes on with 'sluice "
      "queue run'. The same seed draws the same values. The best is told by the metric's last "
      "value. With --method asha all trials are trained up to a first step, the best one of "
      "three up to three times that step, and so on: which go on does not depend on what is "
      "trained first, or interrupted."),
  .json = CLI_TRAIN_JSON
  "\n" CLI_QUEUE_JSON "\n"
  "{\"sweep\": \"string\", \"metric\": \"string\", \"direction\": \"string\", "
  "\"trials\": \"int\", \"finished\": \"int\", \"failed\": \"int\", "
  "\"best\": \"string|null\", \"value\": \"number|null\", \"settings\": \"string|null\", "
  "\"rungs\": [{\"step\": \"int\", \"trials\": \"int\", \"go_on\": \"int\"}]}",
  .options = options,
  .run_options = SLUICE_OPTION_PROJECT | SLUICE_OPTION_MACHINE,
  .run = sweep,
};
