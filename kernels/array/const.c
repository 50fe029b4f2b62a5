/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Where values enter a graph, and ops that only pass them on: Const, Placeholder,
 * PlaceholderWithDefault, StopGradient, PreventGradient.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

/* Placeholders of GraphDefs up to this version could not tell a scalar from an unknown shape. */
#define LAST_PRODUCER_WITHOUT_SCALARS 21

static gboolean
const_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *value = sluice_node_get_attr (c->node, "value")->tensor;
  SluiceDType dtype = sluice_node_get_type (c->node, "dtype");
  if ((SluiceDType) value->dtype != dtype)
    return sluice_shape_context_fail (c, error, "dtype is %s, but the value is %s",
                                      sluice_dtype_name (dtype), sluice_dtype_name (value->dtype));
  sluice_shape_context_set (c, 0, &value->shape);
  return TRUE;
}

static gboolean
placeholder_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *shape = &sluice_node_get_attr (c->node, "shape")->shape;
  gboolean unknown = shape->rank <= 0
                     && sluice_graph_get_producer (c->node->graph) <= LAST_PRODUCER_WITHOUT_SCALARS;
  sluice_shape_context_set (c, 0, unknown ? &SLUICE_SHAPE_UNKNOWN : shape);
  return TRUE;
}

static gboolean
placeholder_v2_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &sluice_node_get_attr (c->node, "shape")->shape);
  return TRUE;
}

/* The declared shape, which may be wider than the default's: anything that fits it may be fed. */
static gboolean
placeholder_with_default_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *shape = &sluice_node_get_attr (c->node, "shape")->shape;
  char text[2][SLUICE_SHAPE_STR];
  if (!sluice_shape_compatible (shape, &c->inputs[0]))
    return sluice_shape_context_fail (c, error, "the default is of shape %s, not of %s",
                                      sluice_shape_str (&c->inputs[0], text[0]),
                                      sluice_shape_str (shape, text[1]));
  sluice_shape_context_set (c, 0, shape);
  return TRUE;
}

static gboolean
no_gradient (SluiceGradContext *g, GError **error)
{
  return TRUE;
}

static gboolean
prevented_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceString *message = sluice_node_get_string (g->node, "message");
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s '%s' prevents gradients from passing: %.*s", g->node->op_name,
                      g->node->name, (int) message->length, message->data);
}

static const SluiceRecipe no_sample_const = { .why_none = "its value is an attribute" };
static const SluiceRecipe no_sample_placeholder = { .why_none = "it must be fed" };

static const SluiceSample default_samples[] = {
  { "shape=[2,3]", "float[2,3]", 0, 0 },
  { "shape=[?,3]", "float[2,3]", 0, 0 },
};
static const SluiceRecipe default_recipe = {
  .samples = default_samples,
  .n_samples = G_N_ELEMENTS (default_samples),
};

static const SluiceSample pass_samples[] = {
  { "", "float[2,3]", 0, 0, TRUE },
  { "", "string[2]", 0, 0, TRUE },
  { "", "float[0]", 0, 0, TRUE },
};
static const SluiceRecipe pass_recipe = {
  .samples = pass_samples,
  .n_samples = G_N_ELEMENTS (pass_samples),
};

static const SluiceOpDef const_op = {
  .name = "Const",
  .signature = "-> output: dtype",
  .attrs = "value: tensor; dtype: type",
  .summary = N_ ("A constant"),
  .role = SLUICE_ROLE_CONST,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = const_shape,
  .recipe = &no_sample_const,
};

static const SluiceOpDef placeholder_op = {
  .name = "Placeholder",
  .signature = "-> output: dtype",
  .attrs = "dtype: type; shape: shape = unknown",
  .summary = N_ ("A value that is fed to each run"),
  .role = SLUICE_ROLE_PLACEHOLDER,
  .shape = placeholder_shape,
  .recipe = &no_sample_placeholder,
};

static const SluiceOpDef placeholder_v2_op = {
  .name = "PlaceholderV2",
  .signature = "-> output: dtype",
  .attrs = "dtype: type; shape: shape",
  .summary = N_ ("A value that is fed to each run"),
  .role = SLUICE_ROLE_PLACEHOLDER,
  .shape = placeholder_v2_shape,
  .recipe = &no_sample_placeholder,
};

static const SluiceOpDef placeholder_with_default_op = {
  .name = "PlaceholderWithDefault",
  .signature = "input: dtype -> output: dtype",
  .attrs = "dtype: type; shape: shape",
  .summary = N_ ("A value that may be fed to a run, with a default"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = placeholder_with_default_shape,
  .gradient = sluice_grad_pass,
  .recipe = &default_recipe,
};

static const SluiceOpDef stop_gradient_op = {
  .name = "StopGradient",
  .signature = "input: T -> output: T",
  .attrs = "T: type",
  .summary = N_ ("Its input, as a constant to gradients"),
  .role = SLUICE_ROLE_STOP_GRADIENT,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .gradient = no_gradient,
  .recipe = &pass_recipe,
};

static const SluiceOpDef prevent_gradient_op = {
  .name = "PreventGradient",
  .signature = "input: T -> output: T",
  .attrs = "T: type; message: string = ''",
  .summary = N_ ("Its input; asking for a gradient through it is an error"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_unchanged,
  .gradient = prevented_gradient,
  .recipe = &pass_recipe,
};

static const SluiceOpDef *const ops[] = {
  &const_op,         &placeholder_op,      &placeholder_v2_op, &placeholder_with_default_op,
  &stop_gradient_op, &prevent_gradient_op,
};

const SluiceKernelModule sluice_module_array_const = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
