/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/**
 * sluice_graph_dup_trainable:
 *
 * Returns: (transfer full) (nullable) (element-type utf8): what a MetaGraphDef's collection
 * `trainable_variables` names, "w:0" or "w"; empty where the graph came without. DATA_LOSS where it
 * is damaged
 */
GPtrArray *sluice_graph_dup_trainable (SluiceGraph *self, GError **error);
