/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <math.h>

#include "ui/canvas/path.h"

/* What becomes of a wire that is let go: a connection, a question to the palette, or nothing. */

/* ---- wires that are there ---- */

gboolean
sluice_canvas_edit_edge_link (SluiceCanvas *self, guint edge, SluiceCanvasLink *link)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  if (e->bundle == SLUICE_NONE || e->kind != SLUICE_EDGE_DATA)
    return FALSE;
  const SluiceEdgeBundle *b = sluice_hierarchy_get_bundle (h, e->bundle);
  if (b->n_edges != 1)
    return FALSE;
  const SluiceModelEdge *m =
      sluice_graph_model_get_edge (model, sluice_hierarchy_get_bundled_edge (h, b->first_edge));
  link->from = (SluiceCanvasEnd){ sluice_graph_model_get_node (model, m->from)->name, m->port };
  link->to = (SluiceCanvasEnd){ sluice_graph_model_get_node (model, m->to)->name, m->slot };
  return TRUE;
}

static double
distance_to_piece (SluicePoint a, SluicePoint b, SluicePoint p)
{
  double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  double t = square > 0 ? CLAMP (((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0, 1) : 0;
  return hypot (a.x + t * dx - p.x, a.y + t * dy - p.y);
}

static double
distance_to_edge (SluiceCanvas *self, guint edge, SluicePoint p)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  g_autoptr (GArray) pieces =
      sluice_path_flatten (sluice_scene_get_points (self->scene) + e->first_point, e->n_points);
  double nearest = HUGE_VAL;
  for (guint k = 1; k < pieces->len; k++)
    nearest = MIN (nearest, distance_to_piece (g_array_index (pieces, SluicePoint, k - 1),
                                               g_array_index (pieces, SluicePoint, k), p));
  return nearest;
}

/* The line nearest to this pixel, among all or among single wires: SLUICE_NONE. */
static guint
pick (SluiceCanvas *self, double x, double y, gboolean of_wires)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  SluicePoint p = sluice_canvas_to_scene (self, x, y);
  double nearest = EDIT_WIRE_REACH * self->text_scale / self->view.zoom;
  SluiceRect area = { p.x - nearest, p.y - nearest, 2 * nearest, 2 * nearest };
  guint found = SLUICE_NONE;
  SluiceCanvasLink link;
  sluice_scene_query_edges (self->scene, &area, 0, edges);
  for (guint i = 0; i < edges->len; i++)
    {
      guint edge = g_array_index (edges, guint, i);
      if (sluice_scene_get_edge (self->scene, edge)->quiet
          || (of_wires && !sluice_canvas_edit_edge_link (self, edge, &link)))
        continue;
      double distance = distance_to_edge (self, edge, p);
      if (distance >= nearest)
        continue;
      nearest = distance;
      found = edge;
    }
  return found;
}

guint
sluice_canvas_edit_pick_edge (SluiceCanvas *self, double x, double y)
{
  return pick (self, x, y, TRUE);
}

guint
sluice_canvas_edit_pick_line (SluiceCanvas *self, double x, double y)
{
  return pick (self, x, y, FALSE);
}

/* ---- the palette ---- */

/* The end that refused the wire and is nearest to where it was let go. */
static SluiceCanvasEnd
nearest_refusal (SluiceCanvas *self, SluicePoint at)
{
  const CanvasWire *wire = &self->edit->wire;
  double nearest = HUGE_VAL;
  SluiceCanvasEnd end = { NULL, 0 };
  for (guint i = 0; i < wire->targets->len; i++)
    {
      const CanvasTarget *t = &g_array_index (wire->targets, CanvasTarget, i);
      const CanvasPort *port = sluice_canvas_edit_target_port (self, i);
      double distance = i == wire->chosen ? 0 : hypot (port->at.x - at.x, port->at.y - at.y);
      if (!t->is_judged || t->fits || distance >= nearest)
        continue;
      nearest = distance;
      end = (SluiceCanvasEnd){ port->node, port->index };
    }
  return end;
}

