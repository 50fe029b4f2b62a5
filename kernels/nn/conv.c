/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Conv2D: y[n,h,w,o] = Σ x[n, h s + i d - p, w s + j d - p, c] f[i,j,c,o], the cross-correlation,
 * and its two gradients, each of which is the gradient of the others. Filters are [height, width,
 * in, out]; values NHWC or NCHW. Fewer channels in the filter than in the input make groups.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "kernels/nn/window.h"

static gint64
dim_of (const SluiceShape *shape, int i)
{
  return shape->rank == 4 ? shape->dim[i] : SLUICE_UNKNOWN_DIM;
}

static gboolean
conv_shape (SluiceShapeContext *c, GError **error)
{
  SluiceWindow window;
  SluiceShape out = sluice_shape_of_rank (4);
  const SluiceShape *in = &c->inputs[0], *filter = &c->inputs[1];
  if (!sluice_shape_context_want_rank (c, 0, 4, error)
      || !sluice_shape_context_want_rank (c, 1, 4, error)
      || !sluice_window_parse (c->node, &window, error))
    return FALSE;
  gint64 channels = dim_of (in, sluice_window_channel_dim (&window)), depth = dim_of (filter, 2);
  if (channels > 0 && depth > 0 && channels % depth != 0)
    return sluice_shape_context_fail (
        c, error, "the input has %" G_GINT64_FORMAT " channels, the filter takes %" G_GINT64_FORMAT,
        channels, depth);
  out.dim[0] = dim_of (in, 0);
  out.dim[sluice_window_channel_dim (&window)] = dim_of (filter, 3);
  for (int axis = 0; axis < 2; axis++)
    {
      int dim = sluice_window_dim (&window, axis);
      if (!sluice_window_infer (&window, axis, dim_of (in, dim), dim_of (filter, axis),
                                &out.dim[dim], error))
        return FALSE;
    }
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* The output has the shape that an input holds. */
static gboolean
shape_from_sizes (SluiceShapeContext *c, guint input, GError **error)
{
  SluiceShape out = SLUICE_SHAPE_UNKNOWN;
  if (!sluice_shape_context_shape_from_input (c, input, &out, error))
    return FALSE;
  if (out.rank < 0)
    out = sluice_shape_of_rank (4);
  if (out.rank != 4)
    return sluice_shape_context_fail (c, error, "input %u must hold 4 sizes, not %d", input,
                                      out.rank);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
backprop_input_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 1, 4, error)
      || !sluice_shape_context_want_rank (c, 2, 4, error) || !shape_from_sizes (c, 0, error))
    return FALSE;
  if (c->outputs[0].shape.dim[0] < 0)
    c->outputs[0].shape.dim[0] = dim_of (&c->inputs[2], 0);
  return TRUE;
}

static gboolean
backprop_filter_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 4, error)
         && sluice_shape_context_want_rank (c, 2, 4, error) && shape_from_sizes (c, 1, error);
}

/* ---- gradients ---- */

/* A node of the family with the attributes of the forward node. */
static SluiceEdge
like (SluiceGradContext *g, const char *op, const SluiceEdge *inputs, guint n)
{
  static const char *const names[] = { "strides",     "padding",   "explicit_paddings",
                                       "data_format", "dilations", "use_cudnn_on_gpu" };
  SluiceAttr attrs[G_N_ELEMENTS (names)];
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    attrs[i] = sluice_attr_value (names[i], sluice_node_get_attr (g->node, names[i]));
  return sluice_builder_add (&g->b, op, NULL, inputs, n, attrs, G_N_ELEMENTS (names));
}
#define LIKE(g, op, ...)                                                                           \
  like ((g), (op), (SluiceEdge[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__))

static gboolean
conv_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), filter = sluice_grad_input (g, 1);
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0,
                   LIKE (g, "Conv2DBackpropInput", sluice_op (&g->b, "Shape", x), filter, dy));
  sluice_grad_set (g, 1,
                   LIKE (g, "Conv2DBackpropFilter", x, sluice_op (&g->b, "Shape", filter), dy));
  return TRUE;
}

static gboolean
backprop_input_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge filter = sluice_grad_input (g, 1), dy = sluice_grad_input (g, 2);
  SluiceEdge dd = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 1,
                   LIKE (g, "Conv2DBackpropFilter", dd, sluice_op (&g->b, "Shape", filter), dy));
  sluice_grad_set (g, 2, LIKE (g, "Conv2D", dd, filter));
  return TRUE;
}

static gboolean
backprop_filter_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), dy = sluice_grad_input (g, 2);
  SluiceEdge dd = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, LIKE (g, "Conv2DBackpropInput", sluice_op (&g->b, "Shape", x), dd, dy));
  sluice_grad_set (g, 2, LIKE (g, "Conv2D", x, dd));
  return TRUE;
}

/* ---- cost ---- */

/* All three ops multiply each element of the result of the forward op with each weight it sees. */
static void
conv_cost_of (const SluiceShape *y,
              const SluiceShape *filter,
              gint64 out_channels,
              const SluiceNode *node,
              double bytes,
              SluiceCost *cost)
{
  cost->flops = 2.0 * (double) sluice_shape_n_elements (y)
                * (double) sluice_shape_n_elements (filter) / (double) MAX (out_channels, 1);
  cost->bytes = bytes * (double) sluice_dtype_size (node->outputs[0].dtype);
}

static double
elements (const SluiceShape *shape)
{
  return (double) sluice_shape_n_elements (shape);
}

static void
conv_cost (const SluiceNode *node, const SluiceShape *in, const SluiceShape *out, SluiceCost *cost)
{
  conv_cost_of (&out[0], &in[1], in[1].dim[3], node,
                elements (&in[0]) + elements (&in[1]) + elements (&out[0]), cost);
}

