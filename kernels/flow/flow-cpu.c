/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/flow/flow.h"

static gboolean
nothing (SluiceKernelCall *call)
{
  return TRUE;
}

static gboolean
forward_all (SluiceKernelCall *call)
{
  for (guint i = 0; i < call->n_outputs; i++)
    sluice_call_forward (call, i, i);
  return TRUE;
}

static gboolean
switch_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 1))
    return FALSE;
  sluice_call_forward (call, *(const guint8 *) sluice_call_input (call, 1)->data ? 1 : 0, 0);
  return TRUE;
}

/* Inputs that are dead, or have not come yet, are NULL. */
static gboolean
merge_compute (SluiceKernelCall *call)
{
  guint taken = 0;
  while (taken < call->n_inputs && !call->inputs[taken].tensor)
    taken++;
  if (taken == call->n_inputs)
    return sluice_call_fail (call, SLUICE_ERROR_INTERNAL, "runs without a live input");
  SluiceTensor *index = sluice_call_output (call, 1, &SLUICE_SHAPE_SCALAR);
  if (!index)
    return FALSE;
  *(gint32 *) index->data = (gint32) taken;
  sluice_call_forward (call, 0, taken);
  return TRUE;
}

static gboolean
ref_select_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  gint32 index = *(const gint32 *) sluice_call_input (call, 0)->data;
  if (index < 0 || index >= call->n_inputs - 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "index is %d, and there are %d inputs to select from", index,
                             call->n_inputs - 1);
  sluice_call_forward (call, 0, (guint) index + 1);
  return TRUE;
}

#define MOVES (SLUICE_KERNEL_CHEAP | SLUICE_KERNEL_KEEPS_DENORMALS)
#define TURNS (MOVES | SLUICE_KERNEL_MAY_LEAVE_DEAD)

static const SluiceKernel kernels[] = {
  { .op = "NoOp", .device = "CPU", .flags = MOVES, .compute = nothing },
  { .op = "ControlTrigger", .device = "CPU", .flags = MOVES, .compute = nothing },
  { .op = "Identity", .device = "CPU", .flags = MOVES, .compute = forward_all },
  { .op = "IdentityN", .device = "CPU", .flags = MOVES, .compute = forward_all },
  { .op = "RefIdentity", .device = "CPU", .flags = MOVES, .compute = forward_all },
  { .op = "LoopCond", .device = "CPU", .flags = MOVES, .compute = forward_all },
  { .op = "Switch", .device = "CPU", .flags = TURNS, .compute = switch_compute },
  { .op = "RefSwitch", .device = "CPU", .flags = TURNS, .compute = switch_compute },
  { .op = "RefSelect",
    .device = "CPU",
    .host_inputs = 1,
    .flags = MOVES,
    .compute = ref_select_compute },
  { .op = "Merge", .device = "CPU", .flags = MOVES, .compute = merge_compute },
  { .op = "RefMerge", .device = "CPU", .flags = MOVES, .compute = merge_compute },
};

const SluiceKernelModule sluice_module_flow_flow_cpu = { .kernels = kernels,
                                                         .n_kernels = G_N_ELEMENTS (kernels) };
