/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/launch/launch-form.h"

/* One setting in the form: its value, or how it is varied. Signals: changed; remove (string: the
 * name of a parameter that the graph has no more). */
#define SLUICE_TYPE_LAUNCH_ROW (sluice_launch_row_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLaunchRow, sluice_launch_row, SLUICE, LAUNCH_ROW, GtkBox)

/* form, setting: live longer */
GtkWidget *sluice_launch_row_new (SluiceLaunchForm *form, const SluiceLaunchSetting *setting);

/* "train.batch=32": (transfer full) (nullable): it is as the project says, or varied, or wrong. */
char *sluice_launch_row_dup_assignment (SluiceLaunchRow *self);
/* "train.batch=32,64": (nullable) (transfer none): it is not varied, or wrong. */
const char *sluice_launch_row_get_values (SluiceLaunchRow *self, guint64 *count);
/* Of the queue, not of the project. */
gboolean sluice_launch_row_is_need (SluiceLaunchRow *self);
/* Of those that are. */
gboolean sluice_launch_row_is_device (SluiceLaunchRow *self);
gboolean sluice_launch_row_is_device_options (SluiceLaunchRow *self);
/* Where it counts for nothing there is nothing to set. */
void sluice_launch_row_offer (SluiceLaunchRow *self, gboolean counts);
char *sluice_launch_row_dup_value (SluiceLaunchRow *self); /* (transfer full): as it is written */
gboolean sluice_launch_row_is_wrong (SluiceLaunchRow *self);
/* Another value than the project's, or many. */
gboolean sluice_launch_row_is_changed (SluiceLaunchRow *self);
void sluice_launch_row_reset (SluiceLaunchRow *self);
void sluice_launch_row_set_value (SluiceLaunchRow *self, const char *value);
/* "train.batch=32". FALSE: it is of another setting, and nothing has happened. */
gboolean sluice_launch_row_take (SluiceLaunchRow *self, const char *assignment);

/* What is changed, in a group of a file, and back. */
char *sluice_launch_row_dup_group (SluiceLaunchRow *self); /* (transfer full): its name */
void sluice_launch_row_save (SluiceLaunchRow *self, GKeyFile *file);
void sluice_launch_row_load (SluiceLaunchRow *self, GKeyFile *file);
