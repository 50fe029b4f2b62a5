/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/number-table.h"

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "ui/chart/ticks.h"
#include "ui/common/number.h"
#include "ui/common/widget.h"

#define HEIGHT 180

/* ---- a row ---- */

#define SLUICE_TYPE_NUMBER_ROW (sluice_number_row_get_type ())
G_DECLARE_FINAL_TYPE (SluiceNumberRow, sluice_number_row, SLUICE, NUMBER_ROW, GObject)

struct _SluiceNumberRow
{
  GObject parent;
  SluiceNumbers told;
};

G_DEFINE_FINAL_TYPE (SluiceNumberRow, sluice_number_row, G_TYPE_OBJECT)

static void
sluice_number_row_finalize (GObject *object)
{
  g_free (SLUICE_NUMBER_ROW (object)->told.name);
  G_OBJECT_CLASS (sluice_number_row_parent_class)->finalize (object);
}

static void
sluice_number_row_class_init (SluiceNumberRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_number_row_finalize;
}

static void
sluice_number_row_init (SluiceNumberRow *self)
{
}

/* ---- the table ---- */

struct _SluiceNumberTable
{
  GtkWidget parent;
  GtkWidget *scroller;
  GtkColumnView *view;
  GListStore *rows;
  GListModel *sorted;
  guint n_columns; /* of numbers */
};

G_DEFINE_FINAL_TYPE (SluiceNumberTable, sluice_number_table, GTK_TYPE_WIDGET)

static guint name_chosen_signal;

/* What a column tells of. Column 0 has the names. */
typedef struct
{
  guint number;
  gboolean is_name;
  SluiceNumberKind kind;
} Column;

static char *
dup_signed (gint64 number, char *take_words)
{
  g_autofree char *words = take_words;
  return g_strdup_printf ("%s%s", number > 0 ? "+" : number < 0 ? "−" : "", words);
}

static char *
dup_number (gint64 number, SluiceNumberKind kind)
{
  double us = (double) number / 1000;
  if (number == SLUICE_NUMBER_NONE)
    return g_strdup ("–");
  switch (kind)
    {
    case SLUICE_NUMBER_TIME:
      return sluice_words_duration (us);
    case SLUICE_NUMBER_CHANGE:
      return dup_signed (number, sluice_words_duration (ABS (us)));
    case SLUICE_NUMBER_SHARE:
      {
        g_autofree char *percent = sluice_format_fixed ((double) ABS (number) / 10, 1);
        return dup_signed (number, g_strdup_printf ("%s\u202f%%", percent));
      }
    case SLUICE_NUMBER_COUNT:
    default:
      return sluice_format_step (number);
    }
}

static char *
dup_cell (const SluiceNumberRow *row, const Column *column)
{
  return column->is_name ? g_strdup (row->told.name)
                         : dup_number (row->told.numbers[column->number], column->kind);
}

/* What is not there comes last where the largest are first. */
static gint64
get_rank (const SluiceNumberRow *row, const Column *column)
{
  gint64 number = row->told.numbers[column->number];
  gboolean is_signed = column->kind == SLUICE_NUMBER_CHANGE || column->kind == SLUICE_NUMBER_SHARE;
  return number != SLUICE_NUMBER_NONE && is_signed ? ABS (number) : number;
}

static int
compare_rows (gconstpointer pa, gconstpointer pb, gpointer data)
{
  const SluiceNumberRow *a = pa, *b = pb;
  const Column *column = data;
  if (!column->is_name && get_rank (a, column) != get_rank (b, column))
    return get_rank (a, column) < get_rank (b, column) ? -1 : 1;
  return g_strcmp0 (a->told.name, b->told.name);
}

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gboolean is_name = ((const Column *) data)->is_name;
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
  g_autofree char *text = dup_cell (gtk_list_item_get_item (item), data);
  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), text);
}

