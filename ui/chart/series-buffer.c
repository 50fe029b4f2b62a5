/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/series-buffer.h"

#include "ui/chart/series-view.h"

#include <math.h>
#include <string.h>

/* Points that one reading may read from where they lie: of a million, from eight chunks of the
 * store, half a millisecond. */
#define POINTS_AT_ONCE 1024
/* A chart, its sparkline and two more. */
#define N_VIEWS 4
/* Where the nodes are much finer than the columns, what is not exact cannot be seen; it can wait
 * until the range rests. */
#define FINE     4 /* nodes a column */
#define QUIET_US 200000

/* Exact columns of a range, or those that are being made so. */
typedef struct
{
  SluiceSeriesView view; /* columns and edges are the ones below */
  SluiceColumn *columns;
  SluiceEdges edges;
  guint64 epoch, n_points; /* of the series then */
  guint n_merges;
  gboolean started, done;
  gint64 asked; /* when, in monotonic time */
} Kept;

struct _SluiceSeriesBuffer
{
  SluiceSeriesSource parent;
  SluiceSummary summary;
  GArray *own;    /* of SluiceSeriesPoint: the points, where they are kept here */
  gboolean stale; /* a point was put between others */
  gboolean exact; /* reads as many points as it needs */
  guint64 serial;
  guint64 epoch; /* counts what changes points that were there */
  Kept *kept;   /* (nullable): N_VIEWS of them, once it is drawn: a log may have a million series */
  Kept *wanted; /* what refining works on; NULL: nothing */
};

/* ---- points in memory ---- */

typedef struct
{
  SluiceSeriesPoints parent;
  GArray *points;
} OwnPoints;

static guint
own_read (
    SluiceSeriesPoints *points, guint64 index, gint64 from_step, guint n, SluiceSeriesPoint *out)
{
  GArray *all = ((OwnPoints *) points)->points;
  guint n_read = index < all->len ? (guint) MIN (n, all->len - index) : 0;

  if (n_read > 0)
    memcpy (out, &g_array_index (all, SluiceSeriesPoint, index), n_read * sizeof *out);
  return n_read;
}

static void
own_forget (SluiceSeriesPoints *points)
{
  g_array_set_size (((OwnPoints *) points)->points, 0);
}

static void
own_free (SluiceSeriesPoints *points)
{
  g_array_unref (((OwnPoints *) points)->points);
  g_free (points);
}

/* Puts a late point behind those of its step, at a time between its neighbours'. */
static void
insert_own (GArray *all, SluiceSeriesPoint point)
{
  guint at = all->len;

  while (at > 0 && g_array_index (all, SluiceSeriesPoint, at - 1).step > point.step)
    at--;
  point.wall = MIN (point.wall, g_array_index (all, SluiceSeriesPoint, at).wall);
  g_array_insert_val (all, at, point);
}

/* The summary of all points anew, where some were put between others. */
static SluiceSummary *
settle (SluiceSeriesBuffer *self)
{
  if (self->stale)
    {
      self->stale = FALSE;
      sluice_series_summary_clear (&self->summary);
      for (guint i = 0; i < self->own->len; i++)
        sluice_series_summary_append (&self->summary,
                                      &g_array_index (self->own, SluiceSeriesPoint, i));
    }
  return &self->summary;
}

/* ---- as a source ---- */

static guint64
get_n_pause_changes (const SluiceSeriesBuffer *self)
{
  return self->summary.pauses != NULL ? self->summary.pauses->serial : 0;
}

/* Both only grow, so the sum differs whenever one of them does. */
static guint64
get_epoch (const SluiceSeriesBuffer *self)
{
  return self->epoch + get_n_pause_changes (self);
}

static void
buffer_get_extent (SluiceSeriesSource *source, SluiceXAxis axis, SluiceExtent *extent)
{
  SluiceSummary *summary = settle ((SluiceSeriesBuffer *) source);
  gboolean has_finite = summary->min <= summary->max;

  *extent = (SluiceExtent){ .x0 = NAN, .x1 = NAN, .n_points = summary->n_points };
  extent->min = has_finite ? summary->min : NAN;
  extent->max = has_finite ? summary->max : NAN;
  extent->min_positive = isfinite (summary->min_positive) ? summary->min_positive : NAN;
  if (summary->n_points > 0)
    {
      extent->x0 = _sluice_summary_x (summary, axis, &summary->nodes[0].first);
      extent->x1 = _sluice_summary_x (summary, axis, &summary->nodes[summary->n_nodes - 1].last);
    }
}

