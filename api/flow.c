/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/flow-private.h"
#include "api/flow.h"

#include <string.h>

#include "api/scope-private.h"
#include "engine/base/error.h"

struct _Flow
{
  Flow *outer;          /* (nullable) */
  char *prefix;         /* of the nodes that bring edges in */
  GHashTable *nodes;    /* set of SluiceNode: made directly within */
  GHashTable *imported; /* edge name, or "^node" -> SluiceEdge, as it is seen within */
  SluiceNode *pivot;    /* alive, and run, exactly where what is within is to run */
  char *frame;          /* (nullable): of a loop */
  gint64 parallel_iterations;
  SluiceEdge pred; /* of a branch */
  int side;        /* of a branch: the output of Switch */
};

static void
flow_clear (gpointer data)
{
  Flow *self = data;
  g_clear_pointer (&self->outer, sluice_flow_unref);
  g_free (self->prefix);
  g_free (self->frame);
  g_hash_table_unref (self->nodes);
  g_hash_table_unref (self->imported);
}

Flow *
sluice_flow_ref (Flow *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
sluice_flow_unref (Flow *self)
{
  g_atomic_rc_box_release_full (self, flow_clear);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Flow, sluice_flow_unref)

static Flow *
flow_new (SluiceScope *scope)
{
  Flow *self = g_atomic_rc_box_new0 (Flow);
  self->outer = scope->flow != NULL ? sluice_flow_ref (scope->flow) : NULL;
  self->prefix = g_strdup (scope->prefix);
  self->nodes = g_hash_table_new (NULL, NULL);
  self->imported = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

SluiceNode *
sluice_flow_get_pivot (Flow *self)
{
  return self ? self->pivot : NULL;
}

/* ---- from outside ---- */

void
sluice_flow_settle (Flow *self, SluiceGraph *graph, guint n_before)
{
  if (self == NULL)
    return;
  for (guint i = n_before; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      g_hash_table_add (self->nodes, node);
      if (node->n_inputs == 0 && node->n_control_inputs == 0)
        sluice_graph_add_control_input (graph, node, self->pivot);
    }
}

static SluiceEdge
bring_in (Flow *self, SluiceBuilder *b, SluiceEdge edge)
{
  if (edge.node == NULL)
    return edge;
  gboolean is_ref = sluice_dtype_is_ref (sluice_edge_dtype (edge));
  if (self->frame == NULL)
    return sluice_edge_port (sluice_op (b, is_ref ? "RefSwitch" : "Switch", edge, self->pred),
                             self->side);
  return sluice_op_with (
      b, is_ref ? "RefEnter" : "Enter",
      SLUICE_ATTRS (sluice_attr_string ("frame_name", self->frame),
                    sluice_attr_bool ("is_constant", TRUE),
                    sluice_attr_int ("parallel_iterations", self->parallel_iterations)),
      edge);
}

/* The value under this name within, brought in at its first use. outside: seen from the flow
 * around. */
static SluiceEdge
import_as (Flow *self, SluiceBuilder *b, const char *name, SluiceEdge outside)
{
  SluiceBuilder own;
  sluice_builder_init (&own, b->graph, self->prefix);
  guint n_before = sluice_graph_get_n_nodes (b->graph);
  SluiceEdge inside = bring_in (self, &own, outside);
  sluice_flow_settle (self, b->graph, n_before);
  if (!sluice_builder_finish (&own, b->error == NULL ? &b->error : NULL))
    return SLUICE_NO_EDGE;
  if (inside.node != NULL)
    g_hash_table_insert (self->imported, g_strdup (name), g_memdup2 (&inside, sizeof inside));
  return inside;
}

SluiceEdge
sluice_flow_import (Flow *self, SluiceBuilder *b, SluiceEdge edge)
{
  if (self == NULL || edge.node == NULL || g_hash_table_contains (self->nodes, edge.node))
    return edge;
  g_autofree char *name = sluice_api_edge_name (edge);
  const SluiceEdge *known = g_hash_table_lookup (self->imported, name);
  return known != NULL ? *known
                       : import_as (self, b, name, sluice_flow_import (self->outer, b, edge));
}

/* No control edge enters a frame: a value that waits outside does. */
SluiceNode *
sluice_flow_import_control (Flow *self, SluiceBuilder *b, SluiceNode *node)
{
  if (self == NULL || g_hash_table_contains (self->nodes, node))
    return node;
  g_autofree char *name = g_strconcat ("^", node->name, NULL);
  const SluiceEdge *known = g_hash_table_lookup (self->imported, name);
  if (known != NULL)
    return known->node;
  SluiceNode *before = sluice_flow_import_control (self->outer, b, node);
  SluiceBuilder own;
  sluice_builder_init (&own, b->graph, self->prefix);
  own.control_inputs = &before;
  own.n_control_inputs = before != NULL;
  guint n_before = sluice_graph_get_n_nodes (b->graph);
  SluiceEdge done = sluice_builder_const (&own, sluice_tensor_new_bool (TRUE));
  sluice_flow_settle (self->outer, b->graph, n_before);
  /* A Switch runs on either side, what follows it does not. */
  own.n_control_inputs = 0;
  SluiceEdge inside = sluice_flow_import (self, &own, done);
  n_before = sluice_graph_get_n_nodes (b->graph);
  SluiceEdge *seen = g_new (SluiceEdge, 1);
  *seen = sluice_op (&own, "Identity", inside);
  sluice_flow_settle (self, b->graph, n_before);
  g_hash_table_insert (self->imported, g_steal_pointer (&name), seen);
  sluice_builder_finish (&own, b->error == NULL ? &b->error : NULL);
  return seen->node;
}

/* ---- building ---- */

/* What one of the builders below is made with. */
typedef struct
{
  SluiceScope *scope; /* where its own nodes go */
  SluiceBuilder b;
  guint n_before; /* nodes of the flow around, so far */
} Work;

static void
work_begin (Work *work, SluiceScope *self, const char *name, const char *first)
{
  *work = (Work){ .scope = sluice_scope_new_below (self, name, first) };
  work->b = sluice_scope_builder (work->scope);
  work->n_before = sluice_graph_get_n_nodes (self->graph);
}

/* What was made since the last call is of the flow around. */
static void
work_settle (Work *work)
{
  sluice_flow_settle (work->scope->flow, work->scope->graph, work->n_before);
  work->n_before = sluice_graph_get_n_nodes (work->scope->graph);
}

static void
work_skip (Work *work)
{
  work->n_before = sluice_graph_get_n_nodes (work->scope->graph);
}

/* An edge by name, as it is seen in the flow. */
static SluiceEdge
read_edge (SluiceScope *scope, Flow *flow, const char *what, const char *text, GError **error)
{
  SluiceEdge edge;
  if (!sluice_graph_parse_edge (scope->graph, text, &edge, error))
    {
      g_prefix_error (error, "'%s': %s: ", scope->prefix, what);
      return SLUICE_NO_EDGE;
    }
  SluiceBuilder b;
  sluice_builder_init (&b, scope->graph, NULL);
  edge = sluice_flow_import (flow, &b, edge);
  return sluice_builder_finish (&b, error) ? edge : SLUICE_NO_EDGE;
}

/* "^node": a value that is there once it has run. */
static SluiceEdge
read_output (SluiceScope *scope, const char *what, const char *text, GError **error)
{
  if (*text != '^')
    return read_edge (scope, scope->flow, what, text, error);
  SluiceNode *node = sluice_graph_find (scope->graph, text + 1);
  if (node == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "'%s': %s: there is no node '%s'", scope->prefix,
                   what, text + 1);
      return SLUICE_NO_EDGE;
    }
  SluiceBuilder b;
  sluice_builder_init (&b, scope->graph, scope->prefix);
  guint n_before = sluice_graph_get_n_nodes (scope->graph);
  SluiceEdge done = sluice_op (&b, "Identity", (SluiceEdge){ scope->flow->pivot, 0 });
  SluiceNode *before = sluice_flow_import_control (scope->flow, &b, node);
  if (done.node != NULL && before != NULL)
    sluice_graph_add_control_input (scope->graph, done.node, before);
  sluice_flow_settle (scope->flow, scope->graph, n_before);
  return sluice_builder_finish (&b, error) ? done : SLUICE_NO_EDGE;
}

/* (transfer full) (nullable): of SluiceEdge: what a function builds within a flow. */
static GArray *
call_func (Work *work,
           Flow *flow,
           SluiceFlowFunc func,
           const char *const *inputs,
           gpointer user_data,
           const char *what,
           GError **error)
{
  g_autoptr (SluiceScope) inside = sluice_scope_copy (work->scope);
  g_ptr_array_set_size (inside->control_inputs, 0); /* what the flow waits for has them */
  g_clear_pointer (&inside->flow, sluice_flow_unref);
  inside->flow = sluice_flow_ref (flow);
  g_autoptr (GError) local = NULL;
  g_auto (GStrv) names = func (inside, inputs, user_data, &local);
  if (names == NULL)
    {
      if (local == NULL)
        sluice_fail (&local, SLUICE_ERROR_INVALID_ARGUMENT, "'%s': %s returns nothing",
                     inside->prefix, what);
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  for (guint i = 0; names[i] != NULL; i++)
    {
      SluiceEdge edge = read_output (inside, what, names[i], error);
      if (edge.node == NULL)
        return NULL;
      g_array_append_val (edges, edge);
    }
  return g_steal_pointer (&edges);
}

static char **
name_edges (const SluiceEdge *edges, guint n)
{
  char **names = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = sluice_api_edge_name (edges[i]);
  return names;
}

/* ---- conditions ---- */

static gboolean
check_pred (SluiceScope *scope, SluiceEdge pred, GError **error)
{
  char text[SLUICE_SHAPE_STR];
  if (sluice_dtype_base (sluice_edge_dtype (pred)) == SLUICE_BOOL
      && sluice_shape_compatible (sluice_edge_shape (pred), &SLUICE_SHAPE_SCALAR))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "'%s': the condition '%s:%d' is %s%s, a scalar bool is wanted", scope->prefix,
                      pred.node->name, pred.port, sluice_dtype_name (sluice_edge_dtype (pred)),
                      sluice_shape_str (sluice_edge_shape (pred), text));
}

/* Both must return the same number of edges, of the same dtypes. */
static gboolean
check_same (SluiceScope *scope,
            const SluiceEdge *a,
            guint n_a,
            const SluiceEdge *b,
            guint n_b,
            const char *what,
            GError **error)
{
  if (n_a != n_b || n_a == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s': %s: %u edges and %u; they must be as many, and at least one",
                        scope->prefix, what, n_a, n_b);
  for (guint i = 0; i < n_a; i++)
    {
      SluiceDType x = sluice_dtype_base (sluice_edge_dtype (a[i]));
      SluiceDType y = sluice_dtype_base (sluice_edge_dtype (b[i]));
      if (x != y)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s': %s: '%s:%d' is %s and '%s:%d' is %s; they must be the same",
                            scope->prefix, what, a[i].node->name, a[i].port, sluice_dtype_name (x),
                            b[i].node->name, b[i].port, sluice_dtype_name (y));
    }
  return TRUE;
}

