/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * One mover for all ops that put elements elsewhere: a loop nest with a stride in the target and
 * one in the source for each dimension. Slices, transposes, tiles, pads, concatenations and
 * broadcasts are such nests; it works by the size of an element and knows no dtypes but those whose
 * elements are more than their bytes.
 */
#define SLUICE_MOVE_RANK                                                                           \
  (2 * SLUICE_MAX_RANK) /* Tile and its like split every dimension in two                          \
                         */

typedef struct
{
  gint64 size;
  gint64 to, from; /* strides in elements; from may be 0 (repeats) or negative */
} SluiceMoveDim;

typedef struct
{
  int rank;
  SluiceMoveDim dim[SLUICE_MOVE_RANK]; /* outermost first */
} SluiceMove;

/* Appends an inner dimension. */
static inline void
sluice_move_add (SluiceMove *self, gint64 size, gint64 to, gint64 from)
{
  g_assert (self->rank < SLUICE_MOVE_RANK);
  self->dim[self->rank++] = (SluiceMoveDim){ size, to, from };
}

/* Row-major strides of a shape. */
void sluice_move_strides (const SluiceShape *shape, gint64 strides[SLUICE_MAX_RANK]);

/**
 * sluice_move_run:
 * @to: elements are written through the strides; it must not overlap @from
 *
 * Returns: %FALSE where the run was cancelled; call->error is set
 */
gboolean sluice_move_run (
    SluiceKernelCall *call, SluiceDType dtype, const SluiceMove *move, void *to, const void *from);

/* A whole block, cut for several threads where it is big. */
gboolean
sluice_move_block (SluiceKernelCall *call, SluiceDType dtype, void *to, const void *from, gint64 n);

/* n copies of one element. */
gboolean
sluice_move_fill (SluiceKernelCall *call, SluiceDType dtype, void *to, const void *value, gint64 n);
