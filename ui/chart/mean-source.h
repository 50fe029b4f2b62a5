/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/series-source.h"

G_BEGIN_DECLS

/* How far from their mean a band reaches. */
typedef enum
{
  SLUICE_SPREAD_RANGE,     /* from the least to the greatest of them */
  SLUICE_SPREAD_DEVIATION, /* the sample's standard deviation to either side */
} SluiceSpread;

/**
 * sluice_mean_source_new:
 *
 * (transfer full): the mean of several series, at every place where one of them has a point: of
 * those that have begun and not ended there, between their points along a straight line. It has no
 * points of its own; where one is asked for by number, it is that of the member that ends last.
 */
SluiceSeriesSource *sluice_mean_source_new (SluiceSpread spread);

/** sluice_mean_source_add: @name is copied, a reference of @member is taken. */
void
sluice_mean_source_add (SluiceSeriesSource *self, const char *name, SluiceSeriesSource *member);

G_END_DECLS
