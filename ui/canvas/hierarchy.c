/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

static SluiceHierarchy *
new_empty (SluiceGraphModel *model)
{
  SluiceHierarchy *self = g_new0 (SluiceHierarchy, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->model = sluice_graph_model_ref (model);
  self->texts = sluice_graph_model_get_texts (model);
  self->op_group = g_new (guint, sluice_graph_model_get_n_nodes (model) + 1);
  self->devices = g_ptr_array_new ();
  self->gradients = g_array_new (FALSE, FALSE, sizeof (SluiceGradient));
  return self;
}

/* before: (nullable) */
static SluiceHierarchy *
build (SluiceGraphModel *model, const SluiceHierarchy *before)
{
  SluiceHierarchy *self = new_empty (model);
  SluiceTree tree;
  sluice_hierarchy_find_services (self);
  sluice_tree_init (&tree, self, before);
  sluice_tree_find_pairs (&tree);
  sluice_tree_find_changes (&tree);
  sluice_hierarchy_outline (self, &tree);
  sluice_hierarchy_lift_edges (self);
  sluice_hierarchy_build_bundles (self, FALSE);
  sluice_hierarchy_sum_up (self);
  sluice_hierarchy_hash_structures (self, FALSE);
  sluice_hierarchy_find_hubs (self);
  if (sluice_hierarchy_insert_folds (self, TRUE))
    sluice_hierarchy_find_hubs (self);
  if (sluice_hierarchy_insert_series (self))
    {
      sluice_hierarchy_build_bundles (self, FALSE);
      sluice_hierarchy_sum_up (self);
      sluice_hierarchy_hash_structures (self, TRUE);
    }
  sluice_hierarchy_find_hubs (self);
  if (sluice_hierarchy_insert_folds (self, FALSE))
    sluice_hierarchy_find_hubs (self);
  sluice_hierarchy_build_bundles (self, TRUE);
  sluice_hierarchy_fill_in (self, &tree);
  sluice_hierarchy_choose_hues (self);
  sluice_hierarchy_find_carries (self);
  sluice_hierarchy_find_loops (self);
  sluice_tree_clear (&tree);
  g_clear_pointer (&self->inner, g_array_unref);
  return self;
}

SluiceHierarchy *
sluice_hierarchy_new (SluiceGraphModel *model)
{
  return build (model, NULL);
}

SluiceHierarchy *
sluice_hierarchy_new_after (SluiceHierarchy *before, SluiceGraphModel *model)
{
  g_return_val_if_fail (before->texts == sluice_graph_model_get_texts (model), NULL);
  return build (model, before);
}

SluiceHierarchy *
sluice_hierarchy_ref (SluiceHierarchy *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
sluice_hierarchy_unref (SluiceHierarchy *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_free (self->groups);
  g_free (self->op_group);
  g_free (self->bundles);
  g_free (self->bundled);
  g_free (self->bundle_start);
  g_free (self->scopes.slots);
  g_free (self->tops.slots);
  g_free (self->loose);
  g_free (self->service);
  g_free (self->draft);
  g_free (self->outer);
  g_array_unref (self->gradients);
  sluice_path_table_clear (&self->paths);
  g_ptr_array_unref (self->devices);
  sluice_graph_model_unref (self->model);
  g_free (self);
}

SluiceGraphModel *
sluice_hierarchy_get_model (SluiceHierarchy *self)
{
  return self->model;
}

guint
sluice_hierarchy_get_n_groups (SluiceHierarchy *self)
{
  return self->n_groups;
}

const SluiceGroup *
sluice_hierarchy_get_group (SluiceHierarchy *self, guint index)
{
  g_return_val_if_fail (index < self->n_groups, NULL);
  return &self->groups[index];
}

guint
sluice_hierarchy_get_op_group (SluiceHierarchy *self, guint model_node)
{
  return self->op_group[model_node];
}

guint
sluice_hierarchy_lookup (SluiceHierarchy *self, const char *path)
{
  return sluice_path_table_lookup (&self->paths, self->groups, path, strlen (path),
                                   g_str_hash (path));
}

guint
sluice_hierarchy_get_bundles (SluiceHierarchy *self, guint group, guint *first)
{
  *first = self->bundle_start[group];
  return self->bundle_start[group + 1] - *first;
}

const SluiceEdgeBundle *
sluice_hierarchy_get_bundle (SluiceHierarchy *self, guint index)
{
  g_return_val_if_fail (index < self->n_bundles, NULL);
  return &self->bundles[index];
}

guint
sluice_hierarchy_get_bundled_edge (SluiceHierarchy *self, guint index)
{
  return self->bundled[index];
}

guint
sluice_hierarchy_get_n_devices (SluiceHierarchy *self)
{
  return self->devices->len;
}

const char *
sluice_hierarchy_get_device (SluiceHierarchy *self, guint index)
{
  g_return_val_if_fail (index < self->devices->len, NULL);
  return self->devices->pdata[index];
}

gboolean
sluice_hierarchy_is_below (SluiceHierarchy *self, guint group, guint ancestor)
{
  while (self->groups[group].depth > self->groups[ancestor].depth)
    group = self->groups[group].parent;
  return group == ancestor;
}

static void
count_device (GHashTable *counts, const SluiceGroup *g)
{
  gpointer key = GUINT_TO_POINTER (g->device);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, key));
  g_hash_table_insert (counts, key, GUINT_TO_POINTER (n + g->n_ops));
}

static int
compare_devices (gconstpointer pa, gconstpointer pb)
{
  const SluiceDeviceOps *a = pa, *b = pb;
  return a->device < b->device ? -1 : a->device > b->device;
}

GArray *
sluice_hierarchy_dup_device_ops (SluiceHierarchy *self, guint group)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *result = g_array_new (FALSE, FALSE, sizeof (SluiceDeviceOps));
  GHashTableIter iter;
  gpointer device, n_ops;
  g_return_val_if_fail (group < self->n_groups, result);
  g_array_append_val (todo, group);
  while (todo->len > 0)
    {
      const SluiceGroup *g = &self->groups[g_array_index (todo, guint, todo->len - 1)];
      g_array_set_size (todo, todo->len - 1);
      if (g->n_children == 0 || g->device != SLUICE_NONE) /* all of it on one */
        count_device (counts, g);
      else
        for (guint i = 0; i < g->n_children; i++)
          {
            guint child = g->first_child + i;
            g_array_append_val (todo, child);
          }
    }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &device, &n_ops))
    {
      SluiceDeviceOps entry = { GPOINTER_TO_UINT (device), GPOINTER_TO_UINT (n_ops) };
      g_array_append_val (result, entry);
    }
  g_array_sort (result, compare_devices);
  return result;
}
