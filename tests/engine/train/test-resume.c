/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/store/checkpoints.h"
#include "engine/store/draft.h"
#include "engine/store/kinds/event.h"
#include "engine/train/reindex.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

static void
test_stop_and_resume (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = train (f, NULL, NULL);
  stop_at (f, "parts", 13);
  open_store (f);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, "parts", &error);
  g_assert_cmpint (info->state, ==, SLUICE_RUN_STOPPED);
  g_assert_cmpint (info->step, ==, 13);
  SluiceTrainerOptions options = { .resume = "parts" };
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, whole, "parts", 40);
  assert_same_series (f, whole, "parts", "loss", 40);
  assert_same_series (f, whole, "parts", "evaluate/loss", 2);
  g_autoptr (SluiceRunInfo) after = sluice_store_dup_run (f->store, "parts", &error);
  g_assert_cmpfloat (after->seconds, >, info->seconds);
}

/* Of all series of the run. */
static guint64
count_points (Fixture *f, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, name, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) series = sluice_store_dup_series (f->store, info->id, &error);
  g_assert_no_error (error);
  guint64 n = 0;
  for (guint i = 0; i < series->len; i++)
    if (((const SluiceSeriesInfo *) series->pdata[i])->id != 0)
      n += (guint64) ((const SluiceSeriesInfo *) series->pdata[i])->n_points;
  g_assert_cmpuint (n, >, 0);
  return n;
}

static void
test_resume_older (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  g_autofree char *back = train (f, NULL, NULL);
  SluiceTrainerOptions options = {
    .resume = back, .goes_back = TRUE, .from_step = 20, .start_paused = TRUE
  };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &options, NULL);
  g_autoptr (GArray) points = read_series (f, back, "loss");
  g_assert_cmpuint (points->len, ==, 20);
  SluiceProgress p;
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpuint (p.n_before, ==, count_points (f, back));
  g_autofree char *gone = checkpoint_path (f, back, 30);
  g_assert_null (gone);
  g_clear_object (&trainer);
  options.start_paused = FALSE;
  options.goes_back = FALSE;
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, whole, back, 40);
  assert_same_series (f, whole, back, "loss", 40);

  g_autoptr (GError) error = NULL;
  options.goes_back = TRUE;
  options.from_step = 7;
  g_assert_null (
      sluice_trainer_new (f->store, load_project (f->folder.path, NULL), &options, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "10, 20, 30, 40"));
}

/* As if the run had been killed before the checkpoint was published. */
static void
unpublish (Fixture *f, const char *run, gint64 step)
{
  g_autofree char *path = folder_dup_path (&f->folder, "workspace/sluice.db");
  g_autofree char *sql = g_strdup_printf ("DELETE FROM checkpoints WHERE step = %" G_GINT64_FORMAT
                                          " AND run = (SELECT id FROM runs WHERE name = '%s')",
                                          step, run);
  sqlite3 *db;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_busy_timeout (db, 5000);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_changes (db), ==, 1);
  sqlite3_close (db);
}

/* With another rate the points after the checkpoint are not those that will be written. */
static void
test_resume_changed (Fixture *f, gconstpointer unused)
{
  g_autofree char *name = train (f, NULL, (const char *const[]){ "steps=38", NULL });
  unpublish (f, name, 38);
  SluiceTrainerOptions options = { .resume = name, .start_paused = TRUE };
  g_autoptr (SluiceTrainer) same = new_trainer (f, &options, NULL);
  g_autoptr (GArray) kept = read_series (f, name, "loss");
  g_assert_cmpuint (kept->len, ==, 38);
  g_clear_object (&same);
  g_autoptr (SluiceTrainer) changed =
      new_trainer (f, &options, (const char *const[]){ "rate=0.001", NULL });
  g_autoptr (GArray) cut = read_series (f, name, "loss");
  g_assert_cmpuint (cut->len, ==, 30);
}

