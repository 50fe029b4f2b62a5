/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/base/text.h"

enum
{
  LIST_WIDTH = 260,
  LIST_HEIGHT = 340,
  NOTES_WIDTH = 420,
  NOTES_HEIGHT = 260,
  SAVE_MS = 600,           /* from the last letter to the store */
  MOST_NOTES = 256 * 1024, /* bytes; GTK lays out no longer text while one types */
};

static GtkWidget *
new_problem (GtkLabel **label)
{
  GtkWidget *widget = gtk_label_new (NULL);
  *label = GTK_LABEL (widget);
  gtk_label_set_wrap (*label, TRUE);
  gtk_label_set_xalign (*label, 0);
  gtk_label_set_max_width_chars (*label, 36);
  gtk_widget_add_css_class (widget, "error");
  gtk_widget_add_css_class (widget, "caption");
  gtk_widget_set_visible (widget, FALSE);
  return widget;
}

static void
say_problem (GtkLabel *label, const char *words)
{
  gtk_label_set_label (label, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (label), words != NULL);
}

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void
clear_box (GtkBox *box)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
}

/* The keyboard goes on among the rows. */
static void
closed_cb (SluiceRunsPage *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self->view)))
    sluice_run_view_focus (self->view);
}

/* fill: (nullable) */
static GtkWidget *
new_popover (SluiceRunsPage *self, void (*fill) (SluiceRunsPage *self), GtkBox **box)
{
  GtkWidget *popover = gtk_popover_new ();
  *box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 8));
  gtk_popover_set_child (GTK_POPOVER (popover), GTK_WIDGET (*box));
  if (fill != NULL)
    g_signal_connect_object (popover, "show", G_CALLBACK (fill), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (popover, "closed", G_CALLBACK (closed_cb), self, G_CONNECT_SWAPPED);
  return popover;
}

/* (transfer none): a box in a popover of the button. */
static GtkBox *
add_popover (SluiceRunsPage *self, GtkMenuButton *button, void (*fill) (SluiceRunsPage *self))
{
  GtkBox *box;
  gtk_menu_button_set_popover (button, new_popover (self, fill, &box));
  return box;
}

/* The same of what is only in menus: it comes by sluice_runs_page_popup(). */
static GtkBox *
add_page_popover (SluiceRunsPage *self, GtkWidget **popover, void (*fill) (SluiceRunsPage *self))
{
  GtkBox *box;
  *popover = new_popover (self, fill, &box);
  gtk_widget_set_parent (*popover, GTK_WIDGET (self));
  return box;
}

void
sluice_runs_page_popup (SluiceRunsPage *self, GtkWidget *popover)
{
  graphene_rect_t at;
  if (!gtk_widget_compute_bounds (GTK_WIDGET (self->more_button), GTK_WIDGET (self), &at))
    return;
  gtk_popover_set_pointing_to (GTK_POPOVER (popover),
                               &(GdkRectangle){ (int) at.origin.x, (int) at.origin.y,
                                                (int) at.size.width, (int) at.size.height });
  gtk_popover_popup (GTK_POPOVER (popover));
}

static void
close_popover (GtkMenuButton *button)
{
  gtk_menu_button_popdown (button);
}

static GtkWidget *
new_list (GtkBox **list)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  *list = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 2));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (*list));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), LIST_HEIGHT);
  gtk_widget_set_size_request (scroller, LIST_WIDTH, -1);
  return scroller;
}

static void
add_heading (GtkBox *list, const char *words)
{
  GtkWidget *label = gtk_label_new (words);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  gtk_widget_set_margin_top (label, 6);
  gtk_box_append (list, label);
}

/* ---- columns ---- */

#define WIDER 16 /* pixels a key */

static const char *
get_column_group (SluiceRunColumnKind kind)
{
  return kind == SLUICE_RUN_COLUMN_SETTING    ? _ ("Settings")
         : sluice_run_column_is_result (kind) ? _ ("Results")
                                              : _ ("Columns");
}

