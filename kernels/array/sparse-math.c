/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Sparse tensors added, reduced, normalised and combined with dense ones. */
#include <glib/gi18n-lib.h>

#include "kernels/array/sparse.h"
#include "kernels/math/gradients.h"

/* ---- shapes ---- */

static gboolean
add_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n[2], rank[2];
  if (!sluice_shape_sparse (c, 0, 1, 2, &n[0], &rank[0], error)
      || !sluice_shape_sparse (c, 3, 4, 5, &n[1], &rank[1], error))
    return FALSE;
  gint64 both = MAX (rank[0], rank[1]);
  if (c->n_outputs == 3)
    sluice_shape_set_sparse (c, 0, SLUICE_UNKNOWN_DIM, both);
  else
    {
      sluice_shape_context_set (c, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM, both));
      sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
    }
  return c->n_inputs == 6 || sluice_shape_context_want_rank (c, 6, 0, error);
}

static gboolean
add_grad_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 1, error))
    return FALSE;
  for (guint i = 1; i < 4; i++)
    if (!sluice_shape_context_want_rank (c, i, 2, error))
      return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      const SluiceShape *indices = &c->inputs[i + 1];
      gint64 n = indices->rank == 2 ? indices->dim[0] : SLUICE_UNKNOWN_DIM;
      sluice_shape_context_set (c, i, &SLUICE_SHAPE (n));
    }
  return TRUE;
}

static gboolean
dense_add_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &c->inputs[3]);
  return TRUE;
}

/* Values of a sparse tensor, one for one. */
static gboolean
values_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (n));
  return TRUE;
}

static gboolean
reduce_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  const SluiceTensor *axes = sluice_shape_context_constant (c, 3);
  SluiceShape in;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error)
      || !sluice_shape_context_shape_from_input (c, 2, &in, error))
    return FALSE;
  gboolean keep = sluice_node_get_bool (c->node, "keep_dims");
  if (axes == NULL || in.rank < 0)
    {
      SluiceShape shape = sluice_shape_of_rank (keep && in.rank >= 0 ? in.rank : -1);
      sluice_shape_context_set (c, 0, &shape);
      return TRUE;
    }
  SluiceShape out = { 0 };
  gboolean reduced[SLUICE_MAX_RANK] = { FALSE };
  for (gint64 i = 0; i < axes->n_elements; i++)
    {
      int axis;
      if (!sluice_shape_axis (c, sluice_tensor_get_int (axes, i), in.rank, &axis, error))
        return FALSE;
      reduced[axis] = TRUE;
    }
  for (int d = 0; d < in.rank; d++)
    if (!reduced[d] || keep)
      out.dim[out.rank++] = reduced[d] ? 1 : in.dim[d];
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
reduce_sparse_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error))
    return FALSE;
  gboolean keep = sluice_node_get_bool (c->node, "keep_dims");
  sluice_shape_set_sparse (c, 0, SLUICE_UNKNOWN_DIM, keep ? rank : SLUICE_UNKNOWN_DIM);
  return TRUE;
}

/* ---- gradients ---- */

static gboolean
add_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge a = MAKE ("SparseAddGrad", sluice_grad_dy (g, 1), sluice_grad_input (g, 0),
                       sluice_grad_input (g, 3), sluice_grad_output (g, 0));
  sluice_grad_set (g, 1, a);
  sluice_grad_set (g, 4, sluice_edge_port (a, 1));
  return TRUE;
}

static gboolean
dense_add_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 1, MAKE ("GatherNd", dy, sluice_grad_input (g, 0)));
  sluice_grad_set (g, 3, dy);
  return TRUE;
}

static SluiceEdge
const_int64s (SluiceGradContext *g, const gint64 *values, guint n)
{
  return sluice_builder_const_ints (&g->b, SLUICE_INT64, values, n);
}

static SluiceEdge
cast (SluiceGradContext *g, SluiceEdge edge, SluiceDType dtype)
{
  return sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", dtype)), edge);
}

static SluiceEdge
join_2 (SluiceGradContext *g, SluiceEdge a, SluiceEdge b)
{
  return sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 2)), a, b,
                         sluice_builder_const_int32 (&g->b, 0));
}

