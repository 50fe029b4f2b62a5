/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/mean-source.h"

#include <math.h>
#include <string.h>

typedef struct
{
  char *name;
  SluiceSeriesSource *source;
} Member;

typedef struct
{
  SluiceSeriesSource parent;
  SluiceSpread spread;
  GArray *members; /* of Member */
  double weight;   /* of their smoothing */
} MeanSource;

/* ---- statistics ---- */

/* Welford's: no difference of large sums. */
typedef struct
{
  guint n;
  double mean, squares, min, max;
} Moments;

static void
moments_add (Moments *self, double value)
{
  double before = value - self->mean;

  self->min = self->n == 0 ? value : MIN (self->min, value);
  self->max = self->n == 0 ? value : MAX (self->max, value);
  self->n++;
  self->mean += before / self->n;
  self->squares += before * (value - self->mean);
}

static double
get_deviation (const Moments *self)
{
  return self->n > 1 ? sqrt (self->squares / (self->n - 1)) : 0;
}

static void
get_band (const MeanSource *self, const Moments *moments, double *low, double *high)
{
  double deviation = get_deviation (moments);
  gboolean range = self->spread == SLUICE_SPREAD_RANGE;

  *low = range ? moments->min : moments->mean - deviation;
  *high = range ? moments->max : moments->mean + deviation;
}

/* ---- members ---- */

static SluiceSeriesSource *
get_member (const MeanSource *self, guint i)
{
  return g_array_index (self->members, Member, i).source;
}

/* The one that ends last: (nullable). */
static SluiceSeriesSource *
get_longest (const MeanSource *self)
{
  SluiceSeriesSource *longest = NULL;
  double end = -INFINITY;

  for (guint i = 0; i < self->members->len; i++)
    {
      SluiceExtent extent;

      sluice_series_source_get_extent (get_member (self, i), SLUICE_X_STEP, &extent);
      if (extent.n_points == 0 || extent.x1 <= end)
        continue;
      end = extent.x1;
      longest = get_member (self, i);
    }
  return longest;
}

static double
mix (double a, double b, double share)
{
  return a + (b - a) * share;
}

/* FALSE: the member has no finite value on both sides of @x. */
static gboolean
value_at (SluiceSeriesSource *member, SluiceXAxis axis, double x, double *value, double *smoothed)
{
  SluiceSeriesSample near;
  SluiceSeriesSample other;
  guint64 index;

  if (!sluice_series_source_lookup (member, axis, x, &near))
    return FALSE;
  other = near;
  index = near.x < x ? near.index + 1 : near.index - 1;
  if (near.x != x
      && ((near.x > x && near.index == 0)
          || sluice_series_source_read_samples (member, axis, index, 1, &other) == 0))
    return FALSE;
  double share = other.x != near.x ? (x - near.x) / (other.x - near.x) : 0;
  *value = mix (near.value, other.value, share);
  *smoothed = mix (near.smoothed, other.smoothed, share);
  return isfinite (*value) && isfinite (*smoothed);
}

static gboolean
mean_measure (SluiceSeriesSource *source, SluiceXAxis axis, double x, SluiceMeasure *measure)
{
  MeanSource *self = (MeanSource *) source;
  Moments values = { 0 };
  Moments smoothed = { 0 };

  for (guint i = 0; i < self->members->len; i++)
    {
      double value;
      double smooth;

      if (!value_at (get_member (self, i), axis, x, &value, &smooth))
        continue;
      moments_add (&values, value);
      moments_add (&smoothed, smooth);
    }
  *measure = (SluiceMeasure){ values.n, values.mean, get_deviation (&values), smoothed.mean };
  return values.n > 0;
}

/* ---- columns ---- */

/* What a member has in a column. */
typedef struct
{
  double x, value, smooth; /* NaN: it has no point there */
} Cell;

/* What all members have in a column. */
typedef struct
{
  double x; /* mean place of the points that lie there */
  guint n_points;
  Moments values, smooth;
} Sum;

static Cell
make_cell (const MeanSource *self, const SluiceColumn *column)
{
  if (column->n_finite == 0)
    return (Cell){ NAN, NAN, NAN };
  return (Cell){ (column->raw.first_x + column->raw.last_x) / 2, column->mean,
                 sluice_column_get_smooth_mean (column, self->weight) };
}

static Cell
edge_cell (gboolean has, const SluiceSeriesSample *sample)
{
  return has ? (Cell){ sample->x, sample->value, sample->smoothed } : (Cell){ NAN, NAN, NAN };
}

static void
add_between (Sum *sum, const Cell *before, const Cell *after)
{
  double share = (sum->x - before->x) / (after->x - before->x);

  if (!(share >= 0 && share <= 1))
    return;
  moments_add (&sum->values, mix (before->value, after->value, share));
  moments_add (&sum->smooth, mix (before->smooth, after->smooth, share));
}

