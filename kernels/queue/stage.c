/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/stage.h"

typedef struct
{
  gint64 capacity;
  gsize memory_limit;
} Limits;

gpointer
sluice_stage_prepare (const SluiceNode *node, GError **error)
{
  Limits *self = g_new (Limits, 1);
  self->capacity = sluice_node_get_int (node, "capacity");
  self->memory_limit = (gsize) sluice_node_get_int (node, "memory_limit");
  return self;
}

void
sluice_stage_init (SluiceStage *self, const SluiceResourceType *type, SluiceKernelCall *call)
{
  const Limits *limits = call->state;
  sluice_monitor_init (&self->parent, type, call->node->name, FALSE);
  self->capacity = limits->capacity;
  self->memory_limit = limits->memory_limit;
}

gsize
sluice_stage_input_bytes (SluiceKernelCall *call, guint first)
{
  gsize bytes = 0;
  for (guint i = first; i < call->n_inputs; i++)
    bytes += sluice_tensor_bytes (sluice_call_input (call, i));
  return bytes;
}

gboolean
sluice_stage_check_limit (const SluiceStage *self, SluiceKernelCall *call, gsize bytes)
{
  if (self->memory_limit == 0 || bytes <= self->memory_limit)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                           "the tensors have %" G_GSIZE_FORMAT
                           " bytes, more than the memory_limit of %" G_GSIZE_FORMAT
                           ": they would never fit",
                           bytes, self->memory_limit);
}

gboolean
sluice_stage_fits (const SluiceStage *self, gsize n_elements, gsize bytes)
{
  return (self->capacity == 0 || n_elements < (gsize) self->capacity)
         && (self->memory_limit == 0 || self->bytes + bytes <= self->memory_limit);
}

gsize
sluice_stage_bytes (const SluiceElements *elements)
{
  gsize bytes = 0;
  for (guint i = 0; i < elements->n; i++)
    if (elements->tensors[i] != NULL)
      bytes += sluice_tensor_bytes (elements->tensors[i]);
  return bytes;
}

gboolean
sluice_stage_check_type (SluiceKernelCall *call, guint i, const SluiceTensor *tensor)
{
  const SluiceOutput *wanted = &call->node->outputs[i];
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if ((SluiceDType) tensor->dtype != wanted->dtype)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "output %u is of %s, and the staging area has %s there", i,
                             sluice_dtype_name (wanted->dtype),
                             sluice_dtype_name ((SluiceDType) tensor->dtype));
  if (wanted->shape.rank == SLUICE_UNKNOWN_RANK
      || sluice_shape_compatible (&wanted->shape, &tensor->shape))
    return TRUE;
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT,
      "output %u has shape %s in the graph, and the staging area has %s there: "
      "a node that puts in other shapes was added later",
      i, sluice_shape_str (&wanted->shape, a), sluice_shape_str (&tensor->shape, b));
}
