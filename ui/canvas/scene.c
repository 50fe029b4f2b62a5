/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#define TIP_MEMBERS 4 /* of a fold, before the last one */

SluiceScene *
sluice_scene_ref (SluiceScene *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
sluice_scene_unref (SluiceScene *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  for (int side = 0; side < 2; side++)
    {
      g_free (self->edge_start[side]);
      g_free (self->edge_list[side]);
    }
  g_clear_pointer (&self->item_grid, sluice_grid_free);
  g_clear_pointer (&self->edge_grid, sluice_grid_free);
  g_array_unref (self->items);
  g_array_unref (self->origins);
  g_array_unref (self->edges);
  g_array_unref (self->points);
  g_free (self->item_of);
  g_string_chunk_free (self->strings);
  sluice_hierarchy_unref (self->hierarchy);
  g_free (self);
}

SluiceHierarchy *
sluice_scene_get_hierarchy (SluiceScene *self)
{
  return self->hierarchy;
}

guint
sluice_scene_get_n_items (SluiceScene *self)
{
  return self->items->len;
}

guint
sluice_scene_get_n_edges (SluiceScene *self)
{
  return self->edges->len;
}

const SluiceSceneItem *
sluice_scene_get_item (SluiceScene *self, guint index)
{
  g_return_val_if_fail (index < self->items->len, NULL);
  return &g_array_index (self->items, SluiceSceneItem, index);
}

const SluiceSceneEdge *
sluice_scene_get_edge (SluiceScene *self, guint index)
{
  g_return_val_if_fail (index < self->edges->len, NULL);
  return &g_array_index (self->edges, SluiceSceneEdge, index);
}

const SluicePoint *
sluice_scene_get_points (SluiceScene *self)
{
  return (const SluicePoint *) self->points->data;
}

SluiceRect
sluice_scene_get_bounds (SluiceScene *self)
{
  return self->bounds;
}

SluiceFlowDirection
sluice_scene_get_flow (SluiceScene *self)
{
  return self->flow;
}

guint
sluice_scene_find_item (SluiceScene *self, guint node)
{
  while (self->item_of[node] == SLUICE_NONE && node != 0)
    node = sluice_hierarchy_get_group (self->hierarchy, node)->parent;
  return self->item_of[node];
}

void
sluice_scene_query (SluiceScene *self, const SluiceRect *area, GArray *result)
{
  sluice_grid_query (self->item_grid, area, 0, result);
}

void
sluice_scene_query_larger (SluiceScene *self, const SluiceRect *area, double least, GArray *result)
{
  sluice_grid_query (self->item_grid, area, least, result);
}

void
sluice_scene_query_edges (SluiceScene *self, const SluiceRect *area, double least, GArray *result)
{
  sluice_grid_query (self->edge_grid, area, least, result);
}

guint
sluice_scene_pick (SluiceScene *self, double x, double y)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect point = { x, y, 0, 0 };
  guint best = SLUICE_NONE;
  sluice_grid_query (self->item_grid, &point, 0, found);
  for (guint i = 0; i < found->len; i++)
    {
      guint index = g_array_index (found, guint, i);
      const SluiceSceneItem *item = sluice_scene_get_item (self, index);
      const SluiceSceneItem *top = best == SLUICE_NONE ? NULL : sluice_scene_get_item (self, best);
      if (item->kind == SLUICE_ITEM_HEADING)
        continue;
      /* Frames lie below what is in them; later items above earlier ones. */
      if (top == NULL || item->depth >= top->depth)
        best = index;
    }
  return best;
}

void
sluice_scene_get_item_edges (SluiceScene *self, guint item, gboolean outgoing, GArray *result)
{
  int side = outgoing ? 0 : 1;
  guint first = self->edge_start[side][item];
  g_array_append_vals (result, self->edge_list[side] + first,
                       self->edge_start[side][item + 1] - first);
}

gboolean
sluice_scene_is_stalk (SluiceScene *self, const SluiceSceneEdge *edge)
{
  return sluice_scene_get_item (self, edge->from)->host == edge->to
         || sluice_scene_get_item (self, edge->to)->host == edge->from;
}

