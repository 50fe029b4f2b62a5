/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * BatchMatMul: a product of matrices for each index of the leading dimensions, which broadcast in
 * V2 and V3.
 * [..,m,k] x [..,k,n] -> [..,m,n], either operand adjoint (transposed and conjugated).
 * For z = x y: dx = dz y*, dy = x* dz.
 */
#include <glib/gi18n-lib.h>

#include <string.h>

#include "engine/device/kernel.h"
#include "kernels/linalg/batches.h"

static gboolean
broadcasts (const SluiceNode *node)
{
  return strcmp (node->op->name, "BatchMatMul") != 0;
}

/* The leading dimensions of the product. */
static gboolean
join_batches (SluiceShapeContext *c, SluiceShape *batch, GError **error)
{
  SluiceShape x = sluice_batch_shape (&c->inputs[0]), y = sluice_batch_shape (&c->inputs[1]);
  if (broadcasts (c->node) ? sluice_shape_broadcast (&x, &y, batch)
                           : sluice_shape_merge (&x, &y, batch))
    return TRUE;
  char sx[SLUICE_SHAPE_STR], sy[SLUICE_SHAPE_STR];
  return sluice_shape_context_fail (c, error, "the leading dimensions must %s: x is %s, y is %s",
                                    broadcasts (c->node) ? "broadcast together" : "be equal",
                                    sluice_shape_str (&c->inputs[0], sx),
                                    sluice_shape_str (&c->inputs[1], sy));
}

/* Dimension `from_end` of an operand, which an adjoint exchanges. */
static gint64
matrix_dim (const SluiceShape *shape, int from_end, gboolean adjoint)
{
  return sluice_matrix_dim (shape, adjoint ? 3 - from_end : from_end);
}

