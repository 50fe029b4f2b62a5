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
  return fabs (x) < DBL_MIN ? copysign (0, x) : x;
}

/* ---- any number: T is the type, U the unsigned one in which integers wrap ---- */

#define SCALAR_ARITHMETIC(s, T, U)                                                                 \
  SLUICE_SCALAR T scalar_add_##s (T x, T y)                                                        \
  {                                                                                                \
    return (T) ((U) x + (U) y);                                                                    \
  }                                                                                                \
  SLUICE_SCALAR T scalar_sub_##s (T x, T y)                                                        \
  {                                                                                                \
    return (T) ((U) x - (U) y);                                                                    \
  }                                                                                                \
  SLUICE_SCALAR T scalar_mul_##s (T x, T y)                                                        \
  {                                                                                                \
    return (T) ((U) x * (U) y);                                                                    \
  }                                                                                                \
  SLUICE_SCALAR T scalar_neg_##s (T x)                                                             \
  {                                                                                                \
    return (T) (-(U) x);                                                                           \
  }                                                                                                \
  SLUICE_SCALAR T scalar_square_##s (T x)                                                          \
  {                                                                                                \
    return (T) ((U) x * (U) x);                                                                    \
  }                                                                                                \
  SLUICE_SCALAR T scalar_squared_difference_##s (T x, T y)                                         \
  {                                                                                                \
    return scalar_square_##s (scalar_sub_##s (x, y));                                              \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_less_##s (T x, T y)                                                 \
  {                                                                                                \
    return x < y;                                                                                  \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_less_equal_##s (T x, T y)                                           \
  {                                                                                                \
    return x <= y;                                                                                 \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_greater_##s (T x, T y)                                              \
  {                                                                                                \
    return x > y;                                                                                  \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_greater_equal_##s (T x, T y)                                        \
  {                                                                                                \
    return x >= y;                                                                                 \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_equal_##s (T x, T y)                                                \
  {                                                                                                \
    return x == y;                                                                                 \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_not_equal_##s (T x, T y)                                            \
  {                                                                                                \
    return x != y;                                                                                 \
  }                                                                                                \
  /* A NaN on either side is handed on. */                                                         \
  SLUICE_SCALAR T scalar_maximum_##s (T x, T y)                                                    \
  {                                                                                                \
    return x > y || x != x ? x : y;                                                                \
  }                                                                                                \
  SLUICE_SCALAR T scalar_minimum_##s (T x, T y)                                                    \
  {                                                                                                \
    return x < y || x != x ? x : y;                                                                \
  }

SCALAR_ARITHMETIC (f32, float, float)
SCALAR_ARITHMETIC (f64, double, double)
SCALAR_ARITHMETIC (i8, int8_t, uint32_t)
SCALAR_ARITHMETIC (i16, int16_t, uint32_t)
SCALAR_ARITHMETIC (i32, int32_t, uint32_t)
SCALAR_ARITHMETIC (i64, int64_t, uint64_t)
SCALAR_ARITHMETIC (u8, uint8_t, uint32_t)
SCALAR_ARITHMETIC (u16, uint16_t, uint32_t)
SCALAR_ARITHMETIC (u32, uint32_t, uint32_t)
SCALAR_ARITHMETIC (u64, uint64_t, uint64_t)

/* ---- integers; callers have refused divisors of 0 and negative powers ---- */

#define SCALAR_INTEGER(s, T)                                                                       \
  SLUICE_SCALAR T scalar_power_##s (T x, T y)                                                      \
  {                                                                                                \
    T result = 1;                                                                                  \
    for (; y > 0; y = (T) (y >> 1), x = scalar_mul_##s (x, x))                                     \
      if (y & 1)                                                                                   \
        result = scalar_mul_##s (result, x);                                                       \
    return result;                                                                                 \
  }                                                                                                \
  SLUICE_SCALAR T scalar_invert_##s (T x)                                                          \
  {                                                                                                \
    return (T) ~x;                                                                                 \
  }                                                                                                \
  SLUICE_SCALAR T scalar_bitwise_and_##s (T x, T y)                                                \
  {                                                                                                \
    return x & y;                                                                                  \
  }                                                                                                \
  SLUICE_SCALAR T scalar_bitwise_or_##s (T x, T y)                                                 \
  {                                                                                                \
    return x | y;                                                                                  \
  }                                                                                                \
  SLUICE_SCALAR T scalar_bitwise_xor_##s (T x, T y)                                                \
  {                                                                                                \
    return x ^ y;                                                                                  \
  }                                                                                                \
  /* Places beyond the type are its edges, as in TensorFlow. */                                    \
  SLUICE_SCALAR int scalar_places_##s (T y)                                                        \
  {                                                                                                \
    const int most = 8 * (int) sizeof (T) - 1;                                                     \
    return y < 1 ? 0 : y > most ? most : (int) y;                                                  \
  }                                                                                                \
  SLUICE_SCALAR T scalar_left_shift_##s (T x, T y)                                                 \
  {                                                                                                \
    return (T) ((uint64_t) x << scalar_places_##s (y));                                            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_right_shift_##s (T x, T y)                                                \
  {                                                                                                \
    return (T) (x >> scalar_places_##s (y));                                                       \
  }                                                                                                \
  /* TensorFlow 2.21 answers 0 for every integer, and a graph must give the same numbers here. */  \
  SLUICE_SCALAR T scalar_round_##s (T x)                                                           \
  {                                                                                                \
    return 0;                                                                                      \
  }

/* The lowest number over -1 wraps to itself. */
#define SCALAR_SIGNED(s, T)                                                                        \
  SCALAR_INTEGER (s, T)                                                                            \
  SLUICE_SCALAR T scalar_truncate_mod_##s (T x, T y)                                               \
  {                                                                                                \
    return y == -1 ? 0 : (T) (x % y);                                                              \
  }                                                                                                \
  SLUICE_SCALAR T scalar_truncate_div_##s (T x, T y)                                               \
  {                                                                                                \
    return y == -1 ? scalar_neg_##s (x) : (T) (x / y);                                             \
  }                                                                                                \
  SLUICE_SCALAR T scalar_floor_mod_##s (T x, T y)                                                  \
  {                                                                                                \
    T rest = scalar_truncate_mod_##s (x, y);                                                       \
    return rest != 0 && (rest < 0) != (y < 0) ? (T) (rest + y) : rest;                             \
  }                                                                                                \
  SLUICE_SCALAR T scalar_floor_div_##s (T x, T y)                                                  \
  {                                                                                                \
    T rest = scalar_truncate_mod_##s (x, y);                                                       \
    return (T) (scalar_truncate_div_##s (x, y) - (rest != 0 && (rest < 0) != (y < 0)));            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_abs_##s (T x)                                                             \
  {                                                                                                \
    return x < 0 ? scalar_neg_##s (x) : x;                                                         \
  }                                                                                                \
  SLUICE_SCALAR T scalar_sign_##s (T x)                                                            \
  {                                                                                                \
    return (T) ((x > 0) - (x < 0));                                                                \
  }

#define SCALAR_UNSIGNED(s, T)                                                                      \
  SCALAR_INTEGER (s, T)                                                                            \
  SLUICE_SCALAR T scalar_truncate_mod_##s (T x, T y)                                               \
  {                                                                                                \
    return (T) (x % y);                                                                            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_truncate_div_##s (T x, T y)                                               \
  {                                                                                                \
    return (T) (x / y);                                                                            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_floor_mod_##s (T x, T y)                                                  \
  {                                                                                                \
    return (T) (x % y);                                                                            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_floor_div_##s (T x, T y)                                                  \
  {                                                                                                \
    return (T) (x / y);                                                                            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_abs_##s (T x)                                                             \
  {                                                                                                \
    return x;                                                                                      \
  }                                                                                                \
  SLUICE_SCALAR T scalar_sign_##s (T x)                                                            \
  {                                                                                                \
    return x > 0;                                                                                  \
  }

SCALAR_SIGNED (i8, int8_t)
SCALAR_SIGNED (i16, int16_t)
SCALAR_SIGNED (i32, int32_t)
SCALAR_SIGNED (i64, int64_t)
SCALAR_UNSIGNED (u8, uint8_t)
SCALAR_UNSIGNED (u16, uint16_t)
SCALAR_UNSIGNED (u32, uint32_t)
SCALAR_UNSIGNED (u64, uint64_t)

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

/* ---- both floating types; m is libm's suffix ---- */

#define SCALAR_FLOATING(s, T, m)                                                                   \
  SLUICE_SCALAR T scalar_sigmoid_##s (T x)                                                         \
  {                                                                                                \
    return 1 / (1 + scalar_exp_##s (-x));                                                          \
  }                                                                                                \
  SLUICE_SCALAR T scalar_sqrt_##s (T x)                                                            \
  {                                                                                                \
    return sqrt##m (x);                                                                            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_rsqrt_##s (T x)                                                           \
  {                                                                                                \
    return 1 / sqrt##m (x);                                                                        \
  }                                                                                                \
  SLUICE_SCALAR T scalar_reciprocal_##s (T x)                                                      \
  {                                                                                                \
    return 1 / x;                                                                                  \
  }                                                                                                \
  SLUICE_SCALAR T scalar_abs_##s (T x)                                                             \
  {                                                                                                \
    return fabs##m (x);                                                                            \
  }                                                                                                \
  /* 0 of either sign gives +0, NaN gives NaN. */                                                  \
  SLUICE_SCALAR T scalar_sign_##s (T x)                                                            \
  {                                                                                                \
    return x != x ? x : (T) (x > 0) - (T) (x < 0);                                                 \
  }                                                                                                \
  SLUICE_SCALAR T scalar_floor_##s (T x)                                                           \
  {                                                                                                \
    return floor##m (x);                                                                           \
  }                                                                                                \
  SLUICE_SCALAR T scalar_ceil_##s (T x)                                                            \
  {                                                                                                \
    return ceil##m (x);                                                                            \
  }                                                                                                \
  /* To even at a half. */                                                                         \
  SLUICE_SCALAR T scalar_round_##s (T x)                                                           \
  {                                                                                                \
    return rint##m (x);                                                                            \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_is_nan_##s (T x)                                                    \
  {                                                                                                \
    return x != x;                                                                                 \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_is_inf_##s (T x)                                                    \
  {                                                                                                \
    return fabs##m (x) == (T) INFINITY;                                                            \
  }                                                                                                \
  SLUICE_SCALAR uint8_t scalar_is_finite_##s (T x)                                                 \
  {                                                                                                \
    return fabs##m (x) < (T) INFINITY;                                                             \
  }                                                                                                \
  SLUICE_SCALAR T scalar_div_##s (T x, T y)                                                        \
  {                                                                                                \
    return x / y;                                                                                  \
  }                                                                                                \
  SLUICE_SCALAR T scalar_truncate_div_##s (T x, T y)                                               \
  {                                                                                                \
    return trunc##m (x / y);                                                                       \
  }                                                                                                \
  SLUICE_SCALAR T scalar_floor_div_##s (T x, T y)                                                  \
  {                                                                                                \
    return floor##m (x / y);                                                                       \
  }                                                                                                \
  SLUICE_SCALAR T scalar_truncate_mod_##s (T x, T y)                                               \
  {                                                                                                \
    return scalar_fmod_##s (x, y);                                                                 \
  }                                                                                                \
  SLUICE_SCALAR T scalar_floor_mod_##s (T x, T y)                                                  \
  {                                                                                                \
    T rest = scalar_fmod_##s (x, y);                                                               \
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;                                   \
  }                                                                                                \
  SLUICE_SCALAR T scalar_power_##s (T x, T y)                                                      \
  {                                                                                                \
    return scalar_pow_##s (x, y);                                                                  \
  }                                                                                                \
  SLUICE_SCALAR T scalar_div_no_nan_##s (T x, T y)                                                 \
  {                                                                                                \
    return y == 0 ? 0 : x / y;                                                                     \
  }                                                                                                \
  SLUICE_SCALAR T scalar_mul_no_nan_##s (T x, T y)                                                 \
  {                                                                                                \
    return y == 0 ? 0 : x * y;                                                                     \
  }                                                                                                \
  SLUICE_SCALAR T scalar_xdivy_##s (T x, T y)                                                      \
  {                                                                                                \
    return x == 0 ? 0 : x / y;                                                                     \
  }                                                                                                \
  SLUICE_SCALAR T scalar_xlogy_##s (T x, T y)                                                      \
  {                                                                                                \
    return x == 0 ? 0 : x * scalar_log_##s (y);                                                    \
  }                                                                                                \
  /* Gradients: y is the value of the function, dy what came from above, factors in TensorFlow's   \
     order: where one is large, another would overflow or not be a number. */                      \
  SLUICE_SCALAR T scalar_tanh_grad_##s (T y, T dy)                                                 \
  {                                                                                                \
    return dy * (1 - y * y);                                                                       \
  }                                                                                                \
  SLUICE_SCALAR T scalar_sigmoid_grad_##s (T y, T dy)                                              \
  {                                                                                                \
    return dy * ((1 - y) * y);                                                                     \
  }                                                                                                \
  /* Where nothing comes from above, nothing goes on, whatever the function was. */                \
  SLUICE_SCALAR T scalar_sqrt_grad_##s (T y, T dy)                                                 \
  {                                                                                                \
    return dy == 0 ? 0 : dy * ((T) 0.5 / y);                                                       \
  }                                                                                                \
  SLUICE_SCALAR T scalar_rsqrt_grad_##s (T y, T dy)                                                \
  {                                                                                                \
    return dy == 0 ? 0 : (T) -0.5 * (dy * y) * (y * y);                                            \
  }                                                                                                \
  SLUICE_SCALAR T scalar_reciprocal_grad_##s (T y, T dy)                                           \
  {                                                                                                \
    return dy == 0 ? 0 : -(y * y) * dy;                                                            \
  }

SCALAR_FLOATING (f32, float, f)
SCALAR_FLOATING (f64, double, )

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