gboolean
sluice_scene_can_move (SluiceScene *self, guint item)
{
  const SluiceSceneItem *it = sluice_scene_get_item (self, item);
  return it->host == SLUICE_NONE && it->node != SLUICE_NONE && !it->aside;
}

/* The first tensor that an edge stands for, or NULL. */
static const SluiceModelEdge *
first_tensor (SluiceScene *self, const SluiceSceneEdge *e)
{
  if (e->bundle == SLUICE_NONE)
    return NULL;
  const SluiceEdgeBundle *b = sluice_hierarchy_get_bundle (self->hierarchy, e->bundle);
  return sluice_graph_model_get_edge (
      sluice_hierarchy_get_model (self->hierarchy),
      sluice_hierarchy_get_bundled_edge (self->hierarchy, b->first_edge));
}

/* Inputs in the order of the op's arguments. */
static int
compare_slots (gconstpointer pa, gconstpointer pb, gpointer data)
{
  guint a = *(const guint *) pa, b = *(const guint *) pb;
  const SluiceModelEdge *ea = first_tensor (data, sluice_scene_get_edge (data, a));
  const SluiceModelEdge *eb = first_tensor (data, sluice_scene_get_edge (data, b));
  guint sa = ea == NULL ? G_MAXUINT : ea->slot, sb = eb == NULL ? G_MAXUINT : eb->slot;
  if (sa != sb)
    return sa < sb ? -1 : 1;
  return a < b ? -1 : a > b;
}

static void
append_inputs (SluiceScene *self, guint item, GString *text)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  guint said = 0;
  sluice_scene_get_item_edges (self, item, FALSE, edges);
  g_array_sort_with_data (edges, compare_slots, self);
  for (guint i = 0; i < edges->len; i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (self, g_array_index (edges, guint, i));
      const SluiceSceneItem *from = sluice_scene_get_item (self, e->from);
      const SluiceModelEdge *m = first_tensor (self, e);
      if (e->kind != SLUICE_EDGE_DATA || from->kind == SLUICE_ITEM_OPEN_SCOPE || e->from == item)
        continue;
      g_string_append (text, said++ == 0 ? _ (", inputs ") : ", ");
      g_string_append (text, from->title);
      if (m == NULL || sluice_hierarchy_get_bundle (self->hierarchy, e->bundle)->n_edges > 1)
        continue;
      if (m->dtype != NULL)
        g_string_append_printf (text, " %s", m->dtype);
      if (m->shape != NULL)
        g_string_append_printf (text, " %s", m->shape);
    }
}

/* What an op makes, by the first of its edges. */
static void
append_result (SluiceScene *self, guint item, GString *text)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  sluice_scene_get_item_edges (self, item, TRUE, edges);
  for (guint i = 0; i < edges->len; i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (self, g_array_index (edges, guint, i));
      const SluiceModelEdge *m = e->kind == SLUICE_EDGE_DATA ? first_tensor (self, e) : NULL;
      if (m == NULL || m->shape == NULL)
        continue;
      g_string_append (text, _ (", gives"));
      if (m->dtype != NULL)
        g_string_append_printf (text, " %s", m->dtype);
      g_string_append_printf (text, " %s", m->shape);
      return;
    }
}

static void
append_outputs (SluiceScene *self, guint item, GString *text)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  guint said = 0;
  sluice_scene_get_item_edges (self, item, TRUE, edges);
  for (guint i = 0; i < edges->len; i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (self, g_array_index (edges, guint, i));
      if (e->to == item || e->kind == SLUICE_EDGE_CONTROL)
        continue;
      g_string_append (
          text, said++ == 0 ? (e->kind == SLUICE_EDGE_REFERENCE ? _ (", updates ") : _ (", feeds "))
                            : ", ");
      g_string_append (text, sluice_scene_get_item (self, e->to)->title);
    }
}

char *
sluice_loop_note (guint64 n_iterations)
{
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "loop · %" PRIu64 " iteration",
                                       "loop · %" PRIu64 " iterations", (gulong) n_iterations),
                          n_iterations);
}

