/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-table.h"

#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define WIDTH  700
#define HEIGHT 320

typedef enum
{
  COLUMN_RUN,
  COLUMN_VALUE,
  COLUMN_SMOOTHED,
  COLUMN_STEP,
  COLUMN_MIN,
  COLUMN_MAX,
  N_COLUMNS
} Column;

/* ---- a row ---- */

#define SLUICE_TYPE_CHART_TABLE_ROW (sluice_chart_table_row_get_type ())
G_DECLARE_FINAL_TYPE (SluiceChartTableRow, sluice_chart_table_row, SLUICE, CHART_TABLE_ROW, GObject)

struct _SluiceChartTableRow
{
  GObject parent_instance;
  char *name;
  SluiceColor color;
  double numbers[N_COLUMNS]; /* but for COLUMN_RUN */
  char *texts[N_COLUMNS];
};

G_DEFINE_FINAL_TYPE (SluiceChartTableRow, sluice_chart_table_row, G_TYPE_OBJECT)

static void
sluice_chart_table_row_finalize (GObject *object)
{
  SluiceChartTableRow *self = SLUICE_CHART_TABLE_ROW (object);

  g_free (self->name);
  for (guint i = 0; i < N_COLUMNS; i++)
    g_free (self->texts[i]);
  G_OBJECT_CLASS (sluice_chart_table_row_parent_class)->finalize (object);
}

static void
sluice_chart_table_row_class_init (SluiceChartTableRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_chart_table_row_finalize;
}

static void
sluice_chart_table_row_init (SluiceChartTableRow *self)
{
}

static SluiceChartTableRow *
new_row (SluiceChart *chart, const SluiceChartValue *value)
{
  SluiceUnit unit = sluice_chart_get_unit (chart);
  SluiceChartTableRow *self = g_object_new (SLUICE_TYPE_CHART_TABLE_ROW, NULL);
  const double numbers[N_COLUMNS] = {
    0,          value->sample.value, value->sample.smoothed, (double) value->sample.step,
    value->min, value->max
  };

  self->name = g_strdup (value->name);
  self->color = value->color;
  for (guint i = COLUMN_VALUE; i < N_COLUMNS; i++)
    {
      self->numbers[i] = numbers[i];
      self->texts[i] = i == COLUMN_STEP ? sluice_format_step (value->sample.step)
                                        : sluice_format_value (numbers[i], unit);
    }
  self->texts[COLUMN_RUN] = sluice_chart_dup_member_names (chart, value->id);
  g_free (self->texts[COLUMN_VALUE]);
  self->texts[COLUMN_VALUE] = sluice_chart_format_value (chart, value);
  return self;
}

/* NaN after every number. */
static int
compare_rows (gconstpointer a, gconstpointer b, gpointer data)
{
  const SluiceChartTableRow *first = a;
  const SluiceChartTableRow *second = b;
  guint column = GPOINTER_TO_UINT (data);
  double x = first->numbers[column];
  double y = second->numbers[column];

  if (column == COLUMN_RUN)
    return g_utf8_collate (first->name, second->name);
  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return (x > y) - (x < y);
}

/* ---- the window ---- */

struct _SluiceChartTable
{
  GtkWindow parent_instance;
  SluiceChartCard *card; /* not owned: the window goes with it */
  GtkWidget *place, *view;
  GListStore *rows;
  double x; /* where the cursor was last; infinity: nowhere yet */
  guint update_source;
};

G_DEFINE_FINAL_TYPE (SluiceChartTable, sluice_chart_table, GTK_TYPE_WINDOW)

static gboolean
update_cb (gpointer data)
{
  SluiceChartTable *self = data;
  SluiceChart *chart = sluice_chart_card_get_chart (self->card);
  double cursor = sluice_chart_get_cursor (chart);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GArray) values = NULL;
  g_autofree char *place = NULL;

  self->update_source = 0;
  if (!isnan (cursor))
    self->x = cursor;
  values = sluice_chart_dup_values (chart, self->x);
  place = isfinite (self->x) ? sluice_chart_dup_place (chart, self->x)
                             : g_strdup (_ ("The last values"));
  for (guint i = 0; i < values->len; i++)
    g_ptr_array_add (rows, new_row (chart, &g_array_index (values, SluiceChartValue, i)));
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       rows->pdata, rows->len);
  gtk_label_set_label (GTK_LABEL (self->place), place);
  return G_SOURCE_REMOVE;
}

/* Once for all that happens before the main loop is idle. */
static void
queue_update (SluiceChartTable *self)
{
  if (self->update_source == 0)
    self->update_source = g_idle_add (update_cb, self);
}

