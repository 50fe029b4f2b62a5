/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"

/* Output i: `size` of the elements along the axis, from `at` on. A part that is a block of memory
 * is shared. */
static gboolean
take_part (SluiceKernelCall *call,
           guint i,
           SluiceTensor *value,
           const SluiceAxisSplit *split,
           gint64 at,
           gint64 size,
           const SluiceShape *shape)
{
  gint64 run = size * split->inner;
  if (split->outer == 1 && value->buffer != NULL)
    {
      SluiceTensor *view = sluice_tensor_new_view (value, shape, at * split->inner);
      if (view != NULL)
        {
          sluice_call_take_output (call, i, view);
          return TRUE;
        }
    }
  SluiceTensor *out = sluice_call_output (call, i, shape);
  if (out == NULL)
    return FALSE;
  SluiceMove move = { 0 };
  sluice_move_add (&move, split->outer, run, split->size * split->inner);
  sluice_move_add (&move, run, 1, 1);
  gsize offset = at * split->inner * sluice_dtype_size (value->dtype);
  return sluice_move_run (call, value->dtype, &move, out->data, (char *) value->data + offset);
}

static gboolean
split_compute (SluiceKernelCall *call)
{
  SluiceTensor *value = sluice_call_input (call, 1);
  const SluiceTensor *dim = sluice_call_input (call, 0);
  int axis;
  if (!sluice_call_want_scalar (call, 0)
      || !sluice_call_axis (call, sluice_tensor_get_int (dim, 0), value->shape.rank, &axis))
    return FALSE;
  if (value->shape.dim[axis] % call->n_outputs != 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%" G_GINT64_FORMAT
                             " elements of dimension %d do not split into %u equal parts",
                             value->shape.dim[axis], axis, call->n_outputs);
  SluiceAxisSplit split = sluice_axis_split (&value->shape, axis);
  gint64 size = split.size / call->n_outputs;
  SluiceShape shape = value->shape;
  shape.dim[axis] = size;
  for (guint i = 0; i < call->n_outputs; i++)
    if (!take_part (call, i, value, &split, i * size, size, &shape))
      return FALSE;
  return TRUE;
}

/* What the one size of -1 stands for. FALSE: the sizes do not add up. */
static gboolean
resolve_open_size (SluiceKernelCall *call, const SluiceTensor *sizes, gint64 whole, gint64 *open)
{
  gint64 total = 0;
  int n_open = 0;
  for (guint i = 0; i < call->n_outputs; i++)
    {
      gint64 size = sluice_tensor_get_int (sizes, i);
      if (size < -1 || size > whole)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "size %u is %" G_GINT64_FORMAT ", but there are %" G_GINT64_FORMAT
                                 " elements",
                                 i, size, whole);
      if (size == -1)
        n_open++;
      else
        total += size;
    }
  *open = whole - total;
  if (n_open > 1 || (n_open == 1 ? total > whole : total != whole))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "the sizes must add up to %" G_GINT64_FORMAT ", with at most one of -1", whole);
  return TRUE;
}

static gboolean
split_v_compute (SluiceKernelCall *call)
{
  SluiceTensor *value = sluice_call_input (call, 0);
  const SluiceTensor *sizes = sluice_call_input (call, 1), *dim = sluice_call_input (call, 2);
  int axis;
  if (!sluice_call_want_rank (call, 1, 1) || !sluice_call_want_scalar (call, 2)
      || !sluice_call_axis (call, sluice_tensor_get_int (dim, 0), value->shape.rank, &axis))
    return FALSE;
  if (sizes->n_elements != call->n_outputs)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there are %u outputs, but %" G_GINT64_FORMAT " sizes",
                             call->n_outputs, sizes->n_elements);
  SluiceAxisSplit split = sluice_axis_split (&value->shape, axis);
  gint64 open = 0, at = 0;
  if (!resolve_open_size (call, sizes, split.size, &open))
    return FALSE;
  SluiceShape shape = value->shape;
  for (guint i = 0; i < call->n_outputs; i++)
    {
      gint64 size = sluice_tensor_get_int (sizes, i);
      shape.dim[axis] = size < 0 ? open : size;
      if (!take_part (call, i, value, &split, at, shape.dim[axis], &shape))
        return FALSE;
      at += shape.dim[axis];
    }
  return TRUE;
}

static gpointer
axis_prepare (const SluiceNode *node, GError **error)
{
  gint64 *axis = g_new (gint64, 1);
  *axis = sluice_node_get_int (node, "axis");
  return axis;
}

static gboolean
pack_compute (SluiceKernelCall *call)
{
  const SluiceShape *first = &sluice_call_input (call, 0)->shape;
  SluiceShape shape = { .rank = first->rank + 1 };
  int axis;
  if (first->rank == SLUICE_MAX_RANK)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the result would have more than %d dimensions", SLUICE_MAX_RANK);
  if (!sluice_call_axis (call, *(const gint64 *) call->state, shape.rank, &axis))
    return FALSE;
  for (guint i = 1; i < call->n_inputs; i++)
    if (!sluice_shape_equal (first, &sluice_call_input (call, i)->shape))
      {
        char text[2][SLUICE_SHAPE_STR];
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "input %u is of shape %s, but input 0 of %s", i,
                                 sluice_shape_str (&sluice_call_input (call, i)->shape, text[0]),
                                 sluice_shape_str (first, text[1]));
      }
  for (int i = 0; i < shape.rank; i++)
    shape.dim[i] = i == axis ? call->n_inputs : first->dim[i < axis ? i : i - 1];
  if (call->n_inputs == 1)
    return sluice_call_forward_view (call, 0, 0, &shape);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  SluiceAxisSplit split = sluice_axis_split (&shape, axis);
  gsize run_bytes = split.inner * sluice_dtype_size (out->dtype);
  SluiceMove move = { 0 };
  sluice_move_add (&move, split.outer, split.size * split.inner, split.inner);
  sluice_move_add (&move, split.inner, 1, 1);
  for (guint i = 0; i < call->n_inputs; i++)
    if (!sluice_move_run (call, out->dtype, &move, (char *) out->data + i * run_bytes,
                          sluice_call_input (call, i)->data))
      return FALSE;
  return TRUE;
}

static gboolean
unpack_compute (SluiceKernelCall *call)
{
  SluiceTensor *value = sluice_call_input (call, 0);
  int axis;
  if (!sluice_call_axis (call, *(const gint64 *) call->state, value->shape.rank, &axis))
    return FALSE;
  if (value->shape.dim[axis] != call->n_outputs)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "dimension %d has %" G_GINT64_FORMAT " elements, but num is %u", axis,
                             value->shape.dim[axis], call->n_outputs);
  SluiceShape shape = { .rank = value->shape.rank - 1 };
  for (int i = 0; i < shape.rank; i++)
    shape.dim[i] = value->shape.dim[i < axis ? i : i + 1];
  SluiceAxisSplit split = sluice_axis_split (&value->shape, axis);
  for (guint i = 0; i < call->n_outputs; i++)
    if (!take_part (call, i, value, &split, i, 1, &shape))
      return FALSE;
  return TRUE;
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Split", .compute = split_compute),
  SLUICE_ARRAY_KERNEL ("SplitV", .compute = split_v_compute),
  SLUICE_ARRAY_KERNEL (
      "Pack", .prepare = axis_prepare, .free_state = g_free, .compute = pack_compute),
  SLUICE_ARRAY_KERNEL (
      "Unpack", .prepare = axis_prepare, .free_state = g_free, .compute = unpack_compute),
};

const SluiceKernelModule sluice_module_array_split_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
