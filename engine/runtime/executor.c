/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Runs the nodes of a step. See step.h for who owns what; invariants:
 * - slots of a node are written by its producers before its count reaches zero, then belong to it;
 * - between steps every slot is empty but for kept constants;
 * - every node ends exactly once, dead or alive, and each of its edges is counted down then;
 * - the caller returns only when nothing flies and no helper is inside.
 */
#include <sched.h>

#include "engine/runtime/guard.h"
#include "engine/runtime/lanes.h"
#include "engine/runtime/step.h"

#define GATE_CLOSED (1u << 31)
#define SMALL_NS    2000     /* shorter kernels are never worth another thread */
#define WAKE_NS     50000    /* longer ones are worth waking a thread that sleeps */
#define SPIN_NS     20000    /* before a caller that waits for others sleeps */
#define POLL_NS     20000000 /* how often a sleeping caller looks at a foreign cancel flag */

/* A thread that runs nodes of the step. */
typedef struct
{
  SluiceStep *step;
  const SluicePlan *plan;
  SluiceTraceRing *ring;
  guint lane;
  gboolean is_caller;
  guint64 now; /* the last time stamp read */
  guint64 small_ticks, wake_ticks;
  SluiceKernelCall call; /* what stays the same for every node is set once */
  SluiceValue *outputs;
} Worker;

/* ---- errors ---- */

static void
stop_flights (SluiceStep *step)
{
  for (SluiceFlight *flight = step->flying; flight; flight = flight->next_flying)
    if (flight->call.kernel->cancel)
      flight->call.kernel->cancel (&flight->call);
}

/* The first error wins; what follows from it is dropped. */
static void
fail (SluiceStep *step, GError *take)
{
  if (step->error)
    g_error_free (take);
  else
    step->error = take;
  if (step->is_stopping)
    return;
  step->is_stopping = TRUE;
  atomic_store (&step->cancelled, 1);
  stop_flights (step);
}

static void
fail_node (SluiceStep *step, const SluicePlanNode *node, SluiceErrorCode code, const char *what)
{
  fail (step, g_error_new (SLUICE_ERROR, code, "%s '%s': %s", node->origin->op_name,
                           node->origin->name, what));
}

static inline gboolean
is_cancelled (SluiceStep *step)
{
  return atomic_load_explicit (&step->cancelled, memory_order_relaxed)
         || (step->env.cancel_flag
             && atomic_load_explicit (step->env.cancel_flag, memory_order_relaxed));
}

/* ---- values ---- */

static inline void
release_output (const SluicePlanNode *node, guint port, SluiceValue value)
{
  if (node->flags & SLUICE_PLAN_REF_OUTPUTS
      && sluice_dtype_is_ref (node->origin->outputs[port].dtype))
    sluice_resource_unref (&value.ref->parent);
  else
    sluice_tensor_unref (value.tensor);
}

static inline SluiceValue
share (const SluicePlanNode *node, guint port, SluiceValue value)
{
  if (node->flags & SLUICE_PLAN_REF_OUTPUTS
      && sluice_dtype_is_ref (node->origin->outputs[port].dtype))
    sluice_resource_ref (&value.ref->parent);
  else
    sluice_tensor_ref (value.tensor);
  return value;
}

/* After read_references() a slot holds a variable only where SLOT_REF says so. */
static inline void
release_inputs (const SluicePlan *plan, const SluicePlanNode *node, SluiceValue *inputs)
{
  if (!(node->flags & SLUICE_PLAN_ODD_INPUTS))
    {
      for (guint i = 0; i < node->n_inputs; i++)
        if (inputs[i].tensor)
          {
            sluice_tensor_unref (inputs[i].tensor);
            inputs[i].tensor = NULL;
          }
      return;
    }
  const guint8 *flags = plan->slot_flags + node->first_input;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (!inputs[i].tensor || flags[i] & SLUICE_SLOT_KEPT)
        continue;
      if (flags[i] & SLUICE_SLOT_REF)
        sluice_resource_unref (&inputs[i].ref->parent);
      else
        sluice_tensor_unref (inputs[i].tensor);
      inputs[i].tensor = NULL;
    }
}