static void
backprop_input_cost (const SluiceNode *node,
                     const SluiceShape *in,
                     const SluiceShape *out,
                     SluiceCost *cost)
{
  conv_cost_of (&in[2], &in[1], in[1].dim[3], node,
                elements (&in[1]) + elements (&in[2]) + elements (&out[0]), cost);
}

static void
backprop_filter_cost (const SluiceNode *node,
                      const SluiceShape *in,
                      const SluiceShape *out,
                      SluiceCost *cost)
{
  conv_cost_of (&in[2], &out[0], out[0].dim[3], node,
                elements (&in[0]) + elements (&in[2]) + elements (&out[0]), cost);
}

/* ---- definitions ---- */

#define UNIT "strides=[1,1,1,1]; padding="
static const SluiceSample conv_samples[] = {
  { UNIT "'SAME'", "float[2,5,6,3]; float[3,2,3,4]", 1e-5, 1e-5 },
  { UNIT "'VALID'", "float[1,7,7,1]; float[5,5,1,8]", 1e-5, 1e-5 },
  { "strides=[1,2,2,1]; padding='SAME'", "float[3,5,4,2]; float[3,3,2,5]", 1e-5, 1e-5 },
  { "strides=[1,2,1,1]; padding='VALID'", "float[1,6,5,2]; float[2,2,2,3]", 1e-5, 1e-5 },
  { "strides=[1,1,2,1]; padding='EXPLICIT'; explicit_paddings=[0,0,1,2,0,1,0,0]",
    "float[1,6,5,2]; float[3,3,2,2]", 1e-5, 1e-5 },
  { UNIT "'SAME'; dilations=[1,2,2,1]", "float[1,7,8,1]; float[3,3,1,2]", 1e-5, 1e-5 },
  { "strides=[1,1,1,1]; padding='SAME'; data_format='NCHW'", "float[1,2,5,6]; float[3,2,2,4]", 1e-5,
    1e-5 },
  { UNIT "'VALID'", "float[1,4,4,4]; float[2,2,2,4]", 1e-5, 1e-5 },
  { UNIT "'VALID'", "float[0,4,4,2]; float[2,2,2,3]", 0, 0, TRUE },
};
static const SluiceRecipe conv_recipe = { .samples = conv_samples,
                                          .n_samples = G_N_ELEMENTS (conv_samples),
                                          .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample input_samples[] = {
  { UNIT "'SAME'", "int32[4]={2,5,6,3}; float[3,2,3,4]; float[2,5,6,4]", 1e-5, 1e-5 },
  { UNIT "'VALID'", "int32[4]={1,7,7,1}; float[5,5,1,8]; float[1,3,3,8]", 1e-5, 1e-5 },
  { "strides=[1,2,2,1]; padding='SAME'", "int32[4]={3,5,4,2}; float[3,3,2,5]; float[3,3,2,5]", 1e-5,
    1e-5 },
};
static const SluiceRecipe input_recipe = { .samples = input_samples,
                                           .n_samples = G_N_ELEMENTS (input_samples),
                                           .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample filter_samples[] = {
  { UNIT "'SAME'", "float[2,5,6,3]; int32[4]={3,2,3,4}; float[2,5,6,4]", 1e-5, 1e-5 },
  { UNIT "'VALID'", "float[1,7,7,1]; int32[4]={5,5,1,8}; float[1,3,3,8]", 1e-5, 1e-5 },
  { "strides=[1,2,2,1]; padding='SAME'", "float[3,5,4,2]; int32[4]={3,3,2,5}; float[3,3,2,5]", 1e-5,
    1e-5 },
};
static const SluiceRecipe filter_recipe = { .samples = filter_samples,
                                            .n_samples = G_N_ELEMENTS (filter_samples),
                                            .dtypes = SLUICE_SET_FLOATS };

#define CONV_ATTRS                                                                                 \
  "T: {half, bfloat16, float, double, int32}; strides: list(int); "                                \
  "use_cudnn_on_gpu: bool = true; padding: {'SAME', 'VALID', 'EXPLICIT'}; "                        \
  "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; "                    \
  "dilations: list(int) = [1,1,1,1]"

static const SluiceOpDef conv_op = {
  .name = "Conv2D",
  .signature = "input: T, filter: T -> output: T",
  .attrs = CONV_ATTRS,
  .summary = N_ ("Convolution over two dimensions"),
  .shape = conv_shape,
  .gradient = conv_gradient,
  .cost = conv_cost,
  .recipe = &conv_recipe,
};

static const SluiceOpDef backprop_input_op = {
  .name = "Conv2DBackpropInput",
  .signature = "input_sizes: int32, filter: T, out_backprop: T -> output: T",
  .attrs = CONV_ATTRS,
  .summary = N_ ("Gradient of a convolution by its input; transposed convolution"),
  .shape = backprop_input_shape,
  .gradient = backprop_input_gradient,
  .cost = backprop_input_cost,
  .recipe = &input_recipe,
};

static const SluiceOpDef backprop_filter_op = {
  .name = "Conv2DBackpropFilter",
  .signature = "input: T, filter_sizes: int32, out_backprop: T -> output: T",
  .attrs = CONV_ATTRS,
  .summary = N_ ("Gradient of a convolution by its filter"),
  .shape = backprop_filter_shape,
  .gradient = backprop_filter_gradient,
  .cost = backprop_filter_cost,
  .recipe = &filter_recipe,
};

static const SluiceOpDef *const ops[] = { &conv_op, &backprop_input_op, &backprop_filter_op };

const SluiceKernelModule sluice_module_nn_conv = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
