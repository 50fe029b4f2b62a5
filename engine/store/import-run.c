/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is known of a run that is imported, and what of it waits to be written. */
#include "engine/store/import-private.h"

#include <string.h>

#include "engine/base/protobuf.h"
#include "engine/base/system-memory.h"
#include "engine/store/crc32c.h"
#include "engine/store/sql.h"

/* ---- parts ---- */

static void
file_free (gpointer data)
{
  ImportFile *file = data;
  g_free (file->name);
  g_free (file);
}

static void
series_free (gpointer data)
{
  ImportSeries *series = data;
  g_free (series->tag);
  g_free (series);
}

static void
tag_free (gpointer data)
{
  ImportTag *tag = data;
  g_free (tag->raw);
  g_free (tag->text);
  g_clear_pointer (&tag->metadata, g_bytes_unref);
  if (tag->unpacked != NULL)
    sluice__event__summary_metadata__free_unpacked (tag->unpacked, NULL);
  g_ptr_array_unref (tag->series);
  g_free (tag);
}

static guint
tag_hash (gconstpointer key)
{
  const ImportTag *tag = key;
  return sluice_crc32c (0, tag->raw, tag->length);
}

static gboolean
tag_equal (gconstpointer a, gconstpointer b)
{
  const ImportTag *first = a, *second = b;
  return first->length == second->length
         && (first->length == 0 || memcmp (first->raw, second->raw, first->length) == 0);
}

static void
record_clear (gpointer data)
{
  ImportRecord *record = data;
  g_clear_pointer (&record->record, sluice_record_free);
}

/* ---- the whole ---- */

static void
forget_parts (ImportRun *self)
{
  g_hash_table_remove_all (self->files);
  self->last_tag = NULL;
  g_hash_table_remove_all (self->tags);
  g_hash_table_remove_all (self->series);
  g_ptr_array_set_size (self->all_series, 0);
}

ImportRun *
sluice_import_run_new (SluiceStore *store, const char *source)
{
  ImportRun *self = g_new0 (ImportRun, 1);
  self->store = g_object_ref (store);
  self->source = g_strdup (source);
  self->last_step = -1;
  self->info.state = SLUICE_RUN_FINISHED;
  self->files = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, file_free);
  self->tags = g_hash_table_new_full (tag_hash, tag_equal, tag_free, NULL);
  self->series = g_hash_table_new (g_str_hash, g_str_equal);
  self->all_series = g_ptr_array_new_with_free_func (series_free);
  self->points = g_array_new (FALSE, FALSE, sizeof (ImportPoint));
  self->records = g_array_new (FALSE, FALSE, sizeof (ImportRecord));
  g_array_set_clear_func (self->records, record_clear);
  return self;
}

void
sluice_import_run_free (gpointer data)
{
  ImportRun *self = data;
  g_hash_table_unref (self->files);
  g_hash_table_unref (self->tags);
  g_hash_table_unref (self->series);
  g_ptr_array_unref (self->all_series);
  g_array_unref (self->points);
  g_array_unref (self->records);
  g_object_unref (self->store);
  g_free (self->source);
  g_free (self->info.name);
  g_free (self->info.project);
  g_free (self->info.notes);
  g_free (self->info.group);
  g_strfreev (self->info.tags);
  g_free (self);
}

ImportFile *
sluice_import_run_get_file (ImportRun *self, const char *name)
{
  ImportFile *file = g_hash_table_lookup (self->files, name);
  if (file == NULL)
    {
      file = g_new0 (ImportFile, 1);
      file->name = g_strdup (name);
      file->size = -1;
      g_hash_table_insert (self->files, file->name, file);
    }
  return file;
}

static ImportSeries *
add_series (ImportRun *self, const char *tag, const SluiceKind *kind)
{
  ImportSeries *series = g_new0 (ImportSeries, 1);
  series->tag = g_strdup (tag);
  series->kind = kind;
  series->index = self->all_series->len;
  series->greatest = G_MININT64;
  g_ptr_array_add (self->all_series, series);
  g_hash_table_insert (self->series, series->tag, series);
  return series;
}

/* TensorBoard keeps values of several kinds under one tag; the store has a series each, and what
 * came later has the kind in its name. */
