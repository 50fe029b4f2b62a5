/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/scalar.h"

#include <math.h>

#include "engine/base/difference.h"
#include "engine/base/error.h"
#include "engine/base/wire.h"
#include "engine/store/chunks.h"
#include "engine/store/kind-private.h"
#include "engine/store/sql.h"

SluiceScalarRecord *
sluice_scalar_record_new (gint64 step, double wall, double value)
{
  SluiceScalarRecord *self = sluice_record_new (&sluice_kind_scalar, step, wall);
  self->value = value;
  return self;
}

static gboolean
each_of_chunk (sqlite3_stmt *row,
               const SluiceStepRange *range,
               SluiceRecordFunc func,
               gpointer data,
               GError **error)
{
  g_autofree Chunk *chunk = g_new (Chunk, 1);
  if (!sluice_chunk_unpack (chunk, (guint) sqlite3_column_int (row, 0),
                            sqlite3_column_blob (row, 1), sqlite3_column_bytes (row, 1)))
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a chunk of points is damaged");
  for (guint i = 0; i < chunk->n; i++)
    {
      SluiceScalarRecord record = { { &sluice_kind_scalar, chunk->steps[i], chunk->walls[i], 0 },
                                    chunk->values[i] };
      if (chunk->steps[i] >= range->from && chunk->steps[i] <= range->to
          && !func (&record.base, data, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
scalar_each (sqlite3 *db,
             const SluiceSeriesInfo *series,
             const SluiceStepRange *range,
             SluiceRecordFunc func,
             gpointer data,
             GError **error)
{
  const char *sql = series->n_segments > 1
                        ? "SELECT n, data FROM scalar_chunks WHERE series = ? AND last_step >= ? "
                          "AND first_step <= ? ORDER BY segment, first_step"
                        : "SELECT n, data FROM scalar_chunks WHERE series = ? AND last_step >= ? "
                          "AND first_step <= ? ORDER BY first_step";
  sqlite3_stmt *row =
      sluice_sql_prepare (db, error, sql, "iii", series->id, range->from, range->to);
  gboolean ok = row != NULL;
  int rc = SQLITE_DONE;
  while (ok && (rc = sqlite3_step (row)) == SQLITE_ROW)
    ok = each_of_chunk (row, range, func, data, error);
  if (ok && rc != SQLITE_DONE)
    ok = sluice_sql_fail (db, "run store", error);
  sqlite3_finalize (row);
  return ok;
}

static gboolean
scalar_cut (sqlite3 *db, gint64 run, gint64 after_step, GError **error)
{
  sqlite3_stmt *row =
      sluice_sql_prepare (db, error,
                          "SELECT id, series, n, data FROM scalar_chunks WHERE last_step > ?2 AND "
                          "series IN (SELECT id FROM series WHERE run = ?1)",
                          "ii", run, after_step);
  gboolean ok = TRUE;
  int rc = SQLITE_ERROR;
  while (ok && (rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    ok = sluice_series_cut_chunk (db, row, after_step, error);
  sqlite3_finalize (row);
  return ok && rc == SQLITE_DONE;
}

static char *
scalar_dup_json (const SluiceRecord *record)
{
  GString *json = g_string_new (NULL);
  sluice_json_append_double (json, ((const SluiceScalarRecord *) record)->value);
  return g_string_free (json, FALSE);
}

/* As TensorFlow writes scalars, a float: what every reader of event files knows. */
static void
scalar_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  const SluicePluginOut plugin = { "scalars", SLUICE_CLASS_SCALAR, NULL };
  const SluiceShape shape = SLUICE_SHAPE_SCALAR;
  double exact = ((const SluiceScalarRecord *) record)->value;
  float value = (float) exact;
  g_autoptr (SluiceTensor) tensor = NULL;
  if (sluice_event_out_is_tensor (out, plugin.name))
    {
      /* Most writers have floats; what is none came as a tensor of doubles or whole numbers. */
      tensor = isnan (exact) || (double) value == exact
                   ? sluice_tensor_new_from (SLUICE_FLOAT, &shape, &value)
                   : sluice_tensor_new_from (SLUICE_DOUBLE, &shape, &exact);
      sluice_summary_value_put_tensor (out, tensor, &plugin);
    }
  else
    sluice_summary_value_put_simple (out, value, &plugin);
}

static SluiceValueResult
scalar_take_value (const SluiceValueIn *in, GError **error)
{
  double value = in->value->simple_value;
  if (sluice_summary_value_is_tensor_of (in, "scalars"))
    {
      g_autoptr (SluiceTensor) tensor = sluice_summary_value_dup_tensor (in, error);
      if (tensor == NULL)
        return SLUICE_VALUE_FAILED;
      if (tensor->n_elements != 1
          || !sluice_dtype_in (tensor->dtype, SLUICE_SET_REAL | SLUICE_SET (SLUICE_BOOL)))
        return sluice_summary_value_fail (in, error, "a tensor of scalars is one number");
      value = (double) sluice_tensor_get_number (tensor, 0).re;
    }
  else if (in->value->value_case != SLUICE__EVENT__VALUE__VALUE_SIMPLE_VALUE)
    return SLUICE_VALUE_NOT_MINE;
  return sluice_summary_value_sink (in, sluice_scalar_record_new (in->step, in->wall, value), NULL,
                                    error);
}

/*
 * A view that needs nothing of ours: chunks are taken apart in SQL, digit by digit, so that any
 * program with SQLite reads points. An int64 is its bits, least byte first; a double is
 * (-1)^sign * mantissa * 2^k, the power by a shift or, far from 1, from a list of all of them:
 * exact. Each step is a subquery that is DISTINCT: else SQLite would write it into the next one
 * sixteen times, and read the whole chunk as often.
 */
#define DIGIT(at)         "instr ('123456789ABCDEF', substr (h, " #at ", 1))"
#define BYTE(a, b)        "(" DIGIT (a) " * 16 + " DIGIT (b) ")"
#define SHIFTED(a, b, by) " | (" BYTE (a, b) " << " #by ")"
#define BITS_0_31         BYTE (1, 2) SHIFTED (3, 4, 8) SHIFTED (5, 6, 16) SHIFTED (7, 8, 24)
#define BITS_32_47        SHIFTED (9, 10, 32) SHIFTED (11, 12, 40)
#define BITS_48_63        SHIFTED (13, 14, 48) SHIFTED (15, 16, 56)
/* Number `at` of a chunk, as the bits x. */
#define WORD(at)                                                                                   \
  "(SELECT DISTINCT " BITS_0_31 BITS_32_47 BITS_48_63 " AS x FROM "                                \
  "(SELECT DISTINCT hex (substr (c.data, 8 * (" at ") + 1, 8)) AS h))"
#define PARTS(at)                                                                                  \
  "(SELECT DISTINCT CASE WHEN x < 0 THEN -1.0 ELSE 1.0 END AS sign, x >> 52 & 2047 AS e, "         \
  "x & 4503599627370495 AS m FROM " WORD (at) ")"
#define NUMBER(at)                                                                                 \
  "(SELECT CASE WHEN e = 2047 AND m = 0 THEN sign * 9e999 WHEN e = 2047 THEN NULL "                \
  "WHEN e = 0 AND m = 0 THEN sign * 0 "                                                            \
  "WHEN e BETWEEN 1014 AND 1075 THEN sign * (m + 4503599627370496) / (1 << 1075 - e) "             \
  "ELSE sign * (m + CASE WHEN e > 0 THEN 4503599627370496 ELSE 0 END) * "                          \
  "(SELECT p FROM power WHERE k = max (e, 1) - 1075) END FROM " PARTS (at) ")"
#define PLAIN_VIEW                                                                                 \
  "WITH RECURSIVE nth (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM nth WHERE i < 2047), "          \
  "up (k, p) AS (SELECT 0, 1.0 UNION ALL SELECT k + 1, p * 2 FROM up WHERE k < 971), "             \
  "down (k, p) AS (SELECT -1, 0.5 UNION ALL SELECT k - 1, p / 2 FROM down WHERE k > -1074), "      \
  "power (k, p) AS MATERIALIZED (SELECT k, p FROM up UNION ALL SELECT k, p FROM down) "            \
  "SELECT runs.name AS run, s.tag AS tag, (SELECT x FROM " WORD ("i") ") AS step, " NUMBER (       \
      "c.n + i") " AS wall_time, " NUMBER ("2 * c.n + i") " AS value FROM runs "                   \
                                                          "JOIN series s ON s.run = runs.id JOIN " \
                                                          "scalar_chunks c ON c.series = s.id "    \
                                                          "JOIN nth ON nth.i < c.n WHERE "         \
                                                          "runs.deleted IS NULL"

static const SluiceMigration migrations[] = {
  /* data: n steps (int64), n wall times and n values (double), little-endian. NaN is stored as NULL
     in the columns beside it. */
  { 1, "CREATE TABLE scalar_chunks (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "n INTEGER NOT NULL, first_step INTEGER NOT NULL, last_step INTEGER NOT NULL, min REAL, "
       "max REAL, sum REAL, n_nonfinite INTEGER NOT NULL, first_value REAL, last_value REAL, "
       "last_wall REAL, data BLOB NOT NULL);"
       "CREATE UNIQUE INDEX scalar_chunks_by_step ON scalar_chunks (series, first_step);" },
  { 2, "CREATE VIEW points AS " PLAIN_VIEW ";" },
  /* Each ALTER would read it again, and it is long. */
  { 3, "DROP VIEW points;" },
  SLUICE_SEGMENT_STEPS ("scalar_chunks", "first_step"),
  { 3, "CREATE VIEW points AS " PLAIN_VIEW ";" },
  /* The first steps that have min and max; where no value is finite, the first of all. */
  { 4, "DROP VIEW points;" },
  { 4, "ALTER TABLE scalar_chunks ADD COLUMN min_step INTEGER;" },
  { 4, "ALTER TABLE scalar_chunks ADD COLUMN max_step INTEGER;" },
  { 4, "UPDATE scalar_chunks SET "
       "min_step = coalesce ((SELECT p.step FROM chunk_points (data) p WHERE p.value = min "
       "AND n > n_nonfinite LIMIT 1), first_step), "
       "max_step = coalesce ((SELECT p.step FROM chunk_points (data) p WHERE p.value = max "
       "AND n > n_nonfinite LIMIT 1), first_step);" },
  { 4, "CREATE VIEW points AS " PLAIN_VIEW ";" },
  { 0 },
};

const SluiceKind sluice_kind_scalar = {
  .number = SLUICE_SERIES_SCALAR,
  .name = "scalar",
  .migrations = migrations,
  /* Chunks of one segment follow each other: the last one has the last step. */
  .list = "SELECT s.id AS id, s.run, s.tag, s.kind, CASE WHEN ?2 OR s.segments > 1 THEN "
          "(SELECT sum (n) FROM scalar_chunks WHERE series = s.id) ELSE l.id IS NOT NULL END, "
          "(SELECT min (first_step) FROM scalar_chunks WHERE series = s.id), "
          "CASE WHEN s.segments > 1 THEN "
          "(SELECT max (last_step) FROM scalar_chunks WHERE series = s.id) ELSE l.last_step END, "
          "s.segments, l.last_value, l.last_wall FROM series s "
          "LEFT JOIN scalar_chunks l ON l.id = (SELECT id FROM scalar_chunks WHERE series = s.id "
          "ORDER BY first_step DESC, segment DESC LIMIT 1) WHERE s.run = ?1 AND s.kind = 0",
  .truncate = "DELETE FROM scalar_chunks WHERE first_step > ?2 AND series IN "
              "(SELECT id FROM series WHERE run = ?1)",
  .view = "points",
  .our_view = "SELECT runs.name AS run, s.tag AS tag, p.step AS step, p.wall AS wall_time, "
              "p.value AS value FROM runs JOIN series s ON s.run = runs.id "
              "JOIN scalar_chunks c ON c.series = s.id JOIN chunk_points (c.data) p "
              "WHERE runs.deleted IS NULL",
  .each = scalar_each,
  .cut = scalar_cut,
  .record_size = sizeof (SluiceScalarRecord),
  .dup_json = scalar_dup_json,
  .put_event = scalar_put_event,
  .take_value = scalar_take_value,
};
