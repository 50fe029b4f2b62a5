/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <float.h>
#include <string.h>

#include "kernels/nn/window.h"
#include "kernels/typed.h"

typedef enum
{
  MAX_POOL,
  MAX_POOL_ARG, /* with the place of each maximum */
  MAX_POOL_GRAD,
  MAX_POOL_GRAD_TIES, /* to all that are as large as the maximum */
  MAX_POOL_GRAD_ARG,  /* to places that are given */
  MAX_POOL_GRAD_GRAD,
  AVG_POOL,
  AVG_POOL_GRAD,
} Kind;

/*
 * A pool of known sizes. Channels first is seen as channels last with as many images as there are
 * planes, of one channel; a pool over channels as one row of pixels whose window is `depth` wide.
 */
typedef struct
{
  SluiceWindowPlace place;
  gint64 stride[SLUICE_AXES];
  gint64 images, channels;
  gint64 in_image, out_image; /* elements */
  const void *x, *y, *dy;     /* of the kind: what it reads */
  gint64 *arg;                /* places of the maxima */
  gboolean arg_over_batch;    /* are places counted from the first image on? */
  gboolean tiles;             /* each cell is in one window */
  void *out;
} Pool;

/* The cells of a window that lie inside. */
typedef struct
{
  gint64 begin[SLUICE_AXES], end[SLUICE_AXES];
} Range;

static inline void
clip (const Pool *p, int axis, gint64 out, Range *r)
{
  gint64 first = out * p->stride[axis] - p->place.pad[axis][0];
  r->begin[axis] = MAX (first, 0);
  r->end[axis] = MIN (first + p->place.size[axis], p->place.in[axis]);
}

static inline gint64
cells_of (const Range *r)
{
  return (r->end[0] - r->begin[0]) * (r->end[1] - r->begin[1]) * (r->end[2] - r->begin[2]);
}

/* For each window of an image: r are its cells, `at` the output pixel. */
#define FOR_EACH_WINDOW                                                                            \
  for (gint64 op = 0; op < p->place.out[0]; op++)                                                  \
    for (gint64 oh = 0; oh < p->place.out[1]; oh++)                                                \
      for (gint64 ow = 0, at; ow < p->place.out[2]; ow++)                                          \
        if (clip (p, 0, op, &r), clip (p, 1, oh, &r), clip (p, 2, ow, &r),                         \
            at = ((op * p->place.out[1] + oh) * p->place.out[2] + ow) * p->channels, TRUE)
#define FOR_EACH_CELL                                                                              \
  for (gint64 z = r.begin[0]; z < r.end[0]; z++)                                                   \
    for (gint64 h = r.begin[1]; h < r.end[1]; h++)                                                 \
      for (gint64 w = r.begin[2], cell; w < r.end[2]; w++)                                         \
        if (cell = ((z * p->place.in[1] + h) * p->place.in[2] + w) * p->channels, TRUE)

/* Where cell `number` of a window of an image is, counted in pixels. */
static inline gint64
pixel_of (const Pool *p, const Range *r, gint64 number)
{
  gint64 width = r->end[2] - r->begin[2];
  return (r->begin[1] + number / width) * p->place.in[2] + r->begin[2] + number % width;
}

/* Channels that are looked at together: a number that the compiler knows, where there are as many.
 */
#define BLOCK 32

/* A NaN never is the largest, as in TensorFlow. */
#define MAX_FORWARD(T, suffix, LOWEST)                                                             \
  static inline __attribute__ ((always_inline)) void max_of_##suffix (                             \
      const Pool *p, const T *x, gint64 count, const Range r, T *y)                                \
  {                                                                                                \
    T largest[BLOCK];                                                                              \
    for (gint64 c = 0; c < count; c++)                                                             \
      largest[c] = LOWEST;                                                                         \
    FOR_EACH_CELL                                                                                  \
    for (gint64 c = 0; c < count; c++)                                                             \
      largest[c] = x[cell + c] > largest[c] ? x[cell + c] : largest[c];                            \
    for (gint64 c = 0; c < count; c++)                                                             \
      y[c] = largest[c];                                                                           \
  }                                                                                                \
  SLUICE_HOT static void max_##suffix (const Pool *p, gint64 n)                                    \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    Range r;                                                                                       \
    FOR_EACH_WINDOW                                                                                \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      {                                                                                            \
        gint64 count = MIN (BLOCK, p->channels - c0);                                              \
        if (count == BLOCK)                                                                        \
          max_of_##suffix (p, x + c0, BLOCK, r, y + at + c0);                                      \
        else                                                                                       \
          max_of_##suffix (p, x + c0, count, r, y + at + c0);                                      \
      }                                                                                            \
  }

