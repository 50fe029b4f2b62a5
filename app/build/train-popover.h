/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/graph/graph.h"

/*
 * Asks by what a loss is to be trained: the loss, the optimizer, its rate. Signal: chosen (string:
 * the command).
 */
#define SLUICE_TYPE_TRAIN_POPOVER (sluice_train_popover_get_type ())
G_DECLARE_FINAL_TYPE (SluiceTrainPopover, sluice_train_popover, SLUICE, TRAIN_POPOVER, GtkPopover)

/* selected: (nullable): the node or scope that is meant, where it is a loss. optimizer: (nullable):
 * which one to begin with */
void sluice_train_popover_fill (SluiceTrainPopover *self,
                                SluiceGraph *graph,
                                const char *selected,
                                const char *optimizer);
