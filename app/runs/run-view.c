/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-view-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/runs/run-line.h"
#include "ui/common/widget.h"

#define PAGE         "runs" /* of what the workspace remembers */
#define TOLD_AT_ONCE 3
#define FRAME_MS     16
#define REST_MS      100 /* after which rows that have come into sight stay there */

G_DEFINE_FINAL_TYPE (SluiceRunView, sluice_run_view, GTK_TYPE_WIDGET)

/* ---- which columns, in which order ---- */

const char *
sluice_run_view_get_id (GtkColumnViewColumn *column)
{
  return g_object_get_data (G_OBJECT (column), "id");
}

gboolean
sluice_run_view_shows (SluiceRunView *self, const SluiceRunColumn *column)
{
  gpointer shown;
  if (column->kind == SLUICE_RUN_COLUMN_NAME)
    return TRUE; /* what the row is */
  return g_hash_table_lookup_extended (self->chosen, column->id, NULL, &shown)
             ? GPOINTER_TO_INT (shown)
             : column->is_by_itself;
}

static gboolean
has_id (GPtrArray *ids, const char *id, guint *at)
{
  for (*at = 0; *at < ids->len; (*at)++)
    if (strcmp (ids->pdata[*at], id) == 0)
      return TRUE;
  return FALSE;
}

/* (transfer full) (element-type utf8): in the order that is remembered; what is not in it stands
 * behind what it follows by itself. */
static GPtrArray *
list_shown (SluiceRunView *self)
{
  GPtrArray *columns = sluice_run_table_get_columns (self->table);
  GPtrArray *shown = g_ptr_array_new_with_free_func (g_free);
  const char *before = NULL;
  guint at;
  for (guint i = 0; i < self->order->len; i++)
    {
      const SluiceRunColumn *column =
          sluice_run_table_find_column (self->table, self->order->pdata[i]);
      if (column != NULL && sluice_run_view_shows (self, column)
          && !has_id (shown, column->id, &at))
        g_ptr_array_add (shown, g_strdup (column->id));
    }
  for (guint i = 0; i < columns->len; i++)
    {
      const SluiceRunColumn *column = columns->pdata[i];
      if (!sluice_run_view_shows (self, column))
        continue;
      if (!has_id (shown, column->id, &at))
        g_ptr_array_insert (shown, before != NULL && has_id (shown, before, &at) ? (int) at + 1 : 0,
                            g_strdup (column->id));
      before = column->id;
    }
  return shown;
}

static void
remember_order (SluiceRunView *self)
{
  g_auto (GStrv) ids = sluice_run_view_dup_columns (self);
  g_autoptr (GPtrArray) old = self->order;
  guint at;
  if (self->built == NULL
      || g_strv_equal ((const char *const *) ids, (const char *const *) self->built))
    {
      g_steal_pointer (&old);
      return;
    }
  self->order = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; ids[i] != NULL; i++)
    g_ptr_array_add (self->order, g_strdup (ids[i]));
  for (guint i = 0; i < old->len; i++)
    if (!has_id (self->order, old->pdata[i], &at)) /* not shown now */
      g_ptr_array_add (self->order, g_strdup (old->pdata[i]));
}

/* What somebody has dragged and resized. */
static void
remember (SluiceRunView *self)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);
  remember_order (self);
  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      int width = gtk_column_view_column_get_fixed_width (column);
      if (width > 0 && width != GPOINTER_TO_INT (g_object_get_data (G_OBJECT (column), "width")))
        g_hash_table_insert (self->widths, g_strdup (sluice_run_view_get_id (column)),
                             GINT_TO_POINTER (width));
    }
}

/* ---- sorting: GTK 4.8 does not say which header was clicked ---- */

