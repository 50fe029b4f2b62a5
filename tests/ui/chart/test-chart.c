/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"
#include "ui/chart/chart.h"
#include "tests/ui/chart/sample-chart.h"

#include <math.h>
#include <string.h>

#define ALL_PARTS (SLUICE_CHART_FRAME | SLUICE_CHART_TITLE)

/* Pictures are left in $SLUICE_TEST_PICTURES, where a person can look at them. */
static void
keep_picture (cairo_surface_t *surface, const char *name)
{
  const char *folder = g_getenv ("SLUICE_TEST_PICTURES");
  g_autofree char *path = NULL;

  if (folder == NULL)
    return;
  path = g_strdup_printf ("%s/%s.png", folder, name);
  g_assert_cmpint (cairo_surface_write_to_png (surface, path), ==, CAIRO_STATUS_SUCCESS);
}

static guint32
pixel (cairo_surface_t *surface, int x, int y)
{
  const guint8 *row =
      cairo_image_surface_get_data (surface) + (gsize) y * cairo_image_surface_get_stride (surface);

  return ((const guint32 *) row)[x];
}

/* How many pixels are nearly of @rgb. */
static guint
count_color (cairo_surface_t *surface, guint32 rgb)
{
  guint n = 0;

  for (int y = 0; y < SAMPLE_HEIGHT; y++)
    for (int x = 0; x < SAMPLE_WIDTH; x++)
      {
        guint32 p = pixel (surface, x, y);
        int d = abs ((int) (p >> 16 & 255) - (int) (rgb >> 16 & 255))
                + abs ((int) (p >> 8 & 255) - (int) (rgb >> 8 & 255))
                + abs ((int) (p & 255) - (int) (rgb & 255));

        n += d < 12;
      }
  return n;
}

static void
test_themes (void)
{
  static const char *const names[] = { "light", "dark", "contrast-light", "contrast-dark" };
  g_autoptr (SluiceChart) chart = sample_chart ();

  for (guint kind = 0; kind < G_N_ELEMENTS (names); kind++)
    {
      g_autofree char *name = g_strdup_printf ("chart-%s", names[kind]);
      SluiceTheme theme = *sluice_theme_get (kind);
      cairo_surface_t *surface;
      SluiceColor blue;

      blue = sluice_color_readable (sluice_palette_color (0), theme.card, 3);
      sluice_chart_set_cursor (chart, 1120);
      surface = sample_render (chart, kind, ALL_PARTS);
      keep_picture (surface, name);
      g_assert_cmpuint (count_color (surface, (guint32) (blue.r * 255 + 0.5) << 16
                                                  | (guint32) (blue.g * 255 + 0.5) << 8
                                                  | (guint32) (blue.b * 255 + 0.5)),
                        >, 300);
      cairo_surface_destroy (surface);
    }
}

static void
test_axes (void)
{
  static const char *const names[] = { "step", "relative", "wall" };
  g_autoptr (SluiceChart) chart = sample_chart ();

  for (guint axis = 0; axis < G_N_ELEMENTS (names); axis++)
    {
      g_autofree char *name = g_strdup_printf ("chart-axis-%s", names[axis]);
      g_autofree char *readout = NULL;
      cairo_surface_t *surface;
      double x0;
      double x1;

      sluice_chart_set_x_axis (chart, axis);
      sluice_chart_set_log_y (chart, axis == SLUICE_X_RELATIVE);
      g_assert_false (sluice_chart_get_view (chart, &x0, &x1));
      sluice_chart_set_cursor (chart, x0 + 0.3 * (x1 - x0));
      surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS | SLUICE_CHART_LEGEND);
      keep_picture (surface, name);
      readout = sluice_chart_dup_readout (chart);
      g_assert_nonnull (strstr (readout, "lenet-2"));
      cairo_surface_destroy (surface);
    }
}

