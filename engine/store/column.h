/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <sqlite3.h>

/* Values of a row, as C has them. */
double sluice_column_double (sqlite3_stmt *row, int i); /* NULL is NaN */
GBytes *sluice_column_dup_bytes (sqlite3_stmt *row, int i);
char *sluice_column_dup_text (sqlite3_stmt *row, int i); /* (nullable) */
