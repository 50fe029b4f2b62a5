/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Slices put into a tensor by their coordinates: ScatterNd begins with zeros, TensorScatterAdd and
 * its like with a tensor. What goes in gets its gradient back by GatherNd.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/math/gradients.h"

/* Updates must be shaped as the indices without their last dimension and the target behind as many
 * dimensions as an index has coordinates. */
static gboolean
check_updates (SluiceShapeContext *c,
               const SluiceShape *target,
               const SluiceShape *indices,
               const SluiceShape *updates,
               GError **error)
{
  gint64 depth = indices->rank > 0 ? indices->dim[indices->rank - 1] : SLUICE_UNKNOWN_DIM;
  if (depth < 0 || target->rank < 0 || updates->rank < 0)
    return TRUE;
  gint64 wanted[2 * SLUICE_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < indices->rank - 1; i++)
    wanted[rank++] = indices->dim[i];
  for (int i = (int) MIN (depth, SLUICE_MAX_RANK); i < target->rank; i++)
    wanted[rank++] = target->dim[i];
  gboolean fits = depth <= target->rank && rank == updates->rank;
  for (int i = 0; fits && i < rank; i++)
    fits = wanted[i] < 0 || updates->dim[i] < 0 || wanted[i] == updates->dim[i];
  char text[3][SLUICE_SHAPE_STR];
  return fits
         || sluice_shape_context_fail (
             c, error, "updates of shape %s do not fit indices of shape %s into %s",
             sluice_shape_str (updates, text[0]), sluice_shape_str (indices, text[1]),
             sluice_shape_str (target, text[2]));
}

static gboolean
scatter_nd_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error)
      || !sluice_shape_context_want_rank (c, 2, 1, error)
      || !sluice_shape_context_shape_from_input (c, 2, &shape, error)
      || !check_updates (c, &shape, &c->inputs[0], &c->inputs[1], error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
tensor_scatter_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank_at_least (c, 0, 1, error)
         && sluice_shape_context_want_rank_at_least (c, 1, 1, error)
         && check_updates (c, &c->inputs[0], &c->inputs[1], &c->inputs[2], error)
         && sluice_shape_unchanged (c, error);
}

static gboolean
scatter_nd_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 1, MAKE ("GatherNd", sluice_grad_dy (g, 0), sluice_grad_input (g, 0)));
  return TRUE;
}

static gboolean
add_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, MAKE ("Identity", dy));
  sluice_grad_set (g, 2, MAKE ("GatherNd", dy, sluice_grad_input (g, 1)));
  return TRUE;
}

static gboolean
sub_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, MAKE ("Identity", dy));
  sluice_grad_set (g, 2, MAKE ("Neg", MAKE ("GatherNd", dy, sluice_grad_input (g, 1))));
  return TRUE;
}

static gboolean
update_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0), indices = sluice_grad_input (g, 1);
  SluiceEdge zeros = MAKE ("ZerosLike", sluice_grad_input (g, 2));
  sluice_grad_set (g, 0, MAKE ("TensorScatterUpdate", MAKE ("Identity", dy), indices, zeros));
  sluice_grad_set (g, 2, MAKE ("GatherNd", dy, indices));
  return TRUE;
}

/* 1 where a equals b, as a number. */
static SluiceEdge
equals (SluiceGradContext *g, SluiceEdge a, SluiceEdge b)
{
  return sluice_op_with (&g->b, "Cast",
                         SLUICE_ATTRS (sluice_attr_type ("DstT", gradient_dtype (a))),
                         MAKE ("Equal", a, b));
}

/* All that equal the result share its gradient. */
static gboolean
extreme_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), indices = sluice_grad_input (g, 1);
  SluiceEdge y = sluice_grad_input (g, 2), out = sluice_grad_output (g, 0);
  SluiceEdge shape = sluice_grad_shape_of (g, x, sluice_node_get_type (g->node, "Tindices"));
  SluiceEdge from_x = equals (g, x, out);
  SluiceEdge from_y = equals (g, y, MAKE ("GatherNd", out, indices));
  SluiceEdge count = MAKE ("AddV2", from_x, MAKE ("ScatterNd", indices, from_y, shape));
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge share = MAKE ("RealDiv", dy, count);
  sluice_grad_set (g, 0, MAKE ("RealDiv", MAKE ("Mul", dy, from_x), count));
  sluice_grad_set (g, 2, MAKE ("Mul", MAKE ("GatherNd", share, indices), from_y));
  return TRUE;
}

