/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* v[1:3, ::2] = value, in place, of a reference or a handle. */
#include <glib/gi18n-lib.h>

#include "engine/base/lock.h"
#include "kernels/array/strided-slice.h"
#include "kernels/state/access.h"

static gboolean
assign_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape variable = sluice_shape_context_variable (c, 0);
  if (c->n_outputs > 0)
    sluice_shape_context_set (c, 0, &variable);
  for (guint i = 1; i < 4; i++)
    if (!sluice_shape_context_want_rank (c, i, 1, error))
      return FALSE;
  return TRUE;
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("changes a variable: tests/conformance/ops/state has them")
};

#define INPUTS "begin: Index, end: Index, strides: Index, value: T ->"
#define ATTRS                                                                                      \
  "T: type; Index: index; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; "        \
  "new_axis_mask: int = 0; shrink_axis_mask: int = 0"

static const SluiceOpDef assign_op = {
  .name = "StridedSliceAssign",
  .signature = "ref: Ref(T), " INPUTS " output_ref: Ref(T)",
  .attrs = ATTRS,
  .summary = N_ ("Gives a slice of a variable new values"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = assign_shape,
  .recipe = &recipe,
};

static const SluiceOpDef resource_assign_op = {
  .name = "ResourceStridedSliceAssign",
  .signature = "ref: resource, " INPUTS,
  .attrs = ATTRS,
  .summary = N_ ("Gives a slice of a variable new values"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = assign_shape,
  .recipe = &recipe,
};

/* The variable's lock is held. */
static gboolean
assign_locked (SluiceKernelCall *call, SluiceVariable *variable)
{
  const SluiceTensor *value = sluice_call_input (call, 4);
  SluiceTensor *tensor = sluice_call_writable (call, 0, variable);
  SluiceSlicePlan plan;
  if (tensor == NULL || !sluice_call_slice_plan (call, 1, &tensor->shape, &plan))
    return FALSE;
  if (tensor->dtype != value->dtype || !sluice_shape_equal (&plan.result, &value->shape))
    {
      char text[2][SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "value is %s %s, the slice of variable '%s' %s %s; make them equal",
                               sluice_dtype_name (value->dtype),
                               sluice_shape_str (&value->shape, text[0]), variable->name,
                               sluice_dtype_name (tensor->dtype),
                               sluice_shape_str (&plan.result, text[1]));
    }
  if (value->n_elements == 0)
    return TRUE;
  SluiceMove move = { 0 };
  gint64 offset = sluice_slice_move (&plan, &tensor->shape, TRUE, &move);
  return sluice_move_run (call, tensor->dtype, &move,
                          (char *) tensor->data + offset * sluice_dtype_size (tensor->dtype),
                          value->data);
}

static gboolean
assign_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  gboolean ok = assign_locked (call, variable);
  pthread_mutex_unlock (&variable->lock);
  if (ok && call->n_outputs)
    sluice_call_forward (call, 0, 0);
  return ok;
}

static const SluiceOpDef *const ops[] = { &assign_op, &resource_assign_op };

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                           \
    .prepare = sluice_slice_prepare, .free_state = g_free, .compute = assign_compute               \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("StridedSliceAssign"),
  KERNEL ("ResourceStridedSliceAssign"),
};

const SluiceKernelModule sluice_module_state_slice_assign = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
