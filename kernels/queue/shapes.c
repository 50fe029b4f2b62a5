/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/shapes.h"

#include <string.h>

gboolean
sluice_queue_handle_shape (SluiceShapeContext *c, GError **error)
{
  gboolean is_handle = c->outputs[0].dtype == SLUICE_RESOURCE;
  sluice_shape_context_set (c, 0, is_handle ? &SLUICE_SHAPE_SCALAR : &SLUICE_SHAPE (2));
  return TRUE;
}

gboolean
sluice_queue_element_shapes (
    SluiceShapeContext *c, guint first, const gint64 *front, guint n_front, GError **error)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (c->node->inputs[0].node, "shapes");
  if (shapes == NULL || shapes->kind != SLUICE_ATTR_LIST || shapes->list.n + first != c->n_outputs)
    return TRUE;
  for (guint i = 0; i < shapes->list.n; i++)
    {
      const SluiceAttrValue *item = &shapes->list.items[i];
      gint64 dims[SLUICE_MAX_RANK + 1];
      SluiceShape shape;
      if (item->kind != SLUICE_ATTR_SHAPE || item->shape.rank < 0)
        continue;
      for (guint d = 0; d < n_front; d++)
        dims[d] = front[d];
      memcpy (dims + n_front, item->shape.dim, (gsize) item->shape.rank * sizeof (gint64));
      if (!sluice_shape_make (&shape, dims, n_front + (gsize) item->shape.rank, error))
        return FALSE;
      sluice_shape_context_set (c, first + i, &shape);
    }
  return TRUE;
}
