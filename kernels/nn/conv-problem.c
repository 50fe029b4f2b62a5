/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/nn/conv-problem.h"

#include <string.h>

#include "kernels/typed.h"

#define MAX_PARTS 16 /* chunks of a batch, where they are not too long */
/* Of a chunk, at least one of the two: work for 0.1 ms, and what fills a quarter of a second cache.
 */
#define CHUNK_FLOPS    8e6
#define CHUNK_ELEMENTS 65536
/* Of a chunk of several images at most: a run that is cancelled waits for it, and is to end within
 * a tenth of a second. */
#define MOST_FLOPS 4e9

/* The shape that input i of the node is or holds. */
static gboolean
read_shape (SluiceKernelCall *call,
            const SluiceSlidingWindow *window,
            guint i,
            gboolean holds_sizes,
            SluiceShape *shape)
{
  if (holds_sizes)
    return sluice_sliding_window_read_sizes (call, window, i, shape);
  *shape = sluice_call_input (call, i)->shape;
  return sluice_call_want_rank (call, i, sluice_sliding_window_rank (window));
}

static gboolean
fail_channels (SluiceKernelCall *call,
               const SluiceShape *x,
               const SluiceShape *filter,
               const char *what)
{
  char sx[SLUICE_SHAPE_STR], sf[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "the input is %s, the filter %s: %s", sluice_shape_str (x, sx),
                           sluice_shape_str (filter, sf), what);
}

/* Channels of both: a depthwise filter is one of as many groups as there are channels. */
static gboolean
set_channels (SluiceKernelCall *call,
              const SluiceSlidingWindow *window,
              const SluiceShape *x,
              const SluiceShape *filter,
              SluiceConv *conv)
{
  gint64 depth = filter->dim[filter->rank - 2], last = filter->dim[filter->rank - 1];
  conv->channels = x->dim[sluice_sliding_window_channel_dim (window)];
  conv->depth = window->depthwise ? 1 : depth;
  conv->out_channels = window->depthwise ? depth * last : last;
  if (window->depthwise)
    return depth == conv->channels
           || fail_channels (call, x, filter,
                             "the filter's third dimension must be the input's channels");
  if (window->first_axis == 0 && depth != conv->channels)
    return fail_channels (call, x, filter,
                          "the filter's fourth dimension must be the input's channels");
  return (conv->depth > 0 && conv->channels % conv->depth == 0
          && conv->out_channels % MAX (conv->channels / conv->depth, 1) == 0)
         || fail_channels (call, x, filter,
                           "the input's channels must be a multiple of the filter's third "
                           "dimension, the fourth a multiple of the groups");
}

gboolean
sluice_conv_place (SluiceKernelCall *call,
                   const SluiceSlidingWindow *window,
                   const SluiceShape *x,
                   const SluiceShape *filter,
                   SluiceConv *conv,
                   SluiceShape *y)
{
  gint64 in[SLUICE_AXES], size[SLUICE_AXES];
  memset (conv, 0, sizeof *conv);
  conv->channels_first = window->channels_first;
  conv->first_axis = window->first_axis;
  conv->batch = x->dim[0];
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    {
      in[axis] = sluice_sliding_window_extent (window, x, axis);
      size[axis] = axis < window->first_axis ? 1 : filter->dim[axis - window->first_axis];
      conv->stride[axis] = window->stride[axis];
      conv->dilation[axis] = window->dilation[axis];
      if (size[axis] < 1 && !window->depthwise)
        return fail_channels (call, x, filter, "the filter must not be empty");
    }
  g_autoptr (GError) error = NULL;
  if (!set_channels (call, window, x, filter, conv))
    return FALSE;
  if (!sluice_sliding_window_place (window, in, size, &conv->place, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  *y = sluice_sliding_window_value (window, conv->batch, conv->place.out, conv->out_channels);
  return TRUE;
}

gboolean
sluice_conv_check (SluiceKernelCall *call,
                   SluiceConvKind kind,
                   const SluiceSlidingWindow *window,
                   SluiceConv *conv,
                   SluiceShape *result)
{
  SluiceShape x, filter, y;
  if (!read_shape (call, window, 0, kind == SLUICE_CONV_BACKPROP_INPUT, &x)
      || !read_shape (call, window, 1, kind == SLUICE_CONV_BACKPROP_FILTER, &filter)
      || !sluice_conv_place (call, window, &x, &filter, conv, &y))
    return FALSE;
  if (kind != SLUICE_CONV_FORWARD && !sluice_shape_equal (&y, &sluice_call_input (call, 2)->shape))
    {
      char want[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "out_backprop must have shape %s, not %s",
          sluice_shape_str (&y, want), sluice_shape_str (&sluice_call_input (call, 2)->shape, got));
    }
  *result = kind == SLUICE_CONV_FORWARD ? y : kind == SLUICE_CONV_BACKPROP_INPUT ? x : filter;
  return TRUE;
}

gboolean
sluice_conv_begin (SluiceKernelCall *call,
                   SluiceConvKind kind,
                   const SluiceSlidingWindow *window,
                   SluiceConvCall *c)
{
  SluiceShape result;
  if (!sluice_conv_check (call, kind, window, &c->conv, &result))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &result);
  if (out == NULL)
    return FALSE;
  c->x = kind == SLUICE_CONV_BACKPROP_INPUT ? out : sluice_call_input (call, 0);
  c->filter = kind == SLUICE_CONV_BACKPROP_FILTER ? out : sluice_call_input (call, 1);
  c->y = kind == SLUICE_CONV_FORWARD ? out : sluice_call_input (call, 2);
  if (sluice_conv_is_trivial (&c->conv))
    memset (out->data, 0, sluice_tensor_bytes (out));
  return TRUE;
}

gboolean
sluice_conv_is_trivial (const SluiceConv *conv)
{
  gboolean trivial = conv->batch == 0 || conv->channels == 0 || conv->out_channels == 0;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    trivial |=
        conv->place.in[axis] == 0 || conv->place.out[axis] == 0 || conv->place.size[axis] == 0;
  return trivial;
}

double
sluice_conv_count_taps (const SluiceConv *c)
{
  return (double) c->place.size[0] * (double) c->place.size[1] * (double) c->place.size[2];
}

gint64
sluice_conv_cut (SluiceConvKind kind, const SluiceConv *c, gint64 *n_parts)
{
  const gint64 *in = c->place.in, *out = c->place.out;
  double weights = sluice_conv_count_taps (c) * (double) c->depth * (double) c->out_channels;
  double in_pixels = (double) in[0] * (double) in[1] * (double) in[2];
  double out_pixels = (double) out[0] * (double) out[1] * (double) out[2];
  double flops = 2 * weights * out_pixels; /* of an image; so are the next two */
  double elements = in_pixels * (double) c->channels + out_pixels * (double) c->out_channels;
  double cost = MAX (flops, CHUNK_FLOPS / CHUNK_ELEMENTS * elements);
  double least = CHUNK_FLOPS, most = MOST_FLOPS / flops;
  if (kind == SLUICE_CONV_BACKPROP_FILTER)
    {
      least = MAX (2e7, 3000 * weights);
      /* The chunks' gradients take no more memory than an eighth of all values. */
      most = MAX (most, 8 * weights / elements);
    }
  gint64 part = MAX ((c->batch + MAX_PARTS - 1) / MAX_PARTS, (gint64) (least / cost) + 1);
  if (most < (double) part)
    part = MAX ((gint64) most, 1);
  *n_parts = (c->batch + part - 1) / part;
  part = (c->batch + *n_parts - 1) / *n_parts;
  *n_parts = (c->batch + part - 1) / part;
  return part;
}
