/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/device/transfer.h"
#include "engine/graph/cost.h"
#include "engine/graph/role.h"

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
  SLUICE_WORK_RECV,           /* of what its Send, which is its input, took on the other device */
  SLUICE_WORK_FUSED,          /* runs its members strip by strip; the origin is the last of them */
  SLUICE_WORK_FUSED_CONSUMER, /* runs the consumer, the origin, on what the producer makes */
  /* Of a partial run: a feed that comes while it runs, and what is fetched from it then. */
  SLUICE_WORK_FEED,
  SLUICE_WORK_FETCH,
  SLUICE_WORK_AFTER, /* has waited for its control inputs, whether these were dead or not */
} SluiceWorkKind;

/* Of a fused node at most; what is longer becomes several. */
#define SLUICE_FUSED_MEMBERS 32
#define SLUICE_FUSED_OUTPUTS 16
#define SLUICE_FUSED_INPUTS  (SLUICE_FUSED_MEMBERS * SLUICE_STRIP_OPERANDS)

/* The element-wise nodes that run as one. */
typedef struct
{
  SluiceWorkNode **members; /* in the order in which they run: their inputs are members before them
                               or inputs of the node */
  SluiceWorkNode **outputs; /* of the members, in their order */
  guint n_members, n_outputs;
} SluiceWorkRegion;

struct _SluiceWorkNode
{
  const SluiceNode *origin; /* of what only moves a value: the node that it is of */
  SluiceWorkKind kind;
  guint device; /* number in the session */
  guint n_inputs, n_controls;
  SluiceWorkEdge *inputs;
  SluiceWorkNode **controls; /* run before; without duplicates */
  /* What the kind has besides; AFTER has nothing. */
  union
  {
    gboolean is_sequential; /* OP, an Enter: the iterations of its loop follow one another */
    SluiceTensor **values;  /* CONST: one an output */
    struct                  /* SEND, RECV */
    {
      int port;       /* output of the origin; -1: a control edge */
      guint transfer; /* number in work->transfers: the same of both */
    };
    SluiceWorkRegion region; /* FUSED */
    struct
    {
      SluiceWorkNode *producer, *consumer; /* the consumer may be FUSED */
      guint input;                         /* of the consumer: the one that the producer gives */
    } fused_consumer;                      /* FUSED_CONSUMER */
    struct
    {
      int port;     /* output of the origin */
      guint number; /* of the signature */
    } end;          /* FEED, FETCH */
  };
  const SluiceKernel *kernel; /* of sluice_work_find_kernel() */
  gboolean has_kernel;        /* it has been looked for */
  gboolean is_kept;           /* stays a node of its own: kept.h */
  guint index;                /* position in work->nodes, kept by sluice_work_sweep() */
  guint mark;                 /* scratch of the pass that runs */
  guint frame;                /* where it runs, a number in work->frames (frames.h) */
  guint output_frame;         /* where its outputs lie: of Enter and Exit another one */
};

/* An output of a call that was written out, and what it is. */
typedef struct
{
  const SluiceNode *origin; /* the call */
  guint port;
  SluiceEdge edge; /* of no such call */
} SluiceWorkCall;

/* A loop's frame. Number 0 is the graph itself, outside all loops. */
typedef struct
{
  const char *name; /* lives as long as the work graph */
  guint parent;
  guint depth;
  guint parallel_iterations;
  guint n_enters;
} SluiceWorkFrame;

/* What holds of a work graph: each pass says what it needs and what it brings about. */
typedef enum
{
  SLUICE_FACT_PRUNED = 1 << 0,      /* holds the closure of a signature */
  SLUICE_FACT_PARTITIONED = 1 << 1, /* no edge leaves its device but from a Send to its Recv */
  SLUICE_FACT_SCHEDULED = 1 << 2,   /* has `schedule` */
  SLUICE_FACT_FRAMED = 1 << 3,      /* every node knows its frame; passes keep that so */
  SLUICE_FACT_FUSED = 1 << 4,       /* nodes may be FUSED */
} SluiceFacts;

typedef struct _SluiceAnalysis SluiceAnalysis; /* analysis.h */

