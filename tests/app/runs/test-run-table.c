/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The table of runs: what it reads, finds, sorts, and what is changed and taken back. */

#include "app/runs/run-table.h"

#include <glib/gstdio.h>
#include <string.h>

#include "app/runs/run-edit.h"
#include "engine/base/error.h"
#include "engine/store/kinds/hparams.h"

typedef struct
{
  char *folder;
  SluiceStore *store;
  SluiceRunTable *table;
  gint64 ids[4];
} Fixture;

static void
log_loss (SluiceStore *store, gint64 run, double rate, const double *values, guint n)
{
  g_autoptr (GError) error = NULL;
  const SluiceHparam settings[] = { { "batch", 32 }, { "rate", rate } };
  SluiceRunLog *log = sluice_store_open_log (store, run, &error);
  g_assert_no_error (error);
  gint64 start =
      sluice_run_log_series (log, SLUICE_HPARAMS_START_TAG, SLUICE_SERIES_HPARAMS, &error);
  sluice_run_log_record (log, start, &sluice_hparams_new_start (0, 1, settings, 2)->base);
  gint64 series = n > 0 ? sluice_run_log_series (log, "loss", SLUICE_SERIES_SCALAR, &error) : 0;
  for (guint i = 0; i < n; i++)
    sluice_run_log_scalar (log, series, i + 1, 1, values[i]);
  g_assert_true (sluice_run_log_close (log, &error));
  g_assert_no_error (error);
}

static void
settle (SluiceRunTable *table)
{
  while (sluice_run_table_is_reading (table))
    g_main_context_iteration (NULL, TRUE);
}

static void
read_again (Fixture *self)
{
  sluice_run_table_read (self->table, self->store);
  settle (self->table);
}

/* Four runs: the last one has no results. */
static void
set_up (Fixture *self, gconstpointer data)
{
  static const char *const names[] = { "run-9", "run-10", "other", "empty" };
  static const double rates[] = { 0.1, 0.03, 0.1, 0.01 };
  static const double values[][3] = { { 3, 1, 2 }, { 3, 2, 0.5 }, { 9, 8, 7 }, { 0 } };
  g_autoptr (GError) error = NULL;
  self->folder = g_dir_make_tmp ("sluice-run-table-XXXXXX", &error);
  self->store = sluice_store_open (self->folder, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 4; i++)
    {
      SluiceRunInfo info = { .name = g_strdup (names[i]), .project = (char *) "p" };
      g_assert_true (sluice_store_add_run (self->store, &info, &error));
      info.state = SLUICE_RUN_FINISHED;
      g_assert_true (sluice_store_update_run (self->store, &info, &error));
      self->ids[i] = info.id;
      g_free (info.name);
      log_loss (self->store, info.id, rates[i], values[i], i < 3 ? 3 : 0);
    }
  self->table = sluice_run_table_new ();
  g_assert_cmpint (sluice_run_table_get_state (self->table), ==, SLUICE_RUN_TABLE_LOADING);
  read_again (self);
  g_assert_cmpint (sluice_run_table_get_state (self->table), ==, SLUICE_RUN_TABLE_READY);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'", self->folder);
  g_object_unref (self->table);
  g_object_unref (self->store);
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
  g_free (self->folder);
}

/* The names of the rows, joined. */
static void
assert_rows (Fixture *self, const char *wanted)
{
  GListModel *rows = sluice_run_table_get_rows (self->table);
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (SluiceRunItem) item = g_list_model_get_item (rows, i);
      g_string_append_printf (names, "%s%s", i > 0 ? " " : "",
                              sluice_run_item_get_entry (item)->info->name);
    }
  g_assert_cmpstr (names->str, ==, wanted);
}

static void
assert_text (Fixture *self, guint run, const char *column, const char *wanted)
{
  SluiceRunItem *item = sluice_run_table_find (self->table, self->ids[run]);
  const SluiceRunColumn *of = sluice_run_table_find_column (self->table, column);
  g_assert_nonnull (of);
  g_autofree char *text = sluice_run_column_dup_text (of, sluice_run_item_get_entry (item));
  g_assert_cmpstr (text, ==, wanted);
}

