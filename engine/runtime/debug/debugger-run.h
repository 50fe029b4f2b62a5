/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/kept.h"
#include "engine/runtime/debug/debugger.h"
#include "engine/runtime/step/worker.h"

/*
 * A run under a debugger: what the executor and the session call. All of it is the holder's of the
 * scheduler lock; while the run is stopped, the holder waits and the debugger's lock guards it.
 *
 * At the first stop the run becomes one of one thread: kernels that run elsewhere are waited for,
 * and none leaves the scheduler lock any more, so nodes run in the order of their ranks.
 */
typedef struct _SluiceDebugPlan SluiceDebugPlan; /* debugger-private.h */

struct _SluiceDebugRun
{
  SluiceDebugger *debugger;
  SluiceStep *step;
  SluiceDebugPlan *plan;
  const guint8 *marks;        /* of the plan, by node: 0: no breakpoint */
  const _Atomic int *attends; /* of the debugger */
  gboolean is_single;         /* one thread runs all */
  gboolean is_free;           /* it stops no more */
  GArray *held;               /* inputs of nodes that are looked at when they have run */
  GArray *puts;               /* inputs that others see, too, and that are to be put back */

  /* For the next stop, where the run is stepped through. */
  gboolean has_ran;
  SluiceDebugNode ran;
  GArray *ran_outputs; /* of SluiceDebugValue */
  GArray *dead;        /* of SluiceDebugNode */

  /* Of the stop. */
  SluiceStopKind kind;
  guint breakpoint;
  SluiceActivation *act;
  guint32 i;            /* node of it */
  SluiceValue *outputs; /* (nullable): BEHIND */
};

/* ---- the session ---- */

/* What the passes keep for a run that begins now. (transfer full) (nullable): it would not stop */
SluiceKeptNodes *sluice_debugger_dup_kept (SluiceDebugger *self);
/* Before a run of a step that is prepared, and after it. debugger: (nullable) */
void sluice_debug_begin (SluiceDebugger *debugger, SluiceStep *step);
void sluice_debug_end (SluiceStep *step);
/* The step was cancelled. Any thread. */
void sluice_debug_wake (SluiceDebugRun *self);

/* ---- the executor ---- */

/* What sluice_debug_before() does where there is something to do. */
gboolean sluice_debug_attend (SluiceDebugRun *self, SluiceWorker *w, guint32 i, gboolean is_dead);

/* A node of w->act is about to run, or to be passed by. FALSE: the step is over. */
static inline gboolean
sluice_debug_before (SluiceDebugRun *self, SluiceWorker *w, guint32 i, gboolean is_dead)
{
  gsize number = (gsize) (&w->act->nodes[i] - w->plan->nodes);
  if (G_LIKELY (self->marks[number] == 0 && !self->is_single
                && !atomic_load_explicit (self->attends, memory_order_relaxed)))
    return TRUE;
  return sluice_debug_attend (self, w, i, is_dead);
}

/* Between two nodes: ends what has returned elsewhere, and puts inputs back. */
void sluice_debug_between (SluiceDebugRun *self, SluiceWorker *w);

/* The node has run, and its outputs are there. Returns the ticks that it took. */
guint64 sluice_debug_look (SluiceDebugRun *self,
                           SluiceWorker *w,
                           SluiceActivation *act,
                           const SluicePlanNode *node,
                           SluiceValue *outputs);

/* Nothing is ready, and what is under way waits. is_hopeless: for ever, as far as one can tell.
 * TRUE: wait on. */
gboolean sluice_debug_wait (SluiceDebugRun *self, SluiceWorker *w, gboolean is_hopeless);

/* All nodes have run. */
void sluice_debug_finish (SluiceDebugRun *self, SluiceWorker *w);
