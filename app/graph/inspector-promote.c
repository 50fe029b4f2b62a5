/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>

#include "engine/train/promote.h"

/* Whether the constant that is shown is a setting of the launch form. */

static gboolean
is_promoted (SluiceInspector *self)
{
  g_autoptr (SluiceProject) project = sluice_project_load (self->project, NULL);
  return project != NULL && sluice_project_find_promoted (project, self->name) != NULL;
}

static void
switched_cb (SluiceInspector *self)
{
  if (gtk_switch_get_active (GTK_SWITCH (self->promoted)))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.promote", "(ss)", self->name, "");
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.demote", "s", self->name);
}

void
sluice_inspector_update_promotion (SluiceInspector *self)
{
  if (self->promoted == NULL)
    return;
  g_signal_handlers_block_by_func (self->promoted, switched_cb, self);
  gtk_switch_set_active (GTK_SWITCH (self->promoted), is_promoted (self));
  g_signal_handlers_unblock_by_func (self->promoted, switched_cb, self);
}

void
sluice_inspector_add_promotion (SluiceInspector *self, const SluiceNode *node)
{
  if (self->project == NULL || !sluice_node_is_promotable (node))
    return;
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new (_ ("In launch form"));
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  g_set_weak_pointer (&self->promoted, gtk_switch_new ());
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->promoted), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("In launch form"), -1);
  gtk_widget_set_tooltip_text (self->promoted,
                               _ ("A run can be begun with another value of this constant"));
  gtk_switch_set_active (GTK_SWITCH (self->promoted), is_promoted (self));
  g_signal_connect_object (self->promoted, "notify::active", G_CALLBACK (switched_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), self->promoted);
  sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
  sluice_inspector_rows_add_widget (&self->rows, line);
}

void
sluice_inspector_set_project (SluiceInspector *self, const char *folder)
{
  g_free (self->project);
  self->project = g_strdup (folder);
}
