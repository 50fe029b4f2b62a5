/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * Blocks: scopes that are alike, the instances of a block, so that what is changed in one can be
 * done to all. An instance reads and gives values through its ports, nodes of its own that hand on
 * what they read: SCOPE/in_0, SCOPE/out_0 and so on. They carry the block's name in an attribute
 * that TensorFlow passes over.
 */
#define SLUICE_BLOCK_ATTR "_block"

/* The block that the scope is an instance of. (transfer full) (nullable): it is none */
char *sluice_block_dup_name (SluiceGraph *graph, const char *scope);
/* Names of all blocks that there are, in the order in which they were made. (transfer full) */
GStrv sluice_block_list (SluiceGraph *graph);
/* Its instances, as they stand in the graph. (transfer full) */
GStrv sluice_block_list_instances (SluiceGraph *graph, const char *block);
