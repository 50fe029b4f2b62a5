/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/histogram.h"
#include "engine/store/sql.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/wire.h"
#include "engine/store/kind-private.h"

/* data: least and greatest value, n right edges, n counts (double, little-endian). */

SluiceHistogram *
sluice_histogram_new (gint64 step,
                      double wall,
                      double min,
                      double max,
                      const double *limits,
                      const double *counts,
                      guint n)
{
  SluiceHistogram *self = sluice_record_new (&sluice_kind_histogram, step, wall);
  self->n = n;
  self->min = min;
  self->max = max;
  self->count = self->sum = self->sum_squares = NAN;
  self->limits = g_memdup2 (limits, n * sizeof (double));
  self->counts = g_memdup2 (counts, n * sizeof (double));
  return self;
}

static void
histogram_free (SluiceRecord *record)
{
  SluiceHistogram *self = (SluiceHistogram *) record;
  g_free (self->limits);
  g_free (self->counts);
}

static gsize
histogram_get_size (const SluiceRecord *record)
{
  return 2 * sizeof (double) * ((const SluiceHistogram *) record)->n;
}

static gboolean
histogram_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error)
{
  const SluiceHistogram *self = (const SluiceHistogram *) record;
  gsize column = self->n * sizeof (double);
  double *packed = g_malloc (2 * sizeof (double) + 2 * column);
  packed[0] = self->min;
  packed[1] = self->max;
  if (self->n > 0)
    {
      memcpy (packed + 2, self->limits, column);
      memcpy (packed + 2 + self->n, self->counts, column);
    }
  g_autoptr (GBytes) data = g_bytes_new_take (packed, 2 * sizeof (double) + 2 * column);
  return sluice_sql_change (
      db, error,
      "INSERT OR REPLACE INTO histograms (series, segment, step, wall, data, count, sum, "
      "sum_squares) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      "iiidbddd", series, record->segment, record->step, record->wall, data, self->count, self->sum,
      self->sum_squares);
}

static SluiceRecord *
histogram_read (sqlite3_stmt *row, int at, GError **error)
{
  const double *packed = sqlite3_column_blob (row, at);
  gsize n_values = (gsize) sqlite3_column_bytes (row, at) / sizeof (double);
  if (n_values < 2 || n_values % 2 != 0)
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a histogram is damaged");
      return NULL;
    }
  guint n = (guint) (n_values / 2 - 1);
  SluiceHistogram *self =
      sluice_histogram_new (0, 0, packed[0], packed[1], packed + 2, packed + 2 + n, n);
  self->count = sluice_column_double (row, at + 1);
  self->sum = sluice_column_double (row, at + 2);
  self->sum_squares = sluice_column_double (row, at + 3);
  return &self->base;
}

static char *
histogram_dup_json (const SluiceRecord *record)
{
  const SluiceHistogram *self = (const SluiceHistogram *) record;
  const struct
  {
    const char *name;
    double value;
  } numbers[] = { { "min", self->min },
                  { "max", self->max },
                  { "count", self->count },
                  { "sum", self->sum },
                  { "sum_squares", self->sum_squares } };
  GString *json = g_string_new ("{");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_string_append_printf (json, "\"%s\": ", numbers[i].name);
      sluice_json_append_double (json, numbers[i].value);
      g_string_append (json, ", ");
    }
  g_string_append (json, "\"limits\": ");
  sluice_json_append_doubles (json, self->limits, self->n);
  g_string_append (json, ", \"counts\": ");
  sluice_json_append_doubles (json, self->counts, self->n);
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

/* TensorFlow 2's: rows of left edge, right edge and count. */
static void
put_tensor (const SluiceHistogram *self, const SluiceEventOut *out, const SluicePluginOut *plugin)
{
  const SluiceShape shape = SLUICE_SHAPE (self->n, 3);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_DOUBLE, &shape);
  double *rows = tensor != NULL ? tensor->data : NULL;
  for (guint i = 0; rows != NULL && i < self->n; i++)
    {
      rows[3 * i] = i == 0 ? self->min : self->limits[i - 1];
      rows[3 * i + 1] = self->limits[i];
      rows[3 * i + 2] = self->counts[i];
    }
  sluice_summary_value_put_tensor (out, tensor, plugin);
}

static void
histogram_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  const SluiceHistogram *self = (const SluiceHistogram *) record;
  const SluicePluginOut plugin = { "histograms", SLUICE_CLASS_TENSOR, NULL };
  if (isnan (self->sum) && sluice_event_out_is_tensor (out, plugin.name))
    {
      put_tensor (self, out, &plugin);
      return;
    }
  g_autoptr (GByteArray) message = g_byte_array_new ();
  sluice_wire_put_double (message, 1, self->min);
  sluice_wire_put_double (message, 2, self->max);
  sluice_wire_put_double (message, 3, self->count);
  sluice_wire_put_double (message, 4, self->sum);
  sluice_wire_put_double (message, 5, self->sum_squares);
  sluice_wire_put_doubles (message, 6, self->limits, self->n);
  sluice_wire_put_doubles (message, 7, self->counts, self->n);
  sluice_summary_value_put (out, SLUICE_VALUE_HISTOGRAM, message, &plugin);
}

