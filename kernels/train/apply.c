/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* clang-format off */
/*
 * Optimizers: each changes a variable and its slots in place by one rule of a gradient.
 *
 *   GradientDescent  var -= delta alpha
 *   Momentum         accum = accum momentum + grad;  var -= accum lr
 *                    Nesterov: var -= grad lr + accum momentum lr
 *   KerasMomentum    accum = accum momentum - grad lr;  var += accum
 *                    Nesterov: var += accum momentum - grad lr
 *   Adam             a = lr sqrt(1 - beta2^t) / (1 - beta1^t);  m += (grad - m)(1 - beta1)
 *                    v += (grad^2 - v)(1 - beta2);  var -= m a / (sqrt(v) + epsilon)
 *                    Amsgrad: the greatest v so far in the root
 *   RMSProp          ms += (grad^2 - ms)(1 - rho);  mom = mom momentum + grad lr / sqrt(ms + epsilon)
 *                    var -= mom.  Centered: mg += (grad - mg)(1 - rho), and ms - mg^2 in the root
 *   Adagrad          accum += grad^2;  var -= grad lr / sqrt(accum).  V2: / (sqrt(accum) + epsilon)
 *   Adadelta         accum = accum rho + grad^2 (1 - rho)
 *                    u = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) grad;  var -= u lr
 *                    accum_update likewise of u^2
 *   Ftrl             linear += grad - (a'^p - a^p) / lr var  with a' = a + grad^2, p = -lr_power
 *                    var = (l1 sign(linear) - linear) / (a'^p / lr + 2 l2), 0 where |linear| <= l1
 *   AdaMax           m += (grad - m)(1 - beta1);  v = max(beta2 v, |grad|)
 *                    var -= lr / (1 - beta1^t) m / (v + epsilon)
 *   AdagradDA        var = -lr soft(sum grad, l1 t) / (l2 t lr + sqrt(sum grad^2))
 *   AddSign          m = m beta + grad (1 - beta)
 *                    var -= lr (alpha + decay sign(grad) sign(m)) grad
 *   PowerSign        m likewise;  var -= lr exp(logbase decay sign(grad) sign(m)) grad
 *   Proximal…        descent, then a soft threshold by l1 and a shrinking by l2
 *
 * The Apply forms take references and hand the variable on, the Resource forms take handles.
 */
