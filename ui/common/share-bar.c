/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/share-bar.h"

#include "ui/common/widget.h"

#include <math.h>

#define HEIGHT 8
#define LEAST  48
#define RADIUS 2.0F

struct _SluiceShareBar
{
  GtkWidget parent_instance;
  GArray *parts; /* of SluiceSharePart */
  double whole;
};

G_DEFINE_FINAL_TYPE (SluiceShareBar, sluice_share_bar, GTK_TYPE_WIDGET)

static void
append_part (GtkSnapshot *snapshot, SluiceColor color, const graphene_rect_t *place)
{
  const GdkRGBA rgba = { (float) color.r, (float) color.g, (float) color.b, (float) color.a };
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (&outline, place, RADIUS);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &rgba, place);
  gtk_snapshot_pop (snapshot);
}

static void
sluice_share_bar_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceShareBar *self = SLUICE_SHARE_BAR (widget);
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  gboolean turned = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  double at = 0;
  SluiceTheme theme;

  sluice_theme_from_widget (&theme, widget);
  for (guint i = 0; i < self->parts->len && self->whole > 0; i++)
    {
      const SluiceSharePart *part = &g_array_index (self->parts, SluiceSharePart, i);
      double length = width * MIN (part->value / self->whole, 1);
      if (!isfinite (length) || length <= 0)
        continue;
      length = MIN (length, width - at);
      graphene_rect_t place = GRAPHENE_RECT_INIT ((float) (turned ? width - at - length : at), 0,
                                                  (float) MAX (length - 1, 1), (float) height);
      append_part (snapshot, sluice_color_readable (part->color, theme.window, theme.contrast),
                   &place);
      at += length;
    }
}

static void
sluice_share_bar_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? LEAST : HEIGHT;
}

static void
sluice_share_bar_finalize (GObject *object)
{
  g_array_unref (SLUICE_SHARE_BAR (object)->parts);
  G_OBJECT_CLASS (sluice_share_bar_parent_class)->finalize (object);
}

static void
sluice_share_bar_class_init (SluiceShareBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_share_bar_finalize;
  widget_class->snapshot = sluice_share_bar_snapshot;
  widget_class->measure = sluice_share_bar_measure;
  gtk_widget_class_set_css_name (widget_class, "sharebar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
sluice_share_bar_init (SluiceShareBar *self)
{
  self->parts = g_array_new (FALSE, FALSE, sizeof (SluiceSharePart));
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
}

GtkWidget *
sluice_share_bar_new (void)
{
  return g_object_new (SLUICE_TYPE_SHARE_BAR, NULL);
}

void
sluice_share_bar_set (SluiceShareBar *self,
                      const SluiceSharePart *parts,
                      guint n_parts,
                      double whole)
{
  g_array_set_size (self->parts, 0);
  g_array_append_vals (self->parts, parts, n_parts);
  self->whole = whole;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
