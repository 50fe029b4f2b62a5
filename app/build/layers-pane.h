/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/*
 * All templates of layers, losses, optimizers and so on, by their families, and a field that finds
 * them. Signal: chosen (string: the family, string: the template).
 */
#define SLUICE_TYPE_LAYERS_PANE (sluice_layers_pane_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLayersPane, sluice_layers_pane, SLUICE, LAYERS_PANE, GtkWidget)
