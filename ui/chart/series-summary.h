/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/pauses.h"
#include "ui/chart/series-points.h"
#include "ui/chart/series-source.h"
#include "ui/chart/smoothing.h"

G_BEGIN_DECLS

/*
 * A series as at most SLUICE_SUMMARY_NODES stretches of equally many points. When they are full,
 * neighbours become one: what it takes does not grow with the points. Where a stretch must be known
 * in detail its points are read from where they lie.
 */
#define SLUICE_SUMMARY_NODES 4096

typedef struct
{
  SluiceSeriesPoint first, last;               /* wall: the latest so far */
  SluiceSeriesPoint first_finite, last_finite; /* valid when n_finite > 0 */
  guint64 first_finite_index, last_finite_index;
  double first_smooth, last_smooth; /* of those two; valid when the stretch is smoothed */
  double min, max, sum;             /* of the finite values */
  double smooth_min, smooth_max;
  guint32 n, n_finite, n_nan, n_above, n_below;
  SluiceEma ema; /* as it was before the first point */
} SluiceSummaryNode;

typedef struct
{
  SluiceSeriesPoints *points; /* owned */
  SluicePauses *pauses;       /* (nullable) owned: what the relative axis leaves out */
  SluiceSummaryNode *nodes;
  guint n_nodes, n_allocated;
  guint node_points; /* of every node but the last: a power of 2 */
  guint n_merges;
  guint64 n_points;
  double min, max, min_positive;
  double first_value;
  gboolean constant; /* every value equals the first: shown as it is, not smoothed */
  double weight;
  SluiceEma ema;      /* after n_smoothed points */
  guint64 n_smoothed; /* at a node's start, or all */
  double last_smooth; /* of the last point, when all are smoothed */
} SluiceSummary;

void sluice_series_summary_init (SluiceSummary *self, SluiceSeriesPoints *take);
void sluice_series_summary_finish (SluiceSummary *self);
/* Forgets all but the weight. */
void sluice_series_summary_clear (SluiceSummary *self);
/* Steps must not fall. Amortised O(1). */
void sluice_series_summary_append (SluiceSummary *self, const SluiceSeriesPoint *point);

/* TRUE: smoothed values are the values. */
static inline gboolean
_sluice_summary_passes_through (const SluiceSummary *self)
{
  return self->weight == 0 || self->constant;
}

static inline gboolean
_sluice_summary_node_is_smooth (const SluiceSummary *self, guint k)
{
  return !_sluice_summary_passes_through (self)
         && (guint64) k * self->node_points < self->n_smoothed;
}

static inline double
_sluice_summary_x (const SluiceSummary *self, SluiceXAxis axis, const SluiceSeriesPoint *point)
{
  return axis == SLUICE_X_STEP ? (double) point->step
         : axis == SLUICE_X_WALL
             ? point->wall
             : sluice_pauses_get_active (self->pauses, self->nodes[0].first.wall, point->wall);
}

/* Smooths some thousand points more. */
void sluice_series_summary_smooth (SluiceSummary *self);

/* FALSE ends the walk. */
typedef gboolean (*SluiceSummaryFunc) (guint64 index,
                                       const SluiceSeriesPoint *point,
                                       double smoothed,
                                       gpointer data);
/* Every point of a node in its order. FALSE: none could be read. */
gboolean sluice_series_summary_walk (const SluiceSummary *self,
                                     guint k,
                                     SluiceSummaryFunc func,
                                     gpointer data);

G_END_DECLS
