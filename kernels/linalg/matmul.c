/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * MatMul: product of two matrices.  [m,k] x [k,n] -> [m,n], either operand taken transposed.
 * For c = a b: da = dc b', db = a' dc, with conjugates where they are complex. TensorFlow's MatMul.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

static gboolean
matmul_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 2, error))
    return FALSE;
  gboolean ta = sluice_node_get_bool (c->node, "transpose_a");
  gboolean tb = sluice_node_get_bool (c->node, "transpose_b");
  gint64 rows = c->inputs[0].rank == 2 ? c->inputs[0].dim[ta ? 1 : 0] : SLUICE_UNKNOWN_DIM;
  gint64 inner_a = c->inputs[0].rank == 2 ? c->inputs[0].dim[ta ? 0 : 1] : SLUICE_UNKNOWN_DIM;
  gint64 inner_b = c->inputs[1].rank == 2 ? c->inputs[1].dim[tb ? 1 : 0] : SLUICE_UNKNOWN_DIM;
  gint64 columns = c->inputs[1].rank == 2 ? c->inputs[1].dim[tb ? 0 : 1] : SLUICE_UNKNOWN_DIM;
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b)
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (
          c, error,
          "the inner sizes differ: a is %s%s, b is %s%s; make %" G_GINT64_FORMAT
          " and %" G_GINT64_FORMAT " equal",
          sluice_shape_str (&c->inputs[0], a), ta ? " transposed" : "",
          sluice_shape_str (&c->inputs[1], b), tb ? " transposed" : "", inner_a, inner_b);
    }
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (rows, columns));
  return TRUE;
}

static SluiceEdge
product (SluiceGradContext *g, SluiceEdge a, gboolean ta, SluiceEdge b, gboolean tb)
{
  return sluice_op_with (
      &g->b, "MatMul",
      SLUICE_ATTRS (sluice_attr_bool ("transpose_a", ta), sluice_attr_bool ("transpose_b", tb)), a,
      b);
}

static gboolean
matmul_gradient (SluiceGradContext *g, GError **error)
{
  gboolean ta = sluice_node_get_bool (g->node, "transpose_a");
  gboolean tb = sluice_node_get_bool (g->node, "transpose_b");
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge a = sluice_grad_input (g, 0), b = sluice_grad_input (g, 1);
  if (a.node && sluice_dtype_is_complex (sluice_edge_dtype (a)))
    {
      a = sluice_op (&g->b, "Conj", a);
      b = sluice_op (&g->b, "Conj", b);
    }
  sluice_grad_set (g, 0, ta ? product (g, b, tb, dy, TRUE) : product (g, dy, FALSE, b, !tb));
  sluice_grad_set (g, 1, tb ? product (g, dy, TRUE, a, ta) : product (g, a, !ta, dy, FALSE));
  return TRUE;
}

static void
matmul_cost (const SluiceNode *node,
             const SluiceShape *in,
             const SluiceShape *out,
             SluiceCost *cost)
{
  gint64 m = out[0].dim[0], n = out[0].dim[1];
  gint64 k = in[0].dim[sluice_node_get_bool (node, "transpose_a") ? 0 : 1];
  cost->flops = 2.0 * m * n * k;
  cost->bytes = (double) sluice_dtype_size (node->outputs[0].dtype) * (m * k + k * n + m * n);
}

static const SluiceSample matmul_samples[] = {
  { "", "float[3,4]; float[4,5]", 1e-5, 1e-6 },
  { "transpose_a=true", "float[4,3]; float[4,5]", 1e-5, 1e-6 },
  { "transpose_b=true", "float[33,17]; float[29,17]", 1e-5, 1e-6 },
  { "transpose_a=true; transpose_b=true", "float[4,3]; float[5,4]", 1e-5, 1e-6 },
  { "", "float[0,4]; float[4,5]", 0, 0 },
  { "", "float[3,0]; float[0,5]", 0, 0 },
  { "", "float[8,700]; float[700,800]", 1e-5, 1e-4, TRUE }, /* b in pieces */
};

static const SluiceRecipe matmul_recipe = {
  .samples = matmul_samples,
  .n_samples = G_N_ELEMENTS (matmul_samples),
  .dtypes = SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET_COMPLEX,
};

static const SluiceOpDef matmul_op = {
  .name = "MatMul",
  .signature = "a: T, b: T -> product: T",
  .attrs = "transpose_a: bool = false; transpose_b: bool = false; "
           "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
  .summary = N_ ("Matrix product"),
  .shape = matmul_shape,
  .gradient = matmul_gradient,
  .cost = matmul_cost,
  .recipe = &matmul_recipe,
};

static const SluiceOpDef *const ops[] = { &matmul_op };

const SluiceKernelModule sluice_module_linalg_matmul = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
