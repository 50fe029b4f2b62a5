/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>

#include "app/failure-words.h"
#include "app/shortcuts.h"

#define UNDO_SECONDS 10 /* who listens to a screen reader needs longer to come to a button */

/* ---- edits: one after the other, on a worker ---- */

typedef struct
{
  SluiceRunEdit *edit;
  SluiceStore *store;
  gboolean back;
} Work;

static void
work_free (gpointer data)
{
  Work *self = data;
  sluice_run_edit_unref (self->edit);
  g_object_unref (self->store);
  g_free (self);
}

static void
work_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  if (sluice_run_edit_apply (work->edit, work->store, work->back, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void work_on (SluiceRunsPage *self);

static void
undo_clicked_cb (AdwToast *toast, SluiceRunsPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "table.undo", NULL);
}

/* What went to the trash can be had back at once. */
static void
offer_undo (SluiceRunsPage *self, const SluiceRunEdit *edit)
{
  GtkWidget *toasts = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *words = sluice_run_edit_dup_words (edit);
  g_autofree char *markup = g_markup_escape_text (words, -1);
  if (toasts == NULL)
    return;
  AdwToast *toast = adw_toast_new (markup);
  adw_toast_set_button_label (toast, _ ("Undo"));
  adw_toast_set_timeout (toast, UNDO_SECONDS);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (undo_clicked_cb), self, 0);
  adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (toasts), toast);
}

static void
work_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (object);
  const Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  self->working = FALSE;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_runs_page_tell (self, words);
    }
  else if (!work->back && sluice_run_edit_get_kind (work->edit) == SLUICE_RUN_EDIT_TRASH
           && !sluice_run_table_get_trash (self->table))
    offer_undo (self, work->edit);
  sluice_runs_page_read (self);
  if (self->workspace != NULL)
    sluice_workspace_refresh (self->workspace);
  work_on (self);
}

static void
work_on (SluiceRunsPage *self)
{
  if (self->working || g_queue_is_empty (&self->waiting))
    return;
  self->working = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, work_done, NULL);
  g_task_set_task_data (task, g_queue_pop_head (&self->waiting), work_free);
  g_task_run_in_thread (task, work_in_worker);
}

static void
add_work (SluiceRunsPage *self, SluiceRunEdit *edit, gboolean back)
{
  Work *work = g_new0 (Work, 1);
  work->edit = sluice_run_edit_ref (edit);
  work->store = g_object_ref (sluice_workspace_get_store (self->workspace));
  work->back = back;
  g_queue_push_tail (&self->waiting, work);
  work_on (self);
}

void
sluice_runs_page_edit (SluiceRunsPage *self, SluiceRunEdit *take)
{
  g_autoptr (SluiceRunEdit) edit = take;
  if (sluice_run_edit_get_n_runs (edit) == 0
      || sluice_workspace_get_store (self->workspace) == NULL)
    return;
  g_ptr_array_set_size (self->history, (int) self->n_done);
  g_ptr_array_add (self->history, sluice_run_edit_ref (edit));
  self->n_done++;
  add_work (self, edit, FALSE);
  sluice_runs_page_update_actions (self);
}

void
sluice_runs_page_clear_history (SluiceRunsPage *self)
{
  g_queue_clear_full (&self->waiting, work_free);
  g_ptr_array_unref (self->history);
}

static void
undo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (widget);
  if (self->n_done > 0)
    add_work (self, self->history->pdata[--self->n_done], TRUE);
  sluice_runs_page_update_actions (self);
}

static void
redo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (widget);
  if (self->n_done < self->history->len)
    add_work (self, self->history->pdata[self->n_done++], FALSE);
  sluice_runs_page_update_actions (self);
}

/* ---- what is said of the selected runs ---- */

static const char *
yes (gboolean is_so)
{
  return is_so ? "" : NULL;
}

static const SluiceRunInfo *
get_info (GPtrArray *items, guint i)
{
  return sluice_run_item_get_entry (items->pdata[i])->info;
}

/* All get the star, unless all have it. */
static void
star (SluiceRunsPage *self, GPtrArray *items)
{
  SluiceRunEdit *edit = sluice_run_edit_new (SLUICE_RUN_EDIT_STAR, NULL);
  gboolean all = TRUE;
  for (guint i = 0; i < items->len; i++)
    all &= get_info (items, i)->is_starred;
  for (guint i = 0; i < items->len; i++)
    sluice_run_edit_add (edit, get_info (items, i), yes (get_info (items, i)->is_starred),
                         yes (!all));
  sluice_runs_page_edit (self, edit);
}

