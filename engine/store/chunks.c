/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/chunks.h"
#include "engine/store/sql.h"
#include "engine/store/store-private.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"

/*
 * Chunks of points. A row holds its points as three arrays of 8-byte values behind each other, and
 * beside them their sums: what a list or a query asks of a series without reading its points.
 */

SeriesWriter *
sluice_series_writer_new (gint64 id)
{
  SeriesWriter *self = g_new0 (SeriesWriter, 1);
  self->id = id;
  self->chunks = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
sluice_series_writer_free (gpointer data)
{
  SeriesWriter *self = data;
  g_ptr_array_unref (self->chunks);
  g_free (self);
}

void
sluice_series_writer_forget (SeriesWriter *self)
{
  g_ptr_array_set_size (self->chunks, 0);
  self->has_last = FALSE;
}

gboolean
sluice_chunk_unpack (Chunk *chunk, guint n, const void *blob, int bytes)
{
  gsize column = n * sizeof (gint64);
  if (n == 0 || n > CHUNK_MAX || bytes != (int) (3 * column))
    return FALSE;
  chunk->n = n;
  memcpy (chunk->steps, blob, column);
  memcpy (chunk->walls, (const char *) blob + column, column);
  memcpy (chunk->values, (const char *) blob + 2 * column, column);
  return TRUE;
}

/* Reads the one row of a query of (id, n, data). Sets *chunk to NULL where there is none. */
static gboolean
load_chunk (sqlite3_stmt *statement, Chunk **chunk)
{
  *chunk = NULL;
  if (statement == NULL)
    return FALSE;
  int rc = sqlite3_step (statement);
  if (rc == SQLITE_ROW)
    {
      *chunk = g_new0 (Chunk, 1);
      (*chunk)->id = sqlite3_column_int64 (statement, 0);
      if (!sluice_chunk_unpack (*chunk, sqlite3_column_int (statement, 1),
                                sqlite3_column_blob (statement, 2),
                                sqlite3_column_bytes (statement, 2)))
        {
          g_clear_pointer (chunk, g_free);
          rc = SQLITE_CORRUPT;
        }
    }
  sqlite3_finalize (statement);
  return rc == SQLITE_ROW || rc == SQLITE_DONE;
}

static Chunk *
last_chunk (SeriesWriter *self)
{
  return self->chunks->pdata[self->chunks->len - 1];
}

static gboolean
load_last (SeriesWriter *self, sqlite3 *db)
{
  Chunk *chunk;
  static const char *const sql =
      "SELECT id, n, data FROM scalar_chunks WHERE series = ? ORDER BY first_step DESC LIMIT 1";
  if (!load_chunk (sluice_sql_prepare (db, NULL, sql, "i", self->id), &chunk))
    return FALSE;
  g_ptr_array_add (self->chunks, chunk != NULL ? chunk : g_new0 (Chunk, 1));
  self->has_last = TRUE;
  return TRUE;
}

/* The chunk into which a step before the last chunk falls: in memory, or loaded and put in its
 * place. */
static Chunk *
find_earlier (SeriesWriter *self, sqlite3 *db, gint64 step)
{
  guint at = self->chunks->len;
  while (at > 0 && ((Chunk *) self->chunks->pdata[at - 1])->steps[0] > step)
    at--;
  /* Chunks that are not in memory may lie between those that are; before all of them, the first one
   * takes the step. */
  static const char *const between = "SELECT id, n, data FROM scalar_chunks WHERE series = ? AND "
                                     "first_step <= ? AND first_step > ? "
                                     "ORDER BY first_step DESC LIMIT 1";
  static const char *const first = "SELECT id, n, data FROM scalar_chunks WHERE series = ? AND "
                                   "first_step < ? AND first_step > ? "
                                   "ORDER BY first_step LIMIT 1";
  gint64 from = at > 0 ? ((Chunk *) self->chunks->pdata[at - 1])->steps[0] : G_MININT64;
  Chunk *chunk;
  if (!load_chunk (sluice_sql_prepare (db, NULL, between, "iii", self->id, step, from), &chunk))
    return NULL;
  if (chunk == NULL && at > 0)
    return self->chunks->pdata[at - 1];
  if (chunk == NULL)
    {
      gint64 known = ((Chunk *) self->chunks->pdata[0])->steps[0];
      if (!load_chunk (sluice_sql_prepare (db, NULL, first, "iii", self->id, known, G_MININT64),
                       &chunk))
        return NULL;
      if (chunk == NULL)
        return self->chunks->pdata[0];
    }
  g_ptr_array_insert (self->chunks, at, chunk);
  return chunk;
}

guint
sluice_chunk_find (const Chunk *chunk, gint64 step)
{
  guint low = 0, high = chunk->n;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (chunk->steps[middle] < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
chunk_put (Chunk *chunk, const SluiceScalar *point)
{
  guint at = sluice_chunk_find (chunk, point->step);
  if (at == chunk->n || chunk->steps[at] != point->step)
    {
      gsize after = (chunk->n - at) * sizeof (gint64);
      memmove (chunk->steps + at + 1, chunk->steps + at, after);
      memmove (chunk->walls + at + 1, chunk->walls + at, after);
      memmove (chunk->values + at + 1, chunk->values + at, after);
      chunk->n++;
    }
  chunk->steps[at] = point->step;
  chunk->walls[at] = point->wall;
  chunk->values[at] = point->value;
  chunk->dirty = TRUE;
}

/* Moves the upper half of a full chunk into a new one behind it. */
static void
split (SeriesWriter *self, Chunk *chunk)
{
  guint at;
  gboolean found = g_ptr_array_find (self->chunks, chunk, &at);
  g_assert (found);
  Chunk *upper = g_new0 (Chunk, 1);
  upper->n = chunk->n - CHUNK_POINTS;
  chunk->n = CHUNK_POINTS;
  memcpy (upper->steps, chunk->steps + CHUNK_POINTS, upper->n * sizeof (gint64));
  memcpy (upper->walls, chunk->walls + CHUNK_POINTS, upper->n * sizeof (double));
  memcpy (upper->values, chunk->values + CHUNK_POINTS, upper->n * sizeof (double));
  upper->dirty = chunk->dirty = TRUE;
  g_ptr_array_insert (self->chunks, at + 1, upper);
}

/* What stands beside the points of a chunk. */
typedef struct
{
  double min, max, sum;
  guint at_min, at_max; /* the first that have them; 0 where no value is finite */
  gint64 n_nonfinite;
} ChunkSums;

static ChunkSums
sum_up (const Chunk *chunk)
{
  ChunkSums sums = { .min = INFINITY, .max = -INFINITY };
  for (guint i = 0; i < chunk->n; i++)
    {
      double value = chunk->values[i];
      if (!isfinite (value))
        {
          sums.n_nonfinite++;
          continue;
        }
      if (value < sums.min)
        {
          sums.min = value;
          sums.at_min = i;
        }
      if (value > sums.max)
        {
          sums.max = value;
          sums.at_max = i;
        }
      sums.sum += value;
    }
  return sums;
}

gboolean
sluice_chunk_write (Chunk *chunk, gint64 series, sqlite3 *db)
{
  static const char *const insert =
      "INSERT INTO scalar_chunks (series, n, first_step, last_step, min, max, min_step, max_step, "
      "sum, n_nonfinite, first_value, last_value, last_wall, data, segment) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  static const char *const replace =
      "UPDATE scalar_chunks SET series = ?, n = ?, first_step = ?, last_step = ?, min = ?, max = "
      "?, min_step = ?, max_step = ?, sum = ?, n_nonfinite = ?, first_value = ?, last_value = ?, "
      "last_wall = ?, data = ? WHERE id = ?";
  ChunkSums sums = sum_up (chunk);
  gsize column = chunk->n * sizeof (gint64);
  g_autofree char *packed = g_malloc (3 * column);
  memcpy (packed, chunk->steps, column);
  memcpy (packed + column, chunk->walls, column);
  memcpy (packed + 2 * column, chunk->values, column);
  g_autoptr (GBytes) data = g_bytes_new_static (packed, 3 * column);
  guint last = chunk->n - 1;
  gboolean is_new = chunk->id == 0;
  return sluice_sql_change (db, NULL, is_new ? insert : replace, "iiiiddiididddbi", series,
                            (gint64) chunk->n, chunk->steps[0], chunk->steps[last], sums.min,
                            sums.max, chunk->steps[sums.at_min], chunk->steps[sums.at_max],
                            sums.sum, sums.n_nonfinite, chunk->values[0], chunk->values[last],
                            chunk->walls[last], data, is_new ? chunk->segment : (gint64) chunk->id);
}

gboolean
sluice_series_writer_put (SeriesWriter *self, sqlite3 *db, const SluiceScalar *point)
{
  if (!self->has_last && !load_last (self, db))
    return FALSE;
  Chunk *chunk = last_chunk (self);
  if (chunk->n > 0 && point->step < chunk->steps[0])
    {
      chunk = find_earlier (self, db, point->step);
      if (chunk == NULL)
        return FALSE;
    }
  else if (chunk->n >= CHUNK_POINTS && point->step > chunk->steps[chunk->n - 1])
    {
      chunk = g_new0 (Chunk, 1);
      g_ptr_array_add (self->chunks, chunk);
    }
  gboolean moves_first = chunk->n > 0 && point->step < chunk->steps[0];
  chunk_put (chunk, point);
  /* find_earlier() trusts the first steps that are in the database. */
  if (moves_first && chunk->id != 0 && !sluice_chunk_write (chunk, self->id, db))
    return FALSE;
  if (chunk->n == CHUNK_MAX)
    split (self, chunk);
  return TRUE;
}

gboolean
sluice_series_writer_write (SeriesWriter *self, sqlite3 *db)
{
  for (guint i = 0; i < self->chunks->len; i++)
    {
      Chunk *chunk = self->chunks->pdata[i];
      if (!chunk->dirty)
        continue;
      if (!sluice_chunk_write (chunk, self->id, db))
        return FALSE;
      if (chunk->id == 0)
        chunk->id = sqlite3_last_insert_rowid (db);
    }
  return TRUE;
}

void
sluice_series_writer_settle (SeriesWriter *self)
{
  for (guint i = 0; i < self->chunks->len; i++)
    ((Chunk *) self->chunks->pdata[i])->dirty = FALSE;
  if (self->chunks->len > 1)
    g_ptr_array_remove_range (self->chunks, 0, self->chunks->len - 1);
}

gboolean
sluice_series_cut_chunk (sqlite3 *db, sqlite3_stmt *row, gint64 after_step, GError **error)
{
  g_autofree Chunk *chunk = g_new0 (Chunk, 1);
  chunk->id = sqlite3_column_int64 (row, 0);
  if (!sluice_chunk_unpack (chunk, sqlite3_column_int (row, 2), sqlite3_column_blob (row, 3),
                            sqlite3_column_bytes (row, 3)))
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a chunk of points is damaged");
  chunk->n = sluice_chunk_find (chunk, after_step + 1);
  return sluice_chunk_write (chunk, sqlite3_column_int64 (row, 1), db)
         || sluice_sql_fail (db, "points could not be cut", error);
}
