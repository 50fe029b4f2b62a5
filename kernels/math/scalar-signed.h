/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Formulas of integers with a sign, a template of scalar.h. The lowest number over -1 wraps to
 * itself. */
#include "kernels/math/scalar-integer.h"

SLUICE_SCALAR T
NAME (truncate_mod) (T x, T y)
{
  return y == -1 ? 0 : (T) (x % y);
}

SLUICE_SCALAR T
NAME (truncate_div) (T x, T y)
{
  return y == -1 ? NAME (neg) (x) : (T) (x / y);
}

SLUICE_SCALAR T
NAME (floor_mod) (T x, T y)
{
  T rest = NAME (truncate_mod) (x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? (T) (rest + y) : rest;
}

SLUICE_SCALAR T
NAME (floor_div) (T x, T y)
{
  T rest = NAME (truncate_mod) (x, y);
  return (T) (NAME (truncate_div) (x, y) - (rest != 0 && (rest < 0) != (y < 0)));
}

SLUICE_SCALAR T
NAME (abs) (T x)
{
  return x < 0 ? NAME (neg) (x) : x;
}

SLUICE_SCALAR T
NAME (sign) (T x)
{
  return (T) ((x > 0) - (x < 0));
}

#undef T
#undef U
#undef NAME
