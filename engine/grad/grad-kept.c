/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Gradients through the stacks between a loop and its gradient: second order and beyond. The loop
 * pushes in its order, its gradient pops in the reverse one. The gradient of that runs in the
 * loop's own order again and pushes the gradients of what was popped, which the second gradient of
 * the loop, running in reverse, pops. So pushes and pops fit at any order, and in nested loops.
 * TensorFlow's v1 loops refuse this, or take what was pushed for constants.
 */
#include "engine/grad/grad-private.h"
#include "engine/graph/shape-context.h"

/* What works on one stack. */
typedef struct
{
  SluiceNode *stack, *push, *pop;
  guint n_pushes, n_pops;
} Users;

static void
add_user (SluiceNode *node, gpointer data)
{
  Users *users = data;
  SluiceRole role = sluice_node_get_role (node);
  if (role == SLUICE_ROLE_STACK_PUSH)
    {
      users->push = node;
      users->n_pushes++;
    }
  else if (role == SLUICE_ROLE_STACK_POP)
    {
      users->pop = node;
      users->n_pops++;
    }
}

/* FALSE: which stack it is cannot be told. */
static gboolean
find_users (const SluiceNode *pop, Users *users)
{
  *users = (Users){ NULL };
  SluiceEdge stack = pop->n_inputs > 0 ? sluice_edge_origin (pop->inputs[0]) : SLUICE_NO_EDGE;
  if (!stack.node)
    return FALSE;
  users->stack = stack.node;
  sluice_node_foreach_holder (stack.node, add_user, users);
  return TRUE;
}

SluiceNode *
sluice_walk_find_push (const SluiceNode *pop)
{
  Users users;
  if (sluice_node_get_role (pop) != SLUICE_ROLE_STACK_POP || !find_users (pop, &users))
    return NULL;
  return users.push && users.push->n_inputs > 1 ? users.push : NULL;
}

SluiceKept *
sluice_walk_get_kept (Walk *w, const SluiceNode *node)
{
  return w->kept ? g_hash_table_lookup (w->kept, node) : NULL;
}

/* ---- which there are ---- */

/* Of the loops around a node, the one that stands where the stack was made. (nullable) */
static SluiceLoop *
loop_beside (Walk *w, const SluiceNode *node, const SluiceNode *stack)
{
  if (!w->flow)
    return NULL;
  guint base = sluice_control_flow_output_frame_of (w->flow, stack);
  SluiceLoop *loop =
      sluice_control_flow_get_loop (w->flow, sluice_control_flow_frame_of (w->flow, node));
  while (loop && loop->parent != base)
    loop = sluice_control_flow_get_loop (w->flow, loop->parent);
  for (const SluiceLoop *around = w->inside; around && loop;)
    {
      if (around == loop)
        return NULL; /* the gradient stands in one iteration of it */
      around = sluice_control_flow_get_loop (w->flow, around->parent);
    }
  return loop;
}

static gboolean
add_kept (Walk *w, SluiceNode *pop, GError **error)
{
  Users users;
  find_users (pop, &users);
  SluiceLoop *from = loop_beside (w, users.push, users.stack);
  SluiceLoop *to = loop_beside (w, pop, users.stack);
  if (users.n_pushes != 1 || users.n_pops != 1 || !from || !to || from == to)
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "%s '%s' takes what %s '%s' has put on a stack: a gradient goes through a "
                        "stack where one node pushes in one loop and one node pops in another, as "
                        "the gradients of loops have it",
                        pop->op_name, pop->name, users.push->op_name, users.push->name);
  SluiceKept *kept = g_new (SluiceKept, 1);
  *kept = (SluiceKept){ .push = users.push, .pop = pop, .from = from, .to = to };
  if (!w->kept)
    w->kept = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (w->kept, kept->push, kept);
  g_hash_table_insert (w->kept, kept->pop, kept);
  g_ptr_array_add (w->all_kept, kept);
  SluiceLoop *loop =
      sluice_control_flow_get_loop (w->flow, sluice_control_flow_frame_of (w->flow, kept->push));
  for (; loop != from; loop = sluice_control_flow_get_loop (w->flow, loop->parent))
    loop->n_exits_left++;
  from->n_exits_left++;
  return TRUE;
}

gboolean
sluice_walk_find_kept (Walk *w, GError **error)
{
  for (guint id = 1; id < w->n_states; id++)
    {
      SluiceNode *node = sluice_graph_get_node (w->graph, id - 1);
      if (w->states[id].between && sluice_walk_find_push (node) && !add_kept (w, node, error))
        return FALSE;
    }
  return TRUE;
}

static SluiceKept *
nth_kept (Walk *w, guint i)
{
  return w->all_kept->pdata[i];
}

