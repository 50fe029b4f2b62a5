/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A partial run: its feeds are nodes that wait until somebody brings the value, its fetches nodes
 * that keep theirs until somebody asks. The step runs on a thread of its own meanwhile, which
 * sleeps as long as it can only wait.
 */
#include "engine/runtime/session/session-partial-run.h"

#include <string.h>

#include "engine/base/thread.h"
#include "engine/runtime/session/session.h"

typedef struct
{
  gboolean is_fed;
  SluiceTensor *value;    /* fed, and the node has not asked yet */
  SluiceKernelCall *call; /* the node waits */
} Feed;

typedef struct
{
  gboolean is_there, is_taken;
  SluiceTensor *value; /* NULL where it is there: it lies in a branch that was not taken */
} Fetch;

struct _SluicePartialRun
{
  _Atomic int ref_count;
  /* Set once. */
  GObject *session;
  SluiceStep *step;
  const SluicePlanPartialRun *partial_run; /* of the step's plan */
  SluicePartialRunEnd end;
  gpointer data;
  GCancellable *cancellable;
  gulong handler;
  gboolean has_thread; /* else the step never began */
  pthread_t thread;

  pthread_mutex_t lock; /* guards the rest */
  pthread_cond_t changed;
  Feed *feeds;
  Fetch *fetches;
  gboolean has_ended; /* the step */
  gboolean is_over;   /* all was fed and fetched, or it failed */
  GError *error;      /* the step's */
};

void
sluice_plan_set_partial_run (SluicePlan *plan,
                             const SluiceSignature *signature,
                             const guint8 *needs)
{
  gsize n_needs = (gsize) signature->n_fetches * signature->n_feeds;
  plan->partial_run = (SluicePlanPartialRun){
    .feeds = g_memdup2 (signature->feeds, signature->n_feeds * sizeof (SluiceEdge)),
    .fetches = g_memdup2 (signature->fetches, signature->n_fetches * sizeof (SluiceEdge)),
    .n_feeds = signature->n_feeds,
    .n_fetches = signature->n_fetches,
    .needs = n_needs ? g_memdup2 (needs, n_needs) : NULL,
  };
}

/* ---- inside the step ---- */

static void
feed_start (SluiceKernelCall *call)
{
  SluicePartialRun *self = call->step->env.partial_run;
  Feed *feed = &self->feeds[GPOINTER_TO_UINT (call->state)];
  pthread_mutex_lock (&self->lock);
  SluiceTensor *value = g_steal_pointer (&feed->value);
  gboolean stops = !value && atomic_load (call->cancelled);
  if (!value && !stops)
    feed->call = call;
  pthread_mutex_unlock (&self->lock);
  if (value)
    sluice_call_take_output (call, 0, value);
  else if (stops)
    sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the run ended before this was fed");
  if (value || stops)
    call->done (call);
}

static void
feed_cancel (SluiceKernelCall *call)
{
  SluicePartialRun *self = call->step->env.partial_run;
  Feed *feed = &self->feeds[GPOINTER_TO_UINT (call->state)];
  pthread_mutex_lock (&self->lock);
  gboolean waits = feed->call == call;
  if (waits)
    feed->call = NULL;
  pthread_mutex_unlock (&self->lock);
  if (!waits)
    return;
  sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the run ended before this was fed");
  call->done (call);
}

/* What is handed out never changes afterwards: memory that a variable may hold is copied. */
static gboolean
fetch_compute (SluiceKernelCall *call)
{
  SluicePartialRun *self = call->step->env.partial_run;
  Fetch *fetch = &self->fetches[GPOINTER_TO_UINT (call->state)];
  SluiceTensor *value = call->is_dead ? NULL : call->inputs[0].tensor;
  if (value && value->buffer && call->step->plan->has_refs)
    {
      value = sluice_tensor_dup (value, call->device->allocator, SLUICE_OWNER_NONE);
      if (!value)
        return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                                 "no memory for the copy of what is fetched");
    }
  else if (value)
    sluice_tensor_ref (value);
  pthread_mutex_lock (&self->lock);
  fetch->value = value;
  fetch->is_there = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return TRUE;
}

/* What waits for a feed waits for the program, which can always bring it: no describe_wait. */
const SluiceKernel sluice_partial_run_feed_kernel = {
  .flags = SLUICE_KERNEL_ASYNC,
  .start = feed_start,
  .cancel = feed_cancel,
};

const SluiceKernel sluice_partial_run_fetch_kernel = {
  .flags = SLUICE_KERNEL_CHEAP | SLUICE_KERNEL_RUNS_DEAD,
  .compute = fetch_compute,
};

/* ---- its life ---- */

