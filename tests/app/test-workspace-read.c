/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/workspace-read.h"

#include <sqlite3.h>

#include "engine/store/kinds/event.h"
#include "engine/store/kinds/histogram.h"
#include "engine/store/store-private.h"
#include "tests/remove-tree.h"

#define CHUNK 1024 /* points of a row */

typedef struct
{
  char *folder;
  SluiceStore *store;
  SluiceRunLog *log;
  gint64 loss, accuracy, weights; /* the loss and the weights are wanted */
  gint64 step;
  SluiceWorkspaceReader *reader;
  SluiceWorkspaceAsk ask;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  self->folder = g_dir_make_tmp ("sluice-read-XXXXXX", &error);
  self->store = sluice_store_open (self->folder, &error);
  g_assert_no_error (error);
  SluiceRunInfo run = { .name = g_strdup ("run"), .state = SLUICE_RUN_FINISHED };
  g_assert_true (sluice_store_add_run (self->store, &run, &error));
  g_free (run.name);
  self->log = sluice_store_open_log (self->store, run.id, &error);
  self->loss = sluice_run_log_series (self->log, "loss", SLUICE_SERIES_SCALAR, &error);
  self->accuracy = sluice_run_log_series (self->log, "accuracy", SLUICE_SERIES_SCALAR, &error);
  self->weights = sluice_run_log_series (self->log, "weights", SLUICE_SERIES_HISTOGRAM, &error);
  g_assert_no_error (error);
  self->reader = sluice_workspace_reader_new (self->store);
  self->ask = (SluiceWorkspaceAsk){ g_array_new (FALSE, FALSE, sizeof (SluiceSeriesWant)),
                                    g_array_new (FALSE, FALSE, sizeof (gint64)), FALSE };
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  sluice_workspace_reader_unref (self->reader);
  g_array_unref (self->ask.wants);
  g_array_unref (self->ask.unlisted);
  sluice_run_log_close (self->log, NULL);
  g_clear_object (&self->store);
  remove_tree (self->folder);
  g_free (self->folder);
}

static void
log_until (Fixture *self, gint64 end)
{
  const double limits[] = { 1, 2 }, counts[] = { 1, 1 };
  for (; self->step < end; self->step++)
    {
      sluice_run_log_scalar (self->log, self->loss, self->step, 1, (double) self->step);
      sluice_run_log_scalar (self->log, self->accuracy, self->step, 1, 0.5);
      if (self->step % 8 == 0)
        sluice_run_log_record (
            self->log, self->weights,
            &sluice_histogram_new (self->step, 1, 0, 2, limits, counts, 2)->base);
    }
  g_assert_true (sluice_run_log_flush (self->log, NULL));
}

static SluiceWorkspaceNews *
read_news (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  SluiceWorkspaceNews *news = sluice_workspace_reader_read (self->reader, &self->ask, &error);
  g_assert_no_error (error);
  g_array_set_size (self->ask.wants, 0);
  return news;
}

static void
read_all (Fixture *self)
{
  for (gboolean more = TRUE; more;)
    {
      g_autoptr (SluiceWorkspaceNews) news = read_news (self);
      more = news->more;
    }
}

/* (nullable): what the news say of a series. */
static const SluiceSeriesNews *
find (const SluiceWorkspaceNews *news, gint64 series)
{
  for (guint i = 0; i < news->series->len; i++)
    if (((const SluiceSeriesNews *) news->series->pdata[i])->info->id == series)
      return news->series->pdata[i];
  return NULL;
}

/* ---- what a reading costs ---- */

/* Pages of the database that the readers' connection has asked for so far. */
static guint
count_pages (SluiceStore *store)
{
  int hits, misses, most;
  sqlite3 *db = sluice_store_take_reader (store, NULL); /* one after the other: there is one */
  sqlite3_db_status (db, SQLITE_DBSTATUS_CACHE_HIT, &hits, &most, 0);
  sqlite3_db_status (db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &most, 0);
  sluice_store_put_reader (store, db);
  return (guint) (hits + misses);
}

/* Of a reading that finds one step more. */
static guint
count_pages_of_news (Fixture *self)
{
  read_all (self);
  log_until (self, self->step + 1);
  guint before = count_pages (self->store);
  g_autoptr (SluiceWorkspaceNews) news = read_news (self);
  const SluiceSeriesNews *loss = find (news, self->loss);
  g_assert_cmpuint (loss->points->len, ==, 1);
  g_assert_null (find (news, self->accuracy)); /* nobody wants its values */
  return count_pages (self->store) - before;
}

/* What did not change is not read again: neither points, nor what stands beside them. */
static void
test_long_run (Fixture *self, gconstpointer data)
{
  log_until (self, 3 * CHUNK + 1);
  guint early = count_pages_of_news (self);
  log_until (self, 300 * CHUNK + 1);
  guint late = count_pages_of_news (self);
  g_test_message ("%u pages of 3 chunks, %u of 300", early, late);
  g_assert_cmpuint (late, <, early + 30); /* the trees are a level or two deeper */
}

