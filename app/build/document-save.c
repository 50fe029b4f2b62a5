/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A document is saved: this thread takes the graph, in pieces, and says so in the journal; another
 * one looks whether the file is what it was, and writes it. */
#include <pthread.h>
#include <string.h>

#include "app/build/document-private.h"
#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/base/thread.h"
#include "engine/command/command.h"
#include "engine/graph/graphdef.h"

#define PIECE_US    5000      /* of a turn */
#define PIECE_BYTES (1 << 18) /* of a text, between two looks at the clock */

struct _DocumentSave
{
  SluiceDocument *document;
  SluiceDocumentSaved done;
  gpointer user_data;
  /* (nullable): the graph is still being taken, as bytes or as its text */
  SluiceGraphExport *export;
  SluiceGraphText *text;
  gsize n_summed; /* bytes of the text */
  GChecksum *checksum;
  guint source; /* takes more of it; then: tells the outcome, written by the thread */
  /* As it was taken. */
  GBytes *bytes;   /* (nullable), with error */
  guint64 moment;  /* of the stack */
  gsize n_journal; /* bytes of the stack's */
  guint n_text_changes;
  gboolean is_told;       /* the journal says that it is being saved */
  SluiceJournal *journal; /* (nullable) */
  char *path;
  GBytes *known;         /* (nullable) */
  gboolean is_elsewhere; /* to another file, */
  gboolean is_copy;      /* which is not the document's from then on */
  pthread_t thread;
  gboolean has_thread;
  /* The thread's, until it has ended. */
  GBytes *other; /* (nullable): what the file holds instead of what is known */
  GError *error; /* (nullable) */
};

static void
save_free (DocumentSave *save)
{
  g_clear_pointer (&save->export, sluice_graph_export_free);
  g_checksum_free (save->checksum);
  g_clear_pointer (&save->bytes, g_bytes_unref);
  g_clear_pointer (&save->journal, sluice_journal_unref);
  g_clear_pointer (&save->known, g_bytes_unref);
  g_clear_pointer (&save->other, g_bytes_unref);
  g_clear_error (&save->error);
  g_free (save->path);
  g_free (save);
}

/* ---- its end ---- */

void
sluice_document_take_saved (SluiceDocument *self,
                            GBytes *bytes,
                            guint64 moment,
                            guint n_text_changes)
{
  g_clear_pointer (&self->replaced, g_bytes_unref);
  self->replaced = self->known;
  self->known = g_bytes_ref (bytes);
  g_clear_pointer (&self->graph_hash, g_free);
  g_cancellable_cancel (self->hashing);
  g_clear_object (&self->hashing);
  sluice_command_stack_set_saved_at (self->stack, moment);
  self->n_text_saved = n_text_changes;
  sluice_document_dismiss_news (self);
  sluice_document_emit_changed (self);
}

static void
end_save (DocumentSave *save)
{
  SluiceDocument *self = save->document;
  if (save->has_thread)
    pthread_join (save->thread, NULL);
  self->save = NULL;
  if (save->other != NULL)
    sluice_document_take_other (self, g_steal_pointer (&save->other), &save->error);
  if (save->is_told)
    sluice_journal_end_save (save->journal, save->error == NULL);
  if (save->error == NULL && !save->is_copy
      && (!save->is_elsewhere
          || sluice_document_move (self, save->path, save->bytes, save->n_journal, &save->error)))
    sluice_document_take_saved (self, save->bytes, save->moment, save->n_text_changes);
  save->done (self, save->error, save->user_data);
  g_clear_pointer (&self->replaced, g_bytes_unref);
  save_free (save);
}

static gboolean
end_save_cb (gpointer data)
{
  end_save (data);
  return G_SOURCE_REMOVE;
}

/* ---- the thread ---- */

/* Where the journal has no room for a copy the file is written all the same: it is what counts. */
static void *
write_in_thread (void *data)
{
  DocumentSave *save = data;
  if (!save->is_elsewhere)
    save->other = sluice_document_read_other (save->path, save->known);
  if (save->other == NULL && save->is_told)
    sluice_journal_keep_save (save->journal, g_checksum_get_string (save->checksum), save->bytes,
                              NULL);
  if (save->other == NULL)
    sluice_command_write_bytes (save->bytes, save->path, &save->error);
  save->source = g_idle_add (end_save_cb, save);
  return NULL;
}

/* ---- the graph is taken ---- */

