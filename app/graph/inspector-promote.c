/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/promote.h"

/* Whether the constant that is shown, or an attribute of the node, is a setting of the launch form:
 * a switch each. */

/* What it turns on and off, "node" or "node:attribute". */
static const char *
get_what (GtkWidget *line)
{
  return g_object_get_data (G_OBJECT (line), "what");
}

static void
switched_cb (GtkSwitch *widget, GParamSpec *pspec, SluiceInspector *self)
{
  const char *what = get_what (gtk_widget_get_parent (GTK_WIDGET (widget)));
  if (gtk_switch_get_active (widget))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.promote", "(ss)", what, "");
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.demote", "s", what);
}

void
sluice_inspector_update_promotion (SluiceInspector *self)
{
  g_autoptr (SluiceProject) project =
      self->promoted != NULL ? sluice_project_load (self->project, NULL) : NULL;
  if (project == NULL)
    return;
  for (GtkWidget *line = gtk_widget_get_first_child (self->promoted); line != NULL;
       line = gtk_widget_get_next_sibling (line))
    {
      GtkWidget *widget = gtk_widget_get_last_child (line);
      g_signal_handlers_block_by_func (widget, switched_cb, self);
      gtk_switch_set_active (GTK_SWITCH (widget),
                             sluice_project_find_promoted (project, get_what (line)) != NULL);
      g_signal_handlers_unblock_by_func (widget, switched_cb, self);
    }
}

/* take_what: freed with the line. attr: (nullable): as people read its name */
static void
add_line (SluiceInspector *self, char *take_what, const char *attr)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  g_autofree char *words = attr != NULL ? g_strdup_printf (_ ("%s in launch form"), attr)
                                        : g_strdup (_ ("In launch form"));
  GtkWidget *label = gtk_label_new (words), *widget = gtk_switch_new ();
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                  -1);
  gtk_widget_set_tooltip_text (
      widget, attr != NULL ? _ ("A run can be begun with another value of this attribute")
                           : _ ("A run can be begun with another value of this constant"));
  g_object_set_data_full (G_OBJECT (line), "what", take_what, g_free);
  g_signal_connect_object (widget, "notify::active", G_CALLBACK (switched_cb), self, 0);
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), widget);
  gtk_box_append (GTK_BOX (self->promoted), line);
}

void
sluice_inspector_add_promotion (SluiceInspector *self, const SluiceNode *node)
{
  if (self->project == NULL)
    return;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  g_set_weak_pointer (&self->promoted, g_object_ref_sink (box));
  if (sluice_node_is_promotable (node))
    add_line (self, g_strdup (node->name), NULL);
  for (guint i = 0; i < node->n_attrs; i++)
    if (sluice_attr_is_promotable (node, &node->attrs[i])
        && sluice_words_attr_is_shown (&node->attrs[i]))
      {
        g_autofree char *name = sluice_words_attr_name (node->attrs[i].name);
        add_line (self, g_strconcat (node->name, ":", node->attrs[i].name, NULL), name);
      }
  if (gtk_widget_get_first_child (box) != NULL)
    {
      sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
      sluice_inspector_rows_add_widget (&self->rows, box);
      sluice_inspector_update_promotion (self);
    }
  g_object_unref (box);
}

void
sluice_inspector_set_project (SluiceInspector *self, const char *folder)
{
  g_free (self->project);
  self->project = g_strdup (folder);
}
