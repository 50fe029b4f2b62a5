/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What people say of runs, the table of all of them, and the filter of the table. */
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/draft.h"
#include "engine/store/kinds/hparams.h"
#include "engine/store/run-filter.h"
#include "engine/store/runs.h"
#include "tests/remove-tree.h"

typedef struct
{
  char *folder;
  SluiceStore *store;
  gint64 first, second; /* runs */
} Fixture;

static gint64
add_run (Fixture *f, const char *name, const char *project)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo info = { .name = g_strdup (name), .project = g_strdup (project), .created = 1 };
  sluice_store_add_run (f->store, &info, &error);
  g_assert_no_error (error);
  g_free (info.name);
  g_free (info.project);
  return info.id;
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-runs-XXXXXX", &error);
  f->store = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
  f->first = add_run (f, "first", "digits");
  f->second = add_run (f, "second", "lstm");
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  g_clear_object (&f->store);
  remove_tree (f->folder);
  g_free (f->folder);
}

/* ---- how they begin ---- */

static void
assert_named (Fixture *f, const char *name, const char *got)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo info = { .name = g_strdup (name) };
  sluice_store_add_run (f->store, &info, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (info.name, ==, got);
  g_free (info.name);
}

static void
test_free_names (Fixture *f, gconstpointer unused)
{
  static const char *const names[][2] = {
    { "a", "a" },       { "a", "a-2" },
    { "a-4", "a-4" },   { "a-x", "a-x" },
    { "a-", "a-" },     { "a-5b", "a-5b" },
    { "a", "a-3" },     { "a", "a-5" },
    { "a-2", "a-2-2" }, { "A", "A" },
    { "a", "a-6" },     { "a%", "a%" },
    { "a%", "a%-2" },   { "a_-2", "a_-2" },
    { "a_", "a_" },     { "a_", "a_-3" },
    { "a-1", "a-1" },   { "a", "a-7" },
    { "ä", "ä" },       { "ä", "ä-2" },
    { "b", "b" },       { "b-99999999999999999999", "b-99999999999999999999" },
    { "b", "b-2" },     { "b", "b-3" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    assert_named (f, names[i][0], names[i][1]);
}

static gboolean
write_name (const char *folder, const SluiceRunInfo *info, gpointer data, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "name", NULL);
  return g_file_set_contents (path, info->name, -1, error);
}

/* Folders of so many, and what they are to be. */
static SluiceRunDraft *
new_draft (Fixture *f, const char *const *names, GPtrArray *infos)
{
  g_autoptr (GError) error = NULL;
  SluiceRunDraft *draft = sluice_run_draft_new (f->store, &error);
  for (guint i = 0; names[i] != NULL; i++)
    {
      SluiceRunInfo info = { .name = (char *) names[i], .state = SLUICE_RUN_WAITING };
      g_autofree char *folder = sluice_run_draft_add_folder (draft, &error);
      g_assert_no_error (error);
      write_name (folder, &info, NULL, NULL);
      g_ptr_array_add (infos, sluice_run_info_copy (&info));
    }
  return draft;
}

static void
assert_folder (Fixture *f, gint64 run, const char *name)
{
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, run), *text = NULL;
  g_autofree char *path = g_build_filename (folder, "name", NULL);
  g_autofree char *checkpoints = g_build_filename (folder, "checkpoints", NULL);
  g_assert_true (g_file_test (checkpoints, G_FILE_TEST_IS_DIR));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, name);
}

static GPtrArray *
new_infos (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
}

/* Names that are taken are told in the folders, too. */
static void
test_together (Fixture *f, gconstpointer unused)
{
  static const char *const names[] = { "sweep-1", "first", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) infos = new_infos ();
  const SluiceQueueNeeds needs = { 0 };
  const SluiceRunStart starts[] = { { .waits = &needs, .write = write_name },
                                    { .waits = &needs, .write = write_name } };
  SluiceRunDraft *draft = new_draft (f, names, infos);
  g_assert_true (sluice_run_draft_start_all (draft, infos, starts, &error));
  g_assert_no_error (error);
  const SluiceRunInfo *one = infos->pdata[0], *other = infos->pdata[1];
  g_assert_cmpint (one->id, ==, f->second + 1);
  g_assert_cmpint (other->id, ==, one->id + 1);
  g_assert_cmpstr (other->name, ==, "first-2");
  assert_folder (f, one->id, "sweep-1");
  assert_folder (f, other->id, "first-2");
  g_autoptr (GPtrArray) entries = sluice_run_queue_dup_entries (f->store, &error);
  g_assert_cmpuint (entries->len, ==, 2);
  g_assert_true (sluice_store_lock_run (f->store, other->id, &error));
  sluice_store_unlock_run (f->store, other->id);
}

