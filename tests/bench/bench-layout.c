/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Levels of the canvas that are laid out. One JSON line a figure: the median of this thread's CPU
 * time. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/median.h"
#include "ui/canvas/layout.h"

#define MAX_RUNS 9

/* Of this thread, which never waits: the same as the clock's on a machine that does nothing else.
 */
static double
cpu_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static void
print_figure (const char *name, double *ms, guint n, double goal)
{
  qsort (ms, n, sizeof *ms, bench_compare_doubles);
  printf ("{\"name\":\"%s\",\"value\":%.3f,\"unit\":\"ms\",\"goal\":%g}\n", name, ms[n / 2], goal);
  fflush (stdout);
}

/* Boxes in rows of twenty or so, 1.5 edges a box, to the next row or a few on: a level of a model
 * with everything open. */
static guint
make_level (guint n, guint row, SluiceLayoutEdge *edges)
{
  GRand *rand = g_rand_new_with_seed (1);
  guint n_edges = 0;
  for (guint i = 0; i < n + n / 2; i++)
    {
      guint a = g_rand_int_range (rand, 0, (int) n);
      guint ahead = g_rand_int_range (rand, 0, 10) == 0 ? g_rand_int_range (rand, 2, 6) : 1;
      guint b = (a / row + ahead) * row + (a % row + g_rand_int_range (rand, 0, 4)) % row;
      if (b < n)
        edges[n_edges++] = (SluiceLayoutEdge){ a, b, 1 };
    }
  g_rand_free (rand);
  return n_edges;
}

typedef guint (*MakeEdges) (guint n, guint row, SluiceLayoutEdge *edges);

static void
bench_layout (const char *name, MakeEdges make, guint n, guint row, guint runs, double goal)
{
  const SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  g_autofree SluiceLayoutNode *nodes = g_new0 (SluiceLayoutNode, n);
  g_autofree SluiceLayoutEdge *edges = g_new0 (SluiceLayoutEdge, 2 * n);
  guint n_edges = make (n, row, edges);
  double ms[MAX_RUNS];
  for (guint i = 0; i < n; i++)
    nodes[i] = (SluiceLayoutNode){ .left = 60, .right = 60, .height = 46 };
  for (guint i = 0; i < runs; i++)
    {
      double start = cpu_ms ();
      sluice_layout_free (sluice_layout_new (nodes, n, edges, n_edges, &options, NULL));
      ms[i] = cpu_ms () - start;
    }
  print_figure (name, ms, runs, goal);
}

/* Layers of some boxes from first to last, and after the last one its gradients back to the first:
 * each reads the one behind it and the value of its own layer. */
static guint
make_halves (guint n, guint row, SluiceLayoutEdge *edges)
{
  guint half = n / 2, n_edges = 0;
  for (guint i = row; i < n; i++)
    edges[n_edges++] = (SluiceLayoutEdge){ i - row, i, 1 };
  for (guint i = 0; i < half; i++)
    edges[n_edges++] = (SluiceLayoutEdge){ i, n - 1 - i, 1 };
  return n_edges;
}

int
main (void)
{
  bench_layout ("layout-1000", make_level, 1000, 20, 9, 10);
  bench_layout ("layout-halves-5000-rows-of-1", make_halves, 5000, 1, 5, 50);
  bench_layout ("layout-halves-5000-rows-of-4", make_halves, 5000, 4, 5, 50);
  bench_layout ("layout-halves-5000-rows-of-50", make_halves, 5000, 50, 5, 50);
  bench_layout ("layout-36000", make_level, 36000, 20, 3, 1000);
  return 0;
}
