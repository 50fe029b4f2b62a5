/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* The group's path; SLUICE_NONE items ("+5", headings) have none. */
const char *
sluice_canvas_item_path (SluiceCanvas *self, guint item)
{
  guint node = item == SLUICE_NONE ? SLUICE_NONE : sluice_scene_get_item (self->scene, item)->node;
  /* The scene's own: of a new model there may be no hierarchy yet while the old one is drawn. */
  return node == SLUICE_NONE
             ? NULL
             : sluice_hierarchy_get_group (sluice_scene_get_hierarchy (self->scene), node)->path;
}

/* What the world calls it: an op by its node's name ("w", not "w/(w)"), a scope by its prefix. */
const char *
sluice_canvas_path_name (SluiceCanvas *self, const char *path)
{
  guint group = path == NULL || self->hierarchy == NULL
                    ? SLUICE_NONE
                    : sluice_hierarchy_lookup (self->hierarchy, path);
  if (group == SLUICE_NONE)
    return path;
  const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, group);
  return g->kind == SLUICE_GROUP_OP ? sluice_graph_model_get_node (self->model, g->model_node)->name
                                    : path;
}

char *
sluice_canvas_dup_selection_words (SluiceCanvas *self)
{
  guint n = g_hash_table_size (self->selected);
  const char *name = sluice_canvas_path_name (self, self->lead);
  if (name == NULL || n <= 1)
    return g_strdup (name != NULL ? name : "");
  return g_strdup_printf (ngettext ("%s and %u more", "%s and %u more", n - 1), name, n - 1);
}

char *
sluice_canvas_item_text (SluiceCanvas *self, guint item)
{
  const char *path = sluice_canvas_item_path (self, item);
  const SluiceCanvasValue *value =
      path != NULL ? sluice_value_table_get (self->values, path) : NULL;
  char *text = sluice_scene_dup_item_text (self->scene, item, value != NULL ? value->text : NULL);
  const char *mark;
  sluice_marks_get (self->marks, sluice_scene_get_item (self->scene, item)->node, &mark);
  GString *said = g_string_new (text);
  g_free (text);
  if (sluice_canvas_is_muted (self, item))
    g_string_append (said, _ (", muted"));
  sluice_canvas_edit_append_ports (self, item, said);
  if (mark != NULL)
    g_string_append_printf (said, ". %s", mark);
  sluice_marks_get (self->breaks, sluice_scene_get_item (self->scene, item)->node, &mark);
  if (mark != NULL)
    g_string_append_printf (said, ". %s", mark);
  return g_string_free (said, FALSE);
}

