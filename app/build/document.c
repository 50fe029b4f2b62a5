/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/document.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "app/build/document-private.h"
#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/command/command.h"
#include "engine/command/line.h"
#include "engine/graph/graphdef.h"

#define IDLE_MS    500       /* without a command, then the journal is synced */
#define MANY_BYTES (1 << 20) /* which take some milliseconds to write */
#define FOLDER     "folder"  /* of the journal, with a task */

G_DEFINE_FINAL_TYPE (SluiceDocument, sluice_document, G_TYPE_OBJECT)

enum
{
  OPENED,
  CHANGED,
  ARRANGED,
  NEWS,
  RELOAD,
  HASHED,
  PASTING,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

SluiceDocument *
sluice_document_new (void)
{
  return g_object_new (SLUICE_TYPE_DOCUMENT, NULL);
}

SluiceGraph *
sluice_document_get_graph (SluiceDocument *self)
{
  return self->stack != NULL ? sluice_command_stack_get_graph (self->stack) : NULL;
}

SluiceCommandStack *
sluice_document_get_stack (SluiceDocument *self)
{
  return self->stack;
}

const char *
sluice_document_get_path (SluiceDocument *self)
{
  return self->path;
}

void
sluice_document_emit_changed (SluiceDocument *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- the journal ---- */

static void
sync_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  if (sluice_journal_sync (data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
synced_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    g_message ("%s", error->message);
}

static gboolean
sync_cb (gpointer data)
{
  SluiceDocument *self = data;
  self->sync_source = 0;
  if (self->journal == NULL)
    return G_SOURCE_REMOVE;
  g_autoptr (GTask) task = g_task_new (self, NULL, synced_cb, NULL);
  g_task_set_task_data (task, sluice_journal_ref (self->journal),
                        (GDestroyNotify) sluice_journal_unref);
  g_task_run_in_thread (task, sync_in_worker);
  return G_SOURCE_REMOVE;
}

/* Lines of a stack's journal, for one that begins late. n: bytes */
static gboolean
append_lines (SluiceJournal *journal, const char *text, gsize n, GError **error)
{
  g_autofree char *part = g_strndup (text, n);
  g_auto (GStrv) lines = g_strsplit (part, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0' && !sluice_journal_append (journal, lines[i], error))
      return FALSE;
  return TRUE;
}

/* The file may hold something else by now than what the first command was done to. */
static gboolean
append_known (SluiceDocument *self, SluiceJournal *journal, GError **error)
{
  if (self->known == NULL || g_bytes_equal (self->known, self->base))
    return TRUE;
  if (!sluice_command_stack_is_saved (self->stack))
    return sluice_journal_note_read (journal, self->known, error);
  if (!sluice_journal_begin_save (journal, self->known, error))
    return FALSE;
  sluice_journal_end_save (journal, TRUE);
  return TRUE;
}

static void
drop_prepared (SluiceDocument *self)
{
  g_cancellable_cancel (self->preparing);
  g_clear_object (&self->preparing);
  if (self->prepared >= 0)
    close (self->prepared);
  self->prepared = -1;
}

static void
prepare_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_int (task,
                     sluice_journal_prepare (g_object_get_data (G_OBJECT (task), FOLDER), data));
}

static void
prepared_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceDocument *self = SLUICE_DOCUMENT (object);
  GTask *task = G_TASK (result);
  int prepared = (int) g_task_propagate_int (task, NULL);
  if (g_task_get_cancellable (task) == self->preparing)
    {
      self->prepared = prepared;
      g_clear_object (&self->preparing);
    }
  else if (prepared >= 0)
    close (prepared);
}

/* The first command of a large graph would wait for the copy of its file. */
static void
prepare_journal (SluiceDocument *self)
{
  if (self->journal != NULL || self->path == NULL || self->base == NULL
      || g_bytes_get_size (self->base) < MANY_BYTES)
    return;
  self->preparing = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (self, self->preparing, prepared_cb, NULL);
  g_task_set_check_cancellable (task, FALSE); /* what was made is to be closed */
  g_task_set_task_data (task, g_bytes_ref (self->base), (GDestroyNotify) g_bytes_unref);
  g_object_set_data_full (G_OBJECT (task), FOLDER, sluice_journal_dup_folder (self->path), g_free);
  g_task_run_in_thread (task, prepare_in_worker);
}

gboolean
sluice_document_begin_journal (SluiceDocument *self, GError **error)
{
  g_autofree char *folder = sluice_journal_dup_folder (self->path);
  const char *lines = sluice_command_stack_get_journal (self->stack);
  g_autoptr (SluiceJournal) journal = sluice_journal_create (
      folder, self->path, self->base, self->base_hash, self->prepared, error);
  drop_prepared (self);
  if (journal == NULL)
    return FALSE;
  if (!append_lines (journal, lines, strlen (lines), error) || !append_known (self, journal, error))
    {
      sluice_journal_remove (journal);
      return FALSE;
    }
  self->journal = g_steal_pointer (&journal);
  return TRUE;
}

/* It is not as fast as a command, and written once the disk has time. */
static gboolean
keep_line (const char *line, gpointer data, GError **error)
{
  SluiceDocument *self = data;
  if (self->path == NULL)
    return TRUE; /* it begins with the first save */
  if ((self->journal == NULL && !sluice_document_begin_journal (self, error))
      || !sluice_journal_append (self->journal, line, error))
    return FALSE;
  g_clear_handle_id (&self->sync_source, g_source_remove);
  self->sync_source = g_timeout_add (IDLE_MS, sync_cb, self);
  return TRUE;
}

/* ---- the arrangement ---- */

static void
arrange (const char *line, gpointer data)
{
  SluiceDocument *self = data;
  g_ptr_array_add (self->arranged, g_strdup (line));
}

static void
follow_stack (SluiceDocument *self)
{
  sluice_command_stack_set_keep (self->stack, keep_line, self);
  sluice_command_stack_set_arrange (self->stack, arrange, self);
}

void
sluice_document_tell_done (SluiceDocument *self)
{
  g_autoptr (GPtrArray) lines = g_steal_pointer (&self->arranged);
  self->arranged = g_ptr_array_new_with_free_func (g_free);
  sluice_document_emit_changed (self);
  if (lines->len > 0)
    g_signal_emit (self, signals[ARRANGED], 0, lines);
}

/* ---- open and close ---- */

/* With nothing to lose there is no journal either. */
static void
end_journal (SluiceDocument *self)
{
  if (self->journal != NULL && !sluice_document_is_changed (self))
    sluice_journal_remove (self->journal);
  g_clear_pointer (&self->journal, sluice_journal_unref);
}

static void
forget (SluiceDocument *self)
{
  sluice_document_settle (self);
  g_cancellable_cancel (self->hashing);
  g_clear_object (&self->hashing);
  end_journal (self);
  drop_prepared (self);
  sluice_document_unwatch (self);
  g_clear_handle_id (&self->sync_source, g_source_remove);
  g_clear_pointer (&self->stack, sluice_command_stack_free);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->base, g_bytes_unref);
  g_clear_pointer (&self->known, g_bytes_unref);
  g_clear_pointer (&self->replaced, g_bytes_unref);
  self->n_text_changes = self->n_text_saved = 0;
  g_clear_pointer (&self->base_hash, g_free);
  g_clear_pointer (&self->graph_hash, g_free);
  sluice_document_tell (self, SLUICE_NEWS_NONE, NULL);
}

void
sluice_document_close (SluiceDocument *self)
{
  if (self->stack == NULL)
    return;
  forget (self);
  g_signal_emit (self, signals[OPENED], 0);
}

void
sluice_document_open (SluiceDocument *self, SluiceGraph *graph)
{
  forget (self);
  if (graph != NULL)
    {
      self->stack = sluice_command_stack_new (graph);
      follow_stack (self);
    }
  g_signal_emit (self, signals[OPENED], 0);
}

void
sluice_document_take (SluiceDocument *self, SluiceOpenedGraph *opened)
{
  forget (self);
  self->path = g_steal_pointer (&opened->path);
  self->base = g_steal_pointer (&opened->base);
  self->known = g_steal_pointer (&opened->known);
  self->graph_hash = g_steal_pointer (&opened->graph_hash);
  if (opened->journal == NULL)
    self->base_hash = g_steal_pointer (&opened->known_hash);
  self->journal = g_steal_pointer (&opened->journal);
  self->stack = g_steal_pointer (&opened->stack);
  follow_stack (self);
  prepare_journal (self);
  g_signal_emit (self, signals[OPENED], 0);
  sluice_document_watch (self);
  sluice_document_tell_opened (self, opened);
  sluice_opened_graph_free (opened);
}

/* ---- commands ---- */

gboolean
sluice_document_begin_change (SluiceDocument *self, GError **error)
{
  if (self->stack == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "there is no graph to change; open one, or begin with an empty one");
  sluice_document_freeze_save (self);
  if (self->base == NULL)
    self->base =
        sluice_graph_export (sluice_document_get_graph (self), SLUICE_EXPORT_BINARY, error);
  return self->base != NULL;
}

gboolean
sluice_document_do_said (SluiceDocument *self, const char *line, GString *said, GError **error)
{
  if (!sluice_document_begin_change (self, error)
      || !sluice_command_stack_do (self->stack, line, said, error))
    return FALSE;
  sluice_document_tell_done (self);
  return TRUE;
}

gboolean
sluice_document_do (SluiceDocument *self, const char *line, GError **error)
{
  return sluice_document_do_said (self, line, NULL, error);
}

gboolean
sluice_document_set (
    SluiceDocument *self, const char *name, const char *key, const char *value, GError **error)
{
  g_autofree char *quoted = sluice_line_quote (name);
  g_autofree char *line = g_strdup_printf ("set %s %s=%s", quoted, key, value);
  g_autoptr (SluiceLine) words = sluice_line_parse (line, error);
  if (words == NULL)
    return FALSE;
  if (words->n != 3)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is several values; write one, a text with blanks in double quotes",
                        value);
  return sluice_document_do (self, line, error);
}