/* Variables become their values where values are wanted. Sees what an update in place wrote last.
 */
static GError *
read_references (const SluicePlan *plan, const SluicePlanNode *node, SluiceValue *inputs)
{
  const guint8 *flags = plan->slot_flags + node->first_input;
  const char *missing = NULL;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (!inputs[i].tensor || !(flags[i] & (SLUICE_SLOT_REF | SLUICE_SLOT_READ)))
        continue;
      if (flags[i] & SLUICE_SLOT_REF && node->flags & SLUICE_PLAN_UNINITIALIZED)
        continue;
      SluiceVariable *variable = inputs[i].ref;
      SluiceTensor *tensor = sluice_variable_dup_tensor (variable);
      if (!tensor)
        missing = g_intern_string (variable->name);
      if (flags[i] & SLUICE_SLOT_READ)
        {
          inputs[i].tensor = tensor;
          sluice_resource_unref (&variable->parent);
        }
      else if (tensor)
        sluice_tensor_unref (tensor);
    }
  if (!missing)
    return NULL;
  return g_error_new (SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION,
                      "%s '%s': variable '%s' is not initialised; run its initializer first",
                      node->origin->op_name, node->origin->name, missing);
}

/* A dead node drops what the living side of its inputs brought. */
static void
drop_inputs (const SluicePlan *plan, const SluicePlanNode *node, SluiceValue *inputs)
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

/* ---- propagation ---- */

static inline void
make_ready (Worker *w, guint32 i)
{
  w->step->scheduled[i] = w->now;
  sluice_ready_add (&w->step->ready, i);
}

/* Plans without dead values: every count goes down by one. */
static inline void
propagate_live (Worker *w, const SluicePlanNode *node, SluiceValue *outputs)
{
  SluiceStep *step = w->step;
  const SluicePlanEdge *edge = w->plan->edges + node->first_edge, *end = edge + node->n_edges;
  for (; edge < end; edge++)
    {
      if (edge->slot != SLUICE_PLAN_NOWHERE)
        {
          SluiceValue value = outputs[edge->port];
          if (edge->last)
            outputs[edge->port].tensor = NULL;
          else
            value = share (node, edge->port, value);
          step->slots[edge->slot] = value;
          if (edge->node == SLUICE_PLAN_NOWHERE)
            continue;
        }
      if (--step->pending[edge->node] == 0)
        make_ready (w, edge->node);
    }
}

/* One edge into a Merge: ready at the first live input, or when all inputs are dead. */
static void
arrive_at_merge (Worker *w, const SluicePlanEdge *edge, SluiceValue value, gboolean is_control)
{
  SluiceStep *step = w->step;
  guint32 *pending = &step->pending[edge->node];
  guint32 before = *pending;
  if (is_control)
    *pending -= 2;
  else if (value.tensor)
    *pending &= ~1u;
  else if (++step->dead[edge->node] == w->plan->nodes[edge->node].n_inputs)
    *pending &= ~1u;
  if (*pending == 0 && before != 0)
    make_ready (w, edge->node);
}

