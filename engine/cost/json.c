/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/json.h"

#include <math.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/base/suggest.h"
#include "engine/base/text.h"

#define MAX_JSON_DEPTH 16 /* the files need 4; what else lies in them is skipped */
#define MAX_FILE       (256 * 1024 * 1024L) /* figures of a million nodes */

GBytes *
sluice_cost_json_read (const char *what, const char *path, GError **error)
{
  return sluice_read_file (what, path, SLUICE_READ_PLAIN, MAX_FILE, error);
}

JsonObject *
sluice_cost_json_parse (const char *text, gsize length, const char *path, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) reason = NULL;
  if (!sluice_text_is_shallow_json (text, length, MAX_JSON_DEPTH))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is nested deeper than %d levels",
                   path, MAX_JSON_DEPTH);
      return NULL;
    }
  if (!g_utf8_validate_len (text, length, NULL))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no text in UTF-8", path);
      return NULL;
    }
  if (!json_parser_load_from_data (parser, text, (gssize) length, &reason))
    {
      g_autofree char *shown = sluice_text_escape (reason->message);
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no JSON: %s", path, shown);
      return NULL;
    }
  JsonNode *root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    return json_object_ref (json_node_get_object (root));
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "'%s' holds no JSON object: it begins with '{'", path);
  return NULL;
}

gboolean
sluice_cost_json_check_keys (JsonObject *object,
                             const char *const *known,
                             const char *where,
                             GError **error)
{
  JsonObjectIter iter;
  const char *key;
  guint n = 0;
  while (known[n] != NULL)
    n++;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, NULL))
    {
      gboolean is_known = FALSE;
      for (guint i = 0; i < n; i++)
        is_known |= g_str_equal (known[i], key);
      const char *meant = is_known ? NULL : sluice_suggest_name (key, known, n);
      g_autofree char *shown = sluice_text_escape (key);
      if (meant != NULL)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s: there is no key \"%s\"; did you mean \"%s\"?", where, shown,
                            meant);
    }
  return TRUE;
}

gboolean
sluice_cost_json_get_array (
    JsonObject *object, const char *key, const char *where, JsonArray **array, GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  if (node == NULL || *array != NULL)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: \"%s\" is no list; write [...]",
                      where, key);
}

gboolean
sluice_cost_json_get_object (
    JsonObject *object, const char *key, const char *where, JsonObject **found, GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  *found = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  if (node == NULL || *found != NULL)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: \"%s\" is no object; write {...}",
                      where, key);
}

gboolean
sluice_cost_json_get_text (
    JsonObject *object, const char *key, const char *where, const char **text, GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  if (node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING)
    {
      *text = json_node_get_string (node);
      return TRUE;
    }
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: \"%s\" is %s", where, key,
                      node == NULL ? "missing" : "no text");
}

gboolean
sluice_cost_json_read_number (JsonNode *node,
                              const char *key,
                              const char *where,
                              SluiceCostJsonRange range,
                              double *number,
                              GError **error)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;
  g_autofree char *shown = sluice_text_escape (key);
  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: \"%s\" is no number", where,
                        shown);
  double value = json_node_get_double (node);
  gboolean is_above = range == SLUICE_COST_JSON_ABOVE_0;
  if (!isfinite (value) || value < 0 || (is_above && value <= 0))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s: \"%s\" is %g; give a number %s 0", where, shown, value,
                        is_above ? "above" : "from");
  *number = value;
  return TRUE;
}

gboolean
sluice_cost_json_get_number (JsonObject *object,
                             const char *key,
                             const char *where,
                             SluiceCostJsonRange range,
                             double *number,
                             GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  return node == NULL || sluice_cost_json_read_number (node, key, where, range, number, error);
}
