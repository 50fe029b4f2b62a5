/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What a loop that runs backwards leaves. The gradient of a loop variable w that changes its shape
 * changes with it, from that of the last w to that of the first. Taken by itself the loop only says
 * that the shapes differ; TensorFlow's gradients() knows more, as it gives each gradient the static
 * shape of what it is the gradient of. Here it is proved:
 *
 * - v, the variable of the loop B, begins with the shape that w has when the loop F ends;
 * - an iteration of B gives v the shape of a w that F pushed, once an iteration, at its beginning,
 *   and that B pops, once an iteration;
 * - B makes as many iterations as F: F counts up from 0 and B down to 0 from there.
 *
 * Pops reverse pushes, so the last iteration of B pops the w that F began with; where there is no
 * iteration, v is what it began with, of the shape of the w that F began with.
 */
#include <string.h>

#include "kernels/flow/flow.h"

/* A variable of a loop: Enter, Merge, Switch, NextIteration, and the loop's LoopCond. */
typedef struct
{
  const SluiceNode *merge, *cond;
  SluiceEdge start, next; /* what comes in from outside, and from an iteration */
} Variable;

static gboolean
is_op (SluiceEdge edge, const char *op)
{
  return edge.node && strcmp (edge.node->op_name, op) == 0;
}

static SluiceEdge
strip (SluiceEdge edge)
{
  while (edge.node && sluice_node_get_role (edge.node) == SLUICE_ROLE_IDENTITY)
    edge = edge.node->inputs[0];
  return edge;
}

/* The variable whose Switch this is. */
static gboolean
find_variable (SluiceEdge turn, Variable *v)
{
  if (!turn.node || sluice_node_get_role (turn.node) != SLUICE_ROLE_SWITCH)
    return FALSE;
  *v = (Variable){ turn.node->inputs[0].node, strip (turn.node->inputs[1]).node };
  if (!v->merge || sluice_node_get_role (v->merge) != SLUICE_ROLE_MERGE || v->merge->n_inputs != 2
      || turn.node->inputs[0].port != 0 || !v->cond
      || sluice_node_get_role (v->cond) != SLUICE_ROLE_LOOP_COND)
    return FALSE;
  const SluiceNode *enter = v->merge->inputs[0].node, *next = v->merge->inputs[1].node;
  if (!enter || sluice_node_get_role (enter) != SLUICE_ROLE_ENTER || !next
      || sluice_node_get_role (next) != SLUICE_ROLE_NEXT_ITERATION)
    return FALSE;
  v->start = enter->inputs[0];
  v->next = next->inputs[0];
  return v->start.node && v->next.node;
}

/* The variable whose Exit this is. */
static gboolean
find_left (SluiceEdge left, Variable *v)
{
  left = strip (left);
  if (!left.node || sluice_node_get_role (left.node) != SLUICE_ROLE_EXIT)
    return FALSE;
  SluiceEdge turn = left.node->inputs[0];
  return turn.port == 0 && find_variable (turn, v);
}

/* Is this the variable's value in an iteration that has a body? */
static gboolean
is_value (SluiceEdge edge, const Variable *v)
{
  Variable of;
  edge = strip (edge);
  return edge.port == 1 && find_variable (edge, &of) && of.merge == v->merge && of.cond == v->cond;
}

/* ---- counters ---- */

/* Is it this scalar, in the loop or taken in? */
static gboolean
is_number (SluiceEdge edge, gint32 value)
{
  edge = strip (edge);
  while (edge.node && sluice_node_get_role (edge.node) == SLUICE_ROLE_ENTER)
    edge = strip (edge.node->inputs[0]);
  const SluiceTensor *tensor = edge.node ? sluice_edge_constant (edge) : NULL;
  return tensor && tensor->dtype == SLUICE_INT32 && tensor->n_elements == 1
         && *(const gint32 *) tensor->data == value;
}

/* Does every iteration add this to the variable? */
static gboolean
steps_by (const Variable *v, gint32 step)
{
  SluiceEdge next = strip (v->next);
  gboolean adds = is_op (next, "Add") || is_op (next, "AddV2") || is_op (next, "AddN");
  if (next.node->n_inputs != 2 || !(adds || is_op (next, "Sub")))
    return FALSE;
  const SluiceEdge *in = next.node->inputs;
  return is_value (in[0], v) && is_number (in[1], adds ? step : -step);
}

/* Does the loop go on while the variable, which is never negative, is above 0? */
static gboolean
ends_at_zero (const Variable *v)
{
  SluiceEdge pred = strip (v->cond->inputs[0]);
  SluiceEdge count = pred.node && pred.node->n_inputs ? strip (pred.node->inputs[0]) : pred;
  if (count.node != v->merge || count.port != 0)
    return FALSE;
  return (is_op (pred, "GreaterEqual") && is_number (pred.node->inputs[1], 1))
         || (is_op (pred, "Greater") && is_number (pred.node->inputs[1], 0))
         || (is_op (pred, "Cast") && sluice_edge_dtype (pred) == SLUICE_BOOL);
}

