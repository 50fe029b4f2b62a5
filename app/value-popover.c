/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/value-popover.h"

struct _SluiceValuePopover
{
  SluiceEdgePopover parent;
  GtkDropDown *edges;
  GtkStringList *edge_names;
  GtkEntry *value;
};

G_DEFINE_FINAL_TYPE (SluiceValuePopover, sluice_value_popover, SLUICE_TYPE_EDGE_POPOVER)

gboolean
sluice_value_popover_set_stop (SluiceValuePopover *self, const SluiceStop *stop)
{
  const GArray *values = stop->kind == SLUICE_STOP_BEHIND ? stop->outputs : stop->inputs;
  guint n = 0;
  gtk_string_list_splice (self->edge_names, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (self->edge_names)), NULL);
  for (guint i = 0; i < values->len; i++)
    {
      const SluiceDebugValue *value = &g_array_index (values, SluiceDebugValue, i);
      if (value->tensor == NULL)
        continue;
      gtk_string_list_append (self->edge_names, value->edge);
      n++;
    }
  gtk_drop_down_set_selected (self->edges, 0);
  return n > 0;
}

/* It stays open: what is wrong is told, and a change that is seen may be taken back. */
static void
change_cb (SluiceValuePopover *self)
{
  GtkStringObject *edge = gtk_drop_down_get_selected_item (self->edges);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->value));
  if (edge != NULL && *text != '\0')
    gtk_widget_activate_action (GTK_WIDGET (self), "win.put", "(ss)",
                                gtk_string_object_get_string (edge), text);
}

static void
sluice_value_popover_class_init (SluiceValuePopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/value-popover.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceValuePopover, edges);
  gtk_widget_class_bind_template_child (widget_class, SluiceValuePopover, edge_names);
  gtk_widget_class_bind_template_child (widget_class, SluiceValuePopover, value);
  gtk_widget_class_bind_template_callback (widget_class, change_cb);
}

static void
sluice_value_popover_init (SluiceValuePopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
