/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* A box that has an open input and an open output, put into a wire: dropped on it, or by keys,
 * which go from wire to wire. */

/* The first open input or output of a box. */
static const CanvasPort *
open_port (SluiceCanvas *self, guint item, gboolean is_output)
{
  GArray *ports = sluice_canvas_edit_get_ports (self, item);
  for (guint i = 0; i < ports->len; i++)
    {
      const CanvasPort *port = &g_array_index (ports, CanvasPort, i);
      if (port->is_open && port->is_output == is_output)
        return port;
    }
  return NULL;
}

gboolean
sluice_canvas_edit_may_splice (SluiceCanvas *self, guint item)
{
  return self->edit->editor->splice != NULL && open_port (self, item, FALSE) != NULL
         && open_port (self, item, TRUE) != NULL;
}

gboolean
sluice_canvas_edit_fits_wire (SluiceCanvas *self, guint item, guint edge)
{
  const CanvasEdit *edit = self->edit;
  const CanvasPort *input = open_port (self, item, FALSE);
  SluiceCanvasLink wire;
  g_autofree char *words = NULL;
  if (edge == SLUICE_NONE || !sluice_canvas_edit_edge_link (self, edge, &wire))
    return FALSE;
  SluiceCanvasLink link = { wire.from, { input->node, input->index } };
  return edit->editor->judge == NULL || edit->editor->judge (&link, &words, edit->user_data);
}

void
sluice_canvas_edit_splice (SluiceCanvas *self, guint item, guint edge)
{
  const CanvasPort *in = open_port (self, item, FALSE), *out = open_port (self, item, TRUE);
  SluiceCanvasLink wire;
  if (in == NULL || out == NULL || !sluice_canvas_edit_edge_link (self, edge, &wire))
    return;
  g_autofree char *reads = g_strdup (in->node), *gives = g_strdup (out->node);
  SluiceCanvasEnd input = { reads, in->index }, output = { gives, out->index };
  g_autoptr (SluiceScene) scene = sluice_scene_ref (self->scene); /* the names are its model's */
  g_autoptr (SluiceViewState) laid_out = sluice_view_state_copy (self->state);
  sluice_view_state_unset_moves_below (laid_out, sluice_canvas_item_path (self, item));
  g_autoptr (GPtrArray) lines = sluice_view_state_diff (self->state, laid_out);
  self->edit->editor->splice (&wire, &input, &output, lines, self->edit->user_data);
}

/* ---- by keys ---- */

typedef struct
{
  SluiceCanvas *self;
  SluicePoint from;
} Order;

static SluicePoint
middle_of (SluiceCanvas *self, guint edge)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  return sluice_rect_centre (&e->bounds);
}

static int
compare_wires (gconstpointer pa, gconstpointer pb, gpointer data)
{
  const Order *order = data;
  guint a = *(const guint *) pa, b = *(const guint *) pb;
  SluicePoint p = middle_of (order->self, a), q = middle_of (order->self, b);
  double da = hypot (p.x - order->from.x, p.y - order->from.y),
         db = hypot (q.x - order->from.x, q.y - order->from.y);
  return da != db ? (da < db ? -1 : 1) : a < b ? -1 : a > b;
}

/* The wires in view that the box fits into, nearest first: (transfer full). */
static GArray *
find_wires (SluiceCanvas *self, guint item)
{
  GArray *wires = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = sluice_canvas_visible (self);
  Order order = { self, sluice_rect_centre (&sluice_scene_get_item (self->scene, item)->rect) };
  guint n = 0;
  sluice_scene_query_edges (self->scene, &area, 0, wires);
  for (guint i = 0; i < wires->len; i++)
    {
      guint edge = g_array_index (wires, guint, i);
      const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
      if (!e->quiet && e->from != item && e->to != item
          && sluice_canvas_edit_fits_wire (self, item, edge))
        g_array_index (wires, guint, n++) = edge;
    }
  g_array_set_size (wires, n);
  g_array_sort_with_data (wires, compare_wires, &order);
  return wires;
}

static void
choose (SluiceCanvas *self, guint wire)
{
  CanvasEdit *edit = self->edit;
  guint n = edit->wires->len;
  edit->chosen_wire = n > 0 ? wire % n : 0;
  edit->splice_edge = n > 0 ? g_array_index (edit->wires, guint, edit->chosen_wire) : SLUICE_NONE;
  if (n > 0)
    {
      SluiceRect rect = sluice_scene_get_edge (self->scene, edit->splice_edge)->bounds;
      sluice_canvas_show_rect (self, &rect);
    }
  sluice_canvas_edit_update_status (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_edit_splice_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  if (self->edit == NULL || self->scene == NULL || self->lead_item == SLUICE_NONE)
    return;
  sluice_canvas_edit_end_wire (self);
  sluice_canvas_edit_end_drag (self);
  self->edit->wires = sluice_canvas_edit_may_splice (self, self->lead_item)
                          ? find_wires (self, self->lead_item)
                          : g_array_new (FALSE, FALSE, sizeof (guint));
  choose (self, 0);
}

gboolean
sluice_canvas_edit_splice_key (SluiceCanvas *self, guint key)
{
  CanvasEdit *edit = self->edit;
  guint n = edit->wires->len, edge = edit->splice_edge, item = self->lead_item;
  gboolean on = key == GDK_KEY_Right || key == GDK_KEY_Down || key == GDK_KEY_Tab,
           back = key == GDK_KEY_Left || key == GDK_KEY_Up || key == GDK_KEY_ISO_Left_Tab;
  if ((on || back) && n > 0)
    choose (self, edit->chosen_wire + (on ? 1 : n - 1));
  else if (!on && !back)
    {
      sluice_canvas_edit_end_drag (self);
      if ((key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_space)
          && edge != SLUICE_NONE && item != SLUICE_NONE)
        sluice_canvas_edit_splice (self, item, edge);
      else if (key != GDK_KEY_Escape)
        return FALSE; /* it means something of its own */
    }
  return TRUE;
}

char *
sluice_canvas_edit_dup_splice_words (SluiceCanvas *self)
{
  const CanvasEdit *edit = self->edit;
  if (edit->splice_edge == SLUICE_NONE)
    return g_strdup (_ ("There is no wire in view that it could be put into"));
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edit->splice_edge);
  return g_strdup_printf (_ ("Into the wire from %s to %s (%u of %u)"),
                          sluice_scene_get_item (self->scene, e->from)->title,
                          sluice_scene_get_item (self->scene, e->to)->title, edit->chosen_wire + 1,
                          edit->wires->len);
}
