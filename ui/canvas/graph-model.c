/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/graph-model.h"

struct _SluiceGraphModel
{
  gatomicrefcount ref_count;
  GStringChunk *strings;
  GHashTable *index; /* name (in strings) -> index + 1 */
  GArray *nodes;     /* SluiceModelNode */
  GArray *edges;     /* SluiceModelEdge */
  char *hash;
};

SluiceGraphModel *
sluice_graph_model_new (void)
{
  SluiceGraphModel *self = g_new0 (SluiceGraphModel, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->strings = g_string_chunk_new (16384);
  self->index = g_hash_table_new (g_str_hash, g_str_equal);
  self->nodes = g_array_new (FALSE, FALSE, sizeof (SluiceModelNode));
  self->edges = g_array_new (FALSE, FALSE, sizeof (SluiceModelEdge));
  self->hash = g_strdup ("");
  return self;
}

SluiceGraphModel *
sluice_graph_model_ref (SluiceGraphModel *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
sluice_graph_model_unref (SluiceGraphModel *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->index);
  g_string_chunk_free (self->strings);
  g_array_unref (self->nodes);
  g_array_unref (self->edges);
  g_free (self->hash);
  g_free (self);
}

static const char *
keep (SluiceGraphModel *self, const char *text)
{
  return text == NULL ? NULL : g_string_chunk_insert_const (self->strings, text);
}

guint
sluice_graph_model_add_node (SluiceGraphModel *self, const SluiceModelNode *node)
{
  SluiceModelNode copy = *node;

  g_return_val_if_fail (node->name != NULL && node->op != NULL, G_MAXUINT);
  g_return_val_if_fail (!g_hash_table_contains (self->index, node->name), G_MAXUINT);
  copy.name = keep (self, node->name);
  copy.op = keep (self, node->op);
  copy.device = keep (self, node->device);
  copy.loop = keep (self, node->loop);
  copy.error = keep (self, node->error);
  g_array_append_val (self->nodes, copy);
  g_hash_table_insert (self->index, (char *) copy.name, GUINT_TO_POINTER (self->nodes->len));
  return self->nodes->len - 1;
}

gboolean
sluice_graph_model_add_edge (SluiceGraphModel *self, const SluiceModelEdge *edge)
{
  SluiceModelEdge copy = *edge;

  if (edge->from >= self->nodes->len || edge->to >= self->nodes->len)
    return FALSE;
  copy.dtype = keep (self, edge->dtype);
  copy.shape = keep (self, edge->shape);
  g_array_append_val (self->edges, copy);
  return TRUE;
}

guint
sluice_graph_model_get_n_nodes (SluiceGraphModel *self)
{
  return self->nodes->len;
}

guint
sluice_graph_model_get_n_edges (SluiceGraphModel *self)
{
  return self->edges->len;
}

const SluiceModelNode *
sluice_graph_model_get_node (SluiceGraphModel *self, guint index)
{
  g_return_val_if_fail (index < self->nodes->len, NULL);
  return &g_array_index (self->nodes, SluiceModelNode, index);
}

const SluiceModelEdge *
sluice_graph_model_get_edge (SluiceGraphModel *self, guint index)
{
  g_return_val_if_fail (index < self->edges->len, NULL);
  return &g_array_index (self->edges, SluiceModelEdge, index);
}

guint
sluice_graph_model_lookup (SluiceGraphModel *self, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->index, name)) - 1;
}

void
sluice_graph_model_set_hash (SluiceGraphModel *self, const char *hash)
{
  g_free (self->hash);
  self->hash = g_strdup (hash == NULL ? "" : hash);
}

const char *
sluice_graph_model_get_hash (SluiceGraphModel *self)
{
  return self->hash;
}
