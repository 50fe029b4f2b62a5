/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/store/store.h"

/* What of a run at work can be changed while it works: its parameters, and the rhythm of its steps.
 * Return in a field asks for it, by win.set-live. */
#define SLUICE_TYPE_LIVE_SETTINGS (sluice_live_settings_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLiveSettings, sluice_live_settings, SLUICE, LIVE_SETTINGS, GtkBox)

/* step: the values that hold there are shown */
GtkWidget *sluice_live_settings_new (SluiceStore *store, gint64 run, gint64 step);
