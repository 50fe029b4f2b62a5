/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/passes.h"

/* What nodes do to variables and queues, for races.c and order.c. */

typedef enum
{
  SLUICE_EFFECT_NONE,
  SLUICE_EFFECT_READ,
  SLUICE_EFFECT_WRITE,
  SLUICE_EFFECT_ENQUEUE,
  SLUICE_EFFECT_DEQUEUE,
} SluiceEffect;

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
} SluiceEffects;

/* order: as sluice_work_sort() has it. Fills self. */
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

static inline guint
sluice_frame_parent (const SluiceWork *work, guint frame)
{
  return g_array_index (work->frames, SluiceWorkFrame, frame).parent;
}

/* The innermost frame that both lie in. */
guint sluice_frame_common (const SluiceWork *work, guint a, guint b);

/* Who follows a node within an iteration: CSR over work indices. */
typedef struct
{
  guint n;
  guint32 *first, *readers;
  guint32 *seen, *stack; /* scratch of the search */
  guint32 round;
} SluiceReaders;

void sluice_readers_init (SluiceReaders *self, const SluiceWork *work);
void sluice_readers_clear (SluiceReaders *self);
/* Marks these and what follows them: seen[index] == round. rank: (nullable): positions in
 * topological order; nodes behind `last` are left out. */
void sluice_readers_reach (
    SluiceReaders *self, const guint32 *from, guint n_from, const guint32 *rank, guint32 last);
