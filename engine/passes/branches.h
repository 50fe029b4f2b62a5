/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/* What must have been decided how for a node to run. */
typedef struct
{
  guint n;
  guint32 needs[]; /* number of the predicate × 2 + side of its Switch; sorted */
} SluiceNeeds;

typedef struct
{
  const SluiceNeeds **needs; /* by work index; NULL: runs in any case */
  guint8 *may_die;           /* by work index: lies behind a Switch, or in a loop, whose last
                                iteration is dead for the most part */
  GHashTable *preds;         /* (node, port) of a predicate -> number + 1 */
  GArray *pred_frames;       /* of guint: by number */
} SluiceBranches;

/* Where frames are known. order: a topological one. The needs live as long as the work graph.
 * (transfer full) */
SluiceBranches *sluice_branches_new (SluiceWork *work, const GPtrArray *order);
void sluice_branches_free (SluiceBranches *self);

/* Do they need different sides of one Switch, so that never both run? */
gboolean sluice_branches_exclude (const SluiceBranches *self,
                                  const SluiceWorkNode *a,
                                  const SluiceWorkNode *b);

/* Does the node run only where this predicate, without Identity nodes in front of it, is true? */
gboolean sluice_branches_needs_true (const SluiceBranches *self,
                                     const SluiceWorkNode *node,
                                     SluiceWorkEdge pred);
