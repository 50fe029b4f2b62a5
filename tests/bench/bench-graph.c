/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* From a graph file to its picture, and frames of it: closed, and with everything open. The graph
 * is SLUICE_BENCH_GRAPH, or one of 36,000 nodes that is made here. A JSON line a figure. */
#include <gtk/gtk.h>
#include <stdio.h>
#include <string.h>

#include "app/graph/graph-file.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/bench/rounds.h"
#include "ui/canvas/draw.h"

enum
{
  N_ROUNDS = 5,
  N_FRAMES = 9,
  WIDTH = 1600,
  HEIGHT = 1000,
  N_NODES = 36000,
};

static double
ms_since (double start)
{
  return (rounds_thread_ns () - start) / 1e6;
}

static void
print_figure (const char *figure, double value, const char *unit, double goal)
{
  printf ("{\"name\":\"graph/%s\",\"value\":%.3f,\"unit\":\"%s\",\"goal\":%g}\n", figure, value,
          unit, goal);
  fflush (stdout);
}

/* Of a deep model: towers of blocks of layers, with their gradients. */
static SluiceGraphModel *
make_model (void)
{
  SluiceGraphModel *model = sluice_graph_model_new ();
  guint last = G_MAXUINT;
  for (guint i = 0; sluice_graph_model_get_n_nodes (model) < N_NODES; i++)
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

/* file: what a window keeps beside it, or NULL. */
static SluiceGraphModel *
read_model (const char *path, SluiceGraphFile **file)
{
  g_autoptr (GError) error = NULL;
  *file = path != NULL ? sluice_graph_file_read (path, &error) : NULL;
  if (path == NULL)
    return make_model ();
  if (*file == NULL)
    rounds_fatal (g_steal_pointer (&error));
  return sluice_graph_model_ref ((*file)->model);
}

/* ---- frames ---- */

typedef struct
{
  SluiceDrawer *drawer;
  SluiceScene *scene;
  cairo_surface_t *surface;
  SluiceDrawState state;
} View;

static void
draw (View *view)
{
  cairo_t *cr = cairo_create (view->surface);
  sluice_drawer_draw (view->drawer, view->scene, cr, &view->state);
  cairo_destroy (cr);
}

static void
view_init (View *view, SluiceScene *scene)
{
  view->drawer = sluice_drawer_new ();
  view->scene = scene;
  view->surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  view->state = (SluiceDrawState) SLUICE_DRAW_STATE_INIT;
  view->state.theme = sluice_theme_get (SLUICE_THEME_LIGHT);
  view->state.width = WIDTH;
  view->state.height = HEIGHT;
}

static void
view_clear (View *view)
{
  sluice_drawer_free (view->drawer);
  cairo_surface_destroy (view->surface);
}

/* The point in the middle of the scene stays in the middle of the picture. */
static void
look (View *view, double zoom)
{
  SluiceRect bounds = sluice_scene_get_bounds (view->scene);
  view->state.zoom = zoom;
  view->state.x = bounds.x + bounds.width / 2 - WIDTH / zoom / 2;
  view->state.y = bounds.y + bounds.height / 2 - HEIGHT / zoom / 2;
}

static double
fit_zoom (SluiceScene *scene)
{
  SluiceRect bounds = sluice_scene_get_bounds (scene);
  return MIN (MIN (WIDTH / bounds.width, HEIGHT / bounds.height), 1);
}

/* Panned by some pixels a frame: the median. */
static double
time_pan (View *view)
{
  double ms[N_FRAMES];
  draw (view);
  for (guint i = 0; i < N_FRAMES; i++)
    {
      double start = rounds_thread_ns ();
      view->state.x += 24 / view->state.zoom;
      view->state.y += 16 / view->state.zoom;
      draw (view);
      ms[i] = ms_since (start);
    }
  return bench_median (ms, N_FRAMES);
}

/* ---- what the toolkit makes of a frame ---- */

static GskRenderNode *
new_texture_node (View *view)
{
  gsize stride = WIDTH * 4, size = stride * HEIGHT;
  guint8 *pixels = g_malloc (size);
  memset (pixels, 0xe0, size);
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, size);
  g_autoptr (GdkTexture) texture =
      gdk_memory_texture_new (WIDTH, HEIGHT, GDK_MEMORY_DEFAULT, bytes, stride);
  return gsk_texture_node_new (texture, &GRAPHENE_RECT_INIT (0, 0, WIDTH, HEIGHT));
}

static GskRenderNode *
new_picture_node (View *view)
{
  GskRenderNode *node = gsk_cairo_node_new (&GRAPHENE_RECT_INIT (0, 0, WIDTH, HEIGHT));
  cairo_t *cr = gsk_cairo_node_get_draw_context (node);
  sluice_drawer_draw (view->drawer, view->scene, cr, &view->state);
  cairo_destroy (cr);
  return node;
}

