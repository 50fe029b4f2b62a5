/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/nn/sliding-window.h"

#define MAX_RANK 5

/* A list of positive sizes, one a dimension. */
static gboolean
read_list (const SluiceNode *node,
           const SluiceSlidingWindow *self,
           const char *name,
           gint64 *values,
           GError **error)
{
  guint rank = sluice_sliding_window_rank (self),
        n = sluice_node_get_ints (node, name, values, rank);
  if (n != rank)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "attribute %s must list %u sizes, not %u", name, rank, n);
  for (guint i = 0; i < rank; i++)
    if (values[i] < 1)
      return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                               "attribute %s must be positive, not %" G_GINT64_FORMAT, name,
                               values[i]);
    else if (values[i] > G_MAXINT32)
      return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                               "attribute %s holds %" G_GINT64_FORMAT ", which is too large", name,
                               values[i]);
  return TRUE;
}

static gboolean
read_explicit_pads (const SluiceNode *node, SluiceSlidingWindow *self, GError **error)
{
  gint64 pads[2 * MAX_RANK] = { 0 };
  guint rank = sluice_sliding_window_rank (self);
  guint n = sluice_node_get_attr (node, "explicit_paddings")
                ? sluice_node_get_ints (node, "explicit_paddings", pads, 2 * rank)
                : 0;
  if (self->padding != SLUICE_PADDING_EXPLICIT)
    return n == 0
           || sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                                "explicit_paddings go with padding EXPLICIT only");
  if (n != 2 * rank)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "explicit_paddings must list %u sizes, not %u", 2 * rank, n);
  for (guint i = 0; i < 2 * rank; i++)
    if (pads[i] < 0 || pads[i] > G_MAXINT32)
      return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                               "explicit_paddings must not be negative nor over 2^31");
  int channel = sluice_sliding_window_channel_dim (self);
  if (pads[0] || pads[1] || pads[2 * channel] || pads[2 * channel + 1])
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "explicit_paddings of batch and channels must be 0");
  for (int axis = self->first_axis; axis < SLUICE_AXES; axis++)
    for (int side = 0; side < 2; side++)
      self->explicit_pad[axis][side] = pads[2 * sluice_sliding_window_dim (self, axis) + side];
  return TRUE;
}

gboolean
sluice_sliding_window_set (SluiceSlidingWindow *self,
                           const SluiceNode *node,
                           const gint64 *sizes,
                           const gint64 *strides,
                           GError **error)
{
  int channel = sluice_sliding_window_channel_dim (self);
  gboolean reaches_out = FALSE;
  for (int i = 0; i < sluice_sliding_window_rank (self); i++)
    if (sizes[i] < 1 || strides[i] < 1 || sizes[i] > G_MAXINT32 || strides[i] > G_MAXINT32)
      return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                               "window sizes and strides must be positive and below 2^31");
  if (sizes[0] != 1 || strides[0] != 1)
    return sluice_node_fail (node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "a pool cannot reach over the batch");
  if (sizes[channel] != strides[channel])
    return sluice_node_fail (node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "a pool over channels must step by its size");
  self->depth = sizes[channel];
  for (int axis = self->first_axis; axis < SLUICE_AXES; axis++)
    {
      self->size[axis] = sizes[sluice_sliding_window_dim (self, axis)];
      self->stride[axis] = strides[sluice_sliding_window_dim (self, axis)];
      self->dilation[axis] = 1;
      reaches_out |= self->size[axis] != 1;
    }
  if (self->depth > 1 && (reaches_out || self->first_axis == 0))
    return sluice_node_fail (node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "a pool reaches over channels or over space, not both");
  return TRUE;
}

static gboolean
read_format (const SluiceNode *node, SluiceSlidingWindow *self, GError **error)
{
  if (sluice_node_get_attr (node, "data_format") == NULL)
    return TRUE;
  gboolean volume_first = sluice_node_string_is (node, "data_format", "NCDHW");
  if (volume_first || sluice_node_string_is (node, "data_format", "NDHWC"))
    self->first_axis = 0;
  self->channels_first = volume_first || sluice_node_string_is (node, "data_format", "NCHW");
  return self->first_axis == 0 || self->channels_first
         || sluice_node_string_is (node, "data_format", "NHWC")
         || sluice_node_fail (node, error, SLUICE_ERROR_UNIMPLEMENTED,
                              "data_format must be NHWC or NCHW");
}

