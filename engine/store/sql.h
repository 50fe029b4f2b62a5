/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sqlite3.h>
#include "engine/base/error.h"

/* Everything that knows how SQLite is spoken to: statements, errors. */

/* FALSE, and error by SQLite's code: disk full, read-only, locked, corrupt. */
gboolean sluice_sql_fail (sqlite3 *db, const char *what, GError **error);
gboolean sluice_sql_exec (sqlite3 *db, const char *sql, GError **error);
/* A transaction that writes. SQLite may have no memory to take back the one before, which would
 * stay open then: that is done first. */
gboolean sluice_sql_begin (sqlite3 *db, GError **error);
void sluice_sql_roll_back (sqlite3 *db);

/**
 * sluice_sql_prepare:
 * @format: types of the values that are bound in order: i gint64, d double, s const char *
 * (nullable), b GBytes * (nullable)
 *
 * A prepared and bound statement; finalised by the caller.
 */
sqlite3_stmt *
sluice_sql_prepare (sqlite3 *db, GError **error, const char *sql, const char *format, ...);
/* SQLITE_ROW, SQLITE_DONE, or SQLITE_ERROR with error set; row NULL: it is set already. */
int sluice_sql_step (sqlite3 *db, sqlite3_stmt *row, GError **error);
/* The first column of such a statement's only row, whole; it is finalised. No row: 0. */
gboolean
sluice_sql_take_number (sqlite3 *db, sqlite3_stmt *take_row, gint64 *number, GError **error);
/* Runs such a statement to its end. */
gboolean sluice_sql_change (sqlite3 *db, GError **error, const char *sql, const char *format, ...);
