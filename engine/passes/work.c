/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/work.h"

#include "engine/passes/fit.h"

#include "engine/passes/analysis.h"

#define BLOCK_BYTES (64 * 1024)

SluiceWork *
sluice_work_new (SluiceDevice *const *devices, int max_rank)
{
  SluiceWork *self = g_new0 (SluiceWork, 1);
  self->devices = devices;
  self->max_rank = max_rank;
  self->nodes = g_ptr_array_new ();
  self->calls = g_array_new (FALSE, FALSE, sizeof (SluiceWorkCall));
  self->transfers = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_transfer_unref);
  self->blocks = g_ptr_array_new_with_free_func (g_free);
  return self;
}

static void
drop_values (SluiceWorkNode *node)
{
  for (guint i = 0; node->kind == SLUICE_WORK_CONST && i < node->origin->n_outputs; i++)
    sluice_tensor_unref (node->values[i]);
}

void
sluice_work_free (SluiceWork *self)
{
  if (!self)
    return;
  sluice_analysis_free (self->analysis);
  g_clear_pointer (&self->fit, sluice_fit_report_free);
  for (guint i = 0; i < self->nodes->len; i++)
    drop_values (self->nodes->pdata[i]);
  g_ptr_array_unref (self->nodes);
  g_array_unref (self->calls);
  g_ptr_array_unref (self->transfers);
  g_ptr_array_unref (self->blocks);
  g_clear_pointer (&self->frames, g_array_unref);
  g_clear_pointer (&self->schedule, g_ptr_array_unref);
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
  sluice_work_touch (self);
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
  sluice_work_touch (self);
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
        }
      else
        drop_values (node);
    }
  g_ptr_array_set_size (self->nodes, (int) kept);
  sluice_work_touch (self);
}

SluiceDType
sluice_work_dtype (const SluiceWork *self, SluiceWorkEdge edge)
{
  if (!edge.node)
    return sluice_dtype_base (sluice_edge_dtype (self->feeds[edge.port]));
  const SluiceOutput *outputs = edge.node->origin->outputs;
  const SluiceWorkRegion *region = sluice_work_get_region (edge.node);
  if (region)
    return region->outputs[edge.port]->origin->outputs[0].dtype;
  switch (edge.node->kind)
    {
    case SLUICE_WORK_SEND:
    case SLUICE_WORK_RECV:
      return sluice_dtype_base (outputs[edge.node->port].dtype);
    case SLUICE_WORK_FEED:
      return sluice_dtype_base (outputs[edge.node->end.port].dtype);
    default:
      return outputs[edge.port].dtype;
    }
}

const SluiceKernel *
sluice_work_find_kernel (const SluiceWork *self, SluiceWorkNode *node)
{
  if (node->kind != SLUICE_WORK_OP)
    return NULL;
  if (!node->has_kernel)
    {
      const SluiceDeviceClass *klass = self->devices[node->device]->klass;
      node->has_kernel = TRUE;
      if (klass->computes && node->origin->op)
        node->kernel = sluice_device_class_find_kernel (klass, node->origin, self->max_rank, NULL);
    }
  return node->kernel;
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
      || sluice_node_get_traits (node)->is_more_than_values)
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
sluice_work_takes_values (const SluiceWork *self, const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (is_no_value (sluice_work_dtype (self, node->inputs[i])))
      return FALSE;
  return TRUE;
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
  return node->kind == SLUICE_WORK_OP && !node->is_kept && sluice_node_only_computes (node->origin)
         && sluice_work_takes_values (work, node)
         && !(node->origin->op->def->flags & SLUICE_OP_CHECKS) && !is_pivot (node);
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