static void
test_not_finite (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  cairo_surface_t *surface;
  guint id;

  sluice_chart_set_title (chart, "loss");
  for (int i = 0; i < 300; i++)
    sluice_series_buffer_append (buffer, i, i, 1 / (1 + i / 50.0));
  id = sluice_chart_add_series (chart, "mlp", sluice_palette_color (3),
                                sluice_series_buffer_as_source (buffer));
  surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  g_assert_cmpuint (count_color (surface, 0xc01c28), ==, 0);
  cairo_surface_destroy (surface);

  sluice_series_buffer_append (buffer, 300, 300, INFINITY);
  for (int i = 301; i < 312; i++)
    sluice_series_buffer_append (buffer, i, i, NAN);
  sluice_series_buffer_append (buffer, 312, 312, -INFINITY);
  sluice_chart_set_cursor (chart, 305);
  sluice_chart_add_event (chart, id, SLUICE_EVENT_FAILURE, 300, 300, "NaN in fc1/MatMul", NULL);
  g_assert_true (sluice_chart_needs_redraw (chart));
  surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  keep_picture (surface, "chart-not-finite");
  g_assert_cmpuint (count_color (surface, 0xc01c28), >, 60);
  cairo_surface_destroy (surface);
}

static void
test_many_runs (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  cairo_surface_t *surface;

  sluice_chart_set_title (chart, "a/rather/long/name/of/a/tag/that/will/not/fit/beside/the/legend");
  for (int i = 0; i < 16; i++)
    {
      g_autoptr (SluiceSeriesBuffer) buffer = sample_curve (900 + 20 * i, 1 + i * 0.1, 0.1, 0.004);
      g_autofree char *name = g_strdup_printf ("sweep-%02d", i);

      sluice_chart_add_series (chart, name, sluice_palette_color ((guint) i),
                               sluice_series_buffer_as_source (buffer));
    }
  sluice_chart_set_cursor (chart, 300);
  surface = sample_render (chart, SLUICE_THEME_DARK, ALL_PARTS | SLUICE_CHART_LEGEND);
  keep_picture (surface, "chart-many-runs");
  g_assert_cmpuint (count_color (surface, 0x3584e4), >, 20);
  cairo_surface_destroy (surface);
}

/* ---- a view that is dragged ---- */

static SluiceChart *
crowded_chart (void)
{
  SluiceChart *chart = sluice_chart_new ();

  for (int i = 0; i < 90; i++)
    {
      g_autoptr (SluiceSeriesBuffer) buffer = sample_curve (1000, 1 + i * 0.1, 0.1, 0.004);

      sluice_series_buffer_append (buffer, 1000, 1000, i % 7 == 0 ? NAN : 1);
      sluice_chart_add_series (chart, "run", sluice_palette_color ((guint) i),
                               sluice_series_buffer_as_source (buffer));
    }
  return chart;
}

/* Pixels that differ. */
static guint
count_differences (cairo_surface_t *a, cairo_surface_t *b)
{
  guint n = 0;

  for (int y = 0; y < SAMPLE_HEIGHT; y++)
    for (int x = 0; x < SAMPLE_WIDTH; x++)
      n += pixel (a, x, y) != pixel (b, x, y);
  return n;
}

/* The frame of a view that moves against one that is drawn anew. */
static guint
compare_moving (SluiceChart *chart)
{
  cairo_surface_t *moving = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  g_autoptr (SluiceChart) other = crowded_chart ();
  cairo_surface_t *whole;
  double y0;
  double y1;
  guint n;

  sluice_chart_get_y_view (chart, &y0, &y1);
  sluice_chart_set_view (other, chart->image_x0, chart->image_x1);
  sluice_chart_set_y_view (other, y0, y1);
  whole = sample_render (other, SLUICE_THEME_LIGHT, ALL_PARTS);
  n = count_differences (moving, whole);
  cairo_surface_destroy (moving);
  cairo_surface_destroy (whole);
  return n;
}

