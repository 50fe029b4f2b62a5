/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/histogram-chart.h"
#include "ui/common/card.h"

G_BEGIN_DECLS

/**
 * SluiceHistogramCard:
 *
 * A card with histograms over steps. Properties: mode (int, #SluiceHistogramMode).
 * Actions: histogram.mode (string "ridge", "overlay", "heat" or "bands"), histogram.fewer-steps,
 * histogram.more-steps, histogram.export-png, histogram.export-svg. The modes and the number of
 * steps stand on the card.
 */
#define SLUICE_TYPE_HISTOGRAM_CARD (sluice_histogram_card_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceHistogramCard, sluice_histogram_card, SLUICE, HISTOGRAM_CARD, SluiceCard)

GtkWidget *sluice_histogram_card_new (const char *title);

/** sluice_histogram_card_get_chart: (transfer none): add steps there, then
 * sluice_card_refresh(). */
SluiceHistogramChart *sluice_histogram_card_get_chart (SluiceHistogramCard *self);
void sluice_histogram_card_set_mode (SluiceHistogramCard *self, SluiceHistogramMode mode);
SluiceHistogramMode sluice_histogram_card_get_mode (SluiceHistogramCard *self);

G_END_DECLS
