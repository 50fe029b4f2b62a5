/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/chunks.h"
#include "engine/store/column.h"
#include "engine/store/sql.h"
#include "engine/store/store-private.h"

#include <string.h>

#include "engine/base/error.h"

void
sluice_checkpoint_info_free (SluiceCheckpointInfo *self)
{
  g_free (self->path);
  g_free (self);
}

/* Runs a query with a row function on a reader's connection. */
typedef gboolean (*RowFunc) (sqlite3_stmt *row, gpointer data, GError **error);

static gboolean
read_rows (SluiceStore *self,
           const char *sql,
           gint64 a,
           gint64 b,
           RowFunc func,
           gpointer data,
           GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return FALSE;
  sqlite3_stmt *row = sluice_sql_prepare (db, error, sql, "ii", a, b);
  gboolean ok = row != NULL;
  int rc = SQLITE_DONE;
  while (ok && (rc = sqlite3_step (row)) == SQLITE_ROW)
    ok = func (row, data, error);
  if (ok && rc != SQLITE_DONE)
    ok = sluice_sql_fail (db, "run store", error);
  sqlite3_finalize (row);
  sluice_store_put_reader (self, db);
  return ok;
}

/* ---- points ---- */

typedef struct
{
  guint end; /* of its points, as an index */
  gint64 segment;
} PointsPart;

typedef struct
{
  gint64 from_step;
  gsize start, max;
  gint64 greatest; /* step of all points so far */
  gboolean sorted;
  GArray *points;
  GArray *parts; /* of PointsPart: by chunk */
} PointsRequest;

static gboolean
append_points (sqlite3_stmt *row, PointsRequest *request, GError **error)
{
  g_autofree Chunk *chunk = g_new (Chunk, 1);
  if (!sluice_chunk_unpack (chunk, sqlite3_column_int (row, 0), sqlite3_column_blob (row, 1),
                            sqlite3_column_bytes (row, 1)))
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a chunk of points is damaged");
  for (guint i = 0; i < chunk->n; i++)
    {
      SluiceScalar point = { chunk->steps[i], chunk->walls[i], chunk->values[i] };
      if (point.step < request->from_step)
        continue;
      request->sorted &= point.step >= request->greatest;
      request->greatest = MAX (request->greatest, point.step);
      g_array_append_val (request->points, point);
    }
  const PointsPart part = { request->points->len, sqlite3_column_int64 (row, 3) };
  g_array_append_val (request->parts, part);
  return TRUE;
}

typedef struct
{
  SluiceScalar point;
  gint64 segment;
} PlacedPoint;

/* Of one step in the order of segments, which is that in which they came. */
static int
compare_places (gconstpointer a, gconstpointer b, gpointer unused)
{
  const PlacedPoint *first = a, *second = b;
  if (first->point.step != second->point.step)
    return first->point.step < second->point.step ? -1 : 1;
  return first->segment < second->segment ? -1 : first->segment > second->segment;
}

/* Chunks of several segments hold the same steps. */
static void
sort_points (const PointsRequest *request)
{
  SluiceScalar *points = (SluiceScalar *) request->points->data;
  guint n = request->points->len - (guint) request->start, at = (guint) request->start;
  g_autofree PlacedPoint *placed = g_new (PlacedPoint, n);
  for (guint k = 0; k < request->parts->len; k++)
    {
      const PointsPart *part = &g_array_index (request->parts, PointsPart, k);
      for (; at < part->end; at++)
        placed[at - request->start] = (PlacedPoint){ points[at], part->segment };
    }
  g_qsort_with_data (placed, (int) n, sizeof *placed, compare_places, NULL); /* stable */
  for (guint i = 0; i < n; i++)
    points[request->start + i] = placed[i].point;
}

static void
put_in_order (PointsRequest *request)
{
  if (!request->sorted)
    sort_points (request);
  const SluiceScalar *points = (SluiceScalar *) request->points->data + request->start;
  gsize n = request->points->len - request->start, kept = MIN (n, request->max);
  while (kept > 0 && kept < n && points[kept].step == points[kept - 1].step)
    kept++;
  g_array_set_size (request->points, (guint) (request->start + kept));
}

/* The statement gives n, data, first_step and segment, in order of first_step; it is finalised. */
static gboolean
read_points (sqlite3 *db, sqlite3_stmt *row, PointsRequest *request, GError **error)
{
  gboolean ok = row != NULL;
  int rc = SQLITE_DONE;
  request->parts = g_array_new (FALSE, FALSE, sizeof (PointsPart));
  while (ok && (rc = sqlite3_step (row)) == SQLITE_ROW
         && (request->points->len - request->start < request->max
             || sqlite3_column_int64 (row, 2) <= request->greatest))
    ok = append_points (row, request, error);
  if (ok && rc != SQLITE_DONE && rc != SQLITE_ROW)
    ok = sluice_sql_fail (db, "run store", error);
  sqlite3_finalize (row);
  if (ok)
    put_in_order (request);
  g_array_unref (request->parts);
  return ok;
}

