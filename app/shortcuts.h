/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* The table of keys (app/keys.h) put to work. */

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** sluice_shortcuts_set_accelerators: of the application's and the window's actions. */
void sluice_shortcuts_set_accelerators (GtkApplication *application);

/** sluice_shortcuts_bind: those whose action begins with @prefix, "charts.", in a widget's class.
 */
void sluice_shortcuts_bind (GtkWidgetClass *widget_class, const char *prefix);

/** sluice_shortcuts_window_new: (transfer full): the window that shows all. */
GtkShortcutsWindow *sluice_shortcuts_window_new (void);

G_END_DECLS
