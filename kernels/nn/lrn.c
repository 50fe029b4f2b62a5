/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Local response normalisation: y = x / (bias + alpha Σ x²)^beta, the sum over depth_radius
 * channels on either side. alpha is not divided by their number.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

static gboolean
lrn_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape out = sluice_shape_of_rank (4);
  for (guint i = 0; i < c->n_inputs; i++)
    if (!sluice_shape_context_want_rank (c, i, 4, error))
      return FALSE;
  for (guint i = 0; i < c->n_inputs; i++)
    if (!sluice_shape_merge (&out, &c->inputs[i], &out))
      return sluice_shape_context_fail (c, error, "the inputs must all have one shape");
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
lrn_gradient (SluiceGradContext *g, GError **error)
{
  const char *names[] = { "depth_radius", "bias", "alpha", "beta" };
  SluiceAttr attrs[G_N_ELEMENTS (names)];
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    attrs[i] = sluice_attr_value (names[i], sluice_node_get_attr (g->node, names[i]));
  const SluiceEdge inputs[] = { sluice_grad_dy (g, 0), sluice_grad_input (g, 0),
                                sluice_grad_output (g, 0) };
  sluice_grad_set (g, 0,
                   sluice_builder_add (&g->b, "LRNGrad", NULL, inputs, G_N_ELEMENTS (inputs), attrs,
                                       G_N_ELEMENTS (attrs)));
  return TRUE;
}

#define TYPES SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET_HALVES
static const SluiceSample samples[] = {
  { "", "float[1,2,3,7]", 1e-5, 1e-6 },
  { "depth_radius=1; bias=2.0; alpha=0.01; beta=0.75", "float[2,1,2,17]", 1e-5, 1e-6 },
  { "depth_radius=2; alpha=0.5; beta=1.0", "float[2,3,2,3]", 1e-5, 1e-6 },
  { "", "float[0,2,3,7]", 0, 0, TRUE },
};
static const SluiceRecipe recipe = { .samples = samples,
                                     .n_samples = G_N_ELEMENTS (samples),
                                     .dtypes = TYPES };

static const SluiceSample grad_samples[] = {
  { "", "float[1,2,3,7]; float[1,2,3,7]; float[1,2,3,7]", 1e-5, 1e-5 },
  { "depth_radius=1; bias=2.0; alpha=0.01; beta=0.75",
    "float[2,1,2,5]; float[2,1,2,5]; float[2,1,2,5]", 1e-5, 1e-5 },
};
static const SluiceRecipe grad_recipe = { .samples = grad_samples,
                                          .n_samples = G_N_ELEMENTS (grad_samples),
                                          .dtypes = TYPES };

#define ATTRS                                                                                      \
  "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; "              \
  "T: {half, bfloat16, float} = float"

static const SluiceOpDef lrn_op = {
  .name = "LRN",
  .signature = "input: T -> output: T",
  .attrs = ATTRS,
  .summary = N_ ("Local response normalisation: by the squares of neighbouring channels"),
  .shape = lrn_shape,
  .gradient = lrn_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef lrn_grad_op = {
  .name = "LRNGrad",
  .signature = "input_grads: T, input_image: T, output_image: T -> output: T",
  .attrs = ATTRS,
  .summary = N_ ("Gradient of a local response normalisation"),
  .shape = lrn_shape,
  .recipe = &grad_recipe,
};

static const SluiceOpDef *const ops[] = { &lrn_op, &lrn_grad_op };

const SluiceKernelModule sluice_module_nn_lrn = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
