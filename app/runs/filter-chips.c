/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/filter-chips.h"

#include <glib/gi18n.h>
#include <string.h>

#define GAP     4 /* between chips, in pixels */
#define LETTERS 5 /* of each that are seen in a narrow window, and no more than … */
#define MOST    16

static char *
dup_view (SluiceRunTable *table)
{
  const char *view = sluice_run_table_get_view (table);
  if (strcmp (view, SLUICE_RUN_VIEW_ALL) == 0)
    return NULL;
  return g_strdup (strcmp (view, SLUICE_RUN_VIEW_STARRED) == 0 ? _ ("starred") : _ (view));
}

static char *
dup_tags (SluiceRunTable *table)
{
  GPtrArray *tags = sluice_run_table_get_counts (table)->tags;
  GString *words = g_string_new (NULL);
  for (guint i = 0; i < tags->len; i++)
    {
      const char *tag = ((const SluiceRunTagCount *) tags->pdata[i])->tag;
      if (sluice_run_table_get_tag_wanted (table, tag))
        g_string_append_printf (words, "%s%s", words->len > 0 ? ", " : "", tag);
    }
  return g_string_free (words, words->len == 0);
}

static const struct
{
  const char *action;
  char *(*dup_words) (SluiceRunTable *table); /* (nullable): NULL: leaves nothing out */
} chips[] = { { "table.drop-view", dup_view }, { "table.drop-tags", dup_tags } };

static GtkWidget *
new_chip (const char *action)
{
  GtkWidget *chip = gtk_button_new (), *label = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), MOST);
  gtk_button_set_child (GTK_BUTTON (chip), label);
  gtk_widget_set_valign (chip, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (chip, "run-tag");
  gtk_widget_add_css_class (chip, "filter-chip");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (chip), action);
  return chip;
}

/* Takes words. */
static void
show_chip (GtkWidget *chip, char *words)
{
  GtkLabel *label = GTK_LABEL (gtk_button_get_child (GTK_BUTTON (chip)));
  gtk_widget_set_visible (chip, words != NULL);
  if (words == NULL || strcmp (gtk_label_get_label (label), words) == 0)
    {
      g_free (words);
      return;
    }
  g_autofree char *name = g_strdup_printf (_ ("Remove the filter “%s”"), words);
  gtk_label_set_label (label, words);
  gtk_label_set_width_chars (label, (int) MIN (g_utf8_strlen (words, -1), LETTERS));
  gtk_widget_set_tooltip_text (chip, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (chip), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_free (words);
}

void
sluice_filter_chips_show (GtkWidget *self, SluiceRunTable *table)
{
  gboolean is_any = FALSE;
  GtkWidget *chip = gtk_widget_get_first_child (self);
  for (guint i = 0; i < G_N_ELEMENTS (chips); i++, chip = gtk_widget_get_next_sibling (chip))
    {
      show_chip (chip, sluice_run_table_get_trash (table) ? NULL : chips[i].dup_words (table));
      is_any |= gtk_widget_get_visible (chip);
    }
  gtk_widget_set_visible (self, is_any);
}

static gboolean
key_cb (GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, GtkWidget *self)
{
  GtkEditable *field = GTK_EDITABLE (gtk_widget_get_parent (self));
  GtkWidget *chip = gtk_widget_get_last_child (self);
  if (key != GDK_KEY_BackSpace || !gtk_widget_get_visible (self)
      || gtk_editable_get_position (field) > 0
      || gtk_editable_get_selection_bounds (field, NULL, NULL))
    return GDK_EVENT_PROPAGATE;
  while (!gtk_widget_get_visible (chip))
    chip = gtk_widget_get_prev_sibling (chip);
  return gtk_widget_activate (chip);
}

/* The field takes each press to itself that comes to it, and a chip's own would come to nothing. */
static gboolean
press_cb (GtkEventControllerLegacy *presses, GdkEvent *event)
{
  GdkEventType type = gdk_event_get_event_type (event);
  return type == GDK_BUTTON_PRESS || type == GDK_TOUCH_BEGIN;
}

GtkWidget *
sluice_filter_chips_new (GtkSearchEntry *field)
{
  GtkWidget *self = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, GAP);
  GtkWidget *text = GTK_WIDGET (gtk_editable_get_delegate (GTK_EDITABLE (field)));
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *presses = gtk_event_controller_legacy_new ();
  for (guint i = 0; i < G_N_ELEMENTS (chips); i++)
    gtk_box_append (GTK_BOX (self), new_chip (chips[i].action));
  gtk_widget_set_visible (self, FALSE);
  gtk_widget_insert_before (self, GTK_WIDGET (field), text);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_cb), self, 0);
  gtk_widget_add_controller (text, keys);
  g_signal_connect (presses, "event", G_CALLBACK (press_cb), NULL);
  gtk_widget_add_controller (self, presses);
  return self;
}
