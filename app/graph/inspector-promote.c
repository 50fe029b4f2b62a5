/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/graph/node-words.h"
#include "engine/base/text.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/promote.h"

/* Whether the constant that is shown, or an attribute of the node, is a setting of the launch form:
 * a switch each and, behind a button, what is said of it there. They stand in the attribute's row,
 * or where the graph cannot be changed on a line of their own. */

enum
{
  NAME,
  UNIT,
  HELP,
  LOW,
  HIGH,
  N_FIELDS,
};

static const struct
{
  const char *title, *part; /* of its line in [parameters] */
} fields[N_FIELDS] = { [NAME] = { N_ ("Name"), NULL },
                       [UNIT] = { N_ ("Unit"), "unit" },
                       [HELP] = { N_ ("What it does"), "help" },
                       [LOW] = { N_ ("Least value"), "low" },
                       [HIGH] = { N_ ("Greatest value"), "high" } };

typedef struct
{
  char *what; /* "node", "node:attribute" */
  gboolean has_range;
  SluiceInspector *inspector;
  GtkWidget *widget, *more; /* the switch, the button */
  GtkLabel *said;
  GtkEditable *entries[N_FIELDS]; /* of the form, while it is open; (nullable) */
  GtkLabel *problem;
} Line;

static void
line_free (gpointer data)
{
  Line *self = data;
  g_free (self->what);
  g_free (self);
}

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* ---- the form ---- */

static char *
dup_entry (Line *self, guint field)
{
  return self->entries[field] != NULL
             ? g_strstrip (g_strdup (gtk_editable_get_text (self->entries[field])))
             : g_strdup ("");
}

/* As [parameters] has it: (transfer full). */
static char *
dup_line (Line *self)
{
  static const guint order[] = { UNIT, LOW, HIGH, HELP }; /* help= is all that is left of it */
  GString *line = g_string_new (self->what);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      g_autofree char *text = dup_entry (self, order[i]);
      if (*text != '\0')
        g_string_append_printf (line, "; %s=%s", fields[order[i]].part, text);
    }
  return g_string_free (line, FALSE);
}

static void
apply_cb (Line *self)
{
  g_autofree char *name = dup_entry (self, NAME), *line = dup_line (self), *target = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceParameterNote) note = NULL;
  g_autoptr (SluiceProject) project = sluice_project_load (self->inspector->project, &error);
  if (project != NULL && sluice_parameter_note_parse (name, line, &target, &note, &error)
      && sluice_project_check_promotion (project, self->what, name, note, &error))
    {
      gtk_menu_button_popdown (GTK_MENU_BUTTON (self->more));
      gtk_widget_activate_action (GTK_WIDGET (self->inspector), "win.promote", "(sss)", self->what,
                                  name, line);
      return;
    }
  g_autofree char *words = sluice_failure_words (error);
  gtk_label_set_label (self->problem, words);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), TRUE);
}

static void
add_entry (Line *self, GtkGrid *grid, guint field, const char *text)
{
  GtkWidget *label = gtk_label_new (_ (fields[field].title)), *entry = gtk_entry_new ();
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_editable_set_text (GTK_EDITABLE (entry), text != NULL ? text : "");
  name_widget (entry, _ (fields[field].title));
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (apply_cb), self);
  gtk_grid_attach (grid, label, 0, (int) field, 1, 1);
  gtk_grid_attach (grid, entry, 1, (int) field, 1, 1);
  self->entries[field] = GTK_EDITABLE (entry);
}

static void
add_number (Line *self, GtkGrid *grid, guint field, double value)
{
  g_autofree char *text = isnan (value) ? NULL : sluice_text_dup_number (value, FALSE);
  add_entry (self, grid, field, text);
}

static void
add_end (Line *self, GtkBox *box)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (_ ("_Apply"));
  self->problem = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->problem, TRUE);
  gtk_label_set_max_width_chars (self->problem, 36);
  gtk_label_set_xalign (self->problem, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->problem), "error");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  gtk_widget_set_halign (button, GTK_ALIGN_END);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (apply_cb), self);
  gtk_box_append (box, GTK_WIDGET (self->problem));
  gtk_box_append (box, button);
}

/* As the project says it now, whoever wrote that. */
static void
open_cb (GtkMenuButton *button, gpointer data)
{
  Line *self = data;
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *grid = gtk_grid_new ();
  g_autoptr (SluiceProject) project = sluice_project_load (self->inspector->project, NULL);
  const SluiceNamedEdge *found =
      project != NULL ? sluice_project_find_promoted (project, self->what) : NULL;
  const SluiceParameterNote *note =
      found != NULL ? g_hash_table_lookup (project->notes, found->name) : NULL;
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  memset (self->entries, 0, sizeof self->entries);
  add_entry (self, GTK_GRID (grid), NAME, found != NULL ? found->name : NULL);
  add_entry (self, GTK_GRID (grid), UNIT, note != NULL ? note->unit : NULL);
  add_entry (self, GTK_GRID (grid), HELP, note != NULL ? note->help : NULL);
  if (self->has_range)
    {
      add_number (self, GTK_GRID (grid), LOW, note != NULL ? note->low : NAN);
      add_number (self, GTK_GRID (grid), HIGH, note != NULL ? note->high : NAN);
    }
  gtk_box_append (GTK_BOX (box), grid);
  add_end (self, GTK_BOX (box));
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (button, popover);
}

/* ---- the lines ---- */

