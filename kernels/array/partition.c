/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * DynamicPartition: rows dealt out to several outputs, each to the one that its number names, in
 * their order. The gradient deals the rows' places out alike and stitches dy together by them.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
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

const SluiceKernelModule sluice_module_array_partition = { .ops = ops,
                                                           .n_ops = G_N_ELEMENTS (ops) };
