/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-sql.h"

#include "engine/base/error.h"
#include "engine/store/file.h"
#include "engine/store/sql.h"
#include "engine/trace/trace-gaps.h"

static const char schema[] =
    "CREATE TABLE lanes (id INTEGER PRIMARY KEY, device TEXT, name TEXT, kind TEXT, spans INTEGER,"
    " rows INTEGER, busy INTEGER);"
    "CREATE TABLE steps (step INTEGER PRIMARY KEY, start INTEGER, end INTEGER, dur INTEGER,"
    " is_slow INTEGER);"
    "CREATE TABLE events (id INTEGER PRIMARY KEY, lane INTEGER, row INTEGER, kind TEXT, name TEXT,"
    " op TEXT, step INTEGER, frame TEXT, iteration INTEGER, scheduled INTEGER, start INTEGER,"
    " end INTEGER, dur INTEGER, bytes_in INTEGER, bytes_out INTEGER, live INTEGER);"
    "CREATE TABLE waits (lane INTEGER, start INTEGER, end INTEGER, dur INTEGER, cause TEXT,"
    " step INTEGER, next INTEGER, maker INTEGER, value TEXT);"
    "CREATE TABLE counts (device TEXT, name TEXT, time INTEGER, value REAL);"
    "CREATE TABLE marks (time INTEGER, name TEXT, lane INTEGER);"
    "CREATE TABLE flows (\"from\" INTEGER, \"to\" INTEGER);"
    "CREATE VIEW transfers AS SELECT events.*, lanes.device FROM events JOIN lanes"
    " ON lanes.id = events.lane WHERE events.kind IN ('send', 'recv', 'copy');";

static const char *const lane_kinds[] = {
  [SLUICE_LANE_THREAD] = "thread", [SLUICE_LANE_QUEUE] = "queue", [SLUICE_LANE_LINK] = "link",
  [SLUICE_LANE_WAIT] = "wait",     [SLUICE_LANE_OTHER] = "other",
};
static const char *const span_kinds[] = {
  [SLUICE_SPAN_NODE] = "node", [SLUICE_SPAN_WAIT] = "wait", [SLUICE_SPAN_SEND] = "send",
  [SLUICE_SPAN_RECV] = "recv", [SLUICE_SPAN_COPY] = "copy", [SLUICE_SPAN_OTHER] = "other",
  [SLUICE_SPAN_LOCK] = "lock", [SLUICE_SPAN_HOST] = "host",
};

/* ---- filling ---- */

/* A statement that inserts the same kind of row again and again. */
typedef struct
{
  sqlite3 *db;
  sqlite3_stmt *row;
  int n;
} Insert;

static gboolean
begin (Insert *self, sqlite3 *db, const char *sql, GError **error)
{
  *self = (Insert){ .db = db };
  return sqlite3_prepare_v2 (db, sql, -1, &self->row, NULL) == SQLITE_OK
         || sluice_sql_fail (db, "trace", error);
}

static void
put_int (Insert *self, gint64 value)
{
  sqlite3_bind_int64 (self->row, ++self->n, value);
}

/* value: (nullable) */
static void
put_text (Insert *self, const char *value)
{
  sqlite3_bind_text (self->row, ++self->n, value, -1, SQLITE_STATIC);
}

static void
put_span (Insert *self, guint64 number)
{
  if (number == SLUICE_SPAN_NONE)
    sqlite3_bind_null (self->row, ++self->n);
  else
    put_int (self, (gint64) number);
}

static gboolean
end_row (Insert *self, GError **error)
{
  gboolean ok = sqlite3_step (self->row) == SQLITE_DONE;
  if (!ok)
    sluice_sql_fail (self->db, "trace", error);
  sqlite3_reset (self->row);
  self->n = 0;
  return ok;
}

