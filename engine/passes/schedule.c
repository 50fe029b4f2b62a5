/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The order in which one thread runs the nodes. Among those that are ready, one that frees at least
 * what it allocates goes first; else the one that was created first.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"
#include "engine/passes/sort.h"

#define TYPICAL_DIM 32 /* stands for a dimension that is not known, a batch mostly */

typedef struct
{
  const SluiceUses *uses;
  guint32 *waiting; /* inputs that have not run */
  guint32 *unread;  /* readers that have not run, data edges only */
  guint32 *heap;    /* of keys: frees first, then creation */
  guint n_heap;
  guint8 *frees; /* 1: the node allocates no more than it frees; set when it becomes ready */
} Schedule;

static double
output_bytes (const SluiceWorkNode *node)
{
  double total = 0;
  if (node->kind != SLUICE_WORK_OP)
    return 0;
  for (guint i = 0; i < node->origin->n_outputs; i++)
    total += sluice_output_bytes (&node->origin->outputs[i], TYPICAL_DIM);
  return total;
}

static guint64
heap_key (const Schedule *s, guint32 node)
{
  return ((guint64) !s->frees[node] << 32) | node;
}

static void
heap_push (Schedule *s, guint32 node)
{
  guint i = s->n_heap++;
  for (; i && heap_key (s, s->heap[(i - 1) / 2]) > heap_key (s, node); i = (i - 1) / 2)
    s->heap[i] = s->heap[(i - 1) / 2];
  s->heap[i] = node;
}

static guint32
heap_pop (Schedule *s)
{
  guint32 top = s->heap[0], node = s->heap[--s->n_heap];
  guint i = 0;
  for (guint child; (child = 2 * i + 1) < s->n_heap; i = child)
    {
      if (child + 1 < s->n_heap && heap_key (s, s->heap[child + 1]) < heap_key (s, s->heap[child]))
        child++;
      if (heap_key (s, node) <= heap_key (s, s->heap[child]))
        break;
      s->heap[i] = s->heap[child];
    }
  s->heap[i] = node;
  return top;
}

/* Inputs that nobody else still waits for die with the node. */
static void
make_ready (Schedule *s, const SluiceWorkNode *node)
{
  double freed = 0;
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node && s->unread[node->inputs[i].node->index] == 1)
      freed += output_bytes (node->inputs[i].node);
  s->frees[node->index] = node->n_inputs && freed >= output_bytes (node);
  heap_push (s, node->index);
}

static void
count_inputs (const SluiceWork *work, Schedule *s)
{
  for (guint i = 0; i < s->uses->n; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      for (guint k = 0; k < node->n_inputs + node->n_controls; k++)
        s->waiting[i] += sluice_work_get_before (node, k) != NULL;
      for (guint32 k = s->uses->first[i]; k < s->uses->first[i + 1]; k++)
        s->unread[i] += !(s->uses->users[k] & SLUICE_USE_WAITS);
    }
}

static void
tell_users (const SluiceWork *work, Schedule *s, guint32 index)
{
  if (s->uses->is_back[index])
    return;
  for (guint32 k = s->uses->first[index]; k < s->uses->first[index + 1]; k++)
    {
      guint32 user = s->uses->users[k] & ~SLUICE_USE_WAITS;
      if (--s->waiting[user] == 0)
        make_ready (s, work->nodes->pdata[user]);
    }
}

static GPtrArray *
take_in_order (SluiceWork *work, Schedule *s)
{
  GPtrArray *order = g_ptr_array_sized_new (work->nodes->len);
  for (guint i = 0; i < work->nodes->len; i++)
    if (s->waiting[i] == 0)
      make_ready (s, work->nodes->pdata[i]);
  while (s->n_heap)
    {
      guint32 index = heap_pop (s);
      SluiceWorkNode *node = work->nodes->pdata[index];
      g_ptr_array_add (order, node);
      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i].node)
          s->unread[node->inputs[i].node->index]--;
      tell_users (work, s, index);
    }
  return order;
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  guint n = work->nodes->len;
  g_autofree guint32 *waiting = g_new0 (guint32, n + 1);
  g_autofree guint32 *unread = g_new0 (guint32, n + 1);
  g_autofree guint32 *heap = g_new (guint32, n + 1);
  g_autofree guint8 *frees = g_new0 (guint8, n + 1);
  Schedule s = { .uses = sluice_analysis_get_uses (work),
                 .waiting = waiting,
                 .unread = unread,
                 .heap = heap,
                 .frees = frees };
  count_inputs (work, &s);
  g_autoptr (GPtrArray) order = take_in_order (work, &s);
  SluiceWorkNode *stuck = NULL;
  if (order->len < n && !sluice_analysis_get_order (work, &stuck))
    return sluice_work_fail_cycle (stuck, error);
  work->schedule = g_steal_pointer (&order);
  return TRUE;
}

const SluicePass sluice_pass_schedule = {
  .name = "schedule",
  .summary = N_ ("The order in which one thread runs the nodes: memory is freed early"),
  .requires = SLUICE_FACT_PARTITIONED,
  .excludes = SLUICE_FACT_SCHEDULED,
  .provides = SLUICE_FACT_SCHEDULED,
  .run = run,
};