gboolean
sluice_document_go_to (SluiceDocument *self, guint n, GError **error)
{
  guint n_done = self->stack != NULL ? sluice_command_stack_get_n_undo (self->stack) : 0;
  if (n == n_done)
    return TRUE;
  sluice_document_freeze_save (self);
  if (n < n_done ? !sluice_command_stack_undo (self->stack, n_done - n, error)
                 : !sluice_command_stack_redo (self->stack, n - n_done, error))
    return FALSE;
  sluice_document_tell_done (self);
  return TRUE;
}

/* ---- the file ---- */

gboolean
sluice_document_is_changed (SluiceDocument *self)
{
  return self->stack != NULL
         && (self->paste != NULL || self->n_text_changes != self->n_text_saved
             || !sluice_command_stack_is_saved (self->stack));
}

/* Of a file that holds what the graph was after n bytes of the stack's journal; the rest was done
 * since. */
static SluiceJournal *
create_journal_at (SluiceDocument *self, const char *path, GBytes *bytes, gsize n, GError **error)
{
  g_autofree char *folder = sluice_journal_dup_folder (path);
  const char *lines = sluice_command_stack_get_journal (self->stack);
  g_free (sluice_journal_set_aside (folder, NULL)); /* of what the file was */
  if (strlen (lines) == n)
    return NULL; /* the next command begins it */
  g_autoptr (SluiceJournal) journal =
      sluice_journal_create (folder, path, self->base, self->base_hash, -1, error);
  if (journal == NULL)
    return NULL;
  gboolean ok =
      append_lines (journal, lines, n, error) && sluice_journal_begin_save (journal, bytes, error);
  if (ok)
    sluice_journal_end_save (journal, TRUE);
  if (ok && append_lines (journal, lines + n, strlen (lines + n), error))
    return g_steal_pointer (&journal);
  sluice_journal_remove (journal);
  return NULL;
}