static gboolean
buffer_prepare (SluiceSeriesSource *source, double smoothing, gint64 budget_us)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  SluiceSummary *summary = settle (self);
  gint64 end_time;

  self->exact = self->own != NULL || budget_us < 0;
  if (smoothing != summary->weight)
    {
      summary->weight = smoothing;
      summary->n_smoothed = 0;
      self->serial++;
      self->epoch++;
    }
  if (_sluice_summary_passes_through (summary) || summary->n_smoothed == summary->n_points)
    return TRUE;
  end_time = budget_us < 0 ? G_MAXINT64 : g_get_monotonic_time () + budget_us;
  self->serial++;
  self->epoch++;
  do
    sluice_series_summary_smooth (summary);
  while (summary->n_smoothed < summary->n_points && g_get_monotonic_time () < end_time);
  return summary->n_smoothed == summary->n_points;
}

static gboolean
is_for (const Kept *kept, SluiceXAxis axis, double x0, double x1, guint n_columns)
{
  const SluiceSeriesView *view = &kept->view;

  return view->axis == axis && view->x0 == x0 && view->x1 == x1 && view->n_columns == n_columns;
}

/* Are these still the columns of the series? Points that came after the range change nothing. */
static gboolean
is_current (SluiceSeriesBuffer *self, const Kept *kept)
{
  return kept->epoch == get_epoch (self)
         && (kept->n_points == self->summary.n_points || (kept->done && kept->edges.has_after));
}

static Kept *
find_kept (SluiceSeriesBuffer *self, SluiceXAxis axis, double x0, double x1, guint n_columns)
{
  for (guint i = 0; i < N_VIEWS; i++)
    if (self->kept != NULL && self->kept[i].columns != NULL
        && is_for (&self->kept[i], axis, x0, x1, n_columns))
      return &self->kept[i];
  return NULL;
}

static Kept *
oldest_kept (SluiceSeriesBuffer *self)
{
  Kept *oldest;

  if (self->kept == NULL)
    self->kept = g_new0 (Kept, N_VIEWS);
  oldest = &self->kept[0];
  for (guint i = 1; i < N_VIEWS; i++)
    if (self->kept[i].asked < oldest->asked)
      oldest = &self->kept[i];
  return oldest;
}

/* Notes what refining is to make exact; what it has done of that stays. */
static void
want (SluiceSeriesBuffer *self, const SluiceSeriesView *view)
{
  Kept *kept = find_kept (self, view->axis, view->x0, view->x1, view->n_columns);

  if (kept == NULL)
    {
      kept = oldest_kept (self);
      kept->columns = g_renew (SluiceColumn, kept->columns, view->n_columns);
      kept->view = *view;
      kept->view.columns = kept->columns;
      kept->view.edges = &kept->edges;
      kept->epoch = 0; /* of no series */
    }
  if (!is_current (self, kept))
    {
      kept->started = kept->done = FALSE;
      kept->asked = g_get_monotonic_time ();
      kept->epoch = get_epoch (self);
      kept->n_points = self->summary.n_points;
    }
  self->wanted = kept;
}

static void
buffer_read_columns (SluiceSeriesSource *source,
                     SluiceXAxis axis,
                     double x0,
                     double x1,
                     guint n_columns,
                     SluiceColumn *columns,
                     SluiceEdges *edges)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  SluiceSeriesView view = { .summary = settle (self),
                            .axis = axis,
                            .x0 = x0,
                            .x1 = x1,
                            .n_columns = n_columns,
                            .columns = columns,
                            .edges = edges,
                            .points_left = self->exact ? G_MAXUINT64 : POINTS_AT_ONCE };
  Kept *kept = find_kept (self, axis, x0, x1, n_columns);

  if (kept != NULL && kept->done && is_current (self, kept))
    {
      memcpy (columns, kept->columns, n_columns * sizeof *columns);
      *edges = kept->edges;
      return;
    }
  sluice_series_view_start (&view);
  while (sluice_series_view_step (&view))
    ;
  if (view.inexact && !self->exact)
    want (self, &view);
}

/* Is the picture as good as exact for as long as the range moves? */
static gboolean
can_wait (SluiceSeriesBuffer *self, const Kept *kept)
{
  const SluiceSeriesView *view = &kept->view;
  guint first = sluice_series_view_find_node (&self->summary, view->axis, view->x0);
  guint end = sluice_series_view_find_node (&self->summary, view->axis, view->x1);

  return end - first >= FINE * view->n_columns && g_get_monotonic_time () - kept->asked < QUIET_US;
}

