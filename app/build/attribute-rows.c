/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/attribute-rows.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "app/cli/describe-op.h"
#include "app/graph/node-words.h"
#include "engine/command/line.h"
#include "engine/graph/attr-text.h"

#define MAX_TEXT 200 /* bytes of a value that a field can hold */

struct _SluiceAttributeRows
{
  GtkWidget parent;
  SluiceDocument *document;
  GtkWidget *all, *caption, *box;
  char *node;
};

G_DEFINE_FINAL_TYPE (SluiceAttributeRows, sluice_attribute_rows, GTK_TYPE_WIDGET)

enum
{
  ATTR_FOCUSED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- values ---- */

/* Does the text say the value? */
static gboolean
reads_back (const SluiceAttrDef *def, const char *text, const SluiceAttrValue *value)
{
  SluiceAttrValue read = { 0 };
  SluiceDType dtype = value->kind == SLUICE_ATTR_TENSOR ? value->tensor->dtype : SLUICE_INVALID;
  gboolean same =
      sluice_attr_parse (def, dtype, text, &read, NULL) && sluice_attr_value_equal (&read, value);
  sluice_attr_value_clear (&read);
  return same;
}

char *
sluice_attribute_dup_text (const SluiceAttrDef *def, const SluiceAttrValue *value)
{
  g_autofree char *text = sluice_attr_value_to_string (value);
  return strlen (text) <= MAX_TEXT && reads_back (def, text, value) ? g_steal_pointer (&text)
                                                                    : NULL;
}

static char *
unquote (const char *text)
{
  g_autofree char *plain = sluice_line_unquote (text, NULL);
  return plain != NULL ? g_steal_pointer (&plain) : g_strdup (text);
}

/* What an attribute may be, where that is a short list: names as a command takes them. (transfer
 * full) (nullable) */
static GStrv
dup_choices (const SluiceAttrDef *def)
{
  static const char *const booleans[] = { "false", "true", NULL };
  if (def->kind == SLUICE_ATTR_BOOL)
    return g_strdupv ((char **) booleans);
  return def->kind == SLUICE_ATTR_STRING || def->kind == SLUICE_ATTR_TYPE
             ? sluice_describe_attr_allowed (def)
             : NULL;
}

/* "list(int), at least 4 · default [1,1,1,1]" */
static char *
dup_words (const SluiceAttrDef *def)
{
  g_autofree char *type = sluice_describe_attr_type (def);
  g_autofree char *value = sluice_describe_attr_default (def);
  g_autoptr (GString) words = g_string_new (type);
  if (def->has_minimum)
    g_string_append_printf (words, _ (", at least %" PRId64), def->minimum);
  g_string_append (words, " · ");
  if (value != NULL)
    g_string_append_printf (words, _ ("default %s"), value);
  else
    g_string_append (words, _ ("no default"));
  return g_strdup (words->str);
}

/* ---- a row ---- */

static const SluiceNode *
find_node (SluiceAttributeRows *self)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  return graph != NULL ? sluice_graph_find (graph, self->node) : NULL;
}

/* As the graph has it now. */
static void
renew_row (SluiceValueRow *row, const SluiceNode *node)
{
  const SluiceAttrDef *def = sluice_op_find_attr (node->op, sluice_value_row_get_name (row));
  const SluiceAttrValue *value = sluice_node_get_attr (node, def->name);
  const char *const *choices = sluice_value_row_get_choices (row);
  g_autofree char *text = value != NULL ? sluice_attribute_dup_text (def, value) : NULL;
  g_autofree char *plain = text != NULL ? unquote (text) : NULL;
  g_autofree char *words = value != NULL ? sluice_words_attr_value (value) : g_strdup ("");
  const char *shown = plain != NULL ? plain : words;
  for (guint i = 0; choices != NULL && text != NULL && choices[i] != NULL; i++)
    if (reads_back (def, choices[i], value)) /* a type has more names than one */
      shown = choices[i];
  sluice_value_row_show (row, shown, plain != NULL || value == NULL);
}

/* `set NODE ATTR=VALUE` */
static void
chosen_cb (SluiceAttributeRows *self, const char *value, SluiceValueRow *row)
{
  const SluiceNode *node = find_node (self);
  g_autoptr (GError) error = NULL;
  if (node == NULL)
    return;
  const SluiceAttrDef *def = sluice_op_find_attr (node->op, sluice_value_row_get_name (row));
  const SluiceAttrValue *old = sluice_node_get_attr (node, def->name);
  g_autofree char *text = def->kind == SLUICE_ATTR_STRING ? g_strescape (value, NULL) : NULL;
  g_autofree char *word =
      text != NULL ? g_strdup_printf ("\"%s\"", text) : g_strstrip (g_strdup (value));
  if (old != NULL && reads_back (def, word, old))
    sluice_value_row_set_problem (row, NULL);
  else if (!sluice_document_set (self->document, self->node, def->name, word, &error))
    sluice_value_row_set_problem (row, error);
}

