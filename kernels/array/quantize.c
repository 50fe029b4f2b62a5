/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * QuantizeAndDequantize, V2, V3 and V4: numbers rounded to what num_bits can tell apart in their
 * range, of the whole tensor or of each slice along an axis. The gradient passes as if nothing had
 * happened, that of V4 only between the bounds.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
quantize_shape (SluiceShapeContext *c, GError **error)
{
  gint64 axis =
      sluice_op_find_attr (c->node->op, "axis") ? sluice_node_get_int (c->node, "axis") : -1;
  if (axis < -1)
    return sluice_shape_context_fail (c, error,
                                      "axis is %" G_GINT64_FORMAT ", but must be -1 or more", axis);
  return sluice_shape_context_want_rank_at_least (c, 0, MIN (axis, SLUICE_MAX_RANK) + 1, error)
         && sluice_shape_unchanged (c, error);
}

/* Bounds at inputs 2 and 3, of whose shape their gradients are. */
static gboolean
quantize_grad_shape (SluiceShapeContext *c, GError **error)
{
  gint64 axis = sluice_node_get_int (c->node, "axis");
  SluiceShape shape, bounds;
  if (axis < -1)
    return sluice_shape_context_fail (c, error,
                                      "axis is %" G_GINT64_FORMAT ", but must be -1 or more", axis);
  if (!sluice_shape_context_want_rank (c, 2, axis == -1 ? 0 : 1, error)
      || !sluice_shape_context_want_rank (c, 3, axis == -1 ? 0 : 1, error)
      || !sluice_shape_context_merge (c, 2, 3, &bounds, error)
      || !sluice_shape_context_merge (c, 0, 1, &shape, error)
      || !sluice_shape_context_want_rank_at_least (c, 0, MIN (axis, SLUICE_MAX_RANK) + 1, error)
      || !sluice_shape_context_want_rank_at_least (c, 1, MIN (axis, SLUICE_MAX_RANK) + 1, error))
    return FALSE;
  if (bounds.rank < 0)
    bounds = sluice_shape_of_rank (axis == -1 ? 0 : 1);
  sluice_shape_context_set (c, 0, &shape);
  sluice_shape_context_set (c, 1, &bounds);
  sluice_shape_context_set (c, 2, &bounds);
  return TRUE;
}

static gboolean
v4_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge all =
      sluice_op_with (&g->b, "QuantizeAndDequantizeV4Grad",
                      SLUICE_ATTRS (sluice_grad_attr (g, "axis")), sluice_grad_dy (g, 0),
                      sluice_grad_input (g, 0), sluice_grad_input (g, 1), sluice_grad_input (g, 2));
  for (int i = 0; i < 3; i++)
    sluice_grad_set (g, i, sluice_edge_port (all, i));
  return TRUE;
}

/* Of the gradient that passed; the others are zeros. */
static gboolean
v4_grad_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge all =
      sluice_op_with (&g->b, "QuantizeAndDequantizeV4Grad",
                      SLUICE_ATTRS (sluice_grad_attr (g, "axis")), sluice_grad_dy (g, 0),
                      sluice_grad_input (g, 1), sluice_grad_input (g, 2), sluice_grad_input (g, 3));
  sluice_grad_set (g, 0, all);
  return TRUE;
}

