/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Kernels and transfers that a device does in queues of its own. White paper, section 3.2.
 *
 * Inputs and outputs lie where the kernel wants them: what a device computes with is in its memory,
 * the few that the kernel reads on the host (host_inputs) and all that are made of pointers are in
 * the host's. A transfer to or from the device has a queue beside its kernels'.
 */
#include "engine/base/lock.h"
#include "engine/base/residency.h"
#include "engine/device/readers.h"
#include "engine/device/sent.h"
#include "engine/runtime/step/executor.h"
#include "engine/runtime/step/guard.h"
#include "engine/runtime/step/worker.h"

/* The step hears of it when the queue has done it, and the device's memory is closed again. */
static void
post_call (gpointer in_flight)
{
  sluice_worker_post_queued (in_flight);
}

/* Nothing of it runs any more. */
static void
lose_call (SluiceInFlightCall *in_flight, const SluiceDevice *device, const GError *why)
{
  SluiceKernelCall *call = &in_flight->call;
  if (call->error == NULL)
    sluice_call_fail (call, SLUICE_ERROR_UNAVAILABLE, "%s takes no work any more%s%s",
                      device->short_name, why != NULL ? ": " : "", why != NULL ? why->message : "");
  atomic_store (&call->step->is_broken, 1);
  in_flight->outcome = SLUICE_CALL_RAN;
  /* A kernel's references are read when it runs, a transfer's were before. */
  const SluicePlanNode *node = &in_flight->act->nodes[in_flight->node];
  if (node->kernel != NULL)
    sluice_worker_drop_inputs (call->step->plan, node, call->inputs);
  sluice_worker_end_call (in_flight);
  sluice_worker_post_queued (in_flight);
}

/* FALSE: it has failed, and the step hears of that. */
static gboolean
enqueue (SluiceDevice *device,
         SluiceQueueKind kind,
         SluiceQueuedFunc func,
         SluiceInFlightCall *in_flight)
{
  const SluiceDeviceQueues *queues = device->klass->queues;
  g_autoptr (GError) why = NULL;
  atomic_fetch_add (&in_flight->call.step->n_queued, 1);
  gboolean runs = queues->enqueue (device, kind, func, in_flight);
  if (runs && queues->notify (device, kind, post_call, in_flight))
    return TRUE;
  /* What runs has ended then. */
  gboolean is_lost = !queues->synchronize (device, &why);
  if (!runs || is_lost)
    lose_call (in_flight, device, why);
  else
    sluice_worker_post_queued (in_flight);
  return runs && !is_lost;
}

/* ---- copies, in the order of a queue ---- */

static void
fail_copy (SluiceKernelCall *call,
           SluiceDevice *device,
           SluiceCopyKind direction,
           const SluiceTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  sluice_device_fail_copy (device, direction, sluice_tensor_bytes (tensor), &error);
  sluice_call_fail (call, error->code, "%s", error->message);
}

static SluiceOwner
transfer_owner (const SluiceKernelCall *call)
{
  return (SluiceOwner){ call->owner.node, SLUICE_MEMORY_TRANSFER };
}

/* (transfer full) (nullable): the call has an error */
static SluiceTensor *
new_like (SluiceKernelCall *call, SluiceAllocator *allocator, const SluiceTensor *tensor)
{
  GError *error = NULL;
  SluiceTensor *copy = sluice_tensor_new_checked (allocator, (SluiceDType) tensor->dtype,
                                                  &tensor->shape, transfer_owner (call), &error);
  if (copy == NULL)
    sluice_call_fail_with (call, error);
  return copy;
}

/* (transfer full) (nullable) */
static SluiceTensor *
copy_in (SluiceKernelCall *call, SluiceTensor *tensor)
{
  SluiceDevice *device = call->device;
  SluiceTensor *copy = new_like (call, device->allocator, tensor);
  if (copy == NULL
      || device->klass->queues->copy (device, SLUICE_QUEUE_COMPUTE, SLUICE_COPY_IN, copy->data,
                                      tensor->data, sluice_tensor_bytes (tensor)))
    return copy;
  sluice_tensor_unref (copy);
  fail_copy (call, device, SLUICE_COPY_IN, tensor);
  return NULL;
}

/* allocator: of host memory, NULL: of no device. (transfer full) (nullable) */
static SluiceTensor *
copy_out (SluiceKernelCall *call,
          SluiceDevice *from,
          SluiceQueueKind kind,
          SluiceTensor *tensor,
          SluiceAllocator *allocator)
{
  SluiceTensor *copy = new_like (call, allocator, tensor);
  if (copy == NULL || sluice_device_read_out (from, kind, copy->data, tensor))
    return copy;
  sluice_tensor_unref (copy);
  fail_copy (call, from, SLUICE_COPY_OUT, tensor);
  return NULL;
}

