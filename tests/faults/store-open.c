/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Ways into a store. SQLite alone has twenty thousand requests for a new workspace: what a step of
 * a migration asks for is refused step by step, from the state that the steps before it left, and
 * in the whole only now and then.
 */
#include "tests/faults/store-open.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <zlib.h>

#include "engine/store/kind-private.h"
#include "engine/store/sql-functions.h"
#include "tests/remove-tree.h"

static const char *stock, *fresh;
static char *old_bytes; /* a database of version 1 */
static gsize old_length;

SluiceStore *
store_open_well (const char *workspace)
{
  g_autoptr (GError) error = NULL;
  SluiceStore *store = sluice_store_open (workspace, &error);
  g_assert_no_error (error);
  return store;
}

char *
store_list_all (SluiceStore *store, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, error);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    {
      const SluiceRunInfo *run = runs->pdata[i];
      g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run->id, error);
      if (series == NULL)
        return NULL;
      g_string_append_printf (list, "%s %s:", run->name, sluice_run_state_name (run->state));
      for (guint k = 0; k < series->len; k++)
        g_string_append_printf (list, " %s %" G_GINT64_FORMAT,
                                ((SluiceSeriesInfo *) series->pdata[k])->tag,
                                ((SluiceSeriesInfo *) series->pdata[k])->n_points);
    }
  return runs != NULL ? g_strdup (list->str) : NULL;
}

/* ---- what is left behind ---- */

/* Of what the files hold. */
static guint
hash_files (const char *workspace)
{
  static const char *const names[] = { "", "-wal", "-journal", ".v1" };
  uLong crc = crc32 (0, NULL, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strconcat (workspace, "/" STORE_DATABASE, names[i], NULL);
      g_autofree char *bytes = NULL;
      gsize length;
      if (g_file_get_contents (path, &bytes, &length, NULL))
        crc = crc32 (crc ^ (i + 1), (const guint8 *) bytes, (guint) length);
    }
  return (guint) crc;
}

/* The next attempt, from what the one that failed left: what files of the same bytes lead to is
 * known. */
static void
check_next (const char *workspace, void (*check) (SluiceStore *store))
{
  static GHashTable *known;
  guint hash = hash_files (workspace);
  if (known == NULL)
    known = g_hash_table_new (NULL, NULL);
  if (!g_hash_table_add (known, GUINT_TO_POINTER (hash)))
    return;
  g_autoptr (SluiceStore) store = store_open_well (workspace);
  if (check != NULL)
    check (store);
}

/* ---- opening ---- */

static char *
open_new (Plan *plan, GError **error)
{
  gboolean ok;
  plan_begin (plan);
  {
    g_autoptr (SluiceStore) store = sluice_store_open (fresh, error);
    ok = store != NULL;
  }
  faults_disarm ();
  if (!ok)
    check_next (fresh, NULL);
  remove_tree (fresh);
  return ok ? g_strdup ("opened") : NULL;
}

static char *
open_there (Plan *plan, GError **error)
{
  gboolean ok;
  plan_begin (plan);
  {
    g_autoptr (SluiceStore) store = sluice_store_open (stock, error);
    ok = store != NULL;
  }
  faults_disarm ();
  if (!ok)
    check_next (stock, NULL);
  return ok ? g_strdup ("opened") : NULL;
}

/* As a command that reads does it. */
static char *
look_in (Plan *plan, GError **error)
{
  const SluiceStoreOptions options = { .read_only = TRUE };
  plan_begin (plan);
  g_autoptr (SluiceStore) store = sluice_store_open_with (stock, &options, error);
  g_autoptr (SluiceRunInfo) run =
      store != NULL ? sluice_store_dup_run (store, "stock", error) : NULL;
  return run != NULL ? g_strdup (sluice_run_state_name (run->state)) : NULL;
}

/* ---- bringing it up to date ---- */