static void
column_toggled_cb (GtkCheckButton *check, SluiceRunsPage *self)
{
  const SluiceRunColumn *column =
      sluice_run_table_find_column (self->table, g_object_get_data (G_OBJECT (check), "column"));
  if (column != NULL && !self->filling)
    sluice_run_view_set_shown (self->view, column, gtk_check_button_get_active (check));
}

/* Once to sort by it, again the other way round, and again by nothing: as its header does. */
static void
column_sorted_cb (GtkButton *button, SluiceRunsPage *self)
{
  gboolean descending;
  const SluiceRunColumn *column =
      sluice_run_table_find_column (self->table, g_object_get_data (G_OBJECT (button), "column"));
  if (column == NULL)
    return;
  gboolean is_by_it =
      g_strcmp0 (sluice_run_table_get_sort (self->table, &descending), column->id) == 0;
  sluice_run_view_sort (self->view, is_by_it && descending ? NULL : column,
                        is_by_it && !descending);
}

static void
add_column_row (SluiceRunsPage *self, const SluiceRunColumn *column)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *check = gtk_check_button_new_with_label (column->title);
  GtkWidget *sort = gtk_button_new_from_icon_name ("view-sort-ascending-symbolic");
  g_autofree char *name = g_strdup_printf (_ ("Sort by %s"), column->title);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check),
                               sluice_run_view_shows (self->view, column));
  gtk_widget_set_sensitive (check, column->kind != SLUICE_RUN_COLUMN_NAME);
  gtk_widget_set_tooltip_text (check, column->name);
  gtk_widget_set_hexpand (check, TRUE);
  gtk_widget_add_css_class (sort, "flat");
  gtk_widget_set_tooltip_text (sort, name);
  name_widget (sort, name);
  g_object_set_data_full (G_OBJECT (check), "column", g_strdup (column->id), g_free);
  g_object_set_data_full (G_OBJECT (sort), "column", g_strdup (column->id), g_free);
  g_signal_connect (check, "toggled", G_CALLBACK (column_toggled_cb), self);
  g_signal_connect (sort, "clicked", G_CALLBACK (column_sorted_cb), self);
  gtk_box_append (GTK_BOX (row), check);
  gtk_box_append (GTK_BOX (row), sort);
  gtk_box_append (self->columns_list, row);
}

static void
curve_chosen_cb (SluiceRunsPage *self)
{
  GtkStringObject *chosen = gtk_drop_down_get_selected_item (self->curves);
  if (chosen == NULL || self->filling)
    return;
  self->filling = TRUE; /* that the columns are other ones is told from here */
  sluice_run_table_set_curve (self->table, gtk_string_object_get_string (chosen));
  self->filling = FALSE;
}

/* Of which result the curves are: any that has a column of its last value. */
static void
fill_curves (SluiceRunsPage *self)
{
  GPtrArray *columns = sluice_run_table_get_columns (self->table);
  GtkStringList *tags = gtk_string_list_new (NULL);
  guint n = 0, at = GTK_INVALID_LIST_POSITION;
  for (guint i = 0; i < columns->len; i++)
    {
      const SluiceRunColumn *column = columns->pdata[i];
      if (column->kind != SLUICE_RUN_COLUMN_LAST)
        continue;
      if (strcmp (column->name, sluice_run_table_get_curve (self->table)) == 0)
        at = n;
      gtk_string_list_append (tags, column->name);
      n++;
    }
  gtk_drop_down_set_model (self->curves, G_LIST_MODEL (tags));
  gtk_drop_down_set_selected (self->curves, at);
  gtk_widget_set_sensitive (GTK_WIDGET (self->curves), n > 0);
  g_object_unref (tags);
}

