/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/data/dataset.h"

#include <string.h>

static void
dataset_finalize (SluiceResource *resource)
{
  SluiceDataset *self = (SluiceDataset *) resource;
  if (self->klass->clear != NULL)
    self->klass->clear (self);
  for (guint i = 0; i < self->n_inputs; i++)
    sluice_resource_unref (&self->inputs[i]->parent);
  g_free (self->inputs);
  g_free (self->types);
  g_free (self->name);
  g_free (self);
}

static const SluiceResourceType dataset_type = { "dataset", dataset_finalize };

SluiceDataset *
sluice_dataset_new (const SluiceDatasetClass *klass,
                    SluiceKernelCall *call,
                    guint n,
                    const SluiceDType *types)
{
  SluiceDataset *self = g_malloc0 (klass->size);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &dataset_type;
  self->klass = klass;
  self->name = g_strdup (call->node->name);
  self->n = n;
  self->types = g_new0 (SluiceDType, n);
  self->is_pure = TRUE;
  if (types != NULL)
    memcpy (self->types, types, n * sizeof *types);
  return self;
}

SluiceDataset *
sluice_dataset_new_over (const SluiceDatasetClass *klass,
                         SluiceKernelCall *call,
                         guint i,
                         guint n_inputs)
{
  guint n = 0, k = 0;
  for (guint j = i; j < i + n_inputs; j++)
    {
      SluiceDataset *input = sluice_call_get_dataset (call, j);
      if (input == NULL)
        return NULL;
      n += input->n;
    }
  SluiceDataset *self = sluice_dataset_new (klass, call, n, NULL);
  self->n_inputs = n_inputs;
  self->inputs = g_new (SluiceDataset *, n_inputs);
  for (guint j = 0; j < n_inputs; j++)
    {
      SluiceDataset *input = sluice_call_get_dataset (call, i + j);
      self->inputs[j] = (SluiceDataset *) sluice_resource_ref (&input->parent);
      self->is_pure = self->is_pure && input->is_pure;
      memcpy (self->types + k, input->types, input->n * sizeof *input->types);
      k += input->n;
    }
  return self;
}

void
sluice_dataset_set_types (SluiceDataset *self, guint n, const SluiceDType *types)
{
  g_free (self->types);
  self->n = n;
  self->types = g_memdup2 (types, n * sizeof *types);
}

SluiceDataset *
sluice_tensor_get_dataset (const SluiceTensor *tensor)
{
  SluiceResource *resource =
      tensor->n_elements == 1 ? *(SluiceResource *const *) tensor->data : NULL;
  return resource != NULL && resource->type == &dataset_type ? (SluiceDataset *) resource : NULL;
}

SluiceDataset *
sluice_call_get_dataset (SluiceKernelCall *call, guint i)
{
  const SluiceTensor *handle = sluice_call_input (call, i);
  SluiceDataset *dataset = sluice_tensor_get_dataset (handle);
  if (dataset != NULL)
    return dataset;
  const SluiceResource *resource =
      handle->n_elements == 1 ? *(SluiceResource *const *) handle->data : NULL;
  g_autofree char *name = sluice_node_dup_input_name (call->node, i);
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "input %u (%s) must be a dataset, not %s",
                    i, name, resource != NULL ? resource->type->name : "nothing");
  return NULL;
}

gboolean
sluice_call_put_dataset (SluiceKernelCall *call, SluiceDataset *take)
{
  if (take == NULL)
    return FALSE;
  SluiceTensor *handle = sluice_tensor_new_zeros (SLUICE_VARIANT, &SLUICE_SHAPE_SCALAR);
  *(SluiceResource **) handle->data = &take->parent;
  sluice_call_take_output (call, 0, handle);
  return TRUE;
}

/* ---- cursors ---- */

void
sluice_element_drop (SluiceTensor **element, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&element[i], sluice_tensor_unref);
}

SluiceCursor *
sluice_cursor_new (SluiceDataset *dataset, SluiceDatasetPass *pass)
{
  SluiceCursor *self = g_malloc0 (dataset->klass->cursor_size);
  self->dataset = (SluiceDataset *) sluice_resource_ref (&dataset->parent);
  self->pass = pass;
  return self;
}

void
sluice_cursor_free (SluiceCursor *self)
{
  if (self->dataset->klass->end != NULL)
    self->dataset->klass->end (self);
  sluice_resource_unref (&self->dataset->parent);
  g_free (self);
}

gboolean
sluice_check_cancelled (const SluiceKernelCall *call, GError **error)
{
  if (call->cancelled != NULL && atomic_load_explicit (call->cancelled, memory_order_relaxed))
    return sluice_fail (error, SLUICE_ERROR_CANCELLED, "the run was cancelled");
  return TRUE;
}

SluiceNext
sluice_cursor_next (SluiceCursor *self, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  if (self->is_at_end)
    return SLUICE_NEXT_END;
  if (!sluice_check_cancelled (call, error))
    return SLUICE_NEXT_FAILED;
  SluiceNext result = self->dataset->klass->next (self, call, out, error);
  self->is_at_end = result == SLUICE_NEXT_END;
  return result;
}

gboolean
sluice_call_get_scalar (SluiceKernelCall *call, guint i, gint64 *value)
{
  if (!sluice_call_want_scalar (call, i))
    return FALSE;
  *value = sluice_tensor_get_int (sluice_call_input (call, i), 0);
  return TRUE;
}