/* The history goes along, and nothing is left of it where the graph was before. */
gboolean
sluice_document_move (
    SluiceDocument *self, const char *path, GBytes *bytes, gsize n_journal, GError **error)
{
  GError *problem = NULL;
  SluiceJournal *journal = create_journal_at (self, path, bytes, n_journal, &problem);
  if (problem != NULL)
    {
      g_propagate_error (error, problem);
      return FALSE;
    }
  if (self->journal != NULL)
    sluice_journal_remove (self->journal);
  g_clear_pointer (&self->journal, sluice_journal_unref);
  self->journal = journal;
  sluice_document_unwatch (self);
  g_free (self->path);
  self->path = g_strdup (path);
  if (self->base == NULL)
    self->base = g_bytes_ref (bytes);
  sluice_document_watch (self);
  return TRUE;
}

/* ---- life ---- */

void
sluice_document_emit_hashed (SluiceDocument *self)
{
  g_signal_emit (self, signals[HASHED], 0);
}

void
sluice_document_emit_pasting (SluiceDocument *self)
{
  g_signal_emit (self, signals[PASTING], 0);
}

void
sluice_document_emit_news (SluiceDocument *self)
{
  g_signal_emit (self, signals[NEWS], 0);
}

gboolean
sluice_document_reload (SluiceDocument *self, GError **error)
{
  sluice_document_settle (self);
  g_autofree char *folder = sluice_journal_dup_folder (self->path);
  gboolean is_kept = self->journal != NULL && sluice_document_is_changed (self);
  if (self->journal != NULL && !is_kept)
    sluice_journal_remove (self->journal);
  g_clear_pointer (&self->journal, sluice_journal_unref);
  g_autofree char *aside = is_kept ? sluice_journal_set_aside (folder, error) : NULL;
  if (is_kept && aside == NULL)
    return FALSE;
  g_signal_emit (self, signals[RELOAD], 0);
  return TRUE;
}

