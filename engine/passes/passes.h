/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/*
 * What happens to a graph between a signature and its plan, in this order: prune, fold, merge
 * common sub-expressions, drop what nobody reads, partition. Placement comes before, once for the
 * whole graph.
 */

/* Installs the constant folder for shape inference. Once, after sluice_registry_init(); a session
 * does it too. */
void sluice_passes_init (void);

/* Where one node of the graph stands. */
typedef struct
{
  int device;         /* number in the session; -1: nowhere, error says why */
  const char *reason; /* lives as long as the placements */
  gboolean
      is_moved; /* it asks for a device that is not here, or not for it and whom it is tied to */
  GError *error;
} SluicePlacement;

/* Where the nodes of a graph stand; grows with it. */
typedef struct
{
  GArray *nodes; /* of SluicePlacement, by id - 1 */
  GStringChunk *texts;
} SluicePlacements;

SluicePlacements *sluice_placements_new (void);
void sluice_placements_free (SluicePlacements *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePlacements, sluice_placements_free)

static inline const SluicePlacement *
sluice_placements_get (const SluicePlacements *self, const SluiceNode *node)
{
  return &g_array_index (self->nodes, SluicePlacement, node->id - 1);
}

/* One line on the nodes that are moved, and the devices that they asked for and got. (transfer
 * full) (nullable): NULL: there are none */
char *sluice_placements_dup_moved (const SluicePlacements *self,
                                   SluiceGraph *graph,
                                   SluiceDevice *const *devices);

/**
 * sluice_place:
 * @placements: nodes that stand somewhere keep their place; the others are added
 * @soft: a device that does not exist is replaced, and the reason recorded
 *
 * Places every node of the graph: users of one reference or resource and nodes that `_class` ties
 * stand together. A node that can stand nowhere gets an error that names the shortest chain of what
 * contradicts what (requests, kernels, nodes that stand already); a run fails with it when it
 * reaches the node. White paper 4.3.
 */
void sluice_place (SluiceGraph *graph,
                   SluiceDevice *const *devices,
                   guint n_devices,
                   gboolean soft,
                   SluicePlacements *placements);

typedef struct
{
  const SluiceEdge *feeds;
  guint n_feeds;
  const SluiceEdge *fetches;
  guint n_fetches;
  SluiceNode *const *targets;
  guint n_targets;
  /* Feeds come and fetches are taken while the run is under way: both become nodes, and the work
   * graph has neither feeds nor fetches besides. */
  gboolean in_parts;
  /* A placeholder that nothing feeds is no error yet: the work graph has it, and instead of fetches
   * and targets those nodes that may change something and do not wait for it. */
  gboolean may_lack_feeds;
} SluiceSignature;

/**
 * sluice_prune:
 *
 * The closure of fetches and targets, cut at the fed edges. Errors name what cannot run and why: a
 * node that kept an error from its import, a node that could not be placed, a placeholder that
 * nothing feeds (with the path from the fetch to it).
 *
 * Returns: (transfer full) (nullable)
 */
SluiceWork *
sluice_prune (const SluiceSignature *signature, const SluicePlacements *placements, GError **error);

/* Replaces nodes with known inputs by their values, where these are at most 10 MiB and, beyond 64
 * KiB, no more than the inputs. A kernel that fails leaves its node as it is. */
void sluice_fold (SluiceWork *work, int max_rank);

/* Nodes that compute the same become one. Never of what has state, a reference, a placeholder. */
void sluice_merge_common (SluiceWork *work);

/**
 * sluice_drop_unread:
 *
 * A node that only computes something, which nobody reads and one node waits for, is not run: who
 * waits for it waits for its inputs. Not so of what may be there to fail (SLUICE_OP_CHECKS). As the
 * dependency optimizer of TensorFlow's Grappler has it. Before partitioning.
 */
void sluice_drop_unread (SluiceWork *work);

/**
 * sluice_drop_gates:
 *
 * An Identity, which only makes its readers wait, is not run: they read its input and wait for what
 * it would have waited for. Before partitioning.
 */
void sluice_drop_gates (SluiceWork *work);

/**
 * sluice_pair:
 * @devices: of the session, by number
 *
 * A node whose kernel takes an input in parts, and the one that makes the input, where its kernel
 * gives it in parts and nobody else reads it, become one. No value changes. After
 * sluice_drop_gates(), before partitioning.
 */
