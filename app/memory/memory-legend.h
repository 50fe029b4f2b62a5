/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/trace/memory-view.h"

/* Classes of memory at the peak with their bytes, the largest first. (transfer floating) */
GtkWidget *sluice_memory_legend_new (void);
void sluice_memory_legend_fill (GtkWidget *legend, const SluiceMemoryView *view);
