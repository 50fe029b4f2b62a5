/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <float.h>
#include <string.h>

#include "kernels/nn/window.h"
#include "kernels/typed.h"

typedef enum
{
  MAX_POOL,
  MAX_POOL_GRAD,
  MAX_POOL_GRAD_GRAD,
  AVG_POOL,
  AVG_POOL_GRAD,
} Kind;

/*
 * A pool of known sizes. NCHW is seen as NHWC with as many images as there are planes, of one
 * channel; a pool over channels as one row of pixels whose window is `depth` wide.
 */
typedef struct
{
  SluiceWindowPlace place;
  gint64 stride[2];
  gint64 images, channels;
  gint64 in_image, out_image; /* elements */
  const void *x, *dy;         /* of the kind: what it reads */
  void *out;
} Pool;

/* The part of the window at `out` that lies inside. */
static inline void
clip (const Pool *p, int axis, gint64 out, gint64 *begin, gint64 *end)
{
  gint64 first = out * p->stride[axis] - p->place.pad[axis][0];
  *begin = MAX (first, 0);
  *end = MIN (first + p->place.size[axis], p->place.in[axis]);
}

/* For each window of image n: h0..h1, w0..w1 inside, `at` the output pixel. */
#define FOR_EACH_WINDOW                                                                            \
  for (gint64 oh = 0; oh < p->place.out[0]; oh++)                                                  \
    for (gint64 ow = 0, h0, h1, w0, w1, at; ow < p->place.out[1]; ow++)                            \
      if (clip (p, 0, oh, &h0, &h1), clip (p, 1, ow, &w0, &w1),                                    \
          at = (oh * p->place.out[1] + ow) * p->channels, TRUE)
#define FOR_EACH_CELL                                                                              \
  for (gint64 h = h0; h < h1; h++)                                                                 \
    for (gint64 w = w0, cell; w < w1; w++)                                                         \
      if (cell = (h * p->place.in[1] + w) * p->channels, TRUE)

/* A NaN never is the largest, as in TensorFlow. */
#define MAX_FORWARD(T, suffix, LOWEST)                                                             \
  SLUICE_HOT static void max_##suffix (const Pool *p, gint64 n)                                    \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    FOR_EACH_WINDOW                                                                                \
    {                                                                                              \
      T *largest = y + at;                                                                         \
      gboolean first = TRUE;                                                                       \
      FOR_EACH_CELL                                                                                \
      {                                                                                            \
        if (first)                                                                                 \
          for (gint64 c = 0; c < p->channels; c++)                                                 \
            largest[c] = x[cell + c] > LOWEST ? x[cell + c] : LOWEST;                              \
        else                                                                                       \
          for (gint64 c = 0; c < p->channels; c++)                                                 \
            largest[c] = x[cell + c] > largest[c] ? x[cell + c] : largest[c];                      \
        first = FALSE;                                                                             \
      }                                                                                            \
      for (gint64 c = 0; first && c < p->channels; c++)                                            \
        largest[c] = LOWEST;                                                                       \
    }                                                                                              \
  }

/*
 * Sends dy to the cells of the maxima, or takes the second gradient from them. For a block of
 * channels the number of the first largest cell of the window is found, then each cell gives or
 * takes where it is the one: both are plain loops over channels.
 */
#define BLOCK 64
#define MAX_BACKWARD(T, suffix)                                                                    \
  static inline __attribute__ ((always_inline)) void arg_max_##suffix (                            \
      const Pool *p, const T *x, gint64 count, const gint64 range[4], gint32 where[BLOCK])         \
  {                                                                                                \
    T largest[BLOCK];                                                                              \
    gint64 h0 = range[0], h1 = range[1], w0 = range[2], w1 = range[3];                             \
    gint32 number = 0;                                                                             \
    FOR_EACH_CELL                                                                                  \
    {                                                                                              \
      const T *values = x + cell;                                                                  \
      if (number == 0)                                                                             \
        for (gint64 c = 0; c < count; c++)                                                         \
          largest[c] = values[c], where[c] = 0;                                                    \
      else                                                                                         \
        for (gint64 c = 0; c < count; c++)                                                         \
          {                                                                                        \
            gboolean larger = values[c] > largest[c];                                              \
            largest[c] = larger ? values[c] : largest[c];                                          \
            where[c] = larger ? number : where[c];                                                 \
          }                                                                                        \
      number++;                                                                                    \
    }                                                                                              \
  }                                                                                                \
  SLUICE_HOT static void max_grad_##suffix (const Pool *p, gint64 n, gboolean take)                \
  {                                                                                                \
    gint64 in = n * p->in_image, out = n * p->out_image;                                           \
    T *to = (T *) p->out + (take ? out : in);                                                      \
    gint32 where[BLOCK];                                                                           \
    memset (to, 0, (take ? p->out_image : p->in_image) * sizeof (T));                              \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      {                                                                                            \
        gint64 count = MIN (BLOCK, p->channels - c0);                                              \
        const T *x = (const T *) p->x + in + c0;                                                   \
        const T *dy = (const T *) p->dy + (take ? in : out) + c0;                                  \
        FOR_EACH_WINDOW                                                                            \
        {                                                                                          \
          gint32 number = 0;                                                                       \
          arg_max_##suffix (p, x, count, (const gint64[]){ h0, h1, w0, w1 }, where);               \
          FOR_EACH_CELL                                                                            \
          {                                                                                        \
            const T *from = dy + (take ? cell : at);                                               \
            T *into = to + c0 + (take ? at : cell);                                                \
            for (gint64 c = 0; c < count; c++)                                                     \
              into[c] += where[c] == number ? from[c] : 0;                                         \
            number++;                                                                              \
          }                                                                                        \
        }                                                                                          \
      }                                                                                            \
  }

