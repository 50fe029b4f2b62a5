/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* One JSON line a figure. A frame reads the columns of every series and draws the whole card; the
 * points lie elsewhere, as in the window. */
#include "app/stored-points.h"
#include "tests/bench/median.h"
#include "tests/remove-tree.h"
#include "ui/chart/chart.h"
#include "ui/chart/series-buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_SERIES 10
#define N_POINTS 1000000
#define N_RUNS   1000 /* in one chart, of so many points each */
#define N_SHORT  1000
#define N_TAGS   12345
#define N_FRAMES 41
#define WIDTH    480
#define HEIGHT   300

/* goal: 0 where there is none */
static void
print_figure (const char *bench, double value, const char *unit, double goal, const char *what)
{
  printf ("{\"name\":\"%s\",\"value\":%.4f,\"unit\":\"%s\",", bench, value, unit);
  if (goal > 0)
    printf ("\"goal\":%g,", goal);
  printf ("\"what\":\"%s\"}\n", what);
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

typedef struct
{
  SluiceSeriesPoints parent;
  SluiceSeriesPoint points[];
} Elsewhere;

static guint
elsewhere_read (
    SluiceSeriesPoints *points, guint64 index, gint64 from_step, guint n, SluiceSeriesPoint *out)
{
  memcpy (out, ((Elsewhere *) points)->points + index, n * sizeof *out);
  return n;
}

static SluiceSeriesBuffer *
fill (guint32 seed, int n)
{
  Elsewhere *elsewhere = g_malloc (sizeof *elsewhere + (gsize) n * sizeof *elsewhere->points);
  SluiceSeriesBuffer *buffer;
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  double walk = 0;

  elsewhere->parent = (SluiceSeriesPoints){ .read = elsewhere_read, .free = (gpointer) g_free };
  buffer = sluice_series_buffer_new_over (&elsewhere->parent);
  for (int i = 0; i < n; i++)
    {
      walk += g_rand_double (rand) - 0.5;
      elsewhere->points[i] =
          (SluiceSeriesPoint){ i, 1.7e9 + i * 1e-3, walk + 40 * g_rand_double (rand) };
      sluice_series_buffer_append (buffer, i, elsewhere->points[i].wall,
                                   elsewhere->points[i].value);
    }
  return buffer;
}

/* Frames of a series in the store until its columns are exact, and the longest of them. */
static void
time_refine (SluiceSeriesSource *source, double x1, const char *bench, const char *what)
{
  g_autofree SluiceColumn *columns = g_new (SluiceColumn, WIDTH);
  g_autofree char *longest_name = g_strdup_printf ("%s-longest", bench);
  double all = 0;
  double longest = 0;
  gboolean done = FALSE;
  SluiceEdges edges;

  while (!done)
    {
      gint64 start = cpu_time_ns ();

      sluice_series_source_read_columns (source, SLUICE_X_STEP, 0, x1, WIDTH, columns, &edges);
      done = sluice_series_source_refine (source, 1000);
      all += milliseconds_since (start);
      longest = MAX (longest, milliseconds_since (start));
      g_usleep (done ? 0 : 16000);
    }
  print_figure (bench, all, "ms", 0, what);
  print_figure (longest_name, longest, "ms", 0, "longest turn of the main loop for that");
}

static void
time_store (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-bench-XXXXXX", NULL);
  g_autoptr (SluiceStore) store = sluice_store_open (folder, NULL);
  SluiceRunInfo run = { .name = g_strdup ("bench"), .state = SLUICE_RUN_FINISHED };
  SluiceRunLog *log;
  gint64 id;

  sluice_store_add_run (store, &run, NULL);
  log = sluice_store_open_log (store, run.id, NULL);
  id = sluice_run_log_series (log, "loss", SLUICE_SERIES_SCALAR, NULL);
  {
    g_autoptr (SluiceSeriesBuffer) buffer =
        sluice_series_buffer_new_over (sluice_stored_points_new (store, id));
    SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
    double longest = 0;
    gboolean done = FALSE;

    for (int i = 0; i < N_POINTS; i++)
      {
        sluice_run_log_scalar (log, id, i, i, i * 37 % 1009);
        sluice_series_buffer_append (buffer, i, i, i * 37 % 1009);
      }
    sluice_run_log_flush (log, NULL);
    while (!done)
      {
        gint64 start = cpu_time_ns ();

        done = sluice_series_source_prepare (source, 0.6, 1000);
        longest = MAX (longest, milliseconds_since (start));
      }
    print_figure ("chart-store-smooth-longest", longest, "ms", 0, "longest turn of smoothing");
    time_refine (source, N_POINTS, "chart-store-refine", "1,000,000 points of the store, exact");
    time_refine (source, N_POINTS / 10.0, "chart-store-zoom", "a tenth of them, exact");
  }
  sluice_run_log_close (log, NULL);
  g_clear_object (&store);
  remove_tree (folder);
  g_free (run.name);
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
time_frames (SluiceChart *chart, double length)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  double times[N_FRAMES];
  SluiceTheme theme = *sluice_theme_get (SLUICE_THEME_LIGHT);

  for (guint i = 0; i < N_FRAMES; i++)
    {
      gint64 start = cpu_time_ns ();

      /* Another range each time: nothing comes from the last frame. */
      double shift = length * 1e-5 * i;
      sluice_chart_set_view (chart, shift, length - shift);
      sluice_chart_render (chart, cr, WIDTH, HEIGHT, &theme,
                           SLUICE_CHART_FRAME | SLUICE_CHART_TITLE);
      times[i] = milliseconds_since (start);
    }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return bench_median (times, N_FRAMES);
}

static SluiceSeriesSource *
add_series (SluiceChart *chart, guint i, int n)
{
  g_autoptr (SluiceSeriesBuffer) buffer = fill (i + 1, n);
  g_autofree char *name = g_strdup_printf ("run %u", i);
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  sluice_chart_add_series (chart, name, sluice_palette_color (i), source);
  return source;
}

/* Frames of a view that is dragged by some pixels each. */
static double
time_pan (SluiceChart *chart, double length)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  SluiceTheme theme = *sluice_theme_get (SLUICE_THEME_LIGHT);
  double times[N_FRAMES];
  sluice_chart_set_moving (chart, TRUE);
  for (guint i = 0; i < N_FRAMES; i++)
    {
      double x0 = length * (0.1 + 0.01 * i);
      gint64 start = cpu_time_ns ();
      sluice_chart_set_view (chart, x0, x0 + length / 2);
      while (!sluice_chart_prepare (chart, 2000))
        ;
      sluice_chart_render (chart, cr, WIDTH, HEIGHT, &theme,
                           SLUICE_CHART_FRAME | SLUICE_CHART_TITLE);
      times[i] = milliseconds_since (start);
    }
  sluice_chart_set_moving (chart, FALSE);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return bench_median (times, N_FRAMES);
}

