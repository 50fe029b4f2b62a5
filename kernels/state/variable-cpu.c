/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/lock.h"
#include "kernels/state/access.h"
#include "kernels/state/update.h"

static SluiceResource *
make_variable (gpointer data, GError **error)
{
  const SluiceKernelCall *call = data;
  const SluiceNode *node = call->node;
  SluiceVariable *self = sluice_variable_new (node->name, sluice_node_get_type (node, "dtype"),
                                              &sluice_node_get_attr (node, "shape")->shape);
  self->owner = call->owner;
  return &self->parent;
}

static void
key_free (gpointer key)
{
  sluice_resource_key_free (key);
}

static gboolean
variable_compute (SluiceKernelCall *call)
{
  GError *error = NULL;
  call->outputs[0].ref = (SluiceVariable *) sluice_resources_get_by_key (
      call->resources, call->state, &sluice_variable_type, make_variable, call, &error);
  return call->outputs[0].ref != NULL || sluice_call_fail_with (call, error);
}

static gboolean
handle_compute (SluiceKernelCall *call)
{
  GError *error = NULL;
  SluiceTensor *handle = sluice_resources_get_handle (
      call->resources, call->state, &sluice_variable_type, make_variable, call, &error);
  sluice_call_take_output (call, 0, handle);
  return handle != NULL || sluice_call_fail_with (call, error);
}

static gboolean
output_bool (SluiceKernelCall *call, gboolean value)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out == NULL)
    return FALSE;
  *(guint8 *) out->data = value;
  return TRUE;
}

static gboolean
is_initialized_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  g_autoptr (SluiceTensor) tensor = sluice_variable_dup_tensor (variable);
  return output_bool (call, tensor != NULL);
}

static gpointer
assign_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (1 + sluice_node_get_bool (node, "validate_shape"));
}

static gboolean
assign_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  SluiceTensor *value = sluice_call_input (call, 1);
  gboolean validate = call->state == GINT_TO_POINTER (2);
  if (validate && !sluice_shape_compatible (&variable->shape, &value->shape))
    {
      char have[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "variable '%s' has shape %s, the value %s; make them equal",
                               variable->name, sluice_shape_str (&variable->shape, have),
                               sluice_shape_str (&value->shape, got));
    }
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  gboolean ok = sluice_call_store (call, variable, value);
  pthread_mutex_unlock (&variable->lock);
  if (ok)
    sluice_call_forward (call, 0, 0);
  return ok;
}

/* Adds or subtracts, by kernel->data; a reference is handed on. */
static gboolean
update_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  SluiceTensor *value = sluice_call_input (call, 1);
  if (variable == NULL)
    return FALSE;
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  SluiceTensor *tensor = sluice_call_writable (call, 0, variable);
  gboolean ok = tensor != NULL;
  if (ok && tensor->dtype != value->dtype)
    ok = sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "variable '%s' holds %s, the value is %s", variable->name,
                           sluice_dtype_name (tensor->dtype), sluice_dtype_name (value->dtype));
  ok = ok && sluice_call_accumulate (call, tensor, value, call->kernel->data != NULL);
  pthread_mutex_unlock (&variable->lock);
  if (ok && call->n_outputs)
    sluice_call_forward (call, 0, 0);
  return ok;
}

static gpointer
read_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_type (node, "dtype"));
}

static gboolean
read_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  SluiceDType want = GPOINTER_TO_INT (call->state);
  if (variable->dtype != want)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "variable '%s' holds %s, not %s",
                             variable->name, sluice_dtype_name (variable->dtype),
                             sluice_dtype_name (want));
  SluiceTensor *tensor = sluice_variable_dup_tensor (variable);
  if (tensor == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                             "variable '%s' is not initialised; run its initialiser first",
                             variable->name);
  sluice_call_take_output (call, 0, tensor);
  return TRUE;
}

static gboolean
assign_resource_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  SluiceTensor *value = sluice_call_input (call, 1);
  if (variable == NULL)
    return FALSE;
  if (variable->dtype != (SluiceDType) value->dtype)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "variable '%s' holds %s, the value is %s", variable->name,
                             sluice_dtype_name (variable->dtype), sluice_dtype_name (value->dtype));
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  gboolean ok = sluice_call_store (call, variable, value);
  pthread_mutex_unlock (&variable->lock);
  return ok;
}