#define MAX_FAMILY(T, suffix, LOWEST)                                                              \
  MAX_FORWARD (T, suffix, LOWEST)                                                                  \
  MAX_BACKWARD (T, suffix)
MAX_FAMILY (float, float, -FLT_MAX)
MAX_FAMILY (double, double, -DBL_MAX)
MAX_FAMILY (gint8, i8, G_MININT8)
MAX_FAMILY (gint16, i16, G_MININT16)
MAX_FAMILY (gint32, i32, G_MININT32)
MAX_FAMILY (gint64, i64, G_MININT64)
MAX_FAMILY (guint8, u8, 0)
MAX_FAMILY (guint16, u16, 0)
MAX_FAMILY (guint32, u32, 0)
MAX_FAMILY (guint64, u64, 0)

#define AVERAGE(T, suffix)                                                                         \
  SLUICE_HOT static void avg_##suffix (const Pool *p, gint64 n)                                    \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    FOR_EACH_WINDOW                                                                                \
    {                                                                                              \
      T *mean = y + at;                                                                            \
      memset (mean, 0, p->channels * sizeof (T));                                                  \
      FOR_EACH_CELL                                                                                \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        mean[c] += x[cell + c];                                                                    \
      T count = (T) ((h1 - h0) * (w1 - w0));                                                       \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        mean[c] /= count;                                                                          \
    }                                                                                              \
  }                                                                                                \
  SLUICE_HOT static void avg_grad_##suffix (const Pool *p, gint64 n)                               \
  {                                                                                                \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    T *dx = (T *) p->out + n * p->in_image;                                                        \
    memset (dx, 0, p->in_image * sizeof (T));                                                      \
    FOR_EACH_WINDOW                                                                                \
    {                                                                                              \
      T share = 1 / (T) ((h1 - h0) * (w1 - w0));                                                   \
      FOR_EACH_CELL                                                                                \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        dx[cell + c] += dy[at + c] * share;                                                        \
    }                                                                                              \
  }
AVERAGE (float, float)
AVERAGE (double, double)

/* ---- kernels ---- */

typedef struct
{
  Pool pool;
  Kind kind;
  SluiceDType dtype;
} Work;

#define MAX_CASES(each)                                                                            \
  each (SLUICE_FLOAT, float) each (SLUICE_DOUBLE, double) each (SLUICE_INT8, i8)                   \
      each (SLUICE_INT16, i16) each (SLUICE_INT32, i32) each (SLUICE_INT64, i64)                   \
          each (SLUICE_UINT8, u8) each (SLUICE_UINT16, u16) each (SLUICE_UINT32, u32)              \
              each (SLUICE_UINT64, u64)

static void
max_image (const Work *work, gint64 n)
{
#define CASE(dtype, suffix)                                                                        \
  case dtype:                                                                                      \
    if (work->kind == MAX_POOL)                                                                    \
      max_##suffix (&work->pool, n);                                                               \
    else                                                                                           \
      max_grad_##suffix (&work->pool, n, work->kind == MAX_POOL_GRAD_GRAD);                        \
    break;
  switch (work->dtype)
    {
      MAX_CASES (CASE)
    default:
      g_assert_not_reached ();
    }
#undef CASE
}

