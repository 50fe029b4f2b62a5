/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/resource.h"

typedef struct _SluiceStep SluiceStep;

/*
 * Who runs on some resources: a step that waits for another's queue waits in vain when nobody else
 * does anything. All steps of the sessions that share the resources count.
 */
typedef struct
{
  SluiceResource parent;
  _Atomic guint64 state; /* low half: steps that run and do not wait; high half: how often one began
                            or went on */
} SluiceActivity;

/* That of the resources. (transfer full) */
SluiceActivity *sluice_activity_get (SluiceResources *resources);

/* A step begins, or goes on after it has waited; and the end of either. */
static inline void
sluice_activity_begin (SluiceActivity *self)
{
  atomic_fetch_add_explicit (&self->state, ((guint64) 1 << 32) + 1, memory_order_relaxed);
}

static inline void
sluice_activity_end (SluiceActivity *self)
{
  atomic_fetch_sub_explicit (&self->state, 1, memory_order_relaxed);
}

/* Since when a step that waits has seen nobody do anything. */
typedef struct
{
  gboolean is_waiting;
  guint64 state;
  gint64 since; /* monotonic time in µs; 0: not yet */
  guint n_told; /* how often that was reported: less and less often */
} SluiceIdle;

/* The step has nothing to do; it does not count as running until sluice_idle_end(). */
void sluice_idle_begin (SluiceIdle *self, SluiceActivity *activity);
void sluice_idle_end (SluiceIdle *self, SluiceActivity *activity);
/* Has nobody done anything for so long that nobody will? */
gboolean sluice_idle_is_hopeless (SluiceIdle *self, SluiceActivity *activity);

/* Under the scheduler lock: can all that is under way in the step only wait? */
gboolean sluice_deadlock_is_possible (const SluiceStep *step);

/**
 * sluice_deadlock_describe:
 *
 * The same, with the graph's lock: what all that is under way waits for.
 *
 * Returns: (transfer full) (nullable): %NULL where something does not wait
 */
char *sluice_deadlock_describe (SluiceStep *step);

/* The same of a step without a caller, in words that follow "waits for" or another's; %NULL also
 * where somebody works on it. With the graph's lock, while the step does not go back to its
 * program. */
char *sluice_deadlock_describe_driven (SluiceStep *step);
