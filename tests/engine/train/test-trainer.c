/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/kinds/event.h"
#include "engine/train/repeats.h"
#include "engine/train/trainer.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

/* The newest run that the project, so set, would repeat. (transfer full) (nullable) */
static char *
dup_repeated (Fixture *f, const char *const *assignments)
{
  g_autoptr (SluiceProject) project = load_project (f->folder.path, assignments);
  return sluice_project_dup_repeated (project, f->store);
}

static void
test_repeated (Fixture *f, gconstpointer unused)
{
  g_autofree char *none = dup_repeated (f, NULL);
  g_autofree char *a = train (f, NULL, NULL);
  g_autofree char *b = train (f, NULL, (const char *const[]){ "seed=4", NULL });
  open_store (f);
  g_autofree char *same = dup_repeated (f, NULL);
  g_autofree char *longer = dup_repeated (f, (const char *const[]){ "steps=99", NULL });
  g_autofree char *other = dup_repeated (f, (const char *const[]){ "seed=4", NULL });
  g_autofree char *batch = dup_repeated (f, (const char *const[]){ "batch=3", NULL });
  g_autofree char *seed = dup_repeated (f, (const char *const[]){ "seed=5", NULL });
  g_assert_null (none);
  g_assert_cmpstr (same, ==, a);
  g_assert_cmpstr (longer, ==, a);
  g_assert_cmpstr (other, ==, b);
  g_assert_null (batch);
  g_assert_null (seed);
}

static void
test_run (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = train (f, NULL, NULL);
  g_assert_cmpstr (name, ==, "Line");
  g_autoptr (GArray) loss = read_series (f, name, "loss");
  g_assert_cmpuint (loss->len, ==, 40);
  g_assert_cmpint (g_array_index (loss, SluiceScalar, 0).step, ==, 1);
  g_assert_cmpfloat (g_array_index (loss, SluiceScalar, 39).value, <,
                     g_array_index (loss, SluiceScalar, 0).value);
  g_autoptr (GArray) again = read_series (f, name, "again");
  g_assert_cmpuint (again->len, ==, 40);
  g_autoptr (GArray) evaluation = read_series (f, name, "evaluate/loss");
  g_assert_cmpuint (evaluation->len, ==, 2);
  g_assert_cmpint (g_array_index (evaluation, SluiceScalar, 0).step, ==, 20);

  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, name, &error);
  g_assert_cmpint (info->state, ==, SLUICE_RUN_FINISHED);
  g_assert_cmpint (info->step, ==, 40);
  g_assert_cmpfloat (info->seconds, >, 0);
  g_autoptr (GBytes) graph = sluice_store_get_graph (f->store, info->graph_hash, &error);
  g_assert_no_error (error);
  for (gint64 step = 10; step <= 40; step += 10)
    {
      g_autofree char *path = checkpoint_path (f, name, step);
      g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
    }
  g_autoptr (GPtrArray) series = sluice_store_dup_series (f->store, info->id, &error);
  guint n_histograms = 0;
  for (guint i = 0; i < series->len; i++)
    {
      SluiceSeriesInfo *one = series->pdata[i];
      if (one->kind == SLUICE_SERIES_HISTOGRAM)
        {
          g_assert_cmpstr (one->tag, ==, "weights");
          g_assert_cmpint (one->n_points, ==, 8);
          n_histograms++;
        }
    }
  g_assert_cmpuint (n_histograms, ==, 1);
}

static void
test_reproducible (Fixture *f, gconstpointer unused)
{
  g_autofree char *a = train (f, NULL, NULL);
  g_autofree char *b = train (f, NULL, NULL);
  g_autofree char *c = train (f, NULL, (const char *const[]){ "seed=4", NULL });
  g_assert_cmpstr (b, ==, "Line-2");
  assert_same_checkpoint (f, a, b, 40);
  assert_same_series (f, a, b, "loss", 40);
  g_autofree char *x = checkpoint_path (f, a, 40);
  g_autofree char *y = checkpoint_path (f, c, 40);
  g_autofree char *left = NULL, *right = NULL;
  gsize n, m;
  g_file_get_contents (x, &left, &n, NULL);
  g_file_get_contents (y, &right, &m, NULL);
  g_assert_false (n == m && memcmp (left, right, n) == 0);
}

