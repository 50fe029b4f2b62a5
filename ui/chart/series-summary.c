/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/series-summary.h"

#include <math.h>

#define READ_POINTS   512  /* at a time, on the stack */
#define SMOOTH_POINTS 4096 /* at least, in one call: below a millisecond from the disk's cache */

static inline gboolean
is_finite (double v)
{
  return v - v == 0;
}

void
sluice_series_summary_init (SluiceSummary *self, SluiceSeriesPoints *take)
{
  *self = (SluiceSummary){ .points = take };
  sluice_series_summary_clear (self);
}

void
sluice_series_summary_finish (SluiceSummary *self)
{
  self->points->free (self->points);
  g_free (self->nodes);
}

void
sluice_series_summary_clear (SluiceSummary *self)
{
  self->n_nodes = 0;
  self->node_points = 1;
  self->n_points = 0;
  self->n_smoothed = 0;
  self->min = INFINITY;
  self->max = -INFINITY;
  self->min_positive = INFINITY;
  self->constant = TRUE;
}

static void
start_smooth (SluiceSummaryNode *node, const SluiceEma *ema)
{
  node->ema = *ema;
  node->smooth_min = INFINITY;
  node->smooth_max = -INFINITY;
}

static inline double
smooth_point (SluiceSummaryNode *node, SluiceEma *ema, guint64 index, double value)
{
  double v = sluice_ema_next (ema, value);

  if (!is_finite (v))
    return v;
  if (index == node->first_finite_index)
    node->first_smooth = v;
  node->last_smooth = v;
  node->smooth_min = v < node->smooth_min ? v : node->smooth_min;
  node->smooth_max = v > node->smooth_max ? v : node->smooth_max;
  return v;
}

static void
node_add_point (SluiceSummaryNode *node, guint64 index, const SluiceSeriesPoint *point)
{
  double v = point->value;

  if (node->n == 0)
    node->first = *point;
  node->last = *point;
  node->n++;
  if (is_finite (v))
    {
      if (node->n_finite == 0)
        {
          node->first_finite = *point;
          node->first_finite_index = index;
        }
      node->last_finite = *point;
      node->last_finite_index = index;
      node->min = v < node->min ? v : node->min;
      node->max = v > node->max ? v : node->max;
      node->sum += v;
      node->n_finite++;
    }
  else if (v > 0)
    node->n_above++;
  else if (v < 0)
    node->n_below++;
  else
    node->n_nan++;
}

/* Adds the stretch behind; its first smoothed value stands where this one has none. */
static void
node_add (SluiceSummaryNode *node, const SluiceSummaryNode *next)
{
  if (node->n_finite == 0)
    {
      node->first_finite = next->first_finite;
      node->first_finite_index = next->first_finite_index;
      node->first_smooth = next->first_smooth;
    }
  if (next->n_finite > 0)
    {
      node->last_finite = next->last_finite;
      node->last_finite_index = next->last_finite_index;
      node->last_smooth = next->last_smooth;
    }
  node->last = next->last;
  node->min = MIN (node->min, next->min);
  node->max = MAX (node->max, next->max);
  node->sum += next->sum;
  node->smooth_min = MIN (node->smooth_min, next->smooth_min);
  node->smooth_max = MAX (node->smooth_max, next->smooth_max);
  node->n += next->n;
  node->n_finite += next->n_finite;
  node->n_nan += next->n_nan;
  node->n_above += next->n_above;
  node->n_below += next->n_below;
}

/* All nodes are full. */
static void
merge_pairs (SluiceSummary *self)
{
  guint64 rest;

  for (guint i = 0; i < SLUICE_SUMMARY_NODES / 2; i++)
    {
      SluiceSummaryNode node = self->nodes[2 * i];

      node_add (&node, &self->nodes[2 * i + 1]);
      self->nodes[i] = node;
    }
  self->n_nodes = SLUICE_SUMMARY_NODES / 2;
  self->node_points *= 2;
  self->n_merges++;
  /* A node of which half was smoothed is smoothed again, from where it begins. */
  rest = self->n_smoothed % self->node_points;
  if (rest > 0)
    {
      self->n_smoothed -= rest;
      self->ema = self->nodes[self->n_smoothed / self->node_points].ema;
    }
}

static SluiceSummaryNode *
new_node (SluiceSummary *self)
{
  SluiceSummaryNode *node;

  if (self->n_nodes == SLUICE_SUMMARY_NODES)
    merge_pairs (self);
  if (self->n_nodes == self->n_allocated)
    {
      self->n_allocated = CLAMP (2 * self->n_allocated, 64, SLUICE_SUMMARY_NODES);
      self->nodes = g_renew (SluiceSummaryNode, self->nodes, self->n_allocated);
    }
  node = &self->nodes[self->n_nodes++];
  *node = (SluiceSummaryNode){ .min = INFINITY, .max = -INFINITY };
  start_smooth (node, &self->ema);
  return node;
}

