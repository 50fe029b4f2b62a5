/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/memory-bands.h"

#include <math.h>

#include "ui/common/widget.h"
#include "ui/timeline/lanes-draw.h"
#include "ui/timeline/memory-bands-private.h"
#include "ui/timeline/memory-draw-private.h"

#define LEAST_HEIGHT   200
#define NATURAL_HEIGHT 340
#define SHARED_HEIGHT  120 /* at least, of what stands under lanes */
#define LEAST_WIDTH    320
#define APART          2.5 /* units: lower bands are walked over */
#define WHEEL_FACTOR   0.8 /* of the time shown, a notch closer */
#define WHEEL_PAN      0.08

G_DEFINE_FINAL_TYPE (SluiceMemoryBands, sluice_memory_bands, GTK_TYPE_WIDGET)

enum
{
  SELECTED,
  CURSOR_MOVED,
  RANGE_CHANGED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

void
sluice_memory_bands_emit_selected (SluiceMemoryBands *self, guint band)
{
  g_signal_emit (self, signals[SELECTED], 0, band);
}

/* ---- what is drawn ---- */

/* Of the part of the time that was recorded, a column a unit. */
static void
lay_out (SluiceMemoryBands *self, const SluiceTimeAxis *axis)
{
  gint64 length = MAX (sluice_memory_view_get_tape (self->view)->length, 1);
  gint64 from = CLAMP (self->from, 0, length - 1);
  gint64 to = CLAMP (self->to, from + 1, length);
  double units = sluice_time_axis_to_x (axis, to) - sluice_time_axis_to_x (axis, from);
  guint n_columns = (guint) CLAMP (units, 1, MAX (axis->x1 - axis->x0, 1));

  if (self->layout != NULL && self->layout->n_columns == n_columns && self->layout->from == from
      && self->layout->to == to)
    return;
  g_clear_pointer (&self->layout, sluice_memory_layout_free);
  self->layout = sluice_memory_view_lay_out (self->view, from, to, n_columns);
}

SluiceMemoryPicture
sluice_memory_bands_get_picture (SluiceMemoryBands *self)
{
  double width;
  double height;
  double left = self->is_shared ? SLUICE_LANES_NAMES : SLUICE_MEMORY_LEFT;
  double end = self->is_shared ? SLUICE_LANES_END : SLUICE_MEMORY_END;

  sluice_widget_get_units (GTK_WIDGET (self), &width, &height);
  const SluiceTimeAxis axis = { self->from, self->to, left, MAX (width - end, left + 1) };
  lay_out (self, &axis);
  return (SluiceMemoryPicture){
    .view = self->view,
    .layout = self->layout,
    .axis = axis,
    .width = width,
    .height = height,
    .top_bytes = self->top_bytes,
    .selected = self->selected,
    .hovered = self->hovered,
    .is_shared = self->is_shared,
    .zero = self->zero,
    .cursor_time = self->cursor_time,
    .pointer_x = self->pointer_x,
    .pointer_y = self->pointer_y,
    .mirrored = sluice_widget_is_mirrored (GTK_WIDGET (self)),
  };
}

static void
sluice_memory_bands_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceMemoryBands *self = SLUICE_MEMORY_BANDS (widget);
  SluiceTheme theme;

  if (self->view == NULL)
    return;
  SluiceMemoryPicture picture = sluice_memory_bands_get_picture (self);
  cairo_t *cr = sluice_snapshot_begin_units (snapshot, widget, &theme);
  sluice_memory_draw (&picture, cr, &theme);
  cairo_destroy (cr);
  sluice_snapshot_focus_ring (snapshot, widget);
}

static void
sluice_memory_bands_measure (GtkWidget *widget,
                             GtkOrientation orientation,
                             int for_size,
                             int *minimum,
                             int *natural,
                             int *minimum_baseline,
                             int *natural_baseline)
{
  gboolean is_height = orientation == GTK_ORIENTATION_VERTICAL;

  gboolean is_shared = SLUICE_MEMORY_BANDS (widget)->is_shared;

  if (is_height)
    *minimum = is_shared ? SHARED_HEIGHT : LEAST_HEIGHT;
  else
    *minimum = is_shared ? 0 : LEAST_WIDTH; /* the lanes have none */
  *natural = is_height ? NATURAL_HEIGHT : *minimum;
}

