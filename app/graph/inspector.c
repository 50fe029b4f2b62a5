/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/graph/node-words.h"
#include "engine/graph/variable-kind.h"
#include "ui/chart/ticks.h"

#define READERS_A_PAGE 12 /* shown before "more" is pressed */
#define HISTORY_HEIGHT 72
#define RENEW_MS       100
#define HISTORY_COLOR  4 /* teal, of the structures */

G_DEFINE_FINAL_TYPE (SluiceInspector, sluice_inspector, GTK_TYPE_WIDGET)

static void
clear_rows (SluiceInspector *self)
{
  sluice_inspector_rows_clear (&self->rows);
  sluice_inspector_forget_place (self);
  g_ptr_array_set_size (self->promotions, 0);
  memset (self->live, 0, sizeof self->live);
  self->note = self->caption = NULL;
  self->history = NULL;
  self->depth = NULL;
  self->attributes = NULL;
  self->bytes = 0;
  g_clear_pointer (&self->run_labels, g_ptr_array_unref);
  g_clear_pointer (&self->loop, g_free);
}

void
sluice_inspector_set_heading (SluiceInspector *self,
                              const char *title,
                              const char *subtitle,
                              const char *error)
{
  gtk_label_set_label (self->title, title);
  gtk_label_set_label (self->subtitle, subtitle);
  g_autofree char *sentence = error != NULL ? sluice_failure_sentence (error) : NULL;
  gtk_label_set_label (self->error, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (self->error), error != NULL);
  gboolean is_warning = self->mark_kind == SLUICE_MARK_WARNING;
  gtk_widget_add_css_class (GTK_WIDGET (self->error), is_warning ? "warning" : "error");
  gtk_widget_remove_css_class (GTK_WIDGET (self->error), is_warning ? "error" : "warning");
}

/* ---- what a run tells ---- */

static char *
time_text (SluiceInspector *self)
{
  SluiceLiveTimes times;
  return sluice_words_duration (
      sluice_graph_page_get_times (self->page, self->name, &times) ? times.last_us : -1);
}

static char *
spread_text (SluiceInspector *self)
{
  SluiceLiveTimes times;
  if (!sluice_graph_page_get_times (self->page, self->name, &times))
    return g_strdup ("–");
  g_autofree char *median = sluice_words_duration (times.median_us),
                  *p95 = sluice_words_duration (times.p95_us);
  return g_strdup_printf ("%s · %s", median, p95);
}

static char *
share_text (SluiceInspector *self)
{
  double share = sluice_graph_page_get_share (self->page, self->name);
  return share >= 0 ? sluice_format_value (share, SLUICE_UNIT_PERCENT) : g_strdup ("–");
}

static char *
together_text (SluiceInspector *self)
{
  SluiceLiveTimes times;
  if (!sluice_graph_page_get_times (self->page, self->name, &times))
    return g_strdup ("–");
  if (times.runs_in == NULL)
    return g_strdup (_ ("alone"));
  return g_str_equal (times.runs_in, self->name) ? g_strdup_printf (
             ngettext ("with %u other", "with %u others", times.n_others), times.n_others)
                                                 : g_strdup_printf (_ ("in %s"), times.runs_in);
}

/* As it was seen or traced, else by the static shapes. */
static char *
output_text (SluiceInspector *self)
{
  SluiceLiveTimes times;
  char *seen = sluice_watched_output_memory (self->watched);
  if (seen != NULL)
    return seen;
  gboolean is_traced =
      sluice_graph_page_get_times (self->page, self->name, &times) && times.bytes > 0;
  guint64 bytes = is_traced ? times.bytes : self->bytes;
  return bytes > 0 ? sluice_format_value ((double) bytes, SLUICE_UNIT_BYTES) : g_strdup ("–");
}

static char *
trips_text (SluiceInspector *self)
{
  gint64 n = sluice_graph_page_get_iterations (self->page, self->loop);
  return n >= 0 ? sluice_format_step (n) : g_strdup ("–");
}

static char *
range_text (SluiceInspector *self)
{
  return sluice_watched_output_range (self->watched);
}

static char *
zeros_text (SluiceInspector *self)
{
  return sluice_watched_output_zeros (self->watched);
}

