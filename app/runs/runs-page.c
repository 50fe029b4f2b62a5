/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "app/runs/filter-chips.h"
#include "app/runs/run-line.h"
#include "ui/chart/ticks.h"
#include "ui/common/bar-layout.h"

#define READ_MS    1000 /* from one reading to the next while runs are at work */
#define MOST_NAMES 100  /* that a test is told */

static void init_page (SluicePageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceRunsPage,
                               sluice_runs_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

void
sluice_runs_page_tell (SluiceRunsPage *self, const char *message)
{
  GtkWidget *toasts = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *markup = g_markup_escape_text (message, -1);
  if (toasts != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (toasts), adw_toast_new (markup));
}

/* ---- what is selected ---- */

/* Takes item. */
static void
add_selected (GPtrArray *items, GHashTable *seen, SluiceRunItem *item)
{
  GPtrArray *members = sluice_run_item_get_members (item);
  for (guint i = 0; members != NULL && i < members->len; i++)
    if (g_hash_table_add (seen, members->pdata[i]))
      g_ptr_array_add (items, g_object_ref (members->pdata[i]));
  if (members == NULL && g_hash_table_add (seen, item))
    g_ptr_array_add (items, g_object_ref (item));
  g_object_unref (item);
}

GPtrArray *
sluice_runs_page_dup_selected (SluiceRunsPage *self)
{
  GtkSelectionModel *model = sluice_run_view_get_selection (self->view);
  g_autoptr (GtkBitset) selected = gtk_selection_model_get_selection (model);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  GtkBitsetIter iter;
  guint position;
  for (gboolean more = gtk_bitset_iter_init_first (&iter, selected, &position); more;
       more = gtk_bitset_iter_next (&iter, &position))
    {
      gpointer item = g_list_model_get_item (G_LIST_MODEL (model), position);
      if (item != NULL)
        add_selected (items, seen, item);
    }
  return items;
}

GPtrArray *
sluice_runs_page_list_infos (GPtrArray *items)
{
  GPtrArray *infos = g_ptr_array_new ();
  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add (infos, sluice_run_item_get_entry (items->pdata[i])->info);
  return infos;
}

static void
say_count (SluiceRunsPage *self)
{
  guint n = sluice_run_table_get_n_runs (self->table);
  guint n_shown = sluice_run_table_get_n_found (self->table);
  g_autofree char *all = sluice_format_step (n), *shown = sluice_format_step (n_shown);
  g_autofree char *text =
      n == n_shown ? g_strdup_printf (ngettext ("%s run", "%s runs", n), all)
                   : g_strdup_printf (ngettext ("%s of %s run", "%s of %s runs", n), shown, all);
  gtk_label_set_label (self->count, text);
  sluice_filter_chips_show (self->chips, self->table);
  /* All of them are counted at the left, and those that are selected here. */
  gtk_widget_set_visible (GTK_WIDGET (self->count),
                          (n != n_shown || sluice_run_table_get_trash (self->table))
                              && !gtk_widget_get_visible (GTK_WIDGET (self->selected))
                              && !gtk_widget_get_visible (GTK_WIDGET (self->problem)));
}

/* The run in front, which the inspector tells of, is one of those that are selected: the first,
 * once the one that was is not among them any more. Beside runs that are compared it may be one
 * that has begun meanwhile. */
static void
selection_changed_cb (SluiceRunsPage *self)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  sluice_runs_page_update_actions (self);
  say_count (self);
  sluice_runs_page_update_differs (self);
  sluice_runs_page_update_lineage (self);
  sluice_runs_page_update_sweep (self);
  if (items->len == 0 || sluice_run_table_get_trash (self->table))
    return;
  for (guint i = 0; i < items->len; i++)
    {
      gint64 id = sluice_run_item_get_entry (items->pdata[i])->info->id;
      if (id == sluice_run_set_get_front (self->shown)
          || (items->len > 1 && id == self->front && sluice_run_set_is_following (self->shown)))
        return;
    }
  self->front = sluice_run_item_get_entry (items->pdata[0])->info->id;
  sluice_run_set_set_front (self->shown, self->front);
}