typedef struct
{
  GPtrArray *nodes;             /* of SluiceWorkNode */
  guint facts;                  /* SluiceFacts */
  guint64 version;              /* grows with every change: sluice_work_touch() */
  SluiceDevice *const *devices; /* of the session, by number */
  int max_rank;                 /* of kernels */
  /* (nullable): the order in which one thread runs the nodes, a topological one. Nodes that were
   * swept since stay in it: sluice_work_has() */
  GPtrArray *schedule;
  SluiceAnalysis *analysis; /* (nullable): what analysis.c has found out */
  const SluiceEdge *feeds;
  guint n_feeds;
  SluiceWorkEdge *fetches;
  guint n_fetches;
  SluiceWorkNode **targets; /* run although nothing fetches them */
  guint n_targets;
  GArray *frames;       /* of SluiceWorkFrame, parents first; NULL: nobody has looked for them */
  gboolean feeds_inner; /* an edge that is no placeholder's is fed: its static shape says nothing */
  guint8 *needs; /* of a partial run: by fetch and in it by feed, is the value behind that feed? */
  GError *unfed; /* (nullable): what a run fails with, once it has had its effects */
  GArray *calls; /* of SluiceWorkCall: of those that the closure was reached through */
  GPtrArray *transfers; /* of SluiceTransfer: what is sent between devices, each under its own name
                         */
  struct _SluiceFitReport *fit; /* (nullable): fit.h: what was decided to fit it into a limit */
  GPtrArray *blocks;            /* memory of nodes and their arrays */
  char *free_bytes;
  gsize n_free;
} SluiceWork;

/* An empty one. devices: borrowed for its life */
SluiceWork *sluice_work_new (SluiceDevice *const *devices, int max_rank);
void sluice_work_free (SluiceWork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceWork, sluice_work_free)

/* Zeroed memory that lives as long as the work graph. */
gpointer sluice_work_alloc (SluiceWork *self, gsize bytes);
SluiceWorkNode *
sluice_work_add (SluiceWork *self, SluiceWorkKind kind, const SluiceNode *origin, guint device);
/* Adds a control input unless it is there. */
void sluice_work_add_control (SluiceWork *self, SluiceWorkNode *node, SluiceWorkNode *before);

/* To be called when edges or kinds of nodes were changed and before anybody asks analysis.h;
 * sluice_work_add(), …_add_control() and …_sweep() do so. */
static inline void
sluice_work_touch (SluiceWork *self)
{
  self->version++;
}

/* Drops the nodes that no fetch or target needs, keeps the order of the others and numbers them. */
void sluice_work_sweep (SluiceWork *self);

/* Is the node, of an order that was made before, still there? Nodes are freed with the graph. */
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

SluiceDType sluice_work_dtype (const SluiceWork *self, SluiceWorkEdge edge);

/* The kernel that the op of the node has on its device; looked for once. (nullable): it runs no op,
 * has none there, or the device computes nothing. */
const SluiceKernel *sluice_work_find_kernel (const SluiceWork *self, SluiceWorkNode *node);

/* Of a region, also one that is fused into its producer. (nullable) */
static inline const SluiceWorkRegion *
sluice_work_get_region (const SluiceWorkNode *node)
{
  if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    node = node->fused_consumer.consumer;
  return node->kind == SLUICE_WORK_FUSED ? &node->region : NULL;
}

/* Does argument number `input` of the node take the variable itself, not its value? */
gboolean sluice_node_takes_ref (const SluiceNode *node, guint input);

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

/* Of what was folded, moves a value or runs several nodes: none of them. */
static inline const SluiceRoleTraits *
sluice_work_get_traits (const SluiceWorkNode *node)
{
  return &sluice_role_traits[sluice_work_role (node)];
}

/* May an output of the node be the memory of an input? */
static inline gboolean
sluice_work_may_share (const SluiceWorkNode *node)
{
  return sluice_work_get_traits (node)->moves_value
         || (node->kind == SLUICE_WORK_OP && node->origin->op
             && node->origin->op->def->flags & SLUICE_OP_MAY_SHARE);
}

static inline gboolean
sluice_work_is_back_edge (const SluiceWorkNode *from)
{
  return from && sluice_work_role (from) == SLUICE_ROLE_NEXT_ITERATION;
}

/* What the node runs after within an iteration, data inputs first: number i of n_inputs +
 * n_controls. (nullable): a fed value, or what a NextIteration gives, which belongs to the next
 * iteration and orders nothing within one */
static inline SluiceWorkNode *
sluice_work_get_before (const SluiceWorkNode *node, guint i)
{
  SluiceWorkNode *before =
      i < node->n_inputs ? node->inputs[i].node : node->controls[i - node->n_inputs];
  return sluice_work_is_back_edge (before) ? NULL : before;
}