static char *
non_finite_text (SluiceInspector *self)
{
  return sluice_watched_output_non_finite (self->watched);
}

static const struct
{
  const char *name;
  char *(*text) (SluiceInspector *self);
} live_rows[N_LIVE] = {
  [LIVE_TIME] = { N_ ("Time, this step"), time_text },
  [LIVE_SPREAD] = { N_ ("Median · 95 %"), spread_text },
  [LIVE_SHARE] = { N_ ("Share of the step"), share_text },
  [LIVE_TOGETHER] = { N_ ("Runs"), together_text },
  [LIVE_OUTPUT] = { N_ ("Output"), output_text },
  [LIVE_TRIPS] = { N_ ("Iterations in a step"), trips_text },
  [LIVE_RANGE] = { N_ ("Min · mean · max"), range_text },
  [LIVE_ZEROS] = { N_ ("Zeros"), zeros_text },
  [LIVE_NON_FINITE] = { N_ ("Not finite"), non_finite_text },
};

/* A dash stands for what no run has told yet: rows do not come and go under the eyes. */
static void
add_live (SluiceInspector *self, SluiceInspectorLive row)
{
  g_autofree char *text = live_rows[row].text (self);
  self->live[row] = sluice_inspector_rows_add (&self->rows, _ (live_rows[row].name), text);
}

static void
show_history (SluiceInspector *self)
{
  if (self->note == NULL)
    return;
  g_autofree char *note = sluice_watched_output_note (self->watched);
  g_autofree char *caption = sluice_watched_output_caption (self->watched);
  gtk_label_set_label (self->note, note);
  gtk_label_set_label (self->caption, caption);
  gboolean is_bad = sluice_watched_output_is_bad (self->watched);
  if (is_bad)
    gtk_widget_add_css_class (GTK_WIDGET (self->live[LIVE_NON_FINITE]), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->live[LIVE_NON_FINITE]), "error");
  sluice_graph_page_set_bad_value (
      self->page, is_bad ? self->name : NULL,
      is_bad ? _ ("Its value is not finite. Look at its inputs, one after the other, for the first "
                  "that is not either; lower the learning rate.")
             : NULL);
  sluice_sparkline_refresh (self->history);
}

void
sluice_inspector_update (SluiceInspector *self, SluiceGraphPage *page)
{
  sluice_watched_output_read (self->watched);
  for (guint i = 0; i < N_LIVE; i++)
    if (self->live[i] != NULL)
      {
        g_autofree char *text = live_rows[i].text (self);
        sluice_inspector_rows_renew (&self->rows, self->live[i], _ (live_rows[i].name), text);
      }
  show_history (self);
}

/* ---- a node's neighbours ---- */

static void
add_inputs (SluiceInspector *self, const SluiceNode *node)
{
  sluice_inspector_rows_begin (&self->rows, _ ("Inputs"), FALSE);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (edge.node == NULL)
        {
          sluice_inspector_rows_add (&self->rows, _ ("missing"), "");
          continue;
        }
      g_autofree char *text = sluice_words_output (&edge.node->outputs[edge.port]);
      g_autofree char *said = g_strdup_printf (_ ("Input %u: %s, %s"), i, edge.node->name, text);
      sluice_inspector_rows_add_link (&self->rows, edge.node->name, text, "win.select",
                                      edge.node->name, said);
    }
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      const char *name = node->control_inputs[i]->name;
      g_autofree char *said = g_strdup_printf (_ ("Waits for %s"), name);
      sluice_inspector_rows_add_link (&self->rows, name, _ ("control"), "win.select", name, said);
    }
}

/* Of the uses from i on those by the same node: what they are, and how many. */
static char *
use_text (const SluiceUse *uses, guint n, guint *n_same)
{
  guint n_data = 0;
  *n_same = 0;
  for (guint i = 0; i < n && uses[i].node == uses[0].node; i++)
    {
      ++*n_same;
      n_data += uses[i].input >= 0;
    }
  if (n_data > 1)
    return g_strdup_printf (ngettext ("%u use", "%u uses", n_data), n_data);
  for (guint i = 0; i < *n_same; i++)
    if (uses[i].input >= 0)
      return g_strdup_printf (_ ("input %d"), uses[i].input);
  return g_strdup (_ ("control"));
}

