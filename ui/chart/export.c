/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/export.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n-lib.h>
#include <math.h>

static cairo_status_t
append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
open_surface (const char *path, double width, double height, double scale, GByteArray *bytes)
{
  cairo_surface_t *surface;

  if (g_str_has_suffix (path, ".svg"))
    return cairo_svg_surface_create_for_stream (append_bytes, bytes, width, height);
  if (g_str_has_suffix (path, ".pdf"))
    return cairo_pdf_surface_create_for_stream (append_bytes, bytes, width, height);
  if (!g_str_has_suffix (path, ".png"))
    return NULL;
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) ceil (width * scale),
                                        (int) ceil (height * scale));
  cairo_surface_set_device_scale (surface, scale, scale);
  return surface;
}

gboolean
sluice_export_picture (const char *path,
                       double width,
                       double height,
                       double scale,
                       SluiceDrawFunc draw,
                       gpointer data,
                       GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gboolean is_png = g_str_has_suffix (path, ".png");
  cairo_surface_t *surface = open_surface (path, width, height, scale, bytes);
  cairo_status_t status;
  cairo_t *cr;

  if (surface == NULL)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                   _ ("%s: a picture's name must end in .png, .svg or .pdf"), path);
      return FALSE;
    }
  cr = cairo_create (surface);
  draw (cr, width, height, !is_png, data);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS && is_png)
    status = cairo_surface_write_to_png_stream (surface, append_bytes, bytes);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, _ ("%s: cannot draw: %s"), path,
                   cairo_status_to_string (status));
      return FALSE;
    }
  return g_file_set_contents_full (path, (const char *) bytes->data, bytes->len,
                                   G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                   0666, error);
}
