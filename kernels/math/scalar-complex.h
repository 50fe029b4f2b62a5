/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * The formulas of scalar.h for complex numbers, c64 and c128. Functions of c64 go through c128.
 * The gradient of a holomorphic function takes the conjugate of its derivative.
 */
#include <complex.h>
#undef I

#include "kernels/math/scalar.h"

typedef float complex SluiceComplex64;
typedef double complex SluiceComplex128;

SLUICE_SCALAR SluiceComplex64
scalar_conj_c64 (SluiceComplex64 x)
{
  return conjf (x);
}
SLUICE_SCALAR SluiceComplex128
scalar_conj_c128 (SluiceComplex128 x)
{
  return conj (x);
}

/* Defines a function of one or two operands for c128 by an expression, and for c64 through it. */
#define SCALAR_COMPLEX_1(name, expression)                                                         \
  SLUICE_SCALAR SluiceComplex128 scalar_##name##_c128 (SluiceComplex128 x)                         \
  {                                                                                                \
    return expression;                                                                             \
  }                                                                                                \
  SLUICE_SCALAR SluiceComplex64 scalar_##name##_c64 (SluiceComplex64 x)                            \
  {                                                                                                \
    return (SluiceComplex64) scalar_##name##_c128 (x);                                             \
  }
#define SCALAR_COMPLEX_2(name, expression)                                                         \
  SLUICE_SCALAR SluiceComplex128 scalar_##name##_c128 (SluiceComplex128 x, SluiceComplex128 y)     \
  {                                                                                                \
    return expression;                                                                             \
  }                                                                                                \
  SLUICE_SCALAR SluiceComplex64 scalar_##name##_c64 (SluiceComplex64 x, SluiceComplex64 y)         \
  {                                                                                                \
    return (SluiceComplex64) scalar_##name##_c128 (x, y);                                          \
  }
#define SCALAR_COMPLEX_TEST(name, expression)                                                      \
  SLUICE_SCALAR uint8_t scalar_##name##_c128 (SluiceComplex128 x, SluiceComplex128 y)              \
  {                                                                                                \
    return expression;                                                                             \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_##name##_c64 (SluiceComplex64 x, SluiceComplex64 y)                 \
  {                                                                                                \
    return expression;                                                                             \
  }

SCALAR_COMPLEX_1 (neg, -x)
SCALAR_COMPLEX_1 (square, x *x)
SCALAR_COMPLEX_1 (sign, x == 0 ? 0 : x / cabs (x))
SCALAR_COMPLEX_1 (sqrt, csqrt (x))
SCALAR_COMPLEX_1 (rsqrt, 1 / csqrt (x))
SCALAR_COMPLEX_1 (reciprocal, 1 / x)
SCALAR_COMPLEX_1 (exp, cexp (x))
SCALAR_COMPLEX_1 (expm1, cexp (x) - 1)
SCALAR_COMPLEX_1 (log, clog (x))
SCALAR_COMPLEX_1 (log1p, clog (1 + x))
SCALAR_COMPLEX_1 (tanh, ctanh (x))
SCALAR_COMPLEX_1 (sigmoid, 1 / (1 + cexp (-x)))
SCALAR_COMPLEX_1 (sin, csin (x))
SCALAR_COMPLEX_1 (cos, ccos (x))
SCALAR_COMPLEX_1 (round, __builtin_complex (rint (creal (x)), rint (cimag (x))))

SCALAR_COMPLEX_2 (add, x + y)
SCALAR_COMPLEX_2 (sub, x - y)
SCALAR_COMPLEX_2 (mul, x *y)
SCALAR_COMPLEX_2 (div, x / y)
SCALAR_COMPLEX_2 (power, x == 0 ? (y == 0 ? 1 : 0) : cpow (x, y))
SCALAR_COMPLEX_2 (squared_difference, (x - y) * conj (x - y))
SCALAR_COMPLEX_2 (div_no_nan, y == 0 ? 0 : x / y)
SCALAR_COMPLEX_2 (mul_no_nan, y == 0 ? 0 : x * y)
SCALAR_COMPLEX_2 (xdivy, x == 0 ? 0 : x / y)
SCALAR_COMPLEX_2 (xlogy, x == 0 ? 0 : x * clog (y))
/* TensorFlow's callers give these two the conjugate already; the others take it themselves. */
SCALAR_COMPLEX_2 (tanh_grad, y *(1 - x * x))
SCALAR_COMPLEX_2 (sigmoid_grad, y *(1 - x) * x)
SCALAR_COMPLEX_2 (sqrt_grad, y == 0 ? 0 : 0.5 * y / conj (x))
SCALAR_COMPLEX_2 (rsqrt_grad, y == 0 ? 0 : -0.5 * (y * conj (x)) * (conj (x) * conj (x)))
SCALAR_COMPLEX_2 (reciprocal_grad, y == 0 ? 0 : -conj (x) * y * conj (x))

SCALAR_COMPLEX_TEST (equal, x == y)
SCALAR_COMPLEX_TEST (not_equal, x != y)
