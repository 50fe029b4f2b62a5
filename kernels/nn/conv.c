/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Conv2D: y[n,h,w,o] = Σ x[n, h s + i d - p, w s + j d - p, c] f[i,j,c,o], the cross-correlation,
 * and its two gradients, each of which is the gradient of the others. Filters are [height, width,
 * in, out]; values NHWC or NCHW. Fewer channels in the filter than in the input make groups.
 * Conv3D is the same over volumes, DepthwiseConv2dNative with filters [height, width, in,
 * multiplier] for each channel by itself.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "kernels/nn/sliding-window.h"

static gint64
dim_of (const SluiceShape *shape, int i)
{
  return shape->rank > i ? shape->dim[i] : SLUICE_UNKNOWN_DIM;
}

static gboolean
output_channels (SluiceShapeContext *c,
                 const SluiceSlidingWindow *window,
                 gint64 *out,
                 GError **error)
{
  int rank = sluice_sliding_window_rank (window);
  gint64 channels = dim_of (&c->inputs[0], sluice_sliding_window_channel_dim (window));
  gint64 depth = dim_of (&c->inputs[1], rank - 2), last = dim_of (&c->inputs[1], rank - 1);
  gboolean grouped = !window->depthwise && window->first_axis > 0;
  if (channels > 0 && depth > 0 && (grouped ? channels % depth != 0 : channels != depth))
    return sluice_shape_context_fail (
        c, error, "the input has %" G_GINT64_FORMAT " channels, the filter takes %" G_GINT64_FORMAT,
        channels, depth);
  *out = last;
  if (window->depthwise)
    {
      gint64 each = channels >= 0 ? channels : depth;
      *out = each >= 0 && last >= 0 ? each * last : SLUICE_UNKNOWN_DIM;
      if (*out > 0 && each > G_MAXINT32 && last > G_MAXINT32)
        return sluice_shape_context_fail (c, error, "the output has too many channels");
    }
  return TRUE;
}

