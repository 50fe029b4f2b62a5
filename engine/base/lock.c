/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/lock.h"

#include "engine/base/pool.h"

static _Thread_local SluiceLockObserver current;

const char *
sluice_lock_kind_name (SluiceLockKind kind)
{
  static const char *const names[SLUICE_N_LOCK_KINDS] = {
    [SLUICE_LOCK_VARIABLE] = "variable",
    [SLUICE_LOCK_QUEUE] = "queue",
    [SLUICE_LOCK_MEMORY] = "memory",
    [SLUICE_LOCK_DATA] = "data",
  };
  return names[MIN (kind, SLUICE_LOCK_DATA)];
}

SluiceLockObserver
sluice_lock_observe (SluiceLockObserver observer)
{
  SluiceLockObserver before = current;
  current = observer;
  return before;
}

void
sluice_lock_tell (SluiceLockKind kind, guint64 start)
{
  if (current.func != NULL)
    current.func (kind, start, sluice_clock_ticks (), current.data);
}

void
sluice_lock_contended (pthread_mutex_t *lock, SluiceLockKind kind)
{
  guint64 start = sluice_clock_ticks ();
  pthread_mutex_lock (lock);
  sluice_lock_tell (kind, start);
}

void
sluice_lock_wait (pthread_cond_t *changed, pthread_mutex_t *lock, SluiceLockKind kind)
{
  guint64 start = sluice_clock_ticks ();
  pthread_cond_wait (changed, lock);
  sluice_lock_tell (kind, start);
}
