/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Nodes that run no kernel: constants, transfers, and everything on a device that computes nothing.
 */
#include "engine/runtime/step/frame.h"

/* On a device that computes nothing: outputs of the static shapes; references are handed on. */
static gboolean
make_outputs (SluiceWorker *w,
              const SluicePlanNode *node,
              SluiceValue *inputs,
              SluiceValue *outputs)
{
  const guint8 *flags = w->plan->slot_flags + node->first_input;
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const SluiceOutput *output = &node->origin->outputs[i];
      if (sluice_dtype_is_ref (output->dtype))
        {
          for (guint k = 0; k < node->n_inputs && !outputs[i].ref; k++)
            if (flags[k] & SLUICE_SLOT_REF)
              outputs[i].ref = (SluiceVariable *) sluice_resource_ref (&inputs[k].ref->parent);
          if (outputs[i].ref)
            continue;
          sluice_worker_fail_node (w, node, SLUICE_ERROR_UNIMPLEMENTED,
                                   "makes a reference, which a device without kernels cannot");
          return FALSE;
        }
      SluiceShape shape = output->shape;
      shape.rank = MAX (shape.rank, 0);
      for (int k = 0; k < shape.rank; k++)
        shape.dim[k] = shape.dim[k] < 0 ? 1 : shape.dim[k];
      GError *error = NULL;
      outputs[i].tensor = sluice_tensor_new_checked (
          w->step->env.devices[node->device]->allocator, output->dtype, &shape,
          (SluiceOwner){ node->origin_id, node->memory_class }, &error);
      if (error)
        {
          sluice_worker_fail_with (w, node, error);
          return FALSE;
        }
      if (!outputs[i].tensor->buffer && !sluice_dtype_is_managed (output->dtype))
        memset (outputs[i].tensor->data, 0, sluice_tensor_bytes (outputs[i].tensor));
    }
  return TRUE;
}

void
sluice_worker_truncate (void *to, const void *from, gint64 n)
{
  const guint32 *bits = from;
  guint32 *out = to;
  for (gint64 i = 0; i < n; i++)
    out[i] = bits[i] & 0xffff0000u;
}

static void
truncate_floats (SluiceWorker *w, const SluicePlanNode *node, SluiceTensor **tensor)
{
  SluiceTensor *from = *tensor, *to = from;
  if (!sluice_tensor_is_exclusive (from))
    {
      GError *error = NULL;
      to = sluice_tensor_new_checked (
          w->step->env.devices[node->device]->allocator, SLUICE_FLOAT, &from->shape,
          (SluiceOwner){ node->origin_id, SLUICE_MEMORY_TRANSFER }, &error);
      if (error)
        {
          sluice_worker_fail_with (w, node, error);
          return;
        }
    }
  sluice_worker_truncate (to->data, from->data, from->n_elements);
  if (to != from)
    {
      sluice_tensor_unref (from);
      *tensor = to;
    }
}

/* Its edges end in another frame or iteration. */
static void
run_frame_node (
    SluiceWorker *w, guint32 i, const SluicePlanNode *node, SluiceValue *inputs, gboolean is_dead)
{
  SluiceActivation *act = w->act;
  if (!is_dead)
    w->now += look_locked (w, node, inputs, inputs);
  guint64 start = w->now;
  if (!w->step->is_stopping)
    sluice_worker_move (w, node, is_dead);
  if (is_dead)
    sluice_worker_drop_inputs (w->plan, node, inputs);
  else
    release_inputs (w->plan, node, inputs);
  act->remaining--;
  w->now = sluice_clock_ticks ();
  stamp (w, act, i, node, start, w->now,
         (SluiceStamp){ .label = node->origin_id, .lane = w->lane });
  w->step->n_run += !is_dead;
}

/* Its value never comes. What does not wait for it goes on, and the step fails at its end. */
static void
note_unfed (SluiceWorker *w, const SluicePlanNode *node)
{
  if (!w->step->error)
    sluice_node_fail (node->origin, &w->step->error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "feed a value for this placeholder");
}

/* A node without a kernel, or one on a device that computes nothing. */
void
sluice_worker_run_built_in (SluiceWorker *w,
                            guint32 i,
                            const SluicePlanNode *node,
                            gboolean is_dead)
{
  SluiceValue *inputs = inputs_of (w->act, node);
  if (node->flags & SLUICE_PLAN_ODD_INPUTS && !is_dead)
    {
      GError *error = sluice_worker_read_references (w->step, node, inputs);
      if (error)
        sluice_worker_fail_with (w, node, error);
    }
  if (node->flags & (SLUICE_PLAN_ENTER | SLUICE_PLAN_EXIT | SLUICE_PLAN_NEXT))
    {
      run_frame_node (w, i, node, inputs, is_dead);
      return;
    }
  if (node->flags & SLUICE_PLAN_QUEUED && !is_dead && node->n_outputs)
    {
      sluice_worker_enqueue (w, i, node);
      return;
    }
  w->units_in = is_dead ? 0 : input_units (w->plan, node, inputs);
  if (node->flags & SLUICE_PLAN_CONST)
    for (guint k = 0; k < node->n_outputs; k++)
      w->outputs[k].tensor = sluice_tensor_ref (w->plan->constants[node->first_constant + k]);
  else if (node->flags & (SLUICE_PLAN_SEND | SLUICE_PLAN_RECV))
    {
      if (node->n_outputs)
        w->outputs[0] = take_input (w->plan, node, inputs);
      if (node->flags & SLUICE_PLAN_TRUNCATE && w->outputs[0].tensor)
        truncate_floats (w, node, &w->outputs[0].tensor);
    }
  else if (node->flags & SLUICE_PLAN_UNFED)
    {
      note_unfed (w, node);
      return;
    }
  else if (node->flags & SLUICE_PLAN_VIRTUAL && !w->step->is_stopping)
    make_outputs (w, node, inputs, w->outputs);
  if (!is_dead)
    w->now += look_locked (w, node, inputs, w->outputs);
  if (is_dead)
    sluice_worker_drop_inputs (w->plan, node, inputs);
  else
    release_inputs (w->plan, node, inputs);
  if (w->step->is_stopping)
    sluice_worker_drop_outputs (node, w->outputs);
  else
    end_node (w, i, node, trace_label (w->plan, node), is_dead);
}
