/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/budget-bar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/graph/node-words.h"
#include "engine/graph/rewrite.h"
#include "engine/runtime/session/copy.h"
#include "engine/train/budget.h"
#include "engine/train/project.h"
#include "ui/chart/ticks.h"
#include "ui/common/wrap.h"

/* After the last change: a large graph is a while's work, which waits until somebody stops to
 * think. */
#define WAIT_MS    250
#define NODES_A_MS 20
#define PIECE_US   5000 /* of a turn, in which it is copied for the thread that computes */
#define SOME_BATCH 32

/* A device's figures. */
typedef struct
{
  GtkWidget *box, *name, *memory, *bar, *verdict;
} Device;

struct _SluiceBudgetBar
{
  GtkWidget parent;
  GtkWidget *box, *parameters, *work, *step, *problem;
  GArray *devices;    /* of Device: as many as there ever were */
  SluiceGraph *graph; /* (nullable) */
  char *path;         /* (nullable): of its file */
  gint64 batch;
  guint source;          /* waits, then copies */
  SluiceGraphCopy *copy; /* (nullable): what is there of it */
  guint64 copied;        /* version of the graph that it is of */
  GCancellable *asked;   /* (nullable): what is being computed */
  gboolean is_behind;    /* the graph is to be looked at when the bar is in sight */
};

G_DEFINE_FINAL_TYPE (SluiceBudgetBar, sluice_budget_bar, GTK_TYPE_WIDGET)

enum
{
  UPDATED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- figures ---- */

static GtkWidget *
add_label (GtkWidget *box, const char *text, const char *css)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, css);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

/* A name, and under it a figure, which is returned. */
static GtkWidget *
add_figure (SluiceBudgetBar *self, const char *name)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_add_css_class (box, "budget-group");
  add_label (box, name, "budget-name");
  sluice_wrap_append (SLUICE_WRAP (self->box), box);
  GtkWidget *figure = add_label (box, "–", "budget-figure");
  gtk_accessible_update_relation (GTK_ACCESSIBLE (figure), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  gtk_widget_get_first_child (box), NULL, -1);
  return figure;
}

static void
add_device (SluiceBudgetBar *self)
{
  Device d = { .box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1) };
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_add_css_class (d.box, "budget-group");
  gtk_box_append (GTK_BOX (d.box), line);
  d.name = add_label (line, NULL, "budget-name");
  d.bar = gtk_progress_bar_new ();
  gtk_widget_set_valign (d.bar, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (d.bar, "budget-level");
  gtk_box_append (GTK_BOX (line), d.bar);
  d.verdict = add_label (line, NULL, "budget-verdict");
  d.memory = add_label (d.box, NULL, "budget-figure");
  sluice_wrap_append (SLUICE_WRAP (self->box), d.box);
  g_array_append_val (self->devices, d);
}

static void
set_class (GtkWidget *widget, const char *name, gboolean is)
{
  if (is)
    gtk_widget_add_css_class (widget, name);
  else
    gtk_widget_remove_css_class (widget, name);
}

static void
show_device (const Device *d, const SluiceBudgetDevice *device)
{
  g_autofree char *bytes = sluice_format_value (device->bytes, SLUICE_UNIT_BYTES);
  gboolean has_limit = !isnan (device->limit), fits = !(device->bytes > device->limit);
  g_autofree char *limit =
      has_limit ? sluice_format_value (device->limit, SLUICE_UNIT_BYTES) : NULL;
  g_autofree char *memory =
      has_limit ? g_strdup_printf (_ ("%s of %s"), bytes, limit) : g_strdup (bytes);
  g_autofree char *words = has_limit
                               ? g_strdup_printf (fits ? _ ("Memory of %s: %s, fits")
                                                       : _ ("Memory of %s: %s, does not fit"),
                                                  device->name, memory)
                               : g_strdup_printf (_ ("Memory of %s: %s"), device->name, memory);
  gtk_label_set_label (GTK_LABEL (d->name), device->name);
  gtk_label_set_label (GTK_LABEL (d->memory), memory);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (d->bar),
                                 has_limit ? CLAMP (device->bytes / device->limit, 0, 1) : 0);
  gtk_widget_set_visible (d->bar, has_limit);
  gtk_label_set_label (GTK_LABEL (d->verdict), !has_limit ? ""
                                               : fits     ? _ ("fits")
                                                          : _ ("does not fit"));
  set_class (d->verdict, "budget-over", !fits);
  set_class (d->bar, "budget-over", !fits);
  gtk_accessible_update_property (GTK_ACCESSIBLE (d->bar), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                  -1);
}

