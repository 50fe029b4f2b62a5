/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-rows.h"

#define WHOLE_CHARS 26 /* of a value; what is longer gives way to its name */

void
sluice_inspector_rows_init (SluiceInspectorRows *self, GtkBox *box)
{
  *self = (SluiceInspectorRows){ .box = box, .text = g_string_new (NULL) };
}

void
sluice_inspector_rows_free (SluiceInspectorRows *self)
{
  g_string_free (self->text, TRUE);
}

void
sluice_inspector_rows_clear (SluiceInspectorRows *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->box))) != NULL)
    gtk_box_remove (self->box, child);
  self->heading = NULL;
  self->separates = FALSE;
  g_string_truncate (self->text, 0);
}

void
sluice_inspector_rows_begin (SluiceInspectorRows *self, const char *heading, gboolean separates)
{
  self->heading = heading;
  self->separates |= separates;
}

/* What stands before the next row. */
static void
show_heading (SluiceInspectorRows *self)
{
  if (self->separates && gtk_widget_get_first_child (GTK_WIDGET (self->box)) != NULL)
    {
      GtkWidget *line = gtk_separator_new (GTK_ORIENTATION_HORIZONTAL);
      gtk_widget_set_margin_top (line, 8);
      gtk_widget_set_margin_bottom (line, self->heading != NULL ? 0 : 8);
      gtk_box_append (self->box, line);
    }
  self->separates = FALSE;
  if (self->heading == NULL)
    return;
  GtkWidget *label = gtk_label_new (self->heading);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "inspector-heading");
  gtk_box_append (self->box, label);
  self->heading = NULL;
}

/* What a person looks for is the value: its name gives way. */
static void
set_value (GtkLabel *label, const char *value)
{
  gboolean whole = g_utf8_strlen (value, -1) <= WHOLE_CHARS;
  gtk_label_set_ellipsize (label, whole ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_label_set_label (label, value);
}

/* The two halves of a row; the value's label. */
static GtkLabel *
new_halves (GtkWidget **row, const char *name, const char *value)
{
  GtkWidget *left = gtk_label_new (name), *right = gtk_label_new (NULL);
  *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  gtk_label_set_xalign (GTK_LABEL (left), 0);
  /* A number and its unit read from left to right in every language. */
  gboolean is_mirrored = gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL;
  gtk_widget_set_direction (right, GTK_TEXT_DIR_LTR);
  gtk_label_set_xalign (GTK_LABEL (right), is_mirrored ? 0 : 1);
  gtk_label_set_ellipsize (GTK_LABEL (left), PANGO_ELLIPSIZE_MIDDLE);
  set_value (GTK_LABEL (right), value);
  gtk_widget_set_hexpand (right, TRUE);
  gtk_widget_add_css_class (left, "dim-label");
  gtk_widget_add_css_class (right, "numeric");
  gtk_box_append (GTK_BOX (*row), left);
  gtk_box_append (GTK_BOX (*row), right);
  return GTK_LABEL (right);
}

/* All of what is shortened. Where another text was set GTK would ask the display where the pointer
 * is, once a row of each run that is gone through. */
static gboolean
query_tooltip_cb (
    GtkLabel *label, int x, int y, gboolean by_key, GtkTooltip *tooltip, gpointer data)
{
  gtk_tooltip_set_text (tooltip, gtk_label_get_label (label));
  return TRUE;
}

static void
give_tooltip (GtkWidget *label)
{
  gtk_widget_set_has_tooltip (label, TRUE);
  g_signal_connect (label, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
}

GtkLabel *
sluice_inspector_rows_add (SluiceInspectorRows *self, const char *name, const char *value)
{
  GtkWidget *row;
  GtkLabel *label = new_halves (&row, name, value);
  show_heading (self);
  give_tooltip (gtk_widget_get_first_child (row));
  give_tooltip (GTK_WIDGET (label));
  gtk_accessible_update_relation (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  gtk_widget_get_first_child (row), label, NULL, -1);
  gtk_box_append (self->box, row);
  g_string_append_printf (self->text, "%s: %s\n", name, value);
  return label;
}

void
sluice_inspector_rows_add_printf (SluiceInspectorRows *self,
                                  const char *name,
                                  const char *format,
                                  ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *value = g_strdup_vprintf (format, args);
  va_end (args);
  sluice_inspector_rows_add (self, name, value);
}

void
sluice_inspector_rows_add_link (SluiceInspectorRows *self,
                                const char *name,
                                const char *value,
                                const char *action,
                                const char *target,
                                const char *said)
{
  GtkWidget *row, *button = gtk_button_new ();
  GtkLabel *label = new_halves (&row, name, value);
  show_heading (self);
  gtk_widget_remove_css_class (gtk_widget_get_first_child (row), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (label), "inspector-link");
  gtk_button_set_child (GTK_BUTTON (button), row);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "inspector-row");
  gtk_widget_set_tooltip_text (button, said);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, said, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", target);
  gtk_box_append (self->box, button);
  g_string_append_printf (self->text, "%s: %s\n", name, value);
}

GtkLabel *
sluice_inspector_rows_add_words (SluiceInspectorRows *self, const char *words)
{
  GtkWidget *label = gtk_label_new (words);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "dim-label");
  sluice_inspector_rows_add_widget (self, label);
  g_string_append_printf (self->text, "%s\n", words);
  return GTK_LABEL (label);
}

void
sluice_inspector_rows_add_widget (SluiceInspectorRows *self, GtkWidget *widget)
{
  show_heading (self);
  gtk_box_append (self->box, widget);
}

void
sluice_inspector_rows_renew (SluiceInspectorRows *self,
                             GtkLabel *label,
                             const char *name,
                             const char *value)
{
  const char *before = gtk_label_get_label (label);
  if (g_str_equal (before, value))
    return;
  g_autofree char *old = g_strdup_printf ("%s: %s\n", name, before);
  g_autofree char *new = g_strdup_printf ("%s: %s\n", name, value);
  g_string_replace (self->text, old, new, 1);
  set_value (label, value);
}
