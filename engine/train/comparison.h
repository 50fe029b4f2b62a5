/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/train/divergence.h"

/*
 * What a graph computes, node by node, beside what it should: tensors of a file, or the same graph
 * run in another way. White paper 6, lessons 4 ("make a single machine implementation match before
 * debugging a distributed implementation") and 6 ("analyze pieces of a network side by side to
 * identify the magnitude of numerical error").
 */

/* A way to run the graph. */
typedef struct
{
  guint n_cpus;    /* virtual devices; over several the nodes are spread by lot */
  guint n_threads; /* 0: one a core */
  gboolean plain;  /* kernels of rank 0; nothing is folded, merged or fused */
} SluiceWay;

typedef struct
{
  const SluiceFeed *feeds;
  guint n_feeds;
  const char *const *targets; /* (nullable): nodes to run before, one after the other */
  const char *const *fetches; /* (nullable): nodes and edges. What they need is compared; NULL: what
                                 the reference names, else all nodes that need no placeholder
                                 without a feed, write no variable, and touch no queue or file */
  const char *reference;      /* (nullable): as reference.h has them; NULL: a second run */
  SluiceWay way, other;       /* other: of the second run */
  guint64 seed; /* of random nodes without a seed of their own, and of the lot; not 0 */
  SluiceTolerance tolerance;
  SluiceFileAccess *files; /* (nullable): as of SluiceSessionOptions */
} SluiceComparisonOptions;

typedef struct
{
  SluiceGraph *graph;
  GArray *edges; /* of SluiceCompared, in topological order */
  GPtrArray
      *left_out; /* of char: what the reference names and nothing was compared with, and why */
  guint n_divergent;
  SluiceDivergence *first; /* (nullable): nothing diverges */
} SluiceComparison;

/**
 * sluice_compare:
 * @graph: calls of functions in it are written out, and its nodes are given devices where they are
 * spread
 *
 * Runs the graph, fetching what is compared in one step, and compares: a second run with the first,
 * or the run with the reference. Values in loops cannot be fetched and are not compared. Sets the
 * number of the pool's threads.
 *
 * Returns: (transfer full) (nullable): %NULL where nothing could be compared: NOT_FOUND, or the
 * error of a run or of the file
 */
SluiceComparison *
sluice_compare (SluiceGraph *graph, const SluiceComparisonOptions *options, GError **error);
/**
 * sluice_comparison_list_parts:
 * @graph: as sluice_compare() has it
 * @names: of a step; tensors of feeds are not looked at
 * @edges: (element-type utf8): takes "node:port" of all that the step computes without writing a
 * variable, and of no variable itself, in topological order
 * @writers: (element-type utf8): takes the nodes that write one, in such an order
 */
gboolean sluice_comparison_list_parts (SluiceGraph *graph,
                                       const SluiceStepNames *names,
                                       GPtrArray *edges,
                                       GPtrArray *writers,
                                       GError **error);
/* The node of the variable that such a writer writes: its first input, or what that stands for.
 * (nullable) */
const SluiceNode *sluice_comparison_find_written (const SluiceNode *writer);
void sluice_comparison_free (SluiceComparison *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceComparison, sluice_comparison_free)
