/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/state/access.h"

#include "engine/base/lock.h"

gboolean
sluice_call_is_handle (SluiceKernelCall *call, guint i)
{
  return sluice_edge_dtype (call->node->inputs[i]) == SLUICE_RESOURCE;
}

/* Two nodes of one shared_name may make it, on two devices. */
static gboolean
check_place (SluiceKernelCall *call, SluiceVariable *variable)
{
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  const SluiceDevice *there =
      variable->tensor != NULL ? sluice_tensor_get_device (variable->tensor) : NULL;
  pthread_mutex_unlock (&variable->lock);
  if (there == NULL || there == call->device)
    return TRUE;
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT,
      "variable '%s' lies in the memory of %s, and this node stands on %s: all "
      "nodes of a variable must ask for one device",
      variable->name, there->short_name, call->device->short_name);
}

SluiceVariable *
sluice_call_variable (SluiceKernelCall *call, guint i)
{
  SluiceVariable *variable =
      sluice_call_is_handle (call, i)
          ? (SluiceVariable *) sluice_call_handle (call, i, &sluice_variable_type)
          : call->inputs[i].ref;
  return variable != NULL && check_place (call, variable) ? variable : NULL;
}

/* (nullable): call->error is set */
static SluiceTensor *
new_value (SluiceKernelCall *call, const SluiceVariable *variable, const SluiceTensor *like)
{
  SluiceOwner owner = variable->owner;
  if (owner.node == 0)
    owner = (SluiceOwner){ call->node->id, SLUICE_MEMORY_PARAMETER };
  SluiceTensor *value =
      sluice_tensor_new_shared (call->device->allocator, like->dtype, &like->shape, owner);
  if (value != NULL)
    return value;
  GError *error = NULL;
  sluice_tensor_explain_shortage (call->device->allocator, like->dtype, &like->shape, owner,
                                  &error);
  g_prefix_error (&error, "variable '%s': ", variable->name);
  sluice_call_fail_with (call, error);
  return NULL;
}

SluiceTensor *
sluice_call_writable (SluiceKernelCall *call, guint i, SluiceVariable *variable)
{
  gboolean handle = sluice_call_is_handle (call, i);
  SluiceTensor *tensor = variable->tensor;
  if (tensor == NULL)
    {
      sluice_call_fail (call, handle ? SLUICE_ERROR_NOT_FOUND : SLUICE_ERROR_FAILED_PRECONDITION,
                        "variable '%s' is not initialised; run its initialiser first",
                        variable->name);
      return NULL;
    }
  if (!handle || sluice_tensor_is_exclusive (tensor))
    return tensor;
  SluiceTensor *own = new_value (call, variable, tensor);
  if (own == NULL)
    return NULL;
  sluice_elements_copy (tensor->dtype, own->data, tensor->data, tensor->n_elements);
  variable->tensor = own;
  sluice_tensor_unref (tensor);
  return own;
}

static guint
sort_distinct (SluiceVariable *const *variables, guint n, SluiceVariable *sorted[4])
{
  guint n_sorted = 0;
  g_assert (n <= 4);
  for (guint i = 0; i < n; i++)
    {
      guint at = 0;
      while (at < n_sorted && (guintptr) sorted[at] < (guintptr) variables[i])
        at++;
      if (at < n_sorted && sorted[at] == variables[i])
        continue;
      for (guint j = n_sorted++; j > at; j--)
        sorted[j] = sorted[j - 1];
      sorted[at] = variables[i];
    }
  return n_sorted;
}

void
sluice_variables_lock (SluiceVariable *const *variables, guint n)
{
  SluiceVariable *sorted[4];
  guint n_sorted = sort_distinct (variables, n, sorted);
  for (guint i = 0; i < n_sorted; i++)
    sluice_lock (&sorted[i]->lock, SLUICE_LOCK_VARIABLE);
}

void
sluice_variables_unlock (SluiceVariable *const *variables, guint n)
{
  SluiceVariable *sorted[4];
  guint n_sorted = sort_distinct (variables, n, sorted);
  while (n_sorted > 0)
    pthread_mutex_unlock (&sorted[--n_sorted]->lock);
}

gboolean
sluice_call_store (SluiceKernelCall *call, SluiceVariable *variable, SluiceTensor *value)
{
  SluiceTensor *old = variable->tensor;
  if (old && old->data == value->data && sluice_shape_equal (&old->shape, &value->shape))
    return TRUE;
  gboolean in_place = old && old->n_elements == value->n_elements
                      && (!sluice_call_is_handle (call, 0) || sluice_tensor_is_exclusive (old));
  if (in_place && sluice_shape_equal (&old->shape, &value->shape))
    {
      sluice_elements_copy (value->dtype, old->data, value->data, value->n_elements);
      return TRUE;
    }
  SluiceTensor *fresh =
      in_place ? sluice_tensor_new_view (old, &value->shape, 0) : new_value (call, variable, value);
  if (fresh == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                             "no memory for the header of variable '%s'", variable->name);
  sluice_elements_copy (value->dtype, fresh->data, value->data, value->n_elements);
  variable->tensor = fresh;
  if (old)
    sluice_tensor_unref (old);
  return TRUE;
}

SluiceShape
sluice_shape_context_variable (SluiceShapeContext *c, guint i)
{
  SluiceEdge edge = c->node->inputs[i];
  const SluiceOutput *output = &edge.node->outputs[edge.port];
  if (output->dtype != SLUICE_RESOURCE)
    return c->inputs[i];
  return output->handle_dtype == SLUICE_INVALID ? SLUICE_SHAPE_UNKNOWN : output->handle_shape;
}
