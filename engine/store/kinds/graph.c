/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/graph.h"

#include "engine/base/wire.h"
#include "engine/store/kind-private.h"
#include "engine/store/kinds/bytes-private.h"

SluiceBytesRecord *
sluice_graph_record_new (gint64 step, double wall, GBytes *bytes)
{
  SluiceBytesRecord *self = sluice_record_new (&sluice_kind_graph, step, wall);
  self->bytes = g_bytes_ref (bytes);
  return self;
}

static SluiceRecord *
graph_read (sqlite3_stmt *row, int at, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_blob_dup_column (row, at, error);
  return bytes != NULL ? &sluice_graph_record_new (0, 0, bytes)->base : NULL;
}

static void
graph_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  gsize length;
  const void *bytes = g_bytes_get_data (((const SluiceBytesRecord *) record)->bytes, &length);
  sluice_wire_put_bytes (out->event, SLUICE_EVENT_GRAPH, bytes, length);
}

/* The graph of a run was known by its hash only: it becomes a record of step 0. */
#define MOVE_GRAPHS                                                                                \
  "INSERT INTO graph_records (series, step, wall, hash) SELECT s.id, 0, ifnull (runs.created, "    \
  "0), "                                                                                           \
  "g.blob FROM series s JOIN runs ON runs.id = s.run JOIN graphs g ON g.hash = runs.graph_hash "   \
  "WHERE s.kind = 8;"

static const SluiceMigration migrations[] = {
  { 2, "CREATE TABLE graph_records (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, hash TEXT NOT NULL REFERENCES blobs);" },
  { 2, "CREATE UNIQUE INDEX graph_records_by_step ON graph_records (series, step);" },
  { 2, "CREATE INDEX graph_records_by_hash ON graph_records (hash);" },
  { 2, "INSERT OR IGNORE INTO series (run, tag, kind) SELECT runs.id, '" SLUICE_RUN_GRAPH_TAG
       "', 8 FROM runs JOIN graphs g ON g.hash = runs.graph_hash;" },
  { 2, MOVE_GRAPHS },
  { 2, "CREATE VIEW graph_points AS SELECT runs.name AS run, s.tag AS tag, r.step AS step, "
       "r.wall AS wall_time, r.hash AS sha256, length (b.data) AS bytes, b.data AS data "
       "FROM graph_records r JOIN series s ON s.id = r.series JOIN runs ON runs.id = s.run "
       "JOIN blobs b ON b.hash = r.hash WHERE runs.deleted IS NULL;" },
  SLUICE_SEGMENT_STEPS ("graph_records", "step"),
  { 0 },
};

const SluiceKind sluice_kind_graph = {
  .number = SLUICE_SERIES_GRAPH,
  .name = "graph",
  .migrations = migrations,
  .table = "graph_records",
  .columns = "(SELECT data FROM blobs b WHERE b.hash = r.hash)",
  .has_blobs = TRUE,
  .view = "graph_points",
  .write = sluice_bytes_record_write,
  .read = graph_read,
  .free = sluice_bytes_record_clear,
  .get_size = sluice_bytes_record_get_size,
  .record_size = sizeof (SluiceBytesRecord),
  .dup_json = sluice_bytes_record_dup_json,
  .put_event = graph_put_event,
  .is_of_the_run = TRUE,
};
