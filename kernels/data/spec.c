/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/data/spec.h"

#include "engine/graph/shape-context.h"

gpointer
sluice_element_spec_prepare (const SluiceNode *node, GError **error)
{
  const SluiceAttrValue *types = sluice_node_get_attr (node, "output_types");
  const SluiceAttrValue *shapes = sluice_node_get_attr (node, "output_shapes");
  guint n = types->list.n;
  if (shapes->list.n != n)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "output_types has %u items and output_shapes %u; give as many", n,
                        shapes->list.n);
      return NULL;
    }
  SluiceElementSpec *self = g_new (SluiceElementSpec, 1);
  *self = (SluiceElementSpec){ n, g_new (SluiceDType, n), g_new (SluiceShape, n) };
  for (guint i = 0; i < n; i++)
    {
      self->types[i] = types->list.items[i].type;
      self->shapes[i] = shapes->list.items[i].shape;
    }
  return self;
}

void
sluice_element_spec_free (gpointer data)
{
  SluiceElementSpec *self = data;
  g_free (self->types);
  g_free (self->shapes);
  g_free (self);
}

SluiceElementSpec *
sluice_element_spec_copy (const SluiceElementSpec *self)
{
  SluiceElementSpec *copy = g_new (SluiceElementSpec, 1);
  *copy = (SluiceElementSpec){ self->n, g_memdup2 (self->types, self->n * sizeof *self->types),
                               g_memdup2 (self->shapes, self->n * sizeof *self->shapes) };
  return copy;
}

gboolean
sluice_element_spec_check (const SluiceElementSpec *self,
                           SluiceKernelCall *call,
                           const char *what,
                           guint n,
                           const SluiceDType *types)
{
  if (n != self->n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%s has %u components, and not %u", what, n, self->n);
  for (guint i = 0; i < n; i++)
    if (types[i] != self->types[i])
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "component %u of %s is %s, and not %s", i, what,
                               sluice_dtype_name (types[i]), sluice_dtype_name (self->types[i]));
  return TRUE;
}

gboolean
sluice_element_spec_give (const SluiceElementSpec *self,
                          SluiceKernelCall *call,
                          SluiceTensor *const *tensors)
{
  char got[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
  for (guint i = 0; i < self->n; i++)
    sluice_call_take_output (call, i, tensors[i]);
  for (guint i = 0; i < self->n; i++)
    if (self->shapes[i].rank != SLUICE_UNKNOWN_RANK
        && !sluice_shape_compatible (&self->shapes[i], &tensors[i]->shape))
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "component %u of the element has shape %s, and output_shapes says "
                               "%s",
                               i, sluice_shape_str (&tensors[i]->shape, got),
                               sluice_shape_str (&self->shapes[i], want));
  return TRUE;
}

gboolean
sluice_shape_of_element (SluiceShapeContext *c, GError **error)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (c->node, "output_shapes");
  for (guint i = 0; i < c->n_outputs && i < shapes->list.n; i++)
    sluice_shape_context_set (c, i, &shapes->list.items[i].shape);
  return TRUE;
}
