/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

void sluice_preferences_present (GtkWindow *parent, GSettings *settings);