static gboolean
buffer_refine (SluiceSeriesSource *source, gint64 budget_us)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  SluiceSummary *summary = settle (self);
  Kept *kept = self->wanted;
  gint64 end_time = g_get_monotonic_time () + budget_us;

  if (kept == NULL)
    return TRUE;
  if (!kept->started && can_wait (self, kept))
    return FALSE;
  if (!kept->started || !is_current (self, kept) || kept->n_merges != summary->n_merges)
    {
      kept->started = TRUE;
      kept->epoch = get_epoch (self);
      kept->n_points = summary->n_points;
      kept->n_merges = summary->n_merges;
      kept->view.points_left = G_MAXUINT64;
      sluice_series_view_start (&kept->view);
    }
  do
    if (!sluice_series_view_step (&kept->view))
      {
        kept->done = TRUE;
        self->wanted = NULL;
        self->serial++;
        return TRUE;
      }
  while (g_get_monotonic_time () < end_time);
  return FALSE;
}

/* ---- single points ---- */

typedef struct
{
  const SluiceSummary *summary;
  SluiceXAxis axis;
  double x; /* what is looked for, or NaN: the first_index-th and those behind it */
  guint64 first_index;
  SluiceSeriesSample *samples;
  guint n, max;
} Samples;

static void
put_sample (Samples *self, guint i, guint64 index, const SluiceSeriesPoint *point, double smoothed)
{
  self->samples[i] =
      (SluiceSeriesSample){ .index = index,
                            .step = point->step,
                            .wall = point->wall,
                            .x = _sluice_summary_x (self->summary, self->axis, point),
                            .value = point->value,
                            .smoothed = smoothed };
}

static gboolean
take_from_index (guint64 index, const SluiceSeriesPoint *point, double smoothed, gpointer data)
{
  Samples *self = data;

  if (index >= self->first_index)
    put_sample (self, self->n++, index, point, smoothed);
  return self->n < self->max;
}

/* samples[0]: the last point before x; samples[1]: the first that is not. */
static gboolean
take_around (guint64 index, const SluiceSeriesPoint *point, double smoothed, gpointer data)
{
  Samples *self = data;
  gboolean before = _sluice_summary_x (self->summary, self->axis, point) < self->x;

  put_sample (self, !before, index, point, smoothed);
  self->n |= before ? 1 : 2;
  return before;
}

static gboolean
buffer_lookup (SluiceSeriesSource *source, SluiceXAxis axis, double x, SluiceSeriesSample *sample)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  const SluiceSummary *summary = settle (self);
  SluiceSeriesSample around[2];
  Samples found = { .summary = summary, .axis = axis, .x = x, .samples = around };
  const SluiceSeriesPoint *last;
  guint k;

  if (summary->n_points == 0)
    return FALSE;
  last = &summary->nodes[summary->n_nodes - 1].last;
  if (!(x <= _sluice_summary_x (summary, axis, last)))
    {
      found.samples = sample;
      put_sample (&found, 0, summary->n_points - 1, last,
                  !_sluice_summary_passes_through (summary)
                          && summary->n_smoothed == summary->n_points
                      ? summary->last_smooth
                      : last->value);
      return TRUE;
    }
  /* The node that reaches x; where it begins there, the point before is the last of its neighbour.
   */
  k = sluice_series_view_find_node (summary, axis, x);
  if (k > 0 && _sluice_summary_x (summary, axis, &summary->nodes[k].first) >= x)
    sluice_series_summary_walk (summary, k - 1, take_around, &found);
  sluice_series_summary_walk (summary, k, take_around, &found);
  if (found.n == 0)
    return FALSE;
  if (found.n == 3)
    *sample = x - around[0].x <= around[1].x - x ? around[0] : around[1];
  else
    *sample = around[found.n - 1];
  return TRUE;
}

static guint
buffer_read_samples (SluiceSeriesSource *source,
                     SluiceXAxis axis,
                     guint64 first,
                     guint n,
                     SluiceSeriesSample *samples)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  const SluiceSummary *summary = settle (self);
  Samples found = {
    .summary = summary, .axis = axis, .first_index = first, .samples = samples, .max = n
  };

  for (guint64 k = first / summary->node_points; k < summary->n_nodes && found.n < n; k++)
    if (!sluice_series_summary_walk (summary, (guint) k, take_from_index, &found))
      break;
  return found.n;
}

guint64
sluice_series_buffer_count_non_finite (SluiceSeriesBuffer *self)
{
  const SluiceSummary *summary = settle (self);
  guint64 n = 0;

  for (guint k = 0; k < summary->n_nodes; k++)
    n += summary->nodes[k].n - summary->nodes[k].n_finite;
  return n;
}

/* The first that has the value. */
static gboolean
take_value (guint64 index, const SluiceSeriesPoint *point, double smoothed, gpointer data)
{
  Samples *self = data;

  if (point->value == self->x)
    put_sample (self, self->n++, index, point, smoothed);
  return self->n == 0;
}

