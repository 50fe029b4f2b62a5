/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/array/sparse.h"
#include "kernels/math/wide.h"
#include "kernels/state/change.h"
#include "kernels/state/rows.h"

static void *
value_at (const SluiceTensor *values, gint64 i)
{
  return (char *) values->data + i * sluice_dtype_size (values->dtype);
}

/* ---- two sparse tensors: SparseAdd and its like ---- */

/* The values of a and b with one index, -1 where one has none: [2 k] of a, [2 k + 1] of b. */
typedef struct
{
  SluiceTensor *numbers;
  gint64 n;
} Pairs;

static void
pairs_clear (Pairs *self)
{
  g_clear_pointer (&self->numbers, sluice_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pairs, pairs_clear)

static gboolean
merge_indices (SluiceKernelCall *call, const SluiceSparse *a, const SluiceSparse *b, Pairs *pairs)
{
  pairs->n = 0;
  pairs->numbers = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (a->n + b->n, 2));
  if (pairs->numbers == NULL)
    return FALSE;
  gint64 *numbers = pairs->numbers->data;
  for (gint64 i = 0, j = 0; i < a->n || j < b->n; pairs->n++)
    {
      int order = i == a->n   ? 1
                  : j == b->n ? -1
                              : sluice_index_compare (sluice_sparse_index (a, i),
                                                      sluice_sparse_index (b, j), a->rank);
      numbers[2 * pairs->n] = order <= 0 ? i++ : -1;
      numbers[2 * pairs->n + 1] = order >= 0 ? j++ : -1;
    }
  return TRUE;
}

/* Both operands, of one shape. */
static gboolean
read_both (SluiceKernelCall *call, SluiceSparse *a, SluiceSparse *b)
{
  if (!sluice_call_sparse (call, 0, 1, 2, a) || !sluice_call_sparse (call, 3, 4, 5, b))
    return FALSE;
  gboolean same = a->rank == b->rank;
  for (gint64 d = 0; same && d < a->rank; d++)
    same = a->shape[d] == b->shape[d];
  return same
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "the sparse tensors have different shapes; make a_shape and b_shape "
                              "equal");
}

/* One value for each pair: a ∘ b, where one that is absent counts as 0. (transfer full) */
static SluiceTensor *
combine_pairs (SluiceKernelCall *call,
               const SluiceSparse *a,
               const SluiceSparse *b,
               const Pairs *pairs,
               SluiceChange change)
{
  SluiceTensor *values = sluice_call_scratch (call, a->values->dtype, &SLUICE_SHAPE (pairs->n));
  if (values == NULL)
    return NULL;
  SluiceChangeFunc func = sluice_change_func (values->dtype, change);
  static const SluiceComplex128 zero = 0;
  const gint64 *numbers = pairs->numbers->data;
  gsize size = sluice_dtype_size (values->dtype);
  for (gint64 k = 0; k < pairs->n; k++)
    {
      gint64 i = numbers[2 * k], j = numbers[2 * k + 1];
      memcpy (value_at (values, k), i >= 0 ? value_at (a->values, i) : &zero, size);
      func (value_at (values, k), j >= 0 ? value_at (b->values, j) : &zero, 1);
    }
  return values;
}

/* |value| >= threshold? No for NaN. */
static gboolean
is_kept (const SluiceTensor *values, gint64 i, const SluiceTensor *threshold)
{
  SluiceWide value = sluice_wide_load (values->dtype, values->data, i);
  SluiceWide least = sluice_wide_load (threshold->dtype, threshold->data, 0);
  SluiceDType kind = sluice_wide_dtype (threshold->dtype);
  double limit = kind == SLUICE_DOUBLE  ? least.f64
                 : kind == SLUICE_INT64 ? (double) least.i64
                                        : (double) least.u64;
  switch (sluice_wide_dtype (values->dtype))
    {
    case SLUICE_DOUBLE:
      return fabs (value.f64) >= limit;
    case SLUICE_COMPLEX128:
      return cabs (value.c128) >= limit;
    case SLUICE_INT64:
      return limit <= 0
             || (double) (value.i64 < 0 ? 0 - (guint64) value.i64 : (guint64) value.i64) >= limit;
    default:
      return (double) value.u64 >= limit;
    }
}

/* The index of pair k. */
static const gint64 *
pair_index (const SluiceSparse *a, const SluiceSparse *b, const Pairs *pairs, gint64 k)
{
  const gint64 *numbers = (const gint64 *) pairs->numbers->data + 2 * k;
  return numbers[0] >= 0 ? sluice_sparse_index (a, numbers[0])
                         : sluice_sparse_index (b, numbers[1]);
}

