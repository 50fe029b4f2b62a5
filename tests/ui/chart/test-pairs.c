/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart.h"
#include "ui/chart/pair-source.h"
#include "ui/chart/series-buffer.h"

#include <math.h>

static SluiceSeriesSource *
series_of (guint n, const gint64 *steps, const double *values)
{
  SluiceSeriesBuffer *buffer = sluice_series_buffer_new ();

  for (guint i = 0; i < n; i++)
    sluice_series_buffer_append (buffer, steps[i], 1e9 + i, values[i]);
  return sluice_series_buffer_as_source (buffer);
}

/* Only steps that both have, those of which the place is a number. */
static void
test_join (void)
{
  const gint64 x_steps[] = { 0, 2, 3, 4, 6, 7 };
  const double xs[] = { 9, 3, 1, NAN, 2, 8 };
  const gint64 y_steps[] = { 1, 2, 3, 4, 6 };
  const double ys[] = { 0, 20, 30, 40, 60 };
  g_autoptr (SluiceSeriesSource) x = series_of (G_N_ELEMENTS (xs), x_steps, xs);
  g_autoptr (SluiceSeriesSource) y = series_of (G_N_ELEMENTS (ys), y_steps, ys);
  g_autoptr (SluiceSeriesSource) pairs = sluice_pair_source_new (x, y);
  SluiceSeriesSample got[8];
  SluiceExtent extent;

  g_assert_true (sluice_series_source_prepare (pairs, 0, -1));
  g_assert_cmpuint (sluice_series_source_read_samples (pairs, SLUICE_X_SERIES, 0, 8, got), ==, 3);
  g_assert_cmpfloat (got[0].x, ==, 1);
  g_assert_cmpfloat (got[0].value, ==, 30);
  g_assert_cmpint (got[1].step, ==, 6);
  g_assert_cmpfloat (got[2].x, ==, 3);
  g_assert_cmpuint (sluice_pair_source_read_steps (pairs, 0, 8, got), ==, 3);
  g_assert_cmpfloat (got[0].x, ==, 3);
  g_assert_cmpint (got[0].step, ==, 2);
  g_assert_cmpint (got[2].step, ==, 6);
  sluice_series_source_get_extent (pairs, SLUICE_X_SERIES, &extent);
  g_assert_cmpfloat (extent.x0, ==, 1);
  g_assert_cmpfloat (extent.x1, ==, 3);
  g_assert_cmpfloat (extent.max, ==, 60);
  g_assert_true (sluice_series_source_lookup (pairs, SLUICE_X_SERIES, 1.9, got));
  g_assert_cmpint (got[0].step, ==, 6);
  g_assert_true (sluice_series_source_lookup (pairs, SLUICE_X_SERIES, INFINITY, got));
  g_assert_cmpint (got[0].step, ==, 2);
}

/* Both series grow, in turn; then one begins anew. */
static void
test_live (void)
{
  SluiceSeriesBuffer *x = sluice_series_buffer_new ();
  SluiceSeriesBuffer *y = sluice_series_buffer_new ();
  g_autoptr (SluiceSeriesSource) pairs = sluice_pair_source_new (
      sluice_series_buffer_as_source (x), sluice_series_buffer_as_source (y));
  SluiceExtent extent;
  guint64 serial;

  sluice_series_buffer_append (y, 1, 1, 10);
  sluice_series_source_prepare (pairs, 0.5, -1);
  sluice_series_source_get_extent (pairs, SLUICE_X_SERIES, &extent);
  g_assert_cmpuint (extent.n_points, ==, 0);
  serial = sluice_series_source_get_serial (pairs);
  sluice_series_buffer_append (x, 1, 1, 5);
  g_assert_cmpuint (sluice_series_source_get_serial (pairs), !=, serial);
  sluice_series_source_prepare (pairs, 0.5, -1);
  sluice_series_source_get_extent (pairs, SLUICE_X_SERIES, &extent);
  g_assert_cmpuint (extent.n_points, ==, 1);
  g_assert_cmpfloat (extent.x0, ==, 5);
  sluice_series_buffer_clear (x);
  sluice_series_buffer_append (x, 1, 1, 7);
  sluice_series_source_prepare (pairs, 0.5, -1);
  sluice_series_source_get_extent (pairs, SLUICE_X_SERIES, &extent);
  g_assert_cmpuint (extent.n_points, ==, 1);
  g_assert_cmpfloat (extent.x0, ==, 7);
  sluice_series_buffer_unref (x);
  sluice_series_buffer_unref (y);
}

