/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

/* The workspaces that were open last, in the setting "recent-workspaces", newest first. */

void sluice_recent_add (GSettings *settings, const char *workspace);
void sluice_recent_remove (GSettings *settings, const char *workspace);
/* An entry for each, with the action app.open-workspace; one that is not there says so. */
void sluice_recent_fill (GSettings *settings, GMenu *menu);
