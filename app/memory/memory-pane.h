/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/graph/inspector-pane.h"
#include "engine/trace/memory-view.h"

/* In the place of the inspector: one buffer, or the step where none is selected. Signal:
 * band-chosen (uint band), by a link. */
#define SLUICE_TYPE_MEMORY_PANE (sluice_memory_pane_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceMemoryPane, sluice_memory_pane, SLUICE, MEMORY_PANE, SluiceInspectorPane)

GtkWidget *sluice_memory_pane_new (void);
/* band: SLUICE_BAND_NONE: the step; growth: (nullable) (element-type SluiceMemoryGrowth), over so
 * many steps */
void sluice_memory_pane_show (SluiceMemoryPane *self,
                              const SluiceMemoryView *view,
                              guint band,
                              const GArray *growth,
                              guint n_steps);
