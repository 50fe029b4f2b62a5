/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* What an edge would make of a node that reads it, while nothing of the graph changes: cheap enough
 * for every port of a picture, over and over. Not while other threads look at the graph. */

/* A value of which dtype and shape are all that is known, as if a node gave it. */
SluiceNode *sluice_stand_in_new (SluiceDType dtype, const SluiceShape *shape);
void sluice_stand_in_set (SluiceNode *self, SluiceDType dtype, const SluiceShape *shape);
void sluice_stand_in_free (SluiceNode *self);

/**
 * sluice_node_try_input:
 * @input: node->n_inputs stands for one more, where the op takes any number as its last
 * @edge: of the node's graph, or of a stand-in
 * @output: (out): what output 0 would be; of no dtype where there is none
 *
 * By the op's own rules. Inputs that are open count as values of which nothing is known.
 *
 * Returns: %FALSE with INVALID_ARGUMENT where the node would be wrong
 */
gboolean sluice_node_try_input (
    const SluiceNode *node, guint input, SluiceEdge edge, SluiceOutput *output, GError **error);

/* Does the op take any number of what its last argument is? */
gboolean sluice_node_takes_more (const SluiceNode *node);

/* The dtype that an input must have, with SLUICE_REF for a reference; INVALID: any. */
SluiceDType sluice_node_get_input_dtype (const SluiceNode *node, guint input);

/* Comes a node before another one in the order of the graph? Then no edge from it closes a cycle.
 * FALSE says nothing: they may have nothing to do with each other. */
gboolean sluice_node_is_ordered_before (const SluiceNode *before, const SluiceNode *after);
/* All nodes that lead to a node, itself included, but by the back edges of loops. (transfer full)
 * (element-type SluiceNode): a set */
GHashTable *sluice_node_collect_before (SluiceNode *node);

/* Would an edge come from another loop than what else the node reads? */
gboolean sluice_node_mixes_loops (SluiceNode *node, guint input, SluiceEdge edge);