void
sluice_canvas_update_flags (SluiceCanvas *self)
{
  g_clear_pointer (&self->flags, g_free);
  self->lead_item = SLUICE_NONE;
  if (self->scene == NULL || self->hierarchy == NULL)
    return;
  self->flags = g_new0 (guint8, sluice_scene_get_n_items (self->scene) + 1);
  GHashTableIter iter;
  gpointer path;
  g_hash_table_iter_init (&iter, self->selected);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    {
      guint group = sluice_hierarchy_lookup (self->hierarchy, path);
      guint item = group == SLUICE_NONE || group == 0 ? SLUICE_NONE
                                                      : sluice_scene_find_item (self->scene, group);
      if (item == SLUICE_NONE)
        continue;
      self->flags[item] = 1;
      if (g_strcmp0 (path, self->lead) == 0)
        self->lead_item = item;
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
set_lead (SluiceCanvas *self, const char *path)
{
  if (g_strcmp0 (self->lead, path) == 0)
    {
      sluice_canvas_update_flags (self);
      return;
    }
  g_free (self->lead);
  self->lead = g_strdup (path);
  sluice_canvas_update_flags (self);
  sluice_canvas_edit_update_actions (self);
  sluice_canvas_queue_proxies (self);
  g_signal_emit (self, sluice_canvas_signals[CANVAS_SELECTION_CHANGED], 0,
                 sluice_canvas_path_name (self, self->lead));
}

void
sluice_canvas_select_path (SluiceCanvas *self, const char *path)
{
  g_autofree char *copy = g_strdup (path); /* @path may belong to the set */
  sluice_canvas_choose_line (self, SLUICE_NONE);
  sluice_canvas_select_note (self, NULL);
  g_hash_table_remove_all (self->selected);
  g_hash_table_add (self->selected, g_strdup (copy));
  set_lead (self, copy);
}

void
sluice_canvas_select_paths (SluiceCanvas *self, const GPtrArray *paths)
{
  sluice_canvas_select_note (self, NULL);
  g_hash_table_remove_all (self->selected);
  for (guint i = 0; i < paths->len; i++)
    g_hash_table_add (self->selected, g_strdup (paths->pdata[i]));
  set_lead (self, paths->len > 0 ? paths->pdata[0] : NULL);
}

void
sluice_canvas_select_none (SluiceCanvas *self)
{
  sluice_canvas_choose_line (self, SLUICE_NONE);
  sluice_canvas_select_note (self, NULL);
  g_hash_table_remove_all (self->selected);
  set_lead (self, NULL);
}

/* @extend: adds to the selection, or takes out what is in it. */
void
sluice_canvas_select_item (SluiceCanvas *self, guint item, gboolean extend)
{
  const char *path = sluice_canvas_item_path (self, item);
  GHashTableIter iter;
  gpointer other = NULL;
  if (path == NULL)
    return;
  if (!extend)
    {
      sluice_canvas_select_path (self, path);
      return;
    }
  sluice_canvas_choose_line (self, SLUICE_NONE);
  if (!g_hash_table_contains (self->selected, path))
    {
      g_hash_table_add (self->selected, g_strdup (path));
      set_lead (self, path);
      return;
    }
  g_hash_table_remove (self->selected, path);
  if (g_strcmp0 (path, self->lead) != 0)
    {
      sluice_canvas_update_flags (self);
      return;
    }
  g_hash_table_iter_init (&iter, self->selected);
  g_hash_table_iter_next (&iter, &other, NULL);
  set_lead (self, other);
}

void
sluice_canvas_select_rect (SluiceCanvas *self, const SluiceRect *area, gboolean extend)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  const char *lead = extend ? self->lead : NULL;
  if (!extend)
    g_hash_table_remove_all (self->selected);
  sluice_scene_query (self->scene, area, items);
  for (guint i = 0; i < items->len; i++)
    {
      guint index = g_array_index (items, guint, i);
      const char *path = sluice_canvas_item_path (self, index);
      /* A frame is meant only when all of it is in the band. */
      const SluiceSceneItem *item = sluice_scene_get_item (self->scene, index);
      gboolean whole = sluice_rect_contains (area, item->rect.x, item->rect.y)
                       && sluice_rect_contains (area, item->rect.x + item->rect.width,
                                                item->rect.y + item->rect.height);
      if (path == NULL || (item->kind == SLUICE_ITEM_OPEN_SCOPE && !whole))
        continue;
      g_hash_table_add (self->selected, g_strdup (path));
      if (lead == NULL)
        lead = path;
    }
  g_autofree char *copy = g_strdup (lead);
  set_lead (self, copy);
}

const char *
sluice_canvas_get_selection (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  return sluice_canvas_path_name (self, self->lead);
}

char **
sluice_canvas_dup_selected (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  GPtrArray *names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer path;
  if (self->lead != NULL)
    g_ptr_array_add (names, g_strdup (sluice_canvas_path_name (self, self->lead)));
  g_hash_table_iter_init (&iter, self->selected);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    if (g_strcmp0 (path, self->lead) != 0)
      g_ptr_array_add (names, g_strdup (sluice_canvas_path_name (self, path)));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* Opens the scopes above @group and brings it into view, now or as soon as the worker is done.
 * FALSE: there is no such thing. */
gboolean
sluice_canvas_reveal (SluiceCanvas *self, guint group)
{
  gboolean opened = FALSE;
  if (group == SLUICE_NONE || group == 0)
    return FALSE;
  const char *path = sluice_hierarchy_get_group (self->hierarchy, group)->path;
  for (guint g = sluice_hierarchy_get_group (self->hierarchy, group)->parent; g != 0;
       g = sluice_hierarchy_get_group (self->hierarchy, g)->parent)
    {
      const char *scope = sluice_hierarchy_get_group (self->hierarchy, g)->path;
      if (!sluice_view_state_is_open (self->state, scope))
        {
          sluice_view_state_set_open (self->state, scope, TRUE);
          opened = TRUE;
        }
    }
  g_free (self->reveal);
  self->reveal = g_strdup (path);
  if (opened)
    {
      sluice_canvas_rebuild (self, NULL);
      sluice_canvas_layout_changed (self);
    }
  else if (self->job == NULL)
    sluice_canvas_finish_reveal (self);
  return TRUE;
}

void
sluice_canvas_finish_reveal (SluiceCanvas *self)
{
  if (self->scene == NULL)
    return; /* nobody sees the canvas: when somebody does */
  g_autofree char *path = g_steal_pointer (&self->reveal);
  guint group = path == NULL ? SLUICE_NONE : sluice_hierarchy_lookup (self->hierarchy, path);
  guint item = group == SLUICE_NONE ? SLUICE_NONE : sluice_scene_find_item (self->scene, group);
  if (item == SLUICE_NONE)
    return;
  /* A glyph among "+5 more" becomes a box of its own, so that what was searched is seen. */
  if (sluice_scene_get_item (self->scene, item)->node != group
      && sluice_view_state_get_place (self->state, path) != SLUICE_PLACE_INCLUDE)
    {
      sluice_view_state_set_place (self->state, path, SLUICE_PLACE_INCLUDE);
      self->reveal = g_steal_pointer (&path);
      sluice_canvas_rebuild (self, NULL);
      return;
    }
  SluiceRect rect = sluice_scene_get_item (self->scene, item)->rect;
  sluice_canvas_show_rect (self, &rect);
}

static guint
group_by_name (SluiceCanvas *self, const char *name)
{
  guint group = sluice_hierarchy_lookup (self->hierarchy, name);
  guint node = group == SLUICE_NONE ? sluice_graph_model_lookup (self->model, name) : SLUICE_NONE;
  return node == SLUICE_NONE ? group : sluice_hierarchy_get_op_group (self->hierarchy, node);
}

void
sluice_canvas_drop_gone (SluiceCanvas *self, const char *successor)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer path;
  guint lead = self->lead != NULL ? group_by_name (self, self->lead) : SLUICE_NONE;
  if (g_hash_table_size (self->selected) == 0)
    return;
  if (lead == SLUICE_NONE && self->lead != NULL && successor != NULL)
    lead = group_by_name (self, successor);
  if (lead != SLUICE_NONE)
    g_ptr_array_add (paths, g_strdup (sluice_hierarchy_get_group (self->hierarchy, lead)->path));
  g_hash_table_iter_init (&iter, self->selected);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    {
      guint group = group_by_name (self, path);
      if (group != SLUICE_NONE && group != lead)
        g_ptr_array_add (paths,
                         g_strdup (sluice_hierarchy_get_group (self->hierarchy, group)->path));
    }
  sluice_canvas_select_paths (self, paths);
}

/* A node or a scope, where nobody has found the scopes yet. */
static gboolean
is_in_model (SluiceGraphModel *model, const char *name)
{
  if (sluice_graph_model_lookup (model, name) != G_MAXUINT)
    return TRUE;
  g_autofree char *inside = g_strconcat (name, "/", NULL);
  for (guint i = 0; i < sluice_graph_model_get_n_nodes (model); i++)
    if (g_str_has_prefix (sluice_graph_model_get_node (model, i)->name, inside))
      return TRUE;
  return FALSE;
}

gboolean
sluice_canvas_select (SluiceCanvas *self, const char *name)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), FALSE);
  if (name == NULL)
    {
      sluice_canvas_select_none (self);
      return TRUE;
    }
  /* The graph is still being laid out: the name is kept and found when that is done. */
  if (self->hierarchy == NULL)
    {
      if (self->model == NULL || !is_in_model (self->model, name))
        return FALSE;
      g_free (self->reveal);
      self->reveal = g_strdup (name);
      sluice_canvas_select_path (self, name);
      return TRUE;
    }
  guint group = group_by_name (self, name);
  if (group == SLUICE_NONE || group == 0)
    return FALSE;
  sluice_canvas_select_path (self, sluice_hierarchy_get_group (self->hierarchy, group)->path);
  return sluice_canvas_reveal (self, group);
}

