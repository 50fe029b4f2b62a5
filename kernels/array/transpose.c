/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Transpose: dimension i of the result is dimension perm[i] of the input. InvertPermutation makes
 * the permutation that takes it back, which the gradient needs.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
transpose_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *x = &c->inputs[0];
  const SluiceTensor *perm = sluice_shape_context_constant (c, 1);
  if (!sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  gint64 length = c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  if (x->rank >= 0 && length >= 0 && length != x->rank)
    return sluice_shape_context_fail (
        c, error, "perm has %" G_GINT64_FORMAT " entries for %d dimensions", length, x->rank);
  int rank = x->rank >= 0 ? x->rank : length <= SLUICE_MAX_RANK ? (int) length : -1;
  SluiceShape shape = sluice_shape_of_rank (rank);
  for (int i = 0; i < rank && perm != NULL && x->rank >= 0; i++)
    {
      int axis;
      if (!sluice_shape_axis (c, sluice_tensor_get_int (perm, i), rank, &axis, error))
        return FALSE;
      shape.dim[i] = x->dim[axis];
    }
  /* Whatever the order is, the sizes of a vector or scalar are what they were. */
  sluice_shape_context_set (c, 0, x->rank == 0 || x->rank == 1 ? x : &shape);
  return TRUE;
}

static gboolean
invert_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape vector = sluice_shape_of_rank (1);
  if (!sluice_shape_context_want_rank (c, 0, 1, error))
    return FALSE;
  sluice_shape_context_set (c, 0, c->inputs[0].rank == 1 ? &c->inputs[0] : &vector);
  return TRUE;
}

static gboolean
transpose_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge back = sluice_op (&g->b, "InvertPermutation", sluice_grad_input (g, 1));
  sluice_grad_set (g, 0, sluice_op (&g->b, "Transpose", sluice_grad_dy (g, 0), back));
  return TRUE;
}

static const SluiceSample transpose_samples[] = {
  { "", "float[17,33]; int32[2]={1,0}", 0, 0 },
  { "", "float[2,3,5]; int64[3]={2,0,1}", 0, 0 },
  { "", "float[2,3,2,3,2]; int32[5]={4,2,0,1,3}", 0, 0 },
  { "", "string[2,2]; int32[2]={1,0}", 0, 0 },
  { "", "float[]; int32[0]", 0, 0 },
};
static const SluiceRecipe transpose_recipe = {
  .samples = transpose_samples,
  .n_samples = G_N_ELEMENTS (transpose_samples),
};

static const SluiceSample invert_samples[] = {
  { "", "int32[4]={2,0,3,1}", 0, 0 },
  { "", "int64[0]", 0, 0 },
};
static const SluiceRecipe invert_recipe = {
  .samples = invert_samples,
  .n_samples = G_N_ELEMENTS (invert_samples),
};

static const SluiceOpDef transpose_op = {
  .name = "Transpose",
  .signature = "x: T, perm: Tperm -> y: T",
  .attrs = "T: type; Tperm: {int32, int64} = int32",
  .summary = N_ ("Dimensions in another order"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = transpose_shape,
  .gradient = transpose_gradient,
  .recipe = &transpose_recipe,
};

static const SluiceOpDef invert_op = {
  .name = "InvertPermutation",
  .signature = "x: T -> y: T",
  .attrs = "T: {int32, int64} = int32",
  .summary = N_ ("The permutation that undoes another"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = invert_shape,
  .recipe = &invert_recipe,
};

static const SluiceOpDef *const ops[] = { &transpose_op, &invert_op };

const SluiceKernelModule sluice_module_array_transpose = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
};
