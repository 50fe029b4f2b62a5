/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/shape.h"

#define SLUICE_MAX_OPERANDS 4

/*
 * Operands of shapes that broadcast together, walked in the order of the output. Dimensions of size
 * 1 are dropped, and neighbours that every operand walks as one are merged, so that most real cases
 * have one or two.
 */
typedef struct
{
  int rank;                                          /* at least 1 */
  gint64 dim[SLUICE_MAX_RANK];                       /* outermost first */
  gint64 step[SLUICE_MAX_OPERANDS][SLUICE_MAX_RANK]; /* elements of an operand; 0: it repeats */
} SluiceBroadcast;

/**
 * sluice_broadcast_make:
 * @shapes: (array length=n): fully known
 * @out: (out): the shape of the output
 *
 * Returns: %FALSE where the shapes cannot be broadcast together
 */
gboolean sluice_broadcast_make (SluiceBroadcast *self,
                                const SluiceShape *const *shapes,
                                guint n,
                                SluiceShape *out);

/* Where operand k stands at the start of row `row`; a row runs along the innermost dimension. */
gint64 sluice_broadcast_row (const SluiceBroadcast *self, guint k, gint64 row);

/* Rows in all: the product of all dimensions but the innermost. */
gint64 sluice_broadcast_n_rows (const SluiceBroadcast *self);