/* ---- what has left the device's memory ---- */

/* value: (transfer none) (nullable) */
static void
add_needed (GPtrArray *needed, SluiceTensor *value)
{
  if (value != NULL)
    g_ptr_array_add (needed, sluice_tensor_ref (value));
}

/* Of a variable, too, behind a reference or a handle. */
static void
add_needed_value (GPtrArray *needed, SluiceValue value, gboolean is_reference)
{
  SluiceVariable *variable = is_reference ? value.ref : sluice_guard_get_variable (value.tensor);
  g_autoptr (SluiceTensor) held = variable != NULL ? sluice_variable_dup_tensor (variable) : NULL;
  if (held != NULL)
    add_needed (needed, held);
  else if (variable == NULL)
    add_needed (needed, value.tensor);
}

static gboolean
is_reference (const SluiceInFlightCall *in_flight, guint i)
{
  const SluicePlan *plan = in_flight->call.step->plan;
  const SluicePlanNode *node = &in_flight->act->nodes[in_flight->node];
  return plan->slot_flags[node->first_input + i] & SLUICE_SLOT_REF;
}

/* References are given up before the kernel runs, which may take a value that only it has. */
static gboolean
need_inputs (SluiceInFlightCall *in_flight)
{
  SluiceKernelCall *call = &in_flight->call;
  g_autoptr (GPtrArray) needed =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  for (guint i = 0; i < call->n_inputs; i++)
    if (call->inputs[i].tensor != NULL && !sluice_kernel_is_host (call->kernel->host_inputs, i))
      add_needed_value (needed, call->inputs[i], is_reference (in_flight, i));
  return sluice_call_need (call, (SluiceTensor *const *) needed->pdata, needed->len);
}

static gboolean
gives_reference (const SluiceKernelCall *call, guint i)
{
  return sluice_dtype_is_ref (call->output_dtypes[i] & ~SLUICE_OUTPUT_UNREAD);
}

/* Who looks at outputs finds them, whoever made them. */
static gboolean
need_outputs (SluiceInFlightCall *in_flight)
{
  SluiceKernelCall *call = &in_flight->call;
  g_autoptr (GPtrArray) needed =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  for (guint i = 0; i < call->n_outputs; i++)
    if (call->outputs[i].tensor != NULL)
      add_needed_value (needed, call->outputs[i], gives_reference (call, i));
  return sluice_call_need (call, (SluiceTensor *const *) needed->pdata, needed->len);
}

/* ---- kernels ---- */

/* What stands in for inputs while a kernel runs. */
typedef struct
{
  guint i;
  SluiceTensor *original;
} Staged;

/* Of a copy that was made before. (transfer full) (nullable) */
static SluiceTensor *
need_copy (SluiceKernelCall *call, SluiceTensor *take)
{
  if (sluice_call_need (call, &take, 1))
    return take;
  sluice_tensor_unref (take);
  return NULL;
}

/* A constant is copied once for all steps. (transfer full) (nullable) */
static SluiceTensor *
dup_far_constant (SluiceKernelCall *call, SluiceTensor *tensor)
{
  SluiceTensor *there = sluice_device_dup_constant (call->device, tensor);
  if (there == NULL && (there = copy_in (call, tensor)) != NULL)
    there = sluice_device_keep_constant (call->device, tensor, there);
  return there != NULL ? need_copy (call, there) : NULL;
}

/* (transfer full) (nullable) */
static SluiceTensor *
dup_far_input (SluiceInFlightCall *in_flight, guint i)
{
  const SluicePlan *plan = in_flight->call.step->plan;
  guint32 slot = in_flight->act->nodes[in_flight->node].first_input + i;
  SluiceTensor *tensor = in_flight->call.inputs[i].tensor;
  if (plan->slot_flags[slot] & SLUICE_SLOT_CONSTANT)
    return dup_far_constant (&in_flight->call, tensor);
  SluiceTensor *sent = sluice_device_dup_sent (in_flight->call.device, tensor);
  return sent != NULL ? need_copy (&in_flight->call, sent) : copy_in (&in_flight->call, tensor);
}

/* Of a value that is two inputs of the kernel. (transfer full) (nullable) */
static SluiceTensor *
dup_staged (const SluiceKernelCall *call, const GArray *staged, const SluiceTensor *original)
{
  for (guint k = 0; k < staged->len; k++)
    {
      const Staged *one = &g_array_index (staged, Staged, k);
      if (one->original == original)
        return sluice_tensor_ref (call->inputs[one->i].tensor);
    }
  return NULL;
}