ImportSeries *
sluice_import_run_get_series (ImportRun *self, const char *tag, const SluiceKind *kind)
{
  g_autofree char *name = g_strdup (tag);
  ImportSeries *series;
  while ((series = g_hash_table_lookup (self->series, name)) != NULL && series->kind != kind)
    {
      char *longer = g_strdup_printf ("%s (%s)", name, kind->name);
      g_free (name);
      name = longer;
    }
  return series != NULL ? series : add_series (self, name, kind);
}

static char *
dup_as_text (const guint8 *raw, gsize length)
{
  return length > 0 ? g_utf8_make_valid ((const char *) raw, (gssize) length) : g_strdup ("");
}

static ImportTag *
find_tag (ImportRun *self, const guint8 *raw, gsize length)
{
  const ImportTag key = { .raw = (guint8 *) raw, .length = length };
  ImportTag *tag = g_hash_table_lookup (self->tags, &key);
  if (tag != NULL)
    return tag;
  tag = g_new0 (ImportTag, 1);
  tag->raw = g_memdup2 (raw, length);
  tag->length = length;
  tag->text = dup_as_text (raw, length);
  tag->series = g_ptr_array_new ();
  ImportSeries *series = g_hash_table_lookup (self->series, tag->text);
  if (series != NULL)
    g_ptr_array_add (tag->series, series);
  g_hash_table_add (self->tags, tag);
  return tag;
}

/* At each step tags come in the same order: the next one is seldom looked for. */
ImportTag *
sluice_import_run_get_tag (ImportRun *self, const guint8 *raw, gsize length)
{
  ImportTag *last = self->last_tag, *next = last != NULL ? last->next : NULL;
  if (next == NULL || next->length != length
      || (length > 0 && memcmp (next->raw, raw, length) != 0))
    {
      next = find_tag (self, raw, length);
      if (last != NULL)
        last->next = next;
    }
  return self->last_tag = next;
}

gboolean
sluice_import_tag_set_metadata (ImportTag *self, const guint8 *bytes, gsize length, GError **error)
{
  Sluice__Event__SummaryMetadata *unpacked =
      sluice_protobuf_unpack (&sluice__event__summary_metadata__descriptor, bytes, length, error);
  if (unpacked == NULL)
    return FALSE;
  self->unpacked = unpacked;
  self->metadata = g_bytes_new (bytes, length);
  self->is_scalars =
      unpacked->plugin_data != NULL && strcmp (unpacked->plugin_data->plugin_name, "scalars") == 0;
  return TRUE;
}

/* ---- what waits ---- */

/* So many will be more, in all likelihood as many as ever wait: of new memory each page costs as
 * much as a hundred points. */
static void
make_room (ImportRun *self)
{
  const guint most = IMPORT_MOST_POINTS + IMPORT_MOST_POINTS / 16; /* an event may bring several */
  GArray *more = g_array_sized_new (FALSE, FALSE, sizeof (ImportPoint), most);
  sluice_system_memory_prefer_huge (more->data, most * sizeof (ImportPoint));
  g_array_append_vals (more, self->points->data, self->points->len);
  g_array_unref (self->points);
  self->points = more;
  self->has_room = TRUE;
}

void
sluice_import_run_add_point (
    ImportRun *self, ImportSeries *series, gint64 step, double wall, double value)
{
  const ImportPoint point = { series->index, FALSE, step, wall, value };
  if (self->points->len >= IMPORT_MANY_POINTS && !self->has_room)
    make_room (self);
  series->greatest = MAX (series->greatest, step);
  g_array_append_vals (self->points, &point, 1);
}

void
sluice_import_run_add_record (ImportRun *self, ImportSeries *series, SluiceRecord *take)
{
  ImportRecord record = { series, take, take->step };
  series->greatest = MAX (series->greatest, take->step);
  g_array_append_val (self->records, record);
  self->n_bytes += sluice_record_get_size (take);
}

void
sluice_import_run_cut_series (ImportRun *self, ImportSeries *series, gint64 step)
{
  if (series->greatest < step || series->kind->is_of_the_run)
    return;
  series->greatest = step > G_MININT64 ? step - 1 : G_MININT64;
  if (series->kind->number == SLUICE_SERIES_SCALAR)
    {
      const ImportPoint cut = { series->index, TRUE, step, 0, 0 };
      g_array_append_val (self->points, cut);
    }
  else
    {
      const ImportRecord cut = { series, NULL, step };
      g_array_append_val (self->records, cut);
    }
}

