/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Dilation2D, grey-scale dilation: y[n,h,w,c] = max over i, j of x[n, h s + i r, w s + j r, c] +
 * f[i,j,c]. Its gradients go to the element and the weight that gave the maximum.
 */
#include <glib/gi18n-lib.h>

#include "engine/grad/grad.h"
#include "kernels/nn/sliding-window.h"

static gint64
dim_of (const SluiceShape *shape, int i)
{
  return shape->rank > i ? shape->dim[i] : SLUICE_UNKNOWN_DIM;
}

static gboolean
dilation_shape (SluiceShapeContext *c, GError **error)
{
  SluiceSlidingWindow window;
  const SluiceShape *in = &c->inputs[0], *filter = &c->inputs[1];
  gint64 sizes[SLUICE_AXES];
  if (!sluice_sliding_window_parse (c->node, &window, error)
      || !sluice_shape_context_want_rank (c, 0, 4, error)
      || !sluice_shape_context_want_rank (c, 1, 3, error))
    return FALSE;
  gint64 channels = dim_of (in, 3), depth = dim_of (filter, 2);
  if (channels >= 0 && depth >= 0 && channels != depth)
    return sluice_shape_context_fail (
        c, error, "the input has %" G_GINT64_FORMAT " channels, the filter %" G_GINT64_FORMAT,
        channels, depth);
  for (int axis = 1; axis < SLUICE_AXES; axis++)
    if (!sluice_sliding_window_infer (&window, axis, dim_of (in, axis), dim_of (filter, axis - 1),
                                      &sizes[axis], error))
      return FALSE;
  SluiceShape out = sluice_sliding_window_value (&window, dim_of (in, 0), sizes,
                                                 channels >= 0 ? channels : depth);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
input_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &c->inputs[0]);
  return TRUE;
}

static gboolean
filter_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &c->inputs[1]);
  return TRUE;
}

static gboolean
dilation_gradient (SluiceGradContext *g, GError **error)
{
  static const char *const names[] = { "strides", "rates", "padding" };
  static const char *const targets[] = { "Dilation2DBackpropInput", "Dilation2DBackpropFilter" };
  const SluiceEdge inputs[] = { sluice_grad_input (g, 0), sluice_grad_input (g, 1),
                                sluice_grad_dy (g, 0) };
  SluiceAttr attrs[G_N_ELEMENTS (names)];
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    attrs[i] = sluice_attr_value (names[i], sluice_node_get_attr (g->node, names[i]));
  for (guint i = 0; i < 2; i++)
    sluice_grad_set (
        g, i, sluice_builder_add (&g->b, targets[i], NULL, inputs, 3, attrs, G_N_ELEMENTS (attrs)));
  return TRUE;
}

#define PLAIN "strides=[1,1,1,1]; rates=[1,1,1,1]; padding='SAME'"
#define RATED "strides=[1,2,1,1]; rates=[1,1,2,1]; padding='VALID'"
static const SluiceSample samples[] = {
  { PLAIN, "float[2,5,6,3]; float[2,3,3]", 1e-6, 1e-6 },
  { RATED, "float[1,5,6,2]; float[2,3,2]", 1e-6, 1e-6 },
};
static const SluiceRecipe recipe = { .samples = samples,
                                     .n_samples = G_N_ELEMENTS (samples),
                                     .dtypes = SLUICE_SET_REAL };
static const SluiceSample grad_samples[] = {
  { PLAIN, "float[2,5,6,3]; float[2,3,3]; float[2,5,6,3]", 1e-6, 1e-6, TRUE },
  { RATED, "float[1,5,6,2]; float[2,3,2]; float[1,2,2,2]", 1e-6, 1e-6, TRUE },
};
static const SluiceRecipe grad_recipe = { .samples = grad_samples,
                                          .n_samples = G_N_ELEMENTS (grad_samples),
                                          .dtypes = SLUICE_SET_REAL };

#define ATTRS "T: real; strides: list(int) >= 4; rates: list(int) >= 4; padding: {'SAME', 'VALID'}"

static const SluiceOpDef dilation_op = {
  .name = "Dilation2D",
  .signature = "input: T, filter: T -> output: T",
  .attrs = ATTRS,
  .summary = N_ ("Grey-scale dilation: the largest sum of element and weight"),
  .shape = dilation_shape,
  .gradient = dilation_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef input_op = {
  .name = "Dilation2DBackpropInput",
  .signature = "input: T, filter: T, out_backprop: T -> in_backprop: T",
  .attrs = ATTRS,
  .summary = N_ ("Gradient of a dilation by its input"),
  .shape = input_shape,
  .recipe = &grad_recipe,
};

static const SluiceOpDef filter_op = {
  .name = "Dilation2DBackpropFilter",
  .signature = "input: T, filter: T, out_backprop: T -> filter_backprop: T",
  .attrs = ATTRS,
  .summary = N_ ("Gradient of a dilation by its filter"),
  .shape = filter_shape,
  .recipe = &grad_recipe,
};

static const SluiceOpDef *const ops[] = { &dilation_op, &input_op, &filter_op };

const SluiceKernelModule sluice_module_nn_dilation = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
