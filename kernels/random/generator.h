/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "kernels/random/philox.h"

/* TensorFlow reserves this many groups of words for each output, used or not. */
#define SLUICE_RESERVED_PER_OUTPUT 256

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
