/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/grad/grad.h"

#include "engine/grad/grad-private.h"
#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/lower.h"
#include "engine/graph/shape-context.h"

SluiceEdge
sluice_grad_role_op (SluiceBuilder *b,
                     SluiceRole role,
                     const SluiceEdge *inputs,
                     guint n,
                     const SluiceAttr *attrs,
                     guint n_attrs)
{
  const SluiceOp *op = sluice_registry_by_role (role);
  if (op == NULL)
    {
      if (b->error == NULL)
        g_set_error (&b->error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND,
                     "no op with role %d is registered, which gradients need", role);
      return SLUICE_NO_EDGE;
    }
  return sluice_builder_add (b, op->name, NULL, inputs, n, attrs, n_attrs);
}

/* ---- what gradient functions use ---- */

static SluiceEdge
forward_edge (SluiceGradContext *g, SluiceEdge edge)
{
  return g->forward != NULL ? g->forward (g, edge) : edge;
}

SluiceEdge
sluice_grad_input (SluiceGradContext *g, guint i)
{
  g_assert (i < g->node->n_inputs);
  return forward_edge (g, g->node->inputs[i]);
}

SluiceEdge
sluice_grad_output (SluiceGradContext *g, guint i)
{
  g_assert (i < g->node->n_outputs);
  return forward_edge (g, (SluiceEdge){ (SluiceNode *) g->node, i });
}

gboolean
sluice_grad_has_dy (SluiceGradContext *g, guint i)
{
  g_assert (i < g->node->n_outputs);
  return g->dys[i].values.node != NULL;
}

SluiceEdge
sluice_grad_dy (SluiceGradContext *g, guint i)
{
  if (sluice_grad_has_dy (g, i))
    return sluice_grad_to_dense (&g->b, &g->dys[i]);
  const Walk *w = g->user_data;
  if (w->backward)
    return sluice_backward_zeros (w->backward, &g->b,
                                  (SluiceEdge){ (SluiceNode *) g->node, (int) i });
  return ROLE_OP (&g->b, SLUICE_ROLE_ZEROS_LIKE, sluice_grad_output (g, i));
}

static SluiceEdge
shape_of_input (SluiceGradContext *g, guint i)
{
  const Walk *w = g->user_data;
  if (w->backward)
    return sluice_backward_shape (w->backward, &g->b, g->node->inputs[i]);
  return ROLE_OP (&g->b, SLUICE_ROLE_SHAPE, sluice_grad_input (g, i));
}

void
sluice_grad_set (SluiceGradContext *g, guint i, SluiceEdge dx)
{
  sluice_grad_set_sparse (g, i, (SluiceGrad){ .values = dx });
}

void
sluice_grad_set_sparse (SluiceGradContext *g, guint i, SluiceGrad dx)
{
  g_assert (i < g->node->n_inputs);
  g->dxs[i] = dx;
}

gboolean
sluice_grad_pass (SluiceGradContext *g, GError **error)
{
  if (sluice_grad_has_dy (g, 0))
    sluice_grad_set_sparse (g, 0, g->dys[0]);
  return TRUE;
}

SluiceEdge
sluice_grad_unbroadcast (SluiceGradContext *g, SluiceEdge dx, guint i, guint other)
{
  if (dx.node == NULL)
    return dx;
  const SluiceShape *mine = sluice_edge_shape (g->node->inputs[i]);
  if (sluice_shape_is_known (mine)
      && sluice_shape_equal (mine, sluice_edge_shape (g->node->inputs[other])))
    return dx;
  SluiceBuilder *b = &g->b;
  guint first = MIN (i, other), second = MAX (i, other);
  SluiceEdge s0 = shape_of_input (g, first);
  SluiceEdge s1 = shape_of_input (g, second);
  SluiceEdge axes = ROLE_OP (b, SLUICE_ROLE_BROADCAST_GRADIENT_ARGS, s0, s1);
  SluiceEdge sum = ROLE_OP (b, SLUICE_ROLE_SUM, dx, sluice_edge_port (axes, i < other ? 0 : 1));
  return ROLE_OP (b, SLUICE_ROLE_RESHAPE, sum, i < other ? s0 : s1);
}

