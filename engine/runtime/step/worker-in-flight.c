/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Kernels outside the scheduling loop: asynchronous ones, and long ones that run without the
 * scheduler lock.
 */
#include "engine/runtime/step/executor.h"
#include "engine/runtime/step/frame.h"

SluiceInFlightCall *
sluice_worker_take_call (SluiceWorker *w, guint32 i)
{
  SluiceStep *step = w->step;
  SluiceInFlightCall *in_flight = step->free_calls;
  if (in_flight)
    step->free_calls = in_flight->next;
  else
    in_flight =
        g_malloc (sizeof (SluiceInFlightCall) + w->plan->max_outputs * sizeof (SluiceValue));
  in_flight->call = w->call;
  in_flight->call.error = NULL;
  in_flight->node = i;
  in_flight->act = w->act;
  w->act->n_in_flight++;
  in_flight->next = NULL;
  in_flight->previous_in_flight = NULL;
  in_flight->next_in_flight = step->in_flight;
  if (step->in_flight)
    step->in_flight->previous_in_flight = in_flight;
  step->in_flight = in_flight;
  step->n_in_flight++;
  memset (in_flight->outputs, 0, w->plan->max_outputs * sizeof (SluiceValue));
  fill_call (w, &in_flight->call, &w->act->nodes[i], in_flight->outputs);
  in_flight->lane = w->lane;
  in_flight->is_ahead = FALSE;
  in_flight->locks = NULL;
  in_flight->outcome = SLUICE_CALL_RAN;
  return in_flight;
}

void
sluice_worker_weigh_inputs (SluiceInFlightCall *in_flight)
{
  const SluicePlanNode *node = &in_flight->act->nodes[in_flight->node];
  in_flight->units_in = input_units (in_flight->call.step->plan, node, in_flight->call.inputs);
}

static void
post (SluiceStep *step, SluiceInFlightCall *in_flight)
{
  SluiceInFlightCall *head = atomic_load (&step->mailbox);
  do
    in_flight->next = head;
  while (!atomic_compare_exchange_weak (&step->mailbox, &head, in_flight));
}

void
sluice_worker_end_call (SluiceInFlightCall *in_flight)
{
  SluiceKernelCall *call = &in_flight->call;
  const SluicePlanNode *node = &in_flight->act->nodes[in_flight->node];
  in_flight->end = sluice_clock_ticks ();
  in_flight->units_out = output_units (node, call->outputs);
  if (call->error == NULL && in_flight->outcome == SLUICE_CALL_RAN)
    look_at (call->step, in_flight->act, node, call->inputs, call->outputs);
}

/* Under the lock from the post on: the step may end as soon as it is seen, and waits for the lock
 * before it does. */
static void
end_post (SluiceStep *step, gboolean wakes)
{
  gboolean sends = wakes && step->ended && sluice_step_note_news (step);
  if (wakes && step->caller_sleeps)
    pthread_cond_signal (&step->wait);
  pthread_mutex_unlock (&step->wait_lock);
  if (sends)
    sluice_step_send (step);
}

void
sluice_worker_post_call (SluiceInFlightCall *in_flight)
{
  SluiceStep *step = in_flight->call.step;
  pthread_mutex_lock (&step->wait_lock);
  post (step, in_flight);
  end_post (step, TRUE);
}

void
sluice_worker_post_queued (SluiceInFlightCall *in_flight)
{
  SluiceStep *step = in_flight->call.step;
  const SluicePlanNode *node = &in_flight->act->nodes[in_flight->node];
  gboolean is_awaited = !in_flight->is_ahead || !(node->flags & SLUICE_PLAN_AHEAD_ONLY)
                        || in_flight->call.error != NULL;
  pthread_mutex_lock (&step->wait_lock);
  post (step, in_flight);
  gboolean is_last = atomic_fetch_sub (&step->n_queued, 1) == 1;
  end_post (step, is_awaited || is_last);
}

static void
call_done (SluiceKernelCall *call)
{
  SluiceInFlightCall *in_flight = (SluiceInFlightCall *) call;
  sluice_worker_end_call (in_flight);
  sluice_worker_post_call (in_flight);
}

