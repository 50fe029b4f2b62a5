/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "engine/base/text.h"
#include "ui/chart/ticks.h"

#define MOST_COMPARED 50 /* runs; of more nobody reads what differs */

/* ---- what differs ---- */

/* What was changed is told from the older run to the newer. */
static gint
by_age (gconstpointer a, gconstpointer b)
{
  const SluiceRunInfo *first = *(SluiceRunInfo *const *) a;
  const SluiceRunInfo *second = *(SluiceRunInfo *const *) b;
  return (first->id > second->id) - (first->id < second->id);
}

void
sluice_runs_page_update_differs (SluiceRunsPage *self)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  g_autoptr (GPtrArray) infos = sluice_runs_page_list_infos (items);
  gboolean compares =
      !sluice_run_table_get_trash (self->table) && infos->len >= 2 && infos->len <= MOST_COMPARED;
  if (!compares)
    g_ptr_array_set_size (infos, 0);
  g_ptr_array_sort (infos, by_age);
  if (self->workspace != NULL)
    {
      const char *folder = sluice_run_controller_get_project (self->controller);
      g_autofree char *project = folder != NULL ? g_path_get_basename (folder) : NULL;
      sluice_diff_panel_set_project (self->differs, project);
      sluice_diff_panel_compare (self->differs, sluice_workspace_get_store (self->workspace),
                                 infos);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->differs), compares);
}

/* ---- the trash: how much is there ---- */

static void
measure_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  GPtrArray *items = sluice_store_read_trash (data, &error);
  if (items != NULL)
    g_task_return_pointer (task, items, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void ask_to_purge (SluiceRunsPage *self, GArray *take);

static void
full_clicked_cb (AdwToast *toast, SluiceRunsPage *self)
{
  ask_to_purge (self, g_array_ref (g_object_get_data (G_OBJECT (toast), "runs")));
}

/* Nothing goes by itself: what is over the limits that somebody has set is told, once, and goes
 * when that is confirmed. */
static void
tell_full (SluiceRunsPage *self, GPtrArray *items)
{
  g_autoptr (GPtrArray) chosen =
      sluice_trash_choose (items, &self->trash_limits, (double) g_get_real_time () * 1e-6);
  GtkWidget *toasts = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_TOAST_OVERLAY);
  GArray *runs;
  guint64 bytes = 0;
  if (chosen->len == 0 || self->told_full || toasts == NULL)
    return;
  runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < chosen->len; i++)
    {
      const SluiceTrashItem *item = chosen->pdata[i];
      g_array_append_val (runs, item->run);
      bytes += item->bytes;
    }
  g_autofree char *size = sluice_format_value ((double) bytes, SLUICE_UNIT_BYTES);
  g_autofree char *words =
      g_strdup_printf (ngettext ("%u run is over the limits of the trash (%s)",
                                 "%u runs are over the limits of the trash (%s)", chosen->len),
                       chosen->len, size);
  AdwToast *toast = adw_toast_new (words);
  adw_toast_set_timeout (toast, 0);
  adw_toast_set_button_label (toast, _ ("_Delete for Good…"));
  g_object_set_data_full (G_OBJECT (toast), "runs", runs, (GDestroyNotify) g_array_unref);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (full_clicked_cb), self, 0);
  adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (toasts), toast);
  self->told_full = TRUE;
}

static void
measured (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (object);
  g_autoptr (GPtrArray) items = g_task_propagate_pointer (G_TASK (result), NULL);
  guint64 bytes = 0;
  self->measuring = FALSE;
  if (items == NULL || self->views == NULL)
    return;
  for (guint i = 0; i < items->len; i++)
    bytes += ((const SluiceTrashItem *) items->pdata[i])->bytes;
  sluice_views_pane_show_trash (self->views, items->len, bytes);
  tell_full (self, items);
}