static SluiceValueResult
take_proto (const SluiceValueIn *in, GError **error)
{
  const Sluice__Event__Histogram *proto = in->value->histo;
  if (proto->n_bucket != proto->n_bucket_limit)
    {
      g_autofree char *what = g_strdup_printf ("%zu limits for %zu buckets of a histogram",
                                               proto->n_bucket_limit, proto->n_bucket);
      return sluice_summary_value_fail (in, error, what);
    }
  SluiceHistogram *self =
      sluice_histogram_new (in->step, in->wall, proto->min, proto->max, proto->bucket_limit,
                            proto->bucket, (guint) proto->n_bucket);
  self->count = proto->num;
  self->sum = proto->sum;
  self->sum_squares = proto->sum_squares;
  return sluice_summary_value_sink (in, self, NULL, error);
}

static SluiceValueResult
take_tensor (const SluiceValueIn *in, GError **error)
{
  g_autoptr (SluiceTensor) tensor = sluice_summary_value_dup_tensor (in, error);
  if (tensor == NULL)
    return SLUICE_VALUE_FAILED;
  if (tensor->dtype != SLUICE_DOUBLE || tensor->shape.rank != 2 || tensor->shape.dim[1] != 3)
    return sluice_summary_value_fail (in, error,
                                      "a tensor of histograms is double [buckets, 3]: left edge, "
                                      "right edge and count of each");
  if (tensor->shape.dim[0] > SLUICE_VALUE_MOST_ROWS)
    return sluice_summary_value_fail (
        in, error, "a histogram has at most " G_STRINGIFY (SLUICE_VALUE_MOST_ROWS) " buckets");
  guint n = (guint) tensor->shape.dim[0];
  const double *rows = tensor->data;
  g_autofree double *limits = g_new (double, n);
  g_autofree double *counts = g_new (double, n);
  double count = 0;
  for (guint i = 0; i < n; i++)
    {
      limits[i] = rows[3 * i + 1];
      counts[i] = rows[3 * i + 2];
      count += counts[i];
    }
  SluiceHistogram *self = sluice_histogram_new (in->step, in->wall, n > 0 ? rows[0] : NAN,
                                                n > 0 ? limits[n - 1] : NAN, limits, counts, n);
  self->count = count;
  return sluice_summary_value_sink (in, self, NULL, error);
}

static SluiceValueResult
histogram_take_value (const SluiceValueIn *in, GError **error)
{
  if (in->value->value_case == SLUICE__EVENT__VALUE__VALUE_HISTO)
    return take_proto (in, error);
  return sluice_summary_value_is_tensor_of (in, "histograms") ? take_tensor (in, error)
                                                              : SLUICE_VALUE_NOT_MINE;
}

/* Version 1 had no numbers beside the buckets; how many values there were is what is in these. */
static gboolean
count_values (sqlite3 *db, gpointer unused, GError **error)
{
  sqlite3_stmt *row = sluice_sql_prepare (db, error, "SELECT id, data FROM histograms", "");
  gboolean ok = row != NULL;
  int rc = SQLITE_DONE;
  while (ok && (rc = sqlite3_step (row)) == SQLITE_ROW)
    {
      g_autoptr (SluiceRecord) record = histogram_read (row, 1, error);
      SluiceHistogram *self = (SluiceHistogram *) record;
      double count = 0;
      for (guint i = 0; self != NULL && i < self->n; i++)
        count += self->counts[i];
      ok = self != NULL
           && sluice_sql_change (db, error, "UPDATE histograms SET count = ? WHERE id = ?", "di",
                                 count, (gint64) sqlite3_column_int64 (row, 0));
    }
  if (ok && rc != SQLITE_DONE)
    ok = sluice_sql_fail (db, "run store", error);
  sqlite3_finalize (row);
  return ok;
}

#define VIEW(edges)                                                                                \
  "SELECT runs.name AS run, s.tag AS tag, r.step AS step, r.wall AS wall_time, "                   \
  "r.count AS count, r.sum AS sum, r.sum_squares AS sum_squares, " edges                           \
  " FROM histograms r JOIN series s ON s.id = r.series JOIN runs ON runs.id = s.run "              \
  "WHERE runs.deleted IS NULL"

static const SluiceMigration migrations[] = {
  { 1, "CREATE TABLE histograms (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, data BLOB NOT NULL);"
       "CREATE UNIQUE INDEX histograms_by_step ON histograms (series, step);" },
  { 2, "ALTER TABLE histograms ADD COLUMN count REAL;" },
  { 2, "ALTER TABLE histograms ADD COLUMN sum REAL;" },
  { 2, "ALTER TABLE histograms ADD COLUMN sum_squares REAL;", count_values },
  { 2, "CREATE VIEW histogram_points AS " VIEW ("r.data AS data") ";" },
  SLUICE_SEGMENT_STEPS ("histograms", "step"),
  { 0 },
};

const SluiceKind sluice_kind_histogram = {
  .number = SLUICE_SERIES_HISTOGRAM,
  .name = "histogram",
  .migrations = migrations,
  .table = "histograms",
  .columns = "data, count, sum, sum_squares",
  .view = "histogram_points",
  .our_view = VIEW ("double_at (r.data, 0) AS min, double_at (r.data, 1) AS max, "
                    "doubles (r.data, 2, length (r.data) / 16 - 1) AS limits, "
                    "doubles (r.data, length (r.data) / 16 + 1, length (r.data) / 16 - 1) AS "
                    "counts"),
  .write = histogram_write,
  .read = histogram_read,
  .free = histogram_free,
  .get_size = histogram_get_size,
  .record_size = sizeof (SluiceHistogram),
  .dup_json = histogram_dup_json,
  .put_event = histogram_put_event,
  .take_value = histogram_take_value,
};
