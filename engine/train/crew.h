/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/machine.h"

/*
 * Asynchronous workers (white paper 7, figure 7, below): each has a train target and a loss of its
 * own, and runs step after step on the next batch without waiting for the others. Steps are counted
 * as they end.
 */

/* steps: (transfer full) (array length=n): what each worker runs. Borrows the machine, whose feeds
 * but for the batch must be set. NULL with RESOURCE_EXHAUSTED: no thread for one of them. */
Crew *crew_new (Machine *machine, SluiceCallable **steps, guint n, GError **error);
/* Waits for the steps under way. */
void crew_free (Crew *self);

/**
 * crew_next:
 * @limit: no step begins once so many have
 * @scalars: (array length=n_scalars): of the step, loss first
 * @batch: (array length=n_batch): takes what the step was fed; what was there is freed
 * @options: of steps that begin from now on
 *
 * Waits for a step to end, one that has ended since the last call or the next one to.
 *
 * Returns: %FALSE with the error of the step
 */
gboolean crew_next (Crew *self,
                    gint64 limit,
                    double *scalars,
                    SluiceTensor **batch,
                    const SluiceRunOptions *options,
                    GError **error);

/* Steps that have begun and that crew_next() has not told of. */
guint crew_get_n_under_way (Crew *self);