static void
measure_trash (SluiceRunsPage *self)
{
  SluiceStore *store = sluice_workspace_get_store (self->workspace);
  if (self->measuring || store == NULL)
    return;
  self->measuring = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, measured, NULL);
  g_task_set_task_data (task, g_object_ref (store), g_object_unref);
  g_task_run_in_thread (task, measure_in_worker);
}

/* ---- the trash: for good ---- */

typedef struct
{
  SluiceStore *store;
  GArray *runs; /* of gint64 */
} Purge;

static void
purge_free (gpointer data)
{
  Purge *self = data;
  g_object_unref (self->store);
  g_array_unref (self->runs);
  g_free (self);
}

static void
purge_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Purge *purge = data;
  GError *error = NULL;
  for (guint i = 0; i < purge->runs->len; i++)
    if (!sluice_store_empty_run (purge->store, g_array_index (purge->runs, gint64, i), &error))
      {
        g_task_return_error (task, error);
        return;
      }
  g_task_return_boolean (task, TRUE);
}

static void
purged (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (object);
  const Purge *purge = g_task_get_task_data (G_TASK (result));
  guint n = purge->runs->len;
  g_autoptr (GError) error = NULL;
  g_autofree char *words =
      g_task_propagate_boolean (G_TASK (result), &error)
          ? g_strdup_printf (ngettext ("%u run deleted for good", "%u runs deleted for good", n), n)
          : sluice_failure_words (error);
  self->trash_measured = FALSE;
  sluice_runs_page_tell (self, words);
  sluice_runs_page_read (self);
}

static void
purge_response_cb (AdwMessageDialog *dialog, const char *response, SluiceRunsPage *self)
{
  GArray *runs = g_object_get_data (G_OBJECT (dialog), "runs");
  SluiceStore *store = sluice_workspace_get_store (self->workspace);
  if (strcmp (response, "delete") != 0 || store == NULL)
    return;
  Purge *purge = g_new (Purge, 1);
  *purge = (Purge){ g_object_ref (store), g_array_ref (runs) };
  g_autoptr (GTask) task = g_task_new (self, NULL, purged, NULL);
  g_task_set_task_data (task, purge, purge_free);
  g_task_run_in_thread (task, purge_in_worker);
}

/* The one thing here that cannot be taken back asks. take: of gint64 */
static void
ask_to_purge (SluiceRunsPage *self, GArray *take)
{
  GArray *runs = take;
  g_autofree char *heading = g_strdup_printf (
      ngettext ("Delete %u run for good?", "Delete %u runs for good?", runs->len), runs->len);
  GtkWidget *dialog =
      adw_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), heading,
                              _ ("Points, checkpoints and notes are gone then, and nothing brings "
                                 "them back."));
  AdwMessageDialog *message = ADW_MESSAGE_DIALOG (dialog);
  adw_message_dialog_add_responses (message, "cancel", _ ("Cancel"), "delete",
                                    _ ("Delete for good"), NULL);
  adw_message_dialog_set_response_appearance (message, "delete", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (message, "cancel");
  adw_message_dialog_set_close_response (message, "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "runs", runs, (GDestroyNotify) g_array_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (purge_response_cb), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

void
sluice_runs_page_purge (SluiceRunsPage *self)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < items->len; i++)
    g_array_append_val (runs, sluice_run_item_get_entry (items->pdata[i])->info->id);
  ask_to_purge (self, g_steal_pointer (&runs));
}

/* ---- views ---- */

/* The table is not that of the saved view any more. */
static void
leave_saved (SluiceRunsPage *self)
{
  g_clear_pointer (&self->saved_current, g_free);
}

void
sluice_runs_page_update_views (SluiceRunsPage *self)
{
  guint n = sluice_run_table_get_counts (self->table)->n;
  sluice_views_pane_show (self->views, self->table, self->saved_current);
  if (self->workspace == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self))
      || (self->trash_measured && self->n_measured == n))
    return; /* nothing went there, or came back */
  self->n_measured = n;
  self->trash_measured = TRUE;
  measure_trash (self);
}

