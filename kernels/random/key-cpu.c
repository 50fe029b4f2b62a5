/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/random/generator.h"

static gboolean
put_algorithm (SluiceKernelCall *call, guint i)
{
  SluiceTensor *out = sluice_call_output (call, i, &SLUICE_SHAPE_SCALAR);
  if (out != NULL)
    *(gint32 *) out->data = SLUICE_ALGORITHM_PHILOX;
  return out != NULL;
}

static gboolean
key_compute (SluiceKernelCall *call)
{
  SluicePhilox start;
  if (!sluice_call_stateless_random (call, 0, &start))
    return FALSE;
  SluiceTensor *key = sluice_call_output (call, 0, &SLUICE_SHAPE (SLUICE_RANDOM_KEY_SIZE));
  SluiceTensor *counter = sluice_call_output (call, 1, &SLUICE_SHAPE (SLUICE_RANDOM_COUNTER_SIZE));
  if (key == NULL || counter == NULL)
    return FALSE;
  sluice_philox_write (&start, counter->data, key->data);
  return call->n_outputs < 3 || put_algorithm (call, 2);
}

static gboolean
algorithm_compute (SluiceKernelCall *call)
{
  return put_algorithm (call, 0);
}

#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_CHEAP, .host_inputs = ~0u,                 \
    .host_outputs = ~0u, .compute = function                                                       \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("StatelessRandomGetKeyCounter", key_compute),
  KERNEL ("StatelessRandomGetKeyCounterAlg", key_compute),
  KERNEL ("StatelessRandomGetAlg", algorithm_compute),
};

const SluiceKernelModule sluice_module_random_key_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
