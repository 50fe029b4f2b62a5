/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Scalars a second through the public log call, until all are committed; and reading them back for
 * a chart. */
#include <glib/gstdio.h>
#include <stdio.h>

#include "engine/store/store.h"
#include "tests/bench/median.h"

enum
{
  N_SERIES = 10,
  N_STEPS = 300000,
  N_LIVE = 1500, /* values that somebody waits for, one a millisecond */
};

/* goal: 0 where there is none */
static void
report (const char *bench, double value, const char *unit, double goal, const char *better)
{
  printf ("{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",", bench, value, unit);
  if (goal > 0)
    printf ("\"goal\":%g,", goal);
  printf ("\"better\":\"%s\"}\n", better);
}

static void
fill (SluiceRunLog *log, const gint64 *series)
{
  gint64 logging = 0, start = g_get_monotonic_time ();
  for (gint64 step = 0; step < N_STEPS; step++)
    {
      double waited;
      gint64 before = g_get_monotonic_time ();
      for (guint i = 0; i < N_SERIES; i++)
        sluice_run_log_scalar (log, series[i], step, step, step * 0.5);
      logging += g_get_monotonic_time () - before;
      sluice_run_log_end_step (log, &waited, NULL);
    }
  sluice_run_log_flush (log, NULL);
  gint64 all = g_get_monotonic_time () - start;
  report ("store-scalars", N_STEPS * N_SERIES / (all * 1e-6), "scalars/s", 1e6, "higher");
  report ("store-log-call", logging * 1e3 / ((double) N_STEPS * N_SERIES), "ns", 1000, "lower");
}

/* ---- from a log call to the news of its commit, while somebody looks on ---- */

typedef struct
{
  SluiceStore *store;
  SluiceRunLog *log;
  guint64 first, n_told; /* values logged before, and told since */
  gint64 logged[N_LIVE];
  double took[N_LIVE]; /* milliseconds */
} News;

/* On the store's thread. */
static void
told_cb (gpointer data)
{
  News *news = data;
  guint64 n = MIN (sluice_run_log_get_n_committed (news->log) - news->first, N_LIVE);
  gint64 now = g_get_monotonic_time ();
  for (; news->n_told < n; news->n_told++)
    news->took[news->n_told] = (double) (now - news->logged[news->n_told]) * 1e-3;
  sluice_store_rearm (news->store);
}

static void
time_news (SluiceStore *store, SluiceRunLog *log, gint64 series)
{
  g_autofree News *news = g_new0 (News, 1);
  news->store = store;
  news->log = log;
  news->first = sluice_run_log_get_n_logged (log);
  sluice_store_set_notify (store, told_cb, news);
  for (guint i = 0; i < N_LIVE; i++)
    {
      news->logged[i] = g_get_monotonic_time ();
      sluice_run_log_scalar (log, series, N_STEPS + i, i, i);
      g_usleep (1000);
    }
  sluice_run_log_flush (log, NULL);
  sluice_store_set_notify (store, NULL, NULL);
  report ("store-news", bench_median (news->took, N_LIVE), "ms", 50, "lower");
}

static void
read_back (SluiceStore *store, gint64 series)
{
  g_autoptr (GArray) warm = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  sluice_store_read_points (store, series, 0, G_MAXSIZE, warm, NULL); /* opens the reader */
  gint64 start = g_get_monotonic_time ();
  sluice_store_read_points (store, series, 0, G_MAXSIZE, points, NULL);
  report ("store-read-points-300k", (g_get_monotonic_time () - start) / 1e3, "ms", 0, "lower");
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sluice-bench-XXXXXX", &error);
  g_autoptr (SluiceStore) store = folder != NULL ? sluice_store_open (folder, &error) : NULL;
  SluiceRunInfo run = { .name = g_strdup ("bench"), .state = SLUICE_RUN_FINISHED };
  if (store == NULL || !sluice_store_add_run (store, &run, &error))
    {
      g_printerr ("bench-store: %s\n", error->message);
      return 1;
    }
  SluiceRunLog *log = sluice_store_open_log (store, run.id, NULL);
  gint64 series[N_SERIES];
  for (guint i = 0; i < N_SERIES; i++)
    {
      g_autofree char *tag = g_strdup_printf ("series/%u", i);
      series[i] = sluice_run_log_series (log, tag, SLUICE_SERIES_SCALAR, NULL);
    }
  fill (log, series);
  time_news (store, log, series[0]);
  read_back (store, series[3]);
  sluice_run_log_close (log, NULL);
  g_free (run.name);
  g_autofree char *remove = g_strdup_printf ("rm -rf '%s'", folder);
  g_clear_object (&store);
  return g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL) ? 0 : 1;
}
