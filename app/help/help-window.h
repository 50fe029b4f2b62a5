/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* The manual in a window of its own, beside what it is about. */
#define SLUICE_TYPE_HELP_WINDOW (sluice_help_window_get_type ())
G_DECLARE_FINAL_TYPE (SluiceHelpWindow, sluice_help_window, SLUICE, HELP_WINDOW, AdwWindow)

/** sluice_help_window_new: (transfer none) */
SluiceHelpWindow *sluice_help_window_new (GtkApplication *application);

/** sluice_help_window_go: @page: a page's name, as in "graph" and "ops/MatMul". */
void sluice_help_window_go (SluiceHelpWindow *self, const char *page);

/** sluice_help_set_page: @page: what F1 shows where @widget, or something in it, has the focus. */
void sluice_help_set_page (GtkWidget *widget, const char *page);

/** sluice_help_get_page: (transfer none) (nullable): the page of @widget or of what it is in. */
const char *sluice_help_get_page (GtkWidget *widget);

G_END_DECLS
