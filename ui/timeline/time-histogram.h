/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "ui/timeline/time-bins.h"

G_BEGIN_DECLS

/**
 * SluiceTimeHistogram:
 *
 * How long something took in each of many steps. A click on a bar, or the arrow keys and Return,
 * chooses the step in which it took longest of those in the bar. Signal: chosen (uint64 step).
 */
#define SLUICE_TYPE_TIME_HISTOGRAM (sluice_time_histogram_get_type ())
G_DECLARE_FINAL_TYPE (SluiceTimeHistogram, sluice_time_histogram, SLUICE, TIME_HISTOGRAM, GtkWidget)

GtkWidget *sluice_time_histogram_new (void);
/** sluice_time_histogram_set_times: @steps, @times: (array length=n): copied; @limit: what is
 * longer is an outlier */
void sluice_time_histogram_set_times (
    SluiceTimeHistogram *self, const guint64 *steps, const gint64 *times, guint n, gint64 limit);

G_END_DECLS