static void
show_step (SluiceBudgetBar *self, const SluiceBudget *budget)
{
  g_autofree char *both = sluice_words_spread (budget->step_us, budget->plus_minus);
  g_autofree char *batch = sluice_format_step (budget->batch);
  g_autofree char *why = g_strdup_printf (
      budget->is_training ? _ ("A training step of %s examples, modelled for this machine")
                          : _ ("A step forward of %s examples, modelled for this machine"),
      batch);
  gtk_label_set_label (GTK_LABEL (self->step), both);
  gtk_widget_set_tooltip_text (self->step, why);
}

static void
show_devices (SluiceBudgetBar *self, const GArray *devices)
{
  while (devices != NULL && self->devices->len < devices->len)
    add_device (self);
  for (guint i = 0; i < self->devices->len; i++)
    {
      const Device *d = &g_array_index (self->devices, Device, i);
      gboolean is_there = devices != NULL && i < devices->len;
      gtk_widget_set_visible (d->box, is_there);
      if (is_there)
        show_device (d, &g_array_index (devices, SluiceBudgetDevice, i));
    }
}

static void
show_budget (SluiceBudgetBar *self, const SluiceBudget *budget)
{
  g_autofree char *parameters = sluice_format_step ((gint64) budget->parameters);
  g_autofree char *work = sluice_words_work (budget->flops);
  gtk_label_set_label (GTK_LABEL (self->parameters), parameters);
  gtk_label_set_label (GTK_LABEL (self->work), work);
  show_step (self, budget);
  show_devices (self, budget->devices);
  gtk_widget_set_visible (self->problem, FALSE);
}

/* Figures of the graph before would be taken for its own. */
static void
show_nothing (SluiceBudgetBar *self, const char *why)
{
  gtk_label_set_label (GTK_LABEL (self->parameters), "–");
  gtk_label_set_label (GTK_LABEL (self->work), "–");
  gtk_label_set_label (GTK_LABEL (self->step), "–");
  show_devices (self, NULL);
  gtk_widget_set_visible (self->problem, why != NULL);
  gtk_label_set_label (GTK_LABEL (self->problem), why != NULL ? why : "");
  gtk_widget_set_tooltip_text (self->problem, why);
}

/* ---- computing ---- */

typedef struct
{
  SluiceGraph *graph;
  char *path; /* (nullable) */
  gint64 batch;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;
  sluice_graph_unref (request->graph);
  g_free (request->path);
  g_free (request);
}

/* (transfer full) (nullable): none of that graph */
static SluiceProject *
load_project (const char *path)
{
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;
  SluiceProject *project = folder != NULL ? sluice_project_load (folder, NULL) : NULL;
  g_autofree char *real = path != NULL ? realpath (path, NULL) : NULL;
  g_autofree char *its = project != NULL ? realpath (project->graph_path, NULL) : NULL;
  if (project != NULL && real != NULL && g_strcmp0 (real, its) == 0)
    return project;
  g_clear_pointer (&project, sluice_project_free);
  return NULL;
}

static void
compute (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  const Request *request = data;
  SluiceProject *project = load_project (request->path);
  SluiceBudget *budget =
      sluice_budget_new (request->graph, project != NULL ? &project->session : NULL, request->batch,
                         NULL, cancellable, &error);
  g_clear_pointer (&project, sluice_project_free);
  if (budget != NULL)
    g_task_return_pointer (task, budget, (GDestroyNotify) sluice_budget_free);
  else
    g_task_return_error (task, error);
}

static void
computed_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceBudgetBar *self = SLUICE_BUDGET_BAR (object);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceBudget) budget = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_task_get_cancellable (G_TASK (result)) != self->asked || self->box == NULL)
    return; /* the graph is another one by now */
  g_clear_object (&self->asked);
  if (budget != NULL)
    show_budget (self, budget);
  else
    show_nothing (self, error->message);
  g_signal_emit (self, signals[UPDATED], 0);
}

static void
ask (SluiceBudgetBar *self, SluiceGraph *take)
{
  Request *request = g_new (Request, 1);
  *request = (Request){ take, g_strdup (self->path), self->batch };
  self->asked = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (self, self->asked, computed_cb, NULL);
  g_task_set_task_data (task, request, request_free);
  g_task_set_check_cancellable (task, FALSE);
  g_task_run_in_thread (task, compute);
}

