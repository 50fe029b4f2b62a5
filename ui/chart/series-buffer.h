/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/series-source.h"

G_BEGIN_DECLS

/*
 * A series in memory: every point, a min/max/mean pyramid over them, and their smoothing, all kept
 * up as points arrive. It is a #SluiceSeriesSource: cast it, share it by its reference count.
 */
typedef struct _SluiceSeriesBuffer SluiceSeriesBuffer;

/** sluice_series_buffer_new: (transfer full): an empty series. Free with
 * sluice_series_source_unref(). */
SluiceSeriesBuffer *sluice_series_buffer_new (void);

/** sluice_series_buffer_as_source: (transfer none): the same object as what charts take. */
SluiceSeriesSource *sluice_series_buffer_as_source (SluiceSeriesBuffer *self);

/**
 * sluice_series_buffer_append:
 * @self: a series
 * @step: usually past the last one; an earlier one goes to its place, at the cost of the points
 *   after it; one already there is kept beside it
 * @wall: seconds since 1970. A clock that was set back shows the points at the latest time so far
 * @value: any double
 *
 * Amortised O(1); no call copies more than a small part of the series.
 */
void sluice_series_buffer_append (SluiceSeriesBuffer *self, gint64 step, double wall, double value);

/** sluice_series_buffer_clear: forgets every point (a run was rewound and will be read again). */
void sluice_series_buffer_clear (SluiceSeriesBuffer *self);

/** sluice_series_buffer_get_n_points: how many points there are. */
guint64 sluice_series_buffer_get_n_points (SluiceSeriesBuffer *self);

static inline void
sluice_series_buffer_unref (SluiceSeriesBuffer *self)
{
  sluice_series_source_unref ((SluiceSeriesSource *) self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSeriesBuffer, sluice_series_buffer_unref)

G_END_DECLS
