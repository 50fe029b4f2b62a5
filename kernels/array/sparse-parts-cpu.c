/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/sparse.h"
#include "kernels/state/change.h"

static gpointer
dim_prepare (const SluiceNode *node, GError **error)
{
  gint64 *dim = g_new (gint64, 1);
  *dim = sluice_node_get_int (node, "concat_dim");
  return dim;
}

/* ---- SparseReorder ---- */

static gboolean
reorder_compute (SluiceKernelCall *call)
{
  SluiceSparse in;
  if (!sluice_call_sparse (call, 0, 1, 2, &in))
    return FALSE;
  g_autoptr (SluiceTensor) order = sluice_call_sparse_order (call, in.indices, in.n, in.rank);
  SluiceTensor *indices = sluice_call_output (call, 0, &SLUICE_SHAPE (in.n, in.rank));
  SluiceTensor *values = sluice_call_output (call, 1, &SLUICE_SHAPE (in.n));
  if (order == NULL || indices == NULL || values == NULL)
    return FALSE;
  for (gint64 i = 0; i < in.n; i++)
    {
      gint64 from = ((const gint64 *) order->data)[i];
      sluice_elements_copy (SLUICE_INT64, (gint64 *) indices->data + i * in.rank,
                            sluice_sparse_index (&in, from), in.rank);
      sluice_value_copy (values, i, in.values, from);
    }
  return TRUE;
}

/* ---- SparseReshape ---- */

/* The product of the sizes, but for one that is -1; FALSE where it overflows or one is negative. */
static gboolean
multiply_sizes (SluiceKernelCall *call, const SluiceTensor *sizes, gint64 *product, gint64 *open)
{
  *product = 1;
  *open = -1;
  for (gint64 d = 0; d < sizes->n_elements; d++)
    {
      gint64 size = sluice_tensor_get_int (sizes, d);
      if (size == -1 && *open < 0)
        *open = d;
      else if (size < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "size %" G_GINT64_FORMAT " of a shape is %" G_GINT64_FORMAT
                                 "; one may be -1 in new_shape, others must not be negative",
                                 d, size);
      else if (__builtin_mul_overflow (*product, size, product))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "the sizes of a shape multiply to more than 2^63");
    }
  return TRUE;
}

/* Writes the new shape to *shape and checks that it holds as many elements as the old one. */
static gboolean
resolve_shape (SluiceKernelCall *call, gint64 *shape)
{
  const SluiceTensor *old = sluice_call_input (call, 1), *wanted = sluice_call_input (call, 2);
  gint64 have, want, open, none;
  if (!multiply_sizes (call, old, &have, &none) || !multiply_sizes (call, wanted, &want, &open))
    return FALSE;
  if (none >= 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "size %" G_GINT64_FORMAT " of input_shape is -1", none);
  sluice_elements_copy (SLUICE_INT64, shape, wanted->data, wanted->n_elements);
  if (open >= 0 && want > 0 && have % want == 0)
    shape[open] = have / want;
  else if (open >= 0 || have != want)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%" G_GINT64_FORMAT " elements of input_shape do not fit new_shape, "
                             "whose sizes multiply to %" G_GINT64_FORMAT,
                             have, want);
  return TRUE;
}

static gboolean
reshape_compute (SluiceKernelCall *call)
{
  const SluiceTensor *in = sluice_call_input (call, 0), *old = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 1)
      || !sluice_call_want_rank (call, 2, 1))
    return FALSE;
  gint64 n = in->shape.dim[0], rank = in->shape.dim[1];
  gint64 new_rank = sluice_call_input (call, 2)->n_elements;
  if (rank != old->n_elements)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "indices have %" G_GINT64_FORMAT
                             " dimensions, input_shape %" G_GINT64_FORMAT,
                             rank, old->n_elements);
  SluiceTensor *shape = sluice_call_output (call, 1, &SLUICE_SHAPE (new_rank));
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (n, new_rank));
  if (shape == NULL || out == NULL || !resolve_shape (call, shape->data))
    return FALSE;
  const gint64 *from = old->data, *to = shape->data;
  for (gint64 i = 0; i < n; i++)
    {
      /* Unsigned: an index outside of the shape may give any number, as in TensorFlow. */
      guint64 at = 0;
      for (gint64 d = 0; d < rank; d++)
        at = at * (guint64) from[d] + (guint64) ((const gint64 *) in->data)[i * rank + d];
      gint64 *index = (gint64 *) out->data + i * new_rank;
      for (gint64 d = new_rank - 1; d >= 0; d--)
        {
          guint64 size = MAX (to[d], 1);
          index[d] = (gint64) (d > 0 ? at % size : at);
          at /= size;
        }
    }
  return TRUE;
}

