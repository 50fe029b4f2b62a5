/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Convolutions on a CUDA device, channels last: what each output pixel sees is written down as a
 * row (depth times the pixels of a filter), and the rest is a product. The gradient of the input
 * goes the other way; each element gathers its parts in a fixed order. Where each channel has
 * filters of its own, a thread an element.
 */
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/nn/conv-problem.h"
}

/* The place in the input under element `tap` of the window at `out`, or -1. */
SLUICE_DEVICE gint64
input_at (const SluiceConv &c, int axis, gint64 out, gint64 tap)
{
  gint64 at = out * c.stride[axis] + tap * c.dilation[axis] - c.place.pad[axis][0];
  return at < c.place.in[axis] ? at : -1;
}

/* The output that sees input `in` through element `tap`, or -1. */
SLUICE_DEVICE gint64
output_at (const SluiceConv &c, int axis, gint64 in, gint64 tap)
{
  gint64 at = in + c.place.pad[axis][0] - tap * c.dilation[axis];
  if (at < 0 || at % c.stride[axis] != 0 || at / c.stride[axis] >= c.place.out[axis])
    return -1;
  return at / c.stride[axis];
}

SLUICE_DEVICE gint64
pixel_at (const gint64 sizes[SLUICE_AXES], gint64 image, gint64 p, gint64 h, gint64 w)
{
  return ((image * sizes[0] + p) * sizes[1] + h) * sizes[2] + w;
}

/* A number as indices, the last one fastest. */
SLUICE_DEVICE gint64
split (gint64 i, const gint64 sizes[SLUICE_AXES], gint64 at[SLUICE_AXES])
{
  for (int axis = SLUICE_AXES - 1; axis >= 0; axis--)
    {
      at[axis] = i % sizes[axis];
      i /= sizes[axis];
    }
  return i;
}

static gint64
count (const gint64 sizes[SLUICE_AXES])
{
  return sizes[0] * sizes[1] * sizes[2];
}

/* rows [batch, out, size, channels] */
template <typename T>
static void
launch_unfold (const SluiceConv *conv, const T *x, T *rows)
{
  SluiceConv c = *conv;
  gint64 n = c.batch * count (c.place.out) * count (c.place.size) * c.channels;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    gint64 out[SLUICE_AXES], tap[SLUICE_AXES], channel = i % c.channels;
    gint64 image = split (split (i / c.channels, c.place.size, tap), c.place.out, out);
    gint64 p = input_at (c, 0, out[0], tap[0]), h = input_at (c, 1, out[1], tap[1]);
    gint64 w = input_at (c, 2, out[2], tap[2]);
    rows[i] = p < 0 || h < 0 || w < 0
                  ? 0
                  : x[pixel_at (c.place.in, image, p, h, w) * c.channels + channel];
  });
}

/* The other way: each element of x is the sum of where it stands in the rows. */
template <typename T>
static void
launch_fold (const SluiceConv *conv, const T *rows, T *x)
{
  SluiceConv c = *conv;
  gint64 taps = count (c.place.size);
  sluice_each (c.batch * count (c.place.in) * c.channels, [=] SLUICE_LAMBDA (gint64 at) {
    gint64 in[SLUICE_AXES], tap[SLUICE_AXES], channel = at % c.channels;
    gint64 image = split (at / c.channels, c.place.in, in), number = 0;
    T sum = 0;
    for (tap[0] = 0; tap[0] < c.place.size[0]; tap[0]++)
      for (tap[1] = 0; tap[1] < c.place.size[1]; tap[1]++)
        for (tap[2] = 0; tap[2] < c.place.size[2]; tap[2]++, number++)
          {
            gint64 p = output_at (c, 0, in[0], tap[0]), h = output_at (c, 1, in[1], tap[1]);
            gint64 w = output_at (c, 2, in[2], tap[2]);
            if (p >= 0 && h >= 0 && w >= 0)
              sum += rows[(pixel_at (c.place.out, image, p, h, w) * taps + number) * c.channels
                          + channel];
          }
    x[at] = sum;
  });
}

/* ---- each channel with filters of its own ---- */

