/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <math.h>

#define CLICK_DISTANCE 4 /* pixels: less is a click */
#define WHEEL_STEP     1.15

typedef enum
{
  DRAG_NONE,
  DRAG_PENDING, /* pressed, not moved yet */
  DRAG_PAN,
  DRAG_BAND,
  DRAG_MOVE,
  DRAG_MINIMAP,
  DRAG_WIRE,
  DRAG_CUT,
  DRAG_BEND,
  DRAG_NOTE,
  DRAG_GIVEN_UP, /* the button is still down */
} CanvasDrag;

static guint
pick (SluiceCanvas *self, double x, double y)
{
  if (self->scene == NULL)
    return SLUICE_NONE;
  SluicePoint p = sluice_canvas_to_scene (self, x, y);
  return sluice_scene_pick (self->scene, p.x, p.y);
}

gboolean
sluice_canvas_is_handle (SluiceCanvas *self, guint item, double y)
{
  if (item == SLUICE_NONE)
    return FALSE;
  const SluiceSceneItem *it = sluice_scene_get_item (self->scene, item);
  return it->kind != SLUICE_ITEM_OPEN_SCOPE
         || sluice_canvas_to_scene (self, 0, y).y < it->rect.y + 26;
}

static void
look_at_minimap (SluiceCanvas *self, double x, double y)
{
  SluiceRect r = sluice_canvas_minimap_rect (self), visible = sluice_canvas_visible (self);
  if (r.width <= 0) /* dragged to where all is visible */
    return;
  SluicePoint p = sluice_minimap_locate (self->scene, r.width, r.height, x - r.x, y - r.y);
  CanvasView view = self->view;
  view.x = p.x - visible.width / 2;
  view.y = p.y - visible.height / 2;
  sluice_canvas_set_view (self, view, FALSE);
}

static void
drag_begin_cb (SluiceCanvas *self, double x, double y, GtkGestureDrag *gesture)
{
  SluiceRect minimap = sluice_canvas_minimap_rect (self);
  sluice_canvas_hide_tip (self);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->drag = DRAG_PENDING;
  self->drag_x = x;
  self->drag_y = y;
  self->drag_view = self->view;
  self->drag_item = pick (self, x, y);
  self->view_start = 0;
  if (self->scene == NULL)
    self->drag = DRAG_NONE;
  else if (minimap.width > 0 && sluice_rect_contains (&minimap, x, y))
    {
      self->drag = DRAG_MINIMAP;
      look_at_minimap (self, x, y);
    }
}

/* In the scene: also where the picture scrolls under the pointer. */
static SluicePoint
dragged_by (SluiceCanvas *self, double dx, double dy)
{
  return (SluicePoint){ dx / self->view.zoom + self->view.x - self->drag_view.x,
                        dy / self->view.zoom + self->view.y - self->drag_view.y };
}

/* One of several that are selected takes the others along. */
static gboolean
is_dragged (SluiceCanvas *self, guint item)
{
  return item == self->drag_item
         || (self->flags[self->drag_item] && self->flags[item]
             && sluice_canvas_can_move (self, item));
}

