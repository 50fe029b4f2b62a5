/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/*
 * What a workspace remembers of the window that was open on it: the project, the page, the state of
 * the pages. It stands in the workspace, in window.ini, so that it goes with it; what is not of a
 * workspace (size of the window, panes, colours) are the user's settings.
 */

/* (transfer full): empty where there is none, or none that can be read: the window is then as new.
 */
GKeyFile *sluice_window_state_load (const char *workspace);
void sluice_window_state_save (GKeyFile *state, const char *workspace);
/* The project or graph that was open, where it is still there. (transfer full) (nullable) */
char *sluice_window_state_dup_project (const char *workspace);

/* One value of a page: written where @saves, else read, where it is there. */
void sluice_state_keep_toggle (
    GKeyFile *state, gboolean saves, const char *page, const char *key, GtkToggleButton *button);
void sluice_state_keep_number (
    GKeyFile *state, gboolean saves, const char *page, const char *key, double *number);
/* names: of text, each its own value or none. */
void sluice_state_keep_set (
    GKeyFile *state, gboolean saves, const char *page, const char *key, GHashTable *names);
