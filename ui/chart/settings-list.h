/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/settings-table.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A table of runs that can be sorted by each of its columns. Signal: run-marked (int64 run, 0:
 * none): the pointer is over a row, or the keyboard went to it. */
#define SLUICE_TYPE_SETTINGS_LIST (sluice_settings_list_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSettingsList, sluice_settings_list, SLUICE, SETTINGS_LIST, GtkWidget)

GtkWidget *sluice_settings_list_new (void);

/* Copies what it needs. @anew: its columns are others than those shown. */
void sluice_settings_list_set_table (SluiceSettingsList *self,
                                     const SluiceSettingsTable *table,
                                     gboolean anew);

G_END_DECLS
