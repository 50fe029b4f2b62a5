/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Formulas of integers without a sign, a template of scalar.h. */
#include "kernels/math/scalar-integer.h"

SLUICE_SCALAR T
NAME (truncate_mod) (T x, T y)
{
  return (T) (x % y);
}

SLUICE_SCALAR T
NAME (truncate_div) (T x, T y)
{
  return (T) (x / y);
}

SLUICE_SCALAR T
NAME (floor_mod) (T x, T y)
{
  return (T) (x % y);
}

SLUICE_SCALAR T
NAME (floor_div) (T x, T y)
{
  return (T) (x / y);
}

SLUICE_SCALAR T
NAME (abs) (T x)
{
  return x;
}

SLUICE_SCALAR T
NAME (sign) (T x)
{
  return x > 0;
}

#undef T
#undef U
#undef NAME
