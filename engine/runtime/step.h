/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>
#include <pthread.h>

#include "engine/device/trace.h"
#include "engine/runtime/deadlock.h"
#include "engine/runtime/plan.h"
#include "engine/runtime/ready.h"

/* A kernel that runs or waits outside the scheduling loop. */
typedef struct _SluiceFlight SluiceFlight;
struct _SluiceFlight
{
  SluiceKernelCall call; /* first: done() gets it back from it */
  SluiceFlight *next;    /* in the mailbox, or in the list of free ones */
  SluiceFlight *previous_flying, *next_flying;
  guint32 node;
  guint64 start, end;
  SluiceValue outputs[];
};

typedef enum
{
  SLUICE_PAIR_EMPTY,
  SLUICE_PAIR_SENT,
  SLUICE_PAIR_SENT_DEAD,
  SLUICE_PAIR_AWAITED, /* its Recv ran first; the Send makes it ready again */
} SluicePairState;

typedef struct
{
  SluicePairState state;
  SluiceTensor *tensor; /* NULL: a control edge */
} SluicePair;

/* What a run brings along. */
typedef struct
{
  SluiceDevice *const *devices;
  SluiceResources *resources;
  guint64 seed;
  guint64 number; /* of the step, for the trace */
  const _Atomic int *cancel_flag;
  gboolean nan_guard;
  struct _SluiceLanes *lanes;
  SluiceActivity *activity;    /* of the resources */
  pthread_mutex_t *graph_lock; /* held while a report reads the graph */
  gboolean keep_waiting;       /* a deadlock is told and not the end */
} SluiceStepEnv;

/*
 * The mutable half of a plan: everything that one run of it needs, recycled from run to run.
 *
 * The scheduling state belongs to whoever holds the baton (`owned`). Cheap nodes run under it; a
 * long kernel is run without, so that another thread can go on. What ends outside the baton goes to
 * the mailbox, which the holder drains. So counters are plain integers and one thread alone never
 * pays for the others.
 */
struct _SluiceStep
{
  const SluicePlan *plan;
  SluiceStepEnv env;
  SluiceResources *resources; /* of one run, found by name */

  /* Under the baton. */
  guint32 *pending;
  guint32 *dead; /* inputs that came dead, where the plan has dead values */
  SluiceValue *slots;
  guint64 *scheduled;
  SluicePair *pairs;
  SluiceReady ready;
  guint32 remaining; /* nodes that have not ended */
  guint32 n_flying;
  SluiceFlight *flying, *free_flights;
  gboolean is_stopping;
  GError *error; /* the first one */
  guint64 n_run;
  guint64 missed_ticks; /* of long kernels that ran while nobody was awake to take another */

  /* Between threads. */
  _Atomic int cancelled; /* kernels look at it */
  _Alignas(64) _Atomic int owned;
  _Atomic (SluiceFlight *) mailbox;
  _Atomic int finished;
  _Atomic int calls_for_caller; /* there is work that a sleeping caller should take */
  _Atomic guint gate;           /* helpers inside; GATE_CLOSED where none may enter */
  _Atomic int ref_count;        /* the run, and helpers that the pool has not started yet */
  _Atomic int n_invited;        /* helpers submitted and not gone */
  pthread_mutex_t wait_lock;
  pthread_cond_t wait;
  gboolean caller_sleeps; /* under wait_lock */

  SluiceStep *next_free; /* of the callable's list */
};

SluiceStep *sluice_step_new (const SluicePlan *plan);
void sluice_step_unref (SluiceStep *self);

/* Before a run; it can be cancelled from then on. */
void sluice_step_prepare (SluiceStep *self, const SluiceStepEnv *env);

/**
 * sluice_step_run:
 * @feeds: borrowed, checked
 * @outputs: transfer full each
 *
 * Runs the step to its end on this thread and, where it pays, on the pool's.
 */
gboolean sluice_step_run (SluiceStep *self,
                          SluiceTensor *const *feeds,
                          SluiceTensor **outputs,
                          GError **error);

/* From any thread while it runs: gives up soon. */
void sluice_step_cancel (SluiceStep *self);

/* Of a plan's fed edges: dtype and shape of what is fed. */
gboolean
sluice_plan_check_feeds (const SluicePlan *plan, SluiceTensor *const *feeds, GError **error);

/* ---- between step.c and executor.c ---- */

#define SLUICE_GATE_CLOSED (1u << 31)

/* Wakes the caller where it sleeps. */
void sluice_step_wake (SluiceStep *self);

/* Runs nodes until the step has ended. The caller's thread. */
void sluice_executor_run (SluiceStep *step);
