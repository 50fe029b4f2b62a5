/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/bitcast.h"
#include "kernels/array/move.h"

static gboolean
bitcast_compute (SluiceKernelCall *call)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  SluiceDType to = call->node->outputs[0].dtype;
  SluiceShape shape;
  const char *why = sluice_bitcast_shape (&input->shape, sluice_dtype_size (input->dtype),
                                          sluice_dtype_size (to), &shape);
  if (why != NULL)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s %s cannot become %s: %s",
                             sluice_dtype_name (input->dtype),
                             sluice_shape_str (&input->shape, (char[SLUICE_SHAPE_STR]){ 0 }),
                             sluice_dtype_name (to), why);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  return out != NULL
         && sluice_move_block (call, SLUICE_UINT8, out->data, input->data,
                               (gint64) sluice_tensor_bytes (out));
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Bitcast", .compute = bitcast_compute),
};

const SluiceKernelModule sluice_module_array_bitcast_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