/* With dead values. is_dead: the node did not run. */
static void
propagate_mixed (Worker *w, const SluicePlanNode *node, SluiceValue *outputs, gboolean is_dead)
{
  SluiceStep *step = w->step;
  const SluicePlanEdge *edge = w->plan->edges + node->first_edge, *end = edge + node->n_edges;
  for (; edge < end; edge++)
    {
      gboolean is_control = edge->slot == SLUICE_PLAN_NOWHERE;
      SluiceValue value = { NULL };
      gboolean is_merge =
          edge->node != SLUICE_PLAN_NOWHERE && w->plan->nodes[edge->node].flags & SLUICE_PLAN_MERGE;
      if (!is_control && !is_dead && outputs[edge->port].tensor)
        {
          /* A second live input of a Merge is of no use: it has its value. */
          if (!is_merge || step->pending[edge->node] & 1)
            {
              value =
                  edge->last ? outputs[edge->port] : share (node, edge->port, outputs[edge->port]);
              step->slots[edge->slot] = value;
              if (edge->last)
                outputs[edge->port].tensor = NULL;
            }
          else
            continue;
        }
      if (edge->node == SLUICE_PLAN_NOWHERE)
        continue;
      if (is_merge)
        {
          arrive_at_merge (w, edge, value, is_control);
          continue;
        }
      if (is_dead || (!is_control && !value.tensor))
        step->dead[edge->node]++;
      if (--step->pending[edge->node] == 0)
        make_ready (w, edge->node);
    }
}

static inline void
propagate (Worker *w, const SluicePlanNode *node, SluiceValue *outputs, gboolean is_dead)
{
  if (G_UNLIKELY (w->plan->has_dead))
    propagate_mixed (w, node, outputs, is_dead);
  else
    propagate_live (w, node, outputs);
  if (node->flags & SLUICE_PLAN_SPARE_OUTPUTS || G_UNLIKELY (w->plan->has_dead))
    for (guint i = 0; i < node->n_outputs; i++)
      if (outputs[i].tensor)
        {
          release_output (node, i, outputs[i]);
          outputs[i].tensor = NULL;
        }
  w->step->remaining--;
}

/* ---- trace ---- */

static inline guint32
output_units (const SluicePlanNode *node, const SluiceValue *outputs)
{
  gsize bytes = 0;
  if (G_LIKELY (!(node->flags & SLUICE_PLAN_REF_OUTPUTS)))
    for (guint i = 0; i < node->n_outputs; i++)
      if (outputs[i].tensor)
        bytes += sluice_tensor_bytes (outputs[i].tensor);
  return (guint32) MIN ((bytes + 63) / 64, G_MAXUINT32);
}

static inline void
stamp (Worker *w, guint32 i, const SluicePlanNode *node, guint32 units, guint64 begin, guint64 end)
{
  SluiceTraceRecord *record = sluice_trace_ring_slot (w->ring);
  record->scheduled = w->step->scheduled[i];
  record->start = begin;
  record->end = end;
  record->node = node->origin_id;
  record->bytes = units;
  record->step = (guint32) w->step->env.number;
  record->iteration = 0;
  record->frame = 0;
  record->kind = (node->flags & SLUICE_PLAN_SEND   ? SLUICE_TRACE_SEND
                  : node->flags & SLUICE_PLAN_RECV ? SLUICE_TRACE_RECV
                                                   : SLUICE_TRACE_NODE)
                 | (guint32) node->device << 8;
  sluice_trace_ring_commit (w->ring);
}

/* ---- nodes that are no kernels ---- */

static void
send_value (Worker *w, const SluicePlanNode *node, SluiceValue *inputs, gboolean is_dead)
{
  SluiceStep *step = w->step;
  SluicePair *pair = &step->pairs[node->first_constant];
  gboolean is_awaited = pair->state == SLUICE_PAIR_AWAITED;
  pair->state = is_dead ? SLUICE_PAIR_SENT_DEAD : SLUICE_PAIR_SENT;
  if (node->n_inputs && !is_dead)
    {
      gboolean is_kept = w->plan->slot_flags[node->first_input] & SLUICE_SLOT_KEPT;
      pair->tensor =
          is_kept ? sluice_tensor_ref (inputs[0].tensor) : g_steal_pointer (&inputs[0].tensor);
    }
  if (is_awaited)
    make_ready (w, w->plan->recv_of_pair[node->first_constant]);
}