static void
flip_bit (const char *path, gsize from_end)
{
  g_autofree char *bytes = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  bytes[length - 1 - from_end] ^= 4;
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
}

/* FALSE where it is resumed; else *message, and everything is as it was. */
static char *
resume_refused (Fixture *f, const char *run, guint n_points)
{
  g_autoptr (GError) error = NULL;
  SluiceTrainerOptions options = { .resume = run };
  g_autoptr (SluiceRunInfo) before = sluice_store_dup_run (f->store, run, &error);
  g_assert_no_error (error);
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, before->id);
  g_assert_null (sluice_trainer_new (
      f->store, load_project (folder, (const char *const[]){ "steps=50", NULL }), &options,
      &error));
  g_assert_nonnull (error);
  g_autoptr (GArray) points = read_series (f, run, "loss");
  g_assert_cmpuint (points->len, ==, n_points);
  g_autoptr (SluiceRunInfo) after = sluice_store_dup_run (f->store, run, NULL);
  g_assert_cmpint (after->state, ==, before->state);
  g_assert_cmpint (after->n_steps, ==, before->n_steps);
  g_autoptr (SluiceProject) project = load_project (folder, NULL);
  g_assert_cmpint (project->n_steps, ==, 40);
  return g_strdup (error->message);
}

/* Damaged or gone: it is named, and nothing older is taken before somebody says so. */
static void
test_torn_checkpoint (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  stop_at (f, "torn", 33);
  g_autofree char *newest = checkpoint_path (f, "torn", 33);
  g_autofree char *before = checkpoint_path (f, "torn", 30);
  flip_bit (newest, 2);
  g_assert_cmpint (g_remove (before), ==, 0);
  g_autofree char *message = resume_refused (f, "torn", 33);
  g_assert_nonnull (strstr (message, newest));
  g_assert_nonnull (strstr (message, "tensor 'w'"));
  g_assert_nonnull (strstr (message, "--from 20"));

  SluiceTrainerOptions options = { .resume = "torn", .goes_back = TRUE, .from_step = 20 };
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, whole, "torn", 40);
  assert_same_series (f, whole, "torn", "loss", 40);
  g_assert_false (g_file_test (newest, G_FILE_TEST_EXISTS));
}

static void
test_all_torn (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  stop_at (f, "torn", 25);
  static const gint64 steps[] = { 10, 20, 25 };
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autofree char *path = checkpoint_path (f, "torn", steps[i]);
      flip_bit (path, 2 + i);
    }
  g_autofree char *message = resume_refused (f, "torn", 25);
  g_assert_nonnull (strstr (message, "step-0000000025"));
  g_assert_nonnull (strstr (message, "--from 0"));
  /* One that is asked for is no better. */
  g_autoptr (GError) error = NULL;
  SluiceTrainerOptions options = { .resume = "torn", .goes_back = TRUE, .from_step = 20 };
  g_assert_null (
      sluice_trainer_new (f->store, load_project (f->folder.path, NULL), &options, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
  g_assert_nonnull (strstr (error->message, "step-0000000020"));
  options.from_step = 0;
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, whole, "torn", 40);
  assert_same_series (f, whole, "torn", "loss", 40);
}

/* A run that was killed before it was first saved begins again, and loses nothing that it has. */
static void
test_never_saved (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  stop_at (f, "new", 5);
  unpublish (f, "new", 5);
  SluiceTrainerOptions options = { .resume = "new", .start_paused = TRUE };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &options, NULL);
  SluiceProgress p;
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.step, ==, 0);
  g_assert_cmpuint (p.n_before + 5, <=, count_points (f, "new")); /* those are written again */
  g_autoptr (GArray) points = read_series (f, "new", "loss");
  g_assert_cmpuint (points->len, ==, 5);
  g_clear_object (&trainer);
  options.start_paused = FALSE;
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, whole, "new", 40);
}

