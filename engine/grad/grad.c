/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/grad/grad.h"

#include "engine/base/error.h"
#include "engine/graph/lower.h"

/*
 * The walk of TensorFlow's gradients(): a node's gradient function runs once all nodes behind it
 * that lie on a path from an x to a y have given their share. Nodes are taken in the order in which
 * they become ready, so the same graph always gives the same gradient graph.
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

typedef struct
{
  SluiceGraph *graph;
  const char *scope;
  char *source;      /* of SluiceGradContext */
  NodeState *states; /* by node id */
  guint n_states;
  GQueue ready;
} Walk;

static NodeState *
state_of (Walk *w, const SluiceNode *node)
{
  return &w->states[node->id];
}

static SluiceEdge
role_op (SluiceBuilder *b,
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

#define ROLE_OP(b, role, ...)                                                                      \
  role_op ((b), (role), (SluiceEdge[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__),    \
           NULL, 0)

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
  return ROLE_OP (&g->b, SLUICE_ROLE_ZEROS_LIKE, sluice_grad_output (g, i));
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
  SluiceEdge s0 = ROLE_OP (b, SLUICE_ROLE_SHAPE, sluice_grad_input (g, first));
  SluiceEdge s1 = ROLE_OP (b, SLUICE_ROLE_SHAPE, sluice_grad_input (g, second));
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

static gboolean
carries_gradient (SluiceEdge edge)
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
      return (SluiceGrad){ .values = role_op (b, SLUICE_ROLE_ADD_N, values, sum->n, NULL, 0) };
    }
  g_autofree SluiceEdge *indices = g_new (SluiceEdge, sum->n + 1);
  for (guint i = 0; i < sum->n; i++)
    {
      values[i] = sum->parts[i].values;
      indices[i] = sum->parts[i].indices;
    }
  values[sum->n] = indices[sum->n] = sluice_builder_const_int32 (b, 0);
  return (SluiceGrad){
    .values = role_op (b, SLUICE_ROLE_CONCAT, values, sum->n + 1, NULL, 0),
    .indices = role_op (b, SLUICE_ROLE_CONCAT, indices, sum->n + 1, NULL, 0),
    .dense_shape = sum->parts[0].dense_shape,
  };
}

static void
add_partial (Walk *w, SluiceEdge edge, const SluiceGrad *grad)
{
  NodeState *state = state_of (w, edge.node);
  if (state->partials == NULL)
    state->partials = g_new0 (PartialSum, edge.node->n_outputs);
  PartialSum *sum = &state->partials[edge.port];
  sum->parts = g_renew (SluiceGrad, sum->parts, sum->n + 1);
  sum->parts[sum->n++] = *grad;
}

/* Marks what the xs reach going forward; the graph may have loops, so a worklist. */
static void
mark_reached (Walk *w, const SluiceEdge *xs, guint n_xs, gboolean *reached)
{
  GQueue todo = G_QUEUE_INIT;
  for (guint i = 0; i < n_xs; i++)
    if (!reached[xs[i].node->id])
      {
        reached[xs[i].node->id] = TRUE;
        g_queue_push_tail (&todo, xs[i].node);
      }
  SluiceNode *node;
  while ((node = g_queue_pop_head (&todo)) != NULL)
    {
      guint n;
      /* An edge out of a call stands for one of what the call was written out to: both go on. */
      const SluiceUse *uses = sluice_graph_get_uses (w->graph, node, &n);
      for (guint i = 0; i < n; i++)
        if (uses[i].input >= 0 && !reached[uses[i].node->id]
            && carries_gradient ((SluiceEdge){ node, uses[i].port }))
          {
            reached[uses[i].node->id] = TRUE;
            g_queue_push_tail (&todo, uses[i].node);
          }
    }
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
    for (guint i = 0; i < node->n_inputs; i++)
      {
        SluiceEdge edge = sluice_edge_resolve (node->inputs[i]);
        SluiceNode *producer = edge.node;
        if (producer == NULL || !reached[producer->id] || !carries_gradient (edge))
          continue;
        NodeState *state = state_of (w, producer);
        state->pending++;
        if (!state->between)
          {
            state->between = TRUE;
            g_queue_push_tail (&todo, producer);
          }
      }
}

static gboolean
call_gradient (Walk *w, SluiceNode *node, const SluiceGrad *dys, SluiceGrad *dxs, GError **error)
{
  if (node->error != NULL)
    {
      g_propagate_error (error, g_error_copy (node->error));
      return FALSE;
    }
  if (node->op == NULL
      || (node->op->def->gradient == NULL
          && !(node->op->def->flags & SLUICE_OP_NOT_DIFFERENTIABLE)))
    return sluice_fail (
        error, SLUICE_ERROR_NOT_FOUND,
        "no gradient is defined for op %s (node '%s'), which lies between the loss and a variable; "
        "put a StopGradient in front of it, or leave it out of the loss",
        node->op_name, node->name);
  if (node->op->def->gradient == NULL)
    return TRUE;
  g_autofree char *scope = g_strdup_printf ("%s/%s_grad", w->scope, node->name);
  SluiceGradContext g = { .node = node, .dys = dys, .dxs = dxs, .source = w->source };
  sluice_builder_init (&g.b, w->graph, scope);
  g.b.device = node->device;
  gboolean ok = node->op->def->gradient (&g, error);
  if (!ok)
    {
      g_clear_error (&g.b.error);
      return FALSE;
    }
  return sluice_builder_finish (&g.b, error);
}

