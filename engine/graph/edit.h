/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* Changes to nodes that are there already. A session keeps nodes as they were when it took them
 * over. */

/**
 * sluice_graph_set_device:
 * @device: full or partial device name, as a node asks for it; "" for none
 */
void sluice_graph_set_device (SluiceGraph *self, SluiceNode *node, const char *device);
