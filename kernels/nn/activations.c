/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* clang-format off */
/*
 * Activations and their gradients, element by element.
 *
 *   Relu       max(x, 0)                          Relu6     min(max(x, 0), 6)
 *   Elu        x < 0 ? e^x - 1 : x                Softplus  log(1 + e^x)
 *   Selu       1.05 (x < 0 ? 1.67 (e^x - 1) : x)  Softsign  x / (1 + |x|)
 *   LeakyRelu  x > 0 ? x : alpha x
 *
 * Relu, Relu6, Elu and Selu take their gradient from the output, the others from the input, as
 * TensorFlow.
 */
/* clang-format on */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

/* The gradient is the op OP of dy and the forward node's output or input 0. */
#define FROM(what, id, op)                                                                         \
  static gboolean id##_gradient (SluiceGradContext *g, GError **error)                             \
  {                                                                                                \
    sluice_grad_set (g, 0, sluice_op (&g->b, op, sluice_grad_dy (g, 0), what (g, 0)));             \
    return TRUE;                                                                                   \
  }
FROM (sluice_grad_output, relu, "ReluGrad")
FROM (sluice_grad_output, relu6, "Relu6Grad")
FROM (sluice_grad_output, elu, "EluGrad")
FROM (sluice_grad_output, selu, "SeluGrad")
FROM (sluice_grad_input, softplus, "SoftplusGrad")
FROM (sluice_grad_input, softsign, "SoftsignGrad")

static SluiceEdge
leaky_relu_grad (SluiceGradContext *g, SluiceEdge features)
{
  const SluiceAttrValue *alpha = sluice_node_get_attr (g->node, "alpha");
  return sluice_op_with (&g->b, "LeakyReluGrad", SLUICE_ATTRS (sluice_attr_value ("alpha", alpha)),
                         sluice_grad_dy (g, 0), features);
}

static gboolean
leaky_relu_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, leaky_relu_grad (g, sluice_grad_input (g, 0)));
  return TRUE;
}

static gboolean
leaky_relu_grad_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge features = sluice_grad_input (g, 1);
  sluice_grad_set (g, 0, leaky_relu_grad (g, features));
  sluice_grad_set (g, 1, sluice_op (&g->b, "ZerosLike", features));
  return TRUE;
}

/* Linear in the incoming gradient, flat in the features. */
static gboolean
masked_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge features = sluice_grad_input (g, 1);
  sluice_grad_set (g, 0, sluice_op (&g->b, g->node->op->name, sluice_grad_dy (g, 0), features));
  sluice_grad_set (g, 1, sluice_op (&g->b, "ZerosLike", features));
  return TRUE;
}

/* Of Elu and of Selu. */
static gboolean
elu_grad_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge dd = sluice_grad_dy (g, 0), dy = sluice_grad_input (g, 0);
  SluiceEdge y = sluice_grad_input (g, 1);
  SluiceEdge zeros = sluice_op (b, "ZerosLike", y);
  sluice_grad_set (g, 0, sluice_op (b, g->node->op->name, dd, y));
  sluice_grad_set (g, 1,
                   sluice_op (b, "Select", sluice_op (b, "Less", y, zeros),
                              sluice_op (b, "Mul", dd, dy), zeros));
  return TRUE;
}

/* d2x = dd dy / (e^-x + 2 + e^x) */
static gboolean
softplus_grad_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge dd = sluice_grad_dy (g, 0), dy = sluice_grad_input (g, 0);
  SluiceEdge x = sluice_grad_input (g, 1);
  SluiceEdge two = sluice_builder_const_number (b, sluice_dtype_base (sluice_edge_dtype (x)), 2);
  SluiceEdge fall = sluice_op (b, "Exp", sluice_op (b, "Neg", x));
  SluiceEdge sum =
      sluice_op (b, "AddV2", sluice_op (b, "AddV2", fall, two), sluice_op (b, "Exp", x));
  sluice_grad_set (g, 0, sluice_op (b, "SoftplusGrad", dd, x));
  sluice_grad_set (g, 1, sluice_op (b, "RealDiv", sluice_op (b, "Mul", dd, dy), sum));
  return TRUE;
}

static const SluiceSample samples[] = {
  { "", "float[4,5]", 4e-6, 1e-6 },
  { "", "float[65]", 4e-6, 1e-6 },
  { "", "float[]", 4e-6, 1e-6 },
  { "", "float[0,3]", 0, 0 },
};
static const SluiceRecipe real_recipe = { .samples = samples,
                                          .n_samples = G_N_ELEMENTS (samples),
                                          .dtypes = SLUICE_SET_REAL };
