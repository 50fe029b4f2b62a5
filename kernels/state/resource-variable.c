/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Resource variables: VarHandleOp makes a handle, reads and writes are nodes of their own. What a
 * handle refers to (dtype and shape) travels with its edge. d(ReadVariableOp) = dy, as the gradient
 * of the handle.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

static const SluiceOutput *
handle_of (SluiceShapeContext *c)
{
  SluiceEdge edge = c->node->inputs[0];
  return &edge.node->outputs[edge.port];
}

static gboolean
handle_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE_SCALAR);
  c->outputs[0].handle_dtype = sluice_node_get_type (c->node, "dtype");
  c->outputs[0].handle_shape = sluice_node_get_attr (c->node, "shape")->shape;
  return TRUE;
}

static gboolean
check_dtype (SluiceShapeContext *c, GError **error)
{
  SluiceDType want = sluice_node_get_type (c->node, "dtype");
  SluiceDType have = handle_of (c)->handle_dtype;
  if (have != SLUICE_INVALID && have != want)
    return sluice_shape_context_fail (c, error, "the variable holds %s, not %s",
                                      sluice_dtype_name (have), sluice_dtype_name (want));
  return TRUE;
}

static gboolean
read_shape (SluiceShapeContext *c, GError **error)
{
  if (!check_dtype (c, error))
    return FALSE;
  if (handle_of (c)->handle_dtype != SLUICE_INVALID)
    sluice_shape_context_set (c, 0, &handle_of (c)->handle_shape);
  return TRUE;
}

static gboolean
write_shape (SluiceShapeContext *c, GError **error)
{
  if (!check_dtype (c, error))
    return FALSE;
  const SluiceOutput *handle = handle_of (c);
  if (handle->handle_dtype == SLUICE_INVALID
      || sluice_shape_compatible (&handle->handle_shape, &c->inputs[1]))
    return TRUE;
  char declared[SLUICE_SHAPE_STR], value[SLUICE_SHAPE_STR];
  return sluice_shape_context_fail (c, error, "the variable has shape %s, the value %s",
                                    sluice_shape_str (&handle->handle_shape, declared),
                                    sluice_shape_str (&c->inputs[1], value));
}

static gboolean
rank_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceOutput *handle = handle_of (c);
  gboolean known = handle->handle_dtype != SLUICE_INVALID && handle->handle_shape.rank >= 0;
  sluice_shape_context_set (c, 0,
                            &SLUICE_SHAPE (known ? handle->handle_shape.rank : SLUICE_UNKNOWN_DIM));
  return TRUE;
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("works on a handle with state: tests/kernels/test-state makes one")
};

static const SluiceOpDef handle_op = {
  .name = "VarHandleOp",
  .signature = "-> resource: resource",
  .attrs = "container: string = ''; shared_name: string = ''; debug_name: string = ''; "
           "dtype: type; shape: shape; allowed_devices: list(string) = []",
  .summary = N_ ("Variable: a handle to a tensor that outlives the step"),
  .role = SLUICE_ROLE_RESOURCE_HANDLE,
  .flags = SLUICE_OP_STATEFUL,
  .shape = handle_shape,
  .recipe = &recipe,
};

static const SluiceOpDef read_op = {
  .name = "ReadVariableOp",
  .signature = "resource: resource -> value: dtype",
  .attrs = "dtype: type",
  .summary = N_ ("The value of a variable"),
  .role = SLUICE_ROLE_READ_VARIABLE,
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ONLY_READS,
  .shape = read_shape,
  .gradient = sluice_grad_pass,
  .recipe = &recipe,
};

static const SluiceOpDef assign_op = {
  .name = "AssignVariableOp",
  .signature = "resource: resource, value: dtype ->",
  .attrs = "dtype: type; validate_shape: bool = false",
  .summary = N_ ("Gives a variable a value"),
  .role = SLUICE_ROLE_ASSIGN,
  .flags = SLUICE_OP_STATEFUL,
  .shape = write_shape,
  .recipe = &recipe,
};

static const SluiceOpDef assign_add_op = {
  .name = "AssignAddVariableOp",
  .signature = "resource: resource, value: dtype ->",
  .attrs = "dtype: type",
  .summary = N_ ("Adds to a variable"),
  .flags = SLUICE_OP_STATEFUL,
  .shape = write_shape,
  .recipe = &recipe,
};

static const SluiceOpDef assign_sub_op = {
  .name = "AssignSubVariableOp",
  .signature = "resource: resource, value: dtype ->",
  .attrs = "dtype: type",
  .summary = N_ ("Subtracts from a variable"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_TAKES_STEP,
  .shape = write_shape,
  .recipe = &recipe,
};

static const SluiceOpDef is_initialized_op = {
  .name = "VarIsInitializedOp",
  .signature = "resource: resource -> is_initialized: bool",
  .summary = N_ ("Has the variable a value?"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_ONLY_READS,
  .shape = sluice_shape_scalar,
  .recipe = &recipe,
};

/* What a variable's readers hold is never written into here, so there is no mode to leave. */
static const SluiceOpDef disable_copy_op = {
  .name = "DisableCopyOnRead",
  .signature = "resource: resource ->",
  .summary = N_ ("Lets reads of a variable share its value"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_ONLY_READS,
  .shape = sluice_shape_none,
  .recipe = &recipe,
};

static const SluiceOpDef shape_op = {
  .name = "VariableShape",
  .signature = "input: resource -> output: out_type",
  .attrs = "out_type: index = int32",
  .summary = N_ ("The shape of a variable's value"),
  .role = SLUICE_ROLE_SHAPE,
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_ONLY_READS,
  .shape = rank_shape,
  .recipe = &recipe,
};

static const SluiceOpDef destroy_op = {
  .name = "DestroyResourceOp",
  .signature = "resource: resource ->",
  .attrs = "ignore_lookup_error: bool = true",
  .summary = N_ ("Drops what a handle refers to"),
  .flags = SLUICE_OP_STATEFUL,
  .shape = sluice_shape_none,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = {
  &handle_op,         &read_op,  &assign_op,  &assign_add_op,   &assign_sub_op,
  &is_initialized_op, &shape_op, &destroy_op, &disable_copy_op,
};

const SluiceKernelModule sluice_module_state_resource_variable = { .ops = ops,
                                                                   .n_ops = G_N_ELEMENTS (ops) };
