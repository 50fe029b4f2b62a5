/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/* A user that only waits for the node. */
#define SLUICE_USE_WAITS (1u << 31)

/*
 * Who takes outputs of each node or waits for it: rows of compressed sparse row storage over work
 * indices. A user stands in the row as often as it has such inputs, users in order of their
 * indices, data inputs first.
 */
typedef struct
{
  guint n;
  guint32 *first;    /* n + 1: by index */
  guint32 *users;    /* index, and SLUICE_USE_WAITS */
  guint8 *is_back;   /* by index: its users are those of the next iteration */
  guint8 *is_wanted; /* by index: fetched, or a target */
  guint32 *seen;     /* of the last sluice_uses_reach(): == round where it came by */
  guint32 *stack;
  guint32 round;
} SluiceUses;

/* (transfer full) */
SluiceUses *sluice_uses_new (const SluiceWork *work);
void sluice_uses_free (SluiceUses *self);

/**
 * sluice_uses_reach:
 * @rank: (nullable): positions in topological order; nodes behind @last are left out
 *
 * Marks these nodes and what follows them within an iteration: sluice_uses_is_reached().
 */
void sluice_uses_reach (
    SluiceUses *self, const guint32 *from, guint n_from, const guint32 *rank, guint32 last);

static inline gboolean
sluice_uses_is_reached (const SluiceUses *self, const SluiceWorkNode *node)
{
  return self->seen[node->index] == self->round;
}
