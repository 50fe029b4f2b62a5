/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The file of a document, which other programs write as well, and what was left of it. */
#include <glib/gi18n.h>

#include "app/build/document-private.h"
#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/command/line.h"

#define SETTLE_MS 200 /* without a change, then the file is read */
#define MAX_BYTES ((guint64) 2 << 30)

/* ---- news ---- */

void
sluice_document_tell (SluiceDocument *self, SluiceDocumentNews news, char *words)
{
  gboolean is_new = news != SLUICE_NEWS_NONE || self->news != SLUICE_NEWS_NONE;
  g_free (self->words);
  self->words = words;
  self->news = news;
  if (is_new)
    sluice_document_emit_news (self);
}

SluiceDocumentNews
sluice_document_get_news (SluiceDocument *self, const char **words)
{
  *words = self->words != NULL ? self->words : "";
  return self->news;
}

void
sluice_document_dismiss_news (SluiceDocument *self)
{
  sluice_document_tell (self, SLUICE_NEWS_NONE, NULL);
}

static void
tell_changed (SluiceDocument *self)
{
  g_autofree char *name = g_path_get_basename (self->path);
  sluice_document_tell (
      self, SLUICE_NEWS_CHANGED,
      g_strdup_printf (sluice_document_is_changed (self)
                           ? _ ("Another program has changed “%s”, and what you did is not saved.")
                           : _ ("Another program has changed “%s”."),
                       name));
}

/* ---- what the file holds ---- */

/* Where there is none, nothing can be overwritten. (transfer full) (nullable) */
GBytes *
sluice_document_read_other (const char *path, GBytes *known)
{
  g_autoptr (GBytes) bytes = sluice_read_file ("graph", path, SLUICE_READ_PLAIN, MAX_BYTES, NULL);
  gboolean is_other = bytes != NULL && (known == NULL || !g_bytes_equal (bytes, known));
  return is_other ? g_steal_pointer (&bytes) : NULL;
}

static void
take_other (SluiceDocument *self, GBytes *other)
{
  g_clear_pointer (&self->theirs, g_bytes_unref);
  self->theirs = other;
  if (other != NULL)
    tell_changed (self);
  else if (self->news == SLUICE_NEWS_CHANGED)
    sluice_document_dismiss_news (self);
}

gboolean
sluice_document_take_other (SluiceDocument *self, GBytes *other, GError **error)
{
  take_other (self, other);
  return other == NULL
         || sluice_fail (error, SLUICE_ERROR_ABORTED,
                         "not saved: another program has changed '%s'; merge what it did, or "
                         "keep what you did",
                         self->path);
}

typedef struct
{
  char *path;
  GBytes *known; /* (nullable) */
} Look;

static void
look_free (gpointer data)
{
  Look *look = data;
  g_clear_pointer (&look->known, g_bytes_unref);
  g_free (look->path);
  g_free (look);
}

static void
look_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Look *look = data;
  g_task_return_pointer (task, sluice_document_read_other (look->path, look->known),
                         (GDestroyNotify) g_bytes_unref);
}

static gboolean look_cb (gpointer data);
static void file_changed_cb (SluiceDocument *self);

static void
looked_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceDocument *self = SLUICE_DOCUMENT (object);
  const Look *look = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  GBytes *other = g_task_propagate_pointer (G_TASK (result), &error);
  if (error != NULL) /* cancelled */
    return;
  g_clear_object (&self->looking);
  if (look->known == self->known && self->save == NULL)
    {
      take_other (self, other);
      return;
    }
  /* It was saved meanwhile, or is. */
  g_clear_pointer (&other, g_bytes_unref);
  file_changed_cb (self);
}

static gboolean
look_cb (gpointer data)
{
  SluiceDocument *self = data;
  Look *look = g_new (Look, 1);
  *look = (Look){ g_strdup (self->path), self->known != NULL ? g_bytes_ref (self->known) : NULL };
  self->look_source = 0;
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  self->looking = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (self, self->looking, looked_cb, NULL);
  g_task_set_task_data (task, look, look_free);
  g_task_run_in_thread (task, look_in_worker);
  return G_SOURCE_REMOVE;
}

static void
file_changed_cb (SluiceDocument *self)
{
  g_clear_handle_id (&self->look_source, g_source_remove);
  self->look_source = g_timeout_add (SETTLE_MS, look_cb, self);
}

