/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* Formulas of activations and their gradients: of x, of dy and x, and of alpha, LeakyRelu's slope.
 * Loops of CPUs and kernels of CUDA devices are made of the same text. */
#include "kernels/math/scalar.h"

/* A NaN passes; -0 becomes +0. */
#define RELU(x)  ((x) <= 0 ? 0 : (x))
#define RELU6(x) ((x) <= 0 ? 0 : (x) > 6 ? 6 : (x))
/* Products, not selections: an infinite gradient on a closed unit gives NaN, as in TensorFlow. */
#define RELU_GRAD(T)  dy *(T) (x > 0)
#define RELU6_GRAD(T) dy *(T) (x > 0 && x < 6)

/* Beyond these, log (1 + e^x) is x or e^x to the last bit: log (epsilon) + 2. */
#define FLOAT_EDGE  13.942385f
#define DOUBLE_EDGE 34.043653389117156
/*
 * All three are computed, then one is chosen: so the loop has no branches. Between the edges 1 + e
 * is more than 1, so that the factor that gives back what its rounding has lost is finite.
 */
SLUICE_SCALAR float
softplus_f32 (float x)
{
  float e = scalar_exp_f32 (x), u = 1 + e;
  float y = scalar_log_f32 (u) * (e / (u - 1));
  y = x < -FLOAT_EDGE ? e : y;
  return x > FLOAT_EDGE ? x : y;
}

/* Klambauer et al., Self-Normalizing Neural Networks (2017): scale and scale * alpha. */
#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_FALL  1.7580993408473768599402175208123

/* clang-format off */

/* UNARY (type, name, expression, what stands before the loop): of the floating types; half types go
 * through float. */
#define SLUICE_ACTIVATIONS(UNARY, BINARY) \
  UNARY (float, elu_float, x < 0 ? scalar_expm1_f32 (x) : x)                                        \
  UNARY (double, elu_double, x < 0 ? expm1 (x) : x)                                                 \
  BINARY (float, elu_grad_float, x < 0 ? (x + 1) * dy : dy)                                         \
  BINARY (double, elu_grad_double, x < 0 ? (x + 1) * dy : dy)                                       \
  UNARY (float, softplus_float, softplus_f32 (x))                                                   \
  UNARY (double, softplus_double, x > DOUBLE_EDGE ? x : x < -DOUBLE_EDGE ? exp (x) : log1p (exp (x))) \
  BINARY (float, softplus_grad_float, dy / (scalar_exp_f32 (-x) + 1))                               \
  BINARY (double, softplus_grad_double, dy / (exp (-x) + 1))                                        \
  UNARY (float, selu_float, x < 0 ? (float) SELU_FALL * scalar_expm1_f32 (x) : (float) SELU_SCALE * x) \
  UNARY (double, selu_double, x < 0 ? SELU_FALL * expm1 (x) : SELU_SCALE * x)                       \
  BINARY (float, selu_grad_float, x < 0 ? dy * (x + (float) SELU_FALL) : dy * (float) SELU_SCALE)   \
  BINARY (double, selu_grad_double, x < 0 ? dy * (x + SELU_FALL) : dy * SELU_SCALE)                 \
  UNARY (float, softsign_float, x / (1 + fabsf (x)))                                                \
  UNARY (double, softsign_double, x / (1 + fabs (x)))                                               \
  BINARY (float, softsign_grad_float, dy / ((1 + fabsf (x)) * (1 + fabsf (x))))                     \
  BINARY (double, softsign_grad_double, dy / ((1 + fabs (x)) * (1 + fabs (x))))                     \
  UNARY (float, leaky_relu_float, x > 0 ? x : x * alpha, SLUICE_UNROLL)                             \
  UNARY (double, leaky_relu_double, x > 0 ? x : x * alpha, SLUICE_UNROLL)                           \
  BINARY (float, leaky_relu_grad_float, x > 0 ? dy : dy * alpha, SLUICE_UNROLL)                     \
  BINARY (double, leaky_relu_grad_double, x > 0 ? dy : dy * alpha, SLUICE_UNROLL)

/* clang-format on */
