/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/migrate.h"
#include "engine/store/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/kind-private.h"
#include "engine/store/sql-functions.h"

/* ---- the core: what is there whatever the kinds ---- */

/* Graphs were kept by the hash of their canonical form; their bytes move to where all bytes are. */
static const SluiceMigration core[] = {
  { 1, "CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, project TEXT, "
       "state INTEGER NOT NULL, step INTEGER NOT NULL, n_steps INTEGER NOT NULL, "
       "seed INTEGER NOT NULL, created REAL, started REAL, ended REAL, seconds REAL, "
       "graph_hash TEXT, message TEXT, deleted REAL);"
       "CREATE TABLE series (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, "
       "tag TEXT NOT NULL, kind INTEGER NOT NULL, UNIQUE (run, tag));"
       "CREATE TABLE checkpoints (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, path TEXT NOT NULL, bytes INTEGER NOT NULL, "
       "UNIQUE (run, step));"
       "CREATE TABLE graphs (hash TEXT PRIMARY KEY, data BLOB NOT NULL);" },
  /* A SummaryMetadata that the series came with: names, description, what its plugin keeps. */
  { 2, "ALTER TABLE series ADD COLUMN metadata BLOB;" },
  { 2, "CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL);" },
  { 2, "INSERT OR IGNORE INTO blobs (hash, data) SELECT sha256 (data), data FROM graphs;" },
  { 2, "ALTER TABLE graphs RENAME TO graphs_1;" },
  { 2, "CREATE TABLE graphs (hash TEXT PRIMARY KEY, blob TEXT NOT NULL REFERENCES blobs);" },
  { 2, "INSERT INTO graphs (hash, blob) SELECT hash, sha256 (data) FROM graphs_1;" },
  { 2, "DROP TABLE graphs_1;" },
  { 2, "CREATE VIEW run_list AS SELECT name AS run, project, step, n_steps, seed, created, "
       "started, ended, seconds, message FROM runs WHERE deleted IS NULL;" },
  /* How many segments it has: kind-private.h. */
  { 3, "ALTER TABLE series ADD COLUMN segments INTEGER NOT NULL DEFAULT 1;" },
  { 3, "CREATE INDEX series_by_kind ON series (run, kind);" },
  /* Where what a run has was read from, and how far: engine/store/import.h. */
  { 3, "CREATE TABLE imports (id INTEGER PRIMARY KEY, run INTEGER NOT NULL UNIQUE REFERENCES runs, "
       "source TEXT NOT NULL, file_version INTEGER NOT NULL, last_step INTEGER NOT NULL, "
       "graph INTEGER NOT NULL);" },
  { 3, "CREATE TABLE import_files (id INTEGER PRIMARY KEY, "
       "import INTEGER NOT NULL REFERENCES imports, name TEXT NOT NULL, size INTEGER NOT NULL, "
       "inode INTEGER NOT NULL, mtime INTEGER NOT NULL, offset INTEGER NOT NULL, "
       "mark INTEGER NOT NULL, UNIQUE (import, name));" },
  { 3, "CREATE TABLE import_tags (id INTEGER PRIMARY KEY, "
       "import INTEGER NOT NULL REFERENCES imports, tag BLOB NOT NULL, metadata BLOB NOT NULL, "
       "UNIQUE (import, tag));" },
  { 3, "CREATE INDEX imports_by_source ON imports (source);" },
  /* What people say of a run, and where it was forked from: no row, nothing yet. Each ALTER would
   * read all views again. */
  { 4,
    "CREATE TABLE run_words (run INTEGER PRIMARY KEY REFERENCES runs, notes TEXT, "
    "run_group TEXT, starred INTEGER NOT NULL DEFAULT 0, parent INTEGER, parent_step INTEGER);" },
  { 4, "CREATE TABLE run_tags (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, "
       "tag TEXT NOT NULL, UNIQUE (run, tag));" },
  /* Runs that wait (engine/store/run-queue.h): by their places, with what they need. */
  { 4, "CREATE TABLE queue (run INTEGER PRIMARY KEY REFERENCES runs, place INTEGER NOT NULL, "
       "after INTEGER, devices TEXT, memory INTEGER, threads INTEGER);" },
  { 4, "CREATE TABLE queue_control (id INTEGER PRIMARY KEY CHECK (id = 1), "
       "paused INTEGER NOT NULL);" },
  { 4, "DROP VIEW run_list;" },
  { 4, "CREATE VIEW run_list AS SELECT r.name AS run, r.project AS project, r.step AS step, "
       "r.n_steps AS n_steps, r.seed AS seed, r.created AS created, r.started AS started, "
       "r.ended AS ended, r.seconds AS seconds, r.message AS message, w.notes AS notes, "
       "w.run_group AS run_group, coalesce (w.starred, 0) AS starred, p.name AS parent, "
       "w.parent_step AS parent_step, (SELECT group_concat (tag, char (10)) FROM (SELECT tag FROM "
       "run_tags WHERE run = r.id ORDER BY tag)) AS tags FROM runs r "
       "LEFT JOIN run_words w ON w.run = r.id LEFT JOIN runs p ON p.id = w.parent "
       "WHERE r.deleted IS NULL;" },
  /* Grows with each commit that changed what a run recorded: sluice_store_dup_changes(). A row
   * outlives its run, so that another one of the number does not begin anew. */
  { 5, "CREATE TABLE run_changes (run INTEGER PRIMARY KEY, number INTEGER NOT NULL);" },
  /* What is asked of runs at work (engine/store/run-control.h). */
  { 5, "CREATE TABLE commands (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, "
       "asked REAL NOT NULL, verb TEXT NOT NULL, argument TEXT, state INTEGER NOT NULL, "
       "step INTEGER, answer TEXT);" },
  { 5, "CREATE INDEX commands_by_run ON commands (run, state);" },
  /* The node at which a run failed; the colour that somebody chose for it, as "#3584e4". */
  { 6, "DROP VIEW run_list;" },
  { 6, "ALTER TABLE runs ADD COLUMN failed_node TEXT;" },
  { 6, "ALTER TABLE run_words ADD COLUMN color TEXT;" },
  { 6, "CREATE VIEW run_list AS SELECT r.name AS run, r.project AS project, r.step AS step, "
       "r.n_steps AS n_steps, r.seed AS seed, r.created AS created, r.started AS started, "
       "r.ended AS ended, r.seconds AS seconds, r.message AS message, "
       "r.failed_node AS failed_node, w.notes AS notes, w.run_group AS run_group, "
       "coalesce (w.starred, 0) AS starred, w.color AS color, p.name AS parent, "
       "w.parent_step AS parent_step, (SELECT group_concat (tag, char (10)) FROM (SELECT tag FROM "
       "run_tags WHERE run = r.id ORDER BY tag)) AS tags FROM runs r "
       "LEFT JOIN run_words w ON w.run = r.id LEFT JOIN runs p ON p.id = w.parent "
       "WHERE r.deleted IS NULL;" },
  { 0 },
};

