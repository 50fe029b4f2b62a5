/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sqlite3.h>

#include "engine/store/store.h"

/*
 * SQL on the store, read only: with a view for every kind (points, histogram_points ...) that
 * unpacks what is packed, and the functions of sql-functions.h. The database has views of the same
 * names for other programs.
 */

/* row: where sqlite3_column_... read; names of columns with sqlite3_column_name(). */
typedef gboolean (*SluiceQueryFunc) (sqlite3_stmt *row, gpointer data, GError **error);

/**
 * sluice_store_query:
 * @sql: one statement that reads; INVALID_ARGUMENT with SQLite's words where it is none
 * @func: called for each row; %FALSE ends it
 */
gboolean sluice_store_query (
    SluiceStore *self, const char *sql, SluiceQueryFunc func, gpointer data, GError **error);

/* Tables and views that a query may read: SELECT kind ("table", "view"), name, columns ("a, b"). */
extern const char sluice_store_query_tables[];
