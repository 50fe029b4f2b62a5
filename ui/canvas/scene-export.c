/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-export.h"

#include "ui/canvas/dot.h"
#include "ui/canvas/draw.h"

#define MARGIN        24.0
#define LARGEST_IMAGE 16000.0 /* pixels a side: larger drawings get a smaller scale */

typedef struct
{
  SluiceScene *scene;
  const SluiceTheme *theme;
  double scale; /* pixels a unit */
} Drawing;

static void
draw_scene (cairo_t *cr, double width, double height, gboolean vector, gpointer data)
{
  const Drawing *drawing = data;
  g_autoptr (SluiceDrawer) drawer = sluice_drawer_new ();
  SluiceRect b = sluice_scene_get_bounds (drawing->scene);
  SluiceDrawState state = SLUICE_DRAW_STATE_INIT;
  double zoom = vector ? 1 : MIN (1, drawing->scale);

  /* A larger scale is more pixels of the same picture, a smaller one shows less of it. */
  cairo_scale (cr, 1 / zoom, 1 / zoom);
  state.theme = drawing->theme;
  state.zoom = zoom;
  state.x = b.x - MARGIN;
  state.y = b.y - MARGIN;
  state.width = width * zoom;
  state.height = height * zoom;
  state.plain = vector;
  sluice_drawer_draw (drawer, drawing->scene, cr, &state);
}

gboolean
sluice_scene_export (SluiceScene *scene,
                     const SluiceTheme *theme,
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
  SluiceRect b = sluice_scene_get_bounds (scene);
  double width = b.width + 2 * MARGIN, height = b.height + 2 * MARGIN;
  Drawing drawing = { scene, theme, MIN (2, LARGEST_IMAGE / MAX (width, height)) };
  return sluice_export_picture (format, path, width, height, drawing.scale, draw_scene, &drawing,
                                error);
}

void
sluice_scene_draw_on_paper (
    SluiceScene *scene, const SluiceTheme *theme, cairo_t *cr, double width, double height)
{
  SluiceRect b = sluice_scene_get_bounds (scene);
  double w = b.width + 2 * MARGIN, h = b.height + 2 * MARGIN, scale = MIN (width / w, height / h);
  Drawing drawing = { scene, theme, 1 };

  cairo_save (cr);
  cairo_translate (cr, (width - scale * w) / 2, (height - scale * h) / 2);
  cairo_scale (cr, scale, scale);
  draw_scene (cr, w, h, TRUE, &drawing);
  cairo_restore (cr);
}

gboolean
sluice_graph_model_export (SluiceGraphModel *model,
                           const SluiceViewState *state,
                           const SluiceTheme *theme,
                           SluiceExportFormat format,
                           const char *path,
                           GError **error)
{
  g_autoptr (SluiceHierarchy) hierarchy = sluice_hierarchy_new (model);
  g_autoptr (SluiceScene) scene = sluice_scene_new (hierarchy, state, SLUICE_FLOW_UP, NULL);
  return sluice_scene_export (scene, theme, format, path, error);
}
