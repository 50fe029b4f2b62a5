/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/node-queue.h"

static guint32
position (const SluiceNode *node)
{
  return sluice_node_record (node)->position;
}

void
sluice_node_queue_init (SluiceNodeQueue *self)
{
  self->heap = g_ptr_array_new ();
}

void
sluice_node_queue_clear (SluiceNodeQueue *self)
{
  while (sluice_node_queue_pop (self) != NULL)
    ;
  g_clear_pointer (&self->heap, g_ptr_array_unref);
}

void
sluice_node_queue_push (SluiceNodeQueue *self, SluiceNode *node)
{
  if (sluice_node_record (node)->is_queued)
    return;
  sluice_node_record (node)->is_queued = TRUE;
  g_ptr_array_add (self->heap, node);
  gpointer *heap = self->heap->pdata;
  guint i = self->heap->len - 1;
  for (; i > 0 && position (heap[(i - 1) / 2]) > position (node); i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = node;
}

SluiceNode *
sluice_node_queue_pop (SluiceNodeQueue *self)
{
  if (self->heap->len == 0)
    return NULL;
  gpointer *heap = self->heap->pdata;
  SluiceNode *first = heap[0], *last = heap[self->heap->len - 1];
  g_ptr_array_set_size (self->heap, (int) self->heap->len - 1);
  guint n = self->heap->len;
  for (guint i = 0, child; n > 0; i = child)
    {
      child = 2 * i + 1;
      if (child + 1 < n && position (heap[child + 1]) < position (heap[child]))
        child++;
      if (child < n && position (heap[child]) < position (last))
        {
          heap[i] = heap[child];
          continue;
        }
      heap[i] = last;
      break;
    }
  sluice_node_record (first)->is_queued = FALSE;
  return first;
}
