/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * FakeQuantWithMinMax…: numbers rounded to the 2^num_bits steps of a range, as a quantised network
 * will see them. The range is an attribute (Args), a scalar (Vars) or one a channel
 * (VarsPerChannel). The gradient passes within the range; what is outside goes to its bounds.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

/* Bounds at inputs `first` and first + 1: scalars, or one element a channel. */
static gboolean
want_bounds (SluiceShapeContext *c, guint first, gboolean per_channel, GError **error)
{
  for (guint i = first; i < first + 2; i++)
    if (!sluice_shape_context_want_rank (c, i, per_channel ? 1 : 0, error))
      return FALSE;
  const SluiceShape *inputs = &c->inputs[first - 1];
  if (!per_channel || inputs->rank < 0)
    return TRUE;
  if (!sluice_shape_context_want_rank_at_least (c, first - 1, 1, error))
    return FALSE;
  SluiceShape channels = SLUICE_SHAPE (inputs->dim[inputs->rank - 1]);
  for (guint i = first; i < first + 2; i++)
    if (!sluice_shape_compatible (&channels, &c->inputs[i]))
      return sluice_shape_context_fail (
          c, error, "input %u must have one element for each of the %" G_GINT64_FORMAT " channels",
          i, channels.dim[0]);
  return TRUE;
}

static gboolean
vars_shape (SluiceShapeContext *c, GError **error)
{
  return want_bounds (c, 1, FALSE, error) && sluice_shape_unchanged (c, error);
}

static gboolean
channels_shape (SluiceShapeContext *c, GError **error)
{
  return want_bounds (c, 1, TRUE, error) && sluice_shape_unchanged (c, error);
}

