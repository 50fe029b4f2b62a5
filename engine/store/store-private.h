/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

#include "engine/store/store.h"

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
/* In a transaction that changes what a run recorded: sluice_store_dup_changes() tells. */
gboolean sluice_store_note_change (sqlite3 *db, gint64 run, GError **error);
/* Deletes what a run has recorded after a step, and its checkpoints from then. */
gboolean sluice_store_cut_run (sqlite3 *db, gint64 run, gint64 after_step, GError **error);
/* Forgets cached chunks: a run's rows were deleted. */
void sluice_store_writer_forget_series (StoreWriter *self);

/* (transfer full) (nullable) (element-type SluiceRunInfo): those in the trash, or all others;
 * newest first. */
GPtrArray *sluice_store_list_runs (SluiceStore *self, sqlite3 *db, gboolean trash, GError **error);
/* Does somebody train it, or begin it just now? */
gboolean sluice_store_run_is_locked (SluiceStore *self, gint64 run);
StoreWriter *sluice_store_get_writer (SluiceStore *self);
/* In a transaction: inserts the row of a run. id 0: the next one that neither the database nor a
   folder has; the name is made free. */
gboolean
sluice_store_insert_run (SluiceStore *self, sqlite3 *db, SluiceRunInfo *info, GError **error);
gboolean sluice_store_insert_graph (sqlite3 *db, const char *hash, GBytes *graph, GError **error);
/* The store holds the lock of a run from now on. */
void sluice_store_take_lock (SluiceStore *self, gint64 run, int take_fd);
SluiceRunLog *sluice_run_log_new (SluiceStore *store, gint64 run);