/* ---- events ---- */

static void
log_event (Fixture *self, gint64 step, const char *kind)
{
  sluice_run_log_event (self->log, step, 1, kind, NULL);
  g_assert_true (sluice_run_log_flush (self->log, NULL));
}

static void
assert_events (Fixture *self, const char *kinds, gboolean anew)
{
  g_autoptr (SluiceWorkspaceNews) news = read_news (self);
  g_autoptr (GString) found = g_string_new (NULL);
  if (kinds == NULL)
    {
      g_assert_cmpuint (news->events->len, ==, 0);
      return;
    }
  g_assert_cmpuint (news->events->len, ==, 1);
  const SluiceEventNews *came = news->events->pdata[0];
  for (guint i = 0; i < came->events->len; i++)
    g_string_append_printf (found, "%s%s", i > 0 ? " " : "",
                            ((const SluiceEvent *) came->events->pdata[i])->kind);
  g_assert_cmpstr (found->str, ==, kinds);
  g_assert_cmpint (came->anew, ==, anew);
}

/* Those that came, as they came; all of them where some are gone. */
static void
test_events (Fixture *self, gconstpointer data)
{
  log_until (self, 100);
  log_event (self, 50, "checkpoint");
  log_event (self, 90, "resume");
  assert_events (self, "checkpoint resume", FALSE);
  log_until (self, 120);
  assert_events (self, NULL, FALSE);
  log_event (self, 10, "set");
  assert_events (self, "set", FALSE);
  g_assert_true (sluice_run_log_truncate (self->log, 60, NULL));
  assert_events (self, "checkpoint set", TRUE);
  /* As many as there were, and the same numbers. */
  g_assert_true (sluice_run_log_truncate (self->log, 20, NULL));
  log_event (self, 15, "alert");
  assert_events (self, "set alert", TRUE);
  self->ask.anew = TRUE;
  assert_events (self, "set alert", TRUE);
}

/* What is read anew lacks a run that is in the trash by then; restored, it is there again. */
static void
test_trash (Fixture *self, gconstpointer data)
{
  log_until (self, 20);
  read_all (self);
  for (guint i = 0; i < 2; i++)
    {
      gboolean is_there = i == 1;
      g_assert_true (is_there ? sluice_store_restore_run (self->store, 1, NULL)
                              : sluice_store_delete_run (self->store, 1, NULL));
      self->ask.anew = TRUE;
      g_autoptr (SluiceWorkspaceNews) news = read_news (self);
      g_assert_cmpuint (news->runs->len, ==, is_there ? 1 : 0);
    }
}

/* A process that is gone has written nothing of it. */
static void
test_crash (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo run = { .name = g_strdup ("works"), .project = (char *) "p" };
  g_assert_true (sluice_store_add_run (self->store, &run, &error));
  g_assert_true (sluice_store_lock_run (self->store, run.id, &error));
  run.state = SLUICE_RUN_RUNNING;
  g_assert_true (sluice_store_update_run (self->store, &run, &error));
  read_all (self);
  g_autoptr (SluiceWorkspaceNews) before = read_news (self);
  g_assert_null (before->runs);
  sluice_store_unlock_run (self->store, run.id);
  g_autoptr (SluiceWorkspaceNews) after = read_news (self);
  g_assert_nonnull (after->runs);
  g_assert_cmpuint (after->runs->len, ==, 1);
  g_assert_cmpint (((SluiceRunInfo *) after->runs->pdata[0])->state, ==, SLUICE_RUN_CRASHED);
  g_autoptr (SluiceWorkspaceNews) then = read_news (self); /* it is told once */
  g_assert_null (then->runs);
  g_free (run.name);
}

/* ---- series ---- */

static void
test_cut (Fixture *self, gconstpointer data)
{
  log_until (self, 5000);
  read_all (self);
  g_assert_true (sluice_run_log_truncate (self->log, 2000, NULL));
  self->step = 2001;
  log_until (self, 2100);
  g_autoptr (SluiceWorkspaceNews) news = read_news (self);
  const SluiceSeriesNews *loss = find (news, self->loss);
  g_assert_true (loss->restart);
  g_assert_cmpuint (loss->points->len, ==, 2100);
}

/* Wanted from here on: all records there are, thinned, then what came. */
static void
test_records (Fixture *self, gconstpointer data)
{
  log_until (self, 81);
  read_all (self);
  const SluiceSeriesWant want = { 1, self->weights, TRUE };
  g_array_append_val (self->ask.wants, want);
  g_autoptr (SluiceWorkspaceNews) first = read_news (self);
  g_assert_cmpuint (find (first, self->weights)->items->len, ==, 11);
  log_until (self, 97);
  g_autoptr (SluiceWorkspaceNews) second = read_news (self);
  g_assert_cmpuint (find (second, self->weights)->items->len, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/workspace-read/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("long-run", test_long_run);
  ADD ("events", test_events);
  ADD ("trash", test_trash);
  ADD ("crash", test_crash);
  ADD ("cut", test_cut);
  ADD ("records", test_records);
  return g_test_run ();
}
