/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/window-state.h"

#include <string.h>

#include "engine/store/file.h"

static char *
state_path (const char *workspace)
{
  return g_build_filename (workspace, "window.ini", NULL);
}

GKeyFile *
sluice_window_state_load (const char *workspace)
{
  g_autofree char *path = state_path (workspace);
  GKeyFile *state = g_key_file_new ();
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !g_key_file_load_from_file (state, path, G_KEY_FILE_NONE, NULL))
    {
      g_key_file_unref (state);
      state = g_key_file_new ();
    }
  return state;
}

/* Of a workspace that cannot be written to nothing is remembered; nobody is bothered with it. */
void
sluice_window_state_save (GKeyFile *state, const char *workspace)
{
  g_autofree char *path = state_path (workspace);
  g_autofree char *text = g_key_file_to_data (state, NULL, NULL);
  if (g_file_test (workspace, G_FILE_TEST_IS_DIR))
    sluice_file_put ("window", path, text, strlen (text), NULL);
}

char *
sluice_window_state_dup_project (const char *workspace)
{
  g_autoptr (GKeyFile) state = sluice_window_state_load (workspace);
  g_autofree char *project = g_key_file_get_string (state, "window", "project", NULL);
  return project != NULL && g_file_test (project, G_FILE_TEST_EXISTS) ? g_steal_pointer (&project)
                                                                      : NULL;
}

void
sluice_state_keep_toggle (
    GKeyFile *state, gboolean saves, const char *page, const char *key, GtkToggleButton *button)
{
  if (saves)
    g_key_file_set_boolean (state, page, key, gtk_toggle_button_get_active (button));
  else if (g_key_file_has_key (state, page, key, NULL))
    gtk_toggle_button_set_active (button, g_key_file_get_boolean (state, page, key, NULL));
}

void
sluice_state_keep_number (
    GKeyFile *state, gboolean saves, const char *page, const char *key, double *number)
{
  g_autoptr (GError) error = NULL;
  if (saves)
    {
      g_key_file_set_double (state, page, key, *number);
      return;
    }
  double read = g_key_file_get_double (state, page, key, &error);
  if (error == NULL)
    *number = read;
}

void
sluice_state_keep_set (
    GKeyFile *state, gboolean saves, const char *page, const char *key, GHashTable *names)
{
  if (saves)
    {
      guint n;
      g_autofree gpointer *all = g_hash_table_get_keys_as_array (names, &n);
      g_key_file_set_string_list (state, page, key, (const char *const *) all, n);
      return;
    }
  g_auto (GStrv) all = g_key_file_get_string_list (state, page, key, NULL, NULL);
  for (guint i = 0; all != NULL && all[i] != NULL; i++)
    g_hash_table_add (names, g_strdup (all[i]));
}