static void
give_shares (Walk *w, SluiceNode *node, const SluiceGrad *dxs)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = sluice_edge_resolve (node->inputs[i]);
      SluiceNode *producer = edge.node;
      if (producer == NULL || !state_of (w, producer)->between || !carries_gradient (edge))
        continue;
      if (dxs != NULL && dxs[i].values.node != NULL)
        add_partial (w, edge, &dxs[i]);
      if (--state_of (w, producer)->pending == 0)
        g_queue_push_tail (&w->ready, producer);
    }
}

/* Adds up what reached the node's outputs, remembers it for xs, and hands shares to its inputs. */
static gboolean
visit (Walk *w, SluiceNode *node, GError **error)
{
  NodeState *state = state_of (w, node);
  if (state->partials == NULL)
    {
      give_shares (w, node, NULL);
      return TRUE;
    }
  SluiceBuilder b;
  sluice_builder_init (&b, w->graph, w->scope);
  b.device = node->device;
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

  gboolean wanted = FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = sluice_edge_resolve (node->inputs[i]);
      wanted |= edge.node != NULL && state_of (w, edge.node)->between && carries_gradient (edge);
    }
  g_autofree SluiceGrad *dxs = g_new0 (SluiceGrad, node->n_inputs);
  if (wanted && !call_gradient (w, node, dys, dxs, error))
    return FALSE;
  give_shares (w, node, dxs);
  return TRUE;
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
      add_partial (w, ys[i], &(SluiceGrad){ .values = dy });
    }
  for (guint i = 0; i < n_ys; i++)
    if (state_of (w, ys[i].node)->between && state_of (w, ys[i].node)->pending == 0
        && g_queue_find (&w->ready, ys[i].node) == NULL)
      g_queue_push_tail (&w->ready, ys[i].node);
  return sluice_builder_finish (&b, error);
}

static gboolean
walk_run (Walk *w, const SluiceEdge *ys, guint n_ys, const SluiceEdge *dys, GError **error)
{
  if (!start_ys (w, ys, n_ys, dys, error))
    return FALSE;
  SluiceNode *node;
  while ((node = g_queue_pop_head (&w->ready)) != NULL)
    if (!visit (w, node, error))
      return FALSE;
  for (guint id = 1; id < w->n_states; id++)
    if (w->states[id].between && w->states[id].pending > 0)
      return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                          "'%s' is part of a loop; gradients through loops are not built yet",
                          sluice_graph_get_node (w->graph, id - 1)->name);
  return TRUE;
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

/* The walk is over what calls were written out to. */
static SluiceEdge *
resolve_all (const SluiceEdge *edges, guint n)
{
  SluiceEdge *real = g_new (SluiceEdge, n + 1);
  for (guint i = 0; i < n; i++)
    real[i] = sluice_edge_resolve (edges[i]);
  return real;
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
  if (!check_edges ("y", ys, n_ys, error) || !check_edges ("x", xs, n_xs, error))
    return FALSE;
  sluice_graph_lower_closure (graph, ys, n_ys, NULL, 0);
  g_autofree SluiceEdge *real_ys = resolve_all (ys, n_ys);
  g_autofree SluiceEdge *real_xs = resolve_all (xs, n_xs);
  guint n_states = sluice_graph_get_n_nodes (graph) + 1;
  Walk w = { .graph = graph,
             .scope = scope,
             .source = g_strdup_printf ("%s:%u", scope, n_states),
             .states = g_new0 (NodeState, n_states),
             .n_states = n_states,
             .ready = G_QUEUE_INIT };
  g_autofree gboolean *reached = g_new0 (gboolean, n_states);
  mark_reached (&w, xs, n_xs, reached);
  mark_reached (&w, real_xs, n_xs, reached);
  mark_between (&w, real_ys, n_ys, reached);

  gboolean ok = walk_run (&w, real_ys, n_ys, dys, error);
  for (guint i = 0; i < n_xs; i++)
    {
      PartialSum *partials = state_of (&w, real_xs[i].node)->partials;
      gboolean has = ok && partials != NULL && partials[real_xs[i].port].n > 0;
      dxs[i] = has ? partials[real_xs[i].port].parts[0] : SLUICE_NO_GRAD;
    }
  walk_clear (&w);
  return ok;
}
