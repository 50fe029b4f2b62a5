/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/settings-table.h"
#include "ui/common/card.h"

G_BEGIN_DECLS

/**
 * SluiceSettingsCard:
 *
 * What runs were begun with and what came of it: as a table that can be sorted, as parallel
 * coordinates, or one column over another. Action: settings.mode ("table", "parallel", "scatter").
 * Signal: run-marked (int64 run, 0: none), when somebody points at a run or goes to it by key.
 */
#define SLUICE_TYPE_SETTINGS_CARD (sluice_settings_card_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSettingsCard, sluice_settings_card, SLUICE, SETTINGS_CARD, SluiceCard)

GtkWidget *sluice_settings_card_new (const char *title);

/* @take: (transfer full) */
void sluice_settings_card_take_table (SluiceSettingsCard *self, SluiceSettingsTable *take);

/** sluice_settings_card_set_marked: the run that is pointed at elsewhere; tells nobody. */
void sluice_settings_card_set_marked (SluiceSettingsCard *self, gint64 run);

/** sluice_settings_card_dup_text: (transfer full): what a screen reader says: each run's line. */
char *sluice_settings_card_dup_text (SluiceSettingsCard *self);

G_END_DECLS