static void
image_range (gpointer data, gint64 begin, gint64 end)
{
  const Work *work = data;
  gboolean wide = work->dtype == SLUICE_DOUBLE;
  for (gint64 n = begin; n < end; n++)
    if (work->kind == AVG_POOL)
      (wide ? avg_double : avg_float) (&work->pool, n);
    else if (work->kind == AVG_POOL_GRAD)
      (wide ? avg_grad_double : avg_grad_float) (&work->pool, n);
    else
      max_image (work, n);
}

/* What a node's attributes say; of the V2 ops the sizes come with the call. */
static gpointer
pool_prepare (const SluiceNode *node, GError **error)
{
  SluiceWindow *window = g_new (SluiceWindow, 1);
  if (sluice_window_parse (node, window, error))
    return window;
  g_free (window);
  return NULL;
}

static gboolean
read_window (SluiceKernelCall *call, guint first, SluiceWindow *window)
{
  gint64 values[2][4];
  *window = *(const SluiceWindow *) call->state;
  if (call->n_inputs <= first)
    return TRUE;
  for (guint i = 0; i < 2; i++)
    {
      SluiceTensor *tensor = sluice_call_input (call, first + i);
      if (tensor->shape.rank != 1 || tensor->n_elements != 4)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s must hold 4 sizes",
                                 i ? "strides" : "ksize");
      for (int d = 0; d < 4; d++)
        values[i][d] = sluice_tensor_get_int (tensor, d);
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_window_set (window, call->node->name, values[0], values[1], &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  return TRUE;
}

/* Sizes of a pool over a value of shape `in`, and the shape of what comes out. */
static gboolean
place_pool (SluiceKernelCall *call,
            const SluiceWindow *window,
            const SluiceShape *in,
            Pool *pool,
            SluiceShape *out)
{
  char text[SLUICE_SHAPE_STR];
  if (in->rank != 4)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the value must have 4 dimensions, not shape %s",
                             sluice_shape_str (in, text));
  int channel = sluice_window_channel_dim (window);
  gint64 channels = in->dim[channel];
  gint64 size[2] = { in->dim[sluice_window_dim (window, 0)],
                     in->dim[sluice_window_dim (window, 1)] };
  g_autoptr (GError) error = NULL;
  if (!sluice_window_place (window, size, window->size, &pool->place, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  *out = *in;
  for (int axis = 0; axis < 2; axis++)
    {
      out->dim[sluice_window_dim (window, axis)] = pool->place.out[axis];
      pool->stride[axis] = window->stride[axis];
    }
  /* Cells of a window are numbered in 32 bits. */
  if (MIN (size[0], window->size[0]) * MIN (size[1], window->size[1]) > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "a window of more than 2^31 cells is not supported");
  pool->images = window->nchw ? in->dim[0] * channels : in->dim[0];
  pool->channels = window->nchw ? 1 : channels;
  if (window->depth > 1)
    {
      if (window->nchw || channels % window->depth != 0)
        return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                                 "a pool over channels must divide them evenly, in NHWC");
      out->dim[channel] = channels / window->depth;
      pool->place = (SluiceWindowPlace){ .in = { 1, size[0] * size[1] * channels },
                                         .size = { 1, window->depth },
                                         .out = { 1, size[0] * size[1] * out->dim[channel] } };
      pool->stride[1] = window->depth;
      pool->channels = 1;
    }
  pool->in_image = pool->place.in[0] * pool->place.in[1] * pool->channels;
  pool->out_image = pool->place.out[0] * pool->place.out[1] * pool->channels;
  return TRUE;
}

static gboolean
run_images (SluiceKernelCall *call, Work *work)
{
  const Pool *pool = &work->pool;
  gint64 cells = pool->out_image * pool->place.size[0] * pool->place.size[1];
  gint64 grain = MAX (1, 16384 / MAX (1, cells));
  return sluice_call_parallel_for (call, pool->images, grain, 0.3 * (double) cells, image_range,
                                   work);
}

/* Input `i` as float where it is of a half type. (transfer full) */
static SluiceTensor *
input_or_wide (SluiceKernelCall *call, guint i)
{
  SluiceTensor *input = sluice_call_input (call, i);
  return sluice_dtype_is_half (input->dtype) ? sluice_call_widen_input (call, i)
                                             : sluice_tensor_ref (input);
}

/* x and dy: which inputs the kind reads; -1: none. */
static gboolean
run_pool (SluiceKernelCall *call, Work *work, int x, int dy, const SluiceShape *shape)
{
  SluiceTensor *out = sluice_call_output (call, 0, shape);
  if (out == NULL)
    return FALSE;
  gboolean half = sluice_dtype_is_half (out->dtype);
  g_autoptr (SluiceTensor) wide_x = x >= 0 ? input_or_wide (call, x) : NULL;
  g_autoptr (SluiceTensor) wide_dy = dy >= 0 ? input_or_wide (call, dy) : NULL;
  g_autoptr (SluiceTensor) wide_out =
      half ? sluice_call_scratch (call, SLUICE_FLOAT, shape) : sluice_tensor_ref (out);
  if ((x >= 0 && wide_x == NULL) || (dy >= 0 && wide_dy == NULL) || wide_out == NULL)
    return FALSE;
  work->dtype = wide_out->dtype;
  work->pool.x = wide_x ? wide_x->data : NULL;
  work->pool.dy = wide_dy ? wide_dy->data : NULL;
  work->pool.out = wide_out->data;
  if (!run_images (call, work))
    return FALSE;
  if (half)
    sluice_narrow (out->dtype, wide_out->data, out->data, out->n_elements);
  return TRUE;
}

static gboolean
forward_compute (SluiceKernelCall *call)
{
  Work work = { .kind = GPOINTER_TO_INT (call->kernel->data) };
  SluiceWindow window;
  SluiceShape out;
  if (!read_window (call, 1, &window)
      || !place_pool (call, &window, &sluice_call_input (call, 0)->shape, &work.pool, &out))
    return FALSE;
  if (work.kind == AVG_POOL && window.depth > 1)
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "a mean pool cannot reach over channels");
  return run_pool (call, &work, 0, -1, &out);
}