static void
time_many_runs (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  for (guint i = 0; i < N_RUNS; i++)
    add_series (chart, i, N_SHORT);
  while (!sluice_chart_prepare (chart, 2000))
    ;
  print_figure ("chart-1000-runs", time_pan (chart, N_SHORT), "ms", 16,
                "frame of a card that is panned, 1,000 runs x 1,000 points");
  print_figure ("chart-1000-runs-whole", time_frames (chart, N_SHORT), "ms", 0,
                "the whole of it drawn anew, as when the pan ends");
}

/* ---- the first card of a workspace with many tags ---- */

static void
fill_tags (const char *folder)
{
  g_autoptr (SluiceStore) store = sluice_store_open (folder, NULL);
  SluiceRunInfo run = { .name = g_strdup ("bench"), .state = SLUICE_RUN_FINISHED };
  sluice_store_add_run (store, &run, NULL);
  SluiceRunLog *log = sluice_store_open_log (store, run.id, NULL);
  for (guint i = 0; i < N_TAGS; i++)
    {
      g_autofree char *tag = g_strdup_printf ("layer%u/weights/mean", i);
      gint64 id = sluice_run_log_series (log, tag, SLUICE_SERIES_SCALAR, NULL);
      for (int k = 0; k < 100; k++)
        sluice_run_log_scalar (log, id, k, k, k * 37 % 1009);
    }
  sluice_run_log_flush (log, NULL);
  sluice_run_log_close (log, NULL);
  g_free (run.name);
}

/* From a workspace that nobody has open to a card of it. */
static double
open_card (const char *folder)
{
  gint64 start = cpu_time_ns ();
  g_autoptr (SluiceStore) store = sluice_store_open (folder, NULL);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, NULL);
  g_autoptr (GPtrArray) series =
      sluice_store_dup_series (store, ((SluiceRunInfo *) runs->pdata[0])->id, NULL);
  SluiceSeriesInfo *info = series->pdata[0];
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer =
      sluice_series_buffer_new_over (sluice_stored_points_new (store, info->id));
  sluice_store_read_points (store, info->id, 0, G_MAXSIZE, points, NULL);
  for (guint i = 0; i < points->len; i++)
    {
      SluiceScalar *point = &g_array_index (points, SluiceScalar, i);
      sluice_series_buffer_append (buffer, point->step, point->wall, point->value);
    }
  sluice_chart_add_series (chart, info->tag, sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  while (!sluice_chart_prepare (chart, 2000))
    ;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  SluiceTheme theme = *sluice_theme_get (SLUICE_THEME_LIGHT);
  sluice_chart_render (chart, cr, WIDTH, HEIGHT, &theme, SLUICE_CHART_FRAME | SLUICE_CHART_TITLE);
  double ms = milliseconds_since (start);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return ms;
}

static void
time_first_card (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-bench-XXXXXX", NULL);
  double times[5];
  fill_tags (folder);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    times[i] = open_card (folder);
  print_figure ("chart-first-of-12345-tags", bench_median (times, G_N_ELEMENTS (times)), "ms", 200,
                "a workspace is opened, its tags listed, the first card drawn");
  remove_tree (folder);
}

int
main (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  SluiceSeriesSource *first = NULL;
  gint64 start = cpu_time_ns ();

  for (guint i = 0; i < N_SERIES; i++)
    {
      SluiceSeriesSource *source = add_series (chart, i, N_POINTS);
      first = first != NULL ? first : source;
    }
  print_figure ("chart-append", milliseconds_since (start) * 1e6 / N_SERIES / N_POINTS, "ns", 0,
                "one point into a series");
  start = cpu_time_ns ();
  while (!sluice_chart_prepare (chart, 2000))
    ;
  print_figure ("chart-smooth", milliseconds_since (start) * 1e6 / N_SERIES / N_POINTS, "ns", 0,
                "smoothing of one point on the full data");
  print_figure ("chart-read", time_read (first), "ms", 0, "480 columns of 1,000,000 points");
  print_figure ("chart-card", time_frames (chart, N_POINTS), "ms", 5,
                "card 480x300, 10 series x 1,000,000 points, columns and raster");
  time_many_runs ();
  time_first_card ();
  time_store ();
  return 0;
}
