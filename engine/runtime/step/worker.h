/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/trace-lanes.h"
#include "engine/runtime/step/watches.h"

/*
 * What executor.c and worker-*.c share: a thread at work in a step. There is the caller, who stays
 * until the end, and helpers, whom a thread that leaves for a long kernel calls while something
 * else is ready. Whoever of them holds the scheduler lock takes the ready node of the lowest
 * number, which keeps the peak low and one thread's order fixed; waking a thread costs 35 to 70 µs,
 * so it is done for a kernel that long, or for many whose sum is.
 *
 * The hot path is inline: a no-op takes 40 ns, of which a call that is not inlined would be a
 * tenth.
 */

/* A thread that runs nodes of the step. */
typedef struct
{
  SluiceStep *step;
  const SluicePlan *plan;
  SluiceActivation *act; /* whose nodes it runs */
  SluiceTraceRing *ring; /* NULL: no trace */
  guint lane;
  guint32 units_in;                 /* of the node that runs */
  const SluiceKernelCall *unlocked; /* that runs without the scheduler lock; NULL: it is call */
  gboolean is_caller;
  guint64 now; /* the last time stamp read */
  guint64 small_ticks, wake_ticks;
  SluiceKernelCall call; /* what stays the same for every node is set once */
  SluiceValue *outputs;
  GArray *ranges;  /* of inputs, for the NaN guard; NULL: it is off */
  SluiceIdle idle; /* of the caller */
  gboolean looks;  /* the caller slept in vain: it looks for a deadlock where it gets the scheduler
                      lock */
} SluiceWorker;

#define SLUICE_UNSET_OUTPUT          "the kernel left an output unset"
#define SLUICE_FAILED_WITHOUT_A_WORD "the kernel failed and did not say why"

/* The first error wins; what follows from it is dropped. Under the scheduler lock. */
void sluice_step_fail (SluiceStep *step, GError *take);
/* Nothing more begins, and what is in flight is told. */
void sluice_step_stop (SluiceStep *step);
/* The step fails with what came up in a node, or in one that runs within it. */
void sluice_worker_fail_with (SluiceWorker *w, const SluicePlanNode *node, GError *take);
void sluice_worker_fail_node (SluiceWorker *w,
                              const SluicePlanNode *node,
                              SluiceError code,
                              const char *what);

/* Variables become their values where values are wanted. Sees what an update in place wrote last.
 * (transfer full) (nullable) */
GError *sluice_worker_read_references (const SluiceStep *step,
                                       const SluicePlanNode *node,
                                       SluiceValue *inputs);
/* Of a node that does not run, and whose references were not read. */
void
sluice_worker_drop_inputs (const SluicePlan *plan, const SluicePlanNode *node, SluiceValue *inputs);
void sluice_worker_drop_outputs (const SluicePlanNode *node, SluiceValue *outputs);
/* After the kernel: TRUE where the node may propagate. */
gboolean sluice_worker_check_call (SluiceWorker *w,
                                   const SluicePlanNode *node,
                                   SluiceKernelCall *call,
                                   gboolean ok);
/* In plans with dead values. act: where the edges end; is_dead: the node did not run. */
void sluice_worker_propagate_mixed (SluiceWorker *w,
                                    SluiceActivation *act,
                                    const SluicePlanNode *node,
                                    SluiceValue *outputs,
                                    gboolean is_dead);
/* Of a node that was enqueued: what stands behind it in the same queue may be, too. */
void sluice_worker_count_ahead (SluiceWorker *w, SluiceActivation *act, const SluicePlanNode *node);
/* Once it has run: the other edges. */
void sluice_worker_propagate_rest (SluiceWorker *w,
                                   SluiceActivation *act,
                                   const SluicePlanNode *node,
                                   SluiceValue *outputs);

/* A node without a kernel, or one on a device that computes nothing. */
void sluice_worker_run_built_in (SluiceWorker *w,
                                 guint32 i,
                                 const SluicePlanNode *node,
                                 gboolean is_dead);

/* ---- in-flight calls ---- */

