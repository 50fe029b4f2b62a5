/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/image/rows.h"
#include "kernels/typed.h"

/* ---- pixels of three channels ---- */

typedef enum
{
  TO_HSV,
  TO_RGB,
  HUE,
  SATURATION
} Kind;

#define CONVERSIONS(T, suffix, fmin, fmax, fabs)                                                   \
  static inline void to_hsv_##suffix (const T x[3], T y[3])                                        \
  {                                                                                                \
    T r = x[0], g = x[1], b = x[2];                                                                \
    T value = fmax (fmax (r, g), b), range = value - fmin (fmin (r, g), b);                        \
    T norm = 1 / range * ((T) 1 / 6), hue = 0;                                                     \
    if (range > 0)                                                                                 \
      hue = r == value   ? norm * (g - b)                                                          \
            : g == value ? norm * (b - r) + (T) 2 / 6                                              \
                         : norm * (r - g) + (T) 4 / 6;                                             \
    y[0] = hue < 0 ? hue + 1 : hue;                                                                \
    y[1] = value > 0 ? range / value : 0;                                                          \
    y[2] = value;                                                                                  \
  }                                                                                                \
  static inline void to_rgb_##suffix (const T x[3], T y[3])                                        \
  {                                                                                                \
    T turn = x[0] * 6, saturation = x[1], value = x[2];                                            \
    T dr = fmin (fmax (fabs (turn - 3) - 1, 0), 1);                                                \
    T dg = fmin (fmax (2 - fabs (turn - 2), 0), 1);                                                \
    T db = fmin (fmax (2 - fabs (turn - 4), 0), 1);                                                \
    y[0] = (1 - saturation + saturation * dr) * value;                                             \
    y[1] = (1 - saturation + saturation * dg) * value;                                             \
    y[2] = (1 - saturation + saturation * db) * value;                                             \
  }
CONVERSIONS (float, float, fminf, fmaxf, fabsf)
CONVERSIONS (double, double, fmin, fmax, fabs)

/* The middle channel goes up and down between the others, which stay, as the hue turns: six
 * stretches of the wheel, and in each which channel is largest, middle and smallest. */
static const guint8 stretches[6][3] = {
  { 0, 1, 2 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 1, 0 }, { 2, 0, 1 }, { 0, 2, 1 },
};

static int
find_stretch (const float x[3])
{
  float r = x[0], g = x[1], b = x[2];
  if (r < g)
    return b < r ? 1 : b > g ? 3 : 2;
  return b < g ? 0 : b > r ? 4 : 5;
}

static void
turn_hue (const float x[3], float delta, float y[3])
{
  int stretch = find_stretch (x);
  const guint8 *order = stretches[stretch];
  float most = x[order[0]], middle = x[order[1]], least = x[order[2]], hue = 0;
  if (most != least)
    {
      float ratio = (middle - least) / (most - least);
      hue = (float) stretch + (stretch & 1 ? 1 - ratio : ratio);
    }
  hue = fmodf (hue + delta * 6, 6);
  if (hue < 0)
    hue += 6;
  stretch = hue >= 0 && hue < 6 ? (int) hue : hue >= 6 ? 0 : 5;
  float ratio = hue >= 6 ? 0 : hue - (float) stretch;
  middle = least + (stretch & 1 ? 1 - ratio : ratio) * (most - least);
  order = stretches[stretch];
  y[order[0]] = most;
  y[order[1]] = middle;
  y[order[2]] = least;
}

static void
saturate (const float x[3], float scale, float y[3])
{
  float hsv[3];
  to_hsv_float (x, hsv);
  hsv[1] = fminf (1, fmaxf (0, hsv[1] * scale));
  to_rgb_float (hsv, y);
}

typedef struct
{
  Kind kind;
  gboolean wide;
  const void *in;
  void *out;
  float amount;
} Pixels;

