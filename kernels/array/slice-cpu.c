/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/strided-slice.h"

/* ---- Slice ---- */

static gboolean
read_block (SluiceKernelCall *call, const SluiceShape *input, gint64 *begin, SluiceShape *size)
{
  gint64 sizes[SLUICE_MAX_RANK];
  int n_begin, n_size;
  if (!sluice_call_want_rank (call, 1, 1) || !sluice_call_want_rank (call, 2, 1)
      || !sluice_call_ints (call, 1, begin, &n_begin)
      || !sluice_call_ints (call, 2, sizes, &n_size))
    return FALSE;
  if (n_begin != input->rank || n_size != input->rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "begin has %d and size %d elements, but the input has %d dimensions",
                             n_begin, n_size, input->rank);
  size->rank = n_size;
  for (int i = 0; i < n_size; i++)
    {
      size->dim[i] = sizes[i] == -1 ? input->dim[i] - begin[i] : sizes[i];
      if (begin[i] < 0 || begin[i] > input->dim[i] || size->dim[i] < 0
          || size->dim[i] > input->dim[i] - begin[i])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d: %" G_GINT64_FORMAT
                                 " elements from %" G_GINT64_FORMAT
                                 " on are not within its %" G_GINT64_FORMAT,
                                 i, sizes[i], begin[i], input->dim[i]);
    }
  return TRUE;
}

static gboolean
slice_compute (SluiceKernelCall *call)
{
  SluiceTensor *input = sluice_call_input (call, 0);
  gint64 begin[SLUICE_MAX_RANK], strides[SLUICE_MAX_RANK], to_strides[SLUICE_MAX_RANK];
  SluiceShape size;
  if (!read_block (call, &input->shape, begin, &size))
    return FALSE;
  if (sluice_shape_equal (&size, &input->shape))
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceTensor *out = sluice_call_output (call, 0, &size);
  if (out == NULL)
    return FALSE;
  sluice_move_strides (&input->shape, strides);
  sluice_move_strides (&size, to_strides);
  SluiceMove move = { 0 };
  gint64 offset = 0;
  for (int i = 0; i < size.rank; i++)
    {
      sluice_move_add (&move, size.dim[i], to_strides[i], strides[i]);
      offset += begin[i] * strides[i];
    }
  return sluice_move_run (call, out->dtype, &move, out->data,
                          (char *) input->data + offset * sluice_dtype_size (out->dtype));
}

/* ---- StridedSlice ---- */

static gboolean
is_whole (const SluiceSlicePlan *plan, const SluiceShape *shape)
{
  for (int i = 0; i < plan->rank; i++)
    if (plan->size[i] != shape->dim[i] || plan->stride[i] != 1)
      return FALSE;
  return TRUE;
}

static gboolean
strided_slice_compute (SluiceKernelCall *call)
{
  SluiceTensor *input = sluice_call_input (call, 0);
  SluiceSlicePlan plan;
  if (!sluice_call_slice_plan (call, 1, &input->shape, &plan))
    return FALSE;
  if (is_whole (&plan, &input->shape))
    return sluice_call_forward_view (call, 0, 0, &plan.result);
  SluiceTensor *out = sluice_call_output (call, 0, &plan.result);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  SluiceMove move = { 0 };
  gint64 offset = sluice_slice_move (&plan, &input->shape, FALSE, &move);
  return sluice_move_run (call, out->dtype, &move, out->data,
                          (char *) input->data + offset * sluice_dtype_size (out->dtype));
}

static gboolean
strided_slice_grad_compute (SluiceKernelCall *call)
{
  static const guint8 zero[16];
  SluiceTensor *dy = sluice_call_input (call, 4);
  SluiceSlicePlan plan;
  SluiceShape shape;
  if (!sluice_call_shape (call, 0, &shape) || !sluice_call_slice_plan (call, 1, &shape, &plan))
    return FALSE;
  if (!sluice_shape_equal (&plan.result, &dy->shape))
    {
      char text[2][SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "dy is of shape %s, but the slice is of %s",
          sluice_shape_str (&dy->shape, text[0]), sluice_shape_str (&plan.result, text[1]));
    }
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  if (!sluice_dtype_is_managed (out->dtype)
      && !sluice_move_fill (call, out->dtype, out->data, zero, out->n_elements))
    return FALSE;
  if (dy->n_elements == 0)
    return TRUE;
  SluiceMove move = { 0 };
  gint64 offset = sluice_slice_move (&plan, &shape, TRUE, &move);
  return sluice_move_run (call, out->dtype, &move,
                          (char *) out->data + offset * sluice_dtype_size (out->dtype), dy->data);
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Slice", .compute = slice_compute),
  SLUICE_ARRAY_KERNEL ("StridedSlice",
                       .prepare = sluice_slice_prepare,
                       .free_state = g_free,
                       .compute = strided_slice_compute),
  SLUICE_ARRAY_KERNEL ("StridedSliceGrad",
                       .prepare = sluice_slice_prepare,
                       .free_state = g_free,
                       .compute = strided_slice_grad_compute),
};

const SluiceKernelModule sluice_module_array_slice_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
