/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

#include "engine/store/store.h"

/* Points of a series are kept in chunks of up to CHUNK_POINTS, in order of steps; a chunk into
   which older steps were inserted may hold twice as many before it is split. */
#define CHUNK_POINTS 1024
#define CHUNK_MAX    (2 * CHUNK_POINTS)

/* One row of table scalar_chunks in memory. */
typedef struct
{
  sqlite3_int64 id; /* 0: not written yet */
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

/* Drops the points after a step from a row of (id, series, n, data). */
gboolean
sluice_series_cut_chunk (sqlite3 *db, sqlite3_stmt *row, gint64 after_step, GError **error);

#define STORE_DATABASE "sluice.db" /* in the workspace */

/* How the database is reached. */
typedef struct
{
  char *path;
  gboolean read_only;
  _Atomic gint64 patience_ms; /* of the writer */
  void (*waits) (const char *database, gpointer data);
  gpointer waits_data;
} StoreAccess;

void sluice_store_access_init (StoreAccess *self,
                               const char *workspace,
                               const SluiceStoreOptions *options);
void sluice_store_access_clear (StoreAccess *self);
/* FALSE with NOT_FOUND, which names a workspace nearby. */
gboolean
sluice_store_access_check_exists (const StoreAccess *self, const char *workspace, GError **error);
/* How long the writer waits for other programs before it says UNAVAILABLE. */
void sluice_store_access_set_patience (StoreAccess *self, double seconds);

/* A connection to the store's database with the pragmas that every connection needs; the access
   outlives it. FAILED_PRECONDITION where the file is another program's: nothing is changed then. */
sqlite3 *sluice_store_connect (StoreAccess *access, gboolean writes, GError **error);
/* Takes a reader's connection out of the store's pool, and puts it back. */
sqlite3 *sluice_store_take_reader (SluiceStore *self, GError **error);
void sluice_store_put_reader (SluiceStore *self, sqlite3 *db);

/* FALSE, and error by SQLite's code: disk full, read-only, locked, corrupt. */
gboolean sluice_sql_fail (sqlite3 *db, const char *what, GError **error);
gboolean sluice_sql_exec (sqlite3 *db, const char *sql, GError **error);

/**
 * sluice_sql_prepare:
 * @format: types of the values that are bound in order: i gint64, d double, s const char *
 * (nullable), b GBytes * (nullable)
 *
 * A prepared and bound statement; finalised by the caller.
 */
sqlite3_stmt *
sluice_sql_prepare (sqlite3 *db, GError **error, const char *sql, const char *format, ...);
/* Runs such a statement to its end. */
gboolean sluice_sql_change (sqlite3 *db, GError **error, const char *sql, const char *format, ...);

/* The writer: one thread, one connection. Runs func on it inside a transaction and waits for the
 * commit. */
typedef gboolean (*StoreFunc) (sqlite3 *db, gpointer data, GError **error);
typedef struct _StoreWriter StoreWriter;
/* prepare: makes a fresh connection ready, before anybody else has it. */
StoreWriter *
sluice_store_writer_new (StoreAccess *access,
                         gboolean (*prepare) (sqlite3 *db, const char *path, GError **error),
                         GError **error);
void sluice_store_writer_free (StoreWriter *self); /* commits what is queued */
/* self NULL: the store is only read, and FAILED_PRECONDITION says so. */
gboolean sluice_store_writer_run (StoreWriter *self, StoreFunc func, gpointer data, GError **error);
void
sluice_store_writer_set_notify (StoreWriter *self, void (*func) (gpointer data), gpointer data);
void sluice_store_writer_rearm (StoreWriter *self);
/* Deletes what a run has recorded after a step, and its checkpoints from then. */
gboolean sluice_store_cut_run (sqlite3 *db, gint64 run, gint64 after_step, GError **error);
/* Forgets cached chunks: a run's rows were deleted. */
void sluice_store_writer_forget_series (StoreWriter *self);

/* Does somebody train it, or begin it just now? */
gboolean sluice_store_run_is_locked (SluiceStore *self, gint64 run);
StoreWriter *sluice_store_get_writer (SluiceStore *self);
/* In a transaction: inserts the row of a run. id 0: the next one that neither the database nor a
   folder has; the name is made free. */
gboolean
sluice_store_insert_run (SluiceStore *self, sqlite3 *db, SluiceRunInfo *info, GError **error);
gboolean sluice_store_insert_graph (sqlite3 *db, const char *hash, GBytes *graph, GError **error);
gint64 sluice_store_next_run (SluiceStore *self, sqlite3 *db, GError **error); /* 0: error is set */
/* The store holds the lock of a run from now on. */
void sluice_store_take_lock (SluiceStore *self, gint64 run, int take_fd);
SluiceRunLog *sluice_run_log_new (SluiceStore *store, gint64 run);
