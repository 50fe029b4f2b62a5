/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* Where the pixels of an axis lie on the axis that they are taken from. */
typedef struct
{
  gboolean align_corners; /* the first and the last pixels lie on each other */
  gboolean half_pixel;    /* pixels have their centres at .5 */
} SluiceResizeRule;

/* From in pixels to out pixels. */
typedef struct
{
  gint64 in, out;
  float scale;
} SluiceResizeAxis;

static inline SluiceResizeAxis
sluice_resize_axis (const SluiceResizeRule *rule, gint64 in, gint64 out)
{
  /* One pixel has no two corners. */
  float scale = rule->align_corners && in > 1 && out > 1 ? (float) (in - 1) / (float) (out - 1)
                                                         : (float) in / (float) out;
  return (SluiceResizeAxis){ in, out, scale };
}

/* Attributes align_corners and half_pixel_centers, where the op has them: a kernel's prepare. */
gpointer sluice_resize_prepare (const SluiceNode *node, GError **error);

/* An input that holds height and width, both positive. */
gboolean sluice_resize_read_size (SluiceKernelCall *call, guint input, gint64 size[2]);

/* SluiceTaps for each of out pixels in a scratch tensor: two that are blended, or four of a cubic.
 * (transfer full) (nullable): NULL: the call's error is set */
SluiceTensor *sluice_resize_linear_taps (SluiceKernelCall *call,
                                         const SluiceResizeRule *rule,
                                         const SluiceResizeAxis *axis);
SluiceTensor *sluice_resize_cubic_taps (SluiceKernelCall *call,
                                        const SluiceResizeRule *rule,
                                        const SluiceResizeAxis *axis);
SluiceTensor *sluice_resize_nearest_taps (SluiceKernelCall *call,
                                          const SluiceResizeRule *rule,
                                          const SluiceResizeAxis *axis);
/* n elements of `size` bytes each. */
SluiceTensor *sluice_resize_scratch (SluiceKernelCall *call, gint64 n, gsize size);
