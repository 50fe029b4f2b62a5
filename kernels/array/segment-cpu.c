/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/array.h"
#include "kernels/array/segment.h"

gboolean
sluice_call_want_prefix (SluiceKernelCall *call, guint data, guint ids)
{
  SluiceShape front = sluice_call_input (call, data)->shape;
  const SluiceShape *wanted = &sluice_call_input (call, ids)->shape;
  front.rank = MIN (front.rank, wanted->rank);
  if (sluice_shape_equal (&front, wanted))
    return TRUE;
  char text[2][SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input %u of shape %s must begin with the shape of input %u, %s", data,
                           sluice_shape_str (&sluice_call_input (call, data)->shape, text[0]), ids,
                           sluice_shape_str (wanted, text[1]));
}

gboolean
sluice_call_rows_shape (
    SluiceKernelCall *call, gint64 n_rows, guint data, guint ids, SluiceShape *shape)
{
  const SluiceShape *from = &sluice_call_input (call, data)->shape;
  gint64 dims[SLUICE_MAX_RANK + 1] = { n_rows };
  int rank = 1;
  for (int i = sluice_call_input (call, ids)->shape.rank; i < from->rank; i++)
    dims[rank++] = from->dim[i];
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

/* ---- DynamicStitch ---- */

static gboolean
count_rows (SluiceKernelCall *call, guint n, gint64 *n_rows)
{
  *n_rows = 0;
  for (guint i = 0; i < n; i++)
    {
      const SluiceTensor *indices = sluice_call_input (call, i);
      const SluiceTensor *data = sluice_call_input (call, n + i);
      if (!sluice_call_want_prefix (call, n + i, i))
        return FALSE;
      SluiceShape row, first_row;
      if (!sluice_call_rows_shape (call, 1, n + i, i, &row)
          || !sluice_call_rows_shape (call, 1, n, 0, &first_row))
        return FALSE;
      if (!sluice_shape_equal (&row, &first_row))
        return sluice_call_fail (
            call, SLUICE_ERROR_INVALID_ARGUMENT,
            "the rows of input %u, of shape %s, are not like those of input %u", n + i,
            sluice_shape_str (&data->shape, (char[SLUICE_SHAPE_STR]){ 0 }), n);
      for (gint64 k = 0; k < indices->n_elements; k++)
        {
          gint64 index = sluice_tensor_get_int (indices, k);
          if (index < 0)
            return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                     "index %" G_GINT64_FORMAT " of input %u is negative", k, i);
          *n_rows = MAX (*n_rows, index + 1);
        }
    }
  return TRUE;
}

static gboolean
stitch_compute (SluiceKernelCall *call)
{
  guint n = call->n_inputs / 2;
  gint64 n_rows;
  SluiceShape shape;
  if (!count_rows (call, n, &n_rows) || !sluice_call_rows_shape (call, n_rows, n, 0, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_dtype_is_managed (out->dtype))
    memset (out->data, 0, sluice_tensor_bytes (out)); /* rows that nobody names */
  gint64 row = out->n_elements / n_rows;
  gsize row_bytes = row * sluice_dtype_size (out->dtype);
  for (guint i = 0; i < n; i++)
    {
      const SluiceTensor *indices = sluice_call_input (call, i);
      const char *data = sluice_call_input (call, n + i)->data;
      for (gint64 k = 0; k < indices->n_elements; k++)
        sluice_elements_copy (out->dtype,
                              (char *) out->data + sluice_tensor_get_int (indices, k) * row_bytes,
                              data + k * row_bytes, row);
    }
  return TRUE;
}

/* ---- BroadcastGradientArgs ---- */

static gboolean
put_axes (SluiceKernelCall *call, guint i, const int *axes, int n)
{
  SluiceTensor *out = sluice_call_output (call, i, &SLUICE_SHAPE (n));
  if (out == NULL)
    return FALSE;
  for (int k = 0; k < n; k++)
    if (out->dtype == SLUICE_INT64)
      ((gint64 *) out->data)[k] = axes[k];
    else
      ((gint32 *) out->data)[k] = axes[k];
  return TRUE;
}

static gboolean
broadcast_args_compute (SluiceKernelCall *call)
{
  SluiceShape shapes[2];
  if (!sluice_call_shape (call, 0, &shapes[0]) || !sluice_call_shape (call, 1, &shapes[1]))
    return FALSE;
  SluiceRepeatedAxes axes;
  char text[2][SLUICE_SHAPE_STR];
  if (!sluice_repeated_axes (shapes, &axes))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "%s and %s cannot be broadcast together",
        sluice_shape_str (&shapes[0], text[0]), sluice_shape_str (&shapes[1], text[1]));
  return put_axes (call, 0, axes.axis[0], axes.n[0]) && put_axes (call, 1, axes.axis[1], axes.n[1]);
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("DynamicStitch", .compute = stitch_compute),
  SLUICE_ARRAY_KERNEL ("ParallelDynamicStitch", .compute = stitch_compute),
  { .op = "BroadcastGradientArgs",
    .device = "CPU",
    .flags = SLUICE_KERNEL_CHEAP,
    .compute = broadcast_args_compute },
};

const SluiceKernelModule sluice_module_array_segment_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