/* Another file under a data file's name is told, and taken only where somebody says so. */
static void
test_changed_data (Fixture *f, gconstpointer unused)
{
  stop_at (f, "mine", 15);
  g_autofree char *x = folder_dup_path (&f->folder, "x.csv");
  g_autofree char *text = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (x, &text, &length, NULL));
  /* The same bytes at another time are the same data. */
  folder_write (&f->folder, "x.csv", text, (gssize) length);
  SluiceTrainerOptions options = { .resume = "mine", .start_paused = TRUE };
  g_clear_object (&(SluiceTrainer *){ new_trainer (f, &options, NULL) });
  /* One digit, and a time that says nothing. */
  struct stat before;
  g_assert_cmpint (stat (x, &before), ==, 0);
  text[0] = text[0] == '4' ? '3' : '4';
  folder_write (&f->folder, "x.csv", text, (gssize) length);
  struct timespec times[] = { before.st_atim, before.st_mtim };
  g_assert_cmpint (utimensat (AT_FDCWD, x, times, 0), ==, 0);
  g_autofree char *message = resume_refused (f, "mine", 15);
  g_assert_nonnull (strstr (message, x));
  g_assert_nonnull (strstr (message, "[data] train-x"));
  g_assert_true (g_str_has_suffix (message, "go on with what is there now"));
  options.accept_changed_data = TRUE;
  g_clear_object (&(SluiceTrainer *){ new_trainer (f, &options, NULL) });
  /* From now on these are the run's data. */
  options.accept_changed_data = FALSE;
  g_clear_object (&(SluiceTrainer *){ new_trainer (f, &options, NULL) });
}

/* Everything that a run's folder is, but its points, outlives the database. */
static void
test_reindex (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = train (f, NULL, NULL);
  stop_at (f, "second", 25);
  g_clear_object (&f->store);
  static const char *const parts[] = { "workspace/sluice.db", "workspace/sluice.db-wal",
                                       "workspace/sluice.db-shm" };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *path = folder_dup_path (&f->folder, parts[i]);
      g_remove (path);
    }
  open_store (f);
  g_autoptr (GArray) lost = sluice_store_dup_lost_runs (f->store, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lost->len, ==, 2);
  /* A new run takes no folder that is there. */
  g_autofree char *third = train (f, NULL, NULL);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, third, NULL);
  g_assert_cmpint (info->id, ==, 3);
  for (guint i = 0; i < lost->len; i++)
    {
      g_autoptr (SluiceRunInfo) found =
          sluice_reindex_run (f->store, g_array_index (lost, gint64, i), &error);
      g_assert_no_error (error);
      g_assert_cmpint (found->id, ==, i + 1);
      g_assert_cmpstr (found->name, ==, (i == 0 ? "Line-2" : "second"));
      g_assert_cmpint (found->state, ==, (i == 0 ? SLUICE_RUN_FINISHED : SLUICE_RUN_STOPPED));
      g_assert_cmpint (found->step, ==, (i == 0 ? 40 : 25));
    }
  g_autoptr (GArray) none = sluice_store_dup_lost_runs (f->store, &error);
  g_assert_cmpuint (none->len, ==, 0);
  SluiceTrainerOptions options = { .resume = "second" };
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, third, "second", 40);
}

/* The steps of the checkpoints that are there, each with its file and no other file. */
static char *
list_checkpoints (Fixture *f, const char *run)
{
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, run, NULL);
  g_autoptr (GPtrArray) all = sluice_store_read_checkpoints (f->store, info->id, NULL);
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, info->id);
  g_autofree char *path = g_build_filename (folder, "checkpoints", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_files = 0;
  while (g_dir_read_name (dir) != NULL)
    n_files++;
  g_assert_cmpuint (n_files, ==, all->len);
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceCheckpointInfo *checkpoint = all->pdata[i];
      g_assert_true (g_file_test (checkpoint->path, G_FILE_TEST_IS_REGULAR));
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", checkpoint->step);
    }
  return g_strdup (text->str);
}

