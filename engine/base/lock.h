/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <pthread.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * Locks that a kernel may have to wait for: who waits is told of, so that the trace can say what a
 * node did not do. A lock that is free costs what it always does.
 */
typedef enum
{
  SLUICE_LOCK_VARIABLE, /* another node writes to it */
  SLUICE_LOCK_QUEUE,    /* another thread moves elements */
  SLUICE_LOCK_MEMORY,   /* a value makes room, or comes back */
  SLUICE_LOCK_DATA,     /* of readers, iterators, arrays and lists */
  SLUICE_N_LOCK_KINDS
} SluiceLockKind;

/* "variable" */
const char *sluice_lock_kind_name (SluiceLockKind kind);

/* start, end: sluice_clock_ticks(). On the thread that waited, which holds the lock then. */
typedef void (*SluiceLockFunc) (SluiceLockKind kind, guint64 start, guint64 end, gpointer data);
typedef struct
{
  SluiceLockFunc func; /* (nullable) */
  gpointer data;
} SluiceLockObserver;
/* Who hears of what this thread waits for from now on. Returns: who did before */
SluiceLockObserver sluice_lock_observe (SluiceLockObserver observer);

void sluice_lock_contended (pthread_mutex_t *lock, SluiceLockKind kind);
/* Of this thread, which did until now what it would else have waited for. */
void sluice_lock_tell (SluiceLockKind kind, guint64 start);
/* As pthread_cond_wait(), by whoever cannot go on before. */
void sluice_lock_wait (pthread_cond_t *changed, pthread_mutex_t *lock, SluiceLockKind kind);

static inline void
sluice_lock (pthread_mutex_t *lock, SluiceLockKind kind)
{
  if (G_UNLIKELY (pthread_mutex_trylock (lock) != 0))
    sluice_lock_contended (lock, kind);
}

SLUICE_PUBLIC_END
