/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/step/send-feeds.h"

/* Does a kernel in a device's queue read it there? What is fed lies outside all loops. */
static gboolean
is_read_far (const SluicePlan *plan, const SluicePlanEdge *edge)
{
  if (edge->node == SLUICE_PLAN_NOWHERE)
    return FALSE;
  const SluicePlanNode *node = &plan->nodes[edge->node];
  return node->flags & SLUICE_PLAN_QUEUED && node->kernel != NULL
         && !sluice_kernel_is_host (node->kernel->host_inputs, edge->slot - node->first_input);
}

void
sluice_plan_send_feeds (const SluicePlan *plan,
                        SluiceDevice *const *devices,
                        SluiceTensor *const *feeds,
                        GArray *sent,
                        gboolean needs_now)
{
  for (guint32 i = 0; i < plan->n_feeds; i++)
    {
      SluiceTensor *feed = feeds[i];
      if (feed == NULL || sluice_dtype_is_managed ((SluiceDType) feed->dtype)
          || sluice_tensor_is_far (feed))
        continue;
      for (guint32 k = plan->feed_first[i]; k < plan->feed_first[i + 1]; k++)
        if (is_read_far (plan, &plan->feed_edges[k]))
          sluice_sent_add (sent, devices[plan->nodes[plan->feed_edges[k].node].device], feed,
                           plan->feeds[i].node->id, needs_now);
    }
}
