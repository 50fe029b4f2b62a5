/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"

#include <math.h>
#include <string.h>

#define TITLE_HEIGHT  41.0
#define BOTTOM_HEIGHT 30.0
#define RIGHT_MARGIN  20.0
#define LEAST_PARTS   4 /* of the axis to come that a curve fills one of, before all is shown */
#define LABEL_GAP     9.0
/* The gutter grows in steps, so that a longer label does not move the plot by a pixel or two. */
#define GUTTER_LEAST 48.0
#define GUTTER_STEP  12.0

double
sluice_chart_choose_end (double last, double expected)
{
  double end = expected;

  while (last > 0 && last < end / LEAST_PARTS)
    end /= LEAST_PARTS;
  return end;
}

void
sluice_chart_full_x (SluiceChart *self, double *x0, double *x1)
{
  double lo = INFINITY;
  double hi = -INFINITY;
  double last;
  double fine;

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      SluiceExtent extent;

      if (!series->visible)
        continue;
      sluice_series_source_get_extent (series->source, self->axis, &extent);
      if (extent.n_points == 0)
        continue;
      lo = MIN (lo, extent.x0);
      hi = MAX (hi, extent.x1);
    }
  if (self->axis == SLUICE_X_STEP && self->expected_steps > 0)
    {
      lo = MIN (lo, 0);
      hi = MAX (hi, sluice_chart_choose_end (hi, (double) self->expected_steps));
    }
  if (lo > hi)
    {
      lo = 0;
      hi = 1;
    }
  last = hi;
  /* Training starts at nought, also where the first point is a little later. */
  if (self->axis != SLUICE_X_WALL && lo > 0 && lo <= 0.1 * hi)
    lo = 0;
  if (lo == hi && self->axis == SLUICE_X_SERIES)
    {
      lo -= lo != 0 ? fabs (lo) / 10 : 1;
      hi += hi != 0 ? fabs (hi) / 10 : 1;
    }
  if (lo == hi)
    {
      lo -= lo > 0 ? MIN (1, lo) : 0;
      hi += 1;
    }
  /* A live run moves the end only now and then, not with every point. */
  fine = sluice_nice_step (hi - lo, 5) / 5;
  if (self->axis != SLUICE_X_STEP || hi != (double) self->expected_steps)
    hi =
        self->axis == SLUICE_X_WALL ? lo + ceil ((hi - lo) / fine) * fine : ceil (hi / fine) * fine;
  *x0 = self->axis == SLUICE_X_SERIES ? floor (lo / fine) * fine : lo;
  /* A share of a whole has no values past it. */
  *x1 = sluice_chart_get_x_unit (self) == SLUICE_UNIT_PERCENT && last <= 1 ? MIN (hi, 1) : hi;
}

/* The k-th least of @values, which it reorders: Hoare's selection, as Wirth wrote it. */
static double
select_nth (double *values, int n, int k)
{
  int left = 0;
  int right = n - 1;

  while (left < right)
    {
      double pivot = values[k];
      int i = left;
      int j = right;

      do
        {
          while (values[i] < pivot)
            i++;
          while (pivot < values[j])
            j--;
          if (i <= j)
            {
              double swap = values[i];

              values[i++] = values[j];
              values[j--] = swap;
            }
        }
      while (i <= j);
      if (j < k)
        left = i;
      if (k < i)
        right = j;
    }
  return values[k];
}

/* The values that the axis should show: least and greatest, and those of each column. */
typedef struct
{
  double *lows, *highs; /* of each column that has a finite value */
  int n;
  double min, max;
} Pool;

static void
pool_columns (Pool *pool, const SluiceChart *self, const SluiceChartSeries *series, gboolean smooth)
{
  SluiceExtent extent;

  sluice_series_source_get_extent (series->source, self->axis, &extent);
  for (guint i = 0; i < self->read_key.n_columns; i++)
    {
      const SluiceColumn *column = &series->columns[i];
      const SluiceTrace *trace = smooth ? &column->smooth : &column->raw;
      double low = trace->min;

      if (column->n_finite == 0 || (self->log_y && !(trace->max > 0)))
        continue;
      if (self->log_y && low <= 0)
        low = MIN (extent.min_positive, trace->max);
      pool->lows[pool->n] = low;
      pool->highs[pool->n++] = trace->max;
      pool->min = MIN (pool->min, low);
      pool->max = MAX (pool->max, trace->max);
    }
}

