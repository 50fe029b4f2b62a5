/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A run under a debugger, on the threads that run it. */
#include <time.h>

#include "engine/runtime/debug/debugger-private.h"
#include "engine/runtime/step/frame.h"
#include "engine/runtime/step/guard.h"

#define MOST_PLANS 16       /* that a debugger remembers its breakpoints in */
#define POLL_NS    20000000 /* how often a stopped run looks at a foreign cancel flag */
#define LOOK_US    100      /* how often for what another thread still computes */

/* Inputs of a node that is looked at when it has run: it may not take them for its own. */
typedef struct
{
  const SluiceActivation *act;
  guint32 i;
  const SluicePlanNode *node;
  const guint8 *flags;
  SluiceValue *values;
} Held;

/* A slot that others read, too, and what is put back into it once its node has run. */
typedef struct
{
  const SluiceActivation *act;
  guint32 i;
  SluiceValue *slot;
  SluiceTensor *original;
} Put;

/* ---- the plan ---- */

/* Under the debugger's lock. (transfer full) */
static SluiceDebugPlan *
find_plan (SluiceDebugger *self, const SluiceStep *step)
{
  const SluicePlan *plan = step->plan;
  for (guint i = 0; i < self->plans->len; i++)
    if (((SluiceDebugPlan *) self->plans->pdata[i])->serial == plan->serial)
      return sluice_debug_plan_ref (self->plans->pdata[i]);
  if (self->plans->len == MOST_PLANS)
    g_ptr_array_remove_index (self->plans, 0);
  SluiceDebugPlan *found =
      sluice_debug_plan_new (plan, self->breakpoints, self->version, step->env.graph_lock);
  g_ptr_array_add (self->plans, sluice_debug_plan_ref (found));
  return found;
}

/* Under the debugger's lock: breakpoints as they are now. */
static void
take_breakpoints (SluiceDebugRun *self)
{
  SluiceDebugger *debugger = self->debugger;
  if (self->plan != NULL && self->plan->version == debugger->version)
    return;
  g_clear_pointer (&self->plan, sluice_debug_plan_unref);
  self->plan = find_plan (debugger, self->step);
  self->marks = self->plan->marks;
  for (guint i = 0; i < debugger->breakpoints->len; i++)
    {
      SluiceBreakpointReport *report = breakpoint_at (debugger->breakpoints, i);
      SluiceBreakpointReport place = *breakpoint_at (self->plan->places, i);
      sluice_breakpoint_report_clear (report);
      place.n_hits = report->n_hits;
      *report = place;
      if (report->value != NULL)
        sluice_tensor_ref (report->value);
    }
}

SluiceKeptNodes *
sluice_debugger_dup_kept (SluiceDebugger *self)
{
  SluiceKeptNodes *kept = NULL;
  pthread_mutex_lock (&self->lock);
  if (self->mode == DEBUG_BY_STEP)
    kept = sluice_kept_new (NULL, TRUE);
  else if (self->mode != DEBUG_FREE && self->breakpoints->len > 0)
    kept = sluice_kept_ref (self->kept);
  pthread_mutex_unlock (&self->lock);
  return kept;
}

static void
clear_held (gpointer data)
{
  Held *held = data;
  for (guint i = 0; i < held->node->n_inputs; i++)
    if (held->values[i].tensor == NULL)
      continue;
    else if (held->flags[i] & (SLUICE_SLOT_REF | SLUICE_SLOT_READ))
      sluice_resource_unref (&held->values[i].ref->parent);
    else
      sluice_tensor_unref (held->values[i].tensor);
  g_free (held->values);
}

void
sluice_debug_begin (SluiceDebugger *debugger, SluiceStep *step)
{
  if (debugger == NULL)
    return;
  pthread_mutex_lock (&debugger->lock);
  gboolean stops = debugger->mode == DEBUG_BY_STEP
                   || (debugger->mode != DEBUG_FREE && debugger->breakpoints->len > 0);
  if (stops)
    {
      SluiceDebugRun *self = step->debug = g_new0 (SluiceDebugRun, 1);
      self->debugger = sluice_debugger_ref (debugger);
      self->step = step;
      self->attends = &debugger->attends;
      self->is_single =
          debugger->mode == DEBUG_BY_STEP || (debugger->kept != NULL && debugger->kept->all);
      self->held = g_array_new (FALSE, FALSE, sizeof (Held));
      g_array_set_clear_func (self->held, clear_held);
      self->puts = g_array_new (FALSE, FALSE, sizeof (Put));
      self->dead = g_array_new (FALSE, FALSE, sizeof (SluiceDebugNode));
      g_array_set_clear_func (self->dead, (GDestroyNotify) sluice_debug_node_clear);
      take_breakpoints (self);
    }
  pthread_mutex_unlock (&debugger->lock);
  /* Changes nothing: whoever cancels the step sees all of this (sluice_step_cancel()). */
  atomic_fetch_add (&step->cancelled, 0);
}