/* ---- steps ---- */

static int
newest_of (const SluiceMigration *steps, int newest)
{
  for (; steps->version > 0; steps++)
    newest = MAX (newest, steps->version);
  return newest;
}

int
sluice_store_get_newest_version (void)
{
  int newest = newest_of (core, 0);
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  newest = newest_of (kind->migrations, newest);
  return newest;
}

/* ALTER reads all views again, each time: they are made when the tables are done. */
static gboolean
makes_view (const SluiceMigration *step)
{
  return step->sql != NULL && g_str_has_prefix (step->sql, "CREATE VIEW ");
}

static void
add_steps (GPtrArray *list, const SluiceMigration *steps, int version, gboolean views)
{
  for (; steps->version > 0; steps++)
    if (steps->version == version && makes_view (steps) == views)
      g_ptr_array_add (list, (gpointer) steps);
}

GPtrArray *
sluice_store_list_steps (int version)
{
  GPtrArray *list = g_ptr_array_new ();
  const SluiceKind *kind;
  for (gboolean views = FALSE; views <= TRUE; views++)
    {
      add_steps (list, core, version, views);
      SLUICE_EACH_KIND (kind)
      add_steps (list, kind->migrations, version, views);
    }
  return list;
}

gboolean
sluice_store_run_step (sqlite3 *db, const SluiceMigration *step, GError **error)
{
  return (step->sql == NULL || sluice_sql_exec (db, step->sql, error))
         && (step->func == NULL || step->func (db, NULL, error));
}

