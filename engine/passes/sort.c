/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/sort.h"

typedef struct
{
  GPtrArray *order;
  GPtrArray *stack;   /* of nodes entered and not left: an own stack, chains are long */
  GArray *next_input; /* of guint: the input to look at next, beside the stack */
} Sort;

enum
{
  UNSEEN,
  ENTERED,
  LEFT
};

static SluiceWorkNode *
visit (Sort *sort, SluiceWorkNode *root)
{
  guint zero = 0;
  root->mark = ENTERED;
  g_ptr_array_add (sort->stack, root);
  g_array_append_val (sort->next_input, zero);
  while (sort->stack->len)
    {
      SluiceWorkNode *node = sort->stack->pdata[sort->stack->len - 1];
      guint *next = &g_array_index (sort->next_input, guint, sort->next_input->len - 1);
      if (*next == node->n_inputs + node->n_controls)
        {
          node->mark = LEFT;
          g_ptr_array_add (sort->order, node);
          g_ptr_array_set_size (sort->stack, (int) sort->stack->len - 1);
          g_array_set_size (sort->next_input, sort->next_input->len - 1);
          continue;
        }
      SluiceWorkNode *before = sluice_work_get_before (node, (*next)++);
      if (!before || before->mark == LEFT)
        continue;
      if (before->mark == ENTERED)
        return before;
      before->mark = ENTERED;
      g_ptr_array_add (sort->stack, before);
      g_array_append_val (sort->next_input, zero);
    }
  return NULL;
}

GPtrArray *
sluice_work_sort (SluiceWork *self, SluiceWorkNode **stuck)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GArray) next = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) order = g_ptr_array_sized_new (self->nodes->len);
  Sort sort = { order, stack, next };
  for (guint i = 0; i < self->nodes->len; i++)
    ((SluiceWorkNode *) self->nodes->pdata[i])->mark = UNSEEN;
  for (guint i = 0; i < self->nodes->len; i++)
    {
      SluiceWorkNode *node = self->nodes->pdata[i];
      SluiceWorkNode *cycle = node->mark == UNSEEN ? visit (&sort, node) : NULL;
      if (cycle)
        {
          *stuck = cycle;
          return NULL;
        }
    }
  return g_steal_pointer (&order);
}

gboolean
sluice_work_fail_cycle (const SluiceWorkNode *stuck, GError **error)
{
  return sluice_node_fail (stuck->origin, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "it is part of a cycle, and needs its own output");
}
