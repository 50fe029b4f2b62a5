/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>
#include <pthread.h>

#include "engine/base/lock.h"
#include "engine/device/trace.h"
#include "engine/runtime/plan/plan.h"
#include "engine/runtime/session/watch.h"
#include "engine/runtime/step/deadlock.h"
#include "engine/runtime/step/ready.h"

typedef struct _SluiceFrame SluiceFrame; /* frame.h */
typedef struct _SluiceActivation SluiceActivation;

/*
 * The state of one iteration of a loop, or, of frame 0, of what lies outside all loops. Nodes and
 * slots are numbered by their position in the frame. Under the scheduler lock.
 */
struct _SluiceActivation
{
  const SluicePlanNode *nodes;
  guint32 *pending;
  guint32 *dead; /* inputs that came dead, where the plan has dead values */
  SluiceValue *slots;
  guint64 *scheduled;
  SluiceReady ready;
  guint32 first_slot;
  guint32 remaining; /* nodes that have not ended */
  guint32 number;    /* of the frame in the plan */
  guint32 label;     /* of the frame in the session */
  guint32 n_in_flight;
  guint32 n_children;
  guint32 n_constants;    /* of the frame's constants, how many lie in the slots */
  SluiceFrame *frame;     /* NULL: outside all loops */
  SluiceFrame **children; /* loops that run inside this iteration, by their number */
  guint64 iteration;
  gboolean is_listed; /* among those that have something ready and nobody runs */
  SluiceActivation *previous, *next;
  SluiceActivation *next_free, *next_made;
};

/* How a call ended. */
typedef enum
{
  SLUICE_CALL_RAN,     /* or failed: it has the error */
  SLUICE_CALL_DEAD,    /* an input is dead */
  SLUICE_CALL_SKIPPED, /* the run was cancelled, or what stands before it in its queue failed: the
                          step fails with that */
} SluiceCallOutcome;

typedef struct
{
  SluiceLockKind kind;
  guint64 start, end; /* ticks */
} SluiceLockWait;

/* A kernel that runs or waits outside the scheduling loop. */
typedef struct _SluiceInFlightCall SluiceInFlightCall;
struct _SluiceInFlightCall
{
  SluiceKernelCall call;    /* first: done() gets it back from it */
  SluiceInFlightCall *next; /* in the mailbox, or in the list of free ones */
  SluiceInFlightCall *previous_in_flight, *next_in_flight;
  guint32 node; /* in its frame */
  SluiceActivation *act;
  guint64 start, end;
  guint32 units_in, units_out; /* for the trace */
  guint32 lane;                /* that started it */
  SluiceCallOutcome outcome;
  gboolean has_come; /* of one that waits in a queue: what it waits for; worker-queued.c */
  gboolean is_ahead; /* its edges that run ahead were counted down when it was enqueued */
  GArray *locks;     /* of SluiceLockWait: what it waited for in a queue; NULL: nothing */
  SluiceValue outputs[];
};

/* An output that this run looks at. */
typedef struct
{
  SluiceWatch *watch;
  const SluicePlanNode *node; /* NULL: it was there before the run */
  guint32 output;
  _Atomic guint64 ticks; /* that the looks took */
} SluiceWatched;

typedef struct _SluicePartialRun SluicePartialRun; /* session.h */
typedef struct _SluiceDebugRun SluiceDebugRun;     /* debugger-run.h */

/* What a run brings along. */
typedef struct
{
  SluiceDevice *const *devices;
  SluiceResources *resources;
  SluiceFunctions *functions;
  guint64 seed;
  guint64 number; /* of the step, for the trace */
  const _Atomic int *cancel_flag;
  gboolean nan_guard;
  guint64 max_iterations;          /* of one loop; 0: any number */
  struct _SluiceTraceLanes *lanes; /* NULL: no trace */
  SluiceActivity *activity;        /* of the resources */
  pthread_mutex_t *graph_lock;     /* held while a report reads the graph */
  gboolean keep_waiting;           /* a deadlock is told and not the end */
  gboolean may_wait;               /* nor is it told */
  gboolean fetches_dead;           /* what has no value is fetched as NULL */
  SluicePartialRun *partial_run;   /* (nullable): feeds what is fed while it runs */
  /* (nullable): where _Send and _Recv meet those of other steps, and the epoch of this run there; a
   * step that fails aborts it. NULL: they meet within the step. */
  SluiceRendezvous *rendezvous;
  guint64 epoch;
} SluiceStepEnv;

typedef void (*SluiceStepEnded) (gpointer data);

/* Who works on a step that has no caller. */
typedef enum
{
  SLUICE_DRIVER_NONE,
  SLUICE_DRIVER_WORKS,
  SLUICE_DRIVER_HAS_NEWS, /* and looks again before it leaves */
} SluiceDriver;

