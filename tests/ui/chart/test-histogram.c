/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart.h"
#include "ui/chart/histogram-chart.h"
#include "ui/chart/histogram-private.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define WIDTH  560
#define HEIGHT 390

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

static cairo_surface_t *
render (SluiceHistogramChart *chart, SluiceThemeKind kind)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  SluiceTheme theme = *sluice_theme_get (kind);

  theme.font = "DejaVu Sans";
  sluice_histogram_chart_render (chart, cr, WIDTH, HEIGHT, &theme,
                                 SLUICE_CHART_FRAME | SLUICE_CHART_TITLE);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

/* A bell that widens and gets a shoulder, in buckets as TensorFlow's summaries have them. */
static void
append_bell (SluiceHistogramChart *chart, gint64 step, double t)
{
  double limits[200];
  double counts[200];
  double sigma = 0.04 + 0.03 * t;
  guint n = 0;

  for (double v = 0.4; v > 1e-3; v /= 1.1)
    limits[n++] = -v;
  for (double v = 1e-3; v < 0.4; v *= 1.1)
    limits[n++] = v;
  for (guint i = 0; i < n; i++)
    {
      double left = i > 0 ? limits[i - 1] : limits[0] - 0.04;
      double mid = (left + limits[i]) / 2;

      counts[i] = 1e4 * (limits[i] - left)
                  * (exp (-mid * mid / (2 * sigma * sigma)) / sigma
                     + t * 3 * exp (-(mid - 0.08) * (mid - 0.08) / 0.0006));
      counts[i] = counts[i] < 0.5 ? 0 : round (counts[i]);
    }
  g_assert_true (
      sluice_histogram_chart_append_proto (chart, 1, step, -0.25, 0.25, n, limits, counts));
}

static SluiceHistogramChart *
new_chart (void)
{
  SluiceHistogramChart *chart = sluice_histogram_chart_new ();

  g_assert_cmpuint (sluice_histogram_chart_add_run (chart, "lenet-3", sluice_palette_color (0)), ==,
                    1);
  return chart;
}

static SluiceHistogramChart *
sample (guint n)
{
  SluiceHistogramChart *chart = new_chart ();

  sluice_histogram_chart_set_title (chart, "fc1/weights");
  for (guint i = 0; i < n; i++)
    append_bell (chart, 95 * (gint64) i, (double) i / n);
  return chart;
}

static void
test_modes (void)
{
  static const char *const names[] = { "ridge", "overlay", "heat", "bands" };

  for (guint mode = 0; mode < G_N_ELEMENTS (names); mode++)
    for (guint kind = 0; kind < 2; kind++)
      {
        g_autoptr (SluiceHistogramChart) chart = sample (mode == 0 ? 14 : 40);
        g_autofree char *name =
            g_strdup_printf ("histogram-%s-%s", names[mode], kind ? "dark" : "light");
        cairo_surface_t *surface;
        cairo_surface_t *again;

        sluice_histogram_chart_set_mode (chart, mode);
        surface = render (chart, kind);
        keep_picture (surface, name);
        /* Hovering shows a step, and what was drawn is not drawn anew. */
        sluice_histogram_chart_set_cursor (chart, WIDTH / 2.0, HEIGHT * 0.7);
        g_assert_cmpint (sluice_histogram_chart_get_selected (chart), >=, 0);
        again = render (chart, kind);
        g_assert_cmpint (memcmp (cairo_image_surface_get_data (surface),
                                 cairo_image_surface_get_data (again),
                                 (gsize) cairo_image_surface_get_stride (surface) * HEIGHT),
                         !=, 0);
        if (kind == 0)
          {
            g_autofree char *hover = g_strdup_printf ("histogram-%s-hover", names[mode]);

            keep_picture (again, hover);
          }
        cairo_surface_destroy (surface);
        cairo_surface_destroy (again);
      }
}

static void
test_resample (void)
{
  /* Nothing is lost: the bins hold as much as the buckets, wherever the edges lie. */
  for (int round = 0; round < 500; round++)
    {
      double edges[31];
      double counts[30];
      double sum = 0;
      double binned = 0;
      SluiceHistogramStep step = { .n = 30, .edges = edges, .counts = counts };

      edges[0] = g_test_rand_double_range (-3, 0);
      for (int i = 0; i < 30; i++)
        {
          edges[i + 1] = edges[i] + (i % 7 == 0 ? 0 : g_test_rand_double_range (0, 0.3));
          counts[i] = floor (g_test_rand_double_range (0, 100));
          sum += counts[i];
        }
      sluice_histogram_resample (&step, MIN (edges[0], -3), MAX (edges[30], 7));
      for (int i = 0; i < SLUICE_HISTOGRAM_BINS; i++)
        {
          g_assert_cmpfloat (step.bins[i], >=, 0);
          binned += step.bins[i];
        }
      g_assert_cmpfloat_with_epsilon (sum, binned, 1e-6);
    }
}