/* The counters by which B makes as many iterations as F. */
static gboolean
find_counters (const Variable *v, const Variable *w, Variable *down, Variable *up)
{
  SluiceEdge pred = v->cond->inputs[0].node ? strip (v->cond->inputs[0]) : SLUICE_NO_EDGE;
  const SluiceNode *head = pred.node && pred.node->n_inputs ? strip (pred.node->inputs[0]).node : 0;
  guint n = 0;
  const SluiceUse *uses = head ? sluice_graph_get_uses (head->graph, head, &n) : NULL;
  for (guint i = 0; i < n; i++)
    if (uses[i].input == 0 && find_variable ((SluiceEdge){ uses[i].node, 0 }, down)
        && down->cond == v->cond)
      return ends_at_zero (down) && steps_by (down, -1) && find_left (down->start, up)
             && up->cond == w->cond && is_number (up->start, 0) && steps_by (up, 1);
  return FALSE;
}

/* ---- stacks ---- */

typedef struct
{
  SluiceNode *push, *pop;
  guint n_pushes, n_pops, n_others;
} Stack;

static void
add_holder (SluiceNode *node, gpointer data)
{
  Stack *stack = data;
  SluiceRole role = sluice_node_get_role (node);
  if (role == SLUICE_ROLE_STACK_PUSH)
    stack->push = node;
  else if (role == SLUICE_ROLE_STACK_POP)
    stack->pop = node;
  stack->n_pushes += role == SLUICE_ROLE_STACK_PUSH;
  stack->n_pops += role == SLUICE_ROLE_STACK_POP;
  stack->n_others += role != SLUICE_ROLE_STACK_PUSH && role != SLUICE_ROLE_STACK_POP;
}

/* Does the node run in every iteration that has a body, and in no other, by all that it waits for?
 * That they keep the order of the iterations is not looked at: what a graph pops would be chance
 * without. */
static gboolean
runs_always (const SluiceNode *node, const Variable *counter)
{
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      SluiceEdge before = strip ((SluiceEdge){ node->control_inputs[i], 0 });
      if (before.node != strip (counter->next).node && !is_value (before, counter))
        return FALSE;
    }
  const SluiceNode *handle = node->inputs[0].node;
  return node->n_control_inputs && handle && sluice_node_get_role (handle) == SLUICE_ROLE_ENTER
         && sluice_node_get_bool (handle, "is_constant");
}

/* What F pushed of each iteration and B pops: the forward edge. */
static SluiceEdge
find_pushed (SluiceEdge popped, const Variable *up, const Variable *down)
{
  popped = strip (popped);
  if (!popped.node || sluice_node_get_role (popped.node) != SLUICE_ROLE_STACK_POP)
    return SLUICE_NO_EDGE;
  SluiceEdge maker = sluice_edge_origin (popped.node->inputs[0]);
  Stack stack = { NULL };
  if (!maker.node || sluice_node_get_role (maker.node) != SLUICE_ROLE_STACK)
    return SLUICE_NO_EDGE;
  sluice_node_foreach_holder (maker.node, add_holder, &stack);
  if (stack.n_pushes != 1 || stack.n_pops != 1 || stack.n_others || stack.pop != popped.node
      || !runs_always (stack.push, up) || !runs_always (stack.pop, down))
    return SLUICE_NO_EDGE;
  return strip (stack.push->inputs[1]);
}

/* ---- shapes ---- */

/* Of a value that holds a shape: whose it is. */
static SluiceEdge
owner_of_shape (SluiceEdge edge)
{
  edge = strip (edge);
  if (is_op (edge, "ShapeN"))
    return edge.node->inputs[edge.port];
  return is_op (edge, "Shape") ? edge.node->inputs[0] : SLUICE_NO_EDGE;
}

/* The input of the node that holds the shape of its output. */
static SluiceEdge
shape_input (SluiceEdge edge)
{
  if (is_op (edge, "Fill"))
    return edge.node->inputs[0];
  if (is_op (edge, "Reshape") || is_op (edge, "BroadcastTo"))
    return edge.node->inputs[1];
  return is_op (edge, "Slice") ? edge.node->inputs[2] : SLUICE_NO_EDGE;
}

/* A value that surely has the same shape; the edge itself where nothing else is known. */
static SluiceEdge
same_shape (SluiceEdge edge)
{
  edge = strip (edge);
  if (is_op (edge, "ZerosLike") || is_op (edge, "OnesLike"))
    return strip (edge.node->inputs[0]);
  SluiceEdge owner = owner_of_shape (shape_input (edge));
  return owner.node ? strip (owner) : edge;
}

/* Does an iteration of B give v the shape that w had at the beginning of the iteration of F? */
static gboolean
gives_back (const Variable *v, const Variable *w, const Variable *up, const Variable *down)
{
  SluiceEdge next = strip (v->next), pushed = find_pushed (same_shape (next), up, down);
  if (!pushed.node)
    pushed = owner_of_shape (find_pushed (shape_input (next), up, down));
  return pushed.node && is_value (pushed, w);
}

gboolean
sluice_flow_exit_shape (SluiceShapeContext *c, GError **error)
{
  SluiceEdge left = { (SluiceNode *) c->node, 0 };
  SluiceShape *shape = &c->outputs[0].shape;
  Variable v, w, down, up;
  sluice_flow_pass_all (c, error);
  if (sluice_shape_is_known (shape) || !find_left (left, &v)
      || !find_left (same_shape (v.start), &w) || !find_counters (&v, &w, &down, &up)
      || !gives_back (&v, &w, &up, &down))
    return TRUE;
  SluiceShape merged;
  if (sluice_shape_merge (shape, sluice_edge_shape (w.start), &merged))
    *shape = merged;
  return TRUE;
}
