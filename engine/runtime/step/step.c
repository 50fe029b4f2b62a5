/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* One run of a plan, from what is fed to what is fetched; executor.c is what lies between. */
#include "engine/device/rendezvous.h"
#include "engine/runtime/debug/debugger-run.h"
#include "engine/runtime/step/executor.h"
#include "engine/runtime/step/frame.h"
#include "engine/runtime/step/send-feeds.h"

SluiceStep *
sluice_step_new (const SluicePlan *plan)
{
  SluiceStep *self = g_aligned_alloc0 (1, sizeof (SluiceStep), 64);
  self->plan = plan;
  self->resources = sluice_resources_new ();
  if (plan->has_meetings)
    self->own_rendezvous = sluice_rendezvous_new_local ();
  self->ref_count = 1;
  self->gate = SLUICE_GATE_CLOSED;
  sluice_activation_init (&self->root, plan, 0);
  if (plan->n_far_devices > 0)
    self->sent = sluice_sent_new ();
  self->free_activations = g_new0 (SluiceActivation *, plan->n_frames);
  self->free_frames = g_new0 (SluiceFrame *, plan->n_frames);
  pthread_mutex_init (&self->wait_lock, NULL);
  pthread_condattr_t attr;
  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_cond_init (&self->wait, &attr);
  pthread_condattr_destroy (&attr);
  return self;
}

/* The plan may be gone by now: a helper that the pool never started can hold the last reference. */
void
sluice_step_unref (SluiceStep *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  for (SluiceInFlightCall *in_flight = self->free_calls, *next; in_flight; in_flight = next)
    {
      next = in_flight->next;
      g_free (in_flight);
    }
  g_clear_pointer (&self->sent, g_array_unref);
  sluice_resources_unref (self->resources);
  g_clear_pointer (&self->own_rendezvous, sluice_rendezvous_unref);
  sluice_frames_free (self);
  sluice_activation_clear (&self->root);
  g_free (self->free_activations);
  g_free (self->free_frames);
  pthread_mutex_destroy (&self->wait_lock);
  pthread_cond_destroy (&self->wait);
  g_aligned_free (self);
}

gboolean
sluice_check_feed (SluiceEdge edge, const SluiceTensor *value, GError **error)
{
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  const SluiceShape *shape = sluice_edge_shape (edge);
  if (!value)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s:%d' is fed nothing",
                        edge.node->name, edge.port);
  /* The dtype of an unknown op's output is not known. */
  if (dtype != SLUICE_INVALID && (SluiceDType) value->dtype != dtype)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s:%d' is of %s, and %s is fed",
                        edge.node->name, edge.port, sluice_dtype_name (dtype),
                        sluice_dtype_name (value->dtype));
  if (shape->rank == SLUICE_UNKNOWN_RANK || sluice_shape_compatible (shape, &value->shape))
    return TRUE;
  char want[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "'%s:%d' is of shape %s, and a value of shape %s is fed", edge.node->name,
                      edge.port, sluice_shape_str (shape, want),
                      sluice_shape_str (&value->shape, got));
}

gboolean
sluice_plan_check_feeds (const SluicePlan *plan, SluiceTensor *const *feeds, GError **error)
{
  for (guint32 i = 0; i < plan->n_feeds; i++)
    if (!sluice_check_feed (plan->feeds[i], feeds[i], error))
      return FALSE;
  return TRUE;
}

static void
lay_feeds (SluiceStep *self, SluiceTensor *const *feeds)
{
  const SluicePlan *plan = self->plan;
  for (guint32 i = 0; i < plan->n_feeds; i++)
    for (guint32 k = plan->feed_first[i]; k < plan->feed_first[i + 1]; k++)
      self->root.slots[plan->feed_edges[k].slot].tensor = sluice_tensor_ref (feeds[i]);
  if (self->sent)
    sluice_plan_send_feeds (plan, self->env.devices, feeds, self->sent, TRUE);
}

void
sluice_step_prepare (SluiceStep *self, const SluiceStepEnv *env)
{
  self->env = *env;
  if (!env->rendezvous && self->own_rendezvous)
    {
      self->env.rendezvous = self->own_rendezvous;
      self->env.epoch = ++self->n_epochs;
    }
  self->ended = NULL;
  self->is_broken = 0;
  self->n_run = 0;
  self->n_watched = 0;
  self->debug = NULL;
  self->cancelled = 0; /* last: whoever cancels exchanges it, and has seen the rest then */
}

