/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/draft.h"
#include "engine/store/kinds/histogram.h"
#include "engine/store/kinds/image.h"
#include "engine/store/query.h"
#include "engine/store/store.h"
#include "tests/remove-tree.h"

typedef struct
{
  char *folder;
  SluiceStore *store;
  SluiceRunInfo run;
} Fixture;

static void
open_store (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  f->store = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-store-XXXXXX", &error);
  g_assert_no_error (error);
  open_store (f);
  f->run = (SluiceRunInfo){ .name = g_strdup ("run"), .state = SLUICE_RUN_RUNNING, .n_steps = 100 };
  sluice_store_add_run (f->store, &f->run, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  g_clear_object (&f->store);
  remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->run.name);
}

static gint64
open_series (SluiceRunLog *log, const char *tag)
{
  g_autoptr (GError) error = NULL;
  gint64 series = sluice_run_log_series (log, tag, SLUICE_SERIES_SCALAR, &error);
  g_assert_no_error (error);
  return series;
}

static SluiceRunLog *
open_log (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceRunLog *log = sluice_store_open_log (f->store, f->run.id, &error);
  g_assert_no_error (error);
  return log;
}

static void
close_log (SluiceRunLog *log)
{
  g_autoptr (GError) error = NULL;
  sluice_run_log_close (log, &error);
  g_assert_no_error (error);
}

static void
flush (SluiceRunLog *log)
{
  g_autoptr (GError) error = NULL;
  sluice_run_log_flush (log, &error);
  g_assert_no_error (error);
}

static GArray *
read_all (SluiceStore *store, gint64 series)
{
  g_autoptr (GError) error = NULL;
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  sluice_store_read_points (store, series, G_MININT64, G_MAXSIZE, points, &error);
  g_assert_no_error (error);
  return points;
}

/* A value that is told by the step, so that any point can be checked alone. */
static double
value_of (gint64 step)
{
  return step % 97 == 13 ? NAN : step % 89 == 7 ? INFINITY : sin (step * 0.01) * step;
}

static void
assert_points (GArray *points, gint64 first, gint64 last)
{
  g_assert_cmpint (points->len, ==, last - first + 1);
  for (guint i = 0; i < points->len; i++)
    {
      SluiceScalar *p = &g_array_index (points, SluiceScalar, i);
      double want = value_of (first + i);
      g_assert_cmpint (p->step, ==, first + i);
      g_assert_true (memcmp (&p->value, &want, sizeof want) == 0
                     || (isnan (p->value) && isnan (want)));
    }
}

static void
test_points (Fixture *f, gconstpointer unused)
{
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  for (gint64 step = 1; step <= 5000; step++)
    sluice_run_log_scalar (log, series, step, step * 0.5, value_of (step));
  flush (log);
  g_assert_cmpuint (sluice_run_log_get_n_committed (log), ==, 5000);
  g_autoptr (GArray) points = read_all (f->store, series);
  assert_points (points, 1, 5000);
  close_log (log);

  g_clear_object (&f->store);
  open_store (f);
  g_autoptr (GArray) again = read_all (f->store, series);
  assert_points (again, 1, 5000);
}

/* A resumed run logs steps again: each replaces what was there, in this process or the next one. */
static void
test_upsert (Fixture *f, gconstpointer unused)
{
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  for (gint64 step = 1; step <= 3000; step++)
    sluice_run_log_scalar (log, series, step, 0, -1);
  close_log (log);
  log = open_log (f);
  g_assert_cmpint (open_series (log, "loss"), ==, series);
  for (gint64 step = 700; step <= 4000; step++)
    sluice_run_log_scalar (log, series, step, 0, value_of (step));
  flush (log);
  for (gint64 step = 699; step >= 1; step--)
    sluice_run_log_scalar (log, series, step, 0, value_of (step));
  flush (log);
  g_autoptr (GArray) points = read_all (f->store, series);
  assert_points (points, 1, 4000);
  close_log (log);
}

