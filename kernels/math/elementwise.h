/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * How the formulas of scalar.h become loops: for every formula and type one function that knows the
 * three loop shapes (contiguous, one operand fixed) and is handed planes of a broadcast.
 */
#include "kernels/math/scalar-special.h"
#include "kernels/math/broadcast.h"
#include "kernels/typed.h"

#ifdef __clang__
#define SLUICE_INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#else
/* An operand may be the output itself; element i only ever depends on element i. */
#define SLUICE_INDEPENDENT _Pragma ("GCC ivdep")
#endif

typedef void (*SluiceUnaryLoop) (gint64 n, const void *x, void *out);

/* A rectangle of the output, contiguous in it: rows × n. Steps in elements; inner steps are 0 or 1.
 */
typedef struct
{
  gint64 rows, n;
  gint64 x_row, y_row;
  gint64 x_step, y_step;
} SluicePlane;

typedef void (*SluiceBinaryLoop) (const SluicePlane *p, const void *x, const void *y, void *out);

/* As SLUICE_HOT, in fewer variants: compiling them is what takes the time. */
#if SLUICE_CLONES && defined(__x86_64__) && !defined(__clang__)
#define SLUICE_WARM __attribute__ ((target_clones ("avx2", "default")))
#else
#define SLUICE_WARM
#endif

/* Loops that few graphs run: plain code. */
#ifdef __clang__
#define SLUICE_RARE
#else
#define SLUICE_RARE __attribute__ ((optimize ("no-tree-vectorize")))
#endif

/* Elements in a chunk of work: fixed, so that what runs where never changes a bit. */
#define SLUICE_GRAIN 16384

/* FOR_<kinds> (L, fn): L (fn, suffix, type, attributes of the function) for each type. */
#define FOR_R(L, fn) L (fn, f32, float, SLUICE_HOT) L (fn, f64, double, SLUICE_WARM)
#define FOR_D(L, fn) L (fn, f32, float, SLUICE_RARE) L (fn, f64, double, SLUICE_RARE)
#define FOR_L        FOR_D
#define FOR_C(L, fn)                                                                               \
  L (fn, c64, SluiceComplex64, SLUICE_RARE) L (fn, c128, SluiceComplex128, SLUICE_RARE)
#define FOR_B(L, fn) L (fn, b8, guint8, SLUICE_HOT)
#define FOR_I(L, fn)                                                                               \
  L (fn, i32, gint32, )                                                                            \
  L (fn, i64, gint64, SLUICE_RARE)                                                                 \
  L (fn, i8, gint8, SLUICE_RARE)                                                                   \
  L (fn, i16, gint16, SLUICE_RARE)                                                                 \
  L (fn, u8, guint8, SLUICE_RARE)                                                                  \
  L (fn, u16, guint16, SLUICE_RARE)                                                                \
  L (fn, u32, guint32, SLUICE_RARE)                                                                \
  L (fn, u64, guint64, SLUICE_RARE)
/* Which of them have one loop for all shapes. */
enum
{
  IS_RARE_f32 = 0,
  IS_RARE_f64 = 0,
  IS_RARE_f16 = 1,
  IS_RARE_bf16 = 0,
  IS_RARE_b8 = 0,
  IS_RARE_i32 = 0,
  IS_RARE_i64 = 1,
  IS_RARE_i8 = 1,
  IS_RARE_i16 = 1,
  IS_RARE_u8 = 1,
  IS_RARE_u16 = 1,
  IS_RARE_u32 = 1,
  IS_RARE_u64 = 1,
  IS_RARE_c64 = 1,
  IS_RARE_c128 = 1,
};
enum
{
  OWN_TYPE_D = 1, /* the next float is not the next double */
  OWN_TYPE_L = 0,
  OWN_TYPE_LC = 0,
  OWN_TYPE_I = 0,
};
#define FOR_H(L, fn)                                                                               \
  FOR_R (L, fn)                                                                                    \
  L (fn, f16, float, SLUICE_RARE)                                                                  \
  L (fn, bf16, float, SLUICE_RARE)
