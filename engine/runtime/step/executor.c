/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Runs the nodes of a step. See step.h for who owns what; invariants:
 * - slots of a node are written by its producers before its count reaches zero, then belong to it;
 * - between steps every slot is empty but for kept constants;
 * - every node ends exactly once, dead or alive, and each of its edges is counted down then;
 * - the caller returns only when no call is in flight and no helper is inside.
 */
#include <sched.h>

#include "engine/runtime/debug/debugger-run.h"
#include "engine/runtime/step/executor.h"
#include "engine/runtime/step/frame.h"
#include "engine/runtime/step/guard.h"

#define SMALL_NS 10000     /* shorter kernels are not worth the handing over to another thread */
#define WAKE_NS  50000     /* longer ones are worth waking a thread that sleeps */
#define SPIN_NS  20000     /* before a caller that waits for what comes from outside sleeps */
#define HELP_NS  200000    /* before one that can help other threads does */
#define POLL_NS  20000000  /* how often a sleeping caller looks at a foreign cancel flag */
#define LOOK_NS  200000000 /* how often it looks whether anybody does anything at all */

#define NO_OPS_A_STAMP 8

static void
end_dead (SluiceWorker *w, guint32 i, const SluicePlanNode *node)
{
  sluice_worker_drop_inputs (w->plan, node, inputs_of (w->act, node));
  propagate (w, w->act, node, w->outputs, TRUE);
  stamp_dead (w, w->act, i, node);
}

/* end_node() without what only values need: graphs are full of these. Reading the clock would be a
 * quarter of what they cost: most share the time of the one before, some 100 ns old at most. */
static inline void
end_no_op (SluiceWorker *w, guint32 i, const SluicePlanNode *node)
{
  guint64 start = w->now;
  if (G_UNLIKELY (w->plan->has_dead))
    sluice_worker_propagate_mixed (w, w->act, node, w->outputs, FALSE);
  else
    {
      const SluicePlanEdge *edge = w->plan->edges + node->first_edge, *end = edge + node->n_edges;
      for (; edge < end; edge++)
        count_down (w, w->act, edge->node);
    }
  w->act->remaining--;
  if (w->step->n_run++ % NO_OPS_A_STAMP == 0)
    w->now = sluice_clock_ticks ();
  stamp (w, w->act, i, node, start, w->now,
         (SluiceStamp){ .label = node->origin_id, .lane = w->lane });
}

/* Worth letting go of the scheduler lock? Only where somebody could use it. */
static inline gboolean
should_fly (SluiceWorker *w, const SluicePlanNode *node)
{
  gsize i = (gsize) (node - w->plan->nodes);
  return !(node->flags & SLUICE_PLAN_CHEAP) && w->small_ticks
         && atomic_load_explicit (&w->plan->ticks[i], memory_order_relaxed) >= w->small_ticks
         && (w->step->n_in_flight || w->step->first_listed
             || !sluice_ready_is_empty (&w->act->ready));
}

/* An error that does not say where in a loop it came up. (transfer full) */
static GError *
say_iteration (const SluiceWorker *w, GError *error)
{
  const SluiceFrame *frame = w->act->frame;
  if (!frame)
    return error;
  char *message = g_strdup_printf ("%s, in iteration %" G_GUINT64_FORMAT " of the loop '%s'",
                                   error->message, w->act->iteration, frame->plan->name);
  g_free (error->message);
  error->message = message;
  return error;
}

