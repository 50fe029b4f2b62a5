/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Rows gathered by number and added up by segment, in one: sum, mean, or sum over the square root
 * of the count. The gradients put a segment's gradient, divided alike, back at the rows.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/math/gradients.h"

/* [n_rows] and the dimensions of input 0 behind its first one. */
static gboolean
set_rows (SluiceShapeContext *c, gint64 n_rows)
{
  SluiceShape shape = c->inputs[0];
  if (shape.rank > 0)
    shape.dim[0] = n_rows;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
check_lists (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank_at_least (c, 0, 1, error)
         && sluice_shape_context_want_rank (c, 1, 1, error)
         && sluice_shape_context_want_rank (c, 2, 1, error)
         && sluice_shape_context_merge (c, 1, 2, NULL, error);
}

/* How many rows input 3 asks for; -1 where it is not known. */
static gboolean
read_count (SluiceShapeContext *c, gint64 *count, GError **error)
{
  const SluiceTensor *value = sluice_shape_context_constant (c, 3);
  if (!sluice_shape_context_want_rank (c, 3, 0, error))
    return FALSE;
  *count = value != NULL ? sluice_tensor_get_int (value, 0) : SLUICE_UNKNOWN_DIM;
  if (value != NULL && *count < 0)
    return sluice_shape_context_fail (c, error, "%s must not be negative",
                                      c->node->op->inputs[3].name);
  return TRUE;
}

static gboolean
segment_shape (SluiceShapeContext *c, GError **error)
{
  gint64 count = SLUICE_UNKNOWN_DIM;
  return check_lists (c, error) && (c->n_inputs == 3 || read_count (c, &count, error))
         && set_rows (c, count);
}

/* The rows come from the data, the ids name rows of the gradient: any number of either. */
static gboolean
grad_shape (SluiceShapeContext *c, GError **error)
{
  gint64 count;
  return check_lists (c, error) && read_count (c, &count, error) && set_rows (c, count);
}

static gboolean
grad_v2_shape (SluiceShapeContext *c, GError **error)
{
  gint64 count;
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  return check_lists (c, error) && read_count (c, &count, error)
         && set_rows (c, SLUICE_UNKNOWN_DIM);
}

/* With sparse_gradient only the rows that were taken: sparse_op gives them with their numbers. */
static gboolean
put_back (SluiceGradContext *g, const char *dense_op, const char *sparse_op)
{
  gboolean sparse = sluice_node_get_bool (g->node, "sparse_gradient");
  SluiceEdge shape = sluice_grad_shape_of (g, sluice_grad_input (g, 0), SLUICE_INT32);
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge n_rows = MAKE ("GatherV2", shape, zero, zero);
  SluiceEdge rows = sluice_op (&g->b, sparse ? sparse_op : dense_op, sluice_grad_dy (g, 0),
                               sluice_grad_input (g, 1), sluice_grad_input (g, 2), n_rows);
  if (!sparse)
    sluice_grad_set (g, 0, rows);
  else
    sluice_grad_set_sparse (g, 0, (SluiceGrad){ rows, sluice_edge_port (rows, 1), shape });
  return TRUE;
}

static gboolean
sum_gradient (SluiceGradContext *g, GError **error)
{
  return put_back (g, "SparseSegmentSumGrad", "SparseSegmentSumGradV2");
}

static gboolean
mean_gradient (SluiceGradContext *g, GError **error)
{
  return put_back (g, "SparseSegmentMeanGrad", "SparseSegmentMeanGradV2");
}

static gboolean
sqrt_n_gradient (SluiceGradContext *g, GError **error)
{
  return put_back (g, "SparseSegmentSqrtNGrad", "SparseSegmentSqrtNGradV2");
}

#define RECIPE(id, ...)                                                                            \
  static const SluiceSample id##_samples[] = { __VA_ARGS__ };                                      \
  static const SluiceRecipe id##_recipe = {                                                        \
    .samples = id##_samples,                                                                       \
    .n_samples = G_N_ELEMENTS (id##_samples),                                                      \
    .dtypes = SLUICE_SET_FLOATS,                                                                   \
  };
RECIPE (segment,
        { "", "float[4,3]; int32[5]={3,0,3,1,2}; int32[5]={0,0,1,3,3}", 1e-5, 1e-6 },
        { "", "float[4]; int64[2]={3,3}; int64[2]={1,1}", 1e-5, 1e-6 })
RECIPE (counted,
        { "", "float[4,3]; int32[5]={3,0,3,1,2}; int32[5]={0,0,1,3,3}; int32[]={6}", 1e-5, 1e-6 })
RECIPE (grad, { "", "float[3,2]; int32[4]={1,4,1,0}; int32[4]={0,2,2,1}; int32[]={5}", 1e-5, 1e-6 })

#define OP(id, op_name, types, text, more_inputs, more_attrs, rule, derive, samples)               \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "data: T, indices: Tidx, segment_ids: Tsegmentids" more_inputs " -> output: T",   \
    .attrs = "T: " types "; Tidx: index = int32; Tsegmentids: index = int32" more_attrs            \
             "; sparse_gradient: bool = false",                                                    \
    .summary = text,                                                                               \
    .shape = rule,                                                                                 \
    .gradient = derive,                                                                            \
    .recipe = samples,                                                                             \
  };
#define GRAD_OP(id, op_name, text)                                                                 \
  SLUICE_OP_DEF (id, op_name,                                                                      \
                 "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32 -> "        \
                 "output: T",                                                                      \
                 "T: floating; Tidx: index = int32; Tsegmentids: index = int32", 0, grad_shape,    \
                 &grad_recipe, text);
#define GRAD_V2_OP(id, op_name, text)                                                              \
  SLUICE_OP_DEF (id, op_name,                                                                      \
                 "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32 -> "  \
                 "output: T, sorted_unique_indices: Tidx",                                         \
                 "T: floating; Tidx: index = int32; Tsegmentids: index = int32", 0, grad_v2_shape, \
                 &grad_recipe, text);
#define OPS(id, name, types, text, grad_text)                                                      \
  OP (id##_op, name, types, text, "", "", segment_shape, id##_gradient, &segment_recipe)           \
  OP (id##_counted_op, name "WithNumSegments", types, text, ", num_segments: Tnumsegments",        \
      "; Tnumsegments: index = int32", segment_shape, id##_gradient, &counted_recipe)              \
  GRAD_OP (id##_grad_op, name "Grad", grad_text)                                                   \
  GRAD_V2_OP (id##_grad_v2_op, name "GradV2", grad_text)

OPS (sum,
     "SparseSegmentSum",
     "real",
     N_ ("The sum of chosen rows by segment"),
     N_ ("The gradient of SparseSegmentSum"))
OPS (mean,
     "SparseSegmentMean",
     "floating",
     N_ ("The mean of chosen rows by segment"),
     N_ ("The gradient of SparseSegmentMean"))
OPS (sqrt_n,
     "SparseSegmentSqrtN",
     "floating",
     N_ ("The sum of chosen rows by segment, over the square root of their number"),
     N_ ("The gradient of SparseSegmentSqrtN"))

#define ALL(id) &id##_op, &id##_counted_op, &id##_grad_op, &id##_grad_v2_op
static const SluiceOpDef *const ops[] = { ALL (sum), ALL (mean), ALL (sqrt_n) };

const SluiceKernelModule sluice_module_math_sparse_segment = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
};
