/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * SparseTensorDenseMatMul: a · b of a sparse matrix and a dense one. d(b) = aᴴ · dy; d(a) at each
 * index is the product of a row of dy and one of b.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/sparse.h"
#include "kernels/math/gradients.h"

static gboolean
matmul_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  SluiceShape a;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error)
      || !sluice_shape_context_want_rank (c, 3, 2, error)
      || !sluice_shape_context_shape_from_input (c, 2, &a, error))
    return FALSE;
  if (rank >= 0 && rank != 2)
    return sluice_shape_context_fail (c, error, "a must have two dimensions, not %" G_GINT64_FORMAT,
                                      rank);
  gboolean adjoint_a = sluice_node_get_bool (c->node, "adjoint_a");
  gboolean adjoint_b = sluice_node_get_bool (c->node, "adjoint_b");
  SluiceShape b = c->inputs[3];
  if (a.rank != 2)
    a = sluice_shape_of_rank (2);
  if (b.rank != 2)
    b = sluice_shape_of_rank (2);
  gint64 inner_a = a.dim[!adjoint_a], inner_b = b.dim[adjoint_b];
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b)
    return sluice_shape_context_fail (c, error,
                                      "a has %" G_GINT64_FORMAT " columns, b %" G_GINT64_FORMAT
                                      " rows; make them equal",
                                      inner_a, inner_b);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (a.dim[adjoint_a], b.dim[!adjoint_b]));
  return TRUE;
}

static SluiceEdge
adjoint (SluiceGradContext *g, SluiceEdge matrix)
{
  SluiceEdge order = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 1, 0 }, 2);
  return gradient_conj (g, MAKE ("Transpose", matrix, order));
}

/* Column `column` of the indices. */
static SluiceEdge
index_column (SluiceGradContext *g, gint32 column)
{
  return MAKE ("GatherV2", sluice_grad_input (g, 0), sluice_builder_const_int32 (&g->b, column),
               sluice_builder_const_int32 (&g->b, 1));
}

static gboolean
matmul_gradient (SluiceGradContext *g, GError **error)
{
  gboolean adjoint_a = sluice_node_get_bool (g->node, "adjoint_a");
  gboolean adjoint_b = sluice_node_get_bool (g->node, "adjoint_b");
  SluiceEdge dy = sluice_grad_dy (g, 0), b = sluice_grad_input (g, 3);
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge db = sluice_op_with (
      &g->b, "SparseTensorDenseMatMul", SLUICE_ATTRS (sluice_attr_bool ("adjoint_a", !adjoint_a)),
      sluice_grad_input (g, 0), sluice_grad_input (g, 1), sluice_grad_input (g, 2), dy);
  sluice_grad_set (g, 3, adjoint_b ? adjoint (g, db) : db);

  SluiceEdge rows = MAKE ("GatherV2", dy, index_column (g, adjoint_a), zero);
  SluiceEdge others =
      MAKE ("GatherV2", adjoint_b ? adjoint (g, b) : b, index_column (g, !adjoint_a), zero);
  SluiceEdge da = MAKE ("Sum", MAKE ("Mul", rows, gradient_conj (g, others)), one);
  sluice_grad_set (g, 1, adjoint_a ? gradient_conj (g, da) : da);
  return TRUE;
}

/* b and the product are read and written; a has 2 flops a value and column. */
static void
matmul_cost (const SluiceNode *node,
             const SluiceShape *in,
             const SluiceShape *out,
             SluiceCost *cost)
{
  double n = (double) sluice_shape_n_elements (&in[1]), columns = (double) out[0].dim[1];
  cost->flops = 2 * n * columns;
  cost->bytes = 3 * n * columns * (double) sluice_dtype_size (sluice_edge_dtype (node->inputs[1]));
}

static const SluiceSample samples[] = {
  { "", "int64[4,2]={0,1,1,2,2,0,2,2}; float[4]; int64[2]={3,3}; float[3,2]", 1e-5, 1e-6 },
  { "adjoint_a=true", "int32[3,2]={0,1,1,2,1,0}; float[3]; int64[2]={2,3}; float[2,4]", 1e-5,
    1e-6 },
  { "adjoint_b=true", "int64[2,2]={0,1,1,0}; float[2]; int64[2]={2,3}; float[5,3]", 1e-5, 1e-6 },
};
static const SluiceRecipe recipe = {
  .samples = samples,
  .n_samples = G_N_ELEMENTS (samples),
};

static const SluiceOpDef matmul_op = {
  .name = "SparseTensorDenseMatMul",
  .signature = "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
  .attrs = "T: type; Tindices: index = int64; adjoint_a: bool = false; adjoint_b: bool = false",
  .summary = N_ ("The product of a sparse matrix and a dense one"),
  .shape = matmul_shape,
  .gradient = matmul_gradient,
  .cost = matmul_cost,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &matmul_op };

const SluiceKernelModule sluice_module_array_sparse_matmul = { .ops = ops,
                                                               .n_ops = G_N_ELEMENTS (ops) };
