/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/queue-runners.h"

#include <pthread.h>

#include "engine/base/error.h"
#include "engine/base/thread.h"
#include "engine/graph/graphdef.h"

typedef struct
{
  SluiceQueueRunners *all;
  const SluiceQueueRunner *runner;
  guint *n_running; /* of the runner, under lock */
  const char *enqueue;
  pthread_t thread;
} Filler;

struct _SluiceQueueRunners
{
  SluiceSession *session;
  GPtrArray *runners; /* of SluiceQueueRunner */
  guint *n_running;   /* by runner, under lock: fillers that have not ended */
  Filler *fillers;
  guint n_fillers;
  GCancellable *cancellable;

  pthread_mutex_t lock; /* guards what follows */
  gboolean is_stopping;
  GError *error; /* the first failure */
};

static gboolean
run_node (SluiceQueueRunners *self, const char *node, GError **error)
{
  return sluice_session_run (self->session, &(SluiceStepNames){ .targets = &node, .n_targets = 1 },
                             NULL, NULL, error);
}

static gboolean
is_stopping (SluiceQueueRunners *self)
{
  pthread_mutex_lock (&self->lock);
  gboolean stopping = self->is_stopping;
  pthread_mutex_unlock (&self->lock);
  return stopping;
}

/* TRUE for the first to fail or to ask for the end. */
static gboolean
begin_stop (SluiceQueueRunners *self, GError *take_error)
{
  pthread_mutex_lock (&self->lock);
  gboolean first = !self->is_stopping;
  self->is_stopping = TRUE;
  if (first)
    self->error = g_steal_pointer (&take_error);
  pthread_mutex_unlock (&self->lock);
  g_clear_error (&take_error);
  return first;
}

/* Whoever takes from the queues sees them closed; who fills them is woken. */
static void
stop_all (SluiceQueueRunners *self)
{
  for (guint i = 0; i < self->runners->len; i++)
    {
      const SluiceQueueRunner *runner = self->runners->pdata[i];
      g_autoptr (GError) error = NULL;
      if (runner->cancel != NULL && !run_node (self, runner->cancel, &error))
        g_warning ("the queue '%s' cannot be closed: %s", runner->queue, error->message);
    }
  g_cancellable_cancel (self->cancellable);
}

static gboolean
only_says_no_more (const SluiceQueueRunner *runner, const GError *error)
{
  return error->domain == SLUICE_ERROR && error->code > 0 && error->code < 32
         && (runner->closed_errors & 1u << error->code) != 0;
}

/* What ended a filler: the end of its input closes the queue behind the last, all else is a
 * failure of the whole. */
static void
end_filler (Filler *filler, GError *take_error)
{
  SluiceQueueRunners *self = filler->all;
  const SluiceQueueRunner *runner = filler->runner;
  g_autoptr (GError) error = take_error;
  pthread_mutex_lock (&self->lock);
  gboolean last = --*filler->n_running == 0;
  gboolean stopping = self->is_stopping;
  pthread_mutex_unlock (&self->lock);
  if (stopping)
    return;
  g_autoptr (GError) failure = NULL;
  if (!only_says_no_more (runner, error))
    failure = g_steal_pointer (&error);
  else if (last && runner->close != NULL)
    run_node (self, runner->close, &failure);
  if (failure == NULL)
    return;
  g_prefix_error (&failure, "filling the queue '%s': ", runner->queue);
  if (begin_stop (self, g_steal_pointer (&failure)))
    stop_all (self);
}

static void *
fill (void *data)
{
  Filler *filler = data;
  SluiceQueueRunners *self = filler->all;
  SluiceRunOptions options = { .cancellable = self->cancellable, .may_wait = TRUE };
  GError *error = NULL;
  g_autoptr (SluiceCallable) callable = sluice_session_prepare (
      self->session, &(SluiceStepNames){ .targets = &filler->enqueue, .n_targets = 1 }, &error);
  while (callable != NULL && !is_stopping (self)
         && sluice_callable_run (callable, NULL, NULL, &options, &error))
    continue;
  end_filler (filler, error);
  return NULL;
}

/* FALSE: some have begun, and n_fillers says how many. */
static gboolean
start_fillers (SluiceQueueRunners *self, GError **error)
{
  guint n = 0, n_fillers = 0;
  for (guint i = 0; i < self->runners->len; i++)
    n += g_strv_length (((SluiceQueueRunner *) self->runners->pdata[i])->enqueue);
  self->fillers = g_new0 (Filler, n + 1);
  self->n_running = g_new0 (guint, self->runners->len + 1);
  for (guint i = 0; i < self->runners->len; i++)
    {
      SluiceQueueRunner *runner = self->runners->pdata[i];
      self->n_running[i] = g_strv_length (runner->enqueue);
      for (char **enqueue = runner->enqueue; *enqueue != NULL; enqueue++)
        self->fillers[n_fillers++] = (Filler){
          .all = self, .runner = runner, .n_running = &self->n_running[i], .enqueue = *enqueue
        };
    }
  for (; self->n_fillers < n_fillers; self->n_fillers++)
    {
      Filler *filler = &self->fillers[self->n_fillers];
      g_autofree char *what =
          g_strdup_printf ("filling the queue '%s', thread %u of %u", filler->runner->queue,
                           self->n_fillers + 1, n_fillers);
      if (!sluice_thread_start (&filler->thread, fill, filler, what,
                                "give the graph's queue runners fewer nodes that fill", error))
        return FALSE;
    }
  return TRUE;
}

SluiceQueueRunners *
sluice_queue_runners_start (SluiceSession *session, SluiceGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) runners = sluice_graph_dup_queue_runners (graph, error);
  if (runners == NULL || runners->len == 0)
    return NULL;
  SluiceQueueRunners *self = g_new0 (SluiceQueueRunners, 1);
  self->session = g_object_ref (session);
  self->runners = g_steal_pointer (&runners);
  self->cancellable = g_cancellable_new ();
  pthread_mutex_init (&self->lock, NULL);
  if (start_fillers (self, error))
    return self;
  sluice_queue_runners_free (self);
  return NULL;
}

gboolean
sluice_queue_runners_check (SluiceQueueRunners *self, GError **error)
{
  pthread_mutex_lock (&self->lock);
  gboolean ok = self->error == NULL;
  if (!ok)
    g_propagate_error (error, g_error_copy (self->error));
  pthread_mutex_unlock (&self->lock);
  return ok;
}

void
sluice_queue_runners_free (SluiceQueueRunners *self)
{
  if (begin_stop (self, NULL))
    stop_all (self);
  for (guint i = 0; i < self->n_fillers; i++)
    pthread_join (self->fillers[i].thread, NULL);
  g_free (self->fillers);
  g_free (self->n_running);
  g_ptr_array_unref (self->runners);
  g_object_unref (self->cancellable);
  g_object_unref (self->session);
  g_clear_error (&self->error);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}