gboolean
sluice_series_buffer_find_extreme (SluiceSeriesBuffer *self,
                                   gboolean greatest,
                                   SluiceSeriesSample *sample)
{
  const SluiceSummary *summary = settle (self);
  Samples found = { .summary = summary,
                    .axis = SLUICE_X_STEP,
                    .x = greatest ? summary->max : summary->min,
                    .samples = sample };

  for (guint k = 0; k < summary->n_nodes && found.n == 0; k++)
    {
      const SluiceSummaryNode *node = &summary->nodes[k];

      if (node->n_finite > 0 && (greatest ? node->max : node->min) == found.x)
        {
          sluice_series_summary_walk (summary, k, take_value, &found);
          break;
        }
    }
  return found.n > 0;
}

static guint64
buffer_get_serial (SluiceSeriesSource *source)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;

  return self->serial + get_n_pause_changes (self);
}

static const SluicePauses *
buffer_get_pauses (SluiceSeriesSource *source)
{
  return ((SluiceSeriesBuffer *) source)->summary.pauses;
}

static void
buffer_finalize (SluiceSeriesSource *source)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;

  for (guint i = 0; i < N_VIEWS && self->kept != NULL; i++)
    g_free (self->kept[i].columns);
  g_free (self->kept);
  sluice_series_summary_finish (&self->summary);
  g_clear_pointer (&self->summary.pauses, sluice_pauses_unref);
  g_free (self);
}

static const SluiceSeriesSourceClass buffer_class = {
  .get_extent = buffer_get_extent,
  .prepare = buffer_prepare,
  .read_columns = buffer_read_columns,
  .lookup = buffer_lookup,
  .read_samples = buffer_read_samples,
  .refine = buffer_refine,
  .get_serial = buffer_get_serial,
  .get_pauses = buffer_get_pauses,
  .finalize = buffer_finalize,
};

SluiceSeriesBuffer *
sluice_series_buffer_new_over (SluiceSeriesPoints *take)
{
  SluiceSeriesBuffer *self = g_new0 (SluiceSeriesBuffer, 1);

  sluice_series_source_init (&self->parent, &buffer_class);
  sluice_series_summary_init (&self->summary, take);
  self->serial = 1;
  self->epoch = 1;
  return self;
}

SluiceSeriesBuffer *
sluice_series_buffer_new (void)
{
  OwnPoints *points = g_new0 (OwnPoints, 1);
  SluiceSeriesBuffer *self;

  points->parent = (SluiceSeriesPoints){ own_read, own_forget, own_free };
  points->points = g_array_new (FALSE, FALSE, sizeof (SluiceSeriesPoint));
  self = sluice_series_buffer_new_over (&points->parent);
  self->own = points->points;
  self->exact = TRUE;
  return self;
}

SluiceSeriesSource *
sluice_series_buffer_as_source (SluiceSeriesBuffer *self)
{
  return &self->parent;
}

void
sluice_series_buffer_set_pauses (SluiceSeriesBuffer *self, SluicePauses *pauses)
{
  g_clear_pointer (&self->summary.pauses, sluice_pauses_unref);
  self->summary.pauses = sluice_pauses_ref (pauses);
  self->epoch++;
  self->serial++;
}

void
sluice_series_buffer_append (SluiceSeriesBuffer *self, gint64 step, double wall, double value)
{
  SluiceSeriesPoint point = { step, wall, value };
  const SluiceSeriesPoint *last = NULL;

  g_return_if_fail (self != NULL);

  if (self->own != NULL && self->own->len > 0)
    last = &g_array_index (self->own, SluiceSeriesPoint, self->own->len - 1);
  self->serial++;
  if (!isfinite (wall))
    point.wall = last != NULL ? last->wall : 0;
  if (last != NULL && step < last->step)
    {
      insert_own (self->own, point);
      self->stale = TRUE;
      self->epoch++;
      return;
    }
  if (last != NULL)
    point.wall = MAX (point.wall, last->wall);
  if (self->own != NULL)
    g_array_append_val (self->own, point);
  if (!self->stale)
    sluice_series_summary_append (&self->summary, &point);
}

void
sluice_series_buffer_clear (SluiceSeriesBuffer *self)
{
  g_return_if_fail (self != NULL);

  self->summary.points->forget (self->summary.points);
  sluice_series_summary_clear (&self->summary);
  self->stale = FALSE;
  self->wanted = NULL;
  self->serial++;
  self->epoch++;
}

guint64
sluice_series_buffer_get_n_points (SluiceSeriesBuffer *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return settle (self)->n_points;
}
