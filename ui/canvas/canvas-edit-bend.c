/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/canvas/path.h"
#include "ui/common/paint.h"

/* A line between two boxes is bent by dragging it, as often as there is room for; where it is bent
 * there is a handle, which is dragged on, and which a double click takes away. Keys do the same to
 * the line that is chosen, and to one of its bends. */

#define END_REACH    20.0 /* pixels: so near its ends a line is not taken */
#define HANDLE       4.5
#define HANDLE_REACH 10.0

/* Where a line is bent, in the scene: all of them, in its direction. */
typedef struct
{
  guint n;
  SluicePoint at[SLUICE_MAX_BENDS];
} Bends;

static void
get_span (SluiceCanvas *self, guint edge, SluicePoint *from, SluicePoint *to)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (self->scene, edge);
  const SluicePoint *points = sluice_scene_get_points (self->scene) + e->first_point;
  *from = points[0];
  *to = points[e->n_points - 1];
}

static Bends
get_bends (SluiceCanvas *self, guint edge)
{
  Bends bends = { 0 };
  SluiceViewBends by;
  SluicePoint from, to;
  get_span (self, edge, &from, &to);
  if (!sluice_scene_get_bends (self->scene, self->state, edge, &by))
    return bends;
  bends.n = by.n;
  for (guint i = 0; i < by.n; i++)
    {
      SluicePoint base = sluice_bend_base (from, to, by.n, i);
      bends.at[i] = (SluicePoint){ base.x + by.by[i].x, base.y + by.by[i].y };
    }
  return bends;
}

/* As the layout keeps them. */
static SluiceViewBends
to_view (SluiceCanvas *self, guint edge, const Bends *bends)
{
  SluiceViewBends by = { .n = bends->n };
  SluicePoint from, to;
  get_span (self, edge, &from, &to);
  for (guint i = 0; i < by.n; i++)
    {
      SluicePoint base = sluice_bend_base (from, to, by.n, i);
      by.by[i] = (SluicePoint){ bends->at[i].x - base.x, bends->at[i].y - base.y };
    }
  return by;
}

static double
distance (SluicePoint a, SluicePoint b)
{
  return hypot (a.x - b.x, a.y - b.y);
}

