/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/queue-work.h"

#include <pthread.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/base/thread.h"

typedef struct
{
  SluiceStore *store;
  const SluiceQueueWork *how;
  pthread_mutex_t lock; /* guards what follows; held while a run is claimed and made ready */
  gboolean ends;
  guint n_failed, n_under_way;
  gint64 n_threads; /* that those under way need */
  GError *error;
} Work;

static void
tell (const Work *work, SluiceQueueClaim claim, const char *run, const char *message)
{
  if (work->how->tell != NULL)
    work->how->tell (claim, run, message, work->how->data);
}

/* What its row says that it needs. */
static gint64
threads_of (Work *work, const SluiceRunInfo *run)
{
  g_autoptr (GPtrArray) entries = sluice_run_queue_dup_entries (work->store, NULL);
  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      const SluiceQueueEntry *entry = entries->pdata[i];
      if (entry->info->id == run->id)
        return entry->threads;
    }
  return 0;
}

/* One that needs more than there are runs alone. */
static gint64
threads_left (Work *work)
{
  return work->n_under_way == 0 ? -1
                                : MAX ((gint64) sluice_pool_get_threads () - work->n_threads, 0);
}

static void
end_with (Work *work, SluiceQueueClaim claim, GError *take)
{
  work->ends = TRUE;
  if (take == NULL && claim == SLUICE_QUEUE_PAUSED)
    sluice_fail (&take, SLUICE_ERROR_FAILED_PRECONDITION,
                 "the queue is paused; 'sluice queue resume' lets it go on");
  if (take == NULL && claim == SLUICE_QUEUE_BLOCKED)
    sluice_fail (&take, SLUICE_ERROR_FAILED_PRECONDITION,
                 "what is left waits for runs that nobody trains; finish those with 'sluice train "
                 "--resume', or take what waits out with 'sluice queue drop'");
  if (work->error == NULL)
    work->error = take;
  else
    g_clear_error (&take);
}

/* Under the lock. (transfer full) (nullable): none may begin now. */
static SluiceTrainer *
take_next (Work *work, gint64 *threads, SluiceQueueClaim *claim)
{
  SluiceTrainer *trainer;
  g_autoptr (SluiceRunInfo) run = NULL;
  GError *error = NULL;
  const SluiceQueueLimits limits = { threads_left (work), work->how->group };
  *claim = sluice_queue_take (work->store, work->how->trainer, &limits, &run, &trainer, &error);
  switch (*claim)
    {
    case SLUICE_QUEUE_CLAIMED:
      *threads = threads_of (work, run);
      work->n_under_way++;
      work->n_threads += *threads;
      break;
    case SLUICE_QUEUE_SKIPPED:
    case SLUICE_QUEUE_DROPPED:
      work->n_failed += *claim == SLUICE_QUEUE_SKIPPED;
      tell (work, *claim, run->name, run->message);
      break;
    case SLUICE_QUEUE_BUSY:
      break;
    default:
      end_with (work, *claim, error);
    }
  return trainer;
}

static void
train (Work *work, SluiceTrainer *take_trainer, gint64 threads)
{
  g_autoptr (SluiceTrainer) trainer = take_trainer;
  g_autoptr (GError) failure = NULL;
  GError *error = NULL;
  gboolean ok = work->how->train (trainer, work->how->data, &failure);
  if (!ok)
    tell (work, SLUICE_QUEUE_CLAIMED, sluice_trainer_get_run_name (trainer), failure->message);
  pthread_mutex_lock (&work->lock);
  work->n_failed += !ok;
  work->n_under_way--;
  work->n_threads -= threads;
  if (!sluice_queue_put_back (work->store, trainer, failure, &error))
    end_with (work, SLUICE_QUEUE_BROKEN, error);
  pthread_mutex_unlock (&work->lock);
}

static void *
work_main (void *data)
{
  Work *work = data;
  SluiceQueueClaim claim = SLUICE_QUEUE_EMPTY;
  for (;;)
    {
      gint64 threads = 0;
      pthread_mutex_lock (&work->lock);
      gboolean ends = work->ends || work->how->is_over (work->how->data);
      SluiceTrainer *trainer = ends ? NULL : take_next (work, &threads, &claim);
      ends = ends || work->ends;
      pthread_mutex_unlock (&work->lock);
      if (trainer != NULL)
        train (work, trainer, threads);
      else if (ends)
        return NULL;
      else if (claim == SLUICE_QUEUE_BUSY)
        work->how->wait (work->how->data);
    }
}

/* This thread works, too. */
static void
work_on_threads (Work *work)
{
  g_autofree pthread_t *threads = g_new (pthread_t, work->how->jobs);
  guint n = 0;
  for (; n + 1 < work->how->jobs; n++)
    {
      GError *error = NULL;
      if (!sluice_thread_start (&threads[n], work_main, work, "a run of the queue", "--jobs",
                                &error))
        {
          pthread_mutex_lock (&work->lock);
          end_with (work, SLUICE_QUEUE_BROKEN, error);
          pthread_mutex_unlock (&work->lock);
          break;
        }
    }
  work_main (work);
  for (guint i = 0; i < n; i++)
    pthread_join (threads[i], NULL);
}

gboolean
sluice_queue_work (SluiceStore *store, const SluiceQueueWork *how, guint *n_failed, GError **error)
{
  g_return_val_if_fail (how->jobs >= 1, FALSE);
  Work work = { .store = store, .how = how, .lock = PTHREAD_MUTEX_INITIALIZER };
  work_on_threads (&work);
  *n_failed = work.n_failed;
  if (work.error == NULL)
    return TRUE;
  g_propagate_error (error, work.error);
  return FALSE;
}