void
sluice_series_summary_append (SluiceSummary *self, const SluiceSeriesPoint *point)
{
  SluiceSeriesPoint p = *point;
  SluiceSummaryNode *node;
  gboolean keeps_smooth;

  if (self->n_points == 0)
    {
      self->first_value = p.value;
      p.wall = is_finite (p.wall) ? p.wall : 0;
    }
  else
    {
      double latest = self->nodes[self->n_nodes - 1].last.wall;

      p.wall = is_finite (p.wall) && p.wall > latest ? p.wall : latest;
    }
  /* NaN equals nothing, so one makes the series vary, as in TensorBoard. */
  if (self->constant && !(p.value == self->first_value))
    {
      self->constant = FALSE;
      self->n_smoothed = 0;
    }
  keeps_smooth = !_sluice_summary_passes_through (self) && self->n_points > 0
                 && self->n_smoothed == self->n_points;
  node = self->n_nodes > 0 ? &self->nodes[self->n_nodes - 1] : NULL;
  if (node == NULL || node->n == self->node_points)
    node = new_node (self);
  node_add_point (node, self->n_points, &p);
  if (keeps_smooth)
    {
      self->last_smooth = smooth_point (node, &self->ema, self->n_points, p.value);
      self->n_smoothed++;
    }
  self->n_points++;
  if (is_finite (p.value))
    {
      self->min = MIN (self->min, p.value);
      self->max = MAX (self->max, p.value);
      if (p.value > 0)
        self->min_positive = MIN (self->min_positive, p.value);
    }
}

/* ---- reading the points of a node ---- */

typedef struct
{
  SluiceSeriesPoint points[READ_POINTS];
  guint64 index; /* of points[0] */
  guint n;
  guint64 end;
  gint64 from_step;
  double wall; /* the latest so far */
} Reader;

static void
reader_init (Reader *reader, const SluiceSummary *self, guint k)
{
  const SluiceSummaryNode *node = &self->nodes[k];

  reader->index = (guint64) k * self->node_points;
  reader->n = 0;
  reader->end = reader->index + node->n;
  reader->from_step = node->first.step;
  reader->wall = node->first.wall;
}

/* The next points; FALSE: no more. */
static gboolean
reader_next (Reader *reader, const SluiceSummary *self)
{
  guint64 left;

  reader->index += reader->n;
  left = reader->end - reader->index;
  reader->n = left == 0 ? 0
                        : self->points->read (self->points, reader->index, reader->from_step,
                                              (guint) MIN (left, READ_POINTS), reader->points);
  for (guint i = 0; i < reader->n; i++)
    {
      double wall = reader->points[i].wall;

      reader->wall = is_finite (wall) && wall > reader->wall ? wall : reader->wall;
      reader->points[i].wall = reader->wall;
    }
  if (reader->n > 0)
    reader->from_step = reader->points[reader->n - 1].step + 1;
  return reader->n > 0;
}

static void
smooth_node (SluiceSummary *self, guint k)
{
  SluiceSummaryNode *node = &self->nodes[k];
  Reader reader;

  start_smooth (node, &self->ema);
  reader_init (&reader, self, k);
  while (reader_next (&reader, self))
    for (guint i = 0; i < reader.n; i++)
      self->last_smooth = smooth_point (node, &self->ema, reader.index + i, reader.points[i].value);
  self->n_smoothed += node->n;
}

void
sluice_series_summary_smooth (SluiceSummary *self)
{
  guint64 from = self->n_smoothed;

  if (from == 0)
    sluice_ema_init (&self->ema, self->weight);
  while (self->n_smoothed < self->n_points && self->n_smoothed - from < SMOOTH_POINTS)
    smooth_node (self, (guint) (self->n_smoothed / self->node_points));
}

gboolean
sluice_series_summary_walk (const SluiceSummary *self,
                            guint k,
                            SluiceSummaryFunc func,
                            gpointer data)
{
  gboolean smooth = _sluice_summary_node_is_smooth (self, k);
  SluiceEma ema = self->nodes[k].ema;
  gboolean any = FALSE;
  Reader reader;

  reader_init (&reader, self, k);
  while (reader_next (&reader, self))
    {
      any = TRUE;
      for (guint i = 0; i < reader.n; i++)
        {
          double v = reader.points[i].value;

          if (!func (reader.index + i, &reader.points[i], smooth ? sluice_ema_next (&ema, v) : v,
                     data))
            return TRUE;
        }
    }
  return any;
}