static void
sluice_memory_bands_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  sluice_proxies_queue (&SLUICE_MEMORY_BANDS (widget)->proxies);
  sluice_proxies_allocate (&SLUICE_MEMORY_BANDS (widget)->proxies);
}

static void
changed (SluiceMemoryBands *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  sluice_proxies_queue (&self->proxies);
}

/* ---- what is in front ---- */

static void
set_range (SluiceMemoryBands *self, const SluiceTimeAxis *axis)
{
  self->from = axis->from;
  self->to = axis->to;
  changed (self);
}

/* By a person. */
static void
move_range (SluiceMemoryBands *self, const SluiceTimeAxis *axis)
{
  set_range (self, axis);
  g_signal_emit (self, signals[RANGE_CHANGED], 0);
}

void
sluice_memory_bands_share (SluiceMemoryBands *self, gint64 begin, gint64 end, gint64 zero)
{
  self->is_shared = TRUE;
  self->begin = begin;
  self->end = end;
  self->zero = zero;
}

void
sluice_memory_bands_show (SluiceMemoryBands *self, gint64 from, gint64 to)
{
  if (self->from != from || self->to != to)
    set_range (self, &(SluiceTimeAxis){ .from = from, .to = to });
}

void
sluice_memory_bands_point (SluiceMemoryBands *self, gint64 time)
{
  if (self->view == NULL || self->cursor_time == time)
    return;
  self->cursor = sluice_memory_view_find_moment (self->view, time);
  self->cursor_time = time;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_memory_bands_show_all (SluiceMemoryBands *self)
{
  set_range (self, &(SluiceTimeAxis){ .from = self->begin, .to = self->end });
}

void
sluice_memory_bands_set_view (SluiceMemoryBands *self, const SluiceMemoryView *view)
{
  self->view = view;
  g_clear_pointer (&self->layout, sluice_memory_layout_free);
  self->selected = self->hovered = SLUICE_BAND_NONE;
  self->cursor = 0;
  if (!self->is_shared)
    self->end = SLUICE_TIME_LEAST;
  if (view != NULL)
    {
      if (!self->is_shared)
        self->end = MAX (sluice_memory_view_get_tape (view)->length, SLUICE_TIME_LEAST);
      self->top_bytes =
          self->is_shared ? sluice_memory_find_shared_top (view) : sluice_memory_find_top (view);
      self->cursor = sluice_memory_view_get_peak (view);
      self->cursor_time = sluice_memory_view_get_time (view, self->cursor);
    }
  if (self->is_shared)
    changed (self);
  else
    sluice_memory_bands_show_all (self);
}

void
sluice_memory_bands_set_words (SluiceMemoryBands *self, SluiceMemoryBandWords words)
{
  self->words = words;
}

void
sluice_memory_bands_get_range (SluiceMemoryBands *self, gint64 *from, gint64 *to)
{
  *from = self->from;
  *to = self->to;
}

static void
zoom_at (SluiceMemoryBands *self, double factor, double x)
{
  if (self->view == NULL)
    return;
  SluiceTimeAxis axis = sluice_memory_bands_get_picture (self).axis;
  sluice_time_axis_zoom (&axis, x, factor, self->begin, self->end);
  move_range (self, &axis);
}

void
sluice_memory_bands_zoom (SluiceMemoryBands *self, double factor)
{
  if (self->view == NULL)
    return;
  SluiceTimeAxis axis = sluice_memory_bands_get_picture (self).axis;
  double x = sluice_time_axis_to_x (&axis, sluice_memory_view_get_time (self->view, self->cursor));
  zoom_at (self, factor, x < axis.x0 || x > axis.x1 ? (axis.x0 + axis.x1) / 2 : x);
}

static void
reveal (SluiceMemoryBands *self, gint64 from, gint64 to)
{
  SluiceTimeAxis axis = { self->from, self->to, 0, 1 };

  if (self->is_shared || (to >= self->from && from <= self->to))
    return; /* where it is shown is not its own affair */
  sluice_time_axis_reveal (&axis, from, to, self->begin, self->end);
  set_range (self, &axis);
}

/* ---- cursor and selection ---- */

void
sluice_memory_bands_set_cursor (SluiceMemoryBands *self, guint moment)
{
  if (self->view == NULL)
    return;
  self->cursor = MIN (moment, sluice_memory_view_get_n_moments (self->view) - 1);
  self->cursor_time = sluice_memory_view_get_time (self->view, self->cursor);
  reveal (self, self->cursor_time, self->cursor_time);
  changed (self);
}

gint64
sluice_memory_bands_get_cursor_time (SluiceMemoryBands *self)
{
  return self->cursor_time;
}

guint
sluice_memory_bands_get_cursor (SluiceMemoryBands *self)
{
  return self->cursor;
}

void
sluice_memory_bands_select (SluiceMemoryBands *self, guint band)
{
  self->selected = band;
  if (band != SLUICE_BAND_NONE)
    {
      const SluiceMemoryBand *shown = sluice_memory_view_get_band (self->view, band);
      reveal (self, shown->made, shown->freed);
    }
  changed (self);
}

guint
sluice_memory_bands_get_selected (SluiceMemoryBands *self)
{
  return self->selected;
}

static gboolean
is_apart (SluiceMemoryBands *self, const SluiceMemoryPicture *picture, guint band)
{
  double units =
      picture->height - sluice_memory_get_foot (picture) - sluice_memory_get_head (picture);
  double bytes = (double) sluice_memory_view_get_band (self->view, band)->bytes;

  return bytes / self->top_bytes * units >= APART;
}

guint
sluice_memory_bands_find_beside (SluiceMemoryBands *self, int by)
{
  guint n = self->view != NULL ? sluice_memory_view_get_n_bands (self->view) : 0;

  if (n == 0)
    return SLUICE_BAND_NONE;
  const SluiceMemoryPicture picture = sluice_memory_bands_get_picture (self);
  gint64 at = self->selected != SLUICE_BAND_NONE ? (gint64) self->selected
              : by > 0                           ? -1
                                                 : (gint64) n;
  for (at += by; at >= 0 && at < n; at += by)
    if (is_apart (self, &picture, (guint) at))
      return (guint) at;
  return SLUICE_BAND_NONE;
}

guint
sluice_memory_bands_find_across (SluiceMemoryBands *self, int by)
{
  guint found = SLUICE_BAND_NONE;
  gint64 rank = -1, best = by > 0 ? G_MAXINT64 : -1;

  if (self->view == NULL)
    return found;
  const SluiceMemoryPicture picture = sluice_memory_bands_get_picture (self);
  if (self->selected != SLUICE_BAND_NONE)
    rank = sluice_memory_view_get_band (self->view, self->selected)->rank;
  else if (by < 0)
    rank = G_MAXINT64;
  for (guint i = 0; i < sluice_memory_view_get_n_bands (self->view); i++)
    {
      const SluiceMemoryBand *band = sluice_memory_view_get_band (self->view, i);
      gboolean is_live = band->begin <= self->cursor && self->cursor < band->end;

      if (!is_live || !is_apart (self, &picture, i)
          || (by > 0 ? band->rank <= rank || band->rank >= best
                     : band->rank >= rank || band->rank <= best))
        continue;
      best = band->rank;
      found = i;
    }
  return found;
}

/* ---- by a person ---- */

static void
hover (SluiceMemoryBands *self, double x, double y)
{
  if (self->view == NULL)
    return;
  SluiceMemoryPicture picture = sluice_memory_bands_get_picture (self);
  sluice_widget_to_units (GTK_WIDGET (self), x, y, &self->pointer_x, &self->pointer_y);
  self->hovered = sluice_memory_pick (&picture, self->pointer_x, self->pointer_y);
  if (self->pointer_x >= picture.axis.x0 && self->pointer_x <= picture.axis.x1)
    {
      guint moment = picture.layout->moments[sluice_memory_get_column (&picture, self->pointer_x)];
      self->cursor = moment;
      self->cursor_time = sluice_time_axis_to_time (&picture.axis, self->pointer_x);
      if (!self->is_shared) /* the column's highest moment may be a little behind it */
        self->cursor_time =
            MAX (self->cursor_time, sluice_memory_view_get_time (self->view, moment));
      g_signal_emit (self, signals[CURSOR_MOVED], 0, moment);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
motion_cb (GtkEventControllerMotion *motion, double x, double y, SluiceMemoryBands *self)
{
  if (sluice_pointer_has_moved (GTK_EVENT_CONTROLLER (motion), self->seen))
    hover (self, x, y);
}

static void
leave_cb (SluiceMemoryBands *self)
{
  self->pointer_x = self->pointer_y = -1;
  self->hovered = SLUICE_BAND_NONE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
pressed_cb (SluiceMemoryBands *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

static void
released_cb (GtkGestureClick *click, int n_press, double x, double y, SluiceMemoryBands *self)
{
  double ux;
  double uy;

  if (self->view == NULL)
    return;
  SluiceMemoryPicture picture = sluice_memory_bands_get_picture (self);
  sluice_widget_to_units (GTK_WIDGET (self), x, y, &ux, &uy);
  guint band = sluice_memory_pick (&picture, ux, uy);
  sluice_memory_bands_emit_selected (self, band);
  if (n_press == 2 && !self->is_shared)
    sluice_memory_bands_show_all (self);
}

/* With Ctrl it comes closer, with Shift or sideways it pans; else what it stands in scrolls. */
static gboolean
scroll_cb (GtkEventControllerScroll *scroll, double dx, double dy, SluiceMemoryBands *self)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (scroll));

  if (self->view == NULL)
    return FALSE;
  SluiceTimeAxis axis = sluice_memory_bands_get_picture (self).axis;
  if (state & GDK_CONTROL_MASK)
    {
      zoom_at (self, pow (WHEEL_FACTOR, -dy),
               self->pointer_x >= 0 ? self->pointer_x : (axis.x0 + axis.x1) / 2);
      return TRUE;
    }
  if (state & GDK_SHIFT_MASK)
    dx += dy;
  if (dx == 0)
    return FALSE;
  if (sluice_widget_is_mirrored (GTK_WIDGET (self)))
    dx = -dx;
  sluice_time_axis_pan (&axis, dx * WHEEL_PAN * (axis.x1 - axis.x0), self->begin, self->end);
  move_range (self, &axis);
  return TRUE;
}

static void
init_input (SluiceMemoryBands *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);

  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect (click, "released", G_CALLBACK (released_cb), self);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
}

/* ---- life ---- */

static void
sluice_memory_bands_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sluice_memory_bands_parent_class)->css_changed (widget, change);
  gtk_widget_queue_draw (widget);
}

