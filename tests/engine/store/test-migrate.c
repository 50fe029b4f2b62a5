/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Databases of every version that ever landed, brought up to date: whole, killed at each statement,
 * with each write or sync failing, by several programs at once. data/v1.db was written by the
 * program of that version, data/v2.db is what that of version 2 made of it; what they hold is
 * spelled out in check_run().
 */
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/kinds/bytes.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/graph.h"
#include "engine/store/kinds/histogram.h"
#include "engine/store/kinds/image.h"
#include "engine/store/migrate.h"
#include "engine/store/store.h"
#include "tests/remove-tree.h"

#define WALL 1.7e9

typedef struct
{
  char *folder, *path;
} Fixture;

/* A workspace with the landed database of a version. */
static void
put_version (Fixture *f, int version)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("v%d.db", version);
  g_autofree char *from = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "engine",
                                            "store", "data", name, NULL);
  g_autofree char *bytes = NULL;
  gsize length;
  remove_tree (f->folder);
  g_assert_cmpint (g_mkdir (f->folder, 0777), ==, 0);
  g_file_get_contents (from, &bytes, &length, &error);
  g_assert_no_error (error);
  g_file_set_contents (f->path, bytes, (gssize) length, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->folder = g_access ("/dev/shm", W_OK) == 0 /* hundreds of databases: not to wait for a disk */
                  ? g_mkdtemp (g_strdup ("/dev/shm/sluice-migrate-XXXXXX"))
                  : g_dir_make_tmp ("sluice-migrate-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "sluice.db", NULL);
  put_version (f, 1);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->path);
}

static gint64
ask (const char *path, const char *sql)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *row = NULL;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &row, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (row), ==, SQLITE_ROW);
  gint64 value = sqlite3_column_int64 (row, 0);
  sqlite3_finalize (row);
  sqlite3_close (db);
  return value;
}

