/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"
#include "engine/trace/trace-view.h"

/* Says what is in a file of any format. sql: (nullable): answers that instead; why: says what makes
 * steps slow instead; out: (nullable): also writes it as Sluice's own file or as a database.
 * Returns: what the program exits with */
int sluice_cli_read_trace (
    const char *path, const char *sql, gboolean why, const char *out, GError **error);
/* Prints what a query finds in a trace. graph: (nullable) */
gboolean sluice_cli_query_trace (const SluiceTraceView *view,
                                 const SluiceGraph *graph,
                                 const char *sql,
                                 GError **error);
