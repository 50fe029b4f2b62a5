/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/rows.h"

/* ---- Reverse, ReverseV2 ---- */

static gboolean
reverse_marked (SluiceKernelCall *call, const gboolean marked[SLUICE_MAX_RANK])
{
  SluiceTensor *input = sluice_call_input (call, 0);
  const SluiceShape *shape = &input->shape;
  gint64 strides[SLUICE_MAX_RANK], first = 0;
  gboolean moves = FALSE;
  for (int i = 0; i < shape->rank; i++)
    moves |= marked[i] && shape->dim[i] > 1;
  if (!moves || input->n_elements == 0)
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceTensor *out = sluice_call_output (call, 0, shape);
  if (out == NULL)
    return FALSE;
  sluice_move_strides (shape, strides);
  SluiceMove move = { 0 };
  for (int i = 0; i < shape->rank; i++)
    {
      sluice_move_add (&move, shape->dim[i], strides[i], marked[i] ? -strides[i] : strides[i]);
      if (marked[i])
        first += (shape->dim[i] - 1) * strides[i];
    }
  return sluice_move_run (call, out->dtype, &move, out->data,
                          (char *) input->data + first * sluice_dtype_size (out->dtype));
}

static gboolean
reverse_compute (SluiceKernelCall *call)
{
  const SluiceTensor *dims = sluice_call_input (call, 1);
  int rank = sluice_call_input (call, 0)->shape.rank;
  gboolean marked[SLUICE_MAX_RANK];
  if (!sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (dims->n_elements != rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "dims has %" G_GINT64_FORMAT " elements for %d dimensions",
                             dims->n_elements, rank);
  for (int i = 0; i < rank; i++)
    marked[i] = ((const guint8 *) dims->data)[i] != 0;
  return reverse_marked (call, marked);
}

static gboolean
reverse_v2_compute (SluiceKernelCall *call)
{
  const SluiceTensor *axes = sluice_call_input (call, 1);
  gboolean marked[SLUICE_MAX_RANK] = { FALSE };
  if (!sluice_call_want_rank (call, 1, 1))
    return FALSE;
  for (gint64 i = 0; i < axes->n_elements; i++)
    {
      int axis;
      if (!sluice_call_axis (call, sluice_tensor_get_int (axes, i),
                             sluice_call_input (call, 0)->shape.rank, &axis))
        return FALSE;
      if (marked[axis])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "axis %d is named twice",
                                 axis);
      marked[axis] = TRUE;
    }
  return reverse_marked (call, marked);
}

/* ---- ReverseSequence ---- */

typedef struct
{
  gint64 seq, batch;
} SequenceDims;

static gpointer
sequence_prepare (const SluiceNode *node, GError **error)
{
  SequenceDims *dims = g_new (SequenceDims, 1);
  *dims = (SequenceDims){ sluice_node_get_int (node, "seq_dim"),
                          sluice_node_get_int (node, "batch_dim") };
  return dims;
}

/* Rows are numbered through [outer, first, between, second]; one of first and second is the batch,
 * the other the sequence. */
typedef struct
{
  SluiceDType dtype;
  gint64 row;
  gsize row_bytes;
  gint64 first, between, second;
  gboolean batch_is_first;
  const SluiceTensor *lengths;
  char *to;
  const char *from;
} Sequences;

static void
reverse_sequences (gpointer data, gint64 begin, gint64 end)
{
  const Sequences *s = data;
  for (gint64 unit = begin; unit < end; unit++)
    {
      gint64 second = unit % s->second;
      gint64 first = unit / (s->second * s->between) % s->first;
      gint64 at = s->batch_is_first ? second : first;
      gint64 length = sluice_tensor_get_int (s->lengths, s->batch_is_first ? first : second);
      gint64 step = s->batch_is_first ? 1 : s->second * s->between;
      gint64 from = at < length ? unit + (length - 1 - 2 * at) * step : unit;
      sluice_row_copy (s->dtype, s->to + unit * s->row_bytes, s->from + from * s->row_bytes, s->row,
                       s->row_bytes);
    }
}

static gboolean
check_sequences (SluiceKernelCall *call, const SequenceDims *dims)
{
  const SluiceShape *shape = &sluice_call_input (call, 0)->shape;
  const SluiceTensor *lengths = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (dims->seq < 0 || dims->batch < 0 || dims->seq >= shape->rank || dims->batch >= shape->rank
      || dims->seq == dims->batch)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "batch_dim %" G_GINT64_FORMAT " and seq_dim %" G_GINT64_FORMAT
                             " must be two of the %d dimensions",
                             dims->batch, dims->seq, shape->rank);
  if (lengths->n_elements != shape->dim[dims->batch])
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there are %" G_GINT64_FORMAT
                             " lengths for a batch of %" G_GINT64_FORMAT,
                             lengths->n_elements, shape->dim[dims->batch]);
  for (gint64 i = 0; i < lengths->n_elements; i++)
    {
      gint64 length = sluice_tensor_get_int (lengths, i);
      if (length < 0 || length > shape->dim[dims->seq])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "length %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                                 ", but sequences have %" G_GINT64_FORMAT " elements",
                                 i, length, shape->dim[dims->seq]);
    }
  return TRUE;
}

