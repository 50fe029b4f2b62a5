/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <time.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * The one process-wide pool of threads. Its workers are niced, run with denormals flushed to zero,
 * spin briefly and then sleep. A caller works too, so one thread means: everything on the caller's.
 */

/* More than any machine that this runs on has cores; beyond it a number is a mistake. */
#define SLUICE_MAX_THREADS 1024

/* Sets how many threads work at once, callers included; 0: one a core. Not while work is under way.
 */
void sluice_pool_set_threads (guint n);
guint sluice_pool_get_threads (void);

/* Starts the workers, which otherwise come with the first work that is shared. FALSE with
 * RESOURCE_EXHAUSTED: the system gives no thread at all, and tasks could not run. From the first
 * TRUE on one worker stays for good, whatever number is set. */
gboolean sluice_pool_start (GError **error);

typedef void (*SluiceRangeFunc) (gpointer data, gint64 begin, gint64 end);

/**
 * sluice_pool_parallel_for:
 * @n: units of work
 * @grain: units in a chunk, at least 1. Depends on shapes only: chunk k is always [k·grain,
 * (k+1)·grain)
 * @unit_ns: about how long one unit takes. Work under 2 µs in all runs on the caller's thread, in
 * the same chunks; so does work that does not pay for waking somebody (50 µs) while nobody spins
 *
 * Calls @func for every chunk, in any order, on any thread; returns when all are done. May be
 * nested.
 */
void sluice_pool_parallel_for (
    gint64 n, gint64 grain, double unit_ns, SluiceRangeFunc func, gpointer data);

typedef gboolean (*SluiceIsOverFunc) (gpointer data);

/**
 * sluice_pool_attend:
 * @ns: how long to stay where nothing happens
 * @is_over: cheap; asked again and again
 *
 * For a thread of no pool that waits for something short: until then it works on what other threads
 * have cut into chunks, as one of the threads that sluice_pool_set_threads() counts.
 */
void sluice_pool_attend (gint64 ns, SluiceIsOverFunc is_over, gpointer data);

typedef void (*SluiceTaskFunc) (gpointer data);

/* Runs func (data) on some worker, soon. With one thread it still runs on a worker, never in the
 * caller. FALSE as sluice_pool_start(), and the task does not run: never after that was TRUE. */
gboolean sluice_pool_submit (SluiceTaskFunc func, gpointer data, GError **error);

/* Is a worker awake and looking for work? Then handing it a task costs well under a microsecond. */
gboolean sluice_pool_has_idle_spinner (void);

/* Flush-to-zero and denormals-are-zero for a calling thread while it works. begin returns what end
 * restores. */
guint sluice_denormals_flush_begin (void);
void sluice_denormals_flush_end (guint saved);

/* A cheap monotonic counter (time-stamp counter) and its rate. */
static inline guint64
sluice_clock_ticks (void)
{
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc ();
#else
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (guint64) now.tv_sec * 1000000000 + (guint64) now.tv_nsec;
#endif
}

double sluice_clock_ns_per_tick (void);

SLUICE_PUBLIC_END
