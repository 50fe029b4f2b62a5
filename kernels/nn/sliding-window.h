/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/*
 * Windows that slide over the spatial dimensions of a value: of convolutions and of pools. Axes are
 * always three, planes, rows and columns; an image has one plane.
 */
#define SLUICE_AXES 3

typedef enum
{
  SLUICE_PADDING_VALID,
  SLUICE_PADDING_SAME,
  SLUICE_PADDING_EXPLICIT,
} SluicePadding;

/* What a node's attributes say. */
typedef struct
{
  int first_axis; /* 1 of images, 0 of volumes */
  gboolean channels_first;
  gboolean depthwise; /* each channel has filters of its own: [.., channels, multiplier] */
  SluicePadding padding;
  gint64 stride[SLUICE_AXES], dilation[SLUICE_AXES];
  gint64 explicit_pad[SLUICE_AXES][2]; /* before, after */
  gint64 size[SLUICE_AXES];            /* of a pool; a convolution's is that of its filter */
  gint64 depth;                        /* of a pool over channels: size and stride; else 1 */
} SluiceSlidingWindow;

/* A window over a value of known sizes. */
typedef struct
{
  gint64 in[SLUICE_AXES], size[SLUICE_AXES], out[SLUICE_AXES];
  gint64 pad[SLUICE_AXES][2]; /* before, after */
} SluiceSlidingWindowPlace;

/**
 * sluice_sliding_window_parse:
 *
 * Reads strides, padding, explicit_paddings, data_format and, where the op has them, dilations (or
 * rates) and ksize. INVALID_ARGUMENT where they are not one item a dimension, not positive, or move
 * over batch or (but for pools) channels.
 */
gboolean
sluice_sliding_window_parse (const SluiceNode *node, SluiceSlidingWindow *self, GError **error);

/**
 * sluice_sliding_window_set:
 * @sizes: one a dimension of the value, as in the attributes
 *
 * Sizes and strides of a pool that come as tensors.
 */
gboolean sluice_sliding_window_set (SluiceSlidingWindow *self,
                                    const SluiceNode *node,
                                    const gint64 *sizes,
                                    const gint64 *strides,
                                    GError **error);

/* Dimensions of a value: batch, channels and the spatial ones. */
static inline int
sluice_sliding_window_rank (const SluiceSlidingWindow *self)
{
  return 2 + SLUICE_AXES - self->first_axis;
}
static inline int
sluice_sliding_window_channel_dim (const SluiceSlidingWindow *self)
{
  return self->channels_first ? 1 : sluice_sliding_window_rank (self) - 1;
}
/* Which dimension of a value holds an axis; not of axes before the first. */
static inline int
sluice_sliding_window_dim (const SluiceSlidingWindow *self, int axis)
{
  return (self->channels_first ? 2 : 1) + axis - self->first_axis;
}
/* The size of a value along an axis. */
static inline gint64
sluice_sliding_window_extent (const SluiceSlidingWindow *self, const SluiceShape *value, int axis)
{
  return axis < self->first_axis ? 1 : value->dim[sluice_sliding_window_dim (self, axis)];
}

/* The shape of a value of those sizes. */
SluiceShape sluice_sliding_window_value (const SluiceSlidingWindow *self,
                                         gint64 batch,
                                         const gint64 sizes[SLUICE_AXES],
                                         gint64 channels);

/**
 * sluice_sliding_window_place:
 * @in: of the value along the axes; @size: of the window, before it is dilated
 *
 * SAME: out = ceil (in / stride), what is missing is padded, the odd one at the end. A VALID window
 * that does not fit gives no output.
 *
 * Returns: %FALSE with INVALID_ARGUMENT where the size would be negative
 */
gboolean sluice_sliding_window_place (const SluiceSlidingWindow *self,
                                      const gint64 in[SLUICE_AXES],
                                      const gint64 size[SLUICE_AXES],
                                      SluiceSlidingWindowPlace *place,
                                      GError **error);

/* Output size along an axis for shape functions: -1 where in or, but for SAME, size is. */
gboolean sluice_sliding_window_infer (
    const SluiceSlidingWindow *self, int axis, gint64 in, gint64 size, gint64 *out, GError **error);

/**
 * sluice_sliding_window_read_sizes:
 *
 * The shape of a value that input i of a call holds as a vector of sizes.
 *
 * Returns: %FALSE: call->error is set
 */
gboolean sluice_sliding_window_read_sizes (SluiceKernelCall *call,
                                           const SluiceSlidingWindow *self,
                                           guint i,
                                           SluiceShape *shape);

/* SluiceKernel.prepare of kernels whose state is what sluice_sliding_window_parse() finds;
 * free_state is g_free. */
gpointer sluice_sliding_window_prepare (const SluiceNode *node, GError **error);
