/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/histogram-private.h"

#include <math.h>

#define BINS         SLUICE_HISTOGRAM_BINS
#define HEAT_LEVELS  24
#define BAND_ALPHA   0.16
#define MEDIAN_WIDTH 2.0

/* ---- where steps stand ---- */

double
sluice_histogram_step_x (const SluiceHistogramChart *self,
                         const SluiceHistogramRun *run,
                         double step)
{
  return run->plot.x + run->plot.width * (step - self->first) / (self->end - self->first);
}

/* Until the next one; the last one is as wide as the one before it. */
void
sluice_histogram_step_span (const SluiceHistogramChart *self,
                            const SluiceHistogramRun *run,
                            guint i,
                            double *left,
                            double *right)
{
  guint n = run->steps->len;
  double at = (double) _sluice_histogram_get_step (run, i)->step;
  double before = i > 0 ? (double) _sluice_histogram_get_step (run, i - 1)->step : at - 1;
  double next =
      i + 1 < n ? (double) _sluice_histogram_get_step (run, i + 1)->step : 2 * at - before;

  *left = sluice_histogram_step_x (self, run, at);
  *right = sluice_histogram_step_x (self, run, next);
}

/* ---- heat ---- */

/* Cells end on whole pixels: half-covered edges of neighbours would let the ground through. */
static double
snap (const SluicePen *pen, double v)
{
  return pen->raster != NULL ? round (v * pen->scale) / pen->scale : v;
}

typedef struct
{
  guint step;
  double left, right;
} HeatColumn;

/* The steps that are at least a pixel wide: of those that share one, the first stands for all. */
static GArray *
collect_heat (const SluiceHistogramChart *self, const SluiceHistogramRun *run, const SluicePen *pen)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (HeatColumn));

  for (guint i = 0; i < run->steps->len; i++)
    {
      HeatColumn column = { .step = i };

      sluice_histogram_step_span (self, run, i, &column.left, &column.right);
      column.left = snap (pen, column.left);
      column.right = snap (pen, column.right);
      if (column.left < column.right)
        g_array_append_val (columns, column);
    }
  return columns;
}

/* How deep each cell is, column by column; 0: nothing fell there. The root shows the thin tails
 * beside the middle. (transfer full) */
static guint8 *
dup_levels (const SluiceHistogramChart *self, const SluiceHistogramRun *run, const GArray *columns)
{
  guint8 *levels = g_new (guint8, columns->len * BINS + 1);

  for (guint i = 0; i < columns->len; i++)
    {
      guint step = g_array_index (columns, HeatColumn, i).step;
      const double *bins = _sluice_histogram_get_step (run, step)->bins;

      for (guint b = 0; b < BINS; b++)
        levels[i * BINS + b] = (guint8) ceil (sqrt (bins[b] / self->highest) * HEAT_LEVELS - 1e-9);
    }
  return levels;
}

void
sluice_histogram_draw_heat (const SluiceHistogramChart *self,
                            const SluiceHistogramRun *run,
                            SluicePen *pen,
                            const SluiceTheme *theme)
{
  g_autoptr (GArray) columns = collect_heat (self, run, pen);
  g_autofree guint8 *levels = dup_levels (self, run, columns);
  SluiceColor deep = sluice_color_readable (run->color, theme->card, 4.5);
  double row = run->plot.height / BINS;
  double edges[BINS + 1];

  for (guint b = 0; b <= BINS; b++)
    edges[b] = snap (pen, run->plot.y + run->plot.height - b * row);
  for (guint level = 1; level <= HEAT_LEVELS; level++)
    {
      for (guint i = 0; i < columns->len; i++)
        {
          const HeatColumn *column = &g_array_index (columns, HeatColumn, i);

          for (guint b = 0; b < BINS; b++)
            if (levels[i * BINS + b] == level)
              sluice_pen_trapezoid (pen, column->left, edges[b + 1], edges[b], column->right,
                                    edges[b + 1], edges[b]);
        }
      sluice_pen_paint (
          pen, sluice_color_mix (theme->card, deep, (level + 1.0) / (HEAT_LEVELS + 1)), TRUE);
    }
}

/* ---- bands ---- */

double
sluice_histogram_quantile (const SluiceHistogramStep *step, double share)
{
  double wanted = share * step->total;
  double below = 0;

  if (share >= 1)
    return step->edges[step->n];
  for (guint i = 0; i < step->n; i++)
    {
      if (step->counts[i] > 0 && below + step->counts[i] >= wanted)
        return step->edges[i]
               + (step->edges[i + 1] - step->edges[i]) * (wanted - below) / step->counts[i];
      below += step->counts[i];
    }
  return step->edges[step->n];
}

static double
value_y (const SluiceHistogramChart *self, const SluiceHistogramRun *run, double value)
{
  return run->plot.y + run->plot.height * (1 - (value - self->lo) / (self->hi - self->lo));
}

/* Between the quantiles @low and @high; a line where they are the same. */
static void
trace_band (const SluiceHistogramChart *self,
            const SluiceHistogramRun *run,
            const SluicePen *pen,
            double low,
            double high)
{
  double x0 = 0;
  double top0 = 0;
  double bottom0 = 0;

  for (guint i = 0; i < run->steps->len; i++)
    {
      const SluiceHistogramStep *step = _sluice_histogram_get_step (run, i);
      double x = sluice_histogram_step_x (self, run, (double) step->step);
      double top = value_y (self, run, sluice_histogram_quantile (step, high));
      double bottom = value_y (self, run, sluice_histogram_quantile (step, low));

      if (i > 0 && low < high)
        sluice_pen_trapezoid (pen, x0, top0, bottom0, x, top, bottom);
      else if (i > 0)
        sluice_pen_segment (pen, x0, top0, x, top);
      x0 = x;
      top0 = top;
      bottom0 = bottom;
    }
}

/* TensorBoard's: a normal distribution's standard deviations, and the ends. */
void
sluice_histogram_draw_bands (const SluiceHistogramChart *self,
                             const SluiceHistogramRun *run,
                             SluicePen *pen,
                             const SluiceTheme *theme)
{
  static const double lows[] = { 0, 0.0668, 0.1587, 0.3085 };
  SluiceColor color = sluice_color_readable (run->color, theme->card, 3);

  for (guint i = 0; i < G_N_ELEMENTS (lows); i++)
    {
      trace_band (self, run, pen, lows[i], 1 - lows[i]);
      sluice_pen_paint (pen, sluice_color_with_alpha (color, BAND_ALPHA), TRUE);
    }
  pen->width = MEDIAN_WIDTH;
  trace_band (self, run, pen, 0.5, 0.5);
  sluice_pen_paint (pen, color, FALSE);
}
