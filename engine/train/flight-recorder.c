/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/flight-recorder.h"

#include <glib/gstdio.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/error.h"
#include "engine/base/thread.h"
#include "engine/train/flight-file.h"

/* Durations that the median is of, and after how many steps it is looked for anew: sorting them
 * costs a step of twenty microseconds a tenth of a percent so. */
#define N_DURATIONS 64
#define MEDIAN_EACH 16
/* Files of slow steps take no more than this part of the time. */
#define WRITE_SHARE 100
/* A step has stalled after so many medians, and a minute; where none is known yet, ten minutes:
 * the first steps compile plans and fill queues. */
#define STALL_MEDIANS  100
#define STALL_US       (60 * G_USEC_PER_SEC)
#define STALL_FIRST_US (600 * G_USEC_PER_SEC)

typedef struct
{
  gint64 step;
  double medians;
} SlowStep;

struct _SluiceFlightRecorder
{
  SluiceSession *session; /* (unowned) */
  char *folder;
  guint n_steps;
  double slow;
  gint64 (*now_us) (void);

  /* the training thread's */
  gint64 durations[N_DURATIONS], n_done;
  gint64 slow_us; /* a step that takes longer is slow */
  gint64 last_slow;
  gint64 steps_us, writes_us; /* spent on steps, and on files of slow ones */

  _Atomic gint64 begun_us; /* 0: no step is under way */
  _Atomic gint64 step, median_us;
  gboolean has_thread;
  pthread_t thread;

  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t changed;
  SluiceFlight *pending; /* (nullable): what is to be written after some more steps */
  GArray *slowest;       /* of SlowStep: of this process, with a file */
  guint n_files;         /* of slow and stalled steps, and those that were there */
  gint64 stalled;        /* step that was told */
  GPtrArray *to_log;     /* of SluiceFlight; path NULL: words say why there is no file */
  gboolean quit;
};

/* ---- writing ---- */

static SluiceFlight *
flight_new (gint64 step, SluiceFlightCause cause, char *take_words)
{
  SluiceFlight *self = g_new0 (SluiceFlight, 1);
  self->step = step;
  self->cause = cause;
  self->words = take_words;
  return self;
}

/* Under the lock. */
static void
write_now (SluiceFlightRecorder *self, SluiceFlight *take, gint64 to)
{
  g_autoptr (GError) error = NULL;
  take->path = sluice_flight_file_dup_path (self->folder, take->step);
  if (!sluice_flight_file_write (self->session, take->path, to - self->n_steps + 1, &error))
    {
      g_clear_pointer (&take->path, g_free);
      g_free (take->words);
      take->words = g_strdup (error->message);
    }
  g_ptr_array_add (self->to_log, take);
}

/* Under the lock. */
static void
write_pending (SluiceFlightRecorder *self, gint64 step)
{
  if (self->pending != NULL)
    write_now (self, g_steal_pointer (&self->pending), step);
}

void
sluice_flight_recorder_log (SluiceFlightRecorder *self, SluiceRunLog *log)
{
  g_autoptr (GPtrArray) flights = NULL;
  pthread_mutex_lock (&self->lock);
  if (self->to_log->len > 0)
    {
      flights = g_steal_pointer (&self->to_log);
      self->to_log = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_flight_free);
    }
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; flights != NULL && i < flights->len; i++)
    {
      const SluiceFlight *flight = flights->pdata[i];
      g_autofree char *text = sluice_flight_dup_text (flight);
      sluice_run_log_event (log, flight->step, (double) g_get_real_time () * 1e-6,
                            flight->path != NULL ? SLUICE_FLIGHT_EVENT : "not-recorded", text);
    }
}

/* ---- slow steps ---- */

