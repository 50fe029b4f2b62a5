/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The gradient of a large parameter is made by one kernel, written to memory, and read by the
 * update, which nobody else does. Where the first can give it in parts and the second take them,
 * the two become one node in the second's place. What gates the value until then (an Identity that
 * waits) goes, and the pair waits for what that waited for; who waited for the giver waits for its
 * inputs, as if nobody had read it (unread.c).
 */
#include "engine/passes/passes.h"

typedef struct
{
  SluiceWork *work;
  SluiceDevice *const *devices;
  int max_rank;
  guint32 *n_readers; /* by index: edges; a fetch or a target counts as two */
  guint8 *is_awaited; /* by index: somebody waits for the node */
  guint8 *goes;       /* by index: became part of a pair */
} Pair;

static void
count_readers (Pair *pair)
{
  const SluiceWork *work = pair->work;
  for (guint i = 0; i < work->n_fetches; i++)
    if (work->fetches[i].node)
      pair->n_readers[work->fetches[i].node->index] += 2;
  for (guint i = 0; i < work->n_targets; i++)
    pair->n_readers[work->targets[i]->index] += 2;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      for (guint k = 0; k < node->n_inputs; k++)
        if (node->inputs[k].node)
          pair->n_readers[node->inputs[k].node->index]++;
      for (guint k = 0; k < node->n_controls; k++)
        pair->is_awaited[node->controls[k]->index] = 1;
    }
}

/* (nullable) */
static const SluiceKernel *
find_kernel (const Pair *pair, const SluiceWorkNode *node)
{
  const SluiceDeviceClass *klass = pair->devices[node->device]->klass;
  return klass->computes && node->kind == SLUICE_WORK_OP && node->origin->op
             ? sluice_kernel_find (node->origin, klass->type, pair->max_rank, NULL)
             : NULL;
}

static gboolean
is_gate (const Pair *pair, const SluiceWorkNode *node)
{
  return sluice_work_role (node) == SLUICE_ROLE_IDENTITY && sluice_work_may_go (pair->work, node)
         && pair->n_readers[node->index] == 1 && !pair->is_awaited[node->index];
}

static gboolean
takes_no_reference (const Pair *pair, const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (sluice_dtype_is_ref (sluice_work_dtype (pair->work, node->inputs[i])))
      return FALSE;
  return TRUE;
}

/* Could the value lie in the memory of a variable, as an Identity of a reference does? It must be
 * read before who waits for that overwrites it. */
static gboolean
may_lie_in_variable (const Pair *pair, SluiceWorkEdge edge)
{
  while (edge.node && sluice_work_hands_on (edge.node))
    {
      switch (sluice_work_role (edge.node))
        {
        case SLUICE_ROLE_IDENTITY:
        case SLUICE_ROLE_STOP_GRADIENT:
        case SLUICE_ROLE_RESHAPE:
          break;
        default: /* of several values */
          return TRUE;
        }
      edge = edge.node->inputs[0];
      if (edge.node && sluice_dtype_is_ref (sluice_work_dtype (pair->work, edge)))
        return TRUE;
    }
  return FALSE;
}

static gboolean
takes_own_values (const Pair *pair, const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (may_lie_in_variable (pair, node->inputs[i]))
      return FALSE;
  return TRUE;
}

/* What gives the taker its value in parts; gates: those between. (nullable) */
static SluiceWorkNode *
find_giver (const Pair *pair, const SluiceWorkNode *taker, guint input, GPtrArray *gates)
{
  SluiceWorkNode *node = taker->inputs[input].node;
  while (node && node->device == taker->device && is_gate (pair, node))
    {
      g_ptr_array_add (gates, node);
      node = node->inputs[0].node;
    }
  if (!node || node->device != taker->device || pair->n_readers[node->index] != 1)
    return NULL;
  const SluiceKernel *kernel = find_kernel (pair, node);
  return kernel && kernel->give && node->origin->n_outputs == 1
                 && sluice_work_may_go (pair->work, node) && takes_own_values (pair, node)
             ? node
             : NULL;
}

static void
add_controls (Pair *pair, SluiceWorkNode *node, const SluiceWorkNode *of)
{
  for (guint i = 0; i < of->n_controls; i++)
    sluice_work_add_control (pair->work, node, of->controls[i]);
}

static void
join (Pair *pair, SluiceWorkNode *taker, guint input, SluiceWorkNode *giver, const GPtrArray *gates)
{
  SluiceWork *work = pair->work;
  SluiceWorkNode *copy = sluice_work_alloc (work, sizeof *copy);
  *copy = *taker;
  taker->kind = SLUICE_WORK_PAIR;
  taker->n_members = 2;
  taker->members = sluice_work_alloc (work, 2 * sizeof (SluiceWorkNode *));
  taker->members[0] = giver;
  taker->members[1] = copy;
  taker->inputs =
      sluice_work_alloc (work, (copy->n_inputs + giver->n_inputs) * sizeof (SluiceWorkEdge));
  taker->n_inputs = 0;
  for (guint i = 0; i < copy->n_inputs; i++)
    if (i != input)
      taker->inputs[taker->n_inputs++] = copy->inputs[i];
  for (guint i = 0; i < giver->n_inputs; i++)
    taker->inputs[taker->n_inputs++] = giver->inputs[i];
  for (guint i = 0; i < gates->len; i++)
    add_controls (pair, taker, gates->pdata[i]);
  add_controls (pair, taker, giver);
  pair->goes[giver->index] = 1;
}

void
sluice_pair (SluiceWork *work, SluiceDevice *const *devices, int max_rank)
{
  guint n = work->nodes->len;
  g_autofree guint32 *n_readers = g_new0 (guint32, n + 1);
  g_autofree guint8 *is_awaited = g_new0 (guint8, n + 1);
  g_autofree guint8 *goes = g_new0 (guint8, n + 1);
  Pair pair = { work, devices, max_rank, n_readers, is_awaited, goes };
  g_autoptr (GPtrArray) gates = g_ptr_array_new ();
  gboolean changed = FALSE;
  count_readers (&pair);
  for (guint i = 0; i < n; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      const SluiceKernel *kernel = find_kernel (&pair, node);
      if (!kernel || kernel->taken == 0 || !takes_no_reference (&pair, node))
        continue;
      g_ptr_array_set_size (gates, 0);
      SluiceWorkNode *giver = find_giver (&pair, node, kernel->taken - 1, gates);
      if (giver)
        join (&pair, node, kernel->taken - 1, giver, gates);
      changed |= giver != NULL;
    }
  if (!changed)
    return;
  sluice_work_wait_for_inputs (work, goes);
  sluice_work_sweep (work);
}