/*
 * Sends dy to the cells of the maxima. For a block of channels the number of the first largest cell
 * of the window is found, then each cell gives where it is the one: both are plain loops over
 * channels.
 */
/* S: in which sums are; unsigned of integers, because overflow wraps. */
#define ADD(T, S, x, y) (T) ((S) (x) + (S) (y))
#define MAX_BACKWARD(T, S, suffix)                                                                 \
  static inline __attribute__ ((always_inline)) void arg_max_##suffix (                            \
      const Pool *p, const T *x, gint64 count, const Range r, gint32 where[BLOCK])                 \
  {                                                                                                \
    T largest[BLOCK];                                                                              \
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
  static inline __attribute__ ((always_inline)) void send_##suffix (                               \
      const Pool *p, const T *x, gint64 count, const Range r, const T *dy, T *to)                  \
  {                                                                                                \
    gint32 where[BLOCK], number = 0;                                                               \
    arg_max_##suffix (p, x, count, r, where);                                                      \
    FOR_EACH_CELL                                                                                  \
    {                                                                                              \
      if (p->tiles)                                                                                \
        for (gint64 c = 0; c < count; c++)                                                         \
          to[cell + c] = ADD (T, S, 0, where[c] == number ? dy[c] : 0);                            \
      else                                                                                         \
        for (gint64 c = 0; c < count; c++)                                                         \
          to[cell + c] = ADD (T, S, to[cell + c], where[c] == number ? dy[c] : 0);                 \
      number++;                                                                                    \
    }                                                                                              \
  }                                                                                                \
  SLUICE_HOT static void max_grad_##suffix (const Pool *p, gint64 n)                               \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    T *to = (T *) p->out + n * p->in_image;                                                        \
    Range r;                                                                                       \
    if (!p->tiles)                                                                                 \
      memset (to, 0, p->in_image * sizeof (T));                                                    \
    FOR_EACH_WINDOW                                                                                \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      {                                                                                            \
        gint64 count = MIN (BLOCK, p->channels - c0);                                              \
        if (count == BLOCK)                                                                        \
          send_##suffix (p, x + c0, BLOCK, r, dy + at + c0, to + c0);                              \
        else                                                                                       \
          send_##suffix (p, x + c0, count, r, dy + at + c0, to + c0);                              \
      }                                                                                            \
  }                                                                                                \
  /* Takes the second gradient from the first cell of each window that is the maximum given. */    \
  SLUICE_HOT static void max_grad_grad_##suffix (const Pool *p, gint64 n)                          \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image, *y = (const T *) p->y + n * p->out_image;     \
    const T *dy = (const T *) p->dy + n * p->in_image;                                             \
    T *to = (T *) p->out + n * p->out_image;                                                       \
    Range r;                                                                                       \
    memset (to, 0, p->out_image * sizeof (T));                                                     \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      FOR_EACH_WINDOW                                                                              \
      {                                                                                            \
        gint64 end = MIN (c0 + BLOCK, p->channels);                                                \
        guint8 found[BLOCK] = { 0 };                                                               \
        FOR_EACH_CELL                                                                              \
        for (gint64 c = c0; c < end; c++)                                                          \
          {                                                                                        \
            guint8 take = !found[c - c0] & (x[cell + c] == y[at + c]);                             \
            to[at + c] = take ? dy[cell + c] : to[at + c];                                         \
            found[c - c0] |= take;                                                                 \
          }                                                                                        \
      }                                                                                            \
  }                                                                                                \
  static void max_arg_##suffix (const Pool *p, gint64 n)                                           \
  {                                                                                                \
    const T *image = (const T *) p->x + n * p->in_image;                                           \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    gint64 *arg = p->arg + n * p->out_image, first = p->arg_over_batch ? n * p->in_image : 0;      \
    gint32 where[BLOCK];                                                                           \
    Range r;                                                                                       \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      {                                                                                            \
        gint64 count = MIN (BLOCK, p->channels - c0);                                              \
        FOR_EACH_WINDOW                                                                            \
        {                                                                                          \
          arg_max_##suffix (p, image + c0, count, r, where);                                       \
          for (gint64 c = 0; c < count; c++)                                                       \
            {                                                                                      \
              gint64 place = pixel_of (p, &r, where[c]) * p->channels + c0 + c;                    \
              arg[at + c0 + c] = first + place;                                                    \
              y[at + c0 + c] = image[place];                                                       \
            }                                                                                      \
        }                                                                                          \
      }                                                                                            \
  }                                                                                                \
  static void max_grad_arg_##suffix (const Pool *p, gint64 n)                                      \
  {                                                                                                \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    const gint64 *arg = p->arg + n * p->out_image;                                                 \
    T *dx = (T *) p->out + n * p->in_image;                                                        \
    memset (dx, 0, p->in_image * sizeof (T));                                                      \
    for (gint64 i = 0; i < p->out_image; i++)                                                      \
      dx[arg[i]] = ADD (T, S, dx[arg[i]], dy[i]);                                                  \
  }                                                                                                \
  SLUICE_HOT static void max_grad_ties_##suffix (const Pool *p, gint64 n)                          \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image, *y = (const T *) p->y + n * p->out_image;     \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    T *dx = (T *) p->out + n * p->in_image;                                                        \
    Range r;                                                                                       \
    memset (dx, 0, p->in_image * sizeof (T));                                                      \
    FOR_EACH_WINDOW                                                                                \
    FOR_EACH_CELL                                                                                  \
    for (gint64 c = 0; c < p->channels; c++)                                                       \
      dx[cell + c] = ADD (T, S, dx[cell + c], x[cell + c] == y[at + c] ? dy[at + c] : 0);          \
  }

