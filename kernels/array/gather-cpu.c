/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/gather.h"
#include "kernels/array/rows.h"

static gboolean
append_dims (
    SluiceKernelCall *call, SluiceShape *shape, const SluiceShape *from, int first, int last)
{
  for (int i = first; i < last; i++)
    {
      if (shape->rank == SLUICE_MAX_RANK)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "the result would have more than %d dimensions", SLUICE_MAX_RANK);
      shape->dim[shape->rank++] = from->dim[i];
    }
  return TRUE;
}

#define AHEAD            8         /* rows are fetched before their turn */
#define MIN_FETCHED      256       /* bytes of a row: shorter ones overlap by themselves */
#define MOST_FETCHED     2048      /* longer ones are streams that the hardware follows */
#define FETCH_FROM_BYTES (8 << 20) /* of what rows come from: it is in none of the caches, then */

/* Rows that are copied one by one: out[u] = from[offset of u]. */
typedef struct
{
  SluiceDType dtype;
  gint64 row; /* elements */
  gsize row_bytes;
  gboolean fetches; /* rows before their turn: no hardware knows which one comes next */
  char *to;
  const char *from;
  const SluiceTensor *indices;
  /* Gather: unit u is (batch, outer, index). */
  gint64 outer, n_indices, size;
  /* GatherNd: unit u is a row of `depth` coordinates. */
  gint64 depth, strides[SLUICE_MAX_RANK];
  const SluiceShape *skip_outside; /* NULL: all coordinates are within the params */
} Rows;

static inline void
copy_row (const Rows *rows, gint64 to, gint64 from)
{
  sluice_row_copy (rows->dtype, rows->to + to * rows->row_bytes,
                   rows->from + from * rows->row_bytes, rows->row, rows->row_bytes);
}

static inline void
fetch_row (const Rows *rows, gint64 from)
{
  const char *row = rows->from + from * rows->row_bytes;
  for (gsize at = 0; at < MIN (rows->row_bytes, MOST_FETCHED); at += 64)
    __builtin_prefetch (row + at);
}

static void
gather_rows (gpointer data, gint64 begin, gint64 end)
{
  const Rows *rows = data;
  gint64 n = rows->n_indices, outer = begin / n, i = begin % n;
  for (gint64 unit = begin; unit < end; unit++)
    {
      gint64 batch = outer / rows->outer;
      if (rows->fetches && i + AHEAD < n)
        fetch_row (rows, outer * rows->size
                             + sluice_tensor_get_int (rows->indices, batch * n + i + AHEAD));
      copy_row (rows, unit,
                outer * rows->size + sluice_tensor_get_int (rows->indices, batch * n + i));
      if (++i == n)
        {
          i = 0;
          outer++;
        }
    }
}

/* Coordinates that are skipped leave zeros. */
static void
gather_coordinates (gpointer data, gint64 begin, gint64 end)
{
  const Rows *rows = data;
  for (gint64 unit = begin; unit < end; unit++)
    {
      gint64 from = 0;
      for (gint64 d = 0; d < rows->depth && from >= 0; d++)
        {
          gint64 at = sluice_tensor_get_int (rows->indices, unit * rows->depth + d);
          gboolean outside = rows->skip_outside && (at < 0 || at >= rows->skip_outside->dim[d]);
          from = outside ? -1 : from + at * rows->strides[d];
        }
      if (from >= 0)
        copy_row (rows, unit, from);
      else if (!sluice_dtype_is_managed (rows->dtype))
        memset (rows->to + unit * rows->row_bytes, 0, rows->row_bytes);
    }
}

static gboolean
run_rows (SluiceKernelCall *call,
          Rows *rows,
          const SluiceTensor *params,
          gint64 n_units,
          SluiceRangeFunc func)
{
  gsize size = sluice_dtype_size (rows->dtype);
  rows->row_bytes = rows->row * size;
  if (rows->row_bytes == 0)
    return TRUE;
  rows->fetches = rows->row_bytes >= MIN_FETCHED && !sluice_dtype_is_managed (rows->dtype)
                  && params->n_elements >= FETCH_FROM_BYTES / (gint64) size;
  return sluice_call_parallel_for (call, n_units, sluice_row_grain (rows->row_bytes),
                                   sluice_row_ns (rows->row_bytes), func, rows);
}

static gboolean
check_indices (SluiceKernelCall *call, const SluiceTensor *indices, gint64 size)
{
  for (gint64 i = 0; i < indices->n_elements; i++)
    {
      gint64 index = sluice_tensor_get_int (indices, i);
      if (G_UNLIKELY (index < 0 || index >= size))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "index %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                                 ", not in [0, %" G_GINT64_FORMAT ")",
                                 i, index, size);
    }
  return TRUE;
}

