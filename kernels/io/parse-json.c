/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * DecodeJSONExample: Examples from protobuf's JSON to serialized ones. Fields come out in the
 * order of the text, numbers unpacked, as protobuf's transcoder writes them.
 */
#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/base/wire.h"
#include "engine/graph/shape-context.h"
#include "kernels/string/base64.h"
#include "kernels/string/number.h"
#include "kernels/string/text.h"

#define MAX_DEPTH 16 /* of brackets; an Example has 6 */

/* Field numbers of Example, Features, an entry of its map, Feature and its lists. */
enum
{
  FIELD_FEATURES = 1,
  FIELD_FEATURE = 1,
  FIELD_KEY = 1,
  FIELD_VALUE = 2,
  FIELD_BYTES = 1,
  FIELD_FLOATS = 2,
  FIELD_INTS = 3,
  FIELD_LIST_VALUE = 1
};

static gboolean
fail (GError **error, const char *what, const char *name)
{
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: %s", name, what);
}

/* An object; NULL in JSON stands for one without members. FALSE: it is neither. */
static gboolean
get_object (JsonNode *node, const char *name, JsonObject **object, GError **error)
{
  *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  return *object != NULL || JSON_NODE_HOLDS_NULL (node)
         || fail (error, "an object is wanted", name);
}

/* ---- values of lists ---- */

static gboolean
put_float (GByteArray *out, JsonNode *node, GError **error)
{
  double value = 0;
  GType type = json_node_get_value_type (node);
  if (type == G_TYPE_STRING)
    {
      const char *text = json_node_get_string (node);
      float parsed;
      if (!sluice_parse_number (SLUICE_FLOAT, text, strlen (text), &parsed))
        return fail (error, "no number", text);
      value = parsed;
    }
  else if (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE)
    {
      value = json_node_get_double (node);
      if (!isfinite ((float) value))
        return fail (error, "the number is too large", "floatList");
    }
  else
    return fail (error, "a number is wanted", "floatList");
  sluice_wire_put_float (out, FIELD_LIST_VALUE, (float) value);
  return TRUE;
}

static gboolean
put_int (GByteArray *out, JsonNode *node, GError **error)
{
  gint64 value = 0;
  GType type = json_node_get_value_type (node);
  if (type == G_TYPE_STRING)
    {
      const char *text = json_node_get_string (node);
      if (!sluice_parse_number (SLUICE_INT64, text, strlen (text), &value))
        return fail (error, "no integer", text);
    }
  else if (type == G_TYPE_INT64)
    value = json_node_get_int (node);
  else if (type == G_TYPE_DOUBLE)
    {
      double number = json_node_get_double (node);
      if (!(number >= -0x1p63 && number < 0x1p63) || number != floor (number))
        return fail (error, "a number is no integer of 64 bits", "int64List");
      value = (gint64) number;
    }
  else
    return fail (error, "an integer is wanted", "int64List");
  sluice_wire_put_number (out, FIELD_LIST_VALUE, (guint64) value);
  return TRUE;
}

static gboolean
put_bytes (GByteArray *out, JsonNode *node, GError **error)
{
  if (json_node_get_value_type (node) != G_TYPE_STRING)
    return fail (error, "a string in base64 is wanted", "bytesList");
  g_autofree char *text = g_strdup (json_node_get_string (node));
  /* Either alphabet will do. */
  g_strdelimit (g_strdelimit (text, "+", '-'), "/", '_');
  g_autoptr (GString) bytes = g_string_new (NULL);
  if (!sluice_base64_decode (text, strlen (text), bytes, error))
    return FALSE;
  sluice_wire_put_bytes (out, FIELD_LIST_VALUE, bytes->str, bytes->len);
  return TRUE;
}

/* NULL in JSON stands for the default, which a list writes too. */
static void
put_default (GByteArray *out, guint kind)
{
  if (kind == FIELD_FLOATS)
    sluice_wire_put_float (out, FIELD_LIST_VALUE, 0);
  else if (kind == FIELD_BYTES)
    sluice_wire_put_bytes (out, FIELD_LIST_VALUE, "", 0);
  else
    sluice_wire_put_number (out, FIELD_LIST_VALUE, 0);
}

static gboolean
put_value (GByteArray *out, guint kind, JsonNode *node, GError **error)
{
  if (JSON_NODE_HOLDS_NULL (node))
    {
      put_default (out, kind);
      return TRUE;
    }
  if (!JSON_NODE_HOLDS_VALUE (node))
    return fail (error, "a list of single values is wanted", "value");
  return kind == FIELD_BYTES    ? put_bytes (out, node, error)
         : kind == FIELD_FLOATS ? put_float (out, node, error)
                                : put_int (out, node, error);
}

/* ---- messages ---- */

/* { "value": [...] } */
static gboolean
put_list (GByteArray *out, guint kind, JsonObject *object, GError **error)
{
  g_autoptr (GList) names = object ? json_object_get_members (object) : NULL;
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonNode *node = json_object_get_member (object, l->data);
      if (!g_str_equal (l->data, "value"))
        return fail (error, "a list has no such field", l->data);
      if (JSON_NODE_HOLDS_NULL (node))
        continue;
      JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
      if (array == NULL && !put_value (out, kind, node, error))
        return FALSE;
      for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
        if (!put_value (out, kind, json_array_get_element (array, i), error))
          return FALSE;
    }
  return TRUE;
}