#define MAX_FAMILY(T, S, suffix, LOWEST)                                                           \
  MAX_FORWARD (T, suffix, LOWEST)                                                                  \
  MAX_BACKWARD (T, S, suffix)
MAX_FAMILY (float, float, float, -FLT_MAX)
MAX_FAMILY (double, double, double, -DBL_MAX)
MAX_FAMILY (gint8, guint8, i8, G_MININT8)
MAX_FAMILY (gint16, guint16, i16, G_MININT16)
MAX_FAMILY (gint32, guint32, i32, G_MININT32)
MAX_FAMILY (gint64, guint64, i64, G_MININT64)
MAX_FAMILY (guint8, guint8, u8, 0)
MAX_FAMILY (guint16, guint16, u16, 0)
MAX_FAMILY (guint32, guint32, u32, 0)
MAX_FAMILY (guint64, guint64, u64, 0)

#define AVERAGE(T, suffix)                                                                         \
  SLUICE_HOT static void avg_##suffix (const Pool *p, gint64 n)                                    \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    Range r;                                                                                       \
    FOR_EACH_WINDOW                                                                                \
    {                                                                                              \
      T *mean = y + at;                                                                            \
      memset (mean, 0, p->channels * sizeof (T));                                                  \
      FOR_EACH_CELL                                                                                \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        mean[c] += x[cell + c];                                                                    \
      T count = (T) cells_of (&r);                                                                 \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        mean[c] /= count;                                                                          \
    }                                                                                              \
  }                                                                                                \
  SLUICE_HOT static void avg_grad_##suffix (const Pool *p, gint64 n)                               \
  {                                                                                                \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    T *dx = (T *) p->out + n * p->in_image;                                                        \
    Range r;                                                                                       \
    memset (dx, 0, p->in_image * sizeof (T));                                                      \
    FOR_EACH_WINDOW                                                                                \
    {                                                                                              \
      T share = 1 / (T) cells_of (&r);                                                             \
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
    else if (work->kind == MAX_POOL_ARG)                                                           \
      max_arg_##suffix (&work->pool, n);                                                           \
    else if (work->kind == MAX_POOL_GRAD_ARG)                                                      \
      max_grad_arg_##suffix (&work->pool, n);                                                      \
    else if (work->kind == MAX_POOL_GRAD_TIES)                                                     \
      max_grad_ties_##suffix (&work->pool, n);                                                     \
    else if (work->kind == MAX_POOL_GRAD_GRAD)                                                     \
      max_grad_grad_##suffix (&work->pool, n);                                                     \
    else                                                                                           \
      max_grad_##suffix (&work->pool, n);                                                          \
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

/* Cells of a window are numbered in 32 bits. */
static gboolean
check_cells (SluiceKernelCall *call, const Pool *pool)
{
  gint64 cells = 1;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    {
      cells *= MIN (pool->place.in[axis], pool->place.size[axis]);
      if (cells > G_MAXINT32)
        return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                                 "a window of more than 2^31 cells is not supported");
    }
  return TRUE;
}

/* Elements of an image; of none 0, and no more than can be counted: such an output is refused. */
static gint64
image_size (const Pool *pool, const gint64 sizes[SLUICE_AXES])
{
  gint64 n = pool->images > 0 ? pool->channels : 0;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    if (sizes[axis] == 0)
      return 0;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    if (__builtin_mul_overflow (n, sizes[axis], &n))
      return G_MAXINT64;
  return n;
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
  gint64 sizes[SLUICE_AXES];
  if (in->rank != sluice_window_rank (window))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the value must have %d dimensions, not shape %s",
                             sluice_window_rank (window), sluice_shape_str (in, text));
  gint64 channels = in->dim[sluice_window_channel_dim (window)];
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    {
      sizes[axis] = sluice_window_extent (window, in, axis);
      pool->stride[axis] = window->stride[axis];
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_window_place (window, sizes, window->size, &pool->place, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  if (!check_cells (call, pool))
    return FALSE;
  *out = sluice_window_value (window, in->dim[0], pool->place.out, channels);
  gboolean empty = sluice_shape_n_elements (in) == 0 && sluice_shape_n_elements (out) == 0;
  pool->channels = window->channels_first ? 1 : channels;
  pool->images = in->dim[0];
  /* More than can be counted are none: such an output is refused. */
  if (empty
      || (window->channels_first && __builtin_mul_overflow (pool->images, channels, &pool->images)))
    pool->images = 0;
  if (window->depth > 1)
    {
      if (window->channels_first || channels % window->depth != 0)
        return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                                 "a pool over channels must divide them evenly, in NHWC");
      gint64 pixels = empty ? 0 : sizes[1] * sizes[2]; /* of images */
      out->dim[3] = channels / window->depth;
      pool->place = (SluiceWindowPlace){ .in = { 1, 1, pixels * channels },
                                         .size = { 1, 1, window->depth },
                                         .out = { 1, 1, pixels * out->dim[3] } };
      pool->stride[2] = window->depth;
      pool->channels = 1;
    }
  pool->in_image = image_size (pool, pool->place.in);
  pool->out_image = image_size (pool, pool->place.out);
  pool->tiles = TRUE;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    pool->tiles &= pool->stride[axis] == pool->place.size[axis] && pool->place.pad[axis][0] == 0
                   && pool->place.in[axis] == pool->place.out[axis] * pool->place.size[axis];
  return TRUE;
}

static gboolean
run_images (SluiceKernelCall *call, Work *work)
{
  const Pool *pool = &work->pool;
  double cells = (double) pool->out_image;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    cells *= (double) MIN (pool->place.in[axis], pool->place.size[axis]);
  gint64 grain = MAX (1, (gint64) (16384 / MAX (1, cells)));
  return sluice_call_parallel_for (call, pool->images, grain, 0.3 * cells, image_range, work);
}

/* Input `i` as float where it is of a half type. (transfer full) */
static SluiceTensor *
input_or_wide (SluiceKernelCall *call, guint i)
{
  SluiceTensor *input = sluice_call_input (call, i);
  return sluice_dtype_is_half (input->dtype) ? sluice_call_widen_input (call, i)
                                             : sluice_tensor_ref (input);
}

/* Input i, or none where i is -1, and its elements. FALSE: call->error is set. */
static gboolean
read_input (SluiceKernelCall *call, int i, SluiceTensor **tensor, const void **data)
{
  if (i < 0)
    return TRUE;
  *tensor = input_or_wide (call, i);
  *data = *tensor ? (*tensor)->data : NULL;
  return *tensor != NULL;
}

/* x, y and dy: which inputs the kind reads; -1: none. */
static gboolean
run_pool (SluiceKernelCall *call, Work *work, int x, int y, int dy, const SluiceShape *shape)
{
  Pool *pool = &work->pool;
  g_autoptr (SluiceTensor) wide_x = NULL;
  g_autoptr (SluiceTensor) wide_y = NULL;
  g_autoptr (SluiceTensor) wide_dy = NULL;
  SluiceTensor *out = sluice_call_output (call, 0, shape);
  if (out == NULL || !read_input (call, x, &wide_x, &pool->x)
      || !read_input (call, y, &wide_y, &pool->y) || !read_input (call, dy, &wide_dy, &pool->dy))
    return FALSE;
  gboolean half = sluice_dtype_is_half (out->dtype);
  g_autoptr (SluiceTensor) wide_out =
      half ? sluice_call_scratch (call, SLUICE_FLOAT, shape) : sluice_tensor_ref (out);
  if (wide_out == NULL)
    return FALSE;
  work->dtype = wide_out->dtype;
  pool->out = wide_out->data;
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
  return run_pool (call, &work, 0, -1, -1, &out);
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
  return run_pool (call, &work, 0, work.kind == MAX_POOL_GRAD ? -1 : 1, 2, second ? &out : in);
}

static gboolean
avg_grad_compute (SluiceKernelCall *call)
{
  Work work = { .kind = AVG_POOL_GRAD };
  SluiceShape in, out;
  if (!sluice_window_read_sizes (call, call->state, 0, &in)
      || !place_pool (call, call->state, &in, &work.pool, &out) || !want_shape (call, 1, &out))
    return FALSE;
  return run_pool (call, &work, -1, -1, 1, &in);
}

/* ---- with the places of the maxima ---- */

typedef struct
{
  SluiceWindow window;
  gboolean over_batch;
} ArgState;

static gpointer
arg_prepare (const SluiceNode *node, GError **error)
{
  ArgState *state = g_new0 (ArgState, 1);
  state->over_batch = sluice_node_get_bool (node, "include_batch_in_index");
  if (!sluice_window_parse (node, &state->window, error))
    g_clear_pointer (&state, g_free);
  else if (state->window.depth > 1)
    {
      sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                   "Op '%s': a pool over channels tells no places", node->name);
      g_clear_pointer (&state, g_free);
    }
  return state;
}