static void
add_readers (SluiceInspector *self, SluiceGraph *graph, const SluiceNode *node)
{
  guint n, n_shown = 0, n_same;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  sluice_inspector_rows_begin (&self->rows, _ ("Used by"), FALSE);
  for (guint i = 0; i < n; i += n_same, n_shown++)
    {
      if (n_shown == self->n_readers)
        {
          g_autofree char *rest = sluice_format_step (n - i);
          g_autofree char *text = g_strdup_printf (_ ("%s more"), rest);
          sluice_inspector_rows_add_link (&self->rows, "…", text, "inspector.more-readers", "",
                                          _ ("Show more nodes that use it"));
          return;
        }
      const char *name = uses[i].node->name;
      g_autofree char *text = use_text (uses + i, n - i, &n_same);
      g_autofree char *said = g_strdup_printf (_ ("Used by %s, %s"), name, text);
      sluice_inspector_rows_add_link (&self->rows, name, text, "win.select", name, said);
    }
  if (n == 0)
    sluice_inspector_rows_add (&self->rows, _ ("nobody"), "");
}

static gboolean
has_numbers (const SluiceOutput *output)
{
  return output->dtype == SLUICE_INVALID || output->handle_dtype != SLUICE_INVALID
         || sluice_dtype_has_statistics (output->dtype);
}

static void
add_outputs (SluiceInspector *self, SluiceGraph *graph, const SluiceNode *node)
{
  sluice_inspector_rows_begin (&self->rows, _ ("Outputs"), FALSE);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_autofree char *name = g_strdup_printf (_ ("output %u"), i);
      g_autofree char *text = sluice_words_output (&node->outputs[i]);
      g_autofree char *port = g_strdup_printf ("%u", i);
      g_autofree char *said = g_strdup_printf (_ ("Look at output %u, %s"), i, text);
      if (node->n_outputs > 1 && has_numbers (&node->outputs[i]))
        sluice_inspector_rows_add_link (&self->rows, name, text, "inspector.look-at", port, said);
      else
        sluice_inspector_rows_add (&self->rows, name, text);
    }
  add_readers (self, graph, node);
}

/* ---- a node ---- */

static void
append_trace (SluiceInspector *self, GtkWidget *box, const char *label, const char *way)
{
  GtkWidget *button = gtk_button_new (), *words = gtk_label_new (label);
  gtk_label_set_ellipsize (GTK_LABEL (words), PANGO_ELLIPSIZE_END); /* the pane grows for no one */
  gtk_button_set_child (GTK_BUTTON (button), words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "inspector.trace");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", way);
  gtk_widget_set_hexpand (button, TRUE);
  gtk_box_append (GTK_BOX (box), button);
}

/* What leads here and where it leads, as far as is chosen. */
static void
add_trace (SluiceInspector *self)
{
  static const char *const depths[] = { N_ ("all the way"), N_ ("1 step"),  N_ ("2 steps"),
                                        N_ ("4 steps"),     N_ ("8 steps"), NULL };
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  for (guint i = 0; depths[i] != NULL; i++)
    gtk_string_list_append (list, _ (depths[i]));
  GtkWidget *depth = gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&list)), NULL);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (depth), self->trace_depth);
  gtk_accessible_update_property (GTK_ACCESSIBLE (depth), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("How far to trace"), -1);
  /* GTK 4.8 gives the focus to its button, and no name. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (depth)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("How far to trace"), -1);
  gtk_widget_add_css_class (box, "linked");
  gtk_widget_add_css_class (box, "inspector-trace");
  append_trace (self, box, _ ("Trace inputs"), "inputs");
  append_trace (self, box, _ ("Trace outputs"), "outputs");
  sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
  sluice_inspector_rows_add_widget (&self->rows, box);
  sluice_inspector_rows_add_widget (&self->rows, depth);
  self->depth = GTK_DROP_DOWN (depth);
}

static void
find_loop (SluiceInspector *self)
{
  SluiceHierarchy *hierarchy = sluice_graph_page_get_hierarchy (self->page);
  SluiceGraphModel *model = sluice_graph_page_get_model (self->page);
  guint index = model != NULL ? sluice_graph_model_lookup (model, self->name) : G_MAXUINT;
  if (index != G_MAXUINT)
    {
      self->loop = g_strdup (sluice_graph_model_get_node (model, index)->loop);
      return;
    }
  guint group = hierarchy != NULL ? sluice_hierarchy_lookup (hierarchy, self->name) : SLUICE_NONE;
  if (group == SLUICE_NONE)
    return;
  const SluiceGroup *g = sluice_hierarchy_get_group (hierarchy, group);
  const char *loop = g->loop != NULL ? g->loop : g->inner_loop;
  /* A part of a loop's body goes round with it. */
  for (; loop == NULL && g->parent != 0 && g->parent != SLUICE_NONE; loop = g->loop)
    g = sluice_hierarchy_get_group (hierarchy, g->parent);
  self->loop = g_strdup (loop);
}

