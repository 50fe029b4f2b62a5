/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/graph/graph.h"

/**
 * cli_show_saved_model:
 * @b: an object under way, which gets members; printed as text without --json
 * @path: (nullable): of the SavedModel, for the tags of its other MetaGraphs
 *
 * What a MetaGraph says beside its nodes: signatures with dtypes and shapes, variables, assets,
 * functions. Nothing where it says nothing.
 */
gboolean
cli_show_saved_model (JsonBuilder *b, SluiceGraph *graph, const char *path, GError **error);
