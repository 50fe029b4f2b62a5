/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * Formulas of scalar.h that call libm or special.c element by element: CPU only, not for vector
 * code. Special functions of f32 go through f64.
 */
#include "kernels/math/scalar-complex.h"
#include "kernels/math/scalar-libm.h"
#include "kernels/math/special.h"

SCALAR_COMPLEX_1 (tan, ctan (x))
SCALAR_COMPLEX_1 (asin, casin (x))
SCALAR_COMPLEX_1 (acos, cacos (x))
SCALAR_COMPLEX_1 (atan, catan (x))
SCALAR_COMPLEX_1 (sinh, csinh (x))
SCALAR_COMPLEX_1 (cosh, ccosh (x))
SCALAR_COMPLEX_1 (asinh, casinh (x))
SCALAR_COMPLEX_1 (acosh, cacosh (x))
SCALAR_COMPLEX_1 (atanh, catanh (x))

#define SCALAR_SPECIAL_1(name)                                                                     \
  SLUICE_SCALAR double scalar_##name##_f64 (double x)                                              \
  {                                                                                                \
    return sluice_##name (scalar_flush_f64 (x));                                                   \
  }                                                                                                \
  SLUICE_SCALAR float scalar_##name##_f32 (float x)                                                \
  {                                                                                                \
    return (float) sluice_##name (scalar_flush_f32 (x));                                           \
  }
SCALAR_SPECIAL_1 (lgamma)
SCALAR_SPECIAL_1 (digamma)
SCALAR_SPECIAL_2 (igamma, sluice_igamma)
SCALAR_SPECIAL_2 (igammac, sluice_igammac)
SCALAR_SPECIAL_2 (igamma_grad_a, sluice_igamma_grad_a)
SCALAR_SPECIAL_2 (zeta, sluice_zeta)
SCALAR_SPECIAL_2 (polygamma, sluice_polygamma)

/* ---- parts of complex numbers ---- */

#define SCALAR_PART(s, C, T, m)                                                                    \
  SLUICE_SCALAR T scalar_real_##s (C x)                                                            \
  {                                                                                                \
    return creal##m (x);                                                                           \
  }                                                                                                \
  SLUICE_SCALAR T scalar_imag_##s (C x)                                                            \
  {                                                                                                \
    return cimag##m (x);                                                                           \
  }                                                                                                \
  SLUICE_SCALAR T scalar_angle_##s (C x)                                                           \
  {                                                                                                \
    return carg##m (x);                                                                            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_modulus_##s (C x)                                                         \
  {                                                                                                \
    return cabs##m (x);                                                                            \
  }

SCALAR_PART (c64, SluiceComplex64, float, f)
SCALAR_PART (c128, SluiceComplex128, double, )

SLUICE_SCALAR SluiceComplex64
scalar_join_f32 (float x, float y)
{
  return __builtin_complex (x, y);
}
SLUICE_SCALAR SluiceComplex128
scalar_join_f64 (double x, double y)
{
  return __builtin_complex (x, y);
}
