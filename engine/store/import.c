/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/import.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/store/event-reader.h"
#include "engine/store/import-text.h"

#define PROGRESS_US   (100 * 1000)
#define LOOK_UP_EVERY 1024 /* records: at the clock, and whether to go on */

struct _SluiceImporter
{
  SluiceStore *store;
  SluiceImportOptions options;
  GPtrArray *paths;   /* as they were added */
  GPtrArray *folders; /* that were seen */
  GHashTable *runs;   /* source -> ImportRun: what is known stays known */
  SluiceImportProgress progress;
  guint64 bytes_before; /* of files that are done */
  gint64 told;          /* when progress was, monotonic */
};

/* ---- the importer ---- */

SluiceImporter *
sluice_importer_new (SluiceStore *store, const SluiceImportOptions *options)
{
  SluiceImporter *self = g_new0 (SluiceImporter, 1);
  self->store = g_object_ref (store);
  self->options = *options;
  if (options->cancellable != NULL)
    g_object_ref (options->cancellable);
  self->paths = g_ptr_array_new_with_free_func (g_free);
  self->folders = g_ptr_array_new_with_free_func (g_free);
  self->runs = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, sluice_import_run_free);
  return self;
}

void
sluice_importer_free (SluiceImporter *self)
{
  g_hash_table_unref (self->runs);
  g_ptr_array_unref (self->paths);
  g_ptr_array_unref (self->folders);
  g_clear_object (&self->options.cancellable);
  g_object_unref (self->store);
  g_free (self);
}

gboolean
sluice_importer_add (SluiceImporter *self, const char *path, GError **error)
{
  g_autoptr (GPtrArray) sources = g_ptr_array_new_with_free_func (sluice_import_source_free);
  if (!sluice_import_find (path, sources, self->folders, error))
    return FALSE;
  g_ptr_array_add (self->paths, g_canonicalize_filename (path, NULL));
  return TRUE;
}

GPtrArray *
sluice_importer_list_folders (SluiceImporter *self)
{
  GPtrArray *folders = g_ptr_array_new ();
  for (guint i = 0; i < self->folders->len; i++)
    g_ptr_array_add (folders, self->folders->pdata[i]);
  return folders;
}

static void
damage_free (gpointer data)
{
  SluiceDamage *damage = data;
  g_free (damage->file);
  g_free (damage->what);
  g_free (damage);
}

void
sluice_import_add_damage (ImportReading *reading,
                          const ImportPath *path,
                          guint64 offset,
                          char *take_what)
{
  SluiceImportedRun *counts = reading->counts;
  if (counts->damaged->len == SLUICE_IMPORT_MOST_DAMAGE)
    {
      counts->n_more_damaged++;
      g_free (take_what);
      return;
    }
  SluiceDamage *damage = g_new (SluiceDamage, 1);
  *damage = (SluiceDamage){ g_strdup (path->path), offset, take_what };
  g_ptr_array_add (counts->damaged, damage);
}

static void
tell_progress (SluiceImporter *self, guint64 position)
{
  gint64 now = g_get_monotonic_time ();
  self->progress.bytes_done = self->bytes_before + position;
  if (self->options.progress == NULL || now - self->told < PROGRESS_US)
    return;
  self->told = now;
  self->options.progress (&self->progress, self->options.progress_data);
}

static gboolean
is_cancelled (const SluiceImporter *self, GError **error)
{
  return g_cancellable_is_cancelled (self->options.cancellable)
         && !sluice_fail (error, SLUICE_ERROR_CANCELLED,
                          "the import was cancelled; what is committed stays, and importing again "
                          "goes on there");
}

gboolean
sluice_import_follows (const ImportReading *reading)
{
  return reading->importer->options.follows;
}

gboolean
sluice_import_go_on (ImportReading *reading, guint64 position, GError **error)
{
  tell_progress (reading->importer, position);
  return !is_cancelled (reading->importer, error);
}

/* ---- a file ---- */

gboolean
sluice_import_look_at (const ImportPath *path, ImportFile *now)
{
  struct stat info;
  if (stat (path->path, &info) != 0)
    return FALSE;
  now->size = info.st_size;
  now->inode = (gint64) info.st_ino;
  now->mtime = (gint64) info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
  return TRUE;
}

gboolean
sluice_import_is_same_file (const ImportFile *a, const ImportFile *b)
{
  return a->size == b->size && a->inode == b->inode && a->mtime == b->mtime;
}

/* What waits is committed, with where the reader is. */
static gboolean
commit_at (ImportReading *reading,
           ImportFile *file,
           const SluiceEventReader *reader,
           GError **error)
{
  file->is_changed |= file->id == 0 || file->offset != sluice_event_reader_get_offset (reader);
  file->offset = sluice_event_reader_get_offset (reader);
  file->mark = sluice_event_reader_get_mark (reader);
  return sluice_import_run_commit (reading->run, error);
}

