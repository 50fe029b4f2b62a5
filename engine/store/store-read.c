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
  gint64 from_step, to_step; /* [from, to) */
  gsize max;
  GArray *points;
} PointsRequest;

static gboolean
append_points (sqlite3_stmt *row, gpointer data, GError **error)
{
  PointsRequest *request = data;
  g_autofree Chunk *chunk = g_new (Chunk, 1);
  if (!sluice_chunk_unpack (chunk, sqlite3_column_int (row, 0), sqlite3_column_blob (row, 1),
                            sqlite3_column_bytes (row, 1)))
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a chunk of points is damaged");
  for (guint i = 0; i < chunk->n && request->points->len < request->max; i++)
    if (chunk->steps[i] >= request->from_step && chunk->steps[i] < request->to_step)
      {
        SluiceScalar point = { chunk->steps[i], chunk->walls[i], chunk->values[i] };
        g_array_append_val (request->points, point);
      }
  return TRUE;
}

gboolean
sluice_store_read_points (
    SluiceStore *self, gint64 series, gint64 from_step, gsize max, GArray *points, GError **error)
{
  static const char sql[] =
      "SELECT n, data FROM scalar_chunks WHERE series = ? AND last_step >= ? ORDER BY first_step";
  PointsRequest request = { from_step, G_MAXINT64,
                            max < G_MAXSIZE - points->len ? points->len + max : max, points };
  return read_rows (self, sql, series, from_step, append_points, &request, error);
}

gboolean
sluice_store_read_chunk (
    SluiceStore *self, gint64 series, gint64 step, GArray *points, GError **error)
{
  /* The chunk that begins last before the step; the next one where it ends before. */
  static const char sql[] =
      "SELECT n, data FROM scalar_chunks WHERE series = ?1 AND first_step >= coalesce ((SELECT max "
      "(first_step) FROM scalar_chunks WHERE series = ?1 AND first_step <= ?2), ?2) AND last_step "
      ">= ?2 ORDER BY first_step LIMIT 1";
  PointsRequest request = { G_MININT64, G_MAXINT64, G_MAXSIZE, points };
  return read_rows (self, sql, series, step, append_points, &request, error);
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
