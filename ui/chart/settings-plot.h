/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/settings-table.h"

G_BEGIN_DECLS

/* Columns that parallel coordinates have room for: the first settings and the first results. */
#define SLUICE_PARALLEL_MOST 10

typedef enum
{
  SLUICE_SETTINGS_PARALLEL, /* an axis a column, a line a run */
  SLUICE_SETTINGS_SCATTER,  /* a dot a run: one column over another */
} SluiceSettingsPlotKind;

typedef struct
{
  SluiceSettingsPlotKind kind;
  guint x, y; /* columns of a scatter */
  double width, height;
  gint64 marked; /* the run that is drawn over the others, which are paler; 0: none */
} SluiceSettingsPlot;

/* An axis whose values are all positive and a hundred times apart is logarithmic; one of texts has
 * a place for each of them, in their order. Runs without a value have no dot, and a gap. */
void sluice_settings_plot_draw (const SluiceSettingsPlot *self,
                                const SluiceSettingsTable *table,
                                cairo_t *cr,
                                const SluiceTheme *theme);

/* The run whose line or dot is nearest to a place, within reach; 0: none. */
gint64 sluice_settings_plot_find (const SluiceSettingsPlot *self,
                                  const SluiceSettingsTable *table,
                                  double x,
                                  double y);

G_END_DECLS
