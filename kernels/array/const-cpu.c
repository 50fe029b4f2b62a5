/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"

static gpointer
const_prepare (const SluiceNode *node, GError **error)
{
  return sluice_tensor_ref (sluice_node_get_attr (node, "value")->tensor);
}

static void
const_free (gpointer state)
{
  sluice_tensor_unref (state);
}

static gboolean
const_compute (SluiceKernelCall *call)
{
  sluice_call_take_output (call, 0, sluice_tensor_ref (call->state));
  return TRUE;
}

static gboolean
placeholder_compute (SluiceKernelCall *call)
{
  char shape[SLUICE_SHAPE_STR];
  const SluiceOutput *output = &call->node->outputs[0];
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT, "feed the placeholder a value of dtype %s and shape %s",
      sluice_dtype_name (output->dtype), sluice_shape_str (&output->shape, shape));
}

static gboolean
forward_compute (SluiceKernelCall *call)
{
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

#define CHEAP (SLUICE_KERNEL_CHEAP | SLUICE_KERNEL_KEEPS_DENORMALS)

static gboolean
with_default_compute (SluiceKernelCall *call)
{
  const SluiceShape *wanted = &call->node->outputs[0].shape;
  const SluiceShape *shape = &sluice_call_input (call, 0)->shape;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_shape_compatible (wanted, shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the default has shape %s, which is not %s",
                             sluice_shape_str (shape, a), sluice_shape_str (wanted, b));
  return forward_compute (call);
}

static const SluiceKernel kernels[] = {
  { .op = "Const",
    .device = "CPU",
    .flags = CHEAP,
    .prepare = const_prepare,
    .free_state = const_free,
    .compute = const_compute },
  { .op = "Placeholder", .device = "CPU", .flags = CHEAP, .compute = placeholder_compute },
  { .op = "PlaceholderV2", .device = "CPU", .flags = CHEAP, .compute = placeholder_compute },
  { .op = "PlaceholderWithDefault",
    .device = "CPU",
    .flags = CHEAP,
    .compute = with_default_compute },
  { .op = "StopGradient", .device = "CPU", .flags = CHEAP, .compute = forward_compute },
  { .op = "PreventGradient", .device = "CPU", .flags = CHEAP, .compute = forward_compute },
};

const SluiceKernelModule sluice_module_array_const_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
