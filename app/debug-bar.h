/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/runtime/debug/debugger.h"

/* Where the run has stopped, what the node reads and has made, and how it goes on (actions of
 * debug-actions.h). It is not seen while no run is stopped. */
#define SLUICE_TYPE_DEBUG_BAR (sluice_debug_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluiceDebugBar, sluice_debug_bar, SLUICE, DEBUG_BAR, GtkWidget)

SluiceDebugBar *sluice_debug_bar_new (void);
/* stop: (nullable): no run is stopped */
void sluice_debug_bar_set_stop (SluiceDebugBar *self, const SluiceStop *stop);
/* words: (nullable): of another node that is selected: what it waits for */
void sluice_debug_bar_set_why (SluiceDebugBar *self, const char *words);
/* The graph was edited meanwhile: it says how to go on with that. */
void sluice_debug_bar_set_edited (SluiceDebugBar *self, gboolean is_edited);
/* Shows what changes a value. */
void sluice_debug_bar_open_change (SluiceDebugBar *self);
/* Shows what puts a clip on an input. */
void sluice_debug_bar_open_clip (SluiceDebugBar *self);
/* What it says; "" where it is not seen. */
const char *sluice_debug_bar_get_text (SluiceDebugBar *self);
