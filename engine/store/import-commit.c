/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What waits of a run that is imported, in one transaction with how far its files were read. */
#include "engine/base/error.h"
#include "engine/store/import-points.h"
#include "engine/store/sql.h"

/* ---- the run ---- */

static gboolean
fail_raced (const ImportRun *self, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_ABORTED,
                      "another program imports '%s' at the same time; import again when it is done",
                      self->source);
}

static gboolean
insert_run (ImportRun *self, sqlite3 *db, GError **error)
{
  gint64 n_there;
  if (!sluice_sql_take_number (
          db,
          sluice_sql_prepare (db, error,
                              "SELECT count (*) FROM imports i JOIN runs r ON r.id = i.run WHERE "
                              "i.source = ? AND r.deleted IS NULL",
                              "s", self->source),
          &n_there, error))
    return FALSE;
  if (n_there > 0)
    return fail_raced (self, error);
  self->info.id = 0;
  if (!sluice_store_insert_run (self->store, db, &self->info, error)
      || !sluice_sql_change (db, error,
                             "INSERT INTO imports (run, source, file_version, last_step, graph) "
                             "VALUES (?, ?, 0, 0, 0)",
                             "is", self->info.id, self->source))
    return FALSE;
  self->import = sqlite3_last_insert_rowid (db);
  return TRUE;
}

static gboolean
update_run (const ImportRun *self, sqlite3 *db, GError **error)
{
  const SluiceRunInfo *info = &self->info;
  return sluice_sql_change (db, error,
                            "UPDATE runs SET state = ?, step = ?, created = ?, started = ?, "
                            "ended = ?, seconds = ? WHERE id = ?",
                            "iiddddi", (gint64) info->state, info->step, info->created,
                            info->created, info->ended, MAX (info->ended - info->created, 0),
                            info->id)
         && sluice_sql_change (
             db, error,
             "UPDATE imports SET file_version = ?, last_step = ?, graph = ? WHERE id = ?", "iiii",
             self->file_version, self->last_step, self->graph, self->import);
}

/* The offset must be the one that reading began at: nobody else has read on. */
static gboolean
write_file (const ImportRun *self, sqlite3 *db, ImportFile *file, GError **error)
{
  gboolean is_new = file->id == 0;
  static const char insert[] =
      "INSERT OR IGNORE INTO import_files (import, name, size, inode, mtime, offset, mark) VALUES "
      "(?, ?, ?, ?, ?, ?, ?)";
  static const char update[] = "UPDATE import_files SET import = ?, name = ?, size = ?, inode = ?, "
                               "mtime = ?, offset = ?, mark = ? WHERE id = ? AND offset = ?";
  if (!sluice_sql_change (db, error, is_new ? insert : update, is_new ? "isiiiii" : "isiiiiiii",
                          self->import, file->name, file->size, file->inode, file->mtime,
                          (gint64) file->offset, (gint64) file->mark, file->id,
                          (gint64) file->committed))
    return FALSE;
  if (sqlite3_changes (db) != 1)
    return fail_raced (self, error);
  if (is_new)
    file->id = sqlite3_last_insert_rowid (db);
  return TRUE;
}

static gboolean
write_files (const ImportRun *self, sqlite3 *db, GError **error)
{
  GHashTableIter iter;
  gpointer file;
  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    if (((ImportFile *) file)->is_changed && !write_file (self, db, file, error))
      return FALSE;
  return TRUE;
}

/* ---- series and tags ---- */

static gboolean
insert_series (const ImportRun *self, sqlite3 *db, ImportSeries *series, GError **error)
{
  if (!sluice_sql_change (db, error, "INSERT INTO series (run, tag, kind) VALUES (?, ?, ?)", "isi",
                          self->info.id, series->tag, (gint64) series->kind->number))
    return FALSE;
  series->id = sqlite3_last_insert_rowid (db);
  return TRUE;
}

static gboolean
write_series (const ImportRun *self, sqlite3 *db, GError **error)
{
  for (guint i = 0; i < self->all_series->len; i++)
    {
      ImportSeries *series = self->all_series->pdata[i];
      if (series->id == 0 && series->kind->number != SLUICE_SERIES_EVENT
          && !insert_series (self, db, series, error))
        return FALSE;
    }
  return TRUE;
}