static gboolean
max_arg_compute (SluiceKernelCall *call)
{
  const ArgState *state = call->state;
  Work work = { .kind = MAX_POOL_ARG };
  SluiceShape out;
  if (!place_pool (call, &state->window, &sluice_call_input (call, 0)->shape, &work.pool, &out))
    return FALSE;
  if (sluice_call_input (call, 0)->n_elements == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the value must not be empty");
  SluiceTensor *arg = sluice_call_output (call, 1, &out);
  if (arg == NULL)
    return FALSE;
  gboolean wide = arg->dtype == SLUICE_INT64;
  g_autoptr (SluiceTensor) places =
      wide ? sluice_tensor_ref (arg) : sluice_call_scratch (call, SLUICE_INT64, &out);
  if (places == NULL)
    return FALSE;
  work.pool.arg = places->data;
  work.pool.arg_over_batch = state->over_batch;
  if (!run_pool (call, &work, 0, -1, -1, &out))
    return FALSE;
  for (gint64 i = 0; !wide && i < arg->n_elements; i++)
    ((gint32 *) arg->data)[i] = (gint32) work.pool.arg[i];
  return TRUE;
}

/* input, grad, argmax. */
static gboolean
max_grad_arg_compute (SluiceKernelCall *call)
{
  const ArgState *state = call->state;
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  const SluiceTensor *arg = sluice_call_input (call, 2);
  Work work = { .kind = MAX_POOL_GRAD_ARG };
  SluiceShape out;
  if (!place_pool (call, &state->window, in, &work.pool, &out) || !want_shape (call, 1, &out)
      || !want_shape (call, 2, &out))
    return FALSE;
  g_autoptr (SluiceTensor) places = sluice_call_scratch (call, SLUICE_INT64, &out);
  if (places == NULL)
    return FALSE;
  work.pool.arg = places->data;
  for (gint64 i = 0; i < arg->n_elements; i++)
    {
      gint64 first = state->over_batch ? i / work.pool.out_image * work.pool.in_image : 0;
      gint64 place = sluice_tensor_get_int (arg, i);
      if (place < first || place - first >= work.pool.in_image)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "argmax[%" G_GINT64_FORMAT "] is %" G_GINT64_FORMAT
                                 ", which is no place in its image",
                                 i, place);
      work.pool.arg[i] = place - first;
    }
  return run_pool (call, &work, -1, -1, 1, in);
}

