/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/values.h"

guint
sluice_work_count_outputs (const SluiceWorkNode *node)
{
  const SluiceWorkRegion *region = sluice_work_get_region (node);
  return region != NULL ? region->n_outputs
         : node->kind == SLUICE_WORK_SEND || node->kind == SLUICE_WORK_RECV
             ? 1
             : node->origin->n_outputs;
}

const SluiceNode *
sluice_work_get_output_origin (const SluiceWorkNode *node, guint i, int *port)
{
  const SluiceWorkRegion *region = sluice_work_get_region (node);
  *port = region != NULL ? 0 : (int) i;
  if (region != NULL)
    return region->outputs[i]->origin;
  if (node->kind == SLUICE_WORK_SEND || node->kind == SLUICE_WORK_RECV)
    *port = node->port;
  return node->kind == SLUICE_WORK_FUSED_CONSUMER ? node->fused_consumer.consumer->origin
                                                  : node->origin;
}

const SluiceOutput *
sluice_work_get_output (const SluiceWorkNode *node, guint i)
{
  int port;
  const SluiceNode *origin = sluice_work_get_output_origin (node, i, &port);
  return port >= 0 ? &origin->outputs[port] : NULL;
}

gboolean
sluice_work_is_view (const SluiceWorkNode *node)
{
  return node->n_inputs > 0 && sluice_work_get_traits (node)->is_view;
}

gboolean
sluice_work_makes_memory (const SluiceWorkNode *node, guint i)
{
  SluiceRole role = sluice_work_role (node);
  return sluice_work_get_output (node, i) != NULL && node->kind != SLUICE_WORK_CONST
         && node->kind != SLUICE_WORK_SEND && !sluice_work_is_view (node)
         && role != SLUICE_ROLE_READ_VARIABLE && role != SLUICE_ROLE_SWITCH
         && role != SLUICE_ROLE_MERGE && !sluice_work_get_traits (node)->crosses_frames;
}

gboolean
sluice_work_hands_on (const SluiceWorkNode *node)
{
  SluiceRole role = sluice_work_role (node);
  return node->n_inputs > 0
         && (sluice_work_is_view (node) || role == SLUICE_ROLE_SWITCH || role == SLUICE_ROLE_MERGE
             || sluice_work_get_traits (node)->crosses_frames);
}

gboolean
sluice_work_get_strip (const SluiceWork *self, SluiceWorkNode *node, SluiceStrip *strip)
{
  const SluiceKernel *kernel =
      node->kind == SLUICE_WORK_OP ? sluice_work_find_kernel (self, node) : NULL;
  return kernel != NULL && kernel->strip != NULL && kernel->strip (kernel, node->origin, strip);
}

gboolean
sluice_work_is_element_wise (const SluiceWork *self, SluiceWorkNode *node)
{
  SluiceStrip strip;
  return sluice_work_get_region (node) != NULL || sluice_work_get_strip (self, node, &strip);
}

double
sluice_work_get_held_bytes (const SluiceWorkNode *node)
{
  double held = 0;
  if (node->kind == SLUICE_WORK_CONST)
    for (guint i = 0; i < node->origin->n_outputs; i++)
      held += node->values[i] != NULL ? (double) sluice_tensor_bytes (node->values[i]) : 0;
  if (!sluice_work_get_traits (node)->is_state || node->origin->n_outputs == 0)
    return held;
  SluiceOutput variable = node->origin->outputs[0];
  if (variable.dtype == SLUICE_RESOURCE)
    {
      variable.dtype = variable.handle_dtype;
      variable.shape = variable.handle_shape;
    }
  variable.dtype = sluice_dtype_base (variable.dtype);
  if (variable.dtype != SLUICE_INVALID && variable.shape.rank >= 0)
    held += sluice_output_bytes (&variable, 1);
  return held;
}
