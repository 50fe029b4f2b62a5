/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/compare-model.h"

#include <glib/gi18n.h>

#include "app/graph/graph-adapter.h"

static const char *const kinds[] = { [SLUICE_DIFF_ADDED] = N_ ("+ added"),
                                     [SLUICE_DIFF_REMOVED] = N_ ("− removed"),
                                     [SLUICE_DIFF_CHANGED] = N_ ("~ changed"),
                                     [SLUICE_DIFF_RENAMED] = N_ ("→ renamed") };

const char *
sluice_compare_kind_words (SluiceDiffKind kind)
{
  return _ (kinds[kind]);
}

typedef struct
{
  SluiceGraphModel *both;
  GHashTable *changes; /* name in ours, or of what was added -> words */
  GHashTable *names;   /* name in theirs -> in ours, of what is renamed */
  GHashTable *added;   /* names in theirs */
} Union;

static void
add_diffs (Union *self, const GPtrArray *diffs)
{
  for (guint i = 0; i < diffs->len; i++)
    {
      const SluiceNodeDiff *diff = diffs->pdata[i];
      const SluiceNode *node = diff->was != NULL ? diff->was : diff->is;
      if (node == NULL)
        continue;
      g_hash_table_insert (self->changes, (char *) node->name,
                           (char *) sluice_compare_kind_words (diff->kind));
      if (diff->kind == SLUICE_DIFF_RENAMED)
        g_hash_table_insert (self->names, (char *) diff->is->name, (char *) diff->was->name);
      if (diff->kind == SLUICE_DIFF_ADDED)
        g_hash_table_add (self->added, (char *) node->name);
    }
}

static void
add_node (Union *self, const SluiceModelNode *node)
{
  SluiceModelNode copy = *node;
  copy.change = g_hash_table_lookup (self->changes, node->name);
  if (sluice_graph_model_lookup (self->both, node->name) == G_MAXUINT) /* theirs took its name */
    sluice_graph_model_add_node (self->both, &copy);
}

/* (G_MAXUINT: it is in neither) */
static guint
find (Union *self, SluiceGraphModel *model, guint index)
{
  const char *name = sluice_graph_model_get_node (model, index)->name;
  const char *ours = g_hash_table_lookup (self->names, name);
  return sluice_graph_model_lookup (self->both, ours != NULL ? ours : name);
}

static void
add_edges (Union *self, SluiceGraphModel *model, gboolean only_added)
{
  for (guint i = 0; i < sluice_graph_model_get_n_edges (model); i++)
    {
      SluiceModelEdge edge = *sluice_graph_model_get_edge (model, i);
      const char *from = sluice_graph_model_get_node (model, edge.from)->name;
      const char *to = sluice_graph_model_get_node (model, edge.to)->name;
      if (only_added && !g_hash_table_contains (self->added, from)
          && !g_hash_table_contains (self->added, to))
        continue;
      edge.from = find (self, model, edge.from);
      edge.to = find (self, model, edge.to);
      if (edge.from != G_MAXUINT && edge.to != G_MAXUINT)
        sluice_graph_model_add_edge (self->both, &edge);
    }
}

SluiceGraphModel *
sluice_compare_model_new (SluiceGraph *ours, SluiceGraph *theirs, const GPtrArray *diffs)
{
  g_autoptr (SluiceGraphModel) one = sluice_graph_model_from_graph (ours, NULL);
  g_autoptr (SluiceGraphModel) other = sluice_graph_model_from_graph (theirs, NULL);
  g_autoptr (GHashTable) changes = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) added = g_hash_table_new (g_str_hash, g_str_equal);
  Union self = { sluice_graph_model_new (), changes, names, added };
  add_diffs (&self, diffs);
  for (guint i = 0; i < sluice_graph_model_get_n_nodes (one); i++)
    add_node (&self, sluice_graph_model_get_node (one, i));
  for (guint i = 0; i < sluice_graph_model_get_n_nodes (other); i++)
    if (g_hash_table_contains (added, sluice_graph_model_get_node (other, i)->name))
      add_node (&self, sluice_graph_model_get_node (other, i));
  g_hash_table_remove_all (names); /* ours are called as they are */
  add_edges (&self, one, FALSE);
  add_diffs (&self, diffs);
  add_edges (&self, other, TRUE);
  return self.both;
}
