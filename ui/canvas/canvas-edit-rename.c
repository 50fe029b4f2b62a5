/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"
#include "ui/canvas/canvas-notes.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* An entry over the box that is called something else: Return takes the name, Escape and leaving
 * give it up, and what a name is refused for stands under it. */

#define LEAST_WIDTH 140

void
sluice_canvas_edit_end_rename (SluiceCanvas *self)
{
  GtkWidget *box = g_steal_pointer (&self->edit->rename);
  g_clear_pointer (&self->edit->renamed, g_free);
  g_clear_handle_id (&self->edit->rename_source, g_source_remove);
  if (box == NULL)
    return;
  if (gtk_widget_get_focus_child (GTK_WIDGET (self)) == box)
    gtk_widget_grab_focus (GTK_WIDGET (self));
  gtk_widget_unparent (box);
}

/* The item of the box that is renamed. */
static guint
renamed_item (SluiceCanvas *self)
{
  SluiceHierarchy *h = self->scene != NULL ? sluice_scene_get_hierarchy (self->scene) : NULL;
  guint group = h != NULL ? sluice_hierarchy_lookup (h, self->edit->renamed) : SLUICE_NONE;
  return group != SLUICE_NONE ? sluice_scene_find_item (self->scene, group) : SLUICE_NONE;
}

void
sluice_canvas_edit_allocate_rename (SluiceCanvas *self)
{
  GtkWidget *box = self->edit->rename;
  guint item = box != NULL ? renamed_item (self) : SLUICE_NONE;
  int least, natural, height;
  if (item == SLUICE_NONE)
    return;
  SluiceRect r = sluice_scene_get_item (self->scene, item)->rect;
  SluicePoint middle = sluice_canvas_edit_to_pixels (self, sluice_rect_centre (&r));
  gtk_widget_measure (box, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL, NULL);
  int width = MAX (least, MAX ((int) (r.width * self->view.zoom), LEAST_WIDTH));
  gtk_widget_measure (box, GTK_ORIENTATION_VERTICAL, width, &least, &height, NULL, NULL);
  int entry, unused;
  gtk_widget_measure (gtk_widget_get_first_child (box), GTK_ORIENTATION_VERTICAL, width, &unused,
                      &entry, NULL, NULL);
  double most_x = MAX (gtk_widget_get_width (GTK_WIDGET (self)) - width, 0),
         most_y = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - height, 0);
  gtk_widget_allocate (box, width, height, -1,
                       gsk_transform_translate (
                           NULL, &GRAPHENE_POINT_INIT (CLAMP (middle.x - width / 2.0, 0, most_x),
                                                       CLAMP (middle.y - entry / 2.0, 0, most_y))));
}

static void
refuse (GtkWidget *entry, const char *reason)
{
  GtkWidget *label = gtk_widget_get_next_sibling (entry);
  gtk_widget_add_css_class (entry, "error");
  gtk_label_set_label (GTK_LABEL (label), reason);
  gtk_widget_set_visible (label, TRUE);
  gtk_accessible_update_state (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
                               GTK_ACCESSIBLE_INVALID_TRUE, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  reason, -1);
}

static void
activate_cb (GtkWidget *entry, SluiceCanvas *self)
{
  g_autofree char *name = g_strdup (sluice_canvas_path_name (self, self->edit->renamed));
  g_autofree char *text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry)));
  const char *slash = strrchr (name, '/');
  int scope = slash != NULL ? (int) (slash - name) + 1 : 0;
  g_autofree char *new_name = g_strdup_printf ("%.*s%s", scope, name, text);
  if (g_str_equal (name, new_name))
    {
      sluice_canvas_edit_end_rename (self);
      return;
    }
  g_object_ref (entry); /* a new model ends the renaming */
  g_free (self->edit->successor);
  self->edit->successor = g_strdup (new_name);
  g_autofree char *reason = self->edit->editor->rename (name, new_name, self->edit->user_data);
  if (reason == NULL)
    sluice_canvas_edit_end_rename (self);
  else if (self->edit->rename != NULL)
    refuse (entry, reason);
  g_object_unref (entry);
}

static gboolean
key_cb (SluiceCanvas *self, guint key)
{
  if (key != GDK_KEY_Escape)
    return FALSE;
  sluice_canvas_edit_end_rename (self);
  return TRUE;
}

/* What an entry has no use for means nothing else meanwhile. */
static gboolean
other_key_cb (void)
{
  return TRUE;
}

static gboolean
left_cb (gpointer data)
{
  SluiceCanvas *self = data;
  self->edit->rename_source = 0;
  sluice_canvas_edit_end_rename (self);
  return G_SOURCE_REMOVE;
}

/* Not while the focus is on its way: the toolkit still holds what it leaves. */
static void
leave_cb (SluiceCanvas *self)
{
  if (self->edit != NULL && self->edit->rename != NULL && self->edit->rename_source == 0)
    self->edit->rename_source = g_idle_add (left_cb, self);
}

static GtkWidget *
new_entry (SluiceCanvas *self, const char *text)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2), *entry = gtk_entry_new (),
            *reason = gtk_label_new (NULL);
  GtkEventController *keys = gtk_event_controller_key_new (),
                     *others = gtk_event_controller_key_new (),
                     *focus = gtk_event_controller_focus_new ();
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  gtk_editable_set_alignment (GTK_EDITABLE (entry), 0.5);
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 8);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("New name"), -1);
  gtk_label_set_wrap (GTK_LABEL (reason), TRUE);
  gtk_widget_add_css_class (reason, "canvas-bar");
  gtk_widget_add_css_class (reason, "canvas-tip");
  gtk_widget_set_visible (reason, FALSE);
  gtk_widget_add_css_class (box, "canvas-rename");
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), reason);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (focus, "leave", G_CALLBACK (leave_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (entry, "activate", G_CALLBACK (activate_cb), self, 0);
  g_signal_connect (others, "key-pressed", G_CALLBACK (other_key_cb), NULL);
  gtk_widget_add_controller (box, others);
  gtk_widget_add_controller (box, keys);
  gtk_widget_add_controller (box, focus);
  return box;
}

void
sluice_canvas_edit_rename_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  if (self->notes.selected != NULL)
    {
      sluice_canvas_edit_note (self, self->notes.selected);
      return;
    }
  guint group = self->lead == NULL || self->hierarchy == NULL
                    ? SLUICE_NONE
                    : sluice_hierarchy_lookup (self->hierarchy, self->lead);
  /* A fold of what is alike has no name of its own. */
  if (self->edit == NULL || self->lead_item == SLUICE_NONE || group == SLUICE_NONE
      || sluice_hierarchy_get_group (self->hierarchy, group)->kind == SLUICE_GROUP_SERIES)
    return;
  sluice_canvas_edit_end_rename (self);
  sluice_canvas_edit_end_wire (self);
  const char *full = sluice_canvas_path_name (self, self->lead), *slash = strrchr (full, '/');
  SluiceRect rect = sluice_scene_get_item (self->scene, self->lead_item)->rect;
  sluice_canvas_show_rect (self, &rect);
  self->edit->renamed = g_strdup (self->lead);
  self->edit->rename = new_entry (self, slash != NULL ? slash + 1 : full);
  gtk_widget_set_parent (self->edit->rename, widget);
  gtk_widget_grab_focus (gtk_widget_get_first_child (self->edit->rename));
  gtk_widget_queue_allocate (widget);
}