/* A run that was selected elsewhere, or begins, is selected here; but one that begins takes
 * nobody's comparison away, least of all one that it is to answer. */
static void
front_changed_cb (SluiceRunsPage *self)
{
  g_autoptr (GPtrArray) selected = sluice_runs_page_dup_selected (self);
  gint64 front = sluice_run_set_get_front (self->shown);
  GListModel *rows = sluice_run_table_get_rows (self->table);
  SluiceRunItem *item = front != 0 ? sluice_run_table_find (self->table, front) : NULL;
  guint at;
  if (front == self->front || item == NULL || sluice_run_table_get_trash (self->table)
      || (selected->len > 1 && sluice_run_set_is_following (self->shown)))
    return;
  self->front = front;
  if (g_list_store_find (G_LIST_STORE (rows), item, &at)
      && !gtk_selection_model_is_selected (sluice_run_view_get_selection (self->view), at))
    gtk_selection_model_select_item (sluice_run_view_get_selection (self->view), at, TRUE);
}

/* ---- what is shown ---- */

static const char *
choose_state (SluiceRunsPage *self)
{
  const char *broken = sluice_workspace_get_failure (self->workspace);
  SluiceRunTableState state = sluice_run_table_get_state (self->table);
  const char *failure = broken != NULL ? broken : sluice_run_table_get_failure (self->table);
  if (broken != NULL || state == SLUICE_RUN_TABLE_FAILED)
    {
      adw_status_page_set_description (self->failure, failure);
      return "failed";
    }
  if (state == SLUICE_RUN_TABLE_LOADING)
    return "loading";
  if (sluice_run_table_get_n_runs (self->table) == 0)
    return sluice_run_table_get_trash (self->table) ? "clean" : "empty";
  return g_list_model_get_n_items (sluice_run_table_get_rows (self->table)) > 0 ? "table"
                                                                                : "nothing";
}

/* The row that had the focus is gone, and with it the table: the keyboard stays on the page. */
static void
keep_focus (SluiceRunsPage *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)) && !GTK_IS_EDITABLE (focus))
    gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}

static void
show_state (SluiceRunsPage *self)
{
  const char *state = choose_state (self);
  const char *before = gtk_stack_get_visible_child_name (self->states);
  gboolean loses_table = strcmp (before, "table") == 0 && strcmp (state, "table") != 0;
  if (strcmp (before, state) != 0)
    gtk_stack_set_visible_child_name (self->states, state);
  if (loses_table)
    keep_focus (self);
  sluice_runs_page_update_actions (self);
  say_count (self);
}

static void
table_changed_cb (SluiceRunsPage *self)
{
  front_changed_cb (self);
  show_state (self);
  sluice_runs_page_renew_notes (self);
  sluice_runs_page_update_views (self);
  sluice_runs_page_update_differs (self);
  sluice_runs_page_update_lineage (self);
  sluice_runs_page_update_sweep (self);
}

static void
update_scale (SluiceRunsPage *self)
{
  double least, greatest, last_step;
  if (sluice_run_table_get_scale (self->table, sluice_run_table_get_curve (self->table), &least,
                                  &greatest, &last_step))
    sluice_run_lines_set_scale (&self->cells, least, greatest, last_step);
}

/* ---- when it is read ---- */

void
sluice_runs_page_read (SluiceRunsPage *self)
{
  SluiceStore *store =
      self->workspace != NULL ? sluice_workspace_get_store (self->workspace) : NULL;
  g_clear_handle_id (&self->read_source, g_source_remove);
  if (store == NULL)
    return;
  self->read_at = g_get_monotonic_time ();
  sluice_run_table_read (self->table, store);
}

