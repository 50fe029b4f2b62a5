/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/problems.h"

struct _SluiceProblemSearch
{
  SluiceGraph *graph;
  GPtrArray *problems;    /* SluiceProblem */
  gboolean has_optimizer; /* of the graph */
  GHashTable *run;        /* (nullable): SluiceNode that a project fetches or runs */
  GHashTable *fed;        /* (nullable): SluiceNode that a project feeds */
  guint n_looked_at;      /* nodes */
};

/* text: (transfer full) */
void sluice_problem_add (
    SluiceProblemSearch *self, SluiceProblemKind kind, SluiceNode *node, int input, char *text);

/* problems-rules.c: of one node that could run. */
void sluice_problems_look_at (SluiceProblemSearch *self, SluiceNode *node);
/* Of all together: what leads to no loss. */
void sluice_problems_look_at_ends (SluiceProblemSearch *self);
/* The axis that one of two shapes has more than the other, where each element of the one then meets
 * all of the other; -1: it is not so. column: which input has it. */
int sluice_problems_lost_axis (const SluiceNode *node, guint *column);
