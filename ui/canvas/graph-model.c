/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/graph-model.h"

struct _SluiceGraphModel
{
  gatomicrefcount ref_count;
  SluiceTexts *texts;
  SluiceModelNode *nodes;
  guint *hashes; /* of the names of the nodes */
  guint n_nodes, nodes_room;
  SluiceModelEdge *edges;
  guint n_edges, edges_room;
  /* Nodes by name: open addressing. A slot is an index + 1, or 0. */
  guint *slots;
  guint n_slots; /* a power of two, or 0 */
  char *hash;
  const char *recent[256]; /* its own texts by their address: nobody else's is there */
};

static SluiceGraphModel *
new_model (SluiceTexts *take)
{
  SluiceGraphModel *self = g_new0 (SluiceGraphModel, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->texts = take;
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
  g_free (self->nodes);
  g_free (self->edges);
  g_free (self->hashes);
  g_free (self->slots);
  g_free (self->hash);
  g_free (self);
}

/* Texts that were kept lately. */
static const char **
recent (SluiceGraphModel *self, const char *text)
{
  return &self->recent[(guintptr) text / sizeof (gpointer) % G_N_ELEMENTS (self->recent)];
}

const char *
sluice_graph_model_keep (SluiceGraphModel *self, const char *text)
{
  if (text == NULL || *recent (self, text) == text)
    return text;
  const char *kept = sluice_texts_keep (self->texts, text);
  return *recent (self, kept) = kept;
}

/* The slot of the name, or the free one where it belongs; there are slots. */
static guint *
find_slot (SluiceGraphModel *self, const char *name, guint hash)
{
  for (guint i = hash & (self->n_slots - 1);; i = (i + 1) & (self->n_slots - 1))
    {
      guint at = self->slots[i];
      if (at == 0 || (self->hashes[at - 1] == hash && g_str_equal (self->nodes[at - 1].name, name)))
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
  for (guint k = 0; k < self->n_nodes; k++)
    {
      guint i = self->hashes[k] & (n_slots - 1);
      while (self->slots[i] != 0)
        i = (i + 1) & (n_slots - 1);
      self->slots[i] = k + 1;
    }
}

static void
reserve_nodes (SluiceGraphModel *self, guint n)
{
  reserve_slots (self, n);
  if (n <= self->nodes_room)
    return;
  self->nodes_room = MAX (n, 2 * self->nodes_room);
  self->nodes = g_renew (SluiceModelNode, self->nodes, self->nodes_room);
  self->hashes = g_renew (guint, self->hashes, self->nodes_room);
}

static void
reserve_edges (SluiceGraphModel *self, guint n)
{
  if (n <= self->edges_room)
    return;
  self->edges_room = MAX (n, 2 * self->edges_room);
  self->edges = g_renew (SluiceModelEdge, self->edges, self->edges_room);
}

/* Its texts are the model's already. */
static void
append_node (SluiceGraphModel *self, const SluiceModelNode *node, guint hash)
{
  reserve_nodes (self, self->n_nodes + 1);
  guint i = hash & (self->n_slots - 1);
  while (self->slots[i] != 0)
    i = (i + 1) & (self->n_slots - 1);
  self->nodes[self->n_nodes] = *node;
  self->hashes[self->n_nodes++] = hash;
  self->slots[i] = self->n_nodes;
}

guint
sluice_graph_model_add_node (SluiceGraphModel *self, const SluiceModelNode *node)
{
  SluiceModelNode copy = *node;

  g_return_val_if_fail (node->name != NULL && node->op != NULL, G_MAXUINT);
  guint hash = g_str_hash (node->name);
  g_return_val_if_fail (self->n_slots == 0 || *find_slot (self, node->name, hash) == 0, G_MAXUINT);
  copy.name = sluice_graph_model_keep (self, node->name);
  copy.op = sluice_graph_model_keep (self, node->op);
  copy.device = sluice_graph_model_keep (self, node->device);
  copy.asked = sluice_graph_model_keep (self, node->asked);
  copy.change = sluice_graph_model_keep (self, node->change);
  copy.loop = sluice_graph_model_keep (self, node->loop);
  copy.error = sluice_graph_model_keep (self, node->error);
  append_node (self, &copy, hash);
  return self->n_nodes - 1;
}

void
sluice_graph_model_set_device (SluiceGraphModel *self, guint index, const char *device)
{
  g_return_if_fail (index < self->n_nodes);
  self->nodes[index].device = sluice_graph_model_keep (self, device);
}

void
sluice_graph_model_reserve (SluiceGraphModel *self, guint n_nodes, guint n_edges)
{
  reserve_nodes (self, n_nodes);
  reserve_edges (self, n_edges);
}

guint
sluice_graph_model_take_node (SluiceGraphModel *self, SluiceGraphModel *base, guint index)
{
  g_return_val_if_fail (self->texts == base->texts && index < base->n_nodes, G_MAXUINT);
  append_node (self, &base->nodes[index], base->hashes[index]);
  return self->n_nodes - 1;
}

void
sluice_graph_model_take_edge (
    SluiceGraphModel *self, SluiceGraphModel *base, guint index, guint from, guint to)
{
  g_return_if_fail (self->texts == base->texts && index < base->n_edges);
  SluiceModelEdge copy = base->edges[index];
  copy.from = from;
  copy.to = to;
  reserve_edges (self, self->n_edges + 1);
  self->edges[self->n_edges++] = copy;
}

gboolean
sluice_graph_model_add_edge (SluiceGraphModel *self, const SluiceModelEdge *edge)
{
  SluiceModelEdge copy = *edge;

  if (edge->from >= self->n_nodes || edge->to >= self->n_nodes)
    return FALSE;
  copy.dtype = sluice_graph_model_keep (self, edge->dtype);
  copy.shape = sluice_graph_model_keep (self, edge->shape);
  reserve_edges (self, self->n_edges + 1);
  self->edges[self->n_edges++] = copy;
  return TRUE;
}

guint
sluice_graph_model_get_n_nodes (SluiceGraphModel *self)
{
  return self->n_nodes;
}

guint
sluice_graph_model_get_n_edges (SluiceGraphModel *self)
{
  return self->n_edges;
}

const SluiceModelNode *
sluice_graph_model_get_node (SluiceGraphModel *self, guint index)
{
  g_return_val_if_fail (index < self->n_nodes, NULL);
  return &self->nodes[index];
}

const SluiceModelEdge *
sluice_graph_model_get_edge (SluiceGraphModel *self, guint index)
{
  g_return_val_if_fail (index < self->n_edges, NULL);
  return &self->edges[index];
}

const SluiceModelNode *
sluice_graph_model_get_nodes (SluiceGraphModel *self, guint *n)
{
  *n = self->n_nodes;
  return self->nodes;
}

const SluiceModelEdge *
sluice_graph_model_get_edges (SluiceGraphModel *self, guint *n)
{
  *n = self->n_edges;
  return self->edges;
}

guint
sluice_graph_model_lookup (SluiceGraphModel *self, const char *name)
{
  return self->n_slots > 0 ? *find_slot (self, name, g_str_hash (name)) - 1 : G_MAXUINT;
}

guint
sluice_graph_model_get_name_hash (SluiceGraphModel *self, guint index)
{
  g_return_val_if_fail (index < self->n_nodes, 0);
  return self->hashes[index];
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
