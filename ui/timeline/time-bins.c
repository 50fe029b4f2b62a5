/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/time-bins.h"

#include <string.h>

#define AIR 0.25 /* of the axis, behind what is usual, where outliers are */

gint64
sluice_time_outlier (const gint64 *sorted, guint n)
{
  gint64 low = sorted[(n - 1) / 4];
  gint64 median = sorted[(n - 1) / 2];
  gint64 high = sorted[(n - 1) * 3 / 4];

  return MAX (high + 3 * (high - low), median + median / 2);
}

static guint
find_bin (const SluiceTimeBins *bins, gint64 time)
{
  double share = (double) (time - bins->from) / (double) MAX (bins->to - bins->from, 1);

  return (guint) CLAMP (share * SLUICE_TIME_BINS, 0, SLUICE_TIME_BINS - 1);
}

void
sluice_time_bins (SluiceTimeBins *bins, const gint64 *times, guint n, gint64 limit)
{
  memset (bins, 0, sizeof *bins);
  bins->from = bins->to = times[0];
  for (guint i = 0; i < n; i++)
    {
      bins->from = MIN (bins->from, times[i]);
      bins->to = MAX (bins->to, times[i]);
    }
  bins->to = MIN (bins->to, limit + (gint64) (AIR * (double) (limit - bins->from)));
  for (guint i = 0; i < n; i++)
    {
      guint at = find_bin (bins, times[i]);

      if (bins->n[at] == 0 || times[i] >= times[bins->longest[at]])
        bins->longest[at] = i;
      bins->is_far[at] = times[i] > limit && (bins->n[at] == 0 || bins->is_far[at]);
      bins->n[at]++;
      bins->most = MAX (bins->most, bins->n[at]);
    }
}