/* Moves the box and all that stands in it or at it; its lines follow. */
static void
drag_items (SluiceCanvas *self, SluicePoint by)
{
  guint n = sluice_scene_get_n_items (self->scene);
  if (self->shift == NULL)
    self->shift = g_new0 (SluicePoint, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const SluiceSceneItem *item = sluice_scene_get_item (self->scene, i);
      guint holder = item->host != SLUICE_NONE ? item->host : item->parent;
      gboolean moves = is_dragged (self, i) || holder == self->drag_item
                       || (holder != SLUICE_NONE && holder < i
                           && (self->shift[holder].x != 0 || self->shift[holder].y != 0));
      self->shift[i] = moves ? by : (SluicePoint){ 0, 0 };
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* What lies under the boxes: a note, or a frame, which takes its boxes along; a line. */
static CanvasDrag
grab_ground (SluiceCanvas *self, double x, double y)
{
  const char *note = sluice_canvas_pick_note (self, x, y);
  if (note == NULL)
    return sluice_canvas_edit_begin_bend (self, x, y) ? DRAG_BEND : DRAG_PAN;
  guint item = sluice_canvas_grab_frame (self, note);
  if (item != SLUICE_NONE)
    {
      self->drag_item = item;
      return DRAG_MOVE;
    }
  sluice_canvas_select_note (self, note);
  return DRAG_NOTE;
}

static void
start_drag (SluiceCanvas *self, GtkGestureDrag *gesture)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  double x = self->drag_x, y = self->drag_y;
  gboolean cuts =
      (state & GDK_CONTROL_MASK) && (button == GDK_BUTTON_SECONDARY || (state & GDK_SHIFT_MASK));
  if (cuts && sluice_canvas_edit_begin_cut (self, x, y))
    self->drag = DRAG_CUT;
  else if (button > GDK_BUTTON_PRIMARY)
    self->drag = DRAG_PAN;
  else if (state & GDK_SHIFT_MASK)
    self->drag = DRAG_BAND;
  else if (sluice_canvas_edit_grab (self, x, y))
    self->drag = DRAG_WIRE;
  else if (sluice_canvas_is_handle (self, self->drag_item, y)
           && sluice_canvas_can_move (self, self->drag_item))
    self->drag = DRAG_MOVE;
  else
    self->drag = grab_ground (self, x, y);
  if (self->drag != DRAG_MOVE)
    return;
  sluice_canvas_end_motion (self);
  sluice_canvas_edit_begin_box (self, self->drag_item, (state & GDK_ALT_MASK) != 0);
}

void
sluice_canvas_set_drag_out (SluiceCanvas *self, SluiceCanvasDragOut drag_out, gpointer user_data)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  self->out = (CanvasOut){ drag_out, user_data };
}

/* Is the box over something else than the picture? */
static gboolean
is_out (SluiceCanvas *self, double dx, double dy, gboolean is_dropped)
{
  const char *path = self->scene != NULL ? sluice_canvas_item_path (self, self->drag_item) : NULL;
  return self->out.func != NULL && path != NULL
         && self->out.func (self, path, self->drag_x + dx, self->drag_y + dy, is_dropped,
                            self->out.data);
}

static void
end_out (SluiceCanvas *self)
{
  if (self->out.func != NULL)
    self->out.func (self, NULL, 0, 0, FALSE, self->out.data);
}

/* So far from where the drag began, in pixels. */
static void
drag_to (SluiceCanvas *self, double dx, double dy)
{
  double x = self->drag_x, y = self->drag_y;
  CanvasView view = self->drag_view;
  switch ((CanvasDrag) self->drag)
    {
    case DRAG_PAN:
      view.x -= dx / view.zoom;
      view.y -= dy / view.zoom;
      sluice_canvas_set_view (self, view, FALSE);
      break;
    case DRAG_BAND:
      self->band = (SluiceRect){ MIN (x, x + dx), MIN (y, y + dy), fabs (dx), fabs (dy) };
      gtk_widget_queue_draw (GTK_WIDGET (self));
      break;
    case DRAG_MOVE:
      drag_items (self, dragged_by (self, dx, dy));
      if (!is_out (self, dx, dy, FALSE))
        sluice_canvas_edit_drag_box (self, x + dx, y + dy);
      break;
    case DRAG_WIRE:
      sluice_canvas_edit_drag_wire (self, x + dx, y + dy);
      break;
    case DRAG_CUT:
      sluice_canvas_edit_drag_cut (self, x + dx, y + dy);
      break;
    case DRAG_BEND:
      sluice_canvas_edit_drag_bend (self, x + dx, y + dy);
      break;
    case DRAG_NOTE:
      sluice_canvas_drag_note (self, dragged_by (self, dx, dy));
      break;
    case DRAG_MINIMAP:
      look_at_minimap (self, x + dx, y + dy);
      break;
    default:
      break;
    }
}

