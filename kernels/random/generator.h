/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "kernels/random/philox.h"

/* TensorFlow reserves this many groups of words for each output, used or not. */
#define SLUICE_RESERVED_PER_OUTPUT 256

/* TensorFlow's numbers of algorithms. A CPU has Philox, which AUTO is, and no ThreeFry. */
typedef enum
{
  SLUICE_ALGORITHM_PHILOX = 1,
  SLUICE_ALGORITHM_THREEFRY = 2,
  SLUICE_ALGORITHM_AUTO = 3,
} SluiceRandomAlgorithm;

/* Of a generator as tensors, in words of 64 bits. */
#define SLUICE_RANDOM_COUNTER_SIZE 2
#define SLUICE_RANDOM_KEY_SIZE     1

/* Where a node's stream begins: what a stateful random kernel's state starts with. */
typedef struct
{
  SluicePhilox start; /* of a generator that the session does not hold yet, where seeds are given */
  gboolean seeded;
  guint64 name_hash;
} SluiceRandomNode;

void sluice_random_node_init (SluiceRandomNode *self, const SluiceNode *node);

/* What the seed of a run is mixed with for a node without seeds of its own. */
guint64 sluice_random_name_hash (const char *name);

/* SluiceKernel.prepare of kernels whose state is a SluiceRandomNode and nothing else. */
gpointer sluice_random_prepare (const SluiceNode *node, GError **error);

/* The same for an op that has no seeds. */
gpointer sluice_random_seedless_prepare (const SluiceNode *node, GError **error);

/* Where the node's stream begins in a run of that seed, which tells where the node has none. */
SluicePhilox sluice_random_node_start (const SluiceRandomNode *self, guint64 run_seed);

/**
 * sluice_call_reserve_random:
 * @n_groups: groups of four words that the call uses at most; the next call starts behind them
 * @start: (out): the node's generator as the call finds it
 *
 * call->state must begin with a SluiceRandomNode. FALSE: call->error is set
 */
gboolean sluice_call_reserve_random (SluiceKernelCall *call, guint64 n_groups, SluicePhilox *start);

/* The generator of a stateless op: two seeds at input i. FALSE: call->error is set */
gboolean sluice_call_stateless_random (SluiceKernelCall *call, guint i, SluicePhilox *start);

/**
 * sluice_call_keyed_random:
 * @i: the input that is the key; counter and algorithm are the two behind it
 * @algorithm: (out): as the graph has it, AUTO resolved; sluice_call_want_philox() judges it
 *
 * The generator of a stateless op that has its key. FALSE: call->error is set
 */
gboolean
sluice_call_keyed_random (SluiceKernelCall *call, guint i, SluicePhilox *start, gint64 *algorithm);

/* Fails where an algorithm is not the one that there is. */
gboolean sluice_call_want_philox (SluiceKernelCall *call, gint64 algorithm);

/* A generator as words of 64 bits, lower half first. */
SluicePhilox sluice_philox_read (const guint64 *counter, const guint64 *key);
void sluice_philox_write (const SluicePhilox *self, guint64 *counter, guint64 *key);
