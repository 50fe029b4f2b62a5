/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/files.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "engine/base/pool.h"
#include "engine/train/replica.h"

#define MAX_SECONDS 86400

static double seconds = 3;
static gboolean serves;

static const GOptionEntry options[] = {
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, N_ ("How long to measure (3)"), N_ ("S") },
  { "serve", 0, 0, G_OPTION_ARG_NONE, &serves,
    N_ ("Run for so long as each line \"rep SECONDS\" of the input says, until \"quit\"") },
  G_OPTION_ENTRY_NULL,
};
static const CliRunKey run_keys[] = { { "threads" },        { "cpus" },   { "device" },
                                      { "device-options" }, { "policy" }, { NULL } };

/* Best of rounds of about a fifth of the time each: disturbance only ever slows. */
static gboolean
measure (SluiceReplica *replica, double *best, GError **error)
{
  SluiceRunOptions run = { 0 };
  gint64 n = 1;
  *best = 0;
  if (!sluice_replica_initialize (replica, error)
      || !sluice_replica_replay (replica, 20, &run, error))
    return FALSE;
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * 1e6);
  while (g_get_monotonic_time () < end)
    {
      gint64 start = g_get_monotonic_time ();
      if (!sluice_replica_replay (replica, n, &run, error))
        return FALSE;
      double took = (g_get_monotonic_time () - start) * 1e-6;
      *best = MAX (*best, n / took);
      n = MAX ((gint64) (*best * seconds / 5), 1);
    }
  return TRUE;
}

/* ---- serving a comparison ---- */

/* A line of /proc/self/status in megabytes, 0 where there is none. */
static double
memory_mb (const char *name)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  const char *line = strstr (text, name);
  return line != NULL ? g_ascii_strtod (line + strlen (name), NULL) / 1024 : 0;
}

static double
cpu_seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Seconds that all processors of the replica have worked. */
static double
busy_seconds (void)
{
  g_autofree char *text = NULL;
  unsigned long long user, nice, system, idle, wait, irq, soft, steal;
  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL)
      || sscanf (text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
                 &wait, &irq, &soft, &steal)
             != 8)
    return 0;
  return (double) (user + nice + system + irq + soft + steal) / (double) sysconf (_SC_CLK_TCK);
}

/* A line of the protocol, which is JSON without --json too. */
static void
say (JsonBuilder *take)
{
  json_builder_end_object (take);
  sluice_cli_print_json (take);
  fflush (stdout);
}

/* Steps for about @want seconds. @step_s: what one takes, in and out. */
static gboolean
serve_repetition (SluiceReplica *replica, double want, double *step_s, GError **error)
{
  SluiceRunOptions run = { 0 };
  gint64 n = (gint64) CLAMP (want / *step_s, 1, 1e9);
  double busy = busy_seconds (), cpu = cpu_seconds ();
  gint64 start = g_get_monotonic_time ();
  if (!sluice_replica_replay (replica, n, &run, error))
    return FALSE;
  double wall = MAX (1e-6 * (double) (g_get_monotonic_time () - start), 1e-6);
  cpu = cpu_seconds () - cpu;
  *step_s = wall / (double) n;
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "n", n);
  sluice_cli_json_double (b, "wall", wall);
  sluice_cli_json_double (b, "cpu", cpu);
  sluice_cli_json_double (b, "others", MAX (0, (busy_seconds () - busy - cpu) / wall));
  say (b);
  return TRUE;
}

#define N_WARM 5 /* steps: the first ones plan, allocate and learn what kernels cost */

/*
 * The protocol that tests/bench/peers/README.md describes: what it says and when is fixed, so that
 * one script measures several programs in turns.
 */
static gboolean
serve (SluiceReplica *replica, double base_mb, GError **error)
{
  SluiceRunOptions run = { 0 };
  char line[64];
  if (!sluice_replica_initialize (replica, error)
      || !sluice_replica_replay (replica, N_WARM, &run, error))
    return FALSE;
  gint64 start = g_get_monotonic_time ();
  if (!sluice_replica_replay (replica, N_WARM, &run, error))
    return FALSE;
  double step_s = MAX (1e-6 * (double) (g_get_monotonic_time () - start) / N_WARM, 1e-9);
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_bool (b, "ready", TRUE);
  sluice_cli_json_string (b, "unit", "steps/s");
  sluice_cli_json_int (b, "per", 1);
  say (b);
  while (fgets (line, sizeof line, stdin) != NULL && g_str_has_prefix (line, "rep "))
    {
      double want = g_ascii_strtod (line + 4, NULL);
      if (!serve_repetition (replica, want, &step_s, error))
        return FALSE;
    }
  b = sluice_cli_json_begin ();
  sluice_cli_json_double (b, "rss_mb", memory_mb ("VmHWM:"));
  sluice_cli_json_double (b, "base_mb", base_mb);
  say (b);
  return TRUE;
}

/* ---- the verb ---- */

static void
print_best (const SluiceProject *project, double best)
{
  if (!sluice_cli_json)
    {
      printf (_ ("%s: %.0f steps/s at batch %" PRId64 " on %u threads\n"), project->name, best,
              project->batch, sluice_pool_get_threads ());
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "name", project->name);
  sluice_cli_json_double (b, "value", best);
  sluice_cli_json_string (b, "unit", "steps/s");
  sluice_cli_json_int (b, "threads", sluice_pool_get_threads ());
  sluice_cli_json_end (b);
}

static int
bench (char **arguments, GError **error)
{
  double base_mb = memory_mb ("VmRSS:"), best = 0;
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one PROJECT"));
  if (!(seconds > 0 && seconds <= MAX_SECONDS))
    return sluice_cli_usage (error, _ ("--seconds must be above 0 and at most %d"), MAX_SECONDS);
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  g_autoptr (SluiceProject) project = sluice_project_load (arguments[0], error);
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  SluiceReplica *replica = NULL;
  if (project != NULL)
    {
      sluice_cli_allow_files (project->files);
      sluice_cli_take_policy (project);
    }
  if (project != NULL && sluice_examples_load_all (project, &examples, &test, error))
    replica = sluice_replica_new (project, examples, NULL, sluice_cli_session_options.n_cpus,
                                  &sluice_cli_session_options, error);
  if (replica == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_file_ops (replica->graph);
  gboolean ok = serves ? serve (replica, base_mb, error) : measure (replica, &best, error);
  if (ok && !serves)
    print_best (project, best);
  sluice_replica_free (replica);
  return ok ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_bench = {
  .name = "bench",
  .arguments = N_ ("PROJECT"),
  .summary = N_ ("Measure how many steps a second a project trains"),
  .details =
      N_ ("Nothing is saved. The best round counts: what else the replica does only ever slows."),
  .json =
      "{\"name\": \"string\", \"value\": \"number\", \"unit\": \"string\", \"threads\": \"int\"}\n"
      "{\"ready\": \"bool\", \"unit\": \"string\", \"per\": \"int\"}\n"
      "{\"n\": \"int\", \"wall\": \"number\", \"cpu\": \"number\", \"others\": \"number\"}\n"
      "{\"rss_mb\": \"number\", \"base_mb\": \"number\"}",
  .options = options,
  .run_keys = run_keys,
  .run = bench,
};
