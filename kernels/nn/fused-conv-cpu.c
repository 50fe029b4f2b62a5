/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/image/resize.h"
#include "kernels/nn/conv-problem.h"
#include "kernels/nn/conv.h"
#include "kernels/typed.h"

typedef struct
{
  SluiceSlidingWindow window;
  SluiceResizeRule rule;
  int inside; /* 1 where the mirror leaves the edge out */
} State;

static gpointer
fused_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new0 (State, 1);
  state->inside = sluice_node_string_is (node, "mode", "REFLECT") ? 1 : 0;
  if (sluice_node_get_attr (node, "resize_align_corners"))
    state->rule.align_corners = sluice_node_get_bool (node, "resize_align_corners");
  if (!sluice_sliding_window_parse (node, &state->window, error))
    g_clear_pointer (&state, g_free);
  return state;
}

/* Where a pixel of the padded picture comes from: two of the input, blended by `weight`. */
typedef struct
{
  gint64 low, high;
  double weight;
} Tap;

/* Padded sizes and taps of one axis. */
typedef struct
{
  SluiceResizeAxis resize;
  gint64 before, padded;
} Axis;

static Tap
tap_at (const Axis *axis, int inside, gint64 at)
{
  gint64 n = axis->resize.out, i = at - axis->before;
  if (i < 0)
    i = -i - 1 + inside;
  else if (i >= n)
    i = 2 * n - 1 - inside - i;
  float place = (float) i * axis->resize.scale;
  gint64 low = CLAMP ((gint64) floorf (place), 0, axis->resize.in - 1);
  return (Tap){ low, MIN (low + 1, axis->resize.in - 1), (double) (place - (float) low) };
}

static gboolean
read_axes (SluiceKernelCall *call, guint table, Axis axes[SLUICE_AXES])
{
  const State *state = call->state;
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  const SluiceTensor *paddings = sluice_call_input (call, table);
  gint64 size[2];
  if (!sluice_call_want_rank (call, 0, 4) || !sluice_call_want_rank (call, table, 2))
    return FALSE;
  size[0] = in->dim[1];
  size[1] = in->dim[2];
  if (table == 2 && !sluice_resize_read_size (call, 1, size))
    return FALSE;
  if (paddings->n_elements != 8 || paddings->shape.dim[1] != 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "paddings must be of shape [4,2]");
  for (int d = 0; d < 4; d++)
    {
      gint64 before = sluice_tensor_get_int (paddings, 2 * d);
      gint64 after = sluice_tensor_get_int (paddings, 2 * d + 1);
      gboolean spatial = d == 1 || d == 2;
      gint64 most = spatial ? size[d - 1] - state->inside : 0;
      if (before < 0 || after < 0 || before > most || after > most)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d cannot be mirrored by %" G_GINT64_FORMAT
                                 " and %" G_GINT64_FORMAT "; at most by %" G_GINT64_FORMAT,
                                 d, before, after, MAX (most, 0));
      if (spatial)
        axes[d] = (Axis){ sluice_resize_axis (&state->rule, in->dim[d], size[d - 1]), before,
                          before + size[d - 1] + after };
    }
  return TRUE;
}

/* A tensor of any floating type as doubles in scratch memory. (transfer full) (nullable) */
static SluiceTensor *
as_double (SluiceKernelCall *call, guint i)
{
  const SluiceTensor *input = sluice_call_input (call, i);
  SluiceTensor *wide = sluice_call_scratch (call, SLUICE_DOUBLE, &input->shape);
  for (gint64 at = 0; wide && at < input->n_elements; at++)
    {
      float narrow;
      if (input->dtype == SLUICE_DOUBLE)
        ((double *) wide->data)[at] = ((const double *) input->data)[at];
      else if (input->dtype == SLUICE_FLOAT)
        ((double *) wide->data)[at] = ((const float *) input->data)[at];
      else
        {
          sluice_widen (input->dtype, (const guint16 *) input->data + at, &narrow, 1);
          ((double *) wide->data)[at] = narrow;
        }
    }
  return wide;
}

