/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/trace-why.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/json.h"

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}

/* -1: there is none */
static gint64
get_median (const SluiceTraceView *view, guint *n)
{
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (view, n);
  g_autofree gint64 *times = g_new (gint64, *n + 1);
  for (guint i = 0; i < *n; i++)
    times[i] = steps[i].end - steps[i].start;
  qsort (times, *n, sizeof *times, compare_times);
  return *n > 0 ? times[(*n - 1) / 2] : -1;
}

static void
say_head (const SluiceTraceView *view, guint n_found)
{
  guint n;
  gint64 median = get_median (view, &n);
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "steps", n);
  if (n > 0)
    sluice_cli_json_int (b, "median_ns", median);
  else
    sluice_cli_json_null (b, "median_ns");
  sluice_cli_json_int (b, "findings", n_found);
  sluice_cli_json_end (b);
  if (sluice_cli_json)
    return;
  if (n > 0)
    printf (_ ("%u steps, %.3f ms by their median\n"), n, (double) median / 1e6);
  if (n_found == 0)
    printf (_ ("Nothing costs as much as %.0f %% of a step.\n"), 100 * SLUICE_BOTTLENECK_MIN);
}

static void
add_place (JsonBuilder *b, const SluiceBottleneck *one, const SluiceTraceLane *lane)
{
  gboolean has_time = one->end > one->start;
  if (one->step > 0)
    sluice_cli_json_int (b, "step", (gint64) one->step);
  else
    sluice_cli_json_null (b, "step");
  sluice_cli_json_string (b, "node", one->node);
  sluice_cli_json_string (b, "device", lane != NULL ? lane->device : NULL);
  sluice_cli_json_string (b, "lane", lane != NULL ? lane->name : NULL);
  if (has_time)
    {
      sluice_cli_json_int (b, "start_ns", one->start);
      sluice_cli_json_int (b, "end_ns", one->end);
      return;
    }
  sluice_cli_json_null (b, "start_ns");
  sluice_cli_json_null (b, "end_ns");
}

static void
say_one (guint number, const SluiceBottleneck *one, const SluiceTraceLane *lane)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "kind", sluice_bottleneck_kind_name (one->kind));
  sluice_cli_json_double (b, "share", one->share);
  sluice_cli_json_int (b, "cost_ns", one->cost);
  sluice_cli_json_int (b, "gain_ns", one->gain);
  sluice_cli_json_int (b, "bytes", (gint64) one->bytes);
  add_place (b, one, lane);
  sluice_cli_json_string (b, "words", one->words);
  sluice_cli_json_string (b, "remedy", one->remedy);
  sluice_cli_json_end (b);
  if (sluice_cli_json)
    return;
  printf ("%u. %s\n   %s\n", number, one->words, one->remedy);
  if (lane != NULL && one->end > one->start)
    printf (_ ("   See %s of %s in step %" PRIu64 ", at %.3f ms for %.3f ms.\n"), lane->name,
            lane->device, one->step, (double) one->start / 1e6,
            (double) (one->end - one->start) / 1e6);
}

void
sluice_cli_print_trace_why (const SluiceBottleneckSource *source)
{
  g_autoptr (GPtrArray) found = sluice_bottleneck_find (source);
  say_head (source->view, found->len);
  for (guint i = 0; i < found->len; i++)
    {
      const SluiceBottleneck *one = found->pdata[i];
      say_one (i + 1, one,
               one->lane != SLUICE_LANE_NONE ? sluice_trace_view_get_lane (source->view, one->lane)
                                             : NULL);
    }
}