SluiceEdge
sluice_grad_to_dense (SluiceBuilder *b, const SluiceGrad *grad)
{
  if (grad->indices.node == NULL || b->error != NULL)
    return grad->values;
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (grad->dense_shape));
  SluiceEdge begin = sluice_builder_const_ints (b, dtype, (gint64[]){ 0 }, 1);
  SluiceEdge size = sluice_builder_const_ints (b, dtype, (gint64[]){ 1 }, 1);
  SluiceEdge first = ROLE_OP (b, SLUICE_ROLE_SLICE, grad->dense_shape, begin, size);
  SluiceEdge scalar = sluice_builder_const_ints (b, SLUICE_INT32, NULL, 0);
  SluiceEdge rows = ROLE_OP (b, SLUICE_ROLE_RESHAPE, first, scalar);
  return ROLE_OP (b, SLUICE_ROLE_UNSORTED_SEGMENT_SUM, grad->values, grad->indices, rows);
}

/* ---- the walk ---- */

gboolean
sluice_carries_gradient (SluiceEdge edge)
{
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  return sluice_dtype_is_floating (dtype) || sluice_dtype_is_complex (dtype)
         || dtype == SLUICE_RESOURCE || dtype == SLUICE_VARIANT;
}

/* Several partial gradients of one tensor become one: rows are joined while all are rows, else
 * added up. */
static SluiceGrad
add_up (SluiceBuilder *b, const PartialSum *sum)
{
  if (sum->n == 0)
    return SLUICE_NO_GRAD;
  if (sum->n == 1)
    return sum->parts[0];
  gboolean all_sparse = TRUE;
  for (guint i = 0; i < sum->n; i++)
    all_sparse &= sum->parts[i].indices.node != NULL;

  g_autofree SluiceEdge *values = g_new (SluiceEdge, sum->n + 1);
  if (!all_sparse)
    {
      for (guint i = 0; i < sum->n; i++)
        values[i] = sluice_grad_to_dense (b, &sum->parts[i]);
      return (SluiceGrad){ .values = sluice_grad_role_op (b, SLUICE_ROLE_ADD_N, values, sum->n,
                                                          NULL, 0) };
    }
  g_autofree SluiceEdge *indices = g_new (SluiceEdge, sum->n + 1);
  for (guint i = 0; i < sum->n; i++)
    {
      values[i] = sum->parts[i].values;
      indices[i] = sum->parts[i].indices;
    }
  values[sum->n] = indices[sum->n] = sluice_builder_const_int32 (b, 0);
  return (SluiceGrad){
    .values = sluice_grad_role_op (b, SLUICE_ROLE_CONCAT, values, sum->n + 1, NULL, 0),
    .indices = sluice_grad_role_op (b, SLUICE_ROLE_CONCAT, indices, sum->n + 1, NULL, 0),
    .dense_shape = sum->parts[0].dense_shape,
  };
}

void
sluice_walk_add_partial (Walk *w, SluiceEdge edge, const SluiceGrad *grad)
{
  NodeState *state = state_of (w, edge.node);
  if (state->partials == NULL)
    state->partials = g_new0 (PartialSum, edge.node->n_outputs);
  PartialSum *sum = &state->partials[edge.port];
  if ((sum->n & (sum->n - 1)) == 0) /* room for 1, 2, 4, 8 … */
    sum->parts = g_renew (SluiceGrad, sum->parts, MAX (1, 2 * sum->n));
  sum->parts[sum->n++] = *grad;
}

void
sluice_walk_forget (Walk *w, const SluiceNode *node)
{
  PartialSum *partials = state_of (w, node)->partials;
  for (guint i = 0; partials && i < node->n_outputs; i++)
    partials[i].n = 0;
}

typedef struct
{
  gboolean *reached;
  GQueue *todo;
} Reach;

static void
reach (SluiceNode *node, gpointer data)
{
  const Reach *r = data;
  if (r->reached[node->id])
    return;
  r->reached[node->id] = TRUE;
  g_queue_push_tail (r->todo, node);
}

/* Marks what the xs reach going forward; the graph may have loops, so a worklist. */
static void
mark_reached (Walk *w, const SluiceEdge *xs, guint n_xs, gboolean *reached)
{
  GQueue todo = G_QUEUE_INIT;
  Reach r = { reached, &todo };
  for (guint i = 0; i < n_xs; i++)
    reach (xs[i].node, &r);
  SluiceNode *node;
  while ((node = g_queue_pop_head (&todo)) != NULL)
    {
      guint n;
      sluice_node_foreach_pop (node, reach, &r);
      /* An edge out of a call stands for one of what the call was written out to: both go on. */
      const SluiceUse *uses = sluice_graph_get_uses (w->graph, node, &n);
      for (guint i = 0; i < n; i++)
        if (uses[i].input >= 0 && sluice_carries_gradient ((SluiceEdge){ node, uses[i].port })
            && !sluice_walk_ends_at (w, uses[i].node))
          reach (uses[i].node, &r);
    }
}