static SluicePoint
centre_of (SluiceCanvas *self, guint item)
{
  return sluice_rect_centre (&sluice_scene_get_item (self->scene, item)->rect);
}

static void
go_to (SluiceCanvas *self, guint item)
{
  if (item == SLUICE_NONE)
    return;
  SluiceRect rect = sluice_scene_get_item (self->scene, item)->rect;
  sluice_canvas_select_item (self, item, FALSE);
  sluice_canvas_show_rect (self, &rect);
}

/* The end of a wire of @item that lies in the direction asked for, nearest first. */
static guint
follow_wire (SluiceCanvas *self, guint item, int dx, int dy)
{
  SluicePoint here = centre_of (self, item);
  guint best = SLUICE_NONE;
  double nearest = HUGE_VAL;
  for (int side = 0; side < 2; side++)
    {
      g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
      sluice_scene_get_item_edges (self->scene, item, side == 0, edges);
      for (guint i = 0; i < edges->len; i++)
        {
          const SluiceSceneEdge *e =
              sluice_scene_get_edge (self->scene, g_array_index (edges, guint, i));
          guint other = side == 0 ? e->to : e->from;
          if (e->quiet || other == item || other == SLUICE_NONE)
            continue;
          SluicePoint there = centre_of (self, other);
          double along = (there.x - here.x) * dx + (there.y - here.y) * dy;
          double beside = fabs ((there.x - here.x) * dy) + fabs ((there.y - here.y) * dx);
          double distance = along + 2 * beside;
          if (along > 1 && distance < nearest)
            {
              nearest = distance;
              best = other;
            }
        }
    }
  return best;
}

