/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/edit.h"
#include "engine/runtime/session/session.h"
#include "ui/canvas/graph-model.h"

/**
 * sluice_graph_model_from_graph:
 *
 * @session: (nullable): that the graph was placed in; a node's device is where it stands there,
 * else what it asks for
 *
 * What the canvas draws of a graph: a node each, with its class, its loop, cost and bytes by the
 * static shapes (a dimension that is not known counts as one), and the edges between them.
 *
 * Returns: (transfer full)
 */
SluiceGraphModel *sluice_graph_model_from_graph (SluiceGraph *graph, SluiceSession *session);

/** sluice_graph_model_place: a model without places that nobody else has yet gets the session's. */
void sluice_graph_model_place (SluiceGraphModel *model, SluiceGraph *graph, SluiceSession *session);

/**
 * sluice_graph_model_after:
 * @base: of the graph before the delta, made by one of these two; it stays what it is
 *
 * The same from what was before an edit and what the edit changed, without looking at the rest.
 *
 * Returns: (transfer full)
 */
SluiceGraphModel *sluice_graph_model_after (SluiceGraphModel *base,
                                            SluiceGraph *graph,
                                            SluiceSession *session,
                                            const SluiceGraphDelta *delta);