static Flow *
branch_new (Work *work, SluiceEdge chosen, SluiceEdge pred, int side)
{
  SluiceEdge pivot = sluice_op (&work->b, "Identity", sluice_edge_port (chosen, side));
  work_settle (work);
  if (pivot.node == NULL)
    return NULL;
  Flow *flow = flow_new (work->scope);
  flow->pred = pred;
  flow->side = side;
  flow->pivot = pivot.node;
  g_hash_table_add (flow->nodes, pivot.node);
  return flow;
}

static char **
merge_branches (Work *work, const GArray *no, const GArray *yes, GError **error)
{
  const SluiceEdge *a = (const SluiceEdge *) no->data, *b = (const SluiceEdge *) yes->data;
  if (!check_same (work->scope, b, yes->len, a, no->len, "the functions return", error))
    return NULL;
  g_autofree SluiceEdge *merged = g_new0 (SluiceEdge, no->len);
  work_skip (work);
  for (guint i = 0; i < no->len; i++)
    merged[i] = sluice_op (&work->b, "Merge", a[i], b[i]);
  work_settle (work);
  return sluice_builder_finish (&work->b, error) ? name_edges (merged, no->len) : NULL;
}

static char **
build_cond (
    Work *work, SluiceEdge pred, const SluiceFlowFunc *funcs, gpointer *data, GError **error)
{
  GArray *outputs[2] = { NULL, NULL };
  SluiceEdge chosen = sluice_op (&work->b, "Switch", pred, pred);
  SluiceEdge held = sluice_op (&work->b, "Identity", pred);
  work_settle (work);
  char **result = NULL;
  for (int side = 1; side >= 0; side--)
    {
      work_skip (work);
      g_autoptr (Flow) flow = branch_new (work, chosen, held, side);
      if (flow == NULL)
        {
          sluice_builder_finish (&work->b, error);
          break;
        }
      outputs[side] =
          call_func (work, flow, funcs[side], NULL, data[side],
                     side == 1 ? "the function of true" : "the function of false", error);
      if (outputs[side] == NULL)
        break;
    }
  if (outputs[0] != NULL && outputs[1] != NULL)
    result = merge_branches (work, outputs[0], outputs[1], error);
  for (int side = 0; side < 2; side++)
    g_clear_pointer (&outputs[side], g_array_unref);
  return result;
}