static gboolean
run_all_steps (sqlite3 *db, int version, GError **error)
{
  g_autoptr (GPtrArray) steps = sluice_store_list_steps (version);
  for (guint i = 0; i < steps->len; i++)
    if (!sluice_store_run_step (db, steps->pdata[i], error))
      return FALSE;
  g_autofree char *stamp = g_strdup_printf ("PRAGMA application_id = %d; PRAGMA user_version = %d",
                                            SLUICE_STORE_APPLICATION_ID, version);
  return sluice_sql_exec (db, stamp, error);
}

/* ---- what is there ---- */

static gboolean
get_number (sqlite3 *db, const char *sql, gint64 *number, GError **error)
{
  return sluice_sql_take_number (db, sluice_sql_prepare (db, error, sql, ""), number, error);
}

static gboolean
want_tables (sqlite3 *db, const char *path, int version, GError **error)
{
  gint64 n_tables;
  if (!get_number (db,
                   "SELECT count (*) FROM sqlite_schema WHERE type = 'table' AND name IN ('runs', "
                   "'series')",
                   &n_tables, error))
    return FALSE;
  return n_tables == 2
         || sluice_fail (
             error, SLUICE_ERROR_DATA_LOSS,
             "'%s' is damaged: it says that it is a store of version %d and has no runs", path,
             version);
}

static gboolean
want_known (sqlite3 *db, const char *path, gint64 n_objects, int version, GError **error)
{
  gint64 application;
  if (version > sluice_store_get_newest_version ())
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' was written by a newer Sluice (version %d, this program knows up to "
                        "%d); use the newer program or another workspace",
                        path, version, sluice_store_get_newest_version ());
  if (!get_number (db, "PRAGMA application_id", &application, error))
    return FALSE;
  gboolean foreign = application != 0 && application != SLUICE_STORE_APPLICATION_ID;
  if (foreign || (version == 0 && n_objects > 0))
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' is a database of another program; choose another workspace", path);
  return TRUE;
}

int
sluice_store_check_version (sqlite3 *db, const char *path, GError **error)
{
  /* In this order: another process may be making the tables just now. */
  gint64 n_objects, version;
  return get_number (db, "SELECT count (*) FROM sqlite_schema", &n_objects, error)
                 && get_number (db, "PRAGMA user_version", &version, error)
                 && want_known (db, path, n_objects, (int) version, error)
             ? (int) version
             : -1;
}

/* ALTER and DROP look at views, and nothing else looks whether a column that a kind reads is
 * there before it is too late. */
static gboolean
want_whole (sqlite3 *db, const char *path, GError **error)
{
  static const char *const tables[] = {
    ("SELECT id, name, project, state, step, n_steps, seed, created, started, ended, seconds, "
     "graph_hash, message, deleted, failed_node FROM runs"),
    "SELECT run, notes, run_group, starred, parent, parent_step, color FROM run_words",
    "SELECT id, run, tag FROM run_tags",
    "SELECT run, place, after, devices, memory, threads FROM queue",
    "SELECT id, paused FROM queue_control",
    "SELECT id, run, asked, verb, argument, state, step, answer FROM commands",
    "SELECT id, run, tag, kind, metadata, segments FROM series",
    "SELECT id, run, step, wall, path, bytes FROM checkpoints",
    "SELECT hash, blob FROM graphs",
    "SELECT hash, data FROM blobs",
    "SELECT id, run, source, file_version, last_step, graph FROM imports",
    "SELECT id, import, name, size, inode, mtime, offset, mark FROM import_files",
    "SELECT id, import, tag, metadata FROM import_tags",
  };
  const SluiceKind *kind;
  g_autoptr (GPtrArray) queries = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    g_ptr_array_add (queries, g_strdup (tables[i]));
  SLUICE_EACH_KIND (kind)
  {
    if (kind->table != NULL)
      g_ptr_array_add (queries,
                       g_strdup_printf ("SELECT series, segment, step, wall, %s FROM %s AS r",
                                        kind->columns, kind->table));
    if (kind->list != NULL)
      g_ptr_array_add (queries, g_strdup (kind->list));
  }
  for (guint i = 0; i < queries->len; i++)
    {
      sqlite3_stmt *statement = NULL;
      int rc = sqlite3_prepare_v2 (db, queries->pdata[i], -1, &statement, NULL);
      sqlite3_finalize (statement);
      if (rc == SQLITE_ERROR)
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "'%s' is damaged: %s", path,
                            sqlite3_errmsg (db));
      if (rc != SQLITE_OK)
        return sluice_sql_fail (db, path, error);
    }
  return TRUE;
}

