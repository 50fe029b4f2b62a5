/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/handle.h"

#include <string.h>

/* A reference edge carries variables: this one holds the two strings. */
typedef struct
{
  SluiceVariable parent;
  SluiceResource *target;
} NameHandle;

static void
name_handle_finalize (SluiceResource *resource)
{
  NameHandle *self = (NameHandle *) resource;
  sluice_resource_unref (self->target);
  sluice_tensor_unref (self->parent.tensor);
  pthread_mutex_destroy (&self->parent.lock);
  g_free (self->parent.name);
  g_free (self);
}

static const SluiceResourceType name_handle_type = { "handle", name_handle_finalize };

static SluiceVariable *
name_handle_new (const SluiceNode *node,
                 SluiceResource *take,
                 const SluiceString *container,
                 const SluiceString *name)
{
  NameHandle *self = g_new0 (NameHandle, 1);
  atomic_init (&self->parent.parent.ref_count, 1);
  self->parent.parent.type = &name_handle_type;
  pthread_mutex_init (&self->parent.lock, NULL);
  self->parent.dtype = SLUICE_STRING;
  self->parent.shape = SLUICE_SHAPE (2);
  self->parent.name = g_strdup (node->name);
  self->parent.tensor = sluice_tensor_new_zeros (SLUICE_STRING, &self->parent.shape);
  SluiceString *strings = self->parent.tensor->data;
  sluice_string_set (&strings[0], container->data, container->length);
  sluice_string_set (&strings[1], name->data, name->length);
  self->target = take;
  return &self->parent;
}

void
sluice_call_put_handle (SluiceKernelCall *call, guint i, SluiceResource *take)
{
  const SluiceNode *node = call->node;
  if (!sluice_dtype_is_ref (node->outputs[i].dtype))
    {
      sluice_call_take_output (call, i, sluice_tensor_new_resource (take));
      return;
    }
  const SluiceString *name = sluice_node_get_string (node, "shared_name");
  const SluiceString own = { (char *) node->name, strlen (node->name) };
  call->outputs[i].ref = name_handle_new (node, take, sluice_node_get_string (node, "container"),
                                          name->length > 0 ? name : &own);
}

void
sluice_call_put_named_handle (
    SluiceKernelCall *call, guint i, SluiceResource *take, const char *container, const char *name)
{
  const SluiceString strings[2] = { { (char *) container, strlen (container) },
                                    { (char *) name, strlen (name) } };
  if (sluice_dtype_is_ref (call->node->outputs[i].dtype))
    call->outputs[i].ref = name_handle_new (call->node, take, &strings[0], &strings[1]);
  else if (call->node->outputs[i].dtype == SLUICE_RESOURCE)
    sluice_call_take_output (call, i, sluice_tensor_new_resource (take));
  else
    {
      SluiceTensor *names = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE (2));
      for (guint k = 0; k < 2; k++)
        sluice_string_set ((SluiceString *) names->data + k, strings[k].data, strings[k].length);
      sluice_resource_unref (take);
      sluice_call_take_output (call, i, names);
    }
}

SluiceResource *
sluice_call_get_handle (SluiceKernelCall *call, guint i, const SluiceResourceType *type)
{
  SluiceEdge edge = call->node->inputs[i];
  if (!sluice_dtype_is_ref (sluice_edge_dtype (edge)))
    return sluice_call_handle (call, i, type);
  const SluiceResource *reference = &call->inputs[i].ref->parent;
  const NameHandle *handle = (const NameHandle *) reference;
  if (reference->type == &name_handle_type && handle->target->type == type)
    return handle->target;
  g_autofree char *name = sluice_node_dup_input_name (call->node, i);
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                    "input %u (%s) must be the handle of a %s, not of a %s", i, name, type->name,
                    reference->type == &name_handle_type ? handle->target->type->name
                                                         : reference->type->name);
  return NULL;
}
