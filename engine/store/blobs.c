/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/blobs.h"

#include "engine/base/error.h"
#include "engine/store/kind-private.h"
#include "engine/store/sql.h"

gboolean
sluice_blob_put (sqlite3 *db, GBytes *bytes, char **hash, GError **error)
{
  g_autofree char *sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  if (!sluice_sql_change (db, error, "INSERT OR IGNORE INTO blobs (hash, data) VALUES (?, ?)", "sb",
                          sum, bytes))
    return FALSE;
  if (hash != NULL)
    *hash = g_steal_pointer (&sum);
  return TRUE;
}

gboolean
sluice_blobs_drop_orphans (sqlite3 *db, GError **error)
{
  g_autoptr (GString) sql =
      g_string_new ("DELETE FROM blobs WHERE hash NOT IN (SELECT blob FROM graphs");
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  if (kind->has_blobs)
    g_string_append_printf (sql, " UNION SELECT hash FROM %s", kind->table);
  g_string_append_c (sql, ')');
  return sluice_sql_exec (db, sql->str, error);
}

GBytes *
sluice_blob_dup_column (sqlite3_stmt *row, int i, GError **error)
{
  if (sqlite3_column_type (row, i) != SQLITE_NULL)
    return sluice_column_dup_bytes (row, i);
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "the bytes of a record are not in the store");
  return NULL;
}
