/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The table of keys against what the widgets below ui/ bind themselves, both ways. */

#include "app/keys.h"

#include <string.h>

#include "ui/canvas/canvas.h"
#include "ui/chart/chart-card.h"
#include "ui/chart/histogram-card.h"

/* Keys of the number pad, and the unshifted '+', do what the table says of others. */
static gboolean
is_twin (guint key)
{
  const char *name = gdk_keyval_name (key);
  return g_str_has_prefix (name, "KP_") || g_str_equal (name, "equal");
}

/* As the toolkit writes them: "<Control><Shift>z" and "<Shift><Control>z" are one. */
static char *
dup_normal (const char *accelerators)
{
  g_auto (GStrv) list = g_strsplit (accelerators, " ", -1);
  GString *normal = g_string_new (" ");
  for (guint i = 0; list[i] != NULL; i++)
    {
      guint key;
      GdkModifierType modifiers;
      g_assert_true (gtk_accelerator_parse (list[i], &key, &modifiers));
      g_autofree char *name = gtk_accelerator_name (key, modifiers);
      g_string_append_printf (normal, "%s ", name);
    }
  return g_string_free (normal, FALSE);
}

/* action -> its accelerators in the table, with blanks around */
static GHashTable *
read_table (const char *prefix)
{
  guint n;
  const SluiceKey *keys = sluice_keys_list (&n);
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (keys[i].action, prefix))
      g_hash_table_insert (table, (gpointer) keys[i].action, dup_normal (keys[i].keys));
  return table;
}

static void
check_shortcut (GHashTable *table, GtkShortcut *shortcut, const char *prefix, GString *seen)
{
  GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger (shortcut);
  GtkShortcutAction *action = gtk_shortcut_get_action (shortcut);
  if (!GTK_IS_NAMED_ACTION (action) || !GTK_IS_KEYVAL_TRIGGER (trigger))
    return;
  const char *name = gtk_named_action_get_action_name (GTK_NAMED_ACTION (action));
  guint key = gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger));
  if (!g_str_has_prefix (name, prefix) || is_twin (key))
    return;
  g_autofree char *accelerator = gtk_accelerator_name (
      gdk_keyval_to_lower (key), gtk_keyval_trigger_get_modifiers (GTK_KEYVAL_TRIGGER (trigger)));
  g_autofree char *wanted = g_strdup_printf (" %s ", accelerator);
  const char *told = g_hash_table_lookup (table, name);
  if (told == NULL || strstr (told, wanted) == NULL)
    g_test_fail_printf ("%s is bound to %s, which app/keys.c does not say", accelerator, name);
  g_string_append_printf (seen, " %s=%s ", name, accelerator);
}

static void
check_widget (GtkWidget *widget, const char *prefix)
{
  g_autoptr (GHashTable) table = read_table (prefix);
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);
      if (!GTK_IS_SHORTCUT_CONTROLLER (controller))
        continue;
      for (guint k = 0; k < g_list_model_get_n_items (G_LIST_MODEL (controller)); k++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), k);
          check_shortcut (table, shortcut, prefix, seen);
        }
    }
  GHashTableIter iter;
  gpointer action, accelerators;
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &action, &accelerators))
    {
      g_auto (GStrv) parts = g_strsplit (g_strstrip (accelerators), " ", -1);
      for (guint i = 0; parts[i] != NULL; i++)
        {
          g_autofree char *wanted = g_strdup_printf (" %s=%s ", (char *) action, parts[i]);
          if (strstr (seen->str, wanted) == NULL)
            g_test_fail_printf ("app/keys.c says %s of %s, which is not bound", parts[i],
                                (char *) action);
        }
    }
  g_assert_cmpuint (seen->len, >, 0);
}

static void
test_widgets (void)
{
  GtkWidget *canvas = g_object_ref_sink (sluice_canvas_new ());
  GtkWidget *chart = g_object_ref_sink (g_object_new (SLUICE_TYPE_CHART_CARD, NULL));
  GtkWidget *histogram = g_object_ref_sink (g_object_new (SLUICE_TYPE_HISTOGRAM_CARD, NULL));
  check_widget (canvas, "canvas.");
  check_widget (chart, "chart.");
  check_widget (chart, "card.");
  check_widget (histogram, "histogram.");
  g_object_unref (canvas);
  g_object_unref (chart);
  g_object_unref (histogram);
}

/* Each accelerator is one, none means two things in one place, and the page has all. */
static void
test_table (void)
{
  guint n;
  const SluiceKey *keys = sluice_keys_list (&n);
  g_autofree char *page = sluice_keys_dup_page ();
  g_autoptr (GHashTable) used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) parts = g_strsplit (keys[i].keys, " ", -1);
      g_auto (GStrv) place = g_strsplit (keys[i].action, ".", 2);
      gboolean is_window = g_str_equal (place[0], "app") || g_str_equal (place[0], "window");
      g_autofree char *row = g_strdup_printf ("| %s | ", keys[i].title);
      g_assert_nonnull (strstr (page, row));
      for (guint k = 0; parts[k] != NULL; k++)
        {
          guint key;
          GdkModifierType modifiers;
          char *where = g_strdup_printf ("%s %s", is_window ? "win" : place[0], parts[k]);
          g_assert_true (gtk_accelerator_parse (parts[k], &key, &modifiers));
          g_assert_true (g_hash_table_add (used, where));
        }
    }
  g_assert_nonnull (strstr (page, "`Ctrl+Shift+R`"));
  g_assert_nonnull (strstr (page, "`←`"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/app/keys/widgets", test_widgets);
  g_test_add_func ("/app/keys/table", test_table);
  return g_test_run ();
}
