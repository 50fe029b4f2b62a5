/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/train/preflight.h"

/**
 * sluice_preflight_batch_new:
 *
 * The first batch of a run: its loss before the first step, and a small card for each input and
 * for the labels, as many beside each other as fit.
 *
 * Returns: (transfer floating) (nullable): %NULL: no batch was taken
 */
GtkWidget *sluice_preflight_batch_new (const SluicePreflight *found);
