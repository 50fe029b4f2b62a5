/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/settings-plot.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A plot of settings and results (ui/chart/settings-plot.h) as a widget: the run under the pointer
 * is marked, and Up and Down go from run to run. What it says to screen readers is each run's line,
 * or the marked one's. Signal: run-marked (int64 run, 0: none). */
#define SLUICE_TYPE_SETTINGS_AREA (sluice_settings_area_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSettingsArea, sluice_settings_area, SLUICE, SETTINGS_AREA, GtkWidget)

GtkWidget *sluice_settings_area_new (void);

/* @table: (nullable): borrowed until the next one is set. */
void sluice_settings_area_set_table (SluiceSettingsArea *self, const SluiceSettingsTable *table);

/* @x, @y: columns of a scatter; those that the table lacks are its last one */
void sluice_settings_area_set_kind (SluiceSettingsArea *self,
                                    SluiceSettingsPlotKind kind,
                                    guint x,
                                    guint y);

/* The run that is pointed at elsewhere; tells nobody. */
void sluice_settings_area_set_marked (SluiceSettingsArea *self, gint64 run);

/* (transfer full): what a screen reader says. */
char *sluice_settings_area_dup_text (SluiceSettingsArea *self);

G_END_DECLS