static void
mark_producer (Walk *w, SluiceNode *producer, GQueue *todo)
{
  NodeState *state = state_of (w, producer);
  state->pending++;
  if (state->between)
    return;
  state->between = TRUE;
  g_queue_push_tail (todo, producer);
}

/* Marks what lies between xs and ys and counts, for each, the uses that will give a share. */
static void
mark_between (Walk *w, const SluiceEdge *ys, guint n_ys, const gboolean *reached)
{
  GQueue todo = G_QUEUE_INIT;
  for (guint i = 0; i < n_ys; i++)
    if (reached[ys[i].node->id] && !state_of (w, ys[i].node)->between)
      {
        state_of (w, ys[i].node)->between = TRUE;
        g_queue_push_tail (&todo, ys[i].node);
      }
  SluiceNode *node;
  while ((node = g_queue_pop_head (&todo)) != NULL)
    {
      SluiceNode *push = sluice_walk_find_push (node);
      if (push != NULL)
        mark_producer (w, push, &todo);
      for (guint i = 0; i < node->n_inputs && !sluice_walk_ends_at (w, node); i++)
        {
          SluiceEdge edge = sluice_edge_resolve_for_gradient (node->inputs[i]);
          if (edge.node != NULL && reached[edge.node->id] && sluice_carries_gradient (edge))
            mark_producer (w, edge.node, &todo);
        }
    }
}

void
sluice_walk_init_builder (
    Walk *w, SluiceBuilder *b, const SluiceNode *node, const char *scope, SluiceNode **control)
{
  sluice_builder_init (b, w->graph, scope);
  b->device = node->device;
  if (!w->backward)
    return;
  SluiceBuilder plain = *b;
  *control =
      sluice_backward_pivot (w->backward, &plain, sluice_control_flow_branch_of (w->flow, node));
  b->error = plain.error;
  b->control_inputs = control;
  b->n_control_inputs = *control != NULL;
}

static SluiceEdge
forward_value (SluiceGradContext *g, SluiceEdge edge)
{
  Walk *w = g->user_data;
  return w->backward ? sluice_backward_value (w->backward, &g->b, edge)
                     : sluice_walk_bring_in (w, &g->b, edge);
}

/* By the function that the graph's library names as the gradient of the one that the node calls. As
 * TensorFlow has it, that one gets zeros for whatever output nothing reached. */
static gboolean
function_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceNode *node = g->node;
  guint n = node->n_inputs + node->n_outputs;
  g_autofree SluiceEdge *inputs = g_new (SluiceEdge, n + 1);
  for (guint i = 0; i < n; i++)
    inputs[i] =
        i < node->n_inputs ? sluice_grad_input (g, i) : sluice_grad_dy (g, i - node->n_inputs);
  if (!sluice_builder_finish (&g->b, error))
    return FALSE;
  SluiceNode *call = sluice_builder_add_gradient_call (&g->b, node, inputs, n, error);
  for (guint i = 0; call != NULL && i < node->n_inputs; i++)
    sluice_grad_set (g, i, (SluiceEdge){ call, (int) i });
  return call != NULL;
}

static gboolean
call_gradient (Walk *w, SluiceNode *node, const SluiceGrad *dys, SluiceGrad *dxs, GError **error)
{
  if (node->error != NULL)
    {
      g_propagate_error (error, g_error_copy (node->error));
      return FALSE;
    }
  gboolean (*gradient) (SluiceGradContext *, GError **) =
      node->op != NULL ? node->op->def->gradient : NULL;
  if (sluice_node_get_function_gradient (node) != NULL)
    gradient = function_gradient;
  gboolean has_none = node->op != NULL && (node->op->def->flags & SLUICE_OP_NOT_DIFFERENTIABLE);
  if (gradient == NULL && !has_none)
    return sluice_fail (
        error, SLUICE_ERROR_NOT_FOUND,
        "no gradient is defined for op %s (node '%s'), which lies between the loss and a variable; "
        "put a StopGradient in front of it, or leave it out of the loss",
        node->op_name, node->name);
  if (gradient == NULL)
    return TRUE;
  g_autofree char *scope = g_strdup_printf ("%s/%s_grad", w->scope, node->name);
  SluiceNode *control;
  SluiceGradContext g = { .node = node,
                          .dys = dys,
                          .dxs = dxs,
                          .source = w->source,
                          .forward = w->backward || w->inside ? forward_value : NULL,
                          .user_data = w };
  sluice_walk_init_builder (w, &g.b, node, scope, &control);
  gboolean ok = gradient (&g, error);
  if (!ok)
    {
      g_clear_error (&g.b.error);
      return FALSE;
    }
  return sluice_builder_finish (&g.b, error);
}