static void
test_pause_and_step (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = train (f, NULL, NULL);
  SluiceTrainerOptions options = { .run_name = "paused", .start_paused = TRUE };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &options, NULL);
  SluiceProgress p;
  sluice_trainer_start (trainer);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 0);
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.step, ==, 0);
  g_assert_true (isnan (p.loss));
  sluice_trainer_step (trainer, 3);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 3);
  sluice_trainer_step (trainer, 1);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 4);
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.step, ==, 4);
  g_assert_cmpuint (p.n_committed, ==, p.n_logged);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, "paused", &error);
  g_assert_cmpint (info->state, ==, SLUICE_RUN_PAUSED);
  g_assert_cmpint (info->step, ==, 4);
  sluice_trainer_resume (trainer);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
  assert_same_checkpoint (f, whole, "paused", 40);
  assert_same_series (f, whole, "paused", "loss", 40);
}

static const char *const two_workers[] = { "project.train=train;train",
                                           "project.loss=loss:0;loss:0", "cpus=2", NULL };

/* Workers wait for no other, but a run has as many steps as it should, and whole checkpoints. */
static void
test_workers (Fixture *f, gconstpointer unused)
{
  g_autofree char *name = train (f, NULL, two_workers);
  g_autoptr (GArray) loss = read_series (f, name, "loss");
  g_assert_cmpuint (loss->len, ==, 40);
  g_assert_cmpfloat (g_array_index (loss, SluiceScalar, 39).value, <,
                     g_array_index (loss, SluiceScalar, 0).value);
  g_autoptr (GArray) evaluation = read_series (f, name, "evaluate/loss");
  g_assert_cmpuint (evaluation->len, ==, 2);
  for (gint64 step = 10; step <= 40; step += 10)
    {
      g_autofree char *path = checkpoint_path (f, name, step);
      g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
    }
}

/* What workers have begun when a run is stopped is part of it, and the run goes on. */
static void
test_workers_stop (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceTrainerOptions options = { .run_name = "two", .start_paused = TRUE };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &options, two_workers);
  SluiceProgress p;
  sluice_trainer_start (trainer);
  sluice_trainer_step (trainer, 13);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 13);
  sluice_trainer_stop (trainer);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.state, ==, SLUICE_RUN_STOPPED);
  g_assert_cmpint (p.step, >=, 13);
  g_assert_cmpint (p.step, <=, 15);
  g_assert_cmpint (p.last_checkpoint, ==, p.step);
  g_clear_object (&trainer);
  open_store (f);
  SluiceTrainerOptions resume = { .resume = "two" };
  g_autofree char *name = train (f, &resume, NULL);
  g_autoptr (GArray) loss = read_series (f, "two", "loss");
  g_assert_cmpuint (loss->len, ==, 40);
}

/* The error of any worker ends the run. */
static void
test_workers_fail (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  folder_write (&f->folder, "y.csv", "0\n", -1);
  folder_write (&f->folder, "x.csv", "1,2,3,4\n", -1);
  g_autoptr (SluiceTrainer) trainer = new_trainer (
      f, NULL,
      (const char *const[]){ "project.train=train;train", "project.loss=loss:0;log/loss:0", NULL });
  sluice_trainer_start (trainer);
  g_assert_false (sluice_trainer_wait (trainer, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "infinite"));
}

/* A graph that makes its own examples: nothing is fed, and evaluated once. */
static void
test_no_data (Fixture *f, gconstpointer unused)
{
  g_autofree char *name =
      train (f, NULL,
             (const char *const[]){ "data.source=graph", "project.loss=small:0",
                                    "project.train=w/assign", "project.fetches=",
                                    "project.summaries=", "evaluate.fetches=small:small:0", NULL });
  g_autoptr (GArray) loss = read_series (f, name, "loss");
  g_assert_cmpuint (loss->len, ==, 40);
  g_autoptr (GArray) evaluation = read_series (f, name, "evaluate/small");
  g_assert_cmpuint (evaluation->len, ==, 2);
  g_assert_cmpfloat (g_array_index (evaluation, SluiceScalar, 1).value, ==, 0.01f);
}

/* Strings are written beside the run's checkpoints. */
static void
test_texts (Fixture *f, gconstpointer unused)
{
  g_autofree char *name = train (f, NULL, (const char *const[]){ "texts=tags:tag:0", NULL });
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, name, NULL);
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, info->id);
  g_autofree char *path = g_build_filename (folder, "tags.txt", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "weights\n");
  /* An event says that it was. */
  g_autoptr (GPtrArray) events = sluice_store_read_events (f->store, info->id, NULL);
  guint n = 0;
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      n += g_str_equal (event->kind, "text") && g_str_equal (event->text, "tags.txt");
    }
  g_assert_cmpuint (n, >, 0);
}