static gboolean
copy_cb (gpointer data)
{
  SluiceBudgetBar *self = data;
  g_autoptr (GError) error = NULL;
  if (sluice_graph_is_in_transaction (self->graph))
    return G_SOURCE_CONTINUE;
  guint64 version = sluice_graph_get_version (self->graph);
  if (self->copied != version) /* what was refused changes nothing, but was done */
    g_clear_pointer (&self->copy, sluice_graph_copy_free);
  if (self->copy == NULL)
    self->copy = sluice_graph_copy_begin (self->graph);
  self->copied = version;
  SluiceGraph *graph = sluice_graph_copy_go_on (self->copy, PIECE_US, &error);
  if (graph == NULL && error == NULL)
    return G_SOURCE_CONTINUE;
  self->source = 0;
  g_clear_pointer (&self->copy, sluice_graph_copy_free);
  if (graph != NULL)
    ask (self, graph);
  else
    show_nothing (self, error->message);
  return G_SOURCE_REMOVE;
}

static gboolean
wait_cb (gpointer data)
{
  SluiceBudgetBar *self = data;
  self->source = g_idle_add (copy_cb, self);
  return G_SOURCE_REMOVE;
}

static void
forget_request (SluiceBudgetBar *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->copy, sluice_graph_copy_free);
  g_cancellable_cancel (self->asked);
  g_clear_object (&self->asked);
}

static void
ask_later (SluiceBudgetBar *self)
{
  self->is_behind = FALSE;
  self->source =
      g_timeout_add (WAIT_MS + sluice_graph_get_n_nodes (self->graph) / NODES_A_MS, wait_cb, self);
}

void
sluice_budget_bar_update (SluiceBudgetBar *self, SluiceGraph *graph, const char *path, gint64 batch)
{
  forget_request (self);
  if (graph != NULL)
    sluice_graph_ref (graph);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  self->graph = graph;
  g_free (self->path);
  self->path = g_strdup (path);
  self->batch = batch > 0 ? batch : SOME_BATCH;
  self->is_behind = graph != NULL;
  if (graph == NULL)
    show_nothing (self, NULL);
  else if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    ask_later (self);
}

gboolean
sluice_budget_bar_is_settled (SluiceBudgetBar *self)
{
  return self->source == 0 && self->asked == NULL;
}

/* ---- the widget ---- */

static void
sluice_budget_bar_map (GtkWidget *widget)
{
  SluiceBudgetBar *self = SLUICE_BUDGET_BAR (widget);
  GTK_WIDGET_CLASS (sluice_budget_bar_parent_class)->map (widget);
  if (self->is_behind)
    ask_later (self);
}

static void
sluice_budget_bar_dispose (GObject *object)
{
  SluiceBudgetBar *self = SLUICE_BUDGET_BAR (object);
  forget_request (self);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_budget_bar_parent_class)->dispose (object);
}

static void
sluice_budget_bar_finalize (GObject *object)
{
  g_array_unref (SLUICE_BUDGET_BAR (object)->devices);
  g_free (SLUICE_BUDGET_BAR (object)->path);
  G_OBJECT_CLASS (sluice_budget_bar_parent_class)->finalize (object);
}

static void
sluice_budget_bar_class_init (SluiceBudgetBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_budget_bar_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_budget_bar_finalize;
  GTK_WIDGET_CLASS (klass)->map = sluice_budget_bar_map;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
  signals[UPDATED] = g_signal_new ("updated", SLUICE_TYPE_BUDGET_BAR, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_budget_bar_init (SluiceBudgetBar *self)
{
  self->devices = g_array_new (FALSE, FALSE, sizeof (Device));
  self->box = sluice_wrap_new (0, FALSE);
  gtk_widget_add_css_class (self->box, "budget-bar");
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->parameters = add_figure (self, _ ("Parameters"));
  self->work = add_figure (self, _ ("Work an example"));
  self->step = add_figure (self, _ ("A step"));
  self->problem = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->problem), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  gtk_widget_set_hexpand (self->problem, TRUE);
  gtk_widget_add_css_class (self->problem, "dim-label");
  gtk_widget_add_css_class (self->problem, "budget-group");
  sluice_wrap_append (SLUICE_WRAP (self->box), self->problem);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What the graph would take"), -1);
  show_nothing (self, NULL);
}

GtkWidget *
sluice_budget_bar_new (void)
{
  return g_object_new (SLUICE_TYPE_BUDGET_BAR, NULL);
}