void
sluice_walk_give (Walk *w, SluiceEdge edge, const SluiceGrad *dx)
{
  edge = sluice_edge_resolve_for_gradient (edge);
  SluiceNode *producer = edge.node;
  if (!is_between (w, producer) || !sluice_carries_gradient (edge))
    return;
  if (dx != NULL && dx->values.node != NULL)
    sluice_walk_add_partial (w, edge, dx);
  if (--state_of (w, producer)->pending == 0)
    g_queue_push_tail (&w->ready, producer);
}

static gboolean
give_shares (Walk *w, SluiceNode *node, SluiceGrad *dxs, GError **error)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = sluice_edge_resolve_for_gradient (node->inputs[i]);
      if (dxs && is_between (w, edge.node) && sluice_carries_gradient (edge)
          && !sluice_walk_complete (w, node, edge, &dxs[i], error))
        return FALSE;
      sluice_walk_give (w, edge, dxs ? &dxs[i] : NULL);
    }
  return TRUE;
}

SluiceEdge
sluice_walk_sum (Walk *w, SluiceBuilder *b, SluiceEdge edge)
{
  NodeState *state = state_of (w, edge.node);
  PartialSum *partials = state->partials ? &state->partials[edge.port] : NULL;
  SluiceGrad sum = partials ? add_up (b, partials) : SLUICE_NO_GRAD;
  if (sum.values.node == NULL)
    return SLUICE_NO_EDGE;
  partials->parts[0] = (SluiceGrad){ .values = sluice_grad_to_dense (b, &sum) };
  partials->n = 1;
  return partials->parts[0].values;
}

/* The nodes of which a loop is made are no steps of the walk of their own. */
static gboolean
visit_frame_node (Walk *w, SluiceNode *node, gboolean *is_one, GError **error)
{
  SluiceRole role = sluice_node_get_role (node);
  *is_one = node->error == NULL;
  if (node->error != NULL)
    return TRUE;
  if (role == SLUICE_ROLE_EXIT)
    {
      SluiceLoop *loop =
          sluice_control_flow_get_loop (w->flow, sluice_control_flow_frame_of (w->flow, node));
      if (!loop)
        return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "it stands in no loop: it needs an Enter somewhere before it");
      return sluice_walk_check_exit (w, node, error)
             && (--loop->n_exits_left > 0 || sluice_walk_loop (w, loop, error));
    }
  SluiceGrad unused;
  *is_one = (role == SLUICE_ROLE_ENTER && !sluice_walk_passes (w, node, &SLUICE_NO_GRAD, &unused))
            || (role == SLUICE_ROLE_MERGE && sluice_loop_merge_next (node) != NULL
                && !sluice_walk_ends_at (w, node));
  return TRUE;
}