/* FALSE: nothing has come yet; the Send will make the node ready again. */
static gboolean
receive_value (Worker *w, const SluicePlanNode *node, SluiceValue *outputs, gboolean *is_dead)
{
  SluicePair *pair = &w->step->pairs[node->first_constant];
  if (pair->state == SLUICE_PAIR_EMPTY)
    {
      pair->state = SLUICE_PAIR_AWAITED;
      return FALSE;
    }
  *is_dead |= pair->state == SLUICE_PAIR_SENT_DEAD;
  if (node->n_outputs)
    outputs[0].tensor = g_steal_pointer (&pair->tensor);
  pair->state = SLUICE_PAIR_EMPTY;
  return TRUE;
}

/* On a device that computes nothing: outputs of the static shapes; references are handed on. */
static gboolean
make_outputs (Worker *w, const SluicePlanNode *node, SluiceValue *inputs, SluiceValue *outputs)
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
          fail_node (w->step, node, SLUICE_ERROR_UNIMPLEMENTED,
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
          fail (w->step, error);
          return FALSE;
        }
      if (!outputs[i].tensor->buffer && !sluice_dtype_is_managed (output->dtype))
        memset (outputs[i].tensor->data, 0, sluice_tensor_bytes (outputs[i].tensor));
    }
  return TRUE;
}

/* ---- kernels ---- */

static void
fill_call (Worker *w, SluiceKernelCall *call, const SluicePlanNode *node, SluiceValue *outputs)
{
  call->node = node->origin;
  call->kernel = node->kernel;
  call->state = node->state;
  call->inputs = w->step->slots + node->first_input;
  call->outputs = outputs;
  call->n_inputs = node->n_inputs;
  call->n_outputs = node->n_outputs;
  call->device = w->step->env.devices[node->device];
  call->owner = (SluiceOwner){ node->origin_id, node->memory_class };
}

static void
drop_outputs (const SluicePlanNode *node, SluiceValue *outputs)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (outputs[i].tensor)
      {
        release_output (node, i, outputs[i]);
        outputs[i].tensor = NULL;
      }
}

/* After the kernel: TRUE where the node may propagate. */
static gboolean
check_call (Worker *w, const SluicePlanNode *node, SluiceKernelCall *call, gboolean ok)
{
  if (G_UNLIKELY (!ok || call->error))
    {
      GError *error = g_steal_pointer (&call->error);
      fail (w->step, error ? error
                           : g_error_new (SLUICE_ERROR, SLUICE_ERROR_INTERNAL,
                                          "%s '%s' failed and did not say why",
                                          node->origin->op_name, node->origin->name));
      return FALSE;
    }
  if (!(node->flags & SLUICE_PLAN_MAY_LEAVE_DEAD))
    for (guint i = 0; i < node->n_outputs; i++)
      if (G_UNLIKELY (!call->outputs[i].tensor))
        {
          fail_node (w->step, node, SLUICE_ERROR_INTERNAL, "the kernel left an output unset");
          return FALSE;
        }
  return TRUE;
}

/* ---- flights ---- */

static SluiceFlight *
take_flight (Worker *w, guint32 i)
{
  SluiceStep *step = w->step;
  SluiceFlight *flight = step->free_flights;
  if (flight)
    step->free_flights = flight->next;
  else
    flight = g_malloc (sizeof (SluiceFlight) + w->plan->max_outputs * sizeof (SluiceValue));
  flight->call = w->call;
  flight->call.error = NULL;
  flight->node = i;
  flight->next = NULL;
  flight->previous_flying = NULL;
  flight->next_flying = step->flying;
  if (step->flying)
    step->flying->previous_flying = flight;
  step->flying = flight;
  step->n_flying++;
  memset (flight->outputs, 0, w->plan->max_outputs * sizeof (SluiceValue));
  fill_call (w, &flight->call, &w->plan->nodes[i], flight->outputs);
  return flight;
}

