/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Switch sends its input to one of two outputs and leaves the other dead; Merge hands on the first
 * input that is alive. The gradient of either is made of the other.
 */
#include "kernels/flow/flow.h"

static gboolean
switch_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 1, 0, error))
    return FALSE;
  sluice_flow_pass_on (c, 0, 0);
  sluice_flow_pass_on (c, 0, 1);
  return TRUE;
}

/* The gradient that came for an output. That of a variable's handle has the variable's shape, which
 * zeros must have, too. */
static SluiceEdge
side_dy (SluiceGradContext *g, guint side)
{
  const SluiceOutput *output = &g->node->outputs[side];
  if (output->dtype != SLUICE_RESOURCE || sluice_grad_has_dy (g, side))
    return sluice_grad_dy (g, side);
  return sluice_op (&g->b, "Fill", sluice_op (&g->b, "VariableShape", sluice_grad_output (g, side)),
                    sluice_builder_const_number (&g->b, output->handle_dtype, 0));
}

/* What comes back through either output is alive exactly where that side was taken. */
static gboolean
switch_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge pred = sluice_grad_input (g, 1);
  SluiceEdge no = sluice_op (&g->b, "Switch", side_dy (g, 0), pred);
  SluiceEdge yes = sluice_op (&g->b, "Switch", side_dy (g, 1), pred);
  sluice_grad_set (g, 0, sluice_op (&g->b, "Merge", no, sluice_edge_port (yes, 1)));
  return TRUE;
}

/* Dimensions in which the inputs differ are unknown. */
static gboolean
merge_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[0];
  for (guint i = 1; i < c->n_inputs; i++)
    {
      if (shape.rank != c->inputs[i].rank)
        shape = SLUICE_SHAPE_UNKNOWN;
      for (int k = 0; k < shape.rank; k++)
        if (shape.dim[k] != c->inputs[i].dim[k])
          shape.dim[k] = SLUICE_UNKNOWN_DIM;
    }
  sluice_flow_pass_on (c, 0, 0);
  sluice_shape_context_set (c, 0, &shape);
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

static gboolean
merge_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge taken = sluice_grad_output (g, 1), dy = sluice_grad_dy (g, 0);
  for (guint i = 0; i < g->node->n_inputs; i++)
    {
      SluiceEdge number = sluice_builder_const_int32 (&g->b, (gint32) i);
      SluiceEdge side = sluice_op (&g->b, "Switch", dy, sluice_op (&g->b, "Equal", taken, number));
      sluice_grad_set (g, i, sluice_edge_port (side, 1));
    }
  return TRUE;
}

static const SluiceRecipe leaves_dead = { .why_none = "one of its outputs has no value" };
static const SluiceRecipe of_reference = { .why_none = "it takes a reference to a variable" };

static const SluiceSample merge_samples[] = {
  { "", "float[2,3]", 0, 0, TRUE },
  { "", "string[2]", 0, 0, TRUE },
};
static const SluiceRecipe merge_recipe = {
  .samples = merge_samples,
  .n_samples = G_N_ELEMENTS (merge_samples),
};

static const SluiceOpDef switch_op = {
  .name = "Switch",
  .signature = "data: T, pred: bool -> output_false: T, output_true: T",
  .attrs = "T: type",
  .summary = N_ ("Sends the input to one of two branches"),
  .role = SLUICE_ROLE_SWITCH,
  .shape = switch_shape,
  .gradient = switch_gradient,
  .recipe = &leaves_dead,
};

static const SluiceOpDef ref_switch_op = {
  .name = "RefSwitch",
  .signature = "data: Ref(T), pred: bool -> output_false: Ref(T), output_true: Ref(T)",
  .attrs = "T: type",
  .summary = N_ ("Sends a reference to one of two branches"),
  .role = SLUICE_ROLE_SWITCH,
  .flags = SLUICE_OP_ALLOWS_UNINITIALIZED,
  .shape = switch_shape,
  .gradient = switch_gradient,
  .recipe = &of_reference,
};

static const SluiceOpDef merge_op = {
  .name = "Merge",
  .signature = "inputs: N * T -> output: T, value_index: int32",
  .attrs = "T: type; N: int >= 1",
  .summary = N_ ("The first input that has a value, and its number"),
  .role = SLUICE_ROLE_MERGE,
  .shape = merge_shape,
  .gradient = merge_gradient,
  .recipe = &merge_recipe,
};

static const SluiceOpDef ref_merge_op = {
  .name = "RefMerge",
  .signature = "inputs: N * Ref(T) -> output: Ref(T), value_index: int32",
  .attrs = "T: type; N: int >= 1",
  .summary = N_ ("The first reference that has come, and its number"),
  .role = SLUICE_ROLE_MERGE,
  .shape = merge_shape,
  .gradient = merge_gradient,
  .recipe = &of_reference,
};

static gboolean
select_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 0, error))
    return FALSE;
  SluiceShape shape = c->inputs[1];
  for (guint i = 2; i < c->n_inputs; i++)
    if (!sluice_shape_equal (&shape, &c->inputs[i]))
      shape = SLUICE_SHAPE_UNKNOWN;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static const SluiceOpDef ref_select_op = {
  .name = "RefSelect",
  .signature = "index: int32, inputs: N * Ref(T) -> output: Ref(T)",
  .attrs = "T: type; N: int >= 1",
  .summary = N_ ("One of several references, by number"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_ONLY_READS,
  .shape = select_shape,
  .recipe = &of_reference,
};

static const SluiceOpDef *const ops[] = { &switch_op, &ref_switch_op, &merge_op, &ref_merge_op,
                                          &ref_select_op };

const SluiceKernelModule sluice_module_flow_conditional = { .ops = ops,
                                                            .n_ops = G_N_ELEMENTS (ops) };
