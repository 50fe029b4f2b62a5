/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Graphviz: a drawn scene as DOT, a graph from DOT, and dot as a second layout for small levels. */
#pragma once

#include "ui/canvas/layout.h"
#include "ui/canvas/scene.h"

G_BEGIN_DECLS

/* The drawn level as DOT text: items as nodes with their positions, open scopes as clusters, drawn
 * edges as edges. g_free(). */
char *sluice_scene_dup_dot (SluiceScene *scene);

/* Reads a directed graph: nodes with their `op`, `device`, `label` attributes, edges with `shape`
 * and style=dashed for control. Errors: G_FILE_ERROR_INVAL with Graphviz's words. */
SluiceGraphModel *sluice_graph_model_new_from_dot (const char *text, GError **error);

/* Lays out with dot; the caller's own layout does it when this returns NULL: more than 150 nodes or
 * 300 edges (dot cannot be interrupted, and forward plus backward graphs of a few hundred nodes
 * take it minutes), a self edge, or no Graphviz plugins. One call at a time; others wait. Never on
 * the main thread. */
SluiceLayout *sluice_dot_layout_new (const SluiceLayoutNode *nodes,
                                     guint n_nodes,
                                     const SluiceLayoutEdge *edges,
                                     guint n_edges,
                                     const SluiceLayoutOptions *options);

G_END_DECLS
