/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Points of an imported series, behind those that are there: in the order in which they came, not
 * of their steps. */
#include "engine/store/import-points.h"

#include "engine/base/error.h"
#include "engine/store/kind-private.h"
#include "engine/store/sql.h"

static gboolean
fail (const PointsWriter *self, GError **error)
{
  return sluice_sql_fail (self->db, "points could not be written", error);
}

/* The last chunk of the newest segment, where there is one. */
static gboolean
load_last (PointsWriter *self, ImportSeries *series, GError **error)
{
  Chunk *chunk = self->chunk;
  chunk->id = 0;
  chunk->n = 0;
  chunk->dirty = FALSE;
  chunk->segment = series->segment;
  self->others_known = !series->is_old;
  self->greatest_other = G_MININT64;
  if (!series->is_old)
    return TRUE;
  sqlite3_stmt *row = sluice_sql_prepare (self->db, error,
                                          "SELECT id, n, data FROM scalar_chunks WHERE series = ? "
                                          "AND segment = ? ORDER BY first_step DESC LIMIT 1",
                                          "ii", series->id, series->segment);
  int rc = sluice_sql_step (self->db, row, error);
  gboolean ok = rc != SQLITE_ERROR;
  if (rc == SQLITE_ROW)
    {
      chunk->id = sqlite3_column_int64 (row, 0);
      ok = sluice_chunk_unpack (chunk, (guint) sqlite3_column_int (row, 1),
                                sqlite3_column_blob (row, 2), sqlite3_column_bytes (row, 2))
           || sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a chunk of points is damaged");
    }
  sqlite3_finalize (row);
  return ok;
}

static gboolean
write_chunk (PointsWriter *self, const ImportSeries *series, GError **error)
{
  Chunk *chunk = self->chunk;
  gboolean ok = TRUE;
  if (chunk->dirty && chunk->n > 0)
    ok = sluice_chunk_write (chunk, series->id, self->db) || fail (self, error);
  else if (chunk->dirty && chunk->id != 0)
    ok = sluice_sql_change (self->db, error, "DELETE FROM scalar_chunks WHERE id = ?", "i",
                            (gint64) chunk->id);
  if (ok && chunk->n > 0)
    self->greatest_other = MAX (self->greatest_other, chunk->steps[chunk->n - 1]);
  return ok;
}

static gboolean
begin_chunk (PointsWriter *self, ImportSeries *series, gboolean begins_segment, GError **error)
{
  if (!write_chunk (self, series, error))
    return FALSE;
  series->segment += begins_segment;
  series->is_old = TRUE;
  self->chunk->segment = series->segment;
  self->chunk->id = 0;
  self->chunk->n = 0;
  return TRUE;
}

/* ---- what is taken back ---- */

static gboolean
know_others (PointsWriter *self, const ImportSeries *series, GError **error)
{
  sqlite3_stmt *row =
      self->others_known
          ? NULL
          : sluice_sql_prepare (self->db, error,
                                "SELECT max (last_step) FROM scalar_chunks WHERE series = ? AND "
                                "id != ? HAVING count (*) > 0",
                                "ii", series->id, (gint64) self->chunk->id);
  if (self->others_known)
    return TRUE;
  int rc = sluice_sql_step (self->db, row, error);
  if (rc == SQLITE_ROW)
    self->greatest_other = MAX (self->greatest_other, sqlite3_column_int64 (row, 0));
  sqlite3_finalize (row);
  self->others_known = rc != SQLITE_ERROR;
  return self->others_known;
}

static gboolean
cut_rows (PointsWriter *self, const ImportSeries *series, gint64 from, GError **error)
{
  if (!sluice_sql_change (self->db, error,
                          "DELETE FROM scalar_chunks WHERE series = ? AND first_step >= ?", "ii",
                          series->id, from))
    return FALSE;
  sqlite3_stmt *row = sluice_sql_prepare (
      self->db, error,
      "SELECT id, series, n, data FROM scalar_chunks WHERE series = ? AND last_step >= ?", "ii",
      series->id, from);
  gboolean ok = TRUE;
  int rc = SQLITE_ERROR;
  while (ok && (rc = sluice_sql_step (self->db, row, error)) == SQLITE_ROW)
    ok = sluice_series_cut_chunk (self->db, row, from - 1, error);
  sqlite3_finalize (row);
  return ok && rc == SQLITE_DONE;
}

static gboolean
cut (PointsWriter *self, ImportSeries *series, gint64 from, GError **error)
{
  Chunk *chunk = self->chunk;
  if (!know_others (self, series, error))
    return FALSE;
  if (self->greatest_other >= from)
    return write_chunk (self, series, error) && cut_rows (self, series, from, error)
           && load_last (self, series, error);
  guint n = sluice_chunk_find (chunk, from);
  chunk->dirty |= n < chunk->n;
  chunk->n = n;
  return TRUE;
}

/* ---- all of it ---- */

static gboolean
put (PointsWriter *self, ImportSeries *series, const ImportPoint *point, GError **error)
{
  Chunk *chunk = self->chunk;
  gboolean goes_back = chunk->n > 0 && point->step < chunk->steps[chunk->n - 1];
  /* Chunks of one segment are told apart by their first steps. */
  gboolean is_full = chunk->n >= CHUNK_POINTS;
  gboolean begins_segment = goes_back || (is_full && point->step == chunk->steps[0]);
  if ((goes_back || is_full) && !begin_chunk (self, series, begins_segment, error))
    return FALSE;
  chunk->steps[chunk->n] = point->step;
  chunk->walls[chunk->n] = point->wall;
  chunk->values[chunk->n] = point->value;
  chunk->n++;
  chunk->dirty = TRUE;
  return TRUE;
}

gboolean
sluice_points_writer_put (PointsWriter *self,
                          ImportSeries *series,
                          const ImportPoint *points,
                          const guint32 *order,
                          gsize n,
                          GError **error)
{
  gint64 segment = series->segment;
  gboolean ok = load_last (self, series, error);
  for (gsize i = 0; ok && i < n; i++)
    {
      const ImportPoint *point = &points[order[i]];
      ok =
          point->is_cut ? cut (self, series, point->step, error) : put (self, series, point, error);
    }
  ok = ok && write_chunk (self, series, error);
  series->is_old = TRUE;
  return ok
         && (series->segment == segment
             || sluice_sql_change (self->db, error, "UPDATE series SET segments = ? WHERE id = ?",
                                   "ii", series->segment + 1, series->id));
}