static void
set_trash (SluiceRunsPage *self, gboolean trash)
{
  if (sluice_run_table_get_trash (self->table) != trash)
    gtk_widget_activate_action (GTK_WIDGET (self), "table.trash", NULL);
}

static void
view_chosen_cb (SluiceRunsPage *self, const char *view)
{
  leave_saved (self);
  set_trash (self, FALSE);
  sluice_run_table_set_view (self->table, view);
  sluice_runs_page_update_views (self);
}

static void
tag_toggled_cb (SluiceRunsPage *self, const char *tag, gboolean wanted)
{
  set_trash (self, FALSE);
  sluice_run_table_set_tag_wanted (self->table, tag, wanted);
}

static void
trash_chosen_cb (SluiceRunsPage *self)
{
  leave_saved (self);
  set_trash (self, TRUE);
}

static void
set_tags (SluiceRunsPage *self, char **wanted)
{
  GPtrArray *tags = sluice_run_table_get_counts (self->table)->tags;
  for (guint i = 0; i < tags->len; i++)
    {
      const char *tag = ((const SluiceRunTagCount *) tags->pdata[i])->tag;
      sluice_run_table_set_tag_wanted (self->table, tag,
                                       g_strv_contains ((const char *const *) wanted, tag));
    }
}

/* The chip that had the focus goes. */
static void
drop_done (SluiceRunsPage *self)
{
  leave_saved (self);
  sluice_runs_page_update_views (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}

void
sluice_runs_page_drop_view (SluiceRunsPage *self)
{
  sluice_run_table_set_view (self->table, SLUICE_RUN_VIEW_ALL);
  drop_done (self);
}

void
sluice_runs_page_drop_tags (SluiceRunsPage *self)
{
  set_tags (self, (char *[]){ NULL });
  drop_done (self);
}

static void
saved_chosen_cb (SluiceRunsPage *self, const char *name)
{
  const SluiceSavedView *view = sluice_saved_views_find (self->saved, name);
  if (view == NULL)
    return;
  set_trash (self, FALSE);
  g_free (self->saved_current);
  self->saved_current = g_strdup (name);
  sluice_run_table_set_view (self->table, view->view);
  set_tags (self, view->tags);
  sluice_runs_page_group_by (self, view->group_by);
  if (view->columns[0] != NULL)
    sluice_run_view_set_columns (self->view, (const char *const *) view->columns);
  sluice_run_view_sort (self->view, sluice_run_table_find_column (self->table, view->sort),
                        view->descending);
  sluice_runs_page_set_filter (self, view->filter);
  sluice_runs_page_update_views (self);
}

static void
save (SluiceRunsPage *self)
{
  g_autoptr (GError) error = NULL;
  if (!sluice_saved_views_save (self->saved, sluice_workspace_get_folder (self->workspace), &error))
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_runs_page_tell (self, words);
    }
  sluice_views_pane_show_saved (self->views, self->saved);
  sluice_runs_page_update_views (self);
}

/* FALSE: somebody was told why it is none. */
static gboolean
check_name (SluiceRunsPage *self, const char *name)
{
  g_autoptr (GError) error = NULL;
  if (!sluice_text_check_name (_ ("the name of the view"), name, &error))
    sluice_runs_page_tell (self, error->message);
  else if (sluice_saved_views_find (self->saved, name) != NULL)
    sluice_runs_page_tell (self, _ ("Another view has this name; choose another one"));
  else
    return TRUE;
  return FALSE;
}

static char **
dup_wanted_tags (SluiceRunsPage *self)
{
  GPtrArray *tags = sluice_run_table_get_counts (self->table)->tags;
  g_autoptr (GStrvBuilder) wanted = g_strv_builder_new ();
  for (guint i = 0; i < tags->len; i++)
    {
      const char *tag = ((const SluiceRunTagCount *) tags->pdata[i])->tag;
      if (sluice_run_table_get_tag_wanted (self->table, tag))
        g_strv_builder_add (wanted, tag);
    }
  return g_strv_builder_end (wanted);
}