static void
convert_pixels (gpointer data, gint64 begin, gint64 end)
{
  const Pixels *p = data;
  const float *in = (const float *) p->in + 3 * begin;
  float *out = (float *) p->out + 3 * begin;
  gint64 n = end - begin;
  if (p->wide)
    for (gint64 i = 3 * begin; i < 3 * end; i += 3)
      (p->kind == TO_HSV ? to_hsv_double : to_rgb_double) ((const double *) p->in + i,
                                                           (double *) p->out + i);
  else if (p->kind == TO_HSV)
    for (gint64 i = 0; i < 3 * n; i += 3)
      to_hsv_float (in + i, out + i);
  else if (p->kind == TO_RGB)
    for (gint64 i = 0; i < 3 * n; i += 3)
      to_rgb_float (in + i, out + i);
  else if (p->kind == HUE)
    for (gint64 i = 0; i < 3 * n; i += 3)
      turn_hue (in + i, p->amount, out + i);
  else
    for (gint64 i = 0; i < 3 * n; i += 3)
      saturate (in + i, p->amount, out + i);
}

/* The input as float (or double) and a place for the output in the same type. */
typedef struct
{
  SluiceTensor *in, *out;
} Wide;

static void
wide_clear (Wide *self)
{
  g_clear_pointer (&self->in, sluice_tensor_unref);
  g_clear_pointer (&self->out, sluice_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Wide, wide_clear)

static gboolean
wide_init (SluiceKernelCall *call, Wide *self)
{
  SluiceTensor *in = sluice_call_input (call, 0);
  SluiceTensor *out = sluice_call_output (call, 0, &in->shape);
  if (out == NULL)
    return FALSE;
  self->in =
      sluice_dtype_is_half (in->dtype) ? sluice_call_widen_input (call, 0) : sluice_tensor_ref (in);
  self->out = sluice_dtype_is_half (out->dtype)
                  ? sluice_call_scratch (call, SLUICE_FLOAT, &in->shape)
                  : sluice_tensor_ref (out);
  return self->in && self->out;
}

static void
wide_finish (SluiceKernelCall *call, const Wide *self)
{
  SluiceTensor *out = call->outputs[0].tensor;
  if (sluice_dtype_is_half (out->dtype))
    sluice_narrow (out->dtype, self->out->data, out->data, out->n_elements);
}

static gboolean
want_pictures (SluiceKernelCall *call, int rank)
{
  const SluiceShape *shape = &sluice_call_input (call, 0)->shape;
  char text[SLUICE_SHAPE_STR];
  if (shape->rank >= rank)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "images must have at least %d dimensions, not shape %s", rank,
                           sluice_shape_str (shape, text));
}

static gboolean
want_colors (SluiceKernelCall *call, gboolean adjusts)
{
  if (!want_pictures (call, adjusts ? 3 : 1))
    return FALSE;
  const SluiceShape *shape = &sluice_call_input (call, 0)->shape;
  char text[SLUICE_SHAPE_STR];
  if (shape->dim[shape->rank - 1] == 3)
    return TRUE;
  return sluice_call_fail (
      call, adjusts ? SLUICE_ERROR_INVALID_ARGUMENT : SLUICE_ERROR_FAILED_PRECONDITION,
      "images must have 3 channels in their last dimension, not shape %s",
      sluice_shape_str (shape, text));
}

static gboolean
pixels_compute (SluiceKernelCall *call)
{
  Pixels p = { .kind = GPOINTER_TO_INT (call->kernel->data) };
  gboolean adjusts = p.kind == HUE || p.kind == SATURATION;
  g_auto (Wide) wide = { 0 };
  if (!want_colors (call, adjusts) || (adjusts && !sluice_call_want_scalar (call, 1))
      || !wide_init (call, &wide))
    return FALSE;
  p.wide = wide.in->dtype == SLUICE_DOUBLE;
  p.in = wide.in->data;
  p.out = wide.out->data;
  p.amount = adjusts ? *(const float *) sluice_call_input (call, 1)->data : 0;
  if (!sluice_call_parallel_for (call, wide.in->n_elements / 3, 4096, 10, convert_pixels, &p))
    return FALSE;
  wide_finish (call, &wide);
  return TRUE;
}