static void
sluice_document_finalize (GObject *object)
{
  SluiceDocument *self = SLUICE_DOCUMENT (object);
  sluice_document_settle (self);
  g_cancellable_cancel (self->hashing);
  g_clear_object (&self->hashing);
  end_journal (self);
  drop_prepared (self);
  sluice_document_unwatch (self);
  g_clear_handle_id (&self->sync_source, g_source_remove);
  g_clear_pointer (&self->stack, sluice_command_stack_free);
  g_clear_pointer (&self->base, g_bytes_unref);
  g_clear_pointer (&self->known, g_bytes_unref);
  g_clear_pointer (&self->replaced, g_bytes_unref);
  g_clear_pointer (&self->theirs, g_bytes_unref);
  g_free (self->path);
  g_free (self->base_hash);
  g_free (self->graph_hash);
  g_free (self->words);
  g_ptr_array_unref (self->arranged);
  G_OBJECT_CLASS (sluice_document_parent_class)->finalize (object);
}

static guint
add_signal (const char *name)
{
  return g_signal_new (name, SLUICE_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
}

static void
sluice_document_class_init (SluiceDocumentClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_document_finalize;
  signals[OPENED] = add_signal ("opened");
  signals[CHANGED] = add_signal ("changed");
  signals[ARRANGED] = g_signal_new ("arranged", SLUICE_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_PTR_ARRAY);
  signals[NEWS] = add_signal ("news");
  signals[RELOAD] = add_signal ("reload");
  signals[HASHED] = add_signal ("hashed");
  signals[PASTING] = add_signal ("pasting");
}

static void
sluice_document_init (SluiceDocument *self)
{
  self->arranged = g_ptr_array_new_with_free_func (g_free);
  self->prepared = -1;
}
