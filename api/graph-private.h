/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* The node of a name, or of an edge's name. (transfer none) (nullable): NOT_FOUND with the nearest
 * one. */
SluiceNode *sluice_api_find_node (SluiceGraph *graph, const char *name, GError **error);
