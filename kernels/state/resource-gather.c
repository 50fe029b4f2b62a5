/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Gathering straight from a variable, without a read of all of it. The gradient of ResourceGather
 * are rows (IndexedSlices) of the variable's shape, so that an optimizer changes only those.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/gather.h"
#include "kernels/state/access.h"

static gboolean
gather_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape params = sluice_shape_context_variable (c, 0);
  return sluice_shape_gather (c, &params, sluice_node_get_int (c->node, "batch_dims"),
                              sluice_node_get_int (c->node, "batch_dims"), error);
}

static gboolean
gather_nd_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape params = sluice_shape_context_variable (c, 0);
  return sluice_shape_gather_nd (c, &params, error);
}

static SluiceEdge
variable_shape (SluiceGradContext *g)
{
  return sluice_op (&g->b, "VariableShape", sluice_grad_input (g, 0));
}

static gboolean
gather_gradient (SluiceGradContext *g, GError **error)
{
  if (sluice_node_get_int (g->node, "batch_dims") != 0)
    return sluice_node_fail (g->node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "the gradient of ResourceGather is defined for batch_dims 0; use "
                             "GatherV2 of the variable's value");
  sluice_grad_gather_rows (g, variable_shape (g));
  return TRUE;
}

static gboolean
gather_nd_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_gather_nd (g, variable_shape (g));
  return TRUE;
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("reads a variable: tests/kernels/test-scatter makes one")
};

static const SluiceOpDef gather_op = {
  .name = "ResourceGather",
  .signature = "resource: resource, indices: Tindices -> output: dtype",
  .attrs = "batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: index",
  .summary = N_ ("Rows of a variable by their numbers"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ONLY_READS,
  .shape = gather_shape,
  .gradient = gather_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef gather_nd_op = {
  .name = "ResourceGatherNd",
  .signature = "resource: resource, indices: Tindices -> output: dtype",
  .attrs = "dtype: type; Tindices: index",
  .summary = N_ ("Slices of a variable by their coordinates"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ONLY_READS,
  .shape = gather_nd_shape,
  .gradient = gather_nd_gradient,
  .recipe = &recipe,
};

typedef struct
{
  SluiceDType dtype;
  gint64 batch_dims;
} Gather;

static gpointer
gather_prepare (const SluiceNode *node, GError **error)
{
  Gather *self = g_new0 (Gather, 1);
  self->dtype = sluice_node_get_type (node, "dtype");
  if (sluice_node_get_attr (node, "batch_dims") != NULL)
    self->batch_dims = sluice_node_get_int (node, "batch_dims");
  return self;
}

/* The value that input 0 refers to. (transfer full) */
static SluiceTensor *
dup_value (SluiceKernelCall *call)
{
  const Gather *self = call->state;
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return NULL;
  SluiceTensor *value = sluice_variable_dup_tensor (variable);
  if (value == NULL)
    sluice_call_fail (call, SLUICE_ERROR_NOT_FOUND,
                      "variable '%s' is not initialised; run its initialiser first",
                      variable->name);
  else if (variable->dtype != self->dtype)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "variable '%s' holds %s, not %s",
                        variable->name, sluice_dtype_name (variable->dtype),
                        sluice_dtype_name (self->dtype));
      g_clear_pointer (&value, sluice_tensor_unref);
    }
  return value;
}

static gboolean
gather_compute (SluiceKernelCall *call)
{
  g_autoptr (SluiceTensor) params = dup_value (call);
  gint64 batch_dims = ((const Gather *) call->state)->batch_dims;
  return params != NULL && sluice_call_gather (call, params, batch_dims, batch_dims);
}

static gboolean
gather_nd_compute (SluiceKernelCall *call)
{
  g_autoptr (SluiceTensor) params = dup_value (call);
  return params != NULL && sluice_call_gather_nd (call, params, FALSE);
}

#define KERNEL(name, func)                                                                         \
  SLUICE_ARRAY_KERNEL (name, .prepare = gather_prepare, .free_state = g_free, .compute = func)
static const SluiceKernel kernels[] = {
  KERNEL ("ResourceGather", gather_compute),
  KERNEL ("ResourceGatherNd", gather_nd_compute),
};

static const SluiceOpDef *const ops[] = { &gather_op, &gather_nd_op };

const SluiceKernelModule sluice_module_state_resource_gather = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
