/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/join-cards.h"

#include <glib/gi18n.h>

#include "ui/chart/chart-card.h"

#define MOST_LISTED  100 /* tags in a menu; ten thousand would take seconds to open */
#define TITLE_HEIGHT 41  /* in units; below it a drag zooms */

typedef struct
{
  char *tag;
  GStrv (*dup_tags) (GtkWidget *card, gpointer data);
  gboolean (*has_others) (GtkWidget *card, gpointer data);
  SluiceJoinFunc join;
  gpointer data;
} Join;

static void
join_free (gpointer data)
{
  g_free (((Join *) data)->tag);
  g_free (data);
}

static Join *
get_join (gpointer card)
{
  return g_object_get_data (card, "sluice-join");
}

/* ---- by the pointer ---- */

static GdkContentProvider *
prepare_cb (GtkDragSource *source, double x, double y, GtkWidget *card)
{
  if (y > TITLE_HEIGHT * sluice_card_get_text_scale (SLUICE_CARD (card)))
    return NULL;
  return gdk_content_provider_new_typed (SLUICE_TYPE_CHART_CARD, card);
}

static void
drag_begin_cb (GtkDragSource *source, GdkDrag *drag, GtkWidget *card)
{
  g_autoptr (GdkTexture) picture = sluice_card_dup_picture (SLUICE_CARD (card));
  if (picture != NULL)
    gtk_drag_source_set_icon (source, GDK_PAINTABLE (picture), 20, 20);
}

static gboolean
drop_cb (GtkDropTarget *target, const GValue *value, double x, double y, GtkWidget *card)
{
  GtkWidget *from = g_value_get_object (value);
  const Join *join = get_join (card);
  if (from == card || get_join (from) == NULL)
    return FALSE;
  join->join (card, get_join (from)->tag, join->data);
  return TRUE;
}

/* ---- by the menu ---- */

static void
join_cb (GSimpleAction *action, GVariant *parameter, gpointer card)
{
  const Join *join = get_join (card);
  join->join (card, g_variant_get_string (parameter, NULL), join->data);
}

static void
split_cb (GSimpleAction *action, GVariant *parameter, gpointer card)
{
  const Join *join = get_join (card);
  join->join (card, NULL, join->data);
}

static void
menu_cb (GtkWidget *card, GMenu *menu)
{
  const Join *join = get_join (card);
  g_auto (GStrv) tags = join->dup_tags (card, join->data);
  g_autoptr (GMenu) section = g_menu_new ();
  g_autoptr (GMenu) list = g_menu_new ();
  guint n = g_strv_length (tags);
  for (guint i = 0; i < MIN (n, MOST_LISTED); i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (tags[i], NULL);
      g_menu_item_set_action_and_target (item, "join.add", "s", tags[i]);
      g_menu_append_item (list, item);
    }
  if (n > MOST_LISTED)
    {
      g_autofree char *more = g_strdup_printf (_ ("%u more: drag one here"), n - MOST_LISTED);
      g_menu_append (list, more, NULL);
    }
  if (n > 0)
    g_menu_append_submenu (section, _ ("Draw with it"), G_MENU_MODEL (list));
  if (join->has_others (card, join->data))
    g_menu_append (section, _ ("Draw each alone"), "join.split");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
}

void
sluice_join_cards_add (GtkWidget *card,
                       const char *tag,
                       GStrv (*dup_tags) (GtkWidget *card, gpointer data),
                       gboolean (*has_others) (GtkWidget *card, gpointer data),
                       SluiceJoinFunc join,
                       gpointer data)
{
  const GActionEntry actions[] = { { .name = "add", .activate = join_cb, .parameter_type = "s" },
                                   { .name = "split", .activate = split_cb } };
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  GtkDragSource *source = gtk_drag_source_new ();
  GtkDropTarget *target = gtk_drop_target_new (SLUICE_TYPE_CHART_CARD, GDK_ACTION_COPY);
  Join *self = g_new (Join, 1);
  *self = (Join){ g_strdup (tag), dup_tags, has_others, join, data };
  g_object_set_data_full (G_OBJECT (card), "sluice-join", self, join_free);
  g_action_map_add_action_entries (G_ACTION_MAP (group), actions, G_N_ELEMENTS (actions), card);
  gtk_widget_insert_action_group (card, "join", G_ACTION_GROUP (group));
  g_signal_connect (source, "prepare", G_CALLBACK (prepare_cb), card);
  g_signal_connect (source, "drag-begin", G_CALLBACK (drag_begin_cb), card);
  g_signal_connect (target, "drop", G_CALLBACK (drop_cb), card);
  g_signal_connect (card, "menu", G_CALLBACK (menu_cb), NULL);
  gtk_widget_add_controller (card, GTK_EVENT_CONTROLLER (source));
  gtk_widget_add_controller (card, GTK_EVENT_CONTROLLER (target));
}