/* The step whose loss is least, or greatest, of those of the 40 that n divides. */
static gint64
best_step (Fixture *f, const char *run, gint64 n, gboolean is_max)
{
  g_autoptr (GArray) loss = read_series (f, run, "loss");
  gint64 best = n;
  for (gint64 step = n; step <= 40; step += n)
    {
      double a = g_array_index (loss, SluiceScalar, step - 1).value;
      double b = g_array_index (loss, SluiceScalar, best - 1).value;
      if (is_max ? a >= b : a <= b)
        best = step;
    }
  return best;
}

static void
check_kept (Fixture *f, const char *const *assignments, const char *wanted)
{
  g_autofree char *name = train (f, NULL, assignments);
  g_autofree char *kept = list_checkpoints (f, name);
  g_assert_cmpstr (kept, ==, wanted);
}

static void
test_prune (Fixture *f, gconstpointer unused)
{
#define SET(...) (const char *const[]){ "checkpoint-every=4", __VA_ARGS__, NULL }
  g_autofree char *all = train (f, NULL, SET ("keep-last=0"));
  g_autofree char *kept = list_checkpoints (f, all);
  g_assert_cmpstr (kept, ==, "4 8 12 16 20 24 28 32 36 40");
  check_kept (f, SET ("keep-best=0"), "24 28 32 36 40");
  check_kept (f, SET ("keep-best=0", "keep-last=1"), "40");
  check_kept (f, SET ("keep-best=0", "keep-last=2", "keep-every=12"), "12 24 36 40");
  g_autofree char *worst = g_strdup_printf ("%" G_GINT64_FORMAT " 40", best_step (f, all, 4, TRUE));
  check_kept (f, SET ("keep-last=1", "best=loss:max"), worst);
  gint64 best = best_step (f, all, 4, FALSE);
  g_autofree char *least =
      best == 40 ? g_strdup ("40") : g_strdup_printf ("%" G_GINT64_FORMAT " 40", best);
  check_kept (f, SET ("keep-last=1"), least);
#undef SET
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_trainer_new (
      f->store, load_project (f->folder.path, (const char *const[]){ "best=lost:min", NULL }), NULL,
      &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "evaluate/loss"));
}

/* By the time of training, at whatever step; the numbers are those of a run without. */
static void
test_minutes (Fixture *f, gconstpointer unused)
{
#define SET(...) (const char *const[]){ "checkpoint-every=0", "keep-last=0", __VA_ARGS__, NULL }
  g_autoptr (GError) error = NULL;
  g_autofree char *plain = train (f, NULL, SET ("steps=12"));
  g_autofree char *often = train (f, NULL, SET ("steps=12", "checkpoint-minutes=1e-12"));
  g_autofree char *kept = list_checkpoints (f, often);
  g_assert_cmpstr (kept, ==, "1 2 3 4 5 6 7 8 9 10 11 12");
  assert_same_checkpoint (f, plain, often, 12);
  g_autofree char *rarely = train (f, NULL, SET ("checkpoint-minutes=1e9"));
  g_autofree char *last = list_checkpoints (f, rarely);
  g_assert_cmpstr (last, ==, "40");
#undef SET
  g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
  g_assert_false (sluice_project_set (project, "checkpoint-minutes=-1", &error));
  g_assert_nonnull (strstr (error->message, "from 0 on"));
}

