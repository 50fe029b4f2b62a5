/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "api/graph.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

G_BEGIN_DECLS

/**
 * SluiceScope:
 *
 * Where nodes are added: a graph, the prefix of their names, their device, their control inputs. A
 * scope does not change; others are made from it. Counted.
 */
typedef struct _SluiceScope SluiceScope;

#define SLUICE_TYPE_SCOPE (sluice_scope_get_type ())
GType sluice_scope_get_type (void) G_GNUC_CONST;
SluiceScope *sluice_scope_ref (SluiceScope *self);
void sluice_scope_unref (SluiceScope *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceScope, sluice_scope_unref)

/**
 * sluice_scope_new: (constructor)
 * @graph: nodes go into it
 *
 * Returns: (transfer full): names without a prefix, any device, no control inputs
 */
SluiceScope *sluice_scope_new (SluiceGraph *graph);

/**
 * sluice_scope_dup_graph:
 * @self: a scope
 *
 * Returns: (transfer full): its graph
 */
SluiceGraph *sluice_scope_dup_graph (SluiceScope *self);

/**
 * sluice_scope_get_prefix:
 * @self: a scope
 *
 * Returns: "layer1/dense"; "" at the top
 */
const char *sluice_scope_get_prefix (SluiceScope *self);

/**
 * sluice_scope_dup_unique_name:
 * @self: a scope
 * @name: within the scope
 *
 * Returns: (transfer full): the name with the prefix, a number behind it where it is taken
 */
char *sluice_scope_dup_unique_name (SluiceScope *self, const char *name);

/**
 * sluice_scope_with_name:
 * @self: a scope
 * @name: "dense": names begin with the prefix, a slash and this
 *
 * Returns: (transfer full): the scope below
 */
SluiceScope *sluice_scope_with_name (SluiceScope *self, const char *name);

/**
 * sluice_scope_with_device:
 * @self: a scope
 * @device: (nullable): "/device:CPU:0"; %NULL for any
 *
 * Returns: (transfer full): the same for nodes on that device
 */
SluiceScope *sluice_scope_with_device (SluiceScope *self, const char *device);

/**
 * sluice_scope_with_control_inputs:
 * @self: a scope
 * @nodes: (array zero-terminated=1): names of nodes that run before
 * @error: return location
 *
 * Returns: (transfer full): the same for nodes that run after these too; %NULL with NOT_FOUND
 */
SluiceScope *
sluice_scope_with_control_inputs (SluiceScope *self, const char *const *nodes, GError **error);

/**
 * sluice_scope_with_colocation:
 * @self: a scope
 * @node: (nullable): name of a node; %NULL for none
 * @error: return location
 *
 * Returns: (transfer full): the same for nodes that stand where that one does; %NULL with NOT_FOUND
 */
SluiceScope *sluice_scope_with_colocation (SluiceScope *self, const char *node, GError **error);

/**
 * sluice_scope_add:
 * @self: a scope
 * @op: "MatMul"
 * @name: (nullable): within the scope; %NULL: as the op. A number is put behind one that is taken
 * @inputs: (array zero-terminated=1) (nullable): edges, "node:1"; "^node" is a control input
 * @attrs: (nullable): a dictionary a{sv} of what the inputs and the defaults do not tell
 * @error: return location
 *
 * Adds a node. Attributes are completed and checked, dtypes and shapes inferred.
 *
 * The value of an attribute is a boolean, any integer, a double; a string or bytes (ay); for a type
 * "float", "float32", "DT_FLOAT" or its number; for a shape an array of integers, -1 for an unknown
 * dimension, or an empty maybe for an unknown rank; for a tensor a serialised TensorProto (ay); for
 * a function its name, or a tuple (sa{sv}) of name and attributes; and an array of these for a
 * list. Attributes that begin with an underscore go with any op; their kind is that of their value.
 *
 * Returns: (transfer full): the node; %NULL with NOT_FOUND (no such op or input), INVALID_ARGUMENT
 *   (name, attributes, dtypes, shapes), and the graph as it was
 */
SluiceNode *sluice_scope_add (SluiceScope *self,
                              const char *op,
                              const char *name,
                              const char *const *inputs,
                              GVariant *attrs,
                              GError **error);

/**
 * sluice_scope_add_constant:
 * @self: a scope
 * @name: (nullable): as with sluice_scope_add()
 * @value: its value
 * @error: return location
 *
 * Returns: (transfer full): a node that gives @value
 */
SluiceNode *sluice_scope_add_constant (SluiceScope *self,
                                       const char *name,
                                       SluiceTensor *value,
                                       GError **error);

/**
 * sluice_scope_add_gradients:
 * @self: a scope; the nodes go into "gradients" below it
 * @ys: (array zero-terminated=1): edges to differentiate
 * @grad_ys: (array zero-terminated=1) (nullable): one gradient a y to begin with, "" for ones;
 *   %NULL: ones
 * @xs: (array zero-terminated=1): edges to differentiate by; of a variable its reference or handle
 * @indices: (out) (transfer full) (array zero-terminated=1): one edge an x: rows that the gradient
 *   is of, where it is sparse (IndexedSlices); "" where it is dense
 * @dense_shapes: (out) (transfer full) (array zero-terminated=1): one edge an x: shape of the
 * whole, where it is sparse
 * @error: return location
 *
 * Adds the gradient of the sum of @ys by each of @xs. White paper 4.1. In a branch or the body of a
 * loop it stands there: the @ys lie within, the @xs there or outside, and the loop's variables are
 * constants of the iteration.
 *
 * Returns: (transfer full) (array zero-terminated=1): one edge an x: its gradient, or the rows of
 *   it; "" where no y depends on it. %NULL with NOT_FOUND (no such edge, an op without a gradient),
 *   INVALID_ARGUMENT (an edge inside another loop), UNIMPLEMENTED (through the gradient of a loop;
 *   from within one loop through another that ended before)
 */
char **sluice_scope_add_gradients (SluiceScope *self,
                                   const char *const *ys,
                                   const char *const *grad_ys,
                                   const char *const *xs,
                                   char ***indices,
                                   char ***dense_shapes,
                                   GError **error);

G_END_DECLS

SLUICE_PUBLIC_END
