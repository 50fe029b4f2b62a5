/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Convolutions by plain loops: each element of the output is one sum, in double. */
#include "kernels/nn/conv-problem.h"
#include "kernels/typed.h"

/* Steps of x or y from one index to the next, in elements. */
typedef struct
{
  gint64 image, row, column, channel;
} Steps;

static Steps
steps_of (gboolean nchw, const gint64 size[2], gint64 channels)
{
  if (nchw)
    return (Steps){ channels * size[0] * size[1], size[1], 1, size[0] * size[1] };
  return (Steps){ size[0] * size[1] * channels, size[1] * channels, channels, 1 };
}

typedef struct
{
  const SluiceConv *conv;
  SluiceDType dtype; /* float or double */
  Steps x_steps, y_steps;
  gint64 group_out; /* output channels of a group */
  void *x, *filter, *y;
} Loops;

/* The input row or column under element `tap` of the window at `out`; may lie outside. */
static inline gint64
input_at (const SluiceConv *c, int axis, gint64 out, gint64 tap)
{
  return out * c->stride[axis] + tap * c->dilation[axis] - c->place.pad[axis][0];
}

/* The output that sees input `in` through element `tap`, or -1. */
static inline gint64
output_at (const SluiceConv *c, int axis, gint64 in, gint64 tap)
{
  gint64 at = in + c->place.pad[axis][0] - tap * c->dilation[axis];
  if (at < 0 || at % c->stride[axis] != 0 || at / c->stride[axis] >= c->place.out[axis])
    return -1;
  return at / c->stride[axis];
}

#define X(n, h, w, ch)                                                                             \
  x[(n) *l->x_steps.image + (h) *l->x_steps.row + (w) *l->x_steps.column + (ch) *l->x_steps.channel]
#define Y(n, h, w, ch)                                                                             \
  y[(n) *l->y_steps.image + (h) *l->y_steps.row + (w) *l->y_steps.column + (ch) *l->y_steps.channel]
#define FILTER(i, j, ch, o)                                                                        \
  filter[(((i) *c->place.size[1] + (j)) * c->depth + (ch)) * c->out_channels + (o)]

/* One image of y. */
#define FORWARD(T, name)                                                                           \
  static void name (const Loops *l, gint64 n)                                                      \
  {                                                                                                \
    const SluiceConv *c = l->conv;                                                                 \
    const T *x = l->x, *filter = l->filter;                                                        \
    T *y = l->y;                                                                                   \
    for (gint64 oh = 0; oh < c->place.out[0]; oh++)                                                \
      for (gint64 ow = 0; ow < c->place.out[1]; ow++)                                              \
        for (gint64 o = 0; o < c->out_channels; o++)                                               \
          {                                                                                        \
            gint64 first = o / l->group_out * c->depth;                                            \
            double sum = 0;                                                                        \
            for (gint64 i = 0; i < c->place.size[0]; i++)                                          \
              for (gint64 j = 0; j < c->place.size[1]; j++)                                        \
                {                                                                                  \
                  gint64 h = input_at (c, 0, oh, i), w = input_at (c, 1, ow, j);                   \
                  if (h < 0 || h >= c->place.in[0] || w < 0 || w >= c->place.in[1])                \
                    continue;                                                                      \
                  for (gint64 ch = 0; ch < c->depth; ch++)                                         \
                    sum += (double) X (n, h, w, first + ch) * (double) FILTER (i, j, ch, o);       \
                }                                                                                  \
            Y (n, oh, ow, o) = (T) sum;                                                            \
          }                                                                                        \
  }
FORWARD (float, forward_float)
FORWARD (double, forward_double)

/* One image of dx. */
#define BACKPROP_INPUT(T, name)                                                                    \
  static void name (const Loops *l, gint64 n)                                                      \
  {                                                                                                \
    const SluiceConv *c = l->conv;                                                                 \
    const T *y = l->y, *filter = l->filter;                                                        \
    T *x = l->x;                                                                                   \
    for (gint64 h = 0; h < c->place.in[0]; h++)                                                    \
      for (gint64 w = 0; w < c->place.in[1]; w++)                                                  \
        for (gint64 ch = 0; ch < c->channels; ch++)                                                \
          {                                                                                        \
            gint64 first = ch / c->depth * l->group_out;                                           \
            double sum = 0;                                                                        \
            for (gint64 i = 0; i < c->place.size[0]; i++)                                          \
              for (gint64 j = 0; j < c->place.size[1]; j++)                                        \
                {                                                                                  \
                  gint64 oh = output_at (c, 0, h, i), ow = output_at (c, 1, w, j);                 \
                  if (oh < 0 || ow < 0)                                                            \
                    continue;                                                                      \
                  for (gint64 o = first; o < first + l->group_out; o++)                            \
                    sum += (double) Y (n, oh, ow, o) * (double) FILTER (i, j, ch % c->depth, o);   \
                }                                                                                  \
            X (n, h, w, ch) = (T) sum;                                                             \
          }                                                                                        \
  }
BACKPROP_INPUT (float, backprop_input_float)
BACKPROP_INPUT (double, backprop_input_double)

