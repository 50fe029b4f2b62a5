/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Sparse tensors put in order, reshaped, joined, cut and filled up. Indices have no gradient; the
 * gradient of values finds back where each came from.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/sparse.h"

/* ---- shapes ---- */

static gboolean
reorder_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (n, rank));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (n));
  return TRUE;
}

static gboolean
reshape_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  if (!sluice_shape_sparse (c, 0, -1, 1, &n, &rank, error)
      || !sluice_shape_context_want_rank (c, 2, 1, error))
    return FALSE;
  gint64 new_rank = c->inputs[2].rank == 1 ? c->inputs[2].dim[0] : SLUICE_UNKNOWN_DIM;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (n, new_rank));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (new_rank));
  return TRUE;
}

static gboolean
concat_shape (SluiceShapeContext *c, GError **error)
{
  int n_inputs = c->n_inputs / 3;
  gint64 total = 0, rank = SLUICE_UNKNOWN_DIM;
  for (int i = 0; i < n_inputs; i++)
    {
      gint64 n, r;
      if (!sluice_shape_sparse (c, i, n_inputs + i, 2 * n_inputs + i, &n, &r, error))
        return FALSE;
      if (rank >= 0 && r >= 0 && rank != r)
        return sluice_shape_context_fail (c, error,
                                          "sparse tensor %d has %" G_GINT64_FORMAT
                                          " dimensions, another %" G_GINT64_FORMAT,
                                          i, r, rank);
      rank = MAX (rank, r);
      total = n < 0 || total < 0 ? SLUICE_UNKNOWN_DIM : total + n;
    }
  sluice_shape_set_sparse (c, 0, total, rank);
  return TRUE;
}

static gboolean
split_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  guint pieces = c->n_outputs / 3;
  if (!sluice_shape_context_want_rank (c, 0, 0, error)
      || !sluice_shape_sparse (c, 1, 2, 3, &n, &rank, error))
    return FALSE;
  for (guint i = 0; i < pieces; i++)
    {
      sluice_shape_context_set (c, i, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM, rank));
      sluice_shape_context_set (c, pieces + i, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
      sluice_shape_context_set (c, 2 * pieces + i, &SLUICE_SHAPE (rank));
    }
  return TRUE;
}

static gboolean
slice_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error)
      || !sluice_shape_context_want_rank (c, 3, 1, error)
      || !sluice_shape_context_want_rank (c, 4, 1, error))
    return FALSE;
  sluice_shape_set_sparse (c, 0, SLUICE_UNKNOWN_DIM, rank);
  return TRUE;
}

static gboolean
slice_grad_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 1, error)
      || !sluice_shape_context_want_rank (c, 1, 2, error)
      || !sluice_shape_context_want_rank (c, 2, 1, error)
      || !sluice_shape_context_want_rank (c, 3, 2, error))
    return FALSE;
  gint64 n = c->inputs[1].rank == 2 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (n));
  return TRUE;
}

static gboolean
fill_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank, rows = SLUICE_UNKNOWN_DIM;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error)
      || !sluice_shape_context_want_rank (c, 3, 0, error))
    return FALSE;
  const SluiceTensor *shape = sluice_shape_context_constant (c, 2);
  if (shape != NULL && shape->n_elements > 0)
    rows = MAX (sluice_tensor_get_int (shape, 0), SLUICE_UNKNOWN_DIM);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM, rank));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  sluice_shape_context_set (c, 2, &SLUICE_SHAPE (rows));
  sluice_shape_context_set (c, 3, &SLUICE_SHAPE (n));
  return TRUE;
}

static gboolean
fill_grad_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 1, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  gint64 n = c->inputs[0].rank == 1 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (n));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

/* ---- gradients ---- */

/* Orders the numbers of the values as the values were, and takes each back. */
static gboolean
reorder_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge indices = sluice_grad_input (g, 0), zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge shape = sluice_grad_shape_of (g, indices, SLUICE_INT32);
  SluiceEdge n = sluice_op (&g->b, "GatherV2", shape, zero, zero);
  SluiceEdge numbers = sluice_op (&g->b, "Range", zero, n, sluice_builder_const_int32 (&g->b, 1));
  SluiceEdge ordered =
      sluice_op (&g->b, "SparseReorder", indices, numbers, sluice_grad_input (g, 2));
  SluiceEdge back = sluice_op (&g->b, "InvertPermutation", sluice_edge_port (ordered, 1));
  sluice_grad_set (g, 1, sluice_op (&g->b, "GatherV2", sluice_grad_dy (g, 1), back, zero));
  return TRUE;
}

static gboolean
slice_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 1,
                   sluice_op (&g->b, "SparseSliceGrad", sluice_grad_dy (g, 1),
                              sluice_grad_input (g, 0), sluice_grad_input (g, 3),
                              sluice_grad_output (g, 0)));
  return TRUE;
}

static gboolean
fill_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge values = sluice_op (&g->b, "SparseFillEmptyRowsGrad", sluice_grad_output (g, 3),
                                 sluice_grad_dy (g, 1));
  sluice_grad_set (g, 1, values);
  sluice_grad_set (g, 3, sluice_edge_port (values, 1));
  return TRUE;
}

/* ---- definitions ---- */

#define RECIPE(id, ...)                                                                            \
  static const SluiceSample id##_samples[] = { __VA_ARGS__ };                                      \
  static const SluiceRecipe id##_recipe = {                                                        \
    .samples = id##_samples,                                                                       \
    .n_samples = G_N_ELEMENTS (id##_samples),                                                      \
  };

