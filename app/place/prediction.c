/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/place/prediction.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/edit.h"
#include "engine/passes/predict.h"
#include "engine/train/calibration.h"
#include "engine/train/measured-file.h"
#include "engine/train/project.h"
#include "engine/train/sized-graph.h"

/* Of all nodes, where nobody chose. */
static const char as_asked[] = N_ ("as asked");

/* ---- what it is made of ---- */

typedef struct
{
  SluicePlacePrediction *self;
  const SluicePredictionOptions *options;
  SluiceProject *project;   /* (nullable) */
  SluiceMeasured *measured; /* (nullable): the devices are not here */
  SluiceCostModel *costs;
  SluiceGraphPlaceChoice *told; /* (nullable) */
  GArray *fetches;              /* of SluiceEdge: the losses */
  GCancellable *cancellable;
} Maker;

static void
maker_clear (Maker *self)
{
  g_clear_pointer (&self->told, sluice_graph_place_choice_free);
  g_clear_pointer (&self->costs, sluice_cost_model_free);
  g_clear_pointer (&self->measured, sluice_measured_free);
  g_clear_pointer (&self->project, sluice_project_free);
  g_array_unref (self->fetches);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Maker, maker_clear)

gboolean
sluice_place_holds (const char *place, const char *node)
{
  return g_str_has_suffix (place, "/") ? g_str_has_prefix (node, place) : g_str_equal (place, node);
}

static void
move_node (Maker *self, SluiceNode *node)
{
  sluice_edit_set_device (self->self->graph, node, self->options->device);
  self->self->n_moved++;
}

static void
move_scope (Maker *self, const char *scope)
{
  SluiceGraph *graph = self->self->graph;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (sluice_place_holds (scope, sluice_graph_get_node (graph, i)->name))
      move_node (self, sluice_graph_get_node (graph, i));
}

static void
move_nodes (Maker *self)
{
  const char *const *moved = self->options->moved;
  for (guint k = 0; moved != NULL && moved[k] != NULL; k++)
    {
      SluiceNode *node = sluice_graph_find (self->self->graph, moved[k]);
      if (node != NULL)
        move_node (self, node);
      else
        move_scope (self, moved[k]);
    }
}

/* The batch that steps are measured with is that of the project. */
static gboolean
take_graph (Maker *self, SluiceGraph *graph, GError **error)
{
  if (self->options->project != NULL)
    {
      self->project = sluice_project_load (self->options->project, error);
      if (self->project == NULL)
        return FALSE;
    }
  gint64 batch = self->project != NULL ? MAX (self->project->batch, 1) : SLUICE_WORKLOAD_DIM;
  self->self->graph = sluice_graph_dup_sized (graph, batch);
  self->costs = sluice_cost_model_new ();
  sluice_cost_model_set_batch (self->costs, self->self->graph, batch);
  sluice_edit_begin (self->self->graph);
  move_nodes (self);
  SluiceEdit *edit = sluice_edit_commit (self->self->graph, error);
  if (edit == NULL)
    return FALSE;
  sluice_edit_free (edit);
  return TRUE;
}

static SluiceMachine *
new_machine_here (SluiceSession *session)
{
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    g_ptr_array_add (devices, sluice_session_get_device (session, i));
  return sluice_machine_new_here ((SluiceDevice *const *) devices->pdata, devices->len);
}

static gboolean
take_machine (Maker *self, GError **error)
{
  SluicePlacePrediction *p = self->self;
  SluiceSessionOptions options = { .n_cpus = 1, .no_trace = TRUE };
  SluiceCalibration speed;
  if (self->project != NULL)
    {
      options.n_cpus = MAX (self->project->session.n_cpus, 1);
      options.device = self->project->session.device;
      options.device_options = self->project->session.device_options;
      options.memory_limit = self->project->session.memory_limit;
    }
  if (self->options->machine != NULL)
    {
      p->machine = sluice_machine_load (self->options->machine, error);
      return p->machine != NULL;
    }
  p->session = sluice_session_new (&options, error);
  if (p->session == NULL || !sluice_calibration_get (NULL, &speed, self->cancellable, error))
    return FALSE;
  p->machine = new_machine_here (p->session);
  self->measured = sluice_measured_file_load (NULL, NULL); /* of a damaged file: empty */
  sluice_calibration_set_speed (&speed, p->machine);
  sluice_measured_set_options (self->measured, options.device_options);
  sluice_machine_take_measured (p->machine, self->measured);
  sluice_cost_model_set_measured (self->costs, self->measured);
  return TRUE;
}

