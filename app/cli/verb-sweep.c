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
#include "app/cli/queue-needs.h"
#include "app/cli/queue-work.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/train/sweep-runs.h"

static char *workspace, *method, *metric, *direction, *n_steps, *group, *init_from;
static gint64 n_trials, seed = 1, first_rung, one_of = 3;
static gboolean queues, init_partly;

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
  CLI_NEEDS_MEMORY_OPTION,
  { "init-from", 0, 0, G_OPTION_ARG_FILENAME, &init_from,
    N_ ("Begin each with the values of this checkpoint"), N_ ("CHECKPOINT") },
  { "init-partly", 0, 0, G_OPTION_ARG_NONE, &init_partly,
    N_ ("Variables that the checkpoint lacks, or has in another shape, keep their initial values"),
    NULL },
  G_OPTION_ENTRY_NULL,
};

/* ---- how they came out ---- */

/* What the sweep varied of it. (transfer full) */
static char *
dup_varied (const SluiceSweep *self, const SluiceRunEntry *row)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->trials->len; i++)
    {
      g_autofree char *name = sluice_sweep_dup_name (self, i);
      if (strcmp (name, row->info->name) != 0)
        continue;
      g_autofree char *joined = g_strjoinv (" ", self->trials->pdata[i]);
      g_string_append (text, joined);
    }
  return g_string_free (text, FALSE);
}

/* Of those on a rung all come from the one before. */
static guint
count_on_rung (const SluiceSweep *self, guint rung)
{
  return rung == 0 ? self->trials->len
                   : sluice_halving_get_places (&self->halving, self->trials->len, rung - 1);
}

static void
print_rungs (const SluiceSweep *self)
{
  for (guint i = 0; i + 1 < sluice_halving_count_rungs (&self->halving); i++)
    printf (_ ("step %" PRId64 ": %u of %u went on\n"), sluice_halving_get_step (&self->halving, i),
            count_on_rung (self, i + 1), count_on_rung (self, i));
}

static void
write_rungs (const SluiceSweep *self, JsonBuilder *b)
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
print_best (const SluiceSweep *self, const SluiceRunEntry *best, guint n_finished, guint n_failed)
{
  g_autofree char *varied = best != NULL ? dup_varied (self, best) : NULL;
  if (!sluice_cli_json)
    {
      g_autofree char *text =
          best != NULL
              ? g_strdup_printf (_ ("sweep %s: %u finished; best %s %.6g: run %s, %s"), self->group,
                                 n_finished, self->metric, sluice_sweep_get_value (self, best),
                                 best->info->name, varied)
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
    sluice_cli_json_double (b, "value", sluice_sweep_get_value (self, best));
  else
    sluice_cli_json_null (b, "value");
  sluice_cli_json_string (b, "settings", varied);
  write_rungs (self, b);
  sluice_cli_json_end (b);
}

static int
train_all (const SluiceSweep *self, SluiceStore *store, GError **error)
{
  guint n_failed = 0, n_finished;
  int status = sluice_cli_work_queue (store, self->group, 1, &n_failed, error);
  if (status != EXIT_OK)
    return status;
  g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (store, FALSE, error);
  if (rows == NULL)
    return EXIT_FAILED;
  const SluiceRunEntry *best = sluice_sweep_find_best (self, rows, &n_finished);
  print_best (self, best, n_finished, n_failed);
  if (best != NULL)
    return EXIT_OK;
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "no run of sweep '%s' has a finite %s",
               self->group, self->metric);
  return EXIT_FAILED;
}

/* ---- the verb ---- */

static gboolean
check_options (GError **error)
{
  return (n_trials == 0
          || sluice_cli_check_count ("--trials", n_trials, 1, SLUICE_SWEEP_MAX_TRIALS, error))
         && sluice_cli_check_count ("--one-of", one_of, 2, 1000, error)
         && sluice_cli_check_count ("--first-rung", first_rung, 0, G_MAXINT32, error);
}

static int
sweep (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] == NULL)
    return sluice_cli_usage (error, _ ("give a PROJECT, and KEY=VALUES for what is to be varied"));
  if (method != NULL && strcmp (method, "grid") != 0 && strcmp (method, "random") != 0
      && strcmp (method, "asha") != 0)
    return sluice_cli_usage (error, _ ("--method %s: must be grid, random or asha"), method);
  if (init_partly && init_from == NULL)
    return sluice_cli_usage (error, _ ("--init-partly needs --init-from"));
  if (!check_options (error))
    return EXIT_USAGE;
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  g_auto (GStrv) settings = sluice_cli_dup_settings (n_steps, NULL);
  const SluiceSweepRequest request = { .folder = arguments[0],
                                       .values = (const char *const *) arguments + 1,
                                       .settings = (const char *const *) settings,
                                       .method = method,
                                       .n_trials = (guint) n_trials,
                                       .seed = (guint64) seed,
                                       .metric = metric,
                                       .direction = direction,
                                       .one_of = (guint) one_of,
                                       .first_rung = first_rung,
                                       .group = group };
  SluiceQueueRequest like = { .host = &sluice_cli_session_options,
                              .init_from = init_from,
                              .init_partly = init_partly };
  if (!sluice_cli_get_needs (&like.needs, error))
    return EXIT_USAGE;
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, FALSE, error);
  if (store == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_lost_runs (store);
  g_autoptr (SluiceSweep) self = sluice_sweep_new (&request, store, error);
  g_autoptr (GPtrArray) runs =
      self != NULL ? sluice_sweep_add_runs (self, store, &like, error) : NULL;
  if (runs == NULL)
    return EXIT_FAILED;
  return !queues                                     ? train_all (self, store, error)
         : sluice_cli_print_new (store, runs, error) ? EXIT_OK
                                                     : EXIT_FAILED;
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
