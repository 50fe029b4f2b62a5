/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * The work graph: what the passes of one signature turn into the next pass's input, and the plan
 * compiler reads at the end. A cheap copy of the closure; every node remembers its origin in the
 * session's graph, so that errors, traces and the workbench speak in the user's names.
 */
typedef struct _SluiceWorkNode SluiceWorkNode;

/* Output `port` of `node`. node NULL: fed value number `port`. */
typedef struct
{
  SluiceWorkNode *node;
  int port;
} SluiceWorkEdge;

typedef enum
{
  SLUICE_WORK_OP,    /* runs the origin's kernel */
  SLUICE_WORK_CONST, /* holds its values: a Const, or a node that was folded */
  SLUICE_WORK_SEND,
  SLUICE_WORK_RECV,  /* of what its Send, which is its input, took on the other device */
  SLUICE_WORK_FUSED, /* runs its members strip by strip; the origin is the last of them */
  SLUICE_WORK_PAIR,  /* runs the second of its members, the origin, on what the first one gives */
  /* Of a run in parts: a feed that comes while it runs, and what is fetched from it then. */
  SLUICE_WORK_FEED,
  SLUICE_WORK_FETCH,
  SLUICE_WORK_AFTER, /* has waited for its control inputs, whether these were dead or not */
} SluiceWorkKind;

/* Of a fused node at most; what is longer becomes several. */
#define SLUICE_FUSED_MEMBERS 32
#define SLUICE_FUSED_OUTPUTS 16
#define SLUICE_FUSED_INPUTS  (SLUICE_FUSED_MEMBERS * SLUICE_STRIP_OPERANDS)

struct _SluiceWorkNode
{
  const SluiceNode *origin; /* of what only moves a value: the node that it is of */
  SluiceWorkKind kind;
  guint device; /* number in the session */
  guint n_inputs, n_controls;
  SluiceWorkEdge *inputs;
  SluiceWorkNode **controls; /* run before; without duplicates */
  SluiceTensor **values;     /* of CONST: one an output */
  int port; /* of what only moves a value: output of the origin; -1: a control edge */
  SluiceWorkNode **members; /* of FUSED: n_members in the order in which they run. Their inputs are
                               members before them or inputs of the node */
  guint n_members;
  SluiceWorkNode **outputs; /* of FUSED, in a PAIR too: n_outputs of the members, in their order */
  guint n_outputs;
  guint number;           /* of FEED and FETCH: which of the signature; of PAIR: the input of the
                             second member that the first one gives */
  guint index;            /* position in work->nodes, kept by sluice_work_sweep() */
  guint mark;             /* scratch of the pass that runs */
  guint frame;            /* where it runs, a number in work->frames: sluice_find_frames() */
  guint output_frame;     /* where its outputs lie: of Enter and Exit another one */
  gboolean is_sequential; /* of an Enter: the iterations of its loop follow one another */
};

/* A loop's frame. Number 0 is the graph itself, outside all loops. */
typedef struct
{
  const char *name; /* lives as long as the work graph */
  guint parent;
  guint depth;
  guint parallel_iterations;
  guint n_enters;
} SluiceWorkFrame;

typedef struct
{
  GPtrArray *nodes; /* of SluiceWorkNode */
  const SluiceEdge *feeds;
  guint n_feeds;
  SluiceWorkEdge *fetches;
  guint n_fetches;
  SluiceWorkNode **targets; /* run although nothing fetches them */
  guint n_targets;
  GArray *frames;       /* of SluiceWorkFrame, parents first; NULL before sluice_find_frames() */
  gboolean feeds_inner; /* an edge that is no placeholder's is fed: its static shape says nothing */
  guint8 *needs;        /* in parts: by fetch and in it by feed, is the value behind that feed? */
  GError *unfed;        /* (nullable): what a run fails with, once it has had its effects */
  GPtrArray *blocks;    /* memory of nodes and their arrays */
  char *free_bytes;
  gsize n_free;
} SluiceWork;

void sluice_work_free (SluiceWork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceWork, sluice_work_free)

/* Zeroed memory that lives as long as the work graph. */
gpointer sluice_work_alloc (SluiceWork *self, gsize bytes);
SluiceWorkNode *
sluice_work_add (SluiceWork *self, SluiceWorkKind kind, const SluiceNode *origin, guint device);
/* Adds a control input unless it is there. */
void sluice_work_add_control (SluiceWork *self, SluiceWorkNode *node, SluiceWorkNode *before);

/* Drops the nodes that no fetch or target needs, keeps the order of the others and numbers them. */
void sluice_work_sweep (SluiceWork *self);

/* The nodes in an order in which every node follows what it needs within an iteration. (transfer
 * container); NULL where there is a cycle that no NextIteration closes, *stuck is then a node of
 * it. */
GPtrArray *sluice_work_sort (SluiceWork *self, SluiceWorkNode **stuck);

/* Is the node, of an order that was made before, still there? */
static inline gboolean
sluice_work_has (const SluiceWork *self, const SluiceWorkNode *node)
{
  return node->index < self->nodes->len && self->nodes->pdata[node->index] == node;
}

/* Could values of the two be of one shape, of known rank, as far as is known? */
static inline gboolean
sluice_shapes_could_equal (const SluiceShape *a, const SluiceShape *b)
{
  return a->rank >= 0 && a->rank == b->rank && sluice_shape_compatible (a, b);
}

/* FALSE with what sluice_work_sort() stuck at. */
gboolean sluice_work_fail_cycle (const SluiceWorkNode *stuck, GError **error);

SluiceDType sluice_work_dtype (const SluiceWork *self, SluiceWorkEdge edge);

/* Of the kernel that the op of the node has on its device. (nullable): it runs no op, or the device
 * computes nothing. devices: of the session, by number */
const SluiceKernel *
sluice_work_find_kernel (const SluiceWorkNode *node, SluiceDevice *const *devices, int max_rank);

/* As far as the static shape tells, every dimension that it does not know being unknown_dim; 0 of a
 * reference. */
double sluice_output_bytes (const SluiceOutput *output, double unknown_dim);

/* Does argument number `input` of the node take the variable itself, not its value? */
gboolean sluice_node_takes_ref (const SluiceNode *node, guint input);

/* Are its outputs its first inputs, without a look at the elements? */
gboolean sluice_node_hands_on (const SluiceNode *node);

/* Is it enough to know the node's inputs to know its outputs, and all that it is there for? Never
 * of what has state, a reference, a placeholder, control flow. */
gboolean sluice_node_only_computes (const SluiceNode *node);
/* Do its inputs come as values? A reader of a variable sees what it holds at that time. */
gboolean sluice_work_takes_values (const SluiceWork *self, const SluiceWorkNode *node);

/* Is it the same to wait for the node, whose outputs nobody reads, and to wait for its inputs? */
gboolean sluice_work_may_go (const SluiceWork *self, const SluiceWorkNode *node);
/* goes: by index; whoever waits for a node that goes waits for what that one would wait for. */
void sluice_work_wait_for_inputs (SluiceWork *self, const guint8 *goes);

static inline SluiceRole
sluice_work_role (const SluiceWorkNode *node)
{
  return node->kind == SLUICE_WORK_OP ? sluice_node_get_role (node->origin) : SLUICE_ROLE_NONE;
}

/* What a NextIteration gives belongs to the next iteration: it orders nothing within one. */
static inline gboolean
sluice_work_is_back_edge (const SluiceWorkNode *from)
{
  return from && sluice_work_role (from) == SLUICE_ROLE_NEXT_ITERATION;
}
