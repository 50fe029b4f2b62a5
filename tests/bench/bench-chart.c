/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* One JSON line a figure. A frame reads the columns of every series and draws the whole card. */
#include "tests/bench/median.h"
#include "ui/chart/chart.h"
#include "ui/chart/series-buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N_SERIES 10
#define N_POINTS 1000000
#define N_FRAMES 41
#define WIDTH    480
#define HEIGHT   300

static void
print_figure (const char *bench, double value, const char *unit, const char *what)
{
  printf ("{\"name\":\"%s\",\"value\":%.4f,\"unit\":\"%s\",\"what\":\"%s\"}\n", bench, value, unit,
          what);
  fflush (stdout);
}

/* Of this thread, which never waits: the same as the clock's on a machine that does nothing else.
 */
static gint64
cpu_time_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (gint64) t.tv_sec * 1000000000 + t.tv_nsec;
}

static double
milliseconds_since (gint64 start)
{
  return (double) (cpu_time_ns () - start) / 1e6;
}

static void
fill (SluiceSeriesBuffer *buffer, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  double walk = 0;

  for (int i = 0; i < N_POINTS; i++)
    {
      walk += g_rand_double (rand) - 0.5;
      sluice_series_buffer_append (buffer, i, 1.7e9 + i * 1e-3, walk + 40 * g_rand_double (rand));
    }
}

static double
time_read (SluiceSeriesSource *source)
{
  g_autofree SluiceColumn *columns = g_new (SluiceColumn, WIDTH);
  double times[N_FRAMES];
  SluiceEdges edges;

  for (guint i = 0; i < N_FRAMES; i++)
    {
      gint64 start = cpu_time_ns ();

      sluice_series_source_read_columns (source, SLUICE_X_STEP, -(double) i, N_POINTS, WIDTH,
                                         columns, &edges);
      times[i] = milliseconds_since (start);
    }
  return bench_median (times, N_FRAMES);
}

static double
time_frames (SluiceChart *chart)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  double times[N_FRAMES];
  SluiceChartTheme theme;

  sluice_chart_theme_init (&theme, SLUICE_THEME_LIGHT);
  for (guint i = 0; i < N_FRAMES; i++)
    {
      gint64 start = cpu_time_ns ();

      /* Another range each time: nothing comes from the last frame. */
      sluice_chart_set_view (chart, 10.0 * i, N_POINTS - 10.0 * i);
      sluice_chart_render (chart, cr, WIDTH, HEIGHT, &theme,
                           SLUICE_CHART_FRAME | SLUICE_CHART_TITLE);
      times[i] = milliseconds_since (start);
    }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return bench_median (times, N_FRAMES);
}

int
main (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  SluiceSeriesSource *first = NULL;
  gint64 start = cpu_time_ns ();
  double seconds;

  for (guint i = 0; i < N_SERIES; i++)
    {
      g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
      g_autofree char *name = g_strdup_printf ("run %u", i);

      fill (buffer, i + 1);
      first = first != NULL ? first : sluice_series_buffer_as_source (buffer);
      sluice_chart_add_series (chart, name, sluice_palette_color (i),
                               sluice_series_buffer_as_source (buffer));
    }
  seconds = milliseconds_since (start) / 1000;
  print_figure ("chart-append", seconds * 1e9 / N_SERIES / N_POINTS, "ns",
                "one point into a series in memory");
  start = cpu_time_ns ();
  sluice_chart_prepare (chart, -1);
  print_figure ("chart-smooth", milliseconds_since (start) * 1e6 / N_SERIES / N_POINTS, "ns",
                "smoothing of one point on the full data");
  print_figure ("chart-read", time_read (first), "ms", "480 columns of 1,000,000 points");
  print_figure ("chart-card", time_frames (chart), "ms",
                "card 480x300, 10 series x 1,000,000 points, columns and raster");
  return 0;
}