static void
forget_call (SluiceStep *step, SluiceInFlightCall *in_flight)
{
  if (in_flight->previous_in_flight)
    in_flight->previous_in_flight->next_in_flight = in_flight->next_in_flight;
  else
    step->in_flight = in_flight->next_in_flight;
  if (in_flight->next_in_flight)
    in_flight->next_in_flight->previous_in_flight = in_flight->previous_in_flight;
  step->n_in_flight--;
  in_flight->act->n_in_flight--;
}

/* ---- locks ---- */

static void
stamp_lock (SluiceWorker *w, const SluiceKernelCall *call, guint32 lane, SluiceLockWait wait)
{
  guint32 device = 0;
  while (w->step->env.devices[device] != call->device)
    device++;
  const SluiceTraceRecord record = { .scheduled = wait.start,
                                     .start = wait.start,
                                     .end = wait.end,
                                     .node = call->owner.node,
                                     .bytes_in = wait.kind,
                                     .step = (guint32) w->step->env.number,
                                     .lane = lane,
                                     .kind = SLUICE_TRACE_LOCK | device << 8 };
  sluice_trace_ring_add (w->ring, &record);
}

static void
note_lock (SluiceLockKind kind, guint64 start, guint64 end, gpointer data)
{
  SluiceWorker *w = data;
  const SluiceKernelCall *call = w->unlocked != NULL ? w->unlocked : &w->call;
  if (call->device != NULL) /* else no kernel has run yet */
    stamp_lock (w, call, w->lane, (SluiceLockWait){ kind, start, end });
}

SluiceLockObserver
sluice_worker_observe_locks (SluiceWorker *w)
{
  return sluice_lock_observe ((SluiceLockObserver){ w->ring != NULL ? note_lock : NULL, w });
}

static void
keep_lock (SluiceLockKind kind, guint64 start, guint64 end, gpointer data)
{
  SluiceInFlightCall *in_flight = data;
  const SluiceLockWait wait = { kind, start, end };
  if (in_flight->locks == NULL)
    in_flight->locks = g_array_new (FALSE, FALSE, sizeof (SluiceLockWait));
  g_array_append_val (in_flight->locks, wait);
}

SluiceLockObserver
sluice_worker_observe_call (SluiceInFlightCall *in_flight)
{
  return sluice_lock_observe ((SluiceLockObserver){ keep_lock, in_flight });
}

static void
stamp_locks (SluiceWorker *w, SluiceInFlightCall *in_flight)
{
  for (guint i = 0; w->ring != NULL && i < in_flight->locks->len; i++)
    stamp_lock (w, &in_flight->call, in_flight->lane,
                g_array_index (in_flight->locks, SluiceLockWait, i));
  g_clear_pointer (&in_flight->locks, g_array_unref);
}

static void
note_run (SluiceWorker *w, const SluiceInFlightCall *in_flight, const SluicePlanNode *node)
{
  SluiceStamp more = { .kind = node->trace_kind,
                       .label = trace_label (w->plan, node),
                       .units_in = in_flight->units_in,
                       .units_out = in_flight->units_out,
                       .lane = in_flight->lane,
                       .asks_live = TRUE };
  stamp (w, in_flight->act, in_flight->node, node, in_flight->start, in_flight->end, more);
  w->step->n_run++;
}

void
sluice_worker_finish_call (SluiceWorker *w, SluiceInFlightCall *in_flight)
{
  SluiceStep *step = w->step;
  SluiceActivation *act = in_flight->act;
  const SluicePlanNode *node = &act->nodes[in_flight->node];
  forget_call (step, in_flight);
  w->now = MAX (w->now, in_flight->end);
  if (G_UNLIKELY (in_flight->locks != NULL))
    stamp_locks (w, in_flight);
  if (in_flight->outcome == SLUICE_CALL_RAN)
    {
      sluice_worker_check_call (w, node, &in_flight->call, TRUE);
      note_run (w, in_flight, node);
    }
  else
    stamp_dead (w, act, in_flight->node, node);
  release_inputs (w->plan, node, in_flight->call.inputs);
  if (step->is_stopping)
    sluice_worker_drop_outputs (node, in_flight->outputs);
  else if (in_flight->is_ahead && in_flight->outcome == SLUICE_CALL_RAN)
    sluice_worker_propagate_rest (w, act, node, in_flight->outputs);
  else if (in_flight->outcome != SLUICE_CALL_SKIPPED)
    propagate (w, act, node, in_flight->outputs, in_flight->outcome == SLUICE_CALL_DEAD);
  in_flight->next = step->free_calls;
  step->free_calls = in_flight;
  if (act == w->act || step->is_stopping)
    return;
  sluice_worker_list (w, act);
  sluice_worker_settle (w, act);
}

