/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/*
 * A value that a person may change: its name, a field or a list of choices, what it may be, and
 * why it was refused.
 *
 * Signals: chosen (string: what was typed or chosen), entered (the focus came into the row).
 */
#define SLUICE_TYPE_VALUE_ROW (sluice_value_row_get_type ())
G_DECLARE_FINAL_TYPE (SluiceValueRow, sluice_value_row, SLUICE, VALUE_ROW, GtkWidget)

/* words: what it may be, for people. choices: (nullable): it is one of them */
GtkWidget *sluice_value_row_new (const char *name, const char *words, const char *const *choices);
const char *sluice_value_row_get_name (SluiceValueRow *self);
const char *const *sluice_value_row_get_choices (SluiceValueRow *self); /* (nullable) */

/* As it is now; nobody chose that. text: of choices one of them, or nothing is changed */
void sluice_value_row_show (SluiceValueRow *self, const char *text, gboolean can_change);
/* error: (nullable): nothing is wrong any more */
void sluice_value_row_set_problem (SluiceValueRow *self, const GError *error);
void sluice_value_row_set_selected (SluiceValueRow *self, gboolean is_selected);
/* Behind the value, and below the words. */
void sluice_value_row_add_end (SluiceValueRow *self, GtkWidget *widget);
void sluice_value_row_add_below (SluiceValueRow *self, GtkWidget *widget);
