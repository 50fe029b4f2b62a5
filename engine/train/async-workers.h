/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/replica.h"

/*
 * Asynchronous workers (white paper 7, figure 7, below): each has a train target and a loss of its
 * own, and runs step after step on the next batch without waiting for the others. Steps are counted
 * as they end.
 */

/* steps: (transfer full) (array length=n): what each worker runs. Borrows the replica, whose feeds
 * but for the batch must be set. NULL with RESOURCE_EXHAUSTED: no thread for one of them. */
SluiceAsyncWorkers *
sluice_async_workers_new (SluiceReplica *replica, SluiceCallable **steps, guint n, GError **error);
/* Waits for the steps under way. */
void sluice_async_workers_free (SluiceAsyncWorkers *self);

/**
 * sluice_async_workers_next:
 * @limit: no step begins once so many have
 * @scalars: (array length=n_scalars): of the step, loss first
 * @batch: (array length=n_batch): takes what the step was fed; what was there is freed
 * @options: of steps that begin from now on
 *
 * Waits for a step to end, one that has ended since the last call or the next one to.
 *
 * Returns: %FALSE with the error of the step
 */
gboolean sluice_async_workers_next (SluiceAsyncWorkers *self,
                                    gint64 limit,
                                    double *scalars,
                                    SluiceTensor **batch,
                                    const SluiceRunOptions *options,
                                    GError **error);

/* Steps that have begun and that sluice_async_workers_next() has not told of. */
guint sluice_async_workers_get_n_under_way (SluiceAsyncWorkers *self);