/* A call that ends elsewhere, with node i of what the worker runs. */
SluiceInFlightCall *sluice_worker_take_call (SluiceWorker *w, guint32 i);
/* The bytes of its inputs, for the trace: before the kernel, which may take them. */
void sluice_worker_weigh_inputs (SluiceInFlightCall *in_flight);
/* What a kernel waits for on this thread goes into the trace. */
SluiceLockObserver sluice_worker_observe_locks (SluiceWorker *w);
/* The same of one in a queue, whose thread has no trace: when it has ended. */
SluiceLockObserver sluice_worker_observe_call (SluiceInFlightCall *in_flight);
/* From any thread: its outputs are there, or its error is; who watches looks at them. */
void sluice_worker_end_call (SluiceInFlightCall *in_flight);
/* After that, from any thread: hands it back to the step, which may be gone when this returns. */
void sluice_worker_post_call (SluiceInFlightCall *in_flight);
/* Of a call that stood in a device's queue. To wake a thread takes as long as several kernels: the
 * step is woken where something waits for the call, or nothing of it is left in queues. */
void sluice_worker_post_queued (SluiceInFlightCall *in_flight);

/* Starts an asynchronous kernel. */
void sluice_worker_start (SluiceWorker *w, guint32 i, const SluicePlanNode *node);
/* The way of floats over a device's border: sign, exponent and seven bits of the mantissa; zeros
 * for the rest. Truncated, not rounded, as the paper has it; white paper, section 5.5. to may be
 * from. */
void sluice_worker_truncate (void *to, const void *from, gint64 n);
/* Gives a kernel or a transfer to the queue of its device. */
void sluice_worker_enqueue (SluiceWorker *w, guint32 i, const SluicePlanNode *node);
/* Of one that does not run, an input being dead: what comes to it through the queue is dropped. */
void sluice_worker_enqueue_dead (SluiceWorker *w, guint32 i);
/* Runs a long kernel, or what a kernel does before it waits, without the scheduler lock. FALSE:
 * another thread has it now. */
gboolean sluice_worker_run_unlocked (SluiceWorker *w, guint32 i, guint64 expected);
/* Ends the nodes whose kernels have returned elsewhere; or one of them. */
void sluice_worker_drain_mailbox (SluiceWorker *w);
void sluice_worker_finish_call (SluiceWorker *w, SluiceInFlightCall *in_flight);

/* What look_locked() does where somebody looks. */
guint64 sluice_worker_look (SluiceWorker *w,
                            const SluicePlanNode *node,
                            const SluiceValue *inputs,
                            SluiceValue *outputs);

/* ---- the hot path ---- */

static inline gboolean
is_cancelled (SluiceStep *step)
{
  return atomic_load_explicit (&step->cancelled, memory_order_relaxed)
         || (step->env.cancel_flag
             && atomic_load_explicit (step->env.cancel_flag, memory_order_relaxed));
}

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

/* What goes along an edge of data. */
static inline SluiceValue
hand_on (const SluicePlanNode *node, const SluicePlanEdge *edge, SluiceValue *outputs)
{
  SluiceValue value = outputs[edge->port];
  if (!edge->last)
    return share (node, edge->port, value);
  outputs[edge->port].tensor = NULL;
  return value;
}

static inline SluiceValue *
inputs_of (const SluiceActivation *act, const SluicePlanNode *node)
{
  return act->slots + (node->first_input - act->first_slot);
}