void
sluice_document_watch (SluiceDocument *self)
{
  g_autoptr (GFile) file = g_file_new_for_path (self->path);
  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL) /* else it is looked at when it is saved */
    g_signal_connect_object (self->monitor, "changed", G_CALLBACK (file_changed_cb), self,
                             G_CONNECT_SWAPPED);
}

void
sluice_document_unwatch (SluiceDocument *self)
{
  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  g_clear_handle_id (&self->look_source, g_source_remove);
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  g_clear_pointer (&self->theirs, g_bytes_unref);
}

/* ---- what was left ---- */

void
sluice_document_tell_opened (SluiceDocument *self, const SluiceOpenedGraph *opened)
{
  guint n = opened->outcome.n_unsaved;
  gboolean is_held = g_error_matches (opened->problem, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE);
  if (opened->problem != NULL)
    sluice_document_tell (
        self, SLUICE_NEWS_LOST,
        g_strdup_printf (is_held ? _ ("The graph is only shown here: %s.")
                                 : _ ("Not all of what was done last time is here: %s."),
                         opened->problem->message));
  else if (n > 0)
    sluice_document_tell (
        self, SLUICE_NEWS_RECOVERED,
        g_strdup_printf (
            g_dngettext (GETTEXT_PACKAGE,
                         "%u command of last time was not saved, and is here again.",
                         "%u commands of last time were not saved, and are here again.", n),
            n));
  if (opened->outcome.is_changed)
    look_cb (self);
}

gboolean
sluice_document_drop_recovered (SluiceDocument *self, GError **error)
{
  guint n;
  if (!sluice_command_stack_find_saved (self->stack, &n))
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "what the file holds was never the graph here; reload it instead");
  if (!sluice_document_go_to (self, n, error))
    return FALSE;
  sluice_document_dismiss_news (self);
  return TRUE;
}

/* ---- what others did ---- */

static gboolean
check_theirs (SluiceDocument *self, GError **error)
{
  sluice_document_settle (self);
  if (self->theirs == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "no other program has changed the file");
  return self->journal != NULL || sluice_document_begin_journal (self, error);
}

/* The file's bytes are known from now on, though the graph is something else. */
static gboolean
take_theirs (SluiceDocument *self, GError **error)
{
  if (!sluice_journal_note_read (self->journal, self->theirs, error))
    return FALSE;
  g_clear_pointer (&self->known, g_bytes_unref);
  self->known = g_steal_pointer (&self->theirs);
  sluice_command_stack_set_saved (self->stack, FALSE);
  sluice_document_dismiss_news (self);
  sluice_document_emit_changed (self);
  return TRUE;
}

gboolean
sluice_document_keep_own (SluiceDocument *self, GError **error)
{
  return check_theirs (self, error) && take_theirs (self, error);
}

static char *
dup_merge_line (SluiceDocument *self, GError **error)
{
  g_autofree char *base = sluice_journal_keep (self->journal, self->known, error);
  g_autofree char *theirs =
      base != NULL ? sluice_journal_keep (self->journal, self->theirs, error) : NULL;
  if (theirs == NULL)
    return NULL;
  g_autofree char *quoted_base = sluice_line_quote (base);
  g_autofree char *quoted_theirs = sluice_line_quote (theirs);
  return g_strdup_printf ("merge %s %s", quoted_base, quoted_theirs);
}

gboolean
sluice_document_merge (SluiceDocument *self, GError **error)
{
  g_autoptr (GString) said = g_string_new (NULL);
  if (!check_theirs (self, error))
    return FALSE;
  if (self->known == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "what the file held before is not known any more; keep what you did, or "
                        "reload");
  g_autofree char *line = dup_merge_line (self, error);
  if (line == NULL || !sluice_document_do_said (self, line, said, error)
      || !take_theirs (self, error))
    return FALSE;
  if (said->len > 0)
    {
      g_string_truncate (said, said->len - 1); /* the last newline */
      sluice_document_tell (
          self, SLUICE_NEWS_CONFLICT,
          g_strdup_printf (_ ("Merged. Where both changed the same, yours stands:\n%s"),
                           said->str));
    }
  return TRUE;
}