static void
switched_cb (GtkSwitch *widget, GParamSpec *pspec, Line *self)
{
  GtkWidget *inspector = GTK_WIDGET (self->inspector);
  if (gtk_switch_get_active (widget))
    gtk_widget_activate_action (inspector, "win.promote", "(sss)", self->what, "", "");
  else
    gtk_widget_activate_action (inspector, "win.demote", "s", self->what);
}

/* "learning-rate · 1/s · 0 to 1 · How far a step goes": (transfer full) */
static char *
dup_said (const SluiceProject *project, const char *name)
{
  const SluiceParameterNote *note = g_hash_table_lookup (project->notes, name);
  g_autofree char *range = note != NULL ? sluice_parameter_note_dup_range (note) : NULL;
  const char *const parts[] = { note != NULL ? note->unit : NULL, range,
                                note != NULL ? note->help : NULL };
  GString *text = g_string_new (name);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i] != NULL)
      g_string_append_printf (text, " · %s", parts[i]);
  return g_string_free (text, FALSE);
}

static void
update_line (Line *self, const SluiceProject *project)
{
  const SluiceNamedEdge *found = sluice_project_find_promoted (project, self->what);
  g_autofree char *said = found != NULL ? dup_said (project, found->name) : NULL;
  g_signal_handlers_block_by_func (self->widget, switched_cb, self);
  gtk_switch_set_active (GTK_SWITCH (self->widget), found != NULL);
  g_signal_handlers_unblock_by_func (self->widget, switched_cb, self);
  gtk_widget_set_visible (self->more, found != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->said), found != NULL);
  gtk_label_set_label (self->said, said != NULL ? said : "");
}

void
sluice_inspector_update_promotion (SluiceInspector *self)
{
  g_autoptr (SluiceProject) project =
      self->promotions->len > 0 ? sluice_project_load (self->project, NULL) : NULL;
  for (guint i = 0; project != NULL && i < self->promotions->len; i++)
    update_line (self->promotions->pdata[i], project);
}

static GtkWidget *
new_more (Line *line)
{
  GtkWidget *button = gtk_menu_button_new ();
  const char *words = _ ("Name, unit, range and what it does");
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "document-edit-symbolic");
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (button), open_cb, line, NULL);
  gtk_widget_set_tooltip_text (button, words);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  name_widget (button, words);
  return button;
}

static void
add_own_line (Line *self, const char *words)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *label = gtk_label_new (words);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE); /* "in launch form" is what it is about */
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), self->more);
  gtk_box_append (GTK_BOX (row), self->widget);
  gtk_box_append (GTK_BOX (box), row);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->said));
  if (self->inspector->promotions->len == 0)
    sluice_inspector_rows_begin (&self->inspector->rows, NULL, TRUE);
  sluice_inspector_rows_add_widget (&self->inspector->rows, box);
}

static void
add_to_row (Line *self, SluiceValueRow *row)
{
  sluice_attribute_rows_set_caption (self->inspector->attributes, _ ("In launch form"));
  sluice_value_row_add_end (row, self->more);
  sluice_value_row_add_end (row, self->widget);
  sluice_value_row_add_below (row, GTK_WIDGET (self->said));
}

static void
prepare_said (GtkLabel *said)
{
  gtk_label_set_xalign (said, 0);
  gtk_label_set_wrap (said, TRUE);
  gtk_label_set_wrap_mode (said, PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (GTK_WIDGET (said), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (said), "inspector-caption");
}

/* attr: that the row is of. name: (nullable): of the attribute, as people read it */
static void
add_line (SluiceInspector *self, Line what, const char *attr, const char *name)
{
  Line *line = g_new (Line, 1);
  SluiceValueRow *row =
      self->attributes != NULL ? sluice_attribute_rows_find (self->attributes, attr) : NULL;
  g_autofree char *words = name != NULL ? g_strdup_printf (_ ("%s in launch form"), name)
                                        : g_strdup (_ ("In launch form"));
  *line = what;
  line->inspector = self;
  line->widget = gtk_switch_new ();
  line->more = new_more (line);
  line->said = GTK_LABEL (gtk_label_new (NULL));
  prepare_said (line->said);
  name_widget (line->widget, words);
  gtk_widget_set_valign (line->widget, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (
      line->widget, name != NULL ? _ ("A run can be begun with another value of this attribute")
                                 : _ ("A run can be begun with another value of this constant"));
  g_signal_connect (line->widget, "notify::active", G_CALLBACK (switched_cb), line);
  if (row != NULL)
    add_to_row (line, row);
  else
    add_own_line (line, words);
  g_ptr_array_add (self->promotions, line);
}

void
sluice_inspector_add_promotion (SluiceInspector *self, const SluiceNode *node)
{
  if (self->project == NULL)
    return;
  if (sluice_node_is_promotable (node))
    add_line (self, (Line){ .what = g_strdup (node->name), .has_range = TRUE }, "value", NULL);
  for (guint i = 0; i < node->n_attrs; i++)
    if (sluice_attr_is_promotable (node, &node->attrs[i])
        && sluice_words_attr_is_shown (&node->attrs[i]))
      {
        g_autofree char *name = sluice_words_attr_name (node->attrs[i].name);
        Line line = { .what = g_strconcat (node->name, ":", node->attrs[i].name, NULL) };
        add_line (self, line, node->attrs[i].name, name);
      }
  sluice_inspector_update_promotion (self);
}

void
sluice_inspector_init_promotion (SluiceInspector *self)
{
  self->promotions = g_ptr_array_new_with_free_func (line_free);
}

void
sluice_inspector_set_project (SluiceInspector *self, const char *folder)
{
  g_free (self->project);
  self->project = g_strdup (folder);
}
