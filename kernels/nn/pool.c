/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Pools: the largest or the mean of each window. The gradient of a maximum goes to the first
 * element that has it, in row-major order; a mean divides by the cells that lie inside.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "kernels/nn/sliding-window.h"

/* ---- shapes ---- */

static gboolean
pooled (SluiceShapeContext *c, const SluiceSlidingWindow *window, GError **error)
{
  SluiceShape out = sluice_shape_of_rank (sluice_sliding_window_rank (window));
  const SluiceShape *in = &c->inputs[0];
  if (in->rank == out.rank)
    {
      int channel = sluice_sliding_window_channel_dim (window);
      out.dim[0] = in->dim[0];
      out.dim[channel] = in->dim[channel];
      if (in->dim[channel] >= 0)
        out.dim[channel] /= window->depth;
      for (int axis = window->first_axis; axis < SLUICE_AXES; axis++)
        {
          int dim = sluice_sliding_window_dim (window, axis);
          if (!sluice_sliding_window_infer (window, axis, in->dim[dim], window->size[axis],
                                            &out.dim[dim], error))
            return FALSE;
        }
    }
  for (guint i = 0; i < c->n_outputs; i++)
    sluice_shape_context_set (c, i, &out);
  return TRUE;
}

static gboolean
pool_shape (SluiceShapeContext *c, GError **error)
{
  SluiceSlidingWindow window;
  return sluice_sliding_window_parse (c->node, &window, error)
         && sluice_shape_context_want_rank (c, 0, sluice_sliding_window_rank (&window), error)
         && pooled (c, &window, error);
}

/* The sizes of the window are inputs: known where these are constants. */
static gboolean
pool_v2_shape (SluiceShapeContext *c, GError **error)
{
  SluiceSlidingWindow window;
  if (!sluice_shape_context_want_rank (c, 0, 4, error)
      || !sluice_sliding_window_parse (c->node, &window, error))
    return FALSE;
  const SluiceTensor *sizes = sluice_shape_context_constant (c, c->n_inputs - 2);
  const SluiceTensor *strides = sluice_shape_context_constant (c, c->n_inputs - 1);
  if (!sizes || !strides || sizes->n_elements != 4 || strides->n_elements != 4)
    {
      sluice_shape_context_set (c, 0, &SLUICE_SHAPE (-1, -1, -1, -1));
      return TRUE;
    }
  gint64 size[4], stride[4];
  for (int i = 0; i < 4; i++)
    {
      size[i] = sluice_tensor_get_int (sizes, i);
      stride[i] = sluice_tensor_get_int (strides, i);
    }
  return sluice_sliding_window_set (&window, c->node, size, stride, error)
         && pooled (c, &window, error);
}

static gboolean
max_grad_shape (SluiceShapeContext *c, GError **error)
{
  SluiceSlidingWindow window;
  if (!sluice_sliding_window_parse (c->node, &window, error))
    return FALSE;
  int rank = sluice_sliding_window_rank (&window);
  if (!sluice_shape_context_want_rank (c, 0, rank, error))
    return FALSE;
  SluiceShape out = c->inputs[0].rank < 0 ? sluice_shape_of_rank (rank) : c->inputs[0];
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* That of the maxima: of input 1, and what the pool over input 0 tells. */
static gboolean
max_grad_grad_shape (SluiceShapeContext *c, GError **error)
{
  if (!(c->n_inputs > 3 ? pool_v2_shape : pool_shape) (c, error))
    return FALSE;
  SluiceShape *out = &c->outputs[0].shape;
  return sluice_shape_merge (out, &c->inputs[1], out)
         || sluice_shape_context_fail (c, error,
                                       "orig_output has not the shape of the pool over orig_input");
}

static gboolean
avg_grad_shape (SluiceShapeContext *c, GError **error)
{
  SluiceSlidingWindow window;
  SluiceShape out = SLUICE_SHAPE_UNKNOWN;
  if (!sluice_sliding_window_parse (c->node, &window, error)
      || !sluice_shape_context_shape_from_input (c, 0, &out, error))
    return FALSE;
  if (out.rank < 0)
    out = sluice_shape_of_rank (sluice_sliding_window_rank (&window));
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* ---- gradients ---- */

/* The ops of a pool by the degree of the gradient. */
typedef struct
{
  const char *forward, *grad, *grad_grad;
} Family;

static const Family max_family = { "MaxPool", "MaxPoolGrad", "MaxPoolGradGrad" };
static const Family max_v2_family = { "MaxPoolV2", "MaxPoolGradV2", "MaxPoolGradGradV2" };
static const Family max_3d_family = { "MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad" };

static const Family *
max_family_of (const SluiceNode *node)
{
  if (strstr (node->op_name, "3D"))
    return &max_3d_family;
  return g_str_has_suffix (node->op_name, "V2") ? &max_v2_family : &max_family;
}

/* A node with the attributes that both it and the forward node have, and, of a V2 op, its sizes. */
static SluiceEdge
like (SluiceGradContext *g, const char *op, const SluiceEdge *inputs, guint n)
{
  static const char *const names[] = {
    "ksize", "strides", "padding", "data_format", "explicit_paddings", "include_batch_in_index"
  };
  const SluiceOp *target = sluice_registry_find (op);
  SluiceEdge all[5];
  SluiceAttr attrs[G_N_ELEMENTS (names)];
  guint n_attrs = 0;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const SluiceAttrValue *value = sluice_node_get_attr (g->node, names[i]);
      if (value && target && sluice_op_find_attr (target, names[i]))
        attrs[n_attrs++] = sluice_attr_value (names[i], value);
    }
  memcpy (all, inputs, n * sizeof *all);
  if (sluice_node_get_attr (g->node, "ksize") == NULL)
    for (guint i = 2; i > 0; i--)
      all[n++] = sluice_grad_input (g, g->node->n_inputs - i);
  return sluice_builder_add (&g->b, op, NULL, all, n, attrs, n_attrs);
}
#define LIKE(g, op, ...)                                                                           \
  like ((g), (op), (SluiceEdge[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__))

static gboolean
max_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   LIKE (g, max_family_of (g->node)->grad, sluice_grad_input (g, 0),
                         sluice_grad_output (g, 0), sluice_grad_dy (g, 0)));
  return TRUE;
}