static void *
run_step (void *data)
{
  SluicePartialRun *self = data;
  GError *error = NULL;
  sluice_step_run (self->step, NULL, NULL, &error);
  pthread_mutex_lock (&self->lock);
  self->error = error;
  self->has_ended = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

static void
on_cancelled (GCancellable *cancellable, gpointer self)
{
  sluice_partial_run_cancel (self);
}

SluicePartialRun *
sluice_partial_run_begin (GObject *session,
                          SluiceStep *step,
                          const SluiceStepEnv *env,
                          GCancellable *cancellable,
                          SluicePartialRunEnd end,
                          gpointer data,
                          GError **error)
{
  SluicePartialRun *self = g_new0 (SluicePartialRun, 1);
  SluiceStepEnv own = *env;
  own.partial_run = self;
  self->ref_count = 1;
  self->session = g_object_ref (session);
  self->step = step;
  self->partial_run = &step->plan->partial_run;
  self->end = end;
  self->data = data;
  self->feeds = g_new0 (Feed, self->partial_run->n_feeds + 1);
  self->fetches = g_new0 (Fetch, self->partial_run->n_fetches + 1);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  sluice_step_prepare (step, &own);
  if (cancellable)
    {
      self->cancellable = g_object_ref (cancellable);
      self->handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), self, NULL);
    }
  self->has_thread =
      sluice_thread_start (&self->thread, run_step, self, "a partial run", NULL, error);
  if (self->has_thread)
    return self;
  sluice_partial_run_unref (self);
  return NULL;
}

void
sluice_partial_run_cancel (SluicePartialRun *self)
{
  sluice_step_cancel (self->step);
}

SluicePartialRun *
sluice_partial_run_ref (SluicePartialRun *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

void
sluice_partial_run_unref (SluicePartialRun *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  if (self->handler)
    g_cancellable_disconnect (self->cancellable, self->handler);
  g_clear_object (&self->cancellable);
  sluice_step_cancel (self->step);
  if (self->has_thread)
    pthread_join (self->thread, NULL);
  for (guint32 i = 0; i < self->partial_run->n_feeds; i++)
    g_clear_pointer (&self->feeds[i].value, sluice_tensor_unref);
  for (guint32 i = 0; i < self->partial_run->n_fetches; i++)
    g_clear_pointer (&self->fetches[i].value, sluice_tensor_unref);
  self->end (self->session, self->step, self->data);
  g_object_unref (self->session);
  g_clear_error (&self->error);
  g_free (self->feeds);
  g_free (self->fetches);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_free (self);
}

/* ---- a part ---- */

/* "name" and "name:0" are the same edge. */
static gboolean
is_edge (const char *text, SluiceEdge edge)
{
  const char *colon = strrchr (text, ':');
  guint64 port = 0;
  if (colon && !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXINT, &port, NULL))
    colon = NULL;
  gsize length = colon ? (gsize) (colon - text) : strlen (text);
  return port == (guint64) edge.port && strlen (edge.node->name) == length
         && memcmp (edge.node->name, text, length) == 0;
}

static gboolean
find_edge (const char *what,
           const char *text,
           const SluiceEdge *edges,
           guint32 n,
           guint32 *found,
           GError **error)
{
  for (*found = 0; *found < n; ++*found)
    if (is_edge (text, edges[*found]))
      return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "the %s '%s' was not named when the partial run was set up", what, text);
}

/* What a call brings and asks for, by number. */
typedef struct
{
  guint32 *feeds, *fetches;
  guint8 *is_fed; /* by feed: before, or with this call */
} Part;

static gboolean
check_feeds (
    const SluicePartialRun *self, const SluiceFeed *feeds, guint n, Part *part, GError **error)
{
  for (guint32 i = 0; i < self->partial_run->n_feeds; i++)
    part->is_fed[i] = self->feeds[i].is_fed;
  for (guint i = 0; i < n; i++)
    {
      guint32 *feed = &part->feeds[i];
      if (!find_edge ("feed", feeds[i].edge, self->partial_run->feeds, self->partial_run->n_feeds,
                      feed, error)
          || !sluice_check_feed (self->partial_run->feeds[*feed], feeds[i].tensor, error))
        return FALSE;
      if (part->is_fed[*feed])
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "the feed '%s' has already been fed; a partial run takes each once",
                            feeds[i].edge);
      part->is_fed[*feed] = TRUE;
    }
  return TRUE;
}

