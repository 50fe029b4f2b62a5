/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Kernels outside the scheduling loop: asynchronous ones, and long ones that run without the baton.
 */
#include "engine/runtime/step/executor.h"
#include "engine/runtime/step/frame.h"

static SluiceFlight *
take_flight (SluiceWorker *w, guint32 i)
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
  flight->act = w->act;
  w->act->n_flying++;
  flight->next = NULL;
  flight->previous_flying = NULL;
  flight->next_flying = step->flying;
  if (step->flying)
    step->flying->previous_flying = flight;
  step->flying = flight;
  step->n_flying++;
  memset (flight->outputs, 0, w->plan->max_outputs * sizeof (SluiceValue));
  fill_call (w, &flight->call, &w->act->nodes[i], flight->outputs);
  flight->units_in = input_units (w->plan, &w->act->nodes[i], flight->call.inputs);
  flight->lane = w->lane;
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
  gboolean sends = step->ended && sluice_step_note_news (step);
  if (step->caller_sleeps)
    pthread_cond_signal (&step->wait);
  pthread_mutex_unlock (&step->wait_lock);
  if (sends)
    sluice_step_send (step);
}

static void
land (SluiceWorker *w, SluiceFlight *flight)
{
  SluiceStep *step = w->step;
  SluiceActivation *act = flight->act;
  const SluicePlanNode *node = &act->nodes[flight->node];
  if (flight->previous_flying)
    flight->previous_flying->next_flying = flight->next_flying;
  else
    step->flying = flight->next_flying;
  if (flight->next_flying)
    flight->next_flying->previous_flying = flight->previous_flying;
  step->n_flying--;
  act->n_flying--;
  w->now = MAX (w->now, flight->end);
  if (!sluice_worker_check_call (w, node, &flight->call, TRUE) || step->is_stopping)
    sluice_worker_drop_outputs (node, flight->outputs);
  release_inputs (w->plan, node, flight->call.inputs);
  SluiceStamp more = { .kind = trace_kind (node),
                       .units_in = flight->units_in,
                       .units_out = output_units (node, flight->outputs),
                       .lane = flight->lane,
                       .asks_live = TRUE };
  stamp (w, act, flight->node, node, flight->start, flight->end, more);
  step->n_run++;
  if (step->is_stopping)
    sluice_worker_drop_outputs (node, flight->outputs);
  else
    propagate (w, act, node, flight->outputs, FALSE);
  flight->next = step->free_flights;
  step->free_flights = flight;
  if (act == w->act || step->is_stopping)
    return;
  sluice_worker_list (w, act);
  sluice_worker_settle (w, act);
}

void
sluice_worker_drain_mailbox (SluiceWorker *w)
{
  SluiceFlight *flight = atomic_exchange (&w->step->mailbox, NULL);
  while (flight)
    {
      SluiceFlight *next = flight->next;
      land (w, flight);
      flight = next;
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
      if (step->ended && is_cancelled (step)) /* the driver may have left before it had the baton */
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
  SluiceFlight *flight = take_flight (w, i);
  flight->start = w->now;
  flight->call.done = flight_done;
  node->kernel->start (&flight->call);
  guint64 start = w->now;
  w->now = sluice_clock_ticks ();
  learn (w->plan, node, w->now - start);
}

gboolean
sluice_worker_fly (SluiceWorker *w, guint32 i, guint64 expected)
{
  SluiceStep *step = w->step;
  SluiceFlight *flight = take_flight (w, i);
  const SluicePlanNode *node = &w->act->nodes[i];
  flight->start = w->now; /* waking another thread, where one is woken, is part of it */
  call_for_help (w, expected);
  sluice_worker_park (w);
  disown (step);
  guint64 start = flight->start;
  if (node->flags & SLUICE_PLAN_ASYNC)
    {
      flight->call.done = flight_done;
      node->kernel->start (&flight->call); /* which may have landed when this returns */
      w->now = sluice_clock_ticks ();
      learn (w->plan, node, w->now - start);
      return try_own (step);
    }
  flight->call.kernel->compute (&flight->call);
  w->now = flight->end = sluice_clock_ticks ();
  learn (w->plan, node, w->now - start);
  post (step, flight);
  return try_own (step);
}