static void
test_bad_input (void)
{
  g_autoptr (SluiceHistogramChart) chart = new_chart ();
  const double edges[] = { 0, 1, 2 };
  const double wrong_order[] = { 0, 2, 1 };
  const double not_finite[] = { 0, 1, INFINITY };
  const double counts[] = { 3, 4 };
  const double negative[] = { 3, -4 };
  const double zero[] = { 0, 0 };

  g_assert_false (sluice_histogram_chart_append (chart, 1, 1, 0, edges, counts));
  g_assert_false (sluice_histogram_chart_append (chart, 1, 1, 2, wrong_order, counts));
  g_assert_false (sluice_histogram_chart_append (chart, 1, 1, 2, not_finite, counts));
  g_assert_false (sluice_histogram_chart_append (chart, 1, 1, 2, edges, negative));
  g_assert_false (sluice_histogram_chart_append_proto (chart, 1, 1, 0, 2, 2, edges, zero));
  g_assert_false (sluice_histogram_chart_append_proto (chart, 1, 1, NAN, 2, 2, edges, counts));
  g_assert_cmpuint (sluice_histogram_chart_get_n_steps (chart), ==, 0);
  cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
  g_assert_true (sluice_histogram_chart_append (chart, 1, 1, 2, edges, counts));
  g_assert_cmpuint (sluice_histogram_chart_get_n_steps (chart), ==, 1);
}

static void
test_order (void)
{
  g_autoptr (SluiceHistogramChart) chart = new_chart ();
  const double edges[] = { 0.5, 0.5 };
  const double counts[] = { 100 };
  g_autofree char *text = NULL;

  /* All values equal, the same step twice, and a late one. */
  sluice_histogram_chart_set_title (chart, "bias");
  g_assert_true (sluice_histogram_chart_append (chart, 1, 10, 1, edges, counts));
  g_assert_true (sluice_histogram_chart_append (chart, 1, 30, 1, edges, counts));
  g_assert_true (sluice_histogram_chart_append (chart, 1, 30, 1, edges, counts));
  g_assert_true (sluice_histogram_chart_append (chart, 1, 20, 1, edges, counts));
  g_assert_cmpuint (sluice_histogram_chart_get_n_steps (chart), ==, 3);
  for (guint mode = 0; mode < 4; mode++)
    {
      sluice_histogram_chart_set_mode (chart, mode);
      cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
      g_assert_false (sluice_histogram_chart_needs_redraw (chart));
    }
  text = sluice_histogram_chart_dup_summary (chart);
  g_assert_nonnull (strstr (text, "step 30"));
}

static void
test_steady (void)
{
  /* Among very many steps, one more does not change which ridges stand there. */
  g_autoptr (SluiceHistogramChart) chart = sample (200);
  g_autofree guint *before = NULL;
  const SluiceHistogramRun *run;
  guint n;

  cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
  run = g_ptr_array_index (chart->runs, 0);
  n = run->n_shown;
  g_assert_cmpuint (n, <, 30);
  before = g_memdup2 (run->shown, n * sizeof *before);
  append_bell (chart, 95 * 200, 1);
  cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
  for (guint i = 0; i + 1 < n; i++)
    g_assert_cmpuint (run->shown[i], ==, before[i]);
}

/* A second run, in each mode; and what is said of both. */
static void
test_runs (void)
{
  g_autoptr (SluiceHistogramChart) chart = sample (14);
  const double edges[] = { -0.1, 0, 0.1 };
  const double counts[] = { 1000, 3000 };
  g_autofree char *text = NULL;
  guint other = sluice_histogram_chart_add_run (chart, "lenet-4", sluice_palette_color (1));
  guint n_steps;

  for (gint64 step = 0; step < 20; step++)
    g_assert_true (sluice_histogram_chart_append (chart, other, 50 * step, 2, edges, counts));
  for (guint mode = 0; mode < 4; mode++)
    {
      g_autofree char *name = g_strdup_printf ("histogram-runs-%u", mode);
      cairo_surface_t *surface;

      sluice_histogram_chart_set_mode (chart, mode);
      surface = render (chart, SLUICE_THEME_LIGHT);
      keep_picture (surface, name);
      cairo_surface_destroy (surface);
      g_assert_cmpuint (chart->n_panels, ==, 2);
    }
  text = sluice_histogram_chart_dup_summary (chart);
  g_assert_nonnull (strstr (text, "lenet-3: "));
  g_assert_nonnull (strstr (text, "at step 950"));
  g_assert_cmpuint (sluice_histogram_chart_get_n_steps (chart), ==, 14);
  sluice_histogram_chart_set_front (chart, other);
  g_assert_cmpuint (sluice_histogram_chart_get_n_steps (chart), ==, 20);
  sluice_histogram_chart_set_mode (chart, SLUICE_HISTOGRAM_RIDGE);
  sluice_histogram_chart_set_most_steps (chart, 7);
  cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
  g_assert_cmpuint (sluice_histogram_chart_get_n_shown (chart, &n_steps), ==, 7);
  g_assert_cmpuint (n_steps, ==, 20);
  sluice_histogram_chart_select (chart, 3);
  sluice_histogram_chart_remove_run (chart, other);
  g_assert_cmpint (sluice_histogram_chart_get_selected (chart), ==, -1);
  cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
}

