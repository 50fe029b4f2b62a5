/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/launch/launch-draft.h"

/*
 * What was changed and not launched is kept, as a draft among the runs: it outlives the window, and
 * the program. The page has one at a time, which it takes up again when it is opened.
 */

#define KEEP_MS 400 /* from the last change to the disk */
#define FORM    "form"

/* ---- the form as a file ---- */

void
sluice_launch_page_show_draft (SluiceLaunchPage *self)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "launch.throw-away", self->draft != 0);
  gtk_widget_set_visible (self->away_button, self->draft != 0);
}

static gboolean
is_changed (SluiceLaunchPage *self)
{
  gboolean changed = *gtk_editable_get_text (GTK_EDITABLE (self->name)) != '\0';
  for (guint i = 0; !changed && i < self->rows->len; i++)
    changed = sluice_launch_row_is_changed (self->rows->pdata[i]);
  return changed;
}

/* (transfer full) */
static SluiceLaunchDraft *
new_draft (SluiceLaunchPage *self)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  const char *name = gtk_editable_get_text (GTK_EDITABLE (self->name));
  g_key_file_set_string (file, FORM, "name", name);
  g_key_file_set_int64 (file, FORM, "run", self->source->run);
  g_key_file_set_int64 (file, FORM, "step", self->source->step);
  g_key_file_set_boolean (file, FORM, "halve", gtk_switch_get_active (GTK_SWITCH (self->halve)));
  for (guint i = 0; i < self->rows->len; i++)
    sluice_launch_row_save (self->rows->pdata[i], file);
  SluiceLaunchDraft *draft = g_new (SluiceLaunchDraft, 1);
  *draft = (SluiceLaunchDraft){ g_strdup_printf (_ ("%s, draft"), self->source->title),
                                g_strdup (self->source->project), self->n_steps,
                                g_key_file_to_data (file, NULL, NULL) };
  return draft;
}

/* ---- keeping, in a worker ---- */

typedef struct
{
  SluiceStore *store;
  SluiceLaunchDraft *draft; /* (nullable): there is nothing to keep any more */
  gint64 run;
} Keeping;

static void
keeping_free (gpointer data)
{
  Keeping *self = data;
  g_object_unref (self->store);
  g_clear_pointer (&self->draft, sluice_launch_draft_free);
  g_free (self);
}

static void
keep_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Keeping *keeping = data;
  GError *error = NULL;
  gboolean ok =
      keeping->draft != NULL
          ? sluice_launch_draft_save (keeping->draft, keeping->store, &keeping->run, &error)
          : sluice_launch_draft_discard (keeping->store, keeping->run, &error);
  if (ok)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
keep_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (object);
  const Keeping *keeping = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);
  self->is_keeping = FALSE;
  if (self->context == NULL)
    return;
  self->draft = ok && keeping->draft != NULL ? keeping->run : 0;
  if (!ok && keeping->draft != NULL)
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_launch_page_tell (self, words);
    }
  sluice_launch_page_show_draft (self);
  sluice_workspace_refresh (self->context->workspace);
  if (self->keeps_again)
    sluice_launch_page_keep (self);
}

static gboolean
keep_cb (gpointer data)
{
  SluiceLaunchPage *self = data;
  SluiceStore *store = sluice_workspace_get_store (self->context->workspace);
  gboolean changed = self->form != NULL && is_changed (self);
  self->keep_timeout = 0;
  self->keeps_again = self->is_keeping;
  if (self->is_keeping || store == NULL || (!changed && self->draft == 0))
    return G_SOURCE_REMOVE;
  Keeping *keeping = g_new (Keeping, 1);
  *keeping = (Keeping){ g_object_ref (store), changed ? new_draft (self) : NULL, self->draft };
  self->is_keeping = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, keep_done, NULL);
  g_task_set_task_data (task, keeping, keeping_free);
  g_task_run_in_thread (task, keep_in_worker);
  return G_SOURCE_REMOVE;
}

