/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Transfers of a plan: those between its devices, whose keys are numbered here and lie in slots,
 * and those that stand in the graph and meet by their keys while it runs. */
#include "engine/runtime/plan/plan-transfers.h"

#include "engine/device/transfer.h"

/* ---- between devices ---- */

static gboolean
receives_entered (const SluiceWorkNode *recv)
{
  const SluiceWorkNode *send = recv->n_inputs ? recv->inputs[0].node : NULL;
  return send && send->inputs[0].node
         && sluice_work_role (send->inputs[0].node) == SLUICE_ROLE_ENTER;
}

void
sluice_plan_compile_transfer (const SluiceWorkNode *work_node,
                              SluicePlanNode *node,
                              gboolean truncates)
{
  const gboolean sends = work_node->kind == SLUICE_WORK_SEND, has_value = work_node->port >= 0;
  node->flags |= (sends ? SLUICE_PLAN_SEND : SLUICE_PLAN_RECV) | SLUICE_PLAN_CHEAP;
  node->n_outputs = has_value;
  node->first_constant = work_node->transfer;
  node->memory_class = SLUICE_MEMORY_TRANSFER;
  if (!sends && receives_entered (work_node))
    node->flags |= SLUICE_PLAN_ENTERED;
  if (sends && truncates && has_value
      && sluice_dtype_base (node->origin->outputs[work_node->port].dtype) == SLUICE_FLOAT)
    node->flags |= SLUICE_PLAN_TRUNCATE;
}

/* ---- of the graph ---- */

static SluiceRole
role_of (const SluicePlanNode *node)
{
  gboolean runs_kernel = node->kernel && !(node->flags & SLUICE_PLAN_TOGETHER);
  return runs_kernel && node->origin->op ? node->origin->op->def->role : SLUICE_ROLE_NONE;
}

/* sides: by role, of the transfer's text to the node. */
static gboolean
note_meeting (GHashTable *side, const SluiceNode *node, GError **error)
{
  g_autoptr (SluiceTransfer) transfer = sluice_transfer_new_of_node (node, error);
  if (!transfer)
    return FALSE;
  const SluiceNode *other = g_hash_table_lookup (side, transfer->text);
  if (other)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "has the key '%s' of '%s', and which of the two is meant nothing "
                             "says; give one of them another tensor_name",
                             transfer->text, other->name);
  g_hash_table_insert (side, g_strdup (transfer->text), (gpointer) node);
  return TRUE;
}

static gboolean
check_frame (const SluicePlan *plan, const SluicePlanFrame *frame, GError **error)
{
  g_autoptr (GHashTable) senders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) receivers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint32 i = 0; i < frame->n_nodes; i++)
    {
      const SluicePlanNode *node = &plan->nodes[frame->first_node + i];
      SluiceRole role = role_of (node);
      GHashTable *side = role == SLUICE_ROLE_SEND   ? senders
                         : role == SLUICE_ROLE_RECV ? receivers
                                                    : NULL;
      if (side && !note_meeting (side, node->origin, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_plan_check_meetings (const SluicePlan *plan, GError **error)
{
  for (guint32 i = 0; plan->has_meetings && i < plan->n_frames; i++)
    if (!check_frame (plan, &plan->frames[i], error))
      return FALSE;
  return TRUE;
}
