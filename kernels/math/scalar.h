/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * The formulas of all element-wise operations, one element each: scalar_<name>_<type>. CPU loops
 * and CUDA kernels compile the same text (complex numbers are CPU only, in scalar-complex.h).
 *
 * Types: f32 f64, i8 … i64, u8 … u64, b8. Half and bfloat16 are widened to f32 by their callers.
 * Nothing here needs a fused multiply-add and no formula is contracted, so every CPU gives the same
 * bits. Formulas in f32 are free of branches, so that loops over them become vector code; what
 * comes from libm gets flushed operands, because libm is wrong under denormals-are-zero.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define SLUICE_SCALAR static __device__ __forceinline__
#else
#define SLUICE_SCALAR static inline __attribute__ ((always_inline, unused))
#endif

SLUICE_SCALAR float
scalar_from_bits_f32 (uint32_t bits)
{
  float value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

SLUICE_SCALAR uint32_t
scalar_to_bits_f32 (float value)
{
  uint32_t bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

SLUICE_SCALAR float
scalar_flush_f32 (float x)
{
  return fabsf (x) < FLT_MIN ? copysignf (0, x) : x;
}

SLUICE_SCALAR double
scalar_flush_f64 (double x)
{
  return fabs (x) < DBL_MIN ? copysign (0.0, x) : x;
}

/* No integer is; as a macro, gcc does not warn of it. */
#define SCALAR_IS_NAN(x) ((x) != (x))

/* ---- integers; callers have refused divisors of 0 and negative powers ---- */

#define T        int8_t
#define U        uint32_t
#define NAME(op) scalar_##op##_i8
#include "kernels/math/scalar-signed.h"

#define T        int16_t
#define U        uint32_t
#define NAME(op) scalar_##op##_i16
#include "kernels/math/scalar-signed.h"

#define T        int32_t
#define U        uint32_t
#define NAME(op) scalar_##op##_i32
#include "kernels/math/scalar-signed.h"

#define T        int64_t
#define U        uint64_t
#define NAME(op) scalar_##op##_i64
#include "kernels/math/scalar-signed.h"

#define T        uint8_t
#define U        uint32_t
#define NAME(op) scalar_##op##_u8
#include "kernels/math/scalar-unsigned.h"

#define T        uint16_t
#define U        uint32_t
#define NAME(op) scalar_##op##_u16
#include "kernels/math/scalar-unsigned.h"

#define T        uint32_t
#define U        uint32_t
#define NAME(op) scalar_##op##_u32
#include "kernels/math/scalar-unsigned.h"

#define T        uint64_t
#define U        uint64_t
#define NAME(op) scalar_##op##_u64
#include "kernels/math/scalar-unsigned.h"

/* ---- truth values: 0 or 1 ---- */

SLUICE_SCALAR uint8_t
scalar_logical_and_b8 (uint8_t x, uint8_t y)
{
  return x & y;
}
SLUICE_SCALAR uint8_t
scalar_logical_or_b8 (uint8_t x, uint8_t y)
{
  return x | y;
}
SLUICE_SCALAR uint8_t
scalar_logical_not_b8 (uint8_t x)
{
  return !x;
}
SLUICE_SCALAR uint8_t
scalar_equal_b8 (uint8_t x, uint8_t y)
{
  return x == y;
}
SLUICE_SCALAR uint8_t
scalar_not_equal_b8 (uint8_t x, uint8_t y)
{
  return x != y;
}

/*
 * ---- exp, log, tanh and sigmoid in f32 ----
 *
 * Fused multiply-adds are written out: one rounding on every CPU, in hardware where it has them,
 * else in libm. Polynomials are summed by even and by odd powers: the one long chain, in which each
 * step waits for the one before, becomes two short ones.
 */

/* exp x - 1 where |x| <= ln 2 / 2. */
SLUICE_SCALAR float
scalar_expm1_near_f32 (float x)
{
  float z = x * x;
  float even = 1.9875691500e-4f, odd = 1.3981999507e-3f;
  even = fmaf (even, z, 8.3334519073e-3f);
  odd = fmaf (odd, z, 4.1665795894e-2f);
  even = fmaf (even, z, 1.6666665459e-1f);
  odd = fmaf (odd, z, 5.0000001201e-1f);
  return fmaf (fmaf (even, x, odd), z, x);
}

SLUICE_SCALAR float
scalar_exp_f32 (float x)
{
  /* exp x = 2^n exp r, r = x - n ln 2; the first part of ln 2 has 9 bits, so its product with n is
     exact. Adding 1.5·2^23 rounds to an integer, found in the low bits. */
  const float shift = 12582912.0f;
  float shifted = fmaf (x, 1.44269504088896341f, shift);
  float k = shifted - shift;
  float r = fmaf (k, 2.12194440e-4f, fmaf (k, -0.693359375f, x));
  float p = scalar_expm1_near_f32 (r) + 1.0f;
  /* n is added to the exponent of p; the bits of `shift` above it fall off. */
  float result =
      scalar_from_bits_f32 (scalar_to_bits_f32 (p) + (scalar_to_bits_f32 (shifted) << 23));
  result = x < -87.3365402f ? 0 : result;       /* what lies below FLT_MIN is flushed */
  return x <= 88.72283f ? result : x * FLT_MAX; /* infinity, and NaN stays NaN */
}

SLUICE_SCALAR float
scalar_log_f32 (float x)
{
  /* x = 2^e (1 + f) with 1 + f in [sqrt 1/2, sqrt 2). */
  uint32_t bits = scalar_to_bits_f32 (x) - 0x3f3504f3u;
  float e = (float) ((int32_t) bits >> 23);
  float f = scalar_from_bits_f32 ((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  /* What no logarithm is found for goes through e: nothing later makes it finite. */
  float below = x > -FLT_MIN ? -INFINITY : NAN;
  e = x < FLT_MIN ? below : e;
  e = x <= FLT_MAX ? e : x;
  float z = f * f;
  float even = 7.0376836292e-2f, odd = -1.1514610310e-1f;
  even = fmaf (even, z, 1.1676998740e-1f);
  odd = fmaf (odd, z, -1.2420140846e-1f);
  even = fmaf (even, z, 1.4249322787e-1f);
  odd = fmaf (odd, z, -1.6668057665e-1f);
  even = fmaf (even, z, 2.0000714765e-1f);
  odd = fmaf (odd, z, -2.4999993993e-1f);
  even = fmaf (even, z, 3.3333331174e-1f);
  odd = fmaf (odd, z, -0.5f);
  float p = fmaf (even, f, odd);
  /* The first part of ln 2 has 15 bits; both are positive, so that infinities do not cancel. */
  return fmaf (e, 0.693145751953125f, fmaf (z, p, fmaf (e, 1.42860682030941723e-6f, f)));
}

SLUICE_SCALAR float
scalar_log1p_f32 (float x)
{
  /* The factor gives back what rounding 1 + x has lost (W. Kahan). */
  float u = 1.0f + x;
  float d = u - 1.0f;
  float l = scalar_log_f32 (u);
  float result = l * (x / d);
  result = d != d || u <= 0 ? l : result;
  return d == 0 || u > FLT_MAX ? x : result;
}

SLUICE_SCALAR float
scalar_expm1_f32 (float x)
{
  float p = scalar_expm1_near_f32 (x);
  return fabsf (x) < 0.34657359f ? p : scalar_exp_f32 (x) - 1.0f;
}

SLUICE_SCALAR float
scalar_tanh_f32 (float x)
{
  /* Odd rational minimax approximation; at the bound the quotient is 1. */
  const float bound = 7.99881172180175781f;
  float c = x < -bound ? -bound : x > bound ? bound : x;
  float z = c * c;
  float p = -2.76076847742355e-16f;
  p = fmaf (p, z, 2.00018790482477e-13f);
  p = fmaf (p, z, -8.60467152213735e-11f);
  p = fmaf (p, z, 5.12229709037114e-08f);
  p = fmaf (p, z, 1.48572235717979e-05f);
  p = fmaf (p, z, 6.37261928875436e-04f);
  p = fmaf (p, z, 4.89352455891786e-03f);
  float q = 1.19825839466702e-06f;
  q = fmaf (q, z, 1.18534705686654e-04f);
  q = fmaf (q, z, 2.26843463243900e-03f);
  q = fmaf (q, z, 4.89352518554385e-03f);
  return fabsf (x) < 0.0004f ? x : c * p / q;
}

SLUICE_SCALAR double
scalar_exp_f64 (double x)
{
  return exp (scalar_flush_f64 (x));
}

#define SCALAR_LIBM_F64(name, function)                                                            \
  SLUICE_SCALAR double scalar_##name##_f64 (double x)                                              \
  {                                                                                                \
    return function (scalar_flush_f64 (x));                                                        \
  }
#define SCALAR_LIBM(name, function)                                                                \
  SCALAR_LIBM_F64 (name, function)                                                                 \
  SLUICE_SCALAR float scalar_##name##_f32 (float x)                                                \
  {                                                                                                \
    return function##f (scalar_flush_f32 (x));                                                     \
  }

SCALAR_LIBM_F64 (log, log)
SCALAR_LIBM_F64 (log1p, log1p)
SCALAR_LIBM_F64 (expm1, expm1)
SCALAR_LIBM_F64 (tanh, tanh)
SCALAR_LIBM (sin, sin)
SCALAR_LIBM (cos, cos)
SCALAR_LIBM (erf, erf)

SLUICE_SCALAR float
scalar_pow_f32 (float x, float y)
{
  return powf (scalar_flush_f32 (x), scalar_flush_f32 (y));
}
SLUICE_SCALAR double
scalar_pow_f64 (double x, double y)
{
  return pow (scalar_flush_f64 (x), scalar_flush_f64 (y));
}
SLUICE_SCALAR float
scalar_fmod_f32 (float x, float y)
{
  return fmodf (scalar_flush_f32 (x), scalar_flush_f32 (y));
}
SLUICE_SCALAR double
scalar_fmod_f64 (double x, double y)
{
  return fmod (scalar_flush_f64 (x), scalar_flush_f64 (y));
}

/* ---- both floating types ---- */

#define T        float
#define U        float
#define MATH(g)  g##f
#define NAME(op) scalar_##op##_f32
#include "kernels/math/scalar-floating.h"

#define T        double
#define U        double
#define MATH(g)  g
#define NAME(op) scalar_##op##_f64
#include "kernels/math/scalar-floating.h"

/* ---- bfloat16, whose few bits show where a formula rounds: after each step, as TensorFlow does.
   Operands and results are floats that bfloat16 can hold. ---- */

SLUICE_SCALAR float
scalar_step_bf16 (float x)
{
  uint32_t bits = scalar_to_bits_f32 (x);
  uint32_t even = (bits + 0x7fffu + ((bits >> 16) & 1)) & 0xffff0000u;
  return x != x ? x : scalar_from_bits_f32 (even);
}
SLUICE_SCALAR float
scalar_squared_difference_bf16 (float x, float y)
{
  return scalar_square_f32 (scalar_step_bf16 (x - y));
}
SLUICE_SCALAR float
scalar_tanh_grad_bf16 (float y, float dy)
{
  return dy * scalar_step_bf16 (1 - scalar_step_bf16 (y * y));
}
SLUICE_SCALAR float
scalar_sigmoid_grad_bf16 (float y, float dy)
{
  return scalar_step_bf16 (dy * scalar_step_bf16 (1 - y)) * y;
}
