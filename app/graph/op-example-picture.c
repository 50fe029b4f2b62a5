/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/op-example-picture.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/graph/graph-adapter.h"
#include "ui/canvas/scene-export.h"

#define HEIGHT 140 /* pixels */

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer scene)
{
  gboolean is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  sluice_scene_draw_on_paper (scene,
                              sluice_theme_get (is_dark ? SLUICE_THEME_DARK : SLUICE_THEME_LIGHT),
                              cr, width, height);
}

GtkWidget *
sluice_op_example_picture_new (const SluiceOpExample *example)
{
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_from_graph (example->graph, NULL);
  g_autoptr (SluiceHierarchy) hierarchy = sluice_hierarchy_new (model);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  GtkWidget *area =
      g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
  g_autofree char *said =
      g_strdup_printf (_ ("The graph of an example of %s"), example->node->op_name);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw,
                                  sluice_scene_new (hierarchy, state, SLUICE_FLOW_UP, NULL),
                                  (GDestroyNotify) sluice_scene_unref);
  gtk_accessible_update_property (GTK_ACCESSIBLE (area), GTK_ACCESSIBLE_PROPERTY_LABEL, said, -1);
  return area;
}