static int
probe_cb (gconstpointer a, gconstpointer b, gpointer data)
{
  GtkColumnViewColumn *column = data;
  SluiceRunView *self = g_object_get_data (G_OBJECT (column), "view");
  if (self->probed == NULL)
    self->probed = sluice_run_view_get_id (column);
  return GTK_ORDERING_LARGER;
}

static void fit (SluiceRunView *self);

/* The first column that the view compares two things by is the one, and the answer says which way
 * round. */
static void
sorted_cb (SluiceRunView *self)
{
  if (self->building)
    return;
  self->probed = NULL;
  GtkOrdering order = gtk_sorter_compare (gtk_column_view_get_sorter (self->view), self->probes[0],
                                          self->probes[1]);
  sluice_run_table_set_sort (self->table, self->probed, order == GTK_ORDERING_SMALLER);
  fit (self);
}

/* (nullable) (transfer full) */
static GtkColumnViewColumn *
dup_column (SluiceRunView *self, const char *id)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);
  for (guint i = 0; id != NULL && i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      if (strcmp (sluice_run_view_get_id (column), id) == 0)
        return g_steal_pointer (&column);
    }
  return NULL;
}

/* The arrow in the header. */
static void
show_sort (SluiceRunView *self)
{
  gboolean descending;
  const char *id = sluice_run_table_get_sort (self->table, &descending);
  g_autoptr (GtkColumnViewColumn) column = dup_column (self, id);
  gtk_column_view_sort_by_column (self->view, column,
                                  descending ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
}

void
sluice_run_view_sort (SluiceRunView *self, const SluiceRunColumn *column, gboolean descending)
{
  self->building = TRUE;
  sluice_run_table_set_sort (self->table, column != NULL ? column->id : NULL, descending);
  show_sort (self);
  fit (self);
  self->building = FALSE;
}

/* ---- what assistive technology finds ---- */

/* Rows that are in sight have their cells; a few at a time, as all of them take longer than a
 * frame has. */
static gboolean
rest_cb (gpointer data)
{
  SluiceRunView *self = data;
  GHashTableIter iter;
  gpointer line;
  int height = gtk_widget_get_height (GTK_WIDGET (self->rows));
  guint n_told = 0;
  self->rest_source = 0;
  g_hash_table_iter_init (&iter, self->cells->lines);
  while (g_hash_table_iter_next (&iter, &line, NULL))
    {
      graphene_rect_t area;
      gboolean in_sight = gtk_widget_get_mapped (line)
                          && gtk_widget_compute_bounds (line, GTK_WIDGET (self->rows), &area)
                          && area.origin.y < (float) height && area.origin.y + area.size.height > 0;
      n_told += sluice_run_line_tell_cells (line, in_sight) && in_sight;
      if (n_told < TOLD_AT_ONCE)
        continue;
      self->rest_source = g_timeout_add (FRAME_MS, rest_cb, self);
      break;
    }
  return G_SOURCE_REMOVE;
}

/* Other rows come into sight. */
static void
rows_moved_cb (SluiceRunView *self)
{
  g_clear_handle_id (&self->rest_source, g_source_remove);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->rest_source = g_timeout_add (REST_MS, rest_cb, self);
}

gboolean
sluice_run_view_is_settled (SluiceRunView *self)
{
  return self->rest_source == 0;
}

/* ---- the columns ---- */

/* As the titles stand, so do the cells. */
static void
place (SluiceRunView *self)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);
  GArray *places = sluice_run_cells_empty_places (self->cells);
  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) c = g_list_model_get_item (columns, i);
      const SluiceRunColumn *column =
          sluice_run_table_find_column (self->table, sluice_run_view_get_id (c));
      if (column == NULL || !gtk_column_view_column_get_visible (c))
        continue;
      const SluiceRunPlace one = { .column = sluice_run_column_copy (column),
                                   .width = gtk_column_view_column_get_fixed_width (c),
                                   .expands = gtk_column_view_column_get_expand (c) };
      g_array_append_val (places, one);
    }
  sluice_run_lines_place (self->cells);
  rows_moved_cb (self);
}