/* ---- SparseConcat ---- */

/* Checks that the tensors fit along every dimension but `dim`; shape: the result's. */
static gboolean
join_shapes (
    SluiceKernelCall *call, const SluiceSparse *parts, guint n_parts, gint64 dim, gint64 *shape)
{
  for (guint k = 0; k < n_parts; k++)
    for (gint64 d = 0; d < parts[0].rank; d++)
      {
        gint64 size = parts[k].shape[d];
        gboolean overflow = FALSE;
        if (k == 0)
          shape[d] = size;
        else if (d == dim)
          overflow = __builtin_add_overflow (shape[d], size, &shape[d]);
        if (size < 0 || overflow || (d != dim && shape[d] != size))
          return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                   "size %" G_GINT64_FORMAT " of shape %u is %" G_GINT64_FORMAT
                                   ", which does not fit the others",
                                   d, k, size);
      }
  return TRUE;
}

static gboolean
read_parts (SluiceKernelCall *call, SluiceSparse *parts, guint n_parts, gint64 *total)
{
  *total = 0;
  for (guint k = 0; k < n_parts; k++)
    {
      if (!sluice_call_sparse (call, k, n_parts + k, 2 * n_parts + k, &parts[k]))
        return FALSE;
      if (parts[k].rank != parts[0].rank)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "sparse tensor %u has %" G_GINT64_FORMAT
                                 " dimensions, the first %" G_GINT64_FORMAT,
                                 k, parts[k].rank, parts[0].rank);
      *total += parts[k].n;
    }
  return TRUE;
}

/* All indices one after another, moved to where their tensor begins in the result. */
static void
join_indices (const SluiceSparse *parts, guint n_parts, gint64 dim, gint64 *to)
{
  gint64 offset = 0;
  for (guint k = 0; k < n_parts; k++)
    {
      gint64 rank = parts[k].rank;
      sluice_elements_copy (SLUICE_INT64, to, parts[k].indices, parts[k].n * rank);
      for (gint64 i = 0; i < parts[k].n; i++)
        to[i * rank + dim] = (gint64) ((guint64) to[i * rank + dim] + (guint64) offset);
      to += parts[k].n * rank;
      offset += parts[k].shape[dim];
    }
}

static gboolean
concat_compute (SluiceKernelCall *call)
{
  static const guint outputs[] = { 0, 1, 2 };
  guint n_parts = call->n_inputs / 3;
  g_autofree SluiceSparse *parts = g_new (SluiceSparse, n_parts);
  gint64 dim = *(const gint64 *) call->state, total;
  SluiceSparseOutput out;
  if (!read_parts (call, parts, n_parts, &total))
    return FALSE;
  gint64 rank = parts[0].rank;
  if (dim < 0)
    dim += rank;
  if (dim < 0 || dim >= rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "concat_dim %" G_GINT64_FORMAT " is none of %" G_GINT64_FORMAT
                             " dimensions",
                             *(const gint64 *) call->state, rank);
  if (!sluice_call_sparse_output (call, outputs, total, rank, &out)
      || !join_shapes (call, parts, n_parts, dim, out.shape))
    return FALSE;
  g_autoptr (SluiceTensor) joined =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (total, rank));
  if (joined == NULL)
    return FALSE;
  join_indices (parts, n_parts, dim, joined->data);
  g_autoptr (SluiceTensor) order = sluice_call_sparse_order (call, joined->data, total, rank);
  if (order == NULL)
    return FALSE;
  for (gint64 i = 0; i < total; i++)
    {
      gint64 from = ((const gint64 *) order->data)[i];
      sluice_elements_copy (SLUICE_INT64, out.indices + i * rank,
                            (const gint64 *) joined->data + from * rank, rank);
      guint k = 0;
      for (; from >= parts[k].n; k++)
        from -= parts[k].n;
      sluice_value_copy (out.values, i, parts[k].values, from);
    }
  return TRUE;
}

