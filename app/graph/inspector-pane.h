/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/graph/inspector-rows.h"

/* What stands in the place of the inspector beside a page: a title, what it is, and rows about it.
 * Where there is nothing to tell of, it is not there. */
#define SLUICE_TYPE_INSPECTOR_PANE (sluice_inspector_pane_get_type ())
G_DECLARE_DERIVABLE_TYPE (
    SluiceInspectorPane, sluice_inspector_pane, SLUICE, INSPECTOR_PANE, GtkWidget)

struct _SluiceInspectorPaneClass
{
  GtkWidgetClass parent_class;
};

/* Nothing is told. */
void sluice_inspector_pane_clear (SluiceInspectorPane *self);
/* Of something else. (transfer none): its rows, of which there are none yet */
SluiceInspectorRows *
sluice_inspector_pane_begin (SluiceInspectorPane *self, const char *title, const char *subtitle);
/* What it says. (transfer full) */
char *sluice_inspector_pane_dup_text (SluiceInspectorPane *self);
