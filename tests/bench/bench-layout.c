/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The canvas: layout, hierarchy and drawing of large graphs. One JSON line a figure: the median of
 * this thread's CPU time. */
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/median.h"
#include "ui/canvas/draw.h"
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
  printf ("{\"name\":\"%s\",\"value\":%.3f,\"unit\":\"ms\",\"goal\":\"<= %g\"}\n", name, ms[n / 2],
          goal);
  fflush (stdout);
}

/* Boxes in rows of twenty or so, 1.5 edges a box, to the next row or a few on: a level of a model
 * with everything open. */
static void
bench_layout (const char *name, guint n, guint runs, double goal)
{
  const SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  g_autofree SluiceLayoutNode *nodes = g_new0 (SluiceLayoutNode, n);
  g_autofree SluiceLayoutEdge *edges = g_new0 (SluiceLayoutEdge, 2 * n);
  GRand *rand = g_rand_new_with_seed (1);
  guint n_edges = 0, row = 20;
  double ms[MAX_RUNS];
  for (guint i = 0; i < n; i++)
    nodes[i] = (SluiceLayoutNode){ .left = 60, .right = 60, .height = 46 };
  for (guint i = 0; i < n + n / 2; i++)
    {
      guint a = g_rand_int_range (rand, 0, (int) n);
      guint ahead = g_rand_int_range (rand, 0, 10) == 0 ? g_rand_int_range (rand, 2, 6) : 1;
      guint b = (a / row + ahead) * row + (a % row + g_rand_int_range (rand, 0, 4)) % row;
      if (b < n)
        edges[n_edges++] = (SluiceLayoutEdge){ a, b, 1 };
    }
  g_rand_free (rand);
  for (guint i = 0; i < runs; i++)
    {
      double start = cpu_ms ();
      sluice_layout_free (sluice_layout_new (nodes, n, edges, n_edges, &options, NULL));
      ms[i] = cpu_ms () - start;
    }
  print_figure (name, ms, runs, goal);
}

/* @n nodes of a deep model: towers of blocks of layers, with their gradients. */
static SluiceGraphModel *
make_model (guint n)
{
  SluiceGraphModel *model = sluice_graph_model_new ();
  guint last = G_MAXUINT;
  for (guint i = 0; sluice_graph_model_get_n_nodes (model) < n; i++)
    {
      g_autofree char *scope =
          g_strdup_printf ("tower_%u/block_%u/layer_%u", i / 800, i / 40 % 20, i % 40);
      static const char *const ops[] = { "weights", "MatMul", "BiasAdd", "Relu" };
      for (guint k = 0; k < 8; k++)
        {
          g_autofree char *path = g_strdup_printf ("%s%s/%s%s", k < 4 ? "" : "gradients/", scope,
                                                   ops[k % 4], k < 4 ? "" : "_grad");
          guint added = sluice_graph_model_add_node (
              model, &(SluiceModelNode){ .name = path,
                                         .op = ops[k % 4],
                                         .node_class = k == 0 ? SLUICE_NODE_CLASS_VARIABLE
                                                              : SLUICE_NODE_CLASS_OP });
          if (last != G_MAXUINT)
            sluice_graph_model_add_edge (
                model, &(SluiceModelEdge){ .from = last, .to = added, .bytes = 4096 });
          last = added;
        }
    }
  return model;
}

static void
bench_model (void)
{
  g_autoptr (SluiceGraphModel) model = make_model (36000);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  double ms[MAX_RUNS];
  for (guint i = 0; i < 5; i++)
    {
      double start = cpu_ms ();
      sluice_hierarchy_unref (sluice_hierarchy_new (model));
      ms[i] = cpu_ms () - start;
    }
  print_figure ("hierarchy-36000", ms, 5, 300);

  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  for (guint i = 0; i < 5; i++)
    {
      double start = cpu_ms ();
      sluice_scene_unref (sluice_scene_new (h, NULL, SLUICE_FLOW_UP, NULL));
      ms[i] = cpu_ms () - start;
    }
  print_figure ("scene-36000-closed", ms, 5, 50);

  for (guint i = 1; i < sluice_hierarchy_get_n_groups (h); i++)
    sluice_view_state_set_open (state, sluice_hierarchy_get_group (h, i)->path, TRUE);
  double start = cpu_ms ();
  g_autoptr (SluiceScene) scene = sluice_scene_new (h, state, SLUICE_FLOW_UP, NULL);
  ms[0] = cpu_ms () - start;
  print_figure ("scene-36000-open", ms, 1, 2000);

  /* A frame of 1600 x 1000 of all that: from afar, and near. */
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1600, 1000);
  g_autoptr (SluiceDrawer) drawer = sluice_drawer_new ();
  SluiceRect bounds = sluice_scene_get_bounds (scene);
  for (guint near = 0; near < 2; near++)
    {
      SluiceDrawState view = SLUICE_DRAW_STATE_INIT;
      view.theme = sluice_theme_get (SLUICE_THEME_LIGHT);
      view.zoom = near ? 1 : MIN (1600 / bounds.width, 1000 / bounds.height);
      view.x = near ? bounds.x + bounds.width / 2 : bounds.x;
      view.y = near ? bounds.y + bounds.height / 2 : bounds.y;
      view.width = 1600;
      view.height = 1000;
      for (guint i = 0; i < 5; i++)
        {
          cairo_t *cr = cairo_create (surface);
          start = cpu_ms ();
          sluice_drawer_draw (drawer, scene, cr, &view);
          ms[i] = cpu_ms () - start;
          cairo_destroy (cr);
        }
      print_figure (near ? "frame-36000-near" : "frame-36000-fit", ms, 5, near ? 40 : 80);
    }
  cairo_surface_destroy (surface);
}

int
main (void)
{
  bench_layout ("layout-1000", 1000, 9, 20);
  bench_layout ("layout-36000", 36000, 3, 1000);
  bench_model ();
  return 0;
}
