/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/op.h"

/**
 * sluice_node_get_cost:
 * @unknown_dim: stands for each dimension that is not known
 * @cost: (out)
 *
 * By the op's own formula, else by the rule beside SluiceOpDef.cost.
 *
 * Returns: FALSE, and no cost, where not even the ranks are known, or the node is wrong
 */
gboolean sluice_node_get_cost (const SluiceNode *node, gint64 unknown_dim, SluiceCost *cost);

/* As far as the static shape tells, every dimension that it does not know being unknown_dim; 0 of a
 * reference. */
double sluice_output_bytes (const SluiceOutput *output, double unknown_dim);
