/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart-card.h"

G_BEGIN_DECLS

/**
 * SluiceChartTable:
 *
 * A window beside a chart: what every run has at the cursor, or at its end while there is no cursor
 * yet, in columns that sort. It follows the card and goes with it.
 */
#define SLUICE_TYPE_CHART_TABLE (sluice_chart_table_get_type ())
G_DECLARE_FINAL_TYPE (SluiceChartTable, sluice_chart_table, SLUICE, CHART_TABLE, GtkWindow)

/** sluice_chart_table_new: (transfer none): of @card, which must be in a window. */
GtkWidget *sluice_chart_table_new (SluiceChartCard *card);

/** sluice_chart_table_dup_text: (transfer full): the cells as they stand, rows by lines, cells by
 * tabs. */
char *sluice_chart_table_dup_text (SluiceChartTable *self);

G_END_DECLS
