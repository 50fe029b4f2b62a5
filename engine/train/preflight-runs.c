/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/train/preflight-private.h"
#include "engine/train/run-file.h"
#include "engine/train/trainer-private.h"

/* What runs of this workspace tell that were trained as this one would be. */

#define LEAST_POINTS 3    /* of the rate: half a second each */
#define MOST_POINTS  2000 /* of the newest of them */
#define LEAST_SPREAD 0.1

/* As many examples a step on the same devices and threads of this machine, by this build, of the
 * same graph: then what a step computes is the same. Rates, seeds and data do not matter. */
static gboolean
is_alike (const SluiceChecker *self, SluiceStore *store, const SluiceRunInfo *info)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, info->id);
  g_autofree char *devices = sluice_replica_dup_devices (self->replica);
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (folder);
  g_autoptr (SluiceProject) frozen = file != NULL && sluice_run_file_is_made_here (file, devices)
                                         ? sluice_project_load (folder, NULL)
                                         : NULL;
  return frozen != NULL && frozen->batch == self->project->batch
         && frozen->session.recompute == self->project->session.recompute;
}

/* (transfer full) (nullable) (element-type double): microseconds a step */
static GArray *
read_times (SluiceStore *store, gint64 run)
{
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run, NULL);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; series != NULL && i < series->len; i++)
    {
      const SluiceSeriesInfo *info = series->pdata[i];
      if (strcmp (info->tag, SLUICE_RATE_TAG) == 0
          && !sluice_store_read_points (store, info->id, 0, MOST_POINTS, points, NULL))
        return NULL;
    }
  for (guint i = 0; i < points->len; i++)
    {
      double us = 1e6 / g_array_index (points, SluiceScalar, i).value;
      if (isfinite (us) && us > 0)
        g_array_append_val (times, us);
    }
  return times->len >= LEAST_POINTS ? g_steal_pointer (&times) : NULL;
}

static void
tell_run (SluiceChecker *self, const SluiceRunInfo *info, GArray *times)
{
  double spread, middle = sluice_preflight_sum_up (times, &spread);
  spread = fmax (spread, LEAST_SPREAD * middle);
  SluicePreflightItem *item =
      sluice_preflight_add (self->card, "run_us", info->name, SLUICE_PREFLIGHT_WELL,
                            g_strdup_printf (_ ("%.4g ± %.2g µs a step, measured in run '%s'"),
                                             middle, spread, info->name));
  item->value = middle;
  item->plus_minus = spread;
  item->unit = "us";
  item->source = "run";
}

void
sluice_checker_look_at_runs (SluiceChecker *self)
{
  const SluiceStoreOptions options = { .read_only = TRUE, .must_exist = TRUE };
  const char *workspace = self->options->workspace;
  g_autoptr (SluiceStore) store =
      workspace != NULL ? sluice_store_open_with (workspace, &options, NULL) : NULL;
  g_autoptr (GPtrArray) runs = store != NULL ? sluice_store_dup_runs (store, NULL) : NULL;
  g_autofree char *hash =
      runs != NULL && runs->len > 0 ? sluice_graph_dup_hash (self->replica->graph, NULL) : NULL;
  for (guint i = 0; hash != NULL && i < runs->len; i++)
    {
      const SluiceRunInfo *info = runs->pdata[i];
      if (g_strcmp0 (info->graph_hash, hash) != 0 || !is_alike (self, store, info))
        continue;
      g_autoptr (GArray) times = read_times (store, info->id);
      if (times == NULL)
        continue;
      tell_run (self, info, times);
      return;
    }
}