/* What a series came with goes with it when it is exported. */
static gboolean
write_tag (const ImportRun *self, sqlite3 *db, ImportTag *tag, GError **error)
{
  g_autoptr (GBytes) raw = g_bytes_new (tag->raw, tag->length);
  if (!sluice_sql_change (db, error,
                          "INSERT OR IGNORE INTO import_tags (import, tag, metadata) VALUES (?, ?, "
                          "?)",
                          "ibb", self->import, raw, tag->metadata))
    return FALSE;
  for (guint i = 0; i < tag->series->len; i++)
    if (!sluice_sql_change (db, error,
                            "UPDATE series SET metadata = ? WHERE id = ? AND metadata IS NULL",
                            "bi", tag->metadata, ((ImportSeries *) tag->series->pdata[i])->id))
      return FALSE;
  tag->is_written = TRUE;
  return TRUE;
}

static gboolean
write_tags (const ImportRun *self, sqlite3 *db, GError **error)
{
  GHashTableIter iter;
  gpointer tag;
  g_hash_table_iter_init (&iter, self->tags);
  while (g_hash_table_iter_next (&iter, &tag, NULL))
    if (((ImportTag *) tag)->metadata != NULL && !((ImportTag *) tag)->is_written
        && !write_tag (self, db, tag, error))
      return FALSE;
  return TRUE;
}

/* ---- points ---- */

/* By series, those of one in the order in which they came: begins[i] of each, one more at the end.
 * (transfer full) */
static guint32 *
sort_points (const ImportRun *self, gsize *begins)
{
  const ImportPoint *points = (const ImportPoint *) self->points->data;
  guint32 *order = g_new (guint32, self->points->len);
  g_autofree gsize *next = g_new (gsize, self->all_series->len + 1);
  for (guint i = 0; i < self->points->len; i++)
    begins[points[i].series + 1]++;
  for (guint i = 0; i < self->all_series->len; i++)
    begins[i + 1] += begins[i];
  memcpy (next, begins, (self->all_series->len + 1) * sizeof *next);
  for (guint i = 0; i < self->points->len; i++)
    order[next[points[i].series]++] = i;
  return order;
}

static gboolean
write_points (const ImportRun *self, sqlite3 *db, GError **error)
{
  if (self->points->len == 0)
    return TRUE;
  g_autofree gsize *begins = g_new0 (gsize, self->all_series->len + 1);
  g_autofree guint32 *order = sort_points (self, begins);
  g_autofree Chunk *chunk = g_new (Chunk, 1);
  PointsWriter writer = { db, chunk, 0, FALSE };
  for (guint i = 0; i < self->all_series->len; i++)
    if (begins[i + 1] > begins[i]
        && !sluice_points_writer_put (&writer, self->all_series->pdata[i],
                                      (const ImportPoint *) self->points->data, order + begins[i],
                                      begins[i + 1] - begins[i], error))
      return FALSE;
  return TRUE;
}

/* ---- records ---- */

static gboolean
know_last (sqlite3 *db, ImportSeries *series, GError **error)
{
  if (series->knows_last)
    return TRUE;
  g_autofree char *sql = g_strdup_printf ("SELECT step FROM %s WHERE series = ? AND segment = ? "
                                          "ORDER BY step DESC LIMIT 1",
                                          series->kind->table);
  sqlite3_stmt *row = sluice_sql_prepare (db, error, sql, "ii", series->id, series->segment);
  int rc = sluice_sql_step (db, row, error);
  series->has_last = rc == SQLITE_ROW;
  series->last_step = series->has_last ? sqlite3_column_int64 (row, 0) : 0;
  series->knows_last = rc != SQLITE_ERROR;
  sqlite3_finalize (row);
  return series->knows_last;
}

/* A step that is there, or lies before the last one, begins a segment. */
static gboolean
place_record (sqlite3 *db, const ImportRecord *record, GError **error)
{
  ImportSeries *series = record->series;
  if (!know_last (db, series, error))
    return FALSE;
  gboolean goes_on = !series->has_last || record->step > series->last_step;
  series->segment += !goes_on;
  series->has_last = TRUE;
  series->last_step = record->step;
  record->record->segment = series->segment;
  return goes_on
         || sluice_sql_change (db, error, "UPDATE series SET segments = ? WHERE id = ?", "ii",
                               series->segment + 1, series->id);
}