char **
sluice_scope_add_cond (SluiceScope *self,
                       const char *name,
                       const char *pred,
                       SluiceFlowFunc then_func,
                       gpointer then_data,
                       SluiceFlowFunc else_func,
                       gpointer else_data,
                       GError **error)
{
  g_return_val_if_fail (pred != NULL && then_func != NULL && else_func != NULL, NULL);
  Work work;
  work_begin (&work, self, name != NULL ? name : "cond", "Switch");
  g_autoptr (SluiceScope) scope = work.scope;
  SluiceEdge edge = read_edge (scope, scope->flow, "condition", pred, error);
  if (edge.node == NULL || !check_pred (scope, edge, error))
    return NULL;
  work_skip (&work);
  return build_cond (&work, edge, (const SluiceFlowFunc[]){ else_func, then_func },
                     (gpointer[]){ else_data, then_data }, error);
}

/* ---- cases ---- */

typedef struct
{
  const char *const *preds; /* those that are left */
  guint branch;
  SluiceCaseFunc func;
  gpointer user_data;
} Case;

static char **
this_case (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  Case *self = data;
  return self->func (scope, self->branch, self->user_data, error);
}

static char **
other_cases (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  Case rest = *(Case *) data;
  rest.preds++;
  rest.branch++;
  return *rest.preds == NULL ? this_case (scope, inputs, &rest, error)
                             : sluice_scope_add_cond (scope, NULL, *rest.preds, this_case, &rest,
                                                      other_cases, &rest, error);
}

