/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector.h"

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
  /* What changes while a run is under way: */
  char *name;              /* (nullable): of what is shown */
  char *loop;              /* (nullable): its loop's name */
  GtkLabel *share, *trips; /* (nullable): the values */
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
  self->share = self->trips = NULL;
  g_clear_pointer (&self->loop, g_free);
  g_clear_pointer (&self->name, g_free);
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

/* The label of the value. */
static GtkLabel *
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
  return GTK_LABEL (right);
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
    add_row (self, _ ("Device"), device);
  else if (*node->device != '\0')
    add_row (self, _ ("Device asked for"), node->device);
  if (reason != NULL)
    add_row (self, _ ("because"), reason);
}

/* ---- what a run tells ---- */

static char *
share_text (SluiceInspector *self, SluiceGraphPage *page)
{
  double share = sluice_graph_page_get_share (page, self->name);
  return share >= 0 ? g_strdup_printf ("%.1f %%", share * 100) : g_strdup ("–");
}

static char *
trips_text (SluiceInspector *self, SluiceGraphPage *page)
{
  gint64 n = sluice_graph_page_get_iterations (page, self->loop);
  return n >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, n) : g_strdup ("–");
}

/* A dash stands for what no run has told yet: rows do not come and go under the eyes. */
static void
add_live (SluiceInspector *self, SluiceGraphPage *page, const char *name)
{
  SluiceHierarchy *hierarchy = sluice_graph_page_get_hierarchy (page);
  SluiceGraphModel *model = sluice_graph_page_get_model (page);
  guint group = hierarchy != NULL ? sluice_hierarchy_lookup (hierarchy, name) : SLUICE_NONE;
  guint index = model != NULL ? sluice_graph_model_lookup (model, name) : G_MAXUINT;
  self->name = g_strdup (name);
  if (index != G_MAXUINT)
    self->loop = g_strdup (sluice_graph_model_get_node (model, index)->loop);
  else if (group != SLUICE_NONE)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (hierarchy, group);
      const char *loop = g->loop != NULL ? g->loop : g->inner_loop;
      /* A part of a loop's body goes round with it. */
      for (; loop == NULL && g->parent != 0 && g->parent != SLUICE_NONE; loop = g->loop)
        g = sluice_hierarchy_get_group (hierarchy, g->parent);
      self->loop = g_strdup (loop);
    }
  g_autofree char *share = share_text (self, page);
  self->share = add_row (self, _ ("Share of the step"), share);
  if (self->loop == NULL)
    return;
  g_autofree char *trips = trips_text (self, page);
  add_row (self, _ ("Loop"), self->loop);
  self->trips = add_row (self, _ ("Iterations in a step"), trips);
}

/* Only what changed is said again. */
static void
renew (SluiceInspector *self, GtkLabel *label, const char *name, const char *value)
{
  const char *before = gtk_label_get_label (label);
  if (g_str_equal (before, value))
    return;
  g_autofree char *old = g_strdup_printf ("%s: %s\n", name, before);
  g_autofree char *new = g_strdup_printf ("%s: %s\n", name, value);
  g_string_replace (self->text, old, new, 1);
  gtk_label_set_label (label, value);
  gtk_widget_set_tooltip_text (GTK_WIDGET (label), value);
}

void
sluice_inspector_update (SluiceInspector *self, SluiceGraphPage *page)
{
  if (self->share != NULL)
    {
      g_autofree char *share = share_text (self, page);
      renew (self, self->share, _ ("Share of the step"), share);
    }
  if (self->trips != NULL)
    {
      g_autofree char *trips = trips_text (self, page);
      renew (self, self->trips, _ ("Iterations in a step"), trips);
    }
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
  add_live (self, page, node->name);
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

typedef struct
{
  guint n, n_errors, n_variables;
  double parameters;
  GHashTable *devices; /* name -> how many */
} Sums;

static void
add_up (Sums *sums, const SluiceNode *node, const char *device)
{
  double here = node_parameters (node);
  sums->n++;
  sums->n_errors += node->error != NULL;
  sums->n_variables += here > 0;
  sums->parameters += here;
  if (device == NULL || *device == '\0')
    return;
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (sums->devices, device));
  g_hash_table_insert (sums->devices, (char *) device, GUINT_TO_POINTER (n + 1));
}

/* Of all nodes of the drawn scope, or of the graph. */
static void
sum_up (Sums *sums, SluiceGraph *graph, const char *scope, SluiceGraphPage *page)
{
  SluiceGraphModel *model = sluice_graph_page_get_model (page);
  SluiceHierarchy *hierarchy = sluice_graph_page_get_hierarchy (page);
  guint group = scope != NULL && hierarchy != NULL ? sluice_hierarchy_lookup (hierarchy, scope) : 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      guint index = model != NULL ? sluice_graph_model_lookup (model, node->name) : G_MAXUINT;
      if (scope != NULL
          && (group == SLUICE_NONE || index == G_MAXUINT || hierarchy == NULL
              || !sluice_hierarchy_is_below (
                  hierarchy, sluice_hierarchy_get_op_group (hierarchy, index), group)))
        continue;
      add_up (sums, node,
              index != G_MAXUINT ? sluice_graph_model_get_node (model, index)->device : NULL);
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
add_devices (SluiceInspector *self, GHashTable *devices)
{
  guint n;
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (devices, &n);
  qsort (names, n, sizeof *names, compare_names);
  add_heading (self, _ ("Devices"));
  for (guint i = 0; i < n; i++)
    {
      guint n_ops = GPOINTER_TO_UINT (g_hash_table_lookup (devices, names[i]));
      add_row_printf (self, names[i], ngettext ("%u op", "%u ops", n_ops), n_ops);
    }
}

static void
add_tip (SluiceInspector *self)
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

static void
show_many (SluiceInspector *self, SluiceGraph *graph, const char *scope, SluiceGraphPage *page)
{
  Sums sums = { .devices = g_hash_table_new (g_str_hash, g_str_equal) };
  sum_up (&sums, graph, scope, page);
  g_autofree char *subtitle = g_strdup_printf (ngettext ("%u node", "%u nodes", sums.n), sums.n);
  g_autofree char *count = count_text (sums.parameters);
  set_heading (self, scope != NULL ? scope : _ ("The whole graph"), subtitle, NULL);
  add_row_printf (self, _ ("Variables"), "%u", sums.n_variables);
  add_row (self, _ ("Elements in them"), count);
  if (sums.n_errors > 0)
    add_row_printf (self, _ ("Nodes that cannot run"), "%u", sums.n_errors);
  if (scope != NULL)
    {
      add_heading (self, _ ("In the step"));
      add_live (self, page, scope);
    }
  add_devices (self, sums.devices);
  if (scope == NULL)
    add_tip (self);
  g_hash_table_unref (sums.devices);
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
    show_node (self, graph, node, page,
               session != NULL ? session : sluice_graph_page_get_placed (page));
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
  SLUICE_INSPECTOR (object)->share = SLUICE_INSPECTOR (object)->trips = NULL;
  gtk_widget_dispose_template (GTK_WIDGET (object), SLUICE_TYPE_INSPECTOR);
  G_OBJECT_CLASS (sluice_inspector_parent_class)->dispose (object);
}

static void
sluice_inspector_finalize (GObject *object)
{
  g_string_free (SLUICE_INSPECTOR (object)->text, TRUE);
  g_free (SLUICE_INSPECTOR (object)->name);
  g_free (SLUICE_INSPECTOR (object)->loop);
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
