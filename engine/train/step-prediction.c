/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/step-prediction.h"

#include "engine/base/pool.h"
#include "engine/train/calibration.h"
#include "engine/train/sized-graph.h"

static void
add_edge (SluiceGraph *graph, const char *text, GArray *fetches)
{
  SluiceEdge edge;
  if (sluice_graph_parse_edge (graph, text, &edge, NULL))
    g_array_append_val (fetches, edge);
}

void
sluice_project_add_scope (const SluiceProject *self,
                          SluiceGraph *graph,
                          GPtrArray *targets,
                          GArray *fetches)
{
  for (char **name = self->train; name != NULL && *name != NULL; name++)
    {
      SluiceNode *node = sluice_graph_find (graph, *name);
      if (node != NULL)
        g_ptr_array_add (targets, node);
    }
  for (char **edge = self->loss; edge != NULL && *edge != NULL; edge++)
    add_edge (graph, *edge, fetches);
  for (guint i = 0; i < self->fetches->len; i++)
    add_edge (graph, g_array_index (self->fetches, SluiceNamedEdge, i).target, fetches);
}

static guint
find_device (SluiceSession *session, const SluiceMachine *machine, const SluiceNode *node)
{
  const char *name = sluice_session_get_placement (session, node->name, NULL);
  for (guint d = 0; name != NULL && d < machine->n_devices; d++)
    if (g_str_equal (machine->devices[d].device->short_name, name))
      return d;
  return 0;
}

static SluiceMachine *
new_machine (SluiceSession *session)
{
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    g_ptr_array_add (devices, sluice_session_get_device (session, i));
  return sluice_machine_new_here ((SluiceDevice *const *) devices->pdata, devices->len);
}

gboolean
sluice_session_predict_step (SluiceSession *session,
                             SluiceMeasured *measured,
                             gint64 batch,
                             const GPtrArray *targets,
                             const GArray *fetches,
                             SluicePrediction *prediction,
                             GError **error)
{
  SluiceCalibration speed;
  SluiceGraph *graph = sluice_session_get_graph (session);
  g_autoptr (SluiceMachine) machine = new_machine (session);
  g_autoptr (SluiceCostModel) costs = sluice_cost_model_new ();
  if (!sluice_calibration_get (NULL, &speed, NULL, error))
    return FALSE;
  sluice_calibration_set_speed (&speed, machine);
  sluice_cost_model_set_measured (costs, measured);
  g_autoptr (SluiceGraph) sized = sluice_graph_dup_sized (graph, batch);
  sluice_cost_model_set_batch (costs, sized, batch);
  const SluiceWorkloadScope scope = { (SluiceNode *const *) targets->pdata,
                                      (const SluiceEdge *) fetches->data, targets->len,
                                      fetches->len };
  g_autoptr (SluiceGraphWorkload) workload =
      sluice_graph_workload_new (graph, &scope, machine, costs, TRUE, error);
  if (workload == NULL)
    return FALSE;
  g_autofree guint *devices = g_new (guint, workload->workload->n_nodes + 1);
  for (guint v = 0; v < workload->workload->n_nodes; v++)
    devices[v] = find_device (session, machine, workload->nodes[v]);
  sluice_graph_workload_predict (workload, devices, (const SluiceEdge *) fetches->data,
                                 fetches->len, costs, measured, sluice_pool_get_threads (),
                                 prediction);
  prediction->us += speed.step_seconds * 1e6;
  return TRUE;
}