/* All of it is there. */
static void
begin_writing (DocumentSave *save)
{
  SluiceDocument *self = save->document;
  save->moment = sluice_command_stack_get_moment (self->stack);
  save->n_journal = strlen (sluice_command_stack_get_journal (self->stack));
  if (save->bytes != NULL && self->journal != NULL && !save->is_elsewhere)
    {
      save->journal = sluice_journal_ref (self->journal);
      save->is_told = sluice_journal_announce_save (save->journal,
                                                    g_checksum_get_string (save->checksum), NULL);
    }
  save->has_thread = save->bytes != NULL
                     && sluice_thread_start (&save->thread, write_in_thread, save,
                                             "saving the graph", NULL, &save->error);
  if (!save->has_thread)
    save->source = g_idle_add (end_save_cb, save);
}

/* Lines that are not made yet, all of them as one, then their checksum. A command, and closing,
 * take the rest at once; a comment that is typed meanwhile is in it or counts as not saved. */
static gboolean
take_text (DocumentSave *save, gint64 budget_us)
{
  gint64 begun = g_get_monotonic_time ();
  if (save->bytes == NULL)
    {
      if (!sluice_graph_text_refresh (save->text, budget_us))
        return FALSE;
      char *text = sluice_graph_text_dup_text (save->text);
      save->bytes = g_bytes_new_take (text, strlen (text));
      save->n_text_changes = save->document->n_text_changes;
    }
  gsize length;
  const guchar *data = g_bytes_get_data (save->bytes, &length);
  while (save->n_summed < length && g_get_monotonic_time () - begun < budget_us)
    {
      gsize n = MIN (length - save->n_summed, PIECE_BYTES);
      g_checksum_update (save->checksum, data + save->n_summed, (gssize) n);
      save->n_summed += n;
    }
  if (save->n_summed < length)
    return FALSE;
  save->text = NULL;
  return TRUE;
}

static gboolean
take_piece (DocumentSave *save, gint64 budget_us)
{
  if (save->text != NULL)
    return take_text (save, budget_us);
  if (!sluice_graph_export_go_on (save->export, budget_us, save->checksum))
    return FALSE;
  save->bytes = sluice_graph_export_end (save->export, &save->error);
  g_clear_pointer (&save->export, sluice_graph_export_free);
  return TRUE;
}

static gboolean
take_piece_cb (gpointer data)
{
  DocumentSave *save = data;
  if (!take_piece (save, PIECE_US))
    return G_SOURCE_CONTINUE;
  save->source = 0;
  begin_writing (save);
  return G_SOURCE_REMOVE;
}

void
sluice_document_freeze_save (SluiceDocument *self)
{
  sluice_document_finish_paste (self);
  DocumentSave *save = self->save;
  if (save == NULL || (save->export == NULL && save->text == NULL))
    return;
  g_clear_handle_id (&save->source, g_source_remove);
  take_piece (save, G_MAXINT64);
  begin_writing (save);
}

void
sluice_document_settle (SluiceDocument *self)
{
  sluice_document_freeze_save (self);
  DocumentSave *save = self->save;
  if (save == NULL)
    return;
  if (save->has_thread)
    pthread_join (save->thread, NULL);
  save->has_thread = FALSE;
  g_clear_handle_id (&save->source, g_source_remove);
  end_save (save);
}

/* As the file is, so that it stays text where it was. */
static gboolean
is_text (SluiceDocument *self)
{
  gsize length = 0;
  const char *data = self->known != NULL ? g_bytes_get_data (self->known, &length) : NULL;
  return length > 0 ? sluice_command_is_text (data, length)
                    : sluice_command_is_text_name (self->path);
}

/* A large MetaGraphDef is rare: it is taken at once. */
static void
begin (DocumentSave *save, gboolean as_text)
{
  SluiceDocument *self = save->document;
  gsize length;
  self->save = save;
  save->n_text_changes = self->n_text_changes;
  SluiceGraphText *text = as_text ? sluice_document_get_text (self) : NULL;
  if (text == NULL)
    save->export = sluice_graph_export_begin (sluice_document_get_graph (self));
  else if (sluice_graph_text_is_whole (text))
    save->text = text;
  if (save->export != NULL || save->text != NULL)
    {
      save->source = g_idle_add (take_piece_cb, save);
      return;
    }
  save->bytes = sluice_command_stack_export (self->stack, as_text, &save->error);
  const guchar *data = save->bytes != NULL ? g_bytes_get_data (save->bytes, &length) : NULL;
  if (data != NULL)
    g_checksum_update (save->checksum, data, (gssize) length);
  begin_writing (save);
}

GBytes *
sluice_document_get_replaced (SluiceDocument *self)
{
  return self->replaced;
}

