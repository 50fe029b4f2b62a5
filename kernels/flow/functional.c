/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Control flow by functions: If, Case, While and For, written out as Switch, Merge and the frame of
 * a loop. What runs, and what is differentiated, is that.
 */
#include <string.h>

#include "engine/graph/lower.h"
#include "kernels/flow/flow.h"

static const SluiceFuncValue *
function_of (const SluiceNode *node, const char *attr)
{
  return sluice_node_get_attr (node, attr)->func;
}

static SluiceEdge
to_bool (SluiceLowering *l, SluiceEdge value)
{
  return value.node == NULL || sluice_edge_dtype (value) == SLUICE_BOOL
             ? value
             : sluice_op (&l->b, "ToBool", value);
}

/* Nodes made from here on come after the call's control inputs, or not. */
static void
after_controls (SluiceLowering *l, gboolean after)
{
  l->b.control_inputs = after ? l->node->control_inputs : NULL;
  l->b.n_control_inputs = after ? l->node->n_control_inputs : 0;
}

/* A node that runs behind others. */
static SluiceEdge
identity_after (SluiceLowering *l, SluiceEdge value, SluiceNode *before)
{
  SluiceEdge edge = sluice_op (&l->b, "Identity", value);
  if (edge.node != NULL && before != NULL)
    sluice_graph_add_control_input (l->b.graph, edge.node, before);
  return edge;
}

/* ---- branches ---- */

/* One of several ways through a call: values that are alive where it is taken. */
typedef struct
{
  SluiceEdge *inputs;
  SluiceEdge pivot;
} Way;

/* Of a branch: its outputs, and a value that is there when all of it has run. */
typedef struct
{
  SluiceEdge *outputs;
  SluiceEdge done;
} Branch;

static Branch *
branches_new (guint n, guint n_outputs)
{
  Branch *branches = g_new0 (Branch, n);
  for (guint i = 0; i < n; i++)
    branches[i].outputs = g_new0 (SluiceEdge, n_outputs + 1);
  return branches;
}

static void
branches_free (Branch *branches, guint n)
{
  for (guint i = 0; i < n; i++)
    g_free (branches[i].outputs);
  g_free (branches);
}

static gboolean
run_branch (SluiceLowering *l,
            const SluiceFuncValue *func,
            const char *scope,
            const Way *way,
            guint n_inputs,
            Branch *branch,
            GError **error)
{
  SluiceNode *done = NULL;
  SluiceEdge pivot = sluice_op (&l->b, "Identity", way->pivot);
  if (!sluice_lowering_call (l, func, scope, way->inputs, n_inputs, pivot.node, branch->outputs,
                             l->node->n_outputs, &done, error))
    return FALSE;
  branch->done = identity_after (l, pivot, done);
  return TRUE;
}

/* The outputs of the call are those of the branch that ran. */
static void
merge_branches (SluiceLowering *l, const Branch *branches, guint n)
{
  g_autofree SluiceEdge *values = g_new (SluiceEdge, n);
  for (guint i = 0; i <= l->node->n_outputs; i++)
    {
      gboolean is_done = i == l->node->n_outputs;
      for (guint k = 0; k < n; k++)
        values[k] = is_done ? branches[k].done : branches[k].outputs[i];
      SluiceEdge merged = sluice_builder_add (&l->b, "Merge", NULL, values, n, NULL, 0);
      if (is_done)
        l->done = merged.node;
      else
        l->outputs[i] = merged;
    }
}

/* Both ways at a Switch: *way becomes the one where pred is false, taken the other. */
static void
switch_way (SluiceLowering *l, Way *way, Way *taken, guint n_inputs, SluiceEdge pred)
{
  after_controls (l, TRUE);
  for (guint i = 0; i <= n_inputs; i++)
    {
      SluiceEdge *value = i < n_inputs ? &way->inputs[i] : &way->pivot;
      SluiceEdge side = sluice_op (&l->b, "Switch", *value, pred);
      *(i < n_inputs ? &taken->inputs[i] : &taken->pivot) = sluice_edge_port (side, 1);
      *value = side;
    }
  after_controls (l, FALSE);
}

static void
way_init (Way *way, const SluiceNode *node)
{
  way->inputs = g_new0 (SluiceEdge, node->n_inputs);
  memcpy (way->inputs, node->inputs + 1, (node->n_inputs - 1) * sizeof (SluiceEdge));
  way->pivot = node->inputs[0];
}

