/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The reverse of gathering: DynamicStitch puts rows at their numbers (kernels/math/segment.c
 * combines those that share one). BroadcastGradientArgs tells which axes broadcasting repeated.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/segment.h"

gboolean
sluice_shape_rest_after_ids (
    SluiceShapeContext *c, guint data, guint ids, SluiceShape *rest, GError **error)
{
  SluiceShape front = c->inputs[data];
  *rest = SLUICE_SHAPE_UNKNOWN;
  if (c->inputs[ids].rank < 0 || front.rank < 0)
    return TRUE;
  front.rank = MIN (front.rank, c->inputs[ids].rank);
  if (!sluice_shape_compatible (&front, &c->inputs[ids]))
    {
      char text[2][SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (
          c, error, "input %u of shape %s must begin with the shape of input %u, %s", data,
          sluice_shape_str (&c->inputs[data], text[0]), ids,
          sluice_shape_str (&c->inputs[ids], text[1]));
    }
  rest->rank = 0;
  for (int i = c->inputs[ids].rank; i < c->inputs[data].rank; i++)
    rest->dim[rest->rank++] = c->inputs[data].dim[i];
  return TRUE;
}

gboolean
sluice_shape_set_rows (SluiceShapeContext *c, gint64 n_rows, const SluiceShape *row, GError **error)
{
  if (row->rank < 0)
    return TRUE;
  if (row->rank == SLUICE_MAX_RANK)
    return sluice_shape_context_fail (c, error, "the result would have more than %d dimensions",
                                      SLUICE_MAX_RANK);
  SluiceShape shape = { .rank = row->rank + 1, .dim = { n_rows } };
  for (int i = 0; i < row->rank; i++)
    shape.dim[i + 1] = row->dim[i];
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
stitch_shape (SluiceShapeContext *c, GError **error)
{
  guint n = c->n_inputs / 2;
  gint64 n_rows = 0;
  SluiceShape row = SLUICE_SHAPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const SluiceTensor *indices = sluice_shape_context_constant (c, i);
      SluiceShape rest;
      if (!sluice_shape_rest_after_ids (c, n + i, i, &rest, error))
        return FALSE;
      if (!sluice_shape_merge (&row, &rest, &row))
        return sluice_shape_context_fail (c, error, "the rows of input %u are of another shape",
                                          n + i);
      if (indices == NULL)
        n_rows = SLUICE_UNKNOWN_DIM;
      for (gint64 k = 0; indices != NULL && n_rows >= 0 && k < indices->n_elements; k++)
        n_rows = MAX (n_rows, sluice_tensor_get_int (indices, k) + 1);
    }
  return sluice_shape_set_rows (c, n_rows, &row, error);
}

/* Axes of 1 in both shapes are in both lists, but where the shapes are equal: as TensorFlow has it.
 */
gboolean
sluice_repeated_axes (const SluiceShape shapes[2], SluiceRepeatedAxes *axes)
{
  *axes = (SluiceRepeatedAxes){ 0 };
  int rank = MAX (shapes[0].rank, shapes[1].rank);
  gboolean equal = sluice_shape_equal (&shapes[0], &shapes[1]);
  for (int i = 0; i < rank && !equal; i++)
    {
      gint64 size[2];
      for (int k = 0; k < 2; k++)
        {
          int at = i - (rank - shapes[k].rank);
          size[k] = at < 0 ? 1 : shapes[k].dim[at];
        }
      if (size[0] != size[1] && size[0] != 1 && size[1] != 1)
        return FALSE;
      for (int k = 0; k < 2; k++)
        if (size[k] == 1)
          axes->axis[k][axes->n[k]++] = i;
    }
  return TRUE;
}

static gboolean
broadcast_args_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shapes[2];
  gboolean is_known = TRUE;
  for (guint i = 0; i < 2; i++)
    {
      if (!sluice_shape_context_want_rank (c, i, 1, error)
          || !sluice_shape_context_shape_from_input (c, i, &shapes[i], error))
        return FALSE;
      is_known &= sluice_shape_is_known (&shapes[i]);
    }
  SluiceRepeatedAxes axes;
  is_known = is_known && sluice_repeated_axes (shapes, &axes);
  for (guint i = 0; i < 2; i++)
    {
      SluiceShape out = sluice_shape_of_rank (1);
      if (is_known)
        out.dim[0] = axes.n[i];
      sluice_shape_context_set (c, i, &out);
    }
  return TRUE;
}

static gboolean
stitch_gradient (SluiceGradContext *g, GError **error)
{
  guint n = g->node->n_inputs / 2;
  SluiceEdge dy = sluice_grad_dy (g, 0), zero = sluice_builder_const_int32 (&g->b, 0);
  for (guint i = 0; i < n; i++)
    sluice_grad_set (g, n + i, sluice_op (&g->b, "GatherV2", dy, sluice_grad_input (g, i), zero));
  return TRUE;
}

static const SluiceSample stitch_samples[] = {
  { "N=2", "int32[2]={2,0}; int32[1]={1}; float[2,3]; float[1,3]", 0, 0 },
};
static const SluiceRecipe stitch_recipe = {
  .samples = stitch_samples,
  .n_samples = G_N_ELEMENTS (stitch_samples),
};

static const SluiceSample broadcast_args_samples[] = {
  { "", "int32[3]={2,1,3}; int32[2]={4,1}", 0, 0 },
  { "", "int64[0]; int64[2]={2,3}", 0, 0 },
};
static const SluiceRecipe broadcast_args_recipe = {
  .samples = broadcast_args_samples,
  .n_samples = G_N_ELEMENTS (broadcast_args_samples),
};

static const SluiceOpDef stitch_op = {
  .name = "DynamicStitch",
  .signature = "indices: N * int32, data: N * T -> merged: T",
  .attrs = "N: int >= 1; T: type",
  .summary = N_ ("Puts rows together in the order of their numbers"),
  .shape = stitch_shape,
  .gradient = stitch_gradient,
  .recipe = &stitch_recipe,
};

/* What TensorFlow builds the gradient of DynamicPartition with: no number may come twice. */
static const SluiceOpDef parallel_stitch_op = {
  .name = "ParallelDynamicStitch",
  .signature = "indices: N * int32, data: N * T -> merged: T",
  .attrs = "N: int >= 1; T: type",
  .summary = N_ ("Puts rows together in the order of their numbers"),
  .shape = stitch_shape,
  .gradient = stitch_gradient,
  .recipe = &stitch_recipe,
};

static const SluiceOpDef broadcast_args_op = {
  .name = "BroadcastGradientArgs",
  .signature = "s0: T, s1: T -> r0: T, r1: T",
  .attrs = "T: {int32, int64} = int32",
  .summary = N_ ("Axes that broadcasting two shapes repeats"),
  .role = SLUICE_ROLE_BROADCAST_GRADIENT_ARGS,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = broadcast_args_shape,
  .recipe = &broadcast_args_recipe,
};

static const SluiceOpDef *const ops[] = { &stitch_op, &parallel_stitch_op, &broadcast_args_op };

const SluiceKernelModule sluice_module_array_segment = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
