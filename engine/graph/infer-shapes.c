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

/* ---- stacks ---- */

/* The node that made the handle at input 0; NULL where that cannot be told. */
static SluiceNode *
find_stack (const SluiceNode *node)
{
  while (node->n_inputs > 0 && node->inputs[0].node != NULL)
    {
      node = node->inputs[0].node;
      SluiceRole role = sluice_node_get_role (node);
      if (role == SLUICE_ROLE_STACK)
        return (SluiceNode *) node;
      if (role != SLUICE_ROLE_IDENTITY && role != SLUICE_ROLE_SWITCH && role != SLUICE_ROLE_ENTER)
        return NULL;
    }
  return NULL;
}

/* Calls func for every node of a role that has the handle, directly or through Enter and Switch. */
static void
for_each_user (const SluiceNode *stack,
               SluiceRole role,
               void (*func) (SluiceNode *node, gpointer data),
               gpointer data)
{
  const SluiceNodeRecord *record = sluice_node_record (stack);
  for (guint i = 0; i < record->n_uses; i++)
    {
      SluiceNode *user = record->uses[i].node;
      SluiceRole its = sluice_node_get_role (user);
      if (record->uses[i].input != 0)
        continue;
      if (its == role)
        func (user, data);
      else if (its == SLUICE_ROLE_IDENTITY || its == SLUICE_ROLE_SWITCH || its == SLUICE_ROLE_ENTER)
        for_each_user (user, role, func, data);
    }
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
    for_each_user (stack, SLUICE_ROLE_STACK_PUSH, add_pushed, &pushed);
  if (!pushed.any)
    return TRUE;
  sluice_shape_context_set (c, 0, &pushed.output.shape);
  c->outputs[0].handle_dtype = pushed.output.handle_dtype;
  c->outputs[0].handle_shape = pushed.output.handle_shape;
  return TRUE;
}

void
sluice_node_foreach_pop (const SluiceNode *push,
                         void (*func) (SluiceNode *pop, gpointer data),
                         gpointer data)
{
  const SluiceNode *stack =
      sluice_node_get_role (push) == SLUICE_ROLE_STACK_PUSH ? find_stack (push) : NULL;
  if (stack != NULL)
    for_each_user (stack, SLUICE_ROLE_STACK_POP, func, data);
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

void
sluice_graph_settle (SluiceGraph *self, SluiceNode *const *order, guint8 *dirty, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      SluiceNodeRecord *record = sluice_node_record (order[i]);
      record->position = i;
      record->visits = 0;
    }
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
