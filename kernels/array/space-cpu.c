/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/space.h"

/*
 * Both batch ops pair the elements of a space [batch, size…, rest] with those of a batch of blocks
 * [blocks · batch, cells…, rest]: point cell · block + offset - before of the space is in the cell
 * of the block that is numbered by the offsets.
 */
typedef struct
{
  int n; /* spatial dimensions */
  gint64 block[SLUICE_MAX_RANK], before[SLUICE_MAX_RANK], after[SLUICE_MAX_RANK];
  gint64 n_blocks; /* product of block */
} Blocks;

static gboolean
read_table (SluiceKernelCall *call, guint input, Blocks *b)
{
  const SluiceTensor *table = sluice_call_input (call, input);
  if (!sluice_call_want_rank (call, input, 2))
    return FALSE;
  if (table->shape.dim[0] != b->n || table->shape.dim[1] != 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u must be of shape [%d,2], not %s", input, b->n,
                             sluice_shape_str (&table->shape, (char[SLUICE_SHAPE_STR]){ 0 }));
  for (int i = 0; i < b->n; i++)
    {
      b->before[i] = sluice_tensor_get_int (table, 2 * i);
      b->after[i] = sluice_tensor_get_int (table, 2 * i + 1);
      if (b->before[i] < 0 || b->after[i] < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "row %d of input %u, %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                                 ", must not be negative",
                                 i, input, b->before[i], b->after[i]);
    }
  return TRUE;
}

/* State, or input 1: the sizes of the blocks. */
static gboolean
read_blocks (SluiceKernelCall *call, Blocks *b)
{
  const SluiceShape *input = &sluice_call_input (call, 0)->shape;
  *b = (Blocks){ .n = 2, .n_blocks = 1 };
  if (call->n_inputs == 2)
    {
      b->block[0] = b->block[1] = *(const gint64 *) call->state;
      if (!sluice_call_want_rank (call, 0, 4))
        return FALSE;
    }
  else if (!sluice_call_want_rank (call, 1, 1) || !sluice_call_ints (call, 1, b->block, &b->n))
    return FALSE;
  if (input->rank < b->n + 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "an input of %d dimensions has no batch and %d dimensions of space",
                             input->rank, b->n);
  for (int i = 0; i < b->n; i++)
    if (b->block[i] < 1 || __builtin_mul_overflow (b->n_blocks, b->block[i], &b->n_blocks))
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "a block of %" G_GINT64_FORMAT " elements is not possible",
                               b->block[i]);
  return read_table (call, call->n_inputs - 1, b);
}

/* Moves the elements of every block to or from the space. */
static gboolean
move_blocks (SluiceKernelCall *call, const Blocks *b, gboolean to_space, SluiceTensor *out)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  const SluiceShape *space = to_space ? &out->shape : &input->shape;
  const SluiceShape *cells = to_space ? &input->shape : &out->shape;
  gint64 at_space[SLUICE_MAX_RANK], at_cells[SLUICE_MAX_RANK];
  gsize element = sluice_dtype_size (out->dtype);
  sluice_move_strides (space, at_space);
  sluice_move_strides (cells, at_cells);
  gint64 rest = at_space[b->n]; /* elements behind the space */
  for (gint64 number = 0; number < b->n_blocks; number++)
    {
      SluiceMove move = { 0 };
      gint64 left = number, in_space = 0, in_cells = number * space->dim[0] * at_cells[0];
      gint64 offset[SLUICE_MAX_RANK];
      for (int i = b->n - 1; i >= 0; i--)
        {
          offset[i] = left % b->block[i];
          left /= b->block[i];
        }
      sluice_move_add (&move, space->dim[0], to_space ? at_space[0] : at_cells[0],
                       to_space ? at_cells[0] : at_space[0]);
      for (int i = 0; i < b->n; i++)
        {
          gint64 shift = offset[i] - b->before[i];
          SluiceGridRange span =
              sluice_span (cells->dim[i + 1], b->block[i], shift, space->dim[i + 1]);
          gint64 space_step = span.count > 1 ? b->block[i] * at_space[i + 1] : 0;
          in_space += span.count > 0 ? (span.first * b->block[i] + shift) * at_space[i + 1] : 0;
          in_cells += span.count > 0 ? span.first * at_cells[i + 1] : 0;
          sluice_move_add (&move, span.count, to_space ? space_step : at_cells[i + 1],
                           to_space ? at_cells[i + 1] : space_step);
        }
      sluice_move_add (&move, rest, 1, 1);
      gint64 to = to_space ? in_space : in_cells, from = to_space ? in_cells : in_space;
      if (!sluice_move_run (call, out->dtype, &move, (char *) out->data + to * element,
                            (const char *) input->data + from * element))
        return FALSE;
    }
  return TRUE;
}