static void
test_columns (Fixture *self, gconstpointer data)
{
  g_assert_true (sluice_run_table_find_column (self->table, "setting:rate")->is_by_itself);
  g_assert_false (sluice_run_table_find_column (self->table, "setting:batch")->is_by_itself);
  g_assert_null (sluice_run_table_find_column (self->table, "setting:nothing"));
  assert_text (self, 0, "setting:rate", "0.1");
  assert_text (self, 0, "last:loss", "2");
  assert_text (self, 0, "best:loss", "1");
  assert_text (self, 0, "first:loss", "3");
  assert_text (self, 0, "best-step:loss", "2");
  assert_text (self, 3, "last:loss", "");
  assert_text (self, 3, "name", "empty");
  double least, greatest, last_step;
  g_assert_true (sluice_run_table_get_scale (self->table, "loss", &least, &greatest, &last_step));
  g_assert_cmpfloat (least, ==, 0.5);
  g_assert_cmpfloat (greatest, ==, 9);
  g_assert_cmpfloat (last_step, ==, 3);
  g_assert_false (
      sluice_run_table_get_scale (self->table, "nothing", &least, &greatest, &last_step));
}

/* A run that diverged does not flatten the others. */
static void
test_scale (Fixture *self, gconstpointer data)
{
  static const double diverged[] = { 3, 1e6, 2e6 };
  SluiceRunInfo info = { .name = g_strdup ("diverged"), .project = (char *) "p" };
  double least, greatest, last_step;
  g_assert_true (sluice_store_add_run (self->store, &info, NULL));
  log_loss (self->store, info.id, 0.1, diverged, G_N_ELEMENTS (diverged));
  g_free (info.name);
  read_again (self);
  g_assert_true (sluice_run_table_get_scale (self->table, "loss", &least, &greatest, &last_step));
  g_assert_cmpfloat (least, ==, 0.5);
  g_assert_cmpfloat (greatest, ==, 9);
}

/* A run without a value is the last one whichever way round; 10 comes after 9. */
static void
test_sort (Fixture *self, gconstpointer data)
{
  assert_rows (self, "empty other run-10 run-9");
  sluice_run_table_set_sort (self->table, "last:loss", FALSE);
  assert_rows (self, "run-10 run-9 other empty");
  sluice_run_table_set_sort (self->table, "last:loss", TRUE);
  assert_rows (self, "other run-9 run-10 empty");
  sluice_run_table_set_sort (self->table, "name", FALSE);
  assert_rows (self, "empty other run-9 run-10");
  sluice_run_table_set_sort (self->table, "no-such-column", FALSE);
  assert_rows (self, "empty other run-10 run-9");
  sluice_run_table_set_sort (self->table, NULL, FALSE);
  assert_rows (self, "empty other run-10 run-9");
}

static void
test_filter (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_run_table_set_filter (self->table, "rate >= 0.1", &error));
  assert_rows (self, "other run-9");
  g_assert_cmpuint (sluice_run_table_get_n_runs (self->table), ==, 4);
  g_assert_false (sluice_run_table_set_filter (self->table, "rate >", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  assert_rows (self, "other run-9"); /* as it was */
  g_assert_nonnull (sluice_run_table_find (self->table, self->ids[1]));
  g_assert_true (sluice_run_table_set_filter (self->table, "", NULL));
  assert_rows (self, "empty other run-10 run-9");
}

/* What another filter, view and tags would let through. */
static void
test_count_found (Fixture *self, gconstpointer data)
{
  const char *none[] = { NULL }, *tags[] = { "good", NULL };
  g_assert_true (sluice_store_set_run_tag (self->store, self->ids[1], "good", TRUE, NULL));
  read_again (self);
  const SluiceRunCounts *counts = sluice_run_table_get_counts (self->table);
  guint64 version = counts->version;
  g_assert_true (sluice_run_table_set_filter (self->table, "other", NULL));
  g_assert_cmpuint (version, ==, counts->version); /* nothing of the runs is another one */
  g_assert_cmpuint (sluice_run_table_count_found (self->table, "rate>=0.1", "all", none), ==, 2);
  g_assert_cmpuint (sluice_run_table_count_found (self->table, "", "finished", none), ==, 4);
  g_assert_cmpuint (sluice_run_table_count_found (self->table, "", "failed", none), ==, 0);
  g_assert_cmpuint (sluice_run_table_count_found (self->table, "", "starred", none), ==, 0);
  g_assert_cmpuint (sluice_run_table_count_found (self->table, "", "all", tags), ==, 1);
  g_assert_cmpuint (sluice_run_table_count_found (self->table, "rate<", "all", none), ==,
                    G_MAXUINT);
}

static void
count_cb (guint *n)
{
  ++*n;
}

static void
apply (Fixture *self, SluiceRunEdit *edit, gboolean back)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_run_edit_apply (edit, self->store, back, &error));
  g_assert_no_error (error);
  read_again (self);
}

