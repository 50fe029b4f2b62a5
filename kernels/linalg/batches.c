/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/batches.h"

#include "kernels/math/gradients.h"

SluiceShape
sluice_batch_of_matrices (const SluiceShape *batch, gint64 rows, gint64 columns)
{
  SluiceShape shape = *batch;
  if (shape.rank < 0 || shape.rank > SLUICE_MAX_RANK - 2)
    return SLUICE_SHAPE_UNKNOWN;
  shape.dim[shape.rank++] = rows;
  shape.dim[shape.rank++] = columns;
  return shape;
}

gboolean
sluice_matrix_batches_make (SluiceMatrixBatches *self,
                            const SluiceShape *x,
                            const SluiceShape *y,
                            SluiceShape *out)
{
  SluiceShape batch_x = sluice_batch_shape (x), batch_y = sluice_batch_shape (y);
  const SluiceShape *shapes[] = { &batch_x, &batch_y };
  if (!sluice_broadcast_make (&self->broadcast, shapes, 2, out))
    return FALSE;
  self->n = sluice_shape_n_elements (out);
  return TRUE;
}

SluiceEdge
sluice_grad_matmul (
    SluiceGradContext *g, SluiceEdge x, gboolean adjoint_x, SluiceEdge y, gboolean adjoint_y)
{
  return sluice_op_with (
      &g->b, "BatchMatMulV2",
      SLUICE_ATTRS (sluice_attr_bool ("adj_x", adjoint_x), sluice_attr_bool ("adj_y", adjoint_y)),
      x, y);
}

/* The order of dimensions that exchanges the last two. */
static SluiceEdge
swap_last (SluiceGradContext *g, SluiceEdge x)
{
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge first = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 1 }, 1);
  SluiceEdge second = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 2 }, 1);
  int rank = x.node ? sluice_edge_shape (x)->rank : -1;
  if (rank >= 2)
    {
      gint64 order[SLUICE_MAX_RANK];
      for (int i = 0; i < rank; i++)
        order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
      return sluice_builder_const_ints (&g->b, SLUICE_INT32, order, rank);
    }
  SluiceEdge n = MAKE ("Rank", x);
  SluiceEdge before =
      MAKE ("Range", zero, MAKE ("Sub", n, sluice_builder_const_int32 (&g->b, 2)), one);
  return sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 3)), before,
                         MAKE ("Sub", n, first), MAKE ("Sub", n, second), zero);
}

SluiceEdge
sluice_grad_transpose (SluiceGradContext *g, SluiceEdge x)
{
  return MAKE ("Transpose", x, swap_last (g, x));
}

SluiceEdge
sluice_grad_adjoint (SluiceGradContext *g, SluiceEdge x)
{
  return gradient_conj (g, sluice_grad_transpose (g, x));
}

SluiceEdge
sluice_grad_identity_like (SluiceGradContext *g, SluiceEdge x)
{
  return MAKE ("MatrixDiag", gradient_ones_like (g, MAKE ("MatrixDiagPart", x)));
}

SluiceEdge
sluice_grad_triangle (SluiceGradContext *g, SluiceEdge x, gboolean lower)
{
  SluiceEdge all = sluice_builder_const_number (&g->b, SLUICE_INT64, -1);
  SluiceEdge none = sluice_builder_const_number (&g->b, SLUICE_INT64, 0);
  return MAKE ("MatrixBandPart", x, lower ? all : none, lower ? none : all);
}

SluiceEdge
sluice_grad_scale_diagonal (SluiceGradContext *g, SluiceEdge x, double factor)
{
  return MAKE ("MatrixSetDiag", x, gradient_scaled (g, MAKE ("MatrixDiagPart", x), factor));
}

SluiceEdge
sluice_grad_batch_shape (SluiceGradContext *g, SluiceEdge x)
{
  SluiceEdge zero = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 0 }, 1);
  SluiceEdge shape = sluice_op (&g->b, "Shape", x);
  SluiceEdge n = sluice_op (&g->b, "Sub", sluice_op (&g->b, "Shape", shape),
                            sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 2 }, 1));
  return sluice_op (&g->b, "Slice", shape, zero, n);
}

SluiceEdge
sluice_grad_unbroadcast_batches (SluiceGradContext *g, SluiceEdge dx, guint i, guint other)
{
  const SluiceShape *mine = sluice_edge_shape (g->node->inputs[i]);
  const SluiceShape *others = sluice_edge_shape (g->node->inputs[other]);
  SluiceShape batch = sluice_batch_shape (mine), others_batch = sluice_batch_shape (others);
  if (sluice_shape_is_known (&batch) && sluice_shape_equal (&batch, &others_batch))
    return dx;
  guint first = MIN (i, other), second = MAX (i, other);
  SluiceEdge axes = sluice_op (&g->b, "BroadcastGradientArgs",
                               sluice_grad_batch_shape (g, sluice_grad_input (g, first)),
                               sluice_grad_batch_shape (g, sluice_grad_input (g, second)));
  SluiceEdge sum = sluice_op (&g->b, "Sum", dx, sluice_edge_port (axes, i < other ? 0 : 1));
  return sluice_op (&g->b, "Reshape", sum, sluice_op (&g->b, "Shape", sluice_grad_input (g, i)));
}
