/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Gradients of one op are gated: a NoOp waits for all of them, and what reads one waits for the
 * NoOp. So the gradient of a batch of inputs, which nobody asked for, would be computed at the
 * price of a third of a step, for nothing but its end. A node like that goes, and who waited for it
 * waits for what it would have waited for.
 *
 * Only where one node waits, directly or through others that go: then each node is looked at once
 * more at most, and no edges multiply.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

/* Of a node's readers and waiters: none, this one, or MANY, which keeps the node. */
#define MANY ((SluiceWorkNode *) 1)

static void
claim (SluiceWorkNode **owners, const SluiceWorkNode *node, SluiceWorkNode *owner)
{
  if (!node)
    return;
  SluiceWorkNode **own = &owners[node->index];
  *own = !*own || *own == owner ? owner : MANY;
}

/* goes: by index. Returns how many do. */
static guint
find_unread (const SluiceWork *work, const GPtrArray *order, guint8 *goes)
{
  g_autofree SluiceWorkNode **owners = g_new0 (SluiceWorkNode *, work->nodes->len + 1);
  guint n = 0;
  for (guint i = 0; i < work->n_fetches; i++)
    claim (owners, work->fetches[i].node, MANY);
  for (guint i = 0; i < work->n_targets; i++)
    claim (owners, work->targets[i], MANY);
  for (guint i = order->len; i-- > 0;)
    {
      SluiceWorkNode *node = order->pdata[i];
      SluiceWorkNode *owner = owners[node->index];
      gboolean unread = owner && owner != MANY && sluice_work_may_go (work, node);
      goes[node->index] = unread;
      n += unread;
      for (guint k = 0; k < node->n_inputs; k++)
        claim (owners, node->inputs[k].node, unread ? owner : MANY);
      for (guint k = 0; k < node->n_controls; k++)
        claim (owners, node->controls[k], unread ? owner : node);
    }
  return n;
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  const GPtrArray *order = sluice_analysis_get_order (work, NULL);
  if (!order)
    return TRUE; /* the schedule pass names the cycle */
  g_autofree guint8 *goes = g_new0 (guint8, work->nodes->len + 1);
  if (!find_unread (work, order, goes))
    return TRUE;
  sluice_work_wait_for_inputs (work, goes);
  sluice_work_sweep (work);
  return TRUE;
}

/* Not what may be there to fail (SLUICE_OP_CHECKS). As the dependency optimizer of TensorFlow's
 * Grappler has it. */
const SluicePass sluice_pass_unread = {
  .name = "unread",
  .summary = N_ ("A value that one node waits for and nobody reads is not computed"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_LEAVE_OUT,
  .requires = SLUICE_FACT_PRUNED,
  .excludes = SLUICE_FACT_PARTITIONED,
  .run = run,
};
