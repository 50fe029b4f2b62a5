/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/step/worker.h"

/*
 * A loop that runs: one instance of a frame inside one iteration of the frame around it. All of it
 * belongs to whoever holds the scheduler lock.
 *
 * Iterations end in order. One has ended when nothing of it is ready, in flight or runs in a loop
 * inside it, and the one before has ended (the first one: all Enters have arrived). The loop has
 * ended with its last iteration; Exits that never had a value are dead then. Paper: Dynamic Control
 * Flow in Large-Scale Machine Learning, 4.2 and 4.3.
 */
struct _SluiceFrame
{
  const SluicePlanFrame *plan;
  guint32 number; /* in the plan */
  guint64 id;     /* in the step, and in the keys of transfers */
  SluiceActivation *parent;
  guint64 oldest, newest;  /* iterations that run; none: oldest > newest */
  SluiceActivation **ring; /* by iteration; a power of two of them */
  guint64 n_ring;
  guint32 n_enters_left;
  guint8 *has_exited; /* by exit */

  /* What has come through constant Enters: the state in which each iteration starts. Its slots
   * hold a reference for every reader, `constants` another, so that nobody takes it for his own. */
  SluiceActivation start;
  GArray *constants; /* of SluiceValue */
  GArray *slots;     /* of guint32: filled for good, the iterations borrow them */
  GArray *ref_slots; /* of guint32: filled anew for every iteration */
  GArray *roots;     /* of guint32: nodes that wait for nothing else */
  GArray *deferred;  /* of SluiceDeferred: for iteration newest + 1, which must not start yet */
  SluiceFrame *next_free, *next_made;
};

/* Live value of a NextIteration. */
typedef struct
{
  guint32 node;
  SluiceValue value;
} SluiceDeferred;

void sluice_activation_init (SluiceActivation *self, const SluicePlan *plan, guint32 number);
void sluice_activation_clear (SluiceActivation *self);
/* Empties the slots from `first` on, but for what is kept. */
void sluice_activation_drop_values (SluiceActivation *self, const SluicePlan *plan, guint32 first);

/* After a step that failed: no loop runs any more. */
void sluice_frames_end_all (SluiceStep *step);
void sluice_frames_free (SluiceStep *step);

/* What an Enter, Exit or NextIteration gives goes where it belongs. Its references were read. */
void sluice_worker_move (SluiceWorker *w, const SluicePlanNode *node, gboolean is_dead);

/* Puts an iteration that nobody runs among those that wait for it, where it has something ready. */
void sluice_worker_list (SluiceWorker *w, SluiceActivation *act);
/* Ends the iteration and what ends with it, where it has nothing left to do. */
void sluice_worker_settle (SluiceWorker *w, SluiceActivation *act);
/* Turns to the next iteration that has something ready. FALSE: there is none. */
gboolean sluice_worker_next_activation (SluiceWorker *w);
/* Before the scheduler lock goes: others may run the rest of the current iteration. */
void sluice_worker_park (SluiceWorker *w);
