/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Small graphs for the canvas' tests. */
#pragma once

#include "ui/canvas/graph-model.h"
#include "ui/canvas/hierarchy.h"

/* One node a line: "name op shape input input…". Shape '-' is unknown. An input is a node's name,
 * "^name" (control), "&name" (reference: the op writes that variable) or "~name" (back edge).
 * "op@loop" runs in that loop. Inputs may come from later lines. Ops decide the class: Const,
 * VariableV2, Placeholder, *Summary, NoOp. Bytes are 4 times the product of the shape, '?'
 * counting 64. */
SluiceGraphModel *fixture_model (const char *text);

/* input -> hidden -> logits -> loss, its gradients, a momentum step, summaries, init and save: what
 * TensorFlow writes for an MLP. */
SluiceGraphModel *fixture_mlp (void);

/* A loop "lstm/while" over "lstm/in", its gradient's counter elsewhere, and what reads its end. */
SluiceGraphModel *fixture_loop (void);

/* @n ops in scopes, wired at random, cycles included: same seed, same graph. */
SluiceGraphModel *fixture_random (guint32 seed, guint n);

SluiceNodeClass fixture_class_of (const char *op);

guint fixture_group (SluiceHierarchy *hierarchy, const char *path);

/* All that they tell of their groups and bundles is the same. */
void fixture_assert_same (SluiceHierarchy *a, SluiceHierarchy *b);
