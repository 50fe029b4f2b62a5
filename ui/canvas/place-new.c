/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/place-new.h"

#include <math.h>

SluicePlacing *
sluice_placing_new (SluiceGraphModel *before, SluicePoint at)
{
  SluicePlacing *self = g_new0 (SluicePlacing, 1);
  self->before = sluice_graph_model_ref (before);
  self->at = at;
  return self;
}

SluicePlacing *
sluice_placing_copy (const SluicePlacing *self)
{
  SluicePlacing *copy = sluice_placing_new (self->before, self->at);
  copy->moved = self->moved != NULL ? g_hash_table_ref (self->moved) : NULL;
  return copy;
}

void
sluice_placing_free (SluicePlacing *self)
{
  sluice_graph_model_unref (self->before);
  g_clear_pointer (&self->moved, g_hash_table_unref);
  g_free (self);
}

static gboolean
is_new (const SluicePlacing *self, const char *name)
{
  return sluice_graph_model_lookup (self->before, name) == G_MAXUINT
         || (self->moved != NULL && g_hash_table_contains (self->moved, name));
}

/* Per group: it is old, or was found already. */
static void
mark_up (SluiceHierarchy *h, guint group, guint top, guint8 *marks)
{
  while (group != SLUICE_NONE && !marks[group])
    {
      marks[group] = 1;
      group = group == top ? SLUICE_NONE : sluice_hierarchy_get_group (h, group)->parent;
    }
}

/* The outermost group around a new node in which nothing is old. */
static guint
outermost_new (SluiceHierarchy *h, guint op, const guint8 *marks)
{
  guint group = op;
  for (guint g = sluice_hierarchy_get_group (h, op)->parent; g != SLUICE_NONE && !marks[g];
       g = sluice_hierarchy_get_group (h, g)->parent)
    group = g;
  return group;
}

/* (transfer full) (element-type guint) */
static GArray *
find_new (SluiceHierarchy *h, const SluicePlacing *placing)
{
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  GArray *found = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint8 *marks = g_new0 (guint8, sluice_hierarchy_get_n_groups (h) + 1);
  guint n = sluice_graph_model_get_n_nodes (model);
  marks[0] = 1;
  for (guint i = 0; i < n; i++)
    if (!is_new (placing, sluice_graph_model_get_node (model, i)->name))
      mark_up (h, sluice_hierarchy_get_op_group (h, i), SLUICE_NONE, marks);
  for (guint i = 0; i < n; i++)
    {
      guint op = sluice_hierarchy_get_op_group (h, i);
      if (marks[op])
        continue;
      guint group = outermost_new (h, op, marks);
      g_array_append_val (found, group);
      mark_up (h, op, group, marks);
    }
  return found;
}

gboolean
sluice_place_new (SluiceScene *scene,
                  const SluicePlacing *placing,
                  SluiceViewState *state,
                  GPtrArray *paths)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (scene);
  g_autoptr (GArray) groups = find_new (h, placing);
  g_autoptr (GPtrArray) moved = g_ptr_array_new ();
  SluiceRect all = { 0, 0, 0, 0 };
  for (guint i = 0; i < groups->len; i++)
    {
      guint group = g_array_index (groups, guint, i), item = sluice_scene_find_item (scene, group);
      const char *path = sluice_hierarchy_get_group (h, group)->path;
      g_ptr_array_add (paths, g_strdup (path));
      /* In a closed scope, or beside what reads it, there is no box to be moved. */
      if (item == SLUICE_NONE || sluice_scene_get_item (scene, item)->node != group
          || !sluice_scene_can_move (scene, item))
        continue;
      SluiceRect r = sluice_scene_get_item (scene, item)->rect;
      all = moved->len == 0 ? r : sluice_rect_union (&all, &r);
      g_ptr_array_add (moved, (gpointer) path);
    }
  SluicePoint middle = sluice_rect_centre (&all);
  if (isnan (placing->at.x))
    return FALSE;
  for (guint i = 0; i < moved->len; i++)
    {
      double x = 0, y = 0;
      sluice_view_state_get_move (state, moved->pdata[i], &x, &y);
      sluice_view_state_set_move (state, moved->pdata[i], x + placing->at.x - middle.x,
                                  y + placing->at.y - middle.y);
    }
  return moved->len > 0;
}

static gboolean
find_middle (SluiceScene *scene, const char *path, SluicePoint *middle)
{
  guint group = sluice_hierarchy_lookup (sluice_scene_get_hierarchy (scene), path);
  guint item = group == SLUICE_NONE ? SLUICE_NONE : sluice_scene_find_item (scene, group);
  if (item == SLUICE_NONE || sluice_scene_get_item (scene, item)->node != group)
    return FALSE;
  *middle = sluice_rect_centre (&sluice_scene_get_item (scene, item)->rect);
  return TRUE;
}

SluicePoint
sluice_scene_get_shift (SluiceScene *scene, SluiceScene *before, const char *path)
{
  SluicePoint now, was;
  if (path == NULL || !find_middle (scene, path, &now) || !find_middle (before, path, &was))
    return (SluicePoint){ 0, 0 };
  return (SluicePoint){ now.x - was.x, now.y - was.y };
}