static void
post (SluiceStep *step, SluiceFlight *flight)
{
  SluiceFlight *head = atomic_load (&step->mailbox);
  do
    flight->next = head;
  while (!atomic_compare_exchange_weak (&step->mailbox, &head, flight));
}

/* From any thread. Under the lock from the post on: the step may end as soon as it is seen, and
 * waits for the lock before it does. */
static void
flight_done (SluiceKernelCall *call)
{
  SluiceFlight *flight = (SluiceFlight *) call;
  SluiceStep *step = call->step;
  flight->end = sluice_clock_ticks ();
  pthread_mutex_lock (&step->wait_lock);
  post (step, flight);
  if (step->caller_sleeps)
    pthread_cond_signal (&step->wait);
  pthread_mutex_unlock (&step->wait_lock);
}

static void
land (Worker *w, SluiceFlight *flight)
{
  SluiceStep *step = w->step;
  const SluicePlanNode *node = &w->plan->nodes[flight->node];
  if (flight->previous_flying)
    flight->previous_flying->next_flying = flight->next_flying;
  else
    step->flying = flight->next_flying;
  if (flight->next_flying)
    flight->next_flying->previous_flying = flight->previous_flying;
  step->n_flying--;
  w->now = flight->end;
  if (!check_call (w, node, &flight->call, TRUE) || step->is_stopping)
    drop_outputs (node, flight->outputs);
  release_inputs (w->plan, node, flight->call.inputs);
  stamp (w, flight->node, node, output_units (node, flight->outputs), flight->start, flight->end);
  step->n_run++;
  if (step->is_stopping)
    drop_outputs (node, flight->outputs);
  else
    propagate (w, node, flight->outputs, FALSE);
  flight->next = step->free_flights;
  step->free_flights = flight;
}

static void
drain_mailbox (Worker *w)
{
  SluiceFlight *flight = atomic_exchange (&w->step->mailbox, NULL);
  while (flight)
    {
      SluiceFlight *next = flight->next;
      land (w, flight);
      flight = next;
    }
  w->now = sluice_clock_ticks ();
}

/* ---- helpers ---- */

static void worker_run (SluiceStep *step, gboolean is_caller);

static gboolean
enter_gate (SluiceStep *step)
{
  guint gate = atomic_load (&step->gate);
  while (!(gate & GATE_CLOSED))
    if (atomic_compare_exchange_weak (&step->gate, &gate, gate + 1))
      return TRUE;
  return FALSE;
}

static void
help (gpointer data)
{
  SluiceStep *step = data;
  if (enter_gate (step))
    {
      worker_run (step, FALSE);
      atomic_fetch_sub (&step->gate, 1);
    }
  atomic_fetch_sub (&step->n_invited, 1);
  sluice_step_unref (step);
}

/* Another node is ready while this thread leaves for a long kernel: who could take it? */
static void
call_for_help (Worker *w, guint64 expected)
{
  SluiceStep *step = w->step;
  if (!w->is_caller)
    {
      atomic_store (&step->calls_for_caller, 1);
      pthread_mutex_lock (&step->wait_lock);
      if (step->caller_sleeps)
        pthread_cond_signal (&step->wait);
      pthread_mutex_unlock (&step->wait_lock);
    }
  if (atomic_load (&step->n_invited) + 1 >= (int) sluice_pool_get_threads ())
    return;
  if (expected < w->wake_ticks && !sluice_pool_has_idle_spinner ())
    return;
  atomic_fetch_add (&step->n_invited, 1);
  atomic_fetch_add (&step->ref_count, 1);
  sluice_pool_submit (help, step);
}

/* ---- the loop ---- */

static inline gboolean
try_own (SluiceStep *step)
{
  int free = 0;
  return atomic_compare_exchange_strong (&step->owned, &free, 1);
}

static inline void
disown (SluiceStep *step)
{
  atomic_store (&step->owned, 0);
}