static void
forget_ran (SluiceDebugRun *self)
{
  if (!self->has_ran)
    return;
  self->has_ran = FALSE;
  sluice_debug_node_clear (&self->ran);
  g_clear_pointer (&self->ran_outputs, g_array_unref);
}

void
sluice_debug_end (SluiceStep *step)
{
  SluiceDebugRun *self = step->debug;
  if (self == NULL)
    return;
  pthread_mutex_lock (&self->debugger->lock); /* after who cancels it, as ThreadSanitizer sees it */
  step->debug = NULL;
  pthread_mutex_unlock (&self->debugger->lock);
  forget_ran (self);
  g_array_unref (self->held);
  g_array_unref (self->puts);
  g_array_unref (self->dead);
  sluice_debug_plan_unref (self->plan);
  sluice_debugger_unref (self->debugger);
  g_free (self);
}

void
sluice_debug_wake (SluiceDebugRun *self)
{
  pthread_mutex_lock (&self->debugger->lock);
  pthread_cond_broadcast (&self->debugger->changed);
  pthread_mutex_unlock (&self->debugger->lock);
}

/* ---- a stop ---- */

/* Under the debugger's lock, which it gives up meanwhile. */
static void
wait_for_change (SluiceDebugRun *self)
{
  SluiceDebugger *debugger = self->debugger;
  if (self->step->env.cancel_flag == NULL)
    {
      pthread_cond_wait (&debugger->changed, &debugger->lock);
      return;
    }
  struct timespec until;
  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_nsec += POLL_NS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&debugger->changed, &debugger->lock, &until);
}

/* With the lock given up: whoever is told may ask at once. */
static void
tell (SluiceDebugger *debugger)
{
  void (*notify) (gpointer) = debugger->notify;
  gpointer data = debugger->notify_data;
  pthread_cond_broadcast (&debugger->changed);
  if (notify == NULL)
    return;
  pthread_mutex_unlock (&debugger->lock);
  notify (data);
  pthread_mutex_lock (&debugger->lock);
}

/* Under the debugger's lock: may this run stop now, with this many breakpoints hit? */
static gboolean
stops (const SluiceDebugRun *self, guint breakpoint)
{
  const SluiceDebugger *debugger = self->debugger;
  return !self->is_free && debugger->mode != DEBUG_FREE
         && (breakpoint > 0 || debugger->mode == DEBUG_BY_STEP || debugger->pauses);
}

/* Under the debugger's lock: waits until it is told to go on, or is cancelled. */
static void
stop (SluiceDebugRun *self, SluiceWorker *w)
{
  SluiceDebugger *debugger = self->debugger;
  SluiceActivity *activity = self->step->env.activity;
  while (debugger->stopped != NULL && debugger->mode != DEBUG_FREE && !is_cancelled (self->step))
    wait_for_change (self);
  if (debugger->mode == DEBUG_FREE || is_cancelled (self->step))
    return;
  debugger->stopped = self;
  debugger->goes_on = FALSE;
  debugger->pauses = FALSE;
  g_array_set_size (debugger->replaced, 0);
  debugger->n_stops++;
  self->is_single = TRUE;
  atomic_store (&debugger->attends, debugger->mode == DEBUG_BY_STEP);
  const gint64 since = g_get_monotonic_time ();
  sluice_activity_begin (activity); /* others need not think that nobody will do anything */
  tell (debugger);
  while (!debugger->goes_on && !is_cancelled (self->step))
    wait_for_change (self);
  sluice_activity_end (activity);
  debugger->stopped = NULL;
  debugger->goes_on = TRUE;
  g_array_set_size (debugger->replaced, 0); /* a kernel may work in a buffer that nobody else has */
  debugger->stopped_us += g_get_monotonic_time () - since;
  tell (debugger);
  take_breakpoints (self);
  forget_ran (self);
  g_array_set_size (self->dead, 0);
  w->now = sluice_clock_ticks ();
}

