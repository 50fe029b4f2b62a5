/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/store-private.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"

void
sluice_series_info_free (SluiceSeriesInfo *self)
{
  g_free (self->tag);
  g_free (self);
}

void
sluice_histogram_free (SluiceHistogram *self)
{
  g_free (self->limits);
  g_free (self->counts);
  g_free (self);
}

void
sluice_stored_image_free (SluiceStoredImage *self)
{
  g_bytes_unref (self->png);
  g_free (self);
}

void
sluice_event_free (SluiceEvent *self)
{
  g_free (self->kind);
  g_free (self->text);
  g_free (self);
}

void
sluice_checkpoint_info_free (SluiceCheckpointInfo *self)
{
  g_free (self->path);
  g_free (self);
}

/* NaN is NULL in a column. */
static double
column_number (sqlite3_stmt *row, int i)
{
  return sqlite3_column_type (row, i) == SQLITE_NULL ? NAN : sqlite3_column_double (row, i);
}

static GBytes *
column_bytes (sqlite3_stmt *row, int i)
{
  return g_bytes_new (sqlite3_column_blob (row, i), sqlite3_column_bytes (row, i));
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
  sqlite3 *db = store_take_reader (self, error);
  if (db == NULL)
    return FALSE;
  sqlite3_stmt *row = store_query (db, error, sql, "ii", a, b);
  gboolean ok = row != NULL;
  int rc = SQLITE_DONE;
  while (ok && (rc = sqlite3_step (row)) == SQLITE_ROW)
    ok = func (row, data, error);
  if (ok && rc != SQLITE_DONE)
    ok = store_sql_fail (db, "run store", error);
  sqlite3_finalize (row);
  store_put_reader (self, db);
  return ok;
}

/* ---- series ---- */

static gboolean
add_series (sqlite3_stmt *row, gpointer data, GError **error)
{
  SluiceSeriesInfo *info = g_new0 (SluiceSeriesInfo, 1);
  info->id = sqlite3_column_int64 (row, 0);
  info->run = sqlite3_column_int64 (row, 1);
  info->tag = g_strdup ((const char *) sqlite3_column_text (row, 2));
  info->kind = CLAMP (sqlite3_column_int (row, 3), SLUICE_SERIES_SCALAR, SLUICE_SERIES_IMAGE);
  info->n_points = sqlite3_column_int64 (row, 4);
  info->first_step = sqlite3_column_int64 (row, 5);
  info->last_step = sqlite3_column_int64 (row, 6);
  info->last_value = column_number (row, 7);
  info->last_wall = column_number (row, 8);
  g_ptr_array_add (data, info);
  return TRUE;
}

