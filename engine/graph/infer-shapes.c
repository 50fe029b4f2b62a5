/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Shapes of a node's outputs, and of all that stands behind a change: in loops until nothing
 * changes any more. */
#include <string.h>

#include "engine/graph/graph-private.h"
#include "engine/graph/shape-context.h"

static SluiceTensor *
input_constant (SluiceShapeContext *context, guint input)
{
  return (SluiceTensor *) sluice_edge_constant (context->node->inputs[input]);
}

static void
forget_shapes (SluiceNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      node->outputs[i].shape = SLUICE_SHAPE_UNKNOWN;
      node->outputs[i].handle_shape = SLUICE_SHAPE_UNKNOWN;
      node->outputs[i].handle_dtype = SLUICE_INVALID;
    }
}

/* The most specific shape that covers both: what differs becomes unknown. */
static void
widen (SluiceShape *shape, const SluiceShape *other)
{
  if (shape->rank != other->rank)
    *shape = SLUICE_SHAPE_UNKNOWN;
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] != other->dim[i])
      shape->dim[i] = SLUICE_UNKNOWN_DIM;
}

/* What is known behind a value, but for a handle itself, is what was seen on the way to it; a way
 * on which nothing was seen says nothing. */
static void
widen_handle (SluiceOutput *out, const SluiceOutput *in)
{
  if (out->dtype != SLUICE_RESOURCE && in->handle_dtype == SLUICE_INVALID)
    return;
  if (out->dtype != SLUICE_RESOURCE && out->handle_dtype == SLUICE_INVALID)
    {
      out->handle_dtype = in->handle_dtype;
      out->handle_shape = in->handle_shape;
      return;
    }
  widen (&out->handle_shape, &in->handle_shape);
  if (out->handle_dtype != in->handle_dtype)
    out->handle_dtype = SLUICE_INVALID;
}

/* A Merge hands on any of its inputs. Those not looked at yet are the back edges of loops: they
 * count for nothing at first, and widen the shape when they are known. */
static void
infer_merge (SluiceNode *node)
{
  gboolean first = TRUE;
  SluiceOutput *out = &node->outputs[0];
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (edge.node == NULL || !sluice_node_record (edge.node)->inferred)
        continue;
      const SluiceOutput *in = &edge.node->outputs[edge.port];
      if (first)
        {
          out->shape = in->shape;
          out->handle_shape = in->handle_shape;
          out->handle_dtype = in->handle_dtype;
        }
      else
        {
          widen (&out->shape, &in->shape);
          widen_handle (out, in);
        }
      first = FALSE;
    }
  for (guint i = 1; i < node->n_outputs; i++)
    node->outputs[i].shape = SLUICE_SHAPE_SCALAR;
}

static gboolean
hands_on_input (SluiceRole role)
{
  return role == SLUICE_ROLE_IDENTITY || role == SLUICE_ROLE_SWITCH || role == SLUICE_ROLE_ENTER
         || role == SLUICE_ROLE_EXIT || role == SLUICE_ROLE_NEXT_ITERATION
         || role == SLUICE_ROLE_STOP_GRADIENT;
}

/* A resource handle keeps telling what it refers to through the ops that hand it on. */
static void
forward_handle (SluiceNode *node)
{
  if (!hands_on_input (node->op->def->role) || node->n_inputs == 0 || node->inputs[0].node == NULL
      || sluice_edge_dtype (node->inputs[0]) != SLUICE_RESOURCE)
    return;
  const SluiceOutput *in = &node->inputs[0].node->outputs[node->inputs[0].port];
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i].dtype == SLUICE_RESOURCE
        && node->outputs[i].handle_dtype == SLUICE_INVALID)
      {
        node->outputs[i].handle_dtype = in->handle_dtype;
        node->outputs[i].handle_shape = in->handle_shape;
      }
}

static gboolean
call_shape_function (SluiceNode *node, GError **error)
{
  SluiceShape few[8];
  g_autofree SluiceShape *many =
      node->n_inputs > G_N_ELEMENTS (few) ? g_new (SluiceShape, node->n_inputs) : NULL;
  SluiceShape *inputs = many != NULL ? many : few;
  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] =
        node->inputs[i].node != NULL ? *sluice_edge_shape (node->inputs[i]) : SLUICE_SHAPE_UNKNOWN;
  SluiceShapeContext context = {
    .node = node,
    .inputs = inputs,
    .n_inputs = node->n_inputs,
    .outputs = node->outputs,
    .n_outputs = node->n_outputs,
    .constant = input_constant,
  };
  return node->op->def->shape (&context, error);
}

gboolean
sluice_node_infer_shapes (SluiceNode *node, GError **error)
{
  forget_shapes (node);
  sluice_node_record (node)->inferred = TRUE;
  if (node->op->def->role == SLUICE_ROLE_MERGE && node->n_outputs > 0)
    {
      infer_merge (node);
      return TRUE;
    }
  if (node->op->def->shape != NULL && !call_shape_function (node, error))
    {
      forget_shapes (node);
      return FALSE;
    }
  forward_handle (node);
  return TRUE;
}

/* ---- handles and stacks ---- */

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
  guint steps = edge.node != NULL ? sluice_graph_get_n_nodes (edge.node->graph) : 0;
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
  widen (&pushed->output.shape, &output->shape);
  widen (&pushed->output.handle_shape, &output->handle_shape);
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
  const SluiceNode *stack =
      sluice_node_get_role (push) == SLUICE_ROLE_STACK_PUSH ? find_stack (push) : NULL;
  ForPop call = { func, data };
  if (stack != NULL)
    sluice_node_foreach_holder (stack, call_for_pop, &call);
}