static void
add_curves (SluiceRunsPage *self, GtkBox *box)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new (_ ("Curve of"));
  self->curves = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  gtk_drop_down_set_enable_search (self->curves, FALSE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->curves), TRUE);
  name_widget (GTK_WIDGET (self->curves), _ ("Curve of"));
  g_signal_connect_object (self->curves, "notify::selected", G_CALLBACK (curve_chosen_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), GTK_WIDGET (self->curves));
  gtk_box_append (box, row);
}

static void
fill_columns (SluiceRunsPage *self)
{
  static const SluiceRunColumnKind last_kinds[] = { SLUICE_N_RUN_COLUMNS, SLUICE_RUN_COLUMN_BEST,
                                                    SLUICE_RUN_COLUMN_SETTING };
  GPtrArray *columns = sluice_run_table_get_columns (self->table);
  self->filling = TRUE;
  fill_curves (self);
  clear_box (self->columns_list);
  for (guint group = 0; group < G_N_ELEMENTS (last_kinds); group++)
    {
      const char *heading = get_column_group (last_kinds[group]);
      gboolean begun = FALSE;
      for (guint i = 0; i < columns->len; i++)
        {
          const SluiceRunColumn *column = columns->pdata[i];
          if (strcmp (get_column_group (column->kind), heading) != 0)
            continue;
          if (!begun)
            add_heading (self->columns_list, heading);
          begun = TRUE;
          add_column_row (self, column);
        }
    }
  self->filling = FALSE;
}

/* What the row of a column has, by its place. (nullable) */
static GtkWidget *
find_in_columns (SluiceRunsPage *self, const char *column, gboolean sorts)
{
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->columns_list));
  for (; row != NULL; row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *check = gtk_widget_get_first_child (row);
      if (check != NULL && GTK_IS_CHECK_BUTTON (check)
          && g_str_equal (g_object_get_data (G_OBJECT (check), "column"), column))
        return sorts ? gtk_widget_get_last_child (row) : check;
    }
  return NULL;
}

/* A run at work brings a column while they are chosen: the keyboard stays where it is. */
static void
columns_changed_cb (SluiceRunsPage *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  if (self->filling || !gtk_widget_get_mapped (GTK_WIDGET (self->columns_list)))
    return;
  gboolean is_in = focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->columns_list));
  g_autofree char *column =
      is_in ? g_strdup (g_object_get_data (G_OBJECT (focus), "column")) : NULL;
  gboolean sorts = is_in && !GTK_IS_CHECK_BUTTON (focus);
  fill_columns (self);
  GtkWidget *same = column != NULL ? find_in_columns (self, column, sorts) : NULL;
  if (same != NULL)
    gtk_widget_grab_focus (same);
}

/* What the pointer does to titles, which the keyboard does not come to. */
static gboolean
columns_key_cb (
    GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, SluiceRunsPage *self)
{
  static const struct
  {
    guint key, keypad;
    GdkModifierType state;
    void (*change) (SluiceRunView *view, const SluiceRunColumn *column, int by);
    int by;
  } changes[] = {
    { GDK_KEY_plus, GDK_KEY_KP_Add, GDK_CONTROL_MASK, sluice_run_view_resize, WIDER },
    { GDK_KEY_minus, GDK_KEY_KP_Subtract, GDK_CONTROL_MASK, sluice_run_view_resize, -WIDER },
    { GDK_KEY_0, GDK_KEY_KP_0, GDK_CONTROL_MASK, sluice_run_view_resize, 0 },
    { GDK_KEY_Up, GDK_KEY_KP_Up, GDK_ALT_MASK, sluice_run_view_move, -1 },
    { GDK_KEY_Down, GDK_KEY_KP_Down, GDK_ALT_MASK, sluice_run_view_move, 1 },
  };
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self)));
  const char *id = focus != NULL ? g_object_get_data (G_OBJECT (focus), "column") : NULL;
  const SluiceRunColumn *column = sluice_run_table_find_column (self->table, id);
  for (guint i = 0; column != NULL && i < G_N_ELEMENTS (changes); i++)
    if ((key == changes[i].key || key == changes[i].keypad)
        && (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) == changes[i].state)
      {
        changes[i].change (self->view, column, changes[i].by);
        return GDK_EVENT_STOP;
      }
  return GDK_EVENT_PROPAGATE;
}

