/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Which ports a box has, asked for when it comes into view, and where they are: at the ends of the
 * wires that are drawn, or side by side where wires leave and arrive. */

#define SHOWN_ZOOM 0.5  /* below, ports would be dots of a few pixels */
#define PORT_STEP  24.0 /* between ports side by side, in the scene */
#define LEAST_STEP 13.0
#define SIDE_AIR   9.0 /* between a port and the corner of its box */
#define ON_BORDER  2.0 /* so near the end of a line is at a border */

SluicePoint
sluice_canvas_edit_to_pixels (SluiceCanvas *self, SluicePoint at)
{
  return (SluicePoint){ (at.x - self->view.x) * self->view.zoom,
                        (at.y - self->view.y) * self->view.zoom };
}

gboolean
sluice_canvas_edit_shows_ports (SluiceCanvas *self)
{
  return self->edit != NULL && self->scene != NULL
         && self->view.zoom >= SHOWN_ZOOM * self->text_scale;
}

gboolean
sluice_canvas_edit_shows_ports_of (SluiceCanvas *self, guint item)
{
  const SluiceSceneItem *it = sluice_scene_get_item (self->scene, item);
  if (it->node == SLUICE_NONE || it->kind == SLUICE_ITEM_OPEN_SCOPE)
    return FALSE;
  if (it->host == SLUICE_NONE && !it->aside)
    return TRUE;
  return item == self->hover || item == self->edit->hover_item || item == self->lead_item
         || item == self->edit->wire.item;
}

/* ---- where ---- */

/* Whether one of the tensors of an edge leaves or reaches this port; @n: (out): of how many. */
static gboolean
carries (SluiceCanvas *self, const SluiceSceneEdge *e, const CanvasPort *port, guint *n)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  if (e->bundle == SLUICE_NONE || e->kind == SLUICE_EDGE_CONTROL)
    return FALSE;
  const SluiceEdgeBundle *b = sluice_hierarchy_get_bundle (h, e->bundle);
  for (guint i = 0; i < b->n_edges; i++)
    {
      const SluiceModelEdge *m = sluice_graph_model_get_edge (
          model, sluice_hierarchy_get_bundled_edge (h, b->first_edge + i));
      guint node = port->is_output ? m->from : m->to;
      if (m->kind != SLUICE_EDGE_CONTROL && (port->is_output ? m->port : m->slot) == port->index
          && g_str_equal (sluice_graph_model_get_node (model, node)->name, port->node))
        {
          *n = b->n_edges;
          return TRUE;
        }
    }
  return FALSE;
}

/* Where the line of an edge touches the box that it leaves or reaches. */
static SluicePoint
end_of (SluiceCanvas *self, const SluiceSceneEdge *e, gboolean is_output)
{
  return sluice_scene_get_points (self->scene)[e->first_point + (is_output ? 0 : e->n_points - 1)];
}

/* The ends of lines at a box: whether they are at its top, and about which x. */
typedef struct
{
  GArray *edges[2]; /* guint; in, out */
  gboolean at_top[2];
  double anchor;
} Sides;

static gboolean
is_at_border (const SluiceRect *r, SluicePoint p, gboolean top)
{
  return fabs (p.y - (top ? r->y : r->y + r->height)) < ON_BORDER && p.x > r->x
         && p.x < r->x + r->width;
}

/* Data flows through a box from one side to the other; which way, its lines say: in the backward
 * half it is turned round. */
static void
find_sides (SluiceCanvas *self, guint item, Sides *sides)
{
  SluiceRect r = sluice_scene_get_item (self->scene, item)->rect;
  gboolean up = sluice_scene_get_flow (self->scene) == SLUICE_FLOW_UP, is_known = FALSE;
  sides->anchor = r.x + r.width / 2;
  for (int out = 0; out < 2; out++)
    {
      sides->edges[out] = g_array_new (FALSE, FALSE, sizeof (guint));
      sluice_scene_get_item_edges (self->scene, item, out == 1, sides->edges[out]);
      for (guint i = 0; i < sides->edges[out]->len && !is_known; i++)
        {
          const SluiceSceneEdge *e =
              sluice_scene_get_edge (self->scene, g_array_index (sides->edges[out], guint, i));
          if (e->n_points == 0 || e->quiet || e->kind != SLUICE_EDGE_DATA)
            continue;
          SluicePoint p = end_of (self, e, out == 1);
          gboolean top = is_at_border (&r, p, TRUE);
          if (!top && !is_at_border (&r, p, FALSE))
            continue;
          up = top == (out == 1);
          sides->anchor = p.x;
          is_known = TRUE;
        }
    }
  sides->at_top[0] = !up;
  sides->at_top[1] = up;
}