/* What is pinned stays while others go. */
static void
test_pin (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceTrainerOptions options = { .run_name = "pinned", .start_paused = TRUE };
  g_autoptr (SluiceTrainer) trainer = new_trainer (
      f, &options,
      (const char *const[]){ "checkpoint-every=4", "keep-last=1", "keep-best=0", NULL });
  gint64 run = sluice_trainer_get_run (trainer);
  sluice_trainer_start (trainer);
  sluice_trainer_step (trainer, 9);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 9);
  g_assert_true (sluice_store_pin_checkpoint (f->store, run, 8, TRUE, &error));
  g_assert_false (sluice_store_pin_checkpoint (f->store, run, 4, TRUE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  sluice_trainer_resume (trainer);
  g_assert_true (sluice_trainer_wait (trainer, &error));
  g_autofree char *kept = list_checkpoints (f, "pinned");
  g_assert_cmpstr (kept, ==, "8 40");
}

static void
test_other_graph (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  stop_at (f, "mine", 5);
  g_autofree char *path = folder_dup_path (&f->folder, "model.pbtxt");
  g_autofree char *text = NULL;
  g_file_get_contents (path, &text, NULL, NULL);
  g_autofree char *longer = g_strconcat (text, "node { name: 'more' op: 'NoOp' }\n", NULL);
  folder_write (&f->folder, "model.pbtxt", longer, -1);
  SluiceTrainerOptions options = { .resume = "mine" };
  g_assert_null (
      sluice_trainer_new (f->store, load_project (f->folder.path, NULL), &options, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_nonnull (strstr (error->message, "another graph"));
}

/* ---- audits ---- */

static char *
dup_audit (Fixture *f, const char *run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, run, &error);
  g_autoptr (GPtrArray) events = sluice_store_read_events (f->store, info->id, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < events->len; i++)
    if (strcmp (((SluiceEvent *) events->pdata[i])->kind, "audit") == 0)
      return g_strdup (((SluiceEvent *) events->pdata[i])->text);
  return NULL;
}

/* A step of the past gives the loss that was logged, whatever the run goes on with; where it does
 * not, the run is as it was. */
static void
test_audit (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  stop_at (f, "parts", 23);
  SluiceTrainerOptions options = { .resume = "parts", .audits = TRUE };
  g_autofree char *name = train (f, &options, (const char *const[]){ "keep-last=3", NULL });
  assert_same_checkpoint (f, whole, "parts", 40);
  g_autofree char *said = dup_audit (f, "parts");
  g_test_message ("%s", said);
  g_assert_true (g_str_has_prefix (said, "step 21 gives its loss"));

  stop_at (f, "other", 23);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, "other", NULL);
  SluiceRunLog *log = sluice_store_open_log (f->store, info->id, NULL);
  gint64 series = sluice_run_log_series (log, "loss", SLUICE_SERIES_SCALAR, NULL);
  sluice_run_log_scalar (log, series, 21, 1, 0.5);
  g_assert_true (sluice_run_log_close (log, NULL));
  options.resume = "other";
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, info->id);
  g_assert_null (sluice_trainer_new (f->store, load_project (folder, NULL), &options, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_nonnull (strstr (error->message, "step 21 of run 'other' had the loss 0.5, and has"));
  options.audits = FALSE;
  g_autofree char *goes_on = train (f, &options, NULL);

  stop_at (f, "young", 5);
  options = (SluiceTrainerOptions){ .resume = "young", .audits = TRUE };
  g_clear_error (&error);
  g_assert_null (
      sluice_trainer_new (f->store, load_project (f->folder.path, NULL), &options, &error));
  g_assert_nonnull (strstr (error->message, "no checkpoint with a step behind it"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define ADD(name, func) g_test_add ("/resume/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("stop-and-resume", test_stop_and_resume);
  ADD ("audit", test_audit);
  ADD ("resume-older", test_resume_older);
  ADD ("resume-changed", test_resume_changed);
  ADD ("torn-checkpoint", test_torn_checkpoint);
  ADD ("all-torn", test_all_torn);
  ADD ("never-saved", test_never_saved);
  ADD ("changed-data", test_changed_data);
  ADD ("reindex", test_reindex);
  ADD ("prune", test_prune);
  ADD ("minutes", test_minutes);
  ADD ("pin", test_pin);
  ADD ("other-graph", test_other_graph);
  return g_test_run ();
}
