/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * More of the same: Tile, BroadcastTo, Pad, PadV2. Gradients add up what was repeated, and cut away
 * what was added.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/repeat.h"

static gboolean
tile_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape multiples, input = c->inputs[0];
  if (!sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  gint64 length = c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  if (input.rank >= 0 && length >= 0 && length != input.rank)
    return sluice_shape_context_fail (
        c, error, "there are %" G_GINT64_FORMAT " multiples for %d dimensions", length, input.rank);
  if (!sluice_shape_context_shape_from_input (c, 1, &multiples, error))
    return FALSE;
  int rank = input.rank >= 0 ? input.rank : multiples.rank;
  SluiceShape shape = sluice_shape_of_rank (rank);
  for (int i = 0; i < rank; i++)
    {
      gint64 multiple = multiples.rank == rank ? multiples.dim[i] : SLUICE_UNKNOWN_DIM;
      gint64 size = input.rank == rank ? input.dim[i] : SLUICE_UNKNOWN_DIM;
      if (multiple >= 0 && size >= 0 && __builtin_mul_overflow (multiple, size, &shape.dim[i]))
        return sluice_shape_context_fail (c, error, "dimension %d would be too big to count", i);
      if (multiple == 0 || size == 0)
        shape.dim[i] = 0;
      else if (multiple < 0 || size < 0)
        shape.dim[i] = SLUICE_UNKNOWN_DIM;
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* What is asked for is what comes out, as TensorFlow says it: also a 1, and beside a size of the
 * input that is not known or 0, where the run may still fail. An input's size over 1 tells what is
 * not asked. */
static gboolean
broadcast_to_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  const SluiceShape *input = &c->inputs[0];
  if (!sluice_shape_context_want_rank (c, 1, 1, error)
      || !sluice_shape_context_shape_from_input (c, 1, &shape, error))
    return FALSE;
  gboolean fits = shape.rank < 0 || shape.rank >= input->rank;
  for (int i = 0; i < input->rank && shape.rank >= 0 && fits; i++)
    {
      gint64 own = input->dim[i], *wanted = &shape.dim[shape.rank - input->rank + i];
      fits = own <= 1 || *wanted < 0 || own == *wanted;
      if (own > 1 && fits)
        *wanted = own;
    }
  char text[2][SLUICE_SHAPE_STR];
  if (!fits)
    return sluice_shape_context_fail (c, error, "%s cannot be repeated to fill %s",
                                      sluice_shape_str (input, text[0]),
                                      sluice_shape_str (&shape, text[1]));
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

gboolean
sluice_shape_padded (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *paddings = sluice_shape_context_constant (c, 1);
  if (!sluice_shape_context_want_rank (c, 1, 2, error)
      || (c->n_inputs == 3 && !sluice_shape_context_want_rank (c, 2, 0, error)))
    return FALSE;
  const SluiceShape *table = &c->inputs[1];
  int rank = c->inputs[0].rank;
  gint64 rows = table->rank == 2 ? table->dim[0] : SLUICE_UNKNOWN_DIM;
  if ((rank >= 0 && rows >= 0 && rows != rank)
      || (table->rank == 2 && table->dim[1] >= 0 && table->dim[1] != 2))
    return sluice_shape_context_fail (
        c, error, "the paddings of %d dimensions must be of shape [%d,2], not %s", rank, rank,
        sluice_shape_str (table, (char[SLUICE_SHAPE_STR]){ 0 }));
  if (rank < 0 && rows >= 0 && rows <= SLUICE_MAX_RANK)
    rank = rows;
  SluiceShape shape = sluice_shape_of_rank (rank);
  for (int i = 0; i < rank && paddings != NULL; i++)
    {
      gint64 before = sluice_tensor_get_int (paddings, 2 * i);
      gint64 after = sluice_tensor_get_int (paddings, 2 * i + 1);
      if (before < 0 || after < 0)
        return sluice_shape_context_fail (c, error, "paddings must not be negative");
      if (c->inputs[0].rank == rank && c->inputs[0].dim[i] >= 0
          && (__builtin_add_overflow (before, after, &shape.dim[i])
              || __builtin_add_overflow (shape.dim[i], c->inputs[0].dim[i], &shape.dim[i])))
        return sluice_shape_context_fail (c, error, "dimension %d would be too big to count", i);
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/*
 * Each dimension of dy is split into (multiple, size), and the multiples are added up. Where both
 * are known, dimensions that are not repeated stay whole: twice as many are soon too many.
 */
static gboolean
known_tile_gradient (SluiceGradContext *g, const SluiceTensor *multiples, const SluiceShape *x)
{
  gint64 sizes[SLUICE_MOVE_RANK], axes[SLUICE_MAX_RANK];
  guint n = 0, n_axes = 0;
  for (int i = 0; i < x->rank; i++)
    {
      gint64 multiple = sluice_tensor_get_int (multiples, i);
      if (multiple != 1)
        {
          axes[n_axes++] = n;
          sizes[n++] = multiple;
        }
      sizes[n++] = x->dim[i];
    }
  SluiceEdge split = sluice_op (&g->b, "Reshape", sluice_grad_dy (g, 0),
                                sluice_builder_const_ints (&g->b, SLUICE_INT64, sizes, n));
  SluiceEdge sum = sluice_op (&g->b, "Sum", split,
                              sluice_builder_const_ints (&g->b, SLUICE_INT32, axes, n_axes));
  sluice_grad_set (g, 0, sum);
  return TRUE;
}

static gboolean
tile_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceTensor *known = sluice_edge_constant (g->node->inputs[1]);
  const SluiceShape *shape = sluice_edge_shape (g->node->inputs[0]);
  if (known != NULL && sluice_shape_is_known (shape))
    return known_tile_gradient (g, known, shape);

  SluiceEdge x = sluice_grad_input (g, 0), multiples = sluice_grad_input (g, 1);
  SluiceDType index = sluice_node_get_type (g->node, "Tmultiples");
  SluiceEdge sizes = sluice_grad_shape_of (g, x, index);
  SluiceEdge pairs = sluice_op_with (
      &g->b, "Pack", SLUICE_ATTRS (sluice_attr_int ("N", 2), sluice_attr_int ("axis", 1)),
      multiples, sizes);
  SluiceEdge flat =
      sluice_op (&g->b, "Reshape", pairs,
                 sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ -1 }, 1));
  SluiceEdge split = sluice_op (&g->b, "Reshape", sluice_grad_dy (g, 0), flat);
  SluiceEdge axes =
      sluice_op (&g->b, "Range", sluice_builder_const_int32 (&g->b, 0),
                 sluice_op (&g->b, "Size", flat), sluice_builder_const_int32 (&g->b, 2));
  sluice_grad_set (g, 0, sluice_op (&g->b, "Sum", split, axes));
  return TRUE;
}

static gboolean
broadcast_to_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), dy = sluice_grad_dy (g, 0);
  SluiceEdge sizes = sluice_grad_shape_of (g, x, SLUICE_INT32);
  SluiceEdge axes =
      sluice_op (&g->b, "BroadcastGradientArgs", sizes, sluice_grad_shape_of (g, dy, SLUICE_INT32));
  SluiceEdge sum = sluice_op (&g->b, "Sum", dy, axes);
  sluice_grad_set (g, 0, sluice_op (&g->b, "Reshape", sum, sizes));
  return TRUE;
}