static void
add_columns_list (SluiceRunsPage *self, GtkBox *box)
{
  GtkWidget *keys_words = gtk_label_new (
      _ ("Ctrl and +, − or 0: wider, narrower, as by itself; Alt and ↑ or ↓: its place"));
  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (columns_key_cb), self);
  gtk_box_append (box, new_list (&self->columns_list));
  gtk_widget_add_controller (GTK_WIDGET (self->columns_list), keys);
  gtk_label_set_wrap (GTK_LABEL (keys_words), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (keys_words), 36);
  gtk_label_set_xalign (GTK_LABEL (keys_words), 0);
  gtk_widget_add_css_class (keys_words, "dim-label");
  gtk_widget_add_css_class (keys_words, "caption");
  gtk_box_append (box, keys_words);
}

/* ---- tags ---- */

static void
set_tag (SluiceRunsPage *self, const char *tag, gboolean has_it)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  SluiceRunEdit *edit = sluice_run_edit_new (SLUICE_RUN_EDIT_TAG, tag);
  for (guint i = 0; i < items->len; i++)
    {
      const SluiceRunInfo *info = sluice_run_item_get_entry (items->pdata[i])->info;
      gboolean had_it =
          info->tags != NULL && g_strv_contains ((const char *const *) info->tags, tag);
      sluice_run_edit_add (edit, info, had_it ? "" : NULL, has_it ? "" : NULL);
    }
  sluice_runs_page_edit (self, edit);
}

static void
tag_toggled_cb (GtkCheckButton *check, SluiceRunsPage *self)
{
  if (self->filling)
    return;
  gtk_check_button_set_inconsistent (check, FALSE);
  set_tag (self, gtk_check_button_get_label (check), gtk_check_button_get_active (check));
}

static void
tag_entered_cb (SluiceRunsPage *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *tag = g_strstrip (g_strdup (gtk_editable_get_text (self->tag_entry)));
  if (!sluice_text_check_name (_ ("the tag"), tag, &error))
    {
      say_problem (self->tag_problem, error->message);
      return;
    }
  set_tag (self, tag, TRUE);
  close_popover (self->tag_button);
}

static void
fill_tags (SluiceRunsPage *self)
{
  g_auto (GStrv) tags = sluice_run_table_dup_tags (self->table);
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  self->filling = TRUE;
  clear_box (self->tags_list);
  gtk_editable_set_text (self->tag_entry, "");
  say_problem (self->tag_problem, NULL);
  for (guint i = 0; tags[i] != NULL; i++)
    {
      GtkWidget *check = gtk_check_button_new_with_label (tags[i]);
      guint n = 0;
      for (guint k = 0; k < items->len; k++)
        {
          char **of = sluice_run_item_get_entry (items->pdata[k])->info->tags;
          n += of != NULL && g_strv_contains ((const char *const *) of, tags[i]);
        }
      gtk_check_button_set_active (GTK_CHECK_BUTTON (check), n > 0 && n == items->len);
      gtk_check_button_set_inconsistent (GTK_CHECK_BUTTON (check), n > 0 && n < items->len);
      g_signal_connect (check, "toggled", G_CALLBACK (tag_toggled_cb), self);
      gtk_box_append (self->tags_list, check);
    }
  self->filling = FALSE;
  gtk_widget_grab_focus (GTK_WIDGET (self->tag_entry));
}

/* ---- the name ---- */

