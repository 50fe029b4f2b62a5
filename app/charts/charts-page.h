/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace.h"

/* Cards of everything that the shown runs have logged: a card a tag, all runs in it. */
#define SLUICE_TYPE_CHARTS_PAGE (sluice_charts_page_get_type ())
G_DECLARE_FINAL_TYPE (SluiceChartsPage, sluice_charts_page, SLUICE, CHARTS_PAGE, GtkWidget)

void sluice_charts_page_set_workspace (SluiceChartsPage *self, SluiceWorkspace *workspace);
void sluice_charts_page_apply_settings (SluiceChartsPage *self, GSettings *settings);
/* Shows only cards whose tag contains the text; returns how many. */
guint sluice_charts_page_find (SluiceChartsPage *self, const char *text);
char *sluice_charts_page_dump_state (SluiceChartsPage *self); /* JSON */
