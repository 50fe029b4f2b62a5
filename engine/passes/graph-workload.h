/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/cost-model.h"
#include "engine/cost/policy.h"
#include "engine/passes/place.h"

/* Stands for each dimension that a shape does not know: a usual batch. */
#define SLUICE_WORKLOAD_DIM 32

/* What a step is wanted for. None of both: everything */
typedef struct
{
  SluiceNode *const *targets;
  const SluiceEdge *fetches;
  guint n_targets, n_fetches;
} SluiceWorkloadScope;

/* The workload of a step, and which nodes of the graph those of it are. */
typedef struct
{
  SluiceWorkload *workload;
  SluiceNode **nodes; /* (array length=workload.n_nodes) */
} SluiceGraphWorkload;

/**
 * sluice_graph_workload_new:
 * @machine: borrowed for the workload's life
 * @soft: as of sluice_place()
 *
 * Nodes that the scope needs, in an order in which only the back edges of loops run backwards;
 * these are left out: each node runs once, as in a first iteration. Who stands with whom, and where
 * they can, is as sluice_place() has it for a session that has these devices; what is not on any
 * device that computes nothing unless somebody asked for such a one. What a node waits for and
 * reads from as well is not waited for twice. A constant stands with its only reader.
 *
 * Returns: (transfer full) (nullable): what keeps a node from standing anywhere, in the words of
 * sluice_place()
 */
SluiceGraphWorkload *sluice_graph_workload_new (SluiceGraph *graph,
                                                const SluiceWorkloadScope *scope,
                                                const SluiceMachine *machine,
                                                SluiceCostModel *costs,
                                                gboolean soft,
                                                GError **error);
void sluice_graph_workload_free (SluiceGraphWorkload *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGraphWorkload, sluice_graph_workload_free)

/**
 * sluice_graph_place_choice_new:
 *
 * What was chosen, by node of the graph: for sluice_place(). Reasons are as "greedy, by 1.71 ms".
 */
typedef struct
{
  SluicePlaceChoice told;
  int *devices;
  const char **reasons;
  GStringChunk *texts;
} SluiceGraphPlaceChoice;

SluiceGraphPlaceChoice *sluice_graph_place_choice_new (const SluiceGraphWorkload *workload,
                                                       SluiceGraph *graph,
                                                       const SluiceChoice *choice);
void sluice_graph_place_choice_free (SluiceGraphPlaceChoice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGraphPlaceChoice, sluice_graph_place_choice_free)

/* "1.71 ms": a time in the unit in which it has few digits. (transfer full) */
char *sluice_graph_workload_dup_time (double us);
/* Of a value of the workload: "name:0", "^name". (transfer full) */
char *
sluice_graph_workload_dup_value_name (const SluiceGraphWorkload *self, guint node, guint output);