/* Of what other programs and training change. */
static guint64
hash_runs (SluiceRunsPage *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  guint64 hash = 14695981039346656037u;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      const SluiceRunInfo *info = sluice_run_get_info (run);
      const guint64 parts[] = { (guint64) info->id,
                                info->state,
                                (guint64) info->step,
                                info->is_starred,
                                sluice_run_get_n_series (run),
                                g_str_hash (info->name),
                                info->notes != NULL ? g_str_hash (info->notes) : 0,
                                info->group != NULL ? g_str_hash (info->group) : 0 };
      for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
        hash = (hash ^ parts[k]) * 1099511628211u;
      for (guint k = 0; info->tags != NULL && info->tags[k] != NULL; k++)
        hash = (hash ^ g_str_hash (info->tags[k])) * 1099511628211u;
    }
  return hash;
}

static gboolean
read_cb (gpointer data)
{
  SluiceRunsPage *self = data;
  self->read_source = 0;
  sluice_runs_page_read (self);
  return G_SOURCE_REMOVE;
}

static void
workspace_changed_cb (SluiceRunsPage *self)
{
  gint64 due = self->read_at + READ_MS * G_TIME_SPAN_MILLISECOND, now = g_get_monotonic_time ();
  gboolean is_first = self->read_at == 0;
  show_state (self);
  /* Once all else is there the runs are read ahead; later they are followed while they are seen. */
  if (self->read_source != 0
      || !(is_first ? sluice_workspace_is_settled (self->workspace)
                    : gtk_widget_get_mapped (GTK_WIDGET (self))))
    return;
  guint64 hash = hash_runs (self);
  /* A workspace without runs is read, too, once it is open: that there are none is to be said. */
  if (hash == self->known && !is_first)
    return;
  self->known = hash;
  if (is_first || now >= due)
    sluice_runs_page_read (self);
  else
    self->read_source =
        g_timeout_add ((guint) ((due - now) / G_TIME_SPAN_MILLISECOND) + 1, read_cb, self);
}

static void
sluice_runs_page_map (GtkWidget *widget)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (widget);
  GTK_WIDGET_CLASS (sluice_runs_page_parent_class)->map (widget);
  if (self->workspace == NULL)
    return;
  guint64 hash = hash_runs (self);
  if (hash == self->known && self->read_at != 0)
    return;
  self->known = hash;
  sluice_runs_page_read (self);
}

/* ---- the bar ---- */

static void
filter_changed_cb (SluiceRunsPage *self)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = sluice_run_table_set_filter (
      self->table, gtk_editable_get_text (GTK_EDITABLE (self->entry)), &error);
  gtk_label_set_label (self->problem, ok ? "" : error->message);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), !ok);
  if (ok)
    gtk_widget_remove_css_class (GTK_WIDGET (self->entry), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->entry), "error");
  say_count (self);
}

void
sluice_runs_page_set_filter (SluiceRunsPage *self, const char *text)
{
  /* The entry is empty for a moment, and says so at once; the rest it would say later. */
  g_signal_handlers_block_by_func (self->entry, filter_changed_cb, self);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  g_signal_handlers_unblock_by_func (self->entry, filter_changed_cb, self);
  filter_changed_cb (self);
}

/* Down, or Return, goes on into the rows. */
static void
leave_filter_cb (SluiceRunsPage *self)
{
  sluice_run_view_focus (self->view);
}

/* The menu is about the run under the pointer: about all that are selected only if it is one of
 * them.
 */
static void
select_under (SluiceRunsPage *self, double x, double y)
{
  GtkWidget *widget = gtk_widget_pick (GTK_WIDGET (self->view), x, y, GTK_PICK_DEFAULT);
  SluiceRunItem *item = widget != NULL ? sluice_run_line_get_item_of (widget) : NULL;
  GtkSelectionModel *selection = sluice_run_view_get_selection (self->view);
  guint at;
  if (item != NULL
      && g_list_store_find (G_LIST_STORE (sluice_run_table_get_rows (self->table)), item, &at)
      && !gtk_selection_model_is_selected (selection, at))
    gtk_selection_model_select_item (selection, at, TRUE);
}

