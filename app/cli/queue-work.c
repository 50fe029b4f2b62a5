/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/queue-work.h"

#include <glib/gi18n-lib.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#include "app/cli/devices.h"
#include "app/cli/files.h"
#include "app/cli/follow.h"
#include "app/cli/run-options.h"
#include "app/signals.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/thread.h"
#include "engine/train/queue.h"

/* How often those who wait for other programs' runs look again. */
#define LOOK_MS 500

typedef struct
{
  SluiceStore *store;
  const char *group;    /* (nullable) */
  pthread_mutex_t lock; /* guards what follows; held while a run is claimed and made ready */
  gboolean ends;
  guint n_failed, n_under_way;
  gint64 n_threads; /* that those under way need */
  GError *error;
} Work;

static void
tell (const char *format, const char *name, const char *message)
{
  g_autofree char *text = g_strdup_printf (format, name, message);
  g_autofree char *safe = sluice_text_escape (text);
  fprintf (stderr, "%s\n", safe);
}

/* Until a signal comes, or it is time to look again. */
static void
wait_for_others (void)
{
  struct pollfd signals = { .fd = sluice_signals_get_fd (), .events = POLLIN };
  poll (&signals, 1, LOOK_MS);
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
  SluiceTrainerOptions options = {
    .begins = sluice_cli_catch_signals,
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
    .runs_commands = sluice_cli_allow_commands,
  };
  SluiceTrainer *trainer;
  g_autoptr (SluiceRunInfo) run = NULL;
  GError *error = NULL;
  const SluiceQueueLimits limits = { threads_left (work), work->group };
  *claim = sluice_queue_take (work->store, &options, &limits, &run, &trainer, &error);
  switch (*claim)
    {
    case SLUICE_QUEUE_CLAIMED:
      *threads = threads_of (work, run);
      work->n_under_way++;
      work->n_threads += *threads;
      break;
    case SLUICE_QUEUE_SKIPPED:
      work->n_failed++;
      tell (_ ("run %s: not trained: %s"), run->name, run->message);
      break;
    case SLUICE_QUEUE_DROPPED:
      tell (_ ("run %s: dropped: %s"), run->name, run->message);
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
  sluice_cli_tell_moved (sluice_trainer_get_session (trainer));
  gboolean ok =
      sluice_cli_train (trainer, sluice_store_get_workspace (work->store), TRUE, &failure);
  if (!ok)
    tell (_ ("run %s: %s"), sluice_trainer_get_run_name (trainer), failure->message);
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
  SluiceQueueClaim claim;
  for (;;)
    {
      gint64 threads = 0;
      pthread_mutex_lock (&work->lock);
      gboolean ends = work->ends || sluice_cli_was_interrupted ();
      SluiceTrainer *trainer = ends ? NULL : take_next (work, &threads, &claim);
      ends = ends || work->ends;
      pthread_mutex_unlock (&work->lock);
      if (trainer != NULL)
        train (work, trainer, threads);
      else if (ends)
        return NULL;
      else if (claim == SLUICE_QUEUE_BUSY)
        wait_for_others ();
    }
}

/* This thread works, too. */
static void
work_on_threads (Work *work, guint jobs)
{
  g_autofree pthread_t *threads = g_new (pthread_t, jobs);
  guint n = 0;
  for (; n + 1 < jobs; n++)
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

int
sluice_cli_work_queue (
    SluiceStore *store, const char *group, guint jobs, guint *n_failed, GError **error)
{
  Work work = { .store = store, .group = group, .lock = PTHREAD_MUTEX_INITIALIZER };
  sluice_cli_catch_signals (NULL);
  if (jobs > 1)
    sluice_cli_follow_several ();
  work_on_threads (&work, jobs);
  if (work.error != NULL)
    {
      g_propagate_error (error, work.error);
      return EXIT_FAILED;
    }
  if (sluice_cli_was_interrupted ())
    return EXIT_INTERRUPTED;
  if (n_failed != NULL)
    *n_failed = work.n_failed;
  if (work.n_failed == 0 || n_failed != NULL)
    return EXIT_OK;
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "%u of the runs failed; 'sluice runs --filter state:failed' lists them",
               work.n_failed);
  return EXIT_FAILED;
}
