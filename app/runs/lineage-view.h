/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/lineage.h"

/*
 * Runs that came of each other, drawn on the axis of their steps. A ring is a checkpoint: dragged
 * out, or chosen by keys and Return, it is where another run is to begin. Signals: fork (int64 run,
 * int64 step), run-chosen (int64 run).
 */
#define SLUICE_TYPE_LINEAGE_VIEW (sluice_lineage_view_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLineageView, sluice_lineage_view, SLUICE, LINEAGE_VIEW, GtkWidget)

GtkWidget *sluice_lineage_view_new (void);
/* take: (transfer full) (nullable) */
void sluice_lineage_view_take (SluiceLineageView *self, SluiceLineage *take);
const SluiceLineage *sluice_lineage_view_get (SluiceLineageView *self); /* (nullable) */