static gboolean
fill_lanes (sqlite3 *db, const SluiceTraceView *view, GError **error)
{
  Insert row;
  gboolean ok = begin (&row, db, "INSERT INTO lanes VALUES (?, ?, ?, ?, ?, ?, ?)", error);
  for (guint i = 0; ok && i < sluice_trace_view_get_n_lanes (view); i++)
    {
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, i);
      put_int (&row, i);
      put_text (&row, lane->device);
      put_text (&row, lane->name);
      put_text (&row, lane_kinds[lane->kind]);
      put_int (&row, (gint64) lane->n_spans);
      put_int (&row, lane->n_rows);
      put_int (&row, lane->busy);
      ok = end_row (&row, error);
    }
  sqlite3_finalize (row.row);
  return ok;
}

static gboolean
fill_steps (sqlite3 *db, const SluiceTraceView *view, GError **error)
{
  Insert row;
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (view, &n);
  gboolean ok = begin (&row, db, "INSERT INTO steps VALUES (?, ?, ?, ?, ?)", error);
  for (guint i = 0; ok && i < n; i++)
    {
      put_int (&row, (gint64) steps[i].step);
      put_int (&row, steps[i].start);
      put_int (&row, steps[i].end);
      put_int (&row, steps[i].end - steps[i].start);
      put_int (&row, steps[i].is_slow);
      ok = end_row (&row, error);
    }
  sqlite3_finalize (row.row);
  return ok;
}

static gboolean
fill_events (sqlite3 *db, const SluiceTraceView *view, GError **error)
{
  Insert row;
  gboolean ok =
      begin (&row, db, "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
             error);
  for (guint64 i = 0; ok && i < sluice_trace_view_get_n_spans (view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      put_int (&row, (gint64) i);
      put_int (&row, span.lane);
      put_int (&row, span.row);
      put_text (&row, span_kinds[span.kind]);
      put_text (&row, span.name);
      put_text (&row, span.op);
      put_int (&row, (gint64) span.step);
      put_text (&row, span.frame);
      put_int (&row, (gint64) span.iteration);
      put_int (&row, span.scheduled);
      put_int (&row, span.start);
      put_int (&row, span.end);
      put_int (&row, span.end - span.start);
      put_int (&row, (gint64) span.bytes_in);
      put_int (&row, (gint64) span.bytes_out);
      put_int (&row, (gint64) span.live);
      ok = end_row (&row, error);
    }
  sqlite3_finalize (row.row);
  return ok;
}

static gboolean
fill_waits_of_lane (Insert *row, const GArray *gaps, GError **error)
{
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < gaps->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (gaps, SluiceTraceGap, i);
      put_int (row, gap->lane);
      put_int (row, gap->start);
      put_int (row, gap->end);
      put_int (row, gap->end - gap->start);
      put_text (row, sluice_gap_cause_name (gap->cause));
      put_int (row, (gint64) gap->step);
      put_span (row, gap->next);
      put_span (row, gap->maker);
      put_text (row, gap->value);
      ok = end_row (row, error);
    }
  return ok;
}

static gboolean
fill_waits (sqlite3 *db, const SluiceTraceView *view, const SluiceGraph *graph, GError **error)
{
  Insert row;
  gint64 from, to;
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, graph);
  sluice_trace_view_get_extent (view, &from, &to);
  gboolean ok = begin (&row, db, "INSERT INTO waits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", error);
  for (guint i = 0; ok && i < sluice_trace_view_get_n_lanes (view); i++)
    {
      g_autoptr (GArray) found = sluice_trace_gaps_find (gaps, i, from, to);
      ok = fill_waits_of_lane (&row, found, error);
    }
  sqlite3_finalize (row.row);
  return ok;
}

static gboolean
fill_counts (sqlite3 *db, const SluiceTraceView *view, GError **error)
{
  Insert row;
  gboolean ok = begin (&row, db, "INSERT INTO counts VALUES (?, ?, ?, ?)", error);
  for (guint i = 0; ok && i < sluice_trace_view_get_n_counters (view); i++)
    {
      SluiceTraceCounter counter;
      sluice_trace_view_get_counter (view, i, &counter);
      for (guint64 k = 0; ok && k < counter.n; k++)
        {
          put_text (&row, counter.device);
          put_text (&row, counter.name);
          put_int (&row, counter.counts[k].time);
          sqlite3_bind_double (row.row, ++row.n, counter.counts[k].value);
          ok = end_row (&row, error);
        }
    }
  sqlite3_finalize (row.row);
  return ok;
}

