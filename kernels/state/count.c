/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Counts in a variable, up to a limit that ends a loop of steps: OUT_OF_RANGE, as input does. */
#include <glib/gi18n-lib.h>

#include "kernels/state/access.h"

#include "engine/base/lock.h"

static gboolean
count_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape variable = sluice_shape_context_variable (c, 0);
  if (variable.rank > 0)
    return sluice_shape_context_fail (c, error, "the variable must be a scalar");
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("changes a variable: tests/kernels/test-scatter makes one")
};

static const SluiceOpDef count_op = {
  .name = "CountUpTo",
  .signature = "ref: Ref(T) -> output: T",
  .attrs = "limit: int; T: index",
  .summary = N_ ("The value of a counter before it is increased, until it reaches a limit"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = count_shape,
  .recipe = &recipe,
};

static const SluiceOpDef resource_count_op = {
  .name = "ResourceCountUpTo",
  .signature = "resource: resource -> output: T",
  .attrs = "limit: int; T: index",
  .summary = N_ ("The value of a counter before it is increased, until it reaches a limit"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = count_shape,
  .recipe = &recipe,
};

static gpointer
count_prepare (const SluiceNode *node, GError **error)
{
  gint64 *limit = g_new (gint64, 1);
  *limit = sluice_node_get_int (node, "limit");
  return limit;
}

/* The variable's lock is held. */
static gboolean
count_locked (SluiceKernelCall *call, SluiceVariable *variable)
{
  gint64 limit = *(const gint64 *) call->state;
  SluiceTensor *counter = sluice_call_writable (call, 0, variable);
  if (counter == NULL)
    return FALSE;
  if (counter->shape.rank != 0 || !sluice_dtype_in (counter->dtype, SLUICE_SET_INDEX))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "variable '%s' must be a scalar of int32 or int64", variable->name);
  gint64 value = sluice_tensor_get_int (counter, 0);
  if (value >= limit)
    return sluice_call_fail (call, SLUICE_ERROR_OUT_OF_RANGE,
                             "variable '%s' reached its limit of %" G_GINT64_FORMAT, variable->name,
                             limit);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out == NULL)
    return FALSE;
  sluice_elements_copy (counter->dtype, out->data, counter->data, 1);
  /* No overflow: the value is below a limit, which int32 may be narrower than. */
  if (counter->dtype == SLUICE_INT64)
    *(gint64 *) counter->data = value + 1;
  else
    *(gint32 *) counter->data = (gint32) (value + 1);
  return TRUE;
}

static gboolean
count_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  gboolean ok = count_locked (call, variable);
  pthread_mutex_unlock (&variable->lock);
  return ok;
}

static const SluiceOpDef *const ops[] = { &count_op, &resource_count_op };

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_CHEAP, .prepare = count_prepare,           \
    .free_state = g_free, .compute = count_compute                                                 \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("CountUpTo"),
  KERNEL ("ResourceCountUpTo"),
};

const SluiceKernelModule sluice_module_state_count = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
