/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * What a shape function sees. Inputs are partial shapes; values of inputs are known where they are
 * constants. A shape function sets every output whose shape it can tell something of; the others
 * stay unknown.
 */
struct _SluiceShapeContext
{
  const SluiceNode *node; /* attributes complete; output dtypes set */
  const SluiceShape *inputs;
  guint n_inputs;
  SluiceOutput *outputs; /* shape preset to unknown */
  guint n_outputs;
  /* The graph's folded value of an input, or NULL; set by the caller (constant folding needs
   * kernels). */
  SluiceTensor *(*constant) (SluiceShapeContext *self, guint input); /* borrowed */
  gpointer user_data;
};

/*
 * Evaluates one stateless node whose inputs are all known, with its kernel; inputs and outputs are
 * small. Inference walks the constant subgraph itself and remembers what came out.
 * outputs: (transfer full) each. FALSE: cannot be told; nothing is set then.
 */
typedef gboolean (*SluiceConstantFolder) (const SluiceNode *node,
                                          SluiceTensor *const *inputs,
                                          SluiceTensor **outputs,
                                          gpointer user_data);
/* For the whole process; set at start-up, by the layer that knows kernels. */
void sluice_graph_set_constant_folder (SluiceConstantFolder folder, gpointer user_data);

/* The value of an edge where it is known before a run: of a Const, of Shape, Size and Rank of a
 * known shape, and what the folder makes of such. (nullable) (transfer none) */
const SluiceTensor *sluice_edge_constant (SluiceEdge edge);

/* The value of an input where it is known while the graph is built. (nullable) (transfer none) */
const SluiceTensor *sluice_shape_context_constant (SluiceShapeContext *self, guint input);

/**
 * sluice_shape_context_shape_from_input:
 *
 * Reads an input that holds a shape (Reshape's second): its constant value, or what is known of it
 * through Shape, Pack, ConcatV2, StridedSlice, Slice and Cast; else a shape of the rank that the
 * vector's length tells. -1 in a constant gives an unknown dimension. FALSE on a negative size
 * below -1 or a rank over the limit.
 */
gboolean sluice_shape_context_shape_from_input (SluiceShapeContext *self,
                                                guint input,
                                                SluiceShape *shape,
                                                GError **error);

/* Checks a rank, unknown passes: "MatMul 'fc1/MatMul': input 1 (b) must have rank 2, not [3]". */
gboolean
sluice_shape_context_want_rank (SluiceShapeContext *self, guint input, int rank, GError **error);
gboolean sluice_shape_context_want_rank_at_least (SluiceShapeContext *self,
                                                  guint input,
                                                  int rank,
                                                  GError **error);

/* Merges shapes of two inputs, or fails and names both. out may be NULL. */
gboolean sluice_shape_context_merge (
    SluiceShapeContext *self, guint a, guint b, SluiceShape *out, GError **error);

/* INVALID_ARGUMENT with "Op 'name': " in front. Returns FALSE. */
gboolean
sluice_shape_context_fail (SluiceShapeContext *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static inline void
sluice_shape_context_set (SluiceShapeContext *self, guint output, const SluiceShape *shape)
{
  self->outputs[output].shape = *shape;
}

/* Common rules. */
gboolean sluice_shape_unchanged (SluiceShapeContext *self,
                                 GError **error); /* output 0 has the shape of input 0 */
gboolean
sluice_shape_scalar (SluiceShapeContext *self, GError **error); /* every output is a scalar */
gboolean sluice_shape_broadcast_2 (SluiceShapeContext *self,
                                   GError **error); /* NumPy's rule on inputs 0 and 1 */
gboolean sluice_shape_merge_all (SluiceShapeContext *self,
                                 GError **error); /* all inputs one shape, so the output */
gboolean sluice_shape_none (SluiceShapeContext *self, GError **error); /* nothing to tell */

/*
 * Where a value comes from, through ops that hand it on and through the stacks of gradients. A node
 * whose shape rule follows it has SLUICE_OP_LOOKS_AFAR. May be SLUICE_NO_EDGE.
 */
SluiceEdge sluice_edge_origin (SluiceEdge edge);
/* Calls func for every node that has output 0 of `maker`, a handle, as its input 0: directly or
 * through Enter, Switch and Identity. */
void sluice_node_foreach_holder (const SluiceNode *maker,
                                 void (*func) (SluiceNode *node, gpointer data),
                                 gpointer data);
/* Calls func for every node that pops from the stack that `push` fills, where it fills one. */
void sluice_node_foreach_pop (const SluiceNode *push,
                              void (*func) (SluiceNode *pop, gpointer data),
                              gpointer data);

/* The shape rule of what pops from a stack: what is pushed on it says what comes out. */
gboolean sluice_shape_of_popped (SluiceShapeContext *context, GError **error);

SLUICE_PUBLIC_END