/* A title is dragged, or its edge. */
static void
column_moved_cb (SluiceRunView *self)
{
  if (!self->building && !self->fitting)
    place (self);
}

static void
fit (SluiceRunView *self)
{
  self->fitting = TRUE;
  sluice_run_view_fit (self);
  self->fitting = FALSE;
  place (self);
}

static gboolean
fit_cb (gpointer data)
{
  SluiceRunView *self = data;
  GtkAdjustment *across =
      gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (self->scroller));
  int bar = gtk_widget_get_width (GTK_WIDGET (self)) - (int) gtk_adjustment_get_page_size (across);
  self->fit_source = 0;
  gtk_widget_set_margin_end (self->titles, MAX (0, bar)); /* a scroll bar that takes room */
  fit (self);
  return G_SOURCE_REMOVE;
}

/* Not while the columns are given their places. */
static void
room_changed_cb (SluiceRunView *self)
{
  if (self->table != NULL && self->fit_source == 0)
    self->fit_source = g_idle_add_full (GTK_PRIORITY_RESIZE, fit_cb, self, NULL);
}

static void
add_column (SluiceRunView *self, const SluiceRunColumn *column)
{
  g_autoptr (GtkColumnViewColumn) c = gtk_column_view_column_new (
      column->kind == SLUICE_RUN_COLUMN_STAR ? "☆" : column->title, NULL);
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (probe_cb, c, NULL));
  int width = GPOINTER_TO_INT (g_hash_table_lookup (self->widths, column->id));
  g_object_set_data_full (G_OBJECT (c), "id", g_strdup (column->id), g_free);
  g_object_set_data (G_OBJECT (c), "view", self);
  gtk_column_view_column_set_sorter (c, sorter);
  gtk_column_view_column_set_resizable (c, TRUE);
  width = width > 0 ? width : sluice_run_view_choose_width (self, column);
  gtk_column_view_column_set_fixed_width (c, width);
  g_object_set_data (G_OBJECT (c), "width", GINT_TO_POINTER (width));
  gtk_column_view_column_set_expand (c, column->kind == SLUICE_RUN_COLUMN_TAGS);
  g_signal_connect_object (c, "notify::fixed-width", G_CALLBACK (column_moved_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_column_view_append_column (self->view, c);
}

/* Titles stand over their numbers. */
static void
align_titles (SluiceRunView *self)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (self->view));
  GtkWidget *title = header != NULL ? gtk_widget_get_first_child (header) : NULL;
  if (header != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (header), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    _ ("Titles of the columns"), -1);
  for (guint i = 0; i < g_list_model_get_n_items (columns) && title != NULL; i++)
    {
      g_autoptr (GtkColumnViewColumn) c = g_list_model_get_item (columns, i);
      const SluiceRunColumn *column =
          sluice_run_table_find_column (self->table, sluice_run_view_get_id (c));
      GtkWidget *label =
          column != NULL ? sluice_widget_align_title (title, column->is_number) : NULL;
      if (label != NULL)
        {
          if (column->kind == SLUICE_RUN_COLUMN_STAR)
            gtk_label_set_xalign (GTK_LABEL (label), 0.5f);
          gtk_label_set_ellipsize (GTK_LABEL (label), column->name != NULL
                                                          ? PANGO_ELLIPSIZE_MIDDLE /* "…, best" */
                                                          : PANGO_ELLIPSIZE_END);
          gtk_accessible_update_property (GTK_ACCESSIBLE (title), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                          column->title, -1);
          gtk_widget_set_tooltip_text (title, column->name != NULL ? column->name : column->title);
        }
      title = gtk_widget_get_next_sibling (title);
    }
}

