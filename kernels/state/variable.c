/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Reference variables: VariableV2 (and the older Variable) puts the variable itself on its edge;
 * Assign, AssignAdd and AssignSub write into its memory and hand the reference on. White paper 2,
 * "Variables".
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

static gboolean
variable_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &sluice_node_get_attr (c->node, "shape")->shape);
  return TRUE;
}

/* The older op could not say "unknown", so a scalar shape says nothing. */
static gboolean
old_variable_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *shape = &sluice_node_get_attr (c->node, "shape")->shape;
  if (shape->rank > 0)
    sluice_shape_context_set (c, 0, shape);
  return TRUE;
}

static gboolean
assign_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[1];
  if (sluice_node_get_bool (c->node, "validate_shape")
      && !sluice_shape_context_merge (c, 0, 1, &shape, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
update_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  if (!sluice_shape_context_merge (c, 0, 1, &shape, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

#define NEEDS_STATE(why)                                                                           \
  {                                                                                                \
    .why_none = N_ (why)                                                                           \
  }
static const SluiceRecipe variable_recipe =
    NEEDS_STATE ("holds nothing until an assignment ran: tests/kernels/test-state runs both");
static const SluiceRecipe reference_recipe =
    NEEDS_STATE ("needs a variable at its input: tests/kernels/test-state makes one");

#define VARIABLE_ATTRS "shape: shape; dtype: type; container: string = ''; shared_name: string = ''"

static const SluiceOpDef variable_v2_op = {
  .name = "VariableV2",
  .signature = "-> ref: Ref(dtype)",
  .attrs = VARIABLE_ATTRS,
  .summary = N_ ("Variable: a tensor that outlives the step"),
  .role = SLUICE_ROLE_VARIABLE,
  .flags = SLUICE_OP_STATEFUL,
  .shape = variable_shape,
  .recipe = &variable_recipe,
};

static const SluiceOpDef variable_op = {
  .name = "Variable",
  .signature = "-> ref: Ref(dtype)",
  .attrs = VARIABLE_ATTRS,
  .summary = N_ ("Variable, as written before 2016"),
  .role = SLUICE_ROLE_VARIABLE,
  .flags = SLUICE_OP_STATEFUL,
  .shape = old_variable_shape,
  .recipe = &variable_recipe,
};

static const SluiceOpDef is_initialized_op = {
  .name = "IsVariableInitialized",
  .signature = "ref: Ref(dtype) -> is_initialized: bool",
  .attrs = "dtype: type",
  .summary = N_ ("Has the variable a value?"),
  .flags = SLUICE_OP_ALLOWS_UNINITIALIZED | SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_ONLY_READS,
  .shape = sluice_shape_scalar,
  .recipe = &reference_recipe,
};

static const SluiceOpDef assign_op = {
  .name = "Assign",
  .signature = "ref: Ref(T), value: T -> output_ref: Ref(T)",
  .attrs = "T: type; validate_shape: bool = true; use_locking: bool = true",
  .summary = N_ ("Gives a variable a value"),
  .role = SLUICE_ROLE_ASSIGN,
  .flags = SLUICE_OP_ALLOWS_UNINITIALIZED | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = assign_shape,
  .recipe = &reference_recipe,
};

#define UPDATE_OP(id, op_name, more_flags, text)                                                   \
  SLUICE_OP_DEF (id, op_name, "ref: Ref(T), value: T -> output_ref: Ref(T)",                       \
                 "T: number; use_locking: bool = false",                                           \
                 SLUICE_OP_NOT_DIFFERENTIABLE | (more_flags), update_shape, &reference_recipe,     \
                 text)

UPDATE_OP (assign_add_op, "AssignAdd", 0, N_ ("Adds to a variable"));
UPDATE_OP (assign_sub_op, "AssignSub", SLUICE_OP_TAKES_STEP, N_ ("Subtracts from a variable"));

static const SluiceOpDef *const ops[] = {
  &variable_v2_op, &variable_op, &is_initialized_op, &assign_op, &assign_add_op, &assign_sub_op,
};

const SluiceKernelModule sluice_module_state_variable = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
