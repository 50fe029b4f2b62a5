/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/import-logs.h"

#include <glib/gi18n.h>

#include "app/failure-words.h"
#include "app/log-follower.h"
#include "engine/store/import.h"

/* ---- importing ---- */

typedef struct
{
  SluiceImportBar *bar;
  char **paths;                /* (nullable): that are being imported */
  GHashTable *imported;        /* of char *: paths */
  GHashTable *runs;            /* of gint64: of them */
  SluiceLogFollower *follower; /* (nullable): of all that were imported */
} Logs;

static Logs *
get_logs (SluiceWindow *window)
{
  return g_object_get_data (G_OBJECT (window), "import-logs");
}

static SluiceImportBar *
get_bar (SluiceWindow *window)
{
  return get_logs (window)->bar;
}

static void
logs_free (gpointer data)
{
  Logs *self = data;
  g_clear_pointer (&self->follower, sluice_log_follower_stop);
  g_strfreev (self->paths);
  g_hash_table_unref (self->imported);
  g_hash_table_unref (self->runs);
  g_free (self);
}

static void
set_enabled (SluiceWindow *window, const char *name, gboolean enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (window), name);
  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
}

static void
update_actions (SluiceWindow *window)
{
  gboolean busy = sluice_import_bar_is_busy (get_bar (window));
  set_enabled (window, "import-logs", !busy);
  set_enabled (window, "import-log-files", !busy);
  set_enabled (window, "import-path", !busy);
  set_enabled (window, "cancel-import", busy);
  set_enabled (window, "dismiss-import", !busy);
}

gboolean
sluice_import_logs_takes (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  return g_file_test (path, G_FILE_TEST_IS_DIR) || sluice_import_takes_name (name);
}

/* Whatever project is open: who imports a run wants to see it. Whoever hides it afterwards does
 * not, however it grows. */
static void
run_read_cb (SluiceWindow *window, gint64 run)
{
  if (g_hash_table_add (get_logs (window)->runs, g_memdup2 (&run, sizeof run)))
    sluice_run_set_set_checked (sluice_window_get_shown (window), run, TRUE);
  sluice_workspace_refresh (sluice_window_get_workspace (window));
}

static void
stop_following (SluiceWindow *window)
{
  g_clear_pointer (&get_logs (window)->follower, sluice_log_follower_stop);
}

static void
follow_failed_cb (SluiceWindow *window, const GError *error)
{
  g_autofree char *words = sluice_failure_words (error);
  g_autofree char *text = g_strdup_printf (_ ("Logs are not followed any more. %s"), words);
  stop_following (window);
  g_action_group_change_action_state (G_ACTION_GROUP (window), "follow-logs",
                                      g_variant_new_boolean (FALSE));
  sluice_window_tell (window, text);
}

/* All that was imported, where that is wanted and nothing is being imported. */
static void
follow (SluiceWindow *window)
{
  Logs *self = get_logs (window);
  SluiceStore *store = sluice_workspace_get_store (sluice_window_get_workspace (window));
  g_autoptr (GVariant) wanted =
      g_action_group_get_action_state (G_ACTION_GROUP (window), "follow-logs");
  if (!g_variant_get_boolean (wanted) || store == NULL || self->follower != NULL
      || sluice_import_bar_is_busy (self->bar) || g_hash_table_size (self->imported) == 0)
    return;
  g_autofree char **paths = (char **) g_hash_table_get_keys_as_array (self->imported, NULL);
  self->follower = sluice_log_follower_new (store, (const char *const *) paths);
  g_signal_connect_object (self->follower, "read", G_CALLBACK (run_read_cb), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->follower, "failed", G_CALLBACK (follow_failed_cb), window,
                           G_CONNECT_SWAPPED);
}

static void
follow_state_cb (GSimpleAction *action, GVariant *value, gpointer window)
{
  g_simple_action_set_state (action, value);
  if (g_variant_get_boolean (value))
    follow (window);
  else
    stop_following (window);
}

