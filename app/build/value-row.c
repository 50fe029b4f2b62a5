/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/value-row.h"

#include "app/failure-words.h"

#define FIELD_CHARS 10
#define TITLE_CHARS 6 /* of a name that may stand in several lines */

struct _SluiceValueRow
{
  GtkWidget parent;
  char *name;
  GStrv choices; /* (nullable) */
  GtkWidget *box, *line;
  GtkWidget *control; /* an entry, or a drop-down of choices */
  GtkLabel *problem;
  gboolean is_renewing; /* it is set, and nobody sets it */
};

G_DEFINE_FINAL_TYPE (SluiceValueRow, sluice_value_row, GTK_TYPE_WIDGET)

enum
{
  CHOSEN,
  ENTERED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- what is done with it ---- */

static void
activated_cb (SluiceValueRow *self)
{
  if (!self->is_renewing)
    g_signal_emit (self, signals[CHOSEN], 0, gtk_editable_get_text (GTK_EDITABLE (self->control)));
}

static void
selected_cb (SluiceValueRow *self)
{
  guint i = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->control));
  if (!self->is_renewing && i < g_strv_length (self->choices))
    g_signal_emit (self, signals[CHOSEN], 0, self->choices[i]);
}

static void
left_cb (SluiceValueRow *self)
{
  if (self->choices == NULL && gtk_editable_get_editable (GTK_EDITABLE (self->control)))
    activated_cb (self);
}

static void
entered_cb (SluiceValueRow *self)
{
  g_signal_emit (self, signals[ENTERED], 0);
}

/* ---- what it shows ---- */

const char *
sluice_value_row_get_name (SluiceValueRow *self)
{
  return self->name;
}

const char *const *
sluice_value_row_get_choices (SluiceValueRow *self)
{
  return (const char *const *) self->choices;
}

void
sluice_value_row_set_problem (SluiceValueRow *self, const GError *error)
{
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  gtk_label_set_label (self->problem, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), error != NULL);
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (self->control), GTK_ACCESSIBLE_STATE_INVALID,
      error != NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

void
sluice_value_row_show (SluiceValueRow *self, const char *text, gboolean can_change)
{
  self->is_renewing = TRUE;
  sluice_value_row_set_problem (self, NULL);
  if (self->choices == NULL)
    {
      gtk_editable_set_text (GTK_EDITABLE (self->control), text);
      gtk_editable_set_editable (GTK_EDITABLE (self->control), can_change);
    }
  else
    for (guint i = 0; self->choices[i] != NULL; i++)
      if (g_str_equal (self->choices[i], text))
        gtk_drop_down_set_selected (GTK_DROP_DOWN (self->control), i);
  self->is_renewing = FALSE;
}

void
sluice_value_row_set_selected (SluiceValueRow *self, gboolean is_selected)
{
  if (is_selected)
    gtk_widget_add_css_class (self->box, "attribute-selected");
  else
    gtk_widget_remove_css_class (self->box, "attribute-selected");
}

void
sluice_value_row_add_end (SluiceValueRow *self, GtkWidget *widget)
{
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (self->line), widget);
}

void
sluice_value_row_add_below (SluiceValueRow *self, GtkWidget *widget)
{
  gtk_box_append (GTK_BOX (self->box), widget);
}

/* ---- the widget ---- */

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

/* An entry does not say that it has more than is seen. Asked for, as a tooltip that is set would
 * take the place of the description. */
static gboolean
query_tooltip_cb (GtkEditable *entry, int x, int y, gboolean by_key, GtkTooltip *tooltip)
{
  const char *text = gtk_editable_get_text (entry);
  gtk_tooltip_set_text (tooltip, text);
  return g_utf8_strlen (text, -1) > FIELD_CHARS;
}

static void
make_control (SluiceValueRow *self, const char *words)
{
  if (self->choices != NULL)
    {
      self->control = gtk_drop_down_new_from_strings ((const char *const *) self->choices);
      /* Its button has the focus. */
      gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (self->control)),
                                      GTK_ACCESSIBLE_PROPERTY_LABEL, self->name, -1);
      g_signal_connect_swapped (self->control, "notify::selected", G_CALLBACK (selected_cb), self);
    }
  else
    {
      self->control = gtk_entry_new ();
      gtk_widget_set_direction (self->control, GTK_TEXT_DIR_LTR); /* of [?,28] all is neutral */
      gtk_editable_set_width_chars (GTK_EDITABLE (self->control), FIELD_CHARS);
      gtk_widget_set_has_tooltip (self->control, TRUE);
      g_signal_connect (self->control, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
      g_signal_connect_swapped (self->control, "activate", G_CALLBACK (activated_cb), self);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->control), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  self->name, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
}

GtkWidget *
sluice_value_row_new (const char *name, const char *words, const char *const *choices)
{
  SluiceValueRow *self = g_object_new (SLUICE_TYPE_VALUE_ROW, NULL);
  GtkWidget *title = new_label (name, "attribute-name");
  self->name = g_strdup (name);
  self->choices = g_strdupv ((char **) choices);
  make_control (self, words);
  g_autoptr (PangoAttrList) no_hyphens = pango_attr_list_new ();
  pango_attr_list_insert (no_hyphens, pango_attr_insert_hyphens_new (FALSE));
  gtk_label_set_attributes (GTK_LABEL (title), no_hyphens);
  gtk_label_set_width_chars (GTK_LABEL (title), (int) MIN (strlen (name), TITLE_CHARS));
  gtk_widget_set_hexpand (title, TRUE);
  gtk_box_append (GTK_BOX (self->line), title);
  gtk_box_append (GTK_BOX (self->line), self->control);
  gtk_box_append (GTK_BOX (self->box), self->line);
  gtk_box_append (GTK_BOX (self->box), new_label (words, "dim-label"));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->problem));
  return GTK_WIDGET (self);
}

static void
sluice_value_row_dispose (GObject *object)
{
  SluiceValueRow *self = SLUICE_VALUE_ROW (object);
  self->is_renewing = TRUE; /* what it says when it loses the focus is nothing now */
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_value_row_parent_class)->dispose (object);
}

static void
sluice_value_row_finalize (GObject *object)
{
  SluiceValueRow *self = SLUICE_VALUE_ROW (object);
  g_free (self->name);
  g_strfreev (self->choices);
  G_OBJECT_CLASS (sluice_value_row_parent_class)->finalize (object);
}

static void
sluice_value_row_class_init (SluiceValueRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_value_row_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_value_row_finalize;
  signals[CHOSEN] = g_signal_new ("chosen", SLUICE_TYPE_VALUE_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[ENTERED] = g_signal_new ("entered", SLUICE_TYPE_VALUE_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
sluice_value_row_init (SluiceValueRow *self)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  self->line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->problem = GTK_LABEL (new_label ("", "error"));
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  gtk_widget_add_css_class (self->box, "attribute-row");
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (entered_cb), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (left_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), focus);
}
