/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <math.h>

/* What is drawn hundreds of times a frame and looks the same, drawn once and painted after that:
 * ports, rings and pills cost as much again as the graph under them otherwise. */

#define MOST_SPRITES 500 /* while the picture is zoomed, each frame has other sizes */

void
sluice_canvas_edit_drop_sprites (SluiceCanvas *self)
{
  if (self->edit != NULL)
    g_clear_pointer (&self->edit->sprites, g_hash_table_unref);
}

gboolean
sluice_canvas_edit_paint_sprite (
    SluiceCanvas *self, cairo_t *cr, const char *key, double x, double y)
{
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  cairo_surface_t *sprite =
      self->edit->sprites != NULL ? g_hash_table_lookup (self->edit->sprites, key) : NULL;
  if (sprite == NULL)
    return FALSE;
  /* On whole pixels: a blend of two would be soft, and slow. */
  cairo_set_source_surface (cr, sprite, round (x * scale) / scale, round (y * scale) / scale);
  cairo_paint (cr);
  return TRUE;
}

gboolean
sluice_canvas_edit_get_sprite_size (SluiceCanvas *self,
                                    const char *key,
                                    double *width,
                                    double *height)
{
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  cairo_surface_t *sprite =
      self->edit->sprites != NULL ? g_hash_table_lookup (self->edit->sprites, key) : NULL;
  if (sprite == NULL)
    return FALSE;
  *width = cairo_image_surface_get_width (sprite) / (double) scale;
  *height = cairo_image_surface_get_height (sprite) / (double) scale;
  return TRUE;
}

cairo_t *
sluice_canvas_edit_new_sprite (SluiceCanvas *self, const char *key, double width, double height)
{
  CanvasEdit *edit = self->edit;
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  cairo_surface_t *sprite = cairo_image_surface_create (
      CAIRO_FORMAT_ARGB32, (int) ceil (width * scale), (int) ceil (height * scale));
  cairo_surface_set_device_scale (sprite, scale, scale);
  if (edit->sprites != NULL && g_hash_table_size (edit->sprites) >= MOST_SPRITES)
    g_clear_pointer (&edit->sprites, g_hash_table_unref);
  if (edit->sprites == NULL)
    edit->sprites = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify) cairo_surface_destroy);
  g_hash_table_insert (edit->sprites, g_strdup (key), sprite);
  return cairo_create (sprite);
}
