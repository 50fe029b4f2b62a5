/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/*
 * A work graph as text, a line a node, in the order in which it would run where that is known, else
 * as the nodes were created:
 *
 *   sum = Add (a, b:1, <x>) ^pivot @CPU:1 in while/context
 *
 * Inputs as in TensorFlow, <x> being what is fed there; the device where it is not the first one;
 * the loop where the node runs in one. Constants show their first values. What is no node of the
 * user's has the name of the one that it is of with # behind: a#send, a#recv, a#after, a#feed,
 * a#fetch; copies are a#2, a#3. Nodes that run together stand in braces:
 *
 *   y = Fused (x, z) {a = Neg, y = Mul} -> a, y        outputs y:0, y:1 are those of a and y
 *   u = FusedConsumer (w, r, x, dy) {g = MatMul -> 2 of u = ApplyGradientDescent}
 *
 * Then loops, targets and fetches. The same graph and passes give the same text.
 */
typedef struct
{
  const char *name; /* of the node; else "loop 1", "target 0", "fetch 0" */
  char *text;
} SluiceWorkLine;

typedef struct
{
  GArray *lines; /* of SluiceWorkLine */
  guint n_nodes;
  GStringChunk *names;
} SluiceWorkText;

/* (transfer full) */
SluiceWorkText *sluice_work_text_new (const SluiceWork *work);
void sluice_work_text_free (SluiceWorkText *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceWorkText, sluice_work_text_free)

/* All lines, each with its end. (transfer full) */
char *sluice_work_text_dup (const SluiceWorkText *self);