static void
build (SluiceRunView *self)
{
  g_autoptr (GPtrArray) shown = list_shown (self);
  GListModel *columns = gtk_column_view_get_columns (self->view);
  self->building = TRUE;
  while (g_list_model_get_n_items (columns) > 0)
    {
      g_autoptr (GtkColumnViewColumn) c = g_list_model_get_item (columns, 0);
      gtk_column_view_remove_column (self->view, c);
    }
  for (guint i = 0; i < shown->len; i++)
    add_column (self, sluice_run_table_find_column (self->table, shown->pdata[i]));
  g_strfreev (self->built);
  self->built = sluice_run_view_dup_columns (self);
  show_sort (self);
  align_titles (self);
  place (self);
  fit (self);
  self->building = FALSE;
}

static void
columns_changed_cb (SluiceRunView *self)
{
  remember (self);
  build (self);
}

/* Where text is enlarged, what stands in the columns is. */
static void
text_scaled_cb (SluiceRunView *self)
{
  if (self->table == NULL)
    return;
  remember (self);
  build (self);
}

void
sluice_run_view_set_shown (SluiceRunView *self, const SluiceRunColumn *column, gboolean shown)
{
  if (sluice_run_view_shows (self, column) == shown)
    return;
  remember (self);
  g_hash_table_insert (self->chosen, g_strdup (column->id), GINT_TO_POINTER (shown));
  build (self);
}

void
sluice_run_view_resize (SluiceRunView *self, const SluiceRunColumn *column, int by)
{
  g_autoptr (GtkColumnViewColumn) c = dup_column (self, column->id);
  if (c == NULL || !gtk_column_view_column_get_visible (c))
    return;
  int width = gtk_column_view_column_get_fixed_width (c) + by;
  if (by == 0)
    {
      width = sluice_run_view_choose_width (self, column);
      g_hash_table_remove (self->widths, column->id);
      g_object_set_data (G_OBJECT (c), "width", GINT_TO_POINTER (width));
    }
  gtk_column_view_column_set_fixed_width (
      c, CLAMP (width, SLUICE_RUN_VIEW_LEAST, SLUICE_RUN_VIEW_MOST));
  fit (self);
}

void
sluice_run_view_move (SluiceRunView *self, const SluiceRunColumn *column, int by)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);
  g_autoptr (GtkColumnViewColumn) c = dup_column (self, column->id);
  guint at;
  if (c == NULL || !g_list_store_find (G_LIST_STORE (columns), c, &at) || (by < 0 && at == 0)
      || (by > 0 && at + 1 >= g_list_model_get_n_items (columns)))
    return;
  gtk_column_view_insert_column (self->view, (guint) ((int) at + by), c);
}

void
sluice_run_view_set_columns (SluiceRunView *self, const char *const *ids)
{
  GPtrArray *columns = sluice_run_table_get_columns (self->table);
  remember (self);
  for (guint i = 0; i < columns->len; i++)
    {
      const char *id = ((const SluiceRunColumn *) columns->pdata[i])->id;
      g_hash_table_insert (self->chosen, g_strdup (id),
                           GINT_TO_POINTER (g_strv_contains (ids, id)));
    }
  g_ptr_array_set_size (self->order, 0);
  for (guint i = 0; ids[i] != NULL; i++)
    g_ptr_array_add (self->order, g_strdup (ids[i]));
  build (self);
}

