/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Blocks of space that become other examples of a batch (SpaceToBatch, SpaceToBatchND) or other
 * channels (SpaceToDepth), and back. The gradient of each is its reverse.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/math/gradients.h"

/* Sizes of blocks and of what is padded or cropped, where they are known. n: spatial dimensions, -1
 * unknown. */
typedef struct
{
  int n;
  gboolean has_block, has_table;
  gint64 block[SLUICE_MAX_RANK], before[SLUICE_MAX_RANK], after[SLUICE_MAX_RANK];
} Blocks;

/* The table of paddings or crops at an input: [n,2], not negative. */
static gboolean
read_table (SluiceShapeContext *c, guint input, Blocks *b, GError **error)
{
  const SluiceShape *shape = &c->inputs[input];
  const SluiceTensor *table = sluice_shape_context_constant (c, input);
  if (!sluice_shape_context_want_rank (c, input, 2, error))
    return FALSE;
  gint64 rows = shape->rank == 2 ? shape->dim[0] : SLUICE_UNKNOWN_DIM;
  if ((rows >= 0 && b->n >= 0 && rows != b->n)
      || (shape->rank == 2 && shape->dim[1] >= 0 && shape->dim[1] != 2))
    return sluice_shape_context_fail (c, error, "input %u must be of shape [%d,2], not %s", input,
                                      b->n,
                                      sluice_shape_str (shape, (char[SLUICE_SHAPE_STR]){ 0 }));
  b->has_table = table != NULL && b->n >= 0;
  for (int i = 0; b->has_table && i < b->n; i++)
    {
      b->before[i] = sluice_tensor_get_int (table, 2 * i);
      b->after[i] = sluice_tensor_get_int (table, 2 * i + 1);
      if (b->before[i] < 0 || b->after[i] < 0)
        return sluice_shape_context_fail (c, error, "input %u must not be negative", input);
    }
  return TRUE;
}

