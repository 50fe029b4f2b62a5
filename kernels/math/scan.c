/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Cumsum and Cumprod: sums and products of all elements up to each along one dimension; exclusive:
 * without its own, reverse: from the end.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/math/gradients.h"
#include "kernels/math/reduce.h"
#include "kernels/math/types.h"

static gboolean
scan_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &c->inputs[0]);
  return sluice_shape_context_want_rank (c, 1, 0, error);
}

/* Cumsum of e the other way round, along the same dimension. */
static SluiceEdge
sum_back (SluiceGradContext *g, SluiceEdge e)
{
  gboolean exclusive = sluice_node_get_bool (g->node, "exclusive");
  gboolean reverse = sluice_node_get_bool (g->node, "reverse");
  return sluice_op_with (&g->b, "Cumsum",
                         SLUICE_ATTRS (sluice_attr_bool ("exclusive", exclusive),
                                       sluice_attr_bool ("reverse", !reverse)),
                         e, sluice_grad_input (g, 1));
}

static gboolean
cumsum_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, sum_back (g, sluice_grad_dy (g, 0)));
  return TRUE;
}

/* As TensorFlow: 0 where x is 0. */
static gboolean
cumprod_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge products = sluice_grad_output (g, 0);
  SluiceEdge sum = sum_back (g, MAKE ("Mul", products, sluice_grad_dy (g, 0)));
  sluice_grad_set (g, 0, MAKE ("DivNoNan", sum, sluice_grad_input (g, 0)));
  return TRUE;
}

#define SCAN_ATTRS                                                                                 \
  "exclusive: bool = false; reverse: bool = false; T: {" SLUICE_NUMBER_TYPES "}; "                 \
  "Tidx: {int32, int64} = int32"

static const SluiceSample samples[] = {
  { NULL, "float[4,3,2] in (0.5,1.5); int32[]={1}", 1e-5, 1e-6 },
  { "exclusive=true", "float[4,3] in (0.5,1.5); int32[]={0}", 1e-5, 1e-6 },
  { "reverse=true", "float[4,3] in (0.5,1.5); int64[]={-1}", 1e-5, 1e-6 },
  { "exclusive=true; reverse=true", "float[5] in (0.5,1.5); int32[]={0}", 1e-5, 1e-6 },
  { NULL, "float[0,3]; int32[]={0}" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples), SLUICE_SET_NUMBER };

static const SluiceOpDef cumsum_op = {
  .name = "Cumsum",
  .signature = "x: T, axis: Tidx -> out: T",
  .attrs = SCAN_ATTRS,
  .summary = N_ ("Sums of all elements up to each"),
  .shape = scan_shape,
  .gradient = cumsum_gradient,
  .recipe = &recipe,
};
static const SluiceOpDef cumprod_op = {
  .name = "Cumprod",
  .signature = "x: T, axis: Tidx -> out: T",
  .attrs = SCAN_ATTRS,
  .summary = N_ ("Products of all elements up to each"),
  .shape = scan_shape,
  .gradient = cumprod_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &cumsum_op, &cumprod_op };

const SluiceKernelModule sluice_module_math_scan = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
