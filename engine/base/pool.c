/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/pool.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "engine/base/spin.h"
#include "engine/base/thread.h"

#define SPIN_NS       200000 /* before a worker sleeps: what lies between two big kernels */
#define WAIT_SPIN_NS  50000  /* before a caller that waits for its helpers sleeps */
#define SMALL_WORK_NS 2000   /* all of it stays with the caller */
#define WAKE_WORK_NS  50000  /* waking a sleeper costs 35 to 70 us: it must pay */
#define MOST_PARTS    16

/* Chunks that one thread takes first, and others when they have none left: what the same thread had
 * of the tensor before may still lie in its cache. */
typedef struct
{
  _Alignas(64) _Atomic gint64 next_chunk;
  gint64 end_chunk;
} Part;

/* A parallel_for under way; lives on its caller's stack. */
typedef struct _Job Job;
struct _Job
{
  SluiceRangeFunc func;
  gpointer data;
  gint64 n, grain;
  guint n_parts;
  _Alignas(64) Part parts[MOST_PARTS];
  _Alignas(64) atomic_int n_helpers; /* workers inside; only falls to 0 for good once unlinked */
  gboolean caller_sleeps;            /* under pool.lock */
  Job *below;                        /* under pool.lock: the job pushed before */
};

typedef struct
{
  SluiceTaskFunc func;
  gpointer data;
} Task;

static struct
{
  pthread_mutex_t lock;
  pthread_cond_t work, done;

  /* Under lock. */
  Job *jobs; /* the newest first */
  Task *tasks;
  guint tasks_head, n_tasks, tasks_size; /* a ring; the size is a power of two */
  guint n_sleeping;
  pthread_t *workers;
  guint n_workers; /* those with a higher number leave */

  pthread_mutex_t setting; /* held while their number changes; before lock */

  atomic_uint n_threads;  /* 0: not set */
  atomic_uint is_started; /* as many workers as wanted; written under setting */
  atomic_uint n_spinning;
  atomic_uint n_attending; /* threads of others that look for jobs, though not for tasks */
  atomic_uint epoch;       /* grows when there is new work; what spinners look at */
} pool = {
  .lock = PTHREAD_MUTEX_INITIALIZER,
  .work = PTHREAD_COND_INITIALIZER,
  .done = PTHREAD_COND_INITIALIZER,
  .setting = PTHREAD_MUTEX_INITIALIZER,
};

static gint64
now_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

/* ---- clock ---- */

static double ns_per_tick = 1.0;

static void
measure_tick (void)
{
#if defined(__x86_64__)
  gint64 start = now_ns (), end;
  guint64 start_ticks = sluice_clock_ticks ();
  do
    end = now_ns ();
  while (end - start < 2000000);
  ns_per_tick = (double) (end - start) / (double) (sluice_clock_ticks () - start_ticks);
#endif
}

double
sluice_clock_ns_per_tick (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, measure_tick);
  return ns_per_tick;
}

/* ---- denormals ---- */

guint
sluice_denormals_flush_begin (void)
{
#if defined(__x86_64__)
  guint saved = _mm_getcsr ();
  _mm_setcsr (saved | 0x8040); /* FTZ, DAZ */
  return saved;
#elif defined(__aarch64__)
  guint64 saved;
  __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
  __asm__ volatile("msr fpcr, %0" : : "r"(saved | 1u << 24));
  return saved;
#else
  return 0;
#endif
}

void
sluice_denormals_flush_end (guint saved)
{
#if defined(__x86_64__)
  _mm_setcsr (saved);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"((guint64) saved));
#endif
}

/* ---- workers ---- */

static _Thread_local guint worker_number; /* from 1 on; 0: no worker */

static void
run_part (Job *job, Part *part)
{
  for (;;)
    {
      gint64 chunk = atomic_fetch_add_explicit (&part->next_chunk, 1, memory_order_relaxed);
      if (chunk >= part->end_chunk)
        return;
      gint64 begin = chunk * job->grain;
      job->func (job->data, begin, MIN (job->n - begin, job->grain) + begin);
    }
}