template <typename T>
static void
launch_grouped_forward (const SluiceConv *conv, const T *x, const T *filter, T *y)
{
  SluiceConv c = *conv;
  gint64 group_out = c.out_channels / (c.channels / c.depth);
  sluice_each (c.batch * count (c.place.out) * c.out_channels, [=] SLUICE_LAMBDA (gint64 i) {
    gint64 out[SLUICE_AXES], tap[SLUICE_AXES], o = i % c.out_channels, number = 0;
    gint64 image = split (i / c.out_channels, c.place.out, out), first = o / group_out * c.depth;
    T sum = 0;
    for (tap[0] = 0; tap[0] < c.place.size[0]; tap[0]++)
      for (tap[1] = 0; tap[1] < c.place.size[1]; tap[1]++)
        for (tap[2] = 0; tap[2] < c.place.size[2]; tap[2]++, number++)
          {
            gint64 p = input_at (c, 0, out[0], tap[0]), h = input_at (c, 1, out[1], tap[1]);
            gint64 w = input_at (c, 2, out[2], tap[2]);
            if (p < 0 || h < 0 || w < 0)
              continue;
            gint64 pixel = pixel_at (c.place.in, image, p, h, w) * c.channels + first;
            for (gint64 ch = 0; ch < c.depth; ch++)
              sum += x[pixel + ch] * filter[(number * c.depth + ch) * c.out_channels + o];
          }
    y[i] = sum;
  });
}

template <typename T>
static void
launch_grouped_input (const SluiceConv *conv, T *x, const T *filter, const T *y)
{
  SluiceConv c = *conv;
  gint64 group_out = c.out_channels / (c.channels / c.depth);
  sluice_each (c.batch * count (c.place.in) * c.channels, [=] SLUICE_LAMBDA (gint64 i) {
    gint64 in[SLUICE_AXES], tap[SLUICE_AXES], ch = i % c.channels, number = 0;
    gint64 image = split (i / c.channels, c.place.in, in), first = ch / c.depth * group_out;
    T sum = 0;
    for (tap[0] = 0; tap[0] < c.place.size[0]; tap[0]++)
      for (tap[1] = 0; tap[1] < c.place.size[1]; tap[1]++)
        for (tap[2] = 0; tap[2] < c.place.size[2]; tap[2]++, number++)
          {
            gint64 p = output_at (c, 0, in[0], tap[0]), h = output_at (c, 1, in[1], tap[1]);
            gint64 w = output_at (c, 2, in[2], tap[2]);
            if (p < 0 || h < 0 || w < 0)
              continue;
            gint64 pixel = pixel_at (c.place.out, image, p, h, w) * c.out_channels;
            for (gint64 o = first; o < first + group_out; o++)
              sum += y[pixel + o]
                     * filter[(number * c.depth + ch % c.depth) * c.out_channels + o];
          }
    x[i] = sum;
  });
}

template <typename T>
struct Add
{
  static SLUICE_MEMBER T neutral () { return 0; }
  static SLUICE_MEMBER T combine (T a, T b) { return a + b; }
};

/* A block an element of the filter, over all pixels of all images. */
template <typename T>
static void
launch_grouped_filter (const SluiceConv *conv, const T *x, T *filter, const T *y)
{
  SluiceConv c = *conv;
  gint64 group_out = c.out_channels / (c.channels / c.depth);
  sluice_reduce<T, Add<T>> (
      count (c.place.size) * c.depth * c.out_channels, c.batch * count (c.place.out),
      [=] SLUICE_LAMBDA (gint64 element, gint64 pixel) -> T {
        gint64 out[SLUICE_AXES], tap[SLUICE_AXES], o = element % c.out_channels;
        gint64 ch = element / c.out_channels % c.depth;
        split (element / c.out_channels / c.depth, c.place.size, tap);
        gint64 image = split (pixel, c.place.out, out);
        gint64 p = input_at (c, 0, out[0], tap[0]), h = input_at (c, 1, out[1], tap[1]);
        gint64 w = input_at (c, 2, out[2], tap[2]);
        if (p < 0 || h < 0 || w < 0)
          return 0;
        gint64 at = pixel_at (c.place.in, image, p, h, w) * c.channels;
        return x[at + o / group_out * c.depth + ch] * y[pixel * c.out_channels + o];
      },
      [=] SLUICE_LAMBDA (gint64 element, T sum) { filter[element] = sum; });
}

/* ---- the call ---- */

/* Do rows say what x says already? */
static gboolean
is_pointwise (const SluiceConv *c)
{
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    if (c->place.size[axis] != 1 || c->stride[axis] != 1 || c->place.pad[axis][0] != 0
        || c->place.in[axis] != c->place.out[axis])
      return FALSE;
  return TRUE;
}

