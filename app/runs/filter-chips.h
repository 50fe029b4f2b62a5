/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-table.h"

/*
 * What leaves runs out of the table: a pill a term of the filter, a tag that is wanted and the
 * view, each with what takes it away: table.drop-term (int32: its number), table.drop-tag
 * (string), table.drop-view.
 */

/* (transfer floating) */
GtkWidget *sluice_filter_chips_new (void);
/* Shows those of the table; the box is hidden where there are none. */
void sluice_filter_chips_show (GtkWidget *self, SluiceRunTable *table);
