/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/preferences.h"

#include <glib/gi18n.h>

#include "app/help/help-window.h"
#include "app/plugins.h"

/* A row that chooses among the values of an enumerated key, in their order. */
static void
add_choice (AdwPreferencesGroup *group,
            GSettings *settings,
            const char *key,
            const char *title,
            const char *const *names)
{
  g_autoptr (GtkStringList) model = gtk_string_list_new (NULL);
  for (guint i = 0; names[i] != NULL; i++)
    gtk_string_list_append (model, _ (names[i]));
  GtkWidget *row = g_object_new (ADW_TYPE_COMBO_ROW, "title", title, "model", model, "selected",
                                 (guint) g_settings_get_enum (settings, key), NULL);
  g_object_set_data_full (G_OBJECT (row), "key", g_strdup (key), g_free);
  adw_preferences_group_add (group, row);
}

static void
choice_cb (AdwComboRow *row, GParamSpec *pspec, GSettings *settings)
{
  g_settings_set_enum (settings, g_object_get_data (G_OBJECT (row), "key"),
                       adw_combo_row_get_selected (row));
}

static GtkWidget *
last_row (AdwPreferencesGroup *group, GtkWidget *row)
{
  adw_preferences_group_add (group, row);
  return row;
}

static void
add_switch (AdwPreferencesGroup *group,
            GSettings *settings,
            const char *key,
            const char *title,
            const char *subtitle)
{
  GtkWidget *toggle = gtk_switch_new ();
  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  GtkWidget *row = last_row (
      group, g_object_new (ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle, NULL));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  g_settings_bind (settings, key, toggle, "active", G_SETTINGS_BIND_DEFAULT);
}

static void
add_number (AdwPreferencesGroup *group,
            GSettings *settings,
            const char *key,
            const char *title,
            const char *subtitle,
            double max,
            double step,
            guint digits)
{
  GtkWidget *spin = gtk_spin_button_new_with_range (0, max, step);
  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (spin), digits);
  gtk_widget_set_valign (spin, GTK_ALIGN_CENTER);
  GtkWidget *row = last_row (
      group, g_object_new (ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle, NULL));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), spin);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), spin);
  g_settings_bind (settings, key, spin, "value", G_SETTINGS_BIND_DEFAULT);
}

static AdwPreferencesGroup *
add_group (AdwPreferencesPage *page, const char *title)
{
  GtkWidget *group = adw_preferences_group_new ();
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
  adw_preferences_page_add (page, ADW_PREFERENCES_GROUP (group));
  return ADW_PREFERENCES_GROUP (group);
}

/* Choices take effect at once, as everything here does. */
static void
connect_choices (GtkWidget *widget, GSettings *settings)
{
  if (ADW_IS_COMBO_ROW (widget))
    g_signal_connect_object (widget, "notify::selected", G_CALLBACK (choice_cb), settings, 0);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    connect_choices (child, settings);
}

void
sluice_preferences_present (GtkWindow *parent, GSettings *settings)
{
  static const char *const schemes[] = { N_ ("Follow the system"), N_ ("Light"), N_ ("Dark"),
                                         NULL };
  static const char *const flows[] = { N_ ("Upward"), N_ ("Downward"), NULL };
  static const char *const axes[] = { N_ ("Step"), N_ ("Relative time"), N_ ("Wall time"), NULL };
  GtkWidget *window = adw_preferences_window_new ();
  /* All are in sight; libadwaita 1.2 gives the button of its search no name. */
  adw_preferences_window_set_search_enabled (ADW_PREFERENCES_WINDOW (window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (window), 640, 860); /* all groups are seen at once */
  GtkWidget *page = adw_preferences_page_new ();
  adw_preferences_page_set_title (ADW_PREFERENCES_PAGE (page), _ ("Preferences"));
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), ADW_PREFERENCES_PAGE (page));
  AdwPreferencesGroup *look = add_group (ADW_PREFERENCES_PAGE (page), _ ("Look"));
  add_choice (look, settings, "color-scheme", _ ("Colours"), schemes);
  add_switch (look, settings, "reduced-motion", _ ("No animations"),
              _ ("Changes are drawn at once"));
  AdwPreferencesGroup *graph = add_group (ADW_PREFERENCES_PAGE (page), _ ("Graph"));
  add_choice (graph, settings, "data-flow", _ ("Data flows"), flows);
  AdwPreferencesGroup *charts = add_group (ADW_PREFERENCES_PAGE (page), _ ("Charts"));
  add_number (charts, settings, "smoothing", _ ("Smoothing"),
              _ ("Of curves, when a chart is opened"), 0.99, 0.01, 2);
  add_choice (charts, settings, "chart-axis", _ ("Horizontal axis"), axes);
  AdwPreferencesGroup *training = add_group (ADW_PREFERENCES_PAGE (page), _ ("Training"));
  add_number (training, settings, "threads", _ ("Threads"),
              _ ("0: one a core; takes effect at the next start of Sluice"), 256, 1, 0);
  add_switch (training, settings, "notify", _ ("Notifications"),
              _ ("When a run finishes or fails while another window is in use"));
  AdwPreferencesGroup *trash = add_group (ADW_PREFERENCES_PAGE (page), _ ("Trash"));
  add_number (trash, settings, "trash-days", _ ("Days in the trash"),
              _ ("Runs that are there longer are offered to be deleted for good; 0: never"), 36500,
              1, 0);
  add_number (trash, settings, "trash-megabytes", _ ("Megabytes of the trash"),
              _ ("Beyond that the oldest are offered to be deleted for good; 0: no limit"), 1e8,
              100, 0);
  adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), sluice_plugins_group_new (settings));
  connect_choices (window, settings);
  sluice_help_set_page (window, "settings");
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_present (GTK_WINDOW (window));
}