/* FALSE: the scheduler lock is gone. */
static gboolean
run_kernel (SluiceWorker *w, guint32 i, const SluicePlanNode *node)
{
  SluiceStep *step = w->step;
  SluiceValue *inputs = inputs_of (w->act, node);
  if (G_UNLIKELY (node->flags & SLUICE_PLAN_QUEUED))
    {
      sluice_worker_enqueue (w, i, node);
      return TRUE;
    }
  if (node->flags & SLUICE_PLAN_ODD_INPUTS)
    {
      GError *error = sluice_worker_read_references (step, node, inputs);
      if (error)
        {
          release_inputs (w->plan, node, inputs);
          sluice_worker_fail_with (w, node, error);
          return TRUE;
        }
    }
  gboolean finite = step->env.nan_guard && !w->call.is_dead
                    && sluice_guard_inputs (node, w->plan, inputs, w->ranges);
  if (!step->env.nan_guard && should_fly (w, node))
    return sluice_worker_run_unlocked (w, i, w->plan->ticks[node - w->plan->nodes]);
  gboolean may_wait = (node->flags & SLUICE_PLAN_ASYNC) != 0;
  if (may_wait && !node->kernel->compute)
    {
      sluice_worker_start (w, i, node);
      return TRUE;
    }
  w->units_in = input_units (w->plan, node, inputs);
  w->call.error = NULL;
  fill_call (w, &w->call, node, w->outputs);
  if (!w->is_caller && w->plan->ticks[node - w->plan->nodes] >= w->wake_ticks)
    sluice_step_call_caller (step);
  gboolean ok = node->kernel->compute (&w->call);
  if (!ok && may_wait && !w->call.error)
    {
      sluice_worker_start (w, i, node);
      return TRUE;
    }
  ok = sluice_worker_check_call (w, node, &w->call, ok);
  if (ok && finite)
    {
      GError *error = sluice_guard_outputs (node, w->plan, inputs, w->outputs, w->ranges);
      ok = !error;
      if (error)
        sluice_worker_fail_with (w, node, say_iteration (w, error));
    }
  if (ok)
    w->now += look_locked (w, node, inputs, w->outputs);
  release_inputs (w->plan, node, inputs);
  if (ok)
    end_node (w, i, node, node->origin_id, FALSE);
  else
    sluice_worker_drop_outputs (node, w->outputs);
  return TRUE;
}

/* One that does not run: an input is dead. FALSE: the scheduler lock is gone. */
static inline gboolean
run_dead (SluiceWorker *w, guint32 i, const SluicePlanNode *node)
{
  gboolean owns = TRUE;
  if (node->flags & (SLUICE_PLAN_ENTER | SLUICE_PLAN_EXIT | SLUICE_PLAN_NEXT))
    sluice_worker_run_built_in (w, i, node, TRUE);
  else if (node->flags & SLUICE_PLAN_AHEAD_INPUTS)
    sluice_worker_enqueue_dead (w, i);
  else if (!(node->flags & SLUICE_PLAN_RUNS_DEAD))
    end_dead (w, i, node);
  else
    {
      w->call.is_dead = TRUE;
      owns = run_kernel (w, i, node);
      w->call.is_dead = FALSE;
    }
  return owns;
}

/* Everything that is ready, and what becomes so. debug: NULL in the code of runs that have no
 * debugger, which pay nothing for one. FALSE: the scheduler lock is gone. */
static inline __attribute__ ((always_inline)) gboolean
run_ready (SluiceWorker *w, SluiceDebugRun *debug)
{
  SluiceStep *step = w->step;
  const SluicePlan *plan = w->plan;
  guint32 i;
  for (;;)
    {
      if (debug)
        sluice_debug_between (debug, w);
      else if (atomic_load_explicit (&step->mailbox, memory_order_relaxed))
        sluice_worker_drain_mailbox (w);
      if (G_UNLIKELY (is_cancelled (step)) && !step->is_stopping)
        sluice_step_fail (
            step, g_error_new (SLUICE_ERROR, SLUICE_ERROR_CANCELLED, "the run was cancelled"));
      if (G_UNLIKELY (step->is_stopping))
        return TRUE;
      if (!sluice_ready_take (&w->act->ready, &i))
        {
          if (plan->n_frames == 1 || !sluice_worker_next_activation (w))
            return TRUE;
          continue;
        }
      const SluicePlanNode *node = &w->act->nodes[i];
      gboolean is_dead =
          G_UNLIKELY (plan->has_dead) && w->act->dead[i] && !(node->flags & SLUICE_PLAN_NEVER_DEAD)
          && (!(node->flags & SLUICE_PLAN_MERGE) || w->act->dead[i] == node->n_inputs);
      if (debug && !sluice_debug_before (debug, w, i, is_dead))
        continue; /* the step is over */
      if (is_dead)
        {
          if (!run_dead (w, i, node))
            return FALSE;
        }
      else if (node->flags & SLUICE_PLAN_NO_OP)
        end_no_op (w, i, node);
      else if (!node->kernel)
        sluice_worker_run_built_in (w, i, node, FALSE);
      else if (!run_kernel (w, i, node))
        return FALSE;
    }
}

