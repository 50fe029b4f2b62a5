/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/filter-chips.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/runs/run-cells.h"
#include "ui/common/wrap.h"

#define GAP 6 /* between chips, in pixels */

/* ---- which there are ---- */

typedef struct
{
  const char *action;
  GVariant *target; /* (nullable) */
  char *words;
} Chip;

static void
chip_free (gpointer data)
{
  Chip *self = data;
  g_clear_pointer (&self->target, g_variant_unref);
  g_free (self->words);
  g_free (self);
}

/* Takes words, and the floating target. */
static void
add_chip (GPtrArray *chips, const char *action, GVariant *target, char *words)
{
  Chip *chip = g_new (Chip, 1);
  *chip = (Chip){ action, target != NULL ? g_variant_ref_sink (target) : NULL, words };
  g_ptr_array_add (chips, chip);
}

/* (transfer full) */
static GPtrArray *
list_chips (SluiceRunTable *table)
{
  GPtrArray *chips = g_ptr_array_new_with_free_func (chip_free);
  const SluiceRunFilter *filter = sluice_run_table_get_filter (table);
  const char *view = sluice_run_table_get_view (table);
  GPtrArray *tags = sluice_run_table_get_counts (table)->tags;
  if (!sluice_run_table_get_trash (table))
    {
      if (strcmp (view, SLUICE_RUN_VIEW_ALL) != 0)
        add_chip (
            chips, "table.drop-view", NULL,
            g_strdup (strcmp (view, SLUICE_RUN_VIEW_STARRED) == 0 ? _ ("starred") : _ (view)));
      for (guint i = 0; i < tags->len; i++)
        {
          const char *tag = ((const SluiceRunTagCount *) tags->pdata[i])->tag;
          if (sluice_run_table_get_tag_wanted (table, tag))
            add_chip (chips, "table.drop-tag", g_variant_new_string (tag), g_strdup (tag));
        }
    }
  for (guint i = 0; filter != NULL && i < sluice_run_filter_get_n_terms (filter); i++)
    add_chip (chips, "table.drop-term", g_variant_new_int32 ((gint32) i),
              g_strdup (sluice_run_filter_get_term (filter, i)));
  return chips;
}

/* ---- what they look like ---- */

static GtkWidget *
new_button (const Chip *chip)
{
  GtkWidget *button = gtk_button_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *label = gtk_label_new (NULL);
  g_autofree char *name = g_strdup_printf (_ ("Remove the filter “%s”"), chip->words);
  sluice_run_cells_set_pill (label, chip->words);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("window-close-symbolic"));
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "run-tag");
  gtk_widget_add_css_class (button, "filter-chip");
  gtk_widget_set_tooltip_text (button, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button), chip->target);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), chip->action);
  return button;
}

static gboolean
is_same (GPtrArray *a, GPtrArray *b)
{
  if (a == NULL || a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const Chip *first = a->pdata[i], *second = b->pdata[i];
      if (strcmp (first->action, second->action) != 0 || strcmp (first->words, second->words) != 0)
        return FALSE;
    }
  return TRUE;
}

void
sluice_filter_chips_show (GtkWidget *self, SluiceRunTable *table)
{
  GPtrArray *chips = list_chips (table);
  GtkWidget *child;
  if (is_same (g_object_get_data (G_OBJECT (self), "chips"), chips))
    {
      g_ptr_array_unref (chips);
      return;
    }
  while ((child = gtk_widget_get_first_child (self)) != NULL)
    gtk_widget_unparent (child);
  for (guint i = 0; i < chips->len; i++)
    sluice_wrap_append (SLUICE_WRAP (self), new_button (chips->pdata[i]));
  gtk_widget_set_visible (self, chips->len > 0);
  g_object_set_data_full (G_OBJECT (self), "chips", chips, (GDestroyNotify) g_ptr_array_unref);
}

GtkWidget *
sluice_filter_chips_new (void)
{
  GtkWidget *self = sluice_wrap_new (GAP, FALSE);
  gtk_widget_set_hexpand (self, TRUE);
  gtk_widget_set_visible (self, FALSE);
  return self;
}
