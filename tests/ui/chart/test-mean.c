/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart.h"
#include "ui/chart/mean-source.h"
#include "ui/chart/series-buffer.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* n points from @first on, @every steps apart, on the line value = a + b step. */
static SluiceSeriesSource *
line (gint64 first, guint n, gint64 every, double a, double b)
{
  SluiceSeriesBuffer *buffer = sluice_series_buffer_new ();

  for (guint i = 0; i < n; i++)
    {
      gint64 step = first + i * every;

      sluice_series_buffer_append (buffer, step, 1e9 + (double) step, a + b * (double) step);
    }
  return sluice_series_buffer_as_source (buffer);
}

/* The mean of @n sources, which it takes. */
static SluiceSeriesSource *
mean_of (SluiceSpread spread, guint n, SluiceSeriesSource **sources)
{
  SluiceSeriesSource *mean = sluice_mean_source_new (spread);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("seed-%u", i + 1);

      sluice_mean_source_add (mean, name, sources[i]);
      sluice_series_source_unref (sources[i]);
    }
  return mean;
}

/* Members that log at other steps are read between their points; those that ended are left out. */
static void
test_measure (void)
{
  SluiceSeriesSource *sources[] = { line (0, 11, 1, 1, 0), line (0, 3, 5, 2, 1),
                                    line (0, 5, 1, 6, 0) };
  g_autoptr (SluiceSeriesSource) mean = mean_of (SLUICE_SPREAD_DEVIATION, 3, sources);
  SluiceMeasure measure;

  sluice_series_source_prepare (mean, 0, -1);
  g_assert_true (sluice_series_source_measure (mean, SLUICE_X_STEP, 3, &measure));
  g_assert_cmpuint (measure.n, ==, 3);
  g_assert_cmpfloat_with_epsilon (measure.mean, 4, 1e-12); /* 1, 5, 6 */
  g_assert_cmpfloat_with_epsilon (measure.deviation, sqrt (7), 1e-12);
  g_assert_true (sluice_series_source_measure (mean, SLUICE_X_STEP, 10, &measure));
  g_assert_cmpuint (measure.n, ==, 2);
  g_assert_cmpfloat_with_epsilon (measure.mean, 6.5, 1e-12); /* 1, 12 */
  g_assert_false (sluice_series_source_measure (mean, SLUICE_X_STEP, 11, &measure));
  g_assert_cmpuint (measure.n, ==, 0);
}

static void
test_columns (void)
{
  SluiceSeriesSource *sources[] = { line (0, 11, 1, 0, 0), line (0, 3, 5, 4, 0) };
  g_autoptr (SluiceSeriesSource) mean = mean_of (SLUICE_SPREAD_RANGE, 2, sources);
  SluiceColumn columns[22];
  SluiceEdges edges;

  sluice_series_source_prepare (mean, 0, -1);
  sluice_series_source_read_columns (mean, SLUICE_X_STEP, -0.25, 10.75, 22, columns, &edges);
  for (guint i = 0; i < 22; i++)
    {
      g_assert_cmpuint (columns[i].n_finite, ==, i % 2 == 0); /* where a member has a point */
      if (columns[i].n_finite == 0)
        continue;
      g_assert_cmpfloat (columns[i].raw.first_x, ==, i / 2);
      g_assert_cmpfloat (columns[i].raw.first, ==, 2);
      g_assert_cmpfloat (columns[i].raw.min, ==, 0);
      g_assert_cmpfloat (columns[i].raw.max, ==, 4);
    }
  g_assert_false (edges.has_before || edges.has_after);
  /* Zoomed between two points of one of them. */
  sluice_series_source_read_columns (mean, SLUICE_X_STEP, 1.5, 3.5, 2, columns, &edges);
  g_assert_cmpfloat (columns[0].raw.first, ==, 2);
  g_assert_cmpfloat (columns[1].raw.max, ==, 4);
  g_assert_true (edges.has_before && edges.has_after);
  g_assert_cmpfloat (edges.before.x, ==, 1);
  g_assert_cmpfloat (edges.after.value, ==, 2);
}