static void
add_column (SluiceNumberTable *self, const char *title, const Column *told, gboolean sorts)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  Column *column = g_memdup2 (told, sizeof *told);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), column);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), column);
  g_autoptr (GtkColumnViewColumn) made = gtk_column_view_column_new (title, factory);
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_rows, column, NULL));
  g_object_set_data_full (G_OBJECT (made), "column", column, g_free);
  gtk_column_view_column_set_sorter (made, sorter);
  gtk_column_view_column_set_expand (made, column->is_name);
  gtk_column_view_column_set_resizable (made, TRUE);
  gtk_column_view_append_column (self->view, made);
  if (sorts)
    gtk_column_view_sort_by_column (self->view, made, GTK_SORT_DESCENDING);
}

void
sluice_number_table_set_rows (SluiceNumberTable *self, const SluiceNumbers *rows, guint n)
{
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n; i++)
    {
      SluiceNumberRow *row = g_object_new (SLUICE_TYPE_NUMBER_ROW, NULL);
      row->told = rows[i];
      row->told.name = g_strdup (rows[i].name);
      g_ptr_array_add (made, row);
    }
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       made->pdata, made->len);
}

char *
sluice_number_table_dup_text (SluiceNumberTable *self)
{
  GString *out = g_string_new (NULL);
  GListModel *columns = gtk_column_view_get_columns (self->view);
  for (guint i = 0; i < g_list_model_get_n_items (self->sorted); i++)
    {
      g_autoptr (SluiceNumberRow) row = g_list_model_get_item (self->sorted, i);
      for (guint k = 0; k < g_list_model_get_n_items (columns); k++)
        {
          g_autoptr (GObject) column = g_list_model_get_item (columns, k);
          g_autofree char *cell = dup_cell (row, g_object_get_data (column, "column"));
          g_string_append_printf (out, "%s%s", k > 0 ? "\t" : "", cell);
        }
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}

/* ---- life ---- */

static void
activate_cb (SluiceNumberTable *self, guint position)
{
  g_autoptr (SluiceNumberRow) row = g_list_model_get_item (self->sorted, position);
  g_signal_emit (self, name_chosen_signal, 0, row->told.name);
}

static void
sluice_number_table_dispose (GObject *object)
{
  g_clear_pointer (&SLUICE_NUMBER_TABLE (object)->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_number_table_parent_class)->dispose (object);
}

static void
sluice_number_table_class_init (SluiceNumberTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_number_table_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  name_chosen_signal = g_signal_new ("name-chosen", SLUICE_TYPE_NUMBER_TABLE, G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sluice_number_table_init (SluiceNumberTable *self)
{
  self->scroller = gtk_scrolled_window_new ();
  self->rows = g_list_store_new (SLUICE_TYPE_NUMBER_ROW);
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  GtkSorter *sorter = g_object_ref (gtk_column_view_get_sorter (self->view));
  self->sorted = G_LIST_MODEL (gtk_sort_list_model_new (G_LIST_MODEL (self->rows), sorter));
  g_autoptr (GtkSingleSelection) selection = gtk_single_selection_new (self->sorted);
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
  g_signal_connect_swapped (self->view, "activate", G_CALLBACK (activate_cb), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->view));
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (self->scroller), HEIGHT);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

GtkWidget *
sluice_number_table_new (const char *label,
                         const SluiceNumberColumn *columns,
                         guint n,
                         guint sorted)
{
  SluiceNumberTable *self = g_object_new (SLUICE_TYPE_NUMBER_TABLE, NULL);
  g_return_val_if_fail (n <= SLUICE_NUMBERS, GTK_WIDGET (self));
  add_column (self, _ ("Name"), &(Column){ .is_name = TRUE }, FALSE);
  for (guint i = 0; i < n; i++)
    add_column (self, _ (columns[i].title), &(Column){ i, FALSE, columns[i].kind }, i == sorted);
  sluice_widget_align_titles (self->view);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  return GTK_WIDGET (self);
}
