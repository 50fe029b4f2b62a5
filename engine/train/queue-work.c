/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/queue-work.h"

#include <pthread.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/base/thread.h"
#include "engine/train/system-probe.h"

typedef struct
{
  SluiceStore *store;
  const SluiceQueueWork *how;
  pthread_mutex_t lock; /* guards what follows; held while a run is claimed and made ready */
  gboolean ends;
  guint n_failed, n_under_way;
  SluiceQueueNeeds taken; /* what those under way need together */
  gint64 memory;          /* that they may need together */
  GError *error;
} Work;

static void
tell (const Work *work, SluiceQueueClaim claim, const char *run, const char *message)
{
  if (work->how->tell != NULL)
    work->how->tell (claim, run, message, work->how->data);
}

/* One that needs more than there is runs alone. */
static SluiceQueueLimits
get_limits (Work *work)
{
  SluiceQueueLimits limits = { .threads = -1, .memory = -1, .group = work->how->group };
  if (work->n_under_way == 0)
    {
      work->memory = work->how->memory > 0
                         ? work->how->memory
                         : (gint64) MIN (sluice_system_get_available (), (gsize) G_MAXINT64);
      return limits;
    }
  limits.threads = MAX ((gint64) sluice_pool_get_threads () - work->taken.threads, 0);
  limits.memory = MAX (work->memory - work->taken.memory, 0);
  return limits;
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
take_next (Work *work, SluiceQueueNeeds *needs, SluiceQueueClaim *claim)
{
  SluiceTrainer *trainer;
  g_autoptr (SluiceRunInfo) run = NULL;
  GError *error = NULL;
  const SluiceQueueLimits limits = get_limits (work);
  *claim = sluice_queue_take (work->store, work->how->trainer, &limits, &run, &trainer, &error);
  switch (*claim)
    {
    case SLUICE_QUEUE_CLAIMED:
      sluice_run_queue_read_needs (work->store, run->id, needs, NULL);
      g_free ((char *) needs->devices);
      work->n_under_way++;
      work->taken.threads += needs->threads;
      work->taken.memory += needs->memory;
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
train (Work *work, SluiceTrainer *take_trainer, const SluiceQueueNeeds *needs)
{
  g_autoptr (SluiceTrainer) trainer = take_trainer;
  g_autoptr (GError) failure = NULL;
  GError *error = NULL;
  gboolean ok = work->how->train (trainer, work->how->data, &failure);
  gboolean has_failed = !ok && !sluice_trainer_is_put_off (trainer);
  if (has_failed)
    tell (work, SLUICE_QUEUE_CLAIMED, sluice_trainer_get_run_name (trainer), failure->message);
  pthread_mutex_lock (&work->lock);
  work->n_failed += has_failed;
  work->n_under_way--;
  work->taken.threads -= needs->threads;
  work->taken.memory -= needs->memory;
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
      SluiceQueueNeeds needs = { 0 };
      pthread_mutex_lock (&work->lock);
      gboolean ends = work->ends || work->how->is_over (work->how->data);
      SluiceTrainer *trainer = ends ? NULL : take_next (work, &needs, &claim);
      ends = ends || work->ends;
      pthread_mutex_unlock (&work->lock);
      if (trainer != NULL)
        train (work, trainer, &needs);
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
