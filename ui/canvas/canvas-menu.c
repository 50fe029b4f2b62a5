/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <glib/gi18n-lib.h>

/* What can be done with the box under the pointer, or with the whole picture: every entry is one of
 * the canvas' actions. */

static void
append_section (GMenu *menu, GMenu *section)
{
  g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
  g_object_unref (section);
}

static void
append_places (SluiceCanvas *self, GMenu *menu, const SluiceGroup *g)
{
  gboolean is_scope = g->kind != SLUICE_GROUP_OP;
  g_autofree char *place =
      g_strconcat (sluice_canvas_path_name (self, g->path), is_scope ? "/" : "", NULL);
  sluice_canvas_append_place_menu (self, menu, place, is_scope);
}

static void
append_of_item (SluiceCanvas *self, GMenu *menu, const SluiceSceneItem *item)
{
  const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, item->node);
  GMenu *section = g_menu_new ();
  if (item->kind == SLUICE_ITEM_OPEN_SCOPE)
    g_menu_append (section, _ ("_Close"), "canvas.close");
  else if (g->n_children > 0)
    g_menu_append (section, _ ("_Open"), "canvas.open");
  if (g->n_children > 0)
    g_menu_append (section, _ ("Open _all in it"), "canvas.open-all");
  g_menu_append (section, _ ("_Zoom to it"), "canvas.fit-selection");
  append_section (menu, section);
  if (g->kind == SLUICE_GROUP_OP || g->kind == SLUICE_GROUP_SCOPE)
    append_places (self, menu, g);
  sluice_canvas_edit_append_menu (self, menu, TRUE);
  section = g_menu_new ();
  g_menu_append (section, _ ("Trace _inputs"), "canvas.trace-inputs(uint32 0)");
  g_menu_append (section, _ ("Trace o_utputs"), "canvas.trace-outputs(uint32 0)");
  append_section (menu, section);
  section = g_menu_new ();
  if (item->aside)
    g_menu_append (section, _ ("_Bring back"), "canvas.bring-back");
  else
    g_menu_append (section, _ ("_Set aside"), "canvas.set-aside");
  if (!item->aside && item->host == SLUICE_NONE)
    sluice_canvas_append_arrange_menu (self, section);
  sluice_canvas_append_note_menu (self, section);
  append_section (menu, section);
}

static void
append_of_picture (SluiceCanvas *self, GMenu *menu)
{
  GMenu *section = g_menu_new ();
  g_menu_append (section, _ ("Open _all scopes"), "canvas.open-all");
  g_menu_append (section, _ ("_Close all scopes"), "canvas.close-all");
  append_section (menu, section);
  sluice_canvas_edit_append_menu (self, menu, FALSE);
  section = g_menu_new ();
  g_menu_append (section, _ ("_Undo"), "canvas.undo");
  g_menu_append (section, _ ("_Redo"), "canvas.redo");
  append_section (menu, section);
  section = g_menu_new ();
  sluice_canvas_append_note_menu (self, section);
  g_menu_append (section, _ ("_Show everything"), "canvas.fit");
  g_menu_append (section, _ ("_Put moved boxes back"), "canvas.reset-positions");
  g_menu_append (section,
                 sluice_view_state_get_use_dot (self->state) ? _ ("Lay out by _itself")
                                                             : _ ("Lay out by _Graphviz"),
                 "canvas.use-dot");
  append_section (menu, section);
}

static void
pop_up (SluiceCanvas *self, guint item, double x, double y)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  if (self->line.edge != SLUICE_NONE)
    sluice_canvas_append_line_menu (self, menu);
  else if (item != SLUICE_NONE && sluice_canvas_item_path (self, item) != NULL)
    append_of_item (self, menu, sluice_scene_get_item (self->scene, item));
  else
    append_of_picture (self, menu);
  if (self->menu == NULL)
    {
      self->menu = gtk_popover_menu_new_from_model (NULL);
      gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
      gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
      gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
    }
  gtk_popover_menu_set_menu_model (GTK_POPOVER_MENU (self->menu), G_MENU_MODEL (menu));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

void
sluice_canvas_menu_at (SluiceCanvas *self, double x, double y)
{
  if (self->scene == NULL || self->hierarchy == NULL)
    return;
  SluicePoint p = sluice_canvas_to_scene (self, x, y);
  guint item = sluice_scene_pick (self->scene, p.x, p.y);
  if (sluice_canvas_is_handle (self, item, y) || !sluice_canvas_choose_line_at (self, x, y))
    {
      sluice_canvas_choose_line (self, SLUICE_NONE);
      if (item == SLUICE_NONE)
        sluice_canvas_select_none (self);
      else if (self->flags == NULL || !self->flags[item]) /* several stay selected */
        sluice_canvas_select_item (self, item, FALSE);
    }
  pop_up (self, item, x, y);
}

void
sluice_canvas_menu_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  double x, y;
  if (self->scene == NULL || self->hierarchy == NULL)
    return;
  sluice_canvas_get_place_point (self, &x, &y);
  pop_up (self, self->lead_item, x, y);
}
