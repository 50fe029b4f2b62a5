/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SLUICE_TIME_BINS 30

/* How often something took how long. What is longer than the axis is in the last bin. */
typedef struct
{
  gint64 from, to; /* of the axis */
  guint n[SLUICE_TIME_BINS];
  guint most;                        /* in one */
  guint longest[SLUICE_TIME_BINS];   /* place of the longest time in it, where there is one */
  gboolean is_far[SLUICE_TIME_BINS]; /* all in it are outliers */
} SluiceTimeBins;

/* @limit: what is longer is an outlier; @n > 0 */
void sluice_time_bins (SluiceTimeBins *bins, const gint64 *times, guint n, gint64 limit);

/**
 * sluice_time_outlier:
 * @sorted: (array length=n): n > 0
 *
 * Returns: the longest time that is not an outlier: three times the middle half's width above it,
 * and half more than the median
 */
gint64 sluice_time_outlier (const gint64 *sorted, guint n);

G_END_DECLS