/* Moving average of what a node costs, in ticks. */
static inline void
learn (const SluicePlan *plan, guint32 i, guint64 ticks)
{
  guint32 old = atomic_load_explicit (&plan->ticks[i], memory_order_relaxed);
  gint64 seen = (gint64) MIN (ticks, G_MAXINT32);
  guint32 new = old ? (guint32) (old + (seen - (gint64) old) / 8) : (guint32) MAX (seen, 1);
  atomic_store_explicit (&plan->ticks[i], new, memory_order_relaxed);
}

/* Runs a long kernel without the baton. FALSE: another thread has it now. */
static gboolean
fly (Worker *w, guint32 i, guint64 expected)
{
  SluiceStep *step = w->step;
  SluiceFlight *flight = take_flight (w, i);
  call_for_help (w, expected);
  disown (step);
  flight->start = sluice_clock_ticks ();
  flight->call.kernel->compute (&flight->call);
  flight->end = sluice_clock_ticks ();
  learn (w->plan, i, flight->end - flight->start);
  post (step, flight);
  return try_own (step);
}

static void
end_dead (Worker *w, guint32 i, const SluicePlanNode *node)
{
  drop_inputs (w->plan, node, w->step->slots + node->first_input);
  propagate (w, node, w->outputs, TRUE);
  stamp (w, i, node, 0, w->now, w->now);
}

/* What is left to do when a node's outputs are there. */
static inline void
end_node (Worker *w, guint32 i, const SluicePlanNode *node, gboolean is_dead)
{
  guint32 units = output_units (node, w->outputs);
  guint64 start = w->now;
  propagate (w, node, w->outputs, is_dead);
  w->now = sluice_clock_ticks ();
  if (!(node->flags & SLUICE_PLAN_CHEAP))
    learn (w->plan, i, w->now - start);
  stamp (w, i, node, units, start, w->now);
  w->step->n_run++;
}

/* A node without a kernel, or one on a device that computes nothing. */
static void
run_built_in (Worker *w, guint32 i, const SluicePlanNode *node, gboolean is_dead)
{
  SluiceValue *inputs = w->step->slots + node->first_input;
  if (node->flags & SLUICE_PLAN_ODD_INPUTS && !is_dead)
    {
      GError *error = read_references (w->plan, node, inputs);
      if (error)
        fail (w->step, error);
    }
  if (node->flags & SLUICE_PLAN_CONST)
    for (guint k = 0; k < node->n_outputs; k++)
      w->outputs[k].tensor = sluice_tensor_ref (w->plan->constants[node->first_constant + k]);
  else if (node->flags & SLUICE_PLAN_SEND && !w->step->is_stopping)
    send_value (w, node, inputs, is_dead);
  else if (node->flags & SLUICE_PLAN_RECV && !receive_value (w, node, w->outputs, &is_dead))
    return;
  else if (node->flags & SLUICE_PLAN_UNFED)
    fail_node (w->step, node, SLUICE_ERROR_INVALID_ARGUMENT, "feed a value for this placeholder");
  else if (node->flags & SLUICE_PLAN_VIRTUAL && !w->step->is_stopping)
    make_outputs (w, node, inputs, w->outputs);
  if (is_dead)
    drop_inputs (w->plan, node, inputs);
  else
    release_inputs (w->plan, node, inputs);
  if (w->step->is_stopping)
    drop_outputs (node, w->outputs);
  else
    end_node (w, i, node, is_dead);
}

/* Worth letting go of the baton? Only where somebody could use it. */
static inline gboolean
should_fly (Worker *w, guint32 i, const SluicePlanNode *node)
{
  return !(node->flags & SLUICE_PLAN_CHEAP) && w->small_ticks
         && atomic_load_explicit (&w->plan->ticks[i], memory_order_relaxed) >= w->small_ticks
         && (w->step->n_flying || !sluice_ready_is_empty (&w->step->ready));
}

