/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* usage: make-runs WORKSPACE N. Fills a workspace with runs of many states, settings and results,
 * the same ones each time. */
#include <math.h>
#include <stdlib.h>

#include "engine/store/kinds/hparams.h"
#include "engine/store/runs.h"

#define BEGAN  1790000000.0 /* Unix seconds */
#define POINTS 40
#define STEPS  2000

static const char *const tags[] = { "lenet", "mlp", "sweep", "keep", "seeds", "ablation" };
static const double rates[] = { 0.1, 0.03, 0.01, 0.003 };

static SluiceRunState
choose_state (guint i)
{
  static const SluiceRunState states[] = { SLUICE_RUN_FINISHED, SLUICE_RUN_FINISHED,
                                           SLUICE_RUN_FINISHED, SLUICE_RUN_STOPPED,
                                           SLUICE_RUN_FINISHED, SLUICE_RUN_FAILED };
  return states[i % G_N_ELEMENTS (states)];
}

static void
log_series (SluiceRunLog *log, const char *tag, double from, double to, double bend, gint64 steps)
{
  g_autoptr (GError) error = NULL;
  gint64 series = sluice_run_log_series (log, tag, SLUICE_SERIES_SCALAR, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < POINTS; i++)
    {
      gint64 step = steps * (i + 1) / POINTS;
      double noise = 0.04 * sin (i * 12.9898 + from * 78.233);
      sluice_run_log_scalar (log, series, step, BEGAN + (double) step,
                             to + (from - to) * exp (-bend * (double) step / STEPS) * (1 + noise));
    }
}

static void
log_run (SluiceStore *store, const SluiceRunInfo *info, guint i)
{
  g_autoptr (GError) error = NULL;
  const SluiceHparam settings[] = { { "batch", i % 3 == 0 ? 64 : 128 },
                                    { "decay", 0.0005 },
                                    { "keep", i % 5 == 0 ? 0.5 : 1 },
                                    { "learning-rate", rates[i % 4] },
                                    { "seed", (double) info->seed } };
  SluiceRunLog *log = sluice_store_open_log (store, info->id, &error);
  g_assert_no_error (error);
  gint64 series =
      sluice_run_log_series (log, SLUICE_HPARAMS_START_TAG, SLUICE_SERIES_HPARAMS, &error);
  sluice_run_log_record (
      log, series,
      &sluice_hparams_new_start (0, info->started, settings, G_N_ELEMENTS (settings))->base);
  log_series (log, "loss", 2.3, 0.03 + 0.01 * (i % 9), 6 + i % 5, info->step);
  log_series (log, "evaluate/accuracy", 0.1, 0.99 - 0.004 * (i % 13), 5 + i % 4, info->step);
  g_assert_true (sluice_run_log_close (log, &error));
}

static void
add_run (SluiceStore *store, guint i)
{
  g_autoptr (GError) error = NULL;
  char *name = g_strdup_printf ("%s-%u", i % 2 == 0 ? "lenet" : "mlp", i + 1);
  /* Every sixth run was forked from the one before it. */
  SluiceRunInfo info = { .name = name,
                         .project = (char *) "digits",
                         .seed = i % 7,
                         .parent = i % 6 == 4 ? (gint64) i : 0,
                         .parent_step = i % 6 == 4 ? 400 : 0 };
  g_assert_true (sluice_store_add_run (store, &info, &error));
  info.state = choose_state (i);
  info.n_steps = STEPS;
  info.step = info.state == SLUICE_RUN_FINISHED ? STEPS : 400 + (i * 37) % 1500;
  info.created = info.started = BEGAN + i * 3600;
  info.seconds = (double) info.step / 40;
  info.ended = info.started + info.seconds;
  info.message = info.state == SLUICE_RUN_FAILED ? (char *) "the loss is NaN" : NULL;
  g_assert_true (sluice_store_update_run (store, &info, &error));
  log_run (store, &info, i);
  g_assert_true (sluice_store_set_run_tag (store, info.id, tags[i % 2], TRUE, &error));
  if (i % 3 == 0)
    g_assert_true (sluice_store_set_run_tag (store, info.id, tags[2 + i % 4], TRUE, &error));
  if (i % 8 == 1)
    g_assert_true (sluice_store_set_run_starred (store, info.id, TRUE, &error));
  g_free (info.name);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (argc, ==, 3);
  g_autoptr (SluiceStore) store = sluice_store_open (argv[1], &error);
  g_assert_no_error (error);
  for (guint i = 0; i < (guint) strtoul (argv[2], NULL, 10); i++)
    add_run (store, i);
  return 0;
}
