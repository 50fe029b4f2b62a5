/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/area-table.h"

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "ui/common/number.h"
#include "ui/common/widget.h"
#include "ui/timeline/area-sums.h"

#define HEIGHT 220

/* ---- a row ---- */

#define SLUICE_TYPE_AREA_ROW (sluice_area_row_get_type ())
G_DECLARE_FINAL_TYPE (SluiceAreaRow, sluice_area_row, SLUICE, AREA_ROW, GObject)

struct _SluiceAreaRow
{
  GObject parent;
  char *name;
  SluiceAreaSum sum; /* without its name */
};

G_DEFINE_FINAL_TYPE (SluiceAreaRow, sluice_area_row, G_TYPE_OBJECT)

static void
sluice_area_row_finalize (GObject *object)
{
  g_free (SLUICE_AREA_ROW (object)->name);
  G_OBJECT_CLASS (sluice_area_row_parent_class)->finalize (object);
}

static void
sluice_area_row_class_init (SluiceAreaRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_area_row_finalize;
}

static void
sluice_area_row_init (SluiceAreaRow *self)
{
}

/* ---- the table ---- */

struct _SluiceAreaTable
{
  GtkWidget parent;
  GtkWidget *box;
  GtkLabel *title;
  GtkColumnView *view;
  GListStore *rows;
  GListModel *sorted;
};

G_DEFINE_FINAL_TYPE (SluiceAreaTable, sluice_area_table, GTK_TYPE_WIDGET)

static guint name_chosen_signal;

typedef enum
{
  COLUMN_NAME,
  COLUMN_COUNT,
  COLUMN_TOTAL,
  COLUMN_SELF,
  COLUMN_P50,
  COLUMN_P95,
  N_COLUMNS,
} Column;

static const char *const titles[] = { N_ ("Name"), N_ ("Count"),  N_ ("Total"),
                                      N_ ("Self"), N_ ("Median"), N_ ("95 %") };

static gint64
get_number (const SluiceAreaRow *row, Column column)
{
  const gint64 numbers[] = {
    0, (gint64) row->sum.n, row->sum.total, row->sum.self, row->sum.p50, row->sum.p95
  };
  return numbers[column];
}

static char *
dup_cell (const SluiceAreaRow *row, Column column)
{
  if (column == COLUMN_NAME)
    return g_strdup (row->name);
  if (column == COLUMN_COUNT)
    return sluice_format_step ((gint64) row->sum.n);
  return sluice_words_duration ((double) get_number (row, column) / 1000);
}

static int
compare_rows (gconstpointer pa, gconstpointer pb, gpointer data)
{
  const SluiceAreaRow *a = pa, *b = pb;
  Column column = GPOINTER_TO_UINT (data);
  gint64 x = get_number (a, column), y = get_number (b, column);
  if (column == COLUMN_NAME || x == y)
    return g_strcmp0 (a->name, b->name);
  return x < y ? -1 : 1;
}

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gboolean is_name = GPOINTER_TO_UINT (data) == COLUMN_NAME;
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), is_name ? 0 : 1);
  gtk_label_set_ellipsize (GTK_LABEL (label),
                           is_name ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_NONE);
  if (!is_name)
    gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
bind_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  g_autofree char *text = dup_cell (gtk_list_item_get_item (item), GPOINTER_TO_UINT (data));
  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), text);
}

static void
add_column (SluiceAreaTable *self, Column column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  gpointer data = GUINT_TO_POINTER (column);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), data);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), data);
  g_autoptr (GtkColumnViewColumn) made = gtk_column_view_column_new (_ (titles[column]), factory);
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_rows, data, NULL));
  gtk_column_view_column_set_sorter (made, sorter);
  gtk_column_view_column_set_expand (made, column == COLUMN_NAME);
  gtk_column_view_column_set_resizable (made, TRUE);
  gtk_column_view_append_column (self->view, made);
  if (column == COLUMN_TOTAL)
    gtk_column_view_sort_by_column (self->view, made, GTK_SORT_DESCENDING);
}

void
sluice_area_table_show (SluiceAreaTable *self, const GArray *sums, gint64 length)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  guint64 n = 0;
  for (guint i = 0; i < sums->len; i++)
    {
      const SluiceAreaSum *sum = &g_array_index (sums, SluiceAreaSum, i);
      SluiceAreaRow *row = g_object_new (SLUICE_TYPE_AREA_ROW, NULL);
      row->name = g_strdup (sum->name);
      row->sum = *sum;
      row->sum.name = NULL;
      n += sum->n;
      g_ptr_array_add (rows, row);
    }
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       rows->pdata, rows->len);
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
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < g_list_model_get_n_items (self->sorted); i++)
    {
      g_autoptr (SluiceAreaRow) row = g_list_model_get_item (self->sorted, i);
      for (Column column = 0; column < N_COLUMNS; column++)
        {
          g_autofree char *cell = dup_cell (row, column);
          g_string_append_printf (out, "%s%s", column > 0 ? "\t" : "", cell);
        }
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}

/* ---- life ---- */

static void
activate_cb (SluiceAreaTable *self, guint position)
{
  g_autoptr (SluiceAreaRow) row = g_list_model_get_item (self->sorted, position);
  g_signal_emit (self, name_chosen_signal, 0, row->name);
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
  GtkWidget *scroller = gtk_scrolled_window_new ();
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->rows = g_list_store_new (SLUICE_TYPE_AREA_ROW);
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  GtkSorter *sorter = g_object_ref (gtk_column_view_get_sorter (self->view));
  self->sorted = G_LIST_MODEL (gtk_sort_list_model_new (G_LIST_MODEL (self->rows), sorter));
  g_autoptr (GtkSingleSelection) selection = gtk_single_selection_new (self->sorted);
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
  for (Column column = 0; column < N_COLUMNS; column++)
    add_column (self, column);
  sluice_widget_align_titles (self->view);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What ran in the area"), -1);
  g_signal_connect_swapped (self->view, "activate", G_CALLBACK (activate_cb), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->view));
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller), HEIGHT);
  gtk_box_append (GTK_BOX (self->box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (self->box), make_head (self));
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
sluice_area_table_new (void)
{
  return g_object_new (SLUICE_TYPE_AREA_TABLE, NULL);
}