static void
mark_dirty (SluiceNode *node, gpointer data)
{
  guint8 *dirty = data;
  dirty[sluice_node_record (node)->position] = TRUE;
}

/* ---- loops ---- */

/* Widening ends by itself: a dimension becomes unknown once. A shape function that is not monotone
 * could go on for ever; after so many visits of a node its shapes stay unknown. */
#define MAX_VISITS 64

static gboolean
outputs_equal (const SluiceOutput *a, const SluiceOutput *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!sluice_shape_equal (&a[i].shape, &b[i].shape) || a[i].handle_dtype != b[i].handle_dtype
        || !sluice_shape_equal (&a[i].handle_shape, &b[i].handle_shape))
      return FALSE;
  return TRUE;
}

/* Could inference read values of this node? Then they may have changed although its shapes did
 * not: Shape of a widened input is still a vector. No constant comes through a Merge. */
static gboolean
may_hold_shape (const SluiceNode *node)
{
  if (sluice_node_get_role (node) == SLUICE_ROLE_MERGE)
    return FALSE;
  if (sluice_node_record (node)->constants != NULL)
    return TRUE;
  for (guint i = 0; i < node->n_outputs; i++)
    if ((node->outputs[i].dtype == SLUICE_INT32 || node->outputs[i].dtype == SLUICE_INT64)
        && node->outputs[i].shape.rank <= 1)
      return TRUE;
  return FALSE;
}

/* A node whose op is a function of the graph. */
static gboolean
visit_call (SluiceNode *node)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  if (record->visits == MAX_VISITS)
    return FALSE;
  gboolean again = record->visits++ > 0 || record->inferred;
  g_autofree SluiceOutput *old =
      again ? g_memdup2 (node->outputs, node->n_outputs * sizeof (SluiceOutput)) : NULL;
  SluiceFuncValue func = { (char *) node->op_name, node->attrs, node->n_attrs };
  forget_shapes (node);
  record->inferred = TRUE;
  g_autofree SluiceShape *inputs = g_new (SluiceShape, node->n_inputs + 1);
  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] =
        node->inputs[i].node != NULL ? *sluice_edge_shape (node->inputs[i]) : SLUICE_SHAPE_UNKNOWN;
  SluiceShapeContext context = { .node = node,
                                 .inputs = inputs,
                                 .n_inputs = node->n_inputs,
                                 .outputs = node->outputs,
                                 .n_outputs = node->n_outputs,
                                 .constant = input_constant };
  if (record->visits < MAX_VISITS)
    sluice_shape_context_call (&context, &func, 0);
  return !again || !outputs_equal (old, node->outputs, node->n_outputs);
}

/* Returns whether users of the node must be looked at. */
static gboolean
visit (SluiceNode *node)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  if (node->op == NULL && node->error == NULL)
    return visit_call (node);
  if (node->op == NULL || (node->error != NULL && !record->shape_error))
    {
      record->inferred = TRUE;
      return FALSE;
    }
  if (record->visits == MAX_VISITS)
    return FALSE;
  gboolean again = record->visits++ > 0 || record->inferred;
  gboolean values = again && may_hold_shape (node);
  g_autofree SluiceOutput *old =
      again ? g_memdup2 (node->outputs, node->n_outputs * sizeof (SluiceOutput)) : NULL;
  sluice_node_forget_constants (node);
  g_clear_error (&node->error);
  record->shape_error = !sluice_node_infer_shapes (node, &node->error);
  if (record->visits == MAX_VISITS)
    forget_shapes (node);
  return !again || values || !outputs_equal (old, node->outputs, node->n_outputs);
}

static void
mark_users (SluiceNode *node, guint8 *dirty)
{
  const SluiceNodeRecord *record = sluice_node_record (node);
  for (guint i = 0; i < record->n_uses; i++)
    if (record->uses[i].input >= 0)
      dirty[sluice_node_record (record->uses[i].node)->position] = TRUE;
  sluice_node_foreach_pop (node, mark_dirty, dirty);
}

static void
visit_dirty (SluiceNode *const *order, guint8 *dirty, guint n)
{
  for (guint8 *next = n > 0 ? memchr (dirty, TRUE, n) : NULL; next != NULL;)
    {
      guint i = next - dirty;
      *next = FALSE;
      if (visit (order[i]))
        mark_users (order[i], dirty);
      next = memchr (dirty + i, TRUE, n - i);
      if (next == NULL)
        next = memchr (dirty, TRUE, i); /* back edges: another sweep */
    }
}

/* What a rule reads of nodes that are no inputs may have changed behind its back. */
static gboolean
look_afar_again (SluiceNode *node)
{
  if (node->op == NULL || !(node->op->def->flags & SLUICE_OP_LOOKS_AFAR)
      || !sluice_node_record (node)->inferred)
    return FALSE;
  g_autofree SluiceOutput *old = g_memdup2 (node->outputs, node->n_outputs * sizeof (SluiceOutput));
  visit (node);
  return !outputs_equal (old, node->outputs, node->n_outputs);
}

void
sluice_graph_settle (SluiceGraph *self, SluiceNode *const *order, guint8 *dirty, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      SluiceNodeRecord *record = sluice_node_record (order[i]);
      record->position = i;
      record->visits = 0;
    }
  gboolean changed;
  do
    {
      visit_dirty (order, dirty, n);
      changed = FALSE;
      for (guint i = 0; i < n; i++)
        if (look_afar_again (order[i]))
          {
            mark_users (order[i], dirty);
            changed = TRUE;
          }
    }
  while (changed);
}
