/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/measured.h"
#include "engine/runtime/session/session.h"

/*
 * Fills the table of what was measured from the trace of a session that runs: what nodes took, what
 * transfers took, and what passed between nodes. Whoever extends the session reads.
 *
 * Of a node in a loop a sample is what all its iterations of a step took together, as a step's
 * forecast has the node once.
 */
typedef struct _SluiceMeasuring SluiceMeasuring;

/* measured: borrowed; nobody else trims it meanwhile. unknown_dim: the batch: stands for what
 * placeholders leave open, and for what inference does not tell then */
SluiceMeasuring *
sluice_measuring_new (SluiceSession *session, SluiceMeasured *measured, gint64 unknown_dim);
void sluice_measuring_free (SluiceMeasuring *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMeasuring, sluice_measuring_free)

/* Takes in what ran since the last time. Returns: how many samples that were */
guint64 sluice_measuring_read (SluiceMeasuring *self);
/* Passes over it: steps in which memory and threads settle. */
void sluice_measuring_skip (SluiceMeasuring *self);