static void
store_double (const SluiceTensor *from, SluiceTensor *to)
{
  const double *values = from->data;
  for (gint64 at = 0; at < to->n_elements; at++)
    if (to->dtype == SLUICE_DOUBLE)
      ((double *) to->data)[at] = values[at];
    else if (to->dtype == SLUICE_FLOAT)
      ((float *) to->data)[at] = (float) values[at];
    else
      sluice_narrow (to->dtype, &(float){ (float) values[at] }, (guint16 *) to->data + at, 1);
}

/* Resizes and mirrors into `padded`. */
static void
fill_padded (const State *state, const Axis *axes, const SluiceTensor *in, SluiceTensor *padded)
{
  const double *x = in->data;
  double *to = padded->data;
  gint64 width = in->shape.dim[2], channels = in->shape.dim[3];
  for (gint64 n = 0; n < padded->shape.dim[0]; n++)
    for (gint64 h = 0; h < axes[1].padded; h++)
      {
        Tap row = tap_at (&axes[1], state->inside, h);
        const double *top = x + (n * in->shape.dim[1] + row.low) * width * channels;
        const double *bottom = x + (n * in->shape.dim[1] + row.high) * width * channels;
        for (gint64 w = 0; w < axes[2].padded; w++)
          {
            Tap column = tap_at (&axes[2], state->inside, w);
            gint64 left = column.low * channels, right = column.high * channels;
            for (gint64 c = 0; c < channels; c++)
              {
                double above = top[left + c] + (top[right + c] - top[left + c]) * column.weight;
                double below =
                    bottom[left + c] + (bottom[right + c] - bottom[left + c]) * column.weight;
                *to++ = above + (below - above) * row.weight;
              }
          }
      }
}

static gboolean
fused_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  guint last = call->n_inputs - 1u;
  Axis axes[SLUICE_AXES];
  SluiceShape padded, filter = sluice_call_input (call, last)->shape, y;
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  SluiceConvCall c;
  g_autoptr (GError) error = NULL;
  if (!read_axes (call, last - 1, axes) || !sluice_call_want_rank (call, last, 4))
    return FALSE;
  const gint64 dims[] = { in->dim[0], axes[1].padded, axes[2].padded, in->dim[3] };
  if (!sluice_shape_make (&padded, dims, 4, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  if (!sluice_conv_place (call, &state->window, &padded, &filter, &c.conv, &y))
    return FALSE;
  if (c.conv.depth != c.conv.channels
      || (sluice_shape_n_elements (&padded) && axes[1].resize.in == 0))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "the filter must take as many channels as the input has, and the input "
        "must not be empty");
  SluiceTensor *out = sluice_call_output (call, 0, &y);
  g_autoptr (SluiceTensor) x = as_double (call, 0);
  g_autoptr (SluiceTensor) weights = as_double (call, last);
  g_autoptr (SluiceTensor) mirrored = sluice_call_scratch (call, SLUICE_DOUBLE, &padded);
  g_autoptr (SluiceTensor) sums = sluice_call_scratch (call, SLUICE_DOUBLE, &y);
  if (out == NULL || x == NULL || weights == NULL || mirrored == NULL || sums == NULL)
    return FALSE;
  c.x = mirrored;
  c.filter = weights;
  c.y = sums;
  memset (sums->data, 0, sluice_tensor_bytes (sums));
  if (!sluice_conv_is_trivial (&c.conv))
    {
      fill_padded (state, axes, x, mirrored);
      if (!sluice_conv_reference (call, SLUICE_CONV_FORWARD, &c))
        return FALSE;
    }
  store_double (sums, out);
  return TRUE;
}

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_FLOATS } },                          \
    .prepare = fused_prepare, .free_state = g_free, .compute = fused_compute                       \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("FusedPadConv2D"),
  KERNEL ("FusedResizeAndPadConv2D"),
};

const SluiceKernelModule sluice_module_nn_fused_conv_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