static void
put_old (void)
{
  g_autofree char *path = g_build_filename (fresh, STORE_DATABASE, NULL);
  FILE *file = NULL;
  g_assert_cmpint (g_mkdir_with_parents (fresh, 0700), ==, 0);
  g_assert_true ((file = fopen (path, "wb")) != NULL);
  g_assert_true (fwrite (old_bytes, old_length, 1, file) == 1 && fclose (file) == 0);
}

/* That which the tests of migration have, without most of what makes it large. */
static void
read_old (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "engine",
                                            "store", "data", "v1.db", NULL);
  g_autofree char *copy = g_strconcat (fresh, ".db", NULL);
  sqlite3 *db;
  g_assert_true (g_file_get_contents (path, &old_bytes, &old_length, NULL));
  g_assert_true (g_file_set_contents (copy, old_bytes, (gssize) old_length, NULL));
  g_free (old_bytes);
  g_assert_cmpint (sqlite3_open (copy, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db,
                                 "UPDATE graphs SET data = substr (data, 1, 99); DELETE FROM "
                                 "scalar_chunks WHERE n = 1024; VACUUM",
                                 NULL, NULL, NULL),
                   ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_close (db), ==, SQLITE_OK);
  g_assert_true (g_file_get_contents (copy, &old_bytes, &old_length, NULL));
  remove_tree (copy);
}

static char *old_list; /* what it holds */

/* All of it is there; the copy of it is there since the first step is done. */
static void
check_old (SluiceStore *store)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *copy = g_strconcat (fresh, "/" STORE_DATABASE ".v1", NULL);
  g_autofree char *list = store_list_all (store, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (list, ==, old_list);
  g_assert_true (g_file_test (copy, G_FILE_TEST_EXISTS));
}

static void
list_old (void)
{
  g_autoptr (SluiceStore) store = NULL;
  put_old ();
  store = store_open_well (fresh);
  old_list = store_list_all (store, NULL);
  g_assert_nonnull (old_list);
  g_assert_nonnull (strstr (old_list, " loss "));
  g_clear_object (&store);
  remove_tree (fresh);
}

static void
forget_old (void)
{
  g_clear_pointer (&old_list, g_free);
}

static char *
bring_up (Plan *plan, GError **error)
{
  gboolean ok;
  put_old ();
  plan_begin (plan);
  {
    g_autoptr (SluiceStore) store = sluice_store_open (fresh, error);
    ok = store != NULL;
  }
  faults_disarm ();
  check_next (fresh, check_old);
  remove_tree (fresh);
  return ok ? g_strdup ("up to date") : NULL;
}

/* The steps of a run that only counts: from BEGIN to the new version's number, for each version. */
static GArray *spans;

#define AROUND                                                                                     \
  100 /* requests, at most, by which a statement is prepared: it is noted behind them */

static int
note_statement (unsigned what, void *data, void *statement, void *text)
{
  RequestSpan span = { faults_get_n_requests () + 1, G_MAXINT64 };
  RequestSpan *last = spans->len > 0 ? &g_array_index (spans, RequestSpan, spans->len - 1) : NULL;
  if (g_str_equal (text, "BEGIN IMMEDIATE"))
    g_array_append_val (spans, span);
  else if (g_str_has_prefix (text, "PRAGMA application_id = ") && last != NULL)
    last->to = MAX (span.from - AROUND, last->from);
  return 0;
}

static int
watch_statements (sqlite3 *db, const char **message, const struct sqlite3_api_routines *unused)
{
  return sqlite3_trace_v2 (db, SQLITE_TRACE_STMT, note_statement, NULL);
}

static GArray *
list_steps (Path run)
{
  Plan plan = { .kind = FAULT_MEMORY, .n = G_MAXINT64 / 2 };
  spans = g_array_new (FALSE, FALSE, sizeof (RequestSpan));
  sqlite3_auto_extension ((void (*) (void)) watch_statements);
  g_autofree char *result = run (&plan, NULL);
  sqlite3_cancel_auto_extension ((void (*) (void)) watch_statements);
  g_assert_nonnull (result);
  g_assert_cmpuint (spans->len, >, 0);
  return g_steal_pointer (&spans);
}