/* A packed file is read, but not written over. */
static gboolean
is_packed (SluiceDocument *self)
{
  return self->known != NULL && sluice_read_is_gzip (self->known);
}

gboolean
sluice_document_has_place (SluiceDocument *self)
{
  return self->path != NULL && !is_packed (self);
}

void
sluice_document_save_then (SluiceDocument *self, SluiceDocumentSaved done, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  sluice_document_settle (self);
  if (self->stack == NULL || self->path == NULL)
    sluice_fail (&error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "the graph has no file yet; say where it is to be saved");
  else if (is_packed (self))
    sluice_fail (&error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "'%s' is packed, and is not written over; save the graph under another name",
                 self->path);
  if (error != NULL)
    {
      done (self, error, user_data);
      return;
    }
  DocumentSave *save = g_new0 (DocumentSave, 1);
  *save = (DocumentSave){ .document = self,
                          .done = done,
                          .user_data = user_data,
                          .path = g_strdup (self->path),
                          .known = self->known != NULL ? g_bytes_ref (self->known) : NULL,
                          .checksum = g_checksum_new (G_CHECKSUM_SHA256) };
  begin (save, is_text (self));
}

/* Nobody else has unsaved commands of that file. */
static gboolean
check_free (const char *path, GError **error)
{
  g_autofree char *folder = sluice_journal_dup_folder (path);
  g_autoptr (GError) problem = NULL;
  g_autoptr (SluiceJournal) there = sluice_journal_open (folder, &problem);
  if (!g_error_matches (problem, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

/* full: (transfer full) */
static void
save_elsewhere (SluiceDocument *self,
                char *full,
                gboolean is_copy,
                SluiceDocumentSaved done,
                gpointer user_data)
{
  g_autofree char *path = full;
  g_autoptr (GError) error = NULL;
  sluice_document_settle (self);
  if (g_strcmp0 (path, self->path) == 0)
    {
      sluice_document_save_then (self, done, user_data);
      return;
    }
  if (self->stack == NULL)
    sluice_fail (&error, SLUICE_ERROR_FAILED_PRECONDITION, "there is no graph to save");
  else if (g_str_has_suffix (path, ".gz"))
    sluice_fail (&error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "'%s' would be a packed file, and graphs are not packed here; leave .gz out",
                 path);
  if (error != NULL || !check_free (path, &error))
    {
      done (self, error, user_data);
      return;
    }
  DocumentSave *save = g_new0 (DocumentSave, 1);
  gboolean as_text =
      sluice_command_is_text_name (path) || (!g_str_has_suffix (path, ".pb") && is_text (self));
  *save = (DocumentSave){ .document = self,
                          .done = done,
                          .user_data = user_data,
                          .path = g_steal_pointer (&path),
                          .is_elsewhere = TRUE,
                          .is_copy = is_copy,
                          .checksum = g_checksum_new (G_CHECKSUM_SHA256) };
  begin (save, as_text);
}

void
sluice_document_save_as_then (SluiceDocument *self,
                              const char *path,
                              SluiceDocumentSaved done,
                              gpointer user_data)
{
  save_elsewhere (self, g_canonicalize_filename (path, NULL), FALSE, done, user_data);
}

void
sluice_document_save_copy_then (SluiceDocument *self,
                                const char *path,
                                SluiceDocumentSaved done,
                                gpointer user_data)
{
  save_elsewhere (self, g_canonicalize_filename (path, NULL), TRUE, done, user_data);
}

/* ---- its hash ---- */

static void
hash_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_task_return_pointer (
      task, sluice_graph_import (graph, data, NULL) ? sluice_graph_dup_hash (graph, NULL) : NULL,
      g_free);
}

static void
hashed_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceDocument *self = SLUICE_DOCUMENT (object);
  g_autoptr (GError) error = NULL;
  char *hash = g_task_propagate_pointer (G_TASK (result), &error);
  if (error != NULL) /* cancelled: it was of something else */
    return;
  self->graph_hash = hash;
  sluice_document_emit_hashed (self);
}

const char *
sluice_document_get_saved_hash (SluiceDocument *self)
{
  if (self->stack == NULL || !sluice_command_stack_is_saved (self->stack))
    return NULL;
  if (self->graph_hash == NULL && self->hashing == NULL && self->known != NULL)
    {
      self->hashing = g_cancellable_new ();
      g_autoptr (GTask) task = g_task_new (self, self->hashing, hashed_cb, NULL);
      g_task_set_task_data (task, g_bytes_ref (self->known), (GDestroyNotify) g_bytes_unref);
      g_task_run_in_thread (task, hash_in_worker);
    }
  return self->graph_hash;
}