static gboolean
pad_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), paddings = sluice_grad_input (g, 1);
  SluiceDType index = sluice_node_get_type (g->node, "Tpaddings");
  SluiceEdge corner = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 0, 0 }, 2);
  SluiceEdge column =
      sluice_op_with (&g->b, "Pack", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                      sluice_op (&g->b, "Rank", x), sluice_builder_const_int32 (&g->b, 1));
  SluiceEdge before = sluice_op (&g->b, "Slice", paddings, corner, column);
  SluiceEdge begin =
      sluice_op (&g->b, "Reshape", before,
                 sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ -1 }, 1));
  SluiceEdge sizes = sluice_grad_shape_of (g, x, index);
  sluice_grad_set (g, 0, sluice_op (&g->b, "Slice", sluice_grad_dy (g, 0), begin, sizes));
  return TRUE;
}

static const SluiceSample tile_samples[] = {
  { "", "float[2,3]; int32[2]={2,1}", 1e-5, 1e-6 },
  { "", "float[3]; int64[1]={0}", 0, 0 },
  { "", "string[2]; int32[1]={3}", 0, 0 },
};
static const SluiceRecipe tile_recipe = {
  .samples = tile_samples,
  .n_samples = G_N_ELEMENTS (tile_samples),
};

static const SluiceSample broadcast_samples[] = {
  { "", "float[3,1]; int32[3]={2,3,4}", 1e-5, 1e-6 },
  { "", "float[]; int64[2]={2,2}", 1e-5, 1e-6 },
  { "", "string[1]; int32[1]={3}", 0, 0 },
};
static const SluiceRecipe broadcast_recipe = {
  .samples = broadcast_samples,
  .n_samples = G_N_ELEMENTS (broadcast_samples),
};

