/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/settings-list.h"

#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>

#define NAME G_MAXUINT /* the column of names */

/* What a cell has room for in any case: a longer name or text gives way, a number never does. */
#define MOST_CHARS 24

/* ---- a row ---- */

#define SLUICE_TYPE_SETTINGS_ITEM (sluice_settings_item_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSettingsItem, sluice_settings_item, SLUICE, SETTINGS_ITEM, GObject)

struct _SluiceSettingsItem
{
  GObject parent_instance;
  gint64 run;
  char *name;
  SluiceColor color;
  guint n;
  SluiceSettingsCell *cells;
  char **texts;
};

G_DEFINE_FINAL_TYPE (SluiceSettingsItem, sluice_settings_item, G_TYPE_OBJECT)

static void
sluice_settings_item_finalize (GObject *object)
{
  SluiceSettingsItem *self = SLUICE_SETTINGS_ITEM (object);

  for (guint i = 0; i < self->n; i++)
    g_free (self->cells[i].text);
  g_free (self->cells);
  g_strfreev (self->texts);
  g_free (self->name);
  G_OBJECT_CLASS (sluice_settings_item_parent_class)->finalize (object);
}

static void
sluice_settings_item_class_init (SluiceSettingsItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_settings_item_finalize;
}

static void
sluice_settings_item_init (SluiceSettingsItem *self)
{
}

static SluiceSettingsItem *
new_item (const SluiceSettingsTable *table, const SluiceSettingsRow *row)
{
  SluiceSettingsItem *self = g_object_new (SLUICE_TYPE_SETTINGS_ITEM, NULL);

  self->run = row->run;
  self->name = g_strdup (row->name);
  self->color = row->color;
  self->n = table->columns->len;
  self->cells = g_new (SluiceSettingsCell, self->n);
  self->texts = g_new0 (char *, self->n + 1);
  for (guint i = 0; i < self->n; i++)
    {
      self->cells[i] = (SluiceSettingsCell){ row->cells[i].number, g_strdup (row->cells[i].text) };
      self->texts[i] = sluice_settings_table_format (table, row, i);
    }
  return self;
}

static gboolean
item_equal (const SluiceSettingsItem *a, const SluiceSettingsItem *b)
{
  return a->run == b->run && g_str_equal (a->name, b->name)
         && g_strv_equal ((const char *const *) a->texts, (const char *const *) b->texts);
}

static int
compare_items (gconstpointer a, gconstpointer b, gpointer data)
{
  const SluiceSettingsItem *first = a;
  const SluiceSettingsItem *second = b;
  guint column = GPOINTER_TO_UINT (data);

  if (column == NAME)
    return g_utf8_collate (first->name, second->name);
  return sluice_settings_cell_compare (&first->cells[column], &second->cells[column]);
}

/* ---- the table ---- */

struct _SluiceSettingsList
{
  GtkWidget parent_instance;
  GtkWidget *scroller;
  GtkColumnView *view;
  GListStore *items;
  GtkSingleSelection *selection;
};

G_DEFINE_FINAL_TYPE (SluiceSettingsList, sluice_settings_list, GTK_TYPE_WIDGET)

static guint run_marked_signal;

static void
mark (SluiceSettingsList *self, const SluiceSettingsItem *item)
{
  g_signal_emit (self, run_marked_signal, 0, item != NULL ? item->run : 0);
}

static void
selected_cb (SluiceSettingsList *self)
{
  mark (self, gtk_single_selection_get_selected_item (self->selection));
}

static void
enter_cb (GtkEventControllerMotion *controller, double x, double y, gpointer data)
{
  GtkWidget *cell = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller));

  mark (data, g_object_get_data (G_OBJECT (cell), "item"));
}

/* Back to what is selected, if anything is. */
static void
leave_cb (SluiceSettingsList *self)
{
  selected_cb (self);
}

static SluiceSettingsList *
get_list (gpointer factory)
{
  return g_object_get_data (factory, "list");
}

static void
setup_cell (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gboolean is_name = GPOINTER_TO_UINT (data) == NAME;
  gboolean is_mirrored = gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new (NULL);
  GtkEventController *motion = gtk_event_controller_motion_new ();

  if (is_name)
    gtk_box_append (GTK_BOX (box), sluice_dot_new ());
  else
    gtk_widget_add_css_class (label, "numeric");
  if (!is_name) /* a number and its unit read from left to right in every language */
    gtk_widget_set_direction (label, GTK_TEXT_DIR_LTR);
  gtk_label_set_xalign (GTK_LABEL (label), is_name || is_mirrored ? 0 : 1);
  /* What tells runs apart is often their end. */
  gtk_label_set_ellipsize (GTK_LABEL (label),
                           is_name ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
  gtk_label_set_single_line_mode (GTK_LABEL (label), TRUE);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  g_signal_connect (motion, "enter", G_CALLBACK (enter_cb), get_list (factory));
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), get_list (factory));
  gtk_widget_add_controller (box, motion);
  gtk_list_item_set_child (item, box);
}

