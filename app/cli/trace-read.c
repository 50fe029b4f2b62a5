/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/trace-read.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/print-row.h"
#include "app/cli/trace-why.h"
#include "engine/trace/trace-file.h"
#include "engine/trace/trace-import.h"
#include "engine/trace/trace-own.h"
#include "engine/trace/trace-remarks.h"
#include "engine/trace/trace-sql.h"

static const char *const kinds[] = {
  [SLUICE_LANE_THREAD] = "thread", [SLUICE_LANE_QUEUE] = "queue", [SLUICE_LANE_LINK] = "link",
  [SLUICE_LANE_WAIT] = "wait",     [SLUICE_LANE_OTHER] = "other",
};

static double
ms (gint64 ns)
{
  return (double) ns / 1e6;
}

static void
say_all (const char *path, const char *format, const SluiceTraceView *view)
{
  guint n_steps;
  guint64 n_marks, n_flows, n_spans = sluice_trace_view_get_n_spans (view);
  guint n_lanes = sluice_trace_view_get_n_lanes (view);
  gint64 begin, end;
  sluice_trace_view_get_steps (view, &n_steps);
  sluice_trace_view_get_marks (view, &n_marks);
  sluice_trace_view_get_flows (view, &n_flows);
  sluice_trace_view_get_extent (view, &begin, &end);
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "file", path);
  sluice_cli_json_string (b, "format", format);
  sluice_cli_json_int (b, "spans", (gint64) n_spans);
  sluice_cli_json_int (b, "lanes", n_lanes);
  sluice_cli_json_int (b, "steps", n_steps);
  sluice_cli_json_int (b, "counters", sluice_trace_view_get_n_counters (view));
  sluice_cli_json_int (b, "marks", (gint64) n_marks);
  sluice_cli_json_int (b, "flows", (gint64) n_flows);
  sluice_cli_json_int (b, "begin_ns", begin);
  sluice_cli_json_int (b, "end_ns", end);
  sluice_cli_json_end (b);
  if (sluice_cli_json)
    return;
  printf (_ ("%s (%s): %" PRIu64 " spans in %u lanes, %.3f ms\n"), path, format, n_spans, n_lanes,
          ms (end - begin));
  printf (_ ("%u steps, %u counters, %" PRIu64 " marks, %" PRIu64 " flows\n"), n_steps,
          sluice_trace_view_get_n_counters (view), n_marks, n_flows);
}

static void
say_lane (const SluiceTraceLane *lane)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "device", lane->device);
  sluice_cli_json_string (b, "lane", lane->name);
  sluice_cli_json_string (b, "kind", kinds[lane->kind]);
  sluice_cli_json_int (b, "spans", (gint64) lane->n_spans);
  sluice_cli_json_int (b, "rows", lane->n_rows);
  sluice_cli_json_int (b, "busy_ns", lane->busy);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    printf (_ ("  %s  %s: %" PRIu64 " spans in %u rows, busy %.3f ms\n"), lane->device, lane->name,
            lane->n_spans, lane->n_rows, ms (lane->busy));
}

static void
say_remark (const char *what, guint64 n)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "not_understood", what);
  sluice_cli_json_int (b, "n", (gint64) n);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    printf (_ ("not understood: %" PRIu64 " × %s\n"), n, what);
}

static void
say (const char *path, const char *format, const SluiceTraceView *view, const GArray *remarks)
{
  say_all (path, format, view);
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (view); i++)
    say_lane (sluice_trace_view_get_lane (view, i));
  for (guint i = 0; i < remarks->len; i++)
    {
      const SluiceTraceRemark *remark = &g_array_index (remarks, SluiceTraceRemark, i);
      say_remark (remark->what, remark->n);
    }
  guint64 n_damaged = sluice_trace_view_get_n_damaged (view);
  if (n_damaged > 0)
    say_remark ("pages are damaged", n_damaged);
}

gboolean
sluice_cli_query_trace (const SluiceTraceView *view,
                        const SluiceGraph *graph,
                        const char *sql,
                        GError **error)
{
  gboolean headed = FALSE;
  sqlite3 *db = sluice_trace_sql_new (view, graph, error);
  gboolean ok =
      db != NULL && sluice_trace_sql_query (db, sql, sluice_cli_print_row, &headed, error);
  sqlite3_close (db);
  return ok;
}

/* out: (nullable) */
static gboolean
find_format (const char *out, SluiceTraceFormat *format)
{
  *format = SLUICE_TRACE_OWN;
  return out == NULL
         || (sluice_trace_format_from_path (out, format)
             && (*format == SLUICE_TRACE_OWN || *format == SLUICE_TRACE_SQL));
}

int
sluice_cli_read_trace (
    const char *path, const char *sql, gboolean why, const char *out, GError **error)
{
  const char *name = NULL;
  SluiceTraceFormat format;
  if (!find_format (out, &format))
    return sluice_cli_usage (error, _ ("what was read is written as .sltrace, .db or .sqlite"));
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (SluiceTraceView) view = sluice_trace_open (path, &name, remarks, error);
  if (view == NULL)
    return EXIT_FAILED;
  if (why)
    sluice_cli_print_trace_why (&(SluiceBottleneckSource){ .view = view });
  else if (sql == NULL)
    say (path, name, view, remarks);
  else if (!sluice_cli_query_trace (view, NULL, sql, error))
    return EXIT_FAILED;
  gboolean ok = out == NULL
                || (format == SLUICE_TRACE_OWN ? sluice_trace_own_write (view, out, error)
                                               : sluice_trace_sql_write (view, NULL, out, error));
  return ok ? EXIT_OK : EXIT_FAILED;
}
