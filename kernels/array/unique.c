/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Unique and its like: the elements of a vector, or the slices along an axis, each once and in the
 * order in which they first come; for every one its number among them; and how often it comes.
 * Zeros of either sign are one, and a NaN is only itself.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static void
set_counts (SluiceShapeContext *c, gint64 n)
{
  SluiceShape vector = SLUICE_SHAPE (n), unknown = sluice_shape_of_rank (1);
  sluice_shape_context_set (c, 1, &vector);
  if (c->n_outputs > 2)
    sluice_shape_context_set (c, 2, &unknown);
}

static gboolean
unique_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape vector = sluice_shape_of_rank (1);
  if (!sluice_shape_context_want_rank (c, 0, 1, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &vector);
  set_counts (c, c->inputs[0].rank == 1 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM);
  return TRUE;
}

static gboolean
unique_v2_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *axes = sluice_shape_context_constant (c, 1);
  SluiceShape shape = c->inputs[0];
  gint64 n = SLUICE_UNKNOWN_DIM;
  if (!sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  if (shape.rank >= 0 && axes != NULL && axes->n_elements <= 1)
    {
      int axis = 0;
      if (axes->n_elements == 0 && shape.rank != 1)
        return sluice_shape_context_fail (c, error, "without an axis, x must be a vector");
      if (axes->n_elements == 1
          && !sluice_shape_axis (c, sluice_tensor_get_int (axes, 0), shape.rank, &axis, error))
        return FALSE;
      n = shape.dim[axis];
      shape.dim[axis] = SLUICE_UNKNOWN_DIM;
    }
  else
    shape = sluice_shape_of_rank (shape.rank);
  sluice_shape_context_set (c, 0, &shape);
  set_counts (c, n);
  return TRUE;
}

static const SluiceSample unique_samples[] = {
  { NULL, "float[7]={3,1,3,2,-0.0,0,1}" },
  { "out_idx=int64", "float[4]={1,1,1,1}" },
  { NULL, "string[5]" },
  { NULL, "float[0]={}" },
};
static const SluiceRecipe unique_recipe = { unique_samples, G_N_ELEMENTS (unique_samples),
                                            SLUICE_SET_REAL };

static const SluiceSample unique_v2_samples[] = {
  { NULL, "float[7]={3,1,3,2,0,0,1}; int64[0]={}" },
  { "out_idx=int64", "float[3,2]={1,0,1,0,2,0}; int32[1]={0}" },
  { NULL, "float[2,3]={1,1,2,3,3,2}; int64[1]={-1}" },
  { NULL, "string[2,2]; int64[1]={1}" },
  { NULL, "float[3,0]; int64[1]={0}" },
};
static const SluiceRecipe unique_v2_recipe = { unique_v2_samples, G_N_ELEMENTS (unique_v2_samples),
                                               SLUICE_SET_REAL };

#define UNIQUE(name_end, axis, axis_type, counts, rule, samples, what)                             \
  {                                                                                                \
    .name = "Unique" name_end, .signature = "x: T" axis " -> y: T, idx: out_idx" counts,           \
    .attrs = "T: type; " axis_type "out_idx: {int32, int64} = int32", .summary = what,             \
    .shape = rule, .recipe = samples,                                                              \
  }
#define AXIS      ", axis: Taxis", "Taxis: {int32, int64} = int64; "
#define COUNT     ", count: out_idx"
#define EACH(...) UNIQUE (__VA_ARGS__)

/* clang-format off */
static const SluiceOpDef unique_op =
    EACH ("", "", "", "", unique_shape, &unique_recipe, N_ ("Each element of a vector once"));
static const SluiceOpDef unique_v2_op =
    EACH ("V2", AXIS, "", unique_v2_shape, &unique_v2_recipe, N_ ("Each slice along an axis once"));
static const SluiceOpDef with_counts_op =
    EACH ("WithCounts", "", "", COUNT, unique_shape, &unique_recipe,
          N_ ("Each element of a vector once, and how often it comes"));
static const SluiceOpDef with_counts_v2_op =
    EACH ("WithCountsV2", AXIS, COUNT, unique_v2_shape, &unique_v2_recipe,
          N_ ("Each slice along an axis once, and how often it comes"));
/* clang-format on */

static const SluiceOpDef *const ops[] = {
  &unique_op,
  &unique_v2_op,
  &with_counts_op,
  &with_counts_v2_op,
};

const SluiceKernelModule sluice_module_array_unique = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
