/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "ui/common/widget.h"
#include "ui/timeline/lanes-private.h"

/* What a pointer does. */

#define WHEEL_FACTOR 0.8  /* of the time shown, a notch closer */
#define WHEEL_PAN    0.08 /* of the width, a notch */
#define FAR          4.0  /* units that a drag moves before it is one */

static guint64
pick (SluiceLanes *self, double x, double y)
{
  double ux;
  double uy;

  if (self->view == NULL)
    return SLUICE_SPAN_NONE;
  SluiceLanesPicture picture = sluice_lanes_get_picture (self);
  sluice_widget_to_units (GTK_WIDGET (self), x, y, &ux, &uy);
  return sluice_lanes_pick (&picture, ux, uy);
}

/* ---- click ---- */

static void
released_cb (GtkGestureClick *click, int n_press, double x, double y, SluiceLanes *self)
{
  guint64 span = pick (self, x, y);

  if (self->drag_marks || self->drag_pans || self->is_carried || self->view == NULL)
    return;
  sluice_lanes_emit_selected (self, span);
  if (n_press == 2 && span != SLUICE_SPAN_NONE)
    sluice_lanes_zoom_to (self, span);
}

static void
pressed_cb (SluiceLanes *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

/* ---- drag ---- */

/* A bar that is grabbed with Ctrl goes along; the others mark an area. */
static void
grab (SluiceLanes *self, double x, double y)
{
  guint64 number = pick (self, x, y);
  SluiceTraceSpan span;

  g_clear_pointer (&self->carried, g_free);
  if (number == SLUICE_SPAN_NONE)
    return;
  sluice_trace_view_get_span (self->view, number, &span);
  if (span.kind == SLUICE_SPAN_NODE)
    self->carried = g_strdup (span.name);
}

static void
drag_begin_cb (GtkGestureDrag *drag, double x, double y, SluiceLanes *self)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (drag));
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (drag));

  sluice_widget_to_units (GTK_WIDGET (self), x, y, &self->drag_x, &self->drag_y);
  self->drag_pans = button == GDK_BUTTON_MIDDLE || (state & GDK_SHIFT_MASK) != 0;
  self->drag_marks = self->is_carried = FALSE;
  g_clear_pointer (&self->carried, g_free);
  if (button == GDK_BUTTON_PRIMARY && (state & GDK_CONTROL_MASK) != 0)
    grab (self, x, y);
  self->pan_from = self->from;
  self->pan_to = self->to;
  self->pan_scroll = gtk_adjustment_get_value (self->adjustment);
  if (button == GDK_BUTTON_SECONDARY || self->view == NULL)
    gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_DENIED);
}

static void
pan_to (SluiceLanes *self, double x, double y)
{
  SluiceTimeAxis axis = sluice_lanes_get_picture (self).axis;

  axis.from = self->pan_from;
  axis.to = self->pan_to;
  sluice_time_axis_pan (&axis, self->drag_x - x, self->begin, self->end);
  self->from = axis.from;
  self->to = axis.to;
  gtk_adjustment_set_value (self->adjustment, self->pan_scroll + self->drag_y - y);
  sluice_lanes_range_changed (self);
  sluice_lanes_touch (self);
}

static guint
row_at (SluiceLanes *self, double y)
{
  double at = y - SLUICE_LANES_HEAD + gtk_adjustment_get_value (self->adjustment);

  return MIN (sluice_lanes_layout_first (self->layout, MAX (at, 0)), self->layout->rows->len - 1);
}

static void
mark_area (SluiceLanes *self, double x, double y)
{
  SluiceTimeAxis axis = sluice_lanes_get_picture (self).axis;
  double x0 = CLAMP (self->drag_x, axis.x0, axis.x1);
  double x1 = CLAMP (x, axis.x0, axis.x1);
  const SluiceLanesArea area = {
    .from = sluice_time_axis_to_time (&axis, MIN (x0, x1)),
    .to = sluice_time_axis_to_time (&axis, MAX (x0, x1)),
    .first = row_at (self, MIN (self->drag_y, y)),
    .last = row_at (self, MAX (self->drag_y, y)),
  };

  sluice_lanes_set_area (self, &area);
}

static guint
lane_at (SluiceLanes *self, double y)
{
  const SluiceLanesRow *row =
      self->layout != NULL && y >= SLUICE_LANES_HEAD ? sluice_lanes_layout_at (
          self->layout, y - SLUICE_LANES_HEAD + gtk_adjustment_get_value (self->adjustment))
                                                     : NULL;

  return row != NULL ? row->lane : G_MAXUINT;
}

static void
carry_to (SluiceLanes *self, double x, double y)
{
  if (!self->is_carried && hypot (x - self->drag_x, y - self->drag_y) <= FAR)
    return;
  self->is_carried = TRUE;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
  sluice_lanes_emit_carried (self, self->carried, lane_at (self, y), FALSE);
}