/* log 0 among the labels: the run stops and says which node made it. */
static void
test_not_finite (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) y = g_string_new (NULL);
  for (guint i = 0; i < 30; i++)
    g_string_append (y, i == 17 ? "0\n" : "1\n");
  folder_write (&f->folder, "y.csv", y->str, -1);
  for (guint round = 0; round < 2; round++)
    {
      /* Once with a checkpoint before it, once from the start. */
      const char *every = round == 0 ? "checkpoint-every=2" : "checkpoint-every=0";
      g_autoptr (SluiceTrainer) trainer = new_trainer (
          f, NULL, (const char *const[]){ "loss=log/loss:0", "shuffle=false", every, NULL });
      sluice_trainer_start (trainer);
      g_assert_false (sluice_trainer_wait (trainer, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "step 5"));
      g_assert_nonnull (strstr (error->message, "'log/value'"));
      g_clear_error (&error);
      SluiceProgress p;
      sluice_trainer_get_progress (trainer, &p);
      g_assert_cmpint (p.state, ==, SLUICE_RUN_FAILED);
      g_autoptr (SluiceRunInfo) info =
          sluice_store_dup_run (f->store, sluice_trainer_get_run_name (trainer), NULL);
      g_assert_cmpint (info->state, ==, SLUICE_RUN_FAILED);
      g_assert_nonnull (strstr (info->message, "'log/value'"));
      g_assert_cmpstr (info->failed_node, ==, "log/value");
      g_autoptr (GArray) loss = read_series (f, info->name, "loss");
      g_assert_cmpuint (loss->len, ==, 5);
      g_assert_true (isinf (g_array_index (loss, SluiceScalar, 4).value));
    }
}

static void
test_locked (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceTrainerOptions first = { .run_name = "one", .start_paused = TRUE };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &first, NULL);
  SluiceTrainerOptions second = { .resume = "one" };
  for (guint i = 0; i < 2; i++) /* the second try must not have freed the lock */
    {
      g_assert_null (
          sluice_trainer_new (f->store, load_project (f->folder.path, NULL), &second, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
      g_clear_error (&error);
    }
  g_clear_object (&trainer);
  g_autofree char *name = train (f, &second, NULL);
  g_assert_cmpstr (name, ==, "one");
}

/* Another program holds the database for longer than SQLite's own patience. */
static void
test_held_database (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = folder_dup_path (&f->folder, "workspace/sluice.db");
  g_autofree char *whole = train (f, NULL, NULL);
  SluiceTrainerOptions options = { .run_name = "held", .start_paused = TRUE };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &options, NULL);
  SluiceProgress p;
  sluice_trainer_start (trainer);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 0);
  sqlite3 *db;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_busy_timeout (db, 5000);
  g_assert_cmpint (sqlite3_exec (db, "BEGIN IMMEDIATE", NULL, NULL, NULL), ==, SQLITE_OK);
  sluice_trainer_resume (trainer);
  do
    {
      g_usleep (1000);
      sluice_trainer_get_progress (trainer, &p);
      g_assert_cmpint (p.state, !=, SLUICE_RUN_FAILED);
    }
  while (!p.waits);
  g_assert_cmpint (sqlite3_exec (db, "COMMIT", NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
  sluice_trainer_get_progress (trainer, &p);
  g_assert_false (p.waits);
  assert_same_checkpoint (f, whole, "held", 40);
  assert_same_series (f, whole, "held", "loss", 40);
}

static void
check_refused (Fixture *f, const char *const *assignments, SluiceError code, const char *word)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (
      sluice_trainer_new (f->store, load_project (f->folder.path, assignments), NULL, &error));
  g_assert_error (error, SLUICE_ERROR, (int) code);
  if (strstr (error->message, word) == NULL)
    g_error ("'%s' is not in: %s", word, error->message);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (f->store, NULL);
  g_assert_cmpuint (runs->len, ==, 0);
}

