/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* SparseMatMul: a product of matrices of float or bfloat16 that may hold many zeros, in float. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"
#include "kernels/math/gradients.h"

static gboolean
sparse_matmul_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *a = &c->inputs[0], *b = &c->inputs[1];
  if (!sluice_shape_context_want_rank (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 2, error))
    return FALSE;
  gboolean ta = sluice_node_get_bool (c->node, "transpose_a");
  gboolean tb = sluice_node_get_bool (c->node, "transpose_b");
  gint64 inner_a = a->rank == 2 ? a->dim[!ta] : SLUICE_UNKNOWN_DIM;
  gint64 inner_b = b->rank == 2 ? b->dim[tb] : SLUICE_UNKNOWN_DIM;
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b)
    return sluice_shape_context_fail (
        c, error, "the inner sizes differ: %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, inner_a,
        inner_b);
  gint64 rows = a->rank == 2 ? a->dim[ta] : SLUICE_UNKNOWN_DIM;
  gint64 columns = b->rank == 2 ? b->dim[!tb] : SLUICE_UNKNOWN_DIM;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (rows, columns));
  return TRUE;
}

/* A factor of a product in the gradient. */
typedef struct
{
  SluiceEdge edge;
  gboolean transposed, sparse;
} Factor;

static void
set_product (SluiceGradContext *g, guint i, Factor a, Factor b)
{
  SluiceEdge dx = sluice_op_with (&g->b, "SparseMatMul",
                                  SLUICE_ATTRS (sluice_attr_bool ("transpose_a", a.transposed),
                                                sluice_attr_bool ("transpose_b", b.transposed),
                                                sluice_attr_bool ("a_is_sparse", a.sparse),
                                                sluice_attr_bool ("b_is_sparse", b.sparse)),
                                  a.edge, b.edge);
  SluiceDType dtype = gradient_dtype (sluice_grad_input (g, i));
  if (dtype != SLUICE_FLOAT)
    dx = sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", dtype)), dx);
  sluice_grad_set (g, i, dx);
}

static gboolean
sparse_matmul_gradient (SluiceGradContext *g, GError **error)
{
  gboolean ta = sluice_node_get_bool (g->node, "transpose_a");
  gboolean tb = sluice_node_get_bool (g->node, "transpose_b");
  gboolean sparse_a = sluice_node_get_bool (g->node, "a_is_sparse");
  gboolean sparse_b = sluice_node_get_bool (g->node, "b_is_sparse");
  SluiceEdge a = sluice_grad_input (g, 0), b = sluice_grad_input (g, 1), dy = sluice_grad_dy (g, 0);
  if (ta)
    set_product (g, 0, (Factor){ b, tb, sparse_b }, (Factor){ dy, TRUE, FALSE });
  else
    set_product (g, 0, (Factor){ dy, FALSE, FALSE }, (Factor){ b, !tb, sparse_b });
  if (tb)
    set_product (g, 1, (Factor){ dy, TRUE, FALSE }, (Factor){ a, ta, sparse_a });
  else
    set_product (g, 1, (Factor){ a, !ta, sparse_a }, (Factor){ dy, FALSE, FALSE });
  return TRUE;
}

static void
sparse_matmul_cost (const SluiceNode *node,
                    const SluiceShape *in,
                    const SluiceShape *out,
                    SluiceCost *cost)
{
  double m = (double) out[0].dim[0], n = (double) out[0].dim[1];
  double k = (double) in[0].dim[sluice_node_get_bool (node, "transpose_a") ? 0 : 1];
  cost->flops = 2 * m * n * k;
  cost->bytes = 4 * (m * k + k * n + m * n);
}

static const SluiceSample samples[] = {
  { "", "float[3,4]; float[4,5]", 1e-5, 1e-6 },
  { "transpose_a=true; a_is_sparse=true", "float[4,3]; bfloat16[4,5]", 1e-5, 1e-6 },
  { "transpose_b=true", "bfloat16[33,17]; float[29,17]", 1e-5, 1e-6 },
  { "", "float[2,0]; float[0,3]", 0, 0 },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceOpDef sparse_matmul_op = {
  .name = "SparseMatMul",
  .signature = "a: Ta, b: Tb -> product: float",
  .attrs = "transpose_a: bool = false; transpose_b: bool = false; a_is_sparse: bool = false; "
           "b_is_sparse: bool = false; Ta: {float, bfloat16} = float; Tb: {float, bfloat16} = "
           "float",
  .summary = N_ ("Matrix product of operands that may hold many zeros"),
  .shape = sparse_matmul_shape,
  .gradient = sparse_matmul_gradient,
  .cost = sparse_matmul_cost,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &sparse_matmul_op };

const SluiceKernelModule sluice_module_linalg_sparse_matmul = { .ops = ops,
                                                                .n_ops = G_N_ELEMENTS (ops) };
