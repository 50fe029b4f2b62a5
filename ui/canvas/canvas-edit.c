/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define STATUS_MARGIN 14

static GtkWidget *
new_status (SluiceCanvas *self)
{
  GtkWidget *status = g_object_new (GTK_TYPE_LABEL, "accessible-role", GTK_ACCESSIBLE_ROLE_STATUS,
                                    "wrap", TRUE, "xalign", 0.0, NULL);
  gtk_widget_add_css_class (status, "canvas-bar");
  gtk_widget_add_css_class (status, "canvas-tip");
  gtk_widget_set_can_target (status, FALSE);
  gtk_widget_set_visible (status, FALSE);
  gtk_widget_set_parent (status, GTK_WIDGET (self));
  return status;
}

void
sluice_canvas_edit_init (SluiceCanvas *self)
{
  sluice_canvas_edit_add_keys (self);
  sluice_canvas_edit_update_actions (self);
}

void
sluice_canvas_edit_free (SluiceCanvas *self)
{
  CanvasEdit *edit = self->edit;
  if (edit == NULL)
    return;
  sluice_canvas_edit_end_rename (self);
  sluice_canvas_edit_end_wire (self);
  sluice_canvas_edit_end_drag (self);
  sluice_canvas_edit_forget_ports (self);
  sluice_canvas_edit_drop_sprites (self);
  g_clear_pointer (&edit->placing, sluice_placing_free);
  gtk_widget_unparent (edit->status);
  g_free (edit->successor);
  g_free (edit->ghost);
  g_clear_pointer (&self->edit, g_free);
}

void
sluice_canvas_set_editor (SluiceCanvas *self, const SluiceCanvasEditor *editor, gpointer user_data)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  sluice_canvas_edit_free (self);
  if (editor != NULL)
    {
      CanvasEdit *edit = self->edit = g_new0 (CanvasEdit, 1);
      edit->editor = editor;
      edit->user_data = user_data;
      edit->hover_item = edit->hover_port = edit->splice_edge = edit->bent_edge = SLUICE_NONE;
      edit->wire.item = edit->wire.port = edit->wire.chosen = SLUICE_NONE;
      edit->status = new_status (self);
    }
  sluice_canvas_edit_update_actions (self);
  sluice_canvas_update_history_actions (self);
  sluice_canvas_update_message (self);
  sluice_canvas_queue_proxies (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_edit_model_changes (SluiceCanvas *self)
{
  if (self->edit == NULL)
    return;
  sluice_canvas_edit_end_rename (self);
  sluice_canvas_edit_end_wire (self);
  sluice_canvas_edit_end_drag (self);
  /* What is drawn until the next scene is there is the old graph: its ports may be gone. */
  sluice_canvas_edit_forget_ports (self);
}

gboolean
sluice_canvas_edit_has_history (SluiceCanvas *self)
{
  return self->edit != NULL && self->edit->editor->history != NULL;
}

gboolean
sluice_canvas_edit_history (SluiceCanvas *self, gboolean redo)
{
  return sluice_canvas_edit_has_history (self)
         && self->edit->editor->history (redo, self->edit->user_data);
}

gboolean
sluice_canvas_edit_can_arrange (SluiceCanvas *self)
{
  return self->edit != NULL && self->edit->editor->arrange != NULL;
}

void
sluice_canvas_edit_arrange (SluiceCanvas *self, const GPtrArray *lines, const char *words)
{
  self->edit->editor->arrange (lines, words, self->edit->user_data);
}

GPtrArray *
sluice_canvas_list_renamed (SluiceCanvas *self,
                            const char *const *names,
                            const char *const *new_names)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  g_autoptr (SluiceViewState) renamed = sluice_view_state_copy (self->state);
  for (guint i = 0; names[i] != NULL; i++)
    sluice_view_state_rename (renamed, names[i], new_names[i]);
  return sluice_view_state_diff (self->state, renamed);
}

/* ---- a new model ---- */

void
sluice_canvas_place_next (SluiceCanvas *self, double x, double y)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  if (self->edit == NULL)
    return;
  g_autoptr (SluiceGraphModel) none = self->model == NULL ? sluice_graph_model_new () : NULL;
  g_clear_pointer (&self->edit->placing, sluice_placing_free);
  self->edit->placing =
      sluice_placing_new (none != NULL ? none : self->model, (SluicePoint){ x, y });
}

void
sluice_canvas_select_next (SluiceCanvas *self)
{
  sluice_canvas_place_next (self, NAN, NAN);
}

