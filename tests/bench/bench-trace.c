/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What the trace costs: the same training step in two sessions, one of which keeps no trace, in
 * turns on one thread. JSON lines: by how many percent the median step is longer, and what a record
 * is worth in nanoseconds where nodes do nothing else.
 *
 * usage: bench-trace PROJECT
 */
#include <stdio.h>
#include <time.h>

#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "engine/train/machine.h"
#include "kernels/registry.h"

#define N_PAIRS 2001
#define N_NODES 10000

static gboolean
check (gboolean ok, GError *error)
{
  if (ok)
    return TRUE;
  fprintf (stderr, "bench-trace: %s\n", error ? error->message : "failed");
  exit (1);
}

/* Of this thread, which does all the work. */
static double
thread_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static double
median (double *values, guint n)
{
  qsort (values, n, sizeof (double), compare_doubles);
  return values[n / 2];
}

typedef struct
{
  SluiceSession *session;
  SluiceCallable *step;
  SluiceTensor *const *feeds;
  double ns[N_PAIRS];
} Side;

static double
time_step (Side *side)
{
  GError *error = NULL;
  SluiceTensor *output = NULL;
  double start = thread_ns ();
  check (sluice_callable_run (side->step, side->feeds, &output, NULL, &error), error);
  double ns = thread_ns () - start;
  g_clear_pointer (&output, sluice_tensor_unref);
  return ns;
}

/* ns[] of both, taken in turns; who goes first changes. */
static void
measure (Side *sides)
{
  for (guint i = 0; i < 50; i++)
    time_step (&sides[i % 2]);
  for (guint i = 0; i < N_PAIRS; i++)
    {
      guint first = i % 2;
      sides[first].ns[i] = time_step (&sides[first]);
      sides[!first].ns[i] = time_step (&sides[!first]);
    }
}

static void
clear (Side *sides)
{
  for (guint i = 0; i < 2; i++)
    {
      sluice_callable_unref (sides[i].step);
      g_object_unref (sides[i].session);
    }
}

static void
open_side (Side *side, gboolean no_trace, SluiceGraph *graph)
{
  GError *error = NULL;
  SluiceSessionOptions options = { .seed = 1, .soft_placement = TRUE, .no_trace = no_trace };
  side->session = sluice_session_new (&options, &error);
  check (side->session && sluice_session_extend (side->session, graph, &error), error);
}

static void
bench_project (const char *folder)
{
  GError *error = NULL;
  SluiceProject *project = sluice_project_load (folder, &error);
  SluiceExamples *examples = project ? sluice_examples_load (project, FALSE, &error) : NULL;
  Machine *machine = examples ? machine_new (project, examples, NULL, 1, 0, &error) : NULL;
  check (machine && machine_initialize (machine, &error), error);
  g_autofree double *scalars = g_new (double, machine->n_scalars);
  check (machine_step (machine, scalars, NULL, NULL, &error), error); /* makes the feeds */
  Side *sides = g_new0 (Side, 2);
  const char *feeds[] = { project->feed_x, project->feed_y }, *fetch = project->loss[0];
  for (guint i = 0; i < 2; i++)
    {
      open_side (&sides[i], i == 1, machine->graph);
      sides[i].feeds = machine->feeds;
      check (sluice_session_run (sides[i].session, NULL, 0, NULL, 0,
                                 (const char *const *) project->init, g_strv_length (project->init),
                                 NULL, NULL, &error),
             error);
      sides[i].step =
          sluice_session_prepare (sides[i].session, feeds, 2, &fetch, 1,
                                  (const char *const[]){ project->train[0] }, 1, &error);
      check (sides[i].step != NULL, error);
    }
  measure (sides);
  double with = median (sides[0].ns, N_PAIRS), without = median (sides[1].ns, N_PAIRS);
  printf ("{\"name\": \"trace/%s\", \"value\": %.3f, \"unit\": \"%%\", \"goal\": 1, "
          "\"step_us\": %.1f}\n",
          project->name, (with / without - 1) * 100, with / 1000);
  clear (sides);
  g_free (sides);
  machine_free (machine);
  sluice_examples_free (examples);
  sluice_project_free (project);
}

static void
bench_no_ops (void)
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceNode *last = NULL;
  for (guint i = 0; i < N_NODES; i++)
    {
      SluiceNodeSpec spec = { .op = "NoOp",
                              .name = i + 1 == N_NODES ? "last" : NULL,
                              .control_inputs = &last,
                              .n_control_inputs = last != NULL };
      last = sluice_graph_add (graph, &spec, &error);
      check (last != NULL, error);
    }
  Side *sides = g_new0 (Side, 2);
  for (guint i = 0; i < 2; i++)
    {
      open_side (&sides[i], i == 1, graph);
      sides[i].step = sluice_session_prepare (sides[i].session, NULL, 0, NULL, 0,
                                              (const char *const[]){ "last" }, 1, &error);
      check (sides[i].step != NULL, error);
    }
  measure (sides);
  double with = median (sides[0].ns, N_PAIRS), without = median (sides[1].ns, N_PAIRS);
  printf ("{\"name\": \"trace/record\", \"value\": %.2f, \"unit\": \"ns\", \"node_ns\": %.1f}\n",
          (with - without) / N_NODES, with / N_NODES);
  clear (sides);
  g_free (sides);
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    {
      fprintf (stderr, "usage: bench-trace PROJECT\n");
      return 2;
    }
  sluice_pool_set_threads (1);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  bench_project (argv[1]);
  bench_no_ops ();
  return 0;
}