/* Each input in the memory where the kernel wants it. FALSE: the call has an error */
static gboolean
stage_inputs (SluiceInFlightCall *in_flight, GArray *staged)
{
  SluiceKernelCall *call = &in_flight->call;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      SluiceTensor *tensor = call->inputs[i].tensor;
      if (tensor == NULL || is_reference (in_flight, i)
          || sluice_dtype_is_managed ((SluiceDType) tensor->dtype))
        continue;
      gboolean wants_far = !sluice_kernel_is_host (call->kernel->host_inputs, i);
      if (wants_far == sluice_tensor_is_far (tensor))
        continue;
      SluiceTensor *copy = dup_staged (call, staged, tensor);
      if (copy == NULL)
        copy = wants_far ? dup_far_input (in_flight, i)
                         : copy_out (call, call->device, SLUICE_QUEUE_COMPUTE, tensor, NULL);
      if (copy == NULL)
        return FALSE;
      Staged one = { i, tensor };
      g_array_append_val (staged, one);
      call->inputs[i].tensor = copy;
    }
  return TRUE;
}

static void
unstage_inputs (SluiceKernelCall *call, const GArray *staged)
{
  for (guint k = 0; k < staged->len; k++)
    {
      const Staged *one = &g_array_index (staged, Staged, k);
      sluice_tensor_unref (call->inputs[one->i].tensor);
      call->inputs[one->i].tensor = one->original;
    }
}

