/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/base/pool.h"
#include "engine/train/machine.h"

static gint64 n_threads;
static double seconds = 3;

static const GOptionEntry options[] = {
  { "threads", 0, 0, G_OPTION_ARG_INT64, &n_threads, N_ ("Threads that compute (one a core)"),
    N_ ("N") },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, N_ ("How long to measure (3)"), N_ ("S") },
  G_OPTION_ENTRY_NULL,
};

/* Best of rounds of about a fifth of the time each: disturbance only ever slows. */
static gboolean
measure (Machine *machine, double *best, GError **error)
{
  SluiceRunOptions run = { 0 };
  gint64 n = 1;
  *best = 0;
  if (!machine_initialize (machine, error) || !machine_replay (machine, 20, &run, error))
    return FALSE;
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * 1e6);
  while (g_get_monotonic_time () < end)
    {
      gint64 start = g_get_monotonic_time ();
      if (!machine_replay (machine, n, &run, error))
        return FALSE;
      double took = (g_get_monotonic_time () - start) * 1e-6;
      *best = MAX (*best, n / took);
      n = MAX ((gint64) (*best * seconds / 5), 1);
    }
  return TRUE;
}

static int
bench (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return cli_usage (error, "give one PROJECT");
  sluice_pool_set_threads (n_threads);
  g_autoptr (SluiceProject) project = sluice_project_load (arguments[0], error);
  g_autoptr (SluiceExamples) examples =
      project != NULL ? sluice_examples_load (project, FALSE, error) : NULL;
  Machine *machine = examples != NULL ? machine_new (project, examples, NULL, 1, error) : NULL;
  if (machine == NULL)
    return EXIT_FAILED;
  double best;
  gboolean ok = measure (machine, &best, error);
  machine_free (machine);
  if (!ok)
    return EXIT_FAILED;
  if (!cli_json)
    {
      printf (_ ("%s: %.0f steps/s at batch %" G_GINT64_FORMAT " on %u threads\n"), project->name,
              best, project->batch, sluice_pool_get_threads ());
      return EXIT_OK;
    }
  JsonBuilder *b = json_builder_new ();
  json_builder_begin_object (b);
  cli_json_string (b, "name", project->name);
  cli_json_double (b, "value", best);
  cli_json_string (b, "unit", "steps/s");
  cli_json_int (b, "threads", sluice_pool_get_threads ());
  json_builder_end_object (b);
  cli_print_json (b);
  return EXIT_OK;
}

const Verb verb_bench = {
  .name = "bench",
  .arguments = "PROJECT",
  .summary = N_ ("Measure how many steps a second a project trains"),
  .details =
      N_ ("Nothing is saved. The best round counts: what else the machine does only ever slows."),
  .options = options,
  .run = bench,
};