/* Where others have points, the member's value: its own, or between its neighbours. */
static void
add_member (Sum *sums, const Cell *cells, guint n, const SluiceEdges *edges)
{
  Cell before = edge_cell (edges->has_before, &edges->before);
  Cell after = edge_cell (edges->has_after, &edges->after);
  guint next = 0; /* the first of the member's own past the column */

  for (guint i = 0; i < n; i++)
    {
      if (!isnan (cells[i].x))
        {
          before = cells[i];
          moments_add (&sums[i].values, before.value);
          moments_add (&sums[i].smooth, before.smooth);
          continue;
        }
      if (sums[i].n_points == 0 || isnan (before.x))
        continue;
      for (next = MAX (next, i); next < n && isnan (cells[next].x); next++)
        ;
      const Cell *end = next < n ? &cells[next] : &after;
      if (!isnan (end->x))
        add_between (&sums[i], &before, end);
    }
}

static void
fill_column (const MeanSource *self, const Sum *sum, SluiceColumn *column)
{
  SluiceTrace *raw = &column->raw;
  SluiceTrace *smooth = &column->smooth;

  if (sum->n_points == 0 || sum->values.n == 0)
    return;
  column->n_finite = 1;
  column->mean = sum->values.mean;
  *raw = (SluiceTrace){ sum->x, sum->values.mean, sum->x, sum->values.mean, 0, 0 };
  *smooth = (SluiceTrace){ sum->x, sum->smooth.mean, sum->x, sum->smooth.mean, 0, 0 };
  get_band (self, &sum->smooth, &smooth->min, &smooth->max);
  /* Smoothed, the band is that of the smoothed values: no room is needed for the other. */
  raw->min = raw->max = raw->first;
  if (self->weight == 0)
    get_band (self, &sum->values, &raw->min, &raw->max);
}

/* A curve enters and leaves the plot with the mean of what lies beside it. */
static void
fill_edge (MeanSource *self, SluiceXAxis axis, gboolean *has, SluiceSeriesSample *edge)
{
  SluiceMeasure measure;

  *has = *has && mean_measure (&self->parent, axis, edge->x, &measure);
  if (!*has)
    return;
  edge->value = measure.mean;
  edge->smoothed = measure.smoothed;
}

static void
note_edges (SluiceEdges *all, const SluiceEdges *of)
{
  if (of->has_before && (!all->has_before || of->before.x > all->before.x))
    all->before = of->before;
  if (of->has_after && (!all->has_after || of->after.x < all->after.x))
    all->after = of->after;
  all->has_before |= of->has_before;
  all->has_after |= of->has_after;
}

static void
mean_read_columns (SluiceSeriesSource *source,
                   SluiceXAxis axis,
                   double x0,
                   double x1,
                   guint n_columns,
                   SluiceColumn *columns,
                   SluiceEdges *edges)
{
  MeanSource *self = (MeanSource *) source;
  guint n_members = self->members->len;
  g_autofree Cell *cells = g_new (Cell, (gsize) MAX (1, n_members) * n_columns);
  g_autofree SluiceEdges *beside = g_new0 (SluiceEdges, MAX (1, n_members));
  g_autofree SluiceColumn *read = g_new (SluiceColumn, n_columns);
  g_autofree Sum *sums = g_new0 (Sum, n_columns);

  memset (columns, 0, n_columns * sizeof *columns);
  *edges = (SluiceEdges){ 0 };
  for (guint m = 0; m < n_members; m++)
    {
      sluice_series_source_read_columns (get_member (self, m), axis, x0, x1, n_columns, read,
                                         &beside[m]);
      note_edges (edges, &beside[m]);
      for (guint i = 0; i < n_columns; i++)
        {
          Cell *cell = &cells[(gsize) m * n_columns + i];

          *cell = make_cell (self, &read[i]);
          columns[i].n_nan += read[i].n_nan;
          columns[i].n_above += read[i].n_above;
          columns[i].n_below += read[i].n_below;
          if (!isnan (cell->x))
            sums[i].x += (cell->x - sums[i].x) / ++sums[i].n_points;
        }
    }
  for (guint m = 0; m < n_members; m++)
    add_member (sums, &cells[(gsize) m * n_columns], n_columns, &beside[m]);
  for (guint i = 0; i < n_columns; i++)
    fill_column (self, &sums[i], &columns[i]);
  fill_edge (self, axis, &edges->has_before, &edges->before);
  fill_edge (self, axis, &edges->has_after, &edges->after);
}

/* ---- the rest of a source ---- */

