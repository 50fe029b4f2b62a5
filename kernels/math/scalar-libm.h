/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * Formulas of scalar.h that call libm element by element, not for vector code, on CPUs and CUDA
 * devices. Half types: those whose quotients are rounded before they are cut.
 */
#include "kernels/half.h"
#include "kernels/math/scalar.h"

SCALAR_LIBM (tan, tan)
SCALAR_LIBM (asin, asin)
SCALAR_LIBM (acos, acos)
SCALAR_LIBM (atan, atan)
SCALAR_LIBM (sinh, sinh)
SCALAR_LIBM (cosh, cosh)
SCALAR_LIBM (asinh, asinh)
SCALAR_LIBM (acosh, acosh)
SCALAR_LIBM (atanh, atanh)
SCALAR_LIBM (erfc, erfc)

#define SCALAR_SPECIAL_2(name, function)                                                           \
  SLUICE_SCALAR double scalar_##name##_f64 (double x, double y)                                    \
  {                                                                                                \
    return function (scalar_flush_f64 (x), scalar_flush_f64 (y));                                  \
  }                                                                                                \
  SLUICE_SCALAR float scalar_##name##_f32 (float x, float y)                                       \
  {                                                                                                \
    return (float) function (scalar_flush_f32 (x), scalar_flush_f32 (y));                          \
  }

SCALAR_SPECIAL_2 (atan2, atan2)

SLUICE_SCALAR float
scalar_next_after_f32 (float x, float y)
{
  return nextafterf (x, y);
}
SLUICE_SCALAR double
scalar_next_after_f64 (double x, double y)
{
  return nextafter (x, y);
}
SLUICE_SCALAR float
scalar_xlog1py_f32 (float x, float y)
{
  return x == 0 ? 0 : x * scalar_log1p_f32 (y);
}
SLUICE_SCALAR double
scalar_xlog1py_f64 (double x, double y)
{
  return x == 0 ? 0 : x * scalar_log1p_f64 (y);
}

SLUICE_SCALAR float
scalar_step_f16 (float x)
{
  return sluice_from_half (sluice_to_half (x));
}

/* Quotients of halves are rounded before they are cut, as TensorFlow's are: they may be whole then.
 */
#define SCALAR_HALF_QUOTIENTS(s)                                                                   \
  SLUICE_SCALAR float scalar_floor_div_##s (float x, float y)                                      \
  {                                                                                                \
    return floorf (scalar_step_##s (x / y));                                                       \
  }                                                                                                \
  SLUICE_SCALAR float scalar_truncate_div_##s (float x, float y)                                   \
  {                                                                                                \
    return truncf (scalar_step_##s (x / y));                                                       \
  }

SCALAR_HALF_QUOTIENTS (f16)
SCALAR_HALF_QUOTIENTS (bf16)