void
sluice_run_view_set_table (SluiceRunView *self, SluiceRunTable *table, SluiceRunCells *cells)
{
  g_assert (self->table == NULL);
  self->table = g_object_ref (table);
  self->cells = cells;
  self->selection = GTK_SELECTION_MODEL (
      gtk_multi_selection_new (g_object_ref (sluice_run_table_get_rows (table))));
  g_autoptr (GtkListItemFactory) factory = sluice_run_line_new_factory (cells);
  gtk_list_view_set_factory (self->rows, factory);
  g_signal_connect_object (self->selection, "items-changed", G_CALLBACK (rows_moved_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (table, "columns-changed", G_CALLBACK (columns_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_column_view_get_sorter (self->view), "changed",
                           G_CALLBACK (sorted_cb), self, G_CONNECT_SWAPPED);
  build (self);
}

GtkSelectionModel *
sluice_run_view_get_selection (SluiceRunView *self)
{
  return self->selection;
}

GtkListView *
sluice_run_view_get_rows (SluiceRunView *self)
{
  return self->rows;
}

void
sluice_run_view_focus (SluiceRunView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->rows));
}

/* ---- where text goes from right to left, the first columns are at the right ---- */

static gboolean
is_mirrored (SluiceRunView *self)
{
  return gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
}

static void
scrolled_cb (SluiceRunView *self, GtkAdjustment *across)
{
  self->from_start = gtk_adjustment_get_upper (across) - gtk_adjustment_get_page_size (across)
                     - gtk_adjustment_get_value (across);
}

/* GTK keeps the distance from the left. */
static void
widened_cb (SluiceRunView *self, GtkAdjustment *across)
{
  if (!is_mirrored (self))
    return;
  g_signal_handlers_block_by_func (across, scrolled_cb, self);
  gtk_adjustment_set_value (across, gtk_adjustment_get_upper (across)
                                        - gtk_adjustment_get_page_size (across) - self->from_start);
  g_signal_handlers_unblock_by_func (across, scrolled_cb, self);
}

/* ---- what the workspace remembers ---- */

GStrv
sluice_run_view_dup_columns (SluiceRunView *self)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();
  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      g_strv_builder_add (ids, sluice_run_view_get_id (column));
    }
  return g_strv_builder_end (ids);
}

static void
save_state (SluiceRunView *self, GKeyFile *state)
{
  g_autoptr (GStrvBuilder) shown = g_strv_builder_new (), hidden = g_strv_builder_new ();
  gboolean descending;
  const char *sort = sluice_run_table_get_sort (self->table, &descending);
  GHashTableIter iter;
  gpointer id, value;
  remember (self);
  g_hash_table_iter_init (&iter, self->chosen);
  while (g_hash_table_iter_next (&iter, &id, &value))
    g_strv_builder_add (GPOINTER_TO_INT (value) ? shown : hidden, id);
  g_auto (GStrv) all_shown = g_strv_builder_end (shown), all_hidden = g_strv_builder_end (hidden);
  const struct
  {
    const char *key;
    const char *const *ids;
    gsize n;
  } lists[] = {
    { "shown", (const char *const *) all_shown, g_strv_length (all_shown) },
    { "hidden", (const char *const *) all_hidden, g_strv_length (all_hidden) },
    { "order", (const char *const *) self->order->pdata, self->order->len },
  };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (lists[i].n > 0)
      g_key_file_set_string_list (state, PAGE, lists[i].key, lists[i].ids, lists[i].n);
  if (sort != NULL)
    g_key_file_set_string (state, PAGE, "sort", sort);
  g_key_file_set_boolean (state, PAGE, "descending", descending);
  g_hash_table_iter_init (&iter, self->widths);
  while (g_hash_table_iter_next (&iter, &id, &value))
    {
      g_autofree char *key = g_uri_escape_string (id, NULL, FALSE);
      g_key_file_set_integer (state, PAGE " widths", key, GPOINTER_TO_INT (value));
    }
}

static void
read_choice (SluiceRunView *self, GKeyFile *state, const char *key, gboolean shown)
{
  g_auto (GStrv) ids = g_key_file_get_string_list (state, PAGE, key, NULL, NULL);
  for (guint i = 0; ids != NULL && ids[i] != NULL; i++)
    g_hash_table_insert (self->chosen, g_strdup (ids[i]), GINT_TO_POINTER (shown));
}

