/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/plan/schedule.h"

#define TYPICAL_DIM 32 /* stands for a dimension that is not known, a batch mostly */

typedef struct
{
  guint32 *first_reader; /* CSR over work indices */
  guint32 *readers;
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

/* Every predecessor within an iteration. */
#define FOR_EACH_INPUT(node, before)                                                               \
  for (guint i_ = 0, n_ = (node)->n_inputs + (node)->n_controls; i_ < n_; i_++)                    \
    if (((before) = input_at ((node), i_)))

static SluiceWorkNode *
input_at (const SluiceWorkNode *node, guint i)
{
  SluiceWorkNode *before =
      i < node->n_inputs ? node->inputs[i].node : node->controls[i - node->n_inputs];
  return sluice_work_is_back_edge (before) ? NULL : before;
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
link_readers (SluiceWork *work, Schedule *s)
{
  guint n = work->nodes->len;
  SluiceWorkNode *before;
  for (guint i = 0; i < n; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      FOR_EACH_INPUT (node, before) s->first_reader[before->index + 1]++;
      for (guint k = 0; k < node->n_inputs; k++)
        if (node->inputs[k].node)
          s->unread[node->inputs[k].node->index]++;
    }
  for (guint i = 0; i < n; i++)
    s->first_reader[i + 1] += s->first_reader[i];
  s->readers = g_new (guint32, s->first_reader[n] + 1);
  g_autofree guint32 *fill = g_memdup2 (s->first_reader, (n + 1) * sizeof (guint32));
  for (guint i = 0; i < n; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      FOR_EACH_INPUT (node, before)
      {
        s->readers[fill[before->index]++] = i;
        s->waiting[i]++;
      }
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
      for (guint32 k = s->first_reader[index]; k < s->first_reader[index + 1]; k++)
        if (--s->waiting[s->readers[k]] == 0)
          make_ready (s, work->nodes->pdata[s->readers[k]]);
    }
  return order;
}

GPtrArray *
sluice_schedule (SluiceWork *work)
{
  guint n = work->nodes->len;
  g_autofree guint32 *first_reader = g_new0 (guint32, n + 1);
  g_autofree guint32 *waiting = g_new0 (guint32, n + 1);
  g_autofree guint32 *unread = g_new0 (guint32, n + 1);
  g_autofree guint32 *heap = g_new (guint32, n + 1);
  g_autofree guint8 *frees = g_new0 (guint8, n + 1);
  Schedule s = {
    .first_reader = first_reader, .waiting = waiting, .unread = unread, .heap = heap, .frees = frees
  };
  link_readers (work, &s);
  g_autoptr (GPtrArray) order = take_in_order (work, &s);
  g_free (s.readers);
  return order->len == n ? g_steal_pointer (&order) : NULL;
}