/* One row of the filter's gradient. */
#define BACKPROP_FILTER(T, name)                                                                   \
  static void name (const Loops *l, gint64 i)                                                      \
  {                                                                                                \
    const SluiceConv *c = l->conv;                                                                 \
    const T *y = l->y, *x = l->x;                                                                  \
    T *filter = l->filter;                                                                         \
    for (gint64 j = 0; j < c->place.size[1]; j++)                                                  \
      for (gint64 ch = 0; ch < c->depth; ch++)                                                     \
        for (gint64 o = 0; o < c->out_channels; o++)                                               \
          {                                                                                        \
            gint64 channel = o / l->group_out * c->depth + ch;                                     \
            double sum = 0;                                                                        \
            for (gint64 n = 0; n < c->batch; n++)                                                  \
              for (gint64 oh = 0; oh < c->place.out[0]; oh++)                                      \
                for (gint64 ow = 0; ow < c->place.out[1]; ow++)                                    \
                  {                                                                                \
                    gint64 h = input_at (c, 0, oh, i), w = input_at (c, 1, ow, j);                 \
                    if (h >= 0 && h < c->place.in[0] && w >= 0 && w < c->place.in[1])              \
                      sum += (double) X (n, h, w, channel) * (double) Y (n, oh, ow, o);            \
                  }                                                                                \
            FILTER (i, j, ch, o) = (T) sum;                                                        \
          }                                                                                        \
  }
BACKPROP_FILTER (float, backprop_filter_float)
BACKPROP_FILTER (double, backprop_filter_double)

static void
forward_range (gpointer data, gint64 begin, gint64 end)
{
  const Loops *l = data;
  for (gint64 n = begin; n < end; n++)
    (l->dtype == SLUICE_FLOAT ? forward_float : forward_double) (l, n);
}

static void
backprop_input_range (gpointer data, gint64 begin, gint64 end)
{
  const Loops *l = data;
  for (gint64 n = begin; n < end; n++)
    (l->dtype == SLUICE_FLOAT ? backprop_input_float : backprop_input_double) (l, n);
}

static void
backprop_filter_range (gpointer data, gint64 begin, gint64 end)
{
  const Loops *l = data;
  for (gint64 i = begin; i < end; i++)
    (l->dtype == SLUICE_FLOAT ? backprop_filter_float : backprop_filter_double) (l, i);
}

static gboolean
run_loops (SluiceKernelCall *call, SluiceConvKind kind, Loops *l)
{
  const SluiceConv *c = l->conv;
  gint64 n = kind == SLUICE_CONV_BACKPROP_FILTER ? c->place.size[0] : c->batch;
  double all = (double) (c->batch * c->place.out[0] * c->place.out[1] * c->out_channels)
               * (double) (c->place.size[0] * c->place.size[1] * c->depth);
  SluiceRangeFunc func = kind == SLUICE_CONV_FORWARD          ? forward_range
                         : kind == SLUICE_CONV_BACKPROP_INPUT ? backprop_input_range
                                                              : backprop_filter_range;
  return sluice_call_parallel_for (call, n, 1, all / (double) MAX (n, 1), func, l);
}

/* The half types: operands as float scratch; the output is narrowed at the end. */
static SluiceTensor *
widen (SluiceKernelCall *call, SluiceTensor *tensor, SluiceTensor *output)
{
  SluiceTensor *wide = sluice_call_scratch (call, SLUICE_FLOAT, &tensor->shape);
  if (wide && tensor != output)
    sluice_widen (tensor->dtype, tensor->data, wide->data, tensor->n_elements);
  return wide;
}

static gboolean
reference_half (SluiceKernelCall *call, SluiceConvKind kind, const SluiceConvCall *c, Loops *l)
{
  SluiceTensor *out = call->outputs[0].tensor;
  g_autoptr (SluiceTensor) x = widen (call, c->x, out);
  g_autoptr (SluiceTensor) filter = widen (call, c->filter, out);
  g_autoptr (SluiceTensor) y = widen (call, c->y, out);
  if (x == NULL || filter == NULL || y == NULL)
    return FALSE;
  l->dtype = SLUICE_FLOAT;
  l->x = x->data;
  l->filter = filter->data;
  l->y = y->data;
  if (!run_loops (call, kind, l))
    return FALSE;
  SluiceTensor *wide = out == c->x ? x : out == c->y ? y : filter;
  sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
  return TRUE;
}

gboolean
sluice_conv_reference (SluiceKernelCall *call, SluiceConvKind kind, const SluiceConvCall *c)
{
  const SluiceConv *conv = &c->conv;
  Loops loops = { .conv = conv,
                  .dtype = c->x->dtype,
                  .x_steps = steps_of (conv->nchw, conv->place.in, conv->channels),
                  .y_steps = steps_of (conv->nchw, conv->place.out, conv->out_channels),
                  .group_out = conv->out_channels / (conv->channels / conv->depth),
                  .x = c->x->data,
                  .filter = c->filter->data,
                  .y = c->y->data };
  if (sluice_dtype_is_half (c->x->dtype))
    return reference_half (call, kind, c, &loops);
  return run_loops (call, kind, &loops);
}

static gpointer
conv_prepare (const SluiceNode *node, GError **error)
{
  SluiceWindow *window = g_new (SluiceWindow, 1);
  if (sluice_window_parse (node, window, error))
    return window;
  g_free (window);
  return NULL;
}

static gboolean
conv_compute (SluiceKernelCall *call)
{
  SluiceConvKind kind = GPOINTER_TO_INT (call->kernel->data);
  SluiceConvCall c;
  return sluice_conv_begin (call, kind, call->state, &c)
         && (sluice_conv_is_trivial (&c.conv) || sluice_conv_reference (call, kind, &c));
}

#define KERNEL(name, kind)                                                                         \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_FLOATS } }, .prepare = conv_prepare, \
    .free_state = g_free, .compute = conv_compute, .data = GINT_TO_POINTER (kind)                  \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("Conv2D", SLUICE_CONV_FORWARD),
  KERNEL ("Conv2DBackpropInput", SLUICE_CONV_BACKPROP_INPUT),
  KERNEL ("Conv2DBackpropFilter", SLUICE_CONV_BACKPROP_FILTER),
};

const SluiceKernelModule sluice_module_nn_conv_cpu = { .kernels = kernels,
                                                       .n_kernels = G_N_ELEMENTS (kernels) };