/* ---- the walk ---- */

/* What was popped has a gradient: it is pushed. */
static gboolean
visit_pop (Walk *w, SluiceKept *kept, GError **error)
{
  SluiceBuilder b;
  SluiceNode *control;
  sluice_walk_init_builder (w, &b, kept->pop, w->scope, &control);
  SluiceEdge dy = sluice_walk_sum (w, &b, (SluiceEdge){ kept->pop, 0 });
  if (dy.node)
    sluice_backward_push (w->backward, &b, dy, &kept->stack);
  return sluice_builder_finish (&b, error);
}

/* Of what was pushed: what came for the push's own output, and for what was popped. */
static gboolean
visit_push (Walk *w, SluiceKept *kept, GError **error)
{
  SluiceBuilder b;
  SluiceNode *control;
  SluiceEdge output = { kept->push, 0 };
  sluice_walk_init_builder (w, &b, kept->push, w->scope, &control);
  if (kept->stack.node)
    {
      SluiceDType dtype = sluice_node_get_type (kept->stack.node, "elem_type");
      b.device = kept->stack.node->device;
      SluiceEdge popped = sluice_backward_pop (w->backward, &b, kept->stack, dtype, kept->push);
      b.device = kept->push->device;
      if (popped.node)
        sluice_walk_add_partial (w, output, &(SluiceGrad){ .values = popped });
    }
  SluiceGrad dx = { .values = sluice_walk_sum (w, &b, output) };
  if (!sluice_builder_finish (&b, error))
    return FALSE;
  sluice_walk_give (w, kept->push->inputs[1], &dx);
  return TRUE;
}

gboolean
sluice_walk_visit_kept (Walk *w, SluiceNode *node, GError **error)
{
  SluiceKept *kept = sluice_walk_get_kept (w, node);
  return node == kept->pop ? visit_pop (w, kept, error) : visit_push (w, kept, error);
}

/* Of the loops between a push and the one that pushes as a whole, that which stands in the body of
 * another. (nullable) */
static SluiceLoop *
child_of (Walk *w, const SluiceKept *kept, const SluiceLoop *parent)
{
  SluiceLoop *loop =
      sluice_control_flow_get_loop (w->flow, sluice_control_flow_frame_of (w->flow, kept->push));
  while (loop != kept->from && loop->parent != parent->frame)
    loop = sluice_control_flow_get_loop (w->flow, loop->parent);
  return loop != kept->from ? loop : NULL;
}

gboolean
sluice_walk_give_kept (Walk *w, const SluiceLoop *loop, GError **error)
{
  for (guint i = 0; i < w->all_kept->len; i++)
    {
      SluiceKept *kept = nth_kept (w, i);
      SluiceLoop *child = child_of (w, kept, loop);
      if (child && --child->n_exits_left == 0 && !sluice_walk_loop (w, child, error))
        return FALSE;
      if (sluice_control_flow_frame_of (w->flow, kept->push) == loop->frame
          && --state_of (w, kept->push)->pending == 0)
        g_queue_push_tail (&w->ready, kept->push);
    }
  return TRUE;
}

gboolean
sluice_walk_takes_kept (Walk *w, const SluiceLoop *loop)
{
  for (guint i = 0; i < w->all_kept->len; i++)
    if (nth_kept (w, i)->to == loop)
      return TRUE;
  return FALSE;
}

gboolean
sluice_walk_gives_kept (Walk *w, const SluiceLoop *loop)
{
  for (guint i = 0; i < w->all_kept->len; i++)
    if (nth_kept (w, i)->from == loop && nth_kept (w, i)->done)
      return TRUE;
  return FALSE;
}

void
sluice_walk_wait_kept (Walk *w, const SluiceLoop *loop, SluiceBuilder *b, SluiceNode *first)
{
  for (guint i = 0; !b->error && i < w->all_kept->len; i++)
    if (nth_kept (w, i)->from == loop && nth_kept (w, i)->done)
      sluice_graph_add_control_input (b->graph, first, nth_kept (w, i)->done);
}

gboolean
sluice_walk_end_kept (Walk *w, const SluiceLoop *loop, SluiceNode *done, GError **error)
{
  for (guint i = 0; i < w->all_kept->len; i++)
    if (nth_kept (w, i)->to == loop)
      nth_kept (w, i)->done = nth_kept (w, i)->stack.node ? done : NULL;
  for (guint i = 0; i < w->all_kept->len; i++)
    {
      const SluiceKept *kept = nth_kept (w, i);
      if (kept->to == loop && --kept->from->n_exits_left == 0
          && !sluice_walk_loop (w, kept->from, error))
        return FALSE;
    }
  return TRUE;
}