static void
run_chunks (Job *job)
{
  for (guint i = 0; i < job->n_parts; i++)
    run_part (job, &job->parts[(worker_number + i) % job->n_parts]);
}

static gboolean
has_chunks (const Job *job)
{
  for (guint i = 0; i < job->n_parts; i++)
    if (atomic_load_explicit (&job->parts[i].next_chunk, memory_order_relaxed)
        < job->parts[i].end_chunk)
      return TRUE;
  return FALSE;
}

static Job *
find_job_locked (void)
{
  for (Job *job = pool.jobs; job != NULL; job = job->below)
    if (has_chunks (job))
      return job;
  return NULL;
}

static void
help_locked (Job *job)
{
  atomic_fetch_add_explicit (&job->n_helpers, 1, memory_order_relaxed);
  pthread_mutex_unlock (&pool.lock);
  run_chunks (job);
  pthread_mutex_lock (&pool.lock);
  if (atomic_fetch_sub_explicit (&job->n_helpers, 1, memory_order_release) == 1
      && job->caller_sleeps)
    pthread_cond_broadcast (&pool.done);
}

static void
run_task_locked (void)
{
  Task task = pool.tasks[pool.tasks_head];
  pool.tasks_head = (pool.tasks_head + 1) & (pool.tasks_size - 1);
  pool.n_tasks--;
  if (pool.n_tasks > 0 && pool.n_sleeping > 0)
    pthread_cond_signal (&pool.work);
  pthread_mutex_unlock (&pool.lock);
  task.func (task.data);
  pthread_mutex_lock (&pool.lock);
}

/* Waits a little for the epoch to move on. FALSE: in vain. */
static gboolean
spin_for_work (guint epoch)
{
  gint64 end = now_ns () + SPIN_NS;
  gboolean has_moved;
  atomic_fetch_add_explicit (&pool.n_spinning, 1, memory_order_relaxed);
  while (!(has_moved = atomic_load_explicit (&pool.epoch, memory_order_acquire) != epoch)
         && now_ns () < end)
    for (guint i = 0; i < 8; i++)
      sluice_cpu_pause ();
  atomic_fetch_sub_explicit (&pool.n_spinning, 1, memory_order_relaxed);
  return has_moved;
}

static void *
worker_main (void *data)
{
  char name[16];
  worker_number = GPOINTER_TO_UINT (data);
  g_snprintf (name, sizeof name, "sluice-%u", worker_number);
  pthread_setname_np (pthread_self (), name);
  sluice_thread_yield ();
  sluice_denormals_flush_begin ();

  gboolean has_spun = FALSE;
  pthread_mutex_lock (&pool.lock);
  while (worker_number <= pool.n_workers)
    {
      Job *job = find_job_locked ();
      if (job != NULL)
        help_locked (job);
      else if (pool.n_tasks > 0)
        run_task_locked ();
      else if (!has_spun)
        {
          guint epoch = atomic_load_explicit (&pool.epoch, memory_order_relaxed);
          pthread_mutex_unlock (&pool.lock);
          /* Others may have done it all before this thread looks: then more is likely soon. */
          has_spun = !spin_for_work (epoch);
          pthread_mutex_lock (&pool.lock);
          continue;
        }
      else
        {
          pool.n_sleeping++;
          pthread_cond_wait (&pool.work, &pool.lock);
          pool.n_sleeping--;
        }
      has_spun = FALSE;
    }
  if (pool.n_tasks > 0) /* whoever handed it in may have counted on this one */
    pthread_cond_signal (&pool.work);
  pthread_mutex_unlock (&pool.lock);
  return NULL;
}

/* As many as there are to be, as far as the system gives them. Under lock and setting. */
static void
add_workers (guint wanted, GError **error)
{
  /* Signals are for the program's own threads: workers inherit a mask that blocks all. */
  sigset_t all, saved;
  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, &saved);
  pool.workers = g_renew (pthread_t, pool.workers, wanted);
  gboolean ok = TRUE;
  while (ok && pool.n_workers < wanted)
    {
      ok = sluice_thread_start (&pool.workers[pool.n_workers], worker_main,
                                GUINT_TO_POINTER (pool.n_workers + 1), "the pool of threads", NULL,
                                error);
      pool.n_workers += ok;
    }
  pthread_sigmask (SIG_SETMASK, &saved, NULL);
}