/* Linear in the third input; where the maxima are does not change with the others. */
static gboolean
linear_gradient (SluiceGradContext *g, const char *op)
{
  for (guint i = 0; i < 2; i++)
    sluice_grad_set (g, i, sluice_op (&g->b, "ZerosLike", sluice_grad_input (g, i)));
  sluice_grad_set (
      g, 2,
      LIKE (g, op, sluice_grad_input (g, 0), sluice_grad_input (g, 1), sluice_grad_dy (g, 0)));
  return TRUE;
}

static gboolean
max_grad_gradient (SluiceGradContext *g, GError **error)
{
  return linear_gradient (g, max_family_of (g->node)->grad_grad);
}

static gboolean
max_grad_grad_gradient (SluiceGradContext *g, GError **error)
{
  return linear_gradient (g, max_family_of (g->node)->grad);
}

static gboolean
max_arg_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   LIKE (g, "MaxPoolGradWithArgmax", sluice_grad_input (g, 0),
                         sluice_grad_dy (g, 0), sluice_grad_output (g, 1)));
  return TRUE;
}

static gboolean
avg_gradient (SluiceGradContext *g, GError **error)
{
  gboolean volume = g_str_has_suffix (g->node->op_name, "3D");
  SluiceEdge shape = sluice_op (&g->b, "Shape", sluice_grad_input (g, 0));
  sluice_grad_set (
      g, 0, LIKE (g, volume ? "AvgPool3DGrad" : "AvgPoolGrad", shape, sluice_grad_dy (g, 0)));
  return TRUE;
}

static gboolean
avg_grad_gradient (SluiceGradContext *g, GError **error)
{
  gboolean volume = strstr (g->node->op_name, "3D") != NULL;
  sluice_grad_set (g, 1, LIKE (g, volume ? "AvgPool3D" : "AvgPool", sluice_grad_dy (g, 0)));
  return TRUE;
}

/* ---- definitions ---- */

#define TWO  "ksize=[1,2,2,1]; strides=[1,2,2,1]; padding="
#define WIDE "ksize=[1,3,2,1]; strides=[1,1,2,1]; padding="
static const SluiceSample pool_samples[] = {
  { TWO "'SAME'", "float[2,5,6,3]", 1e-5, 1e-6 },
  { WIDE "'VALID'", "float[1,7,6,2]", 1e-5, 1e-6 },
  { "ksize=[1,1,2,2]; strides=[1,1,2,2]; padding='SAME'; data_format='NCHW'", "float[2,3,5,6]",
    1e-5, 1e-6 },
  { TWO "'SAME'", "float[0,4,4,1]", 0, 0, TRUE },
};
static const SluiceRecipe max_recipe = { .samples = pool_samples,
                                         .n_samples = G_N_ELEMENTS (pool_samples),
                                         .dtypes = SLUICE_SET_REAL };
