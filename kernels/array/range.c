/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Tensors made of positions: Range counts, OneHot marks, Where finds. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "kernels/array/array.h"
#include "kernels/array/range.h"

static gboolean
range_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *values[3];
  gboolean known = TRUE;
  for (guint i = 0; i < 3; i++)
    {
      if (!sluice_shape_context_want_rank (c, i, 0, error))
        return FALSE;
      values[i] = sluice_shape_context_constant (c, i);
      known &= values[i] != NULL;
    }
  SluiceShape shape = sluice_shape_of_rank (1);
  if (known)
    {
      const char *cause = sluice_range_count (values[0], values[1], values[2], &shape.dim[0]);
      if (cause != NULL)
        return sluice_shape_context_fail (c, error, "%s", cause);
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
one_hot_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *indices = &c->inputs[0];
  const SluiceTensor *depth = sluice_shape_context_constant (c, 1);
  gint64 axis = sluice_node_get_int (c->node, "axis");
  for (guint i = 1; i < 4; i++)
    if (!sluice_shape_context_want_rank (c, i, 0, error))
      return FALSE;
  if (axis < -1)
    return sluice_shape_context_fail (c, error, "axis must be at least -1");
  if (depth != NULL && sluice_tensor_get_int (depth, 0) < 0)
    return sluice_shape_context_fail (c, error, "depth must not be negative");
  if (indices->rank < 0)
    return TRUE;
  if (axis > indices->rank || indices->rank == SLUICE_MAX_RANK)
    return sluice_shape_context_fail (c, error, "axis %" G_GINT64_FORMAT " is out of range", axis);
  if (axis < 0)
    axis = indices->rank;
  SluiceShape shape = { .rank = indices->rank + 1 };
  for (int i = 0; i < shape.rank; i++)
    if (i == axis)
      shape.dim[i] = depth != NULL ? sluice_tensor_get_int (depth, 0) : SLUICE_UNKNOWN_DIM;
    else
      shape.dim[i] = indices->dim[i < axis ? i : i - 1];
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
where_shape (SluiceShapeContext *c, GError **error)
{
  int rank = c->inputs[0].rank;
  sluice_shape_context_set (
      c, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM, rank < 0 ? SLUICE_UNKNOWN_DIM : rank));
  return TRUE;
}

static const SluiceSample range_samples[] = {
  { "", "int32[]={3}; int32[]={18}; int32[]={3}", 0, 0 },
  { "", "int64[]={5}; int64[]={-5}; int64[]={-4}", 0, 0 },
  { "", "float[]=0; float[]=1; float[]=0.25", 1e-6, 1e-7 },
};
static const SluiceRecipe range_recipe = {
  .samples = range_samples,
  .n_samples = G_N_ELEMENTS (range_samples),
};

static const SluiceSample one_hot_samples[] = {
  { "", "int32[3]={0,-1,2}; int32[]={3}; float[]=1; float[]=0", 0, 0 },
  { "axis=0", "int64[2]={1,4}; int32[]={3}; int32[]={5}; int32[]={-1}", 0, 0 },
};
static const SluiceRecipe one_hot_recipe = {
  .samples = one_hot_samples,
  .n_samples = G_N_ELEMENTS (one_hot_samples),
};

static const SluiceSample where_samples[] = {
  { "", "bool[3,4]", 0, 0 },
  { "", "float[5]", 0, 0 },
};
static const SluiceRecipe where_recipe = {
  .samples = where_samples,
  .n_samples = G_N_ELEMENTS (where_samples),
};

static const SluiceOpDef range_op = {
  .name = "Range",
  .signature = "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
  .attrs = "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32} = "
           "int32",
  .summary = N_ ("Numbers at equal distances"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = range_shape,
  .recipe = &range_recipe,
};

static const SluiceOpDef one_hot_op = {
  .name = "OneHot",
  .signature = "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
  .attrs = "axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = int64",
  .summary = N_ ("One value at given positions, another elsewhere"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = one_hot_shape,
  .recipe = &one_hot_recipe,
};

static const SluiceOpDef where_op = {
  .name = "Where",
  .signature = "input: T -> index: int64",
  .attrs = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
           "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = bool",
  .summary = N_ ("Where a tensor is true or not zero"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = where_shape,
  .recipe = &where_recipe,
};

static const SluiceOpDef *const ops[] = { &range_op, &one_hot_op, &where_op };

const SluiceKernelModule sluice_module_array_range = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