/* From any step on, at the edges of rows and where there are none. */
static void
test_points_from (Fixture *f, gconstpointer unused)
{
  static const gint64 froms[] = { -5, 0, 2, 2046, 2048, 2049, 4000, 9997, 9998, 9999 };
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  for (gint64 step = 0; step < 10000; step += 2)
    sluice_run_log_scalar (log, series, step, 0, value_of (step));
  flush (log);
  for (guint i = 0; i < G_N_ELEMENTS (froms); i++)
    {
      g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
      gint64 first = MAX (froms[i] + (froms[i] & 1), 0);
      g_assert_true (
          sluice_store_read_points (f->store, series, froms[i], G_MAXSIZE, points, NULL));
      g_assert_cmpint (points->len, ==, (10000 - first) / 2);
      if (points->len > 0)
        g_assert_cmpint (g_array_index (points, SluiceScalar, 0).step, ==, first);
    }
  close_log (log);
}

/* Steps in random order, over many commits, end up sorted and whole. */
static void
test_random_order (Fixture *f, gconstpointer unused)
{
  enum
  {
    N = 9000
  };
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  g_autofree gint64 *order = g_new (gint64, N);
  for (gint64 i = 0; i < N; i++)
    order[i] = i;
  for (guint i = N - 1; i > 0; i--)
    {
      guint j = g_test_rand_int_range (0, i + 1);
      gint64 swap = order[i];
      order[i] = order[j];
      order[j] = swap;
    }
  for (guint i = 0; i < N; i++)
    {
      sluice_run_log_scalar (log, series, order[i], 0, value_of (order[i]));
      if (i % 1500 == 0)
        flush (log);
    }
  flush (log);
  g_autoptr (GArray) points = read_all (f->store, series);
  assert_points (points, 0, N - 1);
  close_log (log);
}

typedef struct
{
  gint64 n, n_nonfinite;
  double min, max, sum;
} Sums;

static gboolean
check_sums (sqlite3_stmt *row, gpointer data, GError **error)
{
  const Sums *expected = data;
  g_assert_cmpint (sqlite3_column_int64 (row, 0), ==, expected->n);
  g_assert_cmpint (sqlite3_column_int64 (row, 1), ==, expected->n_nonfinite);
  g_assert_cmpfloat (sqlite3_column_double (row, 2), ==, expected->min);
  g_assert_cmpfloat (sqlite3_column_double (row, 3), ==, expected->max);
  g_assert_cmpfloat_with_epsilon (sqlite3_column_double (row, 4), expected->sum, 1e-6);
  return TRUE;
}

/* What stands beside the points of a chunk, for queries that read no points. */
static void
test_sums (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  Sums expected = { .min = INFINITY, .max = -INFINITY };
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  for (expected.n = 0; expected.n < 20000; expected.n++)
    {
      double value = value_of (expected.n);
      sluice_run_log_scalar (log, series, expected.n, 0, value);
      if (!isfinite (value))
        expected.n_nonfinite++;
      else
        {
          expected.min = MIN (expected.min, value);
          expected.max = MAX (expected.max, value);
          expected.sum += value;
        }
    }
  close_log (log);
  g_assert_cmpint (expected.n_nonfinite, >, 0);
  sluice_store_query (f->store,
                      "SELECT sum (n), sum (n_nonfinite), min (min), max (max), sum (sum) "
                      "FROM scalar_chunks",
                      check_sums, &expected, &error);
  g_assert_no_error (error);
}

