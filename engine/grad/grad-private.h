/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"
#include "engine/grad/control-flow.h"
#include "engine/grad/grad.h"

/*
 * What grad.c and grad-*.c share: the walk of TensorFlow's gradients(). A node's gradient
 * function runs once all nodes behind it that lie on a path from an x to a y have given their
 * share. Nodes are taken in the order in which they become ready, so the same graph always gives
 * the same gradient graph. A loop is one step of the walk outside it: when all its Exits are ready,
 * a loop that runs backwards is built, with a walk of its own through the body.
 */

/* The partial gradients that reached one output. */
typedef struct
{
  SluiceGrad *parts;
  guint n;
} PartialSum;

typedef struct
{
  gboolean between;     /* on a path from an x to a y */
  guint pending;        /* uses by nodes between that have not given their share */
  PartialSum *partials; /* n_outputs of them, or NULL */
} NodeState;

typedef struct _SluiceBackward SluiceBackward;

/* What one loop pushes on a stack and another pops: the values that a loop computes and its
 * gradient asks for. Gradients go the same way back, on a stack of their own. */
typedef struct
{
  SluiceNode *push, *pop;
  SluiceLoop *from, *to; /* around the two, where the stack is made */
  SluiceEdge stack;      /* of gradients; no edge: there are none */
  SluiceNode *done;      /* (nullable): runs when all of them lie there */
} SluiceKept;

typedef struct
{
  SluiceGraph *graph;
  const char *scope;
  char *source;      /* of SluiceGradContext */
  NodeState *states; /* by node id */
  guint n_states;
  GQueue ready;
  SluiceControlFlow
      *flow;         /* (nullable): NULL where the graph has no loops or branches, and no pivot */
  SluiceNode *pivot; /* (nullable): of sluice_gradients_inside() */
  const SluiceLoop *inside; /* (nullable): the loop in whose body the pivot is */
  GHashTable *kept;         /* (nullable): push or pop → SluiceKept */
  GPtrArray *all_kept;      /* of SluiceKept, in order of their pops */
  SluiceBackward *backward; /* (nullable): the loop whose body the walk is in */
} Walk;

static inline NodeState *
state_of (Walk *w, const SluiceNode *node)
{
  return &w->states[node->id];
}

/* Nodes that the walk itself adds lie between nothing. */
static inline gboolean
is_between (Walk *w, const SluiceNode *node)
{
  return node && node->id < w->n_states && w->states[node->id].between;
}

/* ---- grad.c ---- */

SluiceEdge sluice_grad_role_op (SluiceBuilder *b,
                                SluiceRole role,
                                const SluiceEdge *inputs,
                                guint n,
                                const SluiceAttr *attrs,
                                guint n_attrs);
#define ROLE_OP(b, role, ...)                                                                      \
  sluice_grad_role_op ((b), (role), (SluiceEdge[]){ __VA_ARGS__ },                                 \
                       SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__), NULL, 0)

gboolean sluice_carries_gradient (SluiceEdge edge);
void sluice_walk_add_partial (Walk *w, SluiceEdge edge, const SluiceGrad *grad);
void sluice_walk_forget (Walk *w, const SluiceNode *node); /* what reached its outputs */
/* The user of an edge has given what it had to give; dx NULL: nothing. */
void sluice_walk_give (Walk *w, SluiceEdge edge, const SluiceGrad *dx);
/* What reached an output, added up; dense. SLUICE_NO_EDGE: nothing. */
SluiceEdge sluice_walk_sum (Walk *w, SluiceBuilder *b, SluiceEdge edge);
/* Visits all that is ready, and becomes so. */
gboolean sluice_walk_drain (Walk *w, GError **error);
/* A builder for what belongs to the node's gradient. *control: what these nodes must follow, so
 * that they run in the loop and branch where the node does; it lives as long as the builder. */
void sluice_walk_init_builder (
    Walk *w, SluiceBuilder *b, const SluiceNode *node, const char *scope, SluiceNode **control);

/* ---- grad-inside.c ---- */

