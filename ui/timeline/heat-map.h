/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "ui/timeline/heat-draw.h"

G_BEGIN_DECLS

/**
 * SluiceHeatMap:
 *
 * How long each node took in each step, as colours. A click, or the arrow keys and Return, choose
 * one. Signal: chosen (uint node, uint step), places in the map, by a person.
 */
#define SLUICE_TYPE_HEAT_MAP (sluice_heat_map_get_type ())
G_DECLARE_FINAL_TYPE (SluiceHeatMap, sluice_heat_map, SLUICE, HEAT_MAP, GtkWidget)

GtkWidget *sluice_heat_map_new (void);
/* How far down it is: of a scrollbar beside it. (transfer none) */
GtkAdjustment *sluice_heat_map_get_adjustment (SluiceHeatMap *self);

/* (transfer full): what a cell is in a sentence, what a row is. */
typedef struct
{
  char *(*dup_cell) (const SluiceTraceHeat *heat, guint node, guint step);
  char *(*dup_row) (const SluiceTraceHeat *heat, guint node);
} SluiceHeatWords;
void sluice_heat_map_set_words (SluiceHeatMap *self, const SluiceHeatWords *words);

/* @heat: (nullable): stays until another one is told */
void sluice_heat_map_set_heat (SluiceHeatMap *self, const SluiceTraceHeat *heat);
void sluice_heat_map_set_by_time (SluiceHeatMap *self, gboolean by_time);
/* What is shown elsewhere; name: (nullable) */
void sluice_heat_map_show (SluiceHeatMap *self, const char *name, guint64 step);

G_END_DECLS