static gboolean
gather_along (SluiceKernelCall *call, const SluiceTensor *params, int axis, int batch_dims)
{
  const SluiceTensor *indices = sluice_call_input (call, 1);
  SluiceShape shape = { 0 };
  Rows rows = { .dtype = params->dtype, .row = 1, .outer = 1, .n_indices = 1, .indices = indices };
  for (int i = 0; i < batch_dims; i++)
    if (params->shape.dim[i] != indices->shape.dim[i])
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "batch dimension %d is %" G_GINT64_FORMAT
                               " in params, but %" G_GINT64_FORMAT " in indices",
                               i, params->shape.dim[i], indices->shape.dim[i]);
  if (!append_dims (call, &shape, &params->shape, 0, axis)
      || !append_dims (call, &shape, &indices->shape, batch_dims, indices->shape.rank)
      || !append_dims (call, &shape, &params->shape, axis + 1, params->shape.rank)
      || !check_indices (call, indices, params->shape.dim[axis]))
    return FALSE;
  for (int i = batch_dims; i < axis; i++)
    rows.outer *= params->shape.dim[i];
  for (int i = batch_dims; i < indices->shape.rank; i++)
    rows.n_indices *= indices->shape.dim[i];
  for (int i = axis + 1; i < params->shape.rank; i++)
    rows.row *= params->shape.dim[i];
  rows.size = params->shape.dim[axis];

  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  rows.to = out->data;
  rows.from = params->data;
  return run_rows (call, &rows, params, out->n_elements / rows.row, gather_rows);
}

gboolean
sluice_call_gather (SluiceKernelCall *call,
                    const SluiceTensor *params,
                    gint64 axis,
                    gint64 batch_dims)
{
  int indices_rank = sluice_call_input (call, 1)->shape.rank, at;
  gint64 n = batch_dims < 0 ? batch_dims + indices_rank : batch_dims;
  if (params->shape.rank == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "params must have a dimension, but it is a scalar");
  if (!sluice_call_axis (call, axis, params->shape.rank, &at))
    return FALSE;
  if (n < 0 || n > indices_rank || n > at)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "batch_dims %" G_GINT64_FORMAT
                             " does not fit indices of %d dimensions and axis %d",
                             batch_dims, indices_rank, at);
  return gather_along (call, params, at, n);
}

static gboolean
gather_compute (SluiceKernelCall *call)
{
  return sluice_call_gather (call, sluice_call_input (call, 0), 0, 0);
}

static gpointer
batch_prepare (const SluiceNode *node, GError **error)
{
  gint64 *batch_dims = g_new (gint64, 1);
  *batch_dims = sluice_node_get_int (node, "batch_dims");
  return batch_dims;
}

static gboolean
gather_v2_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 2))
    return FALSE;
  return sluice_call_gather (call, sluice_call_input (call, 0),
                             sluice_tensor_get_int (sluice_call_input (call, 2), 0),
                             *(const gint64 *) call->state);
}

static gboolean
check_coordinates (SluiceKernelCall *call, const SluiceTensor *indices, const SluiceShape *params)
{
  gint64 depth = indices->shape.dim[indices->shape.rank - 1];
  for (gint64 i = 0; i < indices->n_elements; i++)
    {
      gint64 at = sluice_tensor_get_int (indices, i), size = params->dim[i % depth];
      if (G_UNLIKELY (at < 0 || at >= size))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "coordinate %" G_GINT64_FORMAT " of index %" G_GINT64_FORMAT
                                 " is %" G_GINT64_FORMAT ", not in [0, %" G_GINT64_FORMAT ")",
                                 i % depth, i / depth, at, size);
    }
  return TRUE;
}

/* Params without elements have no slice either, however the slices are shaped. */
static gboolean
check_not_empty (SluiceKernelCall *call, const SluiceTensor *params, const SluiceShape *outer)
{
  char text[SLUICE_SHAPE_STR];
  return params->n_elements > 0 || sluice_shape_n_elements (outer) == 0
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "params of shape %s are empty, but slices of them are asked for",
                              sluice_shape_str (&params->shape, text));
}

gboolean
sluice_call_gather_nd (SluiceKernelCall *call, const SluiceTensor *params, gboolean skip_bad)
{
  const SluiceTensor *indices = sluice_call_input (call, 1);
  int n = indices->shape.rank - 1;
  if (n < 0 || params->shape.rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%s must have a dimension, but it is a scalar",
                             n < 0 ? "indices" : "params");
  Rows rows = { .dtype = params->dtype, .row = 1, .indices = indices };
  rows.depth = indices->shape.dim[n];
  if (rows.depth > params->shape.rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "an index of %" G_GINT64_FORMAT
                             " coordinates is too long for params of %d dimensions",
                             rows.depth, params->shape.rank);
  SluiceShape shape = { 0 };
  if (!append_dims (call, &shape, &indices->shape, 0, n) || !check_not_empty (call, params, &shape)
      || !append_dims (call, &shape, &params->shape, rows.depth, params->shape.rank)
      || (!skip_bad && !check_coordinates (call, indices, &params->shape)))
    return FALSE;
  rows.skip_outside = skip_bad ? &params->shape : NULL;
  for (int i = rows.depth; i < params->shape.rank; i++)
    rows.row *= params->shape.dim[i];
  gint64 stride = 1;
  for (int d = rows.depth - 1; d >= 0; d--)
    {
      rows.strides[d] = stride;
      stride *= params->shape.dim[d];
    }
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  rows.to = out->data;
  rows.from = params->data;
  return run_rows (call, &rows, params, out->n_elements / rows.row, gather_coordinates);
}

static gboolean
gather_nd_compute (SluiceKernelCall *call)
{
  return sluice_call_gather_nd (call, sluice_call_input (call, 0), GPOINTER_TO_INT (call->state));
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Gather", .compute = gather_compute),
  SLUICE_ARRAY_KERNEL (
      "GatherV2", .prepare = batch_prepare, .free_state = g_free, .compute = gather_v2_compute),
  SLUICE_ARRAY_KERNEL (
      "GatherNd", .prepare = sluice_bad_indices_prepare, .compute = gather_nd_compute),
};

const SluiceKernelModule sluice_module_array_gather_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