static void
test_pan (void)
{
  static const double places[] = { 203, 260, 520, 519.9, 130, 400.5 };
  g_autoptr (SluiceChart) chart = crowded_chart ();
  cairo_surface_t *panned;
  cairo_surface_t *whole;

  sluice_chart_set_view (chart, 200, 600);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  sluice_chart_set_moving (chart, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      guint n_read = (guint) chart->read_count;

      sluice_chart_pan (chart, places[i], places[i] + 400);
      g_assert_cmpuint (compare_moving (chart), <, SAMPLE_WIDTH * SAMPLE_HEIGHT / 200);
      g_assert_cmpuint (chart->read_count, ==, n_read);
    }
  /* Where it rests every pixel is as if nothing had moved. */
  sluice_chart_set_moving (chart, FALSE);
  g_assert_true (sluice_chart_needs_redraw (chart));
  panned = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  {
    g_autoptr (SluiceChart) other = crowded_chart ();

    sluice_chart_set_view (other, 400.5, 800.5);
    whole = sample_render (other, SLUICE_THEME_LIGHT, ALL_PARTS);
  }
  g_assert_cmpuint (count_differences (panned, whole), ==, 0);
  cairo_surface_destroy (panned);
  cairo_surface_destroy (whole);
  /* Back where the columns were read: what was read then is what is drawn. */
  sluice_chart_set_moving (chart, TRUE);
  sluice_chart_pan (chart, 700, 1100);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  sluice_chart_pan (chart, 400.5, 800.5);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  sluice_chart_set_moving (chart, FALSE);
  panned = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  sluice_chart_set_view (chart, 400.5, 801);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  sluice_chart_set_view (chart, 400.5, 800.5);
  whole = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  g_assert_cmpuint (count_differences (panned, whole), ==, 0);
  cairo_surface_destroy (panned);
  cairo_surface_destroy (whole);
}

/* Pixels of the colour that so many equal curves of one colour make. */
static guint
count_crowd (guint n_series, int n_points)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autofree char *name = g_strdup_printf ("chart-crowd-%u-of-%d", n_series, n_points);
  cairo_surface_t *surface;
  guint n;

  sluice_chart_set_smoothing (chart, 0);
  for (guint i = 0; i < n_series; i++)
    {
      g_autoptr (SluiceSeriesBuffer) buffer = sample_curve (n_points, 1, 0.1, 4.0 / n_points);

      sluice_chart_add_series (chart, "run", sluice_palette_color (0),
                               sluice_series_buffer_as_source (buffer));
    }
  surface = sample_render (chart, SLUICE_THEME_LIGHT, SLUICE_CHART_FRAME);
  keep_picture (surface, name);
  n = count_color (surface, 0x3584e4);
  cairo_surface_destroy (surface);
  return n;
}

/* Hundreds are drawn in another way, at the same places. */
static void
test_crowd (void)
{
  static const int n_points[] = { 4, 60, 1000 };

  for (guint i = 0; i < G_N_ELEMENTS (n_points); i++)
    {
      guint one = count_crowd (1, n_points[i]), many = count_crowd (100, n_points[i]);

      g_assert_cmpuint (one, >, 100);
      g_assert_cmpuint (many, >=, one * 8 / 10);
      g_assert_cmpuint (many, <=, one * 5); /* half-covered edges add up */
    }
}