/* The kinds of a feature, as JSON and as protobuf call them. 0: none. */
static guint
kind_of (const char *name)
{
  static const char *const kinds[][2] = { { "bytesList", "bytes_list" },
                                          { "floatList", "float_list" },
                                          { "int64List", "int64_list" } };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (name, kinds[i][0]) || g_str_equal (name, kinds[i][1]))
      return FIELD_BYTES + i;
  return 0;
}

static gboolean
put_feature (GByteArray *out, JsonNode *node, GError **error)
{
  JsonObject *object, *list;
  if (!get_object (node, "feature", &object, error))
    return FALSE;
  g_autoptr (GList) names = object ? json_object_get_members (object) : NULL;
  gboolean has_kind = FALSE;
  for (GList *l = names; l != NULL; l = l->next)
    {
      guint kind = kind_of (l->data);
      JsonNode *member = json_object_get_member (object, l->data);
      if (kind == 0)
        return fail (error, "a feature has no such field", l->data);
      if (JSON_NODE_HOLDS_NULL (member))
        continue;
      if (has_kind)
        return fail (error, "a feature has one list only", l->data);
      g_autoptr (GByteArray) message = g_byte_array_new ();
      if (!get_object (member, l->data, &list, error) || !put_list (message, kind, list, error))
        return FALSE;
      sluice_wire_put_bytes (out, kind, message->data, message->len);
      has_kind = TRUE;
    }
  return TRUE;
}

/* The map of features. */
static gboolean
put_map (GByteArray *out, JsonNode *node, GError **error)
{
  JsonObject *map;
  if (!get_object (node, "feature", &map, error))
    return FALSE;
  g_autoptr (GList) names = map ? json_object_get_members (map) : NULL;
  for (GList *l = names; l != NULL; l = l->next)
    {
      g_autoptr (GByteArray) entry = g_byte_array_new (), feature = g_byte_array_new ();
      if (!put_feature (feature, json_object_get_member (map, l->data), error))
        return FALSE;
      sluice_wire_put_bytes (entry, FIELD_KEY, l->data, strlen (l->data));
      sluice_wire_put_bytes (entry, FIELD_VALUE, feature->data, feature->len);
      sluice_wire_put_bytes (out, FIELD_FEATURE, entry->data, entry->len);
    }
  return TRUE;
}

static gboolean
put_example (GByteArray *out, JsonObject *object, GError **error)
{
  g_autoptr (GList) names = json_object_get_members (object);
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonObject *features;
      JsonNode *node = json_object_get_member (object, l->data);
      if (!g_str_equal (l->data, "features"))
        return fail (error, "an Example has no such field", l->data);
      if (JSON_NODE_HOLDS_NULL (node))
        continue;
      if (!get_object (node, "features", &features, error))
        return FALSE;
      g_autoptr (GByteArray) message = g_byte_array_new ();
      g_autoptr (GList) members = json_object_get_members (features);
      for (GList *m = members; m != NULL; m = m->next)
        if (!g_str_equal (m->data, "feature"))
          return fail (error, "features have no such field", m->data);
        else if (!put_map (message, json_object_get_member (features, m->data), error))
          return FALSE;
      sluice_wire_put_bytes (out, FIELD_FEATURES, message->data, message->len);
    }
  return TRUE;
}

static gboolean
convert (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) reason = NULL;
  g_autofree char *quoted = sluice_string_quote (&map->in[i]);
  const char *text = map->in[i].length ? map->in[i].data : "";
  JsonNode *root = NULL;
  if (!sluice_text_is_shallow_json (text, map->in[i].length, MAX_DEPTH))
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT, "it is nested too deep");
  else if (json_parser_load_from_data (parser, text, (gssize) map->in[i].length, &reason))
    root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s is no JSON of an Example: %s",
                        quoted, reason ? reason->message : "an object is wanted");
  GByteArray *out = g_byte_array_new ();
  if (!put_example (out, json_node_get_object (root), &reason))
    {
      g_byte_array_unref (out);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s is no Example: %s", quoted,
                          reason->message);
    }
  gsize length = out->len;
  sluice_string_take (sluice_tensor_get_string (map->out, i),
                      (char *) g_byte_array_free (out, FALSE), length);
  return TRUE;
}

static gboolean
convert_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, NULL, 5000, convert);
}

#define EXAMPLE(list) "{\"features\":{\"feature\":{\"a\":{" list "}}}}"
static const SluiceSample samples[] = {
  { NULL, "string[3]={'" EXAMPLE ("\"int64List\":{\"value\":[\"1\",-2]}") "','{}','" EXAMPLE (
              "\"bytesList\":{\"value\":[\"YWI=\"]}") "'}" },
  { NULL, "string[0]={}" },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceOpDef json_op = {
  .name = "DecodeJSONExample",
  .signature = "json_examples: string -> binary_examples: string",
  .summary = N_ ("Examples in JSON to serialized ones"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &json_op };

static const SluiceKernel kernels[] = {
  { .op = "DecodeJSONExample",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .compute = convert_compute },
};

const SluiceKernelModule sluice_module_io_parse_json = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
