/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/cost.h"

/*
 * What a node's time depends on but for its device, as text: whoever has the same takes as long.
 */
typedef struct
{
  char *family; /* "MatMul float,float->float transpose_b=true": op, dtypes, attributes that change
                   the work, no names, seeds, values; "of constants" where that is all it reads,
                   "in NAME" of the loop whose iterations it takes */
  char *shapes; /* "[64,784];[784,10]->[64,10]"; "?64": that is a guess; "?": not
                   even the rank is known */
  SluiceCost cost; /* 0, 0 where it is not known: then nothing can be scaled by it */
} SluiceCostKey;

/* unknown_dim: stands for each dimension that is not known, the batch's */
void sluice_cost_key_init (SluiceCostKey *self, const SluiceNode *node, gint64 unknown_dim);
void sluice_cost_key_clear (SluiceCostKey *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceCostKey, sluice_cost_key_clear)