char **
sluice_scope_add_case (SluiceScope *self,
                       const char *name,
                       const char *const *preds,
                       SluiceCaseFunc func,
                       gpointer user_data,
                       GError **error)
{
  g_return_val_if_fail (func != NULL, NULL);
  if (preds == NULL || *preds == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s': a case needs a condition",
                   self->prefix);
      return NULL;
    }
  Case first = { preds, 0, func, user_data };
  return sluice_scope_add_cond (self, name != NULL ? name : "case", *preds, this_case, &first,
                                other_cases, &first, error);
}

/* ---- loops ---- */

/* A loop in the making: its variables at their places. */
typedef struct
{
  guint n;
  SluiceEdge *merged; /* at the head of an iteration */
  SluiceEdge *inside; /* where it goes on */
  SluiceEdge *after;  /* of the last one, outside */
} Loop;

static void
loop_clear (Loop *loop)
{
  g_free (loop->merged);
  g_free (loop->inside);
  g_free (loop->after);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loop, loop_clear)

/* Into the frame. Enter nodes have the control inputs of the scope, and so all that is within. */
static gboolean
loop_enter (Loop *loop, Work *work, Flow *flow, const char *const *inputs, GError **error)
{
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", flow->frame),
                         sluice_attr_int ("parallel_iterations", flow->parallel_iterations) };
  *loop = (Loop){ 0, g_new0 (SluiceEdge, g_strv_length ((char **) inputs)),
                  g_new0 (SluiceEdge, g_strv_length ((char **) inputs)),
                  g_new0 (SluiceEdge, g_strv_length ((char **) inputs)) };
  for (; inputs[loop->n] != NULL; loop->n++)
    {
      SluiceEdge value =
          read_edge (work->scope, work->scope->flow, "variable", inputs[loop->n], error);
      if (value.node == NULL)
        return FALSE;
      guint n_before = sluice_graph_get_n_nodes (work->scope->graph);
      SluiceEdge entered =
          sluice_builder_add (&work->b, "Enter", NULL, &value, 1, attrs, G_N_ELEMENTS (attrs));
      SluiceBuilder b;
      sluice_builder_init (&b, work->scope->graph, work->scope->prefix);
      SluiceEdge merged =
          entered.node != NULL ? sluice_op (&b, "Merge", entered, entered) : SLUICE_NO_EDGE;
      if (!sluice_builder_finish (&work->b, error) || !sluice_builder_finish (&b, error))
        return FALSE;
      flow->pivot = loop->n == 0 ? merged.node : flow->pivot;
      loop->merged[loop->n] = merged;
      sluice_flow_settle (flow, work->scope->graph, n_before);
    }
  return TRUE;
}