static void
setup_cell (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gboolean is_name = GPOINTER_TO_UINT (data) == COLUMN_RUN;
  GtkWidget *label = gtk_label_new (NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  if (is_name)
    {
      gtk_box_append (GTK_BOX (box), sluice_dot_new ());
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
    }
  else
    gtk_widget_add_css_class (label, "numeric");
  gtk_label_set_xalign (GTK_LABEL (label), is_name ? 0 : 1);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
bind_cell (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  SluiceChartTableRow *row = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkWidget *dot = gtk_widget_get_first_child (box);

  gtk_label_set_label (GTK_LABEL (gtk_widget_get_last_child (box)),
                       row->texts[GPOINTER_TO_UINT (data)]);
  if (!GTK_IS_DRAWING_AREA (dot))
    return;
  gtk_widget_set_tooltip_text (box, row->texts[COLUMN_RUN]); /* names of a mean's runs are long */
  sluice_dot_set_color (dot, row->color);
}

static void
add_column (SluiceChartTable *self, guint column, const char *title)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *c = gtk_column_view_column_new (title, factory);
  g_autoptr (GtkSorter) sorter =
      GTK_SORTER (gtk_custom_sorter_new (compare_rows, GUINT_TO_POINTER (column), NULL));

  g_signal_connect (factory, "setup", G_CALLBACK (setup_cell), GUINT_TO_POINTER (column));
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cell), GUINT_TO_POINTER (column));
  gtk_column_view_column_set_sorter (c, sorter);
  gtk_column_view_column_set_resizable (c, TRUE);
  gtk_column_view_column_set_expand (c, column == COLUMN_RUN);
  if (column != COLUMN_RUN)
    gtk_column_view_column_set_fixed_width (c, column == COLUMN_VALUE ? 172 : 92);
  gtk_column_view_append_column (GTK_COLUMN_VIEW (self->view), c);
  g_object_unref (c);
}

static void
card_gone_cb (SluiceChartTable *self)
{
  gtk_window_destroy (GTK_WINDOW (self));
}

static void
sluice_chart_table_dispose (GObject *object)
{
  SluiceChartTable *self = SLUICE_CHART_TABLE (object);

  g_clear_handle_id (&self->update_source, g_source_remove);
  g_clear_object (&self->rows);
  G_OBJECT_CLASS (sluice_chart_table_parent_class)->dispose (object);
}

static void
sluice_chart_table_class_init (SluiceChartTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_chart_table_dispose;
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
sluice_chart_table_init (SluiceChartTable *self)
{
  static const char *const titles[] = { N_ ("Run"),  N_ ("Value"), N_ ("Smoothed"),
                                        N_ ("Step"), N_ ("Least"), N_ ("Greatest") };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkSortListModel *sorted;

  self->x = INFINITY;
  self->rows = g_list_store_new (SLUICE_TYPE_CHART_TABLE_ROW);
  self->view = gtk_column_view_new (NULL);
  for (guint i = 0; i < N_COLUMNS; i++)
    add_column (self, i, _ (titles[i]));
  sluice_widget_align_titles (GTK_COLUMN_VIEW (self->view));
  sorted = gtk_sort_list_model_new (
      g_object_ref (G_LIST_MODEL (self->rows)),
      g_object_ref (gtk_column_view_get_sorter (GTK_COLUMN_VIEW (self->view))));
  gtk_column_view_set_model (
      GTK_COLUMN_VIEW (self->view),
      GTK_SELECTION_MODEL (gtk_single_selection_new (G_LIST_MODEL (sorted))));
  self->place = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->place), 0);
  gtk_widget_add_css_class (self->place, "heading");
  gtk_widget_add_css_class (self->place, "numeric");
  gtk_widget_set_margin_start (self->place, 12);
  gtk_widget_set_margin_top (self->place, 8);
  gtk_widget_set_margin_bottom (self->place, 8);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->view);
  gtk_box_append (GTK_BOX (box), self->place);
  gtk_box_append (GTK_BOX (box), scroller);
  gtk_window_set_titlebar (GTK_WINDOW (self), gtk_header_bar_new ());
  gtk_window_set_child (GTK_WINDOW (self), box);
  gtk_window_set_default_size (GTK_WINDOW (self), WIDTH, HEIGHT);
}

GtkWidget *
sluice_chart_table_new (SluiceChartCard *card)
{
  SluiceChartTable *self = g_object_new (SLUICE_TYPE_CHART_TABLE, NULL);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (card));
  g_autofree char *title =
      g_strdup_printf (_ ("Values of %s"), sluice_card_get_title (SLUICE_CARD (card)));

  self->card = card;
  gtk_window_set_title (GTK_WINDOW (self), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  if (GTK_IS_WINDOW (root))
    gtk_window_set_transient_for (GTK_WINDOW (self), GTK_WINDOW (root));
  g_signal_connect_object (card, "values-changed", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (card, "destroy", G_CALLBACK (card_gone_cb), self, G_CONNECT_SWAPPED);
  update_cb (self);
  return GTK_WIDGET (self);
}

char *
sluice_chart_table_dup_text (SluiceChartTable *self)
{
  GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (self->view)));
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (SluiceChartTableRow) row = g_list_model_get_item (model, i);

      for (guint k = 0; k < N_COLUMNS; k++)
        g_string_append_printf (out, "%s%c", row->texts[k], k + 1 < N_COLUMNS ? '\t' : '\n');
    }
  return g_string_free (out, FALSE);
}