/* ---- breakpoints ---- */

/* Under the debugger's lock: counts what a breakpoint has seen. Returns its number where it
 * stops. */
static guint
hit (SluiceBreakpointReport *report)
{
  report->n_hits++;
  return report->n_hits >= report->what.first_hit ? report->number : 0;
}

/* Under the debugger's lock: of those that stop before the node. */
static guint
find_before (SluiceDebugRun *self, const SluicePlanNode *node, gboolean is_dead)
{
  const SluiceStep *step = self->step;
  guint found = 0;
  for (guint i = 0; i < self->debugger->breakpoints->len; i++)
    {
      SluiceBreakpointReport *report = breakpoint_at (self->debugger->breakpoints, i);
      if (!sluice_debug_names (&report->what, step->plan, node))
        continue;
      report->n_dead += is_dead;
      report->n_ran += !is_dead;
      if (is_dead || step->env.number < report->what.first_step
          || sluice_breakpoint_is_behind (&report->what))
        continue;
      guint number = hit (report);
      found = found > 0 ? found : number;
    }
  return found;
}

/* FALSE also where there is no memory for what the device has. */
static gboolean
fits (const SluiceBreakpoint *what, SluiceTensor *value)
{
  g_autoptr (SluiceTensor) near = sluice_tensor_dup_near (value, NULL, NULL);
  return near != NULL && sluice_breakpoint_fits (what, near);
}

/* Is the value, or that of the variable that it stands for, as is asked for? */
static gboolean
output_fits (const SluiceBreakpoint *what,
             const SluicePlanNode *node,
             guint port,
             const SluiceValue *outputs)
{
  g_autoptr (SluiceTensor) value = sluice_guard_dup_value (node, port, outputs);
  return value != NULL && fits (what, value);
}

/* A variable that the node may have written: it gives no output then, or one that says nothing. */
static gboolean
variable_fits (const SluiceBreakpoint *what, const Held *held)
{
  for (guint i = 0; held != NULL && i < held->node->n_inputs; i++)
    {
      SluiceVariable *variable = held->values[i].tensor == NULL     ? NULL
                                 : held->flags[i] & SLUICE_SLOT_REF ? held->values[i].ref
                                 : held->flags[i] & SLUICE_SLOT_READ
                                     ? NULL
                                     : sluice_guard_get_variable (held->values[i].tensor);
      g_autoptr (SluiceTensor) value =
          variable != NULL ? sluice_variable_dup_tensor (variable) : NULL;
      if (value != NULL && fits (what, value))
        return TRUE;
    }
  return FALSE;
}

static gboolean
node_fits (const SluiceBreakpoint *what,
           const SluicePlanNode *node,
           const SluiceValue *outputs,
           const Held *held)
{
  for (guint k = 0; k < node->n_outputs; k++)
    if ((what->port < 0 || what->port == (int) k) && output_fits (what, node, k, outputs))
      return TRUE;
  return what->port < 0 && variable_fits (what, held);
}

/* Of those that look at what the node has made. No lock is held while values are read. */
static guint
find_behind (SluiceDebugRun *self,
             const SluicePlanNode *node,
             const SluiceValue *outputs,
             const Held *held)
{
  SluiceDebugger *debugger = self->debugger;
  SluiceDebugPlan *plan = sluice_debug_plan_ref (self->plan);
  guint found = 0;
  for (guint i = 0; i < plan->places->len; i++)
    {
      const SluiceBreakpoint *what = &breakpoint_at (plan->places, i)->what;
      if (!sluice_breakpoint_is_behind (what) || self->step->env.number < what->first_step
          || !sluice_debug_names (what, self->step->plan, node)
          || !node_fits (what, node, outputs, held))
        continue;
      pthread_mutex_lock (&debugger->lock);
      if (plan->version == debugger->version)
        {
          guint number = hit (breakpoint_at (debugger->breakpoints, i));
          found = found > 0 ? found : number;
        }
      pthread_mutex_unlock (&debugger->lock);
    }
  sluice_debug_plan_unref (plan);
  return found;
}

