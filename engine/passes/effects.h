/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/* What nodes do to variables and queues, for races.c, order.c and recompute.c. */

typedef enum
{
  SLUICE_EFFECT_NONE,
  SLUICE_EFFECT_READ,
  SLUICE_EFFECT_WRITE,
  SLUICE_EFFECT_ENQUEUE,
  SLUICE_EFFECT_DEQUEUE,
} SluiceEffect;

#define SLUICE_ANY_OBJECT (G_MAXUINT32 - 1)

typedef struct
{
  SluiceWorkNode *node;
  guint object; /* number of the variable or queue */
  SluiceEffect effect;
} SluiceAccess;

typedef struct
{
  GPtrArray *objects; /* of const SluiceNode: what makes the variable or queue, by number */
  GArray *accesses;   /* of SluiceAccess: by object, in topological order, once a node */
  /* By work index: number + 1 of the variable that is a reference and whose memory outputs of the
   * node may be, or which they refer to; SLUICE_ANY_OBJECT + 1: of one of several; 0: of none. */
  guint32 *memory_of;
} SluiceEffects;

/* order: a topological one. Fills self. */
void sluice_effects_find (SluiceEffects *self, const SluiceWork *work, const GPtrArray *order);
void sluice_effects_clear (SluiceEffects *self);

/* Does it matter which comes first? */
static inline gboolean
sluice_effects_conflict (SluiceEffect a, SluiceEffect b)
{
  if (a == SLUICE_EFFECT_ENQUEUE || a == SLUICE_EFFECT_DEQUEUE)
    return a == b;
  return a == SLUICE_EFFECT_WRITE || b == SLUICE_EFFECT_WRITE;
}
