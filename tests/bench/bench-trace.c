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

#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/bench/pair.h"

#define N_NODES 10000

static const SluiceSessionOptions options[2] = {
  { .seed = 1 },
  { .seed = 1, .no_trace = TRUE },
};

static void
bench_project (const char *folder)
{
  double ns[2];
  g_autofree char *name = pair_measure_project (folder, options, ns);
  printf ("{\"name\": \"trace/%s\", \"value\": %.3f, \"unit\": \"%%\", \"goal\": 1, "
          "\"step_us\": %.1f}\n",
          name, (ns[0] / ns[1] - 1) * 100, ns[0] / 1000);
}

static void
bench_no_ops (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceNode *last = NULL;
  for (guint i = 0; i < N_NODES; i++)
    {
      SluiceNodeSpec spec = { .op = "NoOp",
                              .name = i + 1 == N_NODES ? "last" : NULL,
                              .control_inputs = &last,
                              .n_control_inputs = last != NULL };
      last = sluice_graph_add (graph, &spec, NULL);
      g_assert (last != NULL);
    }
  double ns[2];
  PairSide *sides = pair_new (graph, options);
  pair_prepare (sides, NULL, 0, NULL, NULL, "last");
  pair_measure (sides, ns);
  printf ("{\"name\": \"trace/record\", \"value\": %.2f, \"unit\": \"ns\", \"node_ns\": %.1f}\n",
          (ns[0] - ns[1]) / N_NODES, ns[0] / N_NODES);
  pair_free (sides);
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    {
      fprintf (stderr, "usage: bench-trace PROJECT\n");
      return 2;
    }
  g_set_prgname ("bench-trace");
  sluice_pool_set_threads (1);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  bench_project (argv[1]);
  bench_no_ops ();
  return 0;
}