gboolean
sluice_import_run_is_full (const ImportRun *self)
{
  return self->points->len >= IMPORT_MOST_POINTS || self->n_bytes >= IMPORT_MOST_BYTES
         || self->records->len >= IMPORT_MOST_POINTS;
}

/* ---- out of the database ---- */

typedef void (*RowFunc) (ImportRun *self, sqlite3_stmt *row);

static gboolean
each_row (ImportRun *self, sqlite3 *db, const char *sql, gint64 id, RowFunc func, GError **error)
{
  sqlite3_stmt *row = sluice_sql_prepare (db, error, sql, "i", id);
  int rc;
  while ((rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    func (self, row);
  sqlite3_finalize (row);
  return rc == SQLITE_DONE;
}

static void
load_file (ImportRun *self, sqlite3_stmt *row)
{
  ImportFile *file = sluice_import_run_get_file (self, (const char *) sqlite3_column_text (row, 1));
  file->id = sqlite3_column_int64 (row, 0);
  file->size = sqlite3_column_int64 (row, 2);
  file->inode = sqlite3_column_int64 (row, 3);
  file->mtime = sqlite3_column_int64 (row, 4);
  file->offset = file->committed = (guint64) sqlite3_column_int64 (row, 5);
  file->mark = (guint32) sqlite3_column_int64 (row, 6);
}

static void
load_series (ImportRun *self, sqlite3_stmt *row)
{
  const SluiceKind *kind = sluice_kind_get (sqlite3_column_int (row, 2));
  const char *tag = (const char *) sqlite3_column_text (row, 1);
  if (kind != NULL && tag != NULL)
    {
      ImportSeries *series = add_series (self, tag, kind);
      series->id = sqlite3_column_int64 (row, 0);
      series->segment = sqlite3_column_int64 (row, 3) - 1;
      series->is_old = TRUE;
      series->greatest = G_MAXINT64; /* whatever it has */
    }
}

static void
load_tag (ImportRun *self, sqlite3_stmt *row)
{
  ImportTag *tag = sluice_import_run_get_tag (self, sqlite3_column_blob (row, 0),
                                              (gsize) sqlite3_column_bytes (row, 0));
  tag->is_written = sluice_import_tag_set_metadata (tag, sqlite3_column_blob (row, 1),
                                                    (gsize) sqlite3_column_bytes (row, 1), NULL);
}

static gboolean
load_import (ImportRun *self, sqlite3 *db, GError **error)
{
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error,
      "SELECT i.id, i.file_version, i.last_step, i.graph, r.id, r.name, r.step, r.created, "
      "r.ended, "
      "r.state "
      "FROM imports i JOIN runs r ON r.id = i.run WHERE i.source = ? AND r.deleted IS NULL",
      "s", self->source);
  int rc = sluice_sql_step (db, row, error);
  if (rc == SQLITE_ROW)
    {
      self->import = sqlite3_column_int64 (row, 0);
      self->file_version = sqlite3_column_int64 (row, 1);
      self->last_step = sqlite3_column_int64 (row, 2);
      self->graph = sqlite3_column_int64 (row, 3);
      self->info.id = sqlite3_column_int64 (row, 4);
      g_free (self->info.name);
      self->info.name = sluice_column_dup_text (row, 5);
      self->info.step = sqlite3_column_int64 (row, 6);
      self->info.created = sqlite3_column_double (row, 7);
      self->info.ended = sqlite3_column_double (row, 8);
      self->info.state = (SluiceRunState) sqlite3_column_int (row, 9);
    }
  sqlite3_finalize (row);
  return rc != SQLITE_ERROR;
}

gboolean
sluice_import_run_load (ImportRun *self, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self->store, error);
  if (db == NULL)
    return FALSE;
  forget_parts (self);
  gboolean ok =
      load_import (self, db, error)
      && each_row (self, db,
                   "SELECT id, name, size, inode, mtime, offset, mark FROM import_files WHERE "
                   "import = ?",
                   self->import, load_file, error)
      && each_row (self, db, "SELECT id, tag, kind, segments FROM series WHERE run = ?",
                   self->info.id, load_series, error)
      && each_row (self, db, "SELECT tag, metadata FROM import_tags WHERE import = ?", self->import,
                   load_tag, error);
  sluice_store_put_reader (self->store, db);
  return ok;
}
