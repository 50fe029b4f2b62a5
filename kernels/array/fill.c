/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* One value everywhere: Fill, ZerosLike, OnesLike. */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
fill_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  if (!sluice_shape_context_want_rank (c, 0, 1, error)
      || !sluice_shape_context_want_rank (c, 1, 0, error)
      || !sluice_shape_context_shape_from_input (c, 0, &shape, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
fill_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 1, sluice_grad_sum_all (g, sluice_grad_dy (g, 0)));
  return TRUE;
}

static void
fill_cost (const SluiceNode *node, const SluiceShape *in, const SluiceShape *out, SluiceCost *cost)
{
  cost->flops = 0;
  cost->bytes = (double) sluice_dtype_size (node->outputs[0].dtype)
                * MAX (0, sluice_shape_n_elements (&out[0]));
}

static const SluiceSample fill_samples[] = {
  { "", "int32[2]={2,3}; float[]", 1e-5, 1e-6 },
  { "", "int64[2]={0,3}; float[]", 0, 0 },
  { "", "int32[0]; string[]", 0, 0 },
};
static const SluiceRecipe fill_recipe = {
  .samples = fill_samples,
  .n_samples = G_N_ELEMENTS (fill_samples),
};

static const SluiceSample like_samples[] = {
  { "", "float[2,3]", 0, 0 },
  { "", "float[0]", 0, 0 },
  { "", "float[]", 0, 0 },
};
static const SluiceRecipe like_recipe = {
  .samples = like_samples,
  .n_samples = G_N_ELEMENTS (like_samples),
  .dtypes = SLUICE_SET_NUMBER | SLUICE_SET (SLUICE_BOOL),
};

static const SluiceOpDef fill_op = {
  .name = "Fill",
  .signature = "dims: index_type, value: T -> output: T",
  .attrs = "T: type; index_type: {int32, int64} = int32",
  .summary = N_ ("A tensor of one value"),
  .role = SLUICE_ROLE_FILL,
  .shape = fill_shape,
  .gradient = fill_gradient,
  .cost = fill_cost,
  .recipe = &fill_recipe,
};

static const SluiceOpDef zeros_like_op = {
  .name = "ZerosLike",
  .signature = "x: T -> y: T",
  .attrs = "T: type",
  .summary = N_ ("Zeros in the shape of another tensor"),
  .role = SLUICE_ROLE_ZEROS_LIKE,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .cost = fill_cost,
  .recipe = &like_recipe,
};

static const SluiceOpDef ones_like_op = {
  .name = "OnesLike",
  .signature = "x: T -> y: T",
  .attrs = "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, "
           "uint64, complex64, complex128, bool}",
  .summary = N_ ("Ones in the shape of another tensor"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .cost = fill_cost,
  .recipe = &like_recipe,
};

static const SluiceOpDef *const ops[] = { &fill_op, &zeros_like_op, &ones_like_op };

const SluiceKernelModule sluice_module_array_fill = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
