/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sqlite3.h>
#include "engine/base/error.h"

/* Everything that knows how SQLite is spoken to: statements, errors. */

/* FALSE, and error by SQLite's code: disk full, read-only, locked, corrupt. */
gboolean sluice_sql_fail (sqlite3 *db, const char *what, GError **error);
gboolean sluice_sql_exec (sqlite3 *db, const char *sql, GError **error);

/**
 * sluice_sql_prepare:
 * @format: types of the values that are bound in order: i gint64, d double, s const char *
 * (nullable), b GBytes * (nullable)
 *
 * A prepared and bound statement; finalised by the caller.
 */
sqlite3_stmt *
sluice_sql_prepare (sqlite3 *db, GError **error, const char *sql, const char *format, ...);
/* Runs such a statement to its end. */
gboolean sluice_sql_change (sqlite3 *db, GError **error, const char *sql, const char *format, ...);
