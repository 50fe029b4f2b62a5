/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/command/journal-text.h"

#define MAX_BYTES ((guint64) 4 << 30) /* of a journal, and of a file that is edited */

/* Names in the folder. */
#define JOURNAL "journal"
#define BASE    "base"
#define LOCK    "lock"
#define KNOWN   ".known"  /* behind its SHA-256: what the file holds; goes with the next save */
#define MERGED  ".merged" /* the same, of what a merge reads: stays */

struct _SluiceJournal
{
  gatomicrefcount references;
  char *folder;
  int lock;                /* -1: only read */
  int fd;                  /* to append; -1: only read */
  SluiceJournalText *text; /* (nullable): what was left, until it was replayed */
  char *path, *base;       /* of the file; SHA-256 of what it held */
  char *known, *before;    /* SHA-256 of what it holds; before: while it is saved, else NULL */
  guint n_commands;
  gint64 length;      /* of whole lines */
  guint32 sum;        /* of all of them */
  gboolean is_torn;   /* more may stand behind them */
  gboolean owes_mark; /* a save did not come about, and the journal does not say so yet */
};

/* ---- names ---- */

static char *
dup_name (const char *folder, const char *name, const char *ending)
{
  g_autofree char *file = g_strconcat (name, ending, NULL);
  return g_build_filename (folder, file, NULL);
}

char *
sluice_journal_hash (GBytes *bytes)
{
  return g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
}

char *
sluice_journal_dup_folder (const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *real = realpath (absolute, NULL);
  g_autofree char *key =
      g_compute_checksum_for_string (G_CHECKSUM_SHA256, real != NULL ? real : absolute, -1);
  key[32] = '\0';
  return g_build_filename (g_get_user_state_dir (), "sluice", "drafts", key, NULL);
}

static gboolean
put (const char *path, GBytes *bytes, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autoptr (GError) problem = NULL;
  /* Whole or not at all, but synced when nobody waits for it. */
  if (g_file_set_contents_full (path, data != NULL ? data : "", (gssize) length,
                                G_FILE_SET_CONTENTS_CONSISTENT, 0600, &problem))
    return TRUE;
  return sluice_fail (error,
                      g_error_matches (problem, G_FILE_ERROR, G_FILE_ERROR_NOSPC)
                          ? SLUICE_ERROR_RESOURCE_EXHAUSTED
                          : SLUICE_ERROR_UNAVAILABLE,
                      "the journal cannot be written: %s", problem->message);
}

/* All of it or, as far as can be told, nothing. */
static int
write_all (int fd, const char *data, gsize length)
{
  while (length > 0)
    {
      gssize n = write (fd, data, length);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return n < 0 ? errno : ENOSPC;
      data += n;
      length -= (gsize) n;
    }
  return 0;
}

/* ---- the lock ---- */

static gboolean
fail_held (int fd, const char *folder, GError **error)
{
  char who[32] = "";
  gssize n = pread (fd, who, sizeof who - 1, 0);
  guint64 pid = n > 0 ? g_ascii_strtoull (who, NULL, 10) : 0;
  return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE,
                      "process %" G_GUINT64_FORMAT " edits it already and holds '%s'; go on there, "
                      "or close it first",
                      pid, folder);
}

/* Who removes the folder removes the lock, too: one that was locked and has no name any more is
 * nobody's. */
static gboolean
is_named (int fd, const char *path)
{
  struct stat held, named;
  return fstat (fd, &held) == 0 && lstat (path, &named) == 0 && held.st_ino == named.st_ino
         && held.st_dev == named.st_dev;
}

/* -1: with an error. */
static int
take_lock (const char *folder, GError **error)
{
  g_autofree char *path = dup_name (folder, LOCK, NULL);
  for (;;)
    {
      struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
      int fd = g_open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
      if (fd < 0)
        {
          sluice_fail_errno (error, errno, "the journal's folder '%s' cannot be written", folder);
          return -1;
        }
      if (fcntl (fd, F_OFD_SETLK, &whole) != 0)
        {
          if (errno == EAGAIN || errno == EACCES)
            fail_held (fd, folder, error);
          else
            sluice_fail_errno (error, errno, "'%s' cannot be locked", path);
          close (fd);
          return -1;
        }
      if (is_named (fd, path))
        {
          /* Only for the message above: a full disk is no reason not to have the lock. */
          if (ftruncate (fd, 0) == 0)
            dprintf (fd, "%d\n", (int) getpid ());
          return fd;
        }
      close (fd);
    }
}

/* ---- begin and end ---- */

