/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/plan/queued.h"

static gboolean
has_queues (const SluiceWork *work, const SluiceWorkNode *node)
{
  return work->devices[node->device]->klass->queues != NULL;
}

gboolean
sluice_plan_stands_in_queue (const SluiceWork *work,
                             const SluiceWorkNode *work_node,
                             const SluicePlanNode *node)
{
  if (node->flags & SLUICE_PLAN_RECV && node->n_inputs > 0
      && has_queues (work, work_node->inputs[0].node))
    return TRUE;
  return has_queues (work, work_node)
         && (node->kernel != NULL || node->flags & (SLUICE_PLAN_RECV | SLUICE_PLAN_TRUNCATE));
}

/* The second must find what the first has left: a Merge counts what comes, and who may leave a dead
 * output says so when it has run. */
gboolean
sluice_plan_runs_ahead (const SluicePlanNode *from, const SluicePlanNode *to)
{
  return from->flags & to->flags & SLUICE_PLAN_QUEUED && from->device == to->device
         && from->kernel != NULL && to->kernel != NULL
         && !(from->flags & (SLUICE_PLAN_MAY_LEAVE_DEAD | SLUICE_PLAN_RUNS_DEAD))
         && !(to->flags & (SLUICE_PLAN_MERGE | SLUICE_PLAN_RUNS_DEAD));
}