/* The first worker decides whether there is a pool at all; fewer than asked for only are slower. It
 * stays for good: what has begun can always be handed to somebody. */
static gboolean
start_workers (GError **error)
{
  if (G_LIKELY (atomic_load_explicit (&pool.is_started, memory_order_acquire)))
    return TRUE;
  pthread_mutex_lock (&pool.lock);
  gboolean has_one = pool.n_workers > 0;
  pthread_mutex_unlock (&pool.lock);
  /* Whoever changes the number may be waiting for the task that asks here. */
  if (!has_one)
    pthread_mutex_lock (&pool.setting);
  else if (pthread_mutex_trylock (&pool.setting) != 0)
    return TRUE;
  GError *local = NULL;
  pthread_mutex_lock (&pool.lock);
  if (!atomic_load_explicit (&pool.is_started, memory_order_relaxed))
    add_workers (MAX (1, sluice_pool_get_threads () - 1), &local);
  gboolean ok = pool.n_workers > 0;
  atomic_store_explicit (&pool.is_started, ok, memory_order_release);
  pthread_mutex_unlock (&pool.lock);
  pthread_mutex_unlock (&pool.setting);
  if (ok)
    g_clear_error (&local);
  else
    g_propagate_error (error, local);
  return ok;
}

gboolean
sluice_pool_start (GError **error)
{
  return start_workers (error);
}

/* Those above the number leave; those that are missing come with the next work. Under setting. */
static void
remove_workers (guint n_left)
{
  pthread_mutex_lock (&pool.lock);
  guint n = pool.n_workers;
  pool.n_workers = MIN (n, n_left);
  atomic_fetch_add_explicit (&pool.epoch, 1, memory_order_release);
  pthread_cond_broadcast (&pool.work);
  pthread_mutex_unlock (&pool.lock);
  for (guint i = n_left; i < n; i++)
    pthread_join (pool.workers[i], NULL);
}

void
sluice_pool_set_threads (guint n)
{
  if (n == 0)
    n = g_get_num_processors ();
  pthread_mutex_lock (&pool.setting);
  if (n != sluice_pool_get_threads ())
    {
      atomic_store (&pool.n_threads, n);
      remove_workers (MAX (1, n - 1));
      atomic_store_explicit (&pool.is_started, 0, memory_order_release);
    }
  pthread_mutex_unlock (&pool.setting);
}

guint
sluice_pool_get_threads (void)
{
  guint n = atomic_load_explicit (&pool.n_threads, memory_order_relaxed);
  if (G_UNLIKELY (n == 0))
    {
      n = g_get_num_processors ();
      atomic_store_explicit (&pool.n_threads, n, memory_order_relaxed);
    }
  return n;
}

gboolean
sluice_pool_has_idle_spinner (void)
{
  return atomic_load_explicit (&pool.n_spinning, memory_order_relaxed) > 0;
}

/* ---- work ---- */

static void
run_alone (gint64 n, gint64 grain, SluiceRangeFunc func, gpointer data)
{
  for (gint64 begin = 0; begin < n; begin += MIN (grain, n - begin))
    func (data, begin, begin + MIN (grain, n - begin));
}

static void
wait_for_helpers (Job *job)
{
  gint64 end = 0;
  for (guint i = 0; atomic_load_explicit (&job->n_helpers, memory_order_acquire) > 0; i++)
    {
      sluice_cpu_pause ();
      if (i % 16 != 0)
        continue;
      gint64 now = now_ns ();
      if (end == 0)
        end = now + WAIT_SPIN_NS;
      else if (now > end)
        break;
    }
  /* The lock also waits for the last helper to be done with the job. */
  pthread_mutex_lock (&pool.lock);
  job->caller_sleeps = TRUE;
  while (atomic_load_explicit (&job->n_helpers, memory_order_acquire) > 0)
    pthread_cond_wait (&pool.done, &pool.lock);
  pthread_mutex_unlock (&pool.lock);
}

