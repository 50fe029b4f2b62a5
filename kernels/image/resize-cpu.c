/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/image/resize.h"
#include "kernels/image/rows.h"
#include "kernels/typed.h"

typedef enum
{
  BILINEAR,
  CUBIC,
  AREA,
  NEAREST
} Method;

/* Pictures [batch, height, width, channels] and others of another height and width. */
typedef struct
{
  Method method;
  SluiceDType dtype; /* of the input */
  gint64 batch, channels;
  SluiceResizeAxis y, x;
  gint64 in_row, out_row; /* elements */
  gsize size;             /* bytes of an element of the input */
  const guint8 *in;
  void *out;
  const void *rows; /* as the columns: SluiceTaps, SluicePixelSpan, or numbers */
  SluiceRowPlan plan;
} Resize;

static gboolean
check_picture (SluiceKernelCall *call, const SluiceShape *in)
{
  char text[SLUICE_SHAPE_STR];
  if (in->rank != 4 || in->dim[1] <= 0 || in->dim[2] <= 0 || in->dim[3] <= 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "images must have shape [batch, height, width, channels], the last "
                             "three positive, not %s",
                             sluice_shape_str (in, text));
  if (in->dim[1] >= G_MAXINT32 || in->dim[2] >= G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "height and width must be below 2^31 - 1, not as in %s",
                             sluice_shape_str (in, text));
  return TRUE;
}

static gboolean
check_rule (SluiceKernelCall *call)
{
  const SluiceResizeRule *rule = call->state;
  if (rule->align_corners && rule->half_pixel)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "align_corners must be false where half_pixel_centers is true");
  return TRUE;
}

