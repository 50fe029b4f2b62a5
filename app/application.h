/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

#define SLUICE_TYPE_APPLICATION (sluice_application_get_type ())
G_DECLARE_FINAL_TYPE (SluiceApplication, sluice_application, SLUICE, APPLICATION, AdwApplication)

SluiceApplication *sluice_application_new (void);
/* Exit status of the last command line: a picture that could not be made is a failure. */
int sluice_application_get_status (SluiceApplication *self);