void
sluice_launch_page_keep (SluiceLaunchPage *self)
{
  g_clear_handle_id (&self->keep_timeout, g_source_remove);
  if (self->context != NULL && self->form != NULL && self->taking == NULL)
    self->keep_timeout = g_timeout_add (KEEP_MS, keep_cb, self);
}

gboolean
sluice_launch_page_is_kept (SluiceLaunchPage *self)
{
  return self->keep_timeout == 0 && !self->is_keeping && self->n_loads == 0;
}

/* ---- taken up again ---- */

static void
load_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Keeping *keeping = data;
  GError *error = NULL;
  GKeyFile *file = sluice_launch_draft_load (keeping->store, keeping->run, &error);
  if (file != NULL)
    g_task_return_pointer (task, file, (GDestroyNotify) g_key_file_unref);
  else
    g_task_return_error (task, error);
}

static void
load_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceLaunchPage *self = SLUICE_LAUNCH_PAGE (object);
  const Keeping *keeping = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  GKeyFile *file = g_task_propagate_pointer (G_TASK (result), &error);
  self->n_loads--;
  if (self->context == NULL || file == NULL)
    {
      g_clear_pointer (&file, g_key_file_unref);
      sluice_launch_page_read (self);
      return;
    }
  self->draft = keeping->run;
  self->wants_focus = TRUE; /* settings that are varied take it when they open */
  g_clear_pointer (&self->taking, g_key_file_unref);
  self->taking = file;
  self->wanted_run = g_key_file_get_int64 (file, FORM, "run", NULL);
  self->wanted_step = g_key_file_get_int64 (file, FORM, "step", NULL);
  sluice_launch_page_show_draft (self);
  sluice_launch_page_read (self);
}

void
sluice_launch_page_resume (SluiceLaunchPage *self, gint64 draft)
{
  SluiceStore *store =
      self->context != NULL ? sluice_workspace_get_store (self->context->workspace) : NULL;
  if (store == NULL || self->n_loads > 0)
    return;
  Keeping *keeping = g_new (Keeping, 1);
  *keeping = (Keeping){ g_object_ref (store), NULL, draft };
  self->n_loads++;
  g_autoptr (GTask) task = g_task_new (self, NULL, load_done, NULL);
  g_task_set_task_data (task, keeping, keeping_free);
  g_task_run_in_thread (task, load_in_worker);
}

/* The form has its rows; the name is the last thing that says that it is changed. */
void
sluice_launch_page_take_up (SluiceLaunchPage *self)
{
  g_autoptr (GKeyFile) file = g_steal_pointer (&self->taking);
  g_autofree char *name = g_key_file_get_string (file, FORM, "name", NULL);
  gtk_switch_set_active (GTK_SWITCH (self->halve),
                         g_key_file_get_boolean (file, FORM, "halve", NULL));
  gtk_editable_set_text (GTK_EDITABLE (self->name), name != NULL ? name : "");
}

/* Of the open project, the newest. 0: there is none, or one is being written already. */
gint64
sluice_launch_page_find_draft (SluiceLaunchPage *self)
{
  const char *folder = sluice_run_controller_get_project (self->context->controller);
  g_autofree char *project = folder != NULL ? g_path_get_basename (folder) : NULL;
  GListModel *runs = sluice_workspace_get_runs (self->context->workspace);
  SluiceStore *store = sluice_workspace_get_store (self->context->workspace);
  if (self->draft != 0 || (self->form != NULL && is_changed (self)))
    return 0;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      const SluiceRunInfo *info = sluice_run_get_info (run);
      if (g_strcmp0 (info->project, project) == 0 && sluice_launch_draft_exists (store, info))
        return info->id;
    }
  return 0;
}

/* To the trash, whose message has Undo. */
void
sluice_launch_page_throw_away (SluiceLaunchPage *self)
{
  gint64 draft = self->draft;
  if (draft == 0 || self->is_keeping)
    return;
  self->draft = 0;
  sluice_workspace_delete_run (self->context->workspace, draft);
  sluice_launch_page_clear (self);
  gtk_widget_grab_focus (self->name); /* the button that had it goes */
  sluice_launch_page_show_draft (self);
}
