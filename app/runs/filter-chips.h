/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-table.h"

/*
 * What leaves runs out of the table and was chosen beside it: a pill for the view and one for the
 * tags, in the search field, before what is typed in it. Each is a button that takes it away
 * (table.drop-view, table.drop-tags), as Backspace does with the last one at the start of the text.
 */

/* (transfer none): in the field, whose owner calls gtk_widget_unparent() before the field goes. */
GtkWidget *sluice_filter_chips_new (GtkSearchEntry *field);
/* Shows those of the table; the box is hidden where there are none. */
void sluice_filter_chips_show (GtkWidget *self, SluiceRunTable *table);