/* A kernel may hand on a small value that it made on the host. */
static gboolean
settle_outputs (SluiceInFlightCall *in_flight)
{
  SluiceKernelCall *call = &in_flight->call;
  for (guint i = 0; i < call->n_outputs; i++)
    {
      SluiceTensor *tensor = call->outputs[i].tensor;
      if (tensor == NULL || gives_reference (call, i)
          || sluice_dtype_is_managed ((SluiceDType) tensor->dtype) || sluice_tensor_is_far (tensor)
          || sluice_call_is_host_output (call, i))
        continue;
      call->outputs[i].tensor = copy_in (call, tensor);
      sluice_tensor_unref (tensor);
      if (call->outputs[i].tensor == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Each that is read is there. */
static gboolean
check_outputs (SluiceKernelCall *call, const SluicePlanNode *node)
{
  if (node->flags & SLUICE_PLAN_MAY_LEAVE_DEAD)
    return TRUE;
  for (guint i = 0; i < call->n_outputs; i++)
    if (call->outputs[i].tensor == NULL && sluice_call_is_read (call, i))
      return sluice_call_fail (call, SLUICE_ERROR_INTERNAL, SLUICE_UNSET_OUTPUT);
  return TRUE;
}

/* ---- kernels that wait for what was swapped out ---- */

static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_there = PTHREAD_COND_INITIALIZER;

static void
end_wait (SluiceKernelCall *call)
{
  pthread_mutex_lock (&wait_lock);
  ((SluiceInFlightCall *) call)->has_come = TRUE;
  pthread_cond_broadcast (&is_there);
  pthread_mutex_unlock (&wait_lock);
}

/* The queue waits, as what stands behind would do. */
static gboolean
start_and_wait (SluiceInFlightCall *in_flight)
{
  SluiceKernelCall *call = &in_flight->call;
  in_flight->has_come = FALSE;
  call->done = end_wait;
  call->kernel->start (call);
  pthread_mutex_lock (&wait_lock);
  while (!in_flight->has_come)
    sluice_lock_wait (&is_there, &wait_lock, SLUICE_LOCK_MEMORY);
  pthread_mutex_unlock (&wait_lock);
  return call->error == NULL;
}

static gboolean
call_kernel (SluiceInFlightCall *in_flight)
{
  SluiceKernelCall *call = &in_flight->call;
  gboolean ok = call->kernel->compute (call);
  if (!ok && call->error == NULL && call->kernel->flags & SLUICE_KERNEL_WAITS_FOR_SWAP)
    ok = start_and_wait (in_flight);
  if (!ok && call->error == NULL)
    sluice_call_fail (call, SLUICE_ERROR_INTERNAL, SLUICE_FAILED_WITHOUT_A_WORD);
  return call->error == NULL;
}

/* With the guard against what is not finite, where it is on. */
static gboolean
compute (SluiceInFlightCall *in_flight, const SluicePlanNode *node)
{
  SluiceKernelCall *call = &in_flight->call;
  const SluicePlan *plan = call->step->plan;
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SluiceGuardRange));
  gboolean finite = call->step->env.nan_guard && !call->is_dead
                    && sluice_guard_inputs (node, plan, call->inputs, ranges);
  if (!call_kernel (in_flight))
    return FALSE;
  if (call->device->residency != NULL && (finite || call->step->n_watched > 0)
      && !need_outputs (in_flight))
    return FALSE;
  if (finite)
    call->error = sluice_guard_outputs (node, plan, call->inputs, call->outputs, ranges);
  return call->error == NULL && check_outputs (call, node) && settle_outputs (in_flight);
}

/* References are read here, behind what was to write them. FALSE: the call has an error */
static gboolean
run_call (SluiceInFlightCall *in_flight, const SluicePlanNode *node)
{
  SluiceKernelCall *call = &in_flight->call;
  if (node->flags & SLUICE_PLAN_ODD_INPUTS)
    call->error = sluice_worker_read_references (call->step, node, call->inputs);
  if (call->error != NULL)
    return FALSE;
  sluice_worker_weigh_inputs (in_flight);
  g_autoptr (GArray) staged = g_array_new (FALSE, FALSE, sizeof (Staged));
  gboolean ok = (call->device->residency == NULL || need_inputs (in_flight))
                && stage_inputs (in_flight, staged) && compute (in_flight, node);
  unstage_inputs (call, staged);
  return ok;
}

/* To what stands behind it in this queue; nobody else looks at those slots until that has run. */
static void
hand_on_ahead (SluiceInFlightCall *in_flight, const SluicePlanNode *node)
{
  const SluicePlanEdge *edge = in_flight->call.step->plan->edges + node->first_edge;
  const SluicePlanEdge *end = edge + node->n_data_edges;
  for (; edge < end; edge++)
    if (edge->ahead)
      in_flight->act->slots[edge->slot] = hand_on (node, edge, in_flight->outputs);
}

static void
run_kernel (gpointer data)
{
  SluiceInFlightCall *in_flight = data;
  SluiceKernelCall *call = &in_flight->call;
  SluiceStep *step = call->step;
  const SluicePlanNode *node = &in_flight->act->nodes[in_flight->node];
  guint mode = sluice_denormals_flush_begin ();
  SluiceResidency *residency = call->device->residency;
  in_flight->start = sluice_clock_ticks ();
  SluiceLockObserver before = sluice_worker_observe_call (in_flight);
  if (residency != NULL)
    sluice_residency_begin (residency);
  if (atomic_load (&step->is_broken) || is_cancelled (step))
    in_flight->outcome = SLUICE_CALL_SKIPPED;
  else if (!run_call (in_flight, node))
    atomic_store (&step->is_broken, 1);
  sluice_lock_observe (before);
  if (call->device->klass->queues->pace != NULL)
    call->device->klass->queues->pace (call->device);
  sluice_worker_end_call (in_flight); /* a watch reads what lies here on the device's thread */
  if (residency != NULL)
    sluice_residency_end (residency);
  if (in_flight->is_ahead && in_flight->outcome == SLUICE_CALL_RAN && call->error == NULL)
    hand_on_ahead (in_flight, node);
  if (in_flight->outcome == SLUICE_CALL_RAN)
    release_inputs (step->plan, node, call->inputs);
  else
    sluice_worker_drop_inputs (step->plan, node, call->inputs);
  sluice_denormals_flush_end (mode);
}

static void
drop_call (gpointer data)
{
  SluiceInFlightCall *in_flight = data;
  const SluicePlanNode *node = &in_flight->act->nodes[in_flight->node];
  sluice_worker_drop_inputs (in_flight->call.step->plan, node, in_flight->call.inputs);
  sluice_worker_end_call (in_flight);
}

/* ---- transfers ---- */

static SluiceKernelCall *
begin_transfer (SluiceInFlightCall *in_flight)
{
  in_flight->start = sluice_clock_ticks ();
  return &in_flight->call;
}

/* Those that go to a device have their room there before they stand in the queue: it may be had
 * only once something is swapped out or in, which goes through the same queues. */
static void
transfer_in (gpointer data)
{
  SluiceKernelCall *call = begin_transfer (data);
  const SluiceTensor *tensor = call->inputs[0].tensor;
  if (!sluice_device_write_in (call->device, SLUICE_QUEUE_IN, call->outputs[0].tensor,
                               tensor->data))
    fail_copy (call, call->device, SLUICE_COPY_IN, tensor);
  sluice_worker_end_call (data);
}

/* Devices of different types know nothing of each other: the way between them is over the host. */
static void
transfer_out (gpointer data)
{
  SluiceKernelCall *call = begin_transfer (data);
  SluiceAllocator *to = call->device->klass->queues != NULL ? NULL : call->device->allocator;
  SluiceTensor *tensor = call->inputs[0].tensor;
  SluiceDevice *from = sluice_tensor_get_device (tensor);
  call->outputs[0].tensor = copy_out (call, from, SLUICE_QUEUE_OUT, tensor, to);
  sluice_worker_end_call (data);
}

static void
transfer_across (gpointer data)
{
  SluiceKernelCall *call = begin_transfer (data);
  const SluiceTensor *tensor = call->inputs[0].tensor;
  if (!sluice_device_copy_across (call->device, call->outputs[0].tensor, tensor))
    fail_copy (call, call->device, SLUICE_COPY_IN, tensor);
  sluice_worker_end_call (data);
}

/* What leaves with half of its bits goes over the host. */
static void
truncate_far (gpointer data)
{
  SluiceKernelCall *call = begin_transfer (data);
  SluiceTensor *near =
      copy_out (call, call->device, SLUICE_QUEUE_COMPUTE, call->inputs[0].tensor, NULL);
  if (near != NULL)
    sluice_worker_truncate (near->data, near->data, near->n_elements);
  call->outputs[0].tensor = near;
  sluice_worker_end_call (data);
}

/* Without a queue. */
static void
end_at_once (SluiceInFlightCall *in_flight)
{
  sluice_worker_end_call (in_flight);
  sluice_worker_post_call (in_flight);
}

static void
send_in (SluiceInFlightCall *in_flight, SluiceQueuedFunc transfer)
{
  SluiceKernelCall *call = &in_flight->call;
  GError *error = NULL;
  call->outputs[0].tensor =
      sluice_device_new_room (call->device, call->inputs[0].tensor, transfer_owner (call), &error);
  if (call->outputs[0].tensor != NULL)
    enqueue (call->device, SLUICE_QUEUE_IN, transfer, in_flight);
  else
    {
      sluice_call_fail_with (call, error);
      end_at_once (in_flight);
    }
}

static void
forward (SluiceInFlightCall *in_flight)
{
  in_flight->call.outputs[0].tensor = sluice_tensor_ref (in_flight->call.inputs[0].tensor);
  end_at_once (in_flight);
}

static void
enqueue_transfer (SluiceInFlightCall *in_flight, const SluicePlanNode *node)
{
  const SluiceKernelCall *call = &in_flight->call;
  SluiceDevice *from = sluice_tensor_get_device (call->inputs[0].tensor), *to = call->device;
  gboolean goes_in = to->klass->queues != NULL
                     && !sluice_dtype_is_managed ((SluiceDType) call->inputs[0].tensor->dtype);
  if (node->flags & SLUICE_PLAN_TRUNCATE && from != NULL)
    enqueue (from, SLUICE_QUEUE_COMPUTE, truncate_far, in_flight);
  else if (from == NULL && goes_in && node->flags & SLUICE_PLAN_RECV)
    send_in (in_flight, transfer_in);
  else if (from == NULL || from == to)
    forward (in_flight);
  else if (goes_in && from->klass == to->klass)
    send_in (in_flight, transfer_across);
  else
    enqueue (from, SLUICE_QUEUE_OUT, transfer_out, in_flight);
}

void
sluice_worker_enqueue (SluiceWorker *w, guint32 i, const SluicePlanNode *node)
{
  SluiceInFlightCall *in_flight = sluice_worker_take_call (w, i);
  in_flight->start = w->now;
  if (node->kernel == NULL)
    {
      sluice_worker_weigh_inputs (in_flight);
      enqueue_transfer (in_flight, node);
    }
  else
    {
      /* A debugger stops where values are: it has one node after the other. */
      in_flight->is_ahead = w->step->debug == NULL;
      if (enqueue (in_flight->call.device, SLUICE_QUEUE_COMPUTE, run_kernel, in_flight)
          && w->step->debug == NULL)
        sluice_worker_count_ahead (w, w->act, node);
    }
  w->now = sluice_clock_ticks ();
}

void
sluice_worker_enqueue_dead (SluiceWorker *w, guint32 i)
{
  SluiceInFlightCall *in_flight = sluice_worker_take_call (w, i);
  in_flight->outcome = SLUICE_CALL_DEAD;
  in_flight->start = w->now;
  enqueue (in_flight->call.device, SLUICE_QUEUE_COMPUTE, drop_call, in_flight);
}