/* Rounding has no slope: nothing to compare the gradient with. */
static const SluiceSample v1_samples[] = {
  { "", "float[3,4] in (-2,2)", 1e-5, 1e-6, TRUE },
  { "range_given=true; input_min=-1.0; input_max=1.5; num_bits=4", "float[17]", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe v1_recipe = { v1_samples, G_N_ELEMENTS (v1_samples), SLUICE_SET_FLOATS };

static const SluiceSample v2_samples[] = {
  { "", "float[3,4] in (-2,2); float[]=0; float[]=0", 1e-5, 1e-6, TRUE },
  { "range_given=true; narrow_range=true; round_mode='HALF_UP'; num_bits=5",
    "float[17] in (-2,2); float[]=-1; float[]=1.5", 1e-5, 1e-6, TRUE },
  { "axis=1; signed_input=false", "float[2,3,2]; float[]=0; float[]=0", 1e-5, 1e-6, TRUE },
  { "", "float[0]; float[]=0; float[]=0", 0, 0, TRUE },
};
static const SluiceRecipe v2_recipe = { v2_samples, G_N_ELEMENTS (v2_samples), SLUICE_SET_FLOATS };

static const SluiceSample v3_samples[] = {
  { "", "float[3,4] in (-2,2); float[]=-1; float[]=1; int32[]={6}", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe v3_recipe = { v3_samples, G_N_ELEMENTS (v3_samples), SLUICE_SET_FLOATS };

static const SluiceSample v4_samples[] = {
  { "range_given=true", "float[3,4] in (-2,2); float[]=-1; float[]=1", 1e-5, 1e-6, TRUE },
  { "range_given=true; axis=1; num_bits=3; narrow_range=true",
    "float[2,3,2] in (-2,2); float[3]=-1; float[3]=1.5", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe v4_recipe = { v4_samples, G_N_ELEMENTS (v4_samples), SLUICE_SET_FLOATS };

static const SluiceSample v4_grad_samples[] = {
  { "", "float[3,4]; float[3,4] in (-2,2); float[]=-1; float[]=1", 1e-6, 1e-6, TRUE },
  { "axis=1", "float[2,3,2]; float[2,3,2] in (-2,2); float[3]=-1; float[3]=1", 1e-6, 1e-6, TRUE },
};
static const SluiceRecipe v4_grad_recipe = { v4_grad_samples, G_N_ELEMENTS (v4_grad_samples),
                                             SLUICE_SET_FLOATS };

#define FLOATS "T: {bfloat16, half, float, double}"
#define ROUNDED                                                                                    \
  "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; " FLOATS               \
  "; round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'; "                                   \
  "narrow_range: bool = false; axis: int = -1"
#define SUMMARY N_ ("Rounds to what a number of bits can tell apart")

static const SluiceOpDef v1_op = {
  .name = "QuantizeAndDequantize",
  .signature = "input: T -> output: T",
  .attrs = "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; "
           "input_min: float = 0.0; input_max: float = 0.0; " FLOATS,
  .summary = SUMMARY,
  .shape = quantize_shape,
  .gradient = sluice_grad_pass,
  .recipe = &v1_recipe,
};

static const SluiceOpDef v2_op = {
  .name = "QuantizeAndDequantizeV2",
  .signature = "input: T, input_min: T, input_max: T -> output: T",
  .attrs = ROUNDED,
  .summary = SUMMARY,
  .shape = quantize_shape,
  .gradient = sluice_grad_pass,
  .recipe = &v2_recipe,
};

static const SluiceOpDef v3_op = {
  .name = "QuantizeAndDequantizeV3",
  .signature = "input: T, input_min: T, input_max: T, num_bits: int32 -> output: T",
  .attrs = "signed_input: bool = true; range_given: bool = true; " FLOATS
           "; narrow_range: bool = false; axis: int = -1",
  .summary = SUMMARY,
  .shape = quantize_shape,
  .gradient = sluice_grad_pass,
  .recipe = &v3_recipe,
};

static const SluiceOpDef v4_op = {
  .name = "QuantizeAndDequantizeV4",
  .signature = "input: T, input_min: T, input_max: T -> output: T",
  .attrs = ROUNDED,
  .summary = SUMMARY,
  .shape = quantize_shape,
  .gradient = v4_gradient,
  .recipe = &v4_recipe,
};

static const SluiceOpDef v4_grad_op = {
  .name = "QuantizeAndDequantizeV4Grad",
  .signature = "gradients: T, input: T, input_min: T, input_max: T -> input_backprop: T, "
               "input_min_backprop: T, input_max_backprop: T",
  .attrs = FLOATS "; axis: int = -1",
  .summary = N_ ("Gradient of QuantizeAndDequantizeV4: what was within the bounds"),
  .shape = quantize_grad_shape,
  .gradient = v4_grad_gradient,
  .recipe = &v4_grad_recipe,
};

static const SluiceOpDef *const ops[] = { &v1_op, &v2_op, &v3_op, &v4_op, &v4_grad_op };

const SluiceKernelModule sluice_module_array_quantize = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