static const SluiceSample pad_samples[] = {
  { "", "float[2,3]; int32[2,2]={1,0,2,1}", 0, 0 },
  { "", "float[0,2]; int64[2,2]={1,0,0,1}", 0, 0 },
};
static const SluiceRecipe pad_recipe = {
  .samples = pad_samples,
  .n_samples = G_N_ELEMENTS (pad_samples),
};

static const SluiceSample pad_v2_samples[] = {
  { "", "float[2,3]; int32[2,2]={1,0,2,1}; float[]=0.5", 0, 0 },
};
static const SluiceRecipe pad_v2_recipe = {
  .samples = pad_v2_samples,
  .n_samples = G_N_ELEMENTS (pad_v2_samples),
};

static const SluiceOpDef tile_op = {
  .name = "Tile",
  .signature = "input: T, multiples: Tmultiples -> output: T",
  .attrs = "T: type; Tmultiples: {int32, int64} = int32",
  .summary = N_ ("Repeats a tensor along its axes"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = tile_shape,
  .gradient = tile_gradient,
  .recipe = &tile_recipe,
};

static const SluiceOpDef broadcast_to_op = {
  .name = "BroadcastTo",
  .signature = "input: T, shape: Tidx -> output: T",
  .attrs = "T: type; Tidx: {int32, int64} = int32",
  .summary = N_ ("Repeats a tensor to fill a shape"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = broadcast_to_shape,
  .gradient = broadcast_to_gradient,
  .recipe = &broadcast_recipe,
};

static const SluiceOpDef pad_op = {
  .name = "Pad",
  .signature = "input: T, paddings: Tpaddings -> output: T",
  .attrs = "T: type; Tpaddings: {int32, int64} = int32",
  .summary = N_ ("Puts zeros around a tensor"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_padded,
  .gradient = pad_gradient,
  .recipe = &pad_recipe,
};

static const SluiceOpDef pad_v2_op = {
  .name = "PadV2",
  .signature = "input: T, paddings: Tpaddings, constant_values: T -> output: T",
  .attrs = "T: type; Tpaddings: {int32, int64} = int32",
  .summary = N_ ("Puts a value around a tensor"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_padded,
  .gradient = pad_gradient,
  .recipe = &pad_v2_recipe,
};

static const SluiceOpDef *const ops[] = { &tile_op, &broadcast_to_op, &pad_op, &pad_v2_op };

const SluiceKernelModule sluice_module_array_repeat = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