/* The nearest box of the same level in the direction asked for. */
static guint
nearest_sibling (SluiceCanvas *self, guint item, int dx, int dy)
{
  SluicePoint here = centre_of (self, item);
  guint parent = sluice_scene_get_item (self->scene, item)->parent, best = SLUICE_NONE;
  double nearest = HUGE_VAL;
  for (guint i = 0; i < sluice_scene_get_n_items (self->scene); i++)
    {
      const SluiceSceneItem *other = sluice_scene_get_item (self->scene, i);
      if (i == item || other->parent != parent || other->node == SLUICE_NONE)
        continue;
      SluicePoint there = centre_of (self, i);
      double along = (there.x - here.x) * dx + (there.y - here.y) * dy;
      double beside = fabs ((there.x - here.x) * dy) + fabs ((there.y - here.y) * dx);
      if (along > 1 && along + 3 * beside < nearest)
        {
          nearest = along + 3 * beside;
          best = i;
        }
    }
  return best;
}

/* Arrow keys: along the flow they follow wires, across it they go to siblings; each falls back on
 * the other. */
void
sluice_canvas_walk (SluiceCanvas *self, int dx, int dy)
{
  if (self->scene == NULL || sluice_scene_get_n_items (self->scene) == 0)
    return;
  if (self->lead_item == SLUICE_NONE)
    {
      sluice_canvas_walk_order (self, 1);
      return;
    }
  guint first = dy != 0 ? follow_wire (self, self->lead_item, dx, dy)
                        : nearest_sibling (self, self->lead_item, dx, dy);
  if (first == SLUICE_NONE)
    first = dy != 0 ? nearest_sibling (self, self->lead_item, dx, dy)
                    : follow_wire (self, self->lead_item, dx, dy);
  go_to (self, first);
}

/* Through everything that is drawn, in drawing order, round at the ends. */
void
sluice_canvas_walk_order (SluiceCanvas *self, int step)
{
  guint n = self->scene == NULL ? 0 : sluice_scene_get_n_items (self->scene);
  guint at = self->lead_item;
  for (guint tries = 0; tries < n; tries++)
    {
      at = at == SLUICE_NONE ? (step > 0 ? 0 : n - 1) : (at + n + step) % n;
      if (sluice_scene_get_item (self->scene, at)->node != SLUICE_NONE)
        {
          go_to (self, at);
          return;
        }
    }
}
