/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/passes.h"

/*
 * A compiled signature: flat arrays, no names, no hashing. Immutable but for the measured costs.
 * Nodes are numbered by frame and in it by rank, their position in a memory-aware topological order
 * over all devices of the process, so a ready set that gives the smallest number first keeps the
 * peak low and the one-thread order fixed. Values that are there from the start (feeds, constants
 * that wait for nothing) are no nodes: they lie in the input slots when the step begins.
 *
 * Nodes and slots of one frame lie side by side, and edges name both by their position in the frame
 * where the edge ends: an activation holds the state of one iteration in arrays of that length.
 */

typedef enum
{
  SLUICE_PLAN_NO_OP = 1 << 0,
  SLUICE_PLAN_CONST = 1 << 1, /* its values are constants[first_constant …] */
  SLUICE_PLAN_SEND = 1 << 2,
  SLUICE_PLAN_RECV = 1 << 3,
  SLUICE_PLAN_MERGE = 1 << 4,
  SLUICE_PLAN_NEVER_DEAD = 1 << 5, /* ControlTrigger */
  SLUICE_PLAN_ASYNC = 1 << 6,
  SLUICE_PLAN_MAY_LEAVE_DEAD = 1 << 7,
  SLUICE_PLAN_CHEAP = 1 << 8,
  SLUICE_PLAN_VIRTUAL = 1 << 9,        /* on a device that computes nothing */
  SLUICE_PLAN_UNFED = 1 << 10,         /* a placeholder: fails if it is reached alive */
  SLUICE_PLAN_ODD_INPUTS = 1 << 11,    /* some input slot has flags */
  SLUICE_PLAN_REF_OUTPUTS = 1 << 12,   /* some output is a reference */
  SLUICE_PLAN_SPARE_OUTPUTS = 1 << 13, /* some output has no reader */
  SLUICE_PLAN_UNINITIALIZED = 1 << 14, /* takes references to uninitialised variables */
  SLUICE_PLAN_RUNS_DEAD = 1 << 15,
  SLUICE_PLAN_ENTER = 1 << 16,
  SLUICE_PLAN_EXIT = 1 << 17,
  SLUICE_PLAN_NEXT = 1 << 18,           /* NextIteration */
  SLUICE_PLAN_FRAME_CONSTANT = 1 << 19, /* an Enter that every iteration sees */
  SLUICE_PLAN_ENTERED = 1 << 20,        /* what it gives comes from an Enter, maybe over devices */
  SLUICE_PLAN_TRUNCATE = 1 << 21,       /* a Send of floats, of which the upper half arrives */
  SLUICE_PLAN_TOGETHER = 1 << 22,       /* runs several nodes */
  SLUICE_PLAN_QUEUED = 1 << 23,         /* a device does it in a queue of its own */
  SLUICE_PLAN_AHEAD_INPUTS = 1 << 24,   /* of QUEUED: some edge into it runs ahead */
  SLUICE_PLAN_AHEAD_ONLY = 1 << 25,     /* and each edge out of it does */
} SluicePlanFlags;

/* One cache line. */
typedef struct
{
  const SluiceKernel *kernel; /* NULL: NO_OP, CONST, SEND, RECV, UNFED, VIRTUAL */
  gpointer state;             /* of kernel->prepare */
  const SluiceNode *origin;
  guint32 first_input;                       /* slot */
  guint32 first_edge, n_edges, n_data_edges; /* data edges first */
  guint32 first_constant; /* of CONST; of ENTER: the frame; of EXIT: its number in the frame; of
                             SEND, RECV: the transfer */
  guint32 first_output;   /* of ops: position in output_dtypes */
  guint32 flags;
  guint16 n_inputs, n_outputs;
  guint16 device;
  guint8 memory_class;
  guint8 trace_kind; /* SluiceTraceKind, SLUICE_TRACE_TOGETHER */
  guint32 origin_id;
} SluicePlanNode;
G_STATIC_ASSERT (sizeof (SluicePlanNode) <= 64);

#define SLUICE_PLAN_NOWHERE G_MAXUINT32

typedef struct
{
  guint32 node; /* destination, in its frame; NOWHERE: a fetch */
  guint32 slot; /* in the frame; NOWHERE: a control edge */
  guint16 port;
  guint8 last;  /* the last edge of its port to be written: it moves the value */
  guint8 ahead; /* both ends stand in one queue: counted down when the source is enqueued, its value
                   written by the queue. First of its port's edges. */
} SluicePlanEdge;