/* ---- the step ---- */

static gboolean
add_edges (SluiceGraph *graph, char **names, GArray *edges, GError **error)
{
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      SluiceEdge edge;
      if (!sluice_graph_parse_edge (graph, names[i], &edge, error))
        return FALSE;
      g_array_append_val (edges, edge);
    }
  return TRUE;
}

static gboolean
add_targets (SluiceGraph *graph, char **names, GArray *nodes, GError **error)
{
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      const char *name = names[i] + (*names[i] == '^');
      SluiceNode *node = sluice_graph_find (graph, name);
      if (node == NULL)
        return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                            "project.ini: train: the graph has no node '%s'", name);
      g_array_append_val (nodes, node);
    }
  return TRUE;
}

static gboolean
make_workload (Maker *self, GError **error)
{
  SluicePlacePrediction *p = self->self;
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (SluiceNode *));
  GArray *edges = self->fetches;
  if (self->project != NULL
      && (!add_targets (p->graph, self->project->train, nodes, error)
          || !add_edges (p->graph, self->project->loss, edges, error)))
    return FALSE;
  const SluiceWorkloadScope scope = { (SluiceNode *const *) nodes->data,
                                      (const SluiceEdge *) edges->data, nodes->len, edges->len };
  p->workload = sluice_graph_workload_new (p->graph, &scope, p->machine, self->costs, TRUE, error);
  return p->workload != NULL;
}

/* ---- where it stands ---- */

/* The one of the project for what asks for none. */
static guint
find_default (const Maker *self)
{
  const char *text = self->project != NULL ? self->project->session.device : NULL;
  g_autofree char *name = text != NULL ? sluice_machine_dup_device_name (text, NULL) : NULL;
  int device = name != NULL ? sluice_machine_find_device (self->self->machine, name) : -1;
  return (guint) MAX (device, 0);
}

static void
place (Maker *self)
{
  SluicePlacePrediction *p = self->self;
  guint n = p->machine->n_devices;
  g_autofree SluiceDevice **devices = g_new (SluiceDevice *, n);
  for (guint d = 0; d < n; d++)
    devices[d] = p->machine->devices[d].device;
  p->placements = sluice_placements_new ();
  sluice_place (p->graph, devices, n, find_default (self), TRUE,
                self->told != NULL ? &self->told->told : NULL, p->placements);
}

/* As they ask: nobody chose. */
static gboolean
take_asked (Maker *self, GError **error)
{
  SluicePlacePrediction *p = self->self;
  const SluiceWorkload *w = p->workload->workload;
  g_autofree guint *devices = g_new0 (guint, w->n_nodes + 1);
  place (self);
  for (guint v = 0; v < w->n_nodes; v++)
    devices[v] =
        (guint) MAX (sluice_placements_get (p->placements, p->workload->nodes[v])->device, 0);
  p->choice = sluice_choice_new_given (w, devices, as_asked, error);
  return p->choice != NULL;
}

static gboolean
choose (Maker *self, GError **error)
{
  SluicePlacePrediction *p = self->self;
  const char *name = self->options->policy;
  if (name == NULL && self->project != NULL)
    name = self->project->session.policy;
  if (name == NULL && p->machine->is_elsewhere)
    name = "greedy";
  if (name == NULL)
    return take_asked (self, error);
  const SluicePolicyOptions options = { .explains = TRUE, .cancellable = self->cancellable };
  const SluicePolicy *policy = sluice_policies_find (name, error);
  if (policy == NULL)
    return FALSE;
  p->policy = g_strdup (name);
  p->choice = sluice_policy_run (policy, p->workload->workload, &options, error);
  if (p->choice == NULL)
    return FALSE;
  self->told = sluice_graph_place_choice_new (p->workload, p->graph, p->choice);
  place (self);
  return TRUE;
}

/* ---- what is told of it ---- */

/* Devices that are here share threads, and more passes between nodes than links: as that was
 * measured. Of others the simulator's word is all that there is. */
static void
predict_step (Maker *self, double plus_minus_us)
{
  SluicePlacePrediction *p = self->self;
  SluicePrediction step = { 0 };
  p->us = p->choice->schedule->us;
  p->plus_minus_us = plus_minus_us;
  if (self->measured == NULL)
    return;
  sluice_graph_workload_predict (p->workload, p->choice->devices,
                                 (const SluiceEdge *) self->fetches->data, self->fetches->len,
                                 self->costs, self->measured, sluice_pool_get_threads (), &step);
  if (!isfinite (step.us) || step.us <= 0)
    return;
  p->us = step.us;
  p->plus_minus_us = step.plus_minus;
}

