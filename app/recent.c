/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/recent.h"

#include <glib/gi18n.h>

#define KEY "recent-workspaces"
/* As many as fit into a menu. */
#define MAX_RECENT 8

/* first: (nullable): what comes before all others; without: what is left out. */
static void
set_list (GSettings *settings, const char *first, const char *without)
{
  g_auto (GStrv) old = g_settings_get_strv (settings, KEY);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  if (first != NULL)
    g_ptr_array_add (list, (char *) first);
  for (guint i = 0; old[i] != NULL && list->len < MAX_RECENT; i++)
    if (!g_str_equal (old[i], without))
      g_ptr_array_add (list, old[i]);
  g_ptr_array_add (list, NULL);
  g_settings_set_strv (settings, KEY, (const char *const *) list->pdata);
}

void
sluice_recent_add (GSettings *settings, const char *workspace)
{
  g_autofree char *full = g_canonicalize_filename (workspace, NULL);
  if (g_utf8_validate (full, -1, NULL)) /* a setting is text */
    set_list (settings, full, full);
}

void
sluice_recent_remove (GSettings *settings, const char *workspace)
{
  set_list (settings, NULL, workspace);
}

/* Underscores of a path are no mnemonics. (transfer full) */
static char *
label_of (const char *workspace)
{
  g_autofree char *name = g_path_get_basename (workspace);
  g_autofree char *parent = g_path_get_dirname (workspace);
  g_autofree char *label = g_file_test (workspace, G_FILE_TEST_IS_DIR)
                               ? g_strdup_printf (_ ("%s in %s"), name, parent)
                               : g_strdup_printf (_ ("%s in %s (missing)"), name, parent);
  GString *text = g_string_new (label);
  g_string_replace (text, "_", "__", 0);
  return g_string_free (text, FALSE);
}

void
sluice_recent_fill (GSettings *settings, GMenu *menu)
{
  g_auto (GStrv) list = g_settings_get_strv (settings, KEY);
  g_menu_remove_all (menu);
  for (guint i = 0; list[i] != NULL; i++)
    {
      g_autofree char *label = label_of (list[i]);
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (item, "app.open-workspace", "s", list[i]);
      g_menu_append_item (menu, item);
    }
}