/* ---- held inputs ---- */

static Held *
find_held (const SluiceDebugRun *self, const SluiceActivation *act, guint32 i)
{
  for (guint k = 0; k < self->held->len; k++)
    {
      Held *held = &g_array_index (self->held, Held, k);
      if (held->act == act && held->i == i)
        return held;
    }
  return NULL;
}

const SluiceValue *
sluice_debug_find_held (const SluiceDebugRun *run, const SluiceActivation *act, guint32 i)
{
  const Held *held = find_held (run, act, i);
  return held != NULL ? held->values : NULL;
}

static void
hold_inputs (SluiceDebugRun *self, SluiceActivation *act, guint32 i)
{
  const SluicePlanNode *node = &act->nodes[i];
  const SluiceValue *inputs = inputs_of (act, node);
  Held held = { .act = act,
                .i = i,
                .node = node,
                .flags = self->step->plan->slot_flags + node->first_input,
                .values = g_memdup2 (inputs, (node->n_inputs + 1) * sizeof (SluiceValue)) };
  for (guint k = 0; k < node->n_inputs; k++)
    if (held.values[k].tensor == NULL)
      continue;
    else if (held.flags[k] & (SLUICE_SLOT_REF | SLUICE_SLOT_READ))
      sluice_resource_ref (&held.values[k].ref->parent);
    else
      sluice_tensor_ref (held.values[k].tensor);
  g_array_append_val (self->held, held);
}

static void
let_go (SluiceDebugRun *self, const Held *held)
{
  if (held != NULL)
    g_array_remove_index_fast (self->held, (guint) (held - (const Held *) self->held->data));
}

/* ---- between the executor's nodes ---- */

static gboolean
is_in_flight (const SluiceStep *step, const SluiceActivation *act, guint32 i)
{
  for (const SluiceInFlightCall *call = step->in_flight; call != NULL; call = call->next_in_flight)
    if (call->act == act && call->node == i)
      return TRUE;
  return FALSE;
}

void
sluice_debug_lend (SluiceDebugRun *run, SluiceValue *slot, SluiceTensor *value)
{
  for (guint k = 0; k < run->puts->len; k++)
    if (g_array_index (run->puts, Put, k).slot == slot)
      {
        sluice_tensor_unref (slot->tensor);
        slot->tensor = sluice_tensor_ref (value);
        return;
      }
  Put put = { run->act, run->i, slot, slot->tensor };
  g_array_append_val (run->puts, put);
  slot->tensor = sluice_tensor_ref (value);
}

static void
put_back (SluiceDebugRun *self)
{
  for (guint k = self->puts->len; k-- > 0;)
    {
      const Put *put = &g_array_index (self->puts, Put, k);
      if (is_in_flight (self->step, put->act, put->i))
        continue;
      sluice_tensor_unref (put->slot->tensor);
      put->slot->tensor = put->original;
      g_array_remove_index_fast (self->puts, k);
    }
}

static void
drain_mailbox (SluiceDebugRun *self, SluiceWorker *w)
{
  SluiceInFlightCall *call = atomic_exchange (&self->step->mailbox, NULL), *next;
  for (; call != NULL; call = next)
    {
      next = call->next;
      if (call->call.error == NULL && !self->step->is_stopping)
        sluice_debug_look (self, w, call->act, &call->act->nodes[call->node], call->outputs);
      sluice_worker_finish_call (w, call);
    }
}

void
sluice_debug_between (SluiceDebugRun *self, SluiceWorker *w)
{
  if (atomic_load_explicit (&self->step->mailbox, memory_order_relaxed))
    drain_mailbox (self, w);
  if (self->puts->len > 0)
    put_back (self);
}

/* Other threads end what they compute, and what only waits does not matter. */
static void
settle (SluiceDebugRun *self, SluiceWorker *w)
{
  for (;;)
    {
      gboolean is_computed = FALSE;
      for (const SluiceInFlightCall *call = self->step->in_flight; call != NULL;
           call = call->next_in_flight)
        is_computed |= !(call->act->nodes[call->node].flags & SLUICE_PLAN_ASYNC);
      if (!is_computed)
        return;
      if (atomic_load (&self->step->mailbox))
        drain_mailbox (self, w);
      else
        g_usleep (LOOK_US);
    }
}