static void
pressed_cb (GtkGestureClick *gesture, int n, double x, double y, SluiceRunsPage *self)
{
  graphene_point_t at;
  select_under (self, x, y);
  if (!gtk_widget_compute_point (GTK_WIDGET (self->view), GTK_WIDGET (self),
                                 &GRAPHENE_POINT_INIT ((float) x, (float) y), &at))
    return;
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu),
                               &(GdkRectangle){ (int) at.x, (int) at.y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static void
activated_cb (SluiceRunsPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "table.chart", NULL);
}

/* ---- a page of the window ---- */

static void
runs_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (page);
  g_assert (self->workspace == NULL);
  self->workspace = g_object_ref (context->workspace);
  self->shown = g_object_ref (context->shown);
  self->controller = g_object_ref (context->controller);
  self->cells.workspace = self->workspace;
  g_signal_connect_object (self->workspace, "changed", G_CALLBACK (workspace_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->workspace, "run-restored", G_CALLBACK (sluice_runs_page_read),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->shown, "changed", G_CALLBACK (front_changed_cb), self,
                           G_CONNECT_SWAPPED);
  sluice_runs_page_attach_side (self);
  sluice_diff_panel_attach (self->differs, context->workspace, context->queue);
}

static void
runs_page_apply_settings (SluicePage *page, GSettings *settings)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (page);
  double seconds = 86400.0 * g_settings_get_uint (settings, "trash-days");
  guint64 bytes = (guint64) g_settings_get_uint (settings, "trash-megabytes") * 1000000;
  if (self->trash_limits.seconds != seconds || self->trash_limits.bytes != bytes)
    self->told_full = FALSE;
  self->trash_limits = (SluiceTrashLimits){ seconds, bytes };
}

static GtkWidget *
runs_page_get_left (SluicePage *page)
{
  return GTK_WIDGET (SLUICE_RUNS_PAGE (page)->views);
}

static GtkWidget *
runs_page_get_right (SluicePage *page)
{
  return GTK_WIDGET (SLUICE_RUNS_PAGE (page)->differs);
}

static gboolean
runs_page_is_settled (SluicePage *page)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (page);
  if (sluice_run_table_is_reading (self->table))
    return FALSE;
  return !gtk_widget_get_mapped (GTK_WIDGET (self))
         || sluice_workspace_get_failure (self->workspace) != NULL
         || (sluice_run_table_get_state (self->table) != SLUICE_RUN_TABLE_LOADING && !self->working
             && !self->measuring && sluice_diff_panel_is_settled (self->differs)
             && sluice_run_view_is_settled (self->view) && self->notes_source == 0);
}

static void
set_curve (SluiceRunsPage *self, const char *tag)
{
  sluice_run_table_set_curve (self->table, tag);
}

/* value: (nullable): as it is; set: takes one that was saved. */
static void
keep_text (GKeyFile *state,
           gboolean saves,
           const char *key,
           const char *value,
           void (*set) (SluiceRunsPage *self, const char *value),
           SluiceRunsPage *self)
{
  if (saves && value != NULL)
    g_key_file_set_string (state, "runs", key, value);
  g_autofree char *saved = saves ? NULL : g_key_file_get_string (state, "runs", key, NULL);
  if (saved != NULL)
    set (self, saved);
}

static void
runs_page_keep_state (SluicePage *page, GKeyFile *state, gboolean saves)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (page);
  if (saves)
    sluice_runs_page_save_notes (self);
  sluice_run_view_keep_state (self->view, state, saves);
  keep_text (state, saves, "group-by", sluice_run_table_get_group_by (self->table),
             sluice_runs_page_group_by, self);
  keep_text (state, saves, "curve", sluice_run_table_get_curve (self->table), set_curve, self);
}

