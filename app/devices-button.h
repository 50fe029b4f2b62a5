/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/*
 * The memory of a run's devices in the status line: what is in use, and of how much; it opens a
 * table with the most that was in use and what is held.
 */
#define SLUICE_TYPE_DEVICES_BUTTON (sluice_devices_button_get_type ())
G_DECLARE_FINAL_TYPE (SluiceDevicesButton, sluice_devices_button, SLUICE, DEVICES_BUTTON, GtkWidget)

/* devices: (element-type SluiceDeviceMemory) (nullable): none: it hides */
void sluice_devices_button_show (SluiceDevicesButton *self, const GArray *devices);
/* What the line says, and the table below it a row a device: for dumps. (transfer full) */
char *sluice_devices_button_dup_text (SluiceDevicesButton *self);
