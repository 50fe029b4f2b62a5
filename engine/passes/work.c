/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/work.h"

#define BLOCK_BYTES (64 * 1024)

void
sluice_work_free (SluiceWork *self)
{
  if (!self)
    return;
  for (guint i = 0; self->nodes && i < self->nodes->len; i++)
    {
      SluiceWorkNode *node = self->nodes->pdata[i];
      for (guint k = 0; node->values && k < node->origin->n_outputs; k++)
        sluice_tensor_unref (node->values[k]);
    }
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->blocks);
  g_clear_pointer (&self->frames, g_array_unref);
  g_clear_error (&self->unfed);
  g_free (self);
}

gpointer
sluice_work_alloc (SluiceWork *self, gsize bytes)
{
  bytes = (MAX (bytes, 1) + 15) & ~(gsize) 15;
  if (bytes > self->n_free)
    {
      self->n_free = MAX (bytes, BLOCK_BYTES);
      self->free_bytes = g_malloc0 (self->n_free);
      g_ptr_array_add (self->blocks, self->free_bytes);
    }
  gpointer memory = self->free_bytes;
  self->free_bytes += bytes;
  self->n_free -= bytes;
  return memory;
}

SluiceWorkNode *
sluice_work_add (SluiceWork *self, SluiceWorkKind kind, const SluiceNode *origin, guint device)
{
  SluiceWorkNode *node = sluice_work_alloc (self, sizeof *node);
  node->kind = kind;
  node->origin = origin;
  node->device = device;
  node->index = self->nodes->len;
  g_ptr_array_add (self->nodes, node);
  return node;
}

void
sluice_work_add_control (SluiceWork *self, SluiceWorkNode *node, SluiceWorkNode *before)
{
  for (guint i = 0; i < node->n_controls; i++)
    if (node->controls[i] == before)
      return;
  SluiceWorkNode **controls =
      sluice_work_alloc (self, (node->n_controls + 1) * sizeof (SluiceWorkNode *));
  if (node->n_controls)
    memcpy (controls, node->controls, node->n_controls * sizeof (SluiceWorkNode *));
  controls[node->n_controls++] = before;
  node->controls = controls;
}

static void
reach (GPtrArray *stack, SluiceWorkNode *node)
{
  if (node && !node->mark)
    {
      node->mark = 1;
      g_ptr_array_add (stack, node);
    }
}

void
sluice_work_sweep (SluiceWork *self)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  for (guint i = 0; i < self->nodes->len; i++)
    ((SluiceWorkNode *) self->nodes->pdata[i])->mark = 0;
  for (guint i = 0; i < self->n_fetches; i++)
    reach (stack, self->fetches[i].node);
  for (guint i = 0; i < self->n_targets; i++)
    reach (stack, self->targets[i]);
  while (stack->len)
    {
      SluiceWorkNode *node = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      for (guint i = 0; i < node->n_inputs; i++)
        reach (stack, node->inputs[i].node);
      for (guint i = 0; i < node->n_controls; i++)
        reach (stack, node->controls[i]);
    }
  guint kept = 0;
  for (guint i = 0; i < self->nodes->len; i++)
    {
      SluiceWorkNode *node = self->nodes->pdata[i];
      if (node->mark)
        {
          node->index = kept;
          self->nodes->pdata[kept++] = node;
          continue;
        }
      for (guint k = 0; node->values && k < node->origin->n_outputs; k++)
        sluice_tensor_unref (node->values[k]);
    }
  g_ptr_array_set_size (self->nodes, (int) kept);
}

typedef struct
{
  GPtrArray *order;
  GPtrArray *stack;   /* of nodes entered and not left: an own stack, chains are long */
  GArray *next_input; /* of guint: the input to look at next, beside the stack */
} Sort;

/* The predecessor of a node that stands at `i`, data inputs first; NULL where there is none there.
 */
static SluiceWorkNode *
predecessor (const SluiceWorkNode *node, guint i)
{
  SluiceWorkNode *before =
      i < node->n_inputs ? node->inputs[i].node : node->controls[i - node->n_inputs];
  return sluice_work_is_back_edge (before) ? NULL : before;
}

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
      SluiceWorkNode *before = predecessor (node, (*next)++);
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

