/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A part of a tensor: Slice, StridedSlice, and StridedSliceGrad, which puts a part into zeros. The
 * gradient of Slice is padded with zeros (Pad); StridedSlice and StridedSliceGrad are each other's.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/strided-slice.h"

#define MASK_ATTRS                                                                                 \
  "begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; "       \
  "shrink_axis_mask: int = 0"

/* The rank of the result, from whichever input tells it. */
static gboolean
slice_rank (SluiceShapeContext *c, int *rank, GError **error)
{
  *rank = c->inputs[0].rank;
  for (guint i = 1; i < 3; i++)
    {
      if (!sluice_shape_context_want_rank (c, i, 1, error))
        return FALSE;
      gint64 length = c->inputs[i].rank == 1 ? c->inputs[i].dim[0] : SLUICE_UNKNOWN_DIM;
      if (length < 0)
        continue;
      if (*rank >= 0 && length != *rank)
        return sluice_shape_context_fail (
            c, error, "input %u has %" G_GINT64_FORMAT " elements for %d dimensions", i, length,
            *rank);
      if (length <= SLUICE_MAX_RANK)
        *rank = length;
    }
  return TRUE;
}

static gboolean
slice_shape (SluiceShapeContext *c, GError **error)
{
  int rank;
  if (!slice_rank (c, &rank, error))
    return FALSE;
  if (rank < 0)
    return TRUE;
  const SluiceTensor *begin = sluice_shape_context_constant (c, 1);
  const SluiceTensor *size = sluice_shape_context_constant (c, 2);
  SluiceShape shape = sluice_shape_of_rank (rank);
  for (int i = 0; i < rank; i++)
    {
      gint64 input = c->inputs[0].rank == rank ? c->inputs[0].dim[i] : SLUICE_UNKNOWN_DIM;
      gint64 first = begin != NULL ? sluice_tensor_get_int (begin, i) : SLUICE_UNKNOWN_DIM;
      gint64 wanted = size != NULL ? sluice_tensor_get_int (size, i) : SLUICE_UNKNOWN_DIM;
      if (size != NULL && wanted >= 0)
        shape.dim[i] = wanted;
      else if (size != NULL && wanted == -1 && first >= 0 && input >= 0)
        shape.dim[i] = input - first;
      if (input >= 0 && first >= 0 && (first > input || shape.dim[i] > input - first))
        return sluice_shape_context_fail (c, error,
                                          "dimension %d: %" G_GINT64_FORMAT
                                          " elements from %" G_GINT64_FORMAT
                                          " on are not within its %" G_GINT64_FORMAT,
                                          i, wanted, first, input);
    }
  if (size == NULL && rank > 0)
    {
      /* What is known of the sizes in part, say of another tensor's shape. A -1 stays unknown. */
      SluiceShape known;
      if (sluice_shape_context_shape_from_input (c, 2, &known, NULL) && known.rank == rank)
        shape = known;
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* The constant values of begin, end or strides; FALSE where they are not known. */
static gboolean
read_known (SluiceShapeContext *c, guint input, int n, gint64 *values)
{
  const SluiceTensor *tensor = sluice_shape_context_constant (c, input);
  for (int i = 0; i < n; i++)
    values[i] = tensor != NULL ? sluice_tensor_get_int (tensor, i) : SLUICE_SLICE_UNKNOWN;
  return tensor != NULL;
}

/* How many entries the slice has; -1 where that is not known. */
static gboolean
count_entries (SluiceShapeContext *c, guint first_input, int *n, GError **error)
{
  gint64 count = SLUICE_UNKNOWN_DIM;
  for (guint i = first_input; i < first_input + 3; i++)
    {
      if (!sluice_shape_context_want_rank (c, i, 1, error))
        return FALSE;
      gint64 length = c->inputs[i].rank == 1 ? c->inputs[i].dim[0] : SLUICE_UNKNOWN_DIM;
      if (count >= 0 && length >= 0 && count != length)
        return sluice_shape_context_fail (c, error, "begin, end and strides must be of one length");
      count = MAX (count, length);
    }
  if (count > 32)
    return sluice_shape_context_fail (c, error, "a slice has at most 32 entries");
  *n = count;
  return TRUE;
}

static gboolean
strided_slice_shape (SluiceShapeContext *c, GError **error)
{
  gint64 begin[32], end[32], stride[32];
  int n = -1;
  if (!count_entries (c, 1, &n, error))
    return FALSE;
  if (n < 0 || c->inputs[0].rank < 0 || !read_known (c, 3, n, stride))
    return TRUE;
  read_known (c, 1, n, begin);
  read_known (c, 2, n, end);

  SluiceSlicePlan plan;
  SluiceSliceMasks masks = sluice_slice_masks (c->node);
  g_autoptr (GError) cause = NULL;
  if (!sluice_slice_plan (&plan, &masks, &c->inputs[0], begin, end, stride, n, &cause))
    return sluice_shape_context_fail (c, error, "%s", cause->message);
  sluice_shape_context_set (c, 0, &plan.result);
  return TRUE;
}

static gboolean
strided_slice_grad_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  if (!sluice_shape_context_want_rank (c, 0, 1, error)
      || !sluice_shape_context_shape_from_input (c, 0, &shape, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* Pads dy with zeros: begin before, and what is left of the input's size after. */
static gboolean
slice_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), begin = sluice_grad_input (g, 1);
  SluiceDType index = sluice_node_get_type (g->node, "Index");
  SluiceEdge taken = sluice_grad_shape_of (g, sluice_grad_output (g, 0), index);
  SluiceEdge whole = sluice_grad_shape_of (g, x, index);
  SluiceEdge rank = sluice_op (&g->b, "Rank", x);
  SluiceEdge column = sluice_op_with (&g->b, "Pack", SLUICE_ATTRS (sluice_attr_int ("N", 2)), rank,
                                      sluice_builder_const_int32 (&g->b, 1));
  SluiceEdge rest = sluice_op (&g->b, "Sub", sluice_op (&g->b, "Sub", whole, taken), begin);
  SluiceEdge before = sluice_op (&g->b, "Reshape", begin, column);
  SluiceEdge after = sluice_op (&g->b, "Reshape", rest, column);
  SluiceEdge paddings = sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                                        before, after, sluice_builder_const_int32 (&g->b, 1));
  sluice_grad_set (g, 0, sluice_op (&g->b, "Pad", sluice_grad_dy (g, 0), paddings));
  return TRUE;
}

/* StridedSlice or its reverse, with the masks of the forward node. */
static SluiceEdge
with_masks (SluiceGradContext *g, const char *op, const SluiceEdge *inputs, guint n)
{
  static const char *const names[] = { "begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                       "shrink_axis_mask" };
  SluiceAttr attrs[G_N_ELEMENTS (names)];
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    attrs[i] = sluice_attr_int (names[i], sluice_node_get_int (g->node, names[i]));
  return sluice_builder_add (&g->b, op, NULL, inputs, n, attrs, G_N_ELEMENTS (attrs));
}

static gboolean
strided_slice_gradient (SluiceGradContext *g, GError **error)
{
  SluiceDType index = sluice_node_get_type (g->node, "Index");
  const SluiceEdge inputs[] = {
    sluice_grad_shape_of (g, sluice_grad_input (g, 0), index),
    sluice_grad_input (g, 1),
    sluice_grad_input (g, 2),
    sluice_grad_input (g, 3),
    sluice_grad_dy (g, 0),
  };
  sluice_grad_set (g, 0, with_masks (g, "StridedSliceGrad", inputs, G_N_ELEMENTS (inputs)));
  return TRUE;
}

static gboolean
strided_slice_grad_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceEdge inputs[] = {
    sluice_grad_dy (g, 0),
    sluice_grad_input (g, 1),
    sluice_grad_input (g, 2),
    sluice_grad_input (g, 3),
  };
  sluice_grad_set (g, 4, with_masks (g, "StridedSlice", inputs, G_N_ELEMENTS (inputs)));
  return TRUE;
}

/* The part is read and written; the rest of the input is not touched. */
static void
part_cost (const SluiceNode *node, const SluiceShape *in, const SluiceShape *out, SluiceCost *cost)
{
  cost->flops = 0;
  cost->bytes =
      2.0 * sluice_dtype_size (node->outputs[0].dtype) * MAX (0, sluice_shape_n_elements (&out[0]));
}

static const SluiceSample slice_samples[] = {
  { "", "float[4,5,3]; int32[3]={1,0,2}; int32[3]={2,-1,1}", 0, 0 },
  { "", "float[5]; int64[1]={5}; int64[1]={0}", 0, 0 },
  { "", "string[3,2]; int32[2]={0,1}; int32[2]={3,1}", 0, 0 },
};
static const SluiceRecipe slice_recipe = {
  .samples = slice_samples,
  .n_samples = G_N_ELEMENTS (slice_samples),
};

static const SluiceSample strided_samples[] = {
  { "", "float[7,5]; int32[1]={1}; int32[1]={6}; int32[1]={2}", 0, 0 },
  { "begin_mask=1; end_mask=1", "float[7,5]; int32[2]={0,1}; int32[2]={0,4}; int32[2]={-1,2}", 0,
    0 },
  { "shrink_axis_mask=4; ellipsis_mask=2; new_axis_mask=1",
    "float[3,4,5]; int64[3]={0,0,-1}; int64[3]={0,0,0}; int64[3]={1,1,1}", 0, 0 },
  { "", "float[3]; int32[1]={2}; int32[1]={2}; int32[1]={1}", 0, 0 },
};
static const SluiceRecipe strided_recipe = {
  .samples = strided_samples,
  .n_samples = G_N_ELEMENTS (strided_samples),
};

static const SluiceSample strided_grad_samples[] = {
  { "", "int32[2]={7,5}; int32[1]={1}; int32[1]={6}; int32[1]={2}; float[3,5]", 0, 0 },
  { "shrink_axis_mask=1", "int64[1]={4}; int64[1]={-1}; int64[1]={0}; int64[1]={1}; float[]", 0,
    0 },
};
static const SluiceRecipe strided_grad_recipe = {
  .samples = strided_grad_samples,
  .n_samples = G_N_ELEMENTS (strided_grad_samples),
};

static const SluiceOpDef slice_op = {
  .name = "Slice",
  .signature = "input: T, begin: Index, size: Index -> output: T",
  .attrs = "T: type; Index: {int32, int64}",
  .summary = N_ ("A block of a tensor"),
  .role = SLUICE_ROLE_SLICE,
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = slice_shape,
  .gradient = slice_gradient,
  .cost = part_cost,
  .recipe = &slice_recipe,
};

static const SluiceOpDef strided_slice_op = {
  .name = "StridedSlice",
  .signature = "input: T, begin: Index, end: Index, strides: Index -> output: T",
  .attrs = "T: type; Index: {int16, int32, int64}; " MASK_ATTRS,
  .summary = N_ ("A part of a tensor, as Python's indexing takes it"),
  .role = SLUICE_ROLE_STRIDED_SLICE,
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = strided_slice_shape,
  .gradient = strided_slice_gradient,
  .cost = part_cost,
  .recipe = &strided_recipe,
};

static const SluiceOpDef strided_slice_grad_op = {
  .name = "StridedSliceGrad",
  .signature = "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T",
  .attrs = "T: type; Index: {int32, int64}; " MASK_ATTRS,
  .summary = N_ ("Zeros with a tensor put in where StridedSlice would take it"),
  .shape = strided_slice_grad_shape,
  .gradient = strided_slice_grad_gradient,
  .cost = part_cost,
  .recipe = &strided_grad_recipe,
};

static const SluiceOpDef *const ops[] = { &slice_op, &strided_slice_op, &strided_slice_grad_op };

const SluiceKernelModule sluice_module_array_slice = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