static void
append_devices (SluiceScene *self, guint group, GString *text)
{
  g_autoptr (GArray) devices = sluice_hierarchy_dup_device_ops (self->hierarchy, group);
  guint said = 0;
  for (guint i = 0; i < devices->len; i++)
    {
      guint device = g_array_index (devices, SluiceDeviceOps, i).device;
      if (device == SLUICE_NONE)
        continue;
      g_string_append (text, said++ == 0 ? _ (", on ") : ", ");
      g_string_append (text, sluice_hierarchy_get_device (self->hierarchy, device));
    }
}

static const char *
kind_name (SluiceItemKind kind, const SluiceGroup *g)
{
  switch (kind)
    {
    case SLUICE_ITEM_VARIABLE:
      return _ ("variable");
    case SLUICE_ITEM_CONSTANT:
      return _ ("constant");
    case SLUICE_ITEM_SUMMARY:
      return _ ("summary");
    case SLUICE_ITEM_OPEN_SCOPE:
      return _ ("open scope");
    default:
      return g->section ? _ ("group") : g->kind == SLUICE_GROUP_SERIES ? _ ("series") : _ ("scope");
    }
}

char *
sluice_scene_dup_item_text (SluiceScene *self, guint index, const char *live)
{
  const SluiceSceneItem *item = sluice_scene_get_item (self, index);
  GString *text = g_string_new (NULL);
  if (item->node == SLUICE_NONE)
    {
      g_string_append (text, item->title);
      if (item->note != NULL)
        g_string_append_printf (text, ": %s", item->note);
      return g_string_free (text, FALSE);
    }
  const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, item->node);
  const SluiceModelNode *node =
      g->model_node == SLUICE_NONE ? NULL
                                   : sluice_graph_model_get_node (
                                       sluice_hierarchy_get_model (self->hierarchy), g->model_node);
  if (g->kind == SLUICE_GROUP_OP && item->kind == SLUICE_ITEM_OP)
    g_string_append (text, node->op);
  else
    g_string_append (text, kind_name (item->kind, g));
  g_string_append_printf (text, " %s", item->title);
  if (live != NULL || item->note != NULL)
    g_string_append_printf (text, ", %s", live != NULL ? live : item->note);
  append_inputs (self, index, text);
  if (node != NULL)
    append_result (self, index, text);
  append_outputs (self, index, text);
  append_devices (self, item->node, text);
  if (node != NULL && node->error != NULL)
    g_string_append_printf (text, ". %s", node->error);
  else if (g->n_errors > 0)
    g_string_append_printf (text,
                            g_dngettext (GETTEXT_PACKAGE, ". %u node in it has an error",
                                         ". %u nodes in it have errors", g->n_errors),
                            g->n_errors);
  return g_string_free (text, FALSE);
}

/* "cell_0, cell_1, cell_2 … cell_27" */
static void
append_members (SluiceScene *self, const SluiceGroup *g, GString *text)
{
  const guint n = g->n_children;
  for (guint i = 0; i < n; i++)
    {
      if (i == TIP_MEMBERS && n > TIP_MEMBERS + 1)
        {
          g_string_append (text, " … ");
          i = n - 1;
        }
      else if (i > 0)
        g_string_append (text, ", ");
      g_string_append (text,
                       sluice_hierarchy_get_group (self->hierarchy, g->first_child + i)->label);
    }
}

char *
sluice_scene_dup_item_tip (SluiceScene *self, guint index)
{
  const SluiceSceneItem *item = sluice_scene_get_item (self, index);
  GString *text = g_string_new (NULL);
  if (item->kind == SLUICE_ITEM_OPEN_SCOPE || item->kind == SLUICE_ITEM_HEADING)
    return g_string_free (text, TRUE);
  if (item->node == SLUICE_NONE)
    {
      g_string_append (text, item->note != NULL ? item->note : "");
      return g_string_free (text, text->len == 0);
    }
  const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, item->node);
  if (g->kind == SLUICE_GROUP_SERIES)
    append_members (self, g, text);
  else if (g->model_node != SLUICE_NONE)
    {
      const SluiceModelNode *node =
          sluice_graph_model_get_node (sluice_hierarchy_get_model (self->hierarchy), g->model_node);
      g_string_append (text, node->name);
      if (strcmp (node->name, node->op) != 0)
        g_string_append_printf (text, "\n%s", node->op);
    }
  else if (strcmp (g->path, item->title) != 0)
    g_string_append (text, g->path);
  return g_string_free (text, text->len == 0);
}