static void
bind_cell (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  SluiceSettingsItem *of = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkLabel *label = GTK_LABEL (gtk_widget_get_last_child (box));
  guint column = GPOINTER_TO_UINT (data);
  const char *text = column == NAME ? of->name : of->texts[column];

  g_object_set_data_full (G_OBJECT (box), "item", g_object_ref (of), g_object_unref);
  gtk_label_set_label (label, text);
  gtk_label_set_width_chars (label, (int) MIN (g_utf8_strlen (text, -1), MOST_CHARS));
  if (column == NAME)
    sluice_dot_set_color (gtk_widget_get_first_child (box), of->color);
}

static void
add_column (SluiceSettingsList *self, guint column, const char *title)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *c = gtk_column_view_column_new (title, factory);
  g_autoptr (GtkSorter) sorter =
      GTK_SORTER (gtk_custom_sorter_new (compare_items, GUINT_TO_POINTER (column), NULL));

  g_object_set_data (G_OBJECT (factory), "list", self);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cell), GUINT_TO_POINTER (column));
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cell), GUINT_TO_POINTER (column));
  gtk_column_view_column_set_sorter (c, sorter);
  gtk_column_view_column_set_resizable (c, TRUE);
  gtk_column_view_column_set_expand (c, column == NAME);
  gtk_column_view_append_column (self->view, c);
  g_object_unref (c);
}

static void
set_columns (SluiceSettingsList *self, const SluiceSettingsTable *table)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);

  while (g_list_model_get_n_items (columns) > 0)
    {
      g_autoptr (GtkColumnViewColumn) c = g_list_model_get_item (columns, 0);

      gtk_column_view_remove_column (self->view, c);
    }
  add_column (self, NAME, _ ("Run"));
  for (guint i = 0; i < table->columns->len; i++)
    add_column (self, i, ((SluiceSettingsColumn *) g_ptr_array_index (table->columns, i))->name);
  sluice_widget_align_titles (self->view);
}

static gboolean
is_shown (SluiceSettingsList *self, GPtrArray *items)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (self->items)) != items->len)
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    {
      g_autoptr (SluiceSettingsItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), i);

      if (!item_equal (item, items->pdata[i]))
        return FALSE;
    }
  return TRUE;
}

void
sluice_settings_list_set_table (SluiceSettingsList *self,
                                const SluiceSettingsTable *table,
                                gboolean anew)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < table->rows->len; i++)
    g_ptr_array_add (items, new_item (table, g_ptr_array_index (table->rows, i)));
  if (!anew && is_shown (self, items))
    return;
  /* Cells of columns that are gone must not see rows without them. */
  if (anew)
    {
      g_list_store_remove_all (self->items);
      set_columns (self, table);
    }
  g_list_store_splice (self->items, 0, g_list_model_get_n_items (G_LIST_MODEL (self->items)),
                       items->pdata, items->len);
}

static void
sluice_settings_list_dispose (GObject *object)
{
  SluiceSettingsList *self = SLUICE_SETTINGS_LIST (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_object (&self->items);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_settings_list_parent_class)->dispose (object);
}

static void
sluice_settings_list_class_init (SluiceSettingsListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_settings_list_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  run_marked_signal = g_signal_new ("run-marked", SLUICE_TYPE_SETTINGS_LIST, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
}

/* GTK 4.8 finds new styles for titles whenever the focus moves in the window, on a page that is
 * covered, too; there may be a hundred of them. */
static void
mapped_cb (GtkWidget *view)
{
  gtk_widget_set_visible (gtk_widget_get_first_child (view), gtk_widget_get_mapped (view));
}

static gboolean
go_right_cb (gpointer data)
{
  GtkAdjustment *across = data;

  gtk_adjustment_set_value (across, gtk_adjustment_get_upper (across));
  return G_SOURCE_REMOVE;
}

/* GTK 4.8 starts at the left in any case; names of runs are at the side where reading starts. It
 * tells the width while it gives columns their places: too early to move them. */
static void
width_changed_cb (GtkAdjustment *across)
{
  if (gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL)
    g_idle_add_full (GTK_PRIORITY_RESIZE, go_right_cb, g_object_ref (across), g_object_unref);
}

static void
sluice_settings_list_init (SluiceSettingsList *self)
{
  self->items = g_list_store_new (SLUICE_TYPE_SETTINGS_ITEM);
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  GtkSortListModel *sorted =
      gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (self->items)),
                               g_object_ref (gtk_column_view_get_sorter (self->view)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  g_signal_connect_swapped (self->selection, "notify::selected-item", G_CALLBACK (selected_cb),
                            self);
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (self->selection));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Settings and results of each run"), -1);
  g_signal_connect_after (self->view, "map", G_CALLBACK (mapped_cb), NULL);
  g_signal_connect_after (self->view, "unmap", G_CALLBACK (mapped_cb), NULL);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->view));
  sluice_widget_chain_wheel (GTK_SCROLLED_WINDOW (self->scroller));
  g_signal_connect (gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (self->scroller)),
                    "notify::upper", G_CALLBACK (width_changed_cb), NULL);
  /* An overlaid bar goes away: nobody would see that there are more columns. */
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (self->scroller), FALSE);
  gtk_widget_set_vexpand (self->scroller, TRUE);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

GtkWidget *
sluice_settings_list_new (void)
{
  return g_object_new (SLUICE_TYPE_SETTINGS_LIST, NULL);
}
