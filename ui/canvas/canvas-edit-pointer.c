/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include "ui/canvas/path.h"

/* Drags that change something: a wire off a port, a line across wires, a box onto a wire or out of
 * its own. Near the canvas' edge the picture scrolls under what is dragged. */

#define SCROLL_MARGIN 24.0  /* pixels */
#define SCROLL_SPEED  700.0 /* pixels a second, at the very edge */
#define OFF_PIXELS    0.0137
#define FRAME_US      4000 /* of a frame, for the editor's answers */

/* ---- scrolling ---- */

/* -1 .. 1: how fast, and which way */
static double
push_at (double at, double size)
{
  if (at < SCROLL_MARGIN)
    return MAX ((at - SCROLL_MARGIN) / SCROLL_MARGIN, -1);
  if (at > size - SCROLL_MARGIN)
    return MIN ((at - size + SCROLL_MARGIN) / SCROLL_MARGIN, 1);
  return 0;
}

static void
scroll (SluiceCanvas *self, double seconds)
{
  CanvasView view = self->view;
  double dx = push_at (self->pointer_x, gtk_widget_get_width (GTK_WIDGET (self))),
         dy = push_at (self->pointer_y, gtk_widget_get_height (GTK_WIDGET (self)));
  if (dx == 0 && dy == 0)
    return;
  view.x += dx * SCROLL_SPEED * seconds / view.zoom;
  view.y += dy * SCROLL_SPEED * seconds / view.zoom;
  sluice_canvas_set_view (self, view, FALSE);
  sluice_canvas_drag_on (self);
}

static gboolean
drag_tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  CanvasEdit *edit = self->edit;
  gint64 now = gdk_frame_clock_get_frame_time (clock);
  if (self->scene == NULL)
    return G_SOURCE_CONTINUE;
  if (edit->last_tick != 0)
    scroll (self, MIN ((now - edit->last_tick) / 1e6, 0.1));
  edit->last_tick = now;
  if (edit->wire.state != WIRE_DRAGGED)
    return G_SOURCE_CONTINUE;
  guint n = edit->wire.n_judged;
  sluice_canvas_edit_ask_visible (self);
  sluice_canvas_edit_judge (self, FRAME_US);
  if (edit->wire.n_judged != n)
    gtk_widget_queue_draw (widget);
  return G_SOURCE_CONTINUE;
}

static void
begin_ticks (SluiceCanvas *self)
{
  self->edit->last_tick = 0;
  if (self->edit->ticks == 0)
    self->edit->ticks = gtk_widget_add_tick_callback (GTK_WIDGET (self), drag_tick_cb, NULL, NULL);
}

static void
end_ticks (SluiceCanvas *self)
{
  if (self->edit->ticks != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->edit->ticks);
  self->edit->ticks = 0;
}

void
sluice_canvas_edit_end_drag (SluiceCanvas *self)
{
  CanvasEdit *edit = self->edit;
  end_ticks (self);
  g_clear_pointer (&edit->cut, g_array_unref);
  if (edit->wires != NULL)
    {
      g_clear_pointer (&edit->wires, g_array_unref);
      sluice_canvas_edit_update_status (self);
    }
  edit->splice_edge = edit->bent_edge = SLUICE_NONE;
  edit->may_splice = edit->is_detaching = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- a wire ---- */

gboolean
sluice_canvas_edit_grab (SluiceCanvas *self, double x, double y)
{
  guint item, port;
  if (self->edit == NULL || sluice_canvas_edit_pick_port (self, x, y, &item, &port) == NULL)
    return FALSE;
  sluice_canvas_edit_begin_wire (self, WIRE_DRAGGED, item, port);
  begin_ticks (self);
  return TRUE;
}

void
sluice_canvas_edit_drag_wire (SluiceCanvas *self, double x, double y)
{
  if (self->edit != NULL && self->scene != NULL && self->edit->wire.state == WIRE_DRAGGED)
    sluice_canvas_edit_move_wire (self, x, y);
}

void
sluice_canvas_edit_drop_wire (SluiceCanvas *self)
{
  if (self->edit == NULL)
    return;
  end_ticks (self);
  if (self->edit->wire.state == WIRE_DRAGGED) /* else it was given up, or its box is gone */
    sluice_canvas_edit_drop (self);
}

gboolean
sluice_canvas_edit_double_click (SluiceCanvas *self, double x, double y)
{
  if (self->edit == NULL || self->edit->editor->palette == NULL)
    return FALSE;
  if (sluice_canvas_edit_straighten_at (self, x, y))
    return TRUE;
  sluice_canvas_edit_open_palette (self, x, y, TRUE, "");
  return TRUE;
}

/* ---- a line across wires ---- */

gboolean
sluice_canvas_edit_begin_cut (SluiceCanvas *self, double x, double y)
{
  CanvasEdit *edit = self->edit;
  if (edit == NULL || edit->editor->disconnect == NULL)
    return FALSE;
  edit->cut = g_array_new (FALSE, FALSE, sizeof (guint));
  edit->cut_from = edit->cut_to = sluice_canvas_to_scene (self, x, y);
  begin_ticks (self);
  return TRUE;
}

void
sluice_canvas_edit_drag_cut (SluiceCanvas *self, double x, double y)
{
  CanvasEdit *edit = self->edit;
  if (edit == NULL || edit->cut == NULL || self->scene == NULL)
    return;
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) line = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  edit->cut_to = sluice_canvas_to_scene (self, x, y);
  /* Beside whole pixels: a corner of a wire that lies right on it would not be crossed. */
  SluicePoint from = { edit->cut_from.x, edit->cut_from.y + OFF_PIXELS },
              to = { edit->cut_to.x, edit->cut_to.y + OFF_PIXELS };
  g_array_append_val (line, from);
  g_array_append_val (line, to);
  SluiceRect a = { edit->cut_from.x, edit->cut_from.y, 0, 0 },
             b = { edit->cut_to.x, edit->cut_to.y, 0, 0 }, area = sluice_rect_union (&a, &b);
  g_array_set_size (edit->cut, 0);
  sluice_scene_query_edges (self->scene, &area, 0, edges);
  for (guint i = 0; i < edges->len; i++)
    {
      guint index = g_array_index (edges, guint, i);
      const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, index);
      if (e->quiet || e->bundle == SLUICE_NONE || e->kind == SLUICE_EDGE_CONTROL)
        continue;
      g_autoptr (GArray) pieces =
          sluice_path_flatten (sluice_scene_get_points (self->scene) + e->first_point, e->n_points);
      if (sluice_lines_cross (line, pieces))
        g_array_append_val (edit->cut, index);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The inputs that the wires of an edge lead to. */
static void
append_inputs (SluiceCanvas *self, guint edge, GArray *inputs)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  const SluiceEdgeBundle *b =
      sluice_hierarchy_get_bundle (h, sluice_scene_get_edge (self->scene, edge)->bundle);
  for (guint i = 0; i < b->n_edges; i++)
    {
      const SluiceModelEdge *m = sluice_graph_model_get_edge (
          model, sluice_hierarchy_get_bundled_edge (h, b->first_edge + i));
      SluiceCanvasEnd end = { sluice_graph_model_get_node (model, m->to)->name, m->slot };
      if (m->kind != SLUICE_EDGE_CONTROL)
        g_array_append_val (inputs, end);
    }
}