/* Is this the head of a loop that the gradient stands in? No gradient goes on behind it. */
gboolean sluice_walk_ends_at (Walk *w, const SluiceNode *node);
/* Does the node only take values into an iteration? Then so does the gradient, the other way. */
gboolean
sluice_walk_passes (Walk *w, const SluiceNode *node, const SluiceGrad *dys, SluiceGrad *dxs);
gboolean sluice_walk_check_exit (Walk *w, const SluiceNode *exit, GError **error);
/* A forward value where the gradient stands. */
SluiceEdge sluice_walk_bring_in (Walk *w, SluiceBuilder *b, SluiceEdge edge);
/* Are all edges where the gradient stands (or_around: or outside of that)? */
gboolean sluice_walk_check_place (Walk *w,
                                  const char *what,
                                  const SluiceEdge *edges,
                                  guint n,
                                  gboolean or_around,
                                  GError **error);
/* New nodes that would run outside, having no inputs, follow the pivot. */
void sluice_walk_hold_inside (Walk *w, guint n_before);

/* Does the gradient stand on this side of the branch, too? The node is in it. */
gboolean sluice_walk_is_within (Walk *w, const SluiceNode *node, const SluiceBranch *branch);

/* ---- grad-complete.c ---- */

/* The gradient that the node, which may stand in a branch, gives to a value from outside of that:
 * zeros where the branch was not taken. */
gboolean sluice_walk_complete (
    Walk *w, const SluiceNode *node, SluiceEdge of, SluiceGrad *dx, GError **error);

/* ---- grad-kept.c ---- */

/* Of a pop on the way to a y: the node that pushes, where one does. (nullable) */
SluiceNode *sluice_walk_find_push (const SluiceNode *pop);
/* Of a push or a pop that lies between. (nullable) */
SluiceKept *sluice_walk_get_kept (Walk *w, const SluiceNode *node);
/* Finds all of them, after what lies between is marked, and lets the loops that push wait for those
 * that pop. FALSE with UNIMPLEMENTED: values go through a stack in another way */
gboolean sluice_walk_find_kept (Walk *w, GError **error);
gboolean sluice_walk_visit_kept (Walk *w, SluiceNode *node, GError **error);
/* All loops that the loop's values went to have their gradients: its pushes may be visited. */
gboolean sluice_walk_give_kept (Walk *w, const SluiceLoop *loop, GError **error);
/* The gradient of a loop is built, and `done` runs behind it: those that pushed what it popped are
 * next. */
gboolean sluice_walk_end_kept (Walk *w, const SluiceLoop *loop, SluiceNode *done, GError **error);
/* Does the loop pop what another pushed? */
gboolean sluice_walk_takes_kept (Walk *w, const SluiceLoop *loop);
/* Does it push what another pops? */
gboolean sluice_walk_gives_kept (Walk *w, const SluiceLoop *loop);
/* The gradient of the loop begins behind those that its pops need. */
void sluice_walk_wait_kept (Walk *w, const SluiceLoop *loop, SluiceBuilder *b, SluiceNode *first);

/* ---- grad-backward.c ---- */

/* In the loop that runs backwards, in every iteration in which the value is there. *stack: made
 * outside of all loops where it is no edge yet. */
void
sluice_backward_push (SluiceBackward *self, SluiceBuilder *b, SluiceEdge value, SluiceEdge *stack);
SluiceEdge sluice_backward_pop (SluiceBackward *self,
                                SluiceBuilder *b,
                                SluiceEdge stack,
                                SluiceDType dtype,
                                const SluiceNode *where);

SluiceEdge sluice_grad_enter (SluiceBuilder *b,
                              const SluiceLoop *loop,
                              const char *frame,
                              SluiceEdge value,
                              gboolean is_constant);

/* All Exits of the loop that lie between have what reached them. */
gboolean sluice_walk_loop (Walk *w, SluiceLoop *loop, GError **error);

/* A forward value, as the body of the loop that runs backwards has it. */
SluiceEdge sluice_backward_value (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge);
SluiceEdge sluice_backward_shape (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge);
SluiceEdge sluice_backward_zeros (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge);
/* What runs backwards exactly where the branch was taken forwards. */
SluiceNode *
sluice_backward_pivot (SluiceBackward *self, SluiceBuilder *b, const SluiceBranch *branch);
gboolean sluice_backward_owns_switch (const SluiceBackward *self, const SluiceNode *node);
