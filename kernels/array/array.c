/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"

gboolean
sluice_call_axis (SluiceKernelCall *call, gint64 value, int rank, int *axis)
{
  if (value < -rank || value >= rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "axis %" G_GINT64_FORMAT " is not in the range [%d, %d)", value, -rank,
                             rank);
  *axis = value < 0 ? value + rank : value;
  return TRUE;
}

gboolean
sluice_call_ints (SluiceKernelCall *call, guint i, gint64 values[SLUICE_MAX_RANK], int *n)
{
  const SluiceTensor *tensor = sluice_call_input (call, i);
  if (tensor->shape.rank > 1)
    return sluice_call_want_rank (call, i, 1);
  if (!sluice_dtype_is_integer (tensor->dtype))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u is %s, but must be of integers", i,
                             sluice_dtype_name (tensor->dtype));
  if (tensor->n_elements > SLUICE_MAX_RANK)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u has %" G_GINT64_FORMAT
                             " elements, but tensors have at most %d dimensions",
                             i, tensor->n_elements, SLUICE_MAX_RANK);
  *n = tensor->n_elements;
  for (int k = 0; k < *n; k++)
    values[k] = sluice_tensor_get_int (tensor, k);
  return TRUE;
}

gboolean
sluice_call_shape (SluiceKernelCall *call, guint i, SluiceShape *shape)
{
  gint64 dims[SLUICE_MAX_RANK];
  int rank;
  if (!sluice_call_want_rank (call, i, 1) || !sluice_call_ints (call, i, dims, &rank))
    return FALSE;
  for (int k = 0; k < rank; k++)
    if (dims[k] < 0)
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "size %d of input %u is %" G_GINT64_FORMAT
                               "; a size must not be negative",
                               k, i, dims[k]);
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

gboolean
sluice_shape_axis (SluiceShapeContext *c, gint64 value, int rank, int *axis, GError **error)
{
  if (value < -rank || value >= rank)
    return sluice_shape_context_fail (
        c, error, "axis %" G_GINT64_FORMAT " is not in the range [%d, %d)", value, -rank, rank);
  *axis = value < 0 ? value + rank : value;
  return TRUE;
}

SluiceAxisSplit
sluice_axis_split (const SluiceShape *shape, int axis)
{
  SluiceAxisSplit split = { 1, shape->dim[axis], 1 };
  for (int i = 0; i < axis; i++)
    split.outer *= shape->dim[i];
  for (int i = axis + 1; i < shape->rank; i++)
    split.inner *= shape->dim[i];
  return split;
}

SluiceEdge
sluice_grad_shape_of (SluiceGradContext *g, SluiceEdge edge, SluiceDType dtype)
{
  return sluice_op_with (&g->b, "Shape", SLUICE_ATTRS (sluice_attr_type ("out_type", dtype)), edge);
}

SluiceEdge
sluice_grad_sum_all (SluiceGradContext *g, SluiceEdge edge)
{
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge rank = sluice_op (&g->b, "Rank", edge);
  SluiceEdge axes = sluice_op (&g->b, "Range", zero, rank, one);
  return sluice_op (&g->b, "Sum", edge, axes);
}

gpointer
sluice_bad_indices_prepare (const SluiceNode *node, GError **error)
{
  const SluiceString *policy = sluice_node_get_string (node, "bad_indices_policy");
  if (sluice_node_string_is (node, "bad_indices_policy", "IGNORE"))
    return GINT_TO_POINTER (TRUE);
  if (policy->length > 0 && !sluice_node_string_is (node, "bad_indices_policy", "DEFAULT")
      && !sluice_node_string_is (node, "bad_indices_policy", "ERROR"))
    sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "bad_indices_policy must be DEFAULT, ERROR or IGNORE, not '%.*s'",
                      (int) policy->length, policy->data);
  return GINT_TO_POINTER (FALSE);
}