static void
add_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_string_value (b, value);
}

static void
add_names (JsonBuilder *b, const char *name, GPtrArray *items)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0; i < MIN (items->len, MOST_NAMES); i++)
    json_builder_add_string_value (b, sluice_run_item_get_entry (items->pdata[i])->info->name);
  json_builder_end_array (b);
}

static void
add_lineage (JsonBuilder *b, SluiceRunsPage *self)
{
  const SluiceLineage *lineage = sluice_lineage_view_get (self->lineage);
  json_builder_set_member_name (b, "lineage");
  json_builder_begin_array (b);
  for (guint i = 0; lineage != NULL && i < lineage->lines->len; i++)
    {
      g_autofree char *words = sluice_lineage_dup_words (lineage, i);
      json_builder_add_string_value (b, words);
    }
  json_builder_end_array (b);
}

static char *
runs_page_dump_state (SluicePage *page)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (page);
  GListModel *rows = sluice_run_table_get_rows (self->table);
  g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) selected = sluice_runs_page_dup_selected (self);
  g_auto (GStrv) columns = sluice_run_view_dup_columns (self->view);
  g_autofree char *joined = g_strjoinv (" ", columns);
  gboolean descending;
  const char *sort = sluice_run_table_get_sort (self->table, &descending);
  for (guint i = 0; i < MIN (g_list_model_get_n_items (rows), MOST_NAMES); i++)
    g_ptr_array_add (shown, g_list_model_get_item (rows, i));
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  add_string (b, "shows", gtk_stack_get_visible_child_name (self->states));
  add_string (b, "count", gtk_label_get_label (self->count));
  add_string (b, "problem", gtk_label_get_label (self->problem));
  add_string (b, "columns", joined);
  add_string (b, "sort", sort != NULL ? sort : "");
  json_builder_set_member_name (b, "descending");
  json_builder_add_boolean_value (b, descending);
  json_builder_set_member_name (b, "trash");
  json_builder_add_boolean_value (b, sluice_run_table_get_trash (self->table));
  g_autofree char *differs = sluice_diff_panel_dup_text (self->differs);
  add_string (b, "view", sluice_run_table_get_view (self->table));
  add_string (b, "group", gtk_label_get_label (self->group_label));
  add_string (b, "curve", sluice_run_table_get_curve (self->table));
  add_string (b, "differs", differs);
  g_autofree char *matters = sluice_diff_panel_dup_matters (self->differs);
  add_string (b, "matters", matters);
  g_autofree char *sweep = sluice_sweep_view_dup_text (self->sweep);
  add_string (b, "sweep", gtk_widget_get_visible (self->sweep_box) ? sweep : "");
  add_lineage (b, self);
  add_names (b, "names", shown);
  add_names (b, "selected", selected);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = runs_page_attach;
  iface->apply_settings = runs_page_apply_settings;
  iface->is_settled = runs_page_is_settled;
  iface->keep_state = runs_page_keep_state;
  iface->dump_state = runs_page_dump_state;
  iface->get_left = runs_page_get_left;
  iface->get_right = runs_page_get_right;
}

/* ---- life ---- */

static void
sluice_runs_page_dispose (GObject *object)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (object);
  g_clear_handle_id (&self->read_source, g_source_remove);
  g_clear_handle_id (&self->notes_source, g_source_remove);
  if (self->view != NULL) /* what goes is told to nobody */
    {
      g_signal_handlers_disconnect_by_data (sluice_run_view_get_selection (self->view), self);
      g_signal_handlers_disconnect_by_data (self->table, self);
    }
  g_clear_pointer (&self->chips, gtk_widget_unparent);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->rename_popover, gtk_widget_unparent);
  g_clear_pointer (&self->notes_popover, gtk_widget_unparent);
  g_clear_pointer (&self->color_popover, gtk_widget_unparent);
  sluice_runs_page_clear_side (self);
  self->lineage = NULL; /* goes with the template */
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_RUNS_PAGE);
  g_clear_object (&self->table);
  g_clear_object (&self->workspace);
  g_clear_object (&self->shown);
  g_clear_object (&self->controller);
  G_OBJECT_CLASS (sluice_runs_page_parent_class)->dispose (object);
}

