/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sqlite3.h>

#include "engine/graph/graph.h"
#include "engine/trace/trace-view.h"

SLUICE_PUBLIC_BEGIN

/*
 * A trace as tables of SQLite: lanes, steps, events, waits (gaps of lanes with their cause),
 * counts, marks, flows; a view transfers. Times are nanoseconds, numbers of lanes and events those
 * of the view.
 */

/* graph: (nullable): whose nodes they are, for what waits waited for. In memory: (transfer full)
 * (nullable) */
sqlite3 *
sluice_trace_sql_new (const SluiceTraceView *view, const SluiceGraph *graph, GError **error);
/* The same as a file, there whole or not at all. */
gboolean sluice_trace_sql_write (const SluiceTraceView *view,
                                 const SluiceGraph *graph,
                                 const char *path,
                                 GError **error);

/* row: where sqlite3_column_… read. FALSE ends it. */
typedef gboolean (*SluiceTraceRowFunc) (sqlite3_stmt *row, gpointer data, GError **error);
/* sql: one statement that reads; INVALID_ARGUMENT with SQLite's words where it is none */
gboolean sluice_trace_sql_query (
    sqlite3 *db, const char *sql, SluiceTraceRowFunc func, gpointer data, GError **error);

SLUICE_PUBLIC_END