/* ---- the copy ---- */

static gboolean
sync_file (const char *path, int flags, GError **error)
{
  int fd = g_open (path, flags | O_CLOEXEC, 0);
  gboolean ok = fd >= 0 && fsync (fd) == 0;
  int saved = errno;
  if (fd >= 0)
    close (fd);
  return ok
         || sluice_fail (error,
                         saved == ENOSPC || saved == EDQUOT ? SLUICE_ERROR_RESOURCE_EXHAUSTED
                                                            : SLUICE_ERROR_UNAVAILABLE,
                         "'%s' could not be made safe: %s", path, g_strerror (saved));
}

/* Another process may have brought the original up to date meanwhile: then the copy is not of what
 * it is named after, and is none. */
static gboolean
get_version_of (const char *path, gint64 *version, GError **error)
{
  sqlite3 *db = NULL;
  gboolean ok = sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
                    ? get_number (db, "PRAGMA user_version", version, error)
                    : sluice_sql_fail (db, path, error);
  sqlite3_close (db);
  return ok;
}

static char *
dup_copy_path (const char *path, int version)
{
  return g_strdup_printf ("%s.v%d", path, version);
}

/* Whole and on the disk, or not there under its name. */
static gboolean
copy_database (sqlite3 *db, const char *path, int version, GError **error)
{
  g_autofree char *copy = dup_copy_path (path, version);
  g_autofree char *part = g_strdup_printf ("%s.part-%d", copy, (int) getpid ());
  g_autofree char *folder = g_path_get_dirname (path);
  g_unlink (part);
  gint64 copied;
  gboolean ok = sluice_sql_change (db, error, "VACUUM INTO ?", "s", part)
                && sync_file (part, O_RDWR, error) && get_version_of (part, &copied, error);
  if (ok && copied == version)
    {
      if (g_rename (part, copy) == 0)
        return sync_file (folder, O_RDONLY | O_DIRECTORY, error);
      ok = sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "'%s' could not be written: %s", copy,
                        g_strerror (errno));
    }
  g_unlink (part);
  return ok;
}

/* ---- the whole ---- */

/* Another process may have done it between our look and our transaction. */
static gboolean
migrate_once (sqlite3 *db, int version, GError **error)
{
  gint64 there;
  if (!sluice_sql_begin (db, error))
    return FALSE;
  gboolean ok = get_number (db, "PRAGMA user_version", &there, error)
                && (there >= version || run_all_steps (db, version, error));
  if (ok && sluice_sql_exec (db, "COMMIT", error))
    return TRUE;
  sluice_sql_roll_back (db);
  return FALSE;
}

/* What a step stumbles over in a database that says which version it is, is damage. */
static gboolean
explain_failure (const char *path, int from, GError **error, GError *take)
{
  g_autofree char *copy = dup_copy_path (path, from);
  if (take->code == SLUICE_ERROR_INTERNAL)
    take->code = SLUICE_ERROR_DATA_LOSS;
  g_prefix_error (&take, "'%s' could not be brought from version %d to %d and is as it was: ", path,
                  from, sluice_store_get_newest_version ());
  if (from > 0 && g_file_test (copy, G_FILE_TEST_EXISTS))
    {
      char *message = g_strdup_printf ("%s; a copy is '%s'", take->message, copy);
      g_free (take->message);
      take->message = message;
    }
  g_propagate_error (error, take);
  return FALSE;
}

gboolean
sluice_store_migrate (sqlite3 *db, const char *path, GError **error)
{
  int from = sluice_store_check_version (db, path, error);
  if (from < 0)
    return FALSE;
  if (from == sluice_store_get_newest_version ())
    return want_whole (db, path, error);
  if (from > 0 && !want_tables (db, path, from, error))
    return FALSE;
  if (!sluice_sql_functions_add (db, error) || (from > 0 && !copy_database (db, path, from, error)))
    return FALSE;
  GError *failure = NULL;
  for (int version = from + 1; version <= sluice_store_get_newest_version (); version++)
    if (!migrate_once (db, version, &failure))
      return explain_failure (path, from, error, failure);
  return want_whole (db, path, error);
}
