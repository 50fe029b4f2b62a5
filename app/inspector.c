/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/inspector.h"

#include <glib/gi18n.h>
#include <string.h>

struct _SluiceInspector
{
  GtkWidget parent;
  GtkWidget *scroller;
  GtkLabel *title, *subtitle, *error;
  GtkBox *rows;
  const char *heading; /* of the rows to come, not yet shown: without rows it never is */
  GString *text;       /* of the rows, for tests */
};

G_DEFINE_FINAL_TYPE (SluiceInspector, sluice_inspector, GTK_TYPE_WIDGET)

/* ---- rows ---- */

static void
clear_rows (SluiceInspector *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->rows))) != NULL)
    gtk_box_remove (self->rows, child);
  self->heading = NULL;
  g_string_truncate (self->text, 0);
}

/* @text: of gettext or the program's own, as it is kept. */
static void
add_heading (SluiceInspector *self, const char *text)
{
  self->heading = text;
}

static void
show_heading (SluiceInspector *self)
{
  GtkWidget *label = gtk_label_new (self->heading);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  gtk_widget_set_margin_top (label, 10);
  gtk_box_append (self->rows, label);
  self->heading = NULL;
}

static void
add_row (SluiceInspector *self, const char *name, const char *value)
{
  if (self->heading != NULL)
    show_heading (self);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *left = gtk_label_new (name), *right = gtk_label_new (value);
  gtk_label_set_xalign (GTK_LABEL (left), 0);
  gtk_label_set_xalign (GTK_LABEL (right), 1);
  gtk_label_set_ellipsize (GTK_LABEL (left), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_ellipsize (GTK_LABEL (right), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (right, TRUE);
  gtk_widget_add_css_class (left, "dim-label");
  gtk_widget_add_css_class (right, "numeric");
  gtk_widget_set_tooltip_text (left, name);
  gtk_widget_set_tooltip_text (right, value);
  gtk_box_append (GTK_BOX (box), left);
  gtk_box_append (GTK_BOX (box), right);
  gtk_box_append (self->rows, box);
  g_string_append_printf (self->text, "%s: %s\n", name, value);
}

static void G_GNUC_PRINTF (3, 4)
    add_row_printf (SluiceInspector *self, const char *name, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *value = g_strdup_vprintf (format, args);
  va_end (args);
  add_row (self, name, value);
}

static void
set_heading (SluiceInspector *self, const char *title, const char *subtitle, const char *error)
{
  gtk_label_set_label (self->title, title);
  gtk_label_set_label (self->subtitle, subtitle);
  gtk_label_set_label (self->error, error != NULL ? error : "");
  gtk_widget_set_visible (GTK_WIDGET (self->error), error != NULL);
}

/* ---- words ---- */

/* "64×10 float" */
static char *
output_text (const SluiceOutput *output)
{
  GString *text = g_string_new (NULL);
  for (int i = 0; i < output->shape.rank; i++)
    {
      if (i > 0)
        g_string_append (text, "×");
      if (output->shape.dim[i] < 0)
        g_string_append_c (text, '?');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, output->shape.dim[i]);
    }
  if (output->shape.rank < 0)
    g_string_append (text, _ ("any shape"));
  else if (output->shape.rank == 0)
    g_string_append (text, _ ("scalar"));
  g_string_append_printf (text, " %s",
                          output->dtype != SLUICE_INVALID ? sluice_dtype_name (output->dtype)
                                                          : _ ("of any type"));
  return g_string_free (text, FALSE);
}

/* "832", "803 k", "25.6 M" */
static char *
count_text (double n)
{
  if (n < 10000)
    return g_strdup_printf ("%.0f", n);
  return n < 1e6 ? g_strdup_printf ("%.0f k", n * 1e-3) : g_strdup_printf ("%.1f M", n * 1e-6);
}

static double
node_parameters (const SluiceNode *node)
{
  SluiceRole role = sluice_node_get_role (node);
  if (node->n_outputs == 0)
    return 0;
  if (role == SLUICE_ROLE_VARIABLE)
    return MAX (sluice_shape_n_elements (&node->outputs[0].shape), 0);
  if (role == SLUICE_ROLE_RESOURCE_HANDLE)
    return MAX (sluice_shape_n_elements (&node->outputs[0].handle_shape), 0);
  return 0;
}

/* ---- a node ---- */

static void
add_inputs (SluiceInspector *self, const SluiceNode *node)
{
  add_heading (self, _ ("Inputs"));
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (edge.node == NULL)
        {
          add_row (self, _ ("missing"), "");
          continue;
        }
      g_autofree char *text = output_text (&edge.node->outputs[edge.port]);
      add_row (self, edge.node->name, text);
    }
  for (guint i = 0; i < node->n_control_inputs; i++)
    add_row (self, node->control_inputs[i]->name, _ ("control"));
}

static void
add_outputs (SluiceInspector *self, SluiceGraph *graph, const SluiceNode *node)
{
  guint n_uses;
  sluice_graph_get_uses (graph, node, &n_uses);
  if (node->n_outputs > 0)
    add_heading (self, _ ("Outputs"));
  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_autofree char *name = g_strdup_printf (_ ("output %u"), i);
      g_autofree char *text = output_text (&node->outputs[i]);
      add_row (self, name, text);
    }
  add_row_printf (self, _ ("used by"), ngettext ("%u node", "%u nodes", n_uses), n_uses);
}