static void
test_quantiles (void)
{
  double edges[] = { 0, 1, 3, 3, 7 };
  double counts[] = { 10, 20, 0, 10 };
  const SluiceHistogramStep step = { .n = 4, .edges = edges, .counts = counts, .total = 40 };

  g_assert_cmpfloat_with_epsilon (sluice_histogram_quantile (&step, 0), 0, 1e-9);
  g_assert_cmpfloat_with_epsilon (sluice_histogram_quantile (&step, 0.25), 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (sluice_histogram_quantile (&step, 0.5), 2, 1e-9);
  g_assert_cmpfloat_with_epsilon (sluice_histogram_quantile (&step, 0.875), 5, 1e-9);
  g_assert_cmpfloat_with_epsilon (sluice_histogram_quantile (&step, 1), 7, 1e-9);
}

static void
test_export (void)
{
  g_autoptr (SluiceHistogramChart) chart = sample (8);
  g_autofree char *folder = g_dir_make_tmp ("sluice-histogram-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "h.svg", NULL);
  g_autofree char *content = NULL;
  SluiceTheme theme = *sluice_theme_get (SLUICE_THEME_LIGHT);

  g_assert_true (sluice_histogram_chart_export (chart, path, WIDTH, HEIGHT, 1, &theme, NULL));
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_null (strstr (content, "<image"));
  g_remove (path);
  g_rmdir (folder);
}

/* Runs without room are counted, in every mode. */
static void
test_left (void)
{
  g_autoptr (SluiceHistogramChart) chart = sluice_histogram_chart_new ();
  double limits[] = { 0, 1, 2 };
  double counts[] = { 1, 3, 2 };

  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *name = g_strdup_printf ("a run of a long name, %u", i);
      guint run = sluice_histogram_chart_add_run (chart, name, sluice_palette_color (i));

      sluice_histogram_chart_append_proto (chart, run, 1, 0, 2, 3, limits, counts);
    }
  for (guint mode = SLUICE_HISTOGRAM_RIDGE; mode <= SLUICE_HISTOGRAM_BANDS; mode++)
    {
      sluice_histogram_chart_set_mode (chart, mode);
      cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
      g_assert_cmpuint (sluice_histogram_chart_get_n_left (chart), >, 10);
      g_assert_cmpuint (sluice_histogram_chart_get_n_left (chart), <, 20);
    }
  while (sluice_histogram_chart_get_n_runs (chart) > 2)
    sluice_histogram_chart_remove_run (chart, sluice_histogram_chart_get_n_runs (chart));
  cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
  g_assert_cmpuint (sluice_histogram_chart_get_n_left (chart), ==, 0);
}

/* Steps that are thinned out take the selection only where it is one of them. */
static void
test_keep (void)
{
  g_autoptr (SluiceHistogramChart) chart = sluice_histogram_chart_new ();
  g_autoptr (GHashTable) kept = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint run = sluice_histogram_chart_add_run (chart, "run", sluice_palette_color (0));
  gint64 steps[] = { 0, 20, 40, 70 };

  for (gint64 step = 0; step < 80; step += 10)
    {
      double limits[] = { 0, 1, 2 };
      double counts[] = { 1, 3, 2 };

      sluice_histogram_chart_append_proto (chart, run, step, 0, 2, 3, limits, counts);
    }
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    g_hash_table_add (kept, &steps[i]);
  cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
  sluice_histogram_chart_select (chart, 4);
  sluice_histogram_chart_keep_steps (chart, run, kept);
  g_assert_cmpuint (sluice_histogram_chart_get_n_steps (chart), ==, 4);
  g_assert_cmpint (sluice_histogram_chart_get_selected (chart), ==, 2);
  g_hash_table_remove (kept, &steps[2]);
  sluice_histogram_chart_keep_steps (chart, run, kept);
  g_assert_cmpuint (sluice_histogram_chart_get_n_steps (chart), ==, 3);
  g_assert_cmpint (sluice_histogram_chart_get_selected (chart), ==, -1);
  cairo_surface_destroy (render (chart, SLUICE_THEME_LIGHT));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/histogram/modes", test_modes);
  g_test_add_func ("/ui/chart/histogram/resample", test_resample);
  g_test_add_func ("/ui/chart/histogram/bad-input", test_bad_input);
  g_test_add_func ("/ui/chart/histogram/order", test_order);
  g_test_add_func ("/ui/chart/histogram/steady", test_steady);
  g_test_add_func ("/ui/chart/histogram/runs", test_runs);
  g_test_add_func ("/ui/chart/histogram/left", test_left);
  g_test_add_func ("/ui/chart/histogram/keep", test_keep);
  g_test_add_func ("/ui/chart/histogram/quantiles", test_quantiles);
  g_test_add_func ("/ui/chart/histogram/export", test_export);
  return g_test_run ();
}
