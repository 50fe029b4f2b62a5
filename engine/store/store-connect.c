/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/store/migrate.h"
#include "engine/store/sql.h"
#include "engine/store/store-private.h"

/*
 * How the database of a workspace is reached: whose it is, for reading alone or not, and how long a
 * connection waits for others.
 */

/* Of readers, whom a writer holds up only in its last moments. */
#define READER_PATIENCE_MS 5000
/* After that somebody is told what is waited for. */
#define TELL_MS 1000

/* Pages that a connection keeps, in -KiB. Of readers there are several, each commit makes them
 * forget all, and the system has the file. */
#define WRITER_CACHE "-8192"
#define READER_CACHE "-2048"

/* ---- waiting ---- */

static gint64
now_ms (void)
{
  return g_get_monotonic_time () / 1000;
}

/* One wait: SQLite asks again and again, on one thread, whether to go on with it. */
static gboolean
wait_on (const StoreAccess *access, gboolean begins, gint64 patience_ms)
{
  static _Thread_local gint64 start;
  static _Thread_local gboolean told;
  if (begins)
    {
      start = now_ms ();
      told = FALSE;
    }
  gint64 waited = now_ms () - start;
  if (waited >= patience_ms)
    return FALSE;
  if (waited >= TELL_MS && !told && access->waits != NULL)
    {
      told = TRUE;
      access->waits (access->path, access->waits_data);
    }
  g_usleep (waited < 20 ? 1000 : 10000);
  return TRUE;
}

static int
writer_waits (void *data, int n_tries)
{
  const StoreAccess *access = data;
  return wait_on (access, n_tries == 0, atomic_load (&access->patience_ms));
}

static int
reader_waits (void *data, int n_tries)
{
  const StoreAccess *access = data;
  return wait_on (access, n_tries == 0,
                  MAX (READER_PATIENCE_MS, atomic_load (&access->patience_ms)));
}

void
sluice_store_access_set_patience (StoreAccess *self, double seconds)
{
  atomic_store (&self->patience_ms, (gint64) (seconds * 1000));
}

/* SQLite says at once that a file is busy where waiting could be a deadlock, say while two
 * programs make the same database a log's. */
static gboolean
insist (const StoreAccess *access, sqlite3 *db, const char *sql, GError **error)
{
  int rc;
  gboolean begins = TRUE;
  while ((rc = sqlite3_exec (db, sql, NULL, NULL, NULL)) == SQLITE_BUSY
         && wait_on (access, begins, atomic_load (&access->patience_ms)))
    begins = FALSE;
  return rc == SQLITE_OK || sluice_sql_fail (db, access->path, error);
}

/* ---- where it is ---- */

static gboolean
exists (const char *database, const char *suffix)
{
  g_autofree char *path = g_strconcat (database, suffix, NULL);
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* A folder beside the one that is not there, whose name is nearly the same. (transfer full) */
static char *
dup_similar_folder (const char *workspace)
{
  g_autofree char *parent = g_path_get_dirname (workspace);
  g_autofree char *name = g_path_get_basename (workspace);
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *entry;
  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *database = g_build_filename (parent, entry, STORE_DATABASE, NULL);
      if (g_file_test (database, G_FILE_TEST_EXISTS))
        g_ptr_array_add (names, g_strdup (entry));
    }
  const char *hint = sluice_suggest_name (name, (const char *const *) names->pdata, names->len);
  return hint != NULL ? g_build_filename (parent, hint, NULL) : NULL;
}

gboolean
sluice_store_access_check_exists (const StoreAccess *self, const char *workspace, GError **error)
{
  if (exists (self->path, ""))
    return TRUE;
  g_autofree char *hint = dup_similar_folder (workspace);
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                      "'%s' is no workspace: there is no " STORE_DATABASE " in it%s%s%s", workspace,
                      hint != NULL ? "; did you mean '" : "", hint != NULL ? hint : "",
                      hint != NULL ? "'?" : "");
}

