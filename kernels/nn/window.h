/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/* Windows that slide over the two spatial dimensions of a value: of convolutions and of pools. */

typedef enum
{
  SLUICE_PADDING_VALID,
  SLUICE_PADDING_SAME,
  SLUICE_PADDING_EXPLICIT,
} SluicePadding;

/* What a node's attributes say. Index 0 is height, 1 is width. */
typedef struct
{
  gboolean nchw;
  SluicePadding padding;
  gint64 stride[2], dilation[2];
  gint64 explicit_pad[2][2]; /* before, after */
  gint64 size[2];            /* of a pool; a convolution's is that of its filter */
  gint64 depth;              /* of a pool over channels: size and stride; else 1 */
} SluiceWindow;

/* A window over a value of known sizes. */
typedef struct
{
  gint64 in[2], size[2], out[2];
  gint64 pad[2][2]; /* before, after */
} SluiceWindowPlace;

/**
 * sluice_window_parse:
 *
 * Reads strides, padding, explicit_paddings, data_format and, where the op has them, dilations and
 * ksize. INVALID_ARGUMENT where they are no lists of four, not positive, or move over batch or (but
 * for pools) channels.
 */
gboolean sluice_window_parse (const SluiceNode *node, SluiceWindow *self, GError **error);

/**
 * sluice_window_set:
 *
 * Sizes and strides of a pool that come as tensors. Lists of four as in the attributes.
 */
gboolean sluice_window_set (SluiceWindow *self,
                            const char *name,
                            const gint64 sizes[4],
                            const gint64 strides[4],
                            GError **error);

/* Which dimension of a value of four holds height (0), width (1). */
static inline int
sluice_window_dim (const SluiceWindow *self, int axis)
{
  return (self->nchw ? 2 : 1) + axis;
}
static inline int
sluice_window_channel_dim (const SluiceWindow *self)
{
  return self->nchw ? 1 : 3;
}

/**
 * sluice_window_place:
 * @in: height and width; @size: of the window, before it is dilated
 *
 * SAME: out = ceil (in / stride), what is missing is padded, the odd one at the end. A VALID window
 * that does not fit gives no output.
 *
 * Returns: %FALSE with INVALID_ARGUMENT where the size would be negative
 */
gboolean sluice_window_place (const SluiceWindow *self,
                              const gint64 in[2],
                              const gint64 size[2],
                              SluiceWindowPlace *place,
                              GError **error);

/* Output size along an axis for shape functions: -1 where in or size is. */
gboolean sluice_window_infer (
    const SluiceWindow *self, int axis, gint64 in, gint64 size, gint64 *out, GError **error);
