/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"
#include "ui/chart/series-points.h"

/* What all series together keep of the store's chunks, those that were read last: 80 of them, some
 * for each chart in sight. More is not read sooner: who reads all of a long series comes back to
 * its beginning when that is gone. */
#define SLUICE_STORED_POINTS_CACHE ((gsize) 2 << 20) /* bytes */

/**
 * sluice_stored_points_new:
 * @series: of scalars
 *
 * (transfer full): the points of a series, read from the store chunk by chunk. Main thread only.
 * What cannot be read is missing: who watches the store tells its errors.
 */
SluiceSeriesPoints *sluice_stored_points_new (SluiceStore *store, gint64 series);

/* How many bytes of chunks are kept at the moment. */
gsize sluice_stored_points_get_cached (void);
