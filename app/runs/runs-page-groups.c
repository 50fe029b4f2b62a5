/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/runs/run-line.h"

#define SETTING "setting:"

static char *
dup_title (const char *by)
{
  return by == NULL                       ? g_strdup (_ ("none"))
         : strcmp (by, "group") == 0      ? g_strdup (_ ("group"))
         : strcmp (by, "seed") == 0       ? g_strdup (_ ("seed"))
         : g_str_has_prefix (by, SETTING) ? g_strdup (by + strlen (SETTING))
                                          : g_strdup (by);
}

/* by: "": by nothing */
static void
append_choice (GMenu *menu, const char *by)
{
  g_autofree char *title = dup_title (*by != '\0' ? by : NULL);
  g_autoptr (GMenuItem) item = g_menu_item_new (title, NULL);
  g_menu_item_set_action_and_target (item, "table.group-by", "s", by);
  g_menu_append_item (menu, item);
}

/* Settings in which all runs are alike make one group of them all, and have no choice. */
void
sluice_runs_page_renew_groups (SluiceRunsPage *self)
{
  GPtrArray *columns = sluice_run_table_get_columns (self->table);
  g_autoptr (GMenu) menu = g_menu_new (), usual = g_menu_new (), settings = g_menu_new ();
  append_choice (usual, "");
  append_choice (usual, "group");
  append_choice (usual, "seed");
  for (guint i = 0; i < columns->len; i++)
    {
      const SluiceRunColumn *column = columns->pdata[i];
      if (column->kind == SLUICE_RUN_COLUMN_SETTING && column->is_by_itself)
        append_choice (settings, column->id);
    }
  g_menu_append_section (menu, NULL, G_MENU_MODEL (usual));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (settings));
  gtk_menu_button_set_menu_model (self->group_button, G_MENU_MODEL (menu));
}

void
sluice_runs_page_group_by (SluiceRunsPage *self, const char *by)
{
  const char *wanted = by != NULL && *by != '\0' ? by : NULL;
  g_autofree char *title = dup_title (wanted);
  g_autofree char *words = g_strdup_printf (_ ("Group: %s"), title);
  sluice_run_table_set_group_by (self->table, wanted);
  gtk_label_set_label (self->group_label, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->group_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
}

void
sluice_runs_page_toggle_group (SluiceRunItem *item, gpointer data)
{
  SluiceRunsPage *self = data;
  g_autoptr (SluiceRunItem) group = g_object_ref (item);
  sluice_run_table_set_open (self->table, group, !sluice_run_item_get_open (group));
}

/* (nullable) (transfer full): the group that a member stands below. */
static SluiceRunItem *
dup_group_of (SluiceRunsPage *self, SluiceRunItem *member)
{
  GListModel *rows = sluice_run_table_get_rows (self->table);
  guint at;
  if (!g_list_store_find (G_LIST_STORE (rows), member, &at))
    return NULL;
  while (at-- > 0)
    {
      g_autoptr (SluiceRunItem) item = g_list_model_get_item (rows, at);
      if (sluice_run_item_get_members (item) != NULL)
        return g_steal_pointer (&item);
    }
  return NULL;
}

void
sluice_runs_page_open_group (SluiceRunsPage *self, gboolean open)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  SluiceRunItem *item =
      root != NULL ? sluice_run_line_get_item_of (gtk_root_get_focus (root)) : NULL;
  g_autoptr (SluiceRunItem) group = NULL;
  guint at;
  if (item == NULL)
    return;
  group =
      !open && sluice_run_item_is_member (item) ? dup_group_of (self, item) : g_object_ref (item);
  if (group == NULL || sluice_run_item_get_members (group) == NULL)
    return;
  gboolean from_member = group != item;
  sluice_run_table_set_open (self->table, group, open);
  if (from_member
      && g_list_store_find (G_LIST_STORE (sluice_run_table_get_rows (self->table)), group, &at))
    gtk_selection_model_select_item (sluice_run_view_get_selection (self->view), at, TRUE);
}

/* The list would take them for itself. */
static gboolean
key_pressed_cb (GtkEventControllerKey *controller,
                guint key,
                guint code,
                GdkModifierType state,
                SluiceRunsPage *self)
{
  gboolean is_rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  gboolean is_right = key == GDK_KEY_Right || key == GDK_KEY_KP_Right;
  if ((!is_right && key != GDK_KEY_Left && key != GDK_KEY_KP_Left)
      || (state & gtk_accelerator_get_default_mod_mask ()) != 0
      || sluice_run_table_get_group_by (self->table) == NULL)
    return FALSE;
  sluice_runs_page_open_group (self, is_right != is_rtl);
  return TRUE;
}

void
sluice_runs_page_init_groups (SluiceRunsPage *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (sluice_run_view_get_rows (self->view)), keys);
  self->cells.toggle = sluice_runs_page_toggle_group;
  sluice_runs_page_renew_groups (self);
  sluice_runs_page_group_by (self, NULL);
}