static void
ended_cb (SluiceWindow *window, gboolean ok)
{
  Logs *self = get_logs (window);
  for (guint i = 0; ok && self->paths[i] != NULL; i++)
    g_hash_table_add (self->imported, g_canonicalize_filename (self->paths[i], NULL));
  g_clear_pointer (&self->paths, g_strfreev);
  follow (window);
  update_actions (window);
}

void
sluice_import_logs_start (SluiceWindow *window, const char *const *paths)
{
  Logs *self = get_logs (window);
  SluiceStore *store = sluice_workspace_get_store (sluice_window_get_workspace (window));
  if (store == NULL)
    sluice_window_tell (window, _ ("The workspace is not open: nothing can be imported"));
  else if (!sluice_import_bar_start (self->bar, store, paths))
    sluice_window_tell (window, _ ("Other logs are being read; wait for them, or cancel that"));
  else
    {
      self->paths = g_strdupv ((char **) paths);
      stop_following (window); /* and goes on when these are read */
      sluice_window_show_page (window, "charts");
    }
  update_actions (window);
}

/* ---- asking for it ---- */

static void
import_files (SluiceWindow *window, GListModel *files)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; i < g_list_model_get_n_items (files); i++)
    {
      g_autoptr (GFile) file = g_list_model_get_item (files, i);
      g_autofree char *path = g_file_get_path (file);
      if (path != NULL)
        g_strv_builder_add (builder, path);
    }
  g_auto (GStrv) paths = g_strv_builder_end (builder);
  if (paths[0] != NULL)
    sluice_import_logs_start (window, (const char *const *) paths);
}

static void
chosen_cb (GtkNativeDialog *dialog, int response, SluiceWindow *window)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
      import_files (window, files);
    }
  g_object_unref (dialog);
}

static void
choose (SluiceWindow *window, const char *title, GtkFileChooserAction action)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (title, GTK_WINDOW (window), action, _ ("_Import"), NULL);
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (dialog), TRUE);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (chosen_cb), window, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
import_logs_cb (GSimpleAction *action, GVariant *parameter, gpointer window)
{
  choose (window, _ ("Import the logs in a folder"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
}

static void
import_log_files_cb (GSimpleAction *action, GVariant *parameter, gpointer window)
{
  choose (window, _ ("Import event files"), GTK_FILE_CHOOSER_ACTION_OPEN);
}

static void
import_path_cb (GSimpleAction *action, GVariant *parameter, gpointer window)
{
  const char *const paths[] = { g_variant_get_string (parameter, NULL), NULL };
  sluice_import_logs_start (window, paths);
}

static void
cancel_cb (GSimpleAction *action, GVariant *parameter, gpointer window)
{
  sluice_import_bar_cancel (get_bar (window));
}

static void
dismiss_cb (GSimpleAction *action, GVariant *parameter, gpointer window)
{
  sluice_import_bar_dismiss (get_bar (window));
}

void
sluice_import_logs_add (SluiceWindow *window, SluiceImportBar *bar)
{
  static const GActionEntry actions[] = {
    { .name = "import-logs", .activate = import_logs_cb },
    { .name = "import-log-files", .activate = import_log_files_cb },
    { .name = "import-path", .activate = import_path_cb, .parameter_type = "s" },
    { .name = "cancel-import", .activate = cancel_cb },
    { .name = "dismiss-import", .activate = dismiss_cb },
    { .name = "follow-logs", .state = "true", .change_state = follow_state_cb },
  };
  Logs *self = g_new0 (Logs, 1);
  self->bar = bar;
  self->imported = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->runs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_object_set_data_full (G_OBJECT (window), "import-logs", self, logs_free);
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
  g_signal_connect_object (bar, "imported", G_CALLBACK (run_read_cb), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (bar, "ended", G_CALLBACK (ended_cb), window, G_CONNECT_SWAPPED);
  update_actions (window);
}