void
sluice_step_prepare_driven (SluiceStep *self,
                            const SluiceStepEnv *env,
                            SluiceStepEnded ended,
                            gpointer data)
{
  sluice_step_prepare (self, env);
  self->ended = ended;
  self->ended_data = data;
  self->driver = SLUICE_DRIVER_WORKS;
}

static void
start (SluiceStep *self, SluiceTensor *const *feeds)
{
  const SluicePlan *plan = self->plan;
  SluiceActivation *root = &self->root;
  const SluicePlanFrame *frame = &plan->frames[0];
  memcpy (root->pending, plan->pending, frame->n_nodes * sizeof (guint32));
  if (root->dead)
    memset (root->dead, 0, frame->n_nodes * sizeof (guint32));
  root->remaining = frame->n_nodes;
  self->n_in_flight = 0;
  self->is_stopping = FALSE;
  self->missed_ticks = 0;
  self->finished = 0;
  self->calls_for_caller = 0;
  self->is_observed = self->n_watched > 0 || self->debug;
  if (plan->unfed)
    self->error = g_error_copy (plan->unfed);
  lay_feeds (self, feeds);
  guint64 now = sluice_clock_ticks ();
  for (guint32 i = 0; i < frame->n_roots; i++)
    {
      root->scheduled[plan->roots[i]] = now;
      sluice_ready_add (&root->ready, plan->roots[i]);
    }
}

/* After a step that failed: what still lies on edges goes. */
static void
clear (SluiceStep *self)
{
  sluice_frames_end_all (self);
  sluice_ready_clear (&self->root.ready);
  sluice_activation_drop_values (&self->root, self->plan, 0);
}

static SluiceTensor *
copy_for_caller (SluiceStep *self,
                 const SluicePlanFetch *fetch,
                 SluiceTensor *tensor,
                 GError **error)
{
  SluiceAllocator *allocator = self->env.devices[0]->allocator;
  if (sluice_tensor_is_far (tensor))
    {
      SluiceTensor *near = sluice_tensor_dup_near (tensor, allocator, error);
      if (!near)
        g_prefix_error (error, "fetch '%s:%d': ", fetch->edge.node->name, fetch->edge.port);
      return near;
    }
  SluiceTensor *copy = sluice_tensor_dup (tensor, allocator, SLUICE_OWNER_NONE);
  if (!copy)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "no memory for the copy of a fetched variable, %" G_GSIZE_FORMAT " bytes",
                 sluice_tensor_bytes (tensor));
  return copy;
}

static SluiceTensor *
fetch_reference (SluiceStep *self,
                 const SluicePlanFetch *fetch,
                 SluiceVariable *variable,
                 GError **error)
{
  g_autoptr (SluiceTensor) tensor = sluice_variable_dup_tensor (variable);
  if (!tensor)
    {
      sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                   "fetch '%s:%d': variable '%s' is not initialised; run its initializer first",
                   fetch->edge.node->name, fetch->edge.port, variable->name);
      return NULL;
    }
  return copy_for_caller (self, fetch, tensor, error);
}

/* Does it lie in a branch that was not taken? */
static gboolean
is_dead (const SluiceStep *self, const SluicePlanFetch *fetch)
{
  return fetch->feed < 0 && !fetch->constant && !self->root.slots[fetch->slot].tensor;
}

/* What the caller gets never changes afterwards: memory that a variable may hold is copied. */
static SluiceTensor *
fetch_one (SluiceStep *self,
           const SluicePlanFetch *fetch,
           SluiceTensor *const *feeds,
           GError **error)
{
  if (fetch->feed >= 0)
    return sluice_tensor_ref (feeds[fetch->feed]);
  if (fetch->constant)
    return sluice_tensor_ref (fetch->constant);
  SluiceValue value = self->root.slots[fetch->slot];
  if (is_dead (self, fetch))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "fetch '%s:%d' has no value: it lies in a branch that was not taken",
                   fetch->edge.node->name, fetch->edge.port);
      return NULL;
    }
  if (fetch->is_ref)
    return fetch_reference (self, fetch, value.ref, error);
  if (self->plan->has_refs && value.tensor->buffer && !sluice_tensor_is_exclusive (value.tensor))
    return copy_for_caller (self, fetch, value.tensor, error);
  self->root.slots[fetch->slot].tensor = NULL;
  if (!sluice_tensor_is_far (value.tensor))
    return value.tensor;
  SluiceTensor *near = copy_for_caller (self, fetch, value.tensor, error);
  sluice_tensor_unref (value.tensor);
  return near;
}

