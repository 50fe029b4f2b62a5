/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/run-controller.h"

/* What a value of the graph is like while it is trained: numbers, a histogram, pictures, a table; a
 * window for each value, as long as it is open. */
#define SLUICE_TYPE_WATCH_WINDOW (sluice_watch_window_get_type ())
G_DECLARE_FINAL_TYPE (SluiceWatchWindow, sluice_watch_window, SLUICE, WATCH_WINDOW, GtkWindow)

/* @edge: "fc1/Relu:0". One that has a window already gets the focus there. */
void
sluice_watch_window_open (GtkWindow *parent, SluiceRunController *controller, const char *edge);
