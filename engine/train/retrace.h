/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"
#include "engine/train/replica.h"

/**
 * sluice_replica_retrace:
 * @step: not before the replica's
 * @loss: (out) (nullable): of the last one
 *
 * Takes the steps up to that one as a trainer takes them, with nothing logged: summaries and
 * evaluations may draw from random streams, and what has changed on the way changes again.
 */
gboolean sluice_replica_retrace (SluiceReplica *self, gint64 step, double *loss, GError **error);

/* Told before steps are taken again, for the run has no whole checkpoint there. */
typedef void (*SluiceRecomputes) (gint64 from, gint64 to, gpointer data);

/**
 * sluice_replica_stand_at:
 * @run: whose project the replica is of
 * @recomputes: (nullable)
 *
 * Takes the run's state at a step: its newest whole checkpoint up to there, or its beginning, and
 * the steps from it on.
 *
 * Returns: %FALSE with DATA_LOSS (the run has no such checkpoint), FAILED_PRECONDITION (steps of
 * several train targets do not come again), or what a step failed of
 */
gboolean sluice_replica_stand_at (SluiceReplica *self,
                                  SluiceStore *store,
                                  const SluiceRunInfo *run,
                                  gint64 step,
                                  SluiceRecomputes recomputes,
                                  gpointer data,
                                  GError **error);
