/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/pool.h"

#define PAYS 1e6 /* ns a unit: worth waking everybody for */

typedef struct
{
  atomic_int *hits;
  gint64 n, grain;
} Marks;

static void
mark (gpointer data, gint64 begin, gint64 end)
{
  Marks *marks = data;
  g_assert_cmpint (begin % marks->grain, ==, 0);
  g_assert_cmpint (end, ==, MIN (begin + marks->grain, marks->n));
  for (gint64 i = begin; i < end; i++)
    atomic_fetch_add_explicit (&marks->hits[i], 1, memory_order_relaxed);
}

static void
check_cover (gint64 n, gint64 grain, double unit_ns)
{
  g_autofree atomic_int *hits = g_new0 (atomic_int, n + 1);
  Marks marks = { hits, n, grain };
  sluice_pool_parallel_for (n, grain, unit_ns, mark, &marks);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (hits[i], ==, 1);
  g_assert_cmpint (hits[n], ==, 0);
}

static void
test_cover (void)
{
  const guint threads[] = { 1, 2, 3, 7, 16 };
  const gint64 sizes[] = { 0, 1, 2, 63, 64, 65, 1000 }, grains[] = { 1, 3, 64, 5000 };
  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    {
      sluice_pool_set_threads (threads[t]);
      g_assert_cmpuint (sluice_pool_get_threads (), ==, threads[t]);
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
        for (guint g = 0; g < G_N_ELEMENTS (grains); g++)
          {
            check_cover (sizes[s], grains[g], PAYS);
            check_cover (sizes[s], grains[g], 0.1);
            check_cover (sizes[s], grains[g], 20);
          }
    }
}

typedef struct
{
  pthread_t caller;
  atomic_int n_elsewhere;
} Whereabouts;

static void
note_thread (gpointer data, gint64 begin, gint64 end)
{
  Whereabouts *where = data;
  if (!pthread_equal (where->caller, pthread_self ()))
    atomic_fetch_add (&where->n_elsewhere, 1);
}

static void
test_small_work_stays (void)
{
  sluice_pool_set_threads (4);
  Whereabouts where = { pthread_self (), 0 };
  for (guint i = 0; i < 1000; i++)
    sluice_pool_parallel_for (100, 1, 10, note_thread, &where);
  g_assert_cmpint (where.n_elsewhere, ==, 0);
  sluice_pool_set_threads (1);
  sluice_pool_parallel_for (100, 1, PAYS, note_thread, &where);
  g_assert_cmpint (where.n_elsewhere, ==, 0);
}

/* Both chunks wait for each other: they can only end on two threads. */
static void
meet (gpointer data, gint64 begin, gint64 end)
{
  atomic_int *n_here = data;
  atomic_fetch_add (n_here, 1);
  while (atomic_load (n_here) < 2)
    sched_yield ();
}

static void
test_really_parallel (void)
{
  sluice_pool_set_threads (2);
  for (guint i = 0; i < 50; i++)
    {
      atomic_int n_here = 0;
      sluice_pool_parallel_for (2, 1, PAYS, meet, &n_here);
    }
}

static void
nest (gpointer data, gint64 begin, gint64 end)
{
  for (gint64 i = begin; i < end; i++)
    check_cover (200, 7, PAYS);
}

static void
test_nested (void)
{
  sluice_pool_set_threads (3);
  for (guint i = 0; i < 20; i++)
    sluice_pool_parallel_for (16, 1, PAYS, nest, NULL);
}

static void *
call_main (void *data)
{
  for (guint i = 0; i < 300; i++)
    check_cover (100 + i, 1 + i % 9, i % 2 ? PAYS : 100);
  return NULL;
}

static void
test_many_callers (void)
{
  sluice_pool_set_threads (3);
  pthread_t callers[4];
  for (guint i = 0; i < G_N_ELEMENTS (callers); i++)
    pthread_create (&callers[i], NULL, call_main, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (callers); i++)
    pthread_join (callers[i], NULL);
}

typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t cond;
  guint n_done; /* under lock */
  pthread_t caller;
  gboolean in_caller; /* under lock */
  int nice;           /* under lock */
  gboolean flushes;   /* under lock */
} Tasks;