void sluice_pair (SluiceWork *work, SluiceDevice *const *devices, int max_rank);

/* The same with a region of sluice_fuse() as what takes the value. */
void sluice_pair_regions (SluiceWork *work, SluiceDevice *const *devices, int max_rank);

/* Two accesses to one variable, at least one of which writes, that run in any order. */
typedef struct
{
  const SluiceNode *variable; /* that makes it */
  const SluiceNode *a, *b;    /* may be the same, between iterations */
  gboolean a_writes, b_writes;
  gboolean between_iterations; /* of a loop; in one iteration they are ordered */
} SluiceRace;

/**
 * sluice_find_races:
 *
 * Which reads and writes of one variable a step leaves without an order: their result may differ
 * from run to run on several threads. Before partitioning. White paper 6, "race conditions".
 *
 * Returns: (transfer full) (nullable) (element-type SluiceRace): %NULL where the graph cannot run
 */
GArray *sluice_find_races (SluiceWork *work, GError **error);
/* (transfer full): a sentence that names the variable and both nodes, and what to do. */
char *sluice_race_describe (const SluiceRace *self);

/**
 * sluice_order_effects:
 *
 * Orders what sluice_find_races() finds, and several producers or several consumers of one queue,
 * as the nodes were created, by control edges; where only a loop as a whole can be ordered, its
 * Enter and Exit nodes are. Iterations of loops with such accesses run one after the other. Before
 * partitioning.
 *
 * Returns: %FALSE where the graph cannot run
 */
gboolean sluice_order_effects (SluiceWork *work, GError **error);

/* Puts a Send and a Recv where an edge leaves its device: one transfer for a (tensor, device). */
void sluice_partition (SluiceWork *work);

/**
 * sluice_find_frames:
 * @order: all nodes, as sluice_work_sort() has them
 *
 * Finds the loops and says of every node in which of them it runs: work->frames, node->frame. After
 * partitioning.
 *
 * Returns: %FALSE with INVALID_ARGUMENT naming the node where an Exit or a NextIteration stands in
 * no loop, inputs come from different frames, a loop over several devices has no LoopCond, a fetch
 * lies inside a loop
 */
gboolean sluice_find_frames (SluiceWork *work, const GPtrArray *order, GError **error);

/**
 * sluice_loosen_constants:
 *
 * After sluice_find_frames(): a constant that waits for control inputs hands these to its readers
 * and is there from the start; readers of a constant that a loop only passes in take it directly.
 * Saves a node a constant and iteration, and changes no value: a reader is dead where the constant
 * would have been. Control inputs that an input implies go; nodes that nobody needs any more are
 * dropped.
 */
void sluice_loosen_constants (SluiceWork *work, const GPtrArray *order);

/**
 * sluice_recompute:
 * @order: (inout): all nodes, as sluice_schedule() has them; stays such an order
 * @devices: of the session, by number
 *
 * After sluice_loosen_constants(), before sluice_fuse(): cheap values that lie in memory where the
 * order needs the most of it, only to be read later, are computed again for those readers. No value
 * changes. Nothing in loops; what reads a variable that may be written meanwhile stays. White paper
 * 5.1.
 */
void
sluice_recompute (SluiceWork *work, GPtrArray *order, SluiceDevice *const *devices, int max_rank);

/**
 * sluice_find_conditions:
 * @order: all nodes, as sluice_work_sort() has them
 * @flags: SluiceKernelFlags of the nodes' kernels, by work index
 *
 * After sluice_find_frames(): numbers what has to happen for a node to run. Nodes of one frame with
 * the same number run both or neither in an iteration, and wait for the same branches, queues and
 * other kernels that take their time. 0: runs always, and waits for nothing but kernels that
 * compute.
 *
 * Returns: (transfer full): by work index
 */
guint32 *
sluice_find_conditions (const SluiceWork *work, const GPtrArray *order, const guint *flags);

/**
 * sluice_fuse:
 * @order: (inout): all nodes, as sluice_schedule() has them; stays such an order, in which a fused
 *   node stands where the last of its nodes does
 * @devices: of the session, by number
 *
 * After sluice_loosen_constants(): element-wise nodes of one shape become one node each, which
 * hands a strip of elements from one to the next while it is in the first cache, and gives what
 * others read of them. No value changes, and what is dead would have been so without.
 */
void sluice_fuse (SluiceWork *work, GPtrArray *order, SluiceDevice *const *devices, int max_rank);
