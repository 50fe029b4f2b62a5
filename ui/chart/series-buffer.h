/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/series-points.h"
#include "ui/chart/series-source.h"

G_BEGIN_DECLS

/*
 * A series that grows: a summary of bounded size, its smoothing, and the points wherever they lie.
 * What a column needs in detail is read from there. It is a #SluiceSeriesSource: cast it, share it
 * by its reference count.
 */
typedef struct _SluiceSeriesBuffer SluiceSeriesBuffer;

/** sluice_series_buffer_new: (transfer full): an empty series whose points are kept in memory. Free
 * with sluice_series_source_unref(). */
SluiceSeriesBuffer *sluice_series_buffer_new (void);

/**
 * sluice_series_buffer_new_over:
 * @take: (transfer full): where the points are kept; a point is there before it is appended
 *
 * What the series takes in memory is bounded: SLUICE_SUMMARY_NODES stretches and the pictures of
 * its last views. Where a view would need more than a thousand of its points, the first answer
 * takes stretches whole, so that a point may be drawn in the column beside its own; refining it
 * makes it exact.
 */
SluiceSeriesBuffer *sluice_series_buffer_new_over (SluiceSeriesPoints *take);

/** sluice_series_buffer_as_source: (transfer none): the same object as what charts take. */
SluiceSeriesSource *sluice_series_buffer_as_source (SluiceSeriesBuffer *self);

/** sluice_series_buffer_set_pauses: what the relative axis leaves out; shared, and it may grow. */
void sluice_series_buffer_set_pauses (SluiceSeriesBuffer *self, SluicePauses *pauses);

/**
 * sluice_series_buffer_append:
 * @self: a series
 * @step: usually past the last one. In memory an earlier one goes to its place, at the cost of
 *   reading the whole series again, and one already there is kept beside it; elsewhere it is past
 *   the last one
 * @wall: seconds since 1970. A clock that was set back shows the points at the latest time so far
 * @value: any double
 *
 * Amortised O(1).
 */
void sluice_series_buffer_append (SluiceSeriesBuffer *self, gint64 step, double wall, double value);

/** sluice_series_buffer_clear: forgets every point (a run was rewound and will be read again). */
void sluice_series_buffer_clear (SluiceSeriesBuffer *self);

/** sluice_series_buffer_get_n_points: how many points there are. */
guint64 sluice_series_buffer_get_n_points (SluiceSeriesBuffer *self);

/** sluice_series_buffer_count_non_finite: how many of them are NaN or infinite. */
guint64 sluice_series_buffer_count_non_finite (SluiceSeriesBuffer *self);

/**
 * sluice_series_buffer_find_extreme:
 * @greatest: or else the least
 *
 * The first point that has the least or greatest finite value; reads the points of one stretch.
 *
 * Returns: %FALSE where no value is finite, or the points could not be read
 */
gboolean sluice_series_buffer_find_extreme (SluiceSeriesBuffer *self,
                                            gboolean greatest,
                                            SluiceSeriesSample *sample);

static inline void
sluice_series_buffer_unref (SluiceSeriesBuffer *self)
{
  sluice_series_source_unref ((SluiceSeriesSource *) self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSeriesBuffer, sluice_series_buffer_unref)

G_END_DECLS