static gboolean
lower_if (SluiceLowering *l, GError **error)
{
  const SluiceNode *node = l->node;
  guint n_inputs = node->n_inputs - 1;
  SluiceEdge pred = to_bool (l, node->inputs[0]);
  Way no, yes;
  way_init (&no, node);
  way_init (&yes, node);
  no.pivot = pred;
  switch_way (l, &no, &yes, n_inputs, pred);
  Branch *branches = branches_new (2, node->n_outputs);
  gboolean ok =
      run_branch (l, function_of (node, "else_branch"), "else", &no, n_inputs, &branches[0], error)
      && run_branch (l, function_of (node, "then_branch"), "then", &yes, n_inputs, &branches[1],
                     error);
  if (ok)
    merge_branches (l, branches, 2);
  branches_free (branches, 2);
  g_free (no.inputs);
  g_free (yes.inputs);
  return ok;
}

/* A number that is none of a branch's takes the last. */
static gboolean
lower_case (SluiceLowering *l, GError **error)
{
  const SluiceNode *node = l->node;
  const SluiceAttrValue *functions = sluice_node_get_attr (node, "branches");
  guint n = functions->list.n, n_inputs = node->n_inputs - 1;
  Way rest, taken;
  gboolean ok = TRUE;
  way_init (&rest, node);
  way_init (&taken, node);
  Branch *branches = branches_new (n, node->n_outputs);
  for (guint i = 0; ok && i < n; i++)
    {
      g_autofree char *scope = g_strdup_printf ("branch_%u", i);
      if (i + 1 < n)
        {
          SluiceEdge number = sluice_builder_const_int32 (&l->b, (gint32) i);
          switch_way (l, &rest, &taken, n_inputs,
                      sluice_op (&l->b, "Equal", node->inputs[0], number));
        }
      ok = run_branch (l, functions->list.items[i].func, scope, i + 1 < n ? &taken : &rest,
                       n_inputs, &branches[i], error);
    }
  if (ok)
    merge_branches (l, branches, n);
  branches_free (branches, n);
  g_free (rest.inputs);
  g_free (taken.inputs);
  return ok;
}

/* ---- loops ---- */

/* A loop in the making: variables at its three places. */
typedef struct
{
  guint n;
  SluiceEdge *merged; /* at the head of an iteration */
  SluiceEdge *inside; /* where the iteration goes on */
  SluiceEdge *after;  /* of the last one, outside */
} Loop;

/* What its gradient keeps may leave the memory: an op that says nothing of it forbids nothing, and
 * no value does before the memory gets short. */
static void
loop_begin (Loop *loop, SluiceLowering *l, const SluiceEdge *values, guint n, gint64 parallel)
{
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", l->b.scope),
                         sluice_attr_int ("parallel_iterations", parallel),
                         sluice_attr_bool ("_swap_memory", TRUE) };
  *loop = (Loop){ n, g_new0 (SluiceEdge, n), g_new0 (SluiceEdge, n), g_new0 (SluiceEdge, n) };
  for (guint i = 0; i < n; i++)
    {
      after_controls (l, TRUE);
      SluiceEdge entered =
          sluice_builder_add (&l->b, "Enter", NULL, &values[i], 1, attrs, G_N_ELEMENTS (attrs));
      after_controls (l, FALSE);
      loop->merged[i] = sluice_op (&l->b, "Merge", entered, entered);
    }
}

static void
loop_test (Loop *loop, SluiceLowering *l, SluiceEdge pred)
{
  SluiceEdge goes_on = sluice_op (&l->b, "LoopCond", pred);
  for (guint i = 0; i < loop->n; i++)
    {
      SluiceEdge side = sluice_op (&l->b, "Switch", loop->merged[i], goes_on);
      loop->inside[i] = sluice_op (&l->b, "Identity", sluice_edge_port (side, 1));
      loop->after[i] = sluice_op (&l->b, "Exit", side);
    }
}

static void
loop_end (Loop *loop, SluiceLowering *l, const SluiceEdge *next)
{
  for (guint i = 0; i < loop->n; i++)
    {
      SluiceEdge back = sluice_op (&l->b, "NextIteration", next[i]);
      if (back.node != NULL)
        sluice_graph_set_input (l->b.graph, loop->merged[i].node, 1, back, &l->b.error);
    }
}

static void
loop_clear (Loop *loop)
{
  g_free (loop->merged);
  g_free (loop->inside);
  g_free (loop->after);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loop, loop_clear)

