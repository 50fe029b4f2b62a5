/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/thumbnail.h"

#include "ui/chart/png-reduce.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>

#define LEAST_SIZE   24
#define NATURAL_SIZE 64
#define CAPTION_GAP  4
#define CAPTION_MOST 110 /* a longer caption is cut */

struct _SluiceThumbnail
{
  GtkWidget parent_instance;
  cairo_surface_t *pixels; /* NULL where there is no picture */
  GBytes *image;           /* what the pixels are decoded from */
  char *words;
  GCancellable *decoding; /* (nullable) */
  GtkWidget *caption;
};

G_DEFINE_FINAL_TYPE (SluiceThumbnail, sluice_thumbnail, GTK_TYPE_WIDGET)

/* ---- decoding, on a thread ---- */

/* What a picture says of itself before it is decoded. */
typedef struct
{
  int width, height;
} Size;

/* A picture of more than that many pixels takes gigabytes: it is read row by row, and where its
 * format does not have that, its size is said instead. */
#define MOST_PIXELS 100e6
#define MOST_SIDE   2048 /* pixels kept of a side */

static void
size_prepared_cb (GdkPixbufLoader *loader, int width, int height, Size *size)
{
  double zoom = MIN (1, (double) MOST_SIDE / MAX (width, height));

  *size = (Size){ width, height };
  if ((double) width * height > MOST_PIXELS)
    gdk_pixbuf_loader_set_size (loader, 0, 0); /* stops the loader */
  else if (zoom < 1)
    gdk_pixbuf_loader_set_size (loader, MAX (1, (int) (width * zoom)),
                                MAX (1, (int) (height * zoom)));
}

static cairo_surface_t *
copy_pixels (GdkPixbuf *pixbuf)
{
  g_autoptr (GdkTexture) texture = gdk_texture_new_for_pixbuf (pixbuf);
  cairo_surface_t *surface = cairo_image_surface_create (
      CAIRO_FORMAT_ARGB32, gdk_texture_get_width (texture), gdk_texture_get_height (texture));

  gdk_texture_download (texture, cairo_image_surface_get_data (surface),
                        (gsize) cairo_image_surface_get_stride (surface));
  cairo_surface_mark_dirty (surface);
  return surface;
}

static void
reduce (GTask *task, GBytes *image, const Size *size, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  cairo_surface_t *reduced = sluice_png_reduce (image, MOST_SIDE, cancellable, &error);

  if (reduced != NULL)
    g_task_return_pointer (task, reduced, (GDestroyNotify) cairo_surface_destroy);
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_task_return_error (task, g_steal_pointer (&error));
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                             _ ("%d × %d pixels, too large to be shown: %s"), size->width,
                             size->height, error->message);
}

static void
decode_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  Size size = { 0 };
  gboolean good;

  if (g_task_return_error_if_cancelled (task))
    return;
  g_signal_connect (loader, "size-prepared", G_CALLBACK (size_prepared_cb), &size);
  good = gdk_pixbuf_loader_write_bytes (loader, data, NULL);
  good = gdk_pixbuf_loader_close (loader, NULL) && good;
  if ((double) size.width * size.height > MOST_PIXELS)
    reduce (task, data, &size, cancellable);
  else if (good && gdk_pixbuf_loader_get_pixbuf (loader) != NULL)
    g_task_return_pointer (task, copy_pixels (gdk_pixbuf_loader_get_pixbuf (loader)),
                           (GDestroyNotify) cairo_surface_destroy);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s", _ ("unreadable"));
}

static void
set_words (SluiceThumbnail *self, const char *words)
{
  gtk_label_set_label (GTK_LABEL (self->caption), words);
  gtk_widget_set_visible (self->caption, *words != '\0');
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
}

static void
decoded_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceThumbnail *self = SLUICE_THUMBNAIL (object);
  g_autoptr (GError) error = NULL;
  cairo_surface_t *pixels = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->decoding);
  g_clear_pointer (&self->pixels, cairo_surface_destroy);
  self->pixels = pixels;
  set_words (self, error != NULL ? error->message : self->words);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Until it is done the last picture stands. */