void
sluice_runs_page_star (SluiceRunItem *item, gpointer data)
{
  GPtrArray *members = sluice_run_item_get_members (item);
  g_autoptr (GPtrArray) items =
      members != NULL ? g_ptr_array_copy (members, NULL, NULL) : g_ptr_array_new ();
  SluiceRunsPage *self = data;
  if (members == NULL)
    g_ptr_array_add (items, item);
  if (!sluice_run_table_get_trash (self->table))
    star (self, items);
}

static void
star_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (SLUICE_RUNS_PAGE (widget));
  star (SLUICE_RUNS_PAGE (widget), items);
}

static void
move_to_trash (SluiceRunsPage *self, gboolean back)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  SluiceRunEdit *edit = sluice_run_edit_new (SLUICE_RUN_EDIT_TRASH, NULL);
  for (guint i = 0; i < items->len; i++)
    sluice_run_edit_add (edit, get_info (items, i), yes (back), yes (!back));
  sluice_runs_page_edit (self, edit);
}

static void
delete_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  move_to_trash (SLUICE_RUNS_PAGE (widget), FALSE);
}

static void
restore_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  move_to_trash (SLUICE_RUNS_PAGE (widget), TRUE);
}

/* ---- where else they are shown ---- */

static void
show_in_charts (SluiceRunsPage *self, gboolean only)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < items->len; i++)
    g_array_append_val (runs, get_info (items, i)->id);
  if (runs->len == 0)
    return;
  sluice_run_set_check_many (self->shown, (const gint64 *) (gpointer) runs->data, runs->len, only);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-page", "s", "charts");
}

static void
chart_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_in_charts (SLUICE_RUNS_PAGE (widget), FALSE);
}

static void
chart_only_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_in_charts (SLUICE_RUNS_PAGE (widget), TRUE);
}

/* ---- what asks for words ---- */

static void
filter_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_grab_focus (GTK_WIDGET (SLUICE_RUNS_PAGE (widget)->entry));
}

static void
clear_filter_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_set_filter (SLUICE_RUNS_PAGE (widget), "");
  gtk_widget_grab_focus (GTK_WIDGET (SLUICE_RUNS_PAGE (widget)->entry));
}

static void
drop_view_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_drop_view (SLUICE_RUNS_PAGE (widget));
}

static void
drop_tags_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_drop_tags (SLUICE_RUNS_PAGE (widget));
}

static void
tag_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_menu_button_popup (SLUICE_RUNS_PAGE (widget)->tag_button);
}

static void
rename_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_popup (SLUICE_RUNS_PAGE (widget), SLUICE_RUNS_PAGE (widget)->rename_popover);
}

static void
notes_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_popup (SLUICE_RUNS_PAGE (widget), SLUICE_RUNS_PAGE (widget)->notes_popover);
}

static void
color_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_popup (SLUICE_RUNS_PAGE (widget), SLUICE_RUNS_PAGE (widget)->color_popover);
}

static void
columns_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_menu_button_popup (SLUICE_RUNS_PAGE (widget)->columns_button);
}

static void
trash_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (widget);
  sluice_run_table_set_trash (self->table, !sluice_run_table_get_trash (self->table));
  sluice_runs_page_update_actions (self);
  sluice_runs_page_update_views (self);
}

static void
purge_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_purge (SLUICE_RUNS_PAGE (widget));
}

static void
group_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_menu_button_popup (SLUICE_RUNS_PAGE (widget)->group_button);
}

static void
group_by_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_group_by (SLUICE_RUNS_PAGE (widget), g_variant_get_string (parameter, NULL));
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_open_group (SLUICE_RUNS_PAGE (widget), TRUE);
}

static void
close_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_open_group (SLUICE_RUNS_PAGE (widget), FALSE);
}

/* Into the pane that tells it, which is shown if it was not. */
static void
compare_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWidget *differs = GTK_WIDGET (SLUICE_RUNS_PAGE (widget)->differs);
  if (!gtk_widget_get_mapped (differs))
    gtk_widget_activate_action (widget, "win.toggle-inspector", NULL);
  gtk_widget_child_focus (differs, GTK_DIR_TAB_FORWARD);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_runs_page_export (SLUICE_RUNS_PAGE (widget), g_variant_get_string (parameter, NULL));
}

/* By name: for scripts and tests. */
static void
export_to_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *format, *path;
  g_variant_get (parameter, "(&s&s)", &format, &path);
  sluice_runs_page_export_to (SLUICE_RUNS_PAGE (widget), format, path);
}

/* Where checkpoints are chosen by keys. */
static void
lineage_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_grab_focus (GTK_WIDGET (SLUICE_RUNS_PAGE (widget)->lineage));
}

