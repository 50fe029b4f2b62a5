/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/data/element-cache.h"

/*
 * One way through a dataset: a cursor, and the kernel calls that ask for its elements, one after
 * the other. Where the next element is not there yet nobody waits for it: whoever completes what
 * it is made of wakes the pass, on its own thread. A resource, counted as such.
 */

/* Ends a call that has asked; its outputs or its error are to be set. The element's tensors are
 * handed over where the result is ONE, the error where it is FAILED. */
typedef void (*SluiceAnswer) (SluiceKernelCall *call,
                              SluiceNext result,
                              SluiceTensor *const *element,
                              GError *error);

SluiceDatasetPass *sluice_dataset_pass_new (SluiceDataset *dataset);

/* The call, of an asynchronous kernel, gets the next element. */
void sluice_dataset_pass_ask (SluiceDatasetPass *self, SluiceKernelCall *call, SluiceAnswer answer);

/* SluiceKernel.cancel and .describe_wait of such kernels. */
void sluice_dataset_pass_cancel (SluiceKernelCall *call);
char *sluice_dataset_pass_describe_wait (SluiceKernelCall *call);

SluiceDatasetPass *sluice_dataset_pass_ref (SluiceDatasetPass *self);
void sluice_dataset_pass_unref (SluiceDatasetPass *self);

/* Nobody will ask any more: what is under way is cancelled as soon as those that ask are served.
 * (transfer full) take; (nullable) cancelled: of the call that closes it */
void sluice_dataset_pass_close (SluiceDatasetPass *take, const _Atomic int *cancelled);

/* From any thread: something that the next element is made of may be there. */
void sluice_dataset_pass_wake (SluiceDatasetPass *self);

/* Of whoever moves the cursor, or frees it: what its cache held from place first on is freed as
 * soon as that is done, by others where the call has been cancelled meanwhile. */
void sluice_dataset_pass_leave (SluiceDatasetPass *self,
                                SluiceElementCache *take,
                                gint64 first,
                                gint64 n);

/* Functions that run for the pass, where somebody waits for them: they are cancelled with who asks.
 */
typedef struct _SluiceInvocation SluiceInvocation;
void sluice_dataset_pass_add (SluiceDatasetPass *self, SluiceInvocation *invocation);
void sluice_dataset_pass_remove (SluiceDatasetPass *self, SluiceInvocation *invocation);
/* Of whoever moves the cursor: has the call that it moves it for been cancelled meanwhile? */
gboolean sluice_dataset_pass_is_cancelled (SluiceDatasetPass *self);
