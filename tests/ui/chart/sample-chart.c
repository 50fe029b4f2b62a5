/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/ui/chart/sample-chart.h"

#include <math.h>

SluiceSeriesBuffer *
sample_curve (int n, double start, double floor_, double rate)
{
  SluiceSeriesBuffer *buffer = sluice_series_buffer_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) n);

  for (int i = 0; i < n; i++)
    {
      double v = floor_ + start * exp (-i * rate);

      v *= 1 + 0.35 * (g_rand_double (rand) - 0.5) + 0.2 * (g_rand_double (rand) - 0.5);
      sluice_series_buffer_append (buffer, i, 1.7e9 + 0.3 * i, v);
    }
  return buffer;
}

SluiceChart *
sample_chart (void)
{
  SluiceChart *chart = sluice_chart_new ();
  g_autoptr (SluiceSeriesBuffer) a = sample_curve (1241, 2.3, 0.05, 0.006);
  g_autoptr (SluiceSeriesBuffer) b = sample_curve (2001, 2.4, 0.06, 0.0035);

  sluice_chart_set_title (chart, "loss");
  sluice_chart_add_series (chart, "lenet-3", sluice_palette_color (0),
                           sluice_series_buffer_as_source (a));
  sluice_chart_add_series (chart, "lenet-2", sluice_palette_color (1),
                           sluice_series_buffer_as_source (b));
  sluice_chart_add_event (chart, 1, SLUICE_EVENT_NOTE, 600, 1.7e9 + 180, "lr 0.1 → 0.03", NULL);
  return chart;
}

cairo_surface_t *
sample_render (SluiceChart *chart, SluiceThemeKind kind, guint flags)
{
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SAMPLE_WIDTH, SAMPLE_HEIGHT);
  cairo_t *cr = cairo_create (surface);
  SluiceTheme theme = *sluice_theme_get (kind);

  theme.font = "DejaVu Sans";
  sluice_chart_prepare (chart, -1);
  sluice_chart_render (chart, cr, SAMPLE_WIDTH, SAMPLE_HEIGHT, &theme, flags);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}