void
sluice_worker_drain_mailbox (SluiceWorker *w)
{
  SluiceInFlightCall *in_flight = atomic_exchange (&w->step->mailbox, NULL);
  while (in_flight)
    {
      SluiceInFlightCall *next = in_flight->next;
      sluice_worker_finish_call (w, in_flight);
      in_flight = next;
    }
}

static gboolean
enter_gate (SluiceStep *step)
{
  guint gate = atomic_load (&step->gate);
  while (!(gate & SLUICE_GATE_CLOSED))
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
      sluice_executor_work (step, FALSE);
      if (step->ended
          && is_cancelled (step)) /* the driver may have left before it had the scheduler lock */
        sluice_step_wake (step);
      atomic_fetch_sub (&step->gate, 1);
    }
  atomic_fetch_sub (&step->n_invited, 1);
  sluice_step_unref (step);
}

/* Another node is ready while this thread leaves for a long kernel: who could take it? */
static void
call_for_help (SluiceWorker *w, guint64 expected)
{
  SluiceStep *step = w->step;
  if (!w->is_caller)
    {
      atomic_store (&step->calls_for_caller, 1);
      sluice_step_wake (step);
    }
  if (atomic_load (&step->n_invited) + 1 >= (int) sluice_pool_get_threads ())
    return;
  /* Waking a sleeper pays for a long kernel, or for the sum of those that would have overlapped. */
  step->missed_ticks += expected;
  if (step->missed_ticks < w->wake_ticks && !sluice_pool_has_idle_spinner ())
    return;
  step->missed_ticks = 0;
  atomic_fetch_add (&step->n_invited, 1);
  atomic_fetch_add (&step->ref_count, 1);
  if (sluice_pool_submit (help, step, NULL))
    return;
  atomic_fetch_sub (&step->n_invited, 1); /* the step goes on without */
  atomic_fetch_sub (&step->ref_count, 1);
}

void
sluice_worker_start (SluiceWorker *w, guint32 i, const SluicePlanNode *node)
{
  SluiceInFlightCall *in_flight = sluice_worker_take_call (w, i);
  sluice_worker_weigh_inputs (in_flight);
  in_flight->start = w->now;
  in_flight->call.done = call_done;
  node->kernel->start (&in_flight->call);
  guint64 start = w->now;
  w->now = sluice_clock_ticks ();
  learn (w->plan, node, w->now - start);
}

gboolean
sluice_worker_run_unlocked (SluiceWorker *w, guint32 i, guint64 expected)
{
  SluiceStep *step = w->step;
  SluiceInFlightCall *in_flight = sluice_worker_take_call (w, i);
  const SluicePlanNode *node = &w->act->nodes[i];
  sluice_worker_weigh_inputs (in_flight);
  in_flight->start = w->now; /* waking another thread, where one is woken, is part of it */
  call_for_help (w, expected);
  sluice_worker_park (w);
  release_scheduler_lock (step);
  guint64 start = in_flight->start;
  if (node->flags & SLUICE_PLAN_ASYNC)
    {
      in_flight->call.done = call_done;
      /* Which may have ended when this returns, and its call be another's: what it waits for is not
       * told. */
      SluiceLockObserver before = sluice_lock_observe ((SluiceLockObserver){ NULL });
      node->kernel->start (&in_flight->call);
      sluice_lock_observe (before);
      w->now = sluice_clock_ticks ();
      learn (w->plan, node, w->now - start);
      return try_scheduler_lock (step);
    }
  w->unlocked = &in_flight->call;
  gboolean ok = in_flight->call.kernel->compute (&in_flight->call);
  w->unlocked = NULL;
  w->now = in_flight->end = sluice_clock_ticks ();
  in_flight->units_out = output_units (node, in_flight->outputs);
  learn (w->plan, node, w->now - start);
  if (ok)
    w->now += look_at (step, in_flight->act, node, in_flight->call.inputs, in_flight->call.outputs);
  post (step, in_flight);
  return try_scheduler_lock (step);
}
