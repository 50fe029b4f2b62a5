/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * DynamicPartition: rows dealt out to several outputs, each to the one that its number names, in
 * their order. The gradient deals the rows' places out alike and stitches dy together by them.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/rows.h"
#include "kernels/array/segment.h"
#include "kernels/math/gradients.h"

static gboolean
partition_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape row;
  if (!sluice_shape_rest_after_ids (c, 0, 1, &row, error)
      || !sluice_shape_set_rows (c, SLUICE_UNKNOWN_DIM, &row, error))
    return FALSE;
  for (guint i = 1; i < c->n_outputs; i++)
    sluice_shape_context_set (c, i, &c->outputs[0].shape);
  return TRUE;
}

static gboolean
partition_gradient (SluiceGradContext *g, GError **error)
{
  guint n = g->node->n_outputs;
  SluiceEdge ids = sluice_grad_input (g, 1);
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge shape = sluice_grad_shape_of (g, ids, SLUICE_INT32);
  SluiceEdge places = MAKE ("Range", zero, MAKE ("Prod", shape, zero), one);
  SluiceEdge dealt = sluice_op_with (&g->b, "DynamicPartition",
                                     SLUICE_ATTRS (sluice_attr_int ("num_partitions", n)),
                                     MAKE ("Reshape", places, shape), ids);
  g_autofree SluiceEdge *parts = g_new (SluiceEdge, 2 * n);
  for (guint i = 0; i < n; i++)
    {
      parts[i] = sluice_edge_port (dealt, (int) i);
      parts[n + i] = sluice_grad_dy (g, i);
    }
  SluiceEdge all = sluice_builder_add (&g->b, "DynamicStitch", NULL, parts, 2 * n,
                                       SLUICE_ATTRS (sluice_attr_int ("N", n)));
  SluiceEdge whole = sluice_grad_shape_of (g, sluice_grad_input (g, 0), SLUICE_INT32);
  sluice_grad_set (g, 0, MAKE ("Reshape", all, whole));
  return TRUE;
}

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

static const SluiceSample samples[] = {
  { "num_partitions=3", "float[5,2]; int32[5]={2,0,2,2,0}" },
  { "num_partitions=2", "float[2,3]; int32[2,3]={0,1,0,1,1,0}" },
  { "num_partitions=2", "string[3]; int32[3]={1,1,1}" },
  { "num_partitions=1", "float[]; int32[]={0}" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples) };

static const SluiceOpDef partition_op = {
  .name = "DynamicPartition",
  .signature = "data: T, partitions: int32 -> outputs: num_partitions * T",
  .attrs = "num_partitions: int >= 1; T: type",
  .summary = N_ ("Deals rows out to several outputs by number"),
  .shape = partition_shape,
  .gradient = partition_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &partition_op };

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("DynamicPartition", .compute = partition_compute),
};

const SluiceKernelModule sluice_module_array_partition = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