static gboolean
check_fetches (
    const SluicePartialRun *self, const char *const *fetches, guint n, Part *part, GError **error)
{
  const SluicePlanPartialRun *partial_run = self->partial_run;
  for (guint i = 0; i < n; i++)
    {
      guint32 *fetch = &part->fetches[i];
      if (!find_edge ("fetch", fetches[i], partial_run->fetches, partial_run->n_fetches, fetch,
                      error))
        return FALSE;
      gboolean is_taken = self->fetches[*fetch].is_taken;
      for (guint k = 0; k < i; k++)
        is_taken |= part->fetches[k] == *fetch;
      if (is_taken)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "the fetch '%s' has already been fetched; a partial run gives each "
                            "once",
                            fetches[i]);
      for (guint32 k = 0; k < partial_run->n_feeds; k++)
        if (partial_run->needs[(gsize) *fetch * partial_run->n_feeds + k] && !part->is_fed[k])
          return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                              "the fetch '%s' cannot be computed from what has been fed so far: "
                              "feed '%s:%d', too",
                              fetches[i], partial_run->feeds[k].node->name,
                              partial_run->feeds[k].port);
    }
  return TRUE;
}

/* Under the lock, which is let go of for a node that waits. */
static void
bring (SluicePartialRun *self, Feed *feed, SluiceTensor *value)
{
  SluiceKernelCall *call = g_steal_pointer (&feed->call);
  feed->is_fed = TRUE;
  if (!call)
    {
      feed->value = sluice_tensor_ref (value);
      return;
    }
  pthread_mutex_unlock (&self->lock);
  sluice_call_take_output (call, 0, sluice_tensor_ref (value));
  call->done (call);
  pthread_mutex_lock (&self->lock);
}

static gboolean
has_all (const SluicePartialRun *self, const Part *part, guint n_fetches)
{
  for (guint i = 0; i < n_fetches; i++)
    if (!self->fetches[part->fetches[i]].is_there)
      return FALSE;
  return TRUE;
}

static gboolean
is_complete (const SluicePartialRun *self)
{
  for (guint32 i = 0; i < self->partial_run->n_feeds; i++)
    if (!self->feeds[i].is_fed)
      return FALSE;
  for (guint32 i = 0; i < self->partial_run->n_fetches; i++)
    if (!self->fetches[i].is_taken)
      return FALSE;
  return TRUE;
}

/* Under the lock, the values are there or the step has ended. */
static gboolean
take (SluicePartialRun *self, const Part *part, guint n, SluiceTensor **outputs, GError **error)
{
  for (guint i = 0; i < n && !self->error; i++)
    {
      const SluiceEdge edge = self->partial_run->fetches[part->fetches[i]];
      if (!self->fetches[part->fetches[i]].value)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "fetch '%s:%d' has no value: it lies in a branch that was not taken",
                            edge.node->name, edge.port);
    }
  for (guint i = 0; i < n; i++)
    self->fetches[part->fetches[i]].is_taken = TRUE;
  gboolean ends = is_complete (self);
  while (ends && !self->has_ended)
    pthread_cond_wait (&self->changed, &self->lock);
  if (self->error)
    {
      g_propagate_error (error, g_error_copy (self->error));
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    outputs[i] = g_steal_pointer (&self->fetches[part->fetches[i]].value);
  self->is_over = ends;
  return TRUE;
}

static gboolean
run_part (SluicePartialRun *self,
          const SluiceStepNames *names,
          Part *part,
          SluiceTensor **outputs,
          GError **error)
{
  if (self->is_over)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the partial run has ended; set up another");
  if (!check_feeds (self, names->feeds, names->n_feeds, part, error)
      || !check_fetches (self, names->fetches, names->n_fetches, part, error))
    return FALSE;
  for (guint i = 0; i < names->n_feeds; i++)
    bring (self, &self->feeds[part->feeds[i]], names->feeds[i].tensor);
  while (!self->has_ended && !has_all (self, part, names->n_fetches))
    pthread_cond_wait (&self->changed, &self->lock);
  if (take (self, part, names->n_fetches, outputs, error))
    return TRUE;
  self->is_over = TRUE;
  sluice_step_cancel (self->step);
  return FALSE;
}

gboolean
sluice_partial_run_part (SluicePartialRun *self,
                         const SluiceStepNames *names,
                         SluiceTensor **outputs,
                         GError **error)
{
  g_autofree guint32 *feed_numbers = g_new (guint32, names->n_feeds + 1);
  g_autofree guint32 *fetch_numbers = g_new (guint32, names->n_fetches + 1);
  g_autofree guint8 *is_fed = g_new0 (guint8, self->partial_run->n_feeds + 1);
  Part part = { feed_numbers, fetch_numbers, is_fed };
  pthread_mutex_lock (&self->lock);
  gboolean ok = run_part (self, names, &part, outputs, error);
  pthread_mutex_unlock (&self->lock);
  return ok;
}