/*
 * The mutable half of a plan: everything that one run of it needs, recycled from run to run.
 *
 * The scheduling state belongs to whoever holds the scheduler lock (`owned`). Cheap nodes run under
 * it; a long kernel is run without, so that another thread can go on. What ends outside of it goes
 * to the mailbox, which the holder drains. So counters are plain integers and one thread alone
 * never pays for the others: an atomic operation an edge is dear beside a no-op of 40 ns, and most
 * nodes of a training graph are that small. It also makes the order of one thread fixed, and leaves
 * ThreadSanitizer nothing to be silenced about.
 *
 * It is no mutex: nobody ever waits for it. Who finds it taken posts to the mailbox, or leaves; the
 * holder looks into the mailbox once more before it goes (executor.c).
 */
struct _SluiceStep
{
  const SluicePlan *plan;
  SluiceStepEnv env;
  SluiceResources *resources;       /* of one run, found by name */
  SluiceRendezvous *own_rendezvous; /* (nullable): the plan has no node that needs one */
  guint64 n_epochs;                 /* of it: runs */
  guint n_watched;                  /* in this run; set before it and after it */
  SluiceWatched watched[SLUICE_MAX_WATCHES];
  SluiceDebugRun *debug; /* (nullable): of a run under a debugger; set before it and after it */
  gboolean is_observed;  /* in this run somebody looks at values: a watch or a debugger */

  /* Under the scheduler lock. */
  SluiceActivation root;
  SluiceActivation *first_listed, *last_listed; /* in the order in which they are to run */
  SluiceActivation **free_activations;          /* by frame */
  SluiceFrame **free_frames;                    /* by frame */
  SluiceActivation *made_activations;           /* all of them, for the end */
  SluiceFrame *made_frames;
  guint32 n_in_flight;
  SluiceInFlightCall *in_flight, *free_calls;
  gboolean is_stopping;
  GError *error; /* the first one */
  guint64 n_run;
  guint64 missed_ticks; /* of long kernels that ran while nobody was awake to take another */

  /* Between threads. */
  _Atomic int cancelled; /* kernels look at it */
  _Atomic int n_queued;  /* calls in queues of devices */
  _Atomic int is_broken; /* a kernel in a queue failed: what stands behind it lacks inputs */
  _Alignas(64) _Atomic int owned;
  _Atomic (SluiceInFlightCall *) mailbox;
  _Atomic int finished;
  _Atomic int calls_for_caller; /* there is work that a sleeping caller should take */
  _Atomic guint gate;           /* helpers inside; GATE_CLOSED where none may enter */
  _Atomic int ref_count;        /* the run, and helpers that the pool has not started yet */
  _Atomic int n_invited;        /* helpers submitted and not gone */
  pthread_mutex_t wait_lock;
  pthread_cond_t wait;
  gboolean caller_sleeps; /* under wait_lock */

  /* Of a step without a caller; NULL: it has one. */
  SluiceStepEnded ended;
  gpointer ended_data;
  _Atomic int driver; /* SluiceDriver */

  GArray
      *sent; /* what this run was fed, on its way to devices; NULL: they share the host's memory */

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

/* Before a run without a caller, instead. ended is called once, on whatever thread ends the step,
 * when nothing of it runs any more. */
void sluice_step_prepare_driven (SluiceStep *self,
                                 const SluiceStepEnv *env,
                                 SluiceStepEnded ended,
                                 gpointer data);

/**
 * sluice_step_begin:
 * @elsewhere: FALSE: this thread goes on as far as the step does
 *
 * Runs the step without a caller: no thread waits for it. What others complete is taken up by the
 * pool. @feeds are borrowed until the end, which may come before this returns, and checked;
 * sluice_step_collect() gives what came out.
 */
void sluice_step_begin (SluiceStep *self, SluiceTensor *const *feeds, gboolean elsewhere);
/* Once, after the end. The step can be used again then. */
gboolean sluice_step_collect (SluiceStep *self,
                              SluiceTensor *const *feeds,
                              SluiceTensor **outputs,
                              GError **error);

/* From any thread while it runs: gives up soon. */
void sluice_step_cancel (SluiceStep *self);

/* Of a fed edge, or of all of a plan: dtype and shape of what is fed. */
gboolean sluice_check_feed (SluiceEdge edge, const SluiceTensor *value, GError **error);
gboolean
sluice_plan_check_feeds (const SluicePlan *plan, SluiceTensor *const *feeds, GError **error);

/* ---- between step.c and executor.c ---- */

#define SLUICE_GATE_CLOSED (1u << 31)

/* Wakes the caller where it sleeps, because what begins now may have a share for it. */
void sluice_step_call_caller (SluiceStep *self);

/* Wakes the caller where it sleeps; of a step without one, sees to it that somebody works on it. */
void sluice_step_wake (SluiceStep *self);

/* Of a step without a caller: is somebody to be sent to work on it? Then sluice_step_send() must
 * follow. */
gboolean sluice_step_note_news (SluiceStep *self);
void sluice_step_send (SluiceStep *self);
