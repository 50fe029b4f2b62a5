/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/tensorproto.h"
#include "engine/store/kinds/tensor.h"
#include "engine/store/sql.h"

#include <string.h>

#include "engine/base/difference.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/store/kinds/tensor-private.h"

SluiceTensorRecord *
sluice_tensor_record_new (gint64 step, double wall, SluiceTensor *tensor)
{
  SluiceTensorRecord *self = sluice_record_new (&sluice_kind_tensor, step, wall);
  self->tensor = sluice_tensor_ref (tensor);
  return self;
}

void
sluice_tensor_record_clear (SluiceRecord *record)
{
  sluice_tensor_unref (((SluiceTensorRecord *) record)->tensor);
}

gsize
sluice_tensor_record_get_size (const SluiceRecord *record)
{
  const SluiceTensor *tensor = ((const SluiceTensorRecord *) record)->tensor;
  gsize size = sluice_tensor_bytes (tensor);
  const SluiceString *strings = tensor->data;
  for (gint64 i = 0; tensor->dtype == SLUICE_STRING && i < tensor->n_elements; i++)
    size += strings[i].length;
  return size;
}

/* ---- JSON ---- */

static void
append_element (GString *json, const SluiceTensor *tensor, gint64 i)
{
  const SluiceString *strings = tensor->data;
  if (tensor->dtype == SLUICE_STRING)
    {
      sluice_json_append_string (json, strings[i].data, (gssize) strings[i].length);
      return;
    }
  if (sluice_dtype_in (tensor->dtype, SLUICE_SET_INTS))
    {
      gint64 value = sluice_tensor_get_int (tensor, i);
      if (tensor->dtype == SLUICE_UINT64)
        g_string_append_printf (json, "%" G_GUINT64_FORMAT, (guint64) value);
      else
        g_string_append_printf (json, "%" G_GINT64_FORMAT, value);
      return;
    }
  if (tensor->dtype == SLUICE_BOOL)
    {
      g_string_append (json, ((const guint8 *) tensor->data)[i] ? "true" : "false");
      return;
    }
  SluiceNumber number = sluice_tensor_get_number (tensor, i);
  double parts[] = { (double) number.re, (double) number.im };
  if (sluice_dtype_in (tensor->dtype, SLUICE_SET_COMPLEX))
    sluice_json_append_doubles (json, parts, 2);
  else
    sluice_json_append_double (json, parts[0]);
}

static void
append_axis (GString *json, const SluiceTensor *tensor, int axis, gint64 *at)
{
  if (axis == tensor->shape.rank)
    {
      append_element (json, tensor, (*at)++);
      return;
    }
  g_string_append_c (json, '[');
  for (gint64 i = 0; i < tensor->shape.dim[axis]; i++)
    {
      if (i > 0)
        g_string_append (json, ", ");
      append_axis (json, tensor, axis + 1, at);
    }
  g_string_append_c (json, ']');
}

void
sluice_json_append_tensor (GString *json, const SluiceTensor *tensor)
{
  gint64 at = 0;
  append_axis (json, tensor, 0, &at);
}

char *
sluice_shape_dup_json (const SluiceShape *shape)
{
  GString *json = g_string_new ("[");
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (json, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", shape->dim[i]);
  g_string_append_c (json, ']');
  return g_string_free (json, FALSE);
}

gboolean
sluice_shape_parse_json (const char *text, SluiceShape *shape)
{
  *shape = SLUICE_SHAPE_SCALAR;
  if (text == NULL || *text++ != '[')
    return FALSE;
  while (*text != ']')
    {
      char *end;
      gint64 size = g_ascii_strtoll (text, &end, 10);
      if (end == text || size < 0 || shape->rank == SLUICE_MAX_RANK)
        return FALSE;
      shape->dim[shape->rank++] = size;
      text = end + strspn (end, ", ");
    }
  return TRUE;
}

static char *
tensor_dup_json (const SluiceRecord *record)
{
  const SluiceTensor *tensor = ((const SluiceTensorRecord *) record)->tensor;
  g_autofree char *shape = sluice_shape_dup_json (&tensor->shape);
  GString *json = g_string_new (NULL);
  g_string_printf (json, "{\"dtype\": \"%s\", \"shape\": %s, \"values\": ",
                   sluice_dtype_name (tensor->dtype), shape);
  sluice_json_append_tensor (json, tensor);
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

/* ---- rows: the data are a TensorProto ---- */

static gboolean
tensor_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error)
{
  const SluiceTensor *tensor = ((const SluiceTensorRecord *) record)->tensor;
  g_autoptr (GBytes) proto = sluice_tensor_to_proto (tensor, error);
  if (proto == NULL)
    return FALSE;
  g_autofree char *shape = sluice_shape_dup_json (&tensor->shape);
  return sluice_sql_change (
      db, error,
      "INSERT OR REPLACE INTO tensors (series, segment, step, wall, dtype, shape, data) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)",
      "iiidssb", series, record->segment, record->step, record->wall,
      sluice_dtype_name (tensor->dtype), shape, proto);
}

static SluiceRecord *
tensor_read (sqlite3_stmt *row, int at, GError **error)
{
  const guint8 *data = sqlite3_column_blob (row, at);
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_from_proto (data, (gsize) sqlite3_column_bytes (row, at), error);
  return tensor != NULL ? &sluice_tensor_record_new (0, 0, tensor)->base : NULL;
}

static void
tensor_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  sluice_summary_value_put_tensor (out, ((const SluiceTensorRecord *) record)->tensor, NULL);
}

static SluiceValueResult
tensor_take_value (const SluiceValueIn *in, GError **error)
{
  if (in->value->value_case != SLUICE__EVENT__VALUE__VALUE_TENSOR)
    return SLUICE_VALUE_NOT_MINE;
  g_autoptr (SluiceTensor) tensor = sluice_summary_value_dup_tensor (in, error);
  if (tensor == NULL)
    return SLUICE_VALUE_FAILED;
  return sluice_summary_value_sink (in, sluice_tensor_record_new (in->step, in->wall, tensor), NULL,
                                    error);
}

static const SluiceMigration migrations[] = {
  { 2, "CREATE TABLE tensors (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, dtype TEXT NOT NULL, shape TEXT NOT NULL, "
       "data BLOB NOT NULL);" },
  { 2, "CREATE UNIQUE INDEX tensors_by_step ON tensors (series, step);" },
  { 2, "CREATE VIEW tensor_points AS SELECT runs.name AS run, s.tag AS tag, r.step AS step, "
       "r.wall AS wall_time, r.dtype AS dtype, r.shape AS shape, r.data AS data FROM tensors r "
       "JOIN series s ON s.id = r.series JOIN runs ON runs.id = s.run "
       "WHERE runs.deleted IS NULL;" },
  SLUICE_SEGMENT_STEPS ("tensors", "step"),
  { 0 },
};

const SluiceKind sluice_kind_tensor = {
  .number = SLUICE_SERIES_TENSOR,
  .name = "tensor",
  .migrations = migrations,
  .table = "tensors",
  .columns = "data",
  .view = "tensor_points",
  .write = tensor_write,
  .read = tensor_read,
  .free = sluice_tensor_record_clear,
  .get_size = sluice_tensor_record_get_size,
  .record_size = sizeof (SluiceTensorRecord),
  .dup_json = tensor_dup_json,
  .put_event = tensor_put_event,
  .take_value = tensor_take_value,
  .takes_the_rest = TRUE,
};