SluiceJournal *
sluice_journal_ref (SluiceJournal *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
sluice_journal_unref (SluiceJournal *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  if (self->fd >= 0)
    close (self->fd);
  if (self->lock >= 0)
    close (self->lock);
  g_clear_pointer (&self->text, sluice_journal_text_free);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->base);
  g_free (self->known);
  g_free (self->before);
  g_free (self);
}

static SluiceJournal *
journal_new (const char *folder)
{
  SluiceJournal *self = g_new0 (SluiceJournal, 1);
  g_atomic_ref_count_init (&self->references);
  self->folder = g_strdup (folder);
  self->lock = self->fd = -1;
  return self;
}

static gboolean
open_to_append (SluiceJournal *self, GError **error)
{
  g_autofree char *path = dup_name (self->folder, JOURNAL, NULL);
  self->fd = g_open (path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0);
  return self->fd >= 0
         || sluice_fail_errno (error, errno, "the journal '%s' cannot be written", path);
}

int
sluice_journal_prepare (const char *folder, GBytes *base)
{
  g_autofree char *above = g_path_get_dirname (folder); /* on its disk, and stays */
  gsize length;
  const char *data = g_bytes_get_data (base, &length);
  if (g_mkdir_with_parents (above, 0700) != 0)
    return -1;
  int fd = open (above, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0 && write_all (fd, data, length) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

/* The prepared copy gets its name. FALSE: it has to be written. */
static gboolean
put_prepared (const char *copy, int prepared)
{
  if (prepared < 0)
    return FALSE;
  g_autofree char *file = g_strdup_printf ("/proc/self/fd/%d", prepared);
  g_unlink (copy); /* of a journal that is no more */
  return linkat (AT_FDCWD, file, AT_FDCWD, copy, AT_SYMLINK_FOLLOW) == 0;
}

SluiceJournal *
sluice_journal_create (const char *folder,
                       const char *path,
                       GBytes *base,
                       const char *hash,
                       int prepared,
                       GError **error)
{
  g_autoptr (SluiceJournal) self = journal_new (folder);
  g_autofree char *name = dup_name (folder, JOURNAL, NULL);
  g_autofree char *copy = dup_name (folder, BASE, NULL);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      sluice_fail_errno (error, errno, "the journal's folder '%s' cannot be made", folder);
      return NULL;
    }
  if ((self->lock = take_lock (folder, error)) < 0)
    return NULL;
  if (g_file_test (name, G_FILE_TEST_EXISTS))
    {
      sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                   "'%s' holds what was not saved last time; recover or drop it first", name);
      return NULL;
    }
  self->path = g_canonicalize_filename (path, NULL);
  self->base = hash != NULL ? g_strdup (hash) : sluice_journal_hash (base);
  self->known = g_strdup (self->base);
  char *header = sluice_journal_text_begin (self->path, self->base, &self->sum);
  g_autoptr (GBytes) bytes = g_bytes_new_take (header, strlen (header));
  self->length = (gint64) g_bytes_get_size (bytes);
  /* The copy first: a journal never stands there without. */
  if ((put_prepared (copy, prepared) || put (copy, base, error)) && put (name, bytes, error)
      && open_to_append (self, error))
    return g_steal_pointer (&self);
  g_unlink (name);
  g_unlink (copy);
  return NULL;
}

static gboolean
read_journal (SluiceJournal *self, const char *path, GError **error)
{
  gsize length;
  g_autoptr (GBytes) bytes =
      sluice_read_file ("journal", path, SLUICE_READ_PLAIN, MAX_BYTES, error);
  if (bytes == NULL)
    return FALSE;
  const char *data = g_bytes_get_data (bytes, &length);
  self->text = sluice_journal_text_parse (data, length, error);
  if (self->text == NULL)
    {
      g_prefix_error (error, "journal '%s': ", path);
      return FALSE;
    }
  self->path = g_strdup (self->text->path);
  self->base = g_strdup (self->text->base);
  self->known = g_strdup (self->base);
  self->n_commands = self->text->n_commands;
  self->length = self->text->length;
  self->sum = self->text->sum;
  self->is_torn = (gsize) self->length < length;
  return TRUE;
}

