/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <json-glib/json-glib.h>

/* What machine.json and costs.json are read with. where: "device 'a'", for messages. */

/* The one object of the text. (transfer full) (nullable): INVALID_ARGUMENT, which names path */
JsonObject *
sluice_cost_json_parse (const char *text, gsize length, const char *path, GError **error);
/* The bytes of such a file. (transfer full) (nullable) */
GBytes *sluice_cost_json_read (const char *what, const char *path, GError **error);

/* FALSE: a key that is none of the known ones, and most likely means one of them. Other keys are
 * for others. known: until NULL */
gboolean sluice_cost_json_check_keys (JsonObject *object,
                                      const char *const *known,
                                      const char *where,
                                      GError **error);
/* What is there under key, TRUE and NULL where nothing is; FALSE: it is something else. */
gboolean sluice_cost_json_get_array (
    JsonObject *object, const char *key, const char *where, JsonArray **array, GError **error);
gboolean sluice_cost_json_get_object (
    JsonObject *object, const char *key, const char *where, JsonObject **found, GError **error);
/* FALSE: it is no text, or is not there. */
gboolean sluice_cost_json_get_text (
    JsonObject *object, const char *key, const char *where, const char **text, GError **error);

typedef enum
{
  SLUICE_COST_JSON_FROM_0,
  SLUICE_COST_JSON_ABOVE_0,
} SluiceCostJsonRange;

/* A finite number in that range. */
gboolean sluice_cost_json_read_number (JsonNode *node,
                                       const char *key,
                                       const char *where,
                                       SluiceCostJsonRange range,
                                       double *number,
                                       GError **error);
/* The same of a member; what is not there leaves number as it is. */
gboolean sluice_cost_json_get_number (JsonObject *object,
                                      const char *key,
                                      const char *where,
                                      SluiceCostJsonRange range,
                                      double *number,
                                      GError **error);
