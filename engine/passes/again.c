/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/again.h"

#include <string.h>

/* ---- which may ---- */

/* Might one of its inputs be a variable's memory that sluice_effects_find() lost sight of? Of most
 * kernels it is not known whether they hand memory on. */
static gboolean
is_murky (const SluiceWorkNode *node, const guint8 *may_alias)
{
  for (guint k = 0; k < node->n_inputs; k++)
    {
      const SluiceWorkNode *from = node->inputs[k].node;
      if (from && may_alias[from->index] && !sluice_work_get_traits (from)->is_view
          && sluice_work_role (from) != SLUICE_ROLE_READ_VARIABLE)
        return TRUE;
    }
  return FALSE;
}

static SluiceAgain
look_at_op (const SluiceWork *self, SluiceWorkNode *node)
{
  const SluiceKernel *kernel = sluice_work_find_kernel (self, node);
  if (!kernel || !sluice_work_may_go (self, node)
      || kernel->flags & (SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_MAY_LEAVE_DEAD))
    return SLUICE_AGAIN_NEVER;
  const SluiceRoleTraits *traits = sluice_work_get_traits (node);
  return traits->is_cheap || traits->is_view || kernel->strip
                 || node->origin->op->def->flags & SLUICE_OP_CHEAP
             ? SLUICE_AGAIN_CHEAP
             : SLUICE_AGAIN_DEAR;
}

static SluiceAgain
look_at (const SluiceWork *self, SluiceWorkNode *node)
{
  SluiceAgain again = SLUICE_AGAIN_CHEAP;
  if (node->kind == SLUICE_WORK_OP)
    return look_at_op (self, node);
  if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    {
      SluiceAgain producer = look_at (self, node->fused_consumer.producer);
      SluiceAgain consumer = look_at (self, node->fused_consumer.consumer);
      return producer != SLUICE_AGAIN_NEVER && consumer != SLUICE_AGAIN_NEVER ? SLUICE_AGAIN_DEAR
                                                                              : SLUICE_AGAIN_NEVER;
    }
  if (node->kind != SLUICE_WORK_FUSED)
    return SLUICE_AGAIN_NEVER;
  for (guint i = 0; i < node->region.n_members && again != SLUICE_AGAIN_NEVER; i++)
    again = MIN (again, look_at_op (self, node->region.members[i]));
  return again;
}

SluiceAgain
sluice_work_may_run_again (const SluiceWork *self, SluiceWorkNode *node, const guint8 *may_alias)
{
  if (node->frame != 0 || node->is_kept || is_murky (node, may_alias))
    return SLUICE_AGAIN_NEVER;
  return look_at (self, node);
}

/* ---- copies ---- */

static SluiceWorkEdge *
dup_edges (SluiceWork *self, const SluiceWorkEdge *edges, guint n)
{
  SluiceWorkEdge *copy = sluice_work_alloc (self, n * sizeof (SluiceWorkEdge));
  if (n > 0)
    memcpy (copy, edges, n * sizeof (SluiceWorkEdge));
  return copy;
}

static void dup_kind (SluiceWork *self, SluiceWorkNode *copy, const SluiceWorkNode *node);

/* One that is within another: in no list of the work graph. */
static SluiceWorkNode *
dup_inner (SluiceWork *self, const SluiceWorkNode *node)
{
  SluiceWorkNode *copy = sluice_work_alloc (self, sizeof *copy);
  *copy = *node;
  copy->inputs = dup_edges (self, node->inputs, node->n_inputs);
  dup_kind (self, copy, node);
  return copy;
}

static void
dup_region (SluiceWork *self, SluiceWorkRegion *copy, const SluiceWorkRegion *region)
{
  guint n = region->n_members;
  copy->members = sluice_work_alloc (self, n * sizeof (SluiceWorkNode *));
  copy->outputs = sluice_work_alloc (self, region->n_outputs * sizeof (SluiceWorkNode *));
  for (guint i = 0; i < n; i++)
    copy->members[i] = dup_inner (self, region->members[i]);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++)
      for (guint j = 0; j < copy->members[i]->n_inputs; j++)
        if (copy->members[i]->inputs[j].node == region->members[k])
          copy->members[i]->inputs[j].node = copy->members[k];
  for (guint i = 0; i < region->n_outputs; i++)
    for (guint k = 0; k < n; k++)
      if (region->outputs[i] == region->members[k])
        copy->outputs[i] = copy->members[k];
}

static void
dup_kind (SluiceWork *self, SluiceWorkNode *copy, const SluiceWorkNode *node)
{
  if (node->kind == SLUICE_WORK_FUSED)
    {
      copy->region = node->region;
      dup_region (self, &copy->region, &node->region);
    }
  else if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    {
      copy->fused_consumer = node->fused_consumer;
      copy->fused_consumer.producer = dup_inner (self, node->fused_consumer.producer);
      copy->fused_consumer.consumer = dup_inner (self, node->fused_consumer.consumer);
    }
}

SluiceWorkNode *
sluice_work_add_again (SluiceWork *self, const SluiceWorkNode *node)
{
  SluiceWorkNode *copy = sluice_work_add (self, node->kind, node->origin, node->device);
  copy->n_inputs = node->n_inputs;
  copy->inputs = dup_edges (self, node->inputs, node->n_inputs);
  dup_kind (self, copy, node);
  return copy;
}

static void
replace (SluiceWorkEdge *edges, guint n, SluiceWorkEdge from, SluiceWorkEdge to)
{
  for (guint i = 0; i < n; i++)
    if (edges[i].node == from.node && edges[i].port == from.port)
      edges[i] = to;
}

void
sluice_work_replace_input (SluiceWorkNode *node, SluiceWorkEdge from, SluiceWorkEdge to)
{
  replace (node->inputs, node->n_inputs, from, to);
  if (node->kind == SLUICE_WORK_FUSED)
    for (guint i = 0; i < node->region.n_members; i++)
      sluice_work_replace_input (node->region.members[i], from, to);
  if (node->kind != SLUICE_WORK_FUSED_CONSUMER)
    return;
  sluice_work_replace_input (node->fused_consumer.producer, from, to);
  sluice_work_replace_input (node->fused_consumer.consumer, from, to);
}

/* ---- the order ---- */

static int
compare_marks (gconstpointer a, gconstpointer b)
{
  const SluiceWorkNode *x = *(SluiceWorkNode *const *) a, *y = *(SluiceWorkNode *const *) b;
  return x->mark < y->mark ? -1 : x->mark > y->mark;
}

void
sluice_work_ask_shapes_early (SluiceWork *self)
{
  GPtrArray *order = self->schedule;
  guint n = 0;
  for (guint i = 0; i < self->nodes->len; i++)
    ((SluiceWorkNode *) self->nodes->pdata[i])->mark = 0;
  for (guint at = 0; at < order->len; at++)
    {
      SluiceWorkNode *node = order->pdata[at];
      if (!sluice_work_has (self, node))
        continue;
      order->pdata[n] = node;
      node->mark = n++;
      if (node->kind != SLUICE_WORK_OP || !node->origin->op || node->n_inputs == 0
          || !(node->origin->op->def->flags & SLUICE_OP_FORWARDS_METADATA))
        continue;
      node->mark = 0;
      for (guint k = 0; k < node->n_inputs + node->n_controls; k++)
        {
          const SluiceWorkNode *before = sluice_work_get_before (node, k);
          if (before)
            node->mark = MAX (node->mark, before->mark);
        }
    }
  g_ptr_array_set_size (order, (int) n);
  g_ptr_array_sort (order, compare_marks); /* keeps the order of equals */
  sluice_work_touch (self);
}
