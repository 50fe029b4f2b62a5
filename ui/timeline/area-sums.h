/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/timeline/lanes-draw.h"

G_BEGIN_DECLS

/* Of all spans of one name that touch an area, each of them whole. */
typedef struct
{
  const char *name; /* the view's */
  guint64 n;
  gint64 total; /* nanoseconds */
  gint64 self;  /* without what ran within them on their lane */
  gint64 p50, p95;
} SluiceAreaSum;

/**
 * sluice_area_sums_new:
 * @layout: of the view, in whose rows the area lies
 *
 * Returns: (transfer full) (element-type SluiceAreaSum): by total, the largest first; then by name
 */
GArray *sluice_area_sums_new (const SluiceTraceView *view,
                              const SluiceLanesLayout *layout,
                              const SluiceLanesArea *area);

G_END_DECLS
