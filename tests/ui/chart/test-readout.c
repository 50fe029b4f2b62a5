/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"
#include "ui/chart/chart.h"
#include "tests/ui/chart/sample-chart.h"

#include <math.h>
#include <string.h>

/* What a chart tells of the place of its cursor, and where that is written. */

#define ALL_PARTS (SLUICE_CHART_FRAME | SLUICE_CHART_TITLE)

static void
test_readout (void)
{
  /* Wherever the cursor is, the box lies on no curve and no word, and never on the cursor's line.
   */
  g_autoptr (SluiceChart) chart = sample_chart ();
  guint jumps = 0;
  double last_y = -1;

  for (int step = 0; step <= 2000; step += 20)
    {
      const SluiceRect *box = &chart->readout;
      double x;

      sluice_chart_set_cursor (chart, step);
      cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, ALL_PARTS));
      x = sluice_scale_to_pixel (&chart->x_scale, step);
      g_assert_cmpfloat (box->width, >, 0);
      g_assert_cmpfloat (sluice_chart_get_covered (chart, box), ==, 0);
      g_assert_true (x < box->x || x > box->x + box->width);
      g_assert_true (box->x >= 0 && box->x + box->width <= SAMPLE_WIDTH);
      g_assert_true (box->y >= 0 && box->y + box->height <= SAMPLE_HEIGHT);
      jumps += box->y != last_y;
      last_y = box->y;
    }
  /* It stays at its height while that is free. */
  g_assert_cmpuint (jumps, <=, 8);
}

/* A steep beginning in the card of a grid of three: a box with smoothed values would lie on it from
 * the last third on. */
static void
test_readout_narrow (void)
{
  g_autoptr (SluiceChart) chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();

  for (int i = 0; i < 10000; i++)
    sluice_series_buffer_append (buffer, i, 1.7e9 + i, 0.04 + 0.3 * exp (-i / 300.0));
  sluice_chart_set_title (chart, "loss");
  sluice_chart_set_smoothing (chart, 0.6);
  sluice_chart_add_series (chart, "digits-mlp", sluice_palette_color (0),
                           sluice_series_buffer_as_source (buffer));
  for (int step = 8000; step < 9800; step += 250)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 320, 238);
      cairo_t *cr = cairo_create (surface);

      sluice_chart_set_cursor (chart, step);
      sluice_chart_render (chart, cr, 320, 238, sluice_theme_get (SLUICE_THEME_LIGHT), ALL_PARTS);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
      g_assert_cmpfloat (chart->readout.width, >, 0);
      g_assert_cmpfloat (sluice_chart_get_covered (chart, &chart->readout), ==, 0);
    }
}

/* Curves at every height and a box that is wide for its card: what is beside the cursor stays free,
 * and where no place does, the value stands in the title's row. */
static void
test_readout_crowded (void)
{
  guint n_boxes = 0;
  guint n_notes = 0;

  for (double width = 200; width <= 620; width += 70)
    {
      g_autoptr (SluiceChart) chart = sluice_chart_new ();
      g_autoptr (SluiceSeriesBuffer) ended = sample_curve (300, 1, 0.5, 0.01);

      sluice_chart_set_title (chart, "loss");
      for (int i = 0; i < 5; i++)
        {
          g_autoptr (SluiceSeriesBuffer) buffer = sample_curve (1000, 0.2, 0.2 * i, 0.01);

          sluice_chart_add_series (chart, "a run with a long name", sluice_palette_color (i),
                                   sluice_series_buffer_as_source (buffer));
        }
      sluice_chart_add_series (chart, "ended", sluice_palette_color (5),
                               sluice_series_buffer_as_source (ended));
      for (int step = 0; step < 1000; step += 37)
        {
          cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 640, 240);
          cairo_t *cr = cairo_create (surface);
          g_autofree char *readout = NULL;
          double x;

          sluice_chart_set_cursor (chart, step);
          sluice_chart_render (chart, cr, width, 240, sluice_theme_get (SLUICE_THEME_LIGHT),
                               SLUICE_CHART_TITLE);
          cairo_destroy (cr);
          cairo_surface_destroy (surface);
          x = sluice_scale_to_pixel (&chart->x_scale, step);
          readout = sluice_chart_dup_readout (chart);
          g_assert_true ((strstr (readout, "ended") != NULL) == (step < 300));
          n_boxes += chart->readout.width > 0;
          n_notes += chart->note != NULL;
          g_assert_true ((chart->readout.width > 0) != (chart->note != NULL));
          if (chart->readout.width > 0)
            {
              SluiceRect near = chart->readout;
              double end = MIN (near.x + near.width, x + SLUICE_READ_REACH);

              near.x = MAX (near.x, x - SLUICE_READ_REACH);
              near.width = end - near.x;
              g_assert_true (near.width <= 0 || sluice_chart_get_covered (chart, &near) == 0);
            }
        }
    }
  g_assert_cmpuint (n_boxes, >, 20);
  g_assert_cmpuint (n_notes, >, 20);
}

static void
test_note (void)
{
  g_autoptr (SluiceChart) chart = sample_chart ();
  g_autoptr (GArray) values = NULL;
  const SluiceChartValue *value;

  sluice_chart_set_readout_style (chart, SLUICE_READOUT_NOTE);
  sluice_chart_set_cursor (chart, 100);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, SLUICE_CHART_TITLE));
  g_assert_cmpfloat (chart->readout.width, ==, 0);
  g_assert_nonnull (chart->note);
  sluice_chart_set_cursor (chart, NAN);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, SLUICE_CHART_TITLE));
  g_assert_true (chart->note_rests); /* the last value of the first */
  values = sluice_chart_dup_values (chart, INFINITY);
  sluice_chart_set_front (chart, g_array_index (values, SluiceChartValue, 0).id);
  cairo_surface_destroy (sample_render (chart, SLUICE_THEME_LIGHT, SLUICE_CHART_TITLE));
  g_assert_true (chart->note_rests);
  {
    g_autofree char *last =
        sluice_chart_format_value (chart, &g_array_index (values, SluiceChartValue, 0));
    g_assert_cmpstr (chart->note, ==, last);
  }
  g_array_unref (g_steal_pointer (&values));

  values = sluice_chart_dup_values (chart, 100);
  g_assert_cmpuint (values->len, ==, sluice_chart_get_n_series (chart));
  value = &g_array_index (values, SluiceChartValue, 0);
  g_assert_true (value->here);
  g_assert_cmpint (value->sample.step, ==, 100);
  g_assert_cmpfloat (value->min, <=, value->sample.value);
  g_assert_cmpfloat (value->max, >=, value->sample.value);
  g_array_unref (g_steal_pointer (&values));
  values = sluice_chart_dup_values (chart, INFINITY);
  g_assert_cmpint (g_array_index (values, SluiceChartValue, 0).sample.step, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/readout/free", test_readout);
  g_test_add_func ("/ui/chart/readout/narrow", test_readout_narrow);
  g_test_add_func ("/ui/chart/readout/crowded", test_readout_crowded);
  g_test_add_func ("/ui/chart/readout/note", test_note);
  return g_test_run ();
}
