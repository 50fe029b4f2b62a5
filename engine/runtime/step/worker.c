/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/step/worker.h"

#include "engine/device/readers.h"
#include "engine/device/rendezvous.h"
#include "engine/runtime/debug/debugger-run.h"

static void
stop_in_flight (SluiceStep *step)
{
  for (SluiceInFlightCall *in_flight = step->in_flight; in_flight;
       in_flight = in_flight->next_in_flight)
    if (in_flight->call.kernel && in_flight->call.kernel->cancel)
      in_flight->call.kernel->cancel (&in_flight->call);
}

/* Who waits for a value hears that it will not come, here or on another machine. */
static void
abort_meetings (SluiceStep *step)
{
  if (!step->env.rendezvous)
    return;
  g_autoptr (GError) status =
      step->error ? g_error_copy (step->error)
                  : g_error_new (SLUICE_ERROR, SLUICE_ERROR_CANCELLED, "the run was cancelled");
  sluice_rendezvous_abort (step->env.rendezvous, step->env.epoch, status);
}

void
sluice_step_stop (SluiceStep *step)
{
  if (step->is_stopping)
    return;
  step->is_stopping = TRUE;
  atomic_store (&step->cancelled, 1);
  stop_in_flight (step);
  abort_meetings (step);
}

/* The first error wins; what follows from it is dropped. */
void
sluice_step_fail (SluiceStep *step, GError *take)
{
  if (step->error)
    g_error_free (take);
  else
    step->error = take;
  sluice_step_stop (step);
}

/* What is sent is of no node in the graph: its name says between which devices. */
static void
say_transfer (const SluicePlan *plan, const SluicePlanNode *node, GError *error)
{
  if (!(node->flags & (SLUICE_PLAN_SEND | SLUICE_PLAN_RECV)))
    return;
  const SluiceTransfer *transfer = plan->transfers->pdata[node->first_constant];
  char *message = g_strdup_printf ("%s, on the way as '%s'", error->message, transfer->text);
  g_free (error->message);
  error->message = message;
}

void
sluice_worker_fail_with (SluiceWorker *w, const SluicePlanNode *node, GError *take)
{
  sluice_node_sign_error (node->origin, &take);
  sluice_error_set_place (
      take, &(SluiceErrorPlace){ .device = w->step->env.devices[node->device]->name });
  say_transfer (w->plan, node, take);
  sluice_step_fail (w->step, take);
}

void
sluice_worker_fail_node (SluiceWorker *w,
                         const SluicePlanNode *node,
                         SluiceError code,
                         const char *what)
{
  sluice_worker_fail_with (w, node, sluice_node_error_new (node->origin, code, "%s", what));
}

/* Two nodes of one shared_name may make a variable, on two devices. A transfer finds it wherever it
 * is. (transfer full) (nullable) */
static GError *
check_place (const SluiceStep *step,
             const SluicePlanNode *node,
             const SluiceVariable *variable,
             const SluiceTensor *tensor)
{
  const SluiceDevice *there = sluice_tensor_get_device (tensor);
  const SluiceDevice *here = step->env.devices[node->device];
  if (node->kernel == NULL || there == here)
    return NULL;
  return sluice_node_error_new (node->origin, SLUICE_ERROR_INVALID_ARGUMENT,
                                "variable '%s' lies in the memory of %s, and this node stands on "
                                "%s: all nodes of a variable must ask for one device",
                                variable->name, there->short_name, here->short_name);
}

/* Variables become their values where values are wanted. Sees what an update in place wrote last.
 */
GError *
sluice_worker_read_references (const SluiceStep *step,
                               const SluicePlanNode *node,
                               SluiceValue *inputs)
{
  const SluicePlan *plan = step->plan;
  const guint8 *flags = plan->slot_flags + node->first_input;
  GError *missing = NULL;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (!inputs[i].tensor || !(flags[i] & (SLUICE_SLOT_REF | SLUICE_SLOT_READ)))
        continue;
      if (flags[i] & SLUICE_SLOT_REF && node->flags & SLUICE_PLAN_UNINITIALIZED)
        continue;
      SluiceVariable *variable = inputs[i].ref;
      SluiceTensor *tensor = sluice_variable_dup_tensor (variable);
      if (!tensor && !missing)
        missing = sluice_node_error_new (node->origin, SLUICE_ERROR_FAILED_PRECONDITION,
                                         "variable '%s' is not initialised; run its initializer "
                                         "first",
                                         variable->name);
      else if (tensor && G_UNLIKELY (sluice_tensor_is_far (tensor)) && !missing)
        missing = check_place (step, node, variable, tensor);
      if (flags[i] & SLUICE_SLOT_READ)
        {
          inputs[i].tensor = tensor;
          sluice_resource_unref (&variable->parent);
        }
      else if (tensor)
        sluice_tensor_unref (tensor);
    }
  return missing;
}

/* A dead node drops what the living side of its inputs brought. */
void
sluice_worker_drop_inputs (const SluicePlan *plan, const SluicePlanNode *node, SluiceValue *inputs)
{
  const guint8 *flags = plan->slot_flags + node->first_input;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (!inputs[i].tensor || flags[i] & SLUICE_SLOT_KEPT)
        continue;
      if (flags[i] & (SLUICE_SLOT_REF | SLUICE_SLOT_READ))
        sluice_resource_unref (&inputs[i].ref->parent);
      else
        sluice_tensor_unref (inputs[i].tensor);
      inputs[i].tensor = NULL;
    }
}

void
sluice_worker_drop_outputs (const SluicePlanNode *node, SluiceValue *outputs)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (outputs[i].tensor)
      {
        release_output (node, i, outputs[i]);
        outputs[i].tensor = NULL;
      }
}