static gboolean
refuse (const char *folder, const SluiceRunInfo *info, gpointer data, GError **error)
{
  g_set_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS, "no");
  return FALSE;
}

/* The second one fails: the first is no run either. */
static void
test_none_of_them (Fixture *f, gconstpointer unused)
{
  static const char *const names[] = { "one", "first", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) infos = new_infos ();
  const SluiceRunStart starts[] = { { .write = refuse }, { .write = refuse } };
  SluiceRunDraft *draft = new_draft (f, names, infos);
  g_assert_false (sluice_run_draft_start_all (draft, infos, starts, &error));
  g_assert_error (error, SLUICE_ERROR, (int) SLUICE_ERROR_DATA_LOSS);
  g_assert_cmpint (((SluiceRunInfo *) infos->pdata[0])->id, ==, 0);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (f->store, NULL);
  g_assert_cmpuint (runs->len, ==, 2);
  g_autofree char *folder = g_build_filename (f->folder, "runs", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_assert_null (dir != NULL ? g_dir_read_name (dir) : NULL);
}

static char *
dup_in_runs (Fixture *f, const char *name)
{
  return g_build_filename (f->folder, "runs", name, NULL);
}

/* What killed programs left goes when the next draft begins, also where the lock's file went before
 * the rest; what somebody works on stays. */
static void
test_killed_over_a_draft (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *locked = dup_in_runs (f, ".new-a/checkpoints");
  g_autofree char *lock = dup_in_runs (f, ".new-a/lock");
  g_autofree char *half = dup_in_runs (f, ".new-b/checkpoints");
  g_autofree char *first = dup_in_runs (f, ".new-a"), *second = dup_in_runs (f, ".new-b");
  SluiceRunDraft *alive = sluice_run_draft_new (f->store, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_mkdir_with_parents (locked, 0777), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (half, 0777), ==, 0);
  g_assert_true (g_file_set_contents (lock, "", 0, NULL));
  SluiceRunDraft *next = sluice_run_draft_new (f->store, &error);
  g_assert_no_error (error);
  g_assert_false (g_file_test (first, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (second, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (sluice_run_draft_get_folder (alive), G_FILE_TEST_IS_DIR));
  g_assert_true (g_file_test (sluice_run_draft_get_folder (next), G_FILE_TEST_IS_DIR));
  sluice_run_draft_free (next);
  sluice_run_draft_free (alive);
}

/* A program is killed when folders have their numbers and the transaction is not over: they are no
 * lost runs, and go when the next one begins; a folder of a database that was lost stays. */
static void
test_killed_between (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  for (gint64 run = f->second + 1; run < f->second + 4; run++)
    {
      g_autofree char *folder = sluice_store_dup_run_folder (f->store, run);
      g_autofree char *mark = g_build_filename (folder, ".unborn", NULL);
      g_autofree char *lock = g_build_filename (folder, "lock", NULL);
      g_assert_cmpint (g_mkdir_with_parents (folder, 0777), ==, 0);
      g_assert_true (g_file_set_contents (mark, "", 0, NULL));
      if (run == f->second + 1) /* somebody has trained it */
        g_assert_true (g_file_set_contents (lock, "", 0, NULL));
    }
  g_autoptr (GArray) lost = sluice_store_dup_lost_runs (f->store, &error);
  g_assert_cmpuint (lost->len, ==, 1);
  g_assert_cmpint (g_array_index (lost, gint64, 0), ==, f->second + 1);
  g_assert_cmpint (add_run (f, "next", NULL), ==, f->second + 2);
}

/* ---- what people say ---- */

static void
assert_fails (gboolean ok, GError **error, SluiceError code, const char *part)
{
  g_assert_false (ok);
  g_assert_error (*error, SLUICE_ERROR, (int) code);
  g_assert_nonnull (strstr ((*error)->message, part));
  g_clear_error (error);
}

static void
test_said (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) stale = sluice_store_dup_run (f->store, "second", &error);
  sluice_store_set_run_name (f->store, f->second, "the best", &error);
  sluice_store_set_run_notes (f->store, f->second, "# Why\n\nIt *learns*.", &error);
  sluice_store_set_run_group (f->store, f->second, "sweep 1", &error);
  sluice_store_set_run_starred (f->store, f->second, TRUE, &error);
  sluice_store_set_run_color (f->store, f->second, "#2EC27e", &error);
  sluice_store_set_run_tag (f->store, f->second, "paper", TRUE, &error);
  sluice_store_set_run_tag (f->store, f->second, "a tag with \"marks\"", TRUE, &error);
  sluice_store_set_run_tag (f->store, f->second, "paper", TRUE, &error);
  sluice_store_set_run_tag (f->store, f->first, "paper", TRUE, &error);
  sluice_store_set_run_tag (f->store, f->first, "paper", FALSE, &error);
  sluice_store_set_run_tag (f->store, f->first, "never", FALSE, &error);
  g_assert_no_error (error);
  /* What a trainer writes twice a second leaves it as it is. */
  stale->step = 7;
  sluice_store_update_run (f->store, stale, &error);
  g_assert_no_error (error);

  g_autoptr (SluiceRunInfo) second = sluice_store_dup_run (f->store, "the best", &error);
  g_assert_no_error (error);
  g_assert_cmpint (second->step, ==, 7);
  g_assert_cmpstr (second->notes, ==, "# Why\n\nIt *learns*.");
  g_assert_cmpstr (second->group, ==, "sweep 1");
  g_assert_true (second->is_starred);
  g_assert_cmpstr (second->color, ==, "#2ec27e");
  g_assert_cmpuint (g_strv_length (second->tags), ==, 2);
  g_assert_cmpstr (second->tags[0], ==, "a tag with \"marks\"");
  g_assert_cmpstr (second->tags[1], ==, "paper");
  g_autoptr (SluiceRunInfo) first = sluice_store_dup_run (f->store, "#1", &error);
  g_assert_no_error (error);
  g_assert_null (first->tags);
  g_assert_null (first->notes);

  sluice_store_set_run_notes (f->store, f->second, "", &error);
  sluice_store_set_run_group (f->store, f->second, NULL, &error);
  sluice_store_set_run_starred (f->store, f->second, FALSE, &error);
  sluice_store_set_run_color (f->store, f->second, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceRunInfo) bare = sluice_store_dup_run (f->store, "2", &error);
  g_assert_null (bare->notes);
  g_assert_null (bare->group);
  g_assert_false (bare->is_starred);
  g_assert_null (bare->color);
}

static void
test_refused (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *long_note = g_strnfill (SLUICE_RUN_MAX_NOTES + 1, 'x');
  assert_fails (sluice_store_set_run_name (f->store, f->first, "second", &error), &error,
                SLUICE_ERROR_ALREADY_EXISTS, "'second' already");
  assert_fails (sluice_store_set_run_name (f->store, f->first, "#2", &error), &error,
                SLUICE_ERROR_INVALID_ARGUMENT, "name of the run");
  assert_fails (sluice_store_set_run_name (f->store, f->first, "", &error), &error,
                SLUICE_ERROR_INVALID_ARGUMENT, "name of the run");
  assert_fails (sluice_store_set_run_tag (f->store, f->first, "two\nlines", TRUE, &error), &error,
                SLUICE_ERROR_INVALID_ARGUMENT, "the tag");
  assert_fails (sluice_store_set_run_group (f->store, f->first, " blank", &error), &error,
                SLUICE_ERROR_INVALID_ARGUMENT, "the group");
  assert_fails (sluice_store_set_run_color (f->store, f->first, "#2ec27", &error), &error,
                SLUICE_ERROR_INVALID_ARGUMENT, "'#2ec27' is no colour; write");
  assert_fails (sluice_store_set_run_notes (f->store, f->first, "\xff", &error), &error,
                SLUICE_ERROR_INVALID_ARGUMENT, "UTF-8");
  assert_fails (sluice_store_set_run_notes (f->store, f->first, long_note, &error), &error,
                SLUICE_ERROR_RESOURCE_EXHAUSTED, "notes may have");
  long_note[1000000] = '\0';
  g_assert_true (sluice_store_set_run_notes (f->store, f->first, long_note, &error));
  g_assert_no_error (error);
  g_assert_true (sluice_store_set_run_name (f->store, f->first, "first", &error)); /* its own */
  g_assert_no_error (error);
}

/* A name in the trash is taken, and what asks for it says where it is. */
static void
test_trash (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  sluice_store_set_run_tag (f->store, f->first, "kept", TRUE, &error);
  sluice_store_delete_run (f->store, f->first, &error);
  g_assert_no_error (error);
  g_assert_null (sluice_store_dup_run (f->store, "first", &error));
  assert_fails (FALSE, &error, SLUICE_ERROR_NOT_FOUND, "in the trash");
  assert_fails (sluice_store_set_run_name (f->store, f->second, "first", &error), &error,
                SLUICE_ERROR_ALREADY_EXISTS, "trash");
  g_assert_null (sluice_store_dup_deleted_run (f->store, "furst", &error));
  assert_fails (FALSE, &error, SLUICE_ERROR_NOT_FOUND, "did you mean 'first'?");
  g_autoptr (SluiceRunInfo) deleted = sluice_store_dup_deleted_run (f->store, "first", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (deleted->deleted, >, 0);
  g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (f->store, TRUE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (rows->len, ==, 1);
  sluice_store_restore_run (f->store, f->first, &error);
  g_autoptr (SluiceRunInfo) back = sluice_store_dup_run (f->store, "first", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (back->tags[0], ==, "kept");
  g_assert_cmpfloat (back->deleted, ==, 0);
  /* What is gone for good leaves no tag to whoever gets its number next. */
  sluice_store_purge_run (f->store, f->first, &error);
  g_assert_no_error (error);
  SluiceRunInfo again = { .id = f->first, .name = g_strdup ("again") };
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  sluice_store_adopt_run (f->store, &again, none, NULL, &error);
  g_assert_no_error (error);
  g_free (again.name);
  g_autoptr (SluiceRunInfo) fresh = sluice_store_dup_run (f->store, "again", &error);
  g_assert_null (fresh->tags);
}

/* ---- results ---- */

#define N_POINTS 3000 /* some chunks */

/* Least at step 2345, greatest at 77; not finite at 0, 1500 and the last. */
static double
value_at (gint64 step)
{
  return step == 0 || step == N_POINTS - 1 ? NAN
         : step == 1500                    ? INFINITY
         : step == 2345                    ? -9
         : step == 77                      ? 99
                                           : (double) (step * 7919 % 1000) / 100;
}

static const SluiceRunEntry *
find_row (GPtrArray *rows, gint64 run)
{
  for (guint i = 0; i < rows->len; i++)
    if (((const SluiceRunEntry *) rows->pdata[i])->info->id == run)
      return rows->pdata[i];
  g_assert_not_reached ();
}

static void
log_all (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceRunLog *log = sluice_store_open_log (f->store, f->first, &error);
  gint64 loss = sluice_run_log_series (log, "loss", SLUICE_SERIES_SCALAR, &error);
  gint64 accuracy = sluice_run_log_series (log, "accuracy", SLUICE_SERIES_SCALAR, &error);
  gint64 broken = sluice_run_log_series (log, "broken/loss", SLUICE_SERIES_SCALAR, &error);
  gint64 start =
      sluice_run_log_series (log, SLUICE_HPARAMS_START_TAG, SLUICE_SERIES_HPARAMS, &error);
  sluice_run_log_series (log, "empty", SLUICE_SERIES_SCALAR, &error);
  g_assert_no_error (error);
  const SluiceHparam settings[] = { { "lr", 0.125 }, { "batch", 64 } };
  sluice_run_log_record (log, start, &sluice_hparams_new_start (0, 1, settings, 2)->base);
  for (gint64 step = 0; step < N_POINTS; step++)
    {
      sluice_run_log_scalar (log, loss, step, 1 + step, value_at (step));
      sluice_run_log_scalar (log, accuracy, step, 1 + step, value_at (step));
    }
  sluice_run_log_scalar (log, broken, 4, 1, NAN);
  sluice_run_log_close (log, &error);
  g_assert_no_error (error);
}

static void
test_results (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  log_all (f);
  g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (f->store, FALSE, &error);
  g_assert_no_error (error);
  const SluiceRunEntry *row = find_row (rows, f->first);
  g_assert_cmpuint (row->settings->len, ==, 2);
  g_assert_cmpstr (((SluiceSetting *) row->settings->pdata[1])->name, ==, "lr");
  g_assert_cmpfloat (((SluiceSetting *) row->settings->pdata[1])->number, ==, 0.125);
  g_assert_cmpuint (row->results->len, ==, 3); /* not the empty one */
  const SluiceRunResult *accuracy = row->results->pdata[0], *broken = row->results->pdata[1],
                        *loss = row->results->pdata[2];
  double best;
  gint64 step;
  g_assert_cmpint (loss->n, ==, N_POINTS);
  g_assert_cmpint (loss->n_nonfinite, ==, 3);
  g_assert_cmpint (loss->first_step, ==, 0);
  g_assert_cmpint (loss->last_step, ==, N_POINTS - 1);
  g_assert_true (isnan (loss->first) && isnan (loss->last));
  g_assert_true (sluice_run_result_get_best (loss, &best, &step));
  g_assert_cmpfloat (best, ==, -9);
  g_assert_cmpint (step, ==, 2345);
  g_assert_true (sluice_run_result_get_best (accuracy, &best, &step));
  g_assert_cmpfloat (best, ==, 99);
  g_assert_cmpint (step, ==, 77);
  g_assert_cmpint (broken->n, ==, 1);
  g_assert_false (sluice_run_result_get_best (broken, &best, &step));
  g_assert_cmpuint (find_row (rows, f->second)->results->len, ==, 0);
}

/* Going back to a checkpoint takes the best of what came later with it. */
static void
test_results_cut (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  log_all (f);
  SluiceRunLog *log = sluice_store_open_log (f->store, f->first, &error);
  sluice_run_log_truncate (log, 50, &error);
  sluice_run_log_close (log, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (f->store, FALSE, &error);
  const SluiceRunResult *accuracy = find_row (rows, f->first)->results->pdata[0];
  double best, want = -INFINITY;
  gint64 step, want_step = -1;
  for (gint64 s = 1; s <= 50; s++)
    if (value_at (s) > want)
      {
        want = value_at (s);
        want_step = s;
      }
  g_assert_true (sluice_run_result_get_best (accuracy, &best, &step));
  g_assert_cmpfloat (best, ==, want);
  g_assert_cmpint (step, ==, want_step);
  g_assert_cmpint (accuracy->last_step, ==, 50);
}

/* A program that is killed behind a checkpoint writes the row no more: it says how far the run got.
 */
static void
test_checkpoint_step (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceRunLog *log = sluice_store_open_log (f->store, f->first, &error);
  g_assert_no_error (error);
  for (gint64 step = 40; step >= 4; step -= 36) /* the latest counts, whatever comes last */
    {
      g_assert_true (sluice_run_log_publish_checkpoint (log, step, "a", 1, NULL, &error));
      g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (f->store, FALSE, &error);
      g_assert_no_error (error);
      g_assert_cmpint (find_row (rows, f->first)->info->step, ==, 40);
    }
  sluice_run_log_close (log, &error);
  g_assert_no_error (error);
}

static void
test_better (void)
{
  static const struct
  {
    const char *tag;
    SluiceBest want;
  } cases[] = {
    { "accuracy", SLUICE_BEST_GREATEST },
    { "evaluate/Accuracy", SLUICE_BEST_GREATEST },
    { "val.acc", SLUICE_BEST_GREATEST },
    { "mean_return", SLUICE_BEST_GREATEST },
    { "loss", SLUICE_BEST_LEAST },
    { "evaluate/bits", SLUICE_BEST_LEAST },
    { "accuracy_loss", SLUICE_BEST_LEAST },
    { "loss/rate", SLUICE_BEST_UNKNOWN },
    { "accent", SLUICE_BEST_UNKNOWN },
    { "learning_rate", SLUICE_BEST_UNKNOWN },
    { "", SLUICE_BEST_UNKNOWN },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (sluice_tag_get_better (cases[i].tag), ==, cases[i].want);
}

/* ---- the filter ---- */

static SluiceRunEntry *
make_row (void)
{
  static const SluiceSetting settings[] = { { "lr", 0.01, NULL },
                                            { "optimizer", NAN, "adam" },
                                            { "hidden size", 128, NULL } };
  static const SluiceRunResult results[] = { { .tag = "evaluate/accuracy", .last = 0.97 },
                                             { .tag = "loss", .last = NAN } };
  static SluiceRunInfo info = { .id = 3,
                                .name = "LeNet five",
                                .project = "digits-lenet",
                                .state = SLUICE_RUN_FAILED,
                                .step = 400,
                                .n_steps = 1000,
                                .seed = 7,
                                .notes = "after dinner: Ärger",
                                .group = "sweep",
                                .is_starred = TRUE };
  static const char *tags[] = { "lenet5", "paper", NULL };
  SluiceRunEntry *row = g_new0 (SluiceRunEntry, 1);
  info.tags = (char **) tags;
  row->info = sluice_run_info_copy (&info);
  row->settings = g_ptr_array_new ();
  row->results = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    g_ptr_array_add (row->settings, (gpointer) &settings[i]);
  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    g_ptr_array_add (row->results, (gpointer) &results[i]);
  return row;
}

static void
test_filter (void)
{
  static const struct
  {
    const char *text;
    gboolean matches;
  } cases[] = {
    { "", TRUE },
    { "  ", TRUE },
    { "lenet", TRUE },
    { "FIVE", TRUE },
    { "\"net five\"", TRUE },
    { "\"five net\"", FALSE },
    { "five net", TRUE },
    { "ärger", TRUE },
    { "-lenet", FALSE },
    { "-mlp", TRUE },
    { "tag:lenet", TRUE },
    { "tag:LENET5", TRUE },
    { "tag:net", FALSE },
    { "-tag:paper", FALSE },
    { "state:failed", TRUE },
    { "state:fin", FALSE },
    { "project:digits group:sw name:lenet", TRUE },
    { "is:starred", TRUE },
    { "is:forked", FALSE },
    { "lr<0.1", TRUE },
    { "lr < 0.1", TRUE },
    { "lr <= 0.01", TRUE },
    { "lr<0.01", FALSE },
    { "lr>=1e-2 lr<=1e-2", TRUE },
    { "lr = 0.01", TRUE },
    { "lr!=0.01", FALSE },
    { "-lr>1", TRUE },
    { "optimizer=adam", TRUE },
    { "optimizer!=sgd", TRUE },
    { "optimizer=Adam", FALSE },
    { "optimizer<3", FALSE },
    { "\"hidden size\">100", TRUE },
    { "evaluate/accuracy>0.9", TRUE },
    { "evaluate/accuracy>0.98", FALSE },
    { "loss<1", FALSE },
    { "step>=400 steps=1000 seed=7 seconds=0", TRUE },
    { "nothing<1", FALSE },
    { "-nothing<1", TRUE },
    { "\"dinner:\"", TRUE },
    { "lenet tag:paper lr<0.1 -mlp state:failed", TRUE },
    { "lenet tag:paper lr<0.001", FALSE },
  };
  SluiceRunEntry *row = make_row ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceRunFilter) filter = sluice_run_filter_new (cases[i].text, &error);
      g_assert_no_error (error);
      if (sluice_run_filter_matches (filter, row) != cases[i].matches)
        g_error ("'%s' %s", cases[i].text, cases[i].matches ? "does not match" : "matches");
    }
  sluice_run_entry_free (row);
}

static void
test_filter_refused (void)
{
  static const struct
  {
    const char *text, *part;
  } cases[] = {
    { "lr<", "compared with ''" },          { "lr<much", "'much', which is no number" },
    { "<3", "a name is missing" },          { "\"open", "not closed" },
    { "tag:\"open", "not closed" },         { "tagg:x", "did you mean 'tag:'?" },
    { "qqqqqq:x", "there are tag, state" }, { "is:big", "is:starred and is:forked" },
    { "a!b", "'!' stands before '='" },     { "\xff", "UTF-8" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_run_filter_new (cases[i].text, &error));
      assert_fails (FALSE, &error, SLUICE_ERROR_INVALID_ARGUMENT, cases[i].part);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/store/runs/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("free-names", test_free_names);
  ADD ("together", test_together);
  ADD ("none-of-them", test_none_of_them);
  ADD ("killed-over-a-draft", test_killed_over_a_draft);
  ADD ("killed-between", test_killed_between);
  ADD ("said", test_said);
  ADD ("refused", test_refused);
  ADD ("trash", test_trash);
  ADD ("results", test_results);
  ADD ("results-cut", test_results_cut);
  ADD ("checkpoint-step", test_checkpoint_step);
  g_test_add_func ("/store/runs/better", test_better);
  g_test_add_func ("/store/runs/filter", test_filter);
  g_test_add_func ("/store/runs/filter-refused", test_filter_refused);
  return g_test_run ();
}