void
sluice_canvas_edit_end_cut (SluiceCanvas *self)
{
  CanvasEdit *edit = self->edit;
  if (edit == NULL || edit->cut == NULL)
    return;
  g_autoptr (GArray) edges = g_steal_pointer (&edit->cut);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (SluiceCanvasEnd));
  sluice_canvas_edit_end_drag (self);
  if (self->scene == NULL)
    return;
  /* The names are the model's, which must outlive the request. */
  g_autoptr (SluiceScene) scene = sluice_scene_ref (self->scene);
  for (guint i = 0; i < edges->len; i++)
    append_inputs (self, g_array_index (edges, guint, i), inputs);
  if (inputs->len > 0)
    edit->editor->disconnect ((const SluiceCanvasEnd *) inputs->data, inputs->len, edit->user_data);
}

/* ---- a box ---- */

void
sluice_canvas_edit_begin_box (SluiceCanvas *self, guint item, gboolean detaching)
{
  CanvasEdit *edit = self->edit;
  if (edit == NULL)
    return;
  edit->is_detaching = detaching && edit->editor->detach != NULL;
  edit->splice_edge = SLUICE_NONE;
  gboolean of_several = self->flags[item] && g_hash_table_size (self->selected) > 1;
  edit->may_splice = !detaching && !of_several && sluice_canvas_edit_may_splice (self, item);
  begin_ticks (self);
}

void
sluice_canvas_edit_drag_box (SluiceCanvas *self, double x, double y)
{
  CanvasEdit *edit = self->edit;
  if (edit == NULL || !edit->may_splice)
    return;
  guint edge = sluice_canvas_edit_pick_edge (self, x, y);
  if (edge != edit->splice_edge)
    edit->splice_edge =
        sluice_canvas_edit_fits_wire (self, self->drag_item, edge) ? edge : SLUICE_NONE;
}

/* Out of its wires, it stands where it was dropped. */
static void
detach (SluiceCanvas *self, guint item, SluicePoint by)
{
  SluicePoint at = sluice_rect_centre (&sluice_scene_get_item (self->scene, item)->rect);
  g_auto (GStrv) names = sluice_canvas_edit_dup_names (self);
  sluice_canvas_edit_place_again (self, sluice_scene_get_item (self->scene, item)->node,
                                  at.x + by.x, at.y + by.y);
  self->edit->editor->detach ((const char *const *) names, self->edit->user_data);
}

gboolean
sluice_canvas_edit_drop_box (SluiceCanvas *self, guint item, SluicePoint by)
{
  CanvasEdit *edit = self->edit;
  if (edit == NULL)
    return FALSE;
  guint edge = edit->splice_edge;
  gboolean is_detaching = edit->is_detaching;
  sluice_canvas_edit_end_drag (self);
  if (is_detaching)
    detach (self, item, by);
  else if (edge != SLUICE_NONE)
    sluice_canvas_edit_splice (self, item, edge);
  else
    return FALSE;
  return TRUE;
}
