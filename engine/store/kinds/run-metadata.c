/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/run-metadata.h"

#include "engine/base/wire.h"
#include "engine/store/kind-private.h"
#include "engine/store/kinds/bytes-private.h"

SluiceBytesRecord *
sluice_run_metadata_new (gint64 step, double wall, GBytes *bytes)
{
  SluiceBytesRecord *self = sluice_record_new (&sluice_kind_run_metadata, step, wall);
  self->bytes = g_bytes_ref (bytes);
  return self;
}

static SluiceRecord *
run_metadata_read (sqlite3_stmt *row, int at, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_blob_dup_column (row, at, error);
  return bytes != NULL ? &sluice_run_metadata_new (0, 0, bytes)->base : NULL;
}

static void
run_metadata_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  gsize length;
  const void *bytes = g_bytes_get_data (((const SluiceBytesRecord *) record)->bytes, &length);
  g_autoptr (GByteArray) tagged = g_byte_array_new ();
  sluice_wire_put_text (tagged, SLUICE_TAGGED_TAG, out->tag);
  sluice_wire_put_bytes (tagged, SLUICE_TAGGED_METADATA, bytes, length);
  sluice_wire_put_message (out->event, SLUICE_EVENT_TAGGED_METADATA, tagged);
}

static const SluiceMigration migrations[] = {
  { 2, "CREATE TABLE run_metadata (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, hash TEXT NOT NULL REFERENCES blobs);" },
  { 2, "CREATE UNIQUE INDEX run_metadata_by_step ON run_metadata (series, step);" },
  { 2, "CREATE INDEX run_metadata_by_hash ON run_metadata (hash);" },
  { 2, "CREATE VIEW run_metadata_points AS SELECT runs.name AS run, s.tag AS tag, r.step AS step, "
       "r.wall AS wall_time, r.hash AS sha256, length (b.data) AS bytes, b.data AS data "
       "FROM run_metadata r JOIN series s ON s.id = r.series JOIN runs ON runs.id = s.run "
       "JOIN blobs b ON b.hash = r.hash WHERE runs.deleted IS NULL;" },
  SLUICE_SEGMENT_STEPS ("run_metadata", "step"),
  { 0 },
};

const SluiceKind sluice_kind_run_metadata = {
  .number = SLUICE_SERIES_RUN_METADATA,
  .name = "run-metadata",
  .migrations = migrations,
  .table = "run_metadata",
  .columns = "(SELECT data FROM blobs b WHERE b.hash = r.hash)",
  .has_blobs = TRUE,
  .view = "run_metadata_points",
  .write = sluice_bytes_record_write,
  .read = run_metadata_read,
  .free = sluice_bytes_record_clear,
  .get_size = sluice_bytes_record_get_size,
  .record_size = sizeof (SluiceBytesRecord),
  .dup_json = sluice_bytes_record_dup_json,
  .put_event = run_metadata_put_event,
  .is_of_the_run = TRUE,
};
