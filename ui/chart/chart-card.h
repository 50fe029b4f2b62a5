/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart.h"
#include "ui/common/card.h"

G_BEGIN_DECLS

/**
 * SluiceChartCard:
 *
 * A card with one chart of scalars. Properties: smoothing (double, 0 to 0.999),
 * x-axis (int, #SluiceXAxis), log-y (boolean), ignore-outliers (boolean).
 * Actions: chart.zoom-in, chart.zoom-out, chart.reset-zoom, chart.toggle-log,
 * chart.toggle-outliers, chart.values (a table of those at the cursor), chart.ranges (what is
 * shown, typed), chart.export-png, -svg, -pdf, -csv and -jsonl. Signals: cursor-moved (double x, in
 * the axis' unit; NaN when it leaves) and view-changed (double x0, double x1; NaN for everything),
 * so that a page can show the same place in every card; values-changed, when it was drawn anew.
 */
#define SLUICE_TYPE_CHART_CARD (sluice_chart_card_get_type ())
G_DECLARE_FINAL_TYPE (SluiceChartCard, sluice_chart_card, SLUICE, CHART_CARD, SluiceCard)

GtkWidget *sluice_chart_card_new (const char *title);

/**
 * sluice_chart_card_get_chart:
 *
 * Returns: (transfer none): what it draws: add series and events there, then call
 *   sluice_card_refresh().
 */
SluiceChart *sluice_chart_card_get_chart (SluiceChartCard *self);

void sluice_chart_card_set_smoothing (SluiceChartCard *self, double weight);
double sluice_chart_card_get_smoothing (SluiceChartCard *self);
void sluice_chart_card_set_x_axis (SluiceChartCard *self, SluiceXAxis axis);
SluiceXAxis sluice_chart_card_get_x_axis (SluiceChartCard *self);
void sluice_chart_card_set_log_y (SluiceChartCard *self, gboolean log_y);
gboolean sluice_chart_card_get_log_y (SluiceChartCard *self);
void sluice_chart_card_set_ignore_outliers (SluiceChartCard *self, gboolean ignore);
gboolean sluice_chart_card_get_ignore_outliers (SluiceChartCard *self);

/** sluice_chart_card_set_cursor: shows the cursor at @x without emitting cursor-moved, and of the
 * values only that of the series in front, beside the title: another card has the box. */
void sluice_chart_card_set_cursor (SluiceChartCard *self, double x);
/** sluice_chart_card_set_view: shows [@x0, @x1], or everything, without emitting view-changed. */
void sluice_chart_card_set_view (SluiceChartCard *self, double x0, double x1);

G_END_DECLS