/* TensorBoard's rule, but only where the tails it cuts would squeeze the rest. */
static void
cut_outliers (Pool *pool, gboolean log)
{
  const int least = 20; /* a tail of fewer points is no tail */
  const double spare = 0.35;
  int n = pool->n;
  double low;
  double high;
  double range;

  if (n < least)
    return;
  low = select_nth (pool->lows, n, (int) ceil (0.05 * (n - 1)));
  high = select_nth (pool->highs, n, (int) floor (0.95 * (n - 1)));
  if (log)
    {
      range = log10 (high) - log10 (low);
      if (log10 (low) - log10 (pool->min) > spare * range)
        pool->min = low;
      if (log10 (pool->max) - log10 (high) > spare * range)
        pool->max = high;
      return;
    }
  range = high - low;
  if (low - pool->min > spare * range)
    pool->min = low;
  if (pool->max - high > spare * range)
    pool->max = high;
}

/* Extends [@min, @max] to what @only, or else all visible series, have to be shown. */
static void
extend (const SluiceChart *self, const SluiceChartSeries *only, double *min, double *max)
{
  gsize room = MAX (1, self->series->len * self->read_key.n_columns);
  g_autofree double *lows = g_new (double, room);
  g_autofree double *highs = g_new (double, room);

  /* Smoothed curves are what is looked at, but without what they smooth they say little. */
  for (guint smooth = 0; smooth < (self->smoothing > 0 ? 2 : 1); smooth++)
    {
      Pool pool = { lows, highs, 0, INFINITY, -INFINITY };

      for (guint i = 0; i < self->series->len; i++)
        {
          const SluiceChartSeries *series = g_ptr_array_index (self->series, i);

          if (series->visible && series->columns != NULL && (only == NULL || series == only))
            pool_columns (&pool, self, series, smooth);
        }
      if (self->ignore_outliers)
        cut_outliers (&pool, self->log_y);
      *min = MIN (*min, pool.min);
      *max = MAX (*max, pool.max);
    }
}

/* Makes room for the others too, as much as leaves [@min, @max] a third of the height. */
static void
extend_to_others (const SluiceChart *self, double *min, double *max)
{
  double low = *min;
  double high = *max;
  double below;
  double above;
  double share;

  extend (self, NULL, &low, &high);
  below = self->log_y ? log (*min / low) : *min - low;
  above = self->log_y ? log (high / *max) : high - *max;
  share = MIN (1, 2 * (self->log_y ? log (*max / *min) : *max - *min) / (below + above));
  if (!(below + above > 0))
    return;
  *min = self->log_y ? *min / exp (share * below) : *min - share * below;
  *max = self->log_y ? *max * exp (share * above) : *max + share * above;
}

void
sluice_chart_fit_y (SluiceChart *self, double *y0, double *y1)
{
  const SluiceChartSeries *front = self->front_leads ? sluice_chart_get_front (self) : NULL;
  double min = INFINITY;
  double max = -INFINITY;

  extend (self, front, &min, &max);
  if (front != NULL && min < max)
    extend_to_others (self, &min, &max);
  else if (front != NULL)
    extend (self, NULL, &min, &max);
  /* Memory that stays within a percent is steady: some bytes up and down are no news. */
  if (self->unit == SLUICE_UNIT_BYTES && !self->log_y && max - min < 0.01 * max)
    min = max;
  *y0 = min;
  *y1 = max;
  sluice_domain_fit (y0, y1, min, self->log_y);
  /* A share of a whole has no values past it. */
  if (self->unit == SLUICE_UNIT_PERCENT && max <= 1)
    *y1 = MIN (*y1, 1);
}