static void
test_few_points (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  cairo_surface_t *surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  guint before;

  sluice_chart_set_title (chart, "accuracy · test");
  sluice_chart_set_unit (chart, SLUICE_UNIT_PERCENT);
  keep_picture (surface, "chart-empty");
  cairo_surface_destroy (surface);
  sluice_chart_add_series (chart, "lenet", sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  g_assert_false (sluice_chart_needs_redraw (chart));
  before = count_color (surface, 0x3584e4);
  cairo_surface_destroy (surface);
  /* One point alone is seen. */
  sluice_series_buffer_append (buffer, 100, 100, 0.9);
  surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  keep_picture (surface, "chart-one-point");
  g_assert_cmpuint (count_color (surface, 0x3584e4), >, before + 8);
  cairo_surface_destroy (surface);
  for (int i = 2; i < 9; i++)
    sluice_series_buffer_append (buffer, 100 * i, 100 * i, 1 - 0.1 / i);
  sluice_chart_set_expected_steps (chart, 2000);
  surface = sample_render (chart, SLUICE_THEME_DARK, ALL_PARTS);
  keep_picture (surface, "chart-few-points");
  cairo_surface_destroy (surface);
}

/* A long run is seen from its start; the end that is to come is there once a quarter is done. */
static void
test_expected_end (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  double x0, x1;

  g_assert_cmpfloat (sluice_chart_choose_end (0, 400000), ==, 400000);
  g_assert_cmpfloat (sluice_chart_choose_end (5157, 400000), ==, 6250);
  g_assert_cmpfloat (sluice_chart_choose_end (99999, 400000), ==, 100000);
  g_assert_cmpfloat (sluice_chart_choose_end (100000, 400000), ==, 400000);
  sluice_chart_add_series (chart, "long", sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  sluice_chart_set_expected_steps (chart, 400000);
  for (int i = 1; i <= 100; i++)
    sluice_series_buffer_append (buffer, 10 * i, 10 * i, 1.0 / i);
  sluice_chart_get_view (chart, &x0, &x1);
  g_assert_cmpfloat (x0, ==, 0);
  g_assert_cmpfloat (x1, >=, 1000);
  g_assert_cmpfloat (x1, <=, 4000);
  sluice_series_buffer_append (buffer, 200000, 200000, 0);
  sluice_chart_get_view (chart, &x0, &x1);
  g_assert_cmpfloat (x1, ==, 400000);
}

/* Rows from the first to the last that have a pixel of that colour. */
static int
height_of_color (cairo_surface_t *surface, guint32 rgb)
{
  int first = SAMPLE_HEIGHT;
  int last = 0;

  for (int y = 0; y < SAMPLE_HEIGHT; y++)
    for (int x = 0; x < SAMPLE_WIDTH; x++)
      if ((pixel (surface, x, y) & 0xffffff) == rgb)
        {
          first = MIN (first, y);
          last = y;
        }
  return last - first;
}

/* The axis is the front run's; others have no more of it than leaves it a third. */
static void
test_front (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) low = sluice_series_buffer_new ();
  g_autoptr (SluiceSeriesBuffer) high = sluice_series_buffer_new ();
  guint ids[2];

  for (int i = 0; i < 1000; i++)
    sluice_series_buffer_append (low, i, i, 0.1 * (i % 10));
  for (int i = 0; i < 30; i++)
    sluice_series_buffer_append (high, i, i, 90 + i % 10);
  sluice_chart_set_smoothing (chart, 0);
  ids[0] = sluice_chart_add_series (chart, "low", sluice_palette_color (0),
                                    sluice_series_buffer_as_source (low));
  ids[1] = sluice_chart_add_series (chart, "high", sluice_palette_color (1),
                                    sluice_series_buffer_as_source (high));
  sluice_chart_set_front (chart, ids[1]);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  g_assert_cmpfloat (chart->y_scale.d0, ==, 0); /* it does not lead: all are shown */
  sluice_chart_set_front_leads (chart, TRUE);
  g_assert_true (sluice_chart_needs_redraw (chart));
  sluice_chart_set_front (chart, ids[0]);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  g_assert_cmpfloat (chart->y_scale.d0, ==, 0);
  g_assert_cmpfloat (chart->y_scale.d1, <=, 4);
  sluice_chart_set_front (chart, ids[1]);
  g_assert_true (sluice_chart_needs_redraw (chart));
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  g_assert_cmpfloat (chart->y_scale.d0, >=, 60);
  g_assert_cmpfloat (chart->y_scale.d1, >=, 99);
  /* A series that is not visible is not in front. */
  sluice_chart_set_series_visible (chart, ids[1], FALSE);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  g_assert_cmpfloat (chart->y_scale.d1, <=, 2);
  sluice_chart_set_series_visible (chart, ids[1], TRUE);
  sluice_chart_set_log_y (chart, TRUE);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  g_assert_cmpfloat (chart->y_scale.d0, >=, 50);
}

/* Of many points the trend is a line, however far they swing. */
static void
test_trend (void)
{
  for (guint smoothed = 0; smoothed < 2; smoothed++)
    {
      g_autoptr (SluiceChart) chart = sluice_chart_new ();
      g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
      g_autoptr (GRand) rand = g_rand_new_with_seed (1);
      cairo_surface_t *surface;

      for (int i = 0; i < 200000; i++)
        sluice_series_buffer_append (buffer, i, i, g_rand_double (rand));
      sluice_chart_set_smoothing (chart, smoothed ? 0.6 : 0);
      sluice_chart_add_series (chart, "run", sluice_palette_color (0),
                               sluice_series_buffer_as_source (buffer));
      surface =
          sample_render (chart, SLUICE_THEME_LIGHT, SLUICE_CHART_FRAME); /* no dot of a note */
      keep_picture (surface, smoothed ? "chart-trend-smoothed" : "chart-trend");
      g_assert_cmpint (height_of_color (surface, 0x3584e4), >, 0);
      g_assert_cmpint (height_of_color (surface, 0x3584e4), <, 0.15 * chart->plot.height);
      cairo_surface_destroy (surface);
    }
}

/* Marks are a series': they are hidden and go with it. */
static void
test_events (void)
{
  g_autoptr (SluiceChart) chart = sample_chart ();
  cairo_surface_t *surface;

  sluice_chart_clear_events (chart, 1);
  sluice_chart_add_event (chart, 2, SLUICE_EVENT_FAILURE, 300, 300, "failed", NULL);
  surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  g_assert_cmpuint (count_color (surface, 0xc01c28), >, 20);
  cairo_surface_destroy (surface);
  sluice_chart_set_series_visible (chart, 2, FALSE);
  surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  g_assert_cmpuint (count_color (surface, 0xc01c28), ==, 0);
  cairo_surface_destroy (surface);
  sluice_chart_remove_series (chart, 2);
  g_assert_cmpuint (chart->events->len, ==, 0);

  /* A run that has announced the tag and logged nothing has no mark. */
  g_autoptr (SluiceSeriesBuffer) none = sluice_series_buffer_new ();
  guint id = sluice_chart_add_series (chart, "none", sluice_palette_color (4),
                                      sluice_series_buffer_as_source (none));
  sluice_chart_add_event (chart, id, SLUICE_EVENT_FAILURE, 300, 300, "failed", NULL);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  g_assert_null (sluice_chart_dup_events_at (chart, sluice_scale_to_pixel (&chart->x_scale, 300)));
}

static void
test_steady_bytes (void)
{
  const SluiceUnit units[] = { SLUICE_UNIT_NONE, SLUICE_UNIT_BYTES };
  int heights[2];

  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    {
      g_autoptr (SluiceChart) chart = sluice_chart_new ();
      g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
      cairo_surface_t *surface;

      for (int k = 0; k < 40; k++)
        sluice_series_buffer_append (buffer, k, k, 2215168 + (k < 20 ? 0 : 40));
      sluice_chart_set_unit (chart, units[i]);
      sluice_chart_add_series (chart, "run", sluice_palette_color (0),
                               sluice_series_buffer_as_source (buffer));
      surface = sample_render (chart, SLUICE_THEME_LIGHT, SLUICE_CHART_FRAME);
      heights[i] = height_of_color (surface, 0x3584e4);
      cairo_surface_destroy (surface);
    }
  /* A jump of anything else is one; of bytes, a line. */
  g_assert_cmpint (heights[0], >, 50);
  g_assert_cmpint (heights[1], <, 8);
}

static void
test_view (void)
{
  g_autoptr (SluiceChart) chart = sample_chart ();
  double x0;
  double x1;
  double y0;
  double y1;

  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  g_assert_false (sluice_chart_get_view (chart, &x0, &x1));
  g_assert_cmpfloat (x0, ==, 0);
  g_assert_cmpfloat (x1, >=, 2000);
  sluice_chart_zoom (chart, 2, 500);
  g_assert_true (sluice_chart_get_view (chart, &y0, &y1));
  g_assert_cmpfloat_with_epsilon (y1 - y0, (x1 - x0) / 2, 1e-9);
  g_assert_cmpfloat_with_epsilon ((500 - y0) / (y1 - y0), (500 - x0) / (x1 - x0), 1e-9);
  sluice_chart_zoom (chart, 0.25, 500);
  g_assert_false (sluice_chart_get_view (chart, &y0, &y1));
  for (int i = 0; i < 100; i++)
    sluice_chart_zoom (chart, 3, 700.3);
  sluice_chart_get_view (chart, &y0, &y1);
  g_assert_cmpfloat (y1 - y0, >=, 1.99);
  g_assert_cmpfloat (y0, <=, 700.3);
  g_assert_cmpfloat (y1, >=, 700.3);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  sluice_chart_set_view (chart, NAN, 3);
  g_assert_false (sluice_chart_get_view (chart, &y0, &y1));
}

static void
test_cursor (void)
{
  g_autoptr (SluiceChart) chart = sample_chart ();
  SluiceRect plot;
  double before;

  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  plot = sluice_chart_get_plot (chart);
  g_assert_cmpfloat_with_epsilon (sluice_chart_x_at (chart, plot.x - 50), 0, 1e-9);
  g_assert_null (sluice_chart_dup_readout (chart));
  sluice_chart_move_cursor (chart, -1);
  g_assert_cmpfloat (sluice_chart_get_cursor (chart), ==, 2000);
  sluice_chart_move_cursor (chart, 1);
  g_assert_cmpfloat (sluice_chart_get_cursor (chart), ==, 2000);
  before = sluice_chart_get_cursor (chart);
  for (int i = 0; i < 20; i++)
    {
      sluice_chart_move_cursor (chart, -1);
      g_assert_cmpfloat (sluice_chart_get_cursor (chart), <, before);
      g_assert_cmpfloat (sluice_chart_get_cursor (chart), >, before - 10);
      before = sluice_chart_get_cursor (chart);
    }
  /* Zoomed in, every single point can be reached. */
  sluice_chart_set_view (chart, 100, 120);
  sluice_chart_set_cursor (chart, 105);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  sluice_chart_move_cursor (chart, 1);
  g_assert_cmpfloat (sluice_chart_get_cursor (chart), ==, 106);
}

/* On every axis, also those before the first point, and where a pause was cut out. */
static void
test_event_axes (void)
{
  g_autoptr (SluicePauses) pauses = sluice_pauses_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  const SluiceThemeKind kind = SLUICE_THEME_LIGHT;

  sluice_series_buffer_set_pauses (buffer, pauses);
  for (int i = 0; i < 100; i++)
    {
      double wall = 1.7e9 + 0.1 * i + (i >= 50 ? 3600 : 0);

      sluice_pauses_add (pauses, wall);
      sluice_series_buffer_append (buffer, i, wall, 1 + 0.01 * i);
    }
  for (int axis = SLUICE_X_STEP; axis <= SLUICE_X_WALL; axis++)
    for (int early = 0; early < 2; early++)
      {
        g_autoptr (SluiceChart) chart = sluice_chart_new ();
        guint id = sluice_chart_add_series (chart, "a", sluice_palette_color (0),
                                            sluice_series_buffer_as_source (buffer));
        cairo_surface_t *surface;
        double x;

        sluice_chart_set_x_axis (chart, axis);
        if (early)
          sluice_chart_add_event (chart, id, SLUICE_EVENT_NOTE, 0, 1.7e9 - 60, "begun", NULL);
        else
          sluice_chart_add_event (chart, id, SLUICE_EVENT_NOTE, 70, 1.7e9 + 3607, "resume", NULL);
        surface = sample_render (chart, kind, ALL_PARTS);
        cairo_surface_destroy (surface);
        /* Its word stands beside its line; the relative axis also says what it leaves out. */
        g_assert_cmpuint (chart->words->len, ==, axis == SLUICE_X_RELATIVE ? 2 : 1);
        x = g_array_index (chart->words, SluiceRect, 0).x;
        if (early)
          g_assert_cmpfloat (x, <, chart->plot.x + 20);
        else if (axis == SLUICE_X_RELATIVE)
          g_assert_cmpfloat_with_epsilon (sluice_scale_to_data (&chart->x_scale, x - 5), 6.9, 0.2);
      }
}

static void
test_redraw (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sample_curve (100, 1, 0.1, 0.01);
  double x0;
  double x1;
  double again;

  sluice_chart_add_series (chart, "a", sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  g_assert_true (sluice_chart_needs_redraw (chart));
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
  g_assert_false (sluice_chart_needs_redraw (chart));
  sluice_chart_set_smoothing (chart, sluice_chart_get_smoothing (chart));
  sluice_chart_set_cursor (chart, NAN);
  g_assert_false (sluice_chart_needs_redraw (chart));
  sluice_chart_get_view (chart, &x0, &x1);
  sluice_series_buffer_append (buffer, 100, 100, 0.2);
  g_assert_true (sluice_chart_needs_redraw (chart));
  /* A new point does not move the axis each time. */
  sluice_chart_get_view (chart, &x0, &again);
  g_assert_cmpfloat (again, ==, x1);
}

/* Nothing but NaN: two marks and a line, no bar that shouts. */
static void
test_all_nan (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  SluiceColor red = sluice_theme_get (SLUICE_THEME_LIGHT)->failure;
  guint32 rgb =
      (guint32) (red.r * 255) << 16 | (guint32) (red.g * 255) << 8 | (guint32) (red.b * 255);
  cairo_surface_t *surface;
  guint n;

  for (int i = 0; i < 500; i++)
    sluice_series_buffer_append (buffer, i, 1.7e9 + i, NAN);
  sluice_chart_add_series (chart, "lost", sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  n = count_color (surface, rgb);
  g_assert_cmpuint (n, >, 20);
  g_assert_cmpuint (n, <, 4 * SAMPLE_WIDTH);
  cairo_surface_destroy (surface);
}

/* Marks are read by pointer, by key and by a screen reader; quiet ones are no news. */
static void
test_marks (void)
{
  g_autoptr (SluiceChart) chart = sample_chart ();
  g_autofree char *tooltip = NULL;
  g_autofree char *summary = NULL;
  g_autofree char *readout = NULL;
  cairo_surface_t *surface;
  SluiceRect plot;

  sluice_chart_add_event (chart, 1, SLUICE_EVENT_QUIET, 600, 1.7e9 + 180, "checkpoint",
                          "model-600");
  sluice_chart_add_event (chart, 2, SLUICE_EVENT_FAILURE, 2000, 1.7e9 + 600, "failed",
                          "NaN in fc1");
  surface = sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS);
  keep_picture (surface, "chart-events");
  plot = sluice_chart_get_plot (chart);
  tooltip = sluice_chart_dup_events_at (chart, plot.x + plot.width * 600 / 2000);
  g_assert_cmpstr (
      tooltip, ==,
      "lenet-3 · step 600 · lr 0.1 → 0.03\nlenet-3 · step 600 · checkpoint: model-600");
  g_assert_null (sluice_chart_dup_events_at (chart, plot.x + plot.width / 2));
  summary = sluice_chart_dup_summary (chart);
  g_assert_nonnull (strstr (summary, ": failed: NaN in fc1"));
  g_assert_null (strstr (summary, "checkpoint"));
  sluice_chart_move_to_event (chart, 1);
  g_assert_cmpfloat (sluice_chart_get_cursor (chart), ==, 600);
  readout = sluice_chart_dup_readout (chart);
  g_assert_true (g_str_has_prefix (readout, "step 600 · lr 0.1 → 0.03 · checkpoint, lenet-3 "));
  sluice_chart_move_to_event (chart, 1);
  g_assert_cmpfloat (sluice_chart_get_cursor (chart), ==, 2000);
  sluice_chart_move_to_event (chart, 1); /* the last one */
  g_assert_cmpfloat (sluice_chart_get_cursor (chart), ==, 2000);
  sluice_chart_move_to_event (chart, -1);
  g_assert_cmpfloat (sluice_chart_get_cursor (chart), ==, 600);
  sluice_chart_remove_series (chart, 2);
  sluice_chart_set_series_visible (chart, 1, FALSE);
  g_assert_null (sluice_chart_dup_events_at (chart, plot.x + plot.width * 600 / 2000));
  cairo_surface_destroy (surface);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/chart/all-nan", test_all_nan);
  g_test_add_func ("/ui/chart/chart/marks", test_marks);
  g_test_add_func ("/ui/chart/chart/themes", test_themes);
  g_test_add_func ("/ui/chart/chart/axes", test_axes);
  g_test_add_func ("/ui/chart/chart/not-finite", test_not_finite);
  g_test_add_func ("/ui/chart/chart/many-runs", test_many_runs);
  g_test_add_func ("/ui/chart/chart/pan", test_pan);
  g_test_add_func ("/ui/chart/crowd", test_crowd);
  g_test_add_func ("/ui/chart/chart/expected-end", test_expected_end);
  g_test_add_func ("/ui/chart/chart/few-points", test_few_points);
  g_test_add_func ("/ui/chart/chart/front", test_front);
  g_test_add_func ("/ui/chart/chart/trend", test_trend);
  g_test_add_func ("/ui/chart/chart/events", test_events);
  g_test_add_func ("/ui/chart/chart/steady-bytes", test_steady_bytes);
  g_test_add_func ("/ui/chart/chart/view", test_view);
  g_test_add_func ("/ui/chart/chart/cursor", test_cursor);
  g_test_add_func ("/ui/chart/chart/event-axes", test_event_axes);
  g_test_add_func ("/ui/chart/chart/redraw", test_redraw);
  return g_test_run ();
}