/* MaxPool3DGrad has its values of another type attribute than its gradients. */
static gboolean
types_are_one (const SluiceNode *node)
{
  return sluice_node_get_type (node, "T") == sluice_node_get_type (node, "TInput");
}

#define KERNEL(name, types, function, kind)                                                        \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .prepare = sluice_window_prepare,    \
    .free_state = g_free, .compute = function, .data = GINT_TO_POINTER (kind)                      \
  }
#define ARG_KERNEL(name, function)                                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_REAL } }, .prepare = arg_prepare,    \
    .free_state = g_free, .compute = function                                                      \
  }
#define REAL   SLUICE_SET_REAL
#define FLOATS SLUICE_SET_FLOATS

static const SluiceKernel kernels[] = {
  KERNEL ("MaxPool", REAL, forward_compute, MAX_POOL),
  KERNEL ("MaxPoolV2", REAL, forward_compute, MAX_POOL),
  KERNEL ("MaxPoolGrad", REAL, max_backward_compute, MAX_POOL_GRAD),
  KERNEL ("MaxPoolGradV2", REAL, max_backward_compute, MAX_POOL_GRAD),
  KERNEL ("MaxPoolGradGrad", REAL, max_backward_compute, MAX_POOL_GRAD_GRAD),
  KERNEL ("MaxPoolGradGradV2", REAL, max_backward_compute, MAX_POOL_GRAD_GRAD),
  KERNEL ("AvgPool", FLOATS, forward_compute, AVG_POOL),
  KERNEL ("AvgPoolGrad", FLOATS, avg_grad_compute, AVG_POOL_GRAD),
  KERNEL ("MaxPool3D", FLOATS, forward_compute, MAX_POOL),
  { .op = "MaxPool3DGrad",
    .device = "CPU",
    .where = { { "T", FLOATS } },
    .accepts = types_are_one,
    .prepare = sluice_window_prepare,
    .free_state = g_free,
    .compute = max_backward_compute,
    .data = GINT_TO_POINTER (MAX_POOL_GRAD_TIES) },
  KERNEL ("MaxPool3DGradGrad", REAL, max_backward_compute, MAX_POOL_GRAD_GRAD),
  KERNEL ("AvgPool3D", FLOATS, forward_compute, AVG_POOL),
  KERNEL ("AvgPool3DGrad", FLOATS, avg_grad_compute, AVG_POOL_GRAD),
  ARG_KERNEL ("MaxPoolWithArgmax", max_arg_compute),
  ARG_KERNEL ("MaxPoolGradWithArgmax", max_grad_arg_compute),
};

const SluiceKernelModule sluice_module_nn_pool_cpu = { .kernels = kernels,
                                                       .n_kernels = G_N_ELEMENTS (kernels) };
