/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* ClipByValue: elements of t bounded by two tensors of its shape, or two scalars. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"
#include "kernels/math/gradients.h"
#include "kernels/math/types.h"

/* The sum of e, which has the shape of t, over what input i is spread over. */
static SluiceEdge
sum_to_input (SluiceGradContext *g, SluiceEdge e, SluiceEdge shape_t, guint i)
{
  SluiceEdge shape = MAKE ("Shape", sluice_grad_input (g, i));
  SluiceEdge axes = sluice_edge_port (MAKE ("BroadcastGradientArgs", shape_t, shape), 1);
  return MAKE ("Reshape", MAKE ("Sum", e, axes), shape);
}

static gboolean
clip_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge t = sluice_grad_input (g, 0), dy = sluice_grad_dy (g, 0);
  SluiceEdge zeros = MAKE ("ZerosLike", dy), shape = MAKE ("Shape", t);
  SluiceEdge below = MAKE ("Less", t, sluice_grad_input (g, 1));
  SluiceEdge above = MAKE ("Greater", t, sluice_grad_input (g, 2));
  SluiceEdge outside = MAKE ("LogicalOr", below, above);
  sluice_grad_set (g, 0, MAKE ("Select", outside, zeros, dy));
  sluice_grad_set (g, 1, sum_to_input (g, MAKE ("Select", below, dy, zeros), shape, 1));
  sluice_grad_set (g, 2, sum_to_input (g, MAKE ("Select", above, dy, zeros), shape, 2));
  return TRUE;
}

static const SluiceSample samples[] = {
  { NULL, "float[3,5] in (-3,3); float[]={-1}; float[]={1}" },
  { NULL, "float[3,5] in (-3,3); float[3,5] in (-2,-1); float[3,5] in (1,2)" },
  { NULL, "float[3,5] in (-3,3); float[3,5] in (-2,-1); float[]={1}" },
  { NULL, "float[0,5]; float[]={-1}; float[]={1}" },
  { NULL, "float[40000] in (-3,3); float[]={-1}; float[]={1}", .no_gradient = TRUE },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples),
                                     SLUICE_SET_FLOATS | SLUICE_SET_SIGNED };

static const SluiceOpDef clip_by_value = {
  .name = "ClipByValue",
  .signature = "t: T, clip_value_min: T, clip_value_max: T -> output: T",
  .attrs = "T: {" SLUICE_NUMBER_TYPES "}",
  .summary = N_ ("Bounds elements from below and above"),
  .shape = sluice_shape_unchanged,
  .gradient = clip_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &clip_by_value };

const SluiceKernelModule sluice_module_math_clip = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