/* clang-format on */
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
    .flags = SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_OPTIMIZER,                                   \
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
    .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_OPTIMIZER,              \
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
RESOURCE_OP (resource_keras_momentum_op,
             "ResourceApplyKerasMomentum",
             N_ ("Gradient descent with momentum of steps"),
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

RESOURCE_OP (resource_amsgrad_op,
             "ResourceApplyAdamWithAmsgrad",
             N_ ("Adam that never forgets the greatest second moment"),
             "var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, "
             "beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T",
             "");

#define UPDATE_SLOTS "; update_slots: bool = true"
#define BY_LR        "; multiply_linear_by_lr: bool = false"
#define ADAPTIVE_OPS(id, op_name, text, references, handles, inputs, extra)                        \
  REFERENCE_OP (id##_op, "Apply" op_name, text, references ", " inputs, extra);                    \
  RESOURCE_OP (resource_##id##_op, "ResourceApply" op_name, text, handles ", " inputs, extra)

ADAPTIVE_OPS (rmsprop,
              "RMSProp",
              N_ ("RMSProp: gradient descent scaled by recent magnitudes"),
              "var: Ref(T), ms: Ref(T), mom: Ref(T)",
              "var: resource, ms: resource, mom: resource",
              "lr: T, rho: T, momentum: T, epsilon: T, grad: T",
              "");
ADAPTIVE_OPS (centered,
              "CenteredRMSProp",
              N_ ("RMSProp scaled by recent variance"),
              "var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T)",
              "var: resource, mg: resource, ms: resource, mom: resource",
              "lr: T, rho: T, momentum: T, epsilon: T, grad: T",
              "");
ADAPTIVE_OPS (adagrad,
              "Adagrad",
              N_ ("Adagrad: gradient descent scaled by all past magnitudes"),
              "var: Ref(T), accum: Ref(T)",
              "var: resource, accum: resource",
              "lr: T, grad: T",
              UPDATE_SLOTS);
ADAPTIVE_OPS (adagrad_v2,
              "AdagradV2",
              N_ ("Adagrad with an epsilon"),
              "var: Ref(T), accum: Ref(T)",
              "var: resource, accum: resource",
              "lr: T, epsilon: T, grad: T",
              UPDATE_SLOTS);
ADAPTIVE_OPS (adadelta,
              "Adadelta",
              N_ ("Adadelta: gradient descent that finds its own rate"),
              "var: Ref(T), accum: Ref(T), accum_update: Ref(T)",
              "var: resource, accum: resource, accum_update: resource",
              "lr: T, rho: T, epsilon: T, grad: T",
              "");
ADAPTIVE_OPS (ftrl,
              "Ftrl",
              N_ ("Follow the regularised leader"),
              "var: Ref(T), accum: Ref(T), linear: Ref(T)",
              "var: resource, accum: resource, linear: resource",
              "grad: T, lr: T, l1: T, l2: T, lr_power: T",
              BY_LR);
ADAPTIVE_OPS (ftrl_v2,
              "FtrlV2",
              N_ ("Follow the regularised leader, with shrinkage"),
              "var: Ref(T), accum: Ref(T), linear: Ref(T)",
              "var: resource, accum: resource, linear: resource",
              "grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T",
              BY_LR);
ADAPTIVE_OPS (adamax,
              "AdaMax",
              N_ ("Adam by the greatest magnitude"),
              "var: Ref(T), m: Ref(T), v: Ref(T)",
              "var: resource, m: resource, v: resource",
              "beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T",
              "");
ADAPTIVE_OPS (
    adagrad_da,
    "AdagradDA",
    N_ ("Adagrad by dual averaging"),
    "var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T)",
    "var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource",
    "grad: T, lr: T, l1: T, l2: T, global_step: int64",
    "");
ADAPTIVE_OPS (add_sign,
              "AddSign",
              N_ ("Gradient descent, faster where it agrees with the past"),
              "var: Ref(T), m: Ref(T)",
              "var: resource, m: resource",
              "lr: T, alpha: T, sign_decay: T, beta: T, grad: T",
              "");
ADAPTIVE_OPS (power_sign,
              "PowerSign",
              N_ ("Gradient descent, exponentially faster where it agrees with the past"),
              "var: Ref(T), m: Ref(T)",
              "var: resource, m: resource",
              "lr: T, logbase: T, sign_decay: T, beta: T, grad: T",
              "");
ADAPTIVE_OPS (proximal,
              "ProximalGradientDescent",
              N_ ("Gradient descent with a threshold"),
              "var: Ref(T)",
              "var: resource",
              "alpha: T, l1: T, l2: T, delta: T",
              "");
ADAPTIVE_OPS (proximal_adagrad,
              "ProximalAdagrad",
              N_ ("Adagrad with a threshold"),
              "var: Ref(T), accum: Ref(T)",
              "var: resource, accum: resource",
              "lr: T, l1: T, l2: T, grad: T",
              "");

static const SluiceOpDef *const ops[] = {
  &descent_op,
  &resource_descent_op,
  &momentum_op,
  &resource_momentum_op,
  &adam_op,
  &resource_adam_op,
  &rmsprop_op,
  &resource_rmsprop_op,
  &centered_op,
  &resource_centered_op,
  &adagrad_op,
  &resource_adagrad_op,
  &adagrad_v2_op,
  &resource_adagrad_v2_op,
  &adadelta_op,
  &resource_adadelta_op,
  &ftrl_op,
  &resource_ftrl_op,
  &ftrl_v2_op,
  &resource_ftrl_v2_op,
  &adamax_op,
  &resource_adamax_op,
  &adagrad_da_op,
  &resource_adagrad_da_op,
  &add_sign_op,
  &resource_add_sign_op,
  &power_sign_op,
  &resource_power_sign_op,
  &resource_amsgrad_op,
  &resource_keras_momentum_op,
  &proximal_op,
  &resource_proximal_op,
  &proximal_adagrad_op,
  &resource_proximal_adagrad_op,
};

const SluiceKernelModule sluice_module_train_apply = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
