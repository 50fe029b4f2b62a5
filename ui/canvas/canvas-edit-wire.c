/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <string.h>

/* A wire in hand, and where it may go. Each open end in view is asked about once, a few
 * milliseconds of each frame; an end that is in use only when the pointer comes to its box: a wire
 * there would be replaced. */

static void
clear_target (gpointer data)
{
  g_free (((CanvasTarget *) data)->words);
}

CanvasTarget *
sluice_canvas_edit_get_target (SluiceCanvas *self, guint target)
{
  GArray *targets = self->edit->wire.targets;
  return targets == NULL || target >= targets->len ? NULL
                                                   : &g_array_index (targets, CanvasTarget, target);
}

const CanvasPort *
sluice_canvas_edit_target_port (SluiceCanvas *self, guint target)
{
  const CanvasTarget *t = sluice_canvas_edit_get_target (self, target);
  return &g_array_index (sluice_canvas_edit_get_ports (self, t->item), CanvasPort, t->port);
}

SluiceCanvasLink
sluice_canvas_edit_target_link (SluiceCanvas *self, guint target)
{
  const CanvasWire *wire = &self->edit->wire;
  const CanvasPort *port = sluice_canvas_edit_target_port (self, target);
  SluiceCanvasEnd fixed = { wire->node, wire->index }, free_end = { port->node, port->index };
  return wire->is_output ? (SluiceCanvasLink){ fixed, free_end }
                         : (SluiceCanvasLink){ free_end, fixed };
}

static void
clear_wire (CanvasWire *wire)
{
  g_free (wire->node);
  g_free (wire->dtype);
  g_free (wire->shape);
  g_free (wire->off_node);
  g_free (wire->is_asked);
  g_clear_pointer (&wire->targets, g_array_unref);
  *wire = (CanvasWire){ .item = SLUICE_NONE, .port = SLUICE_NONE, .chosen = SLUICE_NONE };
}

void
sluice_canvas_edit_end_wire (SluiceCanvas *self)
{
  gboolean was_held = self->edit->wire.state != WIRE_NONE;
  clear_wire (&self->edit->wire);
  if (!was_held)
    return;
  sluice_canvas_edit_update_status (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
reset_targets (SluiceCanvas *self)
{
  CanvasWire *wire = &self->edit->wire;
  g_clear_pointer (&wire->targets, g_array_unref);
  g_free (wire->is_asked);
  wire->targets = g_array_new (FALSE, TRUE, sizeof (CanvasTarget));
  g_array_set_clear_func (wire->targets, clear_target);
  wire->is_asked = g_new0 (guint8, sluice_scene_get_n_items (self->scene) + 1);
  wire->n_judged = 0;
  wire->chosen = SLUICE_NONE;
}

/* What an input reads. */
static const SluiceModelEdge *
find_source (SluiceGraphModel *model, const CanvasPort *input)
{
  guint n, node = sluice_graph_model_lookup (model, input->node);
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (model, &n);
  for (guint i = 0; i < n; i++)
    if (edges[i].to == node && edges[i].slot == input->index
        && edges[i].kind != SLUICE_EDGE_CONTROL)
      return &edges[i];
  return NULL;
}

/* A wire is taken off the input that it reaches: what is held is its other end. */
static void
take_off (SluiceCanvas *self, const CanvasPort *input, const SluiceModelEdge *edge)
{
  CanvasWire *wire = &self->edit->wire;
  SluiceGraphModel *model = sluice_hierarchy_get_model (sluice_scene_get_hierarchy (self->scene));
  wire->node = g_strdup (sluice_graph_model_get_node (model, edge->from)->name);
  wire->index = edge->port;
  wire->is_output = TRUE;
  wire->dtype = g_strdup (edge->dtype);
  wire->shape = g_strdup (edge->shape);
  wire->off_node = g_strdup (input->node);
  wire->off_index = input->index;
}

void
sluice_canvas_edit_begin_wire (SluiceCanvas *self, CanvasWireState state, guint item, guint port)
{
  CanvasWire *wire = &self->edit->wire;
  const CanvasPort *p =
      &g_array_index (sluice_canvas_edit_get_ports (self, item), CanvasPort, port);
  const SluiceModelEdge *edge =
      state != WIRE_DRAGGED || p->is_output || p->is_open
          ? NULL
          : find_source (sluice_hierarchy_get_model (sluice_scene_get_hierarchy (self->scene)), p);
  sluice_canvas_edit_end_wire (self);
  wire->state = state;
  if (edge != NULL)
    take_off (self, p, edge);
  else
    {
      wire->node = g_strdup (p->node);
      wire->index = p->index;
      wire->is_output = p->is_output;
      wire->dtype = g_strdup (p->dtype);
      wire->shape = g_strdup (p->shape);
    }
  wire->port = port;
  sluice_canvas_hide_tip (self);
  sluice_canvas_edit_rebind_wire (self);
}

/* The box that an end is drawn at. */
static guint
item_of_node (SluiceCanvas *self, const char *name)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  guint node = sluice_graph_model_lookup (sluice_hierarchy_get_model (h), name);
  return node == G_MAXUINT
             ? SLUICE_NONE
             : sluice_scene_find_item (self->scene, sluice_hierarchy_get_op_group (h, node));
}

void
sluice_canvas_edit_rebind_wire (SluiceCanvas *self)
{
  CanvasWire *wire = &self->edit->wire;
  guint item = wire->state == WIRE_NONE || self->scene == NULL ? SLUICE_NONE
                                                               : item_of_node (self, wire->node);
  if (item == SLUICE_NONE)
    {
      sluice_canvas_edit_end_wire (self);
      return;
    }
  SluiceRect r = sluice_scene_get_item (self->scene, item)->rect;
  GArray *ports = sluice_canvas_edit_get_ports (self, item);
  gboolean top = wire->is_output == (sluice_scene_get_flow (self->scene) == SLUICE_FLOW_UP);
  wire->item = item;
  wire->at = (SluicePoint){ r.x + r.width / 2, top ? r.y : r.y + r.height };
  for (guint i = 0; i < ports->len; i++)
    {
      const CanvasPort *port = &g_array_index (ports, CanvasPort, i);
      if (port->is_output == wire->is_output && port->index == wire->index
          && g_str_equal (port->node, wire->node) && port->is_drawn)
        wire->at = port->at;
    }
  reset_targets (self);
}

void
sluice_canvas_edit_ask (SluiceCanvas *self, guint item, gboolean all)
{
  CanvasWire *wire = &self->edit->wire;
  guint8 want = all ? 2 : 1;
  const SluiceSceneItem *it = sluice_scene_get_item (self->scene, item);
  if (wire->is_asked[item] >= want || item == wire->item || it->node == SLUICE_NONE
      || it->kind == SLUICE_ITEM_OPEN_SCOPE)
    return;
  GArray *ports = sluice_canvas_edit_get_ports (self, item);
  for (guint i = 0; i < ports->len; i++)
    {
      const CanvasPort *port = &g_array_index (ports, CanvasPort, i);
      /* Many may read one output. */
      gboolean is_free = port->is_open || port->is_output;
      CanvasTarget target = { .item = item, .port = i };
      if (port->is_output == wire->is_output || (!is_free && !all)
          || (is_free && wire->is_asked[item] > 0))
        continue;
      g_array_append_val (wire->targets, target);
    }
  wire->is_asked[item] = want;
}

void
sluice_canvas_edit_ask_visible (SluiceCanvas *self)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = sluice_canvas_visible (self);
  if (!sluice_canvas_edit_shows_ports (self))
    return;
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    if (sluice_canvas_edit_shows_ports_of (self, g_array_index (items, guint, i)))
      sluice_canvas_edit_ask (self, g_array_index (items, guint, i), FALSE);
}