static void
test_truncate (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  for (gint64 step = 1; step <= 4000; step++)
    sluice_run_log_scalar (log, series, step, 0, value_of (step));
  sluice_run_log_event (log, 3500, 1, "checkpoint", NULL);
  sluice_run_log_event (log, 100, 1, "checkpoint", NULL);
  sluice_run_log_event (log, 100, 2, "checkpoint", NULL);
  sluice_run_log_truncate (log, 1500, &error);
  g_assert_no_error (error);
  for (gint64 step = 1501; step <= 2000; step++)
    sluice_run_log_scalar (log, series, step, 0, value_of (step));
  flush (log);
  g_autoptr (GArray) points = read_all (f->store, series);
  assert_points (points, 1, 2000);
  g_autoptr (GPtrArray) events = sluice_store_read_events (f->store, f->run.id, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (events->len, ==, 1);
  close_log (log);
}

static SluiceSeriesInfo *
find_series (Fixture *f, GPtrArray *all, const char *tag)
{
  for (guint i = 0; i < all->len; i++)
    if (g_str_equal (((SluiceSeriesInfo *) all->pdata[i])->tag, tag))
      return all->pdata[i];
  g_assert_not_reached ();
}

static void
test_histograms_and_images (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceRunLog *log = open_log (f);
  gint64 weights = sluice_run_log_series (log, "w", SLUICE_SERIES_HISTOGRAM, &error);
  gint64 images = sluice_run_log_series (log, "i", SLUICE_SERIES_IMAGE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sluice_run_log_series (log, "w2", SLUICE_SERIES_SCALAR, &error), >, 0);
  for (gint64 step = 0; step < 50; step++)
    {
      double limits[] = { 1, 2, step + 3. }, counts[] = { step, 0, 7 };
      SluiceHistogram *histogram = sluice_histogram_new (step, 1, -4, step, limits, counts, 3);
      histogram->count = step + 7;
      sluice_run_log_record (log, weights, &histogram->base);
      g_autoptr (GBytes) png = g_bytes_new (&step, sizeof step);
      sluice_run_log_record (log, images, &sluice_stored_image_new (step, 1, 8, 9, 3, png)->base);
    }
  flush (log);
  g_autoptr (GPtrArray) series = sluice_store_dup_series (f->store, f->run.id, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (series->len, ==, 3);
  const SluiceSeriesInfo *w = find_series (f, series, "w");
  g_assert_cmpint (w->n_points, ==, 50);
  g_assert_cmpint (w->last_step, ==, 49);
  g_autoptr (GPtrArray) all = sluice_store_read_records (f->store, w, 0, 1000, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (all->len, ==, 50);
  SluiceHistogram *histogram = all->pdata[21];
  g_assert_cmpint (histogram->base.step, ==, 21);
  g_assert_cmpuint (histogram->n, ==, 3);
  g_assert_cmpfloat (histogram->limits[2], ==, 24);
  g_assert_cmpfloat (histogram->counts[0], ==, 21);
  g_assert_cmpfloat (histogram->min, ==, -4);
  g_assert_cmpfloat (histogram->max, ==, 21);
  g_assert_cmpfloat (histogram->count, ==, 28);
  g_assert_true (isnan (histogram->sum));
  g_autoptr (GPtrArray) thin = sluice_store_read_records (f->store, w, 0, 7, &error);
  g_assert_cmpuint (thin->len, <=, 7);
  g_assert_cmpint (((SluiceRecord *) thin->pdata[thin->len - 1])->step, ==, 49);
  g_autoptr (GPtrArray) pictures =
      sluice_store_read_records (f->store, find_series (f, series, "i"), 48, 10, &error);
  g_assert_cmpuint (pictures->len, ==, 2);
  g_assert_cmpuint (((SluiceStoredImage *) pictures->pdata[0])->height, ==, 9);
  g_assert_cmpuint (((SluiceStoredImage *) pictures->pdata[0])->colorspace, ==, 3);
  close_log (log);

  log = open_log (f);
  g_assert_cmpint (sluice_run_log_series (log, "w", SLUICE_SERIES_SCALAR, &error), ==, -1);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  close_log (log);
}

static void
test_checkpoint_after_scalars (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  for (gint64 step = 1; step <= 100; step++)
    sluice_run_log_scalar (log, series, step, 0, value_of (step));
  sluice_run_log_publish_checkpoint (log, 100, "checkpoints/a", 12, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sluice_run_log_get_n_committed (log), ==, 100);
  g_autoptr (GPtrArray) checkpoints = sluice_store_read_checkpoints (f->store, f->run.id, &error);
  g_assert_cmpuint (checkpoints->len, ==, 1);
  g_assert_true (
      g_str_has_suffix (((SluiceCheckpointInfo *) checkpoints->pdata[0])->path, "/checkpoints/a"));
  close_log (log);
}

static void
test_runs (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo second = { .name = g_strdup ("run"), .message = (char *) "why" };
  sluice_store_add_run (f->store, &second, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (second.name, ==, "run-2");
  second.state = SLUICE_RUN_FAILED;
  second.failed_node = (char *) "log/value";
  sluice_store_update_run (f->store, &second, &error);
  g_autoptr (SluiceRunInfo) read = sluice_store_dup_run (f->store, "run-2", &error);
  g_assert_no_error (error);
  g_assert_cmpint (read->state, ==, SLUICE_RUN_FAILED);
  g_assert_cmpstr (read->message, ==, "why");
  g_assert_cmpstr (read->failed_node, ==, "log/value");
  g_assert_null (sluice_store_dup_run (f->store, "rum-2", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "did you mean 'run-2'"));
  g_clear_error (&error);

  sluice_store_delete_run (f->store, second.id, &error);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (f->store, &error);
  g_assert_cmpuint (runs->len, ==, 1);
  sluice_store_restore_run (f->store, second.id, &error);
  g_autoptr (GPtrArray) restored = sluice_store_dup_runs (f->store, &error);
  g_assert_cmpuint (restored->len, ==, 2);
  g_free (second.name);
}

/* The child acknowledges what is committed over a pipe until it is killed; all of that must be
 * there. */
static void
child_writes (const char *folder, int pipe_end)
{
  g_autoptr (SluiceStore) store = sluice_store_open (folder, NULL);
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, "run", NULL);
  sluice_store_lock_run (store, run->id, NULL);
  SluiceRunLog *log = sluice_store_open_log (store, run->id, NULL);
  gint64 series = sluice_run_log_series (log, "loss", SLUICE_SERIES_SCALAR, NULL);
  for (gint64 step = 0;; step++)
    {
      sluice_run_log_scalar (log, series, step, 0, value_of (step));
      gint64 committed = sluice_run_log_get_n_committed (log);
      if (step % 100 == 0 && write (pipe_end, &committed, sizeof committed) < 0)
        _exit (1);
      g_usleep (10);
    }
}

static void
test_kill (Fixture *f, gconstpointer unused)
{
  g_clear_object (&f->store);
  for (guint round = 0; round < 3; round++)
    {
      int ends[2];
      g_assert_cmpint (pipe (ends), ==, 0);
      pid_t child = fork ();
      if (child == 0)
        {
          close (ends[0]);
          child_writes (f->folder, ends[1]);
        }
      close (ends[1]);
      gint64 acknowledged = 0, message;
      gint64 enough = g_test_rand_int_range (500, 8000);
      while (acknowledged < enough && read (ends[0], &message, sizeof message) == sizeof message)
        acknowledged = message;
      g_assert_cmpint (kill (child, SIGKILL), ==, 0);
      while (read (ends[0], &message, sizeof message) == sizeof message)
        acknowledged = message;
      close (ends[0]);
      int status;
      waitpid (child, &status, 0);
      g_assert_true (WIFSIGNALED (status));

      g_autoptr (GError) error = NULL;
      open_store (f);
      g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (f->store, "run", &error);
      g_assert_cmpint (run->state, ==, SLUICE_RUN_CRASHED);
      g_autoptr (GPtrArray) series = sluice_store_dup_series (f->store, run->id, &error);
      g_assert_cmpuint (series->len, ==, 1);
      SluiceSeriesInfo *info = series->pdata[0];
      g_assert_cmpint (info->n_points, >=, acknowledged);
      g_autoptr (GArray) points = read_all (f->store, info->id);
      assert_points (points, 0, info->last_step);
      run->state = SLUICE_RUN_RUNNING;
      sluice_store_update_run (f->store, run, &error);
      g_assert_no_error (error);
      g_clear_object (&f->store);
    }
}

static void
test_lock (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) other = sluice_store_open (f->folder, &error);
  g_assert_true (sluice_store_lock_run (f->store, f->run.id, &error));
  g_assert_false (sluice_store_lock_run (other, f->run.id, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_clear_error (&error);
  sluice_store_unlock_run (f->store, f->run.id);
  g_assert_true (sluice_store_lock_run (other, f->run.id, &error));
}

static void
count_call (gpointer data)
{
  atomic_fetch_add ((_Atomic int *) data, 1);
}

static void
test_notify (Fixture *f, gconstpointer unused)
{
  _Atomic int n_calls = 0;
  sluice_store_set_notify (f->store, count_call, &n_calls);
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  for (gint64 step = 0; step < 3; step++)
    {
      sluice_run_log_scalar (log, series, step, 0, 0);
      flush (log);
    }
  g_assert_cmpint (n_calls, ==, 1);
  sluice_store_rearm (f->store);
  sluice_run_log_scalar (log, series, 3, 0, 0);
  flush (log);
  g_assert_cmpint (n_calls, ==, 2);
  sluice_store_set_notify (f->store, NULL, NULL);
  close_log (log);
}

typedef struct
{
  SluiceStore *store;
  SluiceRunLog *log;
  _Atomic guint64 committed;
} Asker;

/* What a function that is told of news does: it asks the store, and wants to be told again. */
static void
ask_store (gpointer data)
{
  Asker *asker = data;
  asker->committed = sluice_run_log_get_n_committed (asker->log);
  sluice_store_rearm (asker->store);
}

static void
test_notify_may_ask (Fixture *f, gconstpointer unused)
{
  Asker asker = { f->store, open_log (f), 0 };
  gint64 series = open_series (asker.log, "loss");
  sluice_store_set_notify (f->store, ask_store, &asker);
  for (gint64 step = 0; step < 3; step++)
    {
      sluice_run_log_scalar (asker.log, series, step, 0, 0);
      flush (asker.log);
    }
  sluice_store_set_notify (f->store, NULL, NULL); /* no call is under way any more */
  g_assert_cmpuint (asker.committed, ==, 3);
  close_log (asker.log);
}

static void
test_bad_databases (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (f->folder, "sluice.db", NULL);
  g_clear_object (&f->store);
  sqlite3 *db;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, "PRAGMA user_version = 99", NULL, NULL, NULL);
  sqlite3_close (db);
  g_assert_null (sluice_store_open (f->folder, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_clear_error (&error);

  g_autofree char *other = g_build_filename (f->folder, "other", NULL);
  g_autofree char *other_path = g_build_filename (other, "sluice.db", NULL);
  g_mkdir (other, 0777);
  g_autofree char *garbage = g_strnfill (20000, 'x');
  g_file_set_contents (other_path, garbage, -1, NULL);
  g_assert_null (sluice_store_open (other, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
  g_clear_error (&error);

  g_autofree char *file = g_build_filename (f->folder, "file", NULL);
  g_file_set_contents (file, "", 0, NULL);
  g_assert_null (sluice_store_open (file, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_PERMISSION_DENIED);
}

/* Where the file may not grow, logging says so, keeps what it could not write, and writes it once
 * there is room. */
static void
test_disk_full (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  struct rlimit before, tight = { 200000, RLIM_INFINITY };
  signal (SIGXFSZ, SIG_IGN);
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  getrlimit (RLIMIT_FSIZE, &before);
  setrlimit (RLIMIT_FSIZE, &tight);
  for (gint64 step = 0; step < 40000; step++)
    sluice_run_log_scalar (log, series, step, 0, value_of (step));
  g_assert_false (sluice_run_log_flush (log, &error));
  g_assert_nonnull (error);
  setrlimit (RLIMIT_FSIZE, &before);
  flush (log);
  g_autoptr (GArray) points = read_all (f->store, series);
  assert_points (points, 0, 39999);
  close_log (log);
}

/* The numbers of a run that was purged, and of its series, are given out again: what is remembered
 * of them is not. */
static void
test_purged (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceRunLog *other = sluice_store_open_log (f->store, f->run.id, &error);
  gint64 first = 0;
  for (guint round = 0; round < 2; round++)
    {
      SluiceRunInfo run = { .name = g_strdup ("other"), .n_steps = 1 };
      sluice_store_add_run (f->store, &run, &error);
      SluiceRunLog *log = sluice_store_open_log (f->store, run.id, &error);
      gint64 series = open_series (log, "loss");
      sluice_run_log_scalar (log, series, 1, 1e9, 2);
      sluice_run_log_close (log, &error);
      g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
      sluice_store_read_points (f->store, series, 0, 10, points, &error);
      g_assert_cmpuint (points->len, ==, 1);
      sluice_store_purge_run (f->store, run.id, &error);
      g_assert_no_error (error);
      g_assert_true (round == 0 || series == first);
      first = series;
      g_free (run.name);
    }
  sluice_run_log_close (other, &error);
  g_assert_no_error (error);
}

/* ---- what changed ---- */

static gint64
get_number (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) changes = sluice_store_dup_changes (f->store, &error);
  const gint64 *number = changes != NULL ? g_hash_table_lookup (changes, &f->run.id) : NULL;
  g_assert_no_error (error);
  return number != NULL ? *number : 0;
}

static gint64
get_version (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  gint64 version;
  sluice_store_read_version (f->store, &version, &error);
  g_assert_no_error (error);
  return version;
}

static void
test_changes (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  gint64 version = get_version (f), number = get_number (f);
  g_assert_cmpint (number, ==, 0);
  g_assert_cmpint (get_version (f), ==, version); /* reading is no commit */
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  g_assert_cmpint (get_version (f), !=, version);
  g_assert_cmpint (get_number (f), >, number);
  number = get_number (f);
  sluice_run_log_scalar (log, series, 1, 1, 0.5);
  flush (log);
  g_assert_cmpint (get_number (f), >, number);
  number = get_number (f);
  sluice_run_log_event (log, 1, 1, "note", NULL);
  flush (log);
  g_assert_cmpint (get_number (f), >, number);
  number = get_number (f);
  version = get_version (f);
  f->run.step = 1; /* the run's own row: nothing that it recorded */
  sluice_store_update_run (f->store, &f->run, &error);
  g_assert_no_error (error);
  g_assert_cmpint (get_number (f), ==, number);
  g_assert_cmpint (get_version (f), !=, version);
  sluice_run_log_truncate (log, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (get_number (f), >, number);
  close_log (log);
}

static void
test_one_series (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceRunLog *log = open_log (f);
  gint64 series = open_series (log, "loss");
  SluiceSeriesInfo *found;
  open_series (log, "accuracy");
  for (gint64 step = 0; step < 3000; step++)
    sluice_run_log_scalar (log, series, step, 1, 0.5);
  flush (log);
  g_assert_true (sluice_store_dup_extent (f->store, f->run.id, series, &found, &error));
  g_assert_cmpstr (found->tag, ==, "loss");
  g_assert_cmpint (found->n_points, ==, 1); /* that there are any */
  g_assert_cmpint (found->first_step, ==, 0);
  g_assert_cmpint (found->last_step, ==, 2999);
  g_assert_cmpfloat (found->last_value, ==, 0.5);
  sluice_series_info_free (found);
  g_assert_true (sluice_store_dup_extent (f->store, f->run.id, 12345, &found, &error));
  g_assert_null (found);
  g_assert_true (sluice_store_dup_extent (f->store, f->run.id + 1, series, &found, &error));
  g_assert_null (found); /* it is another run's */
  close_log (log);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/store/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("points", test_points);
  ADD ("points-from", test_points_from);
  ADD ("upsert", test_upsert);
  ADD ("random-order", test_random_order);
  ADD ("sums", test_sums);
  ADD ("truncate", test_truncate);
  ADD ("purged", test_purged);
  ADD ("histograms-and-images", test_histograms_and_images);
  ADD ("checkpoint-after-scalars", test_checkpoint_after_scalars);
  ADD ("runs", test_runs);
  ADD ("kill", test_kill);
  ADD ("lock", test_lock);
  ADD ("notify", test_notify);
  ADD ("notify-may-ask", test_notify_may_ask);
  ADD ("changes", test_changes);
  ADD ("one-series", test_one_series);
  ADD ("bad-databases", test_bad_databases);
  ADD ("disk-full", test_disk_full);
#undef ADD
  return g_test_run ();
}