static void
mean_get_extent (SluiceSeriesSource *source, SluiceXAxis axis, SluiceExtent *extent)
{
  MeanSource *self = (MeanSource *) source;

  *extent = (SluiceExtent){ NAN, NAN, NAN, NAN, NAN, 0 };
  for (guint i = 0; i < self->members->len; i++)
    {
      SluiceExtent of;

      sluice_series_source_get_extent (get_member (self, i), axis, &of);
      extent->x0 = fmin (extent->x0, of.x0);
      extent->x1 = fmax (extent->x1, of.x1);
      extent->min = fmin (extent->min, of.min);
      extent->max = fmax (extent->max, of.max);
      extent->min_positive = fmin (extent->min_positive, of.min_positive);
      extent->n_points = MAX (extent->n_points, of.n_points);
    }
}

static gboolean
mean_prepare (SluiceSeriesSource *source, double smoothing, gint64 budget_us)
{
  MeanSource *self = (MeanSource *) source;
  gint64 end_time = g_get_monotonic_time () + budget_us;
  gboolean ready = TRUE;

  self->weight = smoothing;
  for (guint i = 0; i < self->members->len; i++)
    {
      gint64 left = budget_us < 0 ? -1 : MAX (0, end_time - g_get_monotonic_time ());

      ready = sluice_series_source_prepare (get_member (self, i), smoothing, left) && ready;
    }
  return ready;
}

static void
take_mean (MeanSource *self, SluiceXAxis axis, SluiceSeriesSample *sample)
{
  SluiceMeasure measure;

  if (!mean_measure (&self->parent, axis, sample->x, &measure))
    return; /* it stays what the member has there: not finite */
  sample->value = measure.mean;
  sample->smoothed = measure.smoothed;
}

static gboolean
mean_lookup (SluiceSeriesSource *source, SluiceXAxis axis, double x, SluiceSeriesSample *sample)
{
  MeanSource *self = (MeanSource *) source;
  SluiceSeriesSource *longest = get_longest (self);

  if (longest == NULL || !sluice_series_source_lookup (longest, axis, x, sample))
    return FALSE;
  take_mean (self, axis, sample);
  return TRUE;
}

static guint
mean_read_samples (SluiceSeriesSource *source,
                   SluiceXAxis axis,
                   guint64 first,
                   guint n,
                   SluiceSeriesSample *samples)
{
  MeanSource *self = (MeanSource *) source;
  SluiceSeriesSource *longest = get_longest (self);
  guint n_read =
      longest != NULL ? sluice_series_source_read_samples (longest, axis, first, n, samples) : 0;

  for (guint i = 0; i < n_read; i++)
    take_mean (self, axis, &samples[i]);
  return n_read;
}

static gboolean
mean_refine (SluiceSeriesSource *source, gint64 budget_us)
{
  MeanSource *self = (MeanSource *) source;
  gint64 end_time = g_get_monotonic_time () + budget_us;
  gboolean exact = TRUE;

  for (guint i = 0; i < self->members->len; i++)
    {
      gint64 left = MAX (0, end_time - g_get_monotonic_time ());

      exact = sluice_series_source_refine (get_member (self, i), left) && exact;
    }
  return exact;
}

/* Each of them only grows. */
static guint64
mean_get_serial (SluiceSeriesSource *source)
{
  MeanSource *self = (MeanSource *) source;
  guint64 serial = self->members->len;

  for (guint i = 0; i < self->members->len; i++)
    serial += sluice_series_source_get_serial (get_member (self, i));
  return serial;
}

static SluiceSeriesSource *
mean_get_member (SluiceSeriesSource *source, guint i, const char **name)
{
  MeanSource *self = (MeanSource *) source;

  if (i >= self->members->len)
    return NULL;
  *name = g_array_index (self->members, Member, i).name;
  return get_member (self, i);
}

static void
mean_finalize (SluiceSeriesSource *source)
{
  MeanSource *self = (MeanSource *) source;

  g_array_unref (self->members);
  g_free (self);
}

static void
member_clear (gpointer data)
{
  Member *member = data;

  g_free (member->name);
  sluice_series_source_unref (member->source);
}

static const SluiceSeriesSourceClass mean_class = {
  .get_extent = mean_get_extent,
  .prepare = mean_prepare,
  .read_columns = mean_read_columns,
  .lookup = mean_lookup,
  .read_samples = mean_read_samples,
  .refine = mean_refine,
  .get_serial = mean_get_serial,
  .measure = mean_measure,
  .get_member = mean_get_member,
  .finalize = mean_finalize,
};

SluiceSeriesSource *
sluice_mean_source_new (SluiceSpread spread)
{
  MeanSource *self = g_new0 (MeanSource, 1);

  sluice_series_source_init (&self->parent, &mean_class);
  self->spread = spread;
  self->members = g_array_new (FALSE, FALSE, sizeof (Member));
  g_array_set_clear_func (self->members, member_clear);
  return &self->parent;
}

void
sluice_mean_source_add (SluiceSeriesSource *self, const char *name, SluiceSeriesSource *member)
{
  Member added;

  g_return_if_fail (self->klass == &mean_class);

  added = (Member){ g_strdup (name), sluice_series_source_ref (member) };
  g_array_append_val (((MeanSource *) self)->members, added);
}