/* Panned by some pixels a frame: the median of frames as the toolkit's own renderer makes them. */
static double
time_nodes (View *view, GskRenderNode *(*new_node) (View *view))
{
  double ms[N_FRAMES];
  g_autoptr (GskRenderer) renderer = gsk_cairo_renderer_new ();
  if (!gsk_renderer_realize (renderer, NULL, NULL))
    g_error ("the toolkit cannot draw here");
  for (guint i = 0; i < N_FRAMES; i++)
    {
      double start = rounds_thread_ns ();
      view->state.x += 24 / view->state.zoom;
      GskRenderNode *node = new_node (view);
      g_object_unref (gsk_renderer_render_texture (renderer, node, NULL));
      gsk_render_node_unref (node);
      ms[i] = ms_since (start);
    }
  gsk_renderer_unrealize (renderer);
  return bench_median (ms, N_FRAMES);
}

static void
bench_closed (SluiceHierarchy *hierarchy)
{
  double ms[N_ROUNDS];
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      double start = rounds_thread_ns ();
      sluice_scene_unref (sluice_scene_new (hierarchy, NULL, SLUICE_FLOW_UP, NULL));
      ms[i] = ms_since (start);
    }
  print_figure ("scene-closed", bench_median (ms, N_ROUNDS), "ms", 50);
  g_autoptr (SluiceScene) scene = sluice_scene_new (hierarchy, NULL, SLUICE_FLOW_UP, NULL);
  View view;
  view_init (&view, scene);
  look (&view, fit_zoom (scene));
  print_figure ("frame-closed", time_pan (&view), "ms", 16);
  look (&view, fit_zoom (scene));
  double least = time_nodes (&view, new_texture_node);
  print_figure ("frame-closed-over-texture", time_nodes (&view, new_picture_node) / least, "x", 2);
  view_clear (&view);
}

/* Each zoom from all of it to its real size and above, panned, and zoomed to the next one. */
static void
bench_open (SluiceHierarchy *hierarchy)
{
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  for (guint i = 1; i < sluice_hierarchy_get_n_groups (hierarchy); i++)
    sluice_view_state_set_open (state, sluice_hierarchy_get_group (hierarchy, i)->path, TRUE);
  double start = rounds_thread_ns ();
  g_autoptr (SluiceScene) scene = sluice_scene_new (hierarchy, state, SLUICE_FLOW_UP, NULL);
  print_figure ("scene-open", ms_since (start), "ms", 2000);
  View view;
  view_init (&view, scene);
  look (&view, fit_zoom (scene));
  draw (&view); /* what is panned and zoomed was in view before */
  double pan = 0, zoom_frame = 0;
  for (double zoom = fit_zoom (scene); zoom < 2; zoom *= 1.5)
    {
      look (&view, zoom);
      start = rounds_thread_ns ();
      draw (&view);
      double first = ms_since (start), one = time_pan (&view);
      zoom_frame = MAX (zoom_frame, first);
      if (g_getenv ("SLUICE_BENCH_ZOOMS") != NULL)
        fprintf (stderr, "zoom %.4f: %.2f ms, the first frame %.2f ms\n", zoom, one, first);
      pan = MAX (pan, one);
    }
  print_figure ("frame-open-pan", pan, "ms", 16);
  print_figure ("frame-open-zoom", zoom_frame, "ms", 16);
  view_clear (&view);
}

/* What a window does with a file that is opened: read, placed, arranged and drawn. On the clock:
 * several threads may work. */
static void
bench_first (const char *path)
{
  double ms[N_ROUNDS];
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      gint64 start = g_get_monotonic_time ();
      g_autoptr (SluiceGraphFile) file = NULL;
      g_autoptr (SluiceGraphModel) model = read_model (path, &file);
      g_autoptr (SluiceHierarchy) hierarchy = sluice_hierarchy_new (model);
      g_autoptr (SluiceScene) scene = sluice_scene_new (hierarchy, NULL, SLUICE_FLOW_UP, NULL);
      View view;
      view_init (&view, scene);
      look (&view, fit_zoom (scene));
      draw (&view);
      ms[i] = (double) (g_get_monotonic_time () - start) / 1e3;
      view_clear (&view);
    }
  print_figure ("first-picture", bench_median (ms, N_ROUNDS), "ms", 300);
}

int
main (void)
{
  const char *path = g_getenv ("SLUICE_BENCH_GRAPH");
  double ms[N_ROUNDS];
  g_set_prgname ("bench-graph");
  gtk_init ();
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_autoptr (SluiceGraphFile) file = NULL;
  g_autoptr (SluiceGraphModel) model = read_model (path, &file);
  fprintf (stderr, "graph: %s, %u nodes\n", path != NULL ? path : "made here",
           sluice_graph_model_get_n_nodes (model));
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      double start = rounds_thread_ns ();
      sluice_hierarchy_unref (sluice_hierarchy_new (model));
      ms[i] = ms_since (start);
    }
  print_figure ("hierarchy", bench_median (ms, N_ROUNDS), "ms", 100);
  bench_first (path);
  g_autoptr (SluiceHierarchy) hierarchy = sluice_hierarchy_new (model);
  bench_closed (hierarchy);
  bench_open (hierarchy);
  return 0;
}