/* FALSE: the baton is gone. */
static gboolean
run_kernel (Worker *w, guint32 i, const SluicePlanNode *node)
{
  SluiceStep *step = w->step;
  SluiceValue *inputs = step->slots + node->first_input;
  if (node->flags & SLUICE_PLAN_ODD_INPUTS)
    {
      GError *error = read_references (w->plan, node, inputs);
      if (error)
        {
          release_inputs (w->plan, node, inputs);
          fail (step, error);
          return TRUE;
        }
    }
  gboolean finite = step->env.nan_guard && sluice_guard_inputs (node, w->plan, inputs);
  if (node->flags & SLUICE_PLAN_ASYNC)
    {
      SluiceFlight *flight = take_flight (w, i);
      flight->start = w->now;
      flight->call.done = flight_done;
      node->kernel->start (&flight->call);
      return TRUE;
    }
  if (!step->env.nan_guard && should_fly (w, i, node))
    return fly (w, i, w->plan->ticks[i]);
  w->call.error = NULL;
  fill_call (w, &w->call, node, w->outputs);
  gboolean ok = node->kernel->compute (&w->call);
  ok = check_call (w, node, &w->call, ok);
  if (ok && finite)
    {
      GError *error = sluice_guard_outputs (node, w->plan, inputs, w->outputs);
      ok = !error;
      if (error)
        fail (step, error);
    }
  release_inputs (w->plan, node, inputs);
  if (ok)
    end_node (w, i, node, FALSE);
  else
    drop_outputs (node, w->outputs);
  return TRUE;
}

/* Everything that is ready, and what becomes so. FALSE: the baton is gone. */
static gboolean
run_ready (Worker *w)
{
  SluiceStep *step = w->step;
  const SluicePlan *plan = w->plan;
  guint32 i;
  for (;;)
    {
      if (atomic_load_explicit (&step->mailbox, memory_order_relaxed))
        drain_mailbox (w);
      if (G_UNLIKELY (is_cancelled (step)) && !step->is_stopping)
        fail (step, g_error_new (SLUICE_ERROR, SLUICE_ERROR_CANCELLED, "the run was cancelled"));
      if (G_UNLIKELY (step->is_stopping) || !sluice_ready_take (&step->ready, &i))
        return TRUE;
      const SluicePlanNode *node = &plan->nodes[i];
      if (G_UNLIKELY (plan->has_dead) && step->dead[i] && !(node->flags & SLUICE_PLAN_NEVER_DEAD)
          && (!(node->flags & SLUICE_PLAN_MERGE) || step->dead[i] == node->n_inputs))
        {
          if (node->flags & (SLUICE_PLAN_SEND | SLUICE_PLAN_RECV))
            run_built_in (w, i, node, TRUE);
          else
            end_dead (w, i, node);
        }
      else if (node->flags & SLUICE_PLAN_NO_OP)
        end_node (w, i, node, FALSE);
      else if (!node->kernel)
        run_built_in (w, i, node, FALSE);
      else if (!run_kernel (w, i, node))
        return FALSE;
    }
}

/* Holding the baton, nothing ready: is this the end of the step? */
static void
look_for_end (Worker *w)
{
  SluiceStep *step = w->step;
  if (step->n_flying || atomic_load (&step->mailbox))
    return;
  if (step->remaining && !step->is_stopping)
    fail (step, g_error_new (SLUICE_ERROR, SLUICE_ERROR_INTERNAL,
                             "the step cannot go on: %u nodes wait for values that nobody sends",
                             step->remaining));
  atomic_store (&step->finished, 1);
  if (w->is_caller)
    return;
  pthread_mutex_lock (&step->wait_lock);
  if (step->caller_sleeps)
    pthread_cond_signal (&step->wait);
  pthread_mutex_unlock (&step->wait_lock);
}

/* Works as long as there is something that this thread can do. */
static void
work (Worker *w)
{
  SluiceStep *step = w->step;
  while (!atomic_load (&step->finished) && try_own (step))
    {
      gboolean owns;
      do
        owns = run_ready (w);
      while (!owns && try_own (step));
      if (!owns)
        return;
      look_for_end (w);
      disown (step);
      if (!atomic_load (&step->mailbox))
        return;
    }
}

