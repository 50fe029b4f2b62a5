/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/import-private.h"

/* In a transaction. */
typedef struct
{
  sqlite3 *db;
  Chunk *chunk;          /* that grows; scratch of the caller's */
  gint64 greatest_other; /* step in the series' other chunks, as far as they are known */
  gboolean others_known;
} PointsWriter;

/* Takes points[order[0]] … [order[n - 1]], which are of that series, in this order. */
gboolean sluice_points_writer_put (PointsWriter *self,
                                   ImportSeries *series,
                                   const ImportPoint *points,
                                   const guint32 *order,
                                   gsize n,
                                   GError **error);
