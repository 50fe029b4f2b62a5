/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/memory-strip.h"

#include <glib/gi18n-lib.h>

#include "ui/common/widget.h"
#include "ui/timeline/memory-draw.h"

#define HEIGHT 48

struct _SluiceMemoryStrip
{
  GtkWidget parent_instance;
  const SluiceMemoryView *view; /* (nullable) */
  SluiceMemoryMap *map;         /* (nullable): with view */
  guint selected;
};

G_DEFINE_FINAL_TYPE (SluiceMemoryStrip, sluice_memory_strip, GTK_TYPE_WIDGET)

static guint selected_signal;

void
sluice_memory_strip_set_moment (SluiceMemoryStrip *self, const SluiceMemoryView *view, guint moment)
{
  g_clear_pointer (&self->map, sluice_memory_map_free);
  self->view = view;
  if (view != NULL)
    self->map = sluice_memory_view_make_map (view, moment);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_memory_strip_select (SluiceMemoryStrip *self, guint band)
{
  self->selected = band;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const SluiceMemoryMap *
sluice_memory_strip_get_map (SluiceMemoryStrip *self)
{
  return self->map;
}

static void
sluice_memory_strip_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceMemoryStrip *self = SLUICE_MEMORY_STRIP (widget);
  double scale = sluice_widget_get_text_scale (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  SluiceTheme theme;

  if (self->map == NULL || width < 8)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (-2, 0, (float) width + 4, (float) height));
  sluice_theme_from_widget (&theme, widget);
  cairo_scale (cr, scale, scale);
  sluice_memory_draw_map (self->view, self->map, self->selected, width / scale, height / scale, cr,
                          &theme);
  cairo_destroy (cr);
}

static void
sluice_memory_strip_measure (GtkWidget *widget,
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

static guint
pick (SluiceMemoryStrip *self, double x)
{
  return self->map != NULL
             ? sluice_memory_pick_map (self->map, gtk_widget_get_width (GTK_WIDGET (self)), x)
             : SLUICE_BAND_NONE;
}

static void
released_cb (GtkGestureClick *click, int n_press, double x, double y, SluiceMemoryStrip *self)
{
  guint band = pick (self, x);

  if (band != SLUICE_BAND_NONE)
    g_signal_emit (self, selected_signal, 0, band);
}

static gboolean
query_tooltip_cb (
    GtkWidget *widget, int x, int y, gboolean by_key, GtkTooltip *tooltip, gpointer data)
{
  SluiceMemoryStrip *self = SLUICE_MEMORY_STRIP (widget);
  guint number = by_key ? SLUICE_BAND_NONE : pick (self, x);

  if (number == SLUICE_BAND_NONE)
    return FALSE;
  const SluiceMemoryBand *band = sluice_memory_view_get_band (self->view, number);
  g_autofree char *name = sluice_memory_dup_name (self->view, band->owner);
  g_autofree char *bytes = sluice_memory_format_bytes ((double) band->bytes);
  g_autofree char *given = sluice_memory_format_bytes ((double) band->given);
  g_autofree char *text = g_strdup_printf (_ ("%s: %s, in a place of %s"), name, bytes, given);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
sluice_memory_strip_finalize (GObject *object)
{
  g_clear_pointer (&SLUICE_MEMORY_STRIP (object)->map, sluice_memory_map_free);
  G_OBJECT_CLASS (sluice_memory_strip_parent_class)->finalize (object);
}

static void
sluice_memory_strip_class_init (SluiceMemoryStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_memory_strip_finalize;
  widget_class->snapshot = sluice_memory_strip_snapshot;
  widget_class->measure = sluice_memory_strip_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  selected_signal = g_signal_new ("selected", SLUICE_TYPE_MEMORY_STRIP, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
sluice_memory_strip_init (SluiceMemoryStrip *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  self->selected = SLUICE_BAND_NONE;
  g_signal_connect (click, "released", G_CALLBACK (released_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
}

GtkWidget *
sluice_memory_strip_new (void)
{
  return g_object_new (SLUICE_TYPE_MEMORY_STRIP, NULL);
}