/* After the kernel: TRUE where the node may propagate. */
gboolean
sluice_worker_check_call (SluiceWorker *w,
                          const SluicePlanNode *node,
                          SluiceKernelCall *call,
                          gboolean ok)
{
  if (G_UNLIKELY (!ok || call->error))
    {
      GError *error = g_steal_pointer (&call->error);
      if (!error)
        error = sluice_node_error_new (node->origin, SLUICE_ERROR_INTERNAL,
                                       SLUICE_FAILED_WITHOUT_A_WORD);
      sluice_worker_fail_with (w, node, error);
      return FALSE;
    }
  if (node->flags & (SLUICE_PLAN_MAY_LEAVE_DEAD | SLUICE_PLAN_QUEUED))
    return TRUE; /* or its queue has looked */
  for (guint i = 0; i < node->n_outputs; i++)
    if (G_UNLIKELY (!call->outputs[i].tensor && sluice_call_is_read (call, i)))
      {
        sluice_worker_fail_node (w, node, SLUICE_ERROR_INTERNAL, SLUICE_UNSET_OUTPUT);
        return FALSE;
      }
  return TRUE;
}

/* One edge into a Merge: ready at the first live input, or when all inputs are dead. A dead Enter
 * (or what a device received of one) is enough: the iterations that could bring another value never
 * start. */
static void
arrive_at_merge (SluiceWorker *w,
                 SluiceActivation *act,
                 const SluicePlanEdge *edge,
                 SluiceValue value,
                 gboolean is_control,
                 gboolean is_enter)
{
  guint32 *pending = &act->pending[edge->node], *dead = &act->dead[edge->node];
  guint32 before = *pending, n_inputs = act->nodes[edge->node].n_inputs;
  if (is_control)
    *pending -= 2;
  else if (value.tensor)
    *pending &= ~1u;
  else
    {
      *dead = is_enter && before & 1 ? n_inputs : *dead + 1;
      if (*dead == n_inputs)
        *pending &= ~1u;
    }
  if (*pending == 0 && before != 0)
    make_ready (w, act, edge->node);
}

/* One edge, with dead values. is_dead: the node did not run. A call an edge is a twentieth of what
 * a loop's iteration takes. */
static inline __attribute__ ((always_inline)) void
propagate_mixed_edge (SluiceWorker *w,
                      SluiceActivation *act,
                      const SluicePlanNode *node,
                      const SluicePlanEdge *edge,
                      SluiceValue *outputs,
                      gboolean is_dead)
{
  gboolean is_control = edge->slot == SLUICE_PLAN_NOWHERE;
  SluiceValue value = { NULL };
  gboolean is_merge =
      edge->node != SLUICE_PLAN_NOWHERE && act->nodes[edge->node].flags & SLUICE_PLAN_MERGE;
  if (!is_control && !is_dead && outputs[edge->port].tensor)
    {
      /* A second live input of a Merge is of no use: it has its value. */
      if (is_merge && !(act->pending[edge->node] & 1))
        return;
      value = hand_on (node, edge, outputs);
      act->slots[edge->slot] = value;
    }
  if (edge->node == SLUICE_PLAN_NOWHERE)
    return;
  if (is_merge)
    {
      arrive_at_merge (w, act, edge, value, is_control, node->flags & SLUICE_PLAN_ENTERED);
      return;
    }
  if (is_dead || (!is_control && !value.tensor))
    act->dead[edge->node]++;
  if (--act->pending[edge->node] == 0)
    make_ready (w, act, edge->node);
}

void
sluice_worker_propagate_mixed (SluiceWorker *w,
                               SluiceActivation *act,
                               const SluicePlanNode *node,
                               SluiceValue *outputs,
                               gboolean is_dead)
{
  const SluicePlanEdge *edge = w->plan->edges + node->first_edge, *end = edge + node->n_edges;
  for (; edge < end; edge++)
    propagate_mixed_edge (w, act, node, edge, outputs, is_dead);
}

void
sluice_worker_count_ahead (SluiceWorker *w, SluiceActivation *act, const SluicePlanNode *node)
{
  const SluicePlanEdge *edge = w->plan->edges + node->first_edge, *end = edge + node->n_edges;
  for (; edge < end; edge++)
    if (edge->ahead)
      count_down (w, act, edge->node);
}

static void
propagate_edge (SluiceWorker *w,
                SluiceActivation *act,
                const SluicePlanNode *node,
                const SluicePlanEdge *edge,
                SluiceValue *outputs)
{
  if (w->plan->has_dead)
    {
      propagate_mixed_edge (w, act, node, edge, outputs, FALSE);
      return;
    }
  if (edge->slot != SLUICE_PLAN_NOWHERE)
    act->slots[edge->slot] = hand_on (node, edge, outputs);
  if (edge->node != SLUICE_PLAN_NOWHERE)
    count_down (w, act, edge->node);
}

void
sluice_worker_propagate_rest (SluiceWorker *w,
                              SluiceActivation *act,
                              const SluicePlanNode *node,
                              SluiceValue *outputs)
{
  const SluicePlanEdge *edge = w->plan->edges + node->first_edge, *end = edge + node->n_edges;
  for (; edge < end; edge++)
    if (!edge->ahead)
      propagate_edge (w, act, node, edge, outputs);
  sluice_worker_drop_outputs (node, outputs);
  act->remaining--;
}

guint64
sluice_worker_look (SluiceWorker *w,
                    const SluicePlanNode *node,
                    const SluiceValue *inputs,
                    SluiceValue *outputs)
{
  guint64 ticks = look_at (w->step, w->act, node, inputs, outputs);
  if (w->step->debug)
    ticks += sluice_debug_look (w->step->debug, w, w->act, node, outputs);
  return ticks;
}
