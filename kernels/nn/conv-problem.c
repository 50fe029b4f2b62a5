/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/nn/conv-problem.h"

#include <string.h>

#include "kernels/typed.h"

/* The shape that input i of the node is or holds. */
static gboolean
read_shape (SluiceKernelCall *call, guint i, gboolean holds_sizes, SluiceShape *shape)
{
  SluiceTensor *tensor = sluice_call_input (call, i);
  if (!holds_sizes)
    {
      *shape = tensor->shape;
      return sluice_call_want_rank (call, i, 4);
    }
  if (tensor->shape.rank != 1 || tensor->n_elements != 4)
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input %u (%s) must hold 4 sizes, not be of shape %s", i,
                               call->node->op->inputs[i].name,
                               sluice_shape_str (&tensor->shape, text));
    }
  gint64 dims[4];
  for (int d = 0; d < 4; d++)
    {
      dims[d] = sluice_tensor_get_int (tensor, d);
      if (dims[d] < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "input %u (%s) holds a negative size", i,
                                 call->node->op->inputs[i].name);
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, 4, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

static gboolean
set_sizes (SluiceKernelCall *call,
           const SluiceWindow *window,
           const SluiceShape *x,
           const SluiceShape *filter,
           SluiceConv *conv)
{
  gint64 in[2], size[2];
  memset (conv, 0, sizeof *conv);
  conv->nchw = window->nchw;
  conv->batch = x->dim[0];
  conv->channels = x->dim[sluice_window_channel_dim (window)];
  conv->depth = filter->dim[2];
  conv->out_channels = filter->dim[3];
  for (int axis = 0; axis < 2; axis++)
    {
      in[axis] = x->dim[sluice_window_dim (window, axis)];
      size[axis] = filter->dim[axis];
      conv->stride[axis] = window->stride[axis];
      conv->dilation[axis] = window->dilation[axis];
    }
  if (conv->depth < 1 || size[0] < 1 || size[1] < 1 || conv->channels % conv->depth != 0
      || conv->out_channels % MAX (conv->channels / conv->depth, 1) != 0)
    {
      char sx[SLUICE_SHAPE_STR], sf[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "the input is %s, the filter %s: the input's channels must be a "
                               "multiple of the filter's third dimension, the fourth a multiple of "
                               "the groups",
                               sluice_shape_str (x, sx), sluice_shape_str (filter, sf));
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_window_place (window, in, size, &conv->place, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  return TRUE;
}

static SluiceShape
result_shape (const SluiceConv *conv)
{
  const gint64 *out = conv->place.out;
  return conv->nchw ? SLUICE_SHAPE (conv->batch, conv->out_channels, out[0], out[1])
                    : SLUICE_SHAPE (conv->batch, out[0], out[1], conv->out_channels);
}

gboolean
sluice_conv_begin (SluiceKernelCall *call,
                   SluiceConvKind kind,
                   const SluiceWindow *window,
                   SluiceConvCall *c)
{
  SluiceShape x, filter, y;
  if (!read_shape (call, 0, kind == SLUICE_CONV_BACKPROP_INPUT, &x)
      || !read_shape (call, 1, kind == SLUICE_CONV_BACKPROP_FILTER, &filter)
      || !set_sizes (call, window, &x, &filter, &c->conv))
    return FALSE;
  y = result_shape (&c->conv);
  if (kind != SLUICE_CONV_FORWARD && !sluice_shape_equal (&y, &sluice_call_input (call, 2)->shape))
    {
      char want[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "out_backprop must have shape %s, not %s",
          sluice_shape_str (&y, want), sluice_shape_str (&sluice_call_input (call, 2)->shape, got));
    }
  const SluiceShape *result = kind == SLUICE_CONV_FORWARD          ? &y
                              : kind == SLUICE_CONV_BACKPROP_INPUT ? &x
                                                                   : &filter;
  SluiceTensor *out = sluice_call_output (call, 0, result);
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
  return conv->batch == 0 || conv->channels == 0 || conv->out_channels == 0
         || conv->place.in[0] == 0 || conv->place.in[1] == 0 || conv->place.out[0] == 0
         || conv->place.out[1] == 0;
}
