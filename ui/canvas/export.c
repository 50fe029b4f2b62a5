/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/export.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/canvas/dot.h"
#include "ui/canvas/draw.h"

#define MARGIN        24.0
#define LARGEST_IMAGE 16000.0 /* pixels a side: larger drawings get a smaller scale */

gboolean
sluice_export_format_from_name (const char *path, SluiceExportFormat *format)
{
  static const struct
  {
    const char *ending;
    SluiceExportFormat format;
  } known[] = { { ".svg", SLUICE_EXPORT_SVG },
                { ".pdf", SLUICE_EXPORT_PDF },
                { ".png", SLUICE_EXPORT_PNG },
                { ".dot", SLUICE_EXPORT_DOT },
                { ".gv", SLUICE_EXPORT_DOT } };
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

static void
draw_scene (SluiceScene *scene,
            const SluiceCanvasTheme *theme,
            cairo_surface_t *surface,
            double zoom,
            gboolean plain)
{
  g_autoptr (SluiceDrawer) drawer = sluice_drawer_new ();
  SluiceRect b = sluice_scene_get_bounds (scene);
  SluiceDrawState state = SLUICE_DRAW_STATE_INIT;
  cairo_t *cr = cairo_create (surface);
  state.theme = theme;
  state.zoom = zoom;
  state.x = b.x - MARGIN;
  state.y = b.y - MARGIN;
  state.width = (b.width + 2 * MARGIN) * zoom;
  state.height = (b.height + 2 * MARGIN) * zoom;
  state.plain = plain;
  sluice_drawer_draw (drawer, scene, cr, &state);
  cairo_destroy (cr);
}

static cairo_status_t
render (SluiceScene *scene,
        const SluiceCanvasTheme *theme,
        SluiceExportFormat format,
        GByteArray *bytes)
{
  SluiceRect b = sluice_scene_get_bounds (scene);
  double width = b.width + 2 * MARGIN, height = b.height + 2 * MARGIN, zoom = 1;
  cairo_surface_t *surface;
  cairo_status_t status;

  if (format == SLUICE_EXPORT_PNG)
    {
      zoom = MIN (2, LARGEST_IMAGE / MAX (width, height));
      surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (width * zoom),
                                            (int) (height * zoom));
    }
  else if (format == SLUICE_EXPORT_SVG)
    surface = cairo_svg_surface_create_for_stream (append_bytes, bytes, width, height);
  else
    surface = cairo_pdf_surface_create_for_stream (append_bytes, bytes, width, height);
  draw_scene (scene, theme, surface, zoom, format != SLUICE_EXPORT_PNG);
  status = cairo_surface_status (surface);
  if (status == CAIRO_STATUS_SUCCESS && format == SLUICE_EXPORT_PNG)
    status = cairo_surface_write_to_png_stream (surface, append_bytes, bytes);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  return status;
}

gboolean
sluice_scene_export (SluiceScene *scene,
                     const SluiceCanvasTheme *theme,
                     SluiceExportFormat format,
                     const char *path,
                     GError **error)
{
  if (format == SLUICE_EXPORT_DOT)
    {
      g_autofree char *text = sluice_scene_dup_dot (scene);
      return g_file_set_contents_full (path, text, -1,
                                       G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                       0666, error);
    }
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_status_t status = render (scene, theme, format, bytes);
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
sluice_graph_model_export (SluiceGraphModel *model,
                           const SluiceViewState *state,
                           const SluiceCanvasTheme *theme,
                           SluiceExportFormat format,
                           const char *path,
                           GError **error)
{
  g_autoptr (SluiceHierarchy) hierarchy = sluice_hierarchy_new (model);
  g_autoptr (SluiceScene) scene = sluice_scene_new (hierarchy, state, SLUICE_FLOW_UP, NULL);
  return sluice_scene_export (scene, theme, format, path, error);
}