static gboolean
args_gradient_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  if (!sluice_shape_context_merge (c, 0, 1, &shape, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
bounds_gradient_shape (SluiceShapeContext *c, gboolean per_channel, GError **error)
{
  if (!args_gradient_shape (c, error) || !want_bounds (c, 2, per_channel, error))
    return FALSE;
  for (guint i = 1; i < 3; i++)
    {
      SluiceShape bound = c->inputs[i + 1];
      if (bound.rank < 0)
        bound = sluice_shape_of_rank (per_channel ? 1 : 0);
      sluice_shape_context_set (c, i, &bound);
    }
  return TRUE;
}

static gboolean
vars_gradient_shape (SluiceShapeContext *c, GError **error)
{
  return bounds_gradient_shape (c, FALSE, error);
}

static gboolean
channels_gradient_shape (SluiceShapeContext *c, GError **error)
{
  return bounds_gradient_shape (c, TRUE, error);
}

static gboolean
args_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (
      g, 0,
      sluice_op_with (&g->b, "FakeQuantWithMinMaxArgsGradient",
                      SLUICE_ATTRS (sluice_grad_attr (g, "min"), sluice_grad_attr (g, "max"),
                                    sluice_grad_attr (g, "num_bits"),
                                    sluice_grad_attr (g, "narrow_range")),
                      sluice_grad_dy (g, 0), sluice_grad_input (g, 0)));
  return TRUE;
}

static gboolean
vars_gradient (SluiceGradContext *g, GError **error)
{
  g_autofree char *op = g_strconcat (g->node->op->name, "Gradient", NULL);
  SluiceEdge all = sluice_op_with (
      &g->b, op,
      SLUICE_ATTRS (sluice_grad_attr (g, "num_bits"), sluice_grad_attr (g, "narrow_range")),
      sluice_grad_dy (g, 0), sluice_grad_input (g, 0), sluice_grad_input (g, 1),
      sluice_grad_input (g, 2));
  for (int i = 0; i < 3; i++)
    sluice_grad_set (g, i, sluice_edge_port (all, i));
  return TRUE;
}

/* The gradient is a choice of what passes, and no derivative of steps: nothing to compare with. */
static const SluiceSample args_samples[] = {
  { "", "float[3,4] in (-9,9)", .no_gradient = TRUE },
  { "min=0.1; max=3.0; num_bits=3; narrow_range=true", "float[17]", .no_gradient = TRUE },
  { "", "float[0]", .no_gradient = TRUE },
};
static const SluiceRecipe args_recipe = { args_samples, G_N_ELEMENTS (args_samples) };

static const SluiceSample args_gradient_samples[] = {
  { "", "float[3,4]; float[3,4] in (-9,9)" },
};
static const SluiceRecipe args_gradient_recipe = { args_gradient_samples,
                                                   G_N_ELEMENTS (args_gradient_samples) };

static const SluiceSample vars_samples[] = {
  { "num_bits=4", "float[3,4] in (-3,3); float[]=-1; float[]=2", .no_gradient = TRUE },
  { "", "float[3]; float[]=0; float[]=0", .no_gradient = TRUE },
};
static const SluiceRecipe vars_recipe = { vars_samples, G_N_ELEMENTS (vars_samples) };

static const SluiceSample vars_gradient_samples[] = {
  { "", "float[3,4]; float[3,4] in (-3,3); float[]=-1; float[]=2" },
};
static const SluiceRecipe vars_gradient_recipe = { vars_gradient_samples,
                                                   G_N_ELEMENTS (vars_gradient_samples) };

static const SluiceSample channels_samples[] = {
  { "narrow_range=true", "float[2,3,2] in (-3,3); float[2]={-1,0}; float[2]={2,1}",
    .no_gradient = TRUE },
};
static const SluiceRecipe channels_recipe = { channels_samples, G_N_ELEMENTS (channels_samples) };

static const SluiceSample channels_gradient_samples[] = {
  { "", "float[5,2]; float[5,2] in (-3,3); float[2]={-1,0}; float[2]={2,1}" },
};
static const SluiceRecipe channels_gradient_recipe = { channels_gradient_samples,
                                                       G_N_ELEMENTS (channels_gradient_samples) };

#define BITS  "num_bits: int = 8; narrow_range: bool = false"
#define RANGE "min: float = -6.0; max: float = 6.0; " BITS
#define BOUND "inputs: float, min: float, max: float -> outputs: float"
#define BACK                                                                                       \
  "gradients: float, inputs: float, min: float, max: float -> backprops_wrt_input: float, "        \
  "backprop_wrt_min: float, backprop_wrt_max: float"

static const SluiceOpDef args_op = {
  .name = "FakeQuantWithMinMaxArgs",
  .signature = "inputs: float -> outputs: float",
  .attrs = RANGE,
  .summary = N_ ("Rounds to the steps of a quantised range"),
  .shape = sluice_shape_unchanged,
  .gradient = args_gradient,
  .recipe = &args_recipe,
};

static const SluiceOpDef args_gradient_op = {
  .name = "FakeQuantWithMinMaxArgsGradient",
  .signature = "gradients: float, inputs: float -> backprops: float",
  .attrs = RANGE,
  .summary = N_ ("Gradient of rounding to a quantised range"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = args_gradient_shape,
  .recipe = &args_gradient_recipe,
};

static const SluiceOpDef vars_op = {
  .name = "FakeQuantWithMinMaxVars",
  .signature = BOUND,
  .attrs = BITS,
  .summary = N_ ("Rounds to the steps of a quantised range that is computed"),
  .shape = vars_shape,
  .gradient = vars_gradient,
  .recipe = &vars_recipe,
};

static const SluiceOpDef vars_gradient_op = {
  .name = "FakeQuantWithMinMaxVarsGradient",
  .signature = BACK,
  .attrs = BITS,
  .summary = N_ ("Gradient of rounding to a quantised range that is computed"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = vars_gradient_shape,
  .recipe = &vars_gradient_recipe,
};

static const SluiceOpDef channels_op = {
  .name = "FakeQuantWithMinMaxVarsPerChannel",
  .signature = BOUND,
  .attrs = BITS,
  .summary = N_ ("Rounds to the steps of quantised ranges, one a channel"),
  .shape = channels_shape,
  .gradient = vars_gradient,
  .recipe = &channels_recipe,
};

static const SluiceOpDef channels_gradient_op = {
  .name = "FakeQuantWithMinMaxVarsPerChannelGradient",
  .signature = BACK,
  .attrs = BITS,
  .summary = N_ ("Gradient of rounding to quantised ranges, one a channel"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = channels_gradient_shape,
  .recipe = &channels_gradient_recipe,
};

static const SluiceOpDef *const ops[] = {
  &args_op, &args_gradient_op, &vars_op, &vars_gradient_op, &channels_op, &channels_gradient_op,
};

const SluiceKernelModule sluice_module_array_fake_quant = { .ops = ops,
                                                            .n_ops = G_N_ELEMENTS (ops) };