GPtrArray *
sluice_store_dup_series (SluiceStore *self, gint64 run, GError **error)
{
  static const char sql[] =
      "SELECT s.id, s.run, s.tag, s.kind, sum (c.n), min (c.first_step), max (c.last_step), "
      "  (SELECT last_value FROM scalar_chunks WHERE series = s.id ORDER BY first_step DESC LIMIT "
      "1), "
      "  (SELECT last_wall FROM scalar_chunks WHERE series = s.id ORDER BY first_step DESC LIMIT "
      "1) "
      "FROM series s LEFT JOIN scalar_chunks c ON c.series = s.id WHERE s.run = ?1 AND s.kind = 0 "
      "GROUP BY s.id "
      "UNION ALL SELECT s.id, s.run, s.tag, s.kind, count (h.step), min (h.step), max (h.step), "
      "NULL, NULL "
      "FROM series s LEFT JOIN histograms h ON h.series = s.id WHERE s.run = ?1 AND s.kind = 1 "
      "GROUP BY s.id "
      "UNION ALL SELECT s.id, s.run, s.tag, s.kind, count (i.step), min (i.step), max (i.step), "
      "NULL, NULL "
      "FROM series s LEFT JOIN images i ON i.series = s.id WHERE s.run = ?1 AND s.kind = 2 AND ?2 "
      "= 0 "
      "GROUP BY s.id ORDER BY 3";
  g_autoptr (GPtrArray) series =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_series_info_free);
  if (!read_rows (self, sql, run, 0, add_series, series, error))
    return NULL;
  return g_steal_pointer (&series);
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
  if (!chunk_unpack (chunk, sqlite3_column_int (row, 0), sqlite3_column_blob (row, 1),
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

/* ---- columns ---- */

typedef struct
{
  gint64 from_step, to_step;
  guint n_columns;
  SluiceScalarColumn *columns;
  double *sums;
} ColumnsRequest;

static guint
column_of (const ColumnsRequest *request, gint64 step)
{
  double width = (double) request->to_step - (double) request->from_step;
  return MIN ((guint) (((double) step - (double) request->from_step) / width * request->n_columns),
              request->n_columns - 1);
}

/* Adds a run of points, of which only this is known, to one column. */
static void
column_add (ColumnsRequest *request,
            guint at,
            guint n,
            guint n_nonfinite,
            double min,
            double max,
            double sum,
            double first,
            double last)
{
  SluiceScalarColumn *column = &request->columns[at];
  if (column->n == 0)
    {
      column->min = INFINITY;
      column->max = -INFINITY;
      column->first = first;
    }
  column->last = last;
  column->n += n;
  column->n_nonfinite += n_nonfinite;
  column->min = MIN (column->min, min);
  column->max = MAX (column->max, max);
  request->sums[at] += sum;
}

static void
column_add_point (ColumnsRequest *request, gint64 step, double value)
{
  if (step < request->from_step || step >= request->to_step)
    return;
  gboolean finite = isfinite (value);
  column_add (request, column_of (request, step), 1, !finite, finite ? value : INFINITY,
              finite ? value : -INFINITY, finite ? value : 0, value, value);
}

/* A chunk that falls into one column is taken by its summary; its points are not even read from the
 * disk. */
static gboolean
add_chunk (sqlite3_stmt *row, gpointer data, GError **error)
{
  ColumnsRequest *request = data;
  guint n = sqlite3_column_int (row, 0);
  gint64 first = sqlite3_column_int64 (row, 1), last = sqlite3_column_int64 (row, 2);
  gboolean inside = first >= request->from_step && last < request->to_step;
  if (inside && column_of (request, first) == column_of (request, last))
    {
      column_add (request, column_of (request, first), n, sqlite3_column_int (row, 6),
                  column_number (row, 3), column_number (row, 4), column_number (row, 5),
                  column_number (row, 7), column_number (row, 8));
      return TRUE;
    }
  g_autofree Chunk *chunk = g_new (Chunk, 1);
  if (!chunk_unpack (chunk, n, sqlite3_column_blob (row, 9), sqlite3_column_bytes (row, 9)))
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a chunk of points is damaged");
  for (guint i = 0; i < chunk->n; i++)
    column_add_point (request, chunk->steps[i], chunk->values[i]);
  return TRUE;
}

gboolean
sluice_store_read_columns (SluiceStore *self,
                           gint64 series,
                           gint64 from_step,
                           gint64 to_step,
                           guint n_columns,
                           SluiceScalarColumn *columns,
                           GError **error)
{
  static const char sql[] =
      "SELECT n, first_step, last_step, min, max, sum, n_nonfinite, first_value, last_value, data "
      "FROM scalar_chunks WHERE series = ? AND last_step >= ? ORDER BY first_step";
  g_return_val_if_fail (n_columns > 0 && to_step > from_step, FALSE);
  memset (columns, 0, n_columns * sizeof *columns);
  g_autofree double *sums = g_new0 (double, n_columns);
  ColumnsRequest request = { from_step, to_step, n_columns, columns, sums };
  if (!read_rows (self, sql, series, from_step, add_chunk, &request, error))
    return FALSE;
  for (guint i = 0; i < n_columns; i++)
    {
      guint n_finite = columns[i].n - columns[i].n_nonfinite;
      columns[i].mean = n_finite > 0 ? sums[i] / n_finite : NAN;
      if (n_finite == 0)
        columns[i].min = columns[i].max = NAN;
    }
  return TRUE;
}

/* ---- what is rarer ---- */

static gboolean
add_histogram (sqlite3_stmt *row, gpointer data, GError **error)
{
  gsize n_values = sqlite3_column_bytes (row, 2) / sizeof (double);
  const double *packed = sqlite3_column_blob (row, 2);
  if (n_values < 2 || n_values % 2 != 0)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a histogram is damaged");
  SluiceHistogram *histogram = g_new0 (SluiceHistogram, 1);
  histogram->step = sqlite3_column_int64 (row, 0);
  histogram->wall = sqlite3_column_double (row, 1);
  histogram->n = n_values / 2 - 1;
  histogram->min = packed[0];
  histogram->max = packed[1];
  histogram->limits = g_memdup2 (packed + 2, histogram->n * sizeof (double));
  histogram->counts = g_memdup2 (packed + 2 + histogram->n, histogram->n * sizeof (double));
  g_ptr_array_add (data, histogram);
  return TRUE;
}

static gboolean
add_image (sqlite3_stmt *row, gpointer data, GError **error)
{
  SluiceStoredImage *image = g_new0 (SluiceStoredImage, 1);
  image->step = sqlite3_column_int64 (row, 0);
  image->wall = sqlite3_column_double (row, 1);
  image->png = column_bytes (row, 2);
  image->width = sqlite3_column_int (row, 3);
  image->height = sqlite3_column_int (row, 4);
  g_ptr_array_add (data, image);
  return TRUE;
}

static gboolean
add_count (sqlite3_stmt *row, gpointer data, GError **error)
{
  *(gint64 *) data = sqlite3_column_int64 (row, 0);
  return TRUE;
}

/* Every k-th row of a series from a step on, so that at most max remain; the last one is always
 * among them. */
static GPtrArray *
read_thinned (SluiceStore *self,
              const char *table,
              const char *columns,
              gint64 series,
              gint64 from_step,
              guint max,
              RowFunc add,
              GDestroyNotify free_item,
              GError **error)
{
  g_return_val_if_fail (max > 0, NULL);
  gint64 n = 0;
  g_autofree char *count =
      g_strdup_printf ("SELECT count (*) FROM %s WHERE series = ? AND step >= ?", table);
  if (!read_rows (self, count, series, from_step, add_count, &n, error))
    return NULL;
  gint64 every = MAX ((n + max - 1) / max, 1);
  g_autofree char *sql =
      g_strdup_printf ("SELECT * FROM (SELECT step, wall, data%s FROM (SELECT *, row_number () "
                       "OVER (ORDER BY step DESC) - 1 AS nth "
                       "FROM %s WHERE series = ? AND step >= ?) WHERE nth %% %" G_GINT64_FORMAT
                       " = 0) ORDER BY step",
                       columns, table, every);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (free_item);
  if (!read_rows (self, sql, series, from_step, add, items, error))
    return NULL;
  return g_steal_pointer (&items);
}

GPtrArray *
sluice_store_read_histograms (
    SluiceStore *self, gint64 series, gint64 from_step, guint max, GError **error)
{
  return read_thinned (self, "histograms", "", series, from_step, max, add_histogram,
                       (GDestroyNotify) sluice_histogram_free, error);
}

GPtrArray *
sluice_store_read_images (
    SluiceStore *self, gint64 series, gint64 from_step, guint max, GError **error)
{
  return read_thinned (self, "images", ", width, height", series, from_step, max, add_image,
                       (GDestroyNotify) sluice_stored_image_free, error);
}

static gboolean
add_event (sqlite3_stmt *row, gpointer data, GError **error)
{
  SluiceEvent *event = g_new0 (SluiceEvent, 1);
  event->step = sqlite3_column_int64 (row, 0);
  event->wall = sqlite3_column_double (row, 1);
  event->kind = g_strdup ((const char *) sqlite3_column_text (row, 2));
  event->text = g_strdup ((const char *) sqlite3_column_text (row, 3));
  g_ptr_array_add (data, event);
  return TRUE;
}

GPtrArray *
sluice_store_read_events (SluiceStore *self, gint64 run, GError **error)
{
  g_autoptr (GPtrArray) events =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_event_free);
  if (!read_rows (
          self,
          "SELECT step, wall, kind, text FROM events WHERE run = ? AND id > ? ORDER BY step, id",
          run, 0, add_event, events, error))
    return NULL;
  return g_steal_pointer (&events);
}

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
  sqlite3 *db = store_take_reader (self, error);
  if (db == NULL)
    return NULL;
  sqlite3_stmt *row = store_query (db, error, "SELECT data FROM graphs WHERE hash = ?", "s", hash);
  GBytes *graph = row != NULL && sqlite3_step (row) == SQLITE_ROW ? column_bytes (row, 0) : NULL;
  sqlite3_finalize (row);
  store_put_reader (self, db);
  if (graph == NULL && row != NULL)
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "the workspace has no graph %s", hash);
  return graph;
}
