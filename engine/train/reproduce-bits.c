/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "engine/base/difference.h"
#include "engine/train/reproduce-private.h"

static gboolean
is_same_string (const SluiceTensor *a, const SluiceTensor *b, gint64 i)
{
  const SluiceString *x = (const SluiceString *) a->data + i;
  const SluiceString *y = (const SluiceString *) b->data + i;
  return x->length == y->length && memcmp (x->data, y->data, x->length) == 0;
}

gint64
sluice_tensor_find_other_bits (const SluiceTensor *a, const SluiceTensor *b)
{
  gsize size = sluice_dtype_size (a->dtype);
  gboolean is_text = a->dtype == SLUICE_STRING;
  if (!is_text && memcmp (a->data, b->data, sluice_tensor_bytes (a)) == 0)
    return -1;
  for (gint64 i = 0; i < a->n_elements; i++)
    if (is_text ? !is_same_string (a, b, i)
                : memcmp ((const char *) a->data + (gsize) i * size,
                          (const char *) b->data + (gsize) i * size, size)
                      != 0)
      return i;
  return -1;
}

SluiceParting *
sluice_parting_new_of (const char *node,
                       const char *tensor,
                       const SluiceTensor *was,
                       const SluiceTensor *is)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  gboolean fits = was->dtype == is->dtype && sluice_shape_equal (&was->shape, &is->shape);
  gint64 element = fits ? sluice_tensor_find_other_bits (was, is) : -1;
  if (fits && element < 0)
    return NULL;
  SluiceParting *self = g_new0 (SluiceParting, 1);
  self->node = g_strdup (node);
  self->tensor = g_strdup (tensor);
  self->element = element;
  self->was =
      fits ? sluice_tensor_dup_element (was, element)
           : g_strconcat (sluice_dtype_name (was->dtype), sluice_shape_str (&was->shape, a), NULL);
  self->is =
      fits ? sluice_tensor_dup_element (is, element)
           : g_strconcat (sluice_dtype_name (is->dtype), sluice_shape_str (&is->shape, b), NULL);
  return self;
}

void
sluice_parting_free (SluiceParting *self)
{
  g_free (self->node);
  g_free (self->tensor);
  g_free (self->was);
  g_free (self->is);
  g_free (self->because);
  g_free (self);
}

/* The resource's name is that of the node, or what it shares it by. */
const char *
sluice_graph_find_variable_node (SluiceGraph *graph, const char *name)
{
  const char *separator = strstr (name, "::");
  const char *own = separator != NULL ? separator + 2 : name;
  const SluiceNode *node = sluice_graph_find (graph, own);
  if (node != NULL)
    return node->name;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *other = sluice_graph_get_node (graph, i);
      const SluiceString *shared = sluice_node_get_string (other, "shared_name");
      if (shared != NULL && shared->length > 0 && shared->length == strlen (own)
          && memcmp (shared->data, own, shared->length) == 0)
        return other->name;
    }
  return own;
}