static void
sluice_runs_page_finalize (GObject *object)
{
  sluice_runs_page_clear_history (SLUICE_RUNS_PAGE (object));
  sluice_run_cells_clear (&SLUICE_RUNS_PAGE (object)->cells);
  g_free (SLUICE_RUNS_PAGE (object)->noted_text);
  G_OBJECT_CLASS (sluice_runs_page_parent_class)->finalize (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, box);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, bar);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, states);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, entry);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, count);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, problem);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, selected);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, selected_box);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, restore_box);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, columns_button);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, tag_button);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, more_button);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, group_button);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, group_label);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, failure);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, view);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPage, row_menu);
}

static void
sluice_runs_page_class_init (SluiceRunsPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_runs_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_runs_page_finalize;
  widget_class->map = sluice_runs_page_map;
  g_type_ensure (SLUICE_TYPE_RUN_VIEW);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/runs-page.ui");
  bind_children (widget_class);
  sluice_runs_page_install_actions (widget_class);
}

static void
connect_controls (SluiceRunsPage *self)
{
  GtkSelectionModel *selection = sluice_run_view_get_selection (self->view);
  g_signal_connect_object (self->table, "columns-changed", G_CALLBACK (update_scale), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->table, "changed", G_CALLBACK (update_scale), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->table, "changed", G_CALLBACK (table_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (selection, "selection-changed", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (selection, "items-changed", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (filter_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "activate", G_CALLBACK (leave_filter_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->table, "columns-changed",
                           G_CALLBACK (sluice_runs_page_renew_groups), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (sluice_run_view_get_rows (self->view), "activate",
                           G_CALLBACK (activated_cb), self, G_CONNECT_SWAPPED);
}

/* Unless what was chosen has opened something that has the focus by now. */
static void
menu_closed_cb (SluiceRunsPage *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  if (focus == NULL || focus == self->menu || gtk_widget_is_ancestor (focus, self->menu)
      || !gtk_widget_get_mapped (focus))
    sluice_run_view_focus (self->view);
}

static void
init_menu (SluiceRunsPage *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  self->menu = gtk_popover_menu_new_from_model (self->row_menu);
  gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
  g_signal_connect_object (self->menu, "closed", G_CALLBACK (menu_closed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->view), GTK_EVENT_CONTROLLER (click));
}

static void
sluice_runs_page_init (SluiceRunsPage *self)
{
  self->table = sluice_run_table_new ();
  self->history = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_edit_unref);
  self->cells.star = sluice_runs_page_star;
  self->cells.data = self;
  g_queue_init (&self->waiting);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_layout_manager (self->bar, sluice_bar_layout_new (8));
  gtk_widget_set_layout_manager (self->selected_box, sluice_bar_layout_new (6));
  gtk_widget_set_layout_manager (self->restore_box, sluice_bar_layout_new (6));
  self->chips = sluice_filter_chips_new (self->entry);
  sluice_run_cells_init (&self->cells, GTK_WIDGET (self->view));
  sluice_run_view_set_table (self->view, self->table, &self->cells);
  sluice_runs_page_init_popovers (self);
  sluice_runs_page_init_groups (self);
  sluice_runs_page_init_side (self);
  sluice_runs_page_init_sweep (self);
  sluice_runs_page_init_lineage (self);
  init_menu (self);
  connect_controls (self);
  sluice_runs_page_update_actions (self);
}