static gboolean
run_ready_debugged (SluiceWorker *w)
{
  return run_ready (w, w->step->debug);
}

static gboolean
run_ready_alone (SluiceWorker *w)
{
  return run_ready (w, NULL);
}

/* Holding the scheduler lock, after a sleep in vain. */
static void
look_for_deadlock (SluiceWorker *w)
{
  SluiceStep *step = w->step;
  w->looks = FALSE;
  if (step->is_stopping || !sluice_deadlock_is_possible (step))
    {
      sluice_idle_end (&w->idle, step->env.activity);
      return;
    }
  if (step->debug && sluice_debug_wait (step->debug, w, FALSE))
    return;
  sluice_idle_begin (&w->idle, step->env.activity);
  if (step->env.may_wait || !sluice_idle_is_hopeless (&w->idle, step->env.activity))
    return;
  if (step->debug && sluice_debug_wait (step->debug, w, TRUE))
    return;
  pthread_mutex_lock (step->env.graph_lock);
  g_autofree char *text = sluice_deadlock_describe (step);
  pthread_mutex_unlock (step->env.graph_lock);
  w->idle.since = 0;
  w->idle.n_told++;
  if (text && step->env.keep_waiting)
    g_message ("%s", text);
  else if (text)
    sluice_step_fail (step,
                      g_error_new_literal (SLUICE_ERROR, SLUICE_ERROR_DEADLINE_EXCEEDED, text));
}

/* Holding the scheduler lock, nothing ready: is this the end of the step? */
static void
look_for_end (SluiceWorker *w)
{
  SluiceStep *step = w->step;
  if (G_UNLIKELY (w->looks) && step->n_in_flight && !atomic_load (&step->mailbox))
    look_for_deadlock (w);
  /* A placeholder had no value, and nothing that does without it is left but what waits. */
  if (G_UNLIKELY (step->error) && !step->is_stopping && sluice_deadlock_is_possible (step))
    sluice_step_stop (step);
  if (step->n_in_flight || atomic_load (&step->mailbox))
    return;
  if (step->root.remaining && !step->is_stopping)
    sluice_step_fail (
        step, g_error_new (SLUICE_ERROR, SLUICE_ERROR_INTERNAL,
                           "the step cannot go on: %u nodes wait for values that nobody sends",
                           step->root.remaining));
  if (step->debug && !step->is_stopping)
    sluice_debug_finish (step->debug, w);
  atomic_store (&step->finished, 1);
  if (!w->is_caller)
    sluice_step_wake (step);
}