gboolean
sluice_sliding_window_parse (const SluiceNode *node, SluiceSlidingWindow *self, GError **error)
{
  gint64 strides[MAX_RANK], sizes[MAX_RANK], dilations[MAX_RANK] = { 1, 1, 1, 1, 1 };
  *self = (SluiceSlidingWindow){
    .first_axis = 1, .depth = 1, .size = { 1, 1, 1 }, .stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }
  };
  if (!read_format (node, self, error))
    return FALSE;
  self->depthwise = g_str_has_prefix (node->op_name, "DepthwiseConv2d");
  self->padding = sluice_node_string_is (node, "padding", "SAME")    ? SLUICE_PADDING_SAME
                  : sluice_node_string_is (node, "padding", "VALID") ? SLUICE_PADDING_VALID
                                                                     : SLUICE_PADDING_EXPLICIT;
  if (!read_explicit_pads (node, self, error))
    return FALSE;
  if (sluice_node_get_attr (node, "strides") == NULL) /* they come as tensors */
    return TRUE;
  if (!read_list (node, self, "strides", strides, error))
    return FALSE;
  if (sluice_node_get_attr (node, "ksize"))
    return read_list (node, self, "ksize", sizes, error)
           && sluice_sliding_window_set (self, node, sizes, strides, error);
  const char *gaps = sluice_node_get_attr (node, "rates") ? "rates" : "dilations";
  if (sluice_node_get_attr (node, gaps) && !read_list (node, self, gaps, dilations, error))
    return FALSE;
  int channel = sluice_sliding_window_channel_dim (self);
  if (strides[0] != 1 || strides[channel] != 1 || dilations[0] != 1 || dilations[channel] != 1)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "strides and dilations of batch and channels must be 1");
  for (int axis = self->first_axis; axis < SLUICE_AXES; axis++)
    {
      self->stride[axis] = strides[sluice_sliding_window_dim (self, axis)];
      self->dilation[axis] = dilations[sluice_sliding_window_dim (self, axis)];
    }
  return TRUE;
}

SluiceShape
sluice_sliding_window_value (const SluiceSlidingWindow *self,
                             gint64 batch,
                             const gint64 sizes[SLUICE_AXES],
                             gint64 channels)
{
  SluiceShape shape = { .rank = (gint8) sluice_sliding_window_rank (self) };
  shape.dim[0] = batch;
  shape.dim[sluice_sliding_window_channel_dim (self)] = channels;
  for (int axis = self->first_axis; axis < SLUICE_AXES; axis++)
    shape.dim[sluice_sliding_window_dim (self, axis)] = sizes[axis];
  return shape;
}

gboolean
sluice_sliding_window_read_sizes (SluiceKernelCall *call,
                                  const SluiceSlidingWindow *self,
                                  guint i,
                                  SluiceShape *shape)
{
  SluiceTensor *tensor = sluice_call_input (call, i);
  const char *name = call->node->op->inputs[i].name;
  gint64 dims[MAX_RANK];
  int rank = sluice_sliding_window_rank (self);
  if (tensor->shape.rank != 1 || tensor->n_elements != rank)
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input %u (%s) must hold %d sizes, not be of shape %s", i, name,
                               rank, sluice_shape_str (&tensor->shape, text));
    }
  for (int d = 0; d < rank; d++)
    {
      dims[d] = sluice_tensor_get_int (tensor, d);
      if (dims[d] < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "input %u (%s) holds a negative size", i, name);
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

/* One axis of a placement. */
static gboolean
place_axis (const SluiceSlidingWindow *self,
            int axis,
            gint64 in,
            gint64 size,
            gint64 *out,
            gint64 pad[2],
            GError **error)
{
  /* Attributes fit into 32 bits; what an input may claim is kept away from overflow too. */
  const gint64 most = G_GINT64_CONSTANT (1) << 60;
  gint64 stride = self->stride[axis], reach;
  if (in > most || size > most / self->dilation[axis])
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a window of %" G_GINT64_FORMAT " over %" G_GINT64_FORMAT " is too large",
                        size, in);
  reach = (size - 1) * self->dilation[axis] + 1;
  pad[0] = pad[1] = 0;
  if (self->padding == SLUICE_PADDING_SAME)
    {
      *out = (in + stride - 1) / stride;
      gint64 missing = MAX ((*out - 1) * stride + reach - in, 0);
      pad[0] = missing / 2;
      pad[1] = missing - pad[0];
      return TRUE;
    }
  if (self->padding == SLUICE_PADDING_EXPLICIT)
    {
      pad[0] = self->explicit_pad[axis][0];
      pad[1] = self->explicit_pad[axis][1];
    }
  *out = (in + pad[0] + pad[1] - reach + stride) / stride;
  if (*out < 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a window of %" G_GINT64_FORMAT " does not fit into %" G_GINT64_FORMAT
                        " even once; use padding SAME or a smaller window",
                        reach, in);
  return TRUE;
}

gboolean
sluice_sliding_window_place (const SluiceSlidingWindow *self,
                             const gint64 in[SLUICE_AXES],
                             const gint64 size[SLUICE_AXES],
                             SluiceSlidingWindowPlace *place,
                             GError **error)
{
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    {
      place->in[axis] = in[axis];
      place->size[axis] = size[axis];
      if (!place_axis (self, axis, in[axis], size[axis], &place->out[axis], place->pad[axis],
                       error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_sliding_window_infer (
    const SluiceSlidingWindow *self, int axis, gint64 in, gint64 size, gint64 *out, GError **error)
{
  gint64 pad[2];
  *out = SLUICE_UNKNOWN_DIM;
  if (self->padding == SLUICE_PADDING_SAME && size < 0)
    size = 1; /* does not matter */
  if (in < 0 || size < 0)
    return TRUE;
  return place_axis (self, axis, in, size, out, pad, error);
}

gpointer
sluice_sliding_window_prepare (const SluiceNode *node, GError **error)
{
  SluiceSlidingWindow *window = g_new (SluiceSlidingWindow, 1);
  if (sluice_sliding_window_parse (node, window, error))
    return window;
  g_free (window);
  return NULL;
}
