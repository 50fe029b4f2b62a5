/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/attribute-rows.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "app/cli/describe-op.h"
#include "app/failure-words.h"
#include "app/graph/node-words.h"
#include "engine/command/line.h"
#include "engine/graph/attr-text.h"

#define MAX_TEXT 200 /* bytes of a value that a field can hold */

struct _SluiceAttributeRows
{
  GtkWidget parent;
  SluiceDocument *document;
  GtkWidget *box;
  char *node;
  gboolean is_renewing; /* the rows are set, and nobody sets them */
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

typedef struct
{
  SluiceAttributeRows *rows;
  const SluiceAttrDef *def;
  GtkWidget *control; /* an entry, or a drop-down of choices */
  GStrv choices;      /* (nullable) */
  GtkLabel *problem;
} Row;

static void
row_free (gpointer data, GClosure *closure)
{
  Row *row = data;
  g_strfreev (row->choices);
  g_free (row);
}

static Row *
get_row (GtkWidget *widget)
{
  return g_object_get_data (G_OBJECT (widget), "row");
}

static const SluiceNode *
find_node (SluiceAttributeRows *self)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  return graph != NULL ? sluice_graph_find (graph, self->node) : NULL;
}

static void
set_problem (Row *row, const GError *error)
{
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  gtk_label_set_label (row->problem, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (row->problem), error != NULL);
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (row->control), GTK_ACCESSIBLE_STATE_INVALID,
      error != NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

/* As the graph has it now. */
static void
renew_row (Row *row, const SluiceNode *node)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, row->def->name);
  g_autofree char *text = value != NULL ? sluice_attribute_dup_text (row->def, value) : NULL;
  g_autofree char *plain = text != NULL ? unquote (text) : NULL;
  set_problem (row, NULL);
  if (row->choices == NULL)
    {
      g_autofree char *words = value != NULL ? sluice_words_attr_value (value) : g_strdup ("");
      gtk_editable_set_text (GTK_EDITABLE (row->control), plain != NULL ? plain : words);
      gtk_editable_set_editable (GTK_EDITABLE (row->control), plain != NULL || value == NULL);
      return;
    }
  for (guint i = 0; row->choices[i] != NULL; i++)
    if (g_strcmp0 (row->choices[i], plain) == 0
        || (text != NULL && reads_back (row->def, row->choices[i], value)))
      gtk_drop_down_set_selected (GTK_DROP_DOWN (row->control), i);
}

/* `set NODE ATTR=VALUE` */
static void
set_value (Row *row, const char *value)
{
  SluiceAttributeRows *self = row->rows;
  const SluiceNode *node = find_node (self);
  g_autoptr (GError) error = NULL;
  if (node == NULL || self->is_renewing)
    return;
  const SluiceAttrValue *old = sluice_node_get_attr (node, row->def->name);
  g_autofree char *text = row->def->kind == SLUICE_ATTR_STRING ? g_strescape (value, NULL) : NULL;
  g_autofree char *word =
      text != NULL ? g_strdup_printf ("\"%s\"", text) : g_strstrip (g_strdup (value));
  if (old != NULL && reads_back (row->def, word, old))
    {
      set_problem (row, NULL);
      return;
    }
  g_autofree char *name = sluice_line_quote (self->node);
  g_autofree char *line = g_strdup_printf ("set %s %s=%s", name, row->def->name, word);
  if (!sluice_document_do (self->document, line, &error))
    set_problem (row, error);
}

static void
activated_cb (Row *row)
{
  set_value (row, gtk_editable_get_text (GTK_EDITABLE (row->control)));
}

static void
chosen_cb (Row *row)
{
  guint i = gtk_drop_down_get_selected (GTK_DROP_DOWN (row->control));
  if (i < g_strv_length (row->choices))
    set_value (row, row->choices[i]);
}

static void
left_cb (Row *row)
{
  if (row->choices == NULL && gtk_editable_get_editable (GTK_EDITABLE (row->control)))
    activated_cb (row);
}

static void
entered_cb (Row *row)
{
  SluiceAttributeRows *self = row->rows;
  g_autofree char *name = g_strdup (row->def->name);
  sluice_attribute_rows_select (self, name);
  g_signal_emit (self, signals[ATTR_FOCUSED], 0, name);
}

static GtkWidget *
new_label (const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, class);
  return label;
}

static void
make_control (Row *row)
{
  if (row->choices != NULL)
    {
      row->control = gtk_drop_down_new_from_strings ((const char *const *) row->choices);
      return;
    }
  row->control = gtk_entry_new ();
  gtk_editable_set_width_chars (GTK_EDITABLE (row->control), 12);
}

static void
add_row (SluiceAttributeRows *self, const SluiceNode *node, const SluiceAttrDef *def)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *name = new_label (def->name, "attribute-name");
  GtkEventController *focus = gtk_event_controller_focus_new ();
  g_autofree char *words = dup_words (def);
  Row *row = g_new0 (Row, 1);
  row->rows = self;
  row->def = def;
  row->choices = dup_choices (def);
  row->problem = GTK_LABEL (new_label ("", "error"));
  make_control (row);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_widget_set_visible (GTK_WIDGET (row->problem), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->control), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  def->name, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
  if (GTK_IS_DROP_DOWN (row->control)) /* its button, where the focus is */
    gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (row->control)),
                                    GTK_ACCESSIBLE_PROPERTY_LABEL, def->name, -1);
  gtk_box_append (GTK_BOX (line), name);
  gtk_box_append (GTK_BOX (line), row->control);
  gtk_box_append (GTK_BOX (box), line);
  gtk_box_append (GTK_BOX (box), new_label (words, "dim-label"));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (row->problem));
  gtk_widget_add_css_class (box, "attribute-row");
  gtk_widget_add_controller (box, focus);
  g_object_set_data (G_OBJECT (box), "row", row);
  self->is_renewing = TRUE;
  renew_row (row, node);
  self->is_renewing = FALSE;
  /* It lives as long as the first of its handlers. */
  g_signal_connect_data (focus, "enter", G_CALLBACK (entered_cb), row, row_free, G_CONNECT_SWAPPED);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (left_cb), row);
  if (row->choices != NULL)
    g_signal_connect_swapped (row->control, "notify::selected", G_CALLBACK (chosen_cb), row);
  else
    g_signal_connect_swapped (row->control, "activate", G_CALLBACK (activated_cb), row);
  gtk_box_append (GTK_BOX (self->box), box);
}

/* ---- the rows ---- */

static void
changed_cb (SluiceAttributeRows *self)
{
  const SluiceNode *node = find_node (self);
  gtk_widget_set_sensitive (GTK_WIDGET (self), node != NULL);
  self->is_renewing = TRUE;
  for (GtkWidget *row = gtk_widget_get_first_child (self->box); node != NULL && row != NULL;
       row = gtk_widget_get_next_sibling (row))
    renew_row (get_row (row), node);
  self->is_renewing = FALSE;
}

void
sluice_attribute_rows_select (SluiceAttributeRows *self, const char *attr)
{
  for (GtkWidget *row = gtk_widget_get_first_child (self->box); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (g_strcmp0 (get_row (row)->def->name, attr) == 0)
      gtk_widget_add_css_class (row, "attribute-selected");
    else
      gtk_widget_remove_css_class (row, "attribute-selected");
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
  self->is_renewing = TRUE; /* what a row says when it loses the focus is nothing now */
  g_clear_pointer (&self->box, gtk_widget_unparent);
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
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}