/* The threshold is for sums of two; what only one operand has stays. */
static gboolean
pair_is_kept (const Pairs *pairs,
              gint64 k,
              const SluiceTensor *values,
              const SluiceTensor *threshold)
{
  const gint64 *numbers = (const gint64 *) pairs->numbers->data + 2 * k;
  return numbers[0] < 0 || numbers[1] < 0 || is_kept (values, k, threshold);
}

static gboolean
write_sum (SluiceKernelCall *call,
           const SluiceSparse *a,
           const SluiceSparse *b,
           const Pairs *pairs,
           const SluiceTensor *values)
{
  static const guint outputs[] = { 0, 1, 2 };
  const SluiceTensor *threshold = sluice_call_input (call, 6);
  SluiceSparseOutput out;
  gint64 n = 0;
  for (gint64 k = 0; k < pairs->n; k++)
    n += pair_is_kept (pairs, k, values, threshold);
  if (!sluice_call_sparse_output (call, outputs, n, a->rank, &out))
    return FALSE;
  sluice_elements_copy (SLUICE_INT64, out.shape, a->shape, a->rank);
  gint64 to = 0;
  for (gint64 k = 0; k < pairs->n; k++)
    if (pair_is_kept (pairs, k, values, threshold))
      {
        sluice_elements_copy (SLUICE_INT64, out.indices + to * a->rank, pair_index (a, b, pairs, k),
                              a->rank);
        sluice_value_copy (out.values, to++, values, k);
      }
  return TRUE;
}

static gboolean
add_compute (SluiceKernelCall *call)
{
  SluiceSparse a, b;
  g_auto (Pairs) pairs = { 0 };
  if (!sluice_call_want_scalar (call, 6) || !read_both (call, &a, &b)
      || !merge_indices (call, &a, &b, &pairs))
    return FALSE;
  g_autoptr (SluiceTensor) values = combine_pairs (call, &a, &b, &pairs, SLUICE_CHANGE_ADD);
  return values != NULL && write_sum (call, &a, &b, &pairs, values);
}

static gboolean
extremum_compute (SluiceKernelCall *call)
{
  SluiceSparse a, b;
  g_auto (Pairs) pairs = { 0 };
  if (!read_both (call, &a, &b) || !merge_indices (call, &a, &b, &pairs))
    return FALSE;
  g_autoptr (SluiceTensor) values =
      combine_pairs (call, &a, &b, &pairs, GPOINTER_TO_INT (call->kernel->data));
  SluiceTensor *indices = sluice_call_output (call, 0, &SLUICE_SHAPE (pairs.n, a.rank));
  SluiceTensor *out = sluice_call_output (call, 1, &SLUICE_SHAPE (pairs.n));
  if (values == NULL || indices == NULL || out == NULL)
    return FALSE;
  for (gint64 k = 0; k < pairs.n; k++)
    sluice_elements_copy (SLUICE_INT64, (gint64 *) indices->data + k * a.rank,
                          pair_index (&a, &b, &pairs, k), a.rank);
  sluice_elements_copy (out->dtype, out->data, values->data, pairs.n);
  return TRUE;
}

/* The gradient of one operand: that of the sum where its index is there, 0 where the threshold took
 * it out. Both lists are in order. */
static gboolean
add_grad_operand (SluiceKernelCall *call, guint i)
{
  const SluiceTensor *dy = sluice_call_input (call, 0), *own = sluice_call_input (call, i + 1);
  const SluiceTensor *sum = sluice_call_input (call, 3);
  gint64 n = own->shape.dim[0], rank = own->shape.dim[1], k = 0;
  SluiceTensor *out = sluice_call_output (call, i, &SLUICE_SHAPE (n));
  if (out == NULL)
    return FALSE;
  if (n > 0)
    memset (out->data, 0, sluice_tensor_bytes (out));
  for (gint64 at = 0; at < n; at++)
    {
      const gint64 *index = (const gint64 *) own->data + at * rank;
      int order = 1;
      while (k < dy->n_elements
             && (order = sluice_index_compare ((const gint64 *) sum->data + k * rank, index, rank))
                    < 0)
        k++;
      if (order == 0)
        sluice_value_copy (out, at, dy, k);
    }
  return TRUE;
}

