/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Optimizers on rows: the rules of apply.c for the rows that indices name, and for no others. A row
 * that comes twice is changed twice, in order.
 */
#include <glib/gi18n-lib.h>

#include "kernels/state/access.h"

/* Is it the gradient, or the numbers of its rows? The others are variables and scalars. */
static gboolean
is_rows (const SluiceArg *arg)
{
  return g_str_equal (arg->name, "grad") || g_str_equal (arg->name, "indices");
}

static gboolean
is_variable (const SluiceArg *arg)
{
  return arg->is_ref || arg->type == SLUICE_RESOURCE;
}

/* The gradient is the variable with as many rows as there are indices. */
static gboolean
check_gradient (SluiceShapeContext *c, const SluiceShape *variable, guint grad, GError **error)
{
  SluiceShape want = *variable;
  if (!sluice_shape_context_want_rank (c, grad + 1, 1, error))
    return FALSE;
  if (want.rank > 0)
    want.dim[0] = c->inputs[grad + 1].rank == 1 ? c->inputs[grad + 1].dim[0] : SLUICE_UNKNOWN_DIM;
  if (want.rank != 0 && sluice_shape_compatible (&want, &c->inputs[grad]))
    return TRUE;
  char text[3][SLUICE_SHAPE_STR];
  return sluice_shape_context_fail (
      c, error, "grad %s must have a row of the variable %s for each of the indices %s",
      sluice_shape_str (&c->inputs[grad], text[0]), sluice_shape_str (variable, text[1]),
      sluice_shape_str (&c->inputs[grad + 1], text[2]));
}

static gboolean
sparse_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape variable = sluice_shape_context_variable (c, 0);
  guint grad = 0;
  for (guint i = 1; i < c->n_inputs; i++)
    {
      const SluiceArg *arg = &c->node->op->inputs[i];
      if (is_variable (arg))
        {
          SluiceShape slot = sluice_shape_context_variable (c, i);
          if (!sluice_shape_merge (&variable, &slot, &variable))
            return sluice_shape_context_fail (c, error, "%s has not the shape of the variable",
                                              arg->name);
        }
      else if (!is_rows (arg) && !sluice_shape_context_want_rank (c, i, 0, error))
        return FALSE;
      else if (g_str_equal (arg->name, "grad"))
        grad = i;
    }
  if (!check_gradient (c, &variable, grad, error))
    return FALSE;
  if (c->n_outputs > 0)
    sluice_shape_context_set (c, 0, &variable);
  return TRUE;
}

static void
sparse_cost (const SluiceNode *node,
             const SluiceShape *in,
             const SluiceShape *out,
             SluiceCost *cost)
{
  guint slots = 0;
  while (is_variable (&node->op->inputs[slots]))
    slots++;
  guint grad = slots;
  while (!is_rows (&node->op->inputs[grad]))
    grad++;
  double n = (double) sluice_shape_n_elements (&in[grad]);
  cost->flops = n * 4 * slots;
  cost->bytes =
      n * (double) sluice_dtype_size (sluice_edge_dtype (node->inputs[grad])) * (2 * slots + 1);
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("changes variables: tests/kernels/test-apply makes them")
};

#define OP(id, op_name, text, io, op_flags, extra)                                                 \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = io,                                                                               \
    .attrs = "T: number; Tindices: index; use_locking: bool = false" extra,                        \
    .summary = text,                                                                               \
    .flags = (op_flags) | SLUICE_OP_OPTIMIZER,                                                     \
    .shape = sparse_shape,                                                                         \
    .cost = sparse_cost,                                                                           \
    .recipe = &recipe,                                                                             \
  };
#define HANDLE_OP(id, name, text, handles, inputs, extra)                                          \
  OP (resource_##id##_op, "ResourceSparseApply" name, text, handles ", " inputs " ->",             \
      SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE, extra)
#define OPS(id, name, text, references, handles, inputs, extra)                                    \
  OP (id##_op, "SparseApply" name, text, references ", " inputs " -> out: Ref(T)",                 \
      SLUICE_OP_NOT_DIFFERENTIABLE, extra)                                                         \
  HANDLE_OP (id, name, text, handles, inputs, extra)