static gboolean
batch_matmul_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape batch;
  if (!sluice_shape_context_want_rank_at_least (c, 0, 2, error)
      || !sluice_shape_context_want_rank_at_least (c, 1, 2, error)
      || !join_batches (c, &batch, error))
    return FALSE;
  gboolean ax = sluice_node_get_bool (c->node, "adj_x"),
           ay = sluice_node_get_bool (c->node, "adj_y");
  gint64 inner_x = matrix_dim (&c->inputs[0], 1, ax), inner_y = matrix_dim (&c->inputs[1], 2, ay);
  if (inner_x >= 0 && inner_y >= 0 && inner_x != inner_y)
    {
      char sx[SLUICE_SHAPE_STR], sy[SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (c, error, "the inner sizes differ: x is %s%s, y is %s%s",
                                        sluice_shape_str (&c->inputs[0], sx), ax ? " adjoint" : "",
                                        sluice_shape_str (&c->inputs[1], sy), ay ? " adjoint" : "");
    }
  SluiceShape out = sluice_batch_of_matrices (&batch, matrix_dim (&c->inputs[0], 2, ax),
                                              matrix_dim (&c->inputs[1], 1, ay));
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static SluiceEdge
product (SluiceGradContext *g, SluiceEdge x, gboolean ax, SluiceEdge y, gboolean ay)
{
  if (broadcasts (g->node))
    return sluice_grad_matmul (g, x, ax, y, ay);
  return sluice_op_with (
      &g->b, "BatchMatMul",
      SLUICE_ATTRS (sluice_attr_bool ("adj_x", ax), sluice_attr_bool ("adj_y", ay)), x, y);
}

static gboolean
batch_matmul_gradient (SluiceGradContext *g, GError **error)
{
  gboolean ax = sluice_node_get_bool (g->node, "adj_x"),
           ay = sluice_node_get_bool (g->node, "adj_y");
  SluiceEdge dz = sluice_grad_dy (g, 0);
  SluiceEdge x = sluice_grad_input (g, 0), y = sluice_grad_input (g, 1);
  SluiceEdge dx = ax ? product (g, y, ay, dz, TRUE) : product (g, dz, FALSE, y, !ay);
  SluiceEdge dy = ay ? product (g, dz, TRUE, x, ax) : product (g, x, !ax, dz, FALSE);
  if (broadcasts (g->node))
    {
      dx = sluice_grad_unbroadcast_batches (g, dx, 0, 1);
      dy = sluice_grad_unbroadcast_batches (g, dy, 1, 0);
    }
  sluice_grad_set (g, 0, dx);
  sluice_grad_set (g, 1, dy);
  return TRUE;
}

static void
batch_matmul_cost (const SluiceNode *node,
                   const SluiceShape *in,
                   const SluiceShape *out,
                   SluiceCost *cost)
{
  double outputs = (double) sluice_shape_n_elements (&out[0]);
  double k = (double) matrix_dim (&in[0], 1, sluice_node_get_bool (node, "adj_x"));
  double inputs =
      (double) sluice_shape_n_elements (&in[0]) + (double) sluice_shape_n_elements (&in[1]);
  cost->flops = 2 * outputs * k;
  cost->bytes = (double) sluice_dtype_size (node->outputs[0].dtype) * (inputs + outputs);
}

static const SluiceSample batch_matmul_samples[] = {
  { "", "float[2,3,4]; float[2,4,5]", 1e-5, 1e-6 },
  { "adj_x=true", "float[2,4,3]; float[2,4,5]", 1e-5, 1e-6 },
  { "adj_y=true", "float[2,2,3,4]; float[2,2,5,4]", 1e-5, 1e-6 },
  { "", "float[3,4]; float[4,5]", 1e-5, 1e-6 },
  { "", "float[0,3,4]; float[0,4,5]", 0, 0 },
};

static const SluiceRecipe batch_matmul_recipe = {
  .samples = batch_matmul_samples,
  .n_samples = G_N_ELEMENTS (batch_matmul_samples),
  .dtypes = SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET_COMPLEX,
};

static const SluiceSample broadcast_samples[] = {
  { "", "float[2,3,4]; float[2,4,5]", 1e-5, 1e-6 },
  { "adj_x=true", "float[2,1,4,3]; float[3,4,5]", 1e-5, 1e-6 },
  { "adj_y=true", "float[3,4]; float[2,2,5,4]", 1e-5, 1e-6 },
  { "", "float[2,1,3,4]; float[1,2,4,5]", 1e-5, 1e-6 },
  { "", "float[0,3,4]; float[4,5]", 0, 0 },
};

static const SluiceRecipe broadcast_recipe = {
  .samples = broadcast_samples,
  .n_samples = G_N_ELEMENTS (broadcast_samples),
  .dtypes = SLUICE_SET_FLOATS | SLUICE_SET (SLUICE_INT16) | SLUICE_SET_INDEX | SLUICE_SET_COMPLEX,
};

static const SluiceSample v3_samples[] = {
  { "Tout=float", "float[2,3,4]; float[4,5]", 1e-5, 1e-6, TRUE },
  { "Tout=double", "double[2,3,4]; double[4,5]", 1e-5, 1e-6 },
  { "Tout=int32", "int32[2,3,4]; int32[4,5]", 0, 0, TRUE },
  { "Tout=int16", "int16[2,3,4]; int16[4,5]", 0, 0, TRUE },
  { "Tout=int32; adj_y=true", "int8[2,3,4]; uint8[5,4]", 0, 0, TRUE },
  { "Tout=bfloat16", "bfloat16[2,3,4]; int8[4,5]", 1e-2, 1e-2, TRUE },
};

static const SluiceRecipe v3_recipe = { .samples = v3_samples,
                                        .n_samples = G_N_ELEMENTS (v3_samples) };

#define ADJOINTS "adj_x: bool = false; adj_y: bool = false"
#define TYPES    "{bfloat16, half, float, double, int32, int64, complex64, complex128}"

#define BATCH_MATMUL(id, op_name, signature_text, attrs_text, text, its_recipe)                    \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = signature_text,                                                                   \
    .attrs = attrs_text,                                                                           \
    .summary = text,                                                                               \
    .shape = batch_matmul_shape,                                                                   \
    .gradient = batch_matmul_gradient,                                                             \
    .cost = batch_matmul_cost,                                                                     \
    .recipe = &its_recipe,                                                                         \
  }

BATCH_MATMUL (batch_matmul_op,
              "BatchMatMul",
              "x: T, y: T -> output: T",
              "T: " TYPES "; " ADJOINTS,
              N_ ("Products of matrices, one for each leading index"),
              batch_matmul_recipe);
BATCH_MATMUL (batch_matmul_v2_op,
              "BatchMatMulV2",
              "x: T, y: T -> output: T",
              "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, "
              "uint64, complex64, complex128}; " ADJOINTS
              "; grad_x: bool = false; grad_y: bool = false",
              N_ ("Products of matrices, one for each leading index; leading dimensions broadcast"),
              broadcast_recipe);
BATCH_MATMUL (batch_matmul_v3_op,
              "BatchMatMulV3",
              "x: Ta, y: Tb -> output: Tout",
              "Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
              "complex128}; Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, "
              "complex64, complex128}; Tout: {bfloat16, half, float, double, int16, int32, int64, "
              "complex64, complex128}; " ADJOINTS "; grad_x: bool = false; grad_y: bool = false",
              N_ ("Products of matrices, one for each leading index; leading dimensions broadcast"),
              v3_recipe);

static const SluiceOpDef *const ops[] = { &batch_matmul_op, &batch_matmul_v2_op,
                                          &batch_matmul_v3_op };

const SluiceKernelModule sluice_module_linalg_batch_matmul = { .ops = ops,
                                                               .n_ops = G_N_ELEMENTS (ops) };
