/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/pauses.h"

G_BEGIN_DECLS

/*
 * What a chart draws: a series that answers for pixel columns, so that a picture costs the same for
 * a thousand points and for a hundred million. Main thread only.
 */

typedef enum
{
  SLUICE_X_STEP,
  SLUICE_X_RELATIVE, /* seconds since the series' own first point, pauses left out */
  SLUICE_X_WALL,     /* seconds since 1970 */
  SLUICE_X_SERIES,   /* the values of another series, at the same steps */
  SLUICE_N_X_AXES
} SluiceXAxis;

typedef struct
{
  double x0, x1;       /* of all points; NaN when there is none */
  double min, max;     /* of the finite values; NaN when there is none */
  double min_positive; /* NaN when there is none */
  guint64 n_points;
} SluiceExtent;

/* One point. */
typedef struct
{
  guint64 index; /* its place in the series */
  gint64 step;
  double wall; /* seconds since 1970 */
  double x;    /* on the axis asked for */
  double value;
  double smoothed;
} SluiceSeriesSample;

/* Where a curve enters and leaves a column and how far it swings: enough to draw it exactly. */
typedef struct
{
  double first_x, first; /* the first finite point */
  double last_x, last;   /* the last finite point */
  double min, max;
} SluiceTrace;

/* The points of one pixel column: x0 + i dx <= x < x0 + (i + 1) dx, the last one closed. */
typedef struct
{
  guint32 n_finite;
  guint32 n_nan, n_above, n_below; /* NaN, +infinity, -infinity */
  double mean;                     /* of the finite values */
  SluiceTrace raw, smooth;         /* valid when n_finite > 0 */
} SluiceColumn;

/* The nearest finite point on either side of the range, so that curves enter and leave the plot. */
typedef struct
{
  gboolean has_before, has_after;
  SluiceSeriesSample before, after;
} SluiceEdges;

/* What several series have at a place. */
typedef struct
{
  guint n;                          /* of them that have a value there; 0: it is one series */
  double mean, deviation, smoothed; /* deviation: the sample's; smoothed: the mean of theirs */
} SluiceMeasure;

/**
 * sluice_column_get_smooth_mean:
 *
 * The mean of the smoothed values of a column, from what is known of it: s = w s' + (1 - w) v,
 * where s' is the smoothed value before, summed over the column's n points gives n mean (s) = n
 * mean (v) + w / (1 - w) (s before the first - s of the last). Where the series begins, smoothing
 * is corrected for its start, which that leaves out: the mean stays in what the column covers.
 */
static inline double
sluice_column_get_smooth_mean (const SluiceColumn *column, double weight)
{
  const SluiceTrace *s = &column->smooth;
  double before = s->first - (1 - weight) * column->raw.first; /* times w */
  double mean = column->mean + (before - weight * s->last) / ((1 - weight) * column->n_finite);

  return CLAMP (mean, s->min, s->max);
}

typedef struct _SluiceSeriesSource SluiceSeriesSource;

typedef struct
{
  void (*get_extent) (SluiceSeriesSource *self, SluiceXAxis axis, SluiceExtent *extent);
  gboolean (*prepare) (SluiceSeriesSource *self, double smoothing, gint64 budget_us);
  void (*read_columns) (SluiceSeriesSource *self,
                        SluiceXAxis axis,
                        double x0,
                        double x1,
                        guint n_columns,
                        SluiceColumn *columns,
                        SluiceEdges *edges);
  gboolean (*lookup) (SluiceSeriesSource *self,
                      SluiceXAxis axis,
                      double x,
                      SluiceSeriesSample *sample);
  guint (*read_samples) (SluiceSeriesSource *self,
                         SluiceXAxis axis,
                         guint64 first,
                         guint n,
                         SluiceSeriesSample *samples);
  gboolean (*refine) (SluiceSeriesSource *self, gint64 budget_us);
  guint64 (*get_serial) (SluiceSeriesSource *self);
  const SluicePauses *(*get_pauses) (SluiceSeriesSource *self); /* NULL: it knows of none */
  /* NULL, both of them: of one series. */
  gboolean (*measure) (SluiceSeriesSource *self,
                       SluiceXAxis axis,
                       double x,
                       SluiceMeasure *measure);
  SluiceSeriesSource *(*get_member) (SluiceSeriesSource *self, guint i, const char **name);
  void (*finalize) (SluiceSeriesSource *self); /* frees the whole object */
} SluiceSeriesSourceClass;