/* From attribute block_size and input 1, or from inputs 1 and 2. */
static gboolean
read_blocks (SluiceShapeContext *c, Blocks *b, GError **error)
{
  *b = (Blocks){ .n = 2, .has_block = TRUE };
  if (c->n_inputs == 2)
    {
      b->block[0] = b->block[1] = sluice_node_get_int (c->node, "block_size");
      return sluice_shape_context_want_rank (c, 0, 4, error) && read_table (c, 1, b, error);
    }
  const SluiceTensor *block = sluice_shape_context_constant (c, 1);
  if (!sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  gint64 n = c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  if (n >= SLUICE_MAX_RANK)
    return sluice_shape_context_fail (c, error, "block_shape has too many elements");
  b->n = (int) n;
  b->has_block = block != NULL;
  for (int i = 0; b->has_block && i < b->n; i++)
    {
      b->block[i] = sluice_tensor_get_int (block, i);
      if (b->block[i] < 1)
        return sluice_shape_context_fail (c, error, "blocks must be of 1 element or more");
    }
  return sluice_shape_context_want_rank_at_least (c, 0, b->n + 1, error)
         && read_table (c, 2, b, error);
}

/* The shape as far as blocks do not change it. */
static SluiceShape
unchanged_part (SluiceShapeContext *c, const Blocks *b)
{
  SluiceShape shape = c->inputs[0];
  if (shape.rank < 0 && c->n_inputs == 2)
    shape = sluice_shape_of_rank (4);
  for (int i = 0; i < shape.rank && (b->n < 0 || i <= b->n); i++)
    shape.dim[i] = SLUICE_UNKNOWN_DIM;
  return shape;
}

static gboolean
space_to_batch_shape (SluiceShapeContext *c, GError **error)
{
  Blocks b;
  if (!read_blocks (c, &b, error))
    return FALSE;
  SluiceShape shape = unchanged_part (c, &b);
  gint64 batch = c->inputs[0].rank > 0 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM;
  for (int i = 0; c->inputs[0].rank > 0 && b.has_block && i < b.n; i++)
    {
      gint64 size = c->inputs[0].dim[i + 1];
      if (batch >= 0 && __builtin_mul_overflow (batch, b.block[i], &batch))
        return sluice_shape_context_fail (c, error, "the batch would be too big to count");
      if (size < 0 || !b.has_table)
        continue;
      if (__builtin_add_overflow (size, b.before[i], &size)
          || __builtin_add_overflow (size, b.after[i], &size) || size % b.block[i] != 0)
        return sluice_shape_context_fail (
            c, error,
            "dimension %d, of %" G_GINT64_FORMAT
            " when padded, does not fall into blocks of %" G_GINT64_FORMAT,
            i + 1, size, b.block[i]);
      shape.dim[i + 1] = size / b.block[i];
    }
  if (c->inputs[0].rank > 0 && b.has_block && b.n >= 0)
    shape.dim[0] = batch;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
batch_to_space_shape (SluiceShapeContext *c, GError **error)
{
  Blocks b;
  if (!read_blocks (c, &b, error))
    return FALSE;
  SluiceShape shape = unchanged_part (c, &b);
  gint64 batch = c->inputs[0].rank > 0 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM;
  for (int i = 0; c->inputs[0].rank > 0 && b.has_block && i < b.n; i++)
    {
      gint64 size = c->inputs[0].dim[i + 1];
      if (batch >= 0 && batch % b.block[i] != 0)
        return sluice_shape_context_fail (
            c, error, "a batch of %" G_GINT64_FORMAT " does not divide by the sizes of the blocks",
            c->inputs[0].dim[0]);
      if (batch >= 0)
        batch /= b.block[i];
      if (size < 0 || !b.has_table)
        continue;
      if (__builtin_mul_overflow (size, b.block[i], &size)
          || __builtin_sub_overflow (size, b.before[i], &size)
          || __builtin_sub_overflow (size, b.after[i], &size) || size < 0)
        return sluice_shape_context_fail (c, error, "dimension %d is cropped by more than it has",
                                          i + 1);
      shape.dim[i + 1] = size;
    }
  if (c->inputs[0].rank > 0 && b.has_block && b.n >= 0)
    shape.dim[0] = batch;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* Where data_format puts the channels: the other two dimensions are space. */
static int
channel_dim (SluiceShapeContext *c)
{
  return sluice_node_string_is (c->node, "data_format", "NHWC") ? 3 : 1;
}

static gboolean
depth_shape (SluiceShapeContext *c, gboolean to_depth, GError **error)
{
  gint64 block = sluice_node_get_int (c->node, "block_size"), area;
  SluiceShape shape = c->inputs[0];
  if (sluice_node_string_is (c->node, "data_format", "NCHW_VECT_C"))
    return TRUE; /* a run says that it has no kernel */
  if (!sluice_shape_context_want_rank (c, 0, 4, error))
    return FALSE;
  if (__builtin_mul_overflow (block, block, &area))
    return sluice_shape_context_fail (c, error, "block_size is too big");
  if (shape.rank < 0)
    shape = sluice_shape_of_rank (4);
  for (int i = 1; i < 4; i++)
    {
      gint64 factor = i == channel_dim (c) ? area : block;
      gboolean divides = (i == channel_dim (c)) != to_depth;
      if (shape.dim[i] < 0)
        continue;
      if (divides ? shape.dim[i] % factor != 0
                  : __builtin_mul_overflow (shape.dim[i], factor, &shape.dim[i]))
        return sluice_shape_context_fail (c, error,
                                          "dimension %d, of %" G_GINT64_FORMAT
                                          ", does not go with blocks of %" G_GINT64_FORMAT,
                                          i, c->inputs[0].dim[i], block);
      if (divides)
        shape.dim[i] /= factor;
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
space_to_depth_shape (SluiceShapeContext *c, GError **error)
{
  return depth_shape (c, TRUE, error);
}

static gboolean
depth_to_space_shape (SluiceShapeContext *c, GError **error)
{
  return depth_shape (c, FALSE, error);
}

/* ---- gradients: the reverse, with the same blocks ---- */

static gboolean
batch_gradient (SluiceGradContext *g, const char *reverse)
{
  SluiceEdge dy = sluice_grad_dy (g, 0), table = sluice_grad_input (g, 1);
  sluice_grad_set (g, 0,
                   sluice_op_with (&g->b, reverse,
                                   SLUICE_ATTRS (sluice_grad_attr (g, "block_size")), dy, table));
  return TRUE;
}

static gboolean
space_to_batch_gradient (SluiceGradContext *g, GError **error)
{
  return batch_gradient (g, "BatchToSpace");
}

static gboolean
batch_to_space_gradient (SluiceGradContext *g, GError **error)
{
  return batch_gradient (g, "SpaceToBatch");
}

static gboolean
space_to_batch_nd_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   MAKE ("BatchToSpaceND", sluice_grad_dy (g, 0), sluice_grad_input (g, 1),
                         sluice_grad_input (g, 2)));
  return TRUE;
}

static gboolean
batch_to_space_nd_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   MAKE ("SpaceToBatchND", sluice_grad_dy (g, 0), sluice_grad_input (g, 1),
                         sluice_grad_input (g, 2)));
  return TRUE;
}

static gboolean
depth_gradient (SluiceGradContext *g, const char *reverse)
{
  sluice_grad_set (g, 0,
                   sluice_op_with (&g->b, reverse,
                                   SLUICE_ATTRS (sluice_grad_attr (g, "block_size"),
                                                 sluice_grad_attr (g, "data_format")),
                                   sluice_grad_dy (g, 0)));
  return TRUE;
}

static gboolean
space_to_depth_gradient (SluiceGradContext *g, GError **error)
{
  return depth_gradient (g, "DepthToSpace");
}

static gboolean
depth_to_space_gradient (SluiceGradContext *g, GError **error)
{
  return depth_gradient (g, "SpaceToDepth");
}

static const SluiceSample to_batch_samples[] = {
  { "block_size=2", "float[1,4,6,2]; int32[2,2]={0,0,1,1}" },
  { "block_size=3", "float[2,5,3,1]; int64[2,2]={1,0,0,0}" },
};
static const SluiceRecipe to_batch_recipe = { to_batch_samples, G_N_ELEMENTS (to_batch_samples) };

static const SluiceSample from_batch_samples[] = {
  { "block_size=2", "float[4,2,3,2]; int32[2,2]={0,0,1,1}" },
};
static const SluiceRecipe from_batch_recipe = { from_batch_samples,
                                                G_N_ELEMENTS (from_batch_samples) };

static const SluiceSample to_batch_nd_samples[] = {
  { "", "float[1,4,6,2]; int32[2]={2,3}; int32[2,2]={0,0,1,2}" },
  { "", "float[2,5]; int64[1]={3}; int32[1,2]={1,0}" },
  { "", "float[2,0]; int32[1]={2}; int32[1,2]={3,1}" },
};
static const SluiceRecipe to_batch_nd_recipe = { to_batch_nd_samples,
                                                 G_N_ELEMENTS (to_batch_nd_samples) };

static const SluiceSample from_batch_nd_samples[] = {
  { "", "float[6,2,3,2]; int32[2]={2,3}; int32[2,2]={0,1,1,2}" },
  { "", "float[6,5]; int32[1]={3}; int64[1,2]={4,11}" },
};
static const SluiceRecipe from_batch_nd_recipe = { from_batch_nd_samples,
                                                   G_N_ELEMENTS (from_batch_nd_samples) };

static const SluiceSample to_depth_samples[] = {
  { "block_size=2", "float[2,4,6,3]" },
  { "block_size=3; data_format='NCHW'", "float[2,2,3,6]" },
  { "block_size=2", "float[0,2,2,1]" },
};
static const SluiceRecipe to_depth_recipe = { to_depth_samples, G_N_ELEMENTS (to_depth_samples) };

static const SluiceSample from_depth_samples[] = {
  { "block_size=2", "float[2,2,3,12]" },
  { "block_size=3; data_format='NCHW'", "float[2,18,1,2]" },
};
static const SluiceRecipe from_depth_recipe = { from_depth_samples,
                                                G_N_ELEMENTS (from_depth_samples) };

static const SluiceOpDef space_to_batch_op = {
  .name = "SpaceToBatch",
  .signature = "input: T, paddings: Tpaddings -> output: T",
  .attrs = "T: type; Tpaddings: {int32, int64} = int32; block_size: int >= 2",
  .summary = N_ ("Turns blocks of an image into examples of a batch"),
  .shape = space_to_batch_shape,
  .gradient = space_to_batch_gradient,
  .recipe = &to_batch_recipe,
};

static const SluiceOpDef batch_to_space_op = {
  .name = "BatchToSpace",
  .signature = "input: T, crops: Tidx -> output: T",
  .attrs = "T: type; block_size: int >= 2; Tidx: {int32, int64} = int32",
  .summary = N_ ("Turns examples of a batch into blocks of an image"),
  .shape = batch_to_space_shape,
  .gradient = batch_to_space_gradient,
  .recipe = &from_batch_recipe,
};

static const SluiceOpDef space_to_batch_nd_op = {
  .name = "SpaceToBatchND",
  .signature = "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
  .attrs = "T: type; Tblock_shape: {int32, int64} = int32; Tpaddings: {int32, int64} = int32",
  .summary = N_ ("Turns blocks of space into examples of a batch"),
  .shape = space_to_batch_shape,
  .gradient = space_to_batch_nd_gradient,
  .recipe = &to_batch_nd_recipe,
};

static const SluiceOpDef batch_to_space_nd_op = {
  .name = "BatchToSpaceND",
  .signature = "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
  .attrs = "T: type; Tblock_shape: {int32, int64} = int32; Tcrops: {int32, int64} = int32",
  .summary = N_ ("Turns examples of a batch into blocks of space"),
  .shape = batch_to_space_shape,
  .gradient = batch_to_space_nd_gradient,
  .recipe = &from_batch_nd_recipe,
};

#define DEPTH_ATTRS                                                                                \
  "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"

static const SluiceOpDef space_to_depth_op = {
  .name = "SpaceToDepth",
  .signature = "input: T -> output: T",
  .attrs = DEPTH_ATTRS,
  .summary = N_ ("Turns blocks of an image into channels"),
  .shape = space_to_depth_shape,
  .gradient = space_to_depth_gradient,
  .recipe = &to_depth_recipe,
};

static const SluiceOpDef depth_to_space_op = {
  .name = "DepthToSpace",
  .signature = "input: T -> output: T",
  .attrs = DEPTH_ATTRS,
  .summary = N_ ("Turns channels into blocks of an image"),
  .shape = depth_to_space_shape,
  .gradient = depth_to_space_gradient,
  .recipe = &from_depth_recipe,
};

static const SluiceOpDef *const ops[] = {
  &space_to_batch_op,    &batch_to_space_op, &space_to_batch_nd_op,
  &batch_to_space_nd_op, &space_to_depth_op, &depth_to_space_op,
};

const SluiceKernelModule sluice_module_array_space = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
