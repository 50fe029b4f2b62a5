/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/series-source.h"

G_BEGIN_DECLS

/* Of more pairs every second, every fourth … is kept: more could not be told apart in a plot. */
#define SLUICE_PAIRS_MOST 4096

/**
 * sluice_pair_source_new:
 * @x: (nullable): another series of the run; NULL: the run has none
 * @y: a series
 *
 * (transfer full): a series of the values of @y at the places that the values of @x give: the
 * points of both that have the same step. Those where @x is not finite are left out. Only on
 * %SLUICE_X_SERIES are its points in order of x, on other axes they are in order of steps. It is
 * brought up to date by sluice_series_source_prepare().
 */
SluiceSeriesSource *sluice_pair_source_new (SluiceSeriesSource *x, SluiceSeriesSource *y);

/** sluice_pair_source_read_steps: as sluice_series_source_read_samples(), in order of steps, but
 * each at its place on %SLUICE_X_SERIES. */
guint sluice_pair_source_read_steps (SluiceSeriesSource *self,
                                     guint64 first,
                                     guint n,
                                     SluiceSeriesSample *samples);

/** sluice_pair_source_get_stride: 1, or of how many pairs one is kept. */
guint sluice_pair_source_get_stride (SluiceSeriesSource *self);

G_END_DECLS