/* Embed as the first member; start with sluice_series_source_init(). */
struct _SluiceSeriesSource
{
  const SluiceSeriesSourceClass *klass;
  guint ref_count;
};

/** sluice_series_source_init: @self gets @klass and one reference. */
void sluice_series_source_init (SluiceSeriesSource *self, const SluiceSeriesSourceClass *klass);

SluiceSeriesSource *sluice_series_source_ref (SluiceSeriesSource *self);
void sluice_series_source_unref (SluiceSeriesSource *self);

/** sluice_series_source_get_extent: the range of the whole series. */
void
sluice_series_source_get_extent (SluiceSeriesSource *self, SluiceXAxis axis, SluiceExtent *extent);

/**
 * sluice_series_source_prepare:
 * @self: a series
 * @smoothing: weight, 0 (none) to 1; what the next reads show as smoothed
 * @budget_us: how long this call may take, in microseconds; -1 for as long as it needs
 *
 * Smooths on the full data. A series has one weight at a time: the last one prepared. Columns read
 * after a call without a budget are exact at once.
 *
 * Returns: %FALSE when the budget ended first: until a later call ends the work, smoothed values
 *   past what is done are the raw ones.
 */
gboolean
sluice_series_source_prepare (SluiceSeriesSource *self, double smoothing, gint64 budget_us);

/**
 * sluice_series_source_read_columns:
 * @self: a series
 * @axis: what x means
 * @x0: left edge of the first column
 * @x1: right edge of the last; @x0 < @x1
 * @n_columns: how many columns between them
 * @columns: (out caller-allocates) (array length=n_columns): the answer
 * @edges: (out caller-allocates): the points beside the range
 */
void sluice_series_source_read_columns (SluiceSeriesSource *self,
                                        SluiceXAxis axis,
                                        double x0,
                                        double x1,
                                        guint n_columns,
                                        SluiceColumn *columns,
                                        SluiceEdges *edges);

/** sluice_series_source_lookup: the point nearest to @x. Returns: %FALSE for an empty series. */
gboolean sluice_series_source_lookup (SluiceSeriesSource *self,
                                      SluiceXAxis axis,
                                      double x,
                                      SluiceSeriesSample *sample);

/**
 * sluice_series_source_read_samples:
 * @first: index of the first point wanted
 * @n: room in @samples
 *
 * For exports and for walking point by point, never for drawing.
 *
 * Returns: how many were read: fewer than @n only at the end of the series.
 */
guint sluice_series_source_read_samples (SluiceSeriesSource *self,
                                         SluiceXAxis axis,
                                         guint64 first,
                                         guint n,
                                         SluiceSeriesSample *samples);

/**
 * sluice_series_source_refine:
 * @budget_us: how long this call may take, in microseconds
 *
 * Works on the columns that were read last, where they were not exact. When they are, the serial
 * changes and reading them again gives them.
 *
 * Returns: %FALSE while there is more to do
 */
gboolean sluice_series_source_refine (SluiceSeriesSource *self, gint64 budget_us);

/** sluice_series_source_get_serial: a number that differs whenever the data differ. */
guint64 sluice_series_source_get_serial (SluiceSeriesSource *self);

/** sluice_series_source_get_pauses: (nullable) (transfer none): when its run stood still. */
const SluicePauses *sluice_series_source_get_pauses (SluiceSeriesSource *self);

/** sluice_series_source_is_mean: is it the mean of several, whose columns have a band? */
static inline gboolean
sluice_series_source_is_mean (SluiceSeriesSource *self)
{
  return self->klass->measure != NULL;
}

/** sluice_series_source_measure: what the series of a mean have at @x. Returns: %FALSE, and a
 * measure of none, where it is no mean or nothing is there. */
gboolean sluice_series_source_measure (SluiceSeriesSource *self,
                                       SluiceXAxis axis,
                                       double x,
                                       SluiceMeasure *measure);

/** sluice_series_source_get_member: (nullable) (transfer none): the @i-th series of a mean, and its
 * @name. */
SluiceSeriesSource *
sluice_series_source_get_member (SluiceSeriesSource *self, guint i, const char **name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSeriesSource, sluice_series_source_unref)

G_END_DECLS