SluiceDType
sluice_work_dtype (const SluiceWork *self, SluiceWorkEdge edge)
{
  if (!edge.node)
    return sluice_dtype_base (sluice_edge_dtype (self->feeds[edge.port]));
  if (edge.node->kind == SLUICE_WORK_SEND || edge.node->kind == SLUICE_WORK_RECV
      || edge.node->kind == SLUICE_WORK_FEED)
    return sluice_dtype_base (edge.node->origin->outputs[edge.node->port].dtype);
  if (edge.node->n_outputs) /* of a region */
    return edge.node->outputs[edge.port]->origin->outputs[0].dtype;
  return edge.node->origin->outputs[edge.port].dtype;
}

const SluiceKernel *
sluice_work_find_kernel (const SluiceWorkNode *node, SluiceDevice *const *devices, int max_rank)
{
  const SluiceDeviceClass *klass = devices[node->device]->klass;
  return klass->computes && node->kind == SLUICE_WORK_OP && node->origin->op
             ? sluice_kernel_find (node->origin, klass->type, max_rank, NULL)
             : NULL;
}

double
sluice_output_bytes (const SluiceOutput *output, double unknown_dim)
{
  if (sluice_dtype_is_ref (output->dtype))
    return 0;
  double bytes = sluice_dtype_size (output->dtype);
  for (int i = 0; i < output->shape.rank; i++)
    bytes *= output->shape.dim[i] < 0 ? unknown_dim : (double) output->shape.dim[i];
  return bytes;
}

gboolean
sluice_node_takes_ref (const SluiceNode *node, guint input)
{
  if (!node->op)
    return FALSE;
  for (guint i = 0; i < node->op->n_inputs; i++)
    {
      const SluiceArg *arg = &node->op->inputs[i];
      guint n = 1;
      if (arg->number_attr)
        n = (guint) sluice_node_get_int (node, arg->number_attr);
      else if (arg->list_attr)
        n = sluice_node_get_attr (node, arg->list_attr)->list.n;
      if (input < n)
        return arg->is_ref;
      input -= n;
    }
  return FALSE;
}

/* Roles whose meaning is more than their values, or whose kernels need a step. */
static gboolean
is_more_than_values (SluiceRole role)
{
  switch (role)
    {
    case SLUICE_ROLE_PLACEHOLDER:
    case SLUICE_ROLE_NO_OP:
    case SLUICE_ROLE_VARIABLE:
    case SLUICE_ROLE_RESOURCE_HANDLE:
    case SLUICE_ROLE_SWITCH:
    case SLUICE_ROLE_MERGE:
    case SLUICE_ROLE_ENTER:
    case SLUICE_ROLE_EXIT:
    case SLUICE_ROLE_NEXT_ITERATION:
    case SLUICE_ROLE_LOOP_COND:
    case SLUICE_ROLE_CONTROL_TRIGGER:
    case SLUICE_ROLE_SEND:
    case SLUICE_ROLE_RECV:
    case SLUICE_ROLE_SUMMARY:
    case SLUICE_ROLE_MERGE_SUMMARY:
      return TRUE;
    default:
      return FALSE;
    }
}

/* A reference, a resource, or what only kernels of a step know how to hold. */
static gboolean
is_no_value (SluiceDType dtype)
{
  return sluice_dtype_is_ref (dtype) || dtype == SLUICE_RESOURCE || dtype == SLUICE_VARIANT;
}

gboolean
sluice_node_only_computes (const SluiceNode *node)
{
  if (node->error || node->n_outputs == 0 || sluice_node_is_stateful (node)
      || is_more_than_values (sluice_node_get_role (node)))
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (sluice_node_takes_ref (node, i))
      return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (is_no_value (node->outputs[i].dtype))
      return FALSE;
  return TRUE;
}

gboolean
sluice_node_hands_on (const SluiceNode *node)
{
  switch (sluice_node_get_role (node))
    {
    case SLUICE_ROLE_IDENTITY:
    case SLUICE_ROLE_STOP_GRADIENT:
    case SLUICE_ROLE_RESHAPE:
    case SLUICE_ROLE_SWITCH:
    case SLUICE_ROLE_MERGE:
    case SLUICE_ROLE_ENTER:
    case SLUICE_ROLE_EXIT:
    case SLUICE_ROLE_NEXT_ITERATION:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
sluice_work_takes_values (const SluiceWork *self, const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (is_no_value (sluice_work_dtype (self, node->inputs[i])))
      return FALSE;
  return TRUE;
}
