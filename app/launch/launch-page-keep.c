/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/launch/launch-draft.h"
#include "engine/base/error.h"

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
  gboolean changed = *gtk_editable_get_text (GTK_EDITABLE (self->name)) != '\0'
                     || sluice_launch_page_get_file (self) != NULL;
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
  if (sluice_launch_page_get_file (self) != NULL)
    {
      g_key_file_set_string (file, FORM, "checkpoint", sluice_launch_page_get_file (self));
      g_key_file_set_boolean (file, FORM, "partly",
                              gtk_check_button_get_active (GTK_CHECK_BUTTON (self->partly)));
    }
  g_key_file_set_boolean (file, FORM, "halve", gtk_switch_get_active (GTK_SWITCH (self->halve)));
  for (guint i = 0; i < self->rows->len; i++)
    sluice_launch_row_save (self->rows->pdata[i], file);
  SluiceLaunchDraft *draft = g_new (SluiceLaunchDraft, 1);
  *draft = (SluiceLaunchDraft){ .name = g_strdup_printf (_ ("%s, draft"), self->source->title),
                                .project = g_strdup (self->source->project),
                                .n_steps = sluice_launch_page_get_last_step (self),
                                .variety = sluice_launch_page_dup_variety (self),
                                .parent = self->source->run,
                                .parent_step = MAX (self->source->step, 0),
                                .text = g_key_file_to_data (file, NULL, NULL),
                                .before = g_strdup (self->draft != 0 ? self->kept : NULL),
                                .is_empty = !is_changed (self) };
  return draft;
}

static void
take_file (SluiceLaunchPage *self, GKeyFile *file)
{
  g_autofree char *path = g_key_file_get_string (file, FORM, "checkpoint", NULL);
  if (path != NULL)
    sluice_launch_page_choose_file (self, path,
                                    g_key_file_get_boolean (file, FORM, "partly", NULL));
}

/* ---- what another window has changed ---- */

/* What was typed here since it was written stays. */
static void
take_row (SluiceLaunchRow *row, GKeyFile *sent, GKeyFile *merged)
{
  g_autoptr (GKeyFile) now = g_key_file_new ();
  g_autofree char *group = sluice_launch_row_dup_group (row);
  sluice_launch_row_save (row, now);
  if (sluice_launch_draft_is_same (merged, now, group)
      || !sluice_launch_draft_is_same (sent, now, group))
    return;
  sluice_launch_row_reset (row);
  sluice_launch_row_load (row, merged);
}

static void
take_head (SluiceLaunchPage *self, GKeyFile *merged)
{
  g_autofree char *name = g_key_file_get_string (merged, FORM, "name", NULL);
  gint64 run = g_key_file_get_int64 (merged, FORM, "run", NULL);
  gint64 step = g_key_file_get_int64 (merged, FORM, "step", NULL);
  gtk_editable_set_text (GTK_EDITABLE (self->name), name != NULL ? name : "");
  gtk_switch_set_active (GTK_SWITCH (self->halve),
                         g_key_file_get_boolean (merged, FORM, "halve", NULL));
  if (run != self->source->run || step != self->source->step)
    sluice_launch_page_choose_origin (self, run, step);
  take_file (self, merged);
}

static void
take_theirs (SluiceLaunchPage *self, const char *sent_text, const char *merged_text)
{
  g_autoptr (GKeyFile) sent = g_key_file_new (), merged = g_key_file_new ();
  g_key_file_load_from_data (sent, sent_text, strlen (sent_text), G_KEY_FILE_NONE, NULL);
  g_key_file_load_from_data (merged, merged_text, strlen (merged_text), G_KEY_FILE_NONE, NULL);
  for (guint i = 0; i < self->rows->len; i++)
    take_row (self->rows->pdata[i], sent, merged);
  if (!sluice_launch_draft_is_same (sent, merged, FORM))
    take_head (self, merged);
  sluice_launch_page_tell (
      self, _ ("What another window has changed in this draft was taken over into the form"));
}

/* ---- keeping, in a worker ---- */

typedef struct
{
  SluiceStore *store;
  SluiceLaunchDraft *draft; /* (nullable): it is to be read */
  char *merged;             /* (nullable): what was written, with another window's changes */
  gint64 run;
} Keeping;

static void
keeping_free (gpointer data)
{
  Keeping *self = data;
  g_object_unref (self->store);
  g_clear_pointer (&self->draft, sluice_launch_draft_free);
  g_free (self->merged);
  g_free (self);
}

static void
keep_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Keeping *keeping = data;
  GError *error = NULL;
  if (sluice_launch_draft_save (keeping->draft, keeping->store, &keeping->run, &keeping->merged,
                                &error))
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
  if (!ok && g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION))
    self->keeps_again = TRUE; /* another window is at it */
  else if (!ok)
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_launch_page_tell (self, words);
    }
  if (ok)
    {
      self->draft = keeping->run;
      g_free (self->kept);
      self->kept = g_strdup (keeping->merged != NULL ? keeping->merged : keeping->draft->text);
    }
  if (keeping->merged != NULL && self->form != NULL)
    take_theirs (self, keeping->draft->text, keeping->merged);
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
  *keeping = (Keeping){ g_object_ref (store), new_draft (self), NULL, self->draft };
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
  g_free (self->kept);
  self->kept = g_key_file_to_data (file, NULL, NULL);
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
  *keeping = (Keeping){ g_object_ref (store), NULL, NULL, draft };
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
  take_file (self, file);
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
