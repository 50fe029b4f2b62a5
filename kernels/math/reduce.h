/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/shape-context.h"

/* What the definitions, the shape rules and the kernels of reductions share. */

/* Which dimensions of a tensor go away. */
typedef struct
{
  gboolean reduced[SLUICE_MAX_RANK];
} SluiceAxes;

/**
 * sluice_axes_read:
 * @values: axes, negative ones counted from the end; int32 or int64 of any shape
 *
 * Returns: %FALSE with INVALID_ARGUMENT where an axis is out of range or named twice
 */
gboolean sluice_axes_read (SluiceAxes *self, const SluiceTensor *values, int rank, GError **error);

/* The shape that is left; with keep_dims reduced dimensions stay as 1. */
SluiceShape
sluice_axes_apply (const SluiceAxes *self, const SluiceShape *input, gboolean keep_dims);

/* Axis number `axis` of a tensor of that rank, counted from 0; -1 where there is none. */
static inline int
sluice_axis_normalize (gint64 axis, int rank)
{
  if (axis < -rank || axis >= rank)
    return -1;
  return (int) (axis < 0 ? axis + rank : axis);
}

/* acc[i] = acc[i] op x[i] for `width` elements of each of `rows` rows, `stride` elements apart. */
typedef void (*SluiceRowsLoop) (const void *x, gint64 rows, gint64 stride, gint64 width, void *acc);

typedef enum
{
  SLUICE_COMBINE_SUM,
  SLUICE_COMBINE_PROD,
  SLUICE_COMBINE_MAX,
  SLUICE_COMBINE_MIN,
} SluiceCombine;

/* The loop of a dtype; NULL for halves, which are widened first, and where there is none. */
SluiceRowsLoop sluice_rows_loop (SluiceCombine combine, SluiceDType dtype);
