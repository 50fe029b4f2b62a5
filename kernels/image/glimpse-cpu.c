/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/random/generator.h"
#include "kernels/typed.h"

typedef enum
{
  ZERO,
  UNIFORM,
  GAUSSIAN
} Noise;

/* The generator stands first, where sluice_call_reserve_random() looks for it. */
typedef struct
{
  SluiceRandomNode random;
  Noise noise;
  gboolean centered, normalized;
} State;

static gpointer
glimpse_prepare (const SluiceNode *node, GError **error)
{
  gboolean uniform = sluice_node_get_bool (node, "uniform_noise");
  gboolean none = sluice_node_string_is (node, "noise", "");
  State *state = g_new0 (State, 1);
  state->random.name_hash = g_str_hash (node->name); /* the op has no seeds */
  state->centered = sluice_node_get_bool (node, "centered");
  state->normalized = sluice_node_get_bool (node, "normalized");
  if (none ? uniform : sluice_node_string_is (node, "noise", "uniform"))
    state->noise = UNIFORM;
  else if (none || sluice_node_string_is (node, "noise", "gaussian"))
    state->noise = GAUSSIAN;
  else if (!sluice_node_string_is (node, "noise", "zero"))
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "noise must be uniform, gaussian or zero");
      g_clear_pointer (&state, g_free);
    }
  if (state && uniform && !none && state->noise != UNIFORM)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "uniform_noise is true, but noise says another");
      g_clear_pointer (&state, g_free);
    }
  return state;
}

typedef struct
{
  gint64 height, width, channels;
} Size;

/* Mean and spread, least and most of one channel. */
typedef struct
{
  float mean, sigma, least, most;
} Channel;

static Channel
measure (const float *image, gint64 n, gint64 step)
{
  Channel c = { 0, 0, INFINITY, -INFINITY };
  double sum = 0, squares = 0;
  for (gint64 i = 0; i < n * step; i += step)
    {
      sum += image[i];
      c.least = fminf (c.least, image[i]);
      c.most = fmaxf (c.most, image[i]);
    }
  double mean = sum / (double) n;
  for (gint64 i = 0; i < n * step; i += step)
    squares += (image[i] - mean) * (image[i] - mean);
  c.mean = (float) mean;
  c.sigma = (float) sqrt (squares / (double) n);
  return c;
}

/* Noise like the image itself: uniform over its range, or of each channel's mean and spread. */
static void
fill_noise (
    const float *image, const Size *in, const Size *out, Noise noise, SluiceWords *words, float *to)
{
  gint64 pixels = in->height * in->width, n = out->height * out->width;
  Channel all = measure (image, pixels * in->channels, 1);
  for (gint64 k = 0; k < in->channels; k++)
    {
      Channel c = noise == GAUSSIAN ? measure (image + k, pixels, in->channels) : all;
      for (gint64 i = 0; i < n; i++)
        {
          float value = c.least + sluice_words_next_float (words) * (c.most - c.least);
          if (noise == GAUSSIAN)
            {
              float pair[2];
              guint32 first = sluice_words_next (words);
              sluice_normal_pair_float (first, sluice_words_next (words), pair);
              value = fmaxf (fminf (c.mean + pair[0] * c.sigma, c.most), c.least);
            }
          to[i * in->channels + k] = value;
        }
    }
}

/* The first row (or column) of the glimpse, in pixels of the image; far outside all are alike. */
static gint64
place (const State *state, float offset, gint64 in, gint64 out)
{
  float at = offset;
  if (state->normalized)
    at *= (float) in;
  if (state->centered)
    at = at / 2.0f + (float) in / 2.0f;
  at -= (float) out / 2.0f;
  const float far = 4294967296.0f;
  return isnan (at) ? (gint64) far : (gint64) CLAMP (at, -far, far);
}

static void
copy_inside (const float *image, const Size *in, gint64 y0, gint64 x0, const Size *out, float *to)
{
  gint64 first = MAX (0, -x0), last = MIN (out->width, in->width - x0);
  for (gint64 y = 0; y < out->height && first < last; y++)
    if (y0 + y >= 0 && y0 + y < in->height)
      memcpy (to + (y * out->width + first) * in->channels,
              image + ((y0 + y) * in->width + x0 + first) * in->channels,
              (last - first) * in->channels * sizeof *to);
}

static gboolean
glimpse_shapes (SluiceKernelCall *call, Size *in, Size *out, SluiceShape *shape)
{
  const SluiceShape *image = &sluice_call_input (call, 0)->shape;
  const SluiceShape *offsets = &sluice_call_input (call, 2)->shape;
  SluiceTensor *size = sluice_call_input (call, 1);
  g_autoptr (GError) error = NULL;
  if (!sluice_call_want_rank (call, 0, 4))
    return FALSE;
  if (size->shape.rank != 1 || size->n_elements != 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "size must hold height and width");
  if (offsets->rank != 2 || offsets->dim[0] != image->dim[0] || offsets->dim[1] != 2)
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "offsets must be [%" G_GINT64_FORMAT ", 2], not %s", image->dim[0],
                               sluice_shape_str (offsets, text));
    }
  *in = (Size){ image->dim[1], image->dim[2], image->dim[3] };
  *out = (Size){ sluice_tensor_get_int (size, 0), sluice_tensor_get_int (size, 1), in->channels };
  if (out->height < 0 || out->width < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "size must not be negative");
  gint64 dims[] = { image->dim[0], out->height, out->width, in->channels };
  return sluice_shape_make (shape, dims, 4, &error)
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
}

static gboolean
glimpse_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  Size in = { 0 }, out = { 0 };
  SluiceShape shape;
  SluicePhilox start = { 0 };
  if (!glimpse_shapes (call, &in, &out, &shape))
    return FALSE;
  SluiceTensor *glimpse = sluice_call_output (call, 0, &shape);
  if (glimpse == NULL || glimpse->n_elements == 0)
    return glimpse != NULL;
  /* Three words a number at most. */
  if (state->noise != ZERO
      && !sluice_call_reserve_random (call, (guint64) glimpse->n_elements, &start))
    return FALSE;
  SluiceWords words = sluice_words (&start);
  const float *offsets = sluice_call_input (call, 2)->data;
  gint64 from = in.height * in.width * in.channels, to = out.height * out.width * in.channels;
  for (gint64 i = 0; i < shape.dim[0]; i++)
    {
      const float *image = (const float *) sluice_call_input (call, 0)->data + i * from;
      float *target = (float *) glimpse->data + i * to;
      gint64 y = place (state, offsets[2 * i], in.height, out.height);
      gint64 x = place (state, offsets[2 * i + 1], in.width, out.width);
      gboolean inside =
          y >= 0 && x >= 0 && y + out.height <= in.height && x + out.width <= in.width;
      if (call->cancelled && *call->cancelled)
        return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "cancelled");
      if (!inside && (state->noise == ZERO || from == 0))
        memset (target, 0, to * sizeof *target);
      else if (!inside)
        fill_noise (image, &in, &out, state->noise, &words, target);
      copy_inside (image, &in, y, x, &out, target);
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  { .op = "ExtractGlimpse",
    .device = "CPU",
    .host_inputs = 6,
    .prepare = glimpse_prepare,
    .free_state = g_free,
    .compute = glimpse_compute },
};

const SluiceKernelModule sluice_module_image_glimpse_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
