/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * The formulas of scalar.h for complex numbers, c64 and c128. What becomes of infinities and of
 * what overflows on the way is TensorFlow's, so sums and products of c64 stay of 32 bits; other
 * functions of c64 go through c128. The gradient of a holomorphic function takes the conjugate
 * (GNU's ~) of its derivative.
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
/* The same expression for both, of these results; an operator of 32 bits stays one. */
#define SCALAR_COMPLEX_EACH(name, expression, Of128, Of64)                                         \
  SLUICE_SCALAR Of128 scalar_##name##_c128 (SluiceComplex128 x, SluiceComplex128 y)                \
  {                                                                                                \
    return expression;                                                                             \
  }                                                                                                \
  SLUICE_SCALAR Of64 scalar_##name##_c64 (SluiceComplex64 x, SluiceComplex64 y)                    \
  {                                                                                                \
    return expression;                                                                             \
  }
#define SCALAR_COMPLEX_BOTH(name, expression)                                                      \
  SCALAR_COMPLEX_EACH (name, expression, SluiceComplex128, SluiceComplex64)
#define SCALAR_COMPLEX_TEST(name, expression)                                                      \
  SCALAR_COMPLEX_EACH (name, expression, uint8_t, uint8_t)

SCALAR_COMPLEX_1 (neg, -x)
SCALAR_COMPLEX_1 (sign, x == 0 ? 0 : x / cabs (x))
SCALAR_COMPLEX_1 (sqrt,
                  creal (x) == -INFINITY && cimag (x) == 0
                      ? __builtin_complex (0., (double) INFINITY)
                      : csqrt (x))
SCALAR_COMPLEX_1 (reciprocal, 1 / x)
SCALAR_COMPLEX_1 (exp, cexp (x))
SCALAR_COMPLEX_1 (log, clog (x))
SCALAR_COMPLEX_1 (tanh, ctanh (x))
SCALAR_COMPLEX_1 (sigmoid, 1 / (1 + cexp (-x)))
SCALAR_COMPLEX_1 (sin, csin (x))
SCALAR_COMPLEX_1 (cos, ccos (x))
SCALAR_COMPLEX_1 (round, __builtin_complex (rint (creal (x)), rint (cimag (x))))

/* A real number as one that has an imaginary part too: in a product that makes infinities NaN. */
#define COMPLEX(like, number) ((__typeof__ (like)) (number))

SCALAR_COMPLEX_BOTH (add, x + y)
SCALAR_COMPLEX_BOTH (sub, x - y)
SCALAR_COMPLEX_BOTH (mul, x *y)
SCALAR_COMPLEX_2 (div, x / y)
SCALAR_COMPLEX_BOTH (squared_difference, (x - y) * ~(x - y))
SCALAR_COMPLEX_2 (div_no_nan, y == 0 ? 0 : x / y)
SCALAR_COMPLEX_BOTH (mul_no_nan, y == 0 ? 0 : x * y)
SCALAR_COMPLEX_2 (xdivy, x == 0 ? 0 : x / y)
SCALAR_COMPLEX_2 (xlogy, x == 0 ? 0 : x * clog (y))
/* TensorFlow's callers give these two the conjugate already; the others take it themselves. */
SCALAR_COMPLEX_BOTH (tanh_grad, y *(1 - x * x))
SCALAR_COMPLEX_BOTH (sigmoid_grad, y *x *(1 - x))
SCALAR_COMPLEX_2 (sqrt_grad, y == 0 ? 0 : COMPLEX (y, 0.5) * y / ~x)
SCALAR_COMPLEX_BOTH (rsqrt_grad, y == 0 ? 0 : COMPLEX (y, -0.5) * (y * ~x) * (~x * ~x))
SCALAR_COMPLEX_BOTH (reciprocal_grad, y == 0 ? 0 : -~x * ~x * y)

SCALAR_COMPLEX_TEST (equal, x == y)
SCALAR_COMPLEX_TEST (not_equal, x != y)

/* Eigen's ways, which all vectors of TensorFlow's take. */
#define SCALAR_COMPLEX_FUNCTIONS(s, C, R, m)                                                       \
  SLUICE_SCALAR C scalar_square_##s (C x)                                                          \
  {                                                                                                \
    return x * x;                                                                                  \
  }                                                                                                \
  SLUICE_SCALAR C scalar_rsqrt_##s (C x)                                                           \
  {                                                                                                \
    R re = creal##m (x), im = cimag##m (x), modulus = hypot##m (re, im);                           \
    R w = sqrt##m ((R) 0.5 * (fabs##m (re) + modulus)), part = w / modulus;                        \
    R other = 2 * w * modulus, turned = im < 0 ? part : -part;                                     \
    if (modulus == 0)                                                                              \
      return __builtin_complex ((R) INFINITY, (R) NAN);                                            \
    if (isinf (re) || isinf (im))                                                                  \
      return 0;                                                                                    \
    if (re == 0)                                                                                   \
      return __builtin_complex (part, turned);                                                     \
    return re > 0 ? __builtin_complex (part, -im / other)                                          \
                  : __builtin_complex (fabs##m (im) / other, turned);                              \
  }                                                                                                \
  SLUICE_SCALAR C scalar_expm1_##s (C x)                                                           \
  {                                                                                                \
    R less = expm1##m (creal##m (x)), all = less + 1, half = sin##m (cimag##m (x) / 2);            \
    return __builtin_complex (less - 2 * all * (half * half), all * sin##m (cimag##m (x)));        \
  }                                                                                                \
  SLUICE_SCALAR C scalar_log1p_##s (C x)                                                           \
  {                                                                                                \
    /* By parts: 1 + x takes the sign of a zero that is imaginary where the compiler widens 1. */  \
    R re = 1 + creal##m (x), im = cimag##m (x);                                                    \
    C more = __builtin_complex (re, im), log = clog##m (more);                                     \
    return more == log || more == 1 ? x : x * (log / __builtin_complex (re - 1, im));              \
  }                                                                                                \
  SLUICE_SCALAR C scalar_power_##s (C x, C y)                                                      \
  {                                                                                                \
    return cpow##m (x, y);                                                                         \
  }                                                                                                \
  SLUICE_SCALAR C scalar_xlog1py_##s (C x, C y)                                                    \
  {                                                                                                \
    return x == 0 ? 0 : x * scalar_log1p_##s (y);                                                  \
  }

SCALAR_COMPLEX_FUNCTIONS (c64, SluiceComplex64, float, f)
SCALAR_COMPLEX_FUNCTIONS (c128, SluiceComplex128, double, )
