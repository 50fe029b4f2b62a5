/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/memory/memory-plan.h"

/* Who holds what at the peak, the largest first: with a bar, who frees it and what would help.
 * Signal: selected (uint band), by a person. */
#define SLUICE_TYPE_MEMORY_TABLE (sluice_memory_table_get_type ())
G_DECLARE_FINAL_TYPE (SluiceMemoryTable, sluice_memory_table, SLUICE, MEMORY_TABLE, GtkWidget)

GtkWidget *sluice_memory_table_new (void);
void sluice_memory_table_set_view (SluiceMemoryTable *self, const SluiceMemoryView *view);
/* What can be done about each holder: (nullable), borrowed; before the view. What is ticked stays.
 * Signal: ticked, by a person. */
void sluice_memory_table_set_plan (SluiceMemoryTable *self, const SluiceMemoryPlan *plan);
/* Those that are ticked. (transfer container) (element-type SluiceMemoryChoice) */
GPtrArray *sluice_memory_table_list_ticked (SluiceMemoryTable *self);
void sluice_memory_table_untick (SluiceMemoryTable *self);
/* The row of that band's owner; SLUICE_BAND_NONE: none */
void sluice_memory_table_select (SluiceMemoryTable *self, guint band);
/* What its rows say, one a line. (transfer full) */
char *sluice_memory_table_dup_text (SluiceMemoryTable *self);