double
sluice_chart_y_pixel (const SluiceChart *self, double value)
{
  double y = sluice_scale_to_pixel (&self->y_scale, value);

  return isnan (y) ? self->plot.y + self->plot.height + 2 * SLUICE_CURVE_AIR : y;
}

static guint64
hash_data (SluiceChart *self)
{
  guint64 hash = 14695981039346656037u;

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (!series->visible)
        continue;
      hash = (hash ^ series->id) * 1099511628211u;
      hash = (hash ^ sluice_series_source_get_serial (series->source)) * 1099511628211u;
    }
  return hash;
}

static void
read_columns (SluiceChart *self, double scale)
{
  SluiceReadKey key;

  memset (&key, 0, sizeof key);
  key.x0 = self->x_scale.d0;
  key.x1 = self->x_scale.d1;
  key.n_columns = (guint64) MAX (1, ceil (self->plot.width * scale));
  key.axis = self->axis;
  key.data = hash_data (self);
  if (self->read_count > 0 && memcmp (&key, &self->read_key, sizeof key) == 0)
    return;
  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (!series->visible)
        {
          g_clear_pointer (&series->columns, g_free);
          continue;
        }
      series->columns = g_renew (SluiceColumn, series->columns, key.n_columns);
      sluice_series_source_read_columns (series->source, self->axis, key.x0, key.x1,
                                         (guint) key.n_columns, series->columns, &series->edges);
    }
  self->read_key = key;
  self->read_count++;
}

static double
measure_gutter (SluiceChart *self, SluiceText *text)
{
  double widest = 0;

  for (guint i = 0; i < self->y_ticks.n; i++)
    {
      g_autofree char *label =
          sluice_format_tick (self->y_ticks.values[i], self->y_ticks.step, self->unit);
      double width;

      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (text, &width, NULL);
      widest = MAX (widest, width);
    }
  widest += LABEL_GAP + 8;
  return GUTTER_LEAST + ceil (MAX (0, widest - GUTTER_LEAST) / GUTTER_STEP) * GUTTER_STEP;
}

SluiceRect
sluice_chart_place_plot (double width, double height, double gutter)
{
  return (SluiceRect){ gutter, TITLE_HEIGHT, MAX (8, width - gutter - RIGHT_MARGIN),
                       MAX (8, height - TITLE_HEIGHT - BOTTOM_HEIGHT) };
}

void
sluice_chart_find_x_ticks (SluiceChart *self)
{
  sluice_ticks (&self->x_ticks, self->x_scale.d0, self->x_scale.d1,
                (guint) CLAMP (self->plot.width / 110, 2, 6), sluice_chart_get_x_unit (self),
                FALSE);
}

void
sluice_chart_layout (SluiceChart *self, SluiceText *text, double width, double height, double scale)
{
  double gutter = MAX (self->plot.x, GUTTER_LEAST);
  double x0;
  double x1;
  double y0;
  double y1;

  sluice_chart_get_view (self, &x0, &x1);
  /* The labels' width decides the plot's, and that the columns; two passes settle it. */
  for (int pass = 0; pass < 2; pass++)
    {
      SluiceRect *plot = &self->plot;
      double wanted;

      *plot = sluice_chart_place_plot (width, height, gutter);
      self->x_scale = (SluiceScale){ x0, x1, plot->x, plot->x + plot->width, FALSE };
      read_columns (self, scale);
      sluice_chart_fit_y (self, &y0, &y1);
      if (!isnan (self->view_y0) && (!self->log_y || self->view_y0 > 0))
        {
          y0 = self->view_y0;
          y1 = self->view_y1;
        }
      self->y_scale = (SluiceScale){ y0, y1, plot->y + plot->height, plot->y, self->log_y };
      sluice_ticks (&self->y_ticks, y0, y1, plot->height < 150 ? 3 : 5, self->unit, self->log_y);
      wanted = measure_gutter (self, text);
      if (wanted == gutter)
        break;
      gutter = wanted;
    }
  sluice_chart_find_x_ticks (self);
}
