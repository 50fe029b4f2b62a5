/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

/*
 * Asks for data and a first model, says what the data are, and makes a project of them. Signal:
 * created (string: its folder).
 */
#define SLUICE_TYPE_NEW_PROJECT_DIALOG (sluice_new_project_dialog_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceNewProjectDialog, sluice_new_project_dialog, SLUICE, NEW_PROJECT_DIALOG, AdwWindow)

/* samples: (nullable): the folder of those that come with the program */
GtkWidget *sluice_new_project_dialog_new (GtkWindow *over, const char *samples);