/* One more where the way is least longer by it. Returns: which it is; SLUICE_NONE: no more */
static guint
insert_bend (SluiceCanvas *self, guint edge, Bends *bends, SluicePoint at)
{
  SluicePoint before, end;
  double shortest = HUGE_VAL;
  guint best = 0;
  if (bends->n == SLUICE_MAX_BENDS)
    return SLUICE_NONE;
  get_span (self, edge, &before, &end);
  for (guint i = 0; i <= bends->n; i++)
    {
      SluicePoint behind = i < bends->n ? bends->at[i] : end;
      double more = distance (before, at) + distance (at, behind) - distance (before, behind);
      if (more < shortest)
        best = i;
      shortest = MIN (more, shortest);
      before = behind;
    }
  memmove (bends->at + best + 1, bends->at + best, (bends->n - best) * sizeof *bends->at);
  bends->at[best] = at;
  bends->n++;
  return best;
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

/* The one whose handle is there: SLUICE_NONE. */
static guint
find_handle (SluiceCanvas *self, const Bends *bends, double x, double y)
{
  for (guint i = 0; i < bends->n; i++)
    if (is_near (self, bends->at[i], x, y, HANDLE_REACH))
      return i;
  return SLUICE_NONE;
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
  Bends bends = get_bends (self, edge);
  self->edit->bent_edge = edge;
  self->edit->bend_at = sluice_canvas_to_scene (self, x, y);
  self->edit->bend = find_handle (self, &bends, x, y);
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

static void
set_bends (SluiceCanvas *self, guint edge, const Bends *bends)
{
  const char *from, *to;
  get_ends (self, edge, &from, &to);
  const char *from_name = sluice_canvas_path_name (self, from),
             *to_name = sluice_canvas_path_name (self, to);
  g_autofree char *words = g_strdup_printf (
      bends->n > 0 ? _ ("bend %s → %s") : _ ("straighten %s → %s"), from_name, to_name);
  SluiceViewBends by = to_view (self, edge, bends);
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  if (by.n > 0)
    sluice_view_state_set_bends (self->state, from, to, &by);
  else
    sluice_view_state_unset_bend (self->state, from, to);
  sluice_canvas_end_arranging (self, before, words);
}

/* The line as it is with what is in hand. */
static Bends
get_held (SluiceCanvas *self)
{
  const CanvasEdit *edit = self->edit;
  Bends bends = get_bends (self, edit->bent_edge);
  if (edit->bend < bends.n)
    bends.at[edit->bend] = edit->bend_at;
  else
    insert_bend (self, edit->bent_edge, &bends, edit->bend_at);
  return bends;
}

void
sluice_canvas_edit_end_bend (SluiceCanvas *self)
{
  CanvasEdit *edit = self->edit;
  guint edge = edit != NULL ? edit->bent_edge : SLUICE_NONE;
  if (edge == SLUICE_NONE || self->scene == NULL)
    return;
  Bends bends = get_held (self);
  edit->bent_edge = SLUICE_NONE;
  set_bends (self, edge, &bends);
  sluice_canvas_end_motion (self); /* it is where it was dropped already */
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

static void
remove_bend (SluiceCanvas *self, guint edge, guint i)
{
  Bends bends = get_bends (self, edge);
  bends.n--;
  memmove (bends.at + i, bends.at + i + 1, (bends.n - i) * sizeof *bends.at);
  set_bends (self, edge, &bends);
}

gboolean
sluice_canvas_edit_straighten_at (SluiceCanvas *self, double x, double y)
{
  g_autoptr (GArray) edges = list_lines (self);
  for (guint i = 0; i < edges->len; i++)
    {
      guint edge = g_array_index (edges, guint, i);
      Bends bends = get_bends (self, edge);
      guint bend = find_handle (self, &bends, x, y);
      if (bend == SLUICE_NONE)
        continue;
      remove_bend (self, edge, bend);
      return TRUE;
    }
  return FALSE;
}

/* ---- by keys ---- */

/* May the line that is chosen be bent by keys? Its ends are boxes. */
static gboolean
get_chosen (SluiceCanvas *self, Bends *bends)
{
  const char *from, *to;
  if (self->edit == NULL || self->scene == NULL || self->line.edge == SLUICE_NONE
      || !sluice_canvas_edit_can_arrange (self))
    return FALSE;
  get_ends (self, self->line.edge, &from, &to);
  *bends = get_bends (self, self->line.edge);
  return from != NULL && to != NULL;
}

/* In the middle of the longest piece; it is the one that keys move then. */
static void
add_bend (SluiceCanvas *self, Bends *bends)
{
  SluicePoint before, end, middle = { 0, 0 };
  double longest = -1;
  guint edge = self->line.edge;
  get_span (self, edge, &before, &end);
  for (guint i = 0; i <= bends->n; i++)
    {
      SluicePoint behind = i < bends->n ? bends->at[i] : end;
      if (distance (before, behind) > longest)
        middle = (SluicePoint){ (before.x + behind.x) / 2, (before.y + behind.y) / 2 };
      longest = MAX (longest, distance (before, behind));
      before = behind;
    }
  guint added = insert_bend (self, edge, bends, middle);
  if (added == SLUICE_NONE)
    return;
  self->edit->bend = added;
  set_bends (self, edge, bends);
}

void
sluice_canvas_edit_bend_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  Bends bends;
  if (!get_chosen (self, &bends))
    return;
  if (g_str_equal (name, "canvas.add-bend"))
    add_bend (self, &bends);
  else if (bends.n > 0 && g_str_equal (name, "canvas.next-bend"))
    self->edit->bend = self->edit->bend < bends.n ? (self->edit->bend + 1) % bends.n : 0;
  else if (self->edit->bend < bends.n)
    remove_bend (self, self->line.edge, self->edit->bend);
  gtk_widget_queue_draw (widget);
}

gboolean
sluice_canvas_edit_move_bend (SluiceCanvas *self, double dx, double dy)
{
  Bends bends;
  if (!get_chosen (self, &bends) || bends.n == 0)
    return FALSE;
  self->edit->bend = MIN (self->edit->bend, bends.n - 1);
  bends.at[self->edit->bend].x += dx;
  bends.at[self->edit->bend].y += dy;
  set_bends (self, self->line.edge, &bends);
  return TRUE;
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
  Bends bends = get_held (self);
  SluiceViewBends by = to_view (self, edge, &bends);
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  sluice_bent_path (points, e->n_points, &by, path);
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

static void
draw_handle (SluiceCanvas *self, cairo_t *cr, SluicePoint at, gboolean is_chosen)
{
  SluicePoint p = sluice_canvas_edit_to_pixels (self, at);
  cairo_new_path (cr);
  cairo_arc (cr, p.x, p.y, HANDLE * MIN (self->view.zoom, 1), 0, 2 * G_PI);
  sluice_cairo_set_color (cr, is_chosen ? self->theme.accent : self->theme.ground);
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, is_chosen ? self->theme.accent : self->theme.line);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

void
sluice_canvas_edit_draw_bends (SluiceCanvas *self, cairo_t *cr)
{
  g_autoptr (GArray) edges = list_lines (self);
  for (guint i = 0; i < edges->len; i++)
    {
      guint edge = g_array_index (edges, guint, i);
      Bends bends = get_bends (self, edge);
      for (guint k = 0; k < bends.n; k++)
        draw_handle (self, cr, bends.at[k], edge == self->line.edge && k == self->edit->bend);
    }
  if (self->edit->bent_edge != SLUICE_NONE)
    draw_held (self, cr);
}
