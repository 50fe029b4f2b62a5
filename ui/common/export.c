/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/export.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n-lib.h>
#include <math.h>

gboolean
sluice_export_format_from_name (const char *path, SluiceExportFormat *format)
{
  static const struct
  {
    const char *ending;
    SluiceExportFormat format;
  } known[] = {
    { ".png", SLUICE_EXPORT_PNG },          { ".svg", SLUICE_EXPORT_SVG },
    { ".pdf", SLUICE_EXPORT_PDF },          { ".dot", SLUICE_EXPORT_DOT },
    { ".gv", SLUICE_EXPORT_DOT },           { ".csv", SLUICE_EXPORT_CSV },
    { ".jsonl", SLUICE_EXPORT_JSON_LINES },
  };
  g_autofree char *folded = g_ascii_strdown (path, -1);

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_suffix (folded, known[i].ending))
      {
        *format = known[i].format;
        return TRUE;
      }
  return FALSE;
}

static cairo_status_t
append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
open_surface (
    SluiceExportFormat format, double width, double height, double scale, GByteArray *bytes)
{
  cairo_surface_t *surface;

  if (format == SLUICE_EXPORT_SVG)
    return cairo_svg_surface_create_for_stream (append_bytes, bytes, width, height);
  if (format == SLUICE_EXPORT_PDF)
    return cairo_pdf_surface_create_for_stream (append_bytes, bytes, width, height);
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) ceil (width * scale),
                                        (int) ceil (height * scale));
  cairo_surface_set_device_scale (surface, scale, scale);
  return surface;
}

gboolean
sluice_export_picture (SluiceExportFormat format,
                       const char *path,
                       double width,
                       double height,
                       double scale,
                       SluiceDrawFunc draw,
                       gpointer data,
                       GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *surface;
  cairo_status_t status;
  cairo_t *cr;

  g_return_val_if_fail (format <= SLUICE_EXPORT_PDF, FALSE);

  surface = open_surface (format, width, height, scale, bytes);
  cr = cairo_create (surface);
  draw (cr, width, height, format != SLUICE_EXPORT_PNG, data);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS && format == SLUICE_EXPORT_PNG)
    status = cairo_surface_write_to_png_stream (surface, append_bytes, bytes);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, _ ("“%s” could not be drawn: %s"),
                   path, cairo_status_to_string (status));
      return FALSE;
    }
  return g_file_set_contents_full (path, (const char *) bytes->data, bytes->len,
                                   G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                   0666, error);
}

gboolean
sluice_export_named_picture (const char *path,
                             double width,
                             double height,
                             double scale,
                             SluiceDrawFunc draw,
                             gpointer data,
                             GError **error)
{
  SluiceExportFormat format;

  if (!sluice_export_format_from_name (path, &format) || format > SLUICE_EXPORT_PDF)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                   _ ("%s: a picture's name must end in .png, .svg or .pdf"), path);
      return FALSE;
    }
  return sluice_export_picture (format, path, width, height, scale, draw, data, error);
}
