/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Optimizers: each changes a variable and its slots in place by one rule of a gradient.
 *
 *   GradientDescent  var -= delta alpha
 *   Momentum         accum = accum momentum + grad;  var -= accum lr
 *                    Nesterov: var -= grad lr + accum momentum lr
 *   Adam             a = lr sqrt(1 - beta2^t) / (1 - beta1^t);  m += (grad - m)(1 - beta1)
 *                    v += (grad^2 - v)(1 - beta2);  var -= m a / (sqrt(v) + epsilon)
 *
 * The Apply forms take references and hand the variable on, the Resource forms take handles.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/* Merges the shapes of the variable, its slots and the gradient; the other inputs are scalars. */
static gboolean
reference_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[0];
  for (guint i = 1; i < c->n_inputs; i++)
    {
      const SluiceArg *arg = &c->node->op->inputs[i];
      gboolean like_variable =
          arg->is_ref || g_str_equal (arg->name, "grad") || g_str_equal (arg->name, "delta");
      if (!like_variable)
        {
          if (!sluice_shape_context_want_rank (c, i, 0, error))
            return FALSE;
          continue;
        }
      SluiceShape both;
      if (!sluice_shape_context_merge (c, 0, i, &both, error)
          || !sluice_shape_merge (&shape, &both, &shape))
        return FALSE;
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* Outputs nothing; shapes of variables are known when the step runs. */
static gboolean
resource_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 0; i < c->n_inputs; i++)
    {
      const char *name = c->node->op->inputs[i].name;
      if (c->node->op->inputs[i].type != SLUICE_RESOURCE && !g_str_equal (name, "grad")
          && !g_str_equal (name, "delta") && !sluice_shape_context_want_rank (c, i, 0, error))
        return FALSE;
    }
  return TRUE;
}

static void
apply_cost (const SluiceNode *node, const SluiceShape *in, const SluiceShape *out, SluiceCost *cost)
{
  guint slots = 0, gradient = 0;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      const SluiceArg *arg = &node->op->inputs[i];
      if (arg->is_ref || arg->type == SLUICE_RESOURCE)
        slots++;
      else if (g_str_equal (arg->name, "grad") || g_str_equal (arg->name, "delta"))
        gradient = i;
    }
  double n = (double) sluice_shape_n_elements (&in[gradient]);
  gsize size = sluice_dtype_size (sluice_edge_dtype (node->inputs[gradient]));
  cost->flops = n * 4 * slots;
  cost->bytes = n * (double) size * (2 * slots + 1);
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("changes variables: tests/kernels/test-train makes them")
};

#define REFERENCE_OP(id, op_name, text, inputs, extra)                                             \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = inputs " -> out: Ref(T)",                                                         \
    .attrs = "T: number; use_locking: bool = false" extra,                                         \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_NOT_DIFFERENTIABLE,                                                         \
    .shape = reference_shape,                                                                      \
    .cost = apply_cost,                                                                            \
    .recipe = &recipe,                                                                             \
  }
#define RESOURCE_OP(id, op_name, text, inputs, extra)                                              \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = inputs " ->",                                                                     \
    .attrs = "T: number; use_locking: bool = false" extra,                                         \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,                                    \
    .shape = resource_shape,                                                                       \
    .cost = apply_cost,                                                                            \
    .recipe = &recipe,                                                                             \
  }
#define NESTEROV "; use_nesterov: bool = false"

REFERENCE_OP (descent_op,
              "ApplyGradientDescent",
              N_ ("Gradient descent"),
              "var: Ref(T), alpha: T, delta: T",
              "");
RESOURCE_OP (resource_descent_op,
             "ResourceApplyGradientDescent",
             N_ ("Gradient descent"),
             "var: resource, alpha: T, delta: T",
             "");
REFERENCE_OP (momentum_op,
              "ApplyMomentum",
              N_ ("Gradient descent with momentum"),
              "var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T",
              NESTEROV);
RESOURCE_OP (resource_momentum_op,
             "ResourceApplyMomentum",
             N_ ("Gradient descent with momentum"),
             "var: resource, accum: resource, lr: T, grad: T, momentum: T",
             NESTEROV);
REFERENCE_OP (adam_op,
              "ApplyAdam",
              N_ ("Adam: gradient descent with adaptive moments"),
              "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: T, "
              "beta2: T, epsilon: T, grad: T",
              NESTEROV);
RESOURCE_OP (resource_adam_op,
             "ResourceApplyAdam",
             N_ ("Adam: gradient descent with adaptive moments"),
             "var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, "
             "beta1: T, beta2: T, epsilon: T, grad: T",
             NESTEROV);

static const SluiceOpDef *const ops[] = {
  &descent_op, &resource_descent_op, &momentum_op, &resource_momentum_op,
  &adam_op,    &resource_adam_op,
};

const SluiceKernelModule sluice_module_train_apply = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
