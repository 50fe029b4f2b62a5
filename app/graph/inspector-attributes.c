/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Attributes of a node: rows to change them where the graph is open for that, else what they are.
 */
#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>

#include "app/build/edit-lines.h"
#include "app/build/layer-rows.h"
#include "app/graph/node-words.h"
#include "engine/command/layer.h"
#include "engine/command/offers.h"

static void
attr_focused_cb (SluiceInspector *self, const char *attr)
{
  g_signal_emit_by_name (self, "attr-focused", attr);
}

/* Those that the op's definition tells; the others are the importer's own. */
static void
add_attribute_rows (SluiceInspector *self, const SluiceNode *node)
{
  GtkWidget *rows = sluice_attribute_rows_new (self->document, node);
  self->attributes = SLUICE_ATTRIBUTE_ROWS (rows);
  g_signal_connect_object (rows, "attr-focused", G_CALLBACK (attr_focused_cb), self,
                           G_CONNECT_SWAPPED);
  sluice_inspector_rows_add_widget (&self->rows, rows);
  for (guint i = 0; i < node->n_attrs; i++)
    {
      g_autofree char *name = sluice_words_attr_name (node->attrs[i].name);
      g_autofree char *text = sluice_words_attr_value (&node->attrs[i].value);
      if (sluice_words_attr_is_shown (&node->attrs[i]))
        g_string_append_printf (self->rows.text, "%s: %s\n", name, text);
    }
}

/* Then its attributes stand first. */
gboolean
sluice_inspector_can_change (SluiceInspector *self, const SluiceNode *node)
{
  return self->document != NULL && node->op != NULL && node->op->n_attrs > 0
         && sluice_document_get_graph (self->document) == node->graph;
}

void
sluice_inspector_add_attributes (SluiceInspector *self, const SluiceNode *node)
{
  sluice_inspector_rows_begin (&self->rows, _ ("Attributes"), TRUE);
  if (sluice_inspector_can_change (self, node))
    {
      add_attribute_rows (self, node);
      return;
    }
  for (guint i = 0; i < node->n_attrs; i++)
    {
      if (!sluice_words_attr_is_shown (&node->attrs[i]))
        continue;
      g_autofree char *name = sluice_words_attr_name (node->attrs[i].name);
      g_autofree char *text = sluice_words_attr_value (&node->attrs[i].value);
      sluice_inspector_rows_add (&self->rows, name, text);
    }
}

void
sluice_inspector_add_command (SluiceInspector *self,
                              const char *title,
                              const char *hint,
                              char *take_line)
{
  g_autofree char *line = take_line;
  GtkWidget *button = gtk_button_new_with_label (title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.edit");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", line);
  gtk_widget_set_tooltip_text (button, hint);
  sluice_inspector_rows_add_widget (&self->rows, button);
}

gboolean
sluice_inspector_add_layer (SluiceInspector *self, SluiceGraph *graph, const char *scope)
{
  g_autoptr (SluiceLayer) layer = sluice_layer_read (graph, scope);
  if (layer == NULL)
    return FALSE;
  guint order;
  g_autofree char *title = sluice_offers_dup_layer_title (layer->template->name, &order);
  const SluiceTemplateParameter *parameters =
      (const SluiceTemplateParameter *) layer->template->parameters->data;
  gboolean can_change =
      self->document != NULL && sluice_document_get_graph (self->document) == graph;
  sluice_inspector_rows_begin (&self->rows, _ ("Layer"), TRUE);
  sluice_inspector_rows_add (&self->rows, title, "");
  sluice_inspector_rows_add_words (&self->rows, _ (layer->template->summary));
  for (guint i = 0; layer->values[i] != NULL && !can_change; i++)
    sluice_inspector_rows_add (&self->rows, parameters[i].name, layer->values[i]);
  if (!can_change)
    return TRUE;
  for (guint i = 0; layer->values[i] != NULL; i++)
    g_string_append_printf (self->rows.text, "%s: %s\n", parameters[i].name, layer->values[i]);
  sluice_inspector_rows_add_widget (&self->rows, sluice_layer_rows_new (self->document, scope));
  sluice_inspector_add_command (self, _ ("Take apart"),
                                _ ("Its nodes stay, and are nodes like others"),
                                sluice_edit_line_of ("unlayer", scope));
  return TRUE;
}

void
sluice_inspector_set_document (SluiceInspector *self, SluiceDocument *document)
{
  g_set_object (&self->document, document);
}

void
sluice_inspector_select_attr (SluiceInspector *self, const char *attr)
{
  if (self->attributes != NULL)
    sluice_attribute_rows_select (self->attributes, attr);
}