/* Each value takes the gradient of the sum that it went into: its index with reduced dimensions
 * divided away. */
static gboolean
reduce_sum_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge shape = sluice_grad_input (g, 2), one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge rank = MAKE ("Size", shape);
  /* 1 at the axes, the size elsewhere: the second of two stitched numbers wins. */
  SluiceEdge axes = MAKE ("FloorMod", sluice_grad_input (g, 3), rank);
  SluiceEdge all = MAKE ("Range", sluice_builder_const_int32 (&g->b, 0), rank, one);
  SluiceEdge ones = MAKE ("Fill", MAKE ("Shape", axes), one);
  SluiceEdge kept = sluice_op_with (&g->b, "DynamicStitch", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                                    all, axes, cast (g, shape, SLUICE_INT32), ones);
  SluiceEdge dy = MAKE ("Reshape", sluice_grad_dy (g, 0), kept);
  /* A size of 0 has no values, but must not be divided by. */
  SluiceEdge at_least_1 = MAKE ("Maximum", cast (g, kept, SLUICE_INT64),
                                sluice_builder_const_number (&g->b, SLUICE_INT64, 1));
  SluiceEdge scale = MAKE ("FloorDiv", MAKE ("Maximum", shape, at_least_1), at_least_1);
  sluice_grad_set (g, 1, MAKE ("GatherNd", dy, MAKE ("FloorDiv", sluice_grad_input (g, 0), scale)));
  return TRUE;
}

/* dx = (dy - sum over the row of dy y) y */
static gboolean
softmax_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge indices = sluice_grad_input (g, 0), shape = sluice_grad_input (g, 2);
  SluiceEdge y = sluice_grad_output (g, 0), dy = sluice_grad_dy (g, 0);
  SluiceEdge last = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ -1 }, 1);
  SluiceEdge sums =
      sluice_op_with (&g->b, "SparseReduceSum", SLUICE_ATTRS (sluice_attr_bool ("keep_dims", TRUE)),
                      indices, MAKE ("Mul", y, dy), shape, last);
  SluiceEdge rest = MAKE ("SparseDenseCwiseAdd", indices, dy, shape, MAKE ("Neg", sums));
  sluice_grad_set (g, 1, MAKE ("Mul", rest, y));
  return TRUE;
}

/* Where each value stands in the dense operand: its index with repeated dimensions divided away and
 * those that the operand lacks cut off. */
static SluiceEdge
dense_indices (SluiceGradContext *g, SluiceEdge dense_shape)
{
  gint64 minus_one = -1, zero = 0, minus_ones[] = { -1, -1 };
  SluiceEdge shape = sluice_grad_input (g, 2);
  SluiceEdge lacks = MAKE ("Sub", MAKE ("Size", shape), MAKE ("Size", dense_shape));
  SluiceEdge lacks_vector = cast (
      g, MAKE ("Reshape", lacks, sluice_builder_const_ints (&g->b, SLUICE_INT32, &minus_one, 1)),
      SLUICE_INT64);
  SluiceEdge ones =
      MAKE ("Fill", lacks_vector, sluice_builder_const_number (&g->b, SLUICE_INT64, 1));
  SluiceEdge scale = MAKE ("FloorDiv", shape, join_2 (g, ones, dense_shape));
  SluiceEdge scaled = MAKE ("FloorDiv", sluice_grad_input (g, 0), scale);
  return MAKE ("Slice", scaled, join_2 (g, const_int64s (g, &zero, 1), lacks_vector),
               const_int64s (g, minus_ones, 2));
}

static gboolean
cwise_gradient (SluiceGradContext *g, gboolean is_product)
{
  SluiceEdge x = sluice_grad_input (g, 1), dense = sluice_grad_input (g, 3);
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge dense_shape = sluice_grad_shape_of (g, dense, SLUICE_INT64);
  SluiceEdge at = dense_indices (g, dense_shape);
  SluiceEdge there = MAKE ("GatherNd", dense, at);
  SluiceEdge dx, d_there;
  if (is_product)
    {
      dx = MAKE ("Mul", dy, there);
      d_there = MAKE ("Mul", dy, x);
    }
  else
    {
      dx = MAKE ("RealDiv", dy, there);
      d_there = MAKE ("Mul", dy, MAKE ("RealDiv", MAKE ("Neg", x), MAKE ("Square", there)));
    }
  sluice_grad_set (g, 1, dx);
  sluice_grad_set (
      g, 3, MAKE ("SparseTensorDenseAdd", at, d_there, dense_shape, MAKE ("ZerosLike", dense)));
  return TRUE;
}

