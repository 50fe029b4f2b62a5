/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/rows.h"
#include "kernels/array/segment.h"

/* How many rows each output takes. */
static gboolean
count_rows (SluiceKernelCall *call, gint64 *counts)
{
  const SluiceTensor *ids = sluice_call_input (call, 1);
  const gint32 *id = ids->data;
  for (gint64 i = 0; i < ids->n_elements; i++)
    {
      if (id[i] < 0 || id[i] >= call->n_outputs)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "element %" G_GINT64_FORMAT
                                 " of partitions is %d, but there are %u partitions",
                                 i, id[i], call->n_outputs);
      counts[id[i]]++;
    }
  return TRUE;
}

static gboolean
partition_compute (SluiceKernelCall *call)
{
  const SluiceTensor *data = sluice_call_input (call, 0), *ids = sluice_call_input (call, 1);
  g_autofree gint64 *counts = g_new0 (gint64, call->n_outputs);
  g_autofree char **to = g_new (char *, call->n_outputs);
  if (!sluice_call_want_prefix (call, 0, 1) || !count_rows (call, counts))
    return FALSE;
  gint64 row = 1;
  for (int i = ids->shape.rank; i < data->shape.rank; i++)
    row *= data->shape.dim[i];
  gsize bytes = row * sluice_dtype_size (data->dtype);
  for (guint i = 0; i < call->n_outputs; i++)
    {
      SluiceShape shape;
      if (!sluice_call_rows_shape (call, counts[i], 0, 1, &shape))
        return FALSE;
      SluiceTensor *out = sluice_call_output (call, i, &shape);
      if (out == NULL)
        return FALSE;
      to[i] = out->data;
    }
  const gint32 *id = ids->data;
  for (gint64 i = 0; i < ids->n_elements && bytes > 0; i++)
    {
      sluice_row_copy (data->dtype, to[id[i]], (const char *) data->data + i * bytes, row, bytes);
      to[id[i]] += bytes;
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("DynamicPartition", .compute = partition_compute),
};

const SluiceKernelModule sluice_module_array_partition_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