/* Adds up what reached the node's outputs, remembers it for xs, and hands shares to its inputs. */
static gboolean
visit (Walk *w, SluiceNode *node, GError **error)
{
  NodeState *state = state_of (w, node);
  gboolean is_frame_node = FALSE;
  if (w->flow && !visit_frame_node (w, node, &is_frame_node, error))
    return FALSE;
  if (is_frame_node)
    return TRUE;
  if (sluice_walk_get_kept (w, node) != NULL)
    return sluice_walk_visit_kept (w, node, error);
  gboolean ends = sluice_walk_ends_at (w, node);
  if (state->partials == NULL)
    return ends || give_shares (w, node, NULL, error);
  SluiceBuilder b;
  SluiceNode *control;
  sluice_walk_init_builder (w, &b, node, w->scope, &control);
  g_autofree SluiceGrad *dys = g_new0 (SluiceGrad, node->n_outputs);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      dys[i] = add_up (&b, &state->partials[i]);
      if (dys[i].values.node == NULL)
        continue;
      state->partials[i].parts[0] = dys[i];
      state->partials[i].n = 1;
    }
  if (!sluice_builder_finish (&b, error))
    return FALSE;
  if (ends)
    return TRUE;

  gboolean wanted = FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = sluice_edge_resolve_for_gradient (node->inputs[i]);
      wanted |= is_between (w, edge.node) && sluice_carries_gradient (edge);
    }
  g_autofree SluiceGrad *dxs = g_new0 (SluiceGrad, node->n_inputs);
  if (w->backward && sluice_backward_owns_switch (w->backward, node))
    {
      dxs[0] = dys[1]; /* in an iteration that has a body, a Switch of the loop hands on */
      wanted = FALSE;
    }
  wanted = wanted && !sluice_walk_passes (w, node, dys, dxs);
  if (wanted && !call_gradient (w, node, dys, dxs, error))
    return FALSE;
  return give_shares (w, node, dxs, error);
}

static gboolean
start_ys (Walk *w, const SluiceEdge *ys, guint n_ys, const SluiceEdge *dys, GError **error)
{
  SluiceBuilder b;
  sluice_builder_init (&b, w->graph, w->scope);
  for (guint i = 0; i < n_ys; i++)
    {
      NodeState *state = state_of (w, ys[i].node);
      if (!state->between)
        continue;
      SluiceEdge dy = dys != NULL ? dys[i] : SLUICE_NO_EDGE;
      if (dy.node == NULL)
        {
          SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (ys[i]));
          dy = ROLE_OP (&b, SLUICE_ROLE_FILL, ROLE_OP (&b, SLUICE_ROLE_SHAPE, ys[i]),
                        sluice_builder_const_number (&b, dtype, 1));
        }
      sluice_walk_add_partial (w, ys[i], &(SluiceGrad){ .values = dy });
    }
  for (guint i = 0; i < n_ys; i++)
    if (state_of (w, ys[i].node)->between && state_of (w, ys[i].node)->pending == 0
        && g_queue_find (&w->ready, ys[i].node) == NULL)
      g_queue_push_tail (&w->ready, ys[i].node);
  return sluice_builder_finish (&b, error);
}

gboolean
sluice_walk_drain (Walk *w, GError **error)
{
  SluiceNode *node;
  while ((node = g_queue_pop_head (&w->ready)) != NULL)
    if (!visit (w, node, error))
      return FALSE;
  return TRUE;
}

static gboolean
walk_run (Walk *w, const SluiceEdge *ys, guint n_ys, const SluiceEdge *dys, GError **error)
{
  if (!start_ys (w, ys, n_ys, dys, error) || !sluice_walk_drain (w, error))
    return FALSE;
  for (guint id = 1; id < w->n_states; id++)
    {
      const SluiceNode *node = sluice_graph_get_node (w->graph, id - 1);
      if (w->states[id].between && w->states[id].pending > 0
          && sluice_node_get_role (node) != SLUICE_ROLE_NEXT_ITERATION
          && sluice_node_get_role (node) != SLUICE_ROLE_ENTER)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s' is part of a cycle that is no loop: it has no gradient",
                            node->name);
    }
  return TRUE;
}

static void
count_exits (Walk *w)
{
  for (guint i = 0; w->flow && i < w->n_states - 1; i++)
    {
      SluiceNode *node = sluice_graph_get_node (w->graph, i);
      SluiceLoop *loop =
          sluice_node_get_role (node) == SLUICE_ROLE_EXIT && is_between (w, node)
              ? sluice_control_flow_get_loop (w->flow, sluice_control_flow_frame_of (w->flow, node))
              : NULL;
      if (loop)
        loop->n_exits_left++;
    }
}

static void
walk_clear (Walk *w)
{
  for (guint id = 0; id < w->n_states; id++)
    if (w->states[id].partials != NULL)
      {
        SluiceNode *node = sluice_graph_get_node (w->graph, id - 1);
        for (guint i = 0; i < node->n_outputs; i++)
          g_free (w->states[id].partials[i].parts);
        g_free (w->states[id].partials);
      }
  g_free (w->states);
  g_free (w->source);
  g_queue_clear (&w->ready);
  g_clear_pointer (&w->kept, g_hash_table_unref);
  g_ptr_array_unref (w->all_kept);
  sluice_control_flow_free (w->flow);
}

