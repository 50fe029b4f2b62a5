/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/thumbnail.h"

#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>

#define PICTURE_SIZE 64
#define CAPTION_GAP  4
#define CAPTION_MOST 110 /* a longer caption is cut */

struct _SluiceThumbnail
{
  GtkWidget parent_instance;
  cairo_surface_t *pixels; /* NULL where there is no picture */
  GBytes *image;           /* what the pixels were decoded from */
  GtkWidget *caption;
};

G_DEFINE_FINAL_TYPE (SluiceThumbnail, sluice_thumbnail, GTK_TYPE_WIDGET)

static cairo_surface_t *
decode (GBytes *image)
{
  g_autoptr (GdkTexture) texture = gdk_texture_new_from_bytes (image, NULL);
  cairo_surface_t *surface;

  if (texture == NULL)
    return NULL;
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, gdk_texture_get_width (texture),
                                        gdk_texture_get_height (texture));
  gdk_texture_download (texture, cairo_image_surface_get_data (surface),
                        (gsize) cairo_image_surface_get_stride (surface));
  cairo_surface_mark_dirty (surface);
  return surface;
}

static void
snapshot_picture (SluiceThumbnail *self, GtkSnapshot *snapshot, float size, float left)
{
  int width = cairo_image_surface_get_width (self->pixels);
  int height = cairo_image_surface_get_height (self->pixels);
  double zoom = size / MAX (width, height);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (left, 0, size, size));

  cairo_translate (cr, left + (size - width * zoom) / 2, (size - height * zoom) / 2);
  cairo_scale (cr, zoom, zoom);
  cairo_set_source_surface (cr, self->pixels, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr),
                            zoom >= 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  cairo_destroy (cr);
}

/* Where a picture should be. */
static void
snapshot_frame (GtkWidget *widget, GtkSnapshot *snapshot, float size, float left)
{
  SluiceTheme theme;
  GskRoundedRect frame;
  GdkRGBA color;

  sluice_theme_from_widget (&theme, widget);
  color = (GdkRGBA){ (float) theme.dim.r, (float) theme.dim.g, (float) theme.dim.b, 1 };
  gsk_rounded_rect_init_from_rect (&frame, &GRAPHENE_RECT_INIT (left, 0, size, size), 4);
  gtk_snapshot_append_border (snapshot, &frame, (float[4]){ 1, 1, 1, 1 },
                              (GdkRGBA[4]){ color, color, color, color });
}

static void
sluice_thumbnail_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceThumbnail *self = SLUICE_THUMBNAIL (widget);
  float size = PICTURE_SIZE;
  float left = (float) (gtk_widget_get_width (widget) - PICTURE_SIZE) / 2;

  if (self->pixels != NULL)
    snapshot_picture (self, snapshot, size, left);
  else
    snapshot_frame (widget, snapshot, size, left);
  gtk_widget_snapshot_child (widget, self->caption, snapshot);
}

static void
sluice_thumbnail_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  SluiceThumbnail *self = SLUICE_THUMBNAIL (widget);
  int caption_min;
  int caption_nat;

  gtk_widget_measure (self->caption, orientation, -1, &caption_min, &caption_nat, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = CLAMP (caption_nat, PICTURE_SIZE, CAPTION_MOST);
  else
    *minimum = *natural =
        PICTURE_SIZE + (gtk_widget_get_visible (self->caption) ? CAPTION_GAP + caption_nat : 0);
}

static void
sluice_thumbnail_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceThumbnail *self = SLUICE_THUMBNAIL (widget);
  GtkAllocation place = { 0, PICTURE_SIZE + CAPTION_GAP, width,
                          MAX (0, height - PICTURE_SIZE - CAPTION_GAP) };

  if (gtk_widget_should_layout (self->caption))
    gtk_widget_size_allocate (self->caption, &place, -1);
}

static void
sluice_thumbnail_dispose (GObject *object)
{
  SluiceThumbnail *self = SLUICE_THUMBNAIL (object);

  g_clear_pointer (&self->caption, gtk_widget_unparent);
  g_clear_pointer (&self->pixels, cairo_surface_destroy);
  g_clear_pointer (&self->image, g_bytes_unref);
  G_OBJECT_CLASS (sluice_thumbnail_parent_class)->dispose (object);
}

static void
sluice_thumbnail_class_init (SluiceThumbnailClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_thumbnail_dispose;
  widget_class->snapshot = sluice_thumbnail_snapshot;
  widget_class->measure = sluice_thumbnail_measure;
  widget_class->size_allocate = sluice_thumbnail_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "thumbnail");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
sluice_thumbnail_init (SluiceThumbnail *self)
{
  self->caption = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->caption), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->caption, "caption");
  gtk_widget_add_css_class (self->caption, "dim-label");
  gtk_widget_set_parent (self->caption, GTK_WIDGET (self));
}

GtkWidget *
sluice_thumbnail_new (void)
{
  return g_object_new (SLUICE_TYPE_THUMBNAIL, NULL);
}

void
sluice_thumbnail_set (SluiceThumbnail *self, GBytes *image, const char *caption)
{
  const char *words;

  g_return_if_fail (SLUICE_IS_THUMBNAIL (self) && image != NULL);

  if (self->image != image)
    {
      g_clear_pointer (&self->pixels, cairo_surface_destroy);
      g_clear_pointer (&self->image, g_bytes_unref);
      self->image = g_bytes_ref (image);
      self->pixels = decode (image);
    }
  words = self->pixels == NULL ? _ ("unreadable") : caption != NULL ? caption : "";
  gtk_label_set_label (GTK_LABEL (self->caption), words);
  gtk_widget_set_visible (self->caption, *words != '\0');
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), *words != '\0' ? words : NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
