/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/column.h"

#include <math.h>

double
sluice_column_double (sqlite3_stmt *row, int i)
{
  return sqlite3_column_type (row, i) == SQLITE_NULL ? NAN : sqlite3_column_double (row, i);
}

GBytes *
sluice_column_dup_bytes (sqlite3_stmt *row, int i)
{
  const void *data = sqlite3_column_blob (row, i); /* before its size: SQLite may convert it */
  return g_bytes_new (data, (gsize) sqlite3_column_bytes (row, i));
}

char *
sluice_column_dup_text (sqlite3_stmt *row, int i)
{
  return g_strdup ((const char *) sqlite3_column_text (row, i));
}
