/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"

/* Writes n values as int32 or int64, whichever output i is. */
static gboolean
put_ints (SluiceKernelCall *call, guint i, const SluiceShape *shape, const gint64 *values, int n)
{
  SluiceTensor *out = sluice_call_output (call, i, shape);
  if (out == NULL)
    return FALSE;
  for (int k = 0; k < n; k++)
    if (out->dtype == SLUICE_INT64)
      ((gint64 *) out->data)[k] = values[k];
    else if (values[k] > G_MAXINT32)
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT,
          "%" G_GINT64_FORMAT " does not fit into int32; set out_type to int64", values[k]);
    else
      ((gint32 *) out->data)[k] = values[k];
  return TRUE;
}

static gboolean
shape_compute (SluiceKernelCall *call)
{
  for (guint i = 0; i < call->n_outputs; i++)
    {
      const SluiceShape *shape = &sluice_call_input (call, i)->shape;
      if (!put_ints (call, i, &SLUICE_SHAPE (shape->rank), shape->dim, shape->rank))
        return FALSE;
    }
  return TRUE;
}

static gboolean
size_compute (SluiceKernelCall *call)
{
  return put_ints (call, 0, &SLUICE_SHAPE_SCALAR, &sluice_call_input (call, 0)->n_elements, 1);
}

static gboolean
rank_compute (SluiceKernelCall *call)
{
  gint64 rank = sluice_call_input (call, 0)->shape.rank;
  return put_ints (call, 0, &SLUICE_SHAPE_SCALAR, &rank, 1);
}

#define CHEAP (SLUICE_KERNEL_CHEAP | SLUICE_KERNEL_KEEPS_DENORMALS)

static const SluiceKernel kernels[] = {
  { .op = "Shape", .device = "CPU", .flags = CHEAP, .compute = shape_compute },
  { .op = "ShapeN", .device = "CPU", .flags = CHEAP, .compute = shape_compute },
  { .op = "Size", .device = "CPU", .flags = CHEAP, .compute = size_compute },
  { .op = "Rank", .device = "CPU", .flags = CHEAP, .compute = rank_compute },
};

const SluiceKernelModule sluice_module_array_shape_of_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
