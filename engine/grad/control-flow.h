/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/builder.h"

/*
 * Loops and branches of a graph, found again from its Enter, Exit, Switch and Merge nodes: a plain
 * GraphDef says no more. For the gradient of loops; nothing of it is there in a graph without.
 */

/* One side of a Switch, inside another. The body of a loop is the true side of its LoopCond. */
typedef struct _SluiceBranch SluiceBranch;
struct _SluiceBranch
{
  const SluiceBranch *parent; /* NULL: the frame itself */
  SluiceEdge pred;
  int side;
  guint depth;
};

typedef struct
{
  char *name;
  guint frame; /* number; 0 is outside all loops */
  guint parent;
  gint64 parallel_iterations;
  gboolean swap_memory;               /* what its gradient keeps may leave the memory */
  GPtrArray *enters, *exits, *merges; /* merges: only those that a NextIteration closes */
  SluiceNode *cond;                   /* (nullable): the LoopCond */
  guint n_exits_left;                 /* scratch of the walk */
} SluiceLoop;

typedef struct _SluiceControlFlow SluiceControlFlow;

/* (nullable): NULL where the graph has neither loops nor branches, unless it is wanted always.
 * Borrows the graph; swapping: (nullable): names of frames that may swap, besides those whose
 * Enters say so. */
SluiceControlFlow *
sluice_control_flow_new (SluiceGraph *graph, GHashTable *swapping, gboolean always);
void sluice_control_flow_free (SluiceControlFlow *self); /* (nullable) */

/**
 * sluice_graph_check_flow:
 * @report: called for each node with what is wrong with it
 *
 * Writes out all calls of functions, which leaves what is wrong with one as its error, and finds
 * the nodes whose inputs lie in different loops, whatever is run: a run that reaches one is
 * refused.
 */
void
sluice_graph_check_flow (SluiceGraph *graph,
                         void (*report) (const SluiceNode *node, const char *what, gpointer data),
                         gpointer data);

/* Where a node runs, and where its outputs lie; a node made later lies where its inputs do. */
guint sluice_control_flow_frame_of (SluiceControlFlow *self, const SluiceNode *node);
guint sluice_control_flow_output_frame_of (SluiceControlFlow *self, const SluiceNode *node);
/* (nullable): NULL for frame 0 */
SluiceLoop *sluice_control_flow_get_loop (SluiceControlFlow *self, guint frame);

/* Loops of one name beside each other would be one loop. (transfer full) */
char *sluice_control_flow_unique_frame (SluiceControlFlow *self, const char *wanted);

/* Under which conditions the node runs, the value is there: within its frame. */
const SluiceBranch *sluice_control_flow_branch_of (SluiceControlFlow *self, const SluiceNode *node);
const SluiceBranch *sluice_control_flow_branch_of_edge (SluiceControlFlow *self, SluiceEdge edge);

/* Is this Merge the head of a loop? Its NextIteration, then. (nullable) */
SluiceNode *sluice_loop_merge_next (const SluiceNode *merge);
/* Does the Switch turn out of the loop, by the loop's LoopCond? */
gboolean sluice_loop_owns_switch (const SluiceLoop *loop, const SluiceNode *node);
/* The edge without the Identity nodes in front of it. */
SluiceEdge sluice_edge_strip (SluiceEdge edge);