/* The line that is drawn at a port, (nullable); @n: (out): how many tensors it carries. */
static const SluiceSceneEdge *
find_line (SluiceCanvas *self, const Sides *sides, const CanvasPort *port, guint *n)
{
  GArray *edges = sides->edges[port->is_output ? 1 : 0];
  for (guint i = 0; i < edges->len; i++)
    {
      const SluiceSceneEdge *e =
          sluice_scene_get_edge (self->scene, g_array_index (edges, guint, i));
      if (e->n_points > 0 && !e->quiet && carries (self, e, port, n))
        return e;
    }
  return NULL;
}

/* A line that comes from the side, as from a variable beside its reader, ends at its port there. */
static gboolean
place_at_line (const SluiceRect *r, gboolean top, SluicePoint end, CanvasPort *port)
{
  if (is_at_border (r, end, top))
    return FALSE;
  port->at = end;
  port->is_drawn = TRUE;
  return TRUE;
}

/* Side by side about the anchor, within the box; of too many, open ones come first. */
static void
spread (const SluiceRect *r, double y, double anchor, GPtrArray *row)
{
  double room = MAX (r->width - 2 * SIDE_AIR, 0), step = PORT_STEP;
  guint most = (guint) (room / LEAST_STEP) + 1, n = MIN (row->len, most), shown = 0, n_open = 0;
  if (n > 1)
    step = MIN (step, room / (n - 1));
  double half = step * (n - 1) / 2;
  double middle =
      CLAMP (anchor, r->x + SIDE_AIR + half - 0.01, r->x + r->width - SIDE_AIR - half + 0.01);
  for (guint i = 0; i < row->len; i++)
    n_open += ((CanvasPort *) row->pdata[i])->is_open;
  guint n_used = n > n_open ? n - n_open : 0;
  for (guint i = 0; i < row->len && shown < n; i++)
    {
      CanvasPort *port = row->pdata[i];
      if (row->len > n && !port->is_open && n_used == 0)
        continue;
      n_used -= !port->is_open && n_used > 0;
      port->at = (SluicePoint){ middle - half + step * shown++, y };
      port->is_drawn = TRUE;
    }
}

/* How far the line of an edge has to lie beside where the scene has it, to meet its port. */
static void
draw_to_port (SluiceCanvas *self, const SluiceRect *r, const Sides *sides, const CanvasPort *port)
{
  gboolean out = port->is_output;
  guint n;
  for (guint i = 0; i < sides->edges[out]->len; i++)
    {
      guint index = g_array_index (sides->edges[out], guint, i);
      const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, index);
      if (e->n_points == 0 || !carries (self, e, port, &n) || n > 1)
        continue;
      SluicePoint p = end_of (self, e, out);
      if (!is_at_border (r, p, sides->at_top[out]))
        continue;
      if (out)
        self->edit->ends[index].x = port->at.x - p.x;
      else
        self->edit->ends[index].y = port->at.x - p.x;
    }
}

static void
place_ports (SluiceCanvas *self, guint item, GArray *ports)
{
  SluiceRect r = sluice_scene_get_item (self->scene, item)->rect;
  gboolean is_scope = sluice_canvas_edit_get_node (self, item) == NULL;
  g_autoptr (GPtrArray) at_inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) at_outputs = g_ptr_array_new ();
  GPtrArray *rows[] = { at_inputs, at_outputs };
  Sides sides;
  find_sides (self, item, &sides);
  for (guint i = 0; i < ports->len; i++)
    {
      CanvasPort *port = &g_array_index (ports, CanvasPort, i);
      guint n = 0, out = port->is_output ? 1 : 0;
      port->at = (SluicePoint){ sides.anchor, sides.at_top[out] ? r.y : r.y + r.height };
      const SluiceSceneEdge *line = find_line (self, &sides, port, &n);
      /* What goes without saying in the picture does so at the border of a scope, too. */
      if (line == NULL && is_scope && !port->is_open)
        continue;
      if (n != 1
          || !place_at_line (&r, sides.at_top[out], end_of (self, line, port->is_output), port))
        g_ptr_array_add (rows[out], port);
    }
  for (int out = 0; out < 2; out++)
    {
      spread (&r, sides.at_top[out] ? r.y : r.y + r.height, sides.anchor, rows[out]);
      for (guint i = 0; i < rows[out]->len; i++)
        if (((CanvasPort *) rows[out]->pdata[i])->is_drawn)
          draw_to_port (self, &r, &sides, rows[out]->pdata[i]);
    }
  g_array_unref (sides.edges[0]);
  g_array_unref (sides.edges[1]);
}

/* ---- which ---- */

/* ports: (nullable): of an item that nobody asked about */
static void
free_ports (gpointer ports)
{
  if (ports != NULL)
    g_array_unref (ports);
}

static GArray *
known_ports (SluiceCanvas *self, guint item)
{
  CanvasEdit *edit = self->edit;
  if (edit->ports == NULL)
    {
      edit->ports = g_ptr_array_new_with_free_func (free_ports);
      g_ptr_array_set_size (edit->ports, (int) sluice_scene_get_n_items (self->scene));
      edit->ends = g_new0 (SluicePoint, sluice_scene_get_n_edges (self->scene) + 1);
    }
  return edit->ports->pdata[item];
}

