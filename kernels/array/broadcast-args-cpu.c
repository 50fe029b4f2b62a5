/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"

static gboolean
broadcast_args_compute (SluiceKernelCall *call)
{
  SluiceShape shapes[2], joined;
  if (!sluice_call_shape (call, 0, &shapes[0]) || !sluice_call_shape (call, 1, &shapes[1]))
    return FALSE;
  char text[2][SLUICE_SHAPE_STR];
  if (!sluice_shape_broadcast (&shapes[0], &shapes[1], &joined))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "%s and %s cannot be broadcast together",
        sluice_shape_str (&shapes[0], text[0]), sluice_shape_str (&shapes[1], text[1]));
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (joined.rank));
  if (out == NULL)
    return FALSE;
  for (int i = 0; i < joined.rank; i++)
    if (out->dtype == SLUICE_INT64)
      ((gint64 *) out->data)[i] = joined.dim[i];
    else
      ((gint32 *) out->data)[i] = (gint32) joined.dim[i];
  return TRUE;
}

static const SluiceKernel kernels[] = {
  { .op = "BroadcastArgs",
    .device = "CPU",
    .flags = SLUICE_KERNEL_CHEAP,
    .compute = broadcast_args_compute },
};

const SluiceKernelModule sluice_module_array_broadcast_args_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
