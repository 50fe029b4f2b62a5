/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sqlite3.h>
#include "engine/store/store.h"

/* Points of a series are kept in chunks of up to CHUNK_POINTS, in order of steps; a chunk into
   which older steps were inserted may hold twice as many before it is split. */
#define CHUNK_POINTS 1024
#define CHUNK_MAX    (2 * CHUNK_POINTS)

/* One row of table scalar_chunks in memory. */
typedef struct
{
  sqlite3_int64 id; /* 0: not written yet */
  gint64 segment;   /* for a new row */
  guint n;
  gboolean dirty;
  gint64 steps[CHUNK_MAX];
  double walls[CHUNK_MAX];
  double values[CHUNK_MAX];
} Chunk;

/* The writer's view of a series: the chunks that the batch at hand touches; the last one stays from
 * batch to batch. */
typedef struct
{
  gint64 id;
  GPtrArray *chunks; /* of Chunk, in order of steps */
  gboolean has_last; /* the series' last chunk is in chunks, at its end */
} SeriesWriter;

SeriesWriter *sluice_series_writer_new (gint64 id);
void sluice_series_writer_free (gpointer data);
/* Adds or replaces a point; loads the chunk that it falls into. FALSE: SQLite's error is in the
 * connection. */
gboolean sluice_series_writer_put (SeriesWriter *self, sqlite3 *db, const SluiceScalar *point);
/* Writes what is dirty. The chunks stay dirty until sluice_series_writer_settle() says that the
 * transaction is through. */
gboolean sluice_series_writer_write (SeriesWriter *self, sqlite3 *db);
void sluice_series_writer_settle (SeriesWriter *self);
/* Forgets what is in memory, say because rows were deleted under it. */
void sluice_series_writer_forget (SeriesWriter *self);
/* Unpacks the blob of a row into a chunk; FALSE where its size is not that of n points. */
gboolean sluice_chunk_unpack (Chunk *chunk, guint n, const void *blob, int bytes);

/* The position of the first step that is not below. */
guint sluice_chunk_find (const Chunk *chunk, gint64 step);
/* Inserts its row, or changes it; not of an empty one. FALSE: SQLite's error is in the connection.
 */
gboolean sluice_chunk_write (Chunk *chunk, gint64 series, sqlite3 *db);

/* Drops the points after a step from a row of (id, series, n, data). */
gboolean
sluice_series_cut_chunk (sqlite3 *db, sqlite3_stmt *row, gint64 after_step, GError **error);