/* Sizes from image to resized; TRUE where all fits. */
static gboolean
set_shape (SluiceKernelCall *call, const gint64 *dims, SluiceShape *shape)
{
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, 4, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

static gboolean
place_forward (SluiceKernelCall *call, Resize *r, SluiceShape *shape)
{
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  const SluiceResizeRule *rule = call->state;
  gint64 size[2];
  if (!check_rule (call) || !check_picture (call, in) || !sluice_resize_read_size (call, 1, size))
    return FALSE;
  r->batch = in->dim[0];
  r->channels = in->dim[3];
  r->y = sluice_resize_axis (rule, in->dim[1], size[0]);
  r->x = sluice_resize_axis (rule, in->dim[2], size[1]);
  r->in_row = r->x.in * r->channels;
  r->plan = (SluiceRowPlan){ .n = r->x.out, .channels = r->channels, .limit = r->x.in };
  if (!set_shape (call, (gint64[]){ r->batch, r->y.out, r->x.out, r->channels }, shape))
    return FALSE;
  r->out_row = r->x.out * r->channels;
  return TRUE;
}

/* ---- one row of the output ---- */

static inline const void *
input_row (const Resize *r, gint64 image, gint64 row)
{
  return r->in + (image * r->y.in + row) * r->in_row * (gint64) r->size;
}

static void
area_row (const Resize *r, gint64 image, gint64 y, float *out)
{
  const SluicePixelSpan *span = (const SluicePixelSpan *) r->rows + y;
  memset (out, 0, r->out_row * sizeof *out);
  for (gint64 row = span->start; row < span->end; row++)
    {
      float weight = row == span->start ? span->first : row == span->end - 1 ? span->last : 1.0f;
      sluice_row_add_spans (r->dtype, input_row (r, image, CLAMP (row, 0, r->y.in - 1)), weight,
                            &r->plan, out);
    }
  float share = (float) (1.0 / (r->y.scale * r->x.scale));
  for (gint64 i = 0; i < r->out_row; i++)
    out[i] *= share;
}

/* A resize to the same size copies: blending would make NaN of an infinity. */
static gboolean
same_size (const Resize *r)
{
  return r->y.in == r->y.out && r->x.in == r->x.out;
}

static void
resize_rows (gpointer data, gint64 begin, gint64 end)
{
  const Resize *r = data;
  for (gint64 n = begin; n < end; n++)
    {
      gint64 image = n / r->y.out, y = n % r->y.out;
      float *out = (float *) r->out + n * r->out_row;
      const SluiceTaps *taps = (const SluiceTaps *) r->rows + y;
      if (r->method == AREA)
        area_row (r, image, y, out);
      else if (r->method == CUBIC)
        sluice_row_cubic (r->dtype,
                          (const void *[]){ input_row (r, image, taps->index[0]),
                                            input_row (r, image, taps->index[1]),
                                            input_row (r, image, taps->index[2]),
                                            input_row (r, image, taps->index[3]) },
                          taps->weight, &r->plan, out);
      else if (same_size (r))
        sluice_row_pick (r->dtype, input_row (r, image, y), &r->plan, 0, out);
      else
        sluice_row_blend (r->dtype, input_row (r, image, taps->index[0]),
                          input_row (r, image, taps->index[1]), taps->weight[1], &r->plan, 0, out);
    }
}

/* Weights of the parts of pixels i and i + 1 between which an output pixel lies. */
static SluiceTensor *
area_spans (SluiceKernelCall *call, const SluiceResizeAxis *axis)
{
  SluiceTensor *tensor = sluice_resize_scratch (call, axis->out, sizeof (SluicePixelSpan));
  SluicePixelSpan *spans = tensor ? tensor->data : NULL;
  for (gint64 i = 0; tensor && i < axis->out; i++)
    {
      float from = (float) i * axis->scale, to = (float) (i + 1) * axis->scale;
      gint64 edges[2] = { (gint64) floorf (from), (gint64) ceilf (to) - 1 };
      float weights[2];
      for (int k = 0; k < 2; k++)
        {
          float low = (float) edges[k], high = (float) (edges[k] + 1);
          if (low < from)
            weights[k] = high > to ? axis->scale : high - from;
          else
            weights[k] = high > to ? to - low : 1.0f;
        }
      spans[i] = (SluicePixelSpan){ edges[0], edges[1] + 1, weights[0], weights[1] };
    }
  return tensor;
}

static SluiceTensor *
make_plan (SluiceKernelCall *call, const Resize *r, const SluiceResizeAxis *axis)
{
  const SluiceResizeRule *rule = call->state;
  if (r->method == AREA)
    return area_spans (call, axis);
  return r->method == CUBIC ? sluice_resize_cubic_taps (call, rule, axis)
                            : sluice_resize_linear_taps (call, rule, axis);
}

static gboolean
resize_compute (SluiceKernelCall *call)
{
  Resize r = { .method = GPOINTER_TO_INT (call->kernel->data) };
  SluiceShape shape;
  if (!place_forward (call, &r, &shape))
    return FALSE;
  SluiceTensor *in = sluice_call_input (call, 0), *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  g_autoptr (SluiceTensor) wide =
      sluice_dtype_is_half (in->dtype) ? sluice_call_widen_input (call, 0) : sluice_tensor_ref (in);
  g_autoptr (SluiceTensor) rows = make_plan (call, &r, &r.y);
  g_autoptr (SluiceTensor) columns = make_plan (call, &r, &r.x);
  if (wide == NULL || rows == NULL || columns == NULL)
    return FALSE;
  r.dtype = wide->dtype;
  r.size = sluice_dtype_size (r.dtype);
  r.in = wide->data;
  r.out = out->data;
  r.rows = rows->data;
  r.plan.columns = columns->data;
  double reads = r.method == CUBIC ? 16 : r.method == AREA ? MAX (1, r.y.scale * r.x.scale) : 4;
  double row_ns = 0.5 * reads * (double) r.out_row;
  return sluice_call_parallel_for (call, r.batch * r.y.out, MAX (1, (gint64) (10000 / row_ns)),
                                   row_ns, resize_rows, &r);
}

/* ---- nearest ---- */

static inline __attribute__ ((always_inline)) void
copy_pixels (const guint8 *row, const gint64 *columns, gint64 n, gsize pixel, guint8 *out)
{
  for (gint64 x = 0; x < n; x++)
    memcpy (out + x * pixel, row + columns[x] * pixel, pixel);
}

static void
nearest_rows (gpointer data, gint64 begin, gint64 end)
{
  const Resize *r = data;
  const gint64 *rows = r->rows, *columns = r->plan.columns;
  gsize pixel = r->channels * r->size;
  for (gint64 n = begin; n < end; n++)
    {
      const guint8 *row = input_row (r, n / r->y.out, rows[n % r->y.out]);
      guint8 *out = (guint8 *) r->out + n * r->out_row * r->size;
      switch (pixel)
        {
#define CASE(bytes)                                                                                \
  case bytes:                                                                                      \
    copy_pixels (row, columns, r->x.out, bytes, out);                                              \
    break;
          CASE (1)
          CASE (3)
          CASE (4)
          CASE (12)
          CASE (16)
#undef CASE
        default:
          copy_pixels (row, columns, r->x.out, pixel, out);
        }
    }
}

static gboolean
nearest_compute (SluiceKernelCall *call)
{
  Resize r = { .method = NEAREST };
  SluiceShape shape;
  if (!place_forward (call, &r, &shape))
    return FALSE;
  if (r.y.in >= 1 << 24 || r.x.in >= 1 << 24)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "height and width must be below 2^24 for the nearest pixel to be told");
  SluiceTensor *in = sluice_call_input (call, 0), *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  g_autoptr (SluiceTensor) rows = sluice_resize_nearest_taps (call, call->state, &r.y);
  g_autoptr (SluiceTensor) columns = sluice_resize_nearest_taps (call, call->state, &r.x);
  if (rows == NULL || columns == NULL)
    return FALSE;
  r.size = sluice_dtype_size (in->dtype);
  r.in = in->data;
  r.out = out->data;
  r.rows = rows->data;
  r.plan.columns = columns->data;
  double row_ns = 0.3 * (double) r.out_row + (double) r.x.out;
  return sluice_call_parallel_for (call, r.batch * r.y.out, MAX (1, (gint64) (10000 / row_ns)),
                                   row_ns, nearest_rows, &r);
}