SluiceJournal *
sluice_journal_open (const char *folder, GError **error)
{
  g_autoptr (SluiceJournal) self = journal_new (folder);
  g_autofree char *name = dup_name (folder, JOURNAL, NULL);
  if (!g_file_test (name, G_FILE_TEST_EXISTS))
    {
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no journal '%s'", name);
      return NULL;
    }
  if ((self->lock = take_lock (folder, error)) < 0 || !read_journal (self, name, error)
      || !open_to_append (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

SluiceJournal *
sluice_journal_open_read_only (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (SluiceJournal) self = journal_new (folder);
  return read_journal (self, path, error) ? g_steal_pointer (&self) : NULL;
}

const char *
sluice_journal_get_path (SluiceJournal *self)
{
  return self->path;
}

guint
sluice_journal_get_n_commands (SluiceJournal *self)
{
  return self->n_commands;
}

static gboolean
is_own_name (const char *name)
{
  return g_str_equal (name, BASE) || g_str_has_suffix (name, KNOWN)
         || g_str_has_suffix (name, MERGED);
}

void
sluice_journal_remove (SluiceJournal *self)
{
  g_autoptr (GDir) dir = g_dir_open (self->folder, 0, NULL);
  g_autofree char *journal = dup_name (self->folder, JOURNAL, NULL);
  g_autofree char *lock = dup_name (self->folder, LOCK, NULL);
  const char *name;
  g_unlink (journal); /* first: it is nothing without the others, they are nothing without it */
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_own_name (name))
      {
        g_autofree char *path = g_build_filename (self->folder, name, NULL);
        g_unlink (path);
      }
  g_unlink (lock);
  g_rmdir (self->folder); /* stays where something was set aside */
}

/* A name that is free: "journal.1". (transfer full) */
static char *
dup_free_name (const char *folder, const char *name)
{
  for (guint i = 1;; i++)
    {
      g_autofree char *ending = g_strdup_printf (".%u", i);
      g_autofree char *path = dup_name (folder, name, ending);
      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
}

char *
sluice_journal_set_aside (const char *folder, GError **error)
{
  g_autofree char *journal = dup_name (folder, JOURNAL, NULL);
  g_autofree char *base = dup_name (folder, BASE, NULL);
  g_autofree char *kept = dup_free_name (folder, JOURNAL);
  g_autofree char *kept_base = dup_free_name (folder, BASE);
  int lock = take_lock (folder, error);
  if (lock < 0)
    return NULL;
  int failure = g_rename (journal, kept) == 0 ? 0 : errno;
  if (failure == 0)
    g_rename (base, kept_base); /* may be what is missing */
  close (lock);
  if (failure == 0)
    return g_steal_pointer (&kept);
  sluice_fail_errno (error, failure, "the journal '%s' cannot be renamed", journal);
  return NULL;
}

/* ---- copies ---- */

static GBytes *
read_copy (const char *path, const char *hash, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_read_file ("copy", path, SLUICE_READ_PLAIN, MAX_BYTES, error);
  g_autofree char *now = bytes != NULL ? sluice_journal_hash (bytes) : NULL;
  if (now == NULL || g_str_equal (now, hash))
    return g_steal_pointer (&bytes);
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
               "'%s' is damaged: it is not what the journal stands on", path);
  return NULL;
}

GBytes *
sluice_journal_dup_base (SluiceJournal *self, GBytes *file, GError **error)
{
  g_autofree char *path = dup_name (self->folder, BASE, NULL);
  g_autofree char *now = file != NULL ? sluice_journal_hash (file) : NULL;
  if (now != NULL && g_str_equal (now, self->base))
    return g_bytes_ref (file);
  return read_copy (path, self->base, error);
}

GBytes *
sluice_journal_dup_known (SluiceJournal *self, GError **error)
{
  g_autofree char *known = dup_name (self->folder, self->known, KNOWN);
  g_autofree char *merged = dup_name (self->folder, self->known, MERGED);
  if (g_str_equal (self->known, self->base))
    return sluice_journal_dup_base (self, NULL, error);
  GBytes *bytes = read_copy (known, self->known, NULL);
  return bytes != NULL ? bytes : read_copy (merged, self->known, error);
}

const char *
sluice_journal_get_known (SluiceJournal *self)
{
  return self->known;
}

/* ---- lines ---- */

static gboolean
cut (SluiceJournal *self)
{
  if (self->is_torn)
    self->is_torn = ftruncate (self->fd, self->length) != 0;
  return !self->is_torn;
}

static gboolean
write_line (SluiceJournal *self, const char *text, GError **error)
{
  guint32 sum = self->sum;
  g_autofree char *line = sluice_journal_text_line (text, &sum);
  gsize length = strlen (line);
  /* Behind half a line none would be found again. */
  int failure = cut (self) ? 0 : errno;
  if (failure == 0)
    {
      self->is_torn = TRUE;
      failure = write_all (self->fd, line, length);
    }
  if (failure != 0)
    {
      cut (self);
      return sluice_fail_errno (error, failure, "not done, for the journal in '%s' cannot keep it",
                                self->folder);
    }
  self->is_torn = FALSE;
  self->length += (gint64) length;
  self->sum = sum;
  return TRUE;
}

static gboolean
write_mark (SluiceJournal *self, SluiceJournalKind kind, const char *hash, GError **error)
{
  g_autofree char *text = sluice_journal_text_mark (kind, hash);
  return write_line (self, text, error);
}

gboolean
sluice_journal_append (SluiceJournal *self, const char *line, GError **error)
{
  if (!write_line (self, line, error))
    return FALSE;
  self->n_commands++;
  return TRUE;
}

/* Of a save that did not come about, as long as there was no room to say so. */
static gboolean
pay_mark (SluiceJournal *self, GError **error)
{
  if (self->owes_mark && write_mark (self, SLUICE_JOURNAL_NOT_SAVED, "", error))
    self->owes_mark = FALSE;
  return !self->owes_mark;
}

gboolean
sluice_journal_announce_save (SluiceJournal *self, const char *hash, GError **error)
{
  if (!pay_mark (self, error) || !write_mark (self, SLUICE_JOURNAL_SAVED, hash, error))
    return FALSE;
  self->before = self->known;
  self->known = g_strdup (hash);
  return TRUE;
}

gboolean
sluice_journal_keep_save (SluiceJournal *self, const char *hash, GBytes *bytes, GError **error)
{
  g_autofree char *copy = dup_name (self->folder, hash, KNOWN);
  return put (copy, bytes, error);
}

gboolean
sluice_journal_begin_save (SluiceJournal *self, GBytes *bytes, GError **error)
{
  g_autofree char *hash = sluice_journal_hash (bytes);
  return pay_mark (self, error) && sluice_journal_keep_save (self, hash, bytes, error)
         && sluice_journal_announce_save (self, hash, error);
}

void
sluice_journal_end_save (SluiceJournal *self, gboolean is_saved)
{
  g_autofree char *gone = is_saved ? self->before : self->known;
  if (!is_saved)
    {
      self->known = self->before;
      self->owes_mark = TRUE;
      pay_mark (self, NULL);
    }
  self->before = NULL;
  g_autofree char *copy = dup_name (self->folder, gone, KNOWN);
  if (!g_str_equal (gone, self->known))
    g_unlink (copy);
}

char *
sluice_journal_keep (SluiceJournal *self, GBytes *bytes, GError **error)
{
  g_autofree char *hash = sluice_journal_hash (bytes);
  g_autofree char *path = dup_name (self->folder, hash, MERGED);
  return put (path, bytes, error) ? g_steal_pointer (&path) : NULL;
}

gboolean
sluice_journal_note_read (SluiceJournal *self, GBytes *bytes, GError **error)
{
  g_autofree char *hash = sluice_journal_hash (bytes);
  g_autofree char *copy = sluice_journal_keep (self, bytes, error);
  if (copy == NULL || !pay_mark (self, error)
      || !write_mark (self, SLUICE_JOURNAL_READ, hash, error))
    return FALSE;
  g_free (self->known);
  self->known = g_steal_pointer (&hash);
  return TRUE;
}

/* ---- recovery ---- */

/* Where a save is told that came about. */
static void
drop_unsaved (GArray *marks)
{
  const SluiceJournalLine *last =
      marks->len > 0 ? &g_array_index (marks, SluiceJournalLine, marks->len - 1) : NULL;
  if (last != NULL && last->kind == SLUICE_JOURNAL_SAVED)
    g_array_set_size (marks, marks->len - 1);
}

/* Number of the line that says what the file holds, 0: the header. The last one does, but where it
 * was written and the file was not. */
static guint
find_mark (SluiceJournal *self, const char *file, gboolean *is_changed)
{
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof (SluiceJournalLine));
  for (guint i = 0; i < self->text->lines->len; i++)
    {
      SluiceJournalLine *line = &g_array_index (self->text->lines, SluiceJournalLine, i);
      if (line->kind == SLUICE_JOURNAL_NOT_SAVED)
        drop_unsaved (marks);
      else if (line->kind != SLUICE_JOURNAL_COMMAND)
        g_array_append_vals (marks, line, 1);
    }
  SluiceJournalLine header = { .text = self->base, .kind = SLUICE_JOURNAL_SAVED };
  g_array_prepend_vals (marks, &header, 1);
  const SluiceJournalLine *last = &g_array_index (marks, SluiceJournalLine, marks->len - 1);
  const SluiceJournalLine *chosen = last;
  if (file != NULL && marks->len > 1 && last->kind == SLUICE_JOURNAL_SAVED
      && !g_str_equal (last->text, file) && g_str_equal (last[-1].text, file))
    chosen = last - 1;
  *is_changed = file != NULL && !g_str_equal (chosen->text, file);
  self->owes_mark = chosen != last;
  g_free (self->known);
  self->known = g_strdup (chosen->text);
  return chosen->number;
}

/* What was left is kept under another name, and the journal ends before the line. (transfer full)
 * (nullable): neither could be done, so nothing is written behind it any more */
static char *
keep_damaged (SluiceJournal *self, gint64 at, guint32 sum)
{
  g_autofree char *path = dup_name (self->folder, JOURNAL, NULL);
  g_autofree char *kept = dup_free_name (self->folder, JOURNAL);
  g_autoptr (GBytes) bytes = sluice_read_file ("journal", path, SLUICE_READ_PLAIN, MAX_BYTES, NULL);
  self->length = at;
  self->sum = sum;
  self->is_torn = TRUE;
  if (bytes != NULL && put (kept, bytes, NULL) && cut (self))
    return g_steal_pointer (&kept);
  close (self->fd);
  self->fd = -1;
  return NULL;
}

static gboolean
fail_line (SluiceJournal *self,
           guint number,
           gint64 at,
           guint32 sum,
           const GError *problem,
           GError **error)
{
  g_autofree char *kept = self->fd >= 0 ? keep_damaged (self, at, sum) : NULL;
  return sluice_fail (error, problem->code, "line %u of the journal in '%s': %s%s%s", number,
                      self->folder, problem->message, kept != NULL ? "; all of it is kept as " : "",
                      kept != NULL ? kept : "");
}

/* Comments that were changed beside commands are in no line, but in what was saved. */
static void
take_known (SluiceJournal *self, SluiceCommandStack *stack, gboolean is_saved)
{
  sluice_command_stack_set_saved (stack, is_saved);
  g_autoptr (GBytes) known = is_saved && sluice_command_stack_get_text (stack) != NULL
                                 ? sluice_journal_dup_known (self, NULL)
                                 : NULL;
  if (known != NULL)
    sluice_command_stack_take_file (stack, known);
}

gboolean
sluice_journal_replay (SluiceJournal *self,
                       SluiceCommandStack *stack,
                       const char *file,
                       SluiceJournalOutcome *outcome,
                       GError **error)
{
  g_autoptr (SluiceJournalText) text = self->text;
  SluiceJournalOutcome unheard, *out = outcome != NULL ? outcome : &unheard;
  g_autoptr (GError) problem = NULL;
  g_return_val_if_fail (text != NULL, FALSE);
  guint mark = find_mark (self, file, &out->is_changed);
  self->text = NULL;
  out->n_unsaved = self->n_commands = 0;
  for (guint i = 0; i < text->lines->len; i++)
    {
      const SluiceJournalLine *line = &g_array_index (text->lines, SluiceJournalLine, i);
      if (line->number == mark)
        {
          take_known (self, stack, line->kind == SLUICE_JOURNAL_SAVED);
          out->n_unsaved = 0;
        }
      if (line->kind != SLUICE_JOURNAL_COMMAND)
        continue;
      if (!sluice_command_stack_do (stack, line->text, NULL, &problem))
        return fail_line (self, line->number, line->at, line->before, problem, error);
      self->n_commands++;
      out->n_unsaved += !g_str_has_prefix (line->text, "layout "); /* no change of the graph */
    }
  if (text->damaged == 0)
    return TRUE;
  sluice_fail (&problem, SLUICE_ERROR_DATA_LOSS, "it is damaged");
  return fail_line (self, text->damaged, text->length, text->sum, problem, error);
}

gboolean
sluice_journal_sync (SluiceJournal *self, GError **error)
{
  g_autofree char *base = dup_name (self->folder, BASE, NULL);
  int folder = open (self->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int copy = open (base, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  int failure = fdatasync (self->fd) == 0 ? 0 : errno;
  /* Both cost nothing where nothing is new. */
  if (copy >= 0)
    {
      fsync (copy);
      close (copy);
    }
  if (folder >= 0)
    {
      fsync (folder);
      close (folder);
    }
  return failure == 0
         || sluice_fail_errno (error, failure, "the journal in '%s' may not be on the disk",
                               self->folder);
}