static gboolean
want_shape (SluiceKernelCall *call, guint i, const SluiceShape *want)
{
  const SluiceShape *got = &sluice_call_input (call, i)->shape;
  if (sluice_shape_equal (want, got))
    return TRUE;
  char sw[SLUICE_SHAPE_STR], sg[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s must have shape %s, not %s",
                           call->node->op->inputs[i].name, sluice_shape_str (want, sw),
                           sluice_shape_str (got, sg));
}

/* MaxPoolGrad and MaxPoolGradGrad: values, maxima, gradient. */
static gboolean
max_backward_compute (SluiceKernelCall *call)
{
  Work work = { .kind = GPOINTER_TO_INT (call->kernel->data) };
  gboolean second = work.kind == MAX_POOL_GRAD_GRAD;
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  SluiceWindow window;
  SluiceShape out;
  if (!read_window (call, 3, &window) || !place_pool (call, &window, in, &work.pool, &out)
      || !want_shape (call, 1, &out) || !want_shape (call, 2, second ? in : &out))
    return FALSE;
  return run_pool (call, &work, 0, 2, second ? &out : in);
}

static gboolean
avg_grad_compute (SluiceKernelCall *call)
{
  Work work = { .kind = AVG_POOL_GRAD };
  SluiceTensor *sizes = sluice_call_input (call, 0);
  if (sizes->shape.rank != 1 || sizes->n_elements != 4)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "orig_input_shape must hold 4 sizes");
  gint64 dims[4];
  for (int i = 0; i < 4; i++)
    {
      dims[i] = sluice_tensor_get_int (sizes, i);
      if (dims[i] < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "orig_input_shape holds a negative size");
    }
  g_autoptr (GError) error = NULL;
  SluiceShape in, out;
  if (!sluice_shape_make (&in, dims, 4, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  if (!place_pool (call, call->state, &in, &work.pool, &out) || !want_shape (call, 1, &out))
    return FALSE;
  return run_pool (call, &work, -1, 1, &in);
}

#define KERNEL(name, types, function, kind)                                                        \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .prepare = pool_prepare,             \
    .free_state = g_free, .compute = function, .data = GINT_TO_POINTER (kind)                      \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("MaxPool", SLUICE_SET_REAL, forward_compute, MAX_POOL),
  KERNEL ("MaxPoolV2", SLUICE_SET_REAL, forward_compute, MAX_POOL),
  KERNEL ("MaxPoolGrad", SLUICE_SET_REAL, max_backward_compute, MAX_POOL_GRAD),
  KERNEL ("MaxPoolGradV2", SLUICE_SET_REAL, max_backward_compute, MAX_POOL_GRAD),
  KERNEL ("MaxPoolGradGrad", SLUICE_SET_REAL, max_backward_compute, MAX_POOL_GRAD_GRAD),
  KERNEL ("AvgPool", SLUICE_SET_FLOATS, forward_compute, AVG_POOL),
  KERNEL ("AvgPoolGrad", SLUICE_SET_FLOATS, avg_grad_compute, AVG_POOL_GRAD),
};

const SluiceKernelModule sluice_module_nn_pool_cpu = { .kernels = kernels,
                                                       .n_kernels = G_N_ELEMENTS (kernels) };
