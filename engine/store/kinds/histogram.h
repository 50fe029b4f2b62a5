/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind.h"

/* A histogram as TensorFlow's: how many values lie in buckets that follow each other. */
typedef struct
{
  SluiceRecord base;
  guint n;
  double min, max;
  double count, sum, sum_squares; /* of the values; NaN where nobody noted them */
  double *limits, *counts;        /* right edge of each bucket, and how many values are in it */
} SluiceHistogram;

/* (transfer full): count, sum and sum_squares are for the caller to set; limits and counts are
 * copied. */
SluiceHistogram *sluice_histogram_new (gint64 step,
                                       double wall,
                                       double min,
                                       double max,
                                       const double *limits,
                                       const double *counts,
                                       guint n);