/* (nullable) (transfer full): the one that is selected. */
static SluiceRunItem *
dup_one (SluiceRunsPage *self)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  return items->len > 0 ? g_object_ref (items->pdata[0]) : NULL;
}

static gboolean
is_taken (SluiceRunsPage *self, const char *name, gint64 run)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) other = g_list_model_get_item (runs, i);
      const SluiceRunInfo *info = sluice_run_get_info (other);
      if (info->id != run && strcmp (info->name, name) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
name_entered_cb (SluiceRunsPage *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunItem) item = dup_one (self);
  const char *name = gtk_editable_get_text (self->name_entry);
  if (item == NULL)
    return;
  const SluiceRunInfo *info = sluice_run_item_get_entry (item)->info;
  if (!sluice_text_check_name (_ ("the name"), name, &error))
    {
      say_problem (self->name_problem, error->message);
      return;
    }
  if (is_taken (self, name, info->id))
    {
      say_problem (self->name_problem, _ ("Another run has this name; choose another one"));
      return;
    }
  SluiceRunEdit *edit = sluice_run_edit_new (SLUICE_RUN_EDIT_NAME, NULL);
  sluice_run_edit_add (edit, info, info->name, name);
  sluice_runs_page_edit (self, edit);
  gtk_popover_popdown (GTK_POPOVER (self->rename_popover));
}

static void
fill_name (SluiceRunsPage *self)
{
  g_autoptr (SluiceRunItem) item = dup_one (self);
  say_problem (self->name_problem, NULL);
  gtk_editable_set_text (self->name_entry,
                         item != NULL ? sluice_run_item_get_entry (item)->info->name : "");
  gtk_widget_grab_focus (GTK_WIDGET (self->name_entry));
  gtk_editable_select_region (self->name_entry, 0, -1);
}

/* ---- notes ---- */

void
sluice_runs_page_save_notes (SluiceRunsPage *self)
{
  g_clear_handle_id (&self->notes_source, g_source_remove);
  SluiceRunItem *item = self->noted != 0 ? sluice_run_table_find (self->table, self->noted) : NULL;
  /* What was not typed here is not written: meanwhile somebody else may have written more. */
  if (item == NULL || !gtk_text_buffer_get_modified (self->notes))
    return;
  const SluiceRunInfo *info = sluice_run_item_get_entry (item)->info;
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (self->notes, &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text (self->notes, &start, &end, FALSE);
  SluiceRunEdit *edit = sluice_run_edit_new (SLUICE_RUN_EDIT_NOTES, NULL);
  sluice_run_edit_add (edit, info, info->notes, *text != '\0' ? text : NULL);
  sluice_runs_page_edit (self, edit);
  gtk_text_buffer_set_modified (self->notes, FALSE);
  g_free (self->noted_text);
  self->noted_text = *text != '\0' ? g_steal_pointer (&text) : NULL;
}

static gboolean
save_notes_cb (gpointer data)
{
  SluiceRunsPage *self = data;
  self->notes_source = 0;
  sluice_runs_page_save_notes (self);
  return G_SOURCE_REMOVE;
}

static void
notes_changed_cb (SluiceRunsPage *self)
{
  if (self->filling)
    return;
  g_clear_handle_id (&self->notes_source, g_source_remove);
  self->notes_source = g_timeout_add (SAVE_MS, save_notes_cb, self);
}

static void
put_notes (SluiceRunsPage *self, const char *notes)
{
  g_free (self->noted_text);
  self->noted_text = g_strdup (notes);
  gboolean is_long = notes != NULL && strlen (notes) > MOST_NOTES;
  g_autofree char *start = is_long ? g_utf8_substring (notes, 0, 2000) : NULL;
  self->filling = TRUE;
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self->notes_view), !is_long);
  gtk_text_buffer_set_text (self->notes, is_long ? start : notes != NULL ? notes : "", -1);
  say_problem (self->notes_problem,
               is_long ? _ ("These notes are too long to be edited here; this is their start. "
                            "“sluice runs note” writes them anew")
                       : NULL);
  gtk_text_buffer_set_modified (self->notes, FALSE);
  self->filling = FALSE;
}