void
sluice_canvas_edit_judge_target (SluiceCanvas *self, guint target)
{
  const CanvasEdit *edit = self->edit;
  CanvasTarget *t = sluice_canvas_edit_get_target (self, target);
  SluiceCanvasLink link = sluice_canvas_edit_target_link (self, target);
  if (t->is_judged)
    return;
  t->is_judged = TRUE;
  t->fits = edit->editor->judge == NULL || edit->editor->judge (&link, &t->words, edit->user_data);
}

gboolean
sluice_canvas_edit_judge (SluiceCanvas *self, gint64 budget)
{
  CanvasWire *wire = &self->edit->wire;
  gint64 end = g_get_monotonic_time () + budget;
  while (wire->n_judged < wire->targets->len && g_get_monotonic_time () < end)
    sluice_canvas_edit_judge_target (self, wire->n_judged++);
  return wire->n_judged == wire->targets->len;
}

guint
sluice_canvas_edit_best_target (SluiceCanvas *self, guint item, gboolean all)
{
  const CanvasWire *wire = &self->edit->wire;
  guint best = SLUICE_NONE, best_rank = 0;
  for (guint i = 0; i < wire->targets->len; i++)
    {
      const CanvasTarget *t = &g_array_index (wire->targets, CanvasTarget, i);
      if (t->item != item || !t->is_judged)
        continue;
      const CanvasPort *port = sluice_canvas_edit_target_port (self, i);
      guint rank = 1 + (t->fits ? 2 : 0) + (port->is_open ? 1 : 0);
      if (rank <= best_rank || (!all && !port->is_open && !port->is_output))
        continue;
      best = i;
      best_rank = rank;
    }
  return best;
}

/* The port at the pointer, else what is best of the box there. */
static guint
target_at (SluiceCanvas *self, double x, double y)
{
  CanvasWire *wire = &self->edit->wire;
  guint item, port;
  SluicePoint p = sluice_canvas_to_scene (self, x, y);
  const CanvasPort *at = sluice_canvas_edit_pick_port (self, x, y, &item, &port);
  if (at == NULL || at->is_output == wire->is_output)
    {
      item = sluice_scene_pick (self->scene, p.x, p.y);
      at = NULL;
    }
  if (item == SLUICE_NONE)
    return SLUICE_NONE;
  sluice_canvas_edit_ask (self, item, TRUE);
  for (guint i = 0; i < wire->targets->len; i++)
    {
      const CanvasTarget *t = &g_array_index (wire->targets, CanvasTarget, i);
      if (t->item == item)
        sluice_canvas_edit_judge_target (self, i);
      if (at != NULL && t->item == item && t->port == port)
        return i;
    }
  return sluice_canvas_edit_best_target (self, item, TRUE);
}

void
sluice_canvas_edit_move_wire (SluiceCanvas *self, double x, double y)
{
  CanvasWire *wire = &self->edit->wire;
  wire->x = x;
  wire->y = y;
  wire->chosen = target_at (self, x, y);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_drop_wire (SluiceCanvas *self)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  if (self->edit != NULL)
    sluice_canvas_edit_end_wire (self);
}