static void
decode (SluiceThumbnail *self)
{
  g_autoptr (GTask) task = NULL;

  if (self->decoding != NULL)
    g_cancellable_cancel (self->decoding);
  g_clear_object (&self->decoding);
  self->decoding = g_cancellable_new ();
  task = g_task_new (self, self->decoding, decoded_cb, NULL);
  g_task_set_task_data (task, g_bytes_ref (self->image), (GDestroyNotify) g_bytes_unref);
  g_task_run_in_thread (task, decode_thread);
}

/* ---- as a widget ---- */

/* A square over the caption. */
static int
get_size (SluiceThumbnail *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  int caption = 0;

  if (gtk_widget_get_visible (self->caption))
    gtk_widget_measure (self->caption, GTK_ORIENTATION_VERTICAL, -1, NULL, &caption, NULL, NULL);
  return MAX (LEAST_SIZE,
              MIN (gtk_widget_get_width (widget),
                   gtk_widget_get_height (widget) - (caption > 0 ? caption + CAPTION_GAP : 0)));
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
  float size = (float) get_size (self);
  float left = ((float) gtk_widget_get_width (widget) - size) / 2;

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
    {
      *minimum = LEAST_SIZE;
      *natural = CLAMP (caption_nat, NATURAL_SIZE, CAPTION_MOST);
      return;
    }
  if (!gtk_widget_get_visible (self->caption))
    caption_nat = -CAPTION_GAP;
  *minimum = LEAST_SIZE + CAPTION_GAP + caption_nat;
  *natural = NATURAL_SIZE + CAPTION_GAP + caption_nat;
}

static void
sluice_thumbnail_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceThumbnail *self = SLUICE_THUMBNAIL (widget);
  int size = get_size (self);
  GtkAllocation place = { 0, size + CAPTION_GAP, width, MAX (0, height - size - CAPTION_GAP) };

  if (gtk_widget_should_layout (self->caption))
    gtk_widget_size_allocate (self->caption, &place, -1);
}

/* A long caption is cut. */
static gboolean
sluice_thumbnail_query_tooltip (
    GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  const char *words = gtk_label_get_label (GTK_LABEL (SLUICE_THUMBNAIL (widget)->caption));

  gtk_tooltip_set_text (tooltip, words);
  return *words != '\0';
}

static void
sluice_thumbnail_dispose (GObject *object)
{
  SluiceThumbnail *self = SLUICE_THUMBNAIL (object);

  g_clear_pointer (&self->caption, gtk_widget_unparent);
  if (self->decoding != NULL)
    g_cancellable_cancel (self->decoding);
  g_clear_object (&self->decoding);
  g_clear_pointer (&self->pixels, cairo_surface_destroy);
  g_clear_pointer (&self->image, g_bytes_unref);
  g_clear_pointer (&self->words, g_free);
  G_OBJECT_CLASS (sluice_thumbnail_parent_class)->dispose (object);
}

static void
sluice_thumbnail_class_init (SluiceThumbnailClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_thumbnail_dispose;
  widget_class->query_tooltip = sluice_thumbnail_query_tooltip;
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
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
}

GtkWidget *
sluice_thumbnail_new (void)
{
  return g_object_new (SLUICE_TYPE_THUMBNAIL, NULL);
}

void
sluice_thumbnail_set (SluiceThumbnail *self, GBytes *image, const char *caption)
{
  g_return_if_fail (SLUICE_IS_THUMBNAIL (self) && image != NULL);

  g_free (self->words);
  self->words = g_strdup (caption != NULL ? caption : "");
  if (self->image != image)
    {
      g_clear_pointer (&self->image, g_bytes_unref);
      self->image = g_bytes_ref (image);
      decode (self);
    }
  set_words (self, self->words);
}