/* The band is that of the smoothed values where these are drawn; what is not finite is marked. */
static void
test_smoothed (void)
{
  SluiceSeriesSource *sources[] = { line (0, 50, 1, 0, 1), line (0, 50, 1, 10, 1) };
  g_autoptr (SluiceSeriesSource) mean = mean_of (SLUICE_SPREAD_DEVIATION, 2, sources);
  SluiceColumn columns[50];
  SluiceEdges edges;

  sluice_series_buffer_append ((SluiceSeriesBuffer *) sources[0], 50, 2e9, NAN);
  sluice_series_source_prepare (mean, 0.9, -1);
  sluice_series_source_read_columns (mean, SLUICE_X_STEP, 0, 50, 50, columns, &edges);
  g_assert_cmpfloat_with_epsilon (columns[30].smooth.max - columns[30].smooth.min, 2 * sqrt (50),
                                  1e-9);
  g_assert_cmpfloat (columns[30].smooth.first, <, columns[30].raw.first);
  g_assert_cmpuint (columns[49].n_nan, ==, 1);
}

static void
test_none (void)
{
  SluiceSeriesSource *sources[] = { line (0, 0, 1, 0, 0), line (7, 1, 1, 3, 0) };
  g_autoptr (SluiceSeriesSource) empty = sluice_mean_source_new (SLUICE_SPREAD_RANGE);
  g_autoptr (SluiceSeriesSource) mean = mean_of (SLUICE_SPREAD_DEVIATION, 2, sources);
  SluiceSeriesSample sample;
  SluiceMeasure measure;
  SluiceExtent extent;

  sluice_series_source_prepare (empty, 0.5, -1);
  g_assert_false (sluice_series_source_lookup (empty, SLUICE_X_STEP, 0, &sample));
  sluice_series_source_get_extent (empty, SLUICE_X_STEP, &extent);
  g_assert_cmpuint (extent.n_points, ==, 0);
  sluice_series_source_prepare (mean, 0.5, -1);
  g_assert_true (sluice_series_source_lookup (mean, SLUICE_X_STEP, 0, &sample));
  g_assert_true (sluice_series_source_measure (mean, SLUICE_X_STEP, sample.x, &measure));
  g_assert_cmpuint (measure.n, ==, 1);
  g_assert_cmpfloat (measure.deviation, ==, 0);
}

/* What a chart says of it, and writes. */
static void
test_chart (void)
{
  SluiceSeriesSource *sources[] = { line (0, 3, 1, 0.1, 0), line (0, 3, 1, 0.3, 0) };
  g_autoptr (SluiceSeriesSource) mean = mean_of (SLUICE_SPREAD_DEVIATION, 2, sources);
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autofree char *folder = g_dir_make_tmp ("sluice-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "loss.csv", NULL);
  g_autofree char *summary = NULL;
  g_autofree char *readout = NULL;
  g_autofree char *csv = NULL;

  sluice_chart_set_title (chart, "loss");
  sluice_chart_set_smoothing (chart, 0);
  sluice_chart_add_series (chart, "mlp × 2", sluice_palette_color (0), mean);
  sluice_chart_prepare (chart, -1);
  summary = sluice_chart_dup_summary (chart);
  g_assert_cmpstr (summary, ==, "loss: mlp × 2 (seed-1, seed-2) 0.2000 ± 0.1414, n 2 at step 2");
  sluice_chart_set_cursor (chart, 1);
  readout = sluice_chart_dup_readout (chart);
  g_assert_cmpstr (readout, ==, "step 1, mlp × 2 0.2000 ± 0.1414, n 2");
  g_assert_true (
      sluice_chart_export (chart, path, 300, 200, 1, sluice_theme_get (SLUICE_THEME_LIGHT), NULL));
  g_assert_true (g_file_get_contents (path, &csv, NULL, NULL));
  g_assert_nonnull (strstr (csv, "seed-1,2,")); /* the points, not their mean */
  g_assert_nonnull (strstr (csv, "seed-2,0,"));
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/mean/measure", test_measure);
  g_test_add_func ("/chart/mean/columns", test_columns);
  g_test_add_func ("/chart/mean/smoothed", test_smoothed);
  g_test_add_func ("/chart/mean/none", test_none);
  g_test_add_func ("/chart/mean/chart", test_chart);
  return g_test_run ();
}