/* Reads to the end of what is there. *result says what ended it. */
static gboolean
read_records (ImportReading *reading,
              const ImportPath *path,
              ImportFile *file,
              SluiceEventReader *reader,
              SluiceEventsResult *result,
              GError **error)
{
  const guint8 *data;
  gsize length;
  guint64 offset = sluice_event_reader_get_offset (reader);
  while ((*result = sluice_event_reader_next (reader, &data, &length, error)) == SLUICE_EVENTS_ONE)
    {
      char *what = NULL;
      ImportResult taken = sluice_import_event (reading->run, reading->importer->options.overlaps,
                                                data, length, reading->counts, &what, error);
      if (what != NULL)
        sluice_import_add_damage (reading, path, offset, what);
      if (taken == IMPORT_FAILED)
        return FALSE;
      offset = sluice_event_reader_get_offset (reader);
      if (++reading->counts->n_records % LOOK_UP_EVERY == 0)
        {
          if (!sluice_import_go_on (reading, sluice_event_reader_get_position (reader), error))
            return FALSE;
        }
      if (sluice_import_run_is_full (reading->run) && !commit_at (reading, file, reader, error))
        return FALSE;
    }
  return *result != SLUICE_EVENTS_FAILED;
}

/* What ended it is damage, or the end so far. */
static void
tell_end (ImportReading *reading,
          const ImportPath *path,
          const SluiceEventReader *reader,
          SluiceEventsResult result)
{
  guint64 offset = sluice_event_reader_get_offset (reader);
  gboolean follows = reading->importer->options.follows;
  if (result == SLUICE_EVENTS_DAMAGED)
    sluice_import_add_damage (reading, path, offset,
                              g_strdup (_ (sluice_event_reader_get_damage (reader))));
  else if (result == SLUICE_EVENTS_TORN && !follows)
    sluice_import_add_damage (reading, path, offset,
                              g_strdup (_ ("the file ends within a record")));
  else if (result == SLUICE_EVENTS_END && offset == 0 && !follows)
    sluice_import_add_damage (reading, path, offset, g_strdup (_ ("the file is empty")));
}

/* A reader that stands where reading ended before. *replaced: it is another file. (nullable): with
 * an error, or without one where it is replaced */
static SluiceEventReader *
open_file (const ImportPath *path, const ImportFile *file, gboolean *replaced, GError **error)
{
  g_autoptr (SluiceEventReader) reader = sluice_event_reader_open (path->path, error);
  SluiceEventsResult result = SLUICE_EVENTS_ONE;
  *replaced = FALSE;
  if (reader != NULL && file->offset > 0)
    result = sluice_event_reader_resume (reader, file->offset, file->mark, error);
  *replaced = result == SLUICE_EVENTS_END;
  return result == SLUICE_EVENTS_ONE ? g_steal_pointer (&reader) : NULL;
}

static gboolean
read_file (ImportReading *reading, const ImportPath *path, GError **error)
{
  ImportFile *file = sluice_import_run_get_file (reading->run, path->name);
  ImportFile now = { 0 };
  gboolean replaced;
  g_autoptr (GError) failure = NULL;
  SluiceEventsResult result;
  if (!sluice_import_look_at (path, &now)
      || (file->id != 0 && sluice_import_is_same_file (file, &now)))
    return TRUE;
  g_autoptr (SluiceEventReader) reader = open_file (path, file, &replaced, &failure);
  if (reader == NULL) /* a folder's other files are read */
    {
      if (failure != NULL)
        sluice_import_add_damage (reading, path, 0, g_strdup (failure->message));
      return TRUE;
    }
  if (!read_records (reading, path, file, reader, &result, error))
    return FALSE;
  tell_end (reading, path, reader, result);
  /* What is not well is looked at again, and told again, each time. */
  gboolean is_well = result == SLUICE_EVENTS_END && sluice_event_reader_get_offset (reader) > 0;
  now.size = is_well ? now.size : -1;
  file->is_changed |= !sluice_import_is_same_file (file, &now);
  file->size = now.size;
  file->inode = now.inode;
  file->mtime = now.mtime;
  gboolean is_ours = sluice_event_reader_get_offset (reader) > 0 || result == SLUICE_EVENTS_END;
  return !is_ours || commit_at (reading, file, reader, error);
}

/* ---- a run ---- */