#define ROWS         "grad: T, indices: Tindices"
#define NESTEROV     "; use_nesterov: bool = false"
#define UPDATE_SLOTS "; update_slots: bool = true"
#define BY_LR        "; multiply_linear_by_lr: bool = false"

OPS (momentum,
     "Momentum",
     N_ ("Gradient descent with momentum, on rows"),
     "var: Ref(T), accum: Ref(T)",
     "var: resource, accum: resource",
     "lr: T, " ROWS ", momentum: T",
     NESTEROV)
HANDLE_OP (keras_momentum,
           "KerasMomentum",
           N_ ("Gradient descent with momentum of steps, on rows"),
           "var: resource, accum: resource",
           "lr: T, " ROWS ", momentum: T",
           NESTEROV)
OPS (rmsprop,
     "RMSProp",
     N_ ("RMSProp, on rows"),
     "var: Ref(T), ms: Ref(T), mom: Ref(T)",
     "var: resource, ms: resource, mom: resource",
     "lr: T, rho: T, momentum: T, epsilon: T, " ROWS,
     "")
OPS (centered,
     "CenteredRMSProp",
     N_ ("RMSProp scaled by recent variance, on rows"),
     "var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T)",
     "var: resource, mg: resource, ms: resource, mom: resource",
     "lr: T, rho: T, momentum: T, epsilon: T, " ROWS,
     "")
OPS (adagrad,
     "Adagrad",
     N_ ("Adagrad, on rows"),
     "var: Ref(T), accum: Ref(T)",
     "var: resource, accum: resource",
     "lr: T, " ROWS,
     UPDATE_SLOTS)
OPS (adagrad_v2,
     "AdagradV2",
     N_ ("Adagrad with an epsilon, on rows"),
     "var: Ref(T), accum: Ref(T)",
     "var: resource, accum: resource",
     "lr: T, epsilon: T, " ROWS,
     UPDATE_SLOTS)
OPS (adagrad_da,
     "AdagradDA",
     N_ ("Adagrad by dual averaging, on rows"),
     "var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T)",
     "var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource",
     ROWS ", lr: T, l1: T, l2: T, global_step: int64",
     "")
OPS (adadelta,
     "Adadelta",
     N_ ("Adadelta, on rows"),
     "var: Ref(T), accum: Ref(T), accum_update: Ref(T)",
     "var: resource, accum: resource, accum_update: resource",
     "lr: T, rho: T, epsilon: T, " ROWS,
     "")
OPS (ftrl,
     "Ftrl",
     N_ ("Follow the regularised leader, on rows"),
     "var: Ref(T), accum: Ref(T), linear: Ref(T)",
     "var: resource, accum: resource, linear: resource",
     ROWS ", lr: T, l1: T, l2: T, lr_power: T",
     BY_LR)
OPS (ftrl_v2,
     "FtrlV2",
     N_ ("Follow the regularised leader with shrinkage, on rows"),
     "var: Ref(T), accum: Ref(T), linear: Ref(T)",
     "var: resource, accum: resource, linear: resource",
     ROWS ", lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T",
     BY_LR)
OPS (proximal,
     "ProximalGradientDescent",
     N_ ("Gradient descent with a threshold, on rows"),
     "var: Ref(T)",
     "var: resource",
     "alpha: T, l1: T, l2: T, " ROWS,
     "")
OPS (proximal_adagrad,
     "ProximalAdagrad",
     N_ ("Adagrad with a threshold, on rows"),
     "var: Ref(T), accum: Ref(T)",
     "var: resource, accum: resource",
     "lr: T, l1: T, l2: T, " ROWS,
     "")

#define BOTH(id) &id##_op, &resource_##id##_op
static const SluiceOpDef *const ops[] = {
  BOTH (momentum),   BOTH (rmsprop),    BOTH (centered),         BOTH (adagrad),
  BOTH (adagrad_v2), BOTH (adagrad_da), BOTH (adadelta),         BOTH (ftrl),
  BOTH (ftrl_v2),    BOTH (proximal),   BOTH (proximal_adagrad), &resource_keras_momentum_op,
};

const SluiceKernelModule sluice_module_train_sparse_apply = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
};