static void
drag_update_cb (GtkGestureDrag *drag, double dx, double dy, SluiceLanes *self)
{
  double x;
  double y;

  gtk_gesture_drag_get_start_point (drag, &x, &y);
  sluice_widget_to_units (GTK_WIDGET (self), x + dx, y + dy, &x, &y);
  if (self->drag_pans)
    pan_to (self, x, y);
  else if (self->carried != NULL)
    carry_to (self, x, y);
  else if (self->layout != NULL && self->layout->rows->len > 0
           && (self->drag_marks || hypot (x - self->drag_x, y - self->drag_y) > FAR))
    {
      self->drag_marks = TRUE;
      mark_area (self, x, y);
    }
}

static void
drag_end_cb (GtkGestureDrag *drag, double dx, double dy, SluiceLanes *self)
{
  double x;
  double y;

  if (self->drag_marks)
    sluice_lanes_emit_area (self);
  if (!self->is_carried)
    return;
  gtk_gesture_drag_get_start_point (drag, &x, &y);
  sluice_widget_to_units (GTK_WIDGET (self), x + dx, y + dy, &x, &y);
  gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
  g_autofree char *name = g_steal_pointer (&self->carried);
  sluice_lanes_emit_carried (self, name, lane_at (self, y), TRUE);
}

static void
drag_cancel_cb (SluiceLanes *self)
{
  gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
  if (self->is_carried && self->carried != NULL)
    sluice_lanes_emit_carried (self, NULL, G_MAXUINT, FALSE);
  g_clear_pointer (&self->carried, g_free);
}

/* ---- wheel and two fingers ---- */

static gboolean
scroll_cb (GtkEventControllerScroll *scroll, double dx, double dy, SluiceLanes *self)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (scroll));
  gboolean mirrored = sluice_widget_is_mirrored (GTK_WIDGET (self));

  if (self->view == NULL)
    return FALSE;
  if (state & GDK_SHIFT_MASK)
    {
      dx += dy;
      dy = 0;
    }
  if (state & GDK_CONTROL_MASK)
    sluice_lanes_zoom (self, pow (WHEEL_FACTOR, -dy));
  else
    {
      gtk_adjustment_set_value (self->adjustment, gtk_adjustment_get_value (self->adjustment)
                                                      + dy * SLUICE_LANES_PITCH);
      if (dx == 0)
        return TRUE; /* what is shown of the time stays */
      sluice_lanes_pan (self, (mirrored ? -dx : dx) * WHEEL_PAN);
    }
  sluice_lanes_touch (self);
  return TRUE;
}

static void
pinch_cb (GtkGestureZoom *pinch, double scale, SluiceLanes *self)
{
  double now = self->to - self->from;

  if (self->view == NULL || scale <= 0)
    return;
  sluice_lanes_zoom (self, (double) (self->pan_to - self->pan_from) / scale / now);
  sluice_lanes_touch (self);
}

static void
pinch_begin_cb (SluiceLanes *self)
{
  self->pan_from = self->from;
  self->pan_to = self->to;
}

/* ---- where it is ---- */

static void
motion_cb (GtkEventControllerMotion *motion, double x, double y, SluiceLanes *self)
{
  double uy;

  sluice_widget_to_units (GTK_WIDGET (self), x, y, &self->pointer_x, &uy);
  if (self->view != NULL)
    sluice_lanes_emit_pointed (self);
}

static void
leave_cb (SluiceLanes *self)
{
  self->pointer_x = -1;
  sluice_lanes_emit_pointed (self);
}

static gboolean
tell_rest (SluiceLanes *self, double x, double y, GtkTooltip *tooltip)
{
  double ux;
  double uy;

  if (self->view == NULL)
    return FALSE;
  SluiceLanesPicture picture = sluice_lanes_get_picture (self);
  sluice_widget_to_units (GTK_WIDGET (self), x, y, &ux, &uy);
  const SluiceLanesNote *note = sluice_lanes_pick_note (&picture, ux, uy);
  if (note != NULL)
    {
      gtk_tooltip_set_text (tooltip, note->text);
      return TRUE;
    }
  const SluiceLanesGap *gap = sluice_lanes_pick_gap (&picture, ux, uy);
  if (gap != NULL)
    gtk_tooltip_set_text (tooltip, gap->sentence);
  return gap != NULL;
}

static gboolean
query_tooltip_cb (
    GtkWidget *widget, int x, int y, gboolean by_key, GtkTooltip *tooltip, gpointer data)
{
  SluiceLanes *self = SLUICE_LANES (widget);
  guint64 number = by_key ? self->selected : pick (self, x, y);
  SluiceTraceSpan span;

  if (number == SLUICE_SPAN_NONE && !by_key)
    return tell_rest (self, x, y, tooltip);
  if (number == SLUICE_SPAN_NONE || self->words.dup_span == NULL)
    return FALSE;
  sluice_trace_view_get_span (self->view, number, &span);
  g_autofree char *text = self->words.dup_span (&span, self->words.data);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

void
sluice_lanes_init_input (SluiceLanes *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *pinch = gtk_gesture_zoom_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  gtk_gesture_group (drag, click);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect (click, "released", G_CALLBACK (released_cb), self);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect_swapped (drag, "cancel", G_CALLBACK (drag_cancel_cb), self);
  g_signal_connect_swapped (pinch, "begin", G_CALLBACK (pinch_begin_cb), self);
  g_signal_connect (pinch, "scale-changed", G_CALLBACK (pinch_cb), self);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, scroll);
}