static gboolean
add_grad_compute (SluiceKernelCall *call)
{
  const SluiceShape *dy = &sluice_call_input (call, 0)->shape;
  if (!sluice_call_want_rank (call, 0, 1))
    return FALSE;
  for (guint i = 1; i < 4; i++)
    if (!sluice_call_want_rank (call, i, 2))
      return FALSE;
  const SluiceShape *sum = &sluice_call_input (call, 3)->shape;
  for (guint i = 1; i < 3; i++)
    if (sluice_call_input (call, i)->shape.dim[1] != sum->dim[1] || sum->dim[0] != dy->dim[0])
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "indices and gradient do not belong to one SparseAdd");
  return add_grad_operand (call, 0) && add_grad_operand (call, 1);
}

/* ---- sparse and dense ---- */

static gboolean
dense_add_compute (SluiceKernelCall *call)
{
  const SluiceTensor *indices = sluice_call_input (call, 0), *values = sluice_call_input (call, 1);
  const SluiceTensor *dense = sluice_call_input (call, 3);
  SluiceShape shape;
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 1)
      || !sluice_call_shape (call, 2, &shape))
    return FALSE;
  char text[4][SLUICE_SHAPE_STR];
  if (!sluice_shape_equal (&shape, &dense->shape) || indices->shape.dim[1] != shape.rank
      || indices->shape.dim[0] != values->n_elements)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "indices %s and values %s of a sparse tensor of shape %s do not fit b of shape %s",
        sluice_shape_str (&indices->shape, text[0]), sluice_shape_str (&values->shape, text[1]),
        sluice_shape_str (&shape, text[2]), sluice_shape_str (&dense->shape, text[3]));
  g_auto (SluiceRows) rows = { 0 };
  if (!sluice_call_rows_nd (call, 0, &shape, FALSE, &rows))
    return FALSE;
  SluiceTensor *out = sluice_call_reuse (call, 0, 3, &shape);
  if (out == NULL)
    return FALSE;
  if (out->data != dense->data)
    sluice_elements_copy (out->dtype, out->data, dense->data, dense->n_elements);
  return sluice_call_change_rows (call, &rows, SLUICE_CHANGE_ADD, out, values);
}

/* The element of the dense operand that broadcasting puts at an index. */
static gint64
dense_offset (const SluiceShape *dense, const gint64 *index, gint64 rank)
{
  gint64 offset = 0;
  for (int d = 0; d < dense->rank; d++)
    offset = offset * dense->dim[d] + (dense->dim[d] == 1 ? 0 : index[rank - dense->rank + d]);
  return offset;
}

static gboolean
cwise_compute (SluiceKernelCall *call)
{
  SluiceSparse in;
  const SluiceTensor *dense = sluice_call_input (call, 3);
  if (!sluice_call_sparse (call, 0, 1, 2, &in) || !sluice_call_sparse_inside (call, &in))
    return FALSE;
  gboolean fits = dense->shape.rank <= in.rank;
  for (int d = 0; fits && d < dense->shape.rank; d++)
    fits = dense->shape.dim[d] == 1
           || dense->shape.dim[d] == in.shape[in.rank - dense->shape.rank + d];
  char text[SLUICE_SHAPE_STR];
  if (!fits)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "dense of shape %s cannot be broadcast to the shape of the sparse "
                             "tensor",
                             sluice_shape_str (&dense->shape, text));
  SluiceChange change = GPOINTER_TO_INT (call->kernel->data);
  SluiceChangeFunc func = sluice_change_func (dense->dtype, change);
  SluiceTensor *out = sluice_call_reuse (call, 0, 1, &in.values->shape);
  if (out == NULL || !sluice_call_check_divisor (call, change, dense))
    return FALSE;
  if (out->data != in.values->data)
    sluice_elements_copy (out->dtype, out->data, in.values->data, in.n);
  for (gint64 i = 0; i < in.n; i++)
    func (value_at (out, i),
          value_at (dense, dense_offset (&dense->shape, sluice_sparse_index (&in, i), in.rank)), 1);
  return TRUE;
}

/* ---- reductions ---- */

static gpointer
reduce_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_bool (node, "keep_dims"));
}

/* Values whose indices are the same in the dimensions that are left. */
typedef struct
{
  SluiceTensor *indices; /* [n, rank]: of all values, without what is reduced */
  SluiceTensor *order;   /* the numbers of the values, group by group */
  gint64 rank;
  gint64 *shape; /* [rank] */
} Groups;

