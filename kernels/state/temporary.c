/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A variable for a part of a step: TemporaryVariable makes one, DestroyTemporaryVariable takes its
 * value out. It lives on its edge; nothing else holds it, so a step that fails leaks none.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/lock.h"
#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

static gboolean
temporary_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &sluice_node_get_attr (c->node, "shape")->shape);
  return TRUE;
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("passes a reference on: tests/kernels/test-scatter runs both")
};

static const SluiceOpDef temporary_op = {
  .name = "TemporaryVariable",
  .signature = "-> ref: Ref(dtype)",
  .attrs = "shape: shape; dtype: type; var_name: string = ''",
  .summary = N_ ("A variable that lives for a part of one step"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = temporary_shape,
  .recipe = &recipe,
};

static const SluiceOpDef destroy_op = {
  .name = "DestroyTemporaryVariable",
  .signature = "ref: Ref(T) -> value: T",
  .attrs = "T: type; var_name: string",
  .summary = N_ ("The last value of a temporary variable, which ends here"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .recipe = &recipe,
};

/* A variable as any other, but DestroyTemporaryVariable must not take the value of those. */
static void
temporary_finalize (SluiceResource *resource)
{
  sluice_variable_type.finalize (resource);
}
static const SluiceResourceType temporary_type = { "TemporaryVariable", temporary_finalize };

typedef struct
{
  char *name; /* of the variable: var_name, or the node's */
  SluiceDType dtype;
  SluiceShape shape;
} Temporary;

static void
state_free (gpointer data)
{
  Temporary *self = data;
  g_free (self->name);
  g_free (self);
}

static char *
dup_name (const SluiceNode *node)
{
  const SluiceString *name = sluice_node_get_string (node, "var_name");
  return name->length > 0 ? g_strndup (name->data, name->length) : g_strdup (node->name);
}

static gpointer
temporary_prepare (const SluiceNode *node, GError **error)
{
  SluiceShape shape = sluice_node_get_attr (node, "shape")->shape;
  if (!sluice_shape_is_known (&shape))
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a temporary variable needs a shape without unknown dimensions");
      return NULL;
    }
  Temporary *self = g_new (Temporary, 1);
  *self = (Temporary){ dup_name (node), sluice_node_get_type (node, "dtype"), shape };
  return self;
}

static gboolean
temporary_compute (SluiceKernelCall *call)
{
  const Temporary *self = call->state;
  SluiceTensor *tensor =
      sluice_tensor_new_shared (call->device->allocator, self->dtype, &self->shape, call->owner);
  if (tensor == NULL)
    {
      GError *error = NULL;
      sluice_tensor_explain_shortage (call->device->allocator, self->dtype, &self->shape,
                                      call->owner, &error);
      return sluice_call_fail_with (call, error);
    }
  if (!sluice_dtype_is_managed (tensor->dtype) && tensor->n_elements > 0)
    memset (tensor->data, 0, sluice_tensor_bytes (tensor));
  SluiceVariable *variable = sluice_variable_new (self->name, self->dtype, &self->shape);
  variable->parent.type = &temporary_type;
  variable->tensor = tensor;
  call->outputs[0].ref = variable;
  return TRUE;
}

static gpointer
destroy_prepare (const SluiceNode *node, GError **error)
{
  return dup_name (node);
}

static gboolean
destroy_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = call->inputs[0].ref;
  SluiceTensor *value = NULL;
  if (variable->parent.type == &temporary_type && g_str_equal (variable->name, call->state))
    {
      sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
      value = g_steal_pointer (&variable->tensor);
      pthread_mutex_unlock (&variable->lock);
    }
  if (value == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_NOT_FOUND,
                             "the reference is to '%s', not to a temporary variable '%s' that "
                             "still has its value; var_name must be that of TemporaryVariable",
                             variable->name, (const char *) call->state);
  sluice_call_take_output (call, 0, value);
  return TRUE;
}

static const SluiceOpDef *const ops[] = { &temporary_op, &destroy_op };
static const SluiceKernel kernels[] = {
  { .op = "TemporaryVariable",
    .device = "CPU",
    .prepare = temporary_prepare,
    .free_state = state_free,
    .compute = temporary_compute },
  { .op = "DestroyTemporaryVariable",
    .device = "CPU",
    .flags = SLUICE_KERNEL_CHEAP,
    .prepare = destroy_prepare,
    .free_state = g_free,
    .compute = destroy_compute },
};

const SluiceKernelModule sluice_module_state_temporary = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