static void
drag_update_cb (SluiceCanvas *self, double dx, double dy, GtkGestureDrag *gesture)
{
  if (self->drag == DRAG_NONE)
    return;
  self->pointer_x = self->drag_x + dx;
  self->pointer_y = self->drag_y + dy;
  if (self->drag == DRAG_PENDING && hypot (dx, dy) >= CLICK_DISTANCE)
    start_drag (self, gesture);
  drag_to (self, dx, dy);
}

void
sluice_canvas_drag_on (SluiceCanvas *self)
{
  double dx = self->pointer_x - self->drag_x, dy = self->pointer_y - self->drag_y;
  if (self->drag == DRAG_MOVE || self->drag == DRAG_WIRE || self->drag == DRAG_CUT)
    drag_to (self, dx, dy);
}

void
sluice_canvas_cancel_drag (SluiceCanvas *self)
{
  if (self->drag == DRAG_NONE)
    return;
  if (self->drag == DRAG_MOVE)
    {
      sluice_canvas_end_motion (self);
      end_out (self);
    }
  self->notes.by = (SluicePoint){ 0, 0 };
  self->band = (SluiceRect){ 0, 0, 0, 0 };
  self->drag = DRAG_GIVEN_UP;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drop_item (SluiceCanvas *self, double dx, double dy)
{
  g_autofree char *path = g_strdup (sluice_canvas_item_path (self, self->drag_item));
  SluicePoint by = dragged_by (self, dx, dy);
  gboolean is_taken = is_out (self, dx, dy, TRUE);
  end_out (self);
  sluice_canvas_end_motion (self);
  if (is_taken)
    return;
  if (!self->flags[self->drag_item])
    sluice_canvas_select_path (self, path);
  if (sluice_canvas_edit_drop_box (self, self->drag_item, by))
    return;
  sluice_canvas_move_selection (self, by.x, by.y);
  sluice_canvas_end_motion (self); /* it is where it was dropped already */
}

static void
drag_end_cb (SluiceCanvas *self, double dx, double dy, GtkGestureDrag *gesture)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  if (self->drag == DRAG_BAND && self->scene != NULL)
    {
      SluicePoint a = sluice_canvas_to_scene (self, self->band.x, self->band.y);
      SluiceRect area = { a.x, a.y, self->band.width / self->view.zoom,
                          self->band.height / self->view.zoom };
      sluice_canvas_select_rect (self, &area, (state & GDK_CONTROL_MASK) != 0);
    }
  else if (self->drag == DRAG_MOVE && self->scene != NULL)
    drop_item (self, dx, dy);
  else if (self->drag == DRAG_WIRE)
    sluice_canvas_edit_drop_wire (self);
  else if (self->drag == DRAG_CUT)
    sluice_canvas_edit_end_cut (self);
  else if (self->drag == DRAG_BEND)
    sluice_canvas_edit_end_bend (self);
  else if (self->drag == DRAG_NOTE && self->scene != NULL)
    {
      SluicePoint by = dragged_by (self, dx, dy);
      sluice_canvas_move_note (self, by.x, by.y);
    }
  self->band = (SluiceRect){ 0, 0, 0, 0 };
  self->drag = DRAG_NONE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
click_close (SluiceCanvas *self, guint item, double x, double y)
{
  if (item == SLUICE_NONE
      || sluice_scene_get_item (self->scene, item)->kind != SLUICE_ITEM_OPEN_SCOPE)
    return FALSE;
  SluiceRect close = sluice_scene_get_close_rect (self->scene, item);
  SluicePoint p = sluice_canvas_to_scene (self, x, y);
  if (!sluice_rect_contains (&close, p.x, p.y))
    return FALSE;
  sluice_canvas_toggle (self, sluice_canvas_item_path (self, item), FALSE);
  return TRUE;
}

static void
select_at (SluiceCanvas *self, guint item, gboolean extend)
{
  if (item == SLUICE_NONE)
    sluice_canvas_select_none (self);
  else
    sluice_canvas_select_item (self, item, extend);
}

static void
released_cb (SluiceCanvas *self, int n_press, double x, double y, GtkGestureClick *gesture)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  gboolean extend = (state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK)) != 0;
  SluiceRect minimap = sluice_canvas_minimap_rect (self);
  guint item = pick (self, x, y);
  if (self->scene == NULL || (self->drag != DRAG_PENDING && self->drag != DRAG_NONE)
      || (minimap.width > 0 && sluice_rect_contains (&minimap, x, y)))
    return;
  if (n_press == 1 && click_close (self, item, x, y))
    return;
  const char *note =
      sluice_canvas_is_handle (self, item, y) ? NULL : sluice_canvas_pick_note (self, x, y);
  if (note != NULL && n_press == 1)
    sluice_canvas_select_note (self, note);
  else if (note != NULL && n_press == 2)
    sluice_canvas_edit_note (self, note);
  if (note != NULL)
    return;
  if (n_press == 1)
    {
      if (sluice_canvas_is_handle (self, item, y) || !sluice_canvas_choose_line_at (self, x, y))
        select_at (self, item, extend);
    }
  else if (n_press == 2 && !sluice_canvas_is_handle (self, item, y)
           && sluice_canvas_edit_double_click (self, x, y))
    return;
  else if (n_press == 2 && item != SLUICE_NONE && sluice_canvas_item_path (self, item) != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "canvas.toggle", NULL);
}

