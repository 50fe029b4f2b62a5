/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/array.h"
#include "kernels/array/move.h"

/* Checks that the values fit and makes the result's shape. */
static gboolean
joined_shape (SluiceKernelCall *call, guint first, guint n, int axis, SluiceShape *shape)
{
  *shape = sluice_call_input (call, first)->shape;
  for (guint i = first + 1; i < first + n; i++)
    {
      const SluiceShape *value = &sluice_call_input (call, i)->shape;
      gboolean fits = value->rank == shape->rank;
      for (int d = 0; fits && d < shape->rank; d++)
        fits = d == axis || value->dim[d] == shape->dim[d];
      if (!fits)
        {
          char text[2][SLUICE_SHAPE_STR];
          return sluice_call_fail (
              call, SLUICE_ERROR_INVALID_ARGUMENT,
              "input %u of shape %s does not fit beside input %u of shape %s", i,
              sluice_shape_str (value, text[0]), first,
              sluice_shape_str (&sluice_call_input (call, first)->shape, text[1]));
        }
      shape->dim[axis] += value->dim[axis];
    }
  return TRUE;
}

static gboolean
join (SluiceKernelCall *call, guint first, guint n, guint axis_input)
{
  const SluiceTensor *axis_tensor = sluice_call_input (call, axis_input);
  const SluiceTensor *value = sluice_call_input (call, first);
  SluiceShape shape;
  int axis;
  if (!sluice_call_want_scalar (call, axis_input)
      || !sluice_call_axis (call, sluice_tensor_get_int (axis_tensor, 0), value->shape.rank, &axis)
      || !joined_shape (call, first, n, axis, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;

  SluiceAxisSplit whole = sluice_axis_split (&shape, axis);
  gint64 at = 0;
  for (guint i = first; i < first + n; i++)
    {
      value = sluice_call_input (call, i);
      gint64 run = value->shape.dim[axis] * whole.inner;
      SluiceMove move = { 0 };
      sluice_move_add (&move, whole.outer, whole.size * whole.inner, run);
      sluice_move_add (&move, run, 1, 1);
      if (!sluice_move_run (call, out->dtype, &move,
                            (char *) out->data + at * sluice_dtype_size (out->dtype), value->data))
        return FALSE;
      at += run;
    }
  return TRUE;
}

static gboolean
concat_compute (SluiceKernelCall *call)
{
  return join (call, 1, call->n_inputs - 1, 0);
}

static gboolean
concat_v2_compute (SluiceKernelCall *call)
{
  return join (call, 0, call->n_inputs - 1, call->n_inputs - 1);
}

static gboolean
concat_offset_compute (SluiceKernelCall *call)
{
  const SluiceTensor *first = sluice_call_input (call, 1);
  int axis;
  if (!sluice_call_want_scalar (call, 0) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  gint64 rank = first->n_elements;
  if (rank > G_MAXINT
      || !sluice_call_axis (call, sluice_tensor_get_int (sluice_call_input (call, 0), 0), rank,
                            &axis))
    return FALSE;

  gint64 offset = 0;
  for (guint i = 0; i < call->n_outputs; i++)
    {
      const SluiceTensor *sizes = sluice_call_input (call, i + 1);
      if (!sluice_call_want_rank (call, i + 1, 1))
        return FALSE;
      if (sizes->n_elements != rank)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "input %u has %" G_GINT64_FORMAT
                                 " sizes, but input 1 has %" G_GINT64_FORMAT,
                                 i + 1, sizes->n_elements, rank);
      for (int d = 0; d < rank; d++)
        if (d != axis && sluice_tensor_get_int (sizes, d) != sluice_tensor_get_int (first, d))
          return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                   "size %d differs between inputs 1 and %u", d, i + 1);
      SluiceTensor *out = sluice_call_output (call, i, &sizes->shape);
      if (out == NULL)
        return FALSE;
      memset (out->data, 0, sluice_tensor_bytes (out));
      if (out->dtype == SLUICE_INT64)
        ((gint64 *) out->data)[axis] = offset;
      else
        ((gint32 *) out->data)[axis] = offset;
      offset += sluice_tensor_get_int (sizes, axis);
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Concat", .compute = concat_compute),
  SLUICE_ARRAY_KERNEL ("ConcatV2", .compute = concat_v2_compute),
  { .op = "ConcatOffset",
    .device = "CPU",
    .flags = SLUICE_KERNEL_CHEAP,
    .compute = concat_offset_compute },
};

const SluiceKernelModule sluice_module_array_concat_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