void
sluice_inspector_add_times (SluiceInspector *self, gboolean is_node)
{
  find_loop (self);
  add_live (self, LIVE_TIME);
  add_live (self, LIVE_SPREAD);
  add_live (self, LIVE_SHARE);
  if (is_node)
    add_live (self, LIVE_TOGETHER);
  if (self->loop == NULL)
    return;
  g_autofree char *loop = sluice_words_loop (self->loop);
  sluice_inspector_rows_add (&self->rows, _ ("Loop"), loop);
  add_live (self, LIVE_TRIPS);
}

/* What its elements are like, and the means of the last steps with the words over them: no row
 * comes or goes with what a run tells. */
static void
add_values (SluiceInspector *self, const SluiceNode *node)
{
  GtkWidget *overlay = gtk_overlay_new (), *history = sluice_sparkline_new ();
  GtkWidget *note = gtk_label_new (""), *caption = gtk_label_new ("");
  sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
  if (node->n_outputs > 1)
    sluice_inspector_rows_add_printf (&self->rows, _ ("Values of"), _ ("output %u"), self->port);
  add_live (self, LIVE_RANGE);
  add_live (self, LIVE_ZEROS);
  add_live (self, LIVE_NON_FINITE);
  sluice_inspector_rows_begin (&self->rows, _ ("Last 200 steps"), TRUE);
  gtk_widget_set_size_request (history, -1, HISTORY_HEIGHT);
  gtk_widget_add_css_class (overlay, "inspector-history");
  gtk_overlay_set_child (GTK_OVERLAY (overlay), history);
  gtk_label_set_wrap (GTK_LABEL (note), TRUE);
  gtk_label_set_justify (GTK_LABEL (note), GTK_JUSTIFY_CENTER);
  gtk_label_set_lines (GTK_LABEL (note), 4);
  gtk_label_set_ellipsize (GTK_LABEL (note), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (note, "inspector-note");
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), note);
  gtk_label_set_xalign (GTK_LABEL (caption), 1);
  gtk_label_set_ellipsize (GTK_LABEL (caption), PANGO_ELLIPSIZE_START);
  gtk_widget_add_css_class (caption, "inspector-caption");
  sluice_inspector_rows_add_widget (&self->rows, overlay);
  sluice_inspector_rows_add_widget (&self->rows, caption);
  self->history = SLUICE_SPARKLINE (history);
  self->note = GTK_LABEL (note);
  self->caption = GTK_LABEL (caption);
  sluice_sparkline_set_source (self->history, sluice_watched_output_get_means (self->watched),
                               sluice_palette_structure (HISTORY_COLOR));
  show_history (self);
}

static gboolean
calls_function (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].value.kind == SLUICE_ATTR_FUNC)
      return TRUE;
  return node->op == NULL && node->error == NULL; /* its op is a function of the graph */
}

/* The session looks at the node's first output that has numbers, or the one that was asked for. */
static void
watch_node (SluiceInspector *self, const SluiceNode *node)
{
  guint port = self->port;
  while (port < node->n_outputs && !has_numbers (&node->outputs[port]))
    port++;
  gboolean is_there = port < node->n_outputs;
  sluice_watched_output_set (self->watched, is_there ? self->session : NULL,
                             is_there ? node->name : NULL, port, calls_function (node));
  sluice_watched_output_read (self->watched);
  if (is_there)
    self->port = port;
}

