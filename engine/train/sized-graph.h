/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/**
 * sluice_graph_dup_sized:
 * @batch: stands for each dimension that a placeholder leaves open
 *
 * A copy for those who ask what nodes cost: what the shapes of a step with such a batch are, as far
 * as inference tells; of quarters of a batch, too. Where they would contradict each other shapes
 * are as they were.
 *
 * Returns: (transfer full)
 */
SluiceGraph *sluice_graph_dup_sized (SluiceGraph *graph, gint64 batch);
