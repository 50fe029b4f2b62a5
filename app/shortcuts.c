/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/shortcuts.h"

#include <glib/gi18n.h>

#include "app/keys.h"

static gboolean
is_applications (const char *action)
{
  return g_str_has_prefix (action, "app.") || g_str_has_prefix (action, "win.")
         || g_str_has_prefix (action, "window.");
}

void
sluice_shortcuts_set_accelerators (GtkApplication *application)
{
  guint n;
  const SluiceKey *keys = sluice_keys_list (&n);
  for (guint i = 0; i < n; i++)
    if (is_applications (keys[i].action))
      {
        g_auto (GStrv) accelerators = g_strsplit (keys[i].keys, " ", -1);
        gtk_application_set_accels_for_action (application, keys[i].action,
                                               (const char *const *) accelerators);
      }
}

void
sluice_shortcuts_bind (GtkWidgetClass *widget_class, const char *prefix)
{
  guint n;
  const SluiceKey *keys = sluice_keys_list (&n);
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) accelerators = g_strsplit (keys[i].keys, " ", -1);
      guint n_accelerators =
          g_str_has_prefix (keys[i].action, prefix) ? g_strv_length (accelerators) : 0;
      /* Menus name the last one that was bound. */
      while (n_accelerators-- > 0)
        {
          guint key;
          GdkModifierType modifiers;
          gtk_accelerator_parse (accelerators[n_accelerators], &key, &modifiers);
          gtk_widget_class_add_binding_action (widget_class, key, modifiers, keys[i].action, NULL);
        }
    }
}

/* GTK 4.8 fills this window from a description only. */
GtkShortcutsWindow *
sluice_shortcuts_window_new (void)
{
  guint n;
  const SluiceKey *keys = sluice_keys_list (&n);
  g_autoptr (GString) ui = g_string_new (
      "<interface><object class=\"GtkShortcutsWindow\" id=\"window\"><property name=\"modal\">true"
      "</property><child><object class=\"GtkShortcutsSection\">"
      "<property name=\"section-name\">shortcuts</property>");
  for (guint i = 0; i < n; i++)
    {
      gboolean begins = i == 0 || !g_str_equal (keys[i].group, keys[i - 1].group);
      gboolean ends = i + 1 == n || !g_str_equal (keys[i].group, keys[i + 1].group);
      g_autofree char *group = g_markup_escape_text (_ (keys[i].group), -1);
      g_autofree char *title = g_markup_escape_text (_ (keys[i].title), -1);
      g_autofree char *accelerators = g_markup_escape_text (keys[i].keys, -1);
      if (begins)
        g_string_append_printf (ui,
                                "<child><object class=\"GtkShortcutsGroup\">"
                                "<property name=\"title\">%s</property>",
                                group);
      g_string_append_printf (ui,
                              "<child><object class=\"GtkShortcutsShortcut\">"
                              "<property name=\"title\">%s</property>"
                              "<property name=\"accelerator\">%s</property></object></child>",
                              title, accelerators);
      if (ends)
        g_string_append (ui, "</object></child>");
    }
  g_string_append (ui, "</object></child></object></interface>");
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_string (ui->str, -1);
  return g_object_ref_sink (GTK_SHORTCUTS_WINDOW (gtk_builder_get_object (builder, "window")));
}
