/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/*
 * What it takes to run nodes of a step again for readers behind the peak: which of them may, and
 * how they are copied. recompute.c and fit.c decide which are.
 */

typedef enum
{
  SLUICE_AGAIN_NEVER,
  SLUICE_AGAIN_CHEAP, /* element-wise, batch normalisation, a view */
  SLUICE_AGAIN_DEAR,  /* gives the same again, and takes its time: products, convolutions */
} SluiceAgain;

/* may_alias: as sluice_find_aliases() gives it. NEVER: it has an effect, draws lots, runs in a
 * loop, waits for something, or may read a variable's memory that was lost sight of. */
SluiceAgain
sluice_work_may_run_again (const SluiceWork *self, SluiceWorkNode *node, const guint8 *may_alias);

/* Another node that does the same, with the same inputs and waiting for nothing else. It is in no
 * schedule. */
SluiceWorkNode *sluice_work_add_again (SluiceWork *self, const SluiceWorkNode *node);
/* Wherever the node reads `from`, it reads `to`; so do the members of a fused one. */
void sluice_work_replace_input (SluiceWorkNode *node, SluiceWorkEdge from, SluiceWorkEdge to);

/* Who only asks for a shape, as gradients do, goes where that is known first: it would hold the
 * value. What was swept goes from the schedule. */
void sluice_work_ask_shapes_early (SluiceWork *self);
