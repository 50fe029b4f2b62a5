/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Milliseconds of a frame of the timeline's lanes, 1440 x 800, from all of a trace to a few of its
 * spans. JSON lines.
 *
 * usage: bench-lanes [SPANS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "ui/timeline/lanes-draw.h"

#define N_LANES  16
#define N_FRAMES 20

static SluiceTraceView *
make_view (guint64 n)
{
  SluiceTraceView *view = sluice_trace_view_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gint64 now[N_LANES] = { 0 };

  for (guint i = 0; i < N_LANES; i++)
    {
      g_autofree char *name = g_strdup_printf ("lane %u", i);
      sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", name);
    }
  for (guint64 i = 0; i < n; i++)
    {
      guint lane = (guint) (i % N_LANES);
      char name[32];

      g_snprintf (name, sizeof name, "layer%u/node%u", (guint) (i / N_LANES % 20),
                  (guint) (i / N_LANES % 400));
      gint64 start = now[lane] + g_rand_int_range (rand, 100, 3000);
      now[lane] = start + g_rand_int_range (rand, 200, 20000);
      const SluiceTraceSpan span = { .scheduled = start - 90,
                                     .start = start,
                                     .end = now[lane],
                                     .name = name,
                                     .op = "MatMul",
                                     .lane = lane,
                                     .step = i / (N_LANES * 400) + 1 };
      sluice_trace_view_add (view, &span);
    }
  sluice_trace_view_settle (view);
  return view;
}

int
main (int argc, char **argv)
{
  guint64 n = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 1000000;
  g_autoptr (SluiceTraceView) view = make_view (n);
  g_autoptr (SluiceLanesLayout) layout = sluice_lanes_layout_new (view);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 1440, 800);
  cairo_t *cr = cairo_create (surface);
  gint64 begin, end;

  sluice_trace_view_get_extent (view, &begin, &end);
  for (gint64 length = end - begin; length > 10000; length /= 8)
    {
      SluiceLanesPicture picture = {
        .view = view,
        .layout = layout,
        .axis = { begin, begin + length, SLUICE_LANES_NAMES, 1426 },
        .width = 1440,
        .height = 800,
        .selected = SLUICE_SPAN_NONE,
      };
      gint64 since = g_get_monotonic_time ();

      for (guint i = 0; i < N_FRAMES; i++)
        sluice_lanes_draw (&picture, cr, sluice_theme_get (SLUICE_THEME_LIGHT));
      printf ("{\"spans\": %" G_GUINT64_FORMAT ", \"shown_ms\": %.3f, \"frame_ms\": %.2f}\n", n,
              (double) length / 1e6, (double) (g_get_monotonic_time () - since) / 1000 / N_FRAMES);
    }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return EXIT_SUCCESS;
}