static gboolean
conv_shape (SluiceShapeContext *c, GError **error)
{
  SluiceSlidingWindow window;
  const SluiceShape *in = &c->inputs[0], *filter = &c->inputs[1];
  gint64 sizes[SLUICE_AXES], channels = SLUICE_UNKNOWN_DIM;
  if (!sluice_sliding_window_parse (c->node, &window, error))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (!sluice_shape_context_want_rank (c, i, sluice_sliding_window_rank (&window), error))
      return FALSE;
  if (!output_channels (c, &window, &channels, error))
    return FALSE;
  for (int axis = window.first_axis; axis < SLUICE_AXES; axis++)
    if (!sluice_sliding_window_infer (
            &window, axis, dim_of (in, sluice_sliding_window_dim (&window, axis)),
            dim_of (filter, axis - window.first_axis), &sizes[axis], error))
      return FALSE;
  SluiceShape out = sluice_sliding_window_value (&window, dim_of (in, 0), sizes, channels);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* The output has the shape that an input holds; the two others are values. */
static gboolean
shape_from_sizes (SluiceShapeContext *c, guint input, GError **error)
{
  SluiceSlidingWindow window;
  SluiceShape out = SLUICE_SHAPE_UNKNOWN;
  if (!sluice_sliding_window_parse (c->node, &window, error))
    return FALSE;
  int rank = sluice_sliding_window_rank (&window);
  for (guint i = 0; i < 3; i++)
    if (i != input && !sluice_shape_context_want_rank (c, i, rank, error))
      return FALSE;
  if (!sluice_shape_context_shape_from_input (c, input, &out, error))
    return FALSE;
  if (out.rank < 0)
    out = sluice_shape_of_rank (rank);
  if (out.rank != rank)
    return sluice_shape_context_fail (c, error, "input %u must hold %d sizes, not %d", input, rank,
                                      out.rank);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
backprop_input_shape (SluiceShapeContext *c, GError **error)
{
  if (!shape_from_sizes (c, 0, error))
    return FALSE;
  if (c->outputs[0].shape.dim[0] < 0)
    c->outputs[0].shape.dim[0] = dim_of (&c->inputs[2], 0);
  return TRUE;
}

static gboolean
backprop_filter_shape (SluiceShapeContext *c, GError **error)
{
  return shape_from_sizes (c, 1, error);
}

/* ---- gradients ---- */

typedef struct
{
  const char *forward, *input, *filter;
} Family;

static const Family families[] = {
  { "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter" },
  { "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter" },
  { "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2" },
};

static const Family *
family_of (const SluiceNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (g_str_has_prefix (node->op_name, families[i].forward))
      return &families[i];
  g_assert_not_reached ();
}

/* A node of the family with the attributes of the forward node. */
static SluiceEdge
like (SluiceGradContext *g, const char *op, SluiceEdge a, SluiceEdge b, SluiceEdge c)
{
  static const char *const names[] = { "strides",     "padding",   "explicit_paddings",
                                       "data_format", "dilations", "use_cudnn_on_gpu" };
  SluiceAttr attrs[G_N_ELEMENTS (names)];
  const SluiceEdge inputs[] = { a, b, c };
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (sluice_node_get_attr (g->node, names[i]))
      attrs[n++] = sluice_attr_value (names[i], sluice_node_get_attr (g->node, names[i]));
  return sluice_builder_add (&g->b, op, NULL, inputs, c.node ? 3 : 2, attrs, n);
}

static gboolean
conv_gradient (SluiceGradContext *g, GError **error)
{
  const Family *family = family_of (g->node);
  SluiceEdge x = sluice_grad_input (g, 0), filter = sluice_grad_input (g, 1);
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, like (g, family->input, sluice_op (&g->b, "Shape", x), filter, dy));
  sluice_grad_set (g, 1, like (g, family->filter, x, sluice_op (&g->b, "Shape", filter), dy));
  return TRUE;
}

static gboolean
backprop_input_gradient (SluiceGradContext *g, GError **error)
{
  const Family *family = family_of (g->node);
  SluiceEdge filter = sluice_grad_input (g, 1), dy = sluice_grad_input (g, 2);
  SluiceEdge dd = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 1, like (g, family->filter, dd, sluice_op (&g->b, "Shape", filter), dy));
  sluice_grad_set (g, 2, like (g, family->forward, dd, filter, SLUICE_NO_EDGE));
  return TRUE;
}

static gboolean
backprop_filter_gradient (SluiceGradContext *g, GError **error)
{
  const Family *family = family_of (g->node);
  SluiceEdge x = sluice_grad_input (g, 0), dy = sluice_grad_input (g, 2);
  SluiceEdge dd = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, like (g, family->input, sluice_op (&g->b, "Shape", x), dd, dy));
  sluice_grad_set (g, 2, like (g, family->forward, x, dd, SLUICE_NO_EDGE));
  return TRUE;
}

/* ---- cost ---- */

static double
elements (const SluiceShape *shape)
{
  return (double) sluice_shape_n_elements (shape);
}

/* All three ops multiply each element of the result of the forward op with each weight it sees. */
static void
conv_cost_of (const SluiceNode *node,
              const SluiceShape *x,
              const SluiceShape *filter,
              const SluiceShape *y,
              SluiceCost *cost)
{
  gint64 outs = filter->dim[filter->rank - 1];
  if (g_str_has_prefix (node->op_name, "Depthwise"))
    outs *= filter->dim[filter->rank - 2];
  cost->flops = 2 * elements (y) * elements (filter) / (double) MAX (outs, 1);
  cost->bytes = (elements (x) + elements (filter) + elements (y))
                * (double) sluice_dtype_size (node->outputs[0].dtype);
}

static void
conv_cost (const SluiceNode *node, const SluiceShape *in, const SluiceShape *out, SluiceCost *cost)
{
  conv_cost_of (node, &in[0], &in[1], &out[0], cost);
}

static void
backprop_input_cost (const SluiceNode *node,
                     const SluiceShape *in,
                     const SluiceShape *out,
                     SluiceCost *cost)
{
  conv_cost_of (node, &out[0], &in[1], &in[2], cost);
}