/* A drag with that button pans. */
static void
menu_cb (SluiceCanvas *self, int n_press, double x, double y, GtkGestureClick *gesture)
{
  SluiceRect minimap = sluice_canvas_minimap_rect (self);
  if ((self->drag == DRAG_PENDING || self->drag == DRAG_NONE)
      && !(minimap.width > 0 && sluice_rect_contains (&minimap, x, y)))
    sluice_canvas_menu_at (self, x, y);
}

static gboolean
scroll_cb (SluiceCanvas *self, double dx, double dy, GtkEventControllerScroll *controller)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  gboolean touchpad = gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE;
  if (self->scene == NULL)
    return FALSE;
  if (touchpad && !(state & GDK_CONTROL_MASK))
    {
      CanvasView view = self->view;
      view.x += dx / view.zoom;
      view.y += dy / view.zoom;
      sluice_canvas_set_view (self, view, FALSE);
      return TRUE;
    }
  /* Touchpads report pixels; some thirty are a notch. */
  sluice_canvas_zoom_at (self, pow (WHEEL_STEP, -dy / (touchpad ? 30 : 1)), self->pointer_x,
                         self->pointer_y, !touchpad);
  return TRUE;
}

static void
pinch_begin_cb (SluiceCanvas *self)
{
  self->pinch_zoom = self->view.zoom;
}

static void
pinch_cb (SluiceCanvas *self, double scale, GtkGesture *gesture)
{
  double x, y;
  if (self->scene != NULL && gtk_gesture_get_bounding_box_center (gesture, &x, &y))
    sluice_canvas_zoom_at (self, self->pinch_zoom * scale / self->view.zoom, x, y, FALSE);
}

static void
motion_cb (SluiceCanvas *self, double x, double y)
{
  self->pointer_x = x;
  self->pointer_y = y;
  guint hover = self->drag == DRAG_NONE ? pick (self, x, y) : SLUICE_NONE;
  gboolean is_other_port = self->drag == DRAG_NONE && sluice_canvas_edit_hover (self, x, y, &hover);
  if (hover == self->hover && !is_other_port)
    return;
  self->hover = hover;
  sluice_canvas_queue_tip (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
leave_cb (SluiceCanvas *self)
{
  self->hover = SLUICE_NONE;
  sluice_canvas_hide_tip (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_add_controllers (SluiceCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();
  GtkGesture *pinch = gtk_gesture_zoom_new (), *menu = gtk_gesture_click_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *motion = gtk_event_controller_motion_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect_swapped (click, "released", G_CALLBACK (released_cb), self);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (menu), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped (menu, "released", G_CALLBACK (menu_cb), self);
  g_signal_connect_swapped (pinch, "begin", G_CALLBACK (pinch_begin_cb), self);
  g_signal_connect_swapped (pinch, "scale-changed", G_CALLBACK (pinch_cb), self);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  /* The click looks at how the drag went: it must hear of the release first. */
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (menu));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, motion);
}