static gboolean
shape_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  g_autoptr (SluiceTensor) tensor = sluice_variable_dup_tensor (variable);
  if (tensor == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_NOT_FOUND,
                             "variable '%s' is not initialised; run its initialiser first",
                             variable->name);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (tensor->shape.rank));
  if (out == NULL)
    return FALSE;
  for (int i = 0; i < tensor->shape.rank; i++)
    if (out->dtype == SLUICE_INT64)
      ((gint64 *) out->data)[i] = tensor->shape.dim[i];
    else
      ((gint32 *) out->data)[i] = (gint32) tensor->shape.dim[i];
  return TRUE;
}

static gboolean
disable_copy_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  g_autoptr (SluiceTensor) tensor = sluice_variable_dup_tensor (variable);
  return tensor != NULL
         || sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                              "variable '%s' is not initialised; run its initialiser first",
                              variable->name);
}

static gpointer
destroy_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (1 + sluice_node_get_bool (node, "ignore_lookup_error"));
}

/* A variable without a value is a variable that is not there: reads of it fail, an assignment
 * brings it back. */
static gboolean
destroy_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  SluiceTensor *tensor = g_steal_pointer (&variable->tensor);
  pthread_mutex_unlock (&variable->lock);
  if (tensor)
    sluice_tensor_unref (tensor);
  else if (call->state == GINT_TO_POINTER (1))
    return sluice_call_fail (call, SLUICE_ERROR_NOT_FOUND, "variable '%s' holds nothing to drop",
                             variable->name);
  return TRUE;
}

#define KERNEL(name, ...)                                                                          \
  {                                                                                                \
    .op = name, .device = "CPU", __VA_ARGS__                                                       \
  }
#define NUMBERS(attr) .where = { { attr, SLUICE_SET_NUMBER } }
#define NAMED(function)                                                                            \
  .compute = function, .prepare = sluice_resource_key_prepare, .free_state = key_free,             \
  .flags = SLUICE_KERNEL_CHEAP
#define SUBTRACT GINT_TO_POINTER (TRUE)

static const SluiceKernel kernels[] = {
  KERNEL ("VariableV2", NAMED (variable_compute)),
  KERNEL ("Variable", NAMED (variable_compute)),
  KERNEL ("VarHandleOp", NAMED (handle_compute)),
  KERNEL ("IsVariableInitialized", .compute = is_initialized_compute, .flags = SLUICE_KERNEL_CHEAP),
  KERNEL ("VarIsInitializedOp", .compute = is_initialized_compute, .flags = SLUICE_KERNEL_CHEAP),
  KERNEL ("Assign",
          .compute = assign_compute,
          .prepare = assign_prepare,
          .flags = SLUICE_KERNEL_KEEPS_DENORMALS),
  KERNEL ("AssignVariableOp",
          .compute = assign_resource_compute,
          .flags = SLUICE_KERNEL_KEEPS_DENORMALS),
  KERNEL ("AssignAdd", .compute = update_compute, NUMBERS ("T")),
  KERNEL ("AssignSub", .compute = update_compute, NUMBERS ("T"), .data = SUBTRACT),
  KERNEL ("AssignAddVariableOp", .compute = update_compute, NUMBERS ("dtype")),
  KERNEL ("AssignSubVariableOp", .compute = update_compute, NUMBERS ("dtype"), .data = SUBTRACT),
  KERNEL ("ReadVariableOp",
          .compute = read_compute,
          .prepare = read_prepare,
          .flags = SLUICE_KERNEL_CHEAP),
  KERNEL ("VariableShape", .compute = shape_compute, .flags = SLUICE_KERNEL_CHEAP),
  KERNEL ("DisableCopyOnRead", .compute = disable_copy_compute, .flags = SLUICE_KERNEL_CHEAP),
  KERNEL ("DestroyResourceOp", .compute = destroy_compute, .prepare = destroy_prepare),
};

const SluiceKernelModule sluice_module_state_variable_cpu = { .kernels = kernels,
                                                              .n_kernels = G_N_ELEMENTS (kernels) };