/* What cannot be trained is refused with its reason, and no run is left behind. */
static void
test_refused (Fixture *f, gconstpointer unused)
{
#define SET(assignment) (const char *const[]){ assignment, NULL }
  check_refused (f, SET ("graph=none.pbtxt"), SLUICE_ERROR_NOT_FOUND, "none.pbtxt");
  check_refused (f, SET ("loss=lost:0"), SLUICE_ERROR_NOT_FOUND, "lost");
  check_refused (f, SET ("train=trian"), SLUICE_ERROR_NOT_FOUND, "trian");
  check_refused (f, SET ("train=train;train"), SLUICE_ERROR_INVALID_ARGUMENT, "2 targets");
  check_refused (f, SET ("texts=a:loss:0"), SLUICE_ERROR_INVALID_ARGUMENT, "is float");
  check_refused (f, SET ("texts=a/b:tag:0"), SLUICE_ERROR_INVALID_ARGUMENT, "slash");
  check_refused (f, SET ("texts=a:lost:0"), SLUICE_ERROR_NOT_FOUND, "texts");
  check_refused (f, SET ("init=none"), SLUICE_ERROR_NOT_FOUND, "none");
  check_refused (f, SET ("data.x=z:0"), SLUICE_ERROR_NOT_FOUND, "[data] x");
  check_refused (f, SET ("data.x=tag:0"), SLUICE_ERROR_INVALID_ARGUMENT, "string");
  check_refused (f, SET ("data.shape=2;2"), SLUICE_ERROR_INVALID_ARGUMENT, "[4,2,2]");
  check_refused (f, SET ("data.shape=5"), SLUICE_ERROR_INVALID_ARGUMENT, "[30,4]");
  check_refused (f, SET ("train-x=none.csv"), SLUICE_ERROR_NOT_FOUND, "none.csv");
  check_refused (f, SET ("train-y=model.pbtxt"), SLUICE_ERROR_DATA_LOSS, "model.pbtxt");
  folder_write (&f->folder, "y.csv", "1\n2\n3\n", -1);
  check_refused (f, NULL, SLUICE_ERROR_INVALID_ARGUMENT, "same number of examples");
#undef SET
}

/* A graph whose fetch is no scalar fails at its first step, by name. */
static void
test_no_scalar (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer =
      new_trainer (f, NULL, (const char *const[]){ "project.fetches=all:square:0", NULL });
  sluice_trainer_start (trainer);
  g_assert_false (sluice_trainer_wait (trainer, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "'square:0'"));
}

static void
test_system_series (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer =
      new_trainer (f, NULL, (const char *const[]){ "steps=100000000", NULL });
  SluiceProgress p;
  sluice_trainer_start (trainer);
  do
    {
      g_usleep (5000);
      sluice_trainer_get_progress (trainer, &p);
      g_assert_cmpint (p.state, ==, SLUICE_RUN_RUNNING);
    }
  while (p.eta_seconds < 0 || p.memory_bytes == 0);
  g_assert_cmpfloat (p.steps_per_second, >, 0);
  g_assert_cmpfloat (p.cpu_load, >, 0);
  g_assert_cmpfloat (p.eta_seconds, >, 0);
  g_assert_cmpfloat (p.eta_margin, >=, 0);
  sluice_trainer_stop (trainer);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
  static const char *const tags[] = { "system/cpu", "system/memory", "system/steps-per-second" };
  for (guint i = 0; i < G_N_ELEMENTS (tags); i++)
    {
      g_autoptr (GArray) points = read_series (f, "Line", tags[i]);
      g_assert_cmpuint (points->len, >=, 1);
    }
}

/* A trainer that is dropped while it runs saves and leaves a run that can go on. */
static void
test_dropped (Fixture *f, gconstpointer unused)
{
  SluiceTrainer *trainer = new_trainer (f, NULL, (const char *const[]){ "steps=100000000", NULL });
  sluice_trainer_start (trainer);
  wait_for_state (trainer, SLUICE_RUN_RUNNING, 5);
  g_object_unref (trainer);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, "Line", NULL);
  g_assert_cmpint (info->state, ==, SLUICE_RUN_STOPPED);
  g_autofree char *path = checkpoint_path (f, "Line", info->step);
  g_assert_nonnull (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define ADD(name, func) g_test_add ("/trainer/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("run", test_run);
  ADD ("reproducible", test_reproducible);
  ADD ("repeated", test_repeated);
  ADD ("pause-and-step", test_pause_and_step);
  ADD ("workers", test_workers);
  ADD ("workers-stop", test_workers_stop);
  ADD ("workers-fail", test_workers_fail);
  ADD ("no-data", test_no_data);
  ADD ("texts", test_texts);
  ADD ("not-finite", test_not_finite);
  ADD ("locked", test_locked);
  ADD ("held-database", test_held_database);
  ADD ("refused", test_refused);
  ADD ("no-scalar", test_no_scalar);
  ADD ("system-series", test_system_series);
  ADD ("dropped", test_dropped);
  return g_test_run ();
}
