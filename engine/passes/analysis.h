/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/branches.h"
#include "engine/passes/effects.h"
#include "engine/passes/uses.h"

/*
 * What passes want to know of a work graph, found out once for all of them: on demand, and again
 * where the graph has changed since (SluiceWork.version). What is given is borrowed and stays as it
 * was while a pass changes the graph, until the same is asked for anew.
 */

/* The order of the schedule where there is one, which may name nodes that were swept since
 * (sluice_work_has()) and lacks constants that are there from the start; else any topological
 * order of all nodes. NULL where there is a cycle that no NextIteration closes; *stuck (nullable)
 * is then a node of it. Overwrites the marks of nodes. */
const GPtrArray *sluice_analysis_get_order (SluiceWork *work, SluiceWorkNode **stuck);

SluiceUses *sluice_analysis_get_uses (SluiceWork *work);

/* Makes sure that node->frame and work->frames hold; frames.h has the errors. */
gboolean sluice_analysis_find_frames (SluiceWork *work, GError **error);

/* The frames must be known and there be an order; so of the next three. */
const SluiceBranches *sluice_analysis_get_branches (SluiceWork *work);
/* By work index: see sluice_find_conditions(). */
const guint32 *sluice_analysis_get_conditions (SluiceWork *work);
const SluiceEffects *sluice_analysis_get_effects (SluiceWork *work);

/* By work index: may a value of its be the memory of a variable? See sluice_find_aliases(). */
const guint8 *sluice_analysis_get_aliases (SluiceWork *work);

void sluice_analysis_free (SluiceAnalysis *self);