static void
read_state (SluiceRunView *self, GKeyFile *state)
{
  g_auto (GStrv) order = g_key_file_get_string_list (state, PAGE, "order", NULL, NULL);
  g_auto (GStrv) keys = g_key_file_get_keys (state, PAGE " widths", NULL, NULL);
  g_autofree char *sort = g_key_file_get_string (state, PAGE, "sort", NULL);
  read_choice (self, state, "shown", TRUE);
  read_choice (self, state, "hidden", FALSE);
  if (order != NULL)
    g_ptr_array_set_size (self->order, 0);
  for (guint i = 0; order != NULL && order[i] != NULL; i++)
    g_ptr_array_add (self->order, g_strdup (order[i]));
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      char *id = g_uri_unescape_string (keys[i], NULL);
      int width = g_key_file_get_integer (state, PAGE " widths", keys[i], NULL);
      if (id != NULL)
        g_hash_table_insert (
            self->widths, id,
            GINT_TO_POINTER (CLAMP (width, SLUICE_RUN_VIEW_LEAST, SLUICE_RUN_VIEW_MOST)));
    }
  sluice_run_table_set_sort (self->table, sort,
                             g_key_file_get_boolean (state, PAGE, "descending", NULL));
  build (self);
}

void
sluice_run_view_keep_state (SluiceRunView *self, GKeyFile *state, gboolean saves)
{
  if (saves)
    save_state (self, state);
  else
    read_state (self, state);
}

/* ---- life ---- */

static void
sluice_run_view_dispose (GObject *object)
{
  SluiceRunView *self = SLUICE_RUN_VIEW (object);
  self->building = TRUE; /* a column that goes is sorted by no more, and nothing follows from it */
  g_clear_handle_id (&self->fit_source, g_source_remove);
  g_clear_handle_id (&self->rest_source, g_source_remove);
  g_clear_pointer (&self->titles, gtk_widget_unparent);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  g_clear_object (&self->resized);
  g_clear_object (&self->selection);
  g_clear_object (&self->table);
  g_clear_object (&self->probes[0]);
  g_clear_object (&self->probes[1]);
  G_OBJECT_CLASS (sluice_run_view_parent_class)->dispose (object);
}

static void
sluice_run_view_finalize (GObject *object)
{
  SluiceRunView *self = SLUICE_RUN_VIEW (object);
  g_hash_table_unref (self->chosen);
  g_hash_table_unref (self->widths);
  g_ptr_array_unref (self->order);
  g_strfreev (self->built);
  G_OBJECT_CLASS (sluice_run_view_parent_class)->finalize (object);
}

/* Rows are made when somebody is to see them. */
static void
sluice_run_view_map (GtkWidget *widget)
{
  SluiceRunView *self = SLUICE_RUN_VIEW (widget);
  if (gtk_list_view_get_model (self->rows) == NULL)
    gtk_list_view_set_model (self->rows, self->selection);
  GTK_WIDGET_CLASS (sluice_run_view_parent_class)->map (widget);
  rows_moved_cb (self);
}

static void
sluice_run_view_measure (GtkWidget *widget,
                         GtkOrientation orientation,
                         int for_size,
                         int *minimum,
                         int *natural,
                         int *minimum_baseline,
                         int *natural_baseline)
{
  SluiceRunView *self = SLUICE_RUN_VIEW (widget);
  gboolean across = orientation == GTK_ORIENTATION_HORIZONTAL;
  int least, usual;
  gtk_widget_measure (self->titles, orientation, -1, minimum, natural, NULL, NULL);
  gtk_widget_measure (self->scroller, orientation, -1, &least, &usual, NULL, NULL);
  *minimum = across ? MAX (*minimum, least) : *minimum + least;
  *natural = across ? MAX (*natural, usual) : *natural + usual;
}

/* The titles below which the rows stand come last: GTK 4.8 puts them where the adjustment says
 * before it tells it how wide they are, and they stay there whatever follows from that. */