static gboolean
reverse_sequence_compute (SluiceKernelCall *call)
{
  const SequenceDims *dims = call->state;
  SluiceTensor *input = sluice_call_input (call, 0);
  if (!check_sequences (call, dims))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &input->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  SluiceAxisSplit first = sluice_axis_split (&input->shape, MIN (dims->seq, dims->batch));
  SluiceAxisSplit second = sluice_axis_split (&input->shape, MAX (dims->seq, dims->batch));
  Sequences s = {
    .dtype = out->dtype,
    .row = second.inner,
    .row_bytes = second.inner * sluice_dtype_size (out->dtype),
    .first = first.size,
    .between = first.inner / (second.size * second.inner),
    .second = second.size,
    .batch_is_first = dims->batch < dims->seq,
    .lengths = sluice_call_input (call, 1),
    .to = out->data,
    .from = input->data,
  };
  return sluice_call_parallel_for (call, out->n_elements / s.row, sluice_row_grain (s.row_bytes),
                                   5 + sluice_row_ns (s.row_bytes), reverse_sequences, &s);
}

/* ---- Roll ---- */

/* How far each dimension is shifted forward, in [0, size). */
static gboolean
read_shifts (SluiceKernelCall *call, const SluiceShape *shape, gint64 total[SLUICE_MAX_RANK])
{
  const SluiceTensor *shifts = sluice_call_input (call, 1), *axes = sluice_call_input (call, 2);
  if (shape->rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "a scalar has nothing to shift");
  if (shifts->shape.rank > 1 || axes->shape.rank > 1 || shifts->n_elements != axes->n_elements)
    {
      char text[2][SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT,
          "shift and axis must be scalars or vectors of one length, not %s and %s",
          sluice_shape_str (&shifts->shape, text[0]), sluice_shape_str (&axes->shape, text[1]));
    }
  for (gint64 i = 0; i < axes->n_elements; i++)
    {
      int axis;
      if (!sluice_call_axis (call, sluice_tensor_get_int (axes, i), shape->rank, &axis))
        return FALSE;
      gint64 size = MAX (1, shape->dim[axis]);
      total[axis] = (total[axis] + sluice_tensor_get_int (shifts, i) % size + size) % size;
    }
  return TRUE;
}

/* Each shifted dimension falls into two pieces that stay whole; one nest for every combination. */
static gboolean
roll_compute (SluiceKernelCall *call)
{
  SluiceTensor *input = sluice_call_input (call, 0);
  const SluiceShape *shape = &input->shape;
  gint64 shifts[SLUICE_MAX_RANK] = { 0 }, strides[SLUICE_MAX_RANK];
  int shifted[SLUICE_MAX_RANK], n = 0;
  if (!read_shifts (call, shape, shifts))
    return FALSE;
  for (int i = 0; i < shape->rank; i++)
    if (shifts[i] > 0)
      shifted[n++] = i;
  if (n == 0 || input->n_elements == 0)
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceTensor *out = sluice_call_output (call, 0, shape);
  if (out == NULL)
    return FALSE;
  sluice_move_strides (shape, strides);
  gsize element = sluice_dtype_size (out->dtype);
  for (guint pieces = 0; pieces < 1u << n; pieces++)
    {
      SluiceMove move = { 0 };
      gint64 to = 0, from = 0;
      for (int i = 0, k = 0; i < shape->rank; i++)
        {
          gint64 size = shape->dim[i];
          if (k < n && shifted[k] == i)
            {
              gboolean wraps = pieces >> k++ & 1;
              size = wraps ? shifts[i] : shape->dim[i] - shifts[i];
              to += wraps ? 0 : shifts[i] * strides[i];
              from += wraps ? (shape->dim[i] - shifts[i]) * strides[i] : 0;
            }
          sluice_move_add (&move, size, strides[i], strides[i]);
        }
      if (!sluice_move_run (call, out->dtype, &move, (char *) out->data + to * element,
                            (const char *) input->data + from * element))
        return FALSE;
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Reverse", .compute = reverse_compute),
  SLUICE_ARRAY_KERNEL ("ReverseV2", .compute = reverse_v2_compute),
  SLUICE_ARRAY_KERNEL ("ReverseSequence",
                       .prepare = sequence_prepare,
                       .free_state = g_free,
                       .compute = reverse_sequence_compute),
  SLUICE_ARRAY_KERNEL ("Roll", .compute = roll_compute),
};

const SluiceKernelModule sluice_module_array_reverse_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