gboolean
sluice_debug_attend (SluiceDebugRun *self, SluiceWorker *w, guint32 i, gboolean is_dead)
{
  SluiceDebugger *debugger = self->debugger;
  SluiceActivation *act = w->act;
  const SluicePlanNode *node = &act->nodes[i];
  if (!sluice_debug_is_node (node))
    return TRUE;
  pthread_mutex_lock (&debugger->lock);
  take_breakpoints (self);
  guint breakpoint =
      self->marks[node - w->plan->nodes] != 0 ? find_before (self, node, is_dead) : 0;
  gboolean is_stop = !is_dead && stops (self, breakpoint);
  self->is_single |= is_stop;
  pthread_mutex_unlock (&debugger->lock);
  if (self->is_single)
    {
      w->small_ticks = 0; /* from here on no kernel leaves the scheduler lock */
      settle (self, w);
    }
  if (is_stop && !self->step->is_stopping)
    {
      self->kind = SLUICE_STOP_BEFORE;
      self->breakpoint = breakpoint;
      self->act = act;
      self->i = i;
      pthread_mutex_lock (&debugger->lock);
      stop (self, w);
      pthread_mutex_unlock (&debugger->lock);
    }
  else if (is_dead && self->is_single)
    {
      SluiceDebugNode dead = sluice_debug_node (self->step, act, node);
      dead.turn = SLUICE_TURN_DEAD;
      g_array_append_val (self->dead, dead);
    }
  else if (!is_dead)
    forget_ran (self);
  if (self->step->is_stopping || is_cancelled (self->step))
    return FALSE;
  if (!is_dead && self->marks[node - w->plan->nodes] & DEBUG_MARK_BEHIND)
    hold_inputs (self, act, i);
  return TRUE;
}

guint64
sluice_debug_look (SluiceDebugRun *self,
                   SluiceWorker *w,
                   SluiceActivation *act,
                   const SluicePlanNode *node,
                   SluiceValue *outputs)
{
  const guint32 i = (guint32) (node - act->nodes);
  const guint64 start = sluice_clock_ticks ();
  const Held *held = find_held (self, act, i);
  if (!sluice_debug_is_node (node))
    return 0;
  guint breakpoint = self->marks[node - w->plan->nodes] & DEBUG_MARK_BEHIND
                         ? find_behind (self, node, outputs, held)
                         : 0;
  if (atomic_load_explicit (self->attends, memory_order_relaxed))
    {
      forget_ran (self);
      self->has_ran = TRUE;
      self->ran = sluice_debug_node (self->step, act, node);
      self->ran.turn = SLUICE_TURN_ENDED;
      self->ran_outputs = sluice_debug_dup_outputs (w->plan, node, outputs);
    }
  if (breakpoint > 0)
    {
      const guint64 now = w->now;
      self->kind = SLUICE_STOP_BEHIND;
      self->breakpoint = breakpoint;
      self->act = act;
      self->i = i;
      self->outputs = outputs;
      pthread_mutex_lock (&self->debugger->lock);
      if (stops (self, breakpoint))
        stop (self, w);
      pthread_mutex_unlock (&self->debugger->lock);
      w->now = now;
    }
  let_go (self, find_held (self, act, i));
  return sluice_clock_ticks () - start;
}

gboolean
sluice_debug_wait (SluiceDebugRun *self, SluiceWorker *w, gboolean is_hopeless)
{
  SluiceDebugger *debugger = self->debugger;
  pthread_mutex_lock (&debugger->lock);
  gboolean is_stop = stops (self, is_hopeless);
  if (is_stop)
    {
      self->kind = SLUICE_STOP_WAITS;
      self->breakpoint = 0;
      self->act = NULL;
      stop (self, w);
    }
  gboolean waits_on = is_stop && !self->is_free && debugger->mode != DEBUG_FREE;
  pthread_mutex_unlock (&debugger->lock);
  return waits_on;
}

void
sluice_debug_finish (SluiceDebugRun *self, SluiceWorker *w)
{
  pthread_mutex_lock (&self->debugger->lock);
  if (self->has_ran && self->debugger->mode == DEBUG_BY_STEP && stops (self, 0))
    {
      self->kind = SLUICE_STOP_END;
      self->breakpoint = 0;
      self->act = NULL;
      stop (self, w);
    }
  pthread_mutex_unlock (&self->debugger->lock);
}
