/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/bytes.h"

#include "engine/store/kinds/bytes-private.h"
#include "engine/store/sql.h"

void
sluice_bytes_record_clear (SluiceRecord *record)
{
  g_bytes_unref (((SluiceBytesRecord *) record)->bytes);
}

gsize
sluice_bytes_record_get_size (const SluiceRecord *record)
{
  return g_bytes_get_size (((const SluiceBytesRecord *) record)->bytes);
}

gboolean
sluice_bytes_record_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error)
{
  g_autofree char *hash = NULL;
  g_autofree char *sql = g_strdup_printf (
      "INSERT OR REPLACE INTO %s (series, segment, step, wall, hash) VALUES (?, ?, ?, ?, ?)",
      record->kind->table);
  return sluice_blob_put (db, ((const SluiceBytesRecord *) record)->bytes, &hash, error)
         && sluice_sql_change (db, error, sql, "iiids", series, record->segment, record->step,
                               record->wall, hash);
}

char *
sluice_bytes_record_dup_json (const SluiceRecord *record)
{
  GBytes *bytes = ((const SluiceBytesRecord *) record)->bytes;
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  return g_strdup_printf ("{\"sha256\": \"%s\", \"bytes\": %zu}", hash, g_bytes_get_size (bytes));
}