#define FOR_HI(L, fn)   FOR_H (L, fn) FOR_I (L, fn)
#define FOR_S(L, fn)    FOR_R (L, fn) L (fn, bf16, float, SLUICE_HOT)
#define FOR_SC(L, fn)   FOR_S (L, fn) FOR_C (L, fn)
#define FOR_SIC(L, fn)  FOR_S (L, fn) FOR_I (L, fn) FOR_C (L, fn)
#define FOR_RC(L, fn)   FOR_R (L, fn) FOR_C (L, fn)
#define FOR_LC(L, fn)   FOR_L (L, fn) FOR_C (L, fn)
#define FOR_RI(L, fn)   FOR_R (L, fn) FOR_I (L, fn)
#define FOR_RIC(L, fn)  FOR_RI (L, fn) FOR_C (L, fn)
#define FOR_RICB(L, fn) FOR_RIC (L, fn) FOR_B (L, fn)

/* The same as designated initialisers of a table by dtype. Halves take the loop of float,
 * or that of their name, of floats too. */
#define LOOPS_R(p)                                                                                 \
  [SLUICE_HALF] = p##_f32, [SLUICE_BFLOAT16] = p##_f32, [SLUICE_FLOAT] = p##_f32,                  \
  [SLUICE_DOUBLE] = p##_f64
#define LOOPS_S(p)                                                                                 \
  [SLUICE_HALF] = p##_f32, [SLUICE_BFLOAT16] = p##_bf16, [SLUICE_FLOAT] = p##_f32,                 \
  [SLUICE_DOUBLE] = p##_f64
#define LOOPS_H(p)                                                                                 \
  [SLUICE_HALF] = p##_f16, [SLUICE_BFLOAT16] = p##_bf16, [SLUICE_FLOAT] = p##_f32,                 \
  [SLUICE_DOUBLE] = p##_f64
#define LOOPS_HI(p) LOOPS_H (p), LOOPS_I (p)
#define LOOPS_L     LOOPS_R
#define LOOPS_D(p)  [SLUICE_FLOAT] = p##_f32, [SLUICE_DOUBLE] = p##_f64
#define LOOPS_C(p)  [SLUICE_COMPLEX64] = p##_c64, [SLUICE_COMPLEX128] = p##_c128
#define LOOPS_B(p)  [SLUICE_BOOL] = p##_b8
#define LOOPS_I(p)                                                                                 \
  [SLUICE_INT8] = p##_i8, [SLUICE_INT16] = p##_i16, [SLUICE_INT32] = p##_i32,                      \
  [SLUICE_INT64] = p##_i64, [SLUICE_UINT8] = p##_u8, [SLUICE_UINT16] = p##_u16,                    \
  [SLUICE_UINT32] = p##_u32, [SLUICE_UINT64] = p##_u64
#define LOOPS_SC(p)   LOOPS_S (p), LOOPS_C (p)
#define LOOPS_SIC(p)  LOOPS_S (p), LOOPS_I (p), LOOPS_C (p)
#define LOOPS_RC(p)   LOOPS_R (p), LOOPS_C (p)
#define LOOPS_LC      LOOPS_RC
#define LOOPS_RI(p)   LOOPS_R (p), LOOPS_I (p)
#define LOOPS_RIC(p)  LOOPS_RI (p), LOOPS_C (p)
#define LOOPS_RICB(p) LOOPS_RIC (p), LOOPS_B (p)