/* Input 0 leaves its slot, or is shared where it stays there. */
static inline SluiceValue
take_input (const SluicePlan *plan, const SluicePlanNode *node, SluiceValue *inputs)
{
  SluiceValue value = inputs[0];
  if (node->flags & SLUICE_PLAN_ODD_INPUTS
      && plan->slot_flags[node->first_input] & SLUICE_SLOT_KEPT)
    sluice_tensor_ref (value.tensor);
  else
    inputs[0].tensor = NULL;
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

static inline void
make_ready (SluiceWorker *w, SluiceActivation *act, guint32 i)
{
  act->scheduled[i] = w->now;
  sluice_ready_add (&act->ready, i);
}

/* Without a branch, which nobody could predict: the last to arrive leaves its time and the bit. */
static inline void
count_down (SluiceWorker *w, SluiceActivation *act, guint32 i)
{
  guint32 left = --act->pending[i];
  act->scheduled[i] = w->now;
  sluice_ready_add_if (&act->ready, i, left == 0);
}

/* Plans without dead values: every count goes down by one. */
static inline void
propagate_live (SluiceWorker *w,
                SluiceActivation *act,
                const SluicePlanNode *node,
                SluiceValue *outputs)
{
  const SluicePlanEdge *edge = w->plan->edges + node->first_edge;
  const SluicePlanEdge *controls = edge + node->n_data_edges;
  const SluicePlanEdge *end = w->plan->edges + node->first_edge + node->n_edges;
  for (; edge < controls; edge++)
    {
      act->slots[edge->slot] = hand_on (node, edge, outputs);
      if (edge->node != SLUICE_PLAN_NOWHERE)
        count_down (w, act, edge->node);
    }
  for (; edge < end; edge++)
    count_down (w, act, edge->node);
}

static inline void
propagate (SluiceWorker *w,
           SluiceActivation *act,
           const SluicePlanNode *node,
           SluiceValue *outputs,
           gboolean is_dead)
{
  if (G_UNLIKELY (w->plan->has_dead))
    sluice_worker_propagate_mixed (w, act, node, outputs, is_dead);
  else
    propagate_live (w, act, node, outputs);
  if (node->flags & SLUICE_PLAN_SPARE_OUTPUTS || G_UNLIKELY (w->plan->has_dead))
    for (guint i = 0; i < node->n_outputs; i++)
      if (outputs[i].tensor)
        {
          release_output (node, i, outputs[i]);
          outputs[i].tensor = NULL;
        }
  act->remaining--;
}

static inline guint32
trace_units (gsize bytes)
{
  return (guint32) MIN ((bytes + SLUICE_TRACE_UNIT - 1) / SLUICE_TRACE_UNIT, G_MAXUINT32);
}

static inline guint32
output_units (const SluicePlanNode *node, const SluiceValue *outputs)
{
  gsize bytes = 0;
  if (G_LIKELY (!(node->flags & SLUICE_PLAN_REF_OUTPUTS)))
    for (guint i = 0; i < node->n_outputs; i++)
      if (outputs[i].tensor)
        bytes += sluice_tensor_bytes (outputs[i].tensor);
  return trace_units (bytes);
}

/* Before the kernel, which may take its inputs; after the references were read. */
static inline guint32
input_units (const SluicePlan *plan, const SluicePlanNode *node, const SluiceValue *inputs)
{
  gsize bytes = 0;
  for (guint i = 0; i < node->n_inputs; i++)
    if (inputs[i].tensor
        && !(node->flags & SLUICE_PLAN_ODD_INPUTS
             && plan->slot_flags[node->first_input + i] & SLUICE_SLOT_REF))
      bytes += sluice_tensor_bytes (inputs[i].tensor);
  return trace_units (bytes);
}

/* What a node leaves in the trace beside its place and its times. */
typedef struct
{
  guint32 kind;  /* node->trace_kind; of one that did not run, only SLUICE_TRACE_TOGETHER of it */
  guint32 label; /* what the record says of which node it is */
  guint32 units_in, units_out;
  guint32 lane;
  gboolean asks_live;
} SluiceStamp;

static inline __attribute__ ((always_inline)) void
stamp (SluiceWorker *w,
       const SluiceActivation *act,
       guint32 i,
       const SluicePlanNode *node,
       guint64 begin,
       guint64 end,
       SluiceStamp more)
{
  if (G_UNLIKELY (!w->ring))
    return;
  guint32 live = 0;
  if (more.asks_live)
    live = trace_units (sluice_allocator_get_live (w->step->env.devices[node->device]->allocator));
  SluiceTraceRecord record = { .scheduled = act->scheduled[i],
                               .start = begin,
                               .end = end,
                               .iteration = act->iteration,
                               .node = more.label,
                               .bytes_in = more.units_in,
                               .bytes_out = more.units_out,
                               .live = live,
                               .step = (guint32) w->step->env.number,
                               .frame = act->label,
                               .lane = more.lane,
                               .kind = more.kind | (guint32) node->device << 8 };
  sluice_trace_ring_add (w->ring, &record);
}

/* Of one that did not run. */
static inline void
stamp_dead (SluiceWorker *w, const SluiceActivation *act, guint32 i, const SluicePlanNode *node)
{
  stamp (w, act, i, node, w->now, w->now,
         (SluiceStamp){ .kind = node->trace_kind & SLUICE_TRACE_TOGETHER,
                        .label = node->origin_id,
                        .lane = w->lane });
}

/* Of one that may be a transfer. */
static inline guint32
trace_label (const SluicePlan *plan, const SluicePlanNode *node)
{
  return node->flags & (SLUICE_PLAN_SEND | SLUICE_PLAN_RECV)
             ? plan->transfer_labels[node->first_constant]
             : node->origin_id;
}

static inline void
fill_call (SluiceWorker *w,
           SluiceKernelCall *call,
           const SluicePlanNode *node,
           SluiceValue *outputs)
{
  call->node = node->origin;
  call->kernel = node->kernel;
  call->state = node->state;
  call->inputs = inputs_of (w->act, node);
  call->outputs = outputs;
  call->n_inputs = node->n_inputs;
  call->n_outputs = node->n_outputs;
  call->output_dtypes = w->plan->output_dtypes + node->first_output;
  call->device = w->step->env.devices[node->device];
  call->owner = (SluiceOwner){ node->origin_id, node->memory_class };
}

static inline gboolean
try_scheduler_lock (SluiceStep *step)
{
  int free = 0;
  return atomic_compare_exchange_strong (&step->owned, &free, 1);
}

static inline void
release_scheduler_lock (SluiceStep *step)
{
  atomic_store (&step->owned, 0);
}

/* Moving average of what a node costs, in ticks. */
static inline void
learn (const SluicePlan *plan, const SluicePlanNode *node, guint64 ticks)
{
  gsize i = (gsize) (node - plan->nodes);
  guint32 old = atomic_load_explicit (&plan->ticks[i], memory_order_relaxed);
  gint64 seen = (gint64) MIN (ticks, G_MAXINT32);
  guint32 new = old ? (guint32) (old + (seen - (gint64) old) / 8) : (guint32) MAX (seen, 1);
  atomic_store_explicit (&plan->ticks[i], new, memory_order_relaxed);
}

/* Once a node's outputs are there, before its inputs go and anybody reads it. Returns the ticks
 * that it took, which are none of the node's. */
static inline guint64
look_at (SluiceStep *step,
         const SluiceActivation *act,
         const SluicePlanNode *node,
         const SluiceValue *inputs,
         const SluiceValue *outputs)
{
  return G_UNLIKELY (step->n_watched > 0) ? sluice_watches_look (step, act, node, inputs, outputs)
                                          : 0;
}

/* The same under the scheduler lock, where a debugger may look, too, and change them. */
static inline guint64
look_locked (SluiceWorker *w,
             const SluicePlanNode *node,
             const SluiceValue *inputs,
             SluiceValue *outputs)
{
  return G_UNLIKELY (w->step->is_observed) ? sluice_worker_look (w, node, inputs, outputs) : 0;
}

/* What is left to do when a node's outputs are there. w->units_in: as of its inputs; label: for the
 * trace. */
static inline void
end_node (SluiceWorker *w, guint32 i, const SluicePlanNode *node, guint32 label, gboolean is_dead)
{
  SluiceStamp more = { .kind = node->trace_kind,
                       .label = label,
                       .units_in = w->units_in,
                       .units_out = output_units (node, w->outputs),
                       .lane = w->lane,
                       .asks_live = TRUE };
  guint64 start = w->now;
  propagate (w, w->act, node, w->outputs, is_dead);
  w->now = sluice_clock_ticks ();
  if (!(node->flags & SLUICE_PLAN_CHEAP))
    learn (w->plan, node, w->now - start);
  stamp (w, w->act, i, node, start, w->now, more);
  w->step->n_run++;
}
