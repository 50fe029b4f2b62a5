/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Formulas of any number, a template of scalar.h. It is given the type T, U, the unsigned one in
 * which integers wrap (else T), and NAME (op). */
SLUICE_SCALAR T
NAME (add) (T x, T y)
{
  return (T) ((U) x + (U) y);
}

SLUICE_SCALAR T
NAME (sub) (T x, T y)
{
  return (T) ((U) x - (U) y);
}

SLUICE_SCALAR T
NAME (mul) (T x, T y)
{
  return (T) ((U) x * (U) y);
}

SLUICE_SCALAR T
NAME (neg) (T x)
{
  return (T) (-(U) x);
}

SLUICE_SCALAR T
NAME (square) (T x)
{
  return (T) ((U) x * (U) x);
}

SLUICE_SCALAR T
NAME (squared_difference) (T x, T y)
{
  return NAME (square) (NAME (sub) (x, y));
}

SLUICE_SCALAR uint8_t
NAME (less) (T x, T y)
{
  return x < y;
}

SLUICE_SCALAR uint8_t
NAME (less_equal) (T x, T y)
{
  return x <= y;
}

SLUICE_SCALAR uint8_t
NAME (greater) (T x, T y)
{
  return x > y;
}

SLUICE_SCALAR uint8_t
NAME (greater_equal) (T x, T y)
{
  return x >= y;
}

SLUICE_SCALAR uint8_t
NAME (equal) (T x, T y)
{
  return x == y;
}

SLUICE_SCALAR uint8_t
NAME (not_equal) (T x, T y)
{
  return x != y;
}

/* A NaN on either side is handed on. */
SLUICE_SCALAR T
NAME (maximum) (T x, T y)
{
  return x > y || SCALAR_IS_NAN (x) ? x : y;
}

SLUICE_SCALAR T
NAME (minimum) (T x, T y)
{
  return x < y || SCALAR_IS_NAN (x) ? x : y;
}