static const SluiceRunInfo *
get_info (Fixture *self, guint run)
{
  return sluice_run_item_get_entry (sluice_run_table_find (self->table, self->ids[run]))->info;
}

/* Done, taken back, done again; rows keep their objects. */
static void
test_edits (Fixture *self, gconstpointer data)
{
  SluiceRunItem *item = sluice_run_table_find (self->table, self->ids[0]);
  guint n = 0;
  g_signal_connect_swapped (item, "changed", G_CALLBACK (count_cb), &n);
  g_autoptr (SluiceRunEdit) star = sluice_run_edit_new (SLUICE_RUN_EDIT_STAR, NULL);
  sluice_run_edit_add (star, get_info (self, 0), NULL, "");
  sluice_run_edit_add (star, get_info (self, 1), NULL, "");
  sluice_run_edit_add (star, get_info (self, 2), "", ""); /* nothing to do */
  g_assert_cmpuint (sluice_run_edit_get_n_runs (star), ==, 2);
  apply (self, star, FALSE);
  g_assert_true (sluice_run_table_find (self->table, self->ids[0]) == item);
  g_assert_true (get_info (self, 0)->is_starred && get_info (self, 1)->is_starred);
  g_assert_cmpuint (n, ==, 1);
  apply (self, star, TRUE);
  g_assert_false (get_info (self, 0)->is_starred || get_info (self, 1)->is_starred);
  apply (self, star, FALSE);
  g_assert_true (get_info (self, 0)->is_starred);
  g_autoptr (SluiceRunEdit) tag = sluice_run_edit_new (SLUICE_RUN_EDIT_TAG, "keep");
  sluice_run_edit_add (tag, get_info (self, 2), NULL, "");
  apply (self, tag, FALSE);
  g_auto (GStrv) tags = sluice_run_table_dup_tags (self->table);
  g_assert_cmpuint (g_strv_length (tags), ==, 1);
  g_assert_cmpstr (tags[0], ==, "keep");
  g_autoptr (SluiceRunEdit) notes = sluice_run_edit_new (SLUICE_RUN_EDIT_NOTES, NULL);
  sluice_run_edit_add (notes, get_info (self, 2), NULL, "**best**\nsecond line");
  apply (self, notes, FALSE);
  assert_text (self, 2, "notes", "**best**");
  apply (self, notes, TRUE);
  g_assert_null (get_info (self, 2)->notes);
}

/* Of two, the second cannot have the name: the first keeps its new one, and only it is changed
 * back. */
static void
test_half (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunEdit) names = sluice_run_edit_new (SLUICE_RUN_EDIT_NAME, NULL);
  sluice_run_edit_add (names, get_info (self, 0), "run-9", "new");
  sluice_run_edit_add (names, get_info (self, 1), "run-10", "other");
  g_assert_false (sluice_run_edit_apply (names, self->store, FALSE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ALREADY_EXISTS);
  read_again (self);
  assert_rows (self, "empty other run-10 new");
  apply (self, names, TRUE);
  assert_rows (self, "empty other run-10 run-9");
}

