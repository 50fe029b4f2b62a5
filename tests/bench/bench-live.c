/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What a window's worker reads of a run that goes on, commit by commit, and what one chunk's points
 * cost: early in the run and after ten million points, where it is to cost the same. Times of the
 * reading thread on its processor.
 */
#include <stdio.h>
#include <time.h>

#include "app/workspace-read.h"
#include "tests/bench/median.h"
#include "tests/remove-tree.h"

enum
{
  N_SERIES = 5,
  N_ROUNDS = 101,
  N_NEW = 200, /* points of a series that a commit brings */
};

static const gint64 lengths[] = { 20000, 2000000 }; /* of each series */

typedef struct
{
  SluiceStore *store;
  SluiceRunLog *log;
  gint64 run, series[N_SERIES], step;
  SluiceWorkspaceReader *reader;
  SluiceWorkspaceAsk ask;
} Bench;

static void
check (gboolean ok, GError *error)
{
  if (ok)
    return;
  g_printerr ("bench-live: %s\n", error->message);
  exit (1);
}

static double
thread_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void
log_until (Bench *self, gint64 end)
{
  GError *error = NULL;
  double waited;
  for (; self->step < end; self->step++)
    {
      for (guint i = 0; i < N_SERIES; i++)
        sluice_run_log_scalar (self->log, self->series[i], self->step, (double) self->step, i);
      check (sluice_run_log_end_step (self->log, &waited, &error), error);
    }
  check (sluice_run_log_flush (self->log, &error), error);
}

static double
time_reading (Bench *self, gboolean *more)
{
  GError *error = NULL;
  double start = thread_ms ();
  g_autoptr (SluiceWorkspaceNews) news =
      sluice_workspace_reader_read (self->reader, &self->ask, &error);
  double took = thread_ms () - start;
  check (news != NULL, error);
  *more = news->more;
  g_array_set_size (self->ask.wants, 0);
  return took;
}

static void
bench_length (Bench *self, gint64 length)
{
  double ms[N_ROUNDS], all = 0;
  gboolean more = TRUE;
  log_until (self, length);
  while (more)
    all += time_reading (self, &more);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      log_until (self, self->step + N_NEW);
      ms[i] = time_reading (self, &more);
    }
  printf ("{\"name\":\"live-refresh/%" G_GINT64_FORMAT "\",\"value\":%.3f,\"unit\":\"ms\","
          "\"goal\":5,\"better\":\"lower\",\"caught_up_ms\":%.0f}\n",
          length * N_SERIES, bench_median (ms, N_ROUNDS), all);
}

int
main (void)
{
  GError *error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sluice-bench-XXXXXX", &error);
  check (folder != NULL, error);
  Bench self = { .store = sluice_store_open (folder, &error) };
  check (self.store != NULL, error);
  SluiceRunInfo run = { .name = g_strdup ("bench"), .state = SLUICE_RUN_FINISHED };
  check (sluice_store_add_run (self.store, &run, &error), error);
  self.log = sluice_store_open_log (self.store, run.id, &error);
  self.reader = sluice_workspace_reader_new (self.store);
  self.ask = (SluiceWorkspaceAsk){ g_array_new (FALSE, FALSE, sizeof (SluiceSeriesWant)),
                                   g_array_new (FALSE, FALSE, sizeof (gint64)), FALSE };
  for (guint i = 0; i < N_SERIES; i++)
    {
      g_autofree char *tag = g_strdup_printf ("evaluate/%u", i); /* what a row shows is read */
      self.series[i] = sluice_run_log_series (self.log, tag, SLUICE_SERIES_SCALAR, &error);
    }
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    bench_length (&self, lengths[i]);
  sluice_workspace_reader_unref (self.reader);
  g_array_unref (self.ask.wants);
  g_array_unref (self.ask.unlisted);
  sluice_run_log_close (self.log, NULL);
  g_clear_object (&self.store);
  g_free (run.name);
  remove_tree (folder);
  return 0;
}
