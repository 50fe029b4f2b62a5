/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Gather along an axis: a thread an element. Indices are looked at on the host, which shares the
 * memory. */
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/array/array.h"
}

struct Element16
{
  guint64 half[2];
};

/* out [batch, outer, index, row] = params [batch, outer, indices [batch, index], row] */
typedef struct
{
  gint64 outer, n_indices, size, row;
  gboolean are_wide; /* indices: int64, else int32 */
  const void *indices;
} Gather;

template <typename T>
static void
launch_gather (gint64 n, const Gather *gather, const void *params_, void *out_)
{
  Gather g = *gather;
  const T *params = (const T *) params_;
  T *out = (T *) out_;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    gint64 column = i % g.row, unit = i / g.row;
    gint64 outer = unit / g.n_indices, at = unit % g.n_indices;
    gint64 k = outer / g.outer * g.n_indices + at;
    gint64 index = g.are_wide ? ((const gint64 *) g.indices)[k] : ((const gint32 *) g.indices)[k];
    out[i] = params[(outer * g.size + index) * g.row + column];
  });
}

static void
launch_by_size (gint64 n, const Gather *g, gsize size, const void *params, void *out)
{
  switch (size)
    {
    case 1:
      return launch_gather<guint8> (n, g, params, out);
    case 2:
      return launch_gather<guint16> (n, g, params, out);
    case 4:
      return launch_gather<guint32> (n, g, params, out);
    case 8:
      return launch_gather<guint64> (n, g, params, out);
    default:
      return launch_gather<Element16> (n, g, params, out);
    }
}

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

static gboolean
check_indices (SluiceKernelCall *call, const SluiceTensor *indices, gint64 size)
{
  for (gint64 i = 0; i < indices->n_elements; i++)
    {
      gint64 index = sluice_tensor_get_int (indices, i);
      if (index < 0 || index >= size)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "index %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                                 ", not in [0, %" G_GINT64_FORMAT ")",
                                 i, index, size);
    }
  return TRUE;
}

static gboolean
check_batches (SluiceKernelCall *call, gint64 batch_dims, int axis)
{
  const SluiceShape *params = &sluice_call_input (call, 0)->shape;
  const SluiceShape *indices = &sluice_call_input (call, 1)->shape;
  if (batch_dims < 0 || batch_dims > indices->rank || batch_dims > axis)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "batch_dims %" G_GINT64_FORMAT
                             " does not fit indices of %d dimensions and axis %d",
                             batch_dims, indices->rank, axis);
  for (int i = 0; i < batch_dims; i++)
    if (params->dim[i] != indices->dim[i])
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "batch dimension %d is %" G_GINT64_FORMAT
                               " in params, but %" G_GINT64_FORMAT " in indices",
                               i, params->dim[i], indices->dim[i]);
  return TRUE;
}

static gboolean
gather_along (SluiceKernelCall *call, int axis, int batch_dims)
{
  const SluiceTensor *params = sluice_call_input (call, 0), *indices = sluice_call_input (call, 1);
  SluiceShape shape = { .rank = 0 };
  Gather g = { .outer = 1,
               .n_indices = 1,
               .size = params->shape.dim[axis],
               .row = 1,
               .are_wide = indices->dtype == SLUICE_INT64 };
  if (!append_dims (call, &shape, &params->shape, 0, axis)
      || !append_dims (call, &shape, &indices->shape, batch_dims, indices->shape.rank)
      || !append_dims (call, &shape, &params->shape, axis + 1, params->shape.rank)
      || !check_indices (call, indices, g.size))
    return FALSE;
  for (int i = batch_dims; i < axis; i++)
    g.outer *= params->shape.dim[i];
  for (int i = batch_dims; i < indices->shape.rank; i++)
    g.n_indices *= indices->shape.dim[i];
  for (int i = axis + 1; i < params->shape.rank; i++)
    g.row *= params->shape.dim[i];
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  g.indices = sluice_cuda_tensor (indices, SLUICE_CUDA_READ);
  const void *from = sluice_cuda_tensor (params, SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (g.indices != NULL && from != NULL && to != NULL)
    launch_by_size (out->n_elements, &g, sluice_dtype_size ((SluiceDType) out->dtype), from, to);
  return sluice_cuda_end (call);
}

static gboolean
gather_at (SluiceKernelCall *call, gint64 axis, gint64 batch_dims)
{
  int rank = sluice_call_input (call, 0)->shape.rank, at;
  if (rank == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "params must have a dimension, but it is a scalar");
  if (batch_dims < 0)
    batch_dims += sluice_call_input (call, 1)->shape.rank;
  return sluice_call_axis (call, axis, rank, &at) && check_batches (call, batch_dims, at)
         && gather_along (call, at, (int) batch_dims);
}

static gboolean
gather_compute (SluiceKernelCall *call)
{
  return gather_at (call, 0, 0);
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
  return sluice_call_want_scalar (call, 2)
         && gather_at (call, sluice_tensor_get_int (sluice_call_input (call, 2), 0),
                       *(const gint64 *) call->state);
}

#define WHERE .where = { { "Tparams", SLUICE_SET_POD }, { "Tindices", SLUICE_SET_INDEX } }
static const SluiceKernel kernels[] = {
  { .op = "Gather",
    .device = "CUDA",
    WHERE,
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .compute = gather_compute },
  { .op = "GatherV2",
    .device = "CUDA",
    WHERE,
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = batch_prepare,
    .free_state = g_free,
    .compute = gather_v2_compute },
};

extern "C" const SluiceKernelModule sluice_module_array_gather_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