static void
sluice_run_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceRunView *self = SLUICE_RUN_VIEW (widget);
  int titles;
  gtk_widget_measure (self->titles, GTK_ORIENTATION_VERTICAL, -1, &titles, NULL, NULL, NULL);
  gtk_widget_allocate (self->scroller, width, MAX (0, height - titles), -1,
                       gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT (0, (float) titles)));
  gtk_widget_allocate (self->titles, width, titles, -1, NULL);
}

static void
sluice_run_view_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  SluiceRunView *self = SLUICE_RUN_VIEW (widget);
  GTK_WIDGET_CLASS (sluice_run_view_parent_class)->css_changed (widget, change);
  if (self->cells != NULL)
    sluice_run_lines_renew (self->cells);
}

static void
sluice_run_view_class_init (SluiceRunViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_run_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_run_view_finalize;
  GTK_WIDGET_CLASS (klass)->map = sluice_run_view_map;
  GTK_WIDGET_CLASS (klass)->css_changed = sluice_run_view_css_changed;
  GTK_WIDGET_CLASS (klass)->measure = sluice_run_view_measure;
  GTK_WIDGET_CLASS (klass)->size_allocate = sluice_run_view_size_allocate;
}

static void
init_rows (SluiceRunView *self)
{
  self->rows = g_object_new (GTK_TYPE_LIST_VIEW, "enable-rubberband", TRUE, "accessible-role",
                             GTK_ACCESSIBLE_ROLE_TREE_GRID, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (self->rows), "runs-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->rows), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Table of runs"), -1);
  self->scroller = gtk_scrolled_window_new ();
  gtk_widget_add_css_class (self->scroller, "runs-scroller");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->rows));
  gtk_widget_set_vexpand (self->scroller, TRUE);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

static void
init_titles (SluiceRunView *self)
{
  GtkScrolledWindow *scroller = GTK_SCROLLED_WINDOW (self->scroller);
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_column_view_set_reorderable (self->view, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "runs-titles");
  self->titles = gtk_scrolled_window_new ();
  gtk_widget_add_css_class (self->titles, "runs-scroller");
  gtk_widget_set_can_focus (self->titles, FALSE); /* there is nothing in it to go to */
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->titles), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_hadjustment (GTK_SCROLLED_WINDOW (self->titles),
                                       gtk_scrolled_window_get_hadjustment (scroller));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->titles), GTK_WIDGET (self->view));
  gtk_widget_insert_before (self->titles, GTK_WIDGET (self), self->scroller);
  g_signal_connect_object (gtk_column_view_get_columns (self->view), "items-changed",
                           G_CALLBACK (column_moved_cb), self, G_CONNECT_SWAPPED);
}

static void
connect_scroller (SluiceRunView *self)
{
  GtkScrolledWindow *scroller = GTK_SCROLLED_WINDOW (self->scroller);
  GtkAdjustment *across = gtk_scrolled_window_get_hadjustment (scroller);
  GtkAdjustment *along = gtk_scrolled_window_get_vadjustment (scroller);
  g_signal_connect_object (across, "value-changed", G_CALLBACK (scrolled_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (across, "changed", G_CALLBACK (widened_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (across, "notify::page-size", G_CALLBACK (room_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (along, "value-changed", G_CALLBACK (rows_moved_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (along, "changed", G_CALLBACK (rows_moved_cb), self, G_CONNECT_SWAPPED);
}

static void
sluice_run_view_init (SluiceRunView *self)
{
  self->chosen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->widths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->order = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (self->probes); i++)
    self->probes[i] = g_object_new (G_TYPE_OBJECT, NULL);
  init_rows (self);
  init_titles (self);
  sluice_run_view_init_drag (self);
  connect_scroller (self);
  g_signal_connect_object (gtk_widget_get_settings (GTK_WIDGET (self)), "notify::gtk-xft-dpi",
                           G_CALLBACK (text_scaled_cb), self, G_CONNECT_SWAPPED);
}
