/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/function.h"
#include "kernels/data/dataset-pass.h"

/* A function and what it captures: the inputs that follow those of each call. */
typedef struct
{
  SluiceFunction *function;
  guint n_own; /* inputs of each call: the components of an element */
  guint n_captured;
  SluiceTensor **captured;
} SluiceClosure;

/* That of an attribute of the call's node; the captured tensors are inputs of the call. FALSE:
 * call->error is set, and there is nothing to clear */
gboolean sluice_closure_init (SluiceClosure *self,
                              SluiceKernelCall *call,
                              const char *attr,
                              guint n_own,
                              guint first_captured,
                              guint n_captured);
void sluice_closure_clear (SluiceClosure *self);

/* Do the results have these dtypes? FALSE: call->error is set */
gboolean sluice_closure_check_results (const SluiceClosure *self,
                                       SluiceKernelCall *call,
                                       const char *attr,
                                       guint n,
                                       const SluiceDType *types);

/*
 * One call of a closure for a pass. Made, filled with its own inputs, started, and taken from when
 * it has ended. Counted: the call under way holds it too.
 */
SluiceInvocation *sluice_invocation_new (const SluiceClosure *closure, SluiceDatasetPass *pass);
SluiceInvocation *sluice_invocation_ref (SluiceInvocation *self);
void sluice_invocation_unref (SluiceInvocation *self);

/* The closure's own inputs, to be filled in; later to be read. (transfer none) */
SluiceTensor **sluice_invocation_get_inputs (SluiceInvocation *self);

/* ahead: nobody waits for it yet; it runs on another thread, and is not cancelled with the run
 * that happened to begin it. */
void sluice_invocation_start (SluiceInvocation *self, SluiceKernelCall *call, gboolean ahead);
/* In place of a start: it has failed. (transfer full) take */
void sluice_invocation_start_failed (SluiceInvocation *self, GError *take);
gboolean sluice_invocation_is_started (const SluiceInvocation *self);

/* LATER: it has not ended. Else ONE and the results are handed over, or FAILED. What was cancelled
 * with an earlier run is run again for this one. */
SluiceNext sluice_invocation_take (SluiceInvocation *self,
                                   SluiceKernelCall *call,
                                   SluiceTensor **results,
                                   GError **error);

/* Nobody wants it any more: cancels it. (transfer full) take */
void sluice_invocation_drop (SluiceInvocation *take);

/* The run that waits for it is cancelled. With the pass's lock, as the next. */
void sluice_invocation_interrupt (SluiceInvocation *self);
/* Does it still run, and for a run that waits for it? */
gboolean sluice_invocation_is_awaited (const SluiceInvocation *self);
/* As SluiceKernel.describe_wait. */
char *sluice_invocation_describe_wait (SluiceInvocation *self, SluiceKernelCall *call);

/* The dataset that a result is, with those components. (transfer full) (nullable):
 * INVALID_ARGUMENT;
 * @name: the node that calls the function */
SluiceDataset *sluice_closure_dup_dataset (const char *name,
                                           const SluiceTensor *result,
                                           guint n,
                                           const SluiceDType *types,
                                           GError **error);

/* ---- a function of each element ---- */

/* What a cursor keeps that calls a function of each element of its dataset's first input. */
typedef struct
{
  SluiceCursor *input;
  SluiceInvocation *current;
} SluiceApplying;

/**
 * sluice_applying_next:
 * @self: of @cursor
 * @element: (nullable): gets the element itself, too
 * @results: as many as the function has
 *
 * Returns: as SluiceDatasetClass.next
 */
SluiceNext sluice_applying_next (SluiceApplying *self,
                                 SluiceCursor *cursor,
                                 const SluiceClosure *closure,
                                 SluiceKernelCall *call,
                                 SluiceTensor **element,
                                 SluiceTensor **results,
                                 GError **error);
void sluice_applying_clear (SluiceApplying *self);
