/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/train/preflight.h"

/**
 * sluice_preflight_picture_new:
 * @card: that the item is of
 *
 * Of memory and disk a bar against what there is, with a mark at the plan's figure; of an input
 * how its elements lie from the least to the greatest; of labels how often each class comes. It
 * is called by the item's text where that tells all of it.
 *
 * Returns: (transfer floating) (nullable): %NULL: there is nothing to draw
 */
GtkWidget *
sluice_preflight_picture_new (const SluicePreflightItem *item, const SluicePreflight *card);
