/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/series-view.h"

#include <math.h>

guint
sluice_series_view_find_node (const SluiceSummary *summary, SluiceXAxis axis, double x)
{
  guint lo = 0;
  guint hi = summary->n_nodes;

  while (lo < hi)
    {
      guint mid = lo + (hi - lo) / 2;

      if (_sluice_summary_x (summary, axis, &summary->nodes[mid].last) >= x)
        hi = mid;
      else
        lo = mid + 1;
    }
  return lo;
}

static SluiceSeriesSample
make_sample (const SluiceSeriesView *self,
             guint64 index,
             const SluiceSeriesPoint *point,
             double smoothed)
{
  return (SluiceSeriesSample){ .index = index,
                               .step = point->step,
                               .wall = point->wall,
                               .x = _sluice_summary_x (self->summary, self->axis, point),
                               .value = point->value,
                               .smoothed = smoothed };
}

static void
set_before (SluiceSeriesView *self, guint k)
{
  const SluiceSummaryNode *node = &self->summary->nodes[k];

  self->edges->has_before = TRUE;
  self->edges->before =
      make_sample (self, node->last_finite_index, &node->last_finite,
                   _sluice_summary_node_is_smooth (self->summary, k) ? node->last_smooth
                                                                     : node->last_finite.value);
}

static void
set_after (SluiceSeriesView *self, guint k)
{
  const SluiceSummaryNode *node = &self->summary->nodes[k];

  self->edges->has_after = TRUE;
  self->edges->after =
      make_sample (self, node->first_finite_index, &node->first_finite,
                   _sluice_summary_node_is_smooth (self->summary, k) ? node->first_smooth
                                                                     : node->first_finite.value);
}

void
sluice_series_view_start (SluiceSeriesView *self)
{
  for (guint i = 0; i < self->n_columns; i++)
    self->columns[i] = (SluiceColumn){ .mean = 0 };
  *self->edges = (SluiceEdges){ FALSE };
  self->at = 0;
  self->inexact = FALSE;
  self->node = sluice_series_view_find_node (self->summary, self->axis, self->x0);
  for (guint k = self->node; k > 0 && !self->edges->has_before; k--)
    if (self->summary->nodes[k - 1].n_finite > 0)
      set_before (self, k - 1);
}

/* Is @x, which is in the range, left of the end of the column that is being filled? */
static inline gboolean
is_in_column (const SluiceSeriesView *self, double x)
{
  return self->at + 1 == self->n_columns
         || x < self->x0 + (self->x1 - self->x0) * (self->at + 1) / self->n_columns;
}

/* Where a curve passes; the first of a column where it was empty. */
static void
trace_add (SluiceTrace *trace, gboolean first, const SluiceTrace *other)
{
  if (first)
    {
      *trace = *other;
      return;
    }
  trace->last_x = other->last_x;
  trace->last = other->last;
  trace->min = other->min < trace->min ? other->min : trace->min;
  trace->max = other->max > trace->max ? other->max : trace->max;
}

static void
add_node (SluiceSeriesView *self, guint k)
{
  const SluiceSummaryNode *node = &self->summary->nodes[k];
  SluiceColumn *column = &self->columns[self->at];
  SluiceTrace raw;
  SluiceTrace smooth;

  column->n_nan += node->n_nan;
  column->n_above += node->n_above;
  column->n_below += node->n_below;
  if (node->n_finite == 0)
    return;
  raw =
      (SluiceTrace){ .first_x = _sluice_summary_x (self->summary, self->axis, &node->first_finite),
                     .first = node->first_finite.value,
                     .last_x = _sluice_summary_x (self->summary, self->axis, &node->last_finite),
                     .last = node->last_finite.value,
                     .min = node->min,
                     .max = node->max };
  smooth = raw;
  if (_sluice_summary_node_is_smooth (self->summary, k))
    {
      smooth.first = node->first_smooth;
      smooth.last = node->last_smooth;
      smooth.min = node->smooth_min;
      smooth.max = node->smooth_max;
    }
  trace_add (&column->raw, column->n_finite == 0, &raw);
  trace_add (&column->smooth, column->n_finite == 0, &smooth);
  column->n_finite += node->n_finite;
  column->mean += node->sum;
}

static gboolean
add_point (guint64 index, const SluiceSeriesPoint *point, double smoothed, gpointer data)
{
  SluiceSeriesView *self = data;
  double x = _sluice_summary_x (self->summary, self->axis, point);
  double v = point->value;
  gboolean finite = v - v == 0;
  SluiceColumn *column;

  if (x < self->x0)
    {
      if (finite)
        self->edges->before = make_sample (self, index, point, smoothed);
      self->edges->has_before |= finite;
      return TRUE;
    }
  if (x > self->x1)
    {
      if (finite)
        self->edges->after = make_sample (self, index, point, smoothed);
      self->edges->has_after |= finite;
      return !finite;
    }
  while (!is_in_column (self, x))
    self->at++;
  column = &self->columns[self->at];
  if (finite)
    {
      trace_add (&column->raw, column->n_finite == 0, &(SluiceTrace){ x, v, x, v, v, v });
      trace_add (&column->smooth, column->n_finite == 0,
                 &(SluiceTrace){ x, smoothed, x, smoothed, smoothed, smoothed });
      column->n_finite++;
      column->mean += v;
    }
  else if (v > 0)
    column->n_above++;
  else if (v < 0)
    column->n_below++;
  else
    column->n_nan++;
  return TRUE;
}

static void
finish (SluiceSeriesView *self)
{
  for (guint i = 0; i < self->n_columns; i++)
    {
      SluiceColumn *column = &self->columns[i];

      /* A sum past the greatest double still has a mean between the two ends. */
      column->mean = column->n_finite == 0 ? NAN
                                           : CLAMP (column->mean / column->n_finite,
                                                    column->raw.min, column->raw.max);
    }
}

gboolean
sluice_series_view_step (SluiceSeriesView *self)
{
  guint k = self->node;
  const SluiceSummaryNode *node;
  double first;
  double last;

  if (k == self->summary->n_nodes || self->edges->has_after)
    {
      finish (self);
      return FALSE;
    }
  node = &self->summary->nodes[k];
  self->node++;
  first = _sluice_summary_x (self->summary, self->axis, &node->first);
  if (first > self->x1)
    {
      if (node->n_finite > 0)
        set_after (self, k);
      return TRUE;
    }
  while (first >= self->x0 && !is_in_column (self, first))
    self->at++;
  last = _sluice_summary_x (self->summary, self->axis, &node->last);
  if (first >= self->x0 && last <= self->x1 && is_in_column (self, last))
    {
      add_node (self, k);
      return TRUE;
    }
  if (self->points_left >= node->n)
    {
      self->points_left -= node->n;
      if (sluice_series_summary_walk (self->summary, k, add_point, self))
        return TRUE;
    }
  add_node (self, k);
  self->inexact = TRUE;
  return TRUE;
}