static gboolean
cwise_mul_gradient (SluiceGradContext *g, GError **error)
{
  return cwise_gradient (g, TRUE);
}

static gboolean
cwise_div_gradient (SluiceGradContext *g, GError **error)
{
  return cwise_gradient (g, FALSE);
}

/* ---- definitions ---- */

#define RECIPE(id, ...)                                                                            \
  static const SluiceSample id##_samples[] = { __VA_ARGS__ };                                      \
  static const SluiceRecipe id##_recipe = {                                                        \
    .samples = id##_samples,                                                                       \
    .n_samples = G_N_ELEMENTS (id##_samples),                                                      \
  };
#define SPARSE_3X4 "int64[3,2]={0,1,1,2,2,0}; float[3]; int64[2]={3,4}"
#define OTHER_3X4  "int64[2,2]={0,1,1,3}; float[2]; int64[2]={3,4}"
#define LISTS_3X4  "int64[4,2]={0,1,0,3,1,2,2,0}; float[4]; int64[2]={3,4}"

RECIPE (add,
        { "", SPARSE_3X4 "; " OTHER_3X4 "; float[]=0", 1e-6, 1e-6 },
        { "", SPARSE_3X4 "; " OTHER_3X4 "; float[]=0.5", 1e-6, 1e-6, .no_gradient = TRUE })
RECIPE (add_grad,
        { "", "float[3]; int64[2,2]={0,1,1,2}; int64[2,2]={0,1,1,3}; int64[3,2]={0,1,1,2,1,3}", 0,
          0 })
RECIPE (dense_add,
        { "", SPARSE_3X4 "; float[3,4]", 1e-6, 1e-6 },
        { "", "int32[3,1]={1,0,1}; float[3]; int32[1]={2}; float[2]", 1e-6, 1e-6 })
RECIPE (reduce_sum,
        { "", LISTS_3X4 "; int32[1]={1}", 1e-6, 1e-6 },
        { "keep_dims=true", LISTS_3X4 "; int32[]={-2}", 1e-6, 1e-6 },
        { "", LISTS_3X4 "; int32[2]={0,1}", 1e-6, 1e-6 })
RECIPE (reduce,
        { "", LISTS_3X4 "; int32[1]={1}", 1e-6, 1e-6 },
        { "keep_dims=true", LISTS_3X4 "; int32[]={-2}", 1e-6, 1e-6 })
RECIPE (softmax, { "", LISTS_3X4, 1e-5, 1e-6 })
RECIPE (cwise,
        { "", SPARSE_3X4 "; float[3,1] in (0.5,2)", 1e-5, 1e-6 },
        { "", SPARSE_3X4 "; float[4] in (0.5,2)", 1e-5, 1e-6 })
RECIPE (extremum, { "", SPARSE_3X4 "; " OTHER_3X4, 0, 0 })

#define AB_INPUTS                                                                                  \
  "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64"

static const SluiceOpDef add_op = {
  .name = "SparseAdd",
  .signature = AB_INPUTS ", thresh: Treal -> sum_indices: int64, sum_values: T, sum_shape: int64",
  .attrs = "T: number; Treal: real",
  .summary = N_ ("The sum of two sparse tensors, without what is below a threshold"),
  .shape = add_shape,
  .gradient = add_gradient,
  .recipe = &add_recipe,
};

