/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Calls of functions: PartitionedCall and its like, and the derivative of a function. They have no
 * kernels: a run sees what they are written out to (engine/graph/lower.h).
 */
#include "engine/grad/grad.h"
#include "engine/graph/lower.h"
#include "kernels/flow/flow.h"
#include "kernels/string/text.h"

static const SluiceFuncValue *
function_of (const SluiceNode *node, const char *attr)
{
  return sluice_node_get_attr (node, attr)->func;
}

static gboolean
lower_call (SluiceLowering *l, GError **error)
{
  const SluiceNode *node = l->node;
  return sluice_lowering_call (l, function_of (node, "f"), "f", node->inputs, node->n_inputs, NULL,
                               l->outputs, node->n_outputs, &l->done, error);
}

/* On the device that input 0 names, where that is known. */
static gboolean
lower_remote_call (SluiceLowering *l, GError **error)
{
  const SluiceNode *node = l->node;
  const SluiceTensor *target = sluice_edge_constant (node->inputs[0]);
  g_autofree char *device = NULL;
  if (target == NULL || target->n_elements != 1 || target->dtype != SLUICE_STRING)
    return sluice_node_fail (node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "input 0 (target) must be a constant: the device is chosen before "
                             "the run");
  device = sluice_string_dup_text (target->data);
  l->b.device = sluice_intern (device);
  return sluice_lowering_call (l, function_of (node, "f"), "f", node->inputs + 1,
                               node->n_inputs - 1, NULL, l->outputs, node->n_outputs, &l->done,
                               error);
}

/* ---- the derivative ---- */

static gboolean
is_differentiable (SluiceEdge edge)
{
  return sluice_dtype_in (sluice_edge_dtype (edge), SLUICE_SET_FLOATS | SLUICE_SET_COMPLEX)
         || sluice_edge_dtype (edge) == SLUICE_VARIANT;
}

/* By the function's own inputs: two of them may be one value of the caller. */
static gboolean
derive (SluiceLowering *l,
        const SluiceEdge *args,
        guint n_args,
        const SluiceEdge *values,
        guint n_values,
        GError **error)
{
  g_autofree char *scope = g_strconcat (l->b.scope, "/gradients", NULL);
  g_autofree SluiceEdge *ys = g_new (SluiceEdge, n_values + 1);
  g_autofree SluiceEdge *dys = g_new (SluiceEdge, n_values + 1);
  g_autofree SluiceGrad *dxs = g_new0 (SluiceGrad, n_args + 1);
  guint n_ys = 0;
  for (guint i = 0; i < n_values; i++)
    if (is_differentiable (values[i]))
      {
        ys[n_ys] = values[i];
        dys[n_ys++] = l->node->inputs[n_args + i];
      }
  SluiceNode *pivot = n_args ? args[0].node : NULL;
  if (!sluice_gradients_inside (l->b.graph, pivot, scope, ys, n_ys, dys, args, n_args, dxs, error))
    return FALSE;
  for (guint i = 0; i < n_args; i++)
    l->outputs[i] = dxs[i].values.node != NULL ? sluice_grad_to_dense (&l->b, &dxs[i])
                                               : sluice_op (&l->b, "ZerosLike", args[i]);
  return TRUE;
}

static gboolean
lower_symbolic_gradient (SluiceLowering *l, GError **error)
{
  const SluiceNode *node = l->node;
  guint n_args = node->n_outputs, n_values = node->n_inputs - MIN (n_args, node->n_inputs);
  if (node->n_inputs < n_args)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "needs the %u inputs of the function and a gradient for each of "
                             "its outputs, not %u inputs",
                             n_args, node->n_inputs);
  const SluiceFuncValue *func = function_of (node, "f");
  const char *own = sluice_graph_get_function_gradient (l->b.graph, func->name);
  if (own != NULL)
    {
      SluiceFuncValue gradient = { (char *) own, func->attrs, func->n_attrs };
      return sluice_lowering_call (l, &gradient, "gradient", node->inputs, node->n_inputs, NULL,
                                   l->outputs, node->n_outputs, &l->done, error);
    }
  g_autofree SluiceEdge *args = g_new (SluiceEdge, n_args + 1);
  g_autofree SluiceEdge *values = g_new0 (SluiceEdge, n_values + 1);
  for (guint i = 0; i < n_args; i++)
    args[i] = sluice_op (&l->b, "Identity", node->inputs[i]);
  return sluice_lowering_call (l, func, "f", args, n_args, NULL, values, n_values, &l->done, error)
         && derive (l, args, n_args, values, n_values, error);
}

/* ---- definitions ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("needs a graph with functions: tests/kernels/test-call runs them")
};

static gboolean
call_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_call (c, function_of (c->node, "f"), 0);
  return TRUE;
}

/* As the inputs of the function. */
static gboolean
symbolic_gradient_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 0; i < MIN (c->n_outputs, c->n_inputs); i++)
    sluice_flow_pass_on (c, i, i);
  return TRUE;
}

#define CALL_ATTRS                                                                                 \
  "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = ''; "                    \
  "config_proto: string = ''; executor_type: string = ''"
SLUICE_OP_DEF (partitioned_call,
               "PartitionedCall",
               "args: Tin -> output: Tout",
               CALL_ATTRS,
               0,
               call_shape,
               &recipe,
               N_ ("Calls a function"));
SLUICE_OP_DEF (stateful_partitioned_call,
               "StatefulPartitionedCall",
               "args: Tin -> output: Tout",
               CALL_ATTRS,
               SLUICE_OP_STATEFUL,
               call_shape,
               &recipe,
               N_ ("Calls a function that does more than compute"));
SLUICE_OP_DEF (remote_call,
               "RemoteCall",
               "target: string, args: Tin -> output: Tout",
               "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
               SLUICE_OP_STATEFUL,
               sluice_shape_none,
               &recipe,
               N_ ("Calls a function on another device"));
SLUICE_OP_DEF (symbolic_gradient,
               "SymbolicGradient",
               "input: Tin -> output: Tout",
               "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
               0,
               symbolic_gradient_shape,
               &recipe,
               N_ ("The derivative of a function by its inputs"));

static const SluiceOpDef *const ops[] = { &partitioned_call, &stateful_partitioned_call,
                                          &remote_call, &symbolic_gradient };

static void
init (void)
{
  sluice_lowering_register ("PartitionedCall", lower_call);
  sluice_lowering_register ("StatefulPartitionedCall", lower_call);
  sluice_lowering_register ("RemoteCall", lower_remote_call);
  sluice_lowering_register ("SymbolicGradient", lower_symbolic_gradient);
  sluice_lowering_set_called ("PartitionedCall", "f");
  sluice_lowering_set_called ("StatefulPartitionedCall", "f");
}

const SluiceKernelModule sluice_module_flow_call = { .ops = ops,
                                                     .n_ops = G_N_ELEMENTS (ops),
                                                     .init = init };
