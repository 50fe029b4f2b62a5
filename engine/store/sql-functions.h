/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <sqlite3.h>

/*
 * What SQL needs of ours to read the store's blobs:
 *   sha256 (x)             the SHA-256 of a blob, in hex
 *   double_at (x, i)       double number i of a blob
 *   doubles (x, first, n)  n of them as a JSON array
 *   chunk_points (x)       table-valued: step, wall, value of a row of scalar_chunks
 */
gboolean sluice_sql_functions_add (sqlite3 *db, GError **error);
