/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/block.h"
#include "engine/graph/scope.h"

#include <string.h>

/* The block of a port. (transfer full) (nullable) */
static char *
dup_block (const SluiceNode *node)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, SLUICE_BLOCK_ATTR);
  return value != NULL && value->kind == SLUICE_ATTR_STRING && value->s.length > 0
             ? g_strndup (value->s.data, value->s.length)
             : NULL;
}

char *
sluice_block_dup_name (SluiceGraph *graph, const char *scope)
{
  gsize length = strlen (scope);
  if (sluice_graph_count_marked (graph, SLUICE_BLOCK_ATTR) == 0)
    return NULL;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (!sluice_name_is_below (node->name, scope)
          || strchr (node->name + length + 1, '/') != NULL)
        continue;
      g_autofree char *block = dup_block (node);
      if (block != NULL)
        return g_steal_pointer (&block);
    }
  return NULL;
}

GStrv
sluice_block_list (SluiceGraph *graph)
{
  g_autoptr (GStrvBuilder) blocks = g_strv_builder_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint left = sluice_graph_count_marked (graph, SLUICE_BLOCK_ATTR);
  for (guint i = 0; left > 0 && i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      g_autofree char *block = dup_block (node);
      left -= sluice_node_get_attr (node, SLUICE_BLOCK_ATTR) != NULL;
      if (block == NULL || g_hash_table_contains (seen, block))
        continue;
      g_strv_builder_add (blocks, block);
      g_hash_table_add (seen, g_steal_pointer (&block));
    }
  return g_strv_builder_end (blocks);
}

GStrv
sluice_block_list_instances (SluiceGraph *graph, const char *block)
{
  g_autoptr (GStrvBuilder) scopes = g_strv_builder_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      const char *slash = strrchr (node->name, '/');
      g_autofree char *of = slash != NULL ? dup_block (node) : NULL;
      if (g_strcmp0 (of, block) != 0)
        continue;
      char *scope = g_strndup (node->name, (gsize) (slash - node->name));
      if (!g_hash_table_contains (seen, scope))
        g_strv_builder_add (scopes, scope);
      g_hash_table_add (seen, scope);
    }
  return g_strv_builder_end (scopes);
}
