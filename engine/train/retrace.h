/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

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