void
sluice_canvas_edit_open_palette (
    SluiceCanvas *self, double x, double y, gboolean at_pointer, const char *text)
{
  CanvasEdit *edit = self->edit;
  SluiceCanvasPaletteRequest request = {
    .x = x, .y = y, .at = sluice_canvas_to_scene (self, x, y), .text = text
  };
  if (edit->editor->palette == NULL)
    return;
  if (edit->wire.state != WIRE_NONE)
    {
      request.port = (SluiceCanvasEnd){ edit->wire.node, edit->wire.index };
      request.is_output = edit->wire.is_output;
      request.near = nearest_refusal (self, request.at);
      edit->wire.state = WIRE_WAITS;
      edit->wire.x = x;
      edit->wire.y = y;
    }
  else
    {
      /* A line that runs beside what is selected is not meant; one that was chosen is. */
      guint edge = self->scene == NULL ? SLUICE_NONE
                   : at_pointer        ? sluice_canvas_edit_pick_edge (self, x, y)
                                       : self->line.edge;
      request.selected = sluice_canvas_get_selection (self);
      if (edge != SLUICE_NONE)
        sluice_canvas_edit_edge_link (self, edge, &request.wire);
    }
  sluice_canvas_edit_update_status (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  edit->editor->palette (&request, edit->user_data);
}

/* ---- letting go ---- */

static void
connect_target (SluiceCanvas *self, guint target)
{
  CanvasEdit *edit = self->edit;
  const CanvasPort *port = sluice_canvas_edit_target_port (self, target);
  /* What the editor does may end the wire: all of the request is of its own. */
  g_autofree char *node = g_strdup (edit->wire.node), *other = g_strdup (port->node),
                  *off_node = g_strdup (edit->wire.off_node);
  SluiceCanvasEnd held = { node, edit->wire.index }, end = { other, port->index },
                  off = { off_node, edit->wire.off_index };
  SluiceCanvasLink link =
      edit->wire.is_output ? (SluiceCanvasLink){ held, end } : (SluiceCanvasLink){ end, held };
  gboolean is_back = off_node != NULL && g_str_equal (off_node, other) && off.index == end.index;
  sluice_canvas_edit_end_wire (self);
  if (!is_back && edit->editor->connect != NULL)
    edit->editor->connect (&link, off_node != NULL ? &off : NULL, edit->user_data);
}

void
sluice_canvas_edit_drop_on (SluiceCanvas *self, guint target)
{
  const CanvasTarget *t = sluice_canvas_edit_get_target (self, target);
  if (t->fits)
    connect_target (self, target);
  else
    sluice_canvas_edit_open_palette (self, self->edit->wire.x, self->edit->wire.y, TRUE, "");
}

static void
take_away (SluiceCanvas *self)
{
  CanvasEdit *edit = self->edit;
  g_autofree char *node = g_strdup (edit->wire.off_node);
  SluiceCanvasEnd end = { node, edit->wire.off_index };
  sluice_canvas_edit_end_wire (self);
  if (edit->editor->disconnect != NULL)
    edit->editor->disconnect (&end, 1, edit->user_data);
}

void
sluice_canvas_edit_drop (SluiceCanvas *self)
{
  CanvasWire *wire = &self->edit->wire;
  SluicePoint p = sluice_canvas_to_scene (self, wire->x, wire->y);
  guint item = self->scene == NULL ? SLUICE_NONE : sluice_scene_pick (self->scene, p.x, p.y);
  if (self->scene != NULL && wire->chosen != SLUICE_NONE)
    sluice_canvas_edit_drop_on (self, wire->chosen);
  else if (item != SLUICE_NONE
           && sluice_scene_get_item (self->scene, item)->kind != SLUICE_ITEM_OPEN_SCOPE)
    sluice_canvas_edit_end_wire (self); /* on a box that has no end for it, such as its own */
  else if (wire->off_node != NULL)
    take_away (self);
  else if (self->edit->editor->palette != NULL)
    sluice_canvas_edit_open_palette (self, wire->x, wire->y, TRUE, "");
  else
    sluice_canvas_edit_end_wire (self);
}
