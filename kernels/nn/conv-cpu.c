/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Convolutions by plain loops: each element of the output is one sum, of floats in double. */
#include "kernels/nn/conv-problem.h"
#include "kernels/nn/conv.h"
#include "kernels/typed.h"

/* Steps of x or y from one index to the next, in elements. */
typedef struct
{
  gint64 image, axis[SLUICE_AXES], channel;
} Steps;

static Steps
steps_of (gboolean channels_first, const gint64 size[SLUICE_AXES], gint64 channels)
{
  gint64 pixel = channels_first ? 1 : channels, cells = size[0] * size[1] * size[2];
  return (Steps){ .image = cells * channels,
                  .axis = { size[1] * size[2] * pixel, size[2] * pixel, pixel },
                  .channel = channels_first ? cells : 1 };
}

typedef struct
{
  const SluiceConv *conv;
  SluiceDType dtype; /* float, double or int32 */
  Steps x_steps, y_steps;
  gint64 group_out; /* output channels of a group */
  void *x, *filter, *y;
} Loops;

/* The place in the input under element `tap` of the window at `out`, or -1. */
static inline gint64
input_at (const SluiceConv *c, int axis, gint64 out, gint64 tap)
{
  gint64 at = out * c->stride[axis] + tap * c->dilation[axis] - c->place.pad[axis][0];
  return at < c->place.in[axis] ? at : -1;
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

#define FOR(i, n) for (gint64 i = 0; i < (n); i++)
#define AT(what, n, p, h, w, ch)                                                                   \
  what[(n) *l->what##_steps.image + (p) *l->what##_steps.axis[0] + (h) *l->what##_steps.axis[1]    \
       + (w) *l->what##_steps.axis[2] + (ch) *l->what##_steps.channel]
#define FILTER(i, j, k, ch, o)                                                                     \
  filter[((((i) *c->place.size[1] + (j)) * c->place.size[2] + (k)) * c->depth + (ch))              \
             * c->out_channels                                                                     \
         + (o)]

/* The taps of a window at (p0, h0, w0) of one side that meet (p, h, w) of the other. */
#define FOR_EACH_TAP(other, p0, h0, w0)                                                            \
  FOR (i, c->place.size[0])                                                                        \
  for (gint64 p = other (c, 0, p0, i), j = 0; p >= 0 && j < c->place.size[1]; j++)                 \
    for (gint64 h = other (c, 1, h0, j), k = 0; h >= 0 && k < c->place.size[2]; k++)               \
      for (gint64 w = other (c, 2, w0, k), once = 1; w >= 0 && once; once = 0)

/* Products are added up in SUM. One image of y. */
#define FORWARD(T, SUM, name)                                                                      \
  static void name (const Loops *l, gint64 n)                                                      \
  {                                                                                                \
    const SluiceConv *c = l->conv;                                                                 \
    const T *x = l->x, *filter = l->filter;                                                        \
    T *y = l->y;                                                                                   \
    FOR (op, c->place.out[0])                                                                      \
    FOR (oh, c->place.out[1])                                                                      \
    FOR (ow, c->place.out[2])                                                                      \
    FOR (o, c->out_channels)                                                                       \
    {                                                                                              \
      gint64 first = o / l->group_out * c->depth;                                                  \
      SUM sum = 0;                                                                                 \
      FOR_EACH_TAP (input_at, op, oh, ow)                                                          \
      FOR (ch, c->depth)                                                                           \
      sum += (SUM) AT (x, n, p, h, w, first + ch) * (SUM) FILTER (i, j, k, ch, o);                 \
      AT (y, n, op, oh, ow, o) = (T) sum;                                                          \
    }                                                                                              \
  }

/* One image of dx. */
#define BACKPROP_INPUT(T, SUM, name)                                                               \
  static void name (const Loops *l, gint64 n)                                                      \
  {                                                                                                \
    const SluiceConv *c = l->conv;                                                                 \
    const T *y = l->y, *filter = l->filter;                                                        \
    T *x = l->x;                                                                                   \
    FOR (ip, c->place.in[0])                                                                       \
    FOR (ih, c->place.in[1])                                                                       \
    FOR (iw, c->place.in[2])                                                                       \
    FOR (ch, c->channels)                                                                          \
    {                                                                                              \
      gint64 first = ch / c->depth * l->group_out;                                                 \
      SUM sum = 0;                                                                                 \
      FOR_EACH_TAP (output_at, ip, ih, iw)                                                         \
      for (gint64 o = first; o < first + l->group_out; o++)                                        \
        sum += (SUM) AT (y, n, p, h, w, o) * (SUM) FILTER (i, j, k, ch % c->depth, o);             \
      AT (x, n, ip, ih, iw, ch) = (T) sum;                                                         \
    }                                                                                              \
  }

/* One output channel of the filter's gradient. */
#define BACKPROP_FILTER(T, SUM, name)                                                              \
  static void name (const Loops *l, gint64 o)                                                      \
  {                                                                                                \
    const SluiceConv *c = l->conv;                                                                 \
    const T *y = l->y, *x = l->x;                                                                  \
    T *filter = l->filter;                                                                         \
    FOR (i, c->place.size[0])                                                                      \
    FOR (j, c->place.size[1])                                                                      \
    FOR (k, c->place.size[2])                                                                      \
    FOR (ch, c->depth)                                                                             \
    {                                                                                              \
      gint64 channel = o / l->group_out * c->depth + ch;                                           \
      SUM sum = 0;                                                                                 \
      FOR (n, c->batch)                                                                            \
      FOR (op, c->place.out[0])                                                                    \
      FOR (oh, c->place.out[1])                                                                    \
      FOR (ow, c->place.out[2])                                                                    \
      {                                                                                            \
        gint64 p = input_at (c, 0, op, i), h = input_at (c, 1, oh, j), w = input_at (c, 2, ow, k); \
        if (p >= 0 && h >= 0 && w >= 0)                                                            \
          sum += (SUM) AT (x, n, p, h, w, channel) * (SUM) AT (y, n, op, oh, ow, o);               \
      }                                                                                            \
      FILTER (i, j, k, ch, o) = (T) sum;                                                           \
    }                                                                                              \
  }

/* Unsigned, because overflow of integers wraps. */
#define ALL(T, SUM, suffix)                                                                        \
  FORWARD (T, SUM, forward_##suffix)                                                               \
  BACKPROP_INPUT (T, SUM, backprop_input_##suffix)                                                 \
  BACKPROP_FILTER (T, SUM, backprop_filter_##suffix)
ALL (float, double, float)
ALL (double, double, double)
ALL (guint32, guint32, int32)

#define RANGE(kind)                                                                                \
  static void kind##_range (gpointer data, gint64 begin, gint64 end)                               \
  {                                                                                                \
    const Loops *l = data;                                                                         \
    for (gint64 n = begin; n < end; n++)                                                           \
      if (l->dtype == SLUICE_FLOAT)                                                                \
        kind##_float (l, n);                                                                       \
      else if (l->dtype == SLUICE_DOUBLE)                                                          \
        kind##_double (l, n);                                                                      \
      else                                                                                         \
        kind##_int32 (l, n);                                                                       \
  }
RANGE (forward)
RANGE (backprop_input)
RANGE (backprop_filter)

static gboolean
run_loops (SluiceKernelCall *call, SluiceConvKind kind, Loops *l)
{
  const SluiceConv *c = l->conv;
  gint64 n = kind == SLUICE_CONV_BACKPROP_FILTER ? c->out_channels : c->batch;
  double all = (double) c->batch * (double) c->out_channels * (double) c->depth;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    all *= (double) c->place.out[axis] * (double) c->place.size[axis];
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
                  .x_steps = steps_of (conv->channels_first, conv->place.in, conv->channels),
                  .y_steps = steps_of (conv->channels_first, conv->place.out, conv->out_channels),
                  .group_out = conv->out_channels / (conv->channels / conv->depth),
                  .x = c->x->data,
                  .filter = c->filter->data,
                  .y = c->y->data };
  if (sluice_dtype_is_half (c->x->dtype))
    return reference_half (call, kind, c, &loops);
  return run_loops (call, kind, &loops);
}

static gboolean
conv_compute (SluiceKernelCall *call)
{
  SluiceConvKind kind = GPOINTER_TO_INT (call->kernel->data);
  SluiceConvCall c;
  return sluice_conv_begin (call, kind, call->state, &c)
         && (sluice_conv_is_trivial (&c.conv) || sluice_conv_reference (call, kind, &c));
}

#define KERNEL(name, types, kind)                                                                  \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } },                                      \
    .prepare = sluice_sliding_window_prepare, .free_state = g_free, .compute = conv_compute,       \
    .data = GINT_TO_POINTER (kind)                                                                 \
  }
#define WITH_INT32 (SLUICE_SET_FLOATS | SLUICE_SET (SLUICE_INT32))

static const SluiceKernel kernels[] = {
  KERNEL ("Conv2D", WITH_INT32, SLUICE_CONV_FORWARD),
  KERNEL ("Conv2DBackpropInput", WITH_INT32, SLUICE_CONV_BACKPROP_INPUT),
  KERNEL ("Conv2DBackpropFilter", SLUICE_SET_FLOATS, SLUICE_CONV_BACKPROP_FILTER),
  KERNEL ("DepthwiseConv2dNative", SLUICE_SET_FLOATS, SLUICE_CONV_FORWARD),
  KERNEL ("DepthwiseConv2dNativeBackpropInput", SLUICE_SET_FLOATS, SLUICE_CONV_BACKPROP_INPUT),
  KERNEL ("DepthwiseConv2dNativeBackpropFilter", SLUICE_SET_FLOATS, SLUICE_CONV_BACKPROP_FILTER),
  KERNEL ("Conv3D", SLUICE_SET_FLOATS, SLUICE_CONV_FORWARD),
  KERNEL ("Conv3DBackpropInputV2", SLUICE_SET_FLOATS, SLUICE_CONV_BACKPROP_INPUT),
  KERNEL ("Conv3DBackpropFilterV2", SLUICE_SET_FLOATS, SLUICE_CONV_BACKPROP_FILTER),
};

const SluiceKernelModule sluice_module_nn_conv_cpu = { .kernels = kernels,
                                                       .n_kernels = G_N_ELEMENTS (kernels) };