static void
backprop_filter_cost (const SluiceNode *node,
                      const SluiceShape *in,
                      const SluiceShape *out,
                      SluiceCost *cost)
{
  conv_cost_of (node, &in[0], &out[0], &in[2], cost);
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

static const SluiceSample depthwise_samples[] = {
  { UNIT "'SAME'", "float[2,5,6,3]; float[3,2,3,1]", 1e-5, 1e-5 },
  { UNIT "'VALID'", "float[1,7,7,17]; float[3,3,17,2]", 1e-5, 1e-5 },
  { "strides=[1,2,2,1]; padding='SAME'", "float[3,5,4,2]; float[3,3,2,3]", 1e-5, 1e-5 },
  { UNIT "'SAME'; data_format='NCHW'", "float[1,2,5,6]; float[3,2,2,2]", 1e-5, 1e-5 },
  { UNIT "'VALID'", "float[0,4,4,2]; float[2,2,2,3]", 0, 0, TRUE },
};
static const SluiceRecipe depthwise_recipe = { .samples = depthwise_samples,
                                               .n_samples = G_N_ELEMENTS (depthwise_samples),
                                               .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample depthwise_input_samples[] = {
  { UNIT "'SAME'", "int32[4]={2,5,6,3}; float[3,2,3,2]; float[2,5,6,6]", 1e-5, 1e-5 },
  { "strides=[1,2,2,1]; padding='VALID'", "int32[4]={1,7,7,17}; float[3,3,17,1]; float[1,3,3,17]",
    1e-5, 1e-5 },
};
static const SluiceRecipe depthwise_input_recipe = { .samples = depthwise_input_samples,
                                                     .n_samples =
                                                         G_N_ELEMENTS (depthwise_input_samples),
                                                     .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample depthwise_filter_samples[] = {
  { UNIT "'SAME'", "float[2,5,6,3]; int32[4]={3,2,3,2}; float[2,5,6,6]", 1e-5, 1e-5 },
  { "strides=[1,2,2,1]; padding='VALID'", "float[1,7,7,17]; int32[4]={3,3,17,1}; float[1,3,3,17]",
    1e-5, 1e-5 },
};
static const SluiceRecipe depthwise_filter_recipe = { .samples = depthwise_filter_samples,
                                                      .n_samples =
                                                          G_N_ELEMENTS (depthwise_filter_samples),
                                                      .dtypes = SLUICE_SET_FLOATS };

#define UNIT_3D "strides=[1,1,1,1,1]; padding="
#define BY_TWO  "strides=[1,2,2,2,1]; padding="
static const SluiceSample volume_samples[] = {
  { UNIT_3D "'SAME'", "float[1,3,4,4,2]; float[2,3,2,2,3]", 1e-5, 1e-5 },
  { BY_TWO "'VALID'", "float[2,3,5,4,1]; float[2,1,3,1,2]", 1e-5, 1e-5 },
  { UNIT_3D "'SAME'; data_format='NCDHW'", "float[1,2,3,4,4]; float[2,2,3,2,1]", 1e-5, 1e-5 },
};
static const SluiceRecipe volume_recipe = { .samples = volume_samples,
                                            .n_samples = G_N_ELEMENTS (volume_samples),
                                            .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample volume_input_samples[] = {
  { UNIT_3D "'SAME'", "int32[5]={1,3,4,4,2}; float[2,3,2,2,3]; float[1,3,4,4,3]", 1e-5, 1e-5 },
  { BY_TWO "'VALID'", "int32[5]={2,3,5,4,1}; float[2,1,3,1,2]; float[2,1,3,1,2]", 1e-5, 1e-5 },
};
static const SluiceRecipe volume_input_recipe = { .samples = volume_input_samples,
                                                  .n_samples = G_N_ELEMENTS (volume_input_samples),
                                                  .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample volume_filter_samples[] = {
  { UNIT_3D "'SAME'", "float[1,3,4,4,2]; int32[5]={2,3,2,2,3}; float[1,3,4,4,3]", 1e-5, 1e-5 },
  { BY_TWO "'VALID'", "float[2,3,5,4,1]; int32[5]={2,1,3,1,2}; float[2,1,3,1,2]", 1e-5, 1e-5 },
};
static const SluiceRecipe volume_filter_recipe = { .samples = volume_filter_samples,
                                                   .n_samples =
                                                       G_N_ELEMENTS (volume_filter_samples),
                                                   .dtypes = SLUICE_SET_FLOATS };

#define FLOATS "T: {half, bfloat16, float, double}; "
#define EXPLICIT                                                                                   \
  "padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; "                    \
  "data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1,1,1,1]"
#define IMAGES                                                                                     \
  "T: {half, bfloat16, float, double, int32}; strides: list(int); "                                \
  "use_cudnn_on_gpu: bool = true; " EXPLICIT
#define IMAGES_OF_FLOATS FLOATS "strides: list(int); use_cudnn_on_gpu: bool = true; " EXPLICIT
#define DEPTHWISE        FLOATS "strides: list(int); " EXPLICIT
#define VOLUMES                                                                                    \
  FLOATS "strides: list(int) >= 5; padding: {'SAME', 'VALID'}; "                                   \
         "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; dilations: list(int) = [1,1,1,1,1]"

#define DEFINE(id, op_name, its_signature, attributes, text, what, its_recipe)                     \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = its_signature,                                                                    \
    .attrs = attributes,                                                                           \
    .summary = text,                                                                               \
    .shape = what##_shape,                                                                         \
    .gradient = what##_gradient,                                                                   \
    .cost = what##_cost,                                                                           \
    .recipe = &its_recipe,                                                                         \
  }
#define FORWARD "input: T, filter: T -> output: T"
#define INPUT   "input_sizes: int32, filter: T, out_backprop: T -> output: T"
#define FILTER  "input: T, filter_sizes: int32, out_backprop: T -> output: T"

/* clang-format off */
DEFINE (conv_op, "Conv2D", FORWARD, IMAGES, N_ ("Convolution over two dimensions"), conv,
        conv_recipe);
DEFINE (input_op, "Conv2DBackpropInput", INPUT, IMAGES,
        N_ ("Gradient of a convolution by its input; transposed convolution"), backprop_input,
        input_recipe);
DEFINE (filter_op, "Conv2DBackpropFilter", FILTER, IMAGES_OF_FLOATS,
        N_ ("Gradient of a convolution by its filter"), backprop_filter, filter_recipe);
DEFINE (depthwise_op, "DepthwiseConv2dNative", FORWARD, DEPTHWISE,
        N_ ("Convolution of each channel by itself"), conv, depthwise_recipe);
DEFINE (depthwise_input_op, "DepthwiseConv2dNativeBackpropInput", INPUT, DEPTHWISE,
        N_ ("Gradient of a depthwise convolution by its input"), backprop_input,
        depthwise_input_recipe);
DEFINE (depthwise_filter_op, "DepthwiseConv2dNativeBackpropFilter", FILTER, DEPTHWISE,
        N_ ("Gradient of a depthwise convolution by its filter"), backprop_filter,
        depthwise_filter_recipe);
DEFINE (volume_op, "Conv3D", FORWARD, VOLUMES, N_ ("Convolution over three dimensions"), conv,
        volume_recipe);
DEFINE (volume_input_op, "Conv3DBackpropInputV2",
        "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
        VOLUMES "; Tshape: index = int32",
        N_ ("Gradient of a convolution of volumes by its input"), backprop_input,
        volume_input_recipe);
DEFINE (volume_filter_op, "Conv3DBackpropFilterV2", FILTER, VOLUMES,
        N_ ("Gradient of a convolution of volumes by its filter"), backprop_filter,
        volume_filter_recipe);
/* clang-format on */

static const SluiceOpDef *const ops[] = {
  &conv_op,      &input_op,           &filter_op,
  &depthwise_op, &depthwise_input_op, &depthwise_filter_op,
  &volume_op,    &volume_input_op,    &volume_filter_op,
};

const SluiceKernelModule sluice_module_nn_conv = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
