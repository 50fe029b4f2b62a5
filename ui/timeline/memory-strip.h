/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/trace/memory-view.h"

G_BEGIN_DECLS

/**
 * SluiceMemoryStrip:
 *
 * The addresses of a device's memory at a moment. Signal: selected (uint band), by a click.
 */
#define SLUICE_TYPE_MEMORY_STRIP (sluice_memory_strip_get_type ())
G_DECLARE_FINAL_TYPE (SluiceMemoryStrip, sluice_memory_strip, SLUICE, MEMORY_STRIP, GtkWidget)

GtkWidget *sluice_memory_strip_new (void);

/* @view: (nullable): as it is until another one is told. The map is a copy. */
void sluice_memory_strip_set_moment (SluiceMemoryStrip *self,
                                     const SluiceMemoryView *view,
                                     guint moment);
void sluice_memory_strip_select (SluiceMemoryStrip *self, guint band);
const SluiceMemoryMap *sluice_memory_strip_get_map (SluiceMemoryStrip *self); /* (nullable) */

G_END_DECLS
