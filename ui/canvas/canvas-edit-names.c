/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

/* What the world calls what is selected: a fold of boxes that are alike is called by all of them.
 */

const char *
sluice_canvas_edit_get_node (SluiceCanvas *self, guint item)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  guint group = sluice_scene_get_item (self->scene, item)->node;
  const SluiceGroup *g = group == SLUICE_NONE ? NULL : sluice_hierarchy_get_group (h, group);
  return g == NULL || g->kind != SLUICE_GROUP_OP
             ? NULL
             : sluice_graph_model_get_node (sluice_hierarchy_get_model (h), g->model_node)->name;
}

static void
append_names (SluiceCanvas *self, guint group, GPtrArray *names)
{
  const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, group);
  if (g->kind == SLUICE_GROUP_SERIES)
    for (guint i = g->first_child; i < g->first_child + g->n_children; i++)
      append_names (self, i, names);
  else
    g_ptr_array_add (names, g_strdup (sluice_canvas_path_name (self, g->path)));
}

/* Whether something around @group is selected as well. */
static gboolean
is_within (SluiceCanvas *self, guint group)
{
  for (guint g = sluice_hierarchy_get_group (self->hierarchy, group)->parent;
       g != 0 && g != SLUICE_NONE; g = sluice_hierarchy_get_group (self->hierarchy, g)->parent)
    if (g_hash_table_contains (self->selected,
                               sluice_hierarchy_get_group (self->hierarchy, g)->path))
      return TRUE;
  return FALSE;
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

char **
sluice_canvas_edit_dup_names (SluiceCanvas *self)
{
  GPtrArray *names = g_ptr_array_new ();
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (guint));
  GHashTableIter iter;
  gpointer path;
  g_hash_table_iter_init (&iter, self->selected);
  while (self->hierarchy != NULL && g_hash_table_iter_next (&iter, &path, NULL))
    {
      guint group = sluice_hierarchy_lookup (self->hierarchy, path);
      if (group != SLUICE_NONE && group != 0 && !is_within (self, group))
        g_array_append_val (groups, group);
    }
  g_array_sort (groups, compare_groups); /* the same command for the same selection */
  for (guint i = 0; i < groups->len; i++)
    append_names (self, g_array_index (groups, guint, i), names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}