static gboolean
has_news (SluiceStep *step)
{
  return atomic_load (&step->finished) || atomic_load (&step->mailbox)
         || atomic_load (&step->calls_for_caller);
}

static void
sleep_for_news (SluiceStep *step)
{
  pthread_mutex_lock (&step->wait_lock);
  step->caller_sleeps = TRUE;
  while (!has_news (step) && !is_cancelled (step))
    {
      if (!step->env.cancel_flag)
        {
          pthread_cond_wait (&step->wait, &step->wait_lock);
          continue;
        }
      struct timespec until;
      clock_gettime (CLOCK_MONOTONIC, &until);
      until.tv_nsec += POLL_NS;
      until.tv_sec += until.tv_nsec / 1000000000;
      until.tv_nsec %= 1000000000;
      pthread_cond_timedwait (&step->wait, &step->wait_lock, &until);
    }
  step->caller_sleeps = FALSE;
  pthread_mutex_unlock (&step->wait_lock);
}

/* The caller has nothing to do: others run kernels, or wait. */
static void
wait_for_news (Worker *w)
{
  SluiceStep *step = w->step;
  guint64 spin = (guint64) (SPIN_NS / sluice_clock_ns_per_tick ());
  guint64 since = sluice_clock_ticks ();
  gboolean was_cancelled = is_cancelled (step);
  while (!has_news (step) && sluice_clock_ticks () - since < spin)
    sched_yield ();
  if (!has_news (step) && !was_cancelled)
    sleep_for_news (step);
  else if (!has_news (step))
    g_usleep (1000); /* cancelled already: what flies looks at the flag and ends soon */
  atomic_store (&step->calls_for_caller, 0);
}

static void
worker_run (SluiceStep *step, gboolean is_caller)
{
  g_autofree SluiceValue *outputs_on_heap = NULL;
  SluiceValue outputs[8] = { { NULL } };
  Worker w = { .step = step,
               .plan = step->plan,
               .is_caller = is_caller,
               .outputs = outputs,
               .call = { .resources = step->env.resources,
                         .step = step,
                         .cancelled =
                             step->env.cancel_flag ? step->env.cancel_flag : &step->cancelled,
                         .run_seed = step->env.seed } };
  if (step->plan->max_outputs > G_N_ELEMENTS (outputs))
    w.outputs = outputs_on_heap = g_new0 (SluiceValue, step->plan->max_outputs);
  if (sluice_pool_get_threads () > 1)
    {
      w.small_ticks = (guint64) (SMALL_NS / sluice_clock_ns_per_tick ());
      w.wake_ticks = (guint64) (WAKE_NS / sluice_clock_ns_per_tick ());
    }
  w.ring = sluice_lanes_take (step->env.lanes, &w.lane);
  guint mode = is_caller ? sluice_denormals_flush_begin () : 0;
  w.now = sluice_clock_ticks ();
  work (&w);
  while (is_caller && !atomic_load (&step->finished))
    {
      wait_for_news (&w);
      w.now = sluice_clock_ticks ();
      work (&w);
    }
  if (is_caller)
    sluice_denormals_flush_end (mode);
  sluice_lanes_give_back (step->env.lanes, w.lane);
}

void
sluice_executor_run (SluiceStep *step)
{
  atomic_store (&step->gate, 0);
  worker_run (step, TRUE);
  /* Whoever is inside sees that the step has finished and leaves at once. */
  atomic_fetch_or (&step->gate, GATE_CLOSED);
  while (atomic_load (&step->gate) != GATE_CLOSED)
    sched_yield ();
  /* A foreign thread that posted last may still be under the lock. */
  pthread_mutex_lock (&step->wait_lock);
  pthread_mutex_unlock (&step->wait_lock);
}
