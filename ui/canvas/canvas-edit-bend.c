/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/canvas/path.h"
#include "ui/common/paint.h"

/* A line between two boxes is bent by dragging its middle; where it is bent there is a handle,
 * which a double click takes away. */

#define END_REACH    20.0 /* pixels: so near its ends a line is not taken */
#define HANDLE       4.5
#define HANDLE_REACH 10.0

static SluicePoint
middle_of (SluiceCanvas *self, guint edge)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  const SluicePoint *points = sluice_scene_get_points (self->scene) + e->first_point;
  SluicePoint a = points[0], b = points[e->n_points - 1];
  return (SluicePoint){ (a.x + b.x) / 2, (a.y + b.y) / 2 };
}

/* Paths of what it joins. */
static void
get_ends (SluiceCanvas *self, guint edge, const char **from, const char **to)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  *from = e->from != SLUICE_NONE ? sluice_canvas_item_path (self, e->from) : NULL;
  *to = e->to != SLUICE_NONE ? sluice_canvas_item_path (self, e->to) : NULL;
}

static gboolean
is_near (SluiceCanvas *self, SluicePoint at, double x, double y, double reach)
{
  SluicePoint p = sluice_canvas_edit_to_pixels (self, at);
  return hypot (p.x - x, p.y - y) < reach * self->text_scale;
}

gboolean
sluice_canvas_edit_begin_bend (SluiceCanvas *self, double x, double y)
{
  if (!sluice_canvas_edit_can_arrange (self) || self->scene == NULL)
    return FALSE;
  guint edge = sluice_canvas_edit_pick_line (self, x, y);
  if (edge == SLUICE_NONE)
    return FALSE;
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  const SluicePoint *points = sluice_scene_get_points (self->scene) + e->first_point;
  const char *from, *to;
  get_ends (self, edge, &from, &to);
  if (from == NULL || to == NULL || sluice_scene_is_stalk (self->scene, e)
      || is_near (self, points[0], x, y, END_REACH)
      || is_near (self, points[e->n_points - 1], x, y, END_REACH))
    return FALSE;
  self->edit->bent_edge = edge;
  self->edit->bend_at = sluice_canvas_to_scene (self, x, y);
  return TRUE;
}

void
sluice_canvas_edit_drag_bend (SluiceCanvas *self, double x, double y)
{
  if (self->edit == NULL || self->edit->bent_edge == SLUICE_NONE)
    return;
  self->edit->bend_at = sluice_canvas_to_scene (self, x, y);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* by: (nullable): straight again */
static void
set_bend (SluiceCanvas *self, guint edge, const SluicePoint *by)
{
  const char *from, *to;
  get_ends (self, edge, &from, &to);
  const char *from_name = sluice_canvas_path_name (self, from),
             *to_name = sluice_canvas_path_name (self, to);
  g_autofree char *words = g_strdup_printf (
      by != NULL ? _ ("bend %s → %s") : _ ("straighten %s → %s"), from_name, to_name);
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  if (by != NULL)
    sluice_view_state_set_bend (self->state, from, to, by->x, by->y);
  else
    sluice_view_state_unset_bend (self->state, from, to);
  sluice_canvas_end_arranging (self, before, words);
}

void
sluice_canvas_edit_end_bend (SluiceCanvas *self)
{
  CanvasEdit *edit = self->edit;
  guint edge = edit != NULL ? edit->bent_edge : SLUICE_NONE;
  if (edge == SLUICE_NONE || self->scene == NULL)
    return;
  SluicePoint middle = middle_of (self, edge);
  SluicePoint by = { edit->bend_at.x - middle.x, edit->bend_at.y - middle.y };
  edit->bent_edge = SLUICE_NONE;
  set_bend (self, edge, &by);
  sluice_canvas_end_motion (self); /* it is where it was dropped already */
}

/* Of a line in view: where its handle is. */
static gboolean
get_handle (SluiceCanvas *self, guint edge, SluicePoint *at)
{
  SluicePoint middle = middle_of (self, edge), by;
  if (!sluice_scene_get_bend (self->scene, self->state, edge, &by))
    return FALSE;
  *at = (SluicePoint){ middle.x + by.x, middle.y + by.y };
  return TRUE;
}

/* (transfer full) (element-type guint): lines in view, where any is bent */
static GArray *
list_lines (SluiceCanvas *self)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = sluice_canvas_visible (self);
  if (sluice_view_state_has_bends (self->state))
    sluice_scene_query_edges (self->scene, &area, 0, edges);
  return edges;
}

gboolean
sluice_canvas_edit_straighten_at (SluiceCanvas *self, double x, double y)
{
  g_autoptr (GArray) edges = list_lines (self);
  for (guint i = 0; i < edges->len; i++)
    {
      guint edge = g_array_index (edges, guint, i);
      SluicePoint at;
      if (!get_handle (self, edge, &at) || !is_near (self, at, x, y, HANDLE_REACH))
        continue;
      set_bend (self, edge, NULL);
      return TRUE;
    }
  return FALSE;
}

void
sluice_canvas_edit_straighten_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  if (self->scene == NULL)
    return;
  g_autofree char *list = sluice_canvas_dup_selection_words (self);
  g_autofree char *words = g_strdup_printf (_ ("straighten the lines of %s"), list);
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  for (guint i = 0; i < sluice_scene_get_n_edges (self->scene); i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, i);
      const char *from, *to;
      get_ends (self, i, &from, &to);
      if (from != NULL && to != NULL && (self->flags[e->from] || self->flags[e->to]))
        sluice_view_state_unset_bend (self->state, from, to);
    }
  sluice_canvas_end_arranging (self, before, words);
}

/* ---- drawing ---- */

static void
draw_held (SluiceCanvas *self, cairo_t *cr)
{
  guint edge = self->edit->bent_edge;
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  const SluicePoint *points = sluice_scene_get_points (self->scene) + e->first_point;
  SluicePoint middle = middle_of (self, edge), at = self->edit->bend_at;
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  sluice_bent_path (points, e->n_points, (SluicePoint){ at.x - middle.x, at.y - middle.y }, path);
  cairo_new_path (cr);
  for (guint i = 0; i < path->len; i += i == 0 ? 1 : 3)
    {
      SluicePoint p[3];
      for (guint k = 0; k < 3 && i + k < path->len; k++)
        p[k] = sluice_canvas_edit_to_pixels (self, g_array_index (path, SluicePoint, i + k));
      if (i == 0)
        cairo_move_to (cr, p[0].x, p[0].y);
      else
        cairo_curve_to (cr, p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y);
    }
  sluice_cairo_set_color (cr, self->theme.accent);
  cairo_set_line_width (cr, 2.6);
  cairo_stroke (cr);
}

void
sluice_canvas_edit_draw_bends (SluiceCanvas *self, cairo_t *cr)
{
  g_autoptr (GArray) edges = list_lines (self);
  for (guint i = 0; i < edges->len; i++)
    {
      SluicePoint at;
      if (!get_handle (self, g_array_index (edges, guint, i), &at))
        continue;
      SluicePoint p = sluice_canvas_edit_to_pixels (self, at);
      cairo_new_path (cr);
      cairo_arc (cr, p.x, p.y, HANDLE * MIN (self->view.zoom, 1), 0, 2 * G_PI);
      sluice_cairo_set_color (cr, self->theme.ground);
      cairo_fill_preserve (cr);
      sluice_cairo_set_color (cr, self->theme.line);
      cairo_set_line_width (cr, 1.5);
      cairo_stroke (cr);
    }
  if (self->edit->bent_edge != SLUICE_NONE)
    draw_held (self, cr);
}