/* Of an input slot. */
typedef enum
{
  SLUICE_SLOT_KEPT = 1 << 0, /* a constant that stays from step to step, or for all iterations */
  SLUICE_SLOT_REF = 1 << 1,  /* holds a variable and is taken as one */
  SLUICE_SLOT_READ = 1 << 2, /* holds a variable and is read when the node runs */
  SLUICE_SLOT_CONSTANT = 1 << 3, /* KEPT, and the same in every step */
} SluiceSlotFlags;

typedef struct
{
  guint32 slot;         /* in its frame */
  SluiceTensor *tensor; /* one of constants */
} SluicePlanKept;

/* A loop; frame 0 is what lies outside all loops. */
typedef struct
{
  char *name;
  guint32 parent;     /* frame */
  guint32 child;      /* number among the frames in its parent */
  guint32 n_children; /* frames in it */
  guint32 first_node, n_nodes;
  guint32 first_slot, n_slots;
  guint32 first_root, n_roots; /* in roots: what waits for nothing in an iteration */
  guint32 first_kept, n_kept;
  guint32 first_exit, n_exits; /* in exits */
  guint32 n_enters;
  guint32 parallel_iterations;
  guint32 label; /* number of the name in the session, for the trace */
} SluicePlanFrame;

typedef struct
{
  SluiceEdge edge; /* as asked for: name, dtype, shape for messages */
  int feed;        /* the fed value, or -1 */
  guint32 slot;    /* NOWHERE where it is fed or constant */
  SluiceTensor *constant;
  gboolean is_ref;
} SluicePlanFetch;

/* What is fed to a partial run and fetched from it while it is under way. */
typedef struct
{
  SluiceEdge *feeds, *fetches;
  guint32 n_feeds, n_fetches;
  guint8 *needs; /* by fetch and in it by feed: is the value behind that feed? */
} SluicePlanPartialRun;

/* A node of the graph that runs within another's kernel. */
typedef struct
{
  const SluiceNode *origin;
  guint32 node;   /* of the plan, that runs it */
  guint32 output; /* of that node, which is this one's only output; NOWHERE: it is never whole */
} SluicePlanMember;

typedef struct
{
  guint64 serial; /* of no other plan of the process */
  guint32 n_nodes, n_edges, n_slots, n_roots, n_kept;
  guint32 n_inputs; /* slots outside all loops that are inputs; those of the fetches follow */
  guint32 n_frames;
  guint max_outputs;
  gboolean has_dead; /* some kernel may leave an output dead */
  gboolean has_refs;
  gboolean has_meetings; /* _Send or _Recv of the graph: they meet by their keys */
  SluicePlanNode *nodes;
  SluicePlanEdge *edges;
  guint32 *pending;      /* initial counts */
  guint8 *output_dtypes; /* of all ops, in order: a step reads no graph node */
  SluicePlanFrame *frames;
  guint32 *roots;                      /* nodes in their frames, by frame */
  guint32 *exits;                      /* nodes in their frames, by frame */
  guint8 *slot_flags;                  /* of n_slots */
  SluicePlanKept *kept;                /* what lies in the slots of every step, by frame */
  SluiceTensor **constants;            /* each held twice, so that nobody takes it for its own */
  const SluiceNode **constant_origins; /* of n_constants; a node's outputs follow one another */
  guint32 n_constants;
  SluicePlanMember *members;
  guint32 n_members;
  /* Those that it was compiled for and that have queues: they keep its constants (sent.h) until it
   * goes. Of other hosts that run it they go with the devices. */
  SluiceDevice **far_devices;
  guint32 n_far_devices;
  GPtrArray *transfers;     /* of SluiceTransfer: between the plan's devices */
  guint32 *transfer_labels; /* numbers of their names in the session, for the trace */
  GArray *calls; /* of SluiceWorkCall: what stands for outputs of nodes that are not there */
  _Atomic guint32 *ticks; /* measured cost of a node, moving average; racy and harmless */

  SluiceEdge *feeds; /* as asked for */
  guint32 n_feeds;
  guint32 *feed_first; /* n_feeds + 1 positions in feed_slots */
  SluicePlanEdge *feed_edges;
  SluicePlanFetch *fetches;
  guint32 n_fetches;
  SluicePlanPartialRun partial_run; /* of a partial run, which has no feeds and fetches besides */
  GError *unfed;                    /* (nullable): what every step fails with at its end */
} SluicePlan;

/**
 * sluice_plan_new:
 * @work: as sluice_passes_run() gives it
 * @truncate_transfers: floats lose their lower half on the way to another device
 *
 * Returns: (transfer full) (nullable): %NULL with UNIMPLEMENTED, NOT_FOUND or INVALID_ARGUMENT
 * naming the node
 */
SluicePlan *sluice_plan_new (SluiceWork *work, gboolean truncate_transfers, GError **error);
void sluice_plan_free (SluicePlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePlan, sluice_plan_free)