void
sluice_canvas_edit_place_again (SluiceCanvas *self, guint group, double x, double y)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  GHashTable *moved = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < sluice_graph_model_get_n_nodes (model); i++)
    if (sluice_hierarchy_is_below (h, sluice_hierarchy_get_op_group (h, i), group))
      g_hash_table_add (moved, g_strdup (sluice_graph_model_get_node (model, i)->name));
  sluice_canvas_place_next (self, x, y);
  self->edit->placing->moved = moved;
}

SluicePlacing *
sluice_canvas_edit_take_placing (SluiceCanvas *self)
{
  return self->edit != NULL ? g_steal_pointer (&self->edit->placing) : NULL;
}

void
sluice_canvas_edit_give_back_placing (SluiceCanvas *self, const SluicePlacing *placing)
{
  if (self->edit != NULL && placing != NULL && self->edit->placing == NULL)
    self->edit->placing = sluice_placing_copy (placing);
}

/* What is selected, else the box in the middle of the view. */
const char *
sluice_canvas_edit_get_anchor (SluiceCanvas *self)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  const char *anchor = NULL;
  double nearest = HUGE_VAL;
  if (self->edit == NULL || self->scene == NULL || !self->has_view)
    return NULL;
  /* Not what is itself put somewhere else. */
  gboolean lead_moves = self->edit->placing != NULL && self->edit->placing->moved != NULL;
  if (self->lead_item != SLUICE_NONE && !lead_moves)
    return sluice_canvas_item_path (self, self->lead_item);
  SluiceRect area = sluice_canvas_visible (self);
  SluicePoint middle = sluice_rect_centre (&area);
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    {
      guint item = g_array_index (items, guint, i);
      SluicePoint p = sluice_rect_centre (&sluice_scene_get_item (self->scene, item)->rect);
      double distance = hypot (p.x - middle.x, p.y - middle.y);
      if (item == self->lead_item || !sluice_scene_can_move (self->scene, item)
          || distance >= nearest)
        continue;
      nearest = distance;
      anchor = sluice_canvas_item_path (self, item);
    }
  return anchor;
}

void
sluice_canvas_edit_scene_changed (SluiceCanvas *self)
{
  if (self->edit == NULL)
    return;
  sluice_canvas_edit_forget_ports (self);
  sluice_canvas_edit_end_drag (self);
  if (self->scene != NULL && self->hierarchy != NULL)
    {
      g_autofree char *successor = g_steal_pointer (&self->edit->successor);
      sluice_canvas_drop_gone (self, successor);
    }
  sluice_canvas_edit_update_actions (self);
  if (self->edit->wire.state != WIRE_NONE)
    sluice_canvas_edit_rebind_wire (self);
  if (self->edit->rename != NULL)
    gtk_widget_queue_allocate (GTK_WIDGET (self));
}

/* ---- a frame ---- */

void
sluice_canvas_edit_theme_changed (SluiceCanvas *self)
{
  sluice_canvas_edit_drop_sprites (self);
}

const SluicePoint *
sluice_canvas_edit_begin_frame (SluiceCanvas *self)
{
  if (!sluice_canvas_edit_shows_ports (self))
    return NULL;
  sluice_canvas_edit_prepare_ports (self);
  return self->edit->ends;
}

void
sluice_canvas_edit_draw (SluiceCanvas *self, cairo_t *cr)
{
  if (self->edit == NULL || self->scene == NULL)
    return;
  sluice_canvas_edit_draw_bends (self, cr);
  sluice_canvas_edit_draw_wire (self, cr);
  sluice_canvas_edit_draw_cut (self, cr);
  sluice_canvas_edit_draw_ghost (self, cr);
}

void
sluice_canvas_edit_snapshot (SluiceCanvas *self, GtkSnapshot *snapshot)
{
  if (self->edit == NULL)
    return;
  gtk_widget_snapshot_child (GTK_WIDGET (self), self->edit->status, snapshot);
  if (self->edit->rename != NULL)
    gtk_widget_snapshot_child (GTK_WIDGET (self), self->edit->rename, snapshot);
}

void
sluice_canvas_edit_allocate (SluiceCanvas *self, int width)
{
  int least, natural, height, most = MAX (width - 2 * STATUS_MARGIN, 1);
  if (self->edit == NULL)
    return;
  sluice_canvas_edit_allocate_rename (self);
  GtkWidget *status = self->edit->status;
  if (!gtk_widget_get_visible (status))
    return;
  gtk_widget_measure (status, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL, NULL);
  int w = CLAMP (natural, least, MAX (most, least));
  gtk_widget_measure (status, GTK_ORIENTATION_VERTICAL, w, &least, &height, NULL, NULL);
  gtk_widget_allocate (
      status, w, height, -1,
      gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT (STATUS_MARGIN, STATUS_MARGIN)));
}

/* ---- the pointer at rest ---- */