/* Works as long as there is something that this thread can do. */
static void
work (SluiceWorker *w)
{
  SluiceStep *step = w->step;
  gboolean (*run) (SluiceWorker *) = step->debug ? run_ready_debugged : run_ready_alone;
  while (!atomic_load (&step->finished) && try_scheduler_lock (step))
    {
      gboolean owns;
      do
        owns = run (w);
      while (!owns && try_scheduler_lock (step));
      if (!owns)
        return;
      look_for_end (w);
      release_scheduler_lock (step);
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

/* Until there is news, or it is time to look around. */
static void
sleep_for_news (SluiceStep *step)
{
  const gint64 poll = step->env.cancel_flag ? POLL_NS : LOOK_NS;
  gint64 left = LOOK_NS;
  pthread_mutex_lock (&step->wait_lock);
  step->caller_sleeps = TRUE;
  for (; left > 0 && !has_news (step) && !is_cancelled (step); left -= poll)
    {
      struct timespec until;
      clock_gettime (CLOCK_MONOTONIC, &until);
      until.tv_nsec += poll;
      until.tv_sec += until.tv_nsec / 1000000000;
      until.tv_nsec %= 1000000000;
      pthread_cond_timedwait (&step->wait, &step->wait_lock, &until);
    }
  step->caller_sleeps = FALSE;
  pthread_mutex_unlock (&step->wait_lock);
}

static gboolean
is_over (gpointer step)
{
  return has_news (step);
}

/* The caller has nothing to do: others run kernels, which it may have a share in, or wait. */
static void
wait_for_news (SluiceWorker *w)
{
  SluiceStep *step = w->step;
  gboolean was_cancelled = is_cancelled (step);
  sluice_pool_attend (atomic_load (&step->n_invited) > 0 ? HELP_NS : SPIN_NS, is_over, step);
  if (!has_news (step) && !was_cancelled)
    {
      sleep_for_news (step);
      w->looks = !has_news (step);
    }
  else if (!has_news (step))
    g_usleep (1000); /* cancelled already: what is in flight looks at the flag and ends soon */
  atomic_store (&step->calls_for_caller, 0);
}

void
sluice_executor_work (SluiceStep *step, gboolean is_caller)
{
  g_autofree SluiceValue *outputs_on_heap = NULL;
  SluiceValue outputs[8] = { { NULL } };
  g_autoptr (GArray) ranges =
      step->env.nan_guard ? g_array_new (FALSE, FALSE, sizeof (SluiceGuardRange)) : NULL;
  SluiceWorker w = { .step = step,
                     .plan = step->plan,
                     .act = &step->root,
                     .is_caller = is_caller,
                     .outputs = outputs,
                     .ranges = ranges,
                     .call = { .resources = step->env.resources,
                               .functions = step->env.functions,
                               .step_resources = step->resources,
                               .step = step,
                               .cancelled =
                                   step->env.cancel_flag ? step->env.cancel_flag : &step->cancelled,
                               .run_seed = step->env.seed,
                               .rendezvous = step->env.rendezvous,
                               .epoch = step->env.epoch } };
  if (step->plan->max_outputs > G_N_ELEMENTS (outputs))
    w.outputs = outputs_on_heap = g_new0 (SluiceValue, step->plan->max_outputs);
  if (sluice_pool_get_threads () > 1)
    {
      w.small_ticks = (guint64) (SMALL_NS / sluice_clock_ns_per_tick ());
      w.wake_ticks = (guint64) (WAKE_NS / sluice_clock_ns_per_tick ());
    }
  if (step->env.lanes)
    w.ring = sluice_trace_lanes_take (step->env.lanes, &w.lane);
  guint mode = is_caller ? sluice_denormals_flush_begin () : 0;
  w.now = sluice_clock_ticks ();
  SluiceLockObserver before = sluice_worker_observe_locks (&w);
  work (&w);
  while (is_caller && !step->ended && !atomic_load (&step->finished))
    {
      w.looks = FALSE;
      wait_for_news (&w);
      w.now = sluice_clock_ticks ();
      gboolean in_vain = w.looks;
      work (&w);
      if (!in_vain || w.looks) /* there was news, or another thread is at work */
        sluice_idle_end (&w.idle, step->env.activity);
    }
  sluice_lock_observe (before);
  if (is_caller)
    {
      sluice_idle_end (&w.idle, step->env.activity);
      sluice_denormals_flush_end (mode);
    }
  if (w.ring)
    sluice_trace_lanes_give_back (step->env.lanes, w.lane);
}

/* Nobody enters any more, and who is inside sees that the step has finished and leaves at once. */
static void
close_step (SluiceStep *step)
{
  atomic_fetch_or (&step->gate, SLUICE_GATE_CLOSED);
  while (atomic_load (&step->gate) != SLUICE_GATE_CLOSED)
    sched_yield ();
  /* A foreign thread that posted last may still be under the lock. */
  pthread_mutex_lock (&step->wait_lock);
  pthread_mutex_unlock (&step->wait_lock);
}

void
sluice_executor_run (SluiceStep *step)
{
  atomic_store (&step->gate, 0);
  sluice_activity_begin (step->env.activity);
  sluice_executor_work (step, TRUE);
  sluice_activity_end (step->env.activity);
  close_step (step);
}

/* Whoever sets driver to WORKS owns the right to end the step, until it has set it to NONE. */
void
sluice_executor_drive (SluiceStep *step)
{
  SluiceActivity *activity = (SluiceActivity *) sluice_resource_ref (&step->env.activity->parent);
  int driver;
  sluice_activity_begin (activity);
  for (;;)
    {
      atomic_store (&step->driver, SLUICE_DRIVER_WORKS);
      sluice_executor_work (step, TRUE);
      if (atomic_load (&step->finished))
        {
          close_step (step);
          step->ended (step->ended_data);
          break;
        }
      driver = SLUICE_DRIVER_WORKS;
      if (atomic_compare_exchange_strong (&step->driver, &driver, SLUICE_DRIVER_NONE))
        break;
    }
  sluice_activity_end (activity);
  sluice_resource_unref (&activity->parent);
}