static void
sluice_memory_bands_dispose (GObject *object)
{
  sluice_proxies_clear (&SLUICE_MEMORY_BANDS (object)->proxies);
  G_OBJECT_CLASS (sluice_memory_bands_parent_class)->dispose (object);
}

static void
sluice_memory_bands_finalize (GObject *object)
{
  SluiceMemoryBands *self = SLUICE_MEMORY_BANDS (object);

  g_clear_pointer (&self->layout, sluice_memory_layout_free);
  G_OBJECT_CLASS (sluice_memory_bands_parent_class)->finalize (object);
}

static void
sluice_memory_bands_class_init (SluiceMemoryBandsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_memory_bands_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_memory_bands_finalize;
  widget_class->snapshot = sluice_memory_bands_snapshot;
  widget_class->measure = sluice_memory_bands_measure;
  widget_class->size_allocate = sluice_memory_bands_size_allocate;
  widget_class->css_changed = sluice_memory_bands_css_changed;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TREE);
  signals[SELECTED] = g_signal_new ("selected", SLUICE_TYPE_MEMORY_BANDS, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[CURSOR_MOVED] = g_signal_new ("cursor-moved", SLUICE_TYPE_MEMORY_BANDS, G_SIGNAL_RUN_LAST,
                                        0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[RANGE_CHANGED] = g_signal_new ("range-changed", SLUICE_TYPE_MEMORY_BANDS,
                                         G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_memory_bands_init (SluiceMemoryBands *self)
{
  self->selected = self->hovered = SLUICE_BAND_NONE;
  self->end = self->to = SLUICE_TIME_LEAST;
  self->pointer_x = self->pointer_y = -1;
  sluice_memory_bands_init_proxies (self);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  init_input (self);
}

GtkWidget *
sluice_memory_bands_new (void)
{
  return g_object_new (SLUICE_TYPE_MEMORY_BANDS, NULL);
}