/* ---- gradients: each pixel gives to those that it was made of ---- */

#define SCATTER(T, suffix)                                                                         \
  static void scatter_##suffix (const Resize *r, gint64 n)                                         \
  {                                                                                                \
    const int taps = r->method == CUBIC ? 4 : 2;                                                   \
    const gint64 channels = r->channels, height = r->y.out, width = r->x.out;                      \
    const float *from = (const float *) r->in + n * height * width * channels;                     \
    T *to = (T *) r->out + n * r->y.in * r->in_row;                                                \
    for (gint64 i = 0; i < height * width; i++, from += channels)                                  \
      {                                                                                            \
        const SluiceTaps *y = (const SluiceTaps *) r->rows + i / width;                            \
        const SluiceTaps *x = (const SluiceTaps *) r->plan.columns + i % width;                    \
        for (int k = 0; k < taps * taps; k++)                                                      \
          {                                                                                        \
            float wy = y->weight[k / taps], wx = x->weight[k % taps];                              \
            T *pixel = to + y->index[k / taps] * r->in_row + x->index[k % taps] * channels;        \
            for (gint64 c = 0; c < channels; c++)                                                  \
              pixel[c] += (T) (from[c] * wy * wx);                                                 \
          }                                                                                        \
      }                                                                                            \
  }
SCATTER (float, float)
SCATTER (double, double)

/* Integers wrap: unsigned types do so for both. */
#define GIVE(T, suffix)                                                                            \
  static void give_##suffix (const Resize *r, gint64 n)                                            \
  {                                                                                                \
    const gint64 channels = r->channels, height = r->y.out, width = r->x.out;                      \
    const gint64 *rows = r->rows, *columns = r->plan.columns;                                      \
    const T *from = (const T *) r->in + n * height * width * channels;                             \
    T *to = (T *) r->out + n * r->y.in * r->in_row;                                                \
    for (gint64 i = 0; i < height * width; i++, from += channels)                                  \
      {                                                                                            \
        T *pixel = to + rows[i / width] * r->in_row + columns[i % width] * channels;               \
        for (gint64 c = 0; c < channels; c++)                                                      \
          pixel[c] = (T) (pixel[c] + from[c]);                                                     \
      }                                                                                            \
  }
GIVE (float, float)
GIVE (double, double)
GIVE (guint8, i8)
GIVE (guint32, i32)

static void
give_images (gpointer data, gint64 begin, gint64 end)
{
  const Resize *r = data;
  for (gint64 n = begin; n < end; n++)
    if (r->method != NEAREST)
      (r->dtype == SLUICE_DOUBLE ? scatter_double : scatter_float) (r, n);
    else if (r->dtype == SLUICE_DOUBLE)
      give_double (r, n);
    else if (r->dtype == SLUICE_FLOAT)
      give_float (r, n);
    else
      (r->size == 1 ? give_i8 : give_i32) (r, n);
}

