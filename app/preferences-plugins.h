/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

/* The group of preferences that keeps the list of plugins (key "plugins"). (transfer floating) */
AdwPreferencesGroup *sluice_preferences_plugins_new (GSettings *settings);
