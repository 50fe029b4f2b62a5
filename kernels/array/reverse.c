/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The same elements in another order along some axes: Reverse and ReverseV2 turn them round,
 * ReverseSequence only the first so many of each example, Roll shifts them in a circle. The
 * gradient of each is the op itself; of Roll, with the opposite shift.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
reverse_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  gint64 n = c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  SluiceShape shape = c->inputs[0];
  if (n >= 0 && n <= SLUICE_MAX_RANK && shape.rank < 0)
    shape = sluice_shape_of_rank (n);
  if (n >= 0 && shape.rank != n)
    return sluice_shape_context_fail (
        c, error, "dims has %" G_GINT64_FORMAT " elements for %d dimensions", n, shape.rank);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
reverse_v2_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *axes = sluice_shape_context_constant (c, 1);
  if (!sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  guint seen = 0;
  for (gint64 i = 0; axes != NULL && c->inputs[0].rank >= 0 && i < axes->n_elements; i++)
    {
      int axis;
      if (!sluice_shape_axis (c, sluice_tensor_get_int (axes, i), c->inputs[0].rank, &axis, error))
        return FALSE;
      if (seen & (1u << axis))
        return sluice_shape_context_fail (c, error, "axis %d is named twice", axis);
      seen |= 1u << axis;
    }
  return sluice_shape_unchanged (c, error);
}

static gboolean
reverse_sequence_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[0];
  gint64 batch = sluice_node_get_int (c->node, "batch_dim");
  gint64 seq = sluice_node_get_int (c->node, "seq_dim");
  if (!sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  if (shape.rank < 0)
    return TRUE;
  if (batch < 0 || seq < 0 || batch >= shape.rank || seq >= shape.rank || batch == seq)
    return sluice_shape_context_fail (c, error,
                                      "batch_dim %" G_GINT64_FORMAT " and seq_dim %" G_GINT64_FORMAT
                                      " must be two of the %d dimensions",
                                      batch, seq, shape.rank);
  gint64 n = c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  if (n >= 0 && shape.dim[batch] >= 0 && n != shape.dim[batch])
    return sluice_shape_context_fail (
        c, error, "there are %" G_GINT64_FORMAT " lengths for a batch of %" G_GINT64_FORMAT, n,
        shape.dim[batch]);
  shape.dim[batch] = MAX (shape.dim[batch], n);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
roll_shape (SluiceShapeContext *c, GError **error)
{
  if (c->inputs[1].rank > 1 || c->inputs[2].rank > 1)
    return sluice_shape_context_fail (c, error, "shift and axis must be scalars or vectors");
  return sluice_shape_context_want_rank_at_least (c, 0, 1, error)
         && sluice_shape_unchanged (c, error);
}

/* The node's own op, of dy. */
static gboolean
same_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (
      g, 0, sluice_op (&g->b, g->node->op->name, sluice_grad_dy (g, 0), sluice_grad_input (g, 1)));
  return TRUE;
}

static gboolean
reverse_sequence_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   sluice_op_with (&g->b, "ReverseSequence",
                                   SLUICE_ATTRS (sluice_grad_attr (g, "seq_dim"),
                                                 sluice_grad_attr (g, "batch_dim")),
                                   sluice_grad_dy (g, 0), sluice_grad_input (g, 1)));
  return TRUE;
}

static gboolean
roll_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge back = sluice_op (&g->b, "Neg", sluice_grad_input (g, 1));
  sluice_grad_set (
      g, 0, sluice_op (&g->b, "Roll", sluice_grad_dy (g, 0), back, sluice_grad_input (g, 2)));
  return TRUE;
}

static const SluiceSample reverse_samples[] = {
  { "", "float[2,3,4]; bool[3]={1,0,1}" },
  { "", "string[3]; bool[1]={1}" },
};
static const SluiceRecipe reverse_recipe = { reverse_samples, G_N_ELEMENTS (reverse_samples) };

static const SluiceSample reverse_v2_samples[] = {
  { "", "float[2,3,4]; int32[2]={0,-1}" }, { "", "float[65]; int64[1]={0}" },
  { "", "float[2,0]; int32[1]={1}" },      { "", "float[]; int32[0]={}" },
  { "", "string[3,2]; int32[1]={0}" },
};
static const SluiceRecipe reverse_v2_recipe = { reverse_v2_samples,
                                                G_N_ELEMENTS (reverse_v2_samples) };

static const SluiceSample reverse_sequence_samples[] = {
  { "seq_dim=1", "float[3,5,2]; int64[3]={4,0,5}" },
  { "seq_dim=0; batch_dim=2", "float[4,2,3]; int32[3]={4,1,2}" },
  { "seq_dim=1", "string[2,3]; int64[2]={3,2}" },
  { "seq_dim=1", "float[2,0]; int64[2]={0,0}" },
};
static const SluiceRecipe reverse_sequence_recipe = { reverse_sequence_samples,
                                                      G_N_ELEMENTS (reverse_sequence_samples) };

static const SluiceSample roll_samples[] = {
  { "", "float[3,5]; int32[2]={-7,2}; int32[2]={1,0}" },
  { "", "float[5]; int64[]={2}; int32[]={-1}" },
  { "", "string[3]; int32[]={1}; int32[]={0}" },
  { "", "float[0,2]; int32[]={1}; int32[]={0}" },
};
static const SluiceRecipe roll_recipe = { roll_samples, G_N_ELEMENTS (roll_samples) };

#define REVERSIBLE                                                                                 \
  "{uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, "       \
  "double, complex64, complex128, string}"

static const SluiceOpDef reverse_op = {
  .name = "Reverse",
  .signature = "tensor: T, dims: bool -> output: T",
  .attrs = "T: " REVERSIBLE,
  .summary = N_ ("Turns round the axes that are marked"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = reverse_shape,
  .gradient = same_gradient,
  .recipe = &reverse_recipe,
};

static const SluiceOpDef reverse_v2_op = {
  .name = "ReverseV2",
  .signature = "tensor: T, axis: Tidx -> output: T",
  .attrs = "Tidx: {int32, int64} = int32; T: " REVERSIBLE,
  .summary = N_ ("Turns axes round"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = reverse_v2_shape,
  .gradient = same_gradient,
  .recipe = &reverse_v2_recipe,
};

static const SluiceOpDef reverse_sequence_op = {
  .name = "ReverseSequence",
  .signature = "input: T, seq_lengths: Tlen -> output: T",
  .attrs = "seq_dim: int; batch_dim: int = 0; T: type; Tlen: {int32, int64} = int64",
  .summary = N_ ("Turns the first elements of each sequence round"),
  .shape = reverse_sequence_shape,
  .gradient = reverse_sequence_gradient,
  .recipe = &reverse_sequence_recipe,
};

static const SluiceOpDef roll_op = {
  .name = "Roll",
  .signature = "input: T, shift: Tshift, axis: Taxis -> output: T",
  .attrs = "T: type; Tshift: {int32, int64}; Taxis: {int32, int64}",
  .summary = N_ ("Shifts elements along axes; what leaves one end enters the other"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = roll_shape,
  .gradient = roll_gradient,
  .recipe = &roll_recipe,
};

static const SluiceOpDef *const ops[] = {
  &reverse_op,
  &reverse_v2_op,
  &reverse_sequence_op,
  &roll_op,
};

const SluiceKernelModule sluice_module_array_reverse = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