static gboolean
count_segments (sqlite3 *db, gint64 series, gint64 *n, GError **error)
{
  static const char sql[] = "SELECT segments FROM series WHERE id = ?";
  return sluice_sql_take_number (db, sluice_sql_prepare (db, error, sql, "i", series), n, error);
}

static gboolean
read_from (sqlite3 *db, gint64 series, gint64 from_step, gsize max, GArray *points, GError **error)
{
  /* Those of one segment follow each other: before the last that begins earlier, none reaches so
   * far. */
  static const char sql[] =
      "SELECT n, data, first_step, segment FROM scalar_chunks WHERE series = ?1 AND first_step >= "
      "coalesce ((SELECT max (first_step) FROM scalar_chunks WHERE series = ?1 AND "
      "first_step < ?2), ?2) AND last_step >= ?2 ORDER BY first_step, segment";
  static const char segments_sql[] =
      "SELECT n, data, first_step, segment FROM scalar_chunks WHERE series = ? AND "
      "last_step >= ? ORDER BY first_step, segment";
  PointsRequest request = { from_step, points->len, max, G_MININT64, TRUE, points, NULL };
  gint64 n_segments;
  return count_segments (db, series, &n_segments, error)
         && read_points (db,
                         sluice_sql_prepare (db, error, n_segments > 1 ? segments_sql : sql, "ii",
                                             series, from_step),
                         &request, error);
}

gboolean
sluice_store_read_points (
    SluiceStore *self, gint64 series, gint64 from_step, gsize max, GArray *points, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return FALSE;
  gboolean ok = read_from (db, series, from_step, max, points, error);
  sluice_store_put_reader (self, db);
  return ok;
}

static gboolean
read_chunk (sqlite3 *db, gint64 series, gint64 step, GArray *points, GError **error)
{
  /* The chunk that begins last before the step; the next one where it ends before. */
  static const char sql[] =
      "SELECT n, data, first_step, segment FROM scalar_chunks WHERE series = ?1 AND first_step >= "
      "coalesce "
      "((SELECT max (first_step) FROM scalar_chunks WHERE series = ?1 AND first_step <= ?2), ?2) "
      "AND last_step >= ?2 ORDER BY first_step LIMIT 1";
  PointsRequest request = { G_MININT64, points->len, G_MAXSIZE, G_MININT64, TRUE, points, NULL };
  gint64 n_segments;
  if (!count_segments (db, series, &n_segments, error))
    return FALSE;
  if (n_segments > 1)
    return read_from (db, series, step, CHUNK_POINTS, points, error);
  return read_points (db, sluice_sql_prepare (db, error, sql, "ii", series, step), &request, error);
}

gboolean
sluice_store_read_chunk (
    SluiceStore *self, gint64 series, gint64 step, GArray *points, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return FALSE;
  gboolean ok = read_chunk (db, series, step, points, error);
  sluice_store_put_reader (self, db);
  return ok;
}

/* ---- checkpoints and graphs ---- */

typedef struct
{
  const char *folder;
  GPtrArray *items;
} CheckpointsRequest;

static gboolean
add_checkpoint_info (sqlite3_stmt *row, gpointer data, GError **error)
{
  CheckpointsRequest *request = data;
  SluiceCheckpointInfo *info = g_new0 (SluiceCheckpointInfo, 1);
  info->step = sqlite3_column_int64 (row, 0);
  info->wall = sqlite3_column_double (row, 1);
  info->path =
      g_build_filename (request->folder, (const char *) sqlite3_column_text (row, 2), NULL);
  info->bytes = sqlite3_column_int64 (row, 3);
  info->is_pinned = sqlite3_column_int (row, 4);
  g_ptr_array_add (request->items, info);
  return TRUE;
}

GPtrArray *
sluice_store_read_checkpoints (SluiceStore *self, gint64 run, GError **error)
{
  g_autofree char *folder = sluice_store_dup_run_folder (self, run);
  g_autoptr (GPtrArray) items =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_checkpoint_info_free);
  CheckpointsRequest request = { folder, items };
  if (!read_rows (
          self,
          "SELECT step, wall, path, bytes, EXISTS (SELECT 1 FROM events e WHERE e.run = c.run AND "
          "e.step = c.step AND e.kind = 'pin') FROM checkpoints c WHERE run = ? AND id > ? ORDER "
          "BY "
          "step",
          run, 0, add_checkpoint_info, &request, error))
    return NULL;
  return g_steal_pointer (&items);
}

GBytes *
sluice_store_get_graph (SluiceStore *self, const char *hash, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return NULL;
  static const char sql[] =
      "SELECT b.data FROM graphs g JOIN blobs b ON b.hash = g.blob WHERE g.hash = ?";
  sqlite3_stmt *row = sluice_sql_prepare (db, error, sql, "s", hash);
  int rc = sluice_sql_step (db, row, error);
  GBytes *graph = rc == SQLITE_ROW ? sluice_column_dup_bytes (row, 0) : NULL;
  sqlite3_finalize (row);
  sluice_store_put_reader (self, db);
  if (rc == SQLITE_DONE)
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "the workspace has no graph %s", hash);
  return graph;
}