static SluiceTensor *
make_output (SluiceKernelCall *call, const gint64 *dims, int rank)
{
  SluiceShape shape;
  g_autoptr (GError) error = NULL;
  if (sluice_shape_make (&shape, dims, rank, &error))
    return sluice_call_output (call, 0, &shape);
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return NULL;
}

static gboolean
space_to_batch_compute (SluiceKernelCall *call)
{
  static const guint8 zero[16];
  SluiceShape shape = sluice_call_input (call, 0)->shape;
  Blocks b;
  if (!read_blocks (call, &b))
    return FALSE;
  for (int i = 0; i < b.n; i++)
    {
      gint64 *size = &shape.dim[i + 1];
      if (__builtin_add_overflow (*size, b.before[i], size)
          || __builtin_add_overflow (*size, b.after[i], size) || *size % b.block[i] != 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d, of %" G_GINT64_FORMAT
                                 " when padded, does not fall into blocks of %" G_GINT64_FORMAT,
                                 i + 1, *size, b.block[i]);
      *size /= b.block[i];
    }
  if (__builtin_mul_overflow (shape.dim[0], b.n_blocks, &shape.dim[0]))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the batch would be too big to count");
  SluiceTensor *out = make_output (call, shape.dim, shape.rank);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (out->n_elements != sluice_call_input (call, 0)->n_elements /* something is padded */
      && !sluice_move_fill (call, out->dtype, out->data, zero, out->n_elements))
    return FALSE;
  return move_blocks (call, &b, FALSE, out);
}

static gboolean
batch_to_space_compute (SluiceKernelCall *call)
{
  SluiceShape shape = sluice_call_input (call, 0)->shape;
  Blocks b;
  if (!read_blocks (call, &b))
    return FALSE;
  if (shape.dim[0] % b.n_blocks != 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a batch of %" G_GINT64_FORMAT " does not divide by %" G_GINT64_FORMAT
                             ", the elements of a block",
                             shape.dim[0], b.n_blocks);
  shape.dim[0] /= b.n_blocks;
  for (int i = 0; i < b.n; i++)
    {
      gint64 *size = &shape.dim[i + 1];
      if (__builtin_mul_overflow (*size, b.block[i], size)
          || __builtin_sub_overflow (*size, b.before[i], size)
          || __builtin_sub_overflow (*size, b.after[i], size) || *size < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d is cropped by %" G_GINT64_FORMAT
                                 " and %" G_GINT64_FORMAT ", more than it has",
                                 i + 1, b.before[i], b.after[i]);
    }
  SluiceTensor *out = make_output (call, shape.dim, shape.rank);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  return move_blocks (call, &b, TRUE, out);
}

static gpointer
block_size_prepare (const SluiceNode *node, GError **error)
{
  gint64 *size = g_new (gint64, 1);
  *size = sluice_node_get_int (node, "block_size");
  return size;
}

/* ---- SpaceToDepth, DepthToSpace ---- */

typedef struct
{
  gint64 block;
  gboolean channels_first;
} Depth;

static gpointer
depth_prepare (const SluiceNode *node, GError **error)
{
  if (sluice_node_string_is (node, "data_format", "NCHW_VECT_C"))
    {
      sluice_node_fail (node, error, SLUICE_ERROR_UNIMPLEMENTED,
                        "data_format NCHW_VECT_C has no kernel here; use NHWC or NCHW");
      return NULL;
    }
  Depth *depth = g_new (Depth, 1);
  *depth = (Depth){ sluice_node_get_int (node, "block_size"),
                    sluice_node_string_is (node, "data_format", "NCHW") };
  return depth;
}