static const SluiceOpDef add_grad_op = {
  .name = "SparseAddGrad",
  .signature = "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64 -> "
               "a_val_grad: T, b_val_grad: T",
  .attrs = "T: number",
  .summary = N_ ("The gradient of SparseAdd"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = add_grad_shape,
  .recipe = &add_grad_recipe,
};

static const SluiceOpDef dense_add_op = {
  .name = "SparseTensorDenseAdd",
  .signature = "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T",
  .attrs = "T: number; Tindices: index",
  .summary = N_ ("The sum of a sparse and a dense tensor"),
  .shape = dense_add_shape,
  .gradient = dense_add_gradient,
  .recipe = &dense_add_recipe,
};

#define REDUCE_OP(id, op_name, text, types, outputs, rule, derive, samples)                        \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "input_indices: int64, input_values: T, input_shape: int64, "                     \
                 "reduction_axes: int32 -> " outputs,                                              \
    .attrs = "keep_dims: bool = false; T: " types,                                                 \
    .summary = text,                                                                               \
    .shape = rule,                                                                                 \
    .gradient = derive,                                                                            \
    .recipe = samples,                                                                             \
  };
#define SPARSE_OUT "output_indices: int64, output_values: T, output_shape: int64"
REDUCE_OP (reduce_sum_op,
           "SparseReduceSum",
           N_ ("The sum of a sparse tensor over dimensions, dense"),
           "number",
           "output: T",
           reduce_shape,
           reduce_sum_gradient,
           &reduce_sum_recipe)
REDUCE_OP (reduce_sum_sparse_op,
           "SparseReduceSumSparse",
           N_ ("The sum of a sparse tensor over dimensions, sparse"),
           "number",
           SPARSE_OUT,
           reduce_sparse_shape,
           NULL,
           &reduce_recipe)
REDUCE_OP (reduce_max_op,
           "SparseReduceMax",
           N_ ("The greatest value of a sparse tensor over dimensions, dense"),
           "real",
           "output: T",
           reduce_shape,
           NULL,
           &reduce_recipe)
REDUCE_OP (reduce_max_sparse_op,
           "SparseReduceMaxSparse",
           N_ ("The greatest value of a sparse tensor over dimensions, sparse"),
           "real",
           SPARSE_OUT,
           reduce_sparse_shape,
           NULL,
           &reduce_recipe)

static const SluiceOpDef softmax_op = {
  .name = "SparseSoftmax",
  .signature = "sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T",
  .attrs = "T: {half, float, double}",
  .summary = N_ ("Softmax over the values that each row holds"),
  .shape = values_shape,
  .gradient = softmax_gradient,
  .recipe = &softmax_recipe,
};

#define CWISE_OP(id, op_name, text, derive)                                                        \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T",        \
    .attrs = "T: number",                                                                          \
    .summary = text,                                                                               \
    .shape = values_shape,                                                                         \
    .gradient = derive,                                                                            \
    .recipe = &cwise_recipe,                                                                       \
  };
CWISE_OP (cwise_add_op,
          "SparseDenseCwiseAdd",
          N_ ("Values of a sparse tensor plus those of a dense one"),
          NULL)
CWISE_OP (cwise_mul_op,
          "SparseDenseCwiseMul",
          N_ ("Values of a sparse tensor times those of a dense one"),
          cwise_mul_gradient)
CWISE_OP (cwise_div_op,
          "SparseDenseCwiseDiv",
          N_ ("Values of a sparse tensor by those of a dense one"),
          cwise_div_gradient)

#define EXTREMUM_OP(id, op_name, types, text)                                                      \
  SLUICE_OP_DEF (id, op_name, AB_INPUTS " -> output_indices: int64, output_values: T",             \
                 "T: " types, 0, add_shape, &extremum_recipe, text);
EXTREMUM_OP (maximum_op, "SparseSparseMaximum", "real", N_ ("The greater of two sparse tensors"))
EXTREMUM_OP (minimum_op, "SparseSparseMinimum", "number", N_ ("The lesser of two sparse tensors"))

static const SluiceOpDef *const ops[] = {
  &add_op,        &add_grad_op,          &dense_add_op, &reduce_sum_op, &reduce_sum_sparse_op,
  &reduce_max_op, &reduce_max_sparse_op, &softmax_op,   &cwise_add_op,  &cwise_mul_op,
  &cwise_div_op,  &maximum_op,           &minimum_op,
};

const SluiceKernelModule sluice_module_array_sparse_math = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
};