static const SluiceRecipe avg_recipe = { .samples = pool_samples,
                                         .n_samples = G_N_ELEMENTS (pool_samples),
                                         .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample max_v2_samples[] = {
  { "padding='SAME'", "float[2,5,6,3]; int32[4]={1,2,2,1}; int32[4]={1,2,2,1}", 0, 0 },
};
static const SluiceRecipe max_v2_recipe = { .samples = max_v2_samples,
                                            .n_samples = G_N_ELEMENTS (max_v2_samples) };

static const SluiceSample max_grad_samples[] = {
  { TWO "'SAME'", "float[2,5,6,3]; float[2,3,3,3]; float[2,3,3,3]", 0, 0, TRUE },
  { WIDE "'VALID'", "float[1,7,6,2]; float[1,5,3,2]; float[1,5,3,2]", 0, 0, TRUE },
};
static const SluiceRecipe max_grad_recipe = { .samples = max_grad_samples,
                                              .n_samples = G_N_ELEMENTS (max_grad_samples),
                                              .dtypes = SLUICE_SET_REAL };

static const SluiceSample max_grad_v2_samples[] = {
  { "padding='SAME'",
    "float[2,5,6,3]; float[2,3,3,3]; float[2,3,3,3]; int32[4]={1,2,2,1}; int32[4]={1,2,2,1}", 0, 0,
    TRUE },
};
static const SluiceRecipe max_grad_v2_recipe = { .samples = max_grad_v2_samples,
                                                 .n_samples = G_N_ELEMENTS (max_grad_v2_samples) };

static const SluiceSample max_grad_grad_samples[] = {
  { TWO "'SAME'", "float[2,5,6,3]; float[2,3,3,3]; float[2,5,6,3]", 0, 0, TRUE },
};
static const SluiceRecipe max_grad_grad_recipe = { .samples = max_grad_grad_samples,
                                                   .n_samples =
                                                       G_N_ELEMENTS (max_grad_grad_samples),
                                                   .dtypes = SLUICE_SET_REAL };

static const SluiceSample avg_grad_samples[] = {
  { TWO "'SAME'", "int32[4]={2,5,6,3}; float[2,3,3,3]", 1e-5, 1e-6 },
  { WIDE "'VALID'", "int32[4]={1,7,6,2}; float[1,5,3,2]", 1e-5, 1e-6 },
};
static const SluiceRecipe avg_grad_recipe = { .samples = avg_grad_samples,
                                              .n_samples = G_N_ELEMENTS (avg_grad_samples),
                                              .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample max_grad_grad_v2_samples[] = {
  { "padding='SAME'",
    "float[2,5,6,3]; float[2,3,3,3]; float[2,5,6,3]; int32[4]={1,2,2,1}; int32[4]={1,2,2,1}", 0, 0,
    TRUE },
};
static const SluiceRecipe max_grad_grad_v2_recipe = { .samples = max_grad_grad_v2_samples,
                                                      .n_samples =
                                                          G_N_ELEMENTS (max_grad_grad_v2_samples) };

static const SluiceSample max_arg_samples[] = {
  { TWO "'SAME'", "float[2,5,6,3]", 0, 0 },
  { WIDE "'VALID'; include_batch_in_index=true; Targmax=int32", "float[2,7,6,2]", 0, 0 },
};
static const SluiceRecipe max_arg_recipe = { .samples = max_arg_samples,
                                             .n_samples = G_N_ELEMENTS (max_arg_samples),
                                             .dtypes = SLUICE_SET_REAL };

static const SluiceSample max_grad_arg_samples[] = {
  { TWO "'SAME'", "float[1,3,2,2]; float[1,2,1,2]; int64[1,2,1,2]={0,3,8,11}", 1e-6, 1e-6, TRUE },
};
static const SluiceRecipe max_grad_arg_recipe = { .samples = max_grad_arg_samples,
                                                  .n_samples = G_N_ELEMENTS (max_grad_arg_samples),
                                                  .dtypes = SLUICE_SET_REAL };

#define TWO_3D  "ksize=[1,2,2,2,1]; strides=[1,2,2,2,1]; padding="
#define WIDE_3D "ksize=[1,2,3,2,1]; strides=[1,1,1,2,1]; padding="
static const SluiceSample pool_3d_samples[] = {
  { TWO_3D "'SAME'", "float[1,3,5,4,2]", 1e-5, 1e-6 },
  { WIDE_3D "'VALID'", "float[2,3,5,4,1]", 1e-5, 1e-6 },
  { "ksize=[1,1,2,2,2]; strides=[1,1,2,2,2]; padding='SAME'; data_format='NCDHW'",
    "float[1,2,3,4,5]", 1e-5, 1e-6 },
};
#define SMALL_FLOATS (SLUICE_SET_HALVES | SLUICE_SET (SLUICE_FLOAT))
static const SluiceRecipe max_3d_recipe = { .samples = pool_3d_samples,
                                            .n_samples = G_N_ELEMENTS (pool_3d_samples),
                                            .dtypes = SMALL_FLOATS };
static const SluiceRecipe avg_3d_recipe = { .samples = pool_3d_samples,
                                            .n_samples = G_N_ELEMENTS (pool_3d_samples),
                                            .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample max_3d_grad_samples[] = {
  { TWO_3D "'SAME'", "float[1,3,5,4,2]; float[1,2,3,2,2]; float[1,2,3,2,2]", 0, 0, TRUE },
};
static const SluiceRecipe max_3d_grad_recipe = { .samples = max_3d_grad_samples,
                                                 .n_samples = G_N_ELEMENTS (max_3d_grad_samples) };

static const SluiceSample max_3d_grad_grad_samples[] = {
  { TWO_3D "'SAME'", "float[1,3,5,4,2]; float[1,2,3,2,2]; float[1,3,5,4,2]", 0, 0, TRUE },
};
static const SluiceRecipe max_3d_grad_grad_recipe = { .samples = max_3d_grad_grad_samples,
                                                      .n_samples =
                                                          G_N_ELEMENTS (max_3d_grad_grad_samples),
                                                      .dtypes = SLUICE_SET_REAL };

static const SluiceSample avg_3d_grad_samples[] = {
  { TWO_3D "'SAME'", "int32[5]={1,3,5,4,2}; float[1,2,3,2,2]", 1e-5, 1e-6 },
  { WIDE_3D "'VALID'", "int32[5]={2,3,5,4,1}; float[2,2,3,2,1]", 1e-5, 1e-6 },
};
static const SluiceRecipe avg_3d_grad_recipe = { .samples = avg_3d_grad_samples,
                                                 .n_samples = G_N_ELEMENTS (avg_3d_grad_samples),
                                                 .dtypes = SLUICE_SET_FLOATS };

#define SIZES_3D   "ksize: list(int) >= 5; strides: list(int) >= 5; "
#define FORMAT_3D  "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; "
#define BATCHED    "include_batch_in_index: bool = false; "
#define SIZES      "ksize: list(int) >= 4; strides: list(int) >= 4; "
#define PADDING    "padding: {'SAME', 'VALID'}; "
#define EXPLICIT   "padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; "
#define FORMAT     "data_format: {'NHWC', 'NCHW'} = 'NHWC'; "
#define ANY_FORMAT "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'; "
#define REAL_T     "T: real = float"
#define FLOAT_T    "T: {half, bfloat16, float, double}"

static const SluiceOpDef max_op = {
  .name = "MaxPool",
  .signature = "input: T -> output: T",
  .attrs = SIZES EXPLICIT ANY_FORMAT
  "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float",
  .summary = N_ ("The largest of each window"),
  .shape = pool_shape,
  .gradient = max_gradient,
  .recipe = &max_recipe,
};

static const SluiceOpDef max_v2_op = {
  .name = "MaxPoolV2",
  .signature = "input: T, ksize: int32, strides: int32 -> output: T",
  .attrs = PADDING ANY_FORMAT
  "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float",
  .summary = N_ ("The largest of each window; its sizes are inputs"),
  .shape = pool_v2_shape,
  .gradient = max_gradient,
  .recipe = &max_v2_recipe,
};

static const SluiceOpDef max_grad_op = {
  .name = "MaxPoolGrad",
  .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
  .attrs = SIZES EXPLICIT FORMAT REAL_T,
  .summary = N_ ("Gradient of a maximum pool"),
  .shape = max_grad_shape,
  .gradient = max_grad_gradient,
  .recipe = &max_grad_recipe,
};

static const SluiceOpDef max_grad_v2_op = {
  .name = "MaxPoolGradV2",
  .signature = "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T",
  .attrs = PADDING FORMAT REAL_T,
  .summary = N_ ("Gradient of a maximum pool; its sizes are inputs"),
  .shape = max_grad_shape,
  .gradient = max_grad_gradient,
  .recipe = &max_grad_v2_recipe,
};

static const SluiceOpDef max_grad_grad_op = {
  .name = "MaxPoolGradGrad",
  .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
  .attrs = SIZES PADDING FORMAT "T: real",
  .summary = N_ ("Second gradient of a maximum pool"),
  .shape = max_grad_grad_shape,
  .gradient = max_grad_grad_gradient,
  .recipe = &max_grad_grad_recipe,
};

static const SluiceOpDef avg_op = {
  .name = "AvgPool",
  .signature = "value: T -> output: T",
  .attrs = SIZES PADDING FORMAT FLOAT_T,
  .summary = N_ ("The mean of each window"),
  .shape = pool_shape,
  .gradient = avg_gradient,
  .recipe = &avg_recipe,
};

static const SluiceOpDef avg_grad_op = {
  .name = "AvgPoolGrad",
  .signature = "orig_input_shape: int32, grad: T -> output: T",
  .attrs = SIZES PADDING FORMAT FLOAT_T,
  .summary = N_ ("Gradient of a mean pool"),
  .shape = avg_grad_shape,
  .gradient = avg_grad_gradient,
  .recipe = &avg_grad_recipe,
};

static const SluiceOpDef max_grad_grad_v2_op = {
  .name = "MaxPoolGradGradV2",
  .signature = "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T",
  .attrs = PADDING FORMAT "T: real",
  .summary = N_ ("Second gradient of a maximum pool; its sizes are inputs"),
  .shape = max_grad_grad_shape,
  .recipe = &max_grad_grad_v2_recipe,
};

static const SluiceOpDef max_arg_op = {
  .name = "MaxPoolWithArgmax",
  .signature = "input: T -> output: T, argmax: Targmax",
  .attrs = SIZES PADDING BATCHED "Targmax: index = int64; T: real",
  .summary = N_ ("The largest of each window and its place in the image"),
  .shape = pool_shape,
  .gradient = max_arg_gradient,
  .recipe = &max_arg_recipe,
};

static const SluiceOpDef max_grad_arg_op = {
  .name = "MaxPoolGradWithArgmax",
  .signature = "input: T, grad: T, argmax: Targmax -> output: T",
  .attrs = SIZES PADDING BATCHED "Targmax: index; T: real",
  .summary = N_ ("Gradient of a maximum pool from the places of the maxima"),
  .shape = max_grad_shape,
  .recipe = &max_grad_arg_recipe,
};

static const SluiceOpDef max_3d_op = {
  .name = "MaxPool3D",
  .signature = "input: T -> output: T",
  .attrs = SIZES_3D PADDING FORMAT_3D "T: {half, bfloat16, float}",
  .summary = N_ ("The largest of each window of a volume"),
  .shape = pool_shape,
  .gradient = max_gradient,
  .recipe = &max_3d_recipe,
};

static const SluiceOpDef max_3d_grad_op = {
  .name = "MaxPool3DGrad",
  .signature = "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
  .attrs = SIZES_3D PADDING FORMAT_3D
  "T: {half, bfloat16, float} = float; TInput: {half, bfloat16, float} = float",
  .summary = N_ ("Gradient of a maximum pool over volumes: to all that are as large"),
  .shape = max_grad_shape,
  .gradient = max_grad_gradient,
  .recipe = &max_3d_grad_recipe,
};

static const SluiceOpDef max_3d_grad_grad_op = {
  .name = "MaxPool3DGradGrad",
  .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
  .attrs = SIZES_3D PADDING FORMAT_3D "T: real",
  .summary = N_ ("Second gradient of a maximum pool over volumes"),
  .shape = max_grad_grad_shape,
  .gradient = max_grad_grad_gradient,
  .recipe = &max_3d_grad_grad_recipe,
};

static const SluiceOpDef avg_3d_op = {
  .name = "AvgPool3D",
  .signature = "input: T -> output: T",
  .attrs = SIZES_3D PADDING FORMAT_3D FLOAT_T,
  .summary = N_ ("The mean of each window of a volume"),
  .shape = pool_shape,
  .gradient = avg_gradient,
  .recipe = &avg_3d_recipe,
};

static const SluiceOpDef avg_3d_grad_op = {
  .name = "AvgPool3DGrad",
  .signature = "orig_input_shape: int32, grad: T -> output: T",
  .attrs = SIZES_3D PADDING FORMAT_3D FLOAT_T,
  .summary = N_ ("Gradient of a mean pool over volumes"),
  .shape = avg_grad_shape,
  .gradient = avg_grad_gradient,
  .recipe = &avg_3d_grad_recipe,
};

static const SluiceOpDef *const ops[] = {
  &max_op,      &max_v2_op,        &max_grad_op,         &max_grad_v2_op, &avg_op,
  &avg_grad_op, &max_grad_grad_op, &max_grad_grad_v2_op, &max_arg_op,     &max_grad_arg_op,
  &max_3d_op,   &max_3d_grad_op,   &max_3d_grad_grad_op, &avg_3d_op,      &avg_3d_grad_op,
};

const SluiceKernelModule sluice_module_nn_pool = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