static void
change (const char *path, const char *sql)
{
  sqlite3 *db = NULL;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* ---- what data/v1.db holds ---- */

static double
value_of (gint64 step)
{
  return step % 97 == 13   ? NAN
         : step % 89 == 7  ? INFINITY
         : step % 101 == 5 ? -INFINITY
                           : (double) (step * 7919 % 1000) / 7.0 - 60;
}

static void
check_points (SluiceStore *store, const SluiceSeriesInfo *series, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  sluice_store_read_points (store, series->id, G_MININT64, G_MAXSIZE, points, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (points->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      SluiceScalar p = g_array_index (points, SluiceScalar, i);
      double want = n == 6 ? i / 5.0 : value_of (i);
      g_assert_cmpint (p.step, ==, n == 6 ? 500 * i : i);
      g_assert_cmpfloat (p.wall, ==, WALL + (n == 6 ? i : i * 0.125));
      g_assert_true (p.value == want || (isnan (p.value) && isnan (want)));
    }
}

static void
check_histograms (GPtrArray *records)
{
  g_assert_cmpuint (records->len, ==, 6);
  for (guint i = 0; i < 6; i++)
    {
      const SluiceHistogram *h = records->pdata[i];
      const double limits[] = { -1, 0, 0.5, i + 1. }, counts[] = { 0, i, 3, 7 };
      g_assert_cmpint (h->base.step, ==, 500 * i);
      g_assert_cmpfloat (h->base.wall, ==, WALL + i);
      g_assert_cmpuint (h->n, ==, 4);
      g_assert_cmpmem (h->limits, sizeof limits, limits, sizeof limits);
      g_assert_cmpmem (h->counts, sizeof counts, counts, sizeof counts);
      g_assert_cmpfloat (h->min, ==, -0.75);
      g_assert_true (i == 3 ? isnan (h->max) : h->max == i + 0.5);
      g_assert_cmpfloat (h->count, ==, i + 10);
      g_assert_true (isnan (h->sum) && isnan (h->sum_squares));
    }
}

static void
check_images (GPtrArray *records)
{
  g_assert_cmpuint (records->len, ==, 6);
  for (guint i = 0; i < 6; i++)
    {
      const SluiceStoredImage *image = records->pdata[i];
      guint8 want[64];
      for (guint b = 0; b < sizeof want; b++)
        want[b] = (guint8) (i < 4 ? b : b + i);
      gsize length;
      const guint8 *png = g_bytes_get_data (image->png, &length);
      g_assert_cmpint (image->base.step, ==, 500 * i);
      g_assert_cmpuint (image->width, ==, 8);
      g_assert_cmpuint (image->height, ==, 9 + i);
      g_assert_cmpmem (png, length, want, sizeof want);
    }
}

static void
check_series (SluiceStore *store, const SluiceRunInfo *run, const SluiceSeriesInfo *series)
{
  g_autoptr (GError) error = NULL;
  if (series->kind == SLUICE_SERIES_SCALAR)
    {
      check_points (store, series,
                    g_str_equal (series->tag, "loss")                ? 2500
                    : g_str_equal (series->tag, "evaluate/accuracy") ? 6
                                                                     : 0);
      return;
    }
  if (series->kind == SLUICE_SERIES_EVENT)
    {
      g_assert_cmpint (series->n_points, ==, g_str_equal (series->tag, "checkpoint") ? 6 : 2);
      return;
    }
  g_autoptr (GPtrArray) records = sluice_store_read_records (store, series, 0, 100, &error);
  g_assert_no_error (error);
  if (series->kind == SLUICE_SERIES_HISTOGRAM)
    check_histograms (records);
  else if (series->kind == SLUICE_SERIES_IMAGE)
    check_images (records);
  else
    {
      g_assert_cmpstr (series->tag, ==, SLUICE_RUN_GRAPH_TAG);
      g_autoptr (GBytes) graph = sluice_store_get_graph (store, run->graph_hash, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (records->len, ==, 1);
      g_assert_true (g_bytes_equal (graph, ((SluiceBytesRecord *) records->pdata[0])->bytes));
      g_assert_cmpuint (g_bytes_get_size (graph), ==, 80863);
    }
}

static void
check_run (SluiceStore *store, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, name, &error);
  g_assert_no_error (error);
  g_assert_cmpint (run->state, ==, SLUICE_RUN_FINISHED);
  g_assert_cmpint (run->seed, ==, 7);
  g_assert_cmpfloat (run->seconds, ==, 98);
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run->id, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (series->len, ==, 8); /* with two kinds of events */
  for (guint i = 0; i < series->len; i++)
    check_series (store, run, series->pdata[i]);
  g_autoptr (GPtrArray) events = sluice_store_read_events (store, run->id, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (events->len, ==, 8);
  const SluiceEvent *second = events->pdata[2];
  g_assert_cmpstr (second->kind, ==, "learning-rate");
  g_assert_cmpstr (second->text, ==, "0.03 to 0.01");
  g_autoptr (GPtrArray) checkpoints = sluice_store_read_checkpoints (store, run->id, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (checkpoints->len, ==, 1);
  g_assert_cmpuint (((SluiceCheckpointInfo *) checkpoints->pdata[0])->bytes, ==, 1234);
}

/* Opens, and everything is there: also what was in the trash. */
static void
check_all (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
  check_run (store, "first");
  sluice_store_restore_run (store, 2, &error);
  g_assert_no_error (error);
  check_run (store, "trashed");
}

/* ---- tests ---- */

static void
test_versions (Fixture *f, gconstpointer unused)
{
  int newest = sluice_store_get_newest_version ();
  /* Whoever adds a version keeps a database of the one before in data/. */
  for (int version = 1; version < newest; version++)
    {
      g_autofree char *copy = g_strdup_printf ("%s.v%d", f->path, version);
      put_version (f, version);
      check_all (f);
      g_assert_cmpint (ask (f->path, "PRAGMA user_version"), ==, newest);
      g_assert_cmpint (ask (f->path, "PRAGMA application_id"), ==, SLUICE_STORE_APPLICATION_ID);
      g_assert_cmpint (ask (f->path, "SELECT count (*) FROM pragma_integrity_check WHERE "
                                     "integrity_check = 'ok'"),
                       ==, 1);
      g_assert_cmpint (ask (f->path, "SELECT count (*) FROM pragma_foreign_key_check"), ==, 0);
      g_assert_cmpint (ask (copy, "PRAGMA user_version"), ==, version);
      g_assert_cmpint (ask (copy, "SELECT sum (n) FROM scalar_chunks"), ==, 5012);
      check_all (f); /* nothing is left to do */
    }
}

/* The views of a new database are those of an old one that was brought up to date. */
static void
test_same_schema (Fixture *f, gconstpointer unused)
{
  g_autofree char *folder = g_build_filename (f->folder, "new", NULL);
  g_autofree char *path = g_build_filename (folder, "sluice.db", NULL);
  g_autoptr (GError) error = NULL;
  check_all (f);
  g_autoptr (SluiceStore) store = sluice_store_open (folder, &error);
  g_assert_no_error (error);
  g_autofree char *sql = g_strdup_printf ("ATTACH '%s' AS new", path);
  static const char differ[] =
      "SELECT count (*) FROM (SELECT s.type, s.name, c.name, c.type FROM sqlite_schema s LEFT JOIN "
      "pragma_table_info (s.name) c EXCEPT SELECT s.type, s.name, c.name, c.type FROM "
      "new.sqlite_schema s LEFT JOIN pragma_table_info (s.name, 'new') c)";
  sqlite3 *db;
  sqlite3_stmt *row;
  g_assert_cmpint (sqlite3_open (f->path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, differ, -1, &row, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (row), ==, SQLITE_ROW);
  g_assert_cmpint (sqlite3_column_int (row, 0), ==, 0);
  sqlite3_finalize (row);
  sqlite3_close (db);
}

/* Any program with SQLite reads the points; the bits are those that were logged. */
static void
test_plain_views (Fixture *f, gconstpointer unused)
{
  check_all (f);
  sqlite3 *db;
  sqlite3_stmt *row;
  g_assert_cmpint (sqlite3_open (f->path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db,
                                       "SELECT step, wall_time, value FROM points WHERE run = "
                                       "'first' AND tag = 'loss' ORDER BY step",
                                       -1, &row, NULL),
                   ==, SQLITE_OK);
  for (gint64 step = 0; step < 2500; step++)
    {
      double want = value_of (step);
      g_assert_cmpint (sqlite3_step (row), ==, SQLITE_ROW);
      g_assert_cmpint (sqlite3_column_int64 (row, 0), ==, step);
      g_assert_cmpfloat (sqlite3_column_double (row, 1), ==, WALL + (double) step * 0.125);
      if (isnan (want))
        g_assert_cmpint (sqlite3_column_type (row, 2), ==, SQLITE_NULL);
      else
        g_assert_cmpfloat (sqlite3_column_double (row, 2), ==, want);
    }
  g_assert_cmpint (sqlite3_step (row), ==, SQLITE_DONE);
  sqlite3_finalize (row);
  sqlite3_close (db);
}

/* ---- killed at each statement ---- */

static int n_left;

static int
count_statement (unsigned what, void *data, void *statement, void *text)
{
  if (--n_left == 0)
    raise (SIGKILL);
  return 0;
}

static int
watch_statements (sqlite3 *db, const char **message, const struct sqlite3_api_routines *unused)
{
  return sqlite3_trace_v2 (db, SQLITE_TRACE_STMT, count_statement, NULL);
}

/* TRUE where the child came to its end. */
static gboolean
open_in_child (Fixture *f, int statement)
{
  pid_t child = fork ();
  int status;
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      n_left = statement;
      sqlite3_auto_extension ((void (*) (void)) watch_statements);
      g_autoptr (SluiceStore) store = sluice_store_open (f->folder, NULL);
      _exit (store == NULL);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status) || WEXITSTATUS (status) == 0);
  return WIFEXITED (status);
}

static void
test_kill (Fixture *f, gconstpointer unused)
{
  int statement = 1;
  guint n_old = 0;
  for (; !open_in_child (f, statement); statement++)
    {
      gint64 version = ask (f->path, "PRAGMA user_version");
      g_assert_true (version >= 1 && version <= sluice_store_get_newest_version ());
      n_old += version == 1;
      check_all (f);
      put_version (f, 1);
    }
  g_test_message ("killed at %d statements, %u times before the new version was there",
                  statement - 1, n_old);
  g_assert_cmpint (n_old, >, 20);
  check_all (f);
}

/* ---- each write and each sync fails ---- */

/* Databases and journals have methods of their own: for each the real ones and ours. */
static struct
{
  const sqlite3_io_methods *real;
  sqlite3_io_methods faulty;
} methods[4];
static int (*real_open) (
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out);
static int n_until_fault, fault;

static gboolean
is_faulty (void)
{
  return n_until_fault > 0 && --n_until_fault == 0;
}

static const sqlite3_io_methods *
real_of (sqlite3_file *file)
{
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (file->pMethods == &methods[i].faulty)
      return methods[i].real;
  g_assert_not_reached ();
}

static int
write_or_fail (sqlite3_file *file, const void *data, int n, sqlite3_int64 at)
{
  return is_faulty () ? fault : real_of (file)->xWrite (file, data, n, at);
}

static int
sync_or_fail (sqlite3_file *file, int flags)
{
  return is_faulty () ? SQLITE_IOERR_FSYNC : real_of (file)->xSync (file, flags);
}

static int
open_faulty (sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out)
{
  int rc = real_open (vfs, name, file, flags, out);
  guint i = 0;
  if (rc != SQLITE_OK || file->pMethods == NULL)
    return rc;
  while (methods[i].real != NULL && methods[i].real != file->pMethods)
    g_assert_cmpuint (++i, <, G_N_ELEMENTS (methods));
  methods[i].real = file->pMethods;
  methods[i].faulty = *file->pMethods;
  methods[i].faulty.xWrite = write_or_fail;
  methods[i].faulty.xSync = sync_or_fail;
  file->pMethods = &methods[i].faulty;
  return rc;
}

static void
test_faults (Fixture *f, gconstpointer code)
{
  static sqlite3_vfs vfs;
  int n = 1;
  gboolean whole = FALSE;
  vfs = *sqlite3_vfs_find (NULL);
  real_open = vfs.xOpen;
  vfs.xOpen = open_faulty;
  vfs.zName = "faulty";
  fault = GPOINTER_TO_INT (code);
  for (; !whole; n++)
    {
      g_autoptr (GError) error = NULL;
      put_version (f, 1);
      n_until_fault = n;
      sqlite3_vfs_register (&vfs, TRUE);
      g_autoptr (SluiceStore) store = sluice_store_open (f->folder, &error);
      g_assert_true ((store == NULL) == (error != NULL));
      g_clear_object (&store);
      whole = n_until_fault > 0; /* it was over before the fault came */
      n_until_fault = 0;
      sqlite3_vfs_unregister (&vfs);
      check_all (f);
    }
  g_test_message ("%d writes and syncs failed", n - 2);
  g_assert_cmpint (n, >, 100);
}

/* ---- several at once, and what is refused ---- */

static void
test_at_once (Fixture *f, gconstpointer unused)
{
  for (guint round = 0; round < 5; round++)
    {
      pid_t children[4];
      put_version (f, 1);
      for (guint i = 0; i < G_N_ELEMENTS (children); i++)
        if ((children[i] = fork ()) == 0)
          {
            g_autoptr (SluiceStore) store = sluice_store_open (f->folder, NULL);
            _exit (store == NULL);
          }
      for (guint i = 0; i < G_N_ELEMENTS (children); i++)
        {
          int status;
          waitpid (children[i], &status, 0);
          g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
        }
      g_autofree char *copy = g_strconcat (f->path, ".v1", NULL);
      g_assert_cmpint (ask (copy, "PRAGMA user_version"), ==, 1);
      check_all (f);
    }
}

static void
assert_refused (Fixture *f, int code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_store_open (f->folder, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, SLUICE_ERROR, code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_nonnull (strstr (error->message, f->path));
}

static void
test_refused (Fixture *f, gconstpointer unused)
{
  change (f->path, "PRAGMA user_version = 99");
  assert_refused (f, SLUICE_ERROR_FAILED_PRECONDITION, "newer Sluice (version 99");
  put_version (f, 1);
  change (f->path, "PRAGMA application_id = 12345");
  assert_refused (f, SLUICE_ERROR_FAILED_PRECONDITION, "another program");
  put_version (f, 1);
  change (f->path, "PRAGMA user_version = 0");
  assert_refused (f, SLUICE_ERROR_FAILED_PRECONDITION, "another program");
  put_version (f, 1);
  change (f->path, "DROP TABLE images");
  assert_refused (f, SLUICE_ERROR_DATA_LOSS, "no such table: images");
  g_assert_cmpint (ask (f->path, "PRAGMA user_version"), ==, 1);
  put_version (f, 1);
  change (f->path, "ALTER TABLE runs DROP COLUMN seconds");
  assert_refused (f, SLUICE_ERROR_DATA_LOSS, "seconds");
  put_version (f, 1);
  change (f->path, "UPDATE histograms SET data = x'00' WHERE id = 3");
  assert_refused (f, SLUICE_ERROR_DATA_LOSS, "a histogram is damaged; a copy is '");
  put_version (f, 1);
  check_all (f);
  change (f->path, "DROP TABLE texts");
  assert_refused (f, SLUICE_ERROR_DATA_LOSS, "texts");
}

/* Half of a file, and pages of another one. */
static void
test_torn (Fixture *f, gconstpointer unused)
{
  g_autofree char *bytes = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (f->path, &bytes, &length, NULL));
  for (gsize at = 4096; at < length; at += 16384)
    {
      g_autoptr (GError) error = NULL;
      put_version (f, 1);
      g_assert_cmpint (truncate (f->path, (off_t) at), ==, 0);
      g_autoptr (SluiceStore) store = sluice_store_open (f->folder, &error);
      g_assert_null (store);
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, data, func) g_test_add ("/migrate/" name, Fixture, data, set_up, func, tear_down)
  ADD ("versions", NULL, test_versions);
  ADD ("same-schema", NULL, test_same_schema);
  ADD ("plain-views", NULL, test_plain_views);
  ADD ("kill", NULL, test_kill);
  ADD ("faults/io", GINT_TO_POINTER (SQLITE_IOERR_WRITE), test_faults);
  ADD ("faults/full", GINT_TO_POINTER (SQLITE_FULL), test_faults);
  ADD ("at-once", NULL, test_at_once);
  ADD ("refused", NULL, test_refused);
  ADD ("torn", NULL, test_torn);
#undef ADD
  return g_test_run ();
}
