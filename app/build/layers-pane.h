/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/*
 * All templates of layers, losses, optimizers and so on, by their families, and a field that finds
 * them; before them the blocks of the graph. Signal: chosen (string: the family, string: the
 * template), of a block ("block", its name).
 */
#define SLUICE_TYPE_LAYERS_PANE (sluice_layers_pane_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLayersPane, sluice_layers_pane, SLUICE, LAYERS_PANE, GtkWidget)

/* Those that the graph has now; nothing moves where they are the same. */
void sluice_layers_pane_set_blocks (SluiceLayersPane *self, const char *const *blocks);
