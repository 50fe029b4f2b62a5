/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart-card.h"

G_BEGIN_DECLS

/**
 * SluiceRangePopover:
 *
 * Four entries for what a chart shows: from and to of both axes, each empty where it ends with the
 * data. Signal: apply (double x0, double x1, double y0, double y1; NaN: where the data end).
 */
#define SLUICE_TYPE_RANGE_POPOVER (sluice_range_popover_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRangePopover, sluice_range_popover, SLUICE, RANGE_POPOVER, GtkPopover)

/** sluice_range_popover_new: (transfer floating) */
GtkWidget *sluice_range_popover_new (void);

/** sluice_range_popover_show: pops it up with what @chart shows. */
void sluice_range_popover_show (SluiceRangePopover *self, SluiceChart *chart);

G_END_DECLS