static void
saved_added_cb (SluiceRunsPage *self, const char *name)
{
  gboolean descending;
  if (self->workspace == NULL || !check_name (self, name))
    return;
  const char *sort = sluice_run_table_get_sort (self->table, &descending);
  SluiceSavedView *view = g_new (SluiceSavedView, 1);
  *view = (SluiceSavedView){ g_strdup (name),
                             g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry))),
                             g_strdup (sluice_run_table_get_view (self->table)),
                             dup_wanted_tags (self),
                             g_strdup (sort),
                             descending,
                             g_strdup (sluice_run_table_get_group_by (self->table)),
                             sluice_run_view_dup_columns (self->view) };
  g_ptr_array_add (self->saved, view);
  g_free (self->saved_current);
  self->saved_current = g_strdup (name);
  save (self);
}

static void
saved_renamed_cb (SluiceRunsPage *self, const char *name, const char *wanted)
{
  SluiceSavedView *view = sluice_saved_views_find (self->saved, name);
  if (view == NULL || !check_name (self, wanted))
    return;
  if (g_strcmp0 (self->saved_current, name) == 0)
    {
      g_free (self->saved_current);
      self->saved_current = g_strdup (wanted);
    }
  g_free (view->name);
  view->name = g_strdup (wanted);
  save (self);
}

static void
saved_deleted_cb (SluiceRunsPage *self, const char *name)
{
  SluiceSavedView *view = sluice_saved_views_find (self->saved, name);
  if (view == NULL)
    return;
  if (g_strcmp0 (self->saved_current, name) == 0)
    leave_saved (self);
  g_ptr_array_remove (self->saved, view);
  save (self);
}

/* ---- life ---- */

/* Out of what stands at the side, back into the rows. */
static gboolean
key_pressed_cb (GtkEventControllerKey *controller,
                guint key,
                guint code,
                GdkModifierType state,
                SluiceRunsPage *self)
{
  if (key != GDK_KEY_Escape)
    return FALSE;
  sluice_run_view_focus (self->view);
  return TRUE;
}

static void
add_way_back (SluiceRunsPage *self, GtkWidget *side)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self, 0);
  gtk_widget_add_controller (side, keys);
}

void
sluice_runs_page_attach_side (SluiceRunsPage *self)
{
  g_ptr_array_unref (self->saved);
  self->saved = sluice_saved_views_load (sluice_workspace_get_folder (self->workspace));
  sluice_views_pane_show_saved (self->views, self->saved);
}

void
sluice_runs_page_init_side (SluiceRunsPage *self)
{
  static const struct
  {
    const char *signal;
    GCallback callback;
  } signals[] = {
    { "view-chosen", G_CALLBACK (view_chosen_cb) },
    { "tag-toggled", G_CALLBACK (tag_toggled_cb) },
    { "saved-chosen", G_CALLBACK (saved_chosen_cb) },
    { "saved-added", G_CALLBACK (saved_added_cb) },
    { "saved-renamed", G_CALLBACK (saved_renamed_cb) },
    { "saved-deleted", G_CALLBACK (saved_deleted_cb) },
    { "trash-chosen", G_CALLBACK (trash_chosen_cb) },
  };
  self->views = g_object_ref_sink (SLUICE_VIEWS_PANE (sluice_views_pane_new ()));
  self->differs = g_object_ref_sink (SLUICE_DIFF_PANEL (sluice_diff_panel_new ()));
  self->saved = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_saved_view_free);
  gtk_widget_set_visible (GTK_WIDGET (self->differs), FALSE);
  add_way_back (self, GTK_WIDGET (self->views));
  add_way_back (self, GTK_WIDGET (self->differs));
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_object (self->views, signals[i].signal, signals[i].callback, self,
                             G_CONNECT_SWAPPED);
}

void
sluice_runs_page_clear_side (SluiceRunsPage *self)
{
  g_clear_object (&self->views);
  g_clear_object (&self->differs);
  g_clear_pointer (&self->saved, g_ptr_array_unref);
  g_clear_pointer (&self->saved_current, g_free);
}
