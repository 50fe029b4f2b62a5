/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/array/move.h"

/* The indexing of Python, as StridedSlice's inputs and masks spell it: x[1:3, ..., ::-2, 0]. */
typedef struct
{
  guint begin, end, ellipsis, new_axis, shrink;
} SluiceSliceMasks;

SluiceSliceMasks sluice_slice_masks (const SluiceNode *node);

/* A slice worked out for an input of known rank. One entry a dimension of the input. */
typedef struct
{
  int rank;
  gint64 begin[SLUICE_MAX_RANK], stride[SLUICE_MAX_RANK];
  gint64 size[SLUICE_MAX_RANK]; /* -1: not known */
  SluiceShape result;           /* with new dimensions, without those shrunk away */
} SluiceSlicePlan;

#define SLUICE_SLICE_UNKNOWN G_MININT64 /* a begin or end that is not known */

/**
 * sluice_slice_plan:
 * @input: of known rank; sizes may be unknown
 * @n: entries of @begin, @end, @stride. A stride of 0 is refused
 *
 * Returns: %FALSE with INVALID_ARGUMENT; the message has no name in front
 */
gboolean sluice_slice_plan (SluiceSlicePlan *self,
                            const SluiceSliceMasks *masks,
                            const SluiceShape *input,
                            const gint64 *begin,
                            const gint64 *end,
                            const gint64 *stride,
                            int n,
                            GError **error);

/* A kernel's prepare: its state are the masks of the node, freed with g_free(). */
gpointer sluice_slice_prepare (const SluiceNode *node, GError **error);

/* Reads begin, end and strides from three inputs and works the slice out for a shape; the call's
 * state are the masks. */
gboolean sluice_call_slice_plan (SluiceKernelCall *call,
                                 guint first_input,
                                 const SluiceShape *shape,
                                 SluiceSlicePlan *plan);

/**
 * sluice_slice_move:
 * @to_whole: from a dense part into the whole; else out of the whole
 *
 * The nest of a slice: dense on one side, with the plan's strides on the side of the whole.
 *
 * Returns: where it begins in the whole, in elements
 */
gint64 sluice_slice_move (const SluiceSlicePlan *plan,
                          const SluiceShape *whole,
                          gboolean to_whole,
                          SluiceMove *move);