static void
add_attributes (SluiceInspector *self, const SluiceNode *node)
{
  add_heading (self, _ ("Attributes"));
  for (guint i = 0; i < node->n_attrs; i++)
    {
      if (node->attrs[i].name[0] == '_')
        continue;
      g_autofree char *text = sluice_attr_value_to_string (&node->attrs[i].value);
      add_row (self, node->attrs[i].name, text);
    }
}

static void
add_placement (SluiceInspector *self, const SluiceNode *node, SluiceSession *session)
{
  const char *reason = NULL;
  const char *device =
      session != NULL ? sluice_session_get_placement (session, node->name, &reason) : NULL;
  if (device != NULL)
    {
      add_row (self, _ ("Device"), device);
      add_row (self, _ ("because"), reason);
    }
  else if (*node->device != '\0')
    add_row (self, _ ("Device asked for"), node->device);
}

static void
add_share (SluiceInspector *self, SluiceGraphPage *page, const char *name)
{
  double share = sluice_graph_page_get_share (page, name);
  if (share >= 0)
    add_row_printf (self, _ ("Share of the step"), "%.1f %%", share * 100);
}

static void
show_node (SluiceInspector *self,
           SluiceGraph *graph,
           const SluiceNode *node,
           SluiceGraphPage *page,
           SluiceSession *session)
{
  g_autofree char *subtitle =
      node->op != NULL
          ? g_strdup_printf ("%s · %s", node->op_name, _ (node->op->def->summary))
          : g_strdup_printf (_ ("%s · an op that this program does not know"), node->op_name);
  set_heading (self, node->name, subtitle, node->error != NULL ? node->error->message : NULL);
  add_inputs (self, node);
  add_outputs (self, graph, node);
  add_heading (self, _ ("In the step"));
  add_share (self, page, node->name);
  add_placement (self, node, session);
  double parameters = node_parameters (node);
  if (parameters > 0)
    {
      g_autofree char *text = count_text (parameters);
      add_row (self, _ ("Parameters"), text);
    }
  add_attributes (self, node);
}

/* ---- a scope, or all ---- */

static void
show_many (SluiceInspector *self, SluiceGraph *graph, const char *scope, SluiceGraphPage *page)
{
  g_autofree char *prefix = scope != NULL ? g_strconcat (scope, "/", NULL) : g_strdup ("");
  double parameters = 0;
  guint n = 0, n_errors = 0, n_variables = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (!g_str_has_prefix (node->name, prefix))
        continue;
      double here = node_parameters (node);
      n++;
      n_errors += node->error != NULL;
      n_variables += here > 0;
      parameters += here;
    }
  g_autofree char *subtitle = g_strdup_printf (ngettext ("%u node", "%u nodes", n), n);
  g_autofree char *count = count_text (parameters);
  set_heading (self, scope != NULL ? scope : _ ("The whole graph"), subtitle, NULL);
  add_row_printf (self, _ ("Variables"), "%u", n_variables);
  add_row (self, _ ("Elements in them"), count);
  if (n_errors > 0)
    add_row_printf (self, _ ("Nodes that cannot run"), "%u", n_errors);
  if (scope != NULL)
    add_share (self, page, scope);
  else
    {
      add_heading (self, _ ("Tip"));
      show_heading (self);
      GtkWidget *tip = gtk_label_new (_ ("Select a node to see its inputs, shapes and share of the "
                                         "step. Double-click a scope to open it."));
      gtk_label_set_wrap (GTK_LABEL (tip), TRUE);
      gtk_label_set_xalign (GTK_LABEL (tip), 0);
      gtk_widget_add_css_class (tip, "dim-label");
      gtk_box_append (self->rows, tip);
    }
}

void
sluice_inspector_show (SluiceInspector *self,
                       SluiceGraph *graph,
                       const char *name,
                       SluiceGraphPage *page,
                       SluiceSession *session)
{
  clear_rows (self);
  if (graph == NULL)
    {
      set_heading (self, _ ("Nothing open"), _ ("Open a project to see its graph here."), NULL);
      return;
    }
  const SluiceNode *node = name != NULL ? sluice_graph_find (graph, name) : NULL;
  if (node != NULL)
    show_node (self, graph, node, page, session);
  else
    show_many (self, graph, name, page);
}

char *
sluice_inspector_dup_text (SluiceInspector *self)
{
  return g_strdup_printf ("%s\n%s\n%s\n%s", gtk_label_get_label (self->title),
                          gtk_label_get_label (self->subtitle), gtk_label_get_label (self->error),
                          self->text->str);
}

static void
sluice_inspector_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SLUICE_TYPE_INSPECTOR);
  G_OBJECT_CLASS (sluice_inspector_parent_class)->dispose (object);
}

static void
sluice_inspector_finalize (GObject *object)
{
  g_string_free (SLUICE_INSPECTOR (object)->text, TRUE);
  G_OBJECT_CLASS (sluice_inspector_parent_class)->finalize (object);
}

static void
sluice_inspector_class_init (SluiceInspectorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_inspector_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_inspector_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/inspector.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, scroller);
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, title);
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, subtitle);
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, error);
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, rows);
}

static void
sluice_inspector_init (SluiceInspector *self)
{
  self->text = g_string_new (NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
}