/* The condition, and both ways that it may go. */
static gboolean
loop_test (
    Loop *loop, Work *work, Flow *flow, SluiceFlowFunc func, gpointer user_data, GError **error)
{
  g_auto (GStrv) names = name_edges (loop->merged, loop->n);
  g_autoptr (GArray) outputs =
      call_func (work, flow, func, (const char *const *) names, user_data, "the condition", error);
  if (outputs == NULL)
    return FALSE;
  if (outputs->len != 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s': the condition returns %u edges, one is wanted", work->scope->prefix,
                        outputs->len);
  SluiceEdge pred = g_array_index (outputs, SluiceEdge, 0);
  if (!check_pred (work->scope, pred, error))
    return FALSE;
  SluiceBuilder b;
  sluice_builder_init (&b, work->scope->graph, work->scope->prefix);
  guint n_before = sluice_graph_get_n_nodes (b.graph);
  SluiceEdge goes_on = sluice_op (&b, "LoopCond", pred);
  g_autofree SluiceEdge *sides = g_new0 (SluiceEdge, loop->n);
  for (guint i = 0; i < loop->n; i++)
    {
      sides[i] = sluice_op (&b, "Switch", loop->merged[i], goes_on);
      loop->inside[i] = sluice_op (&b, "Identity", sluice_edge_port (sides[i], 1));
    }
  sluice_flow_settle (flow, b.graph, n_before);
  work_skip (work);
  for (guint i = 0; i < loop->n; i++)
    loop->after[i] = sluice_op (&b, "Exit", sides[i]);
  work_settle (work);
  return sluice_builder_finish (&b, error);
}

/* What an iteration makes goes to the next. */
static gboolean
loop_turn (
    Loop *loop, Work *work, Flow *flow, SluiceFlowFunc func, gpointer user_data, GError **error)
{
  g_auto (GStrv) names = name_edges (loop->inside, loop->n);
  flow->pivot = loop->inside[0].node;
  g_autoptr (GArray) outputs =
      call_func (work, flow, func, (const char *const *) names, user_data, "the body", error);
  const SluiceEdge *next = outputs != NULL ? (const SluiceEdge *) outputs->data : NULL;
  if (outputs == NULL
      || !check_same (work->scope, loop->merged, loop->n, next, outputs->len,
                      "variables, and what the body returns", error))
    return FALSE;
  SluiceBuilder b;
  sluice_builder_init (&b, work->scope->graph, work->scope->prefix);
  for (guint i = 0; i < loop->n; i++)
    {
      guint n_before = sluice_graph_get_n_nodes (b.graph);
      SluiceEdge back = sluice_op (&b, "NextIteration", next[i]);
      sluice_flow_settle (flow, b.graph, n_before);
      if (back.node != NULL)
        sluice_graph_set_input (b.graph, loop->merged[i].node, 1, back, &b.error);
    }
  return sluice_builder_finish (&b, error);
}

char **
sluice_scope_add_while (SluiceScope *self,
                        const char *name,
                        const char *const *inputs,
                        SluiceFlowFunc cond_func,
                        gpointer cond_data,
                        SluiceFlowFunc body_func,
                        gpointer body_data,
                        gint parallel_iterations,
                        GError **error)
{
  g_return_val_if_fail (cond_func != NULL && body_func != NULL, NULL);
  Work work;
  work_begin (&work, self, name != NULL ? name : "while", "Enter");
  g_autoptr (SluiceScope) scope = work.scope;
  if (inputs == NULL || *inputs == NULL || parallel_iterations < 1)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s': a loop needs a variable, and parallel_iterations of at least 1, not %d",
                   scope->prefix, parallel_iterations);
      return NULL;
    }
  g_autoptr (Flow) flow = flow_new (scope);
  flow->frame = g_strconcat (scope->prefix, "/while_context", NULL);
  flow->parallel_iterations = parallel_iterations;
  g_auto (Loop) loop = { 0 };
  if (!loop_enter (&loop, &work, flow, inputs, error)
      || !loop_test (&loop, &work, flow, cond_func, cond_data, error)
      || !loop_turn (&loop, &work, flow, body_func, body_data, error))
    return NULL;
  return name_edges (loop.after, loop.n);
}