/* The output's shape; out = NULL: call->error is set. */
static SluiceTensor *
make_depth_output (SluiceKernelCall *call, const Depth *depth, gboolean to_depth)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  int c = depth->channels_first ? 1 : 3, h = depth->channels_first ? 2 : 1, w = h + 1;
  gint64 block = depth->block, area, dims[4] = { input->shape.dim[0] };
  const gint64 *in = input->shape.dim;
  gboolean fits = !__builtin_mul_overflow (block, block, &area);
  if (fits && to_depth)
    {
      fits = in[h] % block == 0 && in[w] % block == 0
             && !__builtin_mul_overflow (in[c], area, &dims[c]);
      dims[h] = in[h] / block;
      dims[w] = in[w] / block;
    }
  else if (fits)
    {
      fits = in[c] % area == 0 && !__builtin_mul_overflow (in[h], block, &dims[h])
             && !__builtin_mul_overflow (in[w], block, &dims[w]);
      dims[c] = in[c] / area;
    }
  if (fits)
    return make_output (call, dims, 4);
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                    "an input of shape %s does not go with blocks of %" G_GINT64_FORMAT,
                    sluice_shape_str (&input->shape, (char[SLUICE_SHAPE_STR]){ 0 }), block);
  return NULL;
}

/* One nest: an image [batch, row, in row's block, column, in column's block, channel] against cells
 * [batch, row, column, in row's block, in column's block, channel]. */
static gboolean
depth_compute (SluiceKernelCall *call)
{
  const Depth *depth = call->state;
  gboolean to_depth = GPOINTER_TO_INT (call->kernel->data);
  const SluiceTensor *input = sluice_call_input (call, 0);
  if (!sluice_call_want_rank (call, 0, 4))
    return FALSE;
  SluiceTensor *out = make_depth_output (call, depth, to_depth);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  int c = depth->channels_first ? 1 : 3, h = depth->channels_first ? 2 : 1, w = h + 1;
  const SluiceShape *image = to_depth ? &input->shape : &out->shape;
  const SluiceShape *cells = to_depth ? &out->shape : &input->shape;
  gint64 i[SLUICE_MAX_RANK], o[SLUICE_MAX_RANK];
  sluice_move_strides (image, i);
  sluice_move_strides (cells, o);
  const struct
  {
    gint64 size, image, cells;
  } nest[] = {
    { image->dim[0], i[0], o[0] },
    { cells->dim[h], i[h] * depth->block, o[h] },
    { cells->dim[w], i[w] * depth->block, o[w] },
    { depth->block, i[h], o[c] * image->dim[c] * depth->block },
    { depth->block, i[w], o[c] * image->dim[c] },
    { image->dim[c], i[c], o[c] },
  };
  /* The order that runs through the output. */
  static const int image_last[] = { 0, 1, 3, 2, 4, 5 }, image_first[] = { 0, 5, 1, 3, 2, 4 };
  static const int cells_last[] = { 0, 1, 2, 3, 4, 5 }, cells_first[] = { 0, 3, 4, 5, 1, 2 };
  const int *order = to_depth ? (depth->channels_first ? cells_first : cells_last)
                              : (depth->channels_first ? image_first : image_last);
  SluiceMove move = { 0 };
  for (guint k = 0; k < G_N_ELEMENTS (nest); k++)
    sluice_move_add (&move, nest[order[k]].size,
                     to_depth ? nest[order[k]].cells : nest[order[k]].image,
                     to_depth ? nest[order[k]].image : nest[order[k]].cells);
  return sluice_move_run (call, out->dtype, &move, out->data, input->data);
}

#define SIZED(op_name, function, prepare_function, ...)                                            \
  SLUICE_ARRAY_KERNEL (op_name, .prepare = prepare_function, .free_state = g_free,                 \
                       .compute = function, __VA_ARGS__)

static const SluiceKernel kernels[] = {
  SIZED ("SpaceToBatch", space_to_batch_compute, block_size_prepare, ),
  SIZED ("BatchToSpace", batch_to_space_compute, block_size_prepare, ),
  SLUICE_ARRAY_KERNEL ("SpaceToBatchND", .compute = space_to_batch_compute),
  SLUICE_ARRAY_KERNEL ("BatchToSpaceND", .compute = batch_to_space_compute),
  SIZED ("SpaceToDepth", depth_compute, depth_prepare, .data = GINT_TO_POINTER (TRUE)),
  SIZED ("DepthToSpace", depth_compute, depth_prepare, .data = GINT_TO_POINTER (FALSE)),
};

const SluiceKernelModule sluice_module_array_space_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
