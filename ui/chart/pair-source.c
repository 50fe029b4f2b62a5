/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/pair-source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 256 /* points read between two looks at the clock */

typedef struct
{
  gint64 step;
  double wall, x, y, smoothed;
} Pair;

/* How far a series has been read. */
typedef struct
{
  SluiceSeriesSource *of;
  guint64 next;            /* index */
  SluiceSeriesSample last; /* the one before it, by which a series that began anew is known */
} Reader;

typedef struct
{
  SluiceSeriesSource parent;
  Reader x, y;
  GArray *pairs; /* of Pair, in order of steps */
  guint *by_x;   /* their indices in order of x; valid while sorted */
  gboolean sorted;
  guint stride;
  guint64 n_joined; /* also those that were not kept */
  double weight;
  guint64 n_restarts;
} PairSource;

/* ---- joining ---- */

static void
restart (PairSource *self)
{
  g_array_set_size (self->pairs, 0);
  self->x.next = self->y.next = 0;
  self->n_joined = 0;
  self->stride = 1;
  self->sorted = FALSE;
  self->n_restarts++;
}

static gboolean
began_anew (const Reader *reader)
{
  SluiceSeriesSample now;

  if (reader->next == 0)
    return FALSE;
  return sluice_series_source_read_samples (reader->of, SLUICE_X_STEP, reader->next - 1, 1, &now)
             == 0
         || now.step != reader->last.step
         || memcmp (&now.value, &reader->last.value, sizeof now.value) != 0;
}

static void
halve (PairSource *self)
{
  for (guint i = 0; i < self->pairs->len; i += 2)
    g_array_index (self->pairs, Pair, i / 2) = g_array_index (self->pairs, Pair, i);
  g_array_set_size (self->pairs, (self->pairs->len + 1) / 2);
  self->stride *= 2;
}

static void
add_pair (PairSource *self, const SluiceSeriesSample *x, const SluiceSeriesSample *y)
{
  const Pair pair = { y->step, y->wall, x->value, y->value, y->smoothed };

  if (!isfinite (pair.x))
    return;
  if (self->n_joined % self->stride == 0)
    {
      if (self->pairs->len == SLUICE_PAIRS_MOST)
        halve (self);
      if (self->n_joined % self->stride == 0)
        g_array_append_val (self->pairs, pair);
    }
  self->n_joined++;
  self->sorted = FALSE;
}

static void
advance (Reader *reader, const SluiceSeriesSample *past, guint *at)
{
  reader->last = *past;
  reader->next++;
  (*at)++;
}

/* FALSE: one of the two has no more points. */
static gboolean
join_some (PairSource *self)
{
  SluiceSeriesSample xs[AT_ONCE];
  SluiceSeriesSample ys[AT_ONCE];
  guint n_x =
      sluice_series_source_read_samples (self->x.of, SLUICE_X_STEP, self->x.next, AT_ONCE, xs);
  guint n_y =
      sluice_series_source_read_samples (self->y.of, SLUICE_X_STEP, self->y.next, AT_ONCE, ys);
  guint i = 0;
  guint k = 0;

  while (i < n_x && k < n_y)
    {
      gint64 x_step = xs[i].step;
      gint64 y_step = ys[k].step;

      if (x_step == y_step)
        add_pair (self, &xs[i], &ys[k]);
      if (x_step <= y_step)
        advance (&self->x, &xs[i], &i);
      if (y_step <= x_step)
        advance (&self->y, &ys[k], &k);
    }
  return n_x > 0 && n_y > 0;
}

static gboolean
pair_prepare (SluiceSeriesSource *source, double smoothing, gint64 budget_us)
{
  PairSource *self = (PairSource *) source;
  gint64 end_time = budget_us < 0 ? G_MAXINT64 : g_get_monotonic_time () + budget_us;

  if (self->x.of == NULL)
    return TRUE;
  if (!sluice_series_source_prepare (self->y.of, smoothing, budget_us))
    return FALSE;
  if (self->weight != smoothing || began_anew (&self->x) || began_anew (&self->y))
    restart (self);
  self->weight = smoothing;
  while (join_some (self))
    if (g_get_monotonic_time () >= end_time)
      return FALSE;
  return TRUE;
}