static void
entered_cb (SluiceAttributeRows *self, SluiceValueRow *row)
{
  const char *name = sluice_value_row_get_name (row);
  sluice_attribute_rows_select (self, name);
  g_signal_emit (self, signals[ATTR_FOCUSED], 0, name);
}

static void
add_row (SluiceAttributeRows *self, const SluiceNode *node, const SluiceAttrDef *def)
{
  g_autofree char *words = dup_words (def);
  g_auto (GStrv) choices = dup_choices (def);
  GtkWidget *row = sluice_value_row_new (def->name, words, (const char *const *) choices);
  renew_row (SLUICE_VALUE_ROW (row), node);
  g_signal_connect_swapped (row, "chosen", G_CALLBACK (chosen_cb), self);
  g_signal_connect_swapped (row, "entered", G_CALLBACK (entered_cb), self);
  gtk_box_append (GTK_BOX (self->box), row);
}

/* ---- the rows ---- */

static void
changed_cb (SluiceAttributeRows *self)
{
  const SluiceNode *node = find_node (self);
  gtk_widget_set_sensitive (GTK_WIDGET (self), node != NULL);
  for (GtkWidget *row = gtk_widget_get_first_child (self->box); node != NULL && row != NULL;
       row = gtk_widget_get_next_sibling (row))
    renew_row (SLUICE_VALUE_ROW (row), node);
}

void
sluice_attribute_rows_select (SluiceAttributeRows *self, const char *attr)
{
  for (GtkWidget *row = gtk_widget_get_first_child (self->box); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    sluice_value_row_set_selected (
        SLUICE_VALUE_ROW (row),
        g_strcmp0 (sluice_value_row_get_name (SLUICE_VALUE_ROW (row)), attr) == 0);
}

SluiceValueRow *
sluice_attribute_rows_find (SluiceAttributeRows *self, const char *attr)
{
  for (GtkWidget *row = gtk_widget_get_first_child (self->box); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (g_str_equal (sluice_value_row_get_name (SLUICE_VALUE_ROW (row)), attr))
      return SLUICE_VALUE_ROW (row);
  return NULL;
}

void
sluice_attribute_rows_set_caption (SluiceAttributeRows *self, const char *caption)
{
  gtk_label_set_label (GTK_LABEL (self->caption), caption);
  gtk_widget_set_visible (self->caption, TRUE);
}

GtkWidget *
sluice_attribute_rows_new (SluiceDocument *document, const SluiceNode *node)
{
  SluiceAttributeRows *self = g_object_new (SLUICE_TYPE_ATTRIBUTE_ROWS, NULL);
  self->document = g_object_ref (document);
  self->node = g_strdup (node->name);
  for (guint i = 0; node->op != NULL && i < node->op->n_attrs; i++)
    add_row (self, node, &node->op->attrs[i]);
  g_signal_connect_object (document, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

static void
sluice_attribute_rows_dispose (GObject *object)
{
  SluiceAttributeRows *self = SLUICE_ATTRIBUTE_ROWS (object);
  g_clear_pointer (&self->all, gtk_widget_unparent);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (sluice_attribute_rows_parent_class)->dispose (object);
}

static void
sluice_attribute_rows_finalize (GObject *object)
{
  g_free (SLUICE_ATTRIBUTE_ROWS (object)->node);
  G_OBJECT_CLASS (sluice_attribute_rows_parent_class)->finalize (object);
}

static void
sluice_attribute_rows_class_init (SluiceAttributeRowsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_attribute_rows_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_attribute_rows_finalize;
  signals[ATTR_FOCUSED] =
      g_signal_new ("attr-focused", SLUICE_TYPE_ATTRIBUTE_ROWS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
sluice_attribute_rows_init (SluiceAttributeRows *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  self->caption = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->caption), 1);
  gtk_widget_set_visible (self->caption, FALSE);
  gtk_widget_add_css_class (self->caption, "inspector-caption");
  self->all = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (self->all), self->caption);
  gtk_box_append (GTK_BOX (self->all), self->box);
  gtk_widget_set_parent (self->all, GTK_WIDGET (self));
}
