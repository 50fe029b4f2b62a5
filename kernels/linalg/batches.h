/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"
#include "kernels/math/broadcast.h"

/* Tensors as batches of matrices: the last two dimensions are a matrix's, the others number it. */

/* The leading dimensions. Rank 2 at least, or unknown. */
static inline SluiceShape
sluice_batch_shape (const SluiceShape *shape)
{
  SluiceShape batch = *shape;
  if (batch.rank >= 0)
    batch.rank -= 2;
  return batch;
}

/* Dimension of a matrix counted from the end (1: columns, 2: rows); unknown where the rank is. */
static inline gint64
sluice_matrix_dim (const SluiceShape *shape, int from_end)
{
  return shape->rank < 2 ? SLUICE_UNKNOWN_DIM : shape->dim[shape->rank - from_end];
}

/* The leading dimensions and a matrix behind them; unknown where they are. */
SluiceShape sluice_batch_of_matrices (const SluiceShape *batch, gint64 rows, gint64 columns);

/* Walks the matrices of two operands whose leading dimensions broadcast together. */
typedef struct
{
  SluiceBroadcast broadcast;
  gint64 n; /* matrices of the output */
} SluiceMatrixBatches;

/* out: the leading dimensions of the output. FALSE where they do not broadcast. */
gboolean sluice_matrix_batches_make (SluiceMatrixBatches *self,
                                     const SluiceShape *x,
                                     const SluiceShape *y,
                                     SluiceShape *out);

/* Which matrix of operand k (0: x, 1: y) goes into matrix i of the output. */
static inline gint64
sluice_matrix_batches_index (const SluiceMatrixBatches *self, guint k, gint64 i)
{
  int inner = self->broadcast.rank - 1;
  gint64 size = self->broadcast.dim[inner];
  return sluice_broadcast_row (&self->broadcast, k, i / size)
         + i % size * self->broadcast.step[k][inner];
}

/* ---- for gradients ---- */

/* A product of batches of matrices, either operand adjoint: BatchMatMulV2. */
SluiceEdge sluice_grad_matmul (
    SluiceGradContext *g, SluiceEdge x, gboolean adjoint_x, SluiceEdge y, gboolean adjoint_y);

/* Each matrix transposed; and conjugated. */
SluiceEdge sluice_grad_transpose (SluiceGradContext *g, SluiceEdge x);
SluiceEdge sluice_grad_adjoint (SluiceGradContext *g, SluiceEdge x);

/* The identity, of the size and number of the square matrices of x. */
SluiceEdge sluice_grad_identity_like (SluiceGradContext *g, SluiceEdge x);

/* The lower or the upper triangle, zeros elsewhere. */
SluiceEdge sluice_grad_triangle (SluiceGradContext *g, SluiceEdge x, gboolean lower);

/* x with its diagonals times a factor. */
SluiceEdge sluice_grad_scale_diagonal (SluiceGradContext *g, SluiceEdge x, double factor);

/* A vector that holds the leading dimensions of a tensor. */
SluiceEdge sluice_grad_batch_shape (SluiceGradContext *g, SluiceEdge x);

/* dx added up over the leading dimensions that broadcasting gave to input i, then in its shape. */
SluiceEdge
sluice_grad_unbroadcast_batches (SluiceGradContext *g, SluiceEdge dx, guint i, guint other);
