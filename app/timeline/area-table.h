/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/* What ran in an area of the lanes, a row a name; sorted by the title that is pressed. Signal:
 * name-chosen (string): a row was activated. */
#define SLUICE_TYPE_AREA_TABLE (sluice_area_table_get_type ())
G_DECLARE_FINAL_TYPE (SluiceAreaTable, sluice_area_table, SLUICE, AREA_TABLE, GtkWidget)

GtkWidget *sluice_area_table_new (void);
/* sums: (element-type SluiceAreaSum), whose texts are copied; length: of the area, nanoseconds */
void sluice_area_table_show (SluiceAreaTable *self, const GArray *sums, gint64 length);
char *
sluice_area_table_dup_text (SluiceAreaTable *self); /* a line a row, as they stand: for tests */