static void
sum_up (Maker *self)
{
  SluicePlacePrediction *p = self->self;
  const SluiceSimulation *s = p->choice->schedule;
  double squares = 0;
  p->numbers = g_hash_table_new (g_str_hash, g_str_equal);
  p->measured_us = g_new (double, s->n_nodes + 1);
  p->plus_minus = g_new (double, s->n_nodes + 1);
  for (guint v = 0; v < s->n_nodes; v++)
    {
      const SluiceFigure figure =
          sluice_cost_model_get (self->costs, p->workload->nodes[v],
                                 &p->machine->devices[s->devices[v]], SLUICE_WORKLOAD_DIM);
      p->measured_us[v] = figure.source == SLUICE_COST_MEASURED ? figure.us : NAN;
      p->plus_minus[v] = figure.plus_minus;
      squares += isfinite (figure.plus_minus) ? figure.plus_minus * figure.plus_minus : 0;
      g_hash_table_insert (p->numbers, (gpointer) p->workload->nodes[v]->name,
                           GUINT_TO_POINTER (v + 1));
    }
  predict_step (self, sqrt (squares));
  for (guint d = 0; d < p->machine->n_devices; d++)
    p->peak_bytes = MAX (p->peak_bytes, s->peak_bytes[d]);
  for (guint i = 0; i < s->transfers->len; i++)
    p->link_bytes += g_array_index (s->transfers, SluiceSimulatedTransfer, i).bytes;
}

SluicePlacePrediction *
sluice_prediction_new (SluiceGraph *graph,
                       const SluicePredictionOptions *options,
                       GCancellable *cancellable,
                       GError **error)
{
  g_autoptr (SluicePlacePrediction) self = g_new0 (SluicePlacePrediction, 1);
  g_auto (Maker) maker = { .self = self,
                           .options = options,
                           .fetches = g_array_new (FALSE, FALSE, sizeof (SluiceEdge)),
                           .cancellable = cancellable };
  self->ref_count = 1;
  if (!take_graph (&maker, graph, error) || !take_machine (&maker, error)
      || g_cancellable_set_error_if_cancelled (cancellable, error) || !make_workload (&maker, error)
      || !choose (&maker, error) || g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  sum_up (&maker);
  return g_steal_pointer (&self);
}

SluicePlacePrediction *
sluice_prediction_ref (SluicePlacePrediction *self)
{
  g_atomic_int_inc (&self->ref_count);
  return self;
}

void
sluice_prediction_unref (SluicePlacePrediction *self)
{
  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;
  g_clear_pointer (&self->numbers, g_hash_table_unref);
  g_clear_pointer (&self->placements, sluice_placements_free);
  g_clear_pointer (&self->choice, sluice_choice_free);
  g_clear_pointer (&self->workload, sluice_graph_workload_free);
  g_clear_pointer (&self->machine, sluice_machine_free);
  g_clear_object (&self->session);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_free (self->policy);
  g_free (self->measured_us);
  g_free (self->plus_minus);
  g_free (self);
}

gboolean
sluice_prediction_find (const SluicePlacePrediction *self, const char *name, guint *node)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, name));
  *node = number - 1;
  return number > 0;
}

char *
sluice_prediction_dup_reason (const SluicePlacePrediction *self, guint node)
{
  const SluicePlacement *placement =
      sluice_placements_get (self->placements, self->workload->nodes[node]);
  return g_strdup (_ (placement->reason));
}

char *
sluice_prediction_dup_spec (const SluicePlacePrediction *self, guint device)
{
  const SluiceMachineDevice *devices = self->machine->devices;
  const char *name = devices[device].device->short_name;
  for (guint d = 0; d < self->machine->n_devices; d++)
    if (d != device && g_str_equal (devices[d].device->short_name, name))
      return g_strdup (devices[device].name);
  return g_strconcat ("/device:", name, NULL);
}

guint
sluice_prediction_get_load (const SluicePlacePrediction *self, guint device, double *busy_us)
{
  const SluiceSimulation *s = self->choice->schedule;
  guint n = 0;
  *busy_us = 0;
  for (guint v = 0; v < s->n_nodes; v++)
    if (s->devices[v] == device)
      {
        *busy_us += s->spans[v].end_us - s->spans[v].start_us;
        n++;
      }
  return n;
}