gboolean
sluice_canvas_edit_hover (SluiceCanvas *self, double x, double y, guint *item)
{
  guint at, port;
  if (self->edit == NULL || self->scene == NULL)
    return FALSE;
  if (sluice_canvas_edit_pick_port (self, x, y, &at, &port) != NULL)
    *item = at;
  if (at == self->edit->hover_item && port == self->edit->hover_port)
    return FALSE;
  self->edit->hover_item = at;
  self->edit->hover_port = port;
  return TRUE;
}

char *
sluice_canvas_edit_dup_tip (SluiceCanvas *self)
{
  const CanvasEdit *edit = self->edit;
  if (edit == NULL || edit->hover_item == SLUICE_NONE || edit->hover_item != self->hover)
    return NULL;
  return sluice_canvas_edit_port_text (&g_array_index (
      sluice_canvas_edit_get_ports (self, edit->hover_item), CanvasPort, edit->hover_port));
}

/* ---- in words ---- */

void
sluice_canvas_edit_append_ports (SluiceCanvas *self, guint item, GString *text)
{
  const SluiceSceneItem *it = sluice_scene_get_item (self->scene, item);
  if (self->edit == NULL || it->node == SLUICE_NONE || it->kind == SLUICE_ITEM_OPEN_SCOPE)
    return;
  GArray *ports = sluice_canvas_edit_get_ports (self, item);
  for (guint i = 0; i < ports->len; i++)
    {
      g_autofree char *port = sluice_canvas_edit_port_text (&g_array_index (ports, CanvasPort, i));
      g_string_append_printf (text, "%s%s", i == 0 ? ". " : "; ", port);
    }
}

static void
append_port (SluiceCanvas *self, const CanvasPort *port, GString *out)
{
  SluicePoint p = sluice_canvas_edit_to_pixels (self, port->at);
  g_string_append (out, "{\"node\":");
  sluice_canvas_append_json (out, port->node);
  g_string_append_printf (out,
                          ",\"index\":%u,\"output\":%s,\"open\":%s,\"drawn\":%s,"
                          "\"x\":%d,\"y\":%d}",
                          port->index, port->is_output ? "true" : "false",
                          port->is_open ? "true" : "false", port->is_drawn ? "true" : "false",
                          (int) p.x, (int) p.y);
}

static void
append_target (SluiceCanvas *self, guint target, GString *out)
{
  const CanvasTarget *t = sluice_canvas_edit_get_target (self, target);
  g_string_append_printf (out,
                          "{\"judged\":%s,\"fits\":%s,\"words\":", t->is_judged ? "true" : "false",
                          t->fits ? "true" : "false");
  sluice_canvas_append_json (out, t->words);
  g_string_append (out, ",\"port\":");
  append_port (self, sluice_canvas_edit_target_port (self, target), out);
  g_string_append_c (out, '}');
}

void
sluice_canvas_edit_append_item_state (SluiceCanvas *self, guint item, GString *out)
{
  if (!sluice_canvas_edit_shows_ports (self) || !sluice_canvas_edit_shows_ports_of (self, item))
    return;
  GArray *ports = sluice_canvas_edit_get_ports (self, item);
  g_string_append (out, ",\"ports\":[");
  for (guint i = 0; i < ports->len; i++)
    {
      g_string_append (out, i > 0 ? "," : "");
      append_port (self, &g_array_index (ports, CanvasPort, i), out);
    }
  g_string_append_c (out, ']');
}

void
sluice_canvas_edit_append_state (SluiceCanvas *self, GString *out)
{
  static const char *const states[] = {
    [WIRE_DRAGGED] = "dragged", [WIRE_WAITS] = "waits", [WIRE_PORTS] = "ports", [WIRE_KEYS] = "keys"
  };
  if (self->edit == NULL || self->scene == NULL)
    return;
  const CanvasWire *wire = &self->edit->wire;
  g_string_append_printf (out, "\"editing\":true,\"cut\":%u,\"splice\":%s,",
                          self->edit->cut != NULL ? self->edit->cut->len : 0,
                          self->edit->splice_edge != SLUICE_NONE ? "true" : "false");
  if (self->edit->ghost != NULL)
    {
      g_string_append (out, "\"ghost\":");
      sluice_canvas_append_json (out, self->edit->ghost);
      g_string_append_c (out, ',');
    }
  if (wire->state == WIRE_NONE)
    return;
  g_string_append_printf (out, "\"wire\":{\"state\":\"%s\",\"chosen\":%d,\"targets\":[",
                          states[wire->state], (int) wire->chosen);
  for (guint i = 0; i < wire->targets->len; i++)
    {
      g_string_append (out, i > 0 ? "," : "");
      append_target (self, i, out);
    }
  g_string_append (out, "]},");
}