/* Reads r->in, adds up in float or wider, writes output 0. */
static gboolean
give (SluiceKernelCall *call, Resize *r, const SluiceShape *shape)
{
  SluiceTensor *out = sluice_call_output (call, 0, shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  gboolean half = sluice_dtype_is_half (out->dtype);
  g_autoptr (SluiceTensor) wide =
      half ? sluice_call_scratch (call, SLUICE_FLOAT, shape) : sluice_tensor_ref (out);
  if (wide == NULL)
    return FALSE;
  memset (wide->data, 0, sluice_tensor_bytes (wide));
  r->out = wide->data;
  r->dtype = wide->dtype;
  r->size = sluice_dtype_size (r->dtype);
  double image_ns = (double) (r->y.out * r->x.out * r->channels) * (r->method == CUBIC ? 16 : 4);
  if (!sluice_call_parallel_for (call, r->batch, 1, image_ns, give_images, r))
    return FALSE;
  if (half)
    sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
  return TRUE;
}

/* The gradient has the resized size, the original the other; batch and channels are the
 * gradient's. */
static gboolean
place_gradient (SluiceKernelCall *call, Resize *r, gint64 height, gint64 width, SluiceShape *shape)
{
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  r->batch = in->dim[0];
  r->channels = in->dim[3];
  r->y = sluice_resize_axis (call->state, height, in->dim[1]);
  r->x = sluice_resize_axis (call->state, width, in->dim[2]);
  r->in_row = width * r->channels;
  return set_shape (call, (gint64[]){ r->batch, height, width, r->channels }, shape);
}

static gboolean
gradient_compute (SluiceKernelCall *call)
{
  Resize r = { .method = GPOINTER_TO_INT (call->kernel->data) };
  SluiceTensor *grads = sluice_call_input (call, 0), *image = sluice_call_input (call, 1);
  const SluiceShape *in = &grads->shape, *original = &image->shape;
  SluiceShape shape;
  char text[SLUICE_SHAPE_STR];
  if (!check_rule (call))
    return FALSE;
  if (in->rank != 4 || in->dim[1] <= 0 || in->dim[2] <= 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "grads must have 4 dimensions, a positive height and width, not "
                             "shape %s",
                             sluice_shape_str (in, text));
  if (original->rank != 4 || original->dim[1] <= 0 || original->dim[2] <= 0
      || original->dim[1] >= G_MAXINT32 || original->dim[2] >= G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "original_image must have 4 dimensions, height and width in "
                             "[1, 2^31 - 1), not shape %s",
                             sluice_shape_str (original, text));
  if (!place_gradient (call, &r, original->dim[1], original->dim[2], &shape))
    return FALSE;
  g_autoptr (SluiceTensor) rows = make_plan (call, &r, &r.y);
  g_autoptr (SluiceTensor) columns = make_plan (call, &r, &r.x);
  if (rows == NULL || columns == NULL)
    return FALSE;
  r.in = grads->data;
  r.rows = rows->data;
  r.plan.columns = columns->data;
  return give (call, &r, &shape);
}

static gboolean
nearest_gradient_compute (SluiceKernelCall *call)
{
  Resize r = { .method = NEAREST };
  SluiceTensor *grads = sluice_call_input (call, 0);
  gint64 size[2];
  SluiceShape shape;
  if (!sluice_call_want_rank (call, 0, 4) || !sluice_resize_read_size (call, 1, size)
      || !place_gradient (call, &r, size[0], size[1], &shape))
    return FALSE;
  g_autoptr (SluiceTensor) wide = sluice_dtype_is_half (grads->dtype)
                                      ? sluice_call_widen_input (call, 0)
                                      : sluice_tensor_ref (grads);
  g_autoptr (SluiceTensor) rows = sluice_resize_nearest_taps (call, call->state, &r.y);
  g_autoptr (SluiceTensor) columns = sluice_resize_nearest_taps (call, call->state, &r.x);
  if (wide == NULL || rows == NULL || columns == NULL)
    return FALSE;
  r.in = wide->data;
  r.rows = rows->data;
  r.plan.columns = columns->data;
  return give (call, &r, &shape);
}

#define KERNEL(name, types, function, method, ...)                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .prepare = sluice_resize_prepare,    \
    .free_state = g_free, .compute = function, .data = GINT_TO_POINTER (method), __VA_ARGS__       \
  }
#define PICTURES (SLUICE_SET_ROWS | SLUICE_SET_HALVES)
#define GRADIENTS                                                                                  \
  (SLUICE_SET_FLOATS | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_INT8)                        \
   | SLUICE_SET (SLUICE_INT32))

static const SluiceKernel kernels[] = {
  KERNEL ("ResizeBilinear", PICTURES, resize_compute, BILINEAR, .host_inputs = 2),
  KERNEL ("ResizeBicubic", PICTURES, resize_compute, CUBIC, .host_inputs = 2),
  KERNEL ("ResizeArea", PICTURES, resize_compute, AREA, .host_inputs = 2),
  KERNEL ("ResizeNearestNeighbor",
          PICTURES,
          nearest_compute,
          NEAREST,
          .host_inputs = 2,
          .flags = SLUICE_KERNEL_KEEPS_DENORMALS),
  KERNEL ("ResizeBilinearGrad", SLUICE_SET_FLOATS, gradient_compute, BILINEAR),
  KERNEL ("ResizeBicubicGrad", SLUICE_SET_FLOATS, gradient_compute, CUBIC),
  KERNEL (
      "ResizeNearestNeighborGrad", GRADIENTS, nearest_gradient_compute, NEAREST, .host_inputs = 2),
};

const SluiceKernelModule sluice_module_image_resize_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