static void
test_trash (Fixture *self, gconstpointer data)
{
  g_autoptr (SluiceRunEdit) edit = sluice_run_edit_new (SLUICE_RUN_EDIT_TRASH, NULL);
  sluice_run_edit_add (edit, get_info (self, 1), NULL, "");
  sluice_run_edit_add (edit, get_info (self, 3), NULL, "");
  apply (self, edit, FALSE);
  assert_rows (self, "other run-9");
  sluice_run_table_set_trash (self->table, TRUE);
  settle (self->table);
  assert_rows (self, "empty run-10");
  sluice_run_table_set_trash (self->table, FALSE);
  apply (self, edit, TRUE);
  assert_rows (self, "empty other run-10 run-9");
  /* One that was deleted elsewhere meanwhile. */
  g_assert_true (sluice_store_delete_run (self->store, self->ids[0], NULL));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunEdit) late = sluice_run_edit_new (SLUICE_RUN_EDIT_TRASH, NULL);
  sluice_run_edit_add (late, get_info (self, 0), NULL, "");
  g_assert_false (sluice_run_edit_apply (late, self->store, FALSE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* Whoever trains it would write on into the trash. */
static void
test_running (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo info = { .name = g_strdup ("at work"), .project = (char *) "p" };
  g_assert_true (sluice_store_add_run (self->store, &info, &error));
  g_assert_true (sluice_store_lock_run (self->store, info.id, &error));
  info.state = SLUICE_RUN_RUNNING;
  g_assert_true (sluice_store_update_run (self->store, &info, &error));
  g_autoptr (SluiceRunEdit) edit = sluice_run_edit_new (SLUICE_RUN_EDIT_TRASH, NULL);
  sluice_run_edit_add (edit, &info, NULL, "");
  g_assert_false (sluice_run_edit_apply (edit, self->store, FALSE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  sluice_store_unlock_run (self->store, info.id);
  g_free (info.name);
}

/* Notes of a million characters are read, and are a line of them in their cell. */
static void
test_long_notes (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strnfill (1000000, 'x');
  g_assert_true (sluice_store_set_run_notes (self->store, self->ids[0], text, &error));
  read_again (self);
  const SluiceRunColumn *notes = sluice_run_table_find_column (self->table, "notes");
  g_autofree char *shown = sluice_run_column_dup_text (
      notes, sluice_run_item_get_entry (sluice_run_table_find (self->table, self->ids[0])));
  g_assert_cmpuint (strlen (shown), <=, 400);
}

/* ---- groups ---- */

/* The table keeps it. */
static SluiceRunItem *
get_row (Fixture *self, guint at)
{
  SluiceRunItem *item = g_list_model_get_item (sluice_run_table_get_rows (self->table), at);
  g_object_unref (item);
  return item;
}

/* run-9 and other have one rate. The group stands where its newest run stood, has the mean, and is
 * sorted by it. */
static void
test_groups (Fixture *self, gconstpointer data)
{
  sluice_run_table_set_group_by (self->table, "setting:rate");
  assert_rows (self, "empty rate = 0.1 run-10");
  SluiceRunItem *group = get_row (self, 1);
  const SluiceRunColumn *last = sluice_run_table_find_column (self->table, "last:loss");
  g_autofree char *text = sluice_run_item_dup_text (group, last);
  g_assert_true (g_str_has_prefix (text, "4.500 ± 3.5") || g_str_has_prefix (text, "4.5 ± 3.5"));
  g_assert_cmpuint (sluice_run_item_get_members (group)->len, ==, 2);
  g_assert_cmpuint (sluice_run_table_get_n_found (self->table), ==, 4);
  sluice_run_table_set_sort (self->table, "last:loss", TRUE);
  assert_rows (self, "rate = 0.1 run-10 empty");
  sluice_run_table_set_open (self->table, group, TRUE);
  assert_rows (self, "rate = 0.1 other run-9 run-10 empty");
  g_assert_true (sluice_run_item_is_member (get_row (self, 1)));
  sluice_run_table_set_sort (self->table, "last:loss", FALSE);
  assert_rows (self, "run-10 rate = 0.1 run-9 other empty");
  g_assert_true (get_row (self, 1) == group);
  g_assert_true (sluice_run_table_set_filter (self->table, "name:run", NULL));
  assert_rows (self, "run-10 run-9"); /* one alone is no group */
  g_assert_true (sluice_run_table_set_filter (self->table, "", NULL));
  sluice_run_table_set_group_by (self->table, NULL);
  assert_rows (self, "run-10 run-9 other empty");
}

/* A member that changes changes its group, and none other. */
static void
test_group_changes (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  guint n = 0;
  sluice_run_table_set_group_by (self->table, "setting:rate");
  SluiceRunItem *group = get_row (self, 1);
  g_assert_cmpint (sluice_run_item_get_entry (group)->info->state, ==, SLUICE_RUN_FINISHED);
  g_signal_connect_swapped (group, "changed", G_CALLBACK (count_cb), &n);
  g_assert_true (sluice_store_set_run_starred (self->store, self->ids[1], TRUE, &error));
  read_again (self);
  g_assert_cmpuint (n, ==, 0);
  SluiceRunInfo *info = sluice_run_info_copy (get_info (self, 2));
  info->state = SLUICE_RUN_FAILED;
  g_assert_true (sluice_store_update_run (self->store, info, &error));
  sluice_run_info_free (info);
  read_again (self);
  g_assert_cmpuint (n, ==, 1);
  g_assert_true (get_row (self, 1) == group);
  g_assert_cmpint (sluice_run_item_get_entry (group)->info->state, ==, SLUICE_RUN_FAILED);
}

static void
test_views (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_store_set_run_tag (self->store, self->ids[0], "keep", TRUE, &error));
  g_assert_true (sluice_store_set_run_tag (self->store, self->ids[2], "keep", TRUE, &error));
  g_assert_true (sluice_store_set_run_tag (self->store, self->ids[2], "old", TRUE, &error));
  g_assert_true (sluice_store_set_run_starred (self->store, self->ids[0], TRUE, &error));
  read_again (self);
  const SluiceRunCounts *counts = sluice_run_table_get_counts (self->table);
  g_assert_cmpuint (counts->n, ==, 4);
  g_assert_cmpuint (counts->n_starred, ==, 1);
  g_assert_cmpuint (counts->n_of_state[SLUICE_RUN_FINISHED], ==, 4);
  g_assert_cmpuint (counts->tags->len, ==, 2);
  g_assert_cmpuint (((SluiceRunTagCount *) counts->tags->pdata[0])->n, ==, 2);
  sluice_run_table_set_view (self->table, SLUICE_RUN_VIEW_STARRED);
  assert_rows (self, "run-9");
  sluice_run_table_set_view (self->table, "failed");
  assert_rows (self, "");
  sluice_run_table_set_view (self->table, SLUICE_RUN_VIEW_ALL);
  sluice_run_table_set_tag_wanted (self->table, "keep", TRUE);
  assert_rows (self, "other run-9");
  sluice_run_table_set_tag_wanted (self->table, "old", TRUE);
  assert_rows (self, "other");
  g_assert_true (sluice_run_table_set_filter (self->table, "name:run", NULL));
  assert_rows (self, "");
  sluice_run_table_set_tag_wanted (self->table, "old", FALSE);
  assert_rows (self, "run-9");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (Fixture *self, gconstpointer data);
  } tests[] = {
    { "columns", test_columns }, { "sort", test_sort },
    { "scale", test_scale },     { "count-found", test_count_found },
    { "filter", test_filter },   { "edits", test_edits },
    { "half", test_half },       { "trash", test_trash },
    { "running", test_running }, { "notes", test_long_notes },
    { "groups", test_groups },   { "group-changes", test_group_changes },
    { "views", test_views },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/app/run-table/%s", tests[i].name);
      g_test_add (path, Fixture, NULL, set_up, tests[i].test, tear_down);
    }
  return g_test_run ();
}
