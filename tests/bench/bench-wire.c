/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A wire that is dragged over a graph of 36,000 nodes, all of them shown: frames as the toolkit
 * makes them, at the zoom where most ports are in view and at full size. A JSON line a figure. */
#include <gtk/gtk.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/median.h"
#include "tests/bench/rounds.h"
#include "ui/canvas/canvas-edit.h"

enum
{
  N_FRAMES = 41,
  WIDTH = 1600,
  HEIGHT = 1000,
  N_NODES = 36000,
};

/* Towers of blocks of layers: each op reads the one before it, and its second input is open. */
static SluiceGraphModel *
make_model (void)
{
  SluiceGraphModel *model = sluice_graph_model_new ();
  for (guint i = 0; i < N_NODES; i++)
    {
      g_autofree char *name = g_strdup_printf ("tower_%u/block_%u/layer_%u/op_%u", i / 3200,
                                               i / 160 % 20, i / 4 % 40, i % 4);
      guint added = sluice_graph_model_add_node (
          model, &(SluiceModelNode){ .name = name, .op = i % 4 == 0 ? "MatMul" : "Relu" });
      if (i > 0)
        sluice_graph_model_add_edge (
            model,
            &(SluiceModelEdge){
                .from = i - 1, .to = added, .bytes = 4096, .dtype = "float32", .shape = "?×128" });
    }
  return model;
}

static void
describe (const char *node, SluiceCanvasPorts *ports, gpointer data)
{
  sluice_canvas_ports_add (ports, FALSE, "a", "float32", "?×128", FALSE);
  sluice_canvas_ports_add (ports, FALSE, "b", "float32", NULL, TRUE);
  sluice_canvas_ports_add (ports, TRUE, NULL, "float32", "?×128", FALSE);
}

static gboolean
judge (const SluiceCanvasLink *link, char **words, gpointer data)
{
  gboolean fits = link->to.node[6] != '3';
  *words = g_strdup (fits ? "?×128" : "reads 2 axes, this has 4");
  return fits;
}

static void
wait_ms (guint ms)
{
  gint64 end = g_get_monotonic_time () + ms * 1000;
  while (g_get_monotonic_time () < end)
    g_main_context_iteration (NULL, FALSE);
}

/* One frame, as it comes to the screen. */
static void
draw (GdkPaintable *picture, GskRenderer *renderer)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  gdk_paintable_snapshot (picture, snapshot, WIDTH, HEIGHT);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
  if (node == NULL) /* nothing was shown yet */
    return;
  g_object_unref (gsk_renderer_render_texture (renderer, node, NULL));
  gsk_render_node_unref (node);
}

static GtkEventController *
find_drag (GtkWidget *canvas)
{
  g_autoptr (GListModel) all = gtk_widget_observe_controllers (canvas);
  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (all, i);
      if (GTK_IS_GESTURE_DRAG (controller))
        return g_steal_pointer (&controller);
    }
  return NULL;
}

static gboolean
find_port (SluiceCanvas *canvas, double *x, double *y)
{
  g_autofree char *state = sluice_canvas_dump_state (canvas);
  for (const char *at = state; (at = strstr (at, "\"output\":true")) != NULL; at++)
    if (sscanf (strstr (at, "\"x\":"), "\"x\":%lf,\"y\":%lf", x, y) == 2 && *x > 300 && *y > 200
        && *x < WIDTH - 300 && *y < HEIGHT - 200)
      return TRUE;
  return FALSE;
}

static void
bench_drag (SluiceCanvas *canvas, GdkPaintable *picture, GskRenderer *renderer, const char *name)
{
  double ms[N_FRAMES], x, y, worst = 0;
  g_autoptr (GtkEventController) drag = find_drag (GTK_WIDGET (canvas));
  if (!find_port (canvas, &x, &y))
    g_error ("no port in view");
  for (guint i = 0; i < N_FRAMES; i++)
    {
      double start = rounds_thread_ns ();
      gtk_widget_queue_draw (GTK_WIDGET (canvas));
      draw (picture, renderer);
      ms[i] = (rounds_thread_ns () - start) / 1e6;
      wait_ms (17);
    }
  fprintf (stderr, "%s: %.1f ms without a wire\n", name, bench_median (ms, N_FRAMES));
  g_signal_emit_by_name (drag, "drag-begin", x, y);
  g_signal_emit_by_name (drag, "drag-update", 10.0, 10.0);
  for (guint i = 0; i < N_FRAMES; i++)
    {
      double start = rounds_thread_ns ();
      g_signal_emit_by_name (drag, "drag-update", 5.0 * i, 4.0 * (i % 20));
      draw (picture, renderer);
      ms[i] = (rounds_thread_ns () - start) / 1e6;
      worst = MAX (worst, ms[i]);
      wait_ms (17); /* the frame clock, with which ends are asked about */
    }
  g_signal_emit_by_name (drag, "drag-end", 0.0, 0.0);
  printf ("{\"name\":\"wire/%s\",\"value\":%.3f,\"unit\":\"ms\",\"goal\":16}\n", name,
          bench_median (ms, N_FRAMES));
  fprintf (stderr, "%s: at most %.1f ms\n", name, worst);
}

int
main (void)
{
  static const SluiceCanvasEditor editor = { .describe_ports = describe, .judge = judge };
  g_set_prgname ("bench-wire");
  gtk_init ();
  GtkWidget *window = gtk_window_new (), *canvas = sluice_canvas_new ();
  gtk_window_set_default_size (GTK_WINDOW (window), WIDTH, HEIGHT);
  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_child (GTK_WINDOW (window), canvas);
  gtk_window_present (GTK_WINDOW (window));
  g_autoptr (SluiceGraphModel) model = make_model ();
  sluice_canvas_set_reduced_motion (SLUICE_CANVAS (canvas), TRUE);
  sluice_canvas_set_editor (SLUICE_CANVAS (canvas), &editor, NULL);
  sluice_canvas_set_model (SLUICE_CANVAS (canvas), model);
  while (sluice_canvas_is_busy (SLUICE_CANVAS (canvas)))
    g_main_context_iteration (NULL, TRUE);
  gtk_widget_activate_action (canvas, "canvas.open-all", NULL);
  while (sluice_canvas_is_busy (SLUICE_CANVAS (canvas)))
    g_main_context_iteration (NULL, TRUE);
  g_autoptr (GskRenderer) renderer = gsk_cairo_renderer_new ();
  g_autoptr (GdkPaintable) picture = gtk_widget_paintable_new (canvas);
  if (!gsk_renderer_realize (renderer, NULL, NULL))
    g_error ("the toolkit cannot draw here");
  sluice_canvas_select (SLUICE_CANVAS (canvas), "tower_5/block_10/layer_20/op_0");
  gtk_widget_activate_action (canvas, "canvas.zoom-100", NULL);
  wait_ms (300);
  bench_drag (SLUICE_CANVAS (canvas), picture, renderer, "drag-full-size");
  while (sluice_canvas_get_zoom (SLUICE_CANVAS (canvas)) > 0.6)
    gtk_widget_activate_action (canvas, "canvas.zoom-out", NULL);
  wait_ms (300);
  bench_drag (SLUICE_CANVAS (canvas), picture, renderer, "drag-most-ports");
  gsk_renderer_unrealize (renderer);
  gtk_window_destroy (GTK_WINDOW (window));
  return 0;
}