/* ---- what charts ask ---- */

static double
get_x (const Pair *pair, SluiceXAxis axis)
{
  return axis == SLUICE_X_SERIES ? pair->x
         : axis == SLUICE_X_STEP ? (double) pair->step
                                 : pair->wall;
}

static int
by_x (const void *a, const void *b, void *data)
{
  const GArray *pairs = data;
  guint i = *(const guint *) a;
  guint k = *(const guint *) b;
  double x = g_array_index (pairs, Pair, i).x;
  double y = g_array_index (pairs, Pair, k).x;

  return x != y ? (x < y ? -1 : 1) : (i < k ? -1 : i > k);
}

static const Pair *
get_pair (PairSource *self, SluiceXAxis axis, guint index)
{
  if (axis != SLUICE_X_SERIES)
    return &g_array_index (self->pairs, Pair, index);
  if (!self->sorted)
    {
      self->by_x = g_renew (guint, self->by_x, self->pairs->len);
      for (guint i = 0; i < self->pairs->len; i++)
        self->by_x[i] = i;
      g_qsort_with_data (self->by_x, (int) self->pairs->len, sizeof *self->by_x, by_x, self->pairs);
      self->sorted = TRUE;
    }
  return &g_array_index (self->pairs, Pair, self->by_x[index]);
}

static SluiceSeriesSample
make_sample (PairSource *self, SluiceXAxis axis, guint index)
{
  const Pair *pair = get_pair (self, axis, index);

  return (SluiceSeriesSample){ index,   pair->step,    pair->wall, get_x (pair, axis),
                               pair->y, pair->smoothed };
}

static void
pair_get_extent (SluiceSeriesSource *source, SluiceXAxis axis, SluiceExtent *extent)
{
  PairSource *self = (PairSource *) source;
  guint n = self->pairs->len;

  *extent = (SluiceExtent){ NAN, NAN, NAN, NAN, NAN, n };
  if (n == 0)
    return;
  extent->x0 = get_x (get_pair (self, axis, 0), axis);
  extent->x1 = get_x (get_pair (self, axis, n - 1), axis);
  for (guint i = 0; i < n; i++)
    {
      double y = g_array_index (self->pairs, Pair, i).y;

      if (!isfinite (y))
        continue;
      extent->min = fmin (extent->min, y);
      extent->max = fmax (extent->max, y);
      if (y > 0)
        extent->min_positive = fmin (extent->min_positive, y);
    }
}

static void
extend_trace (SluiceTrace *trace, gboolean first, double x, double y)
{
  if (first)
    *trace = (SluiceTrace){ x, y, x, y, y, y };
  trace->last_x = x;
  trace->last = y;
  trace->min = MIN (trace->min, y);
  trace->max = MAX (trace->max, y);
}

static void
add_to_column (SluiceColumn *column, const SluiceSeriesSample *sample)
{
  if (isnan (sample->value))
    column->n_nan++;
  else if (!isfinite (sample->value))
    *(sample->value > 0 ? &column->n_above : &column->n_below) += 1;
  else
    {
      gboolean first = column->n_finite == 0;

      column->n_finite++;
      column->mean += (sample->value - column->mean) / column->n_finite;
      extend_trace (&column->raw, first, sample->x, sample->value);
      extend_trace (&column->smooth, first, sample->x, sample->smoothed);
    }
}

