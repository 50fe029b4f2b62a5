/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/place-fit.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/files.h"
#include "app/cli/json.h"
#include "app/cli/run-options.h"
#include "engine/base/text.h"
#include "engine/passes/graph-workload.h"
#include "engine/train/fit-trial.h"

/* ---- what was found ---- */

static const char *
get_device_name (SluiceSession *session, guint device)
{
  return sluice_session_get_device (session, device)->short_name;
}

static char *
dup_size (double bytes)
{
  return g_format_size_full ((guint64) MAX (bytes, 0), G_FORMAT_SIZE_IEC_UNITS);
}

static void
print_peaks (SluiceSession *session, const SluiceFitReport *report, const double *bytes, double us)
{
  g_autofree char *time = sluice_graph_workload_dup_time (us);
  for (guint d = 0; d < report->n_devices; d++)
    {
      g_autofree char *peak = dup_size (bytes[d]), *held = dup_size (report->held_bytes[d]);
      if (bytes[d] > 0)
        printf (_ ("%s: at the most %s, of them %s all the time\n"), get_device_name (session, d),
                peak, held);
    }
  printf (_ ("a step takes %s\n"), time);
}

static void
print_line (const SluiceFitLine *line)
{
  g_autofree char *bytes = dup_size (line->bytes),
                  *time = sluice_graph_workload_dup_time (line->us);
  if (line->kind == SLUICE_FIT_SWAP)
    printf (_ ("swap       −%s +%s  %s is in the host's memory until '%s'\n"), bytes, time,
            line->name, line->reader);
  else
    printf (ngettext ("recompute  −%s +%s  %s, by %u node before '%s'\n",
                      "recompute  −%s +%s  %s, by %u nodes before '%s'\n", line->n_again),
            bytes, time, line->name, line->n_again, line->reader);
}

static void
print_report (SluiceSession *session, const SluiceFitReport *report)
{
  print_peaks (session, report, report->natural_bytes, report->natural_us);
  for (guint i = 0; i < report->lines->len; i++)
    print_line (&g_array_index (report->lines, SluiceFitLine, i));
  printf ("%s\n", report->fits ? _ ("then:") : _ ("it does not fit; the smallest is:"));
  print_peaks (session, report, report->bytes, report->us);
}

static void
print_json (SluiceSession *session, const SluiceFitReport *report)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_bool (b, "fits", report->fits);
  sluice_cli_json_int (b, "limit_bytes", (gint64) report->limits[0]);
  sluice_cli_json_double (b, "natural_us", report->natural_us);
  sluice_cli_json_double (b, "us", report->us);
  sluice_cli_json_int (b, "tried", (gint64) report->n_tried);
  json_builder_set_member_name (b, "devices");
  json_builder_begin_array (b);
  for (guint d = 0; d < report->n_devices; d++)
    {
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "device", get_device_name (session, d));
      sluice_cli_json_int (b, "natural_bytes", (gint64) report->natural_bytes[d]);
      sluice_cli_json_int (b, "bytes", (gint64) report->bytes[d]);
      sluice_cli_json_int (b, "held_bytes", (gint64) report->held_bytes[d]);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_builder_set_member_name (b, "decisions");
  json_builder_begin_array (b);
  for (guint i = 0; i < report->lines->len; i++)
    {
      const SluiceFitLine *line = &g_array_index (report->lines, SluiceFitLine, i);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "do", line->kind == SLUICE_FIT_SWAP ? "swap" : "recompute");
      sluice_cli_json_string (b, "value", line->name);
      sluice_cli_json_string (b, "device", get_device_name (session, line->device));
      sluice_cli_json_string (b, "before", line->reader);
      sluice_cli_json_int (b, "value_bytes", (gint64) line->value_bytes);
      sluice_cli_json_int (b, "nodes", line->n_again);
      sluice_cli_json_int (b, "bytes", (gint64) line->bytes);
      sluice_cli_json_double (b, "us", line->us);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

static int
tell (SluiceSession *session, SluiceFitStudy *study, gsize bytes)
{
  guint n = sluice_fit_study_get_n_devices (study);
  g_autofree double *limits = g_new0 (double, n + 1);
  for (guint d = 0; d < n; d++)
    limits[d] = (double) bytes;
  g_autoptr (SluiceFit) fit = sluice_fit_study_run (study, limits);
  g_autoptr (SluiceFitReport) report = sluice_fit_study_report (study, fit, limits);
  if (sluice_cli_json)
    print_json (session, report);
  else
    print_report (session, report);
  return report->fits ? EXIT_OK : EXIT_FAILED;
}

/* ---- of what ---- */

static int
look_at_project (const char *path, gsize bytes, GError **error)
{
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  g_autoptr (SluiceProject) project = sluice_project_load (path, error);
  if (project == NULL || !sluice_examples_load_all (project, &examples, &test, error))
    return EXIT_FAILED;
  SluiceReplica *replica =
      sluice_replica_new (project, examples, test, 0, &sluice_cli_session_options, error);
  SluiceFitStudy *study = replica != NULL ? sluice_replica_study_fit (replica, error) : NULL;
  int status = study != NULL ? tell (replica->session, study, bytes) : EXIT_FAILED;
  g_clear_pointer (&study, sluice_fit_study_free);
  g_clear_pointer (&replica, sluice_replica_free);
  return status;
}

/* "x:0=1.5" is of the edge x:0. (transfer full) */
static char **
dup_edges (char **feeds)
{
  g_autoptr (GStrvBuilder) edges = g_strv_builder_new ();
  for (guint i = 0; feeds != NULL && feeds[i] != NULL; i++)
    {
      g_autofree char *edge = g_strndup (feeds[i], strcspn (feeds[i], "="));
      g_strv_builder_add (edges, edge);
    }
  return g_strv_builder_end (edges);
}

static int
look_at_graph (const CliSteps *names, const char *path, gsize bytes, GError **error)
{
  if (names->fetches == NULL && names->targets == NULL)
    return sluice_cli_usage (error,
                             _ ("--fit of a graph needs --fetch or --target: what a step is"));
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (path, error);
  g_autoptr (SluiceSession) session =
      graph != NULL ? sluice_session_new (&sluice_cli_session_options, error) : NULL;
  if (session == NULL || !sluice_session_extend (session, graph, error))
    return EXIT_FAILED;
  g_auto (GStrv) edges = dup_edges (names->feeds);
  guint n = g_strv_length (edges);
  g_autofree SluiceFeed *feeds = sluice_feeds_new ((const char *const *) edges, n);
  const SluiceStepNames step = {
    .feeds = feeds,
    .n_feeds = n,
    .fetches = (const char *const *) names->fetches,
    .n_fetches = names->fetches != NULL ? g_strv_length (names->fetches) : 0,
    .targets = (const char *const *) names->targets,
    .n_targets = names->targets != NULL ? g_strv_length (names->targets) : 0,
  };
  g_autoptr (SluiceFitStudy) study = sluice_session_study_fit (session, &step, NULL, error);
  return study != NULL ? tell (session, study, bytes) : EXIT_FAILED;
}

int
sluice_cli_place_fit (const CliSteps *names, const char *path, const char *bytes, GError **error)
{
  gsize size;
  if (!sluice_text_parse_size (bytes, &size) || size == 0)
    return sluice_cli_usage (error, _ ("--fit must be a number of bytes, as 500000, 64M or 2G"));
  return sluice_project_is_folder (path) ? look_at_project (path, size, error)
                                         : look_at_graph (names, path, size, error);
}