/* ---- blocks: SparseSlice and SparseSplit ---- */

static gboolean
is_inside (const gint64 *index, const gint64 *start, const gint64 *size, gint64 rank)
{
  for (gint64 d = 0; d < rank; d++)
    if (index[d] < start[d] || (guint64) index[d] - (guint64) start[d] >= (guint64) size[d])
      return FALSE;
  return TRUE;
}

/* Values inside of start and size become a sparse tensor of that size, in the order they come. */
static gboolean
cut_block (SluiceKernelCall *call,
           const SluiceSparse *in,
           const gint64 *start,
           const gint64 *size,
           const guint outputs[3])
{
  gint64 n = 0;
  SluiceSparseOutput out;
  for (gint64 i = 0; i < in->n; i++)
    n += is_inside (sluice_sparse_index (in, i), start, size, in->rank);
  if (!sluice_call_sparse_output (call, outputs, n, in->rank, &out))
    return FALSE;
  sluice_elements_copy (SLUICE_INT64, out.shape, size, in->rank);
  gint64 k = 0;
  for (gint64 i = 0; i < in->n; i++)
    {
      const gint64 *index = sluice_sparse_index (in, i);
      if (!is_inside (index, start, size, in->rank))
        continue;
      for (gint64 d = 0; d < in->rank; d++)
        out.indices[k * in->rank + d] = index[d] - start[d];
      sluice_value_copy (out.values, k++, in->values, i);
    }
  return TRUE;
}

static gboolean
slice_compute (SluiceKernelCall *call)
{
  static const guint outputs[] = { 0, 1, 2 };
  SluiceSparse in;
  if (!sluice_call_sparse (call, 0, 1, 2, &in) || !sluice_call_want_rank (call, 3, 1)
      || !sluice_call_want_rank (call, 4, 1))
    return FALSE;
  if (sluice_call_input (call, 3)->n_elements != in.rank
      || sluice_call_input (call, 4)->n_elements != in.rank)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "start and size must have %" G_GINT64_FORMAT " elements, one for each dimension", in.rank);
  const gint64 *start = sluice_call_input (call, 3)->data;
  const gint64 *wanted = sluice_call_input (call, 4)->data;
  g_autofree gint64 *size = g_new (gint64, in.rank);
  for (gint64 d = 0; d < in.rank; d++)
    {
      if (wanted[d] < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "size %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                                 "; it must not be negative",
                                 d, wanted[d]);
      gint64 rest;
      if (start[d] >= in.shape[d])
        rest = 0;
      else if (__builtin_sub_overflow (in.shape[d], start[d], &rest))
        rest = G_MAXINT64;
      size[d] = MIN (wanted[d], rest);
    }
  return cut_block (call, &in, start, size, outputs);
}

static gboolean
split_compute (SluiceKernelCall *call)
{
  gint64 n = call->n_outputs / 3;
  SluiceSparse in;
  if (!sluice_call_want_scalar (call, 0) || !sluice_call_sparse (call, 1, 2, 3, &in))
    return FALSE;
  gint64 given = sluice_tensor_get_int (sluice_call_input (call, 0), 0);
  gint64 dim = given < 0 ? given + in.rank : given;
  if (dim < 0 || dim >= in.rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "split_dim %" G_GINT64_FORMAT " is none of %" G_GINT64_FORMAT
                             " dimensions",
                             given, in.rank);
  if (in.shape[dim] < n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "dimension %" G_GINT64_FORMAT " of size %" G_GINT64_FORMAT
                             " cannot be cut into %" G_GINT64_FORMAT " pieces",
                             dim, in.shape[dim], n);
  if (!sluice_call_sparse_inside (call, &in))
    return FALSE;
  g_autofree gint64 *start = g_new0 (gint64, in.rank), *size = g_new (gint64, in.rank);
  sluice_elements_copy (SLUICE_INT64, size, in.shape, in.rank);
  for (gint64 k = 0; k < n; k++)
    {
      const guint outputs[] = { k, n + k, 2 * n + k };
      size[dim] = in.shape[dim] / n + (k < in.shape[dim] % n);
      if (!cut_block (call, &in, start, size, outputs))
        return FALSE;
      start[dim] += size[dim];
    }
  return TRUE;
}

