/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/edit.h"

/* What became of the nodes. */
typedef struct
{
  guint n_added, n_changed, n_removed;
  const char *name; /* (nullable): interned, of the first one */
} SluiceRewritten;

/**
 * sluice_graph_rewrite:
 * @graph: with an open transaction, which is to be abandoned after an error
 * @nodes: nodes that the text takes the place of, besides those whose names stand in it
 * @text: a GraphDef of nodes alone, in TensorFlow's text format
 *
 * Makes nodes be what a text says of them. A node of the text that has a name of the graph is that
 * node from now on. Of @nodes those that the text does not name are renamed, in turn, to nodes of
 * the same op in the text that are new, and references to them follow; where none is left they are
 * removed. What remains of the text is added. An attribute that the text leaves out goes back to
 * its default, or to what the inputs say.
 *
 * Returns: %FALSE with a message that begins with the place in the text, "line:column: ", where
 * that is known
 */
gboolean sluice_graph_rewrite (SluiceGraph *graph,
                               SluiceNode *const *nodes,
                               guint n,
                               const char *text,
                               SluiceRewritten *done,
                               GError **error);

/*
 * The same in pieces, within one transaction, for who lets others have their turn in between. They
 * must not walk through the graph then.
 */
typedef struct _SluiceRewriting SluiceRewriting;
/* text: must stay */
SluiceRewriting *
sluice_rewriting_new (SluiceGraph *graph, SluiceNode *const *nodes, guint n, const char *text);
void sluice_rewriting_free (SluiceRewriting *self);
/* For so many µs, and a few nodes at least. FALSE as sluice_graph_rewrite(). */
gboolean sluice_rewriting_go_on (SluiceRewriting *self, gint64 budget_us, GError **error);
/* (nullable): there is more to do */
const SluiceRewritten *sluice_rewriting_get_done (const SluiceRewriting *self);
double sluice_rewriting_get_progress (const SluiceRewriting *self); /* from 0 to 1 */

/* Is there one whose end is yet to come? What looks at all nodes in pieces waits for it. */
gboolean sluice_graph_is_in_transaction (SluiceGraph *graph);
