/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/text.h"
#include "engine/store/sql.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/kinds/tensor-private.h"

SluiceTensorRecord *
sluice_text_new (gint64 step, double wall, SluiceTensor *strings)
{
  SluiceTensorRecord *self = sluice_record_new (&sluice_kind_text, step, wall);
  self->tensor = sluice_tensor_ref (strings);
  return self;
}

static char *
text_dup_json (const SluiceRecord *record)
{
  GString *json = g_string_new (NULL);
  sluice_json_append_tensor (json, ((const SluiceTensorRecord *) record)->tensor);
  return g_string_free (json, FALSE);
}

/* Column text: the string, or a flat JSON array of the tensor's. */
static gboolean
text_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error)
{
  const SluiceTensor *tensor = ((const SluiceTensorRecord *) record)->tensor;
  const SluiceString *strings = tensor->data;
  g_autofree char *shape = sluice_shape_dup_json (&tensor->shape);
  g_autoptr (GString) text = g_string_new (NULL);
  if (tensor->shape.rank == 0)
    g_string_append_len (text, strings[0].data, (gssize) strings[0].length);
  else
    {
      for (gint64 i = 0; i < tensor->n_elements; i++)
        {
          g_string_append (text, i > 0 ? ", " : "[");
          sluice_json_append_string (text, strings[i].data, (gssize) strings[i].length);
        }
      g_string_append (text, tensor->n_elements > 0 ? "]" : "[]");
    }
  return sluice_sql_change (
      db, error,
      "INSERT OR REPLACE INTO texts (series, segment, step, wall, shape, text) "
      "VALUES (?, ?, ?, ?, ?, ?)",
      "iiidss", series, record->segment, record->step, record->wall, shape, text->str);
}

static SluiceTensor *
parse_strings (const char *text, const SluiceShape *shape, GError **error)
{
  g_autoptr (JsonNode) root = json_from_string (text, NULL);
  JsonArray *array =
      root != NULL && JSON_NODE_HOLDS_ARRAY (root) ? json_node_get_array (root) : NULL;
  if (array == NULL || json_array_get_length (array) != sluice_shape_n_elements (shape))
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a text is damaged");
      return NULL;
    }
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_new_checked (NULL, SLUICE_STRING, shape, SLUICE_OWNER_NONE, error);
  SluiceString *strings = tensor != NULL ? tensor->data : NULL;
  for (guint i = 0; tensor != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      const char *string =
          json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
      if (string == NULL)
        {
          sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a text is damaged");
          return NULL;
        }
      sluice_string_set (&strings[i], string, strlen (string));
    }
  return g_steal_pointer (&tensor);
}

static SluiceRecord *
text_read (sqlite3_stmt *row, int at, GError **error)
{
  const char *text = (const char *) sqlite3_column_text (row, at + 1);
  SluiceShape shape;
  g_autoptr (SluiceTensor) tensor = NULL;
  if (text == NULL
      || !sluice_shape_parse_json ((const char *) sqlite3_column_text (row, at), &shape))
    sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a text is damaged");
  else if (shape.rank > 0)
    tensor = parse_strings (text, &shape, error);
  else if ((tensor = sluice_tensor_new_string (text, -1)) == NULL)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for a text");
  return tensor != NULL ? &sluice_text_new (0, 0, tensor)->base : NULL;
}

static void
text_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  const SluicePluginOut plugin = { "text", SLUICE_CLASS_TENSOR, NULL };
  sluice_summary_value_put_tensor (out, ((const SluiceTensorRecord *) record)->tensor, &plugin);
}

/* What is no text stays a tensor: nothing of it is lost. */
static gboolean
is_text (const SluiceTensor *tensor)
{
  const SluiceString *strings = tensor->data;
  if (tensor->dtype != SLUICE_STRING)
    return FALSE;
  for (gint64 i = 0; i < tensor->n_elements; i++)
    if (!g_utf8_validate_len (strings[i].data != NULL ? strings[i].data : "", strings[i].length,
                              NULL))
      return FALSE;
  return TRUE;
}

static SluiceValueResult
text_take_value (const SluiceValueIn *in, GError **error)
{
  if (!sluice_summary_value_is_tensor_of (in, "text"))
    return SLUICE_VALUE_NOT_MINE;
  g_autoptr (SluiceTensor) tensor = sluice_summary_value_dup_tensor (in, error);
  if (tensor == NULL)
    return SLUICE_VALUE_FAILED;
  if (!is_text (tensor))
    return SLUICE_VALUE_NOT_MINE;
  return sluice_summary_value_sink (in, sluice_text_new (in->step, in->wall, tensor), NULL, error);
}

static const SluiceMigration migrations[] = {
  { 2, "CREATE TABLE texts (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, shape TEXT NOT NULL, text TEXT NOT NULL);" },
  { 2, "CREATE UNIQUE INDEX texts_by_step ON texts (series, step);" },
  { 2, "CREATE VIEW text_points AS SELECT runs.name AS run, s.tag AS tag, r.step AS step, "
       "r.wall AS wall_time, r.shape AS shape, r.text AS text FROM texts r "
       "JOIN series s ON s.id = r.series JOIN runs ON runs.id = s.run "
       "WHERE runs.deleted IS NULL;" },
  SLUICE_SEGMENT_STEPS ("texts", "step"),
  { 0 },
};

const SluiceKind sluice_kind_text = {
  .number = SLUICE_SERIES_TEXT,
  .name = "text",
  .migrations = migrations,
  .table = "texts",
  .columns = "shape, text",
  .view = "text_points",
  .write = text_write,
  .read = text_read,
  .free = sluice_tensor_record_clear,
  .get_size = sluice_tensor_record_get_size,
  .record_size = sizeof (SluiceTensorRecord),
  .dup_json = text_dup_json,
  .put_event = text_put_event,
  .take_value = text_take_value,
};