static void
groups_clear (Groups *self)
{
  g_clear_pointer (&self->indices, sluice_tensor_unref);
  g_clear_pointer (&self->order, sluice_tensor_unref);
  g_free (self->shape);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Groups, groups_clear)

static const gint64 *
group_index (const Groups *self, gint64 k)
{
  gint64 i = ((const gint64 *) self->order->data)[k];
  return (const gint64 *) self->indices->data + i * self->rank;
}

/* Where the group that begins at k ends. */
static gint64
group_end (const Groups *self, gint64 k, gint64 n)
{
  gint64 end = k + 1;
  while (end < n
         && sluice_index_compare (group_index (self, k), group_index (self, end), self->rank) == 0)
    end++;
  return end;
}

/* reduced: for each dimension of the input; with keep they stay as 1. */
static gboolean
make_groups (SluiceKernelCall *call,
             const SluiceSparse *in,
             const gboolean *reduced,
             gboolean keep,
             Groups *self)
{
  self->shape = g_new (gint64, in->rank);
  for (gint64 d = 0; d < in->rank; d++)
    if (keep || !reduced[d])
      self->shape[self->rank++] = reduced[d] ? 1 : in->shape[d];
  self->indices = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (in->n, self->rank));
  if (self->indices == NULL)
    return FALSE;
  gint64 *to = self->indices->data;
  for (gint64 i = 0; i < in->n; i++)
    for (gint64 d = 0; d < in->rank; d++)
      if (keep || !reduced[d])
        *to++ = reduced[d] ? 0 : sluice_sparse_index (in, i)[d];
  self->order = sluice_call_sparse_order (call, self->indices->data, in->n, self->rank);
  return self->order != NULL;
}

static gboolean
read_groups (SluiceKernelCall *call, SluiceSparse *in, Groups *groups)
{
  const SluiceTensor *axes = sluice_call_input (call, 3);
  if (!sluice_call_sparse (call, 0, 1, 2, in) || !sluice_call_sparse_inside (call, in))
    return FALSE;
  g_autofree gboolean *reduced = g_new0 (gboolean, in->rank);
  for (gint64 i = 0; i < axes->n_elements; i++)
    {
      gint64 given = sluice_tensor_get_int (axes, i), axis = given < 0 ? given + in->rank : given;
      if (axis < 0 || axis >= in->rank)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "reduction axis %" G_GINT64_FORMAT " is none of %" G_GINT64_FORMAT
                                 " dimensions",
                                 given, in->rank);
      reduced[axis] = TRUE;
    }
  return make_groups (call, in, reduced, GPOINTER_TO_INT (call->state), groups);
}

/* All values of the group [k, end) into one. */
static void
reduce_group (SluiceKernelCall *call,
              const SluiceSparse *in,
              const Groups *groups,
              gint64 k,
              gint64 end,
              void *to)
{
  const gint64 *order = groups->order->data;
  SluiceChangeFunc func =
      sluice_change_func (in->values->dtype, GPOINTER_TO_INT (call->kernel->data));
  memcpy (to, value_at (in->values, order[k]), sluice_dtype_size (in->values->dtype));
  for (gint64 i = k + 1; i < end; i++)
    func (to, value_at (in->values, order[i]), 1);
}

