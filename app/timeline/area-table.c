/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/area-table.h"

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "app/timeline/number-table.h"
#include "ui/common/number.h"
#include "ui/timeline/area-sums.h"

struct _SluiceAreaTable
{
  GtkWidget parent;
  GtkWidget *box;
  GtkLabel *title;
  SluiceNumberTable *table;
};

G_DEFINE_FINAL_TYPE (SluiceAreaTable, sluice_area_table, GTK_TYPE_WIDGET)

static guint name_chosen_signal;

static const SluiceNumberColumn columns[] = {
  { N_ ("Count"), SLUICE_NUMBER_COUNT }, { N_ ("Total"), SLUICE_NUMBER_TIME },
  { N_ ("Self"), SLUICE_NUMBER_TIME },   { N_ ("Median"), SLUICE_NUMBER_TIME },
  { N_ ("95 %"), SLUICE_NUMBER_TIME },
};

void
sluice_area_table_show (SluiceAreaTable *self, const GArray *sums, gint64 length)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (SluiceNumbers));
  guint64 n = 0;
  for (guint i = 0; i < sums->len; i++)
    {
      const SluiceAreaSum *sum = &g_array_index (sums, SluiceAreaSum, i);
      const SluiceNumbers row = { (char *) sum->name,
                                  { (gint64) sum->n, sum->total, sum->self, sum->p50, sum->p95 } };
      n += sum->n;
      g_array_append_val (rows, row);
    }
  sluice_number_table_set_rows (self->table, (const SluiceNumbers *) rows->data, rows->len);
  g_autofree char *count = sluice_format_step ((gint64) n);
  g_autofree char *time = sluice_words_duration ((double) length / 1000);
  g_autofree char *words = g_strdup_printf (
      ngettext ("%s span touches %s of time", "%s spans touch %s of time", (gulong) n), count,
      time);
  gtk_label_set_label (self->title, words);
}

char *
sluice_area_table_dup_text (SluiceAreaTable *self)
{
  return sluice_number_table_dup_text (self->table);
}

/* ---- life ---- */

static void
name_chosen_cb (SluiceAreaTable *self, const char *name)
{
  g_signal_emit (self, name_chosen_signal, 0, name);
}

static void
sluice_area_table_dispose (GObject *object)
{
  g_clear_pointer (&SLUICE_AREA_TABLE (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_area_table_parent_class)->dispose (object);
}

static void
sluice_area_table_class_init (SluiceAreaTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_area_table_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  name_chosen_signal = g_signal_new ("name-chosen", SLUICE_TYPE_AREA_TABLE, G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkWidget *
make_head (SluiceAreaTable *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");
  self->title = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->title, 0);
  gtk_widget_set_hexpand (GTK_WIDGET (self->title), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "timeline-caption");
  gtk_widget_set_tooltip_text (close, _ ("Close (Esc)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (close), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Close the table"), -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (close), "timeline.close-area");
  gtk_widget_add_css_class (close, "flat");
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->title));
  gtk_box_append (GTK_BOX (head), close);
  return head;
}

static void
sluice_area_table_init (SluiceAreaTable *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->table = SLUICE_NUMBER_TABLE (
      sluice_number_table_new (_ ("What ran in the area"), columns, G_N_ELEMENTS (columns), 1));
  gtk_box_append (GTK_BOX (self->box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (self->box), make_head (self));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->table));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect_swapped (self->table, "name-chosen", G_CALLBACK (name_chosen_cb), self);
}

GtkWidget *
sluice_area_table_new (void)
{
  return g_object_new (SLUICE_TYPE_AREA_TABLE, NULL);
}
