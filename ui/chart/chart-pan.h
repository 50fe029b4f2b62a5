/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart-card.h"

G_BEGIN_DECLS

/** sluice_chart_pan_install: actions and keys by which the range that a card shows is moved. */
void sluice_chart_pan_install (GtkWidgetClass *klass);

/** sluice_chart_pan_attach: the middle button drags the range that @card shows. */
void sluice_chart_pan_attach (SluiceChartCard *card);

G_END_DECLS