static gboolean
check_edges (const char *what, const SluiceEdge *edges, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (edges[i].port < 0 || (guint) edges[i].port >= edges[i].node->n_outputs)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "%s: node '%s' (%s) has no output %d", what, edges[i].node->name,
                          edges[i].node->op_name, edges[i].port);
  return TRUE;
}

/* The walk is over what calls were written out to, where their functions have no gradient of their
 * own. */
static SluiceEdge *
resolve_all (const SluiceEdge *edges, guint n)
{
  SluiceEdge *real = g_new (SluiceEdge, n + 1);
  for (guint i = 0; i < n; i++)
    real[i] = sluice_edge_resolve_for_gradient (edges[i]);
  return real;
}

static gboolean
add_gradients (SluiceGraph *graph,
               SluiceNode *pivot,
               const char *scope,
               const SluiceEdge *ys,
               guint n_ys,
               const SluiceEdge *dys,
               const SluiceEdge *xs,
               guint n_xs,
               SluiceGrad *dxs,
               GError **error)
{
  if (!check_edges ("y", ys, n_ys, error) || !check_edges ("x", xs, n_xs, error))
    return FALSE;
  g_autoptr (GHashTable) swapping = sluice_graph_dup_swapping_frames (graph, error);
  if (swapping == NULL)
    return FALSE;
  sluice_graph_lower_closure (graph, ys, n_ys, NULL, 0);
  g_autofree SluiceEdge *real_ys = resolve_all (ys, n_ys);
  g_autofree SluiceEdge *real_xs = resolve_all (xs, n_xs);
  guint n_states = sluice_graph_get_n_nodes (graph) + 1;
  Walk w = { .graph = graph,
             .scope = scope,
             .pivot = pivot,
             .source = g_strdup_printf ("%s:%u", scope, n_states),
             .states = g_new0 (NodeState, n_states),
             .n_states = n_states,
             .ready = G_QUEUE_INIT,
             .all_kept = g_ptr_array_new_with_free_func (g_free) };
  w.flow = sluice_control_flow_new (graph, swapping, pivot != NULL);
  if (pivot)
    w.inside =
        sluice_control_flow_get_loop (w.flow, sluice_control_flow_output_frame_of (w.flow, pivot));
  g_autofree gboolean *reached = g_new0 (gboolean, n_states);
  mark_reached (&w, xs, n_xs, reached);
  mark_reached (&w, real_xs, n_xs, reached);
  mark_between (&w, real_ys, n_ys, reached);

  count_exits (&w);

  gboolean ok = sluice_walk_check_place (&w, "y", real_ys, n_ys, FALSE, error)
                && sluice_walk_check_place (&w, "x", real_xs, n_xs, TRUE, error)
                && sluice_walk_find_kept (&w, error) && walk_run (&w, real_ys, n_ys, dys, error);
  sluice_walk_hold_inside (&w, n_states - 1);
  for (guint i = 0; i < n_xs; i++)
    {
      PartialSum *partials = state_of (&w, real_xs[i].node)->partials;
      gboolean has = ok && partials != NULL && partials[real_xs[i].port].n > 0;
      dxs[i] = has ? partials[real_xs[i].port].parts[0] : SLUICE_NO_GRAD;
    }
  walk_clear (&w);
  return ok;
}

gboolean
sluice_gradients_inside (SluiceGraph *graph,
                         SluiceNode *pivot,
                         const char *scope,
                         const SluiceEdge *ys,
                         guint n_ys,
                         const SluiceEdge *dys,
                         const SluiceEdge *xs,
                         guint n_xs,
                         SluiceGrad *dxs,
                         GError **error)
{
  sluice_graph_hold (graph);
  gboolean ok = add_gradients (graph, pivot, scope, ys, n_ys, dys, xs, n_xs, dxs, error);
  sluice_graph_release (graph);
  return ok;
}

gboolean
sluice_gradients (SluiceGraph *graph,
                  const char *scope,
                  const SluiceEdge *ys,
                  guint n_ys,
                  const SluiceEdge *dys,
                  const SluiceEdge *xs,
                  guint n_xs,
                  SluiceGrad *dxs,
                  GError **error)
{
  return sluice_gradients_inside (graph, NULL, scope, ys, n_ys, dys, xs, n_xs, dxs, error);
}