/* Of all these at once: what crosses the borders of scopes is found by going through all edges. */
static void
find_ports (SluiceCanvas *self, const guint *items, guint n)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  g_autofree GArray **lists = g_new0 (GArray *, sluice_hierarchy_get_n_groups (h) + 1);
  gboolean any_scope = FALSE;
  for (guint i = 0; i < n; i++)
    {
      guint group = sluice_scene_get_item (self->scene, items[i])->node;
      GArray *list = self->edit->ports->pdata[items[i]] = sluice_canvas_edit_new_ports ();
      const char *node = sluice_canvas_edit_get_node (self, items[i]);
      if (node != NULL)
        sluice_canvas_edit_describe (self, node, list);
      else if (group != SLUICE_NONE
               && sluice_scene_get_item (self->scene, items[i])->kind != SLUICE_ITEM_OPEN_SCOPE)
        {
          lists[group] = list;
          any_scope = TRUE;
        }
    }
  if (any_scope)
    sluice_canvas_edit_fill_interfaces (self, lists);
  for (guint i = 0; i < n; i++)
    place_ports (self, items[i], self->edit->ports->pdata[items[i]]);
}

GArray *
sluice_canvas_edit_get_ports (SluiceCanvas *self, guint item)
{
  if (known_ports (self, item) == NULL)
    find_ports (self, &item, 1);
  return self->edit->ports->pdata[item];
}

void
sluice_canvas_edit_prepare (SluiceCanvas *self, const GArray *items)
{
  g_autoptr (GArray) unknown = g_array_new (FALSE, FALSE, sizeof (guint));
  if (self->edit == NULL || self->scene == NULL)
    return;
  for (guint i = 0; i < items->len; i++)
    if (known_ports (self, g_array_index (items, guint, i)) == NULL)
      g_array_append_val (unknown, g_array_index (items, guint, i));
  if (unknown->len > 0)
    find_ports (self, (const guint *) unknown->data, unknown->len);
}

void
sluice_canvas_edit_prepare_ports (SluiceCanvas *self)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = sluice_canvas_visible (self);
  guint n = 0;
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    if (sluice_canvas_edit_shows_ports_of (self, g_array_index (items, guint, i)))
      g_array_index (items, guint, n++) = g_array_index (items, guint, i);
  g_array_set_size (items, n);
  sluice_canvas_edit_prepare (self, items);
}

void
sluice_canvas_edit_forget_ports (SluiceCanvas *self)
{
  g_clear_pointer (&self->edit->ports, g_ptr_array_unref);
  g_clear_pointer (&self->edit->ends, g_free);
  self->edit->hover_item = self->edit->hover_port = SLUICE_NONE;
}

const CanvasPort *
sluice_canvas_edit_pick_port (SluiceCanvas *self, double x, double y, guint *item, guint *port)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  double nearest = EDIT_PORT_REACH * self->text_scale, reach = nearest / self->view.zoom;
  const CanvasPort *found = NULL;
  *item = *port = SLUICE_NONE;
  if (!sluice_canvas_edit_shows_ports (self))
    return NULL;
  SluicePoint p = sluice_canvas_to_scene (self, x, y);
  SluiceRect area = { p.x - reach, p.y - reach, 2 * reach, 2 * reach };
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    {
      guint index = g_array_index (items, guint, i);
      GArray *ports = sluice_canvas_edit_shows_ports_of (self, index)
                          ? sluice_canvas_edit_get_ports (self, index)
                          : NULL;
      for (guint k = 0; ports != NULL && k < ports->len; k++)
        {
          const CanvasPort *candidate = &g_array_index (ports, CanvasPort, k);
          double distance = hypot (candidate->at.x - p.x, candidate->at.y - p.y) * self->view.zoom;
          if (!candidate->is_drawn || distance >= nearest)
            continue;
          nearest = distance;
          found = candidate;
          *item = index;
          *port = k;
        }
    }
  return found;
}

char *
sluice_canvas_edit_port_text (const CanvasPort *port)
{
  GString *text = g_string_new (NULL);
  g_autofree char *number = g_strdup_printf ("%u", port->index);
  const char *name = port->name != NULL ? port->name : number;
  g_string_append_printf (text, port->is_output ? _ ("output %s") : _ ("input %s"), name);
  if (port->dtype != NULL || port->shape != NULL)
    g_string_append_printf (text, ", %s%s%s", port->dtype != NULL ? port->dtype : "",
                            port->dtype != NULL && port->shape != NULL ? " " : "",
                            port->shape != NULL ? port->shape : "");
  if (port->is_open)
    g_string_append_printf (text, ", %s", port->is_output ? _ ("nothing reads it") : _ ("open"));
  return g_string_free (text, FALSE);
}