static GArray *
list_steps_new (void)
{
  return list_steps (open_new);
}

static GArray *
list_steps_old (void)
{
  return list_steps (bring_up);
}

/* ---- step by step ---- */

/* What is tried, in a transaction that is taken back; the steps before it are committed. */
static struct
{
  sqlite3 *db;
  const SluiceMigration *step;
} walk;

static void
do_sql (const char *sql)
{
  if (sqlite3_exec (walk.db, sql, NULL, NULL, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (walk.db));
}

/* All of the database, as the connection sees it. */
static guint
hash_database (void)
{
  sqlite3_int64 length;
  guint8 *bytes = sqlite3_serialize (walk.db, "main", &length, 0);
  g_assert_nonnull (bytes);
  guint hash = (guint) crc32 (crc32 (0, NULL, 0), bytes, (guint) length);
  sqlite3_free (bytes);
  return hash;
}

static char *
try_step (Plan *plan, GError **error)
{
  guint hash = 0;
  /* What was taken back lets SQLite forget what tables there are. */
  do_sql ("BEGIN IMMEDIATE; SELECT 1 FROM sqlite_schema LIMIT 1");
  plan_begin (plan);
  gboolean ok = sluice_store_run_step (walk.db, walk.step, error);
  faults_disarm ();
  if (ok)
    hash = hash_database ();
  if (sqlite3_get_autocommit (walk.db) == 0) /* SQLite may have given it up */
    do_sql ("ROLLBACK");
  return ok ? g_strdup_printf ("%08x", hash) : NULL;
}

static void
inject_steps (int first, Count *count)
{
  static const Part part = { "step", try_step, .well_every = 64, .only_memory = TRUE };
  g_autofree char *path = g_build_filename (fresh, STORE_DATABASE, NULL);
  g_assert_cmpint (g_mkdir_with_parents (fresh, 0700), ==, 0);
  if (first > 1)
    put_old ();
  g_assert_cmpint (sqlite3_open (path, &walk.db), ==, SQLITE_OK);
  g_assert_true (sluice_sql_functions_add (walk.db, NULL));
  do_sql ("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  for (int version = first; version <= sluice_store_get_newest_version (); version++)
    {
      g_autoptr (GPtrArray) steps = sluice_store_list_steps (version);
      for (guint i = 0; i < steps->len; i++)
        {
          walk.step = steps->pdata[i];
          /* What is new is made alike whatever rows there are. */
          if (first == 1 || walk.step->sql == NULL || !g_str_has_prefix (walk.step->sql, "CREATE "))
            inject (&part, count);
          do_sql ("BEGIN IMMEDIATE");
          g_assert_true (sluice_store_run_step (walk.db, walk.step, NULL));
          do_sql ("COMMIT");
        }
    }
  g_assert_cmpint (sqlite3_close (walk.db), ==, SQLITE_OK);
  remove_tree (fresh);
}

/* ---- all of it ---- */

void
store_open_inject (const char *stock_, const char *fresh_, Count *total)
{
  static const Part parts[] = {
    { "store, new", open_new, .well_every = 64, .list_sparse = list_steps_new },
    { "store, there", open_there, .well_every = 32 },
    { "store, only read", look_in, .well_every = 32 },
    { "store, of version 1", bring_up, list_old, forget_old, 64, list_steps_old },
  };
  stock = stock_;
  fresh = fresh_;
  read_old ();
  for (int first = 1; first <= 2; first++)
    {
      Count count = { 0 };
      inject_steps (first, &count);
      count_print (&count,
                   first == 1 ? "store, steps from nothing" : "store, steps from version 1");
      count_add (total, &count);
    }
  inject_each (parts, G_N_ELEMENTS (parts), total);
  g_clear_pointer (&old_bytes, g_free);
}