/* What is kept is bounded, evenly spread, and its smoothing is that of all points. */
static void
test_many (void)
{
  SluiceSeriesBuffer *x = sluice_series_buffer_new ();
  SluiceSeriesBuffer *y = sluice_series_buffer_new ();
  SluiceSeriesSource *y_source = sluice_series_buffer_as_source (y);
  g_autoptr (SluiceSeriesSource) pairs =
      sluice_pair_source_new (sluice_series_buffer_as_source (x), y_source);
  SluiceSeriesSample got[2];
  SluiceSeriesSample whole;
  SluiceExtent extent;
  guint n_calls = 1;

  for (guint i = 0; i < 5 * SLUICE_PAIRS_MOST; i++)
    {
      sluice_series_buffer_append (x, i, i, -(double) i);
      sluice_series_buffer_append (y, i, i, sin (i));
    }
  while (!sluice_series_source_prepare (pairs, 0.9, 0))
    n_calls++;
  g_assert_cmpuint (n_calls, >, 1); /* a part at a time */
  sluice_series_source_get_extent (pairs, SLUICE_X_SERIES, &extent);
  g_assert_cmpuint (extent.n_points, <=, SLUICE_PAIRS_MOST);
  g_assert_cmpuint (extent.n_points, >, SLUICE_PAIRS_MOST / 2);
  g_assert_cmpuint (sluice_pair_source_get_stride (pairs), ==, 8);
  sluice_pair_source_read_steps (pairs, 100, 2, got);
  g_assert_cmpint (got[1].step - got[0].step, ==, 8);
  sluice_series_source_lookup (y_source, SLUICE_X_STEP, got[1].step, &whole);
  g_assert_cmpfloat (got[1].smoothed, ==, whole.smoothed);
  sluice_series_buffer_unref (x);
  sluice_series_buffer_unref (y);
}

static void
test_columns (void)
{
  const gint64 steps[] = { 0, 1, 2, 3, 4 };
  const double xs[] = { 4, 0.5, 0.6, 2.5, 9 };
  const double ys[] = { 1, 2, 4, NAN, 5 };
  g_autoptr (SluiceSeriesSource) x = series_of (5, steps, xs);
  g_autoptr (SluiceSeriesSource) y = series_of (5, steps, ys);
  g_autoptr (SluiceSeriesSource) pairs = sluice_pair_source_new (x, y);
  SluiceColumn columns[4];
  SluiceEdges edges;

  sluice_series_source_prepare (pairs, 0, -1);
  sluice_series_source_read_columns (pairs, SLUICE_X_SERIES, 0, 4, 4, columns, &edges);
  g_assert_cmpuint (columns[0].n_finite, ==, 2);
  g_assert_cmpfloat (columns[0].raw.min, ==, 2);
  g_assert_cmpfloat (columns[0].mean, ==, 3);
  g_assert_cmpuint (columns[1].n_finite, ==, 0);
  g_assert_cmpuint (columns[2].n_nan, ==, 1);
  g_assert_cmpuint (columns[3].n_finite, ==, 1); /* the last one is closed */
  g_assert_false (edges.has_before);
  g_assert_true (edges.has_after);
  g_assert_cmpfloat (edges.after.x, ==, 9);
}

/* A chart shows them, says what its axis is, and shows all points again on another axis. */
static void
test_chart (void)
{
  const gint64 steps[] = { 0, 1, 2 };
  const double xs[] = { 3, 2, 1 };
  const double ys[] = { 0.1, 0.2, 0.4 };
  g_autoptr (SluiceSeriesSource) x = series_of (3, steps, xs);
  g_autoptr (SluiceSeriesSource) y = series_of (3, steps, ys);
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autofree char *over = NULL;
  g_autofree char *readout = NULL;
  g_autofree char *steps_again = NULL;
  double x0;
  double x1;
  guint id;

  sluice_chart_set_title (chart, "accuracy");
  sluice_chart_set_unit (chart, SLUICE_UNIT_PERCENT);
  id = sluice_chart_add_series (chart, "mlp", sluice_palette_color (0), y);
  sluice_chart_set_x_name (chart, "loss", SLUICE_UNIT_NONE);
  sluice_chart_set_x_axis (chart, SLUICE_X_SERIES);
  sluice_chart_prepare (chart, -1);
  over = sluice_chart_dup_summary (chart);
  g_assert_cmpstr (over, ==, "accuracy over loss"); /* nothing gives places yet */
  sluice_chart_set_series_x (chart, id, x);
  sluice_chart_prepare (chart, -1);
  sluice_chart_full_x (chart, &x0, &x1);
  g_assert_cmpfloat (x0, <=, 1);
  g_assert_cmpfloat (x1, >=, 3);
  sluice_chart_set_cursor (chart, 1.1);
  readout = sluice_chart_dup_readout (chart);
  g_assert_cmpstr (readout, ==, "loss 1 · step 2, mlp 40.0\u202f%");
  sluice_chart_set_x_axis (chart, SLUICE_X_STEP);
  sluice_chart_set_cursor (chart, 1);
  steps_again = sluice_chart_dup_readout (chart);
  g_assert_cmpstr (steps_again, ==, "step 1, mlp 20.0\u202f%");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/pairs/join", test_join);
  g_test_add_func ("/chart/pairs/live", test_live);
  g_test_add_func ("/chart/pairs/many", test_many);
  g_test_add_func ("/chart/pairs/columns", test_columns);
  g_test_add_func ("/chart/pairs/chart", test_chart);
  return g_test_run ();
}
