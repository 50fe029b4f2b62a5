/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/pr-curve.h"

#include "engine/base/difference.h"
#include "engine/base/error.h"
#include "engine/base/wire.h"
#include "engine/store/kind-private.h"
#include "engine/store/sql.h"

SluicePrCurve *
sluice_pr_curve_new (gint64 step, double wall, const double *values, guint n)
{
  SluicePrCurve *self = sluice_record_new (&sluice_kind_pr_curve, step, wall);
  self->n = n;
  self->values = g_memdup2 (values, SLUICE_PR_ROWS * n * sizeof (double));
  return self;
}

static void
pr_curve_free (SluiceRecord *record)
{
  g_free (((SluicePrCurve *) record)->values);
}

static gsize
pr_curve_get_size (const SluiceRecord *record)
{
  return SLUICE_PR_ROWS * sizeof (double) * ((const SluicePrCurve *) record)->n;
}

static gboolean
pr_curve_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error)
{
  const SluicePrCurve *self = (const SluicePrCurve *) record;
  g_autoptr (GBytes) data = g_bytes_new_static (self->values, pr_curve_get_size (record));
  return sluice_sql_change (
      db, error,
      "INSERT OR REPLACE INTO pr_curves (series, segment, step, wall, thresholds, data) "
      "VALUES (?, ?, ?, ?, ?, ?)",
      "iiidib", series, record->segment, record->step, record->wall, (gint64) self->n, data);
}

static SluiceRecord *
pr_curve_read (sqlite3_stmt *row, int at, GError **error)
{
  const double *values = sqlite3_column_blob (row, at + 1);
  gint64 n = sqlite3_column_int64 (row, at);
  gsize bytes = (gsize) sqlite3_column_bytes (row, at + 1);
  if (n >= 0 && bytes % (SLUICE_PR_ROWS * sizeof (double)) == 0
      && bytes / (SLUICE_PR_ROWS * sizeof (double)) == (gsize) n)
    return &sluice_pr_curve_new (0, 0, values, (guint) n)->base;
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a PR curve is damaged");
  return NULL;
}

static char *
pr_curve_dup_json (const SluiceRecord *record)
{
  static const char *const names[] = { "true_positives",  "false_positives", "true_negatives",
                                       "false_negatives", "precision",       "recall" };
  const SluicePrCurve *self = (const SluicePrCurve *) record;
  GString *json = g_string_new (NULL);
  g_string_printf (json, "{\"thresholds\": %u", self->n);
  for (guint i = 0; i < SLUICE_PR_ROWS; i++)
    {
      g_string_append_printf (json, ", \"%s\": ", names[i]);
      sluice_json_append_doubles (json, self->values + i * self->n, self->n);
    }
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

static void
pr_curve_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  const SluicePrCurve *self = (const SluicePrCurve *) record;
  g_autoptr (GByteArray) content = g_byte_array_new ();
  const SluicePluginOut plugin = { "pr_curves", SLUICE_CLASS_TENSOR, content };
  const SluiceShape shape = SLUICE_SHAPE (SLUICE_PR_ROWS, self->n);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, &shape);
  for (gint64 i = 0; tensor != NULL && i < tensor->n_elements; i++)
    ((float *) tensor->data)[i] = (float) self->values[i];
  sluice_wire_put_int (content, 2, self->n); /* PrCurvePluginData.num_thresholds */
  sluice_summary_value_put_tensor (out, tensor, &plugin);
}

static SluiceValueResult
pr_curve_take_value (const SluiceValueIn *in, GError **error)
{
  if (!sluice_summary_value_is_tensor_of (in, "pr_curves"))
    return SLUICE_VALUE_NOT_MINE;
  g_autoptr (SluiceTensor) tensor = sluice_summary_value_dup_tensor (in, error);
  if (tensor == NULL)
    return SLUICE_VALUE_FAILED;
  if (!sluice_dtype_in (tensor->dtype, SLUICE_SET_FLOATS) || tensor->shape.rank != 2
      || tensor->shape.dim[0] != SLUICE_PR_ROWS)
    return sluice_summary_value_fail (in, error, "a PR curve is a tensor [6, thresholds]");
  if (tensor->shape.dim[1] > SLUICE_VALUE_MOST_ROWS)
    return sluice_summary_value_fail (
        in, error, "a PR curve has at most " G_STRINGIFY (SLUICE_VALUE_MOST_ROWS) " thresholds");
  g_autofree double *values = g_new (double, tensor->n_elements);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    values[i] = (double) sluice_tensor_get_number (tensor, i).re;
  return sluice_summary_value_sink (
      in, sluice_pr_curve_new (in->step, in->wall, values, (guint) tensor->shape.dim[1]), NULL,
      error);
}

#define VIEW(values)                                                                               \
  "SELECT runs.name AS run, s.tag AS tag, r.step AS step, r.wall AS wall_time, "                   \
  "r.thresholds AS thresholds, " values " FROM pr_curves r JOIN series s ON s.id = r.series "      \
  "JOIN runs ON runs.id = s.run WHERE runs.deleted IS NULL"

static const SluiceMigration migrations[] = {
  { 2, "CREATE TABLE pr_curves (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, thresholds INTEGER NOT NULL, "
       "data BLOB NOT NULL);" },
  { 2, "CREATE UNIQUE INDEX pr_curves_by_step ON pr_curves (series, step);" },
  { 2, "CREATE VIEW pr_curve_points AS " VIEW ("r.data AS data") ";" },
  SLUICE_SEGMENT_STEPS ("pr_curves", "step"),
  { 0 },
};

const SluiceKind sluice_kind_pr_curve = {
  .number = SLUICE_SERIES_PR_CURVE,
  .name = "pr-curve",
  .migrations = migrations,
  .table = "pr_curves",
  .columns = "thresholds, data",
  .view = "pr_curve_points",
  .our_view = VIEW ("doubles (r.data, 4 * r.thresholds, r.thresholds) AS precision, "
                    "doubles (r.data, 5 * r.thresholds, r.thresholds) AS recall"),
  .write = pr_curve_write,
  .read = pr_curve_read,
  .free = pr_curve_free,
  .get_size = pr_curve_get_size,
  .record_size = sizeof (SluicePrCurve),
  .dup_json = pr_curve_dup_json,
  .put_event = pr_curve_put_event,
  .take_value = pr_curve_take_value,
};