static gboolean
cut_records (sqlite3 *db, const ImportRecord *record, GError **error)
{
  ImportSeries *series = record->series;
  g_autofree char *sql =
      g_strdup_printf ("DELETE FROM %s WHERE series = ? AND step >= ?", series->kind->table);
  series->knows_last = FALSE;
  return sluice_sql_change (db, error, sql, "ii", series->id, record->step);
}

static gboolean
write_record (const ImportRun *self, sqlite3 *db, const ImportRecord *record, GError **error)
{
  const SluiceKind *kind = record->series->kind;
  if (record->record == NULL)
    return cut_records (db, record, error);
  if (kind->is_of_the_run)
    return kind->write (db,
                        kind->number == SLUICE_SERIES_EVENT ? self->info.id : record->series->id,
                        record->record, error);
  return place_record (db, record, error)
         && kind->write (db, record->series->id, record->record, error);
}

static gboolean
write_records (const ImportRun *self, sqlite3 *db, GError **error)
{
  gboolean orphans = FALSE;
  for (guint i = 0; i < self->records->len; i++)
    {
      const ImportRecord *record = &g_array_index (self->records, ImportRecord, i);
      if (!write_record (self, db, record, error))
        return FALSE;
      orphans |=
          record->record == NULL && record->series->kind->has_blobs && sqlite3_changes (db) > 0;
    }
  return !orphans || sluice_blobs_drop_orphans (db, error);
}

/* ---- all of it ---- */

static gboolean
write_all (sqlite3 *db, gpointer data, GError **error)
{
  ImportRun *self = data;
  if ((self->import == 0 && !insert_run (self, db, error)) || !write_series (self, db, error)
      || !write_tags (self, db, error) || !write_points (self, db, error)
      || !write_records (self, db, error))
    return FALSE;
  return write_files (self, db, error) && update_run (self, db, error)
         && sluice_store_note_change (db, self->info.id, error);
}

gboolean
sluice_import_run_commit (ImportRun *self, GError **error)
{
  if (!sluice_store_writer_run (sluice_store_get_writer (self->store), write_all, self, error))
    return FALSE;
  g_array_set_size (self->points, 0);
  g_array_set_size (self->records, 0);
  self->n_bytes = 0;
  GHashTableIter iter;
  gpointer file;
  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    {
      ((ImportFile *) file)->is_changed = FALSE;
      ((ImportFile *) file)->committed = ((ImportFile *) file)->offset;
    }
  return TRUE;
}

/* ---- forgetting ---- */

static gboolean
forget_files (sqlite3 *db, gint64 run, GError **error)
{
  static const char *const tables[] = { "import_files", "import_tags" };
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *sql = g_strdup_printf (
          "DELETE FROM %s WHERE import IN (SELECT id FROM imports WHERE run = ?)", tables[i]);
      if (!sluice_sql_change (db, error, sql, "i", run))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_import_forget (sqlite3 *db, gint64 run, GError **error)
{
  return forget_files (db, run, error)
         && sluice_sql_change (db, error, "DELETE FROM imports WHERE run = ?", "i", run);
}

static gboolean
reset (sqlite3 *db, gpointer data, GError **error)
{
  const ImportRun *self = data;
  return sluice_store_cut_run (db, self->info.id, G_MININT64, error)
         && forget_files (db, self->info.id, error)
         && sluice_sql_change (db, error, "DELETE FROM series WHERE run = ?", "i", self->info.id)
         && sluice_sql_change (db, error, "UPDATE runs SET step = 0, created = 0 WHERE id = ?", "i",
                               self->info.id)
         && sluice_sql_change (
             db, error,
             "UPDATE imports SET file_version = 0, last_step = -1, graph = 0 WHERE id = ?", "i",
             self->import);
}

gboolean
sluice_import_run_reset (ImportRun *self, GError **error)
{
  if (!sluice_store_writer_run (sluice_store_get_writer (self->store), reset, self, error)
      || !sluice_import_run_load (self, error))
    return FALSE;
  self->info.state = SLUICE_RUN_FINISHED;
  return TRUE;
}
