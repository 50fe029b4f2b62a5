/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Where values come from: through ops that hand a handle on, and through the stacks of gradients.
 */
#include "engine/graph/graph-private.h"
#include "engine/graph/shape-context-private.h"

static gboolean
hands_on_handle (const SluiceNode *node)
{
  SluiceRole role = sluice_node_get_role (node);
  return role == SLUICE_ROLE_IDENTITY || role == SLUICE_ROLE_SWITCH || role == SLUICE_ROLE_ENTER;
}

/* What made the value, through ops that hand it on. Where a wrong graph has a cycle of those the
 * walk ends somewhere on it. */
static SluiceEdge
find_maker (SluiceEdge edge)
{
  guint steps = edge.node != NULL && edge.node->graph != NULL
                    ? sluice_graph_get_n_nodes (edge.node->graph)
                    : 0; /* a node that an edit took away leads nowhere */
  while (edge.node != NULL && hands_on_handle (edge.node) && edge.node->n_inputs > 0 && steps-- > 0)
    edge = edge.node->inputs[0];
  return edge;
}

/* The node that made the handle at input 0; NULL where that cannot be told. */
static SluiceNode *
find_stack (const SluiceNode *node)
{
  SluiceEdge made = node->n_inputs > 0 ? find_maker (node->inputs[0]) : SLUICE_NO_EDGE;
  return made.node != NULL && sluice_node_get_role (made.node) == SLUICE_ROLE_STACK ? made.node
                                                                                    : NULL;
}

void
sluice_node_foreach_holder (const SluiceNode *maker,
                            void (*func) (SluiceNode *node, gpointer data),
                            gpointer data)
{
  const SluiceNodeRecord *record = sluice_node_record (maker);
  for (guint i = 0; i < record->n_uses; i++)
    {
      SluiceNode *user = record->uses[i].node;
      if (record->uses[i].input != 0 || (record->uses[i].port != 0 && !hands_on_handle (maker)))
        continue;
      if (hands_on_handle (user))
        sluice_node_foreach_holder (user, func, data);
      else
        func (user, data);
    }
}

/* The push that feeds the stacks of a pop; other pushes than one leave it open. */
typedef struct
{
  const SluiceNode *push;
  guint n;
} Pushes;

static void
count_push (SluiceNode *node, gpointer data)
{
  Pushes *pushes = data;
  if (sluice_node_get_role (node) != SLUICE_ROLE_STACK_PUSH)
    return;
  pushes->push = node;
  pushes->n++;
}

#define MAX_STACKS 64 /* a value that one loop's gradient saved for the gradient of that … */

SluiceEdge
sluice_edge_origin (SluiceEdge edge)
{
  for (guint i = 0; i < MAX_STACKS; i++)
    {
      edge = find_maker (edge);
      if (edge.node == NULL || sluice_node_get_role (edge.node) != SLUICE_ROLE_STACK_POP)
        break;
      const SluiceNode *stack = find_stack (edge.node);
      Pushes pushes = { NULL, 0 };
      if (stack != NULL)
        sluice_node_foreach_holder (stack, count_push, &pushes);
      if (pushes.n != 1 || pushes.push->n_inputs < 2)
        break;
      edge = pushes.push->inputs[1];
    }
  return edge;
}

typedef struct
{
  SluiceOutput output;
  gboolean any;
} Pushed;

static void
add_pushed (SluiceNode *push, gpointer data)
{
  Pushed *pushed = data;
  if (sluice_node_get_role (push) != SLUICE_ROLE_STACK_PUSH || push->n_inputs < 2)
    return;
  SluiceEdge edge = push->inputs[1];
  if (edge.node == NULL || !sluice_node_record (edge.node)->inferred)
    return;
  const SluiceOutput *output = &edge.node->outputs[edge.port];
  if (!pushed->any)
    pushed->output = *output;
  pushed->any = TRUE;
  sluice_shape_widen (&pushed->output.shape, &output->shape);
  sluice_shape_widen (&pushed->output.handle_shape, &output->handle_shape);
  if (pushed->output.handle_dtype != output->handle_dtype)
    pushed->output.handle_dtype = SLUICE_INVALID;
}

gboolean
sluice_shape_of_popped (SluiceShapeContext *c, GError **error)
{
  const SluiceNode *stack = find_stack (c->node);
  Pushed pushed = { { 0 }, FALSE };
  if (stack != NULL)
    sluice_node_foreach_holder (stack, add_pushed, &pushed);
  if (!pushed.any)
    return TRUE;
  sluice_shape_context_set (c, 0, &pushed.output.shape);
  c->outputs[0].handle_dtype = pushed.output.handle_dtype;
  c->outputs[0].handle_shape = pushed.output.handle_shape;
  return TRUE;
}

typedef struct
{
  void (*func) (SluiceNode *pop, gpointer data);
  gpointer data;
} ForPop;

static void
call_for_pop (SluiceNode *node, gpointer data)
{
  const ForPop *call = data;
  if (sluice_node_get_role (node) == SLUICE_ROLE_STACK_POP)
    call->func (node, call->data);
}

void
sluice_node_foreach_pop (const SluiceNode *push,
                         void (*func) (SluiceNode *pop, gpointer data),
                         gpointer data)
{
  if (sluice_node_get_role (push) != SLUICE_ROLE_STACK_PUSH || push->n_inputs == 0)
    return;
  SluiceEdge stack = sluice_edge_origin (push->inputs[0]);
  if (stack.node != NULL)
    sluice_node_foreach_holder (stack.node, call_for_pop, &(ForPop){ func, data });
}