/* ---- contrast ---- */

typedef struct
{
  SluiceDType dtype;
  gsize size;
  const guint8 *in;
  float *out;
  gint64 pixels, channels;
  float factor, low, high;
} Contrast;

/* Each image on its own: means in double, then the distances from them. */
static void
contrast_images (gpointer data, gint64 begin, gint64 end)
{
  const Contrast *c = data;
  gint64 n = c->pixels * c->channels;
  SluiceTaps tap = { { 0 }, { 0 } };
  SluiceRowPlan all = { .columns = &tap, .n = 1, .channels = n, .limit = 1 };
  for (gint64 image = begin; image < end; image++)
    {
      float *out = c->out + image * n;
      g_autofree double *means = g_new0 (double, c->channels);
      sluice_row_pick (c->dtype, c->in + image * n * (gint64) c->size, &all, 0, out);
      for (gint64 i = 0; i < n; i += c->channels)
        for (gint64 k = 0; k < c->channels; k++)
          means[k] += out[i + k];
      for (gint64 k = 0; k < c->channels; k++)
        means[k] /= (double) c->pixels;
      for (gint64 i = 0; i < n; i += c->channels)
        for (gint64 k = 0; k < c->channels; k++)
          {
            float mean = (float) means[k];
            float value = (out[i + k] - mean) * c->factor + mean;
            value = value > c->high ? c->high : value;
            out[i + k] = value < c->low ? c->low : value;
          }
    }
}

static gboolean
contrast_compute (SluiceKernelCall *call)
{
  g_auto (Wide) wide = { 0 };
  if (!want_pictures (call, 3))
    return FALSE;
  for (guint i = 1; i < call->n_inputs; i++)
    if (!sluice_call_want_scalar (call, i))
      return FALSE;
  if (!wide_init (call, &wide))
    return FALSE;
  const SluiceShape *shape = &wide.in->shape;
  const gint64 *dims = &shape->dim[shape->rank - 3];
  Contrast c = {
    .dtype = wide.in->dtype,
    .size = sluice_dtype_size (wide.in->dtype),
    .in = wide.in->data,
    .out = wide.out->data,
    .pixels = dims[0] * dims[1],
    .channels = dims[2],
    .factor = *(const float *) sluice_call_input (call, 1)->data,
    .low = -INFINITY,
    .high = INFINITY,
  };
  if (call->n_inputs > 2)
    {
      c.low = *(const float *) sluice_call_input (call, 2)->data;
      c.high = *(const float *) sluice_call_input (call, 3)->data;
    }
  if (wide.in->n_elements == 0)
    return TRUE;
  gint64 n = c.pixels * c.channels;
  if (!sluice_call_parallel_for (call, wide.in->n_elements / n, 1, (double) n * 3, contrast_images,
                                 &c))
    return FALSE;
  wide_finish (call, &wide);
  return TRUE;
}

#define KERNEL(name, types, function, kind)                                                        \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .compute = function,                 \
    .data = GINT_TO_POINTER (kind), .host_inputs = ~1u                                             \
  }
#define HALF_OR_FLOAT (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_HALF))

static const SluiceKernel kernels[] = {
  KERNEL ("RGBToHSV", SLUICE_SET_FLOATS, pixels_compute, TO_HSV),
  KERNEL ("HSVToRGB", SLUICE_SET_FLOATS, pixels_compute, TO_RGB),
  KERNEL ("AdjustHue", HALF_OR_FLOAT, pixels_compute, HUE),
  KERNEL ("AdjustSaturation", HALF_OR_FLOAT, pixels_compute, SATURATION),
  KERNEL ("AdjustContrastv2", HALF_OR_FLOAT, contrast_compute, 0),
  KERNEL ("AdjustContrast", SLUICE_SET_ROWS & ~SLUICE_SET (SLUICE_UINT16), contrast_compute, 0),
};

const SluiceKernelModule sluice_module_image_colors_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
