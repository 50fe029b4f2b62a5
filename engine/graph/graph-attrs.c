/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/graph-private.h"

#include <string.h>

#include "engine/graph/intern.h"

/* What is told of a node to this program and not to its op. Those two are TensorFlow's, and half of
 * a graph's nodes may have them. */
static gboolean
is_mark (const char *name)
{
  return *name == '_' && strcmp (name, "_class") != 0 && strcmp (name, "_output_shapes") != 0;
}

static void
count_mark (SluiceGraph *self, const char *name, gboolean add)
{
  if (self->marks == NULL)
    self->marks = g_hash_table_new (NULL, NULL);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->marks, name));
  n = add ? n + 1 : n - 1;
  if (n > 0)
    g_hash_table_insert (self->marks, (gpointer) name, GUINT_TO_POINTER (n));
  else
    g_hash_table_remove (self->marks, name);
}

void
sluice_graph_index_attrs (SluiceGraph *self, const SluiceNode *node, gboolean add)
{
  if (self->is_copy)
    return;
  sluice_class_table_note (&self->class_users, node, add);
  for (guint i = 0; i < node->n_attrs; i++)
    if (is_mark (node->attrs[i].name))
      count_mark (self, node->attrs[i].name, add);
}

void
sluice_graph_index_copy (SluiceGraph *self)
{
  if (!self->is_copy)
    return;
  self->is_copy = FALSE;
  for (guint i = 0; i < self->nodes->len; i++)
    sluice_graph_index_attrs (self, self->nodes->pdata[i], TRUE);
}

void
sluice_graph_drop_index (SluiceGraph *self)
{
  sluice_class_table_clear (&self->class_users);
  g_clear_pointer (&self->marks, g_hash_table_unref);
}

guint
sluice_graph_count_marked (SluiceGraph *self, const char *name)
{
  g_return_val_if_fail (is_mark (name), 0);
  sluice_graph_index_copy (self);
  return self->marks != NULL
             ? GPOINTER_TO_UINT (g_hash_table_lookup (self->marks, sluice_intern (name)))
             : 0;
}