/* Is one of the files another one than was read? */
static gboolean
find_replaced (ImportReading *reading, gboolean *replaced, GError **error)
{
  *replaced = FALSE;
  for (guint i = 0; i < reading->source->files->len && !*replaced; i++)
    {
      const ImportPath *path = reading->source->files->pdata[i];
      const ImportFile *file = sluice_import_run_get_file (reading->run, path->name);
      ImportFile now = { 0 };
      if (file->offset == 0 || !sluice_import_look_at (path, &now)
          || sluice_import_is_same_file (file, &now))
        continue;
      SluiceEventReader *reader = open_file (path, file, replaced, NULL);
      g_clear_pointer (&reader, sluice_event_reader_free);
    }
  reading->counts->is_reread = *replaced;
  return !*replaced || sluice_import_run_reset (reading->run, error);
}

static guint64
count_bytes (const ImportSource *source)
{
  guint64 bytes = 0;
  for (guint i = 0; i < source->files->len; i++)
    {
      ImportFile now = { 0 };
      if (sluice_import_look_at (source->files->pdata[i], &now))
        bytes += (guint64) now.size;
    }
  return bytes;
}

static gboolean
has_any (const ImportReading *reading)
{
  GHashTableIter iter;
  gpointer file;
  g_hash_table_iter_init (&iter, reading->run->files);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    if (((ImportFile *) file)->id != 0)
      return TRUE;
  return FALSE;
}

static gboolean
read_files (ImportReading *reading, GError **error)
{
  SluiceImporter *importer = reading->importer;
  gboolean replaced;
  if (reading->source->format != NULL)
    return sluice_import_texts_read (reading, error);
  if (!find_replaced (reading, &replaced, error))
    return FALSE;
  for (guint i = 0; i < reading->source->files->len; i++)
    {
      const ImportPath *path = reading->source->files->pdata[i];
      ImportFile now = { 0 };
      if (is_cancelled (importer, error) || !read_file (reading, path, error))
        return FALSE;
      importer->bytes_before += sluice_import_look_at (path, &now) ? (guint64) now.size : 0;
      tell_progress (importer, 0);
    }
  return TRUE;
}

/* (nullable): with an error */
static ImportRun *
get_run (SluiceImporter *self, const ImportSource *source, GError **error)
{
  ImportRun *run = g_hash_table_lookup (self->runs, source->source);
  if (run != NULL)
    return run;
  run = sluice_import_run_new (self->store, source->source);
  run->info.name = g_strdup (source->name);
  if (!sluice_import_run_load (run, error))
    {
      sluice_import_run_free (run);
      return NULL;
    }
  g_hash_table_insert (self->runs, run->source, run);
  return run;
}

static gboolean
import_source (SluiceImporter *self,
               const ImportSource *source,
               SluiceImportedFunc func,
               gpointer data,
               GError **error)
{
  g_autoptr (GPtrArray) damaged = g_ptr_array_new_with_free_func (damage_free);
  SluiceImportedRun counts = { .n_files = source->files->len, .damaged = damaged };
  ImportReading reading = { self, get_run (self, source, error), source, &counts };
  if (reading.run == NULL)
    return FALSE;
  self->progress.run = source->name; /* the run gets its own when it is written */
  if (!read_files (&reading, error))
    {
      g_hash_table_remove (self->runs, source->source); /* what it holds is not in the database */
      return FALSE;
    }
  counts.run = reading.run->info.name;
  counts.id = reading.run->info.id;
  counts.source = reading.run->source;
  counts.has_any = has_any (&reading);
  self->progress.n_runs_done++;
  return func (&counts, data, error);
}

/* ---- all of it ---- */

/* Paths that went away are skipped: whoever follows waits for them to come back. */
static GPtrArray *
find_all (SluiceImporter *self)
{
  GPtrArray *sources = g_ptr_array_new_with_free_func (sluice_import_source_free);
  g_ptr_array_set_size (self->folders, 0);
  for (guint i = 0; i < self->paths->len; i++)
    sluice_import_find (self->paths->pdata[i], sources, self->folders, NULL);
  return sources;
}

static gboolean
run (SluiceImporter *self, SluiceImportedFunc func, gpointer data, GError **error)
{
  g_autoptr (GPtrArray) sources = find_all (self);
  self->progress = (SluiceImportProgress){ .n_runs = sources->len };
  self->bytes_before = 0;
  for (guint i = 0; i < sources->len; i++)
    self->progress.bytes += count_bytes (sources->pdata[i]);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < sources->len; i++)
    ok = import_source (self, sources->pdata[i], func, data, error);
  self->progress.run = NULL;
  return ok;
}

gboolean
sluice_importer_run (SluiceImporter *self, SluiceImportedFunc func, gpointer data, GError **error)
{
  /* Two of one program that read the same files would refuse each other. */
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock (&one_at_a_time);
  gboolean ok = run (self, func, data, error);
  pthread_mutex_unlock (&one_at_a_time);
  return ok;
}