void
sluice_store_access_init (StoreAccess *self,
                          const char *workspace,
                          const SluiceStoreOptions *options)
{
  /* SQLite is told to follow no link: what leads to the folder is the user's own affair. */
  g_autofree char *real = realpath (workspace, NULL);
  self->path = g_build_filename (real != NULL ? real : workspace, STORE_DATABASE, NULL);
  self->read_only = options->read_only;
  self->waits = options->waits;
  self->waits_data = options->waits_data;
  atomic_init (&self->patience_ms, (gint64) (SLUICE_STORE_PATIENCE * 1000));
}

void
sluice_store_access_clear (StoreAccess *self)
{
  g_clear_pointer (&self->path, g_free);
}

/* ---- whose it is ---- */

/* Nothing is written before this is known. Files from before the number was introduced are told by
 * their tables; an empty one is anybody's. */
static gboolean
check_owner (const StoreAccess *access, sqlite3 *db, GError **error)
{
  static const char *const id_sql = "PRAGMA application_id";
  static const char *const tables_sql = "SELECT count(*) FROM sqlite_schema";
  static const char *const ours_sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
                                      "name IN ('runs', 'series', 'events', 'checkpoints')";
  gint64 id, n_tables, n_ours;
  if (!insist (access, db, tables_sql, error)
      || !sluice_sql_take_number (db, sluice_sql_prepare (db, error, id_sql, ""), &id, error)
      || !sluice_sql_take_number (db, sluice_sql_prepare (db, error, tables_sql, ""), &n_tables,
                                  error)
      || !sluice_sql_take_number (db, sluice_sql_prepare (db, error, ours_sql, ""), &n_ours, error))
    return FALSE;
  if (id == SLUICE_STORE_APPLICATION_ID || (id == 0 && (n_tables == 0 || n_ours == 4)))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                      "'%s' is another program's database (application id 0x%08x): nothing was "
                      "changed; choose another workspace with --workspace",
                      access->path, (guint) id);
}

/* ---- connecting ---- */

/* A database in a log needs two files beside it, which a reader would leave behind: where they are
 * not there nobody writes, and the file is read as it is. */
static char *
dup_reading_uri (const StoreAccess *access)
{
  g_autofree char *escaped = g_uri_escape_string (access->path, "/", FALSE);
  return g_strdup_printf ("file:%s%s", escaped,
                          exists (access->path, "-wal") ? "" : "?immutable=1");
}

static sqlite3 *
open_file (const StoreAccess *access, GError **error)
{
  sqlite3 *db = NULL;
  g_autofree char *uri = access->read_only ? dup_reading_uri (access) : NULL;
  int flags =
      SQLITE_OPEN_NOMUTEX
      | (access->read_only ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                           : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW);
  if (sqlite3_open_v2 (uri != NULL ? uri : access->path, &db, flags, NULL) == SQLITE_OK)
    return db;
  if (db != NULL && sqlite3_extended_errcode (db) == SQLITE_CANTOPEN_SYMLINK)
    sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "'%s' is a link, which is not followed; put the database itself there",
                 access->path);
  else
    sluice_sql_fail (db, access->path, error);
  sqlite3_close (db);
  return NULL;
}

static gboolean
set_up (const StoreAccess *access, sqlite3 *db, gboolean writes, GError **error)
{
  if (!check_owner (access, db, error)
      || !insist (access, db,
                  writes ? "PRAGMA cache_size = " WRITER_CACHE
                         : "PRAGMA cache_size = " READER_CACHE,
                  error))
    return FALSE;
  if (access->read_only)
    return insist (access, db, "PRAGMA temp_store = MEMORY", error);
  /* Without the flag SQLite falls back to read-only silently and fails at the first write. */
  if (sqlite3_db_readonly (db, "main") == 1)
    return sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED,
                        "'%s' cannot be written; choose another workspace with --workspace",
                        access->path);
  return insist (access, db,
                 "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = "
                 "MEMORY; PRAGMA foreign_keys = ON;",
                 error);
}

sqlite3 *
sluice_store_connect (StoreAccess *access, gboolean writes, GError **error)
{
  sqlite3 *db = open_file (access, error);
  if (db == NULL)
    return NULL;
  sqlite3_busy_handler (db, writes ? writer_waits : reader_waits, access);
  if (set_up (access, db, writes, error))
    return db;
  sqlite3_close (db);
  return NULL;
}