static const SluiceRecipe float_recipe = { .samples = samples,
                                           .n_samples = G_N_ELEMENTS (samples),
                                           .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample grad_samples[] = {
  { "", "float[4,5]; float[4,5]", 4e-6, 1e-6 },
  { "", "float[65]; float[65]", 4e-6, 1e-6 },
  { "", "float[0,3]; float[0,3]", 0, 0 },
};
static const SluiceRecipe real_grad_recipe = { .samples = grad_samples,
                                               .n_samples = G_N_ELEMENTS (grad_samples),
                                               .dtypes = SLUICE_SET_REAL };
static const SluiceRecipe float_grad_recipe = { .samples = grad_samples,
                                                .n_samples = G_N_ELEMENTS (grad_samples),
                                                .dtypes = SLUICE_SET_FLOATS };

#define REAL_T  "T: real"
#define FLOAT_T "T: {half, bfloat16, float, double}"

#define LEAKY_T "alpha: float = 0.2; T: {half, bfloat16, float, double} = float"

#define ACTIVATION(id, op_name, text, types, gradient_function, recipe_id)                         \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "features: T -> activations: T",                                                  \
    .attrs = types,                                                                                \
    .summary = text,                                                                               \
    .shape = sluice_shape_unchanged,                                                               \
    .gradient = gradient_function,                                                                 \
    .recipe = &recipe_id,                                                                          \
  }
#define ACTIVATION_GRAD(id, op_name, second, text, types, gradient_function, recipe_id)            \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "gradients: T, " second ": T -> backprops: T",                                    \
    .attrs = types,                                                                                \
    .summary = text,                                                                               \
    .shape = sluice_shape_merge_all,                                                               \
    .gradient = gradient_function,                                                                 \
    .recipe = &recipe_id,                                                                          \
  }

ACTIVATION (
    relu_op, "Relu", N_ ("Rectified linear: max(x, 0)"), REAL_T, relu_gradient, real_recipe);
ACTIVATION (relu6_op,
            "Relu6",
            N_ ("Rectified linear up to 6: min(max(x, 0), 6)"),
            REAL_T,
            relu6_gradient,
            real_recipe);
ACTIVATION (elu_op,
            "Elu",
            N_ ("Exponential linear: x < 0 ? exp(x) - 1 : x"),
            FLOAT_T,
            elu_gradient,
            float_recipe);
ACTIVATION (softplus_op,
            "Softplus",
            N_ ("Soft rectifier: log(1 + exp(x))"),
            FLOAT_T,
            softplus_gradient,
            float_recipe);
ACTIVATION (selu_op,
            "Selu",
            N_ ("Scaled exponential linear: keeps mean 0 and variance 1"),
            FLOAT_T,
            selu_gradient,
            float_recipe);
ACTIVATION (softsign_op,
            "Softsign",
            N_ ("Soft sign: x / (1 + |x|)"),
            FLOAT_T,
            softsign_gradient,
            float_recipe);
ACTIVATION (leaky_relu_op,
            "LeakyRelu",
            N_ ("Leaky rectified linear: x > 0 ? x : alpha x"),
            LEAKY_T,
            leaky_relu_gradient,
            float_recipe);
ACTIVATION_GRAD (relu_grad_op,
                 "ReluGrad",
                 "features",
                 N_ ("Gradient of Relu"),
                 REAL_T,
                 masked_gradient,
                 real_grad_recipe);
ACTIVATION_GRAD (relu6_grad_op,
                 "Relu6Grad",
                 "features",
                 N_ ("Gradient of Relu6"),
                 REAL_T,
                 masked_gradient,
                 real_grad_recipe);
ACTIVATION_GRAD (elu_grad_op,
                 "EluGrad",
                 "outputs",
                 N_ ("Gradient of Elu"),
                 FLOAT_T,
                 elu_grad_gradient,
                 float_grad_recipe);
ACTIVATION_GRAD (softplus_grad_op,
                 "SoftplusGrad",
                 "features",
                 N_ ("Gradient of Softplus"),
                 FLOAT_T,
                 softplus_grad_gradient,
                 float_grad_recipe);

ACTIVATION_GRAD (selu_grad_op,
                 "SeluGrad",
                 "outputs",
                 N_ ("Gradient of Selu"),
                 FLOAT_T,
                 elu_grad_gradient,
                 float_grad_recipe);
ACTIVATION_GRAD (softsign_grad_op,
                 "SoftsignGrad",
                 "features",
                 N_ ("Gradient of Softsign"),
                 FLOAT_T,
                 NULL,
                 float_grad_recipe);
ACTIVATION_GRAD (leaky_relu_grad_op,
                 "LeakyReluGrad",
                 "features",
                 N_ ("Gradient of LeakyRelu"),
                 LEAKY_T,
                 leaky_relu_grad_gradient,
                 float_grad_recipe);

static const SluiceOpDef *const ops[] = {
  &selu_op,          &softsign_op,        &leaky_relu_op, &selu_grad_op,
  &softsign_grad_op, &leaky_relu_grad_op, &relu_op,       &relu6_op,
  &elu_op,           &softplus_op,        &relu_grad_op,  &relu6_grad_op,
  &elu_grad_op,      &softplus_grad_op,
};

const SluiceKernelModule sluice_module_nn_activations = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
