/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/*
 * A page of the manual as widgets: a label for each paragraph, a grid for each table, a picture
 * with its text for each picture. Signal: link (string, as it stands on the page).
 */
#define SLUICE_TYPE_HELP_VIEW (sluice_help_view_get_type ())
G_DECLARE_FINAL_TYPE (SluiceHelpView, sluice_help_view, SLUICE, HELP_VIEW, GtkWidget)

/** sluice_help_view_show: @markdown: what to show from now on. */
void sluice_help_view_show (SluiceHelpView *self, const char *markdown);

/** sluice_help_view_find: (transfer none) (nullable): the heading of that anchor. */
GtkWidget *sluice_help_view_find (SluiceHelpView *self, const char *anchor);

/** sluice_help_view_get_title: (transfer none): the page's first heading. */
const char *sluice_help_view_get_title (SluiceHelpView *self);

G_END_DECLS