static int
compare_durations (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

static void
find_median (SluiceFlightRecorder *self)
{
  gint64 sorted[N_DURATIONS];
  gsize n = (gsize) MIN (self->n_done, N_DURATIONS);
  memcpy (sorted, self->durations, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, compare_durations);
  gint64 median = sorted[n / 2];
  atomic_store (&self->median_us, median);
  self->slow_us = self->slow > 0 ? (gint64) (self->slow * (double) MAX (median, 1)) : G_MAXINT64;
}

/* Is there room for a file of a step of so many medians? Where there is not, the least slow one of
 * this process makes room, if it is less slow. Under the lock. */
static gboolean
make_room (SluiceFlightRecorder *self, gint64 step, double medians)
{
  guint least = 0;
  const SlowStep slow = { step, medians };
  if (self->n_files < SLUICE_FLIGHT_MAX_FILES)
    {
      self->n_files++;
      g_array_append_val (self->slowest, slow);
      return TRUE;
    }
  for (guint i = 1; i < self->slowest->len; i++)
    if (g_array_index (self->slowest, SlowStep, i).medians
        < g_array_index (self->slowest, SlowStep, least).medians)
      least = i;
  SlowStep *weak = self->slowest->len > 0 ? &g_array_index (self->slowest, SlowStep, least) : NULL;
  if (weak == NULL || weak->medians >= medians)
    return FALSE;
  g_autofree char *path = sluice_flight_file_dup_path (self->folder, weak->step);
  g_unlink (path);
  *weak = slow;
  return TRUE;
}

/* Not again while what was written, or is to be, still holds most of the same steps, nor where a
 * file would come to more than a hundredth of the time: steps of fifty microseconds are slow often,
 * and forty of them are over before a file is written. */
static void
freeze_slow (SluiceFlightRecorder *self, gint64 step, gint64 took_us)
{
  double median = (double) atomic_load (&self->median_us);
  gboolean is_near = self->last_slow > 0 && step - self->last_slow < (gint64) self->n_steps;
  if (is_near || self->writes_us * WRITE_SHARE > self->steps_us)
    return;
  self->last_slow = step;
  pthread_mutex_lock (&self->lock);
  if (self->pending == NULL && make_room (self, step, (double) took_us / MAX (median, 1)))
    self->pending = flight_new (
        step, SLUICE_FLIGHT_SLOW,
        g_strdup_printf ("%.6g ms, usual are %.6g ms", (double) took_us * 1e-3, median * 1e-3));
  pthread_mutex_unlock (&self->lock);
}

void
sluice_flight_recorder_begin_step (SluiceFlightRecorder *self, gint64 step)
{
  atomic_store_explicit (&self->step, step, memory_order_relaxed);
  atomic_store_explicit (&self->begun_us, self->now_us (), memory_order_release);
}

/* The pending one is read here without the lock: only this thread makes it. */
void
sluice_flight_recorder_end_step (SluiceFlightRecorder *self, gint64 stopped_us)
{
  gint64 step = atomic_load_explicit (&self->step, memory_order_relaxed);
  gint64 begun = atomic_load_explicit (&self->begun_us, memory_order_relaxed);
  gint64 took = self->now_us () - begun - stopped_us;
  atomic_store_explicit (&self->begun_us, 0, memory_order_release);
  if (self->n_done >= SLUICE_FLIGHT_FIRST_STEPS && took > self->slow_us)
    freeze_slow (self, step, took);
  self->steps_us += took;
  self->durations[self->n_done++ % N_DURATIONS] = took;
  if (self->n_done % MEDIAN_EACH == 0 || self->n_done == SLUICE_FLIGHT_FIRST_STEPS)
    find_median (self);
  if (self->pending == NULL || step < self->pending->step + SLUICE_FLIGHT_STEPS_AFTER)
    return;
  gint64 before = self->now_us ();
  pthread_mutex_lock (&self->lock);
  write_pending (self, step);
  pthread_mutex_unlock (&self->lock);
  self->writes_us += self->now_us () - before;
}

/* ---- the end ---- */

static SluiceFlightCause
get_cause (const GError *failure, SluiceFlightCause cause)
{
  if (cause != SLUICE_FLIGHT_FAILURE)
    return cause;
  if (g_error_matches (failure, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED))
    return SLUICE_FLIGHT_MEMORY;
  if (g_error_matches (failure, SLUICE_ERROR, SLUICE_ERROR_DEADLINE_EXCEEDED))
    return SLUICE_FLIGHT_DEADLOCK;
  return SLUICE_FLIGHT_FAILURE;
}

void
sluice_flight_recorder_end (SluiceFlightRecorder *self,
                            gint64 step,
                            const GError *failure,
                            SluiceFlightCause cause)
{
  atomic_store (&self->begun_us, 0);
  pthread_mutex_lock (&self->lock);
  write_pending (self, step);
  if (failure != NULL)
    write_now (self, flight_new (step, get_cause (failure, cause), g_strdup (failure->message)),
               step);
  else if (self->n_done > 0)
    write_now (self, flight_new (step, SLUICE_FLIGHT_END, NULL), step);
  pthread_mutex_unlock (&self->lock);
}

/* ---- a step that does not end ---- */

void
sluice_flight_recorder_look (SluiceFlightRecorder *self)
{
  gint64 begun = atomic_load (&self->begun_us), step = atomic_load (&self->step);
  gint64 median = atomic_load (&self->median_us);
  gint64 patience = median > 0 ? MAX (STALL_US, STALL_MEDIANS * median) : STALL_FIRST_US;
  gint64 took = begun > 0 ? self->now_us () - begun : 0;
  if (took < patience)
    return;
  pthread_mutex_lock (&self->lock);
  if (self->stalled != step && self->n_files < SLUICE_FLIGHT_MAX_FILES)
    {
      self->stalled = step;
      self->n_files++;
      write_now (self,
                 flight_new (step, SLUICE_FLIGHT_STALL,
                             g_strdup_printf ("no end for %.6g s", (double) took * 1e-6)),
                 step);
    }
  pthread_mutex_unlock (&self->lock);
}

static void *
watch_main (void *data)
{
  SluiceFlightRecorder *self = data;
  pthread_mutex_lock (&self->lock);
  while (!self->quit)
    {
      struct timespec until;
      clock_gettime (CLOCK_MONOTONIC, &until);
      until.tv_sec++;
      pthread_cond_timedwait (&self->changed, &self->lock, &until);
      if (self->quit)
        break;
      pthread_mutex_unlock (&self->lock);
      sluice_flight_recorder_look (self);
      pthread_mutex_lock (&self->lock);
    }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

/* ---- making ---- */

SluiceFlightRecorder *
sluice_flight_recorder_new (const SluiceFlightOptions *options, gint64 step)
{
  g_autoptr (GError) error = NULL;
  SluiceFlightRecorder *self = g_new0 (SluiceFlightRecorder, 1);
  self->session = options->session;
  self->folder = g_strdup (options->folder);
  self->n_steps = options->n_steps;
  self->slow = options->slow;
  self->now_us = options->now_us;
  self->slow_us = G_MAXINT64;
  self->to_log = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_flight_free);
  self->slowest = g_array_new (FALSE, FALSE, sizeof (SlowStep));
  self->n_files = sluice_flight_file_forget (self->folder, step);
  pthread_condattr_t monotonic;
  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&self->changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  self->has_thread = sluice_thread_start (&self->thread, watch_main, self,
                                          "seeing steps that do not end", NULL, &error);
  if (!self->has_thread)
    g_ptr_array_add (self->to_log,
                     flight_new (step, SLUICE_FLIGHT_STALL, g_strdup (error->message)));
  return self;
}

void
sluice_flight_recorder_free (SluiceFlightRecorder *self)
{
  pthread_mutex_lock (&self->lock);
  self->quit = TRUE;
  pthread_cond_signal (&self->changed);
  pthread_mutex_unlock (&self->lock);
  if (self->has_thread)
    pthread_join (self->thread, NULL);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_clear_pointer (&self->pending, sluice_flight_free);
  g_ptr_array_unref (self->to_log);
  g_array_unref (self->slowest);
  g_free (self->folder);
  g_free (self);
}
