/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/graph-model.h"

struct _SluiceGraphModel
{
  gatomicrefcount ref_count;
  SluiceTexts *texts;
  GArray *nodes;  /* SluiceModelNode */
  GArray *edges;  /* SluiceModelEdge */
  GArray *hashes; /* guint, of the names of the nodes */
  /* Nodes by name: open addressing. A slot is an index + 1, or 0. */
  guint *slots;
  guint n_slots; /* a power of two, or 0 */
  char *hash;
};

static SluiceGraphModel *
new_model (SluiceTexts *take)
{
  SluiceGraphModel *self = g_new0 (SluiceGraphModel, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->texts = take;
  self->nodes = g_array_new (FALSE, FALSE, sizeof (SluiceModelNode));
  self->edges = g_array_new (FALSE, FALSE, sizeof (SluiceModelEdge));
  self->hashes = g_array_new (FALSE, FALSE, sizeof (guint));
  self->hash = g_strdup ("");
  return self;
}

SluiceGraphModel *
sluice_graph_model_new (void)
{
  return new_model (sluice_texts_new ());
}

SluiceGraphModel *
sluice_graph_model_new_after (SluiceGraphModel *base)
{
  SluiceGraphModel *self = new_model (sluice_texts_ref (base->texts));
  g_free (self->hash);
  self->hash = g_strdup (base->hash);
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
  sluice_texts_unref (self->texts);
  g_array_unref (self->nodes);
  g_array_unref (self->edges);
  g_array_unref (self->hashes);
  g_free (self->slots);
  g_free (self->hash);
  g_free (self);
}

static const char *
keep (SluiceGraphModel *self, const char *text)
{
  return text == NULL ? NULL : sluice_texts_keep (self->texts, text);
}

/* The slot of the name, or the free one where it belongs; there are slots. */
static guint *
find_slot (SluiceGraphModel *self, const char *name, guint hash)
{
  for (guint i = hash & (self->n_slots - 1);; i = (i + 1) & (self->n_slots - 1))
    {
      guint at = self->slots[i];
      if (at == 0
          || (g_array_index (self->hashes, guint, at - 1) == hash
              && g_str_equal (g_array_index (self->nodes, SluiceModelNode, at - 1).name, name)))
        return &self->slots[i];
    }
}

static void
reserve_slots (SluiceGraphModel *self, guint n)
{
  guint n_slots = MAX (64, self->n_slots);
  while (n_slots / 2 < n)
    n_slots *= 2;
  if (n_slots == self->n_slots)
    return;
  g_free (self->slots);
  self->slots = g_new0 (guint, n_slots);
  self->n_slots = n_slots;
  for (guint k = 0; k < self->nodes->len; k++)
    {
      guint i = g_array_index (self->hashes, guint, k) & (n_slots - 1);
      while (self->slots[i] != 0)
        i = (i + 1) & (n_slots - 1);
      self->slots[i] = k + 1;
    }
}

/* Its texts are the model's already. */
static void
append_node (SluiceGraphModel *self, const SluiceModelNode *node, guint hash)
{
  reserve_slots (self, self->nodes->len + 1);
  guint i = hash & (self->n_slots - 1);
  while (self->slots[i] != 0)
    i = (i + 1) & (self->n_slots - 1);
  g_array_append_vals (self->nodes, node, 1);
  g_array_append_val (self->hashes, hash);
  self->slots[i] = self->nodes->len;
}

guint
sluice_graph_model_add_node (SluiceGraphModel *self, const SluiceModelNode *node)
{
  SluiceModelNode copy = *node;

  g_return_val_if_fail (node->name != NULL && node->op != NULL, G_MAXUINT);
  g_return_val_if_fail (sluice_graph_model_lookup (self, node->name) == G_MAXUINT, G_MAXUINT);
  copy.name = keep (self, node->name);
  copy.op = keep (self, node->op);
  copy.device = keep (self, node->device);
  copy.asked = keep (self, node->asked);
  copy.loop = keep (self, node->loop);
  copy.error = keep (self, node->error);
  append_node (self, &copy, g_str_hash (copy.name));
  return self->nodes->len - 1;
}

void
sluice_graph_model_reserve (SluiceGraphModel *self, guint n_nodes)
{
  reserve_slots (self, n_nodes);
}

guint
sluice_graph_model_take_node (SluiceGraphModel *self, SluiceGraphModel *base, guint index)
{
  g_return_val_if_fail (self->texts == base->texts && index < base->nodes->len, G_MAXUINT);
  append_node (self, &g_array_index (base->nodes, SluiceModelNode, index),
               g_array_index (base->hashes, guint, index));
  return self->nodes->len - 1;
}

void
sluice_graph_model_take_edge (
    SluiceGraphModel *self, SluiceGraphModel *base, guint index, guint from, guint to)
{
  g_return_if_fail (self->texts == base->texts && index < base->edges->len);
  SluiceModelEdge copy = g_array_index (base->edges, SluiceModelEdge, index);
  copy.from = from;
  copy.to = to;
  g_array_append_val (self->edges, copy);
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
  return self->n_slots > 0 ? *find_slot (self, name, g_str_hash (name)) - 1 : G_MAXUINT;
}

guint
sluice_graph_model_get_name_hash (SluiceGraphModel *self, guint index)
{
  g_return_val_if_fail (index < self->hashes->len, 0);
  return g_array_index (self->hashes, guint, index);
}

SluiceTexts *
sluice_graph_model_get_texts (SluiceGraphModel *self)
{
  return self->texts;
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