static void
add_variable (SluiceInspector *self, SluiceGraph *graph, const SluiceNode *node)
{
  double n = sluice_variable_get_elements (node);
  if (n <= 0)
    return;
  g_autofree char *text = sluice_words_count (n);
  switch (sluice_variable_get_kind (graph, node, sluice_graph_has_optimizer (graph)))
    {
    case SLUICE_VARIABLE_TRAINED:
      sluice_inspector_rows_add (&self->rows, _ ("Parameters"), text);
      break;
    case SLUICE_VARIABLE_SLOT:
      sluice_inspector_rows_add (&self->rows, _ ("Optimizer's own"), text);
      break;
    case SLUICE_VARIABLE_OTHER:
      sluice_inspector_rows_add (&self->rows, _ ("Not trained"), text);
      break;
    case SLUICE_VARIABLE_NONE:
    default:
      break;
    }
}

static void
add_work (SluiceInspector *self)
{
  SluiceGraphModel *model = sluice_graph_page_get_model (self->page);
  guint index = model != NULL ? sluice_graph_model_lookup (model, self->name) : G_MAXUINT;
  if (index == G_MAXUINT)
    return;
  const SluiceModelNode *item = sluice_graph_model_get_node (model, index);
  self->bytes = item->bytes;
  add_live (self, LIVE_OUTPUT);
  if (item->cost <= 0)
    return;
  g_autofree char *work = sluice_words_work (item->cost);
  sluice_inspector_rows_add (&self->rows, _ ("Work"), work);
}

static void
show_node (SluiceInspector *self, SluiceGraph *graph, const SluiceNode *node)
{
  g_autofree char *subtitle =
      node->op != NULL
          ? g_strdup_printf ("%s · %s", node->op_name, _ (node->op->def->summary))
          : g_strdup_printf (_ ("%s · an op that this program does not know"), node->op_name);
  g_autofree char *refusal = node->error != NULL ? sluice_failure_words (node->error) : NULL;
  sluice_inspector_set_heading (self, node->name, subtitle,
                                self->mark != NULL ? self->mark : refusal);
  watch_node (self, node);
  /* While it runs the numbers are what is looked at. */
  gboolean begins = sluice_inspector_can_change (self, node) && self->session == NULL;
  if (begins)
    sluice_inspector_add_attributes (self, node);
  add_inputs (self, node);
  add_outputs (self, graph, node);
  sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
  sluice_inspector_add_times (self, TRUE);
  add_work (self);
  add_variable (self, graph, node);
  sluice_inspector_add_place (self);
  if (node->n_outputs > 0)
    add_values (self, node);
  sluice_inspector_add_promotion (self, node);
  add_trace (self);
  if (!begins)
    sluice_inspector_add_attributes (self, node);
  sluice_inspector_add_op (self, node);
}

/* ---- what is shown ---- */

static void
show_all (SluiceInspector *self)
{
  SluiceGraph *graph = self->page != NULL ? sluice_graph_page_get_graph (self->page) : NULL;
  clear_rows (self);
  g_free (self->mark);
  self->mark_kind = SLUICE_MARK_NONE;
  self->mark = g_strdup (self->name != NULL && graph != NULL
                             ? sluice_graph_page_get_mark (self->page, self->name, &self->mark_kind)
                             : NULL);
  if (self->others != NULL)
    {
      sluice_watched_output_set (self->watched, NULL, NULL, 0, FALSE);
      sluice_inspector_add_run (self);
      return;
    }
  if (graph == NULL)
    {
      sluice_watched_output_set (self->watched, NULL, NULL, 0, FALSE);
      sluice_inspector_set_heading (self, _ ("Nothing open"),
                                    _ ("Open a project to see its graph here."), NULL);
      return;
    }
  const SluiceNode *node = self->name != NULL ? sluice_graph_find (graph, self->name) : NULL;
  if (node != NULL)
    show_node (self, graph, node);
  else
    sluice_inspector_add_scope (self, graph, self->name);
  g_free (self->scope_kind);
  self->scope_kind = node == NULL && self->name != NULL
                         ? sluice_inspector_dup_scope_kind (graph, self->name)
                         : NULL;
}

