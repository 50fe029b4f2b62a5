/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Which ports a box has, asked for when it comes into view. */

#define SHOWN_ZOOM 0.5 /* below, ports would be dots of a few pixels */

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
      if (sluice_canvas_edit_get_node (self, items[i]) != NULL)
        sluice_canvas_edit_describe (self, sluice_hierarchy_get_group (h, group)->model_node, list);
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
    sluice_canvas_edit_place_ports (self, items[i], self->edit->ports->pdata[items[i]]);
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

/* Within a box its ports leave room to take the box itself. */
static double
reach_within (SluiceCanvas *self, guint item, SluicePoint p)
{
  const SluiceSceneItem *it = sluice_scene_get_item (self->scene, item);
  gboolean is_inside =
      it->kind != SLUICE_ITEM_OPEN_SCOPE && sluice_rect_contains (&it->rect, p.x, p.y);
  return is_inside ? it->rect.height * EDIT_PORT_SHARE * self->view.zoom : G_MAXDOUBLE;
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
      nearest = MIN (nearest, reach_within (self, index, p));
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