static void
curve_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_run_table_set_curve (SLUICE_RUNS_PAGE (widget)->table,
                              g_variant_get_string (parameter, NULL));
}

/* Under the row that has the focus, else at the table's start. */
static void
menu_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (widget);
  GtkWidget *view = GTK_WIDGET (sluice_run_view_get_rows (self->view));
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  graphene_rect_t bounds;
  if (focus == NULL || !gtk_widget_is_ancestor (focus, view))
    focus = view;
  if (!gtk_widget_compute_bounds (focus, widget, &bounds))
    return;
  gtk_popover_set_pointing_to (
      GTK_POPOVER (self->menu),
      &(GdkRectangle){ (int) bounds.origin.x + 60, (int) (bounds.origin.y + 32), 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

/* ---- all of them ---- */

enum
{
  NEEDS_ONE = 1 << 0,
  NEEDS_ANY = 1 << 1,
  IN_TRASH = 1 << 2, /* only there */
  OUTSIDE = 1 << 3,  /* only outside of it */
  NEEDS_TWO = 1 << 4,
};

static const struct
{
  const char *name;
  GtkWidgetActionActivateFunc activate;
  guint needs;
  const char *parameter; /* its type */
} actions[] = {
  { "table.filter", filter_action, 0 },
  { "table.clear-filter", clear_filter_action, 0 },
  { "table.drop-view", drop_view_action, 0 },
  { "table.drop-tags", drop_tags_action, 0 },
  { "table.columns", columns_action, 0 },
  { "table.trash", trash_action, 0 },
  { "table.menu", menu_action, 0 },
  { "table.undo", undo_action, 0 },
  { "table.redo", redo_action, 0 },
  { "table.star", star_action, NEEDS_ANY | OUTSIDE },
  { "table.tag", tag_action, NEEDS_ANY | OUTSIDE },
  { "table.color", color_action, NEEDS_ANY | OUTSIDE },
  { "table.rename", rename_action, NEEDS_ONE | OUTSIDE },
  { "table.notes", notes_action, NEEDS_ONE | OUTSIDE },
  { "table.chart", chart_action, NEEDS_ANY | OUTSIDE },
  { "table.chart-only", chart_only_action, NEEDS_ANY | OUTSIDE },
  { "table.delete", delete_action, NEEDS_ANY | OUTSIDE },
  { "table.restore", restore_action, NEEDS_ANY | IN_TRASH },
  { "table.purge", purge_action, NEEDS_ANY | IN_TRASH },
  { "table.compare", compare_action, NEEDS_TWO | OUTSIDE },
  { "table.export", export_action, NEEDS_ANY | OUTSIDE, "s" },
  { "table.export-to", export_to_action, NEEDS_ANY | OUTSIDE, "(ss)" },
  { "table.group", group_action, OUTSIDE },
  { "table.group-by", group_by_action, OUTSIDE, "s" },
  /* Their keys are the rows' alone (runs-page-groups.c): elsewhere they move the focus. */
  { "group.open", open_action, OUTSIDE },
  { "group.close", close_action, OUTSIDE },
  { "table.curve", curve_action, 0, "s" },
  { "table.lineage", lineage_action, NEEDS_ANY | OUTSIDE },
};

void
sluice_runs_page_install_actions (GtkWidgetClass *widget_class)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i].name, actions[i].parameter,
                                     actions[i].activate);
  sluice_shortcuts_bind (widget_class, "table.");
}

void
sluice_runs_page_update_actions (SluiceRunsPage *self)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  guint n = items->len;
  gboolean trash = sluice_run_table_get_trash (self->table);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      guint needs = actions[i].needs;
      gtk_widget_action_set_enabled (
          GTK_WIDGET (self), actions[i].name,
          (!(needs & NEEDS_ONE) || n == 1) && (!(needs & NEEDS_ANY) || n > 0)
              && (!(needs & NEEDS_TWO) || n > 1) && (!(needs & IN_TRASH) || trash)
              && (!(needs & OUTSIDE) || !trash));
    }
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "table.undo", self->n_done > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "table.redo",
                                 self->n_done < self->history->len);
  g_autofree char *text = g_strdup_printf (ngettext ("%u selected", "%u selected", n), n);
  gtk_label_set_label (self->selected, text);
  gtk_widget_set_visible (GTK_WIDGET (self->selected), n > 0);
  gtk_widget_set_visible (self->selected_box, n > 0 && !trash);
  gtk_widget_set_visible (self->restore_box, trash);
  gtk_widget_set_visible (GTK_WIDGET (self->group_button), !trash);
}