/* Both lists of indices are in one order, so the next value belongs to the next match. */
static gboolean
slice_grad_compute (SluiceKernelCall *call)
{
  const SluiceTensor *dy = sluice_call_input (call, 0), *in = sluice_call_input (call, 1);
  const SluiceTensor *start = sluice_call_input (call, 2), *cut = sluice_call_input (call, 3);
  if (!sluice_call_want_rank (call, 0, 1) || !sluice_call_want_rank (call, 1, 2)
      || !sluice_call_want_rank (call, 2, 1) || !sluice_call_want_rank (call, 3, 2))
    return FALSE;
  gint64 n = in->shape.dim[0], rank = in->shape.dim[1];
  if (start->n_elements != rank || cut->shape.dim[1] != rank || cut->shape.dim[0] != dy->n_elements)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "indices, start and gradient do not belong to one SparseSlice");
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (n));
  if (out == NULL)
    return FALSE;
  if (n > 0)
    memset (out->data, 0, sluice_tensor_bytes (out));
  gint64 k = 0;
  for (gint64 i = 0; i < n && k < dy->n_elements; i++)
    {
      const gint64 *at = (const gint64 *) in->data + i * rank;
      const gint64 *want = (const gint64 *) cut->data + k * rank;
      gboolean same = TRUE;
      for (gint64 d = 0; d < rank && same; d++)
        same = (guint64) at[d] == (guint64) want[d] + (guint64) ((gint64 *) start->data)[d];
      if (same)
        sluice_value_copy (out, i, dy, k++);
    }
  if (k < dy->n_elements)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "index %" G_GINT64_FORMAT
                             " of output_indices is not among input_indices, or out of order",
                             k);
  return TRUE;
}

/* ---- SparseFillEmptyRows ---- */

/* Counts the values of each row; FALSE where a row is out of range. */
static gboolean
count_rows (SluiceKernelCall *call, const SluiceSparse *in, gint64 *counts)
{
  for (gint64 i = 0; i < in->n; i++)
    {
      gint64 row = sluice_sparse_index (in, i)[0];
      if (row < 0 || row >= in->shape[0])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "index %" G_GINT64_FORMAT " is in row %" G_GINT64_FORMAT
                                 ", not in [0, %" G_GINT64_FORMAT ")",
                                 i, row, in->shape[0]);
      counts[row]++;
    }
  return TRUE;
}

/* Turns counts into where each row begins in the output, and says which are empty. Returns how many
 * values the output has. */
static gint64
place_rows (gint64 *counts, gint64 n_rows, guint8 *empty)
{
  gint64 at = 0;
  for (gint64 row = 0; row < n_rows; row++)
    {
      gint64 count = counts[row];
      empty[row] = count == 0;
      counts[row] = at;
      at += MAX (count, 1);
    }
  return at;
}

/* at: where each row begins, which moves on as rows are filled. */
static gboolean
fill_rows (
    SluiceKernelCall *call, const SluiceSparse *in, gint64 *at, const guint8 *empty, gint64 n)
{
  SluiceTensor *indices = sluice_call_output (call, 0, &SLUICE_SHAPE (n, in->rank));
  SluiceTensor *values = sluice_call_output (call, 1, &SLUICE_SHAPE (n));
  SluiceTensor *map = sluice_call_output (call, 3, &SLUICE_SHAPE (in->n));
  if (indices == NULL || values == NULL || map == NULL)
    return FALSE;
  for (gint64 row = 0; row < in->shape[0]; row++)
    if (empty[row])
      {
        gint64 *index = (gint64 *) indices->data + at[row] * in->rank;
        for (gint64 d = 0; d < in->rank; d++)
          index[d] = d == 0 ? row : 0;
        sluice_value_copy (values, at[row], sluice_call_input (call, 3), 0);
      }
  for (gint64 i = 0; i < in->n; i++)
    {
      const gint64 *index = sluice_sparse_index (in, i);
      gint64 to = at[index[0]]++;
      sluice_elements_copy (SLUICE_INT64, (gint64 *) indices->data + to * in->rank, index,
                            in->rank);
      sluice_value_copy (values, to, in->values, i);
      ((gint64 *) map->data)[i] = to;
    }
  return TRUE;
}