RECIPE (reorder,
        { "", "int64[3,2]={2,1,0,3,0,1}; float[3]; int64[2]={3,4}", 0, 0 },
        { "", "int64[3,1]={2,0,2}; string[3]; int64[1]={3}", 0, 0 })
RECIPE (reshape, { "", "int64[2,2]={0,1,2,3}; int64[2]={3,4}; int64[2]={-1,6}", 0, 0 })
RECIPE (concat,
        { "N=2; concat_dim=1",
          "int64[2,2]={0,1,1,0}; int64[1,2]={1,1}; float[2]; float[1]; int64[2]={2,3}; "
          "int64[2]={2,2}",
          0, 0 },
        { "N=2; concat_dim=-2",
          "int64[1,2]={0,1}; int64[1,2]={1,1}; string[1]; string[1]; int64[2]={2,3}; "
          "int64[2]={2,3}",
          0, 0 })
RECIPE (split,
        { "num_split=2", "int64[]={1}; int64[3,2]={0,1,1,0,1,4}; float[3]; int64[2]={2,5}", 0, 0 })
RECIPE (slice,
        { "", "int64[3,2]={0,1,1,2,2,0}; float[3]; int64[2]={3,4}; int64[2]={0,1}; int64[2]={2,9}",
          0, 0 })
RECIPE (slice_grad,
        { "", "float[2]; int64[3,2]={0,1,1,2,2,0}; int64[2]={0,1}; int64[2,2]={0,0,1,1}", 0, 0 })
RECIPE (fill,
        { "", "int64[3,2]={3,1,0,0,3,0}; float[3]; int64[2]={5,2}; float[]", 1e-6, 0 },
        { "", "int64[0,2]; string[0]; int64[2]={2,2}; string[]", 0, 0 })
RECIPE (fill_grad, { "", "int64[2]={3,0}; float[5]", 1e-6, 1e-6 })

#define ANY_SPARSE "indices: int64, values: T, shape: int64"
#define SPARSE_OUT "output_indices: int64, output_values: T, output_shape: int64"

static const SluiceOpDef reorder_op = {
  .name = "SparseReorder",
  .signature = "input_indices: int64, input_values: T, input_shape: int64 -> "
               "output_indices: int64, output_values: T",
  .attrs = "T: type",
  .summary = N_ ("A sparse tensor with its indices in row-major order"),
  .shape = reorder_shape,
  .gradient = reorder_gradient,
  .recipe = &reorder_recipe,
};

static const SluiceOpDef reshape_op = {
  .name = "SparseReshape",
  .signature = "input_indices: int64, input_shape: int64, new_shape: int64 -> "
               "output_indices: int64, output_shape: int64",
  .summary = N_ ("The indices of a sparse tensor in another shape"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = reshape_shape,
  .recipe = &reshape_recipe,
};

static const SluiceOpDef concat_op = {
  .name = "SparseConcat",
  .signature = "indices: N * int64, values: N * T, shapes: N * int64 -> " SPARSE_OUT,
  .attrs = "concat_dim: int; N: int >= 2; T: type",
  .summary = N_ ("Sparse tensors joined along a dimension"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = concat_shape,
  .recipe = &concat_recipe,
};

static const SluiceOpDef split_op = {
  .name = "SparseSplit",
  .signature = "split_dim: int64, " ANY_SPARSE " -> output_indices: num_split * int64, "
               "output_values: num_split * T, output_shape: num_split * int64",
  .attrs = "num_split: int >= 1; T: type",
  .summary = N_ ("A sparse tensor cut along a dimension; the first pieces take what is left over"),
  .shape = split_shape,
  .recipe = &split_recipe,
};

static const SluiceOpDef slice_op = {
  .name = "SparseSlice",
  .signature = ANY_SPARSE ", start: int64, size: int64 -> " SPARSE_OUT,
  .attrs = "T: type",
  .summary = N_ ("A block of a sparse tensor"),
  .shape = slice_shape,
  .gradient = slice_gradient,
  .recipe = &slice_recipe,
};

static const SluiceOpDef slice_grad_op = {
  .name = "SparseSliceGrad",
  .signature = "backprop_val_grad: T, input_indices: int64, input_start: int64, "
               "output_indices: int64 -> val_grad: T",
  .attrs = "T: number",
  .summary = N_ ("The gradient of SparseSlice: zeros outside of the block"),
  .shape = slice_grad_shape,
  .recipe = &slice_grad_recipe,
};

static const SluiceOpDef fill_op = {
  .name = "SparseFillEmptyRows",
  .signature = "indices: int64, values: T, dense_shape: int64, default_value: T -> "
               "output_indices: int64, output_values: T, empty_row_indicator: bool, "
               "reverse_index_map: int64",
  .attrs = "T: type",
  .summary = N_ ("A default value in each row that holds none"),
  .shape = fill_shape,
  .gradient = fill_gradient,
  .recipe = &fill_recipe,
};

static const SluiceOpDef fill_grad_op = {
  .name = "SparseFillEmptyRowsGrad",
  .signature = "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T",
  .attrs = "T: type",
  .summary = N_ ("The gradient of SparseFillEmptyRows"),
  .shape = fill_grad_shape,
  .recipe = &fill_grad_recipe,
};

static const SluiceOpDef *const ops[] = {
  &reorder_op, &reshape_op,    &concat_op, &split_op,
  &slice_op,   &slice_grad_op, &fill_op,   &fill_grad_op,
};

const SluiceKernelModule sluice_module_array_sparse_parts = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
};
