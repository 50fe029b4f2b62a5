/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One point as it was logged. */
typedef struct
{
  gint64 step;
  double wall; /* seconds since 1970 */
  double value;
} SluiceSeriesPoint;

/*
 * Where a series' points lie. The chart holds none of them: it reads those that it needs in detail
 * from here, on the main thread and a few hundred at a time. Embed as the first member.
 */
typedef struct _SluiceSeriesPoints SluiceSeriesPoints;
struct _SluiceSeriesPoints
{
  /* Up to n points from the one that is the index-th of the series, whose step is at least
   * from_step; either of the two says where. Returns how many: fewer only where there are none. */
  guint (*read) (SluiceSeriesPoints *self,
                 guint64 index,
                 gint64 from_step,
                 guint n,
                 SluiceSeriesPoint *points);
  void (*forget) (SluiceSeriesPoints *self); /* the points are others now */
  void (*free) (SluiceSeriesPoints *self);
};

G_END_DECLS
