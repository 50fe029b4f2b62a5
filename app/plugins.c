/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/plugins.h"

#include <glib/gi18n.h>

#include "engine/device/plugin.h"

static GHashTable *outcomes; /* path -> NULL, or why it failed; of the main thread */

guint
sluice_plugins_load (GSettings *settings)
{
  g_auto (GStrv) paths = g_settings_get_strv (settings, "plugins");
  guint n_failed = 0;
  outcomes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      if (!sluice_plugin_load (paths[i], &error))
        {
          g_printerr ("sluice-workbench: %s\n", error->message);
          n_failed++;
        }
      g_hash_table_insert (outcomes, g_strdup (paths[i]), error ? g_strdup (error->message) : NULL);
    }
  return n_failed;
}

const char *
sluice_plugins_get_state (const char *path)
{
  gpointer outcome;
  if (!g_hash_table_lookup_extended (outcomes, path, NULL, &outcome))
    return _ ("Will be loaded at the next start of Sluice");
  return outcome != NULL ? outcome : _ ("Loaded");
}

typedef struct
{
  GSettings *settings;
  GPtrArray *rows;
  AdwPreferencesGroup *group; /* owns this */
} Plugins;

static void
plugins_free (Plugins *self)
{
  g_signal_handlers_disconnect_by_data (self->settings, self);
  g_object_unref (self->settings);
  g_ptr_array_unref (self->rows);
  g_free (self);
}

/* Writes the list without the plugin, or with it behind the others. */
static void
change (Plugins *self, const char *without, const char *with)
{
  g_auto (GStrv) old = g_settings_get_strv (self->settings, "plugins");
  g_autoptr (GStrvBuilder) new = g_strv_builder_new ();
  for (guint i = 0; old[i] != NULL; i++)
    if (g_strcmp0 (old[i], without) != 0 && g_strcmp0 (old[i], with) != 0)
      g_strv_builder_add (new, old[i]);
  if (with != NULL)
    g_strv_builder_add (new, with);
  g_auto (GStrv) paths = g_strv_builder_end (new);
  g_settings_set_strv (self->settings, "plugins", (const char *const *) paths);
}

static void
remove_cb (GtkButton *button, Plugins *self)
{
  change (self, g_object_get_data (G_OBJECT (button), "path"), NULL);
}

static void
chosen_cb (GtkNativeDialog *dialog, int response, Plugins *self)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      g_autofree char *path = g_file_get_path (file);
      if (path != NULL)
        change (self, NULL, path);
    }
  g_object_unref (dialog);
}

static void
add_cb (GtkButton *button, Plugins *self)
{
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (button)));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Load ops from"), window, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Add"), NULL);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  gtk_file_filter_set_name (filter, _ ("Shared objects"));
  gtk_file_filter_add_suffix (filter, "so");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  /* The group goes with the window, and the dialog before it. */
  g_signal_connect (dialog, "response", G_CALLBACK (chosen_cb), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static GtkWidget *
icon_button (const char *icon, const char *label)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  return button;
}

static void
add_row (Plugins *self, const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *label = g_strdup_printf (_ ("Do not load %s"), name);
  GtkWidget *row =
      g_object_new (ADW_TYPE_ACTION_ROW, "use-markup", FALSE, "title", name, "subtitle",
                    sluice_plugins_get_state (path), "tooltip-text", path, NULL);
  GtkWidget *button = icon_button ("user-trash-symbolic", label);
  g_object_set_data_full (G_OBJECT (button), "path", g_strdup (path), g_free);
  g_signal_connect (button, "clicked", G_CALLBACK (remove_cb), self);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  adw_preferences_group_add (self->group, row);
  g_ptr_array_add (self->rows, row);
}

static void
fill (Plugins *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->group, self->rows->pdata[i]);
  g_ptr_array_set_size (self->rows, 0);
  g_auto (GStrv) paths = g_settings_get_strv (self->settings, "plugins");
  for (guint i = 0; paths[i] != NULL; i++)
    add_row (self, paths[i]);
}

AdwPreferencesGroup *
sluice_plugins_group_new (GSettings *settings)
{
  GtkWidget *group = adw_preferences_group_new ();
  Plugins *self = g_new0 (Plugins, 1);
  self->settings = g_object_ref (settings);
  self->rows = g_ptr_array_new ();
  self->group = ADW_PREFERENCES_GROUP (group);
  g_object_set_data_full (G_OBJECT (group), "plugins", self, (GDestroyNotify) plugins_free);
  adw_preferences_group_set_title (self->group, _ ("Ops of your own"));
  adw_preferences_group_set_description (
      self->group, _ ("Shared objects with definitions, kernels and gradients"));
  GtkWidget *add = icon_button ("list-add-symbolic", _ ("Add a shared object"));
  g_signal_connect (add, "clicked", G_CALLBACK (add_cb), self);
  adw_preferences_group_set_header_suffix (self->group, add);
  g_signal_connect_swapped (settings, "changed::plugins", G_CALLBACK (fill), self);
  fill (self);
  return self->group;
}
