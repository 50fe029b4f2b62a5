/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What it costs to look at a node while it trains: rounds of steps on one thread with a look at its
 * output and without, in turns. All steps count, those without a look, too. A JSON line a node: by
 * how many percent the step is longer. On a device with queues of its own, which looks on a thread
 * of its own, the time of all threads counts.
 *
 * usage: bench-watch [--device TYPE:N] PROJECT OUTPUT...
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/bench/rounds.h"

#define N_ROUNDS        61
#define N_ROUNDS_DEVICE 15 /* whose steps are longer */
#define N_STEPS         40 /* a round: a look in some of them */

static void
check (gboolean ok, GError *error)
{
  if (!ok)
    rounds_fatal (error);
}

static const char *device; /* (nullable) */

static double
now_ns (void)
{
  struct timespec t;
  if (device == NULL)
    return rounds_thread_ns ();
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static double
time_round (SluiceReplica *replica, double *scalars)
{
  GError *error = NULL;
  double start = now_ns ();
  for (guint i = 0; i < N_STEPS; i++)
    {
      const SluiceRunOptions options = { .step = (guint64) replica->n_done + 1 };
      replica->limit = replica->n_done + 1;
      check (sluice_replica_step (replica, scalars, NULL, &options, &error), error);
    }
  return (now_ns () - start) / N_STEPS;
}

/* One training, so that both ways meet the same memory; whose turn is first changes. */
static void
bench_output (SluiceProject *project, const SluiceExamples *examples, const char *output)
{
  GError *error = NULL;
  double ratios[N_ROUNDS], ns[2][N_ROUNDS];
  SluiceWatchReport report = { 0 };
  guint64 n_looks = 0;
  guint n_rounds = device != NULL ? N_ROUNDS_DEVICE : N_ROUNDS;
  const SluiceSessionOptions host = { .device = device };
  SluiceReplica *replica = sluice_replica_new (project, examples, NULL, 1, &host, &error);
  check (replica && sluice_replica_initialize (replica, &error), error);
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  time_round (replica, scalars);
  for (guint i = 0; i < n_rounds; i++)
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
  printf ("{\"name\": \"watch/%s%s%s/%s\", \"value\": %.3f, \"unit\": \"%%\", \"goal\": 1, "
          "\"step_us\": %.1f, \"steps\": %u, \"looks\": %" G_GUINT64_FORMAT
          ", \"bytes\": %" G_GSIZE_FORMAT "}\n",
          device != NULL ? device : "", device != NULL ? "/" : "", project->name, output,
          (bench_median (ratios, n_rounds) - 1) * 100, bench_median (ns[0], n_rounds) / 1000,
          N_STEPS * n_rounds, n_looks, report.bytes);
  sluice_replica_free (replica);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  if (argc > 2 && strcmp (argv[1], "--device") == 0)
    {
      device = argv[2];
      argv += 2;
      argc -= 2;
    }
  if (argc < 3)
    {
      fprintf (stderr, "usage: bench-watch [--device TYPE:N] PROJECT OUTPUT...\n");
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