/* A link that was followed is gone: the keyboard stays in the pane, at its top. */
static void
show_and_keep_focus (SluiceInspector *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  gboolean had_focus = focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->rows_box));
  show_all (self);
  if (had_focus)
    gtk_widget_child_focus (GTK_WIDGET (self->rows_box), GTK_DIR_TAB_FORWARD);
}

void
sluice_inspector_graph_changed (SluiceInspector *self, SluiceGraphPage *page)
{
  SluiceGraph *graph = sluice_graph_page_get_graph (page);
  g_autofree char *kind = self->scope_kind != NULL && self->others == NULL && graph != NULL
                              ? sluice_inspector_dup_scope_kind (graph, self->name)
                              : NULL;
  if (kind != NULL && !g_str_equal (kind, self->scope_kind))
    show_and_keep_focus (self);
  else
    sluice_inspector_update (self, page);
}

void
sluice_inspector_show (SluiceInspector *self,
                       const char *name,
                       SluiceGraphPage *page,
                       SluiceSession *session)
{
  if (g_strcmp0 (name, self->name) != 0)
    {
      sluice_graph_page_set_bad_value (page, NULL, NULL);
      self->port = 0;
      self->n_readers = READERS_A_PAGE;
    }
  char *copy = g_strdup (name);
  g_free (self->name);
  self->name = copy;
  self->page = page;
  self->session = session;
  show_and_keep_focus (self);
}

/* Nothing moves but the values, unless there are new rows. */
static gboolean
renew_cb (gpointer data)
{
  SluiceInspector *self = data;
  self->renew_source = 0;
  if (!sluice_inspector_renew_run (self))
    show_and_keep_focus (self);
  return G_SOURCE_REMOVE;
}

void
sluice_inspector_renew_live (SluiceInspector *self, gint64 step)
{
  self->live_step = step;
  if (self->live_settings != NULL)
    show_and_keep_focus (self);
}

/* Points come series by series, many times a second. */
static void
run_changed_cb (SluiceInspector *self)
{
  if (self->renew_source == 0)
    self->renew_source = g_timeout_add (RENEW_MS, renew_cb, self);
}

static void
forget_run (SluiceInspector *self)
{
  g_clear_pointer (&self->others, g_ptr_array_unref);
  g_clear_pointer (&self->tag, g_free);
  g_clear_handle_id (&self->renew_source, g_source_remove);
  if (self->run == NULL)
    return;
  g_clear_signal_handler (&self->run_changed, self->run);
  g_clear_signal_handler (&self->points_added, self->run);
  g_clear_object (&self->run);
}

void
sluice_inspector_show_run (SluiceInspector *self,
                           SluiceRun *run,
                           GPtrArray *others,
                           const char *tag)
{
  /* Runs of one experiment have the same rows: whoever goes through them is told other values. What
   * is changed live is one run's own. */
  gboolean may_renew = self->run != NULL && run != NULL && g_strcmp0 (self->tag, tag) == 0
                       && self->live_settings == NULL;
  if (others == NULL && self->others == NULL)
    return;
  forget_run (self);
  self->others = others != NULL ? g_ptr_array_ref (others) : NULL;
  self->tag = g_strdup (tag);
  if (run != NULL)
    {
      self->run = g_object_ref (run);
      self->live_step = 0;
      self->run_changed =
          g_signal_connect_swapped (run, "notify::status", G_CALLBACK (run_changed_cb), self);
      self->points_added =
          g_signal_connect_swapped (run, "points-added", G_CALLBACK (run_changed_cb), self);
    }
  if (!may_renew || !sluice_inspector_renew_run (self))
    show_and_keep_focus (self);
}

void
sluice_inspector_set_session (SluiceInspector *self, SluiceSession *session)
{
  SluiceMarkKind kind;
  const char *mark = self->page != NULL && self->name != NULL
                         ? sluice_graph_page_get_mark (self->page, self->name, &kind)
                         : NULL;
  if (session == self->session && g_strcmp0 (mark, self->mark) == 0 && self->page != NULL)
    {
      sluice_inspector_update (self, self->page);
      return;
    }
  self->session = session;
  if (self->others == NULL)
    show_and_keep_focus (self);
}

