/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/layer-rows.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/build/value-row.h"
#include "engine/base/text.h"
#include "engine/command/layer.h"
#include "engine/command/line.h"

struct _SluiceLayerRows
{
  GtkWidget parent;
  SluiceDocument *document;
  GtkWidget *box;
  char *scope;
};

G_DEFINE_FINAL_TYPE (SluiceLayerRows, sluice_layer_rows, GTK_TYPE_WIDGET)

/* ---- a parameter ---- */

static const SluiceTemplateParameter *
get_parameter (const SluiceLayer *layer, guint i)
{
  return &g_array_index (layer->template->parameters, SluiceTemplateParameter, i);
}

/* "How many values it makes", and below "int, at least 1 · no default". */
static char *
dup_words (const SluiceTemplateParameter *parameter)
{
  GString *words = g_string_new (_ (parameter->help));
  g_string_append_c (words, '\n');
  if (parameter->kind != SLUICE_TEMPLATE_CHOICE)
    {
      g_string_append (words, parameter->words);
      g_autofree char *least = sluice_text_dup_number (parameter->least, FALSE);
      g_autofree char *most = sluice_text_dup_number (parameter->most, FALSE);
      if (!isinf (parameter->least))
        g_string_append_printf (words, _ (", at least %s"), least);
      if (!isinf (parameter->most))
        g_string_append_printf (words, _ (", at most %s"), most);
      g_string_append (words, " · ");
    }
  if (parameter->value == NULL)
    g_string_append (words, _ ("no default"));
  else if (*parameter->value == '\0')
    g_string_append (words, _ ("may be left out"));
  else
    g_string_append_printf (words, _ ("default %s"), parameter->value);
  return g_string_free (words, FALSE);
}

/* ---- a row ---- */

/* `set LAYER PARAMETER=VALUE` */
static void
chosen_cb (SluiceLayerRows *self, const char *value, SluiceValueRow *row)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  const char *name = sluice_value_row_get_name (row);
  g_autoptr (SluiceLayer) layer = graph != NULL ? sluice_layer_read (graph, self->scope) : NULL;
  g_autofree char *word = g_strstrip (g_strdup (value));
  g_autoptr (GError) error = NULL;
  for (guint i = 0; layer != NULL && layer->values[i] != NULL; i++)
    if (g_str_equal (get_parameter (layer, i)->name, name))
      {
        if (g_str_equal (layer->values[i], word))
          sluice_value_row_set_problem (row, NULL);
        else if (!sluice_document_set (self->document, self->scope, name, word, &error))
          sluice_value_row_set_problem (row, error);
        return;
      }
}

static void
entered_cb (SluiceLayerRows *self, SluiceValueRow *entered)
{
  for (GtkWidget *row = gtk_widget_get_first_child (self->box); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    sluice_value_row_set_selected (SLUICE_VALUE_ROW (row), SLUICE_VALUE_ROW (row) == entered);
}

static void
add_row (SluiceLayerRows *self, const SluiceTemplateParameter *parameter, const char *value)
{
  g_autofree char *words = dup_words (parameter);
  g_auto (GStrv) choices =
      parameter->kind == SLUICE_TEMPLATE_CHOICE ? g_strsplit (parameter->words, "|", -1) : NULL;
  GtkWidget *row = sluice_value_row_new (parameter->name, words, (const char *const *) choices);
  sluice_value_row_show (SLUICE_VALUE_ROW (row), value, TRUE);
  g_signal_connect_swapped (row, "chosen", G_CALLBACK (chosen_cb), self);
  g_signal_connect_swapped (row, "entered", G_CALLBACK (entered_cb), self);
  gtk_box_append (GTK_BOX (self->box), row);
}

/* ---- the rows ---- */

/* The layer may have been taken apart, renamed, or made of another kind. */
static void
changed_cb (SluiceLayerRows *self)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  g_autoptr (SluiceLayer) layer = graph != NULL ? sluice_layer_read (graph, self->scope) : NULL;
  GtkWidget *row = gtk_widget_get_first_child (self->box);
  for (guint i = 0; layer != NULL && layer->values[i] != NULL && row != NULL; i++)
    {
      SluiceValueRow *value = SLUICE_VALUE_ROW (row);
      if (!g_str_equal (sluice_value_row_get_name (value), get_parameter (layer, i)->name))
        break;
      sluice_value_row_show (value, layer->values[i], TRUE);
      row = gtk_widget_get_next_sibling (row);
    }
  gtk_widget_set_sensitive (GTK_WIDGET (self), layer != NULL && row == NULL);
}

GtkWidget *
sluice_layer_rows_new (SluiceDocument *document, const char *scope)
{
  SluiceGraph *graph = sluice_document_get_graph (document);
  g_autoptr (SluiceLayer) layer = graph != NULL ? sluice_layer_read (graph, scope) : NULL;
  if (layer == NULL)
    return NULL;
  SluiceLayerRows *self = g_object_new (SLUICE_TYPE_LAYER_ROWS, NULL);
  self->document = g_object_ref (document);
  self->scope = g_strdup (scope);
  for (guint i = 0; layer->values[i] != NULL; i++)
    add_row (self, get_parameter (layer, i), layer->values[i]);
  g_signal_connect_object (document, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

static void
sluice_layer_rows_dispose (GObject *object)
{
  SluiceLayerRows *self = SLUICE_LAYER_ROWS (object);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (sluice_layer_rows_parent_class)->dispose (object);
}

static void
sluice_layer_rows_finalize (GObject *object)
{
  g_free (SLUICE_LAYER_ROWS (object)->scope);
  G_OBJECT_CLASS (sluice_layer_rows_parent_class)->finalize (object);
}

static void
sluice_layer_rows_class_init (SluiceLayerRowsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_layer_rows_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_layer_rows_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
sluice_layer_rows_init (SluiceLayerRows *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}