template <typename T>
static void
run_product (SluiceConvKind kind, const SluiceConv *c, SluiceDType dtype, T *x, T *filter, T *y)
{
  gint64 pixels = c->batch * count (c->place.out), depth = count (c->place.size) * c->channels;
  gboolean pointwise = is_pointwise (c);
  T *rows = pointwise ? x : (T *) sluice_cuda_scratch (pixels * depth * sizeof (T));
  if (rows == NULL)
    return;
  if (!pointwise && kind != SLUICE_CONV_BACKPROP_INPUT)
    launch_unfold (c, x, rows);
  SluiceCudaGemm product = { .dtype = dtype, .n_batches = 1 };
  if (kind == SLUICE_CONV_FORWARD)
    {
      product.m = pixels, product.n = c->out_channels, product.k = depth;
      product.a = rows, product.b = filter, product.c = y;
    }
  else if (kind == SLUICE_CONV_BACKPROP_INPUT)
    {
      product.m = pixels, product.n = depth, product.k = c->out_channels;
      product.transpose_b = TRUE;
      product.a = y, product.b = filter, product.c = rows;
    }
  else
    {
      product.m = depth, product.n = c->out_channels, product.k = pixels;
      product.transpose_a = TRUE;
      product.a = rows, product.b = y, product.c = filter;
    }
  sluice_cuda_gemm (&product);
  if (!pointwise && kind == SLUICE_CONV_BACKPROP_INPUT)
    launch_fold (c, rows, x);
}

template <typename T>
static void
run (SluiceConvKind kind, const SluiceConv *c, SluiceDType dtype, void *x, void *filter, void *y)
{
  if (c->depth == c->channels)
    run_product (kind, c, dtype, (T *) x, (T *) filter, (T *) y);
  else if (kind == SLUICE_CONV_FORWARD)
    launch_grouped_forward (c, (const T *) x, (const T *) filter, (T *) y);
  else if (kind == SLUICE_CONV_BACKPROP_INPUT)
    launch_grouped_input (c, (T *) x, (const T *) filter, (const T *) y);
  else
    launch_grouped_filter (c, (const T *) x, (T *) filter, (const T *) y);
}

static gboolean
conv_compute (SluiceKernelCall *call)
{
  SluiceConvKind kind = (SluiceConvKind) GPOINTER_TO_INT (call->kernel->data);
  SluiceConvCall c;
  if (!sluice_conv_begin (call, kind, (const SluiceSlidingWindow *) call->state, &c))
    return FALSE;
  if (sluice_conv_is_trivial (&c.conv))
    return TRUE;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const SluiceTensor *out = call->outputs[0].tensor;
  void *x = sluice_cuda_tensor (c.x, c.x == out ? SLUICE_CUDA_WRITE : SLUICE_CUDA_READ);
  void *f = sluice_cuda_tensor (c.filter, c.filter == out ? SLUICE_CUDA_WRITE : SLUICE_CUDA_READ);
  void *y = sluice_cuda_tensor (c.y, c.y == out ? SLUICE_CUDA_WRITE : SLUICE_CUDA_READ);
  if (x != NULL && f != NULL && y != NULL && out->dtype == SLUICE_FLOAT)
    run<float> (kind, &c.conv, SLUICE_FLOAT, x, f, y);
  else if (x != NULL && f != NULL && y != NULL)
    run<double> (kind, &c.conv, SLUICE_DOUBLE, x, f, y);
  return sluice_cuda_end (call);
}

static gboolean
conv_accepts (const SluiceNode *node)
{
  return sluice_node_string_is (node, "data_format", "NHWC")
         || sluice_node_string_is (node, "data_format", "NDHWC");
}

#define KERNEL(name, kind)                                                                         \
  { .op = name, .device = "CUDA",                                                                  \
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) } },                  \
    .prepare = sluice_sliding_window_prepare, .free_state = g_free, .accepts = conv_accepts,       \
    .compute = conv_compute, .data = GINT_TO_POINTER (kind) },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  KERNEL ("Conv2D", SLUICE_CONV_FORWARD)
  KERNEL ("Conv2DBackpropInput", SLUICE_CONV_BACKPROP_INPUT)
  KERNEL ("Conv2DBackpropFilter", SLUICE_CONV_BACKPROP_FILTER)
  KERNEL ("DepthwiseConv2dNative", SLUICE_CONV_FORWARD)
  KERNEL ("DepthwiseConv2dNativeBackpropInput", SLUICE_CONV_BACKPROP_INPUT)
  KERNEL ("DepthwiseConv2dNativeBackpropFilter", SLUICE_CONV_BACKPROP_FILTER)
  KERNEL ("Conv3D", SLUICE_CONV_FORWARD)
  KERNEL ("Conv3DBackpropInputV2", SLUICE_CONV_BACKPROP_INPUT)
  KERNEL ("Conv3DBackpropFilterV2", SLUICE_CONV_BACKPROP_FILTER)
  /* clang-format on */
};

extern "C" const SluiceKernelModule sluice_module_nn_conv_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