/* ---- the widget ---- */

static void
look_at_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SluiceInspector *self = SLUICE_INSPECTOR (widget);
  self->port = (guint) g_ascii_strtoull (g_variant_get_string (parameter, NULL), NULL, 10);
  show_and_keep_focus (self);
}

static void
trace_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  static const guint edges[] = { 0, 1, 2, 4, 8 };
  SluiceInspector *self = SLUICE_INSPECTOR (widget);
  if (self->depth == NULL)
    return;
  self->trace_depth = MIN (gtk_drop_down_get_selected (self->depth), G_N_ELEMENTS (edges) - 1);
  sluice_graph_page_trace (self->page,
                           g_str_equal (g_variant_get_string (parameter, NULL), "outputs"),
                           edges[self->trace_depth]);
}

static void
more_readers_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SluiceInspector *self = SLUICE_INSPECTOR (widget);
  self->n_readers *= 8;
  show_and_keep_focus (self);
}

char *
sluice_inspector_dup_text (SluiceInspector *self)
{
  return g_strdup_printf ("%s\n%s\n%s\n%s%s%s\n%s", gtk_label_get_label (self->title),
                          gtk_label_get_label (self->subtitle), gtk_label_get_label (self->error),
                          self->rows.text->str, self->why.text != NULL ? self->why.text->str : "",
                          self->note != NULL ? gtk_label_get_label (self->note) : "",
                          self->caption != NULL ? gtk_label_get_label (self->caption) : "");
}

static void
sluice_inspector_dispose (GObject *object)
{
  SluiceInspector *self = SLUICE_INSPECTOR (object);
  memset (self->live, 0, sizeof self->live);
  self->note = self->caption = NULL;
  self->history = NULL;
  self->depth = NULL;
  forget_run (self);
  g_clear_pointer (&self->run_labels, g_ptr_array_unref);
  g_clear_pointer (&self->watched, sluice_watched_output_free);
  g_clear_pointer (&self->run_notes, g_free);
  g_clear_weak_pointer (&SLUICE_INSPECTOR (object)->live_settings);
  g_clear_weak_pointer (&SLUICE_INSPECTOR (object)->proof_box);
  g_clear_object (&SLUICE_INSPECTOR (object)->workspace);
  g_clear_object (&self->document);
  g_clear_object (&self->predictor);
  sluice_inspector_forget_place (self);
  gtk_widget_dispose_template (GTK_WIDGET (object), SLUICE_TYPE_INSPECTOR);
  G_OBJECT_CLASS (sluice_inspector_parent_class)->dispose (object);
}

static void
sluice_inspector_finalize (GObject *object)
{
  sluice_inspector_rows_free (&SLUICE_INSPECTOR (object)->rows);
  g_ptr_array_unref (SLUICE_INSPECTOR (object)->promotions);
  g_free (SLUICE_INSPECTOR (object)->name);
  g_free (SLUICE_INSPECTOR (object)->loop);
  g_free (SLUICE_INSPECTOR (object)->mark);
  g_free (SLUICE_INSPECTOR (object)->project);
  g_free (SLUICE_INSPECTOR (object)->scope_kind);
  G_OBJECT_CLASS (sluice_inspector_parent_class)->finalize (object);
}

static void
sluice_inspector_class_init (SluiceInspectorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_inspector_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_inspector_finalize;
  g_signal_new ("attr-focused", SLUICE_TYPE_INSPECTOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/inspector.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, scroller);
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, title);
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, subtitle);
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, error);
  gtk_widget_class_bind_template_child (widget_class, SluiceInspector, rows_box);
  gtk_widget_class_install_action (widget_class, "inspector.look-at", "s", look_at_cb);
  gtk_widget_class_install_action (widget_class, "inspector.trace", "s", trace_cb);
  gtk_widget_class_install_action (widget_class, "inspector.more-readers", "s", more_readers_cb);
}

static void
sluice_inspector_init (SluiceInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  sluice_inspector_rows_init (&self->rows, self->rows_box);
  sluice_inspector_init_promotion (self);
  self->watched = sluice_watched_output_new ();
  self->n_readers = READERS_A_PAGE;
}
