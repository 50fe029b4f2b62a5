/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/graph/graph.h"

/* Its members, for Verb.json. */
#define CLI_SAVED_MODEL_TENSORS_JSON                                                               \
  "{\"*\": {\"dtype\": \"string\", \"shape\": [\"int\"], \"edge\": \"string\"}}"
#define CLI_SAVED_MODEL_JSON                                                                       \
  "\"tensorflow?\": \"string|null\", \"tags?\": [\"string\"], \"meta_graphs?\": [\"string\"], "    \
  "\"signatures?\": {\"*\": {\"method\": \"string\", \"inputs\": " CLI_SAVED_MODEL_TENSORS_JSON    \
  ", \"outputs\": " CLI_SAVED_MODEL_TENSORS_JSON "}}, "                                            \
  "\"variables?\": [{\"name\": \"string\", \"dtype\": \"string\", \"shape\": [\"int\"]}], "        \
  "\"assets?\": [\"string\"], "                                                                    \
  "\"functions?\": [{\"name\": \"string\", \"traces\": [\"string\"]}]"

/**
 * sluice_cli_show_saved_model:
 * @b: an object under way, which gets members; printed as text without --json
 * @path: (nullable): of the SavedModel, for the tags of its other MetaGraphs
 *
 * What a MetaGraph says beside its nodes: signatures with dtypes and shapes, variables, assets,
 * functions. Nothing where it says nothing.
 */
gboolean
sluice_cli_show_saved_model (JsonBuilder *b, SluiceGraph *graph, const char *path, GError **error);
