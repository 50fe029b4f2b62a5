/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/cost.h"

static gboolean
fill_in (SluiceShape *shape, gint64 unknown_dim)
{
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 0)
      shape->dim[i] = unknown_dim;
  return shape->rank >= 0;
}

static double
bytes_of (const SluiceShape *shape, SluiceDType dtype)
{
  double bytes = (double) sluice_dtype_size (sluice_dtype_base (dtype));
  for (int i = 0; i < shape->rank; i++)
    bytes *= (double) shape->dim[i];
  return bytes;
}

/* Everything is read and written once, with one operation an element that is written. */
static void
take_plain (const SluiceNode *node,
            const SluiceShape *inputs,
            const SluiceShape *outputs,
            SluiceCost *cost)
{
  for (guint i = 0; i < node->n_inputs; i++)
    cost->bytes += bytes_of (&inputs[i], sluice_edge_dtype (node->inputs[i]));
  for (guint i = 0; i < node->n_outputs; i++)
    {
      SluiceDType dtype = sluice_dtype_base (node->outputs[i].dtype);
      double bytes = bytes_of (&outputs[i], dtype);
      cost->bytes += bytes;
      cost->flops += bytes / (double) MAX (sluice_dtype_size (dtype), 1);
    }
}

gboolean
sluice_node_get_cost (const SluiceNode *node, gint64 unknown_dim, SluiceCost *cost)
{
  g_autofree SluiceShape *shapes = g_new (SluiceShape, node->n_inputs + node->n_outputs + 1);
  SluiceShape *outputs = shapes + node->n_inputs;
  *cost = (SluiceCost){ 0, 0 };
  if (node->op == NULL || node->error != NULL)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    shapes[i] =
        node->inputs[i].node != NULL ? *sluice_edge_shape (node->inputs[i]) : SLUICE_SHAPE_UNKNOWN;
  for (guint i = 0; i < node->n_outputs; i++)
    outputs[i] = node->outputs[i].shape;
  for (guint i = 0; i < node->n_inputs + node->n_outputs; i++)
    if (!fill_in (&shapes[i], unknown_dim))
      return FALSE;
  if (node->op->def->cost != NULL)
    node->op->def->cost (node, shapes, outputs, cost);
  else
    take_plain (node, shapes, outputs, cost);
  return TRUE;
}

double
sluice_output_bytes (const SluiceOutput *output, double unknown_dim)
{
  if (sluice_dtype_is_ref (output->dtype))
    return 0;
  double bytes = sluice_dtype_size (output->dtype);
  for (int i = 0; i < output->shape.rank; i++)
    bytes *= output->shape.dim[i] < 0 ? unknown_dim : (double) output->shape.dim[i];
  return bytes;
}
