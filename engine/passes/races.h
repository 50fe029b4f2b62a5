/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/effects.h"

/* Two accesses to one variable, at least one of which writes, that run in any order. */
typedef struct
{
  const SluiceNode *variable; /* that makes it */
  const SluiceNode *a, *b;    /* may be the same, between iterations */
  gboolean a_writes, b_writes;
  gboolean between_iterations; /* of a loop; in one iteration they are ordered */
} SluiceRace;

/**
 * sluice_find_races:
 * @work: before partitioning
 *
 * Which reads and writes of one variable a step leaves without an order: their result may differ
 * from run to run on several threads. White paper 6, "race conditions".
 *
 * Returns: (transfer full) (nullable) (element-type SluiceRace): %NULL where the graph cannot run
 */
GArray *sluice_find_races (SluiceWork *work, GError **error);
/**
 * sluice_find_late_reads:
 * @work: before partitioning, swept
 * @reads: (array length=n): of variables that are references, or of what shares their memory
 *
 * Of each read: may it come behind a write of its variable by another node, or beside it? What
 * comes before all of them may as well look at a copy that was made at any time before.
 *
 * Returns: (transfer full) (nullable): %NULL where the graph cannot run
 */
guint8 *
sluice_find_late_reads (SluiceWork *work, const SluiceAccess *reads, guint n, GError **error);
/* (transfer full): a sentence that names the variable and both nodes, and what to do. */
char *sluice_race_describe (const SluiceRace *self);
