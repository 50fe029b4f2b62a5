/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/time-histogram.h"

#include "ui/common/paint.h"
#include "ui/common/widget.h"

#define HEIGHT 72
#define AIR    8.0
#define NONE   SLUICE_TIME_BINS

struct _SluiceTimeHistogram
{
  GtkWidget parent_instance;
  SluiceTimeBins bins;
  guint64 *steps; /* (nullable) */
  guint cursor;   /* NONE */
};

G_DEFINE_FINAL_TYPE (SluiceTimeHistogram, sluice_time_histogram, GTK_TYPE_WIDGET)

static guint chosen_signal;

static void
draw_bins (SluiceTimeHistogram *self, cairo_t *cr, double width, double height)
{
  const SluiceTimeBins *bins = &self->bins;
  double pitch = (width - 2 * AIR) / SLUICE_TIME_BINS;
  double room = height - 2 * AIR;
  SluiceTheme theme;

  sluice_theme_from_widget (&theme, GTK_WIDGET (self));
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    {
      cairo_translate (cr, width, 0);
      cairo_scale (cr, -1, 1);
    }
  for (guint i = 0; i < SLUICE_TIME_BINS; i++)
    {
      double part = bins->n[i] > 0 ? MAX (2, room * bins->n[i] / bins->most) : 0;
      SluiceColor color = bins->is_far[i] ? theme.event : theme.accent;

      if (i == self->cursor)
        {
          sluice_cairo_set_color (cr, theme.track);
          cairo_rectangle (cr, AIR + i * pitch, AIR, pitch, room);
          cairo_fill (cr);
        }
      sluice_cairo_set_color (cr, sluice_color_readable (color, theme.card, 3));
      cairo_rectangle (cr, AIR + i * pitch, height - AIR - part, MAX (pitch - 1, 1), part);
      cairo_fill (cr);
    }
}

static void
sluice_time_histogram_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceTimeHistogram *self = SLUICE_TIME_HISTOGRAM (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);

  if (self->steps == NULL)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  draw_bins (self, cr, width, height);
  cairo_destroy (cr);
  if (gtk_widget_has_visible_focus (widget))
    sluice_snapshot_focus_ring (snapshot, widget);
}

static void
sluice_time_histogram_measure (GtkWidget *widget,
                               GtkOrientation orientation,
                               int for_size,
                               int *minimum,
                               int *natural,
                               int *minimum_baseline,
                               int *natural_baseline)
{
  double scale = sluice_widget_get_text_scale (widget);

  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? (int) (HEIGHT * scale) : 0;
}

void
sluice_time_histogram_set_times (
    SluiceTimeHistogram *self, const guint64 *steps, const gint64 *times, guint n, gint64 limit)
{
  g_return_if_fail (n > 0);

  g_free (self->steps);
  self->steps = g_memdup2 (steps, n * sizeof *steps);
  sluice_time_bins (&self->bins, times, n, limit);
  self->cursor = NONE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- choosing ---- */

static void
choose (SluiceTimeHistogram *self, guint bin)
{
  if (bin < SLUICE_TIME_BINS && self->steps != NULL && self->bins.n[bin] > 0)
    g_signal_emit (self, chosen_signal, 0, self->steps[self->bins.longest[bin]]);
}

static void
pressed_cb (SluiceTimeHistogram *self, int n_press, double x, double y)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double at = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? width - x : x;

  choose (self, (guint) CLAMP ((at - AIR) / (width - 2 * AIR) * SLUICE_TIME_BINS, 0,
                               SLUICE_TIME_BINS - 1));
}

/* To the next bar in that direction. */
static void
move (SluiceTimeHistogram *self, int by)
{
  int at = self->cursor == NONE ? (by > 0 ? -1 : SLUICE_TIME_BINS) : (int) self->cursor;

  for (at += by; at >= 0 && at < SLUICE_TIME_BINS; at += by)
    if (self->bins.n[at] > 0)
      {
        self->cursor = (guint) at;
        gtk_widget_queue_draw (GTK_WIDGET (self));
        return;
      }
}

static gboolean
key_cb (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        SluiceTimeHistogram *self)
{
  int forward = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? -1 : 1;

  if (key == GDK_KEY_Left || key == GDK_KEY_Right)
    move (self, key == GDK_KEY_Right ? forward : -forward);
  else if (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_space)
    choose (self, self->cursor);
  else
    return FALSE;
  return TRUE;
}

/* ---- life ---- */

static void
sluice_time_histogram_finalize (GObject *object)
{
  g_free (SLUICE_TIME_HISTOGRAM (object)->steps);
  G_OBJECT_CLASS (sluice_time_histogram_parent_class)->finalize (object);
}

static void
sluice_time_histogram_class_init (SluiceTimeHistogramClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_time_histogram_finalize;
  widget_class->snapshot = sluice_time_histogram_snapshot;
  widget_class->measure = sluice_time_histogram_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  chosen_signal = g_signal_new ("chosen", SLUICE_TYPE_TIME_HISTOGRAM, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT64);
}

static void
sluice_time_histogram_init (SluiceTimeHistogram *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->cursor = NONE;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "inspector-history");
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

GtkWidget *
sluice_time_histogram_new (void)
{
  return g_object_new (SLUICE_TYPE_TIME_HISTOGRAM, NULL);
}
