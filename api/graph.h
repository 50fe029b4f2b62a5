/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "api/tensor.h"
#include "engine/graph/export-flags.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

G_BEGIN_DECLS

/**
 * SluiceGraph:
 *
 * A dataflow graph. It only grows. Counted; one thread at a time while it changes.
 */
typedef struct _SluiceGraph SluiceGraph;

#define SLUICE_TYPE_GRAPH (sluice_graph_get_type ())
GType sluice_graph_get_type (void) G_GNUC_CONST;
SluiceGraph *sluice_graph_ref (SluiceGraph *self);
void sluice_graph_unref (SluiceGraph *self);

/**
 * SluiceNode:
 *
 * A node of a graph. Who holds it holds the graph.
 *
 * Edges are named as in a GraphDef: "node:1" is output 1 of a node, "node" and "node:0" its first.
 */
typedef struct _SluiceNode SluiceNode;

/* sluice_node_get_type() is an attribute's, in the engine. */
#define SLUICE_TYPE_NODE (sluice_node_get_gtype ())
GType sluice_node_get_gtype (void) G_GNUC_CONST;
SluiceNode *sluice_node_share (SluiceNode *self);
void sluice_node_release (SluiceNode *self);

/**
 * sluice_graph_new_empty: (constructor)
 *
 * Returns: (transfer full): an empty graph
 */
SluiceGraph *sluice_graph_new_empty (void);

/**
 * sluice_graph_load: (constructor)
 * @path: (type filename): a GraphDef or MetaGraphDef, binary or text, plain or gzipped
 * @error: return location
 *
 * Loads a graph. A node that cannot run keeps its error (sluice_node_check()), with which a run
 * fails that reaches it.
 *
 * Returns: (transfer full): the graph; %NULL where the file cannot be read or is no graph
 */
SluiceGraph *sluice_graph_load (const char *path, GError **error);

/**
 * sluice_graph_parse: (constructor)
 * @bytes: as in a file of sluice_graph_load()
 * @error: return location
 *
 * Returns: (transfer full): the graph; %NULL where the bytes are no graph
 */
SluiceGraph *sluice_graph_parse (GBytes *bytes, GError **error);

/**
 * sluice_graph_add_bytes:
 * @self: a graph
 * @bytes: as in a file of sluice_graph_load()
 * @error: return location
 *
 * Adds the nodes of another graph.
 *
 * Returns: %FALSE where the bytes are no graph or a name is taken; nothing is added then
 */
gboolean sluice_graph_add_bytes (SluiceGraph *self, GBytes *bytes, GError **error);

/**
 * sluice_graph_dup_bytes:
 * @self: a graph
 * @flags: how
 * @error: return location
 *
 * Returns: (transfer full): a GraphDef or MetaGraphDef that TensorFlow reads
 */
GBytes *sluice_graph_dup_bytes (SluiceGraph *self, SluiceExportFlags flags, GError **error);

/**
 * sluice_graph_save:
 * @self: a graph
 * @path: (type filename): replaced when all is written
 * @flags: how
 * @error: return location
 *
 * Writes what sluice_graph_dup_bytes() gives.
 *
 * Returns: %FALSE where it cannot be written
 */
gboolean
sluice_graph_save (SluiceGraph *self, const char *path, SluiceExportFlags flags, GError **error);

/**
 * sluice_graph_dup_node:
 * @self: a graph
 * @name: of the node
 * @error: return location
 *
 * Returns: (transfer full): the node; %NULL with NOT_FOUND and the nearest name
 */
SluiceNode *sluice_graph_dup_node (SluiceGraph *self, const char *name, GError **error);

/**
 * sluice_graph_dup_nodes:
 * @self: a graph
 * @n_nodes: (out): how many
 *
 * Returns: (transfer full) (array length=n_nodes): all nodes in the order of their creation
 */
SluiceNode **sluice_graph_dup_nodes (SluiceGraph *self, gsize *n_nodes);

/**
 * sluice_node_get_name:
 * @self: a node
 *
 * Returns: its name, unique in its graph
 */
const char *sluice_node_get_name (SluiceNode *self);

/**
 * sluice_node_get_op:
 * @self: a node
 *
 * Returns: what it computes: "MatMul"
 */
const char *sluice_node_get_op (SluiceNode *self);

/**
 * sluice_node_get_device:
 * @self: a node
 *
 * Returns: the device that was asked for; "" where none was
 */
const char *sluice_node_get_device (SluiceNode *self);

/**
 * sluice_node_dup_graph:
 * @self: a node
 *
 * Returns: (transfer full): its graph
 */
SluiceGraph *sluice_node_dup_graph (SluiceNode *self);

/**
 * sluice_node_dup_inputs:
 * @self: a node
 *
 * Returns: (transfer full) (array zero-terminated=1): the edges that it reads, "node:1", then its
 *   control inputs, "^node"; "" for an input that an import did not find
 */
char **sluice_node_dup_inputs (SluiceNode *self);

/**
 * sluice_node_get_n_outputs:
 * @self: a node
 *
 * Returns: how many tensors it gives
 */
guint sluice_node_get_n_outputs (SluiceNode *self);

/**
 * sluice_node_get_output_dtype:
 * @self: a node
 * @output: less than sluice_node_get_n_outputs()
 *
 * Returns: the dtype of an output, of a reference that of its variable
 */
SluiceDType sluice_node_get_output_dtype (SluiceNode *self, guint output);

/**
 * sluice_node_get_output_shape:
 * @self: a node
 * @output: less than sluice_node_get_n_outputs()
 * @dims: (out) (array length=n_dims) (transfer none): what is known of the dimensions, -1 for an
 *   unknown one
 * @n_dims: (out): the rank
 *
 * Returns: %FALSE where not even the rank is known
 */
gboolean
sluice_node_get_output_shape (SluiceNode *self, guint output, const gint64 **dims, gsize *n_dims);

/**
 * sluice_node_dup_attrs:
 * @self: a node
 *
 * Returns: (transfer full): its attributes as a dictionary a{sv}, as sluice_scope_add() takes them
 */
GVariant *sluice_node_dup_attrs (SluiceNode *self);

/**
 * sluice_node_check:
 * @self: a node
 * @error: return location
 *
 * Returns: %FALSE with what an import found wrong with the node
 */
gboolean sluice_node_check (SluiceNode *self, GError **error);

G_END_DECLS

SLUICE_PUBLIC_END