static void
run_task (gpointer data)
{
  Tasks *tasks = data;
  volatile float tiny = 1e-38f;
  volatile float tinier = tiny * 1e-3f;
  pthread_mutex_lock (&tasks->lock);
  tasks->n_done++;
  tasks->in_caller |= pthread_equal (tasks->caller, pthread_self ()) != 0;
  tasks->nice = getpriority (PRIO_PROCESS, syscall (SYS_gettid));
  tasks->flushes = tinier == 0.0f;
  pthread_cond_signal (&tasks->cond);
  pthread_mutex_unlock (&tasks->lock);
}

static void
test_submit (void)
{
  const guint threads[] = { 1, 2, 5 };
  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    {
      sluice_pool_set_threads (threads[t]);
      Tasks tasks = { .lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER };
      tasks.caller = pthread_self ();
      guint n = 1000;
      for (guint i = 0; i < n; i++)
        g_assert_true (sluice_pool_submit (run_task, &tasks, NULL));
      pthread_mutex_lock (&tasks.lock);
      while (tasks.n_done < n)
        pthread_cond_wait (&tasks.cond, &tasks.lock);
      pthread_mutex_unlock (&tasks.lock);
      g_assert_false (tasks.in_caller);
      g_assert_true (tasks.flushes);
      g_assert_cmpint (tasks.nice, ==, MIN (getpriority (PRIO_PROCESS, 0) + 5, 19));
    }
}

static atomic_int n_left;

static void
hand_on (gpointer data)
{
  if (atomic_fetch_sub (&n_left, 1) > 0)
    g_assert_true (sluice_pool_submit (hand_on, NULL, NULL));
}

/* Tasks ask for others while those that run them are sent away. */
static void
test_set_while_busy (void)
{
  static const guint numbers[] = { 6, 4, 2, 5, 1, 8, 3 };
  for (guint round = 0; round < 20; round++)
    {
      atomic_store (&n_left, 500);
      for (guint i = 0; i < 8; i++)
        g_assert_true (sluice_pool_submit (hand_on, NULL, NULL));
      for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
        {
          sluice_pool_set_threads (numbers[i]);
          if (i % 3 == 0)
            g_assert_true (sluice_pool_start (NULL));
        }
      while (atomic_load (&n_left) > -8)
        sched_yield ();
    }
}

static void
test_denormals (void)
{
  volatile float tiny = 1e-38f;
  guint saved = sluice_denormals_flush_begin ();
  volatile float flushed = tiny * 1e-3f;
  sluice_denormals_flush_end (saved);
  volatile float kept = tiny * 1e-3f;
  g_assert_true (flushed == 0.0f);
  g_assert_true (kept > 0.0f);
}

static void
test_clock (void)
{
  double rate = sluice_clock_ns_per_tick ();
  g_assert_cmpfloat (rate, >, 0.01);
  g_assert_cmpfloat (rate, <, 1000);
  guint64 a = sluice_clock_ticks (), b = sluice_clock_ticks ();
  g_assert_cmpuint (b, >=, a);
}

static atomic_int n_begun, is_done;

/* Goes on when both chunks are under way. */
static void
attend_chunk (gpointer data, gint64 begin, gint64 end)
{
  atomic_fetch_add (&n_begun, 1);
  while (atomic_load (&n_begun) < 2)
    sched_yield ();
}

static void
attend_task (gpointer data)
{
  sluice_pool_parallel_for (2, 1, PAYS, attend_chunk, NULL);
  atomic_store (&is_done, 1);
}

static gboolean
is_finished (gpointer data)
{
  return atomic_load (&is_done);
}

/* The only worker cuts its task in two; the other half is for who waits. */
static void
test_attend (void)
{
  sluice_pool_set_threads (2);
  atomic_store (&n_begun, 0);
  atomic_store (&is_done, 0);
  g_assert_true (sluice_pool_submit (attend_task, NULL, NULL));
  while (!is_finished (NULL))
    sluice_pool_attend (1000000, is_finished, NULL);
  g_assert_cmpint (atomic_load (&n_begun), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/pool/cover", test_cover);
  g_test_add_func ("/base/pool/small-work-stays", test_small_work_stays);
  g_test_add_func ("/base/pool/really-parallel", test_really_parallel);
  g_test_add_func ("/base/pool/nested", test_nested);
  g_test_add_func ("/base/pool/many-callers", test_many_callers);
  g_test_add_func ("/base/pool/submit", test_submit);
  g_test_add_func ("/base/pool/set-while-busy", test_set_while_busy);
  g_test_add_func ("/base/pool/denormals", test_denormals);
  g_test_add_func ("/base/pool/clock", test_clock);
  g_test_add_func ("/base/pool/attend", test_attend);
  return g_test_run ();
}
