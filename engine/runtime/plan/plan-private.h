/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/plan/plan.h"

/* For plan.c and plan-edges.c: a plan on its way. */
typedef struct
{
  SluiceWork *work;
  gboolean truncates; /* transfers */
  SluicePlan *plan;
  GPtrArray *order;        /* the work nodes that become plan nodes, by rank */
  guint32 *rank;           /* by work index; NOWHERE: its value is there from the start */
  guint32 *first_constant; /* by work index */
  GArray *kept;
  GArray *fed;        /* of SluicePlanEdge, port is the feed */
  GByteArray *dtypes; /* of outputs */
  GArray *members;    /* of SluicePlanMember */
} SluicePlanCompile;

/* Is the value there before the step begins? */
static inline gboolean
sluice_plan_is_there (const SluiceWorkNode *node)
{
  return node->kind == SLUICE_WORK_CONST && node->n_controls == 0;
}

/* Once its nodes are compiled: who wakes whom, what is fed, and what each frame has of that. */
void sluice_plan_compile_edges (SluicePlanCompile *compile);
