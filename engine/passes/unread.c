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
#include "engine/passes/passes.h"

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

/* Does one of its inputs come from a branch? A pivot says which one lives, the Switch does not. */
static gboolean
is_pivot (const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceRole role =
          node->inputs[i].node ? sluice_work_role (node->inputs[i].node) : SLUICE_ROLE_NONE;
      if (role == SLUICE_ROLE_SWITCH || role == SLUICE_ROLE_RECV)
        return TRUE;
    }
  return FALSE;
}

gboolean
sluice_work_may_go (const SluiceWork *work, const SluiceWorkNode *node)
{
  return node->kind == SLUICE_WORK_OP && sluice_node_only_computes (node->origin)
         && sluice_work_takes_values (work, node)
         && !(node->origin->op->def->flags & SLUICE_OP_CHECKS) && !is_pivot (node);
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

static void
wait_instead (SluiceWork *work, SluiceWorkNode *node, const guint8 *goes, guint round)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GPtrArray) controls = g_ptr_array_new ();
  for (guint i = node->n_controls; i-- > 0;)
    g_ptr_array_add (stack, node->controls[i]);
  while (stack->len)
    {
      SluiceWorkNode *before = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      if (!before || before->mark == round)
        continue;
      before->mark = round;
      if (!goes[before->index])
        {
          g_ptr_array_add (controls, before);
          continue;
        }
      for (guint i = before->n_controls; i-- > 0;)
        g_ptr_array_add (stack, before->controls[i]);
      for (guint i = before->n_inputs; i-- > 0;)
        g_ptr_array_add (stack, before->inputs[i].node);
    }
  node->n_controls = controls->len;
  node->controls = sluice_work_alloc (work, controls->len * sizeof (SluiceWorkNode *));
  for (guint i = 0; i < controls->len; i++)
    node->controls[i] = controls->pdata[i];
}

void
sluice_work_wait_for_inputs (SluiceWork *work, const guint8 *goes)
{
  for (guint i = 0; i < work->nodes->len; i++)
    ((SluiceWorkNode *) work->nodes->pdata[i])->mark = 0;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      gboolean waits = FALSE;
      for (guint k = 0; k < node->n_controls && !goes[node->index]; k++)
        waits |= goes[node->controls[k]->index];
      if (waits)
        wait_instead (work, node, goes, i + 1);
    }
}

void
sluice_drop_unread (SluiceWork *work)
{
  SluiceWorkNode *stuck;
  g_autoptr (GPtrArray) order = sluice_work_sort (work, &stuck);
  if (!order)
    return; /* the plan compiler names the cycle */
  g_autofree guint8 *goes = g_new0 (guint8, work->nodes->len + 1);
  if (!find_unread (work, order, goes))
    return;
  sluice_work_wait_for_inputs (work, goes);
  sluice_work_sweep (work);
}