static gboolean
reduce_compute (SluiceKernelCall *call)
{
  SluiceSparse in;
  g_auto (Groups) groups = { 0 };
  SluiceShape shape;
  if (!read_groups (call, &in, &groups))
    return FALSE;
  g_autoptr (GError) error = NULL;
  for (gint64 d = 0; d < groups.rank; d++)
    if (groups.shape[d] < 0)
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input_shape has the size %" G_GINT64_FORMAT
                               "; a size must not be negative",
                               groups.shape[d]);
  if (!sluice_shape_make (&shape, groups.shape, groups.rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  if (out->n_elements > 0)
    memset (out->data, 0, sluice_tensor_bytes (out));
  for (gint64 k = 0, end; k < in.n; k = end)
    {
      end = group_end (&groups, k, in.n);
      gint64 offset = dense_offset (&shape, group_index (&groups, k), groups.rank);
      reduce_group (call, &in, &groups, k, end, value_at (out, offset));
    }
  return TRUE;
}

static gboolean
reduce_sparse_compute (SluiceKernelCall *call)
{
  static const guint outputs[] = { 0, 1, 2 };
  SluiceSparse in;
  g_auto (Groups) groups = { 0 };
  SluiceSparseOutput out;
  gint64 n = 0, to = 0;
  if (!read_groups (call, &in, &groups))
    return FALSE;
  for (gint64 k = 0; k < in.n; k = group_end (&groups, k, in.n))
    n++;
  if (!sluice_call_sparse_output (call, outputs, n, groups.rank, &out))
    return FALSE;
  sluice_elements_copy (SLUICE_INT64, out.shape, groups.shape, groups.rank);
  for (gint64 k = 0, end; k < in.n; k = end, to++)
    {
      end = group_end (&groups, k, in.n);
      sluice_elements_copy (SLUICE_INT64, out.indices + to * groups.rank, group_index (&groups, k),
                            groups.rank);
      reduce_group (call, &in, &groups, k, end, value_at (out.values, to));
    }
  return TRUE;
}

/* ---- SparseSoftmax ---- */

static void
softmax_group (const SluiceTensor *in, const gint64 *order, gint64 n, SluiceTensor *out)
{
  SluiceWide value;
  double most = -INFINITY, sum = 0;
  for (gint64 i = 0; i < n; i++)
    {
      double x = sluice_wide_load (in->dtype, in->data, order[i]).f64;
      most = x > most ? x : most;
    }
  for (gint64 i = 0; i < n; i++)
    sum += exp (sluice_wide_load (in->dtype, in->data, order[i]).f64 - most);
  for (gint64 i = 0; i < n; i++)
    {
      value.f64 = exp (sluice_wide_load (in->dtype, in->data, order[i]).f64 - most) / sum;
      sluice_wide_store (out->dtype, out->data, order[i], value);
    }
}

static gboolean
softmax_compute (SluiceKernelCall *call)
{
  SluiceSparse in;
  g_auto (Groups) groups = { 0 };
  if (!sluice_call_sparse (call, 0, 1, 2, &in))
    return FALSE;
  if (in.rank < 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a sparse tensor must have two dimensions or more, not %" //
                             G_GINT64_FORMAT,
                             in.rank);
  g_autofree gboolean *reduced = g_new0 (gboolean, in.rank);
  reduced[in.rank - 1] = TRUE;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (in.n));
  if (out == NULL || !make_groups (call, &in, reduced, FALSE, &groups))
    return FALSE;
  for (gint64 k = 0, end; k < in.n; k = end)
    {
      end = group_end (&groups, k, in.n);
      softmax_group (in.values, (const gint64 *) groups.order->data + k, end - k, out);
    }
  return TRUE;
}

#define KERNEL(name, types, func, ...)                                                             \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .compute = func, __VA_ARGS__         \
  }
#define DATA(change)   .data = GINT_TO_POINTER (SLUICE_CHANGE_##change)
#define REDUCE(change) .prepare = reduce_prepare, DATA (change)

static const SluiceKernel kernels[] = {
  KERNEL ("SparseAdd", SLUICE_SET_NUMBER, add_compute),
  KERNEL ("SparseAddGrad", SLUICE_SET_NUMBER, add_grad_compute),
  KERNEL ("SparseSparseMaximum", SLUICE_SET_REAL, extremum_compute, DATA (MAX)),
  KERNEL ("SparseSparseMinimum", SLUICE_SET_REAL, extremum_compute, DATA (MIN)),
  KERNEL ("SparseTensorDenseAdd", SLUICE_SET_NUMBER, dense_add_compute),
  KERNEL ("SparseDenseCwiseAdd", SLUICE_SET_NUMBER, cwise_compute, DATA (ADD)),
  KERNEL ("SparseDenseCwiseMul", SLUICE_SET_NUMBER, cwise_compute, DATA (MUL)),
  KERNEL ("SparseDenseCwiseDiv", SLUICE_SET_NUMBER, cwise_compute, DATA (DIV)),
  KERNEL ("SparseReduceSum", SLUICE_SET_NUMBER, reduce_compute, REDUCE (ADD)),
  KERNEL ("SparseReduceMax", SLUICE_SET_REAL, reduce_compute, REDUCE (MAX)),
  KERNEL ("SparseReduceSumSparse", SLUICE_SET_NUMBER, reduce_sparse_compute, REDUCE (ADD)),
  KERNEL ("SparseReduceMaxSparse", SLUICE_SET_REAL, reduce_sparse_compute, REDUCE (MAX)),
  KERNEL ("SparseSoftmax", SLUICE_SET_FLOATS, softmax_compute),
};

const SluiceKernelModule sluice_module_array_sparse_math_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
