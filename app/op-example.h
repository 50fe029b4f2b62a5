/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * An example of an op: a small graph that runs. It comes of the op's definition: a sample of its
 * recipe, else variables and constants that its arguments ask for. What works only with others (a
 * queue, an array) stands in a graph of the family, data/examples/.
 */
typedef struct
{
  SluiceGraph *graph;
  const SluiceNode *node; /* of the graph: the op's */
  GStrv inputs;           /* "x = float [2] = [1 2]", what the node takes */
  GStrv results;          /* the same of what it gave when it ran */
} SluiceOpExample;

/**
 * sluice_op_example_new:
 *
 * Makes the graph and runs it.
 *
 * Returns: (transfer full) (nullable): NOT_FOUND says why the op has no example
 */
SluiceOpExample *sluice_op_example_new (const SluiceOp *op, GError **error);
void sluice_op_example_free (SluiceOpExample *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceOpExample, sluice_op_example_free)

/* Its graph as GraphDef text. (transfer full) */
char *sluice_op_example_dup_graph (const SluiceOpExample *self);
/* Inputs and results, a line each. (transfer full) */
char *sluice_op_example_dup_text (const SluiceOpExample *self);