/* The call is over when the loop is left. */
static void
finish_loop (SluiceLowering *l, const Loop *loop, guint first)
{
  SluiceEdge last = sluice_op (&l->b, "Identity", loop->after[loop->n - 1]);
  for (guint i = first; i < loop->n; i++)
    {
      l->outputs[i - first] = loop->after[i];
      if (last.node != NULL)
        sluice_graph_add_control_input (l->b.graph, last.node, loop->after[i].node);
    }
  l->done = last.node;
}

static gboolean
lower_while (SluiceLowering *l, GError **error)
{
  SluiceNode *node = l->node;
  guint n = node->n_inputs;
  if (n == 0)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a loop without variables either does nothing or never ends");
  g_auto (Loop) loop = { 0 };
  g_autofree SluiceEdge *next = g_new0 (SluiceEdge, n);
  SluiceEdge pred = SLUICE_NO_EDGE;
  loop_begin (&loop, l, node->inputs, n, sluice_node_get_int (node, "parallel_iterations"));
  SluiceEdge pivot = sluice_op (&l->b, "Identity", loop.merged[0]);
  if (!sluice_lowering_call (l, function_of (node, "cond"), "cond", loop.merged, n, pivot.node,
                             &pred, 1, NULL, error))
    return FALSE;
  loop_test (&loop, l, to_bool (l, pred));
  if (!sluice_lowering_call (l, function_of (node, "body"), "body", loop.inside, n,
                             loop.inside[0].node, next, n, NULL, error))
    return FALSE;
  loop_end (&loop, l, next);
  finish_loop (l, &loop, 0);
  return TRUE;
}

/* (delta > 0 and a < b) or (delta < 0 and a > b) */
static SluiceEdge
lies_before (SluiceLowering *l, SluiceEdge a, SluiceEdge b, SluiceEdge delta, SluiceEdge zero)
{
  SluiceEdge up = sluice_op (&l->b, "LogicalAnd", sluice_op (&l->b, "Greater", delta, zero),
                             sluice_op (&l->b, "Less", a, b));
  SluiceEdge down = sluice_op (&l->b, "LogicalAnd", sluice_op (&l->b, "Less", delta, zero),
                               sluice_op (&l->b, "Greater", a, b));
  return sluice_op (&l->b, "LogicalOr", up, down);
}

/* A loop that would never end, or that starts behind its limit, fails. */
static SluiceNode *
check_for (SluiceLowering *l, SluiceEdge start, SluiceEdge limit, SluiceEdge delta)
{
  SluiceEdge zero = sluice_builder_const_int32 (&l->b, 0);
  SluiceEdge ok = sluice_op (&l->b, "LogicalOr", sluice_op (&l->b, "Equal", start, limit),
                             lies_before (l, start, limit, delta, zero));
  SluiceEdge what =
      sluice_builder_const (&l->b, sluice_tensor_new_string ("For: start, limit, delta", -1));
  SluiceEdge inputs[] = { ok, what, start, limit, delta };
  g_autofree char *wanted = g_strconcat (l->b.scope, "/Assert", NULL);
  g_autofree char *name = sluice_graph_unique_name (l->b.graph, wanted);
  SluiceNodeSpec spec = { .name = name,
                          .op = "Assert",
                          .device = l->b.device,
                          .inputs = inputs,
                          .n_inputs = G_N_ELEMENTS (inputs) };
  return l->b.error == NULL ? sluice_graph_add (l->b.graph, &spec, &l->b.error) : NULL;
}