static gboolean
fetch_all (SluiceStep *self, SluiceTensor *const *feeds, SluiceTensor **outputs, GError **error)
{
  for (guint32 i = 0; i < self->plan->n_fetches; i++)
    {
      const SluicePlanFetch *fetch = &self->plan->fetches[i];
      gboolean takes_none = self->env.fetches_dead && is_dead (self, fetch);
      outputs[i] = takes_none ? NULL : fetch_one (self, fetch, feeds, error);
      if (outputs[i] || takes_none)
        continue;
      while (i-- > 0)
        g_clear_pointer (&outputs[i], sluice_tensor_unref);
      return FALSE;
    }
  return TRUE;
}

gboolean
sluice_step_note_news (SluiceStep *self)
{
  int driver = atomic_load (&self->driver);
  int next;
  do
    next = driver == SLUICE_DRIVER_NONE ? SLUICE_DRIVER_WORKS : SLUICE_DRIVER_HAS_NEWS;
  while (!atomic_compare_exchange_weak (&self->driver, &driver, next));
  return driver == SLUICE_DRIVER_NONE;
}

static void
drive (gpointer step)
{
  sluice_executor_drive (step);
}

void
sluice_step_send (SluiceStep *self)
{
  gboolean is_sent = sluice_pool_submit (drive, self, NULL);
  g_assert (is_sent); /* a session has started the pool, and what was started stays */
}

void
sluice_step_call_caller (SluiceStep *self)
{
  pthread_mutex_lock (&self->wait_lock);
  if (self->caller_sleeps)
    {
      atomic_store (&self->calls_for_caller, 1);
      pthread_cond_signal (&self->wait);
    }
  pthread_mutex_unlock (&self->wait_lock);
}

void
sluice_step_wake (SluiceStep *self)
{
  if (self->ended)
    {
      if (sluice_step_note_news (self))
        sluice_step_send (self);
      return;
    }
  pthread_mutex_lock (&self->wait_lock);
  if (self->caller_sleeps)
    pthread_cond_signal (&self->wait);
  pthread_mutex_unlock (&self->wait_lock);
}

void
sluice_step_cancel (SluiceStep *self)
{
  /* An exchange, and no store: it sees what prepared the step, even where it comes through GLib,
   * whose locks ThreadSanitizer does not know. */
  atomic_exchange (&self->cancelled, 1);
  if (self->debug)
    sluice_debug_wake (self->debug);
  sluice_step_wake (self);
}

/* Who waits for what the step should have brought is told why it does not come. */
static void
tell_failure (SluiceStep *self, const GError *error)
{
  const SluicePlan *plan = self->plan;
  for (guint32 i = 0; i < plan->n_nodes; i++)
    if (plan->nodes[i].kernel && plan->nodes[i].kernel->step_failed)
      plan->nodes[i].kernel->step_failed (plan->nodes[i].origin, self->env.resources, error);
}

/* What was sent and nobody has received goes. Another's rendezvous may still be of use to others.
 */
static void
end_meetings (SluiceStep *self)
{
  if (!self->own_rendezvous || self->env.rendezvous != self->own_rendezvous)
    return;
  g_autoptr (GError) status =
      g_error_new_literal (SLUICE_ERROR, SLUICE_ERROR_ABORTED, "the run has ended");
  sluice_rendezvous_abort (self->own_rendezvous, self->env.epoch, status);
}

gboolean
sluice_step_collect (SluiceStep *self,
                     SluiceTensor *const *feeds,
                     SluiceTensor **outputs,
                     GError **error)
{
  gboolean ok = !self->error;
  if (self->sent)
    g_array_set_size (self->sent, 0);
  if (!ok)
    {
      tell_failure (self, self->error);
      g_propagate_error (error, g_steal_pointer (&self->error));
    }
  else
    ok = fetch_all (self, feeds, outputs, error);
  if (!ok)
    clear (self);
  else if (self->plan->has_refs)
    sluice_activation_drop_values (&self->root, self->plan,
                                   self->plan->n_inputs); /* what was copied for the caller */
  end_meetings (self);
  sluice_resources_reset (self->resources, NULL);
  return ok;
}

gboolean
sluice_step_run (SluiceStep *self,
                 SluiceTensor *const *feeds,
                 SluiceTensor **outputs,
                 GError **error)
{
  start (self, feeds);
  if (self->root.remaining)
    sluice_executor_run (self);
  return sluice_step_collect (self, feeds, outputs, error);
}

void
sluice_step_begin (SluiceStep *self, SluiceTensor *const *feeds, gboolean elsewhere)
{
  start (self, feeds);
  self->finished = self->root.remaining == 0;
  self->gate = 0;
  if (elsewhere)
    sluice_step_send (self);
  else
    sluice_executor_drive (self);
}