static void
fill_notes (SluiceRunsPage *self)
{
  g_autoptr (SluiceRunItem) item = dup_one (self);
  const SluiceRunInfo *info = item != NULL ? sluice_run_item_get_entry (item)->info : NULL;
  self->noted = info != NULL ? info->id : 0;
  put_notes (self, info != NULL ? info->notes : NULL);
  gtk_widget_grab_focus (self->notes_view);
}

void
sluice_runs_page_renew_notes (SluiceRunsPage *self)
{
  SluiceRunItem *item = self->noted != 0 ? sluice_run_table_find (self->table, self->noted) : NULL;
  if (item == NULL || gtk_text_buffer_get_modified (self->notes))
    return;
  const char *notes = sluice_run_item_get_entry (item)->info->notes;
  if (g_strcmp0 (notes, self->noted_text) != 0)
    put_notes (self, notes);
}

static void
notes_closed_cb (SluiceRunsPage *self)
{
  sluice_runs_page_save_notes (self);
  self->noted = 0;
}

static void
init_notes (SluiceRunsPage *self)
{
  GtkBox *box = add_page_popover (self, &self->notes_popover, fill_notes);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *title = gtk_label_new (_ ("Notes, in Markdown"));
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "caption");
  gtk_widget_add_css_class (title, "dim-label");
  gtk_box_append (box, title);
  self->notes_view = gtk_text_view_new ();
  self->notes = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->notes_view));
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (self->notes_view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (self->notes_view), FALSE);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (self->notes_view), 8);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (self->notes_view), 8);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (self->notes_view), 8);
  gtk_widget_set_size_request (scroller, NOTES_WIDTH, NOTES_HEIGHT);
  gtk_widget_add_css_class (scroller, "run-notes");
  name_widget (self->notes_view, _ ("Notes, in Markdown"));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->notes_view);
  gtk_box_append (box, scroller);
  gtk_box_append (box, new_problem (&self->notes_problem));
  g_signal_connect_object (self->notes, "changed", G_CALLBACK (notes_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->notes_popover, "closed", G_CALLBACK (notes_closed_cb), self,
                           G_CONNECT_SWAPPED);
}

/* ---- all of them ---- */

static GtkEditable *
add_entry (GtkBox *box, const char *name)
{
  GtkWidget *entry = gtk_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), name);
  name_widget (entry, name);
  gtk_widget_set_size_request (entry, LIST_WIDTH, -1);
  gtk_box_append (box, entry);
  return GTK_EDITABLE (entry);
}

void
sluice_runs_page_init_popovers (SluiceRunsPage *self)
{
  GtkBox *box = add_popover (self, self->columns_button, fill_columns);
  add_curves (self, box);
  add_columns_list (self, box);
  g_signal_connect_object (self->table, "columns-changed", G_CALLBACK (columns_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  box = add_popover (self, self->tag_button, fill_tags);
  self->tag_entry = add_entry (box, _ ("New tag"));
  gtk_box_append (box, new_problem (&self->tag_problem));
  gtk_box_append (box, new_list (&self->tags_list));
  g_signal_connect_object (self->tag_entry, "activate", G_CALLBACK (tag_entered_cb), self,
                           G_CONNECT_SWAPPED);
  box = add_page_popover (self, &self->rename_popover, fill_name);
  self->name_entry = add_entry (box, _ ("Name of the run"));
  gtk_box_append (box, new_problem (&self->name_problem));
  g_signal_connect_object (self->name_entry, "activate", G_CALLBACK (name_entered_cb), self,
                           G_CONNECT_SWAPPED);
  init_notes (self);
  sluice_runs_page_fill_color (self, add_page_popover (self, &self->color_popover, NULL));
}