static const SluiceSample scatter_nd_samples[] = {
  { "", "int32[3,1]={1,3,1}; float[3]; int32[1]={5}", 1e-5, 1e-6 },
  { "", "int64[2,2]={0,1,2,2}; float[2,4]; int64[3]={3,3,4}", 1e-5, 1e-6 },
  { "bad_indices_policy='IGNORE'", "int32[2,1]={1,-3}; float[2]; int32[1]={2}",
    .no_gradient = TRUE },
  { "", "int32[0,1]={}; float[0]; int32[1]={3}" },
};
static const SluiceRecipe scatter_nd_recipe = { scatter_nd_samples,
                                                G_N_ELEMENTS (scatter_nd_samples) };

static const SluiceSample tensor_samples[] = {
  { "", "float[5]; int32[3,1]={1,3,0}; float[3]", 1e-5, 1e-6 },
  { "", "float[3,4]; int64[2,1]={2,0}; float[2,4]", 1e-5, 1e-6 },
  { "", "float[3,4]; int32[2,2]={2,3,0,0}; float[2]", 1e-5, 1e-6 },
  { "", "float[0]; int32[0,1]={}; float[0]" },
};
static const SluiceRecipe tensor_recipe = { tensor_samples, G_N_ELEMENTS (tensor_samples) };

#define INDICES "Tindices: {int32, int64}; bad_indices_policy: string = ''"

static const SluiceOpDef scatter_nd_op = {
  .name = "ScatterNd",
  .signature = "indices: Tindices, updates: T, shape: Tindices -> output: T",
  .attrs = "T: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = ''",
  .summary = N_ ("Adds slices to zeros, at their coordinates"),
  .shape = scatter_nd_shape,
  .gradient = scatter_nd_gradient,
  .recipe = &scatter_nd_recipe,
};

static const SluiceOpDef non_aliasing_add_op = {
  .name = "ScatterNdNonAliasingAdd",
  .signature = "input: T, indices: Tindices, updates: T -> output: T",
  .attrs = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
           "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool}; " INDICES,
  .summary = N_ ("A tensor with slices added at their coordinates"),
  .shape = tensor_scatter_shape,
  .gradient = add_gradient,
  .recipe = &tensor_recipe,
};

#define TENSOR_SCATTER(verb, rule, what)                                                           \
  {                                                                                                \
    .name = "TensorScatter" verb,                                                                  \
    .signature = "tensor: T, indices: Tindices, updates: T -> output: T",                          \
    .attrs = "T: type; " INDICES, .summary = what, .shape = tensor_scatter_shape,                  \
    .gradient = rule, .recipe = &tensor_recipe,                                                    \
  }
static const SluiceOpDef add_op =
    TENSOR_SCATTER ("Add", add_gradient, N_ ("A tensor with slices added at their coordinates"));
static const SluiceOpDef sub_op = TENSOR_SCATTER (
    "Sub", sub_gradient, N_ ("A tensor with slices subtracted at their coordinates"));
static const SluiceOpDef min_op = TENSOR_SCATTER (
    "Min", extreme_gradient, N_ ("The smaller of a tensor and slices at their coordinates"));
static const SluiceOpDef max_op = TENSOR_SCATTER (
    "Max", extreme_gradient, N_ ("The larger of a tensor and slices at their coordinates"));

static const SluiceOpDef update_op = {
  .name = "TensorScatterUpdate",
  .signature = "tensor: T, indices: Tindices, updates: T -> output: T",
  .attrs = "T: type; Tindices: {int16, int32, int64, uint16}; bad_indices_policy: string = ''",
  .summary = N_ ("A tensor with slices in place of those at their coordinates"),
  .shape = tensor_scatter_shape,
  .gradient = update_gradient,
  .recipe = &tensor_recipe,
};

static const SluiceOpDef *const ops[] = {
  &scatter_nd_op, &non_aliasing_add_op, &add_op, &sub_op, &min_op, &max_op, &update_op,
};

const SluiceKernelModule sluice_module_array_scatter_nd = { .ops = ops,
                                                            .n_ops = G_N_ELEMENTS (ops) };