void
sluice_pool_parallel_for (
    gint64 n, gint64 grain, double unit_ns, SluiceRangeFunc func, gpointer data)
{
  g_assert (grain >= 1);
  double work_ns = (double) n * unit_ns;
  if (n <= grain || work_ns < SMALL_WORK_NS || sluice_pool_get_threads () == 1
      || (work_ns < WAKE_WORK_NS && !sluice_pool_has_idle_spinner ()
          && atomic_load_explicit (&pool.n_attending, memory_order_relaxed) == 0))
    {
      run_alone (n, grain, func, data);
      return;
    }

  start_workers (NULL);
  Job job = { .func = func, .data = data, .n = n, .grain = grain };
  gint64 n_chunks = n / grain + (n % grain != 0);
  job.n_parts = (guint) MIN (MIN (n_chunks, MOST_PARTS), sluice_pool_get_threads ());
  for (guint i = 0; i < job.n_parts; i++)
    {
      atomic_init (&job.parts[i].next_chunk, n_chunks * i / job.n_parts);
      job.parts[i].end_chunk = n_chunks * (i + 1) / job.n_parts;
    }

  pthread_mutex_lock (&pool.lock);
  job.below = pool.jobs;
  pool.jobs = &job;
  atomic_fetch_add_explicit (&pool.epoch, 1, memory_order_release);
  gboolean wake = pool.n_sleeping > 0 && work_ns >= WAKE_WORK_NS;
  pthread_mutex_unlock (&pool.lock);
  if (wake)
    pthread_cond_broadcast (&pool.work);

  run_chunks (&job);

  pthread_mutex_lock (&pool.lock);
  Job **link = &pool.jobs;
  while (*link != &job)
    link = &(*link)->below;
  *link = job.below;
  gboolean has_helpers = atomic_load_explicit (&job.n_helpers, memory_order_acquire) > 0;
  pthread_mutex_unlock (&pool.lock);
  if (has_helpers)
    wait_for_helpers (&job);
}

void
sluice_pool_attend (gint64 ns, SluiceIsOverFunc is_over, gpointer data)
{
  guint seen = atomic_load_explicit (&pool.epoch, memory_order_relaxed) - 1;
  gint64 end = now_ns () + ns;
  atomic_fetch_add_explicit (&pool.n_attending, 1, memory_order_relaxed);
  while (!is_over (data))
    {
      guint epoch = atomic_load_explicit (&pool.epoch, memory_order_acquire);
      if (epoch == seen && now_ns () >= end)
        break;
      if (epoch == seen)
        {
          sched_yield ();
          continue;
        }
      seen = epoch;
      pthread_mutex_lock (&pool.lock);
      Job *job = find_job_locked ();
      if (job != NULL)
        help_locked (job);
      pthread_mutex_unlock (&pool.lock);
      if (job != NULL)
        {
          seen--; /* there may be another */
          end = now_ns () + ns;
        }
    }
  atomic_fetch_sub_explicit (&pool.n_attending, 1, memory_order_relaxed);
}

gboolean
sluice_pool_submit (SluiceTaskFunc func, gpointer data, GError **error)
{
  if (!start_workers (error))
    return FALSE;
  pthread_mutex_lock (&pool.lock);
  if (pool.n_tasks == pool.tasks_size)
    {
      guint size = MAX (64, 2 * pool.tasks_size);
      Task *tasks = g_new (Task, size);
      for (guint i = 0; i < pool.n_tasks; i++)
        tasks[i] = pool.tasks[(pool.tasks_head + i) & (pool.tasks_size - 1)];
      g_free (pool.tasks);
      pool.tasks = tasks;
      pool.tasks_head = 0;
      pool.tasks_size = size;
    }
  pool.tasks[(pool.tasks_head + pool.n_tasks) & (pool.tasks_size - 1)] = (Task){ func, data };
  pool.n_tasks++;
  atomic_fetch_add_explicit (&pool.epoch, 1, memory_order_release);
  gboolean wake = pool.n_sleeping > 0
                  && pool.n_tasks > atomic_load_explicit (&pool.n_spinning, memory_order_relaxed);
  pthread_mutex_unlock (&pool.lock);
  if (wake)
    pthread_cond_signal (&pool.work);
  return TRUE;
}