static gboolean
fill_marks (sqlite3 *db, const SluiceTraceView *view, GError **error)
{
  Insert row;
  guint64 n;
  const SluiceTraceMark *marks = sluice_trace_view_get_marks (view, &n);
  gboolean ok = begin (&row, db, "INSERT INTO marks VALUES (?, ?, ?)", error);
  for (guint64 i = 0; ok && i < n; i++)
    {
      put_int (&row, marks[i].time);
      put_text (&row, marks[i].name);
      put_span (&row, marks[i].lane == SLUICE_LANE_NONE ? SLUICE_SPAN_NONE : marks[i].lane);
      ok = end_row (&row, error);
    }
  sqlite3_finalize (row.row);
  return ok;
}

static gboolean
fill_flows (sqlite3 *db, const SluiceTraceView *view, GError **error)
{
  Insert row;
  guint64 n;
  const SluiceTraceFlow *flows = sluice_trace_view_get_flows (view, &n);
  gboolean ok = begin (&row, db, "INSERT INTO flows VALUES (?, ?)", error);
  for (guint64 i = 0; ok && i < n; i++)
    {
      put_int (&row, (gint64) flows[i].from);
      put_int (&row, (gint64) flows[i].to);
      ok = end_row (&row, error);
    }
  sqlite3_finalize (row.row);
  return ok;
}

sqlite3 *
sluice_trace_sql_new (const SluiceTraceView *view, const SluiceGraph *graph, GError **error)
{
  sqlite3 *db = NULL;
  gboolean ok = sqlite3_open (":memory:", &db) == SQLITE_OK;
  if (!ok)
    sluice_sql_fail (db, "trace", error);
  ok = ok && sluice_sql_exec (db, schema, error) && sluice_sql_begin (db, error)
       && fill_lanes (db, view, error) && fill_steps (db, view, error)
       && fill_events (db, view, error) && fill_waits (db, view, graph, error)
       && fill_counts (db, view, error) && fill_marks (db, view, error)
       && fill_flows (db, view, error) && sluice_sql_exec (db, "COMMIT", error);
  if (!ok)
    g_clear_pointer (&db, sqlite3_close);
  return db;
}

gboolean
sluice_trace_sql_write (const SluiceTraceView *view,
                        const SluiceGraph *graph,
                        const char *path,
                        GError **error)
{
  sqlite3 *db = sluice_trace_sql_new (view, graph, error);
  sqlite3_int64 length = 0;
  if (db == NULL)
    return FALSE;
  guint8 *bytes = sqlite3_serialize (db, "main", &length, 0);
  gboolean ok = bytes != NULL ? sluice_file_put ("trace", path, bytes, (gsize) length, error)
                              : sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                                             "there is no memory for a database of the trace");
  sqlite3_free (bytes);
  sqlite3_close (db);
  return ok;
}

/* ---- asking ---- */

gboolean
sluice_trace_sql_query (
    sqlite3 *db, const char *sql, SluiceTraceRowFunc func, gpointer data, GError **error)
{
  sqlite3_stmt *row = NULL;
  const char *rest = NULL;
  if (sqlite3_prepare_v2 (db, sql, -1, &row, &rest) != SQLITE_OK)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "query: %s", sqlite3_errmsg (db));
  gboolean ok = row != NULL && sqlite3_stmt_readonly (row);
  for (; ok && *rest != '\0'; rest++)
    ok = g_ascii_isspace (*rest) || *rest == ';';
  if (!ok)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "query: give one statement that reads, a SELECT");
  int result = SQLITE_ROW;
  while (ok && (result = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    ok = func (row, data, error);
  sqlite3_finalize (row);
  return ok && result == SQLITE_DONE;
}