static gboolean
fill_compute (SluiceKernelCall *call)
{
  SluiceSparse in;
  if (!sluice_call_sparse (call, 0, 1, 2, &in) || !sluice_call_want_scalar (call, 3))
    return FALSE;
  if (in.rank < 1 || in.shape[0] < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "dense_shape must have a first size that is not negative");
  gint64 n_rows = in.shape[0];
  SluiceTensor *empty = sluice_call_output (call, 2, &SLUICE_SHAPE (n_rows));
  g_autoptr (SluiceTensor) at = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (n_rows));
  if (empty == NULL || at == NULL)
    return FALSE;
  if (n_rows > 0)
    memset (at->data, 0, sluice_tensor_bytes (at));
  return count_rows (call, &in, at->data)
         && fill_rows (call, &in, at->data, empty->data,
                       place_rows (at->data, n_rows, empty->data));
}

static gboolean
fill_grad_compute (SluiceKernelCall *call)
{
  const SluiceTensor *map = sluice_call_input (call, 0), *dy = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 0, 1) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  SluiceTensor *values = sluice_call_output (call, 0, &map->shape);
  SluiceTensor *rest = sluice_call_output (call, 1, &SLUICE_SHAPE_SCALAR);
  g_autoptr (SluiceTensor) seen = sluice_call_scratch (call, SLUICE_BOOL, &dy->shape);
  if (values == NULL || rest == NULL || seen == NULL)
    return FALSE;
  guint8 *is_seen = seen->data;
  if (dy->n_elements > 0)
    memset (is_seen, 0, dy->n_elements);
  for (gint64 i = 0; i < map->n_elements; i++)
    {
      gint64 from = ((const gint64 *) map->data)[i];
      if (from < 0 || from >= dy->n_elements)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "element %" G_GINT64_FORMAT
                                 " of reverse_index_map is %" G_GINT64_FORMAT
                                 ", not in [0, %" G_GINT64_FORMAT ")",
                                 i, from, dy->n_elements);
      sluice_value_copy (values, i, dy, from);
      is_seen[from] = TRUE;
    }
  SluiceChangeFunc add = sluice_change_func (dy->dtype, SLUICE_CHANGE_ADD);
  gsize size = sluice_dtype_size (dy->dtype);
  memset (rest->data, 0, size);
  for (gint64 i = 0; i < dy->n_elements; i++)
    if (!is_seen[i])
      add (rest->data, (const char *) dy->data + i * size, 1);
  return TRUE;
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("SparseReorder", .compute = reorder_compute),
  SLUICE_ARRAY_KERNEL ("SparseReshape", .compute = reshape_compute),
  SLUICE_ARRAY_KERNEL (
      "SparseConcat", .prepare = dim_prepare, .free_state = g_free, .compute = concat_compute),
  SLUICE_ARRAY_KERNEL ("SparseSplit", .compute = split_compute),
  SLUICE_ARRAY_KERNEL ("SparseSlice", .compute = slice_compute),
  SLUICE_ARRAY_KERNEL (
      "SparseSliceGrad", .compute = slice_grad_compute, .where = { { "T", SLUICE_SET_NUMBER } }),
  SLUICE_ARRAY_KERNEL ("SparseFillEmptyRows", .compute = fill_compute),
  { .op = "SparseFillEmptyRowsGrad",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_NUMBER } },
    .compute = fill_grad_compute },
};

const SluiceKernelModule sluice_module_array_sparse_parts_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