#define SET_R    SLUICE_SET_FLOATS
#define SET_L    SLUICE_SET_FLOATS
#define SET_D    (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define SET_I    SLUICE_SET_INTS
#define SET_C    SLUICE_SET_COMPLEX
#define SET_HI   SET_RI
#define SET_SC   SET_RC
#define SET_SIC  SET_RIC
#define SET_RC   (SLUICE_SET_FLOATS | SLUICE_SET_COMPLEX)
#define SET_LC   SET_RC
#define SET_RI   SLUICE_SET_REAL
#define SET_RIC  SLUICE_SET_NUMBER
#define SET_RICB (SLUICE_SET_NUMBER | SLUICE_SET (SLUICE_BOOL))

/* ---- the loops ---- */

#define UNARY_LOOP_TO(fn, s, T, TO, hot)                                                           \
  hot static void unary_##fn##_##s (gint64 n, const void *x_, void *out_)                          \
  {                                                                                                \
    const T *x = x_;                                                                               \
    TO *out = out_;                                                                                \
    SLUICE_INDEPENDENT                                                                             \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = scalar_##fn##_##s (x[i]);                                                           \
  }
#define UNARY_LOOP(fn, s, T, hot)     UNARY_LOOP_TO (fn, s, T, T, hot)
#define PREDICATE_LOOP(fn, s, T, hot) UNARY_LOOP_TO (fn, s, T, guint8, hot)

#define BINARY_LOOP_TO(fn, s, T, TO, hot)                                                          \
  hot static void binary_##fn##_##s (const SluicePlane *plane, const void *x_, const void *y_,     \
                                     void *out_)                                                   \
  {                                                                                                \
    /* A copy: for all the compiler knows, out could be the plane. */                              \
    const SluicePlane p = *plane;                                                                  \
    TO *out = out_;                                                                                \
    for (gint64 r = 0; r < p.rows; r++, out += p.n)                                                \
      {                                                                                            \
        const T *x = (const T *) x_ + r * p.x_row, *y = (const T *) y_ + r * p.y_row;              \
        const T x0 = x[0], y0 = y[0];                                                              \
        if (IS_RARE_##s)                                                                           \
          for (gint64 i = 0; i < p.n; i++)                                                         \
            out[i] = scalar_##fn##_##s (x[i * p.x_step], y[i * p.y_step]);                         \
        else if (p.x_step && p.y_step)                                                             \
          {                                                                                        \
            SLUICE_INDEPENDENT                                                                     \
            for (gint64 i = 0; i < p.n; i++)                                                       \
              out[i] = scalar_##fn##_##s (x[i], y[i]);                                             \
          }                                                                                        \
        else if (p.x_step)                                                                         \
          {                                                                                        \
            SLUICE_INDEPENDENT                                                                     \
            for (gint64 i = 0; i < p.n; i++)                                                       \
              out[i] = scalar_##fn##_##s (x[i], y0);                                               \
          }                                                                                        \
        else                                                                                       \
          {                                                                                        \
            SLUICE_INDEPENDENT                                                                     \
            for (gint64 i = 0; i < p.n; i++)                                                       \
              out[i] = scalar_##fn##_##s (x0, y[i]);                                               \
          }                                                                                        \
      }                                                                                            \
  }
#define BINARY_LOOP(fn, s, T, hot)  BINARY_LOOP_TO (fn, s, T, T, hot)
#define COMPARE_LOOP(fn, s, T, hot) BINARY_LOOP_TO (fn, s, T, guint8, hot)

/* ---- what a kernel's data points to ---- */

typedef struct
{
  SluiceUnaryLoop loop[SLUICE_N_DTYPES];
  gboolean retypes; /* the result has another dtype */
  double ns;        /* an element */
} SluiceUnaryKernel;

typedef struct
{
  SluiceBinaryLoop loop[SLUICE_N_DTYPES];
  gboolean retypes;   /* the result has another dtype */
  gboolean one_shape; /* no broadcasting */
  gboolean own_type;  /* the reference kernel computes in no wider type either */
  double ns;          /* an element */
  /* (nullable): refuses a second operand of integers (a divisor of 0) */
  gboolean (*check) (SluiceKernelCall *call, const SluiceTensor *y);
} SluiceBinaryKernel;
