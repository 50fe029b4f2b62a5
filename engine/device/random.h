/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/resource.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * The state of one random node: a Philox4x32-10 generator, kept in the session's resources under
 * the node's name in a container of its own. Checkpoints write and read it as it stands.
 */
#define SLUICE_RANDOM_CONTAINER "_random"

/* Key and 128-bit counter, low word first: the next four words drawn are a function of these. */
typedef struct
{
  guint32 key[2];
  guint32 counter[4];
} SluicePhilox;

typedef struct
{
  SluiceResource parent;
  pthread_mutex_t lock;
  SluicePhilox philox; /* under lock */
} SluiceRandomState;

extern const SluiceResourceType sluice_random_type;

/* A generator at the start of the stream of (seed, seed2). */
SluicePhilox sluice_philox_seeded (guint64 seed, guint64 seed2);

/* Moves the counter on by n groups of four words. */
SLUICE_SHARED void
sluice_philox_skip (SluicePhilox *self, guint64 n)
{
  guint64 low = (guint64) self->counter[1] << 32 | self->counter[0];
  guint64 sum = low + n;
  self->counter[0] = (guint32) sum;
  self->counter[1] = (guint32) (sum >> 32);
  if (sum < low && ++self->counter[2] == 0)
    self->counter[3]++;
}

/**
 * sluice_random_state_reserve:
 * @n_groups: groups of four words that the caller will not step beyond
 *
 * Returns: the generator as it stood; the state moves on past the groups
 */
SluicePhilox sluice_random_state_reserve (SluiceRandomState *self, guint64 n_groups);

/**
 * sluice_random_state_get:
 * @name: the node's name
 * @start: (nullable): where a new generator starts; %NULL: there must be one
 *
 * Returns: (transfer full) (nullable): the node's generator; %NULL with NOT_FOUND
 */
SluiceRandomState *sluice_random_state_get (SluiceResources *resources,
                                            const char *name,
                                            const SluicePhilox *start,
                                            GError **error);

/* For checkpoints. Reading while a step runs gives a state between two draws. */
SluicePhilox sluice_random_state_dump (SluiceRandomState *self);
void sluice_random_state_load (SluiceRandomState *self, const SluicePhilox *philox);

SLUICE_PUBLIC_END
