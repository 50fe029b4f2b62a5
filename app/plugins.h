/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

/* Loads what the key "plugins" lists. Once, before there is a graph. Returns: how many failed */
guint sluice_plugins_load (GSettings *settings);
/* What became of a plugin: why it could not be loaded, or when it will be. (transfer none) */
const char *sluice_plugins_get_state (const char *path);

/* The group of preferences that keeps the list. (transfer floating) */
AdwPreferencesGroup *sluice_plugins_group_new (GSettings *settings);
