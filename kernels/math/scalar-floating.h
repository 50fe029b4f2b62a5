/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Formulas of floating types, a template of scalar.h. Besides what scalar-arithmetic.h is given,
 * MATH (f) is the function f of libm for the type. */
#include "kernels/math/scalar-arithmetic.h"

SLUICE_SCALAR T
NAME (sigmoid) (T x)
{
  return 1 / (1 + NAME (exp) (-x));
}

SLUICE_SCALAR T
NAME (sqrt) (T x)
{
  return MATH (sqrt) (x);
}

SLUICE_SCALAR T
NAME (rsqrt) (T x)
{
  return 1 / MATH (sqrt) (x);
}

SLUICE_SCALAR T
NAME (reciprocal) (T x)
{
  return 1 / x;
}

SLUICE_SCALAR T
NAME (abs) (T x)
{
  return MATH (fabs) (x);
}

/* 0 of either sign gives +0, NaN gives NaN. */
SLUICE_SCALAR T
NAME (sign) (T x)
{
  return x != x ? x : (T) (x > 0) - (T) (x < 0);
}

SLUICE_SCALAR T
NAME (floor) (T x)
{
  return MATH (floor) (x);
}

SLUICE_SCALAR T
NAME (ceil) (T x)
{
  return MATH (ceil) (x);
}

/* To even at a half. */
SLUICE_SCALAR T
NAME (round) (T x)
{
  return MATH (rint) (x);
}

SLUICE_SCALAR uint8_t
NAME (is_nan) (T x)
{
  return x != x;
}

SLUICE_SCALAR uint8_t
NAME (is_inf) (T x)
{
  return MATH (fabs) (x) == (T) INFINITY;
}

SLUICE_SCALAR uint8_t
NAME (is_finite) (T x)
{
  return MATH (fabs) (x) < (T) INFINITY;
}

SLUICE_SCALAR T
NAME (div) (T x, T y)
{
  return x / y;
}

SLUICE_SCALAR T
NAME (truncate_div) (T x, T y)
{
  return MATH (trunc) (x / y);
}

SLUICE_SCALAR T
NAME (floor_div) (T x, T y)
{
  return MATH (floor) (x / y);
}

SLUICE_SCALAR T
NAME (truncate_mod) (T x, T y)
{
  return NAME (fmod) (x, y);
}

SLUICE_SCALAR T
NAME (floor_mod) (T x, T y)
{
  T rest = NAME (fmod) (x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

SLUICE_SCALAR T
NAME (power) (T x, T y)
{
  return NAME (pow) (x, y);
}

SLUICE_SCALAR T
NAME (div_no_nan) (T x, T y)
{
  return y == 0 ? 0 : x / y;
}

SLUICE_SCALAR T
NAME (mul_no_nan) (T x, T y)
{
  return y == 0 ? 0 : x * y;
}

SLUICE_SCALAR T
NAME (xdivy) (T x, T y)
{
  return x == 0 ? 0 : x / y;
}

SLUICE_SCALAR T
NAME (xlogy) (T x, T y)
{
  return x == 0 ? 0 : x * NAME (log) (y);
}

/* Gradients: y is the value of the function, dy what came from above, factors in TensorFlow's
   order: where one is large, another would overflow or not be a number. */
SLUICE_SCALAR T
NAME (tanh_grad) (T y, T dy)
{
  return dy * (1 - y * y);
}

SLUICE_SCALAR T
NAME (sigmoid_grad) (T y, T dy)
{
  return dy * ((1 - y) * y);
}

/* Where nothing comes from above, nothing goes on, whatever the function was. */
SLUICE_SCALAR T
NAME (sqrt_grad) (T y, T dy)
{
  return dy == 0 ? 0 : dy * ((T) 0.5 / y);
}

SLUICE_SCALAR T
NAME (rsqrt_grad) (T y, T dy)
{
  return dy == 0 ? 0 : (T) -0.5 * (dy * y) * (y * y);
}

SLUICE_SCALAR T
NAME (reciprocal_grad) (T y, T dy)
{
  return dy == 0 ? 0 : -(y * y) * dy;
}

#undef T
#undef U
#undef MATH
#undef NAME
