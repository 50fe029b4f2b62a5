/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/* What makes steps slow or large, a sentence a row, the worst first. Signal: finding-chosen (uint):
 * a row was activated. */
#define SLUICE_TYPE_TIMELINE_REPORT (sluice_timeline_report_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceTimelineReport, sluice_timeline_report, SLUICE, TIMELINE_REPORT, GtkWidget)

GtkWidget *sluice_timeline_report_new (void);
/* found: (element-type SluiceBottleneck) (nullable): they are being found */
void sluice_timeline_report_show (SluiceTimelineReport *self, const GPtrArray *found);
/* What it is of. n_steps: looked at. (transfer full) */
char *sluice_timeline_report_dup_words (const GPtrArray *found, guint n_steps);
/* The first row has the keyboard then. */
void sluice_timeline_report_focus (SluiceTimelineReport *self);
/* A line a row, as they stand: for tests. */
char *sluice_timeline_report_dup_text (SluiceTimelineReport *self);
