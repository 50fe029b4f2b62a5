/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/async-workers.h"

#include <string.h>

#include "engine/base/tensor.h"
#include "engine/base/thread.h"

typedef struct
{
  SluiceAsyncWorkers *owner;
  SluiceCallable *step;
  pthread_t thread;
  /* Of the step under way: the worker's, until it says that the step has ended. */
  SluiceTensor **feeds, **outputs;
  double *scalars;
  GError *error;
  gboolean
      is_busy; /* under the workers' lock: from the begin of a step until somebody asked for it */
} Worker;

struct _SluiceAsyncWorkers
{
  SluiceReplica *replica;
  Worker *workers;
  guint n_workers;

  pthread_mutex_t lock; /* guards what follows, and the replica's batches and cursor */
  pthread_cond_t changed;
  SluiceRunOptions options;
  gint64 n_begun, limit;
  GQueue ended; /* of Worker, in the order in which their steps ended */
  gboolean quit;
};

static void
run_step (Worker *worker)
{
  SluiceReplica *replica = worker->owner->replica;
  SluiceRunOptions options = worker->owner->options;
  pthread_mutex_unlock (&worker->owner->lock);
  if (worker->error == NULL)
    sluice_replica_run_step (replica, worker->step, worker->feeds, worker->outputs, worker->scalars,
                             &options, &worker->error);
  pthread_mutex_lock (&worker->owner->lock);
}

static void *
worker_main (void *data)
{
  Worker *worker = data;
  SluiceAsyncWorkers *self = worker->owner;
  guint flushing = sluice_denormals_flush_begin ();
  sluice_thread_yield ();
  pthread_mutex_lock (&self->lock);
  while (!self->quit)
    {
      if (worker->is_busy || self->n_begun >= self->limit)
        {
          pthread_cond_wait (&self->changed, &self->lock);
          continue;
        }
      worker->is_busy = TRUE;
      self->n_begun++;
      guint64 since = sluice_clock_ticks ();
      sluice_replica_next_batch (self->replica, worker->feeds, &worker->error);
      sluice_session_note_host (self->replica->session, SLUICE_HOST_FEED, (guint64) self->n_begun,
                                since);
      run_step (worker);
      g_queue_push_tail (&self->ended, worker);
      pthread_cond_broadcast (&self->changed);
    }
  pthread_mutex_unlock (&self->lock);
  sluice_denormals_flush_end (flushing);
  return NULL;
}

static void
worker_clear (Worker *self, guint n_feeds)
{
  for (guint i = 0; i < n_feeds; i++)
    g_clear_pointer (&self->feeds[i], sluice_tensor_unref);
  g_free (self->feeds);
  g_free (self->outputs);
  g_free (self->scalars);
  g_clear_error (&self->error);
  sluice_callable_unref (self->step);
}

/* Of the one that comes next. */
static gboolean
start_worker (SluiceAsyncWorkers *self, guint n, GError **error)
{
  g_autofree char *what = g_strdup_printf ("worker %u of %u", self->n_workers + 1, n);
  Worker *worker = &self->workers[self->n_workers];
  if (!sluice_thread_start (&worker->thread, worker_main, worker, what, "train with fewer workers",
                            error))
    return FALSE;
  self->n_workers++;
  return TRUE;
}

SluiceAsyncWorkers *
sluice_async_workers_new (SluiceReplica *replica, SluiceCallable **steps, guint n, GError **error)
{
  SluiceAsyncWorkers *self = g_new0 (SluiceAsyncWorkers, 1);
  *self = (SluiceAsyncWorkers){ .replica = replica,
                                .workers = g_new0 (Worker, n),
                                .n_begun = replica->n_done,
                                .limit = replica->n_done };
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  for (guint i = 0; i < n; i++)
    {
      Worker *worker = &self->workers[i];
      *worker = (Worker){ .owner = self,
                          .step = steps[i],
                          .feeds = g_new0 (SluiceTensor *, replica->n_feeds),
                          .outputs = g_new0 (SluiceTensor *, replica->n_scalars),
                          .scalars = g_new0 (double, replica->n_scalars) };
      for (guint k = replica->n_batch; k < replica->n_feeds; k++)
        worker->feeds[k] = sluice_tensor_ref (replica->feeds[k]);
    }
  gboolean ok = TRUE;
  while (ok && self->n_workers < n)
    ok = start_worker (self, n, error);
  if (ok)
    return self;
  for (guint i = self->n_workers; i < n; i++)
    worker_clear (&self->workers[i], replica->n_feeds);
  sluice_async_workers_free (self);
  return NULL;
}

void
sluice_async_workers_free (SluiceAsyncWorkers *self)
{
  pthread_mutex_lock (&self->lock);
  self->quit = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; i < self->n_workers; i++)
    {
      pthread_join (self->workers[i].thread, NULL);
      worker_clear (&self->workers[i], self->replica->n_feeds);
    }
  g_queue_clear (&self->ended);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_free (self->workers);
  g_free (self);
}

gboolean
sluice_async_workers_next (SluiceAsyncWorkers *self,
                           gint64 limit,
                           double *scalars,
                           SluiceTensor **batch,
                           const SluiceRunOptions *options,
                           GError **error)
{
  pthread_mutex_lock (&self->lock);
  self->limit = limit;
  self->options = *options;
  pthread_cond_broadcast (&self->changed);
  while (self->ended.length == 0)
    pthread_cond_wait (&self->changed, &self->lock);
  Worker *worker = g_queue_pop_head (&self->ended);
  gboolean ok = worker->error == NULL;
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&worker->error));
  memcpy (scalars, worker->scalars, self->replica->n_scalars * sizeof *scalars);
  for (guint i = 0; i < self->replica->n_batch; i++)
    {
      g_clear_pointer (&batch[i], sluice_tensor_unref);
      batch[i] = g_steal_pointer (&worker->feeds[i]);
    }
  worker->is_busy = FALSE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

guint
sluice_async_workers_get_n_under_way (SluiceAsyncWorkers *self)
{
  guint n = 0;
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->n_workers; i++)
    n += self->workers[i].is_busy;
  pthread_mutex_unlock (&self->lock);
  return n;
}
