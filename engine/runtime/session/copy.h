/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* What a copy has instead of what it is made of. */
typedef struct
{
  /* What stands for an edge, and for a node that others come after; NULL: nothing does. */
  SluiceEdge (*get_edge) (SluiceEdge edge, gpointer data);
  SluiceNode *(*get_control) (SluiceNode *node, gpointer data);
  char *(*dup_name) (const SluiceNode *node, gpointer data); /* (nullable): it is left out */
  gpointer data;
} SluiceCopyView;

/* Adds to `to`, which has no nodes, those of `from` as the view has them. */
gboolean
sluice_copy_view (SluiceGraph *to, SluiceGraph *from, const SluiceCopyView *view, GError **error);

/* Adds to `to` every node of `from` whose name it has not; inputs are found by name. */
gboolean sluice_copy_new_nodes (SluiceGraph *to, SluiceGraph *from, GError **error);

/* A graph as it is now, for another thread, in pieces between which others have their turn; as soon
 * as it changes the copy is of no use. */
typedef struct _SluiceGraphCopy SluiceGraphCopy;
SluiceGraphCopy *sluice_graph_copy_begin (SluiceGraph *graph);
void sluice_graph_copy_free (SluiceGraphCopy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGraphCopy, sluice_graph_copy_free)
/* For so many µs at most. (transfer full) (nullable): %NULL without an error: there is more */
SluiceGraph *sluice_graph_copy_go_on (SluiceGraphCopy *self, gint64 budget_us, GError **error);