static void
pair_read_columns (SluiceSeriesSource *source,
                   SluiceXAxis axis,
                   double x0,
                   double x1,
                   guint n_columns,
                   SluiceColumn *columns,
                   SluiceEdges *edges)
{
  PairSource *self = (PairSource *) source;

  memset (columns, 0, n_columns * sizeof *columns);
  *edges = (SluiceEdges){ 0 };
  for (guint i = 0; i < self->pairs->len; i++)
    {
      SluiceSeriesSample sample = make_sample (self, axis, i);

      if (sample.x >= x0 && sample.x <= x1)
        add_to_column (
            &columns[MIN ((guint) ((sample.x - x0) / (x1 - x0) * n_columns), n_columns - 1)],
            &sample);
      else if (sample.x < x0 && isfinite (sample.value))
        {
          edges->has_before = TRUE;
          edges->before = sample;
        }
      else if (sample.x > x1 && isfinite (sample.value) && !edges->has_after)
        {
          edges->has_after = TRUE;
          edges->after = sample;
        }
    }
}

static gboolean
pair_lookup (SluiceSeriesSource *source, SluiceXAxis axis, double x, SluiceSeriesSample *sample)
{
  PairSource *self = (PairSource *) source;
  guint low = 0;
  guint high = self->pairs->len;

  if (high == 0)
    return FALSE;
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (get_x (get_pair (self, axis, middle), axis) < x)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == self->pairs->len
      || (low > 0
          && x - get_x (get_pair (self, axis, low - 1), axis)
                 < get_x (get_pair (self, axis, low), axis) - x))
    low--;
  *sample = make_sample (self, axis, low);
  return TRUE;
}

static guint
pair_read_samples (SluiceSeriesSource *source,
                   SluiceXAxis axis,
                   guint64 first,
                   guint n,
                   SluiceSeriesSample *samples)
{
  PairSource *self = (PairSource *) source;
  guint n_read = first < self->pairs->len ? (guint) MIN (n, self->pairs->len - first) : 0;

  for (guint i = 0; i < n_read; i++)
    samples[i] = make_sample (self, axis, (guint) first + i);
  return n_read;
}

static gboolean
pair_refine (SluiceSeriesSource *source, gint64 budget_us)
{
  return TRUE;
}

/* Each of these only grows. */
static guint64
pair_get_serial (SluiceSeriesSource *source)
{
  PairSource *self = (PairSource *) source;

  if (self->x.of == NULL)
    return 0;
  return sluice_series_source_get_serial (self->x.of) + sluice_series_source_get_serial (self->y.of)
         + self->n_joined + self->n_restarts * ((guint64) 1 << 40);
}

static void
pair_finalize (SluiceSeriesSource *source)
{
  PairSource *self = (PairSource *) source;

  g_clear_pointer (&self->x.of, sluice_series_source_unref);
  sluice_series_source_unref (self->y.of);
  g_array_unref (self->pairs);
  g_free (self->by_x);
  g_free (self);
}

static const SluiceSeriesSourceClass pair_class = {
  .get_extent = pair_get_extent,
  .prepare = pair_prepare,
  .read_columns = pair_read_columns,
  .lookup = pair_lookup,
  .read_samples = pair_read_samples,
  .refine = pair_refine,
  .get_serial = pair_get_serial,
  .finalize = pair_finalize,
};

SluiceSeriesSource *
sluice_pair_source_new (SluiceSeriesSource *x, SluiceSeriesSource *y)
{
  PairSource *self = g_new0 (PairSource, 1);

  sluice_series_source_init (&self->parent, &pair_class);
  self->x.of = x != NULL ? sluice_series_source_ref (x) : NULL;
  self->y.of = sluice_series_source_ref (y);
  self->pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  self->stride = 1;
  return &self->parent;
}

guint
sluice_pair_source_read_steps (SluiceSeriesSource *self,
                               guint64 first,
                               guint n,
                               SluiceSeriesSample *samples)
{
  guint n_read;

  g_return_val_if_fail (self->klass == &pair_class, 0);

  n_read = pair_read_samples (self, SLUICE_X_STEP, first, n, samples);
  for (guint i = 0; i < n_read; i++)
    samples[i].x = g_array_index (((PairSource *) self)->pairs, Pair, first + i).x;
  return n_read;
}

guint
sluice_pair_source_get_stride (SluiceSeriesSource *self)
{
  g_return_val_if_fail (self->klass == &pair_class, 1);

  return ((PairSource *) self)->stride;
}
