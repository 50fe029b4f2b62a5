/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What it costs to look at a node while it trains: rounds of steps on one thread with a look at its
 * output and without, in turns. All steps count, those without a look, too. A JSON line a node: by
 * how many percent the step is longer.
 *
 * usage: bench-watch PROJECT OUTPUT...
 */
#include <stdio.h>

#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/bench/rounds.h"

#define N_ROUNDS 61
#define N_STEPS  40 /* a round: a look in some of them */

static void
check (gboolean ok, GError *error)
{
  if (!ok)
    rounds_fatal (error);
}

static double
time_round (SluiceReplica *replica, double *scalars)
{
  GError *error = NULL;
  double start = rounds_thread_ns ();
  for (guint i = 0; i < N_STEPS; i++)
    {
      const SluiceRunOptions options = { .step = (guint64) replica->n_done + 1 };
      replica->limit = replica->n_done + 1;
      check (sluice_replica_step (replica, scalars, NULL, &options, &error), error);
    }
  return (rounds_thread_ns () - start) / N_STEPS;
}

/* One training, so that both ways meet the same memory; whose turn is first changes. */
static void
bench_output (SluiceProject *project, const SluiceExamples *examples, const char *output)
{
  GError *error = NULL;
  double ratios[N_ROUNDS], ns[2][N_ROUNDS];
  SluiceWatchReport report = { 0 };
  guint64 n_looks = 0;
  SluiceReplica *replica = sluice_replica_new (project, examples, NULL, 1, NULL, &error);
  check (replica && sluice_replica_initialize (replica, &error), error);
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  time_round (replica, scalars);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      for (guint k = 0; k < 2; k++)
        {
          gboolean looks = (i + k) % 2;
          SluiceWatch *watch =
              looks ? sluice_session_watch (replica->session, output, &error) : NULL;
          check (!looks || watch != NULL, error);
          ns[looks][i] = time_round (replica, scalars);
          if (looks)
            sluice_watch_read (watch, &report);
          n_looks += looks ? report.n_looks : 0;
          sluice_watch_stop (watch);
        }
      ratios[i] = ns[1][i] / ns[0][i];
    }
  printf ("{\"name\": \"watch/%s/%s\", \"value\": %.3f, \"unit\": \"%%\", \"goal\": 1, "
          "\"step_us\": %.1f, \"steps\": %u, \"looks\": %" G_GUINT64_FORMAT
          ", \"bytes\": %" G_GSIZE_FORMAT "}\n",
          project->name, output, (bench_median (ratios, N_ROUNDS) - 1) * 100,
          bench_median (ns[0], N_ROUNDS) / 1000, N_STEPS * N_ROUNDS, n_looks, report.bytes);
  sluice_replica_free (replica);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  if (argc < 3)
    {
      fprintf (stderr, "usage: bench-watch PROJECT OUTPUT...\n");
      return 2;
    }
  g_set_prgname ("bench-watch");
  sluice_pool_set_threads (1);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  SluiceProject *project = sluice_project_load (argv[1], &error);
  SluiceExamples *examples = project ? sluice_examples_load (project, FALSE, &error) : NULL;
  check (examples != NULL, error);
  for (int i = 2; i < argc; i++)
    bench_output (project, examples, argv[i]);
  sluice_examples_free (examples);
  sluice_project_free (project);
  return 0;
}