/* Variables: the counter, its limit and its step, then those of the body. */
static gboolean
lower_for (SluiceLowering *l, GError **error)
{
  SluiceNode *node = l->node;
  guint n = node->n_inputs, n_own = n - 3;
  g_autofree SluiceEdge *start = g_memdup2 (node->inputs, n * sizeof (SluiceEdge));
  g_autofree SluiceEdge *args = g_new (SluiceEdge, n_own + 1);
  g_autofree SluiceEdge *next = g_new0 (SluiceEdge, n);
  g_auto (Loop) loop = { 0 };
  SluiceNode *checked = check_for (l, start[0], start[1], start[2]);
  start[0] = identity_after (l, start[0], checked);
  loop_begin (&loop, l, start, n, 10);
  SluiceEdge pivot = sluice_op (&l->b, "Identity", loop.merged[0]);
  if (pivot.node == NULL)
    return sluice_builder_finish (&l->b, error);
  l->b.control_inputs = &pivot.node;
  l->b.n_control_inputs = 1;
  SluiceEdge zero = sluice_builder_const_int32 (&l->b, 0);
  after_controls (l, FALSE);
  loop_test (&loop, l, lies_before (l, loop.merged[0], loop.merged[1], loop.merged[2], zero));
  args[0] = loop.inside[0];
  memcpy (args + 1, loop.inside + 3, n_own * sizeof (SluiceEdge));
  if (!sluice_lowering_call (l, function_of (node, "body"), "body", args, n_own + 1,
                             loop.inside[0].node, next + 3, n_own, NULL, error))
    return FALSE;
  next[0] = sluice_op (&l->b, "AddV2", loop.inside[0], loop.inside[2]);
  next[1] = loop.inside[1];
  next[2] = loop.inside[2];
  loop_end (&loop, l, next);
  finish_loop (l, &loop, 3);
  return TRUE;
}

/* ---- definitions ---- */

/* What attribute output_shapes says; without it `inputs` of While have the shapes of the outputs.
 */
static gboolean
functional_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (c->node, "output_shapes");
  for (guint i = 0; shapes != NULL && shapes->list.n == c->n_outputs && i < c->n_outputs; i++)
    if (shapes->list.items[i].kind == SLUICE_ATTR_SHAPE)
      sluice_shape_context_set (c, i, &shapes->list.items[i].shape);
  return TRUE;
}

static gboolean
while_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (c->node, "output_shapes");
  if (shapes->list.n == 0)
    return sluice_flow_pass_all (c, error);
  for (guint i = 0; i < MIN (c->n_inputs, c->n_outputs); i++)
    if (c->node->outputs[i].dtype == SLUICE_RESOURCE)
      sluice_flow_pass_on (c, i, i); /* the loop hands on whose handle it is */
  return functional_shape (c, error);
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("needs a graph with functions: tests/kernels/test-call runs them")
};

/* Each with a twin that the graph may leave out where nothing needs its values. */
#define DEFINE_BOTH(id, op_name, op_signature, op_attrs, op_shape, text)                           \
  SLUICE_OP_DEF (id, op_name, op_signature, op_attrs, SLUICE_OP_STATEFUL, op_shape, &recipe,       \
                 text);                                                                            \
  SLUICE_OP_DEF (stateless_##id, "Stateless" op_name, op_signature, op_attrs, 0, op_shape,         \
                 &recipe, text)

#define LISTS  "Tin: list(type) >= 0; Tout: list(type) >= 0; "
#define SHAPES "output_shapes: list(shape) = []"
DEFINE_BOTH (if_op,
             "If",
             "cond: Tcond, input: Tin -> output: Tout",
             "Tcond: type; " LISTS "then_branch: func; else_branch: func; " SHAPES,
             functional_shape,
             N_ ("Calls one of two functions"));
DEFINE_BOTH (case_op,
             "Case",
             "branch_index: int32, input: Tin -> output: Tout",
             LISTS "branches: list(func) >= 1; " SHAPES,
             functional_shape,
             N_ ("Calls one of several functions"));
DEFINE_BOTH (while_op,
             "While",
             "input: T -> output: T",
             "T: list(type) >= 0; cond: func; body: func; " SHAPES
             "; parallel_iterations: int = 10",
             while_shape,
             N_ ("Calls a function again and again while another says so"));
SLUICE_OP_DEF (for_op,
               "For",
               "start: int32, limit: int32, delta: int32, input: T -> output: T",
               "T: list(type) >= 0; body: func",
               0,
               NULL,
               &recipe,
               N_ ("Calls a function with each number of a range"));

static const SluiceOpDef *const ops[] = {
  &if_op, &stateless_if_op, &case_op, &stateless_case_op, &while_op, &stateless_while_op, &for_op
};

static void
init (void)
{
  sluice_lowering_register ("If", lower_if);
  sluice_lowering_register ("StatelessIf", lower_if);
  sluice_lowering_register ("Case", lower_case);
  sluice_lowering_register ("StatelessCase", lower_case);
  sluice_lowering_register ("While", lower_while);
  sluice_lowering_register ("StatelessWhile", lower_while);
  sluice_lowering_register ("For", lower_for);
}

const SluiceKernelModule sluice_module_flow_functional = { .ops = ops,
                                                           .n_ops = G_N_ELEMENTS (ops),
                                                           .init = init };
