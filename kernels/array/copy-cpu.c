/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"

static gboolean
deep_copy_compute (SluiceKernelCall *call)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  SluiceTensor *out = sluice_call_output (call, 0, &input->shape);
  return out != NULL
         && sluice_move_block (call, out->dtype, out->data, input->data, out->n_elements);
}

static gboolean
forward_compute (SluiceKernelCall *call)
{
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("DeepCopy", .compute = deep_copy_compute),
  SLUICE_ARRAY_KERNEL ("Snapshot", .compute = forward_compute),
  SLUICE_ARRAY_KERNEL ("GuaranteeConst", .compute = forward_compute),
};

const SluiceKernelModule sluice_module_array_copy_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
