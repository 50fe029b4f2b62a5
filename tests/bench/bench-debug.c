/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What a breakpoint costs that is never hit: rounds of training steps on one thread under a
 * debugger that has it and without one, in turns. A JSON line a breakpoint: by how many percent the
 * step is longer. Of a debugger without breakpoints, too, which is to cost nothing.
 *
 * usage: bench-debug PROJECT BREAKPOINT...
 */
#include <stdio.h>

#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/bench/rounds.h"

#define N_ROUNDS 61
#define N_STEPS  40

static void
check (gboolean ok, GError *error)
{
  if (!ok)
    rounds_fatal (error);
}

/* debugger: (nullable) */
static double
time_round (SluiceReplica *replica, SluiceDebugger *debugger, double *scalars)
{
  GError *error = NULL;
  double start = rounds_thread_ns ();
  for (guint i = 0; i < N_STEPS; i++)
    {
      const SluiceRunOptions options = { .step = (guint64) replica->n_done + 1,
                                         .debugger = debugger };
      replica->limit = replica->n_done + 1;
      check (sluice_replica_step (replica, scalars, NULL, &options, &error), error);
    }
  return (rounds_thread_ns () - start) / N_STEPS;
}

/* text: (nullable): no breakpoint. One training, so that both ways meet the same memory. */
static void
bench_breakpoint (SluiceProject *project, const SluiceExamples *examples, const char *text)
{
  GError *error = NULL;
  double ratios[N_ROUNDS], ns[2][N_ROUNDS];
  SluiceBreakpoint breakpoint;
  g_autoptr (SluiceDebugger) debugger = sluice_debugger_new ();
  SluiceReplica *replica = sluice_replica_new (project, examples, NULL, 1, NULL, &error);
  check (replica && sluice_replica_initialize (replica, &error), error);
  if (text != NULL)
    check (sluice_breakpoint_parse (&breakpoint, text, &error)
               && sluice_debugger_add (debugger, &breakpoint, &error) > 0,
           error);
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  for (guint k = 0; k < 2; k++)
    time_round (replica, k ? debugger : NULL, scalars);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      for (guint k = 0; k < 2; k++)
        {
          gboolean is_debugged = (i + k) % 2;
          ns[is_debugged][i] = time_round (replica, is_debugged ? debugger : NULL, scalars);
        }
      ratios[i] = ns[1][i] / ns[0][i];
    }
  printf ("{\"name\": \"debug/%s/%s\", \"value\": %.3f, \"unit\": \"%%\", \"goal\": 1, "
          "\"step_us\": %.1f, \"steps\": %u}\n",
          project->name, text != NULL ? text : "none", (bench_median (ratios, N_ROUNDS) - 1) * 100,
          bench_median (ns[0], N_ROUNDS) / 1000, N_STEPS * N_ROUNDS);
  sluice_replica_free (replica);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  if (argc < 3)
    {
      fprintf (stderr, "usage: bench-debug PROJECT BREAKPOINT...\n");
      return 2;
    }
  g_set_prgname ("bench-debug");
  sluice_pool_set_threads (1);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  SluiceProject *project = sluice_project_load (argv[1], &error);
  SluiceExamples *examples = project ? sluice_examples_load (project, FALSE, &error) : NULL;
  check (examples != NULL, error);
  bench_breakpoint (project, examples, NULL);
  for (int i = 2; i < argc; i++)
    bench_breakpoint (project, examples, argv[i]);
  sluice_examples_free (examples);
  sluice_project_free (project);
  return 0;
}
