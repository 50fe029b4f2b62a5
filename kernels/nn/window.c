/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/nn/window.h"

static gboolean
read_four (const SluiceNode *node, const char *name, gint64 values[4], GError **error)
{
  guint n = sluice_node_get_ints (node, name, values, 4);
  if (n != 4)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "Op '%s': attribute %s must list 4 sizes, not %u", node->name, name, n);
  for (int i = 0; i < 4; i++)
    if (values[i] < 1)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "Op '%s': attribute %s must be positive, not %" G_GINT64_FORMAT,
                          node->name, name, values[i]);
    else if (values[i] > G_MAXINT32)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "Op '%s': attribute %s holds %" G_GINT64_FORMAT ", which is too large",
                          node->name, name, values[i]);
  return TRUE;
}

static gboolean
read_explicit_pads (const SluiceNode *node, SluiceWindow *self, GError **error)
{
  gint64 pads[8] = { 0 };
  guint n = sluice_node_get_attr (node, "explicit_paddings")
                ? sluice_node_get_ints (node, "explicit_paddings", pads, 8)
                : 0;
  if (self->padding != SLUICE_PADDING_EXPLICIT)
    return n == 0
           || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "Op '%s': explicit_paddings go with padding EXPLICIT only", node->name);
  if (n != 8)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "Op '%s': explicit_paddings must list 8 sizes, not %u", node->name, n);
  for (int i = 0; i < 8; i++)
    if (pads[i] < 0 || pads[i] > G_MAXINT32)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "Op '%s': explicit_paddings must not be negative nor over 2^31",
                          node->name);
  int channel = sluice_window_channel_dim (self);
  if (pads[0] || pads[1] || pads[2 * channel] || pads[2 * channel + 1])
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "Op '%s': explicit_paddings of batch and channels must be 0", node->name);
  for (int axis = 0; axis < 2; axis++)
    for (int side = 0; side < 2; side++)
      self->explicit_pad[axis][side] = pads[2 * sluice_window_dim (self, axis) + side];
  return TRUE;
}

gboolean
sluice_window_set (SluiceWindow *self,
                   const char *name,
                   const gint64 sizes[4],
                   const gint64 strides[4],
                   GError **error)
{
  int channel = sluice_window_channel_dim (self);
  for (int i = 0; i < 4; i++)
    if (sizes[i] < 1 || strides[i] < 1 || sizes[i] > G_MAXINT32 || strides[i] > G_MAXINT32)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "Op '%s': window sizes and strides must be positive and below 2^31",
                          name);
  if (sizes[0] != 1 || strides[0] != 1)
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "Op '%s': a pool cannot reach over the batch", name);
  if (sizes[channel] != strides[channel])
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "Op '%s': a pool over channels must step by its size", name);
  self->depth = sizes[channel];
  for (int axis = 0; axis < 2; axis++)
    {
      self->size[axis] = sizes[sluice_window_dim (self, axis)];
      self->stride[axis] = strides[sluice_window_dim (self, axis)];
      self->dilation[axis] = 1;
    }
  if (self->depth > 1 && self->size[0] * self->size[1] != 1)
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "Op '%s': a pool reaches over channels or over space, not both", name);
  return TRUE;
}

gboolean
sluice_window_parse (const SluiceNode *node, SluiceWindow *self, GError **error)
{
  gint64 strides[4], sizes[4], dilations[4] = { 1, 1, 1, 1 };
  *self = (SluiceWindow){ .depth = 1, .size = { 1, 1 }, .stride = { 1, 1 }, .dilation = { 1, 1 } };
  self->nchw = sluice_node_string_is (node, "data_format", "NCHW");
  if (!self->nchw && !sluice_node_string_is (node, "data_format", "NHWC"))
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "Op '%s': data_format must be NHWC or NCHW", node->name);
  self->padding = sluice_node_string_is (node, "padding", "SAME")    ? SLUICE_PADDING_SAME
                  : sluice_node_string_is (node, "padding", "VALID") ? SLUICE_PADDING_VALID
                                                                     : SLUICE_PADDING_EXPLICIT;
  if (!read_explicit_pads (node, self, error))
    return FALSE;
  if (sluice_node_get_attr (node, "strides") == NULL) /* they come as tensors */
    return TRUE;
  if (!read_four (node, "strides", strides, error))
    return FALSE;
  if (sluice_node_get_attr (node, "ksize"))
    return read_four (node, "ksize", sizes, error)
           && sluice_window_set (self, node->name, sizes, strides, error);
  if (sluice_node_get_attr (node, "dilations") && !read_four (node, "dilations", dilations, error))
    return FALSE;
  int channel = sluice_window_channel_dim (self);
  if (strides[0] != 1 || strides[channel] != 1 || dilations[0] != 1 || dilations[channel] != 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "Op '%s': strides and dilations of batch and channels must be 1",
                        node->name);
  for (int axis = 0; axis < 2; axis++)
    {
      self->stride[axis] = strides[sluice_window_dim (self, axis)];
      self->dilation[axis] = dilations[sluice_window_dim (self, axis)];
    }
  return TRUE;
}

/* One axis of a placement. */
static gboolean
place_axis (const SluiceWindow *self,
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
sluice_window_place (const SluiceWindow *self,
                     const gint64 in[2],
                     const gint64 size[2],
                     SluiceWindowPlace *place,
                     GError **error)
{
  for (int axis = 0; axis < 2; axis++)
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
sluice_window_infer (
    const SluiceWindow *self, int axis, gint64 in, gint64 size, gint64 *out, GError **error)
{
  gint64 pad[2];
  *out = SLUICE_UNKNOWN_DIM;
  if (in < 0 || size < 0)
    return TRUE;
  return place_axis (self, axis, in, size, out, pad, error);
}
