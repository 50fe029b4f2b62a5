/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/visibility.h"
#include "engine/graph/builder.h"

SLUICE_PUBLIC_BEGIN

/*
 * Symbolic gradients, built as TensorFlow builds them: walk back from ys, add up partial gradients
 * with AddN, zeros only where a function asks for a gradient that nothing gave. White paper 4.1.
 */

/* A gradient: dense (indices.node is NULL), or rows of a bigger tensor (TensorFlow's
 * IndexedSlices). */
typedef struct
{
  SluiceEdge values;
  SluiceEdge indices;
  SluiceEdge dense_shape;
} SluiceGrad;
#define SLUICE_NO_GRAD ((SluiceGrad){ 0 })

/*
 * What the gradient function of an op sees. It reads forward tensors only through
 * sluice_grad_input() and sluice_grad_output(), which a loop's gradient answers from a stack.
 */
struct _SluiceGradContext
{
  SluiceBuilder b;        /* scope and device of the gradient; &g->b goes to sluice_op() */
  const SluiceNode *node; /* the forward node */
  const SluiceGrad *dys;  /* n_outputs of them; values.node NULL where nothing came */
  SluiceGrad *dxs;        /* n_inputs of them, preset to none */
  const char *source;     /* names this call of sluice_gradients() and no other of the graph */
  SluiceEdge (*forward) (SluiceGradContext *self,
                         SluiceEdge edge); /* replaces a forward tensor; NULL: itself */
  gpointer user_data;
};

SluiceEdge sluice_grad_input (SluiceGradContext *g, guint i);
SluiceEdge sluice_grad_output (SluiceGradContext *g, guint i);
/* The gradient of output i, dense; zeros of its shape where nothing came. */
SluiceEdge sluice_grad_dy (SluiceGradContext *g, guint i);
gboolean sluice_grad_has_dy (SluiceGradContext *g, guint i);
/* Sets the gradient of input i. */
void sluice_grad_set (SluiceGradContext *g, guint i, SluiceEdge dx);
void sluice_grad_set_sparse (SluiceGradContext *g, guint i, SluiceGrad dx);
/* Sum over the dimensions that broadcasting added, then Reshape to the shape of input i: dx of x op
   y. Skipped where both static shapes are known and equal, as TensorFlow does. */
SluiceEdge sluice_grad_unbroadcast (SluiceGradContext *g, SluiceEdge dx, guint i, guint other);

/* The commonest functions. */
gboolean sluice_grad_pass (SluiceGradContext *g, GError **error); /* dx0 = dy0 */

/**
 * sluice_gradients:
 * @dys: (nullable): one a y; a NULL node stands for ones
 * @dxs: (out caller-allocates) (array length=n_xs): values.node NULL where x does not reach any y
 *
 * Adds the gradient nodes of d(Σ ys·dys)/d(xs) to the graph under @scope. An x may be a reference
 * edge or a resource handle (the gradient is then of the variable's value).
 *
 * Returns: %FALSE with NOT_FOUND naming the op without a gradient on the path, or the builder's
 * first error; the nodes added so far stay and are unused
 */
gboolean sluice_gradients (SluiceGraph *graph,
                           const char *scope,
                           const SluiceEdge *ys,
                           guint n_ys,
                           const SluiceEdge *dys,
                           const SluiceEdge *xs,
                           guint n_xs,
                           SluiceGrad *dxs,
                           GError **error);

/**
 * sluice_gradients_inside:
 * @pivot: (nullable): a node that runs in each iteration, or on each time that the branch is taken,
 * in which the gradients are to stand; no Switch. %NULL: outside of all loops
 *
 * As sluice_gradients(), of what one iteration of a loop computes. The ys lie where the pivot does,
 * the xs there or outside of that; the loop's variables are constants of the iteration.
 *
 * Returns: also %FALSE with UNIMPLEMENTED where a path leads through a loop that ended before
 */
gboolean sluice_gradients_inside (SluiceGraph *graph,
                                  SluiceNode *pivot,
                                  const char *scope,
                                  const SluiceEdge *ys,
                                  guint n_ys,
                                  const SluiceEdge *dys,
                                  const SluiceEdge *xs,
                                  guint n_xs,
                                  SluiceGrad *dxs,
                                  GError **error);

/* A sparse gradient added up into a dense tensor (UnsortedSegmentSum); a dense one as it is. */
SluiceEdge sluice_grad_to_dense (SluiceBuilder *b, const SluiceGrad *grad);

SLUICE_PUBLIC_END
